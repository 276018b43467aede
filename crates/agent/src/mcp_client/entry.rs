//! What the user's settings say of a server.

use std::{collections::BTreeMap, path::PathBuf};

use crate::permissions::Level;
use elophanto_base::{
    process::{Environment, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS},
    visible::{escape_control_line, is_deceptive},
};

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
    /// The program, looked for in `PATH` unless it holds a slash, and its arguments. No shell sees
    /// them.
    pub command: Vec<String>,
    /// Names of the variables it gets. It gets no others.
    pub environment: Vec<String>,
    /// Whether the user has agreed to run exactly this. What is not trusted is not started.
    pub trusted: bool,
    /// Levels of its tools, by the server's own names of them.
    pub levels: BTreeMap<String, Level>,
    /// The level of those that are not named.
    pub default_level: Level,
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
}

impl Entry {
    /// An entry that grants nothing yet: not trusted, no environment, every tool destructive.
    pub fn new(name: impl Into<String>, command: Vec<String>) -> Self {
        Self {
            name: name.into(),
            command,
            environment: Vec::new(),
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
        let wrong = |why| Err(EntryError::Command { name: name.to_owned(), why });
        let Some(program) = self.command.first().filter(|program| !program.is_empty()) else {
            return wrong("its command is empty");
        };
        if program.starts_with('-') {
            return wrong("its program begins with a hyphen");
        }
        if self.command.len() > MAX_ARGUMENTS
            || self.command.iter().map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES
        {
            return wrong("its command is too long");
        }
        let hides = |c: char| is_deceptive(c) || (c.is_control() && !"\n\t".contains(c));
        if self.command.iter().any(|argument| argument.chars().any(hides)) {
            return wrong("its command holds characters that cannot be seen");
        }
        let variable = |name: &String| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
        };
        if self.environment.len() > MAX_VARIABLES || !self.environment.iter().all(variable) {
            return wrong("it names something that is no variable of an environment");
        }
        Ok(())
    }

    /// A hash of what would run and what it gets: what somebody who trusts it agrees to.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("elophanto external server 1");
        for words in [std::slice::from_ref(&self.name), &self.command, &self.environment] {
            hasher.update(&(words.len() as u64).to_le_bytes());
            for word in words {
                hasher.update(&(word.len() as u64).to_le_bytes());
                hasher.update(word.as_bytes());
            }
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// The variables it is granted.
    pub(super) fn granted(&self, environment: &Environment) -> Environment {
        let granted = |name: &String| Some((name.clone(), environment.get(name)?.clone()));
        self.environment.iter().filter_map(granted).collect()
    }

    /// Its program as a path: found in `PATH` here, because the child may not get that.
    pub(super) fn program(&self, environment: &Environment) -> Option<PathBuf> {
        let program = self.command.first()?;
        if program.contains('/') {
            return Some(PathBuf::from(program));
        }
        let folders = environment.get("PATH")?.split(':').filter(|folder| folder.starts_with('/'));
        folders.map(|folder| PathBuf::from(folder).join(program)).find(|path| path.is_file())
    }

    /// The command on one line, for people.
    pub(super) fn shown(&self) -> String {
        let words: Vec<String> = self
            .command
            .iter()
            .map(|word| {
                let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:@=+,%".contains(&b);
                if !word.is_empty() && word.bytes().all(plain) {
                    word.clone()
                } else {
                    format!("'{}'", word.replace('\'', "'\\''"))
                }
            })
            .collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, command: &[&str], environment: &[&str], expected: &str) {
        let mut entry = Entry::new(name, command.iter().map(|&word| word.to_owned()).collect());
        entry.environment = environment.iter().map(|&name| name.to_owned()).collect();
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
            let mut entry = Entry::new("a", command.iter().map(|&word| word.to_owned()).collect());
            entry.environment = environment.iter().map(|&word| word.to_owned()).collect();
            entry.fingerprint()
        };
        assert_eq!(hash(&["x", "y"], &[]), hash(&["x", "y"], &[]));
        assert_ne!(hash(&["x", "y"], &[]), hash(&["xy"], &[]));
        assert_ne!(hash(&["x", "y"], &[]), hash(&["x"], &["y"]));
    }
}
