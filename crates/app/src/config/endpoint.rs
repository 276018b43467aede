//! Addresses of providers: which texts are one.
//!
//! Stricter than the URL standard, which reads much that a person would not recognise as the
//! address that comes out: what looks like one host must not be another.

use url::Url;

use super::kind::{MAX_TEXT, shown};
use elophanto_net::address::host_of_web;

/// What an address looks like; for error messages.
pub(super) const BASE_URL_FORM: &str =
    "an http or https URL without user, query or fragment, such as http://127.0.0.1:1234/v1";

/// Reads an address. The error says what was found instead, without anything that may be secret.
pub(super) fn read_base_url(text: &str) -> Result<Url, String> {
    if text.contains(['?', '#', '@']) {
        return Err("one with a `?`, `#` or `@`".to_owned());
    }
    let refused = || format!("{:?}", shown(text));
    let lower = text.to_ascii_lowercase();
    let rest = ["http://", "https://"].iter().find_map(|scheme| lower.strip_prefix(scheme));
    let odd = |c: char| c.is_control() || c.is_whitespace() || "\\<>\"{}|^`".contains(c);
    let plain = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    if !plain || text.len() > MAX_TEXT || text.contains(odd) {
        return Err(refused());
    }
    let url = Url::parse(text).map_err(|_| refused())?;
    let bare = url.query().is_none() && url.fragment().is_none();
    if bare && host_of_web(&url).is_ok() { Ok(url) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_plain_addresses_only() {
        for (text, expected) in [
            ("https://api.openai.com/v1", Some("https://api.openai.com/v1")),
            ("HTTP://LocalHost:1234/v1/", Some("http://localhost:1234/v1/")),
            ("http://[::1]:8080", Some("http://[::1]:8080/")),
            ("https://bücher.example", Some("https://xn--bcher-kva.example/")),
            ("", None),
            ("api.openai.com", None),
            ("https:evil.example", None),
            ("https:///evil.example", None),
            ("https://", None),
            ("http:/\\evil.example", None),
            ("https://a\\@evil.example", None),
            ("https://user:pass@evil.example", None),
            ("https://@evil.example", None),
            ("https://evil.example/?", None),
            ("https://evil.example/?a=b", None),
            ("https://evil.example/#", None),
            ("https://evil.example/v1\n", None),
            (" https://evil.example", None),
            ("ht\ttps://evil.example", None),
            ("https://evil\0.example", None),
            ("https://evil.example:99999", None),
            ("https://evil%00.example", None),
            ("file:///etc/passwd", None),
            ("ftp://a.example", None),
            ("unix:/run/x", None),
            ("javascript:alert(1)", None),
        ] {
            let read = read_base_url(text);
            assert_eq!(read.as_ref().ok().map(Url::as_str), expected, "{text:?}: {read:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(MAX_TEXT));
        assert!(read_base_url(&long).is_err());
        let error = read_base_url("https://user:hunter2@a.example").unwrap_err();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
