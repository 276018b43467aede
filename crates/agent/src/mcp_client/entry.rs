//! What the user's settings say of a server.

use std::{collections::BTreeMap, path::PathBuf};

use url::Url;

use crate::permissions::Level;
use elophanto_base::{
    process::{Environment, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS},
    visible::{escape_control_line, is_deceptive},
};
use elophanto_net::remote::{Realm, Remote};

/// Variables that most servers cannot do without, for a door to offer: none is handed on unless an
/// entry names it.
pub const USUAL_ENVIRONMENT: &[&str] = &["HOME", "LANG", "PATH", "TMPDIR", "USER"];

const MAX_NAME: usize = 24;
const MAX_VARIABLES: usize = 100;

/// A server that the user added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// `[a-z][a-z0-9_]*`, at most 24 bytes: tools are named `NAME_TOOL`.
    pub name: String,
    pub at: At,
    /// Whether the user has agreed to exactly this. What is not trusted is neither started nor
    /// asked.
    pub trusted: bool,
    /// Levels of its tools, by the server's own names of them.
    pub levels: BTreeMap<String, Level>,
    /// The level of those that are not named.
    pub default_level: Level,
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A program of this machine, which is started.
    Program {
        /// The program, looked for in `PATH` unless it holds a slash, and its arguments. No shell
        /// sees them.
        command: Vec<String>,
        /// Names of the variables it gets. It gets no others.
        environment: Vec<String>,
    },
    /// A server that runs already, reached over streamable HTTP.
    Address {
        url: Url,
        /// Whether it may be on a private network.
        realm: Realm,
        /// Where the token for it is kept, as far as the user said so: what they agree to.
        key: Option<String>,
    },
}

/// What is wrong with an entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    #[error("`{0}` is no name of a server: use up to 24 lower case letters, digits and `_`")]
    Name(String),
    #[error("server `{0}` is not trusted, so it is not started")]
    Untrusted(String),
    #[error("server `{name}`: {why}")]
    Command { name: String, why: &'static str },
    #[error("server `{name}`: {cause}")]
    Address { name: String, cause: elophanto_net::remote::RemoteError },
}

impl Entry {
    /// An entry that grants nothing yet: not trusted, no environment, every tool destructive.
    pub fn new(name: impl Into<String>, command: Vec<String>) -> Self {
        Self::at(name, At::Program { command, environment: Vec::new() })
    }

    /// The same for any place.
    pub fn at(name: impl Into<String>, at: At) -> Self {
        Self {
            name: name.into(),
            at,
            trusted: false,
            levels: BTreeMap::new(),
            default_level: Level::Destructive,
        }
    }

    /// Whether it may be started.
    ///
    /// # Errors
    /// When it is not trusted, or its name, command or variables are not in the right form.
    pub fn check(&self) -> Result<(), EntryError> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let name = self.name.as_str();
        if name.is_empty()
            || name.len() > MAX_NAME
            || !name.starts_with(|c: char| c.is_ascii_lowercase())
            || !name.bytes().all(plain)
        {
            return Err(EntryError::Name(escape_control_line(
                &name.chars().take(60).collect::<String>(),
            )));
        }
        if !self.trusted {
            return Err(EntryError::Untrusted(name.to_owned()));
        }
        match &self.at {
            At::Program { command, environment } => {
                let wrong = |why| EntryError::Command { name: name.to_owned(), why };
                check_program(command, environment).map_err(wrong)
            }
            At::Address { url, realm, .. } => {
                let wrong = |cause| EntryError::Address { name: name.to_owned(), cause };
                Remote::new(url, *realm).map(drop).map_err(wrong)
            }
        }
    }

    /// A hash of what would run and what it gets, or of what would be asked and how: what somebody
    /// who trusts it agrees to.
    pub fn fingerprint(&self) -> String {
        let name = std::slice::from_ref(&self.name);
        let (domain, parts) = match &self.at {
            At::Program { command, environment } => (
                "elophanto external server 1",
                [name.to_vec(), command.clone(), environment.clone()],
            ),
            At::Address { url, realm, key } => (
                "elophanto remote server 1",
                [
                    name.to_vec(),
                    vec![url.to_string(), format!("{realm:?}")],
                    key.iter().cloned().collect(),
                ],
            ),
        };
        let mut hasher = blake3::Hasher::new_derive_key(domain);
        for words in parts {
            hasher.update(&(words.len() as u64).to_le_bytes());
            for word in words {
                hasher.update(&(word.len() as u64).to_le_bytes());
                hasher.update(word.as_bytes());
            }
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// Where it is, on one line, for people.
    pub(super) fn shown(&self) -> String {
        match &self.at {
            At::Program { command, .. } => {
                command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            At::Address { url, .. } => url.to_string(),
        }
    }
}

/// The variables that a program is granted.
pub(super) fn granted(names: &[String], environment: &Environment) -> Environment {
    let granted = |name: &String| Some((name.clone(), environment.get(name)?.clone()));
    names.iter().filter_map(granted).collect()
}

/// A program as a path: found in `PATH` here, because the child may not get that.
pub(super) fn program(command: &[String], environment: &Environment) -> Option<PathBuf> {
    let program = command.first()?;
    if program.contains('/') {
        return Some(PathBuf::from(program));
    }
    let folders = environment.get("PATH")?.split(':').filter(|folder| folder.starts_with('/'));
    folders.map(|folder| PathBuf::from(folder).join(program)).find(|path| path.is_file())
}

/// Whether the program of a command is there now: a server may be added before what it needs is installed.
pub fn is_installed(command: &[String], environment: &Environment) -> bool {
    program(command, environment).is_some_and(|path| path.is_file())
}

fn check_program(command: &[String], environment: &[String]) -> Result<(), &'static str> {
    let Some(program) = command.first().filter(|program| !program.is_empty()) else {
        return Err("its command is empty");
    };
    if program.starts_with('-') {
        return Err("its program begins with a hyphen");
    }
    if command.len() > MAX_ARGUMENTS
        || command.iter().map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES
    {
        return Err("its command is too long");
    }
    let hides = |c: char| is_deceptive(c) || (c.is_control() && !"\n\t".contains(c));
    if command.iter().any(|argument| argument.chars().any(hides)) {
        return Err("its command holds characters that cannot be seen");
    }
    let variable = |name: &String| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    if environment.len() > MAX_VARIABLES || !environment.iter().all(variable) {
        return Err("it names something that is no variable of an environment");
    }
    Ok(())
}

fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:@=+,%".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program_entry(name: &str, command: &[&str], environment: &[&str]) -> Entry {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Entry::at(name, At::Program { command: owned(command), environment: owned(environment) })
    }

    #[track_caller]
    fn check(name: &str, command: &[&str], environment: &[&str], expected: &str) {
        let mut entry = program_entry(name, command, environment);
        entry.trusted = true;
        let actual = entry.check().map_or_else(|cause| cause.to_string(), |()| entry.shown());
        assert_eq!(actual, expected);
    }

    #[test]
    fn entries() {
        check("files", &["npx", "-y", "a b", "it's", ""], &["PATH"], "npx -y 'a b' 'it'\\''s' ''");
        for name in ["", "A", "a-b", "../x", "1a", "_a", "a\u{200b}", "ä"] {
            let shown = escape_control_line(name);
            let said = format!(
                "`{shown}` is no name of a server: use up to 24 lower case letters, digits and `_`"
            );
            check(name, &["x"], &[], &said);
        }
        check("a", &[], &[], "server `a`: its command is empty");
        check("a", &[""], &[], "server `a`: its command is empty");
        check("a", &["-rf"], &[], "server `a`: its program begins with a hyphen");
        check(
            "a",
            &["x", "a\u{202e}b"],
            &[],
            "server `a`: its command holds characters that cannot be seen",
        );
        check("a", &["x\0"], &[], "server `a`: its command holds characters that cannot be seen");
        check("a", &["x", &"y".repeat(1 << 20)], &[], "server `a`: its command is too long");
        for variable in ["", "A=B", "A B", "1A", "A\0"] {
            check(
                "a",
                &["x"],
                &[variable],
                "server `a`: it names something that is no variable of an environment",
            );
        }
        let untrusted = Entry::new("a", vec!["x".to_owned()]);
        assert_eq!(
            untrusted.check().unwrap_err().to_string(),
            "server `a` is not trusted, so it is not started"
        );
        assert_eq!(untrusted.default_level, Level::Destructive);
        let hash = |command: &[&str], environment: &[&str]| {
            program_entry("a", command, environment).fingerprint()
        };
        assert_eq!(hash(&["x", "y"], &[]), hash(&["x", "y"], &[]));
        assert_ne!(hash(&["x", "y"], &[]), hash(&["xy"], &[]));
        assert_ne!(hash(&["x", "y"], &[]), hash(&["x"], &["y"]));
    }

    #[test]
    fn addresses() {
        let at = |url: &str, realm, key: Option<&str>| {
            let (url, key) = (Url::parse(url).unwrap(), key.map(str::to_owned));
            Entry { trusted: true, ..Entry::at("a", At::Address { url, realm, key }) }
        };
        let check = |url: &str, realm| {
            let entry = at(url, realm, None);
            entry.check().map_or_else(|cause| cause.to_string(), |()| entry.shown())
        };
        assert_eq!(check("https://a.example.org/mcp", Realm::Public), "https://a.example.org/mcp");
        assert_eq!(
            check("https://10.0.0.1/mcp", Realm::Public),
            "server `a`: `10.0.0.1` is not on the public internet"
        );
        assert_eq!(check("https://10.0.0.1/mcp", Realm::Private), "https://10.0.0.1/mcp");
        let public = at("https://a.example.org/mcp", Realm::Public, None).fingerprint();
        for other in [
            at("https://b.example.org/mcp", Realm::Public, None),
            at("https://a.example.org/mcp", Realm::Private, None),
            at("https://a.example.org/mcp", Realm::Public, Some("env:A")),
            program_entry("a", &["https://a.example.org/mcp", "Public"], &[]),
        ] {
            assert_ne!(other.fingerprint(), public);
        }
    }
}
