//! Hashes of what a user has looked at and wants to keep.

use std::collections::HashSet;

use super::{Finding, HASH_DIGITS};

/// Hashes of findings that are no cause for alarm.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    hashes: HashSet<String>,
}

impl AllowList {
    /// Reads a file with one hash per line, `#` beginning a comment, and the value of a variable
    /// that holds hashes between commas or spaces. What is no hash allows nothing.
    pub fn parse(file: &str, variable: &str) -> Self {
        let lines = file.lines().map(|line| line.split('#').next().unwrap_or_default());
        let words = variable.split(|char: char| char == ',' || char.is_whitespace());
        let hashes = lines.chain(words).map(|word| word.trim_matches(['\u{feff}', ' ', '\t']));
        let is_hash = |word: &&str| {
            word.len() == HASH_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        Self { hashes: hashes.filter(is_hash).map(str::to_ascii_lowercase).collect() }
    }

    /// Whether this finding is allowed.
    pub fn allows(&self, finding: &Finding) -> bool {
        self.hashes.contains(&finding.hash)
    }
}
