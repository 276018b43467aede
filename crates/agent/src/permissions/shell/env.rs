//! What is known of a shell at a point of its line: variables, folders, functions.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::word::Word;

/// Folders that a line may be in at once, before they count as unknown.
const MAX_FOLDERS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Env {
    vars: BTreeMap<String, Word>,
    /// Folders that the shell may be in; empty when that is not known.
    pub folders: Vec<PathBuf>,
    /// Anything may have been assigned.
    lost: bool,
    pub functions: BTreeSet<String>,
}

impl Env {
    pub fn new(folder: &Path, home: &Path) -> Self {
        let mut vars = BTreeMap::new();
        vars.insert("HOME".to_owned(), Word::text(home.to_string_lossy()));
        vars.insert("IFS".to_owned(), Word::text(" \t\n"));
        vars.insert("OPTIND".to_owned(), Word::number());
        for name in ["RANDOM", "SECONDS", "LINENO", "UID", "EUID"] {
            vars.insert(name.to_owned(), Word::number());
        }
        Self { vars, folders: vec![folder.to_owned()], lost: false, functions: BTreeSet::new() }
    }

    pub fn get(&self, name: &str) -> Word {
        if name == "PWD" && !self.lost {
            return match self.folders.as_slice() {
                [one] => Word::text(one.to_string_lossy()),
                _ => Word::unknown(),
            };
        }
        self.vars.get(name).cloned().unwrap_or_else(Word::unknown)
    }

    /// Whether the line gave it a value, as far as that is known.
    pub fn is_assigned(&self, name: &str) -> bool {
        self.lost || self.vars.contains_key(name)
    }

    pub fn set(&mut self, name: &str, value: Word) {
        self.vars.insert(name.to_owned(), value);
    }

    /// Something ran that may have changed anything.
    pub fn lose(&mut self) {
        self.vars.clear();
        self.folders.clear();
        self.lost = true;
    }

    /// What holds whichever of the two it was.
    pub fn join(&mut self, other: &Self) {
        let names: BTreeSet<String> = self.vars.keys().chain(other.vars.keys()).cloned().collect();
        for name in names {
            let (mine, theirs) = (self.vars.get(&name), other.vars.get(&name));
            if mine == theirs {
                continue;
            }
            let number = mine.is_some_and(Word::is_number) && theirs.is_some_and(Word::is_number);
            self.vars.insert(name, if number { Word::number() } else { Word::unknown() });
        }
        self.lost |= other.lost;
        self.functions.extend(other.functions.iter().cloned());
        let unknown = self.folders.is_empty() || other.folders.is_empty();
        self.also_in(&other.folders);
        if unknown {
            self.folders.clear();
        }
    }

    /// The shell may be in these folders too.
    pub fn also_in(&mut self, folders: &[PathBuf]) {
        if self.folders.is_empty() {
            return;
        }
        for folder in folders {
            if !self.folders.contains(folder) {
                self.folders.push(folder.clone());
            }
        }
        if self.folders.len() > MAX_FOLDERS {
            self.folders.clear();
        }
    }
}
