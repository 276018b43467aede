//! Whose token finds which repositories of a fleet, as a file of the operator's says it.
//!
//! Owns the form of `fleet.yaml`. A token never stands there: the file names where it is kept, or its
//! hash, and what comes out of here is a hash in any case.

use std::{collections::BTreeMap, fs::File, path::Path};

use secrecy::ExposeSecret as _;

use super::Rights;
use crate::{
    Error, Result,
    config::KeyRef,
    environment::Environment,
    keys::{self, Asking},
};
use elophanto_base::{
    one_line::one_line,
    platform, regular,
    shell::quoted,
    visible::escape_control_line,
    yaml::{self, Budget, Node, Value},
};
use elophanto_tables::fleet::is_repository;

/// Most bytes of the file.
const MOST_BYTES: usize = 1 << 20;
/// Fewest characters of a token: one that is shorter could be guessed.
const LEAST_TOKEN: usize = 20;
const FORM: &str = "it is a list of entries such as `- { token: env:SEA_TOKEN, repositories: \
                    [github.com/acme/sea, github.com/acme/docs/] }`";
const TOKENS: &str = "a token is named, as `env:NAME`, `vault:NAME` or `blake3:HASH`, and never stands \
                      there itself; `openssl rand -hex 32` makes one";

/// Somebody who may ask, by the hash of their token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// BLAKE3 of it.
    pub token: blake3::Hash,
    /// Which repositories they may ask.
    pub rights: Rights,
}

/// Where the token of a caller is known from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenRef {
    Hash(blake3::Hash),
    Kept(KeyRef),
}

/// An entry of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// Where it begins, from 1.
    line: usize,
    token: TokenRef,
    repositories: Vec<String>,
}

/// What is wrong with the file, on which line, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    line: Option<usize>,
    what: String,
    hint: &'static str,
}

impl Fault {
    fn at(line: usize, what: impl Into<String>, hint: &'static str) -> Self {
        Self { line: Some(line), what: what.into(), hint }
    }

    fn of_file(self, path: &Path) -> Error {
        let path = path.display();
        let Self { line, what, hint } = self;
        match line {
            Some(line) => Error::new(format_args!("`{path}`, line {line}: {what}")),
            None => Error::new(format_args!("`{path}`: {what}")),
        }
        .hint(hint)
    }
}

/// The callers that a file names.
///
/// # Errors
/// When it cannot be read, others may write to it, it is not of the form, or a token is not where it
/// is said to be.
pub fn callers(path: &Path, environment: &Environment, asking: Asking) -> Result<Vec<Caller>> {
    let text = read(path)?;
    let entries = parse(&text).map_err(|fault| fault.of_file(path))?;
    let mut known: BTreeMap<[u8; 32], usize> = BTreeMap::new();
    let mut callers = Vec::with_capacity(entries.len());
    for Entry { line, token, repositories } in entries {
        let at = |what: String, hint| Fault::at(line, what, hint).of_file(path);
        let token = match token {
            TokenRef::Hash(hash) => hash,
            TokenRef::Kept(place) => {
                let secret = match &place {
                    KeyRef::Env(name) => environment.secrets().variable(name),
                    KeyRef::Vault(name) => keys::secret(name, environment, asking)
                        .map_err(|why| at(why, "open the vault, or name the token otherwise"))?,
                };
                let secret = secret.filter(|secret| !secret.expose_secret().is_empty());
                let missing = || at(format!("there is no token in {place}"), TOKENS);
                let secret = secret.ok_or_else(missing)?;
                let text = secret.expose_secret();
                let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
                if text.len() < LEAST_TOKEN || !is_visible {
                    let what = format!(
                        "the token in {place} is none: at least {LEAST_TOKEN} letters, digits and \
                         signs, without blanks"
                    );
                    return Err(at(what, "`openssl rand -hex 32` makes one"));
                }
                blake3::hash(text.as_bytes())
            }
        };
        if let Some(other) = known.insert(*token.as_bytes(), line) {
            let what = format!("the token is that of line {other}");
            return Err(at(what, "give each caller a token of its own, or join the two entries"));
        }
        callers.push(Caller { token, rights: Rights::only(repositories) });
    }
    Ok(callers)
}

/// The text of the file, which nobody but its owner may write to: who can gives rights.
fn read(path: &Path) -> Result<String> {
    let shown = path.display();
    let unreadable = |cause: std::io::Error| {
        Error::because(format_args!("cannot read `{shown}`"), cause)
            .hint("`--rights` names a file that says whose token finds which repositories")
    };
    // It may be a link: a secret or a map of a cluster is one.
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::new(format_args!("`{shown}` is no file")).hint(FORM));
    }
    if platform::others_may_write(&metadata) {
        return Err(Error::new(format_args!("others than its owner may write to `{shown}`"))
            .hint(format!("chmod go-w {}", quoted(&path.to_string_lossy()))));
    }
    let bytes = regular::read_capped(file, MOST_BYTES as u64).map_err(unreadable)?;
    let too_large = || Error::new(format_args!("`{shown}` has more than {MOST_BYTES} bytes"));
    String::from_utf8(bytes.ok_or_else(too_large)?)
        .map_err(|_| Error::new(format_args!("`{shown}` is no UTF-8")).hint(FORM))
}

fn parse(text: &str) -> Result<Vec<Entry>, Fault> {
    let budget = Budget { max_bytes: MOST_BYTES, max_depth: 4, max_nodes: 200_000 };
    let top = yaml::parse(text, &budget).map_err(|cause| Fault {
        line: cause.line(),
        what: cause.to_string(),
        hint: FORM,
    })?;
    match top.value {
        Value::Sequence(nodes) if !nodes.is_empty() => nodes.into_iter().map(entry).collect(),
        Value::Sequence(_) | Value::Null => {
            Err(Fault::at(top.line, "nobody may ask by it: it has no entry", FORM))
        }
        Value::Scalar(_) | Value::Mapping(_) => Err(Fault::at(top.line, "it is no list", FORM)),
    }
}

fn entry(node: Node) -> Result<Entry, Fault> {
    let line = node.line;
    let Value::Mapping(pairs) = node.value else {
        return Err(Fault::at(line, "an entry has `token` and `repositories`", FORM));
    };
    let (mut token, mut repositories) = (None, None);
    for (key, node) in pairs {
        match key.as_str() {
            "token" => token = Some(token_ref(node)?),
            "repositories" => repositories = Some(names(node)?),
            // What is misspelt might have been meant to take a right away.
            _ => return Err(Fault::at(node.line, format!("`{key}` is no key of an entry"), FORM)),
        }
    }
    match (token, repositories) {
        (Some(token), Some(repositories)) => Ok(Entry { line, token, repositories }),
        (None, _) => Err(Fault::at(line, "the entry has no `token`", TOKENS)),
        (_, None) => Err(Fault::at(line, "the entry has no `repositories`", FORM)),
    }
}

fn token_ref(node: Node) -> Result<TokenRef, Fault> {
    // What stands there is never quoted: it may be a token.
    let bad = || Fault::at(node.line, "`token` does not say where the token is", TOKENS);
    let Value::Scalar(text) = &node.value else { return Err(bad()) };
    match text.split_once(':') {
        Some(("blake3", hash)) => {
            let what = "`token` is no hash: 64 hexadecimal digits follow `blake3:`";
            let hint = "printf %s \"$TOKEN\" | b3sum prints them";
            let hash = blake3::Hash::from_hex(hash);
            hash.map(TokenRef::Hash).map_err(|_| Fault::at(node.line, what, hint))
        }
        _ => KeyRef::read(text).map(TokenRef::Kept).ok_or_else(bad),
    }
}

fn names(node: Node) -> Result<Vec<String>, Fault> {
    let hint = "name repositories as `elophanto publish --list URL` does, or folders of them, which \
                end with a slash: [github.com/acme/sea, github.com/acme/docs/]";
    let Value::Sequence(nodes) = node.value else {
        return Err(Fault::at(node.line, "`repositories` is no list", hint));
    };
    let name = |node: Node| match node.value {
        Value::Scalar(name) if is_repository(name.strip_suffix('/').unwrap_or(&name)) => Ok(name),
        Value::Scalar(name) => {
            let what = format!("`{}` is no name of a repository", shown(&name));
            Err(Fault::at(node.line, what, hint))
        }
        _ => Err(Fault::at(node.line, "a name of a repository is a text", hint)),
    };
    nodes.into_iter().map(name).collect()
}

fn shown(text: &str) -> String {
    escape_control_line(&one_line(text, 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let hash = blake3::hash(b"token").to_hex();
        let text = format!(
            "# callers\n- token: env:SEA_TOKEN\n  repositories: [acme/sea, acme/docs/]\n\
             - {{ token: vault:land, repositories: [] }}\n\
             - {{ token: 'blake3:{hash}', repositories: [other/shore] }}\n"
        );
        let entries = parse(&text).unwrap();
        let lines: Vec<usize> = entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [2, 4, 5]);
        assert_eq!(entries[0].token, TokenRef::Kept(KeyRef::Env("SEA_TOKEN".to_owned())));
        assert_eq!(entries[0].repositories, ["acme/sea", "acme/docs/"]);
        assert_eq!(entries[1].token, TokenRef::Kept(KeyRef::Vault("land".to_owned())));
        assert_eq!(entries[2].token, TokenRef::Hash(blake3::hash(b"token")));
    }

    #[test]
    fn faults_name_their_line_and_no_token() {
        let good = "- { token: env:A, repositories: [a] }\n";
        for (text, line, said) in [
            ("", 1, "no entry"),
            ("[]", 1, "no entry"),
            ("callers: []", 1, "no list"),
            ("- token", 2, "`token` and `repositories`"),
            ("- { repositories: [a] }", 2, "no `token`"),
            ("- { token: env:A }", 2, "no `repositories`"),
            ("- { token: env:A, repositories: [a], repos: [b] }", 2, "`repos` is no key"),
            ("- { token: 0123456789abcdef0123, repositories: [a] }", 2, "where the token is"),
            ("- { token: 'hunter2:hunter2', repositories: [a] }", 2, "where the token is"),
            ("- { token: 'blake3:12', repositories: [a] }", 2, "no hash"),
            ("- { token: env:A, repositories: a }", 2, "no list"),
            ("- { token: env:A, repositories: ['*'] }", 2, "`*` is no name"),
            ("- { token: env:A, repositories: ['/'] }", 2, "`/` is no name"),
            ("- { token: env:A, repositories: ['a//'] }", 2, "`a//` is no name"),
            ("- { token: env:A, repositories: [../a] }", 2, "`../a` is no name"),
            ("- { token: env:A, repositories: [[a]] }", 2, "is a text"),
            ("- { token: env:A, token: env:B, repositories: [a] }", 2, "occurs twice"),
        ] {
            let is_whole = line == 1;
            let text = if is_whole { text.to_owned() } else { format!("{good}{text}\n") };
            let fault = parse(&text).unwrap_err();
            assert_eq!(fault.line, Some(line), "{text}: {fault:?}");
            assert!(fault.what.contains(said), "{text}: {fault:?}");
            let told = fault.of_file(Path::new("fleet.yaml"));
            assert!(!told.message().contains("hunter2"), "{told:?}");
            assert!(!told.hints().is_empty());
        }
    }
}
