//! The names of remote models in fingerprints.
//!
//! `provider:model@dimension`, and `+tag` if the model wants prefixes: for instance
//! `ollama:nomic-embed-text@768+nomic`. What is neither a letter nor a digit nor one of `._/:-` in
//! the model's name is written `%XX`, byte for byte; so the text is printable ASCII and two models
//! never share it.
//!
//! The provider's word is part of it: the same open model gives nearly, but not exactly, the same
//! vectors when another program serves it (other precision, other pooling, another tokenizer). The
//! address is not: moving a server embeds nothing again, and addresses may be private.

use std::fmt::Write;

use super::{super::Fingerprint, prefixes::Prefixes};

pub(super) fn fingerprint(
    provider: &str,
    model: &str,
    dimension: usize,
    prefixes: Option<&Prefixes>,
) -> Fingerprint {
    let mut name = format!("{provider}:");
    for byte in model.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'/' | b':' | b'-' => {
                name.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(name, "%{byte:02X}")),
        }
    }
    let _ = write!(name, "@{dimension}");
    if let Some(prefixes) = prefixes {
        let _ = write!(name, "+{}", prefixes.tag);
    }
    Fingerprint::new(name)
}

/// Model and dimension that a fingerprint names. Whether it is one of these at all shows when it is
/// made again from them.
pub fn parse(fingerprint: &Fingerprint) -> Option<(String, usize)> {
    let (_, rest) = fingerprint.as_str().split_once(':')?;
    let (model, rest) = rest.rsplit_once('@')?;
    let dimension = rest.split('+').next()?.parse().ok()?;
    let mut bytes = Vec::new();
    let mut left = model.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        left = rest;
        if byte == b'%' {
            let (digits, rest) = left.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            left = rest;
        } else {
            bytes.push(byte);
        }
    }
    Some((String::from_utf8(bytes).ok()?, dimension))
}

#[cfg(test)]
mod tests {
    use super::{super::prefixes::prefixes, *};

    #[test]
    fn names_are_stable_and_printable() {
        #[track_caller]
        fn check(provider: &str, model: &str, dimension: usize, expected: &str) {
            let found = fingerprint(provider, model, dimension, prefixes(model));
            assert_eq!(found.as_str(), expected);
            assert!(expected.bytes().all(|byte| byte.is_ascii_graphic()));
            assert_eq!(parse(&found), Some((model.to_owned(), dimension)));
        }
        check(
            "openrouter",
            "google/gemini-embedding-001",
            3072,
            "openrouter:google/gemini-embedding-001@3072",
        );
        check("openai", "text-embedding-3-small", 256, "openai:text-embedding-3-small@256");
        check("ollama", "nomic-embed-text", 768, "ollama:nomic-embed-text@768+nomic");
        check("ollama", "a:b", 3, "ollama:a:b@3");
        check("openai", "a@3+e5 %\n", 3, "openai:a%403%2Be5%20%25%0A@3");
        check("openai", "é", 3, "openai:%C3%A9@3");
    }

    #[test]
    fn other_names_are_no_reason_to_panic() {
        for name in
            ["", ":", "openai:@", "openai:a@x", "openai:a%4@3", "openai:a%é@3", "a%zz:%zz@1"]
        {
            assert_eq!(parse(&Fingerprint::new(name)), None, "{name}");
        }
    }
}
