//! Every command that a shell line contains, and what is to be said of each.
//!
//! Owns reading a line as bash would: cutting it into words (`lex`, `scan`), asking the grammar for
//! its structure (`walk`), expanding words as far as that is known (`expand`), and judging commands
//! (`judge` and the tables beside it). It refuses to know modes and rules, and runs nothing. What is
//! not understood is said to be so: never guessed.

use std::{collections::BTreeSet, path::Path};

use super::Protected;

mod arguments;
mod builtins;
mod changes;
mod code;
mod env;
mod expand;
mod files;
mod git;
mod judge;
mod lex;
mod listed;
mod objects;
mod programs;
mod redirect;
mod scan;
mod sql;
mod walk;
mod word;
mod wrappers;

pub use objects::shown_objects;

/// Stand-ins for what is not known of a path.
pub(super) mod stand_ins {
    pub use super::word::{ANY, STAR, UNKNOWN};
}

/// Bytes of a line.
pub const MAX_BYTES: usize = 64 * 1024;
/// Scripts inside each other: substitutions, `sh -c`, `eval`.
pub const MAX_DEPTH: usize = 32;
/// Commands in one line, those of loops once for each turn.
pub const MAX_COMMANDS: usize = 1_000;

/// Where a line would run.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub folder: &'a Path,
    pub root: &'a Path,
    pub home: &'a Path,
    pub protected: &'a Protected,
}

/// What a line does, as far as it can be told.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Every command as its words, in the order of the text, without repeats.
    pub commands: Vec<Vec<String>>,
    /// It touches what no tool may.
    pub denied: Vec<String>,
    /// It does what is asked about in every mode.
    pub harmful: Vec<String>,
    /// It can't be told what it does.
    pub unclear: Vec<String>,
    /// Files that redirects write.
    pub redirected: Vec<String>,
    /// Files that are written by commands which say so.
    pub(super) written: Vec<String>,
    /// Files and folders that are read by commands which say so.
    pub(super) read: Vec<String>,
    /// Files that are run or read as programs.
    pub(super) run: Vec<String>,
    /// Makes links, so that a path may lead elsewhere afterwards.
    pub(super) links: bool,
    /// A program that says not which files it writes puts some there.
    pub(super) unpacks: bool,
    /// Commands that get more arguments from a list that `xargs` reads.
    pub(super) fed: Vec<Vec<String>>,
    /// Some command is not on the list of those that only read.
    pub(super) does_more: bool,
    seen: BTreeSet<Vec<String>>,
}

impl Findings {
    /// Whether every command is on the list of those that only read.
    pub fn only_reads(&self) -> bool {
        !self.does_more && self.redirected.is_empty() && !self.commands.is_empty()
    }

    fn command(&mut self, argv: Vec<String>) {
        if self.seen.insert(argv.clone()) {
            self.commands.push(argv);
        }
    }

    fn deny(&mut self, reason: String) {
        add(&mut self.denied, reason);
    }

    fn harm(&mut self, reason: impl Into<String>) {
        add(&mut self.harmful, reason.into());
    }

    fn unsure(&mut self, reason: impl Into<String>) {
        add(&mut self.unclear, reason.into());
    }
}

/// Reasons that are told of one line.
const MAX_REASONS: usize = 12;

fn add(reasons: &mut Vec<String>, reason: String) {
    if reasons.len() < MAX_REASONS && !reasons.contains(&reason) {
        reasons.push(reason);
    }
}

/// Reads a line.
pub fn examine(line: &str, place: &Place) -> Findings {
    let mut walker = walk::Walker::new(*place);
    if line.len() > MAX_BYTES {
        walker.found.unsure(format!("the line has more than {MAX_BYTES} bytes"));
    } else if let Some(char) = line.chars().find(|c| is_suspicious(*c)) {
        walker.found.unsure(format!(
            "the line contains the character U+{:04X}, which hides or deceives",
            u32::from(char)
        ));
    } else {
        walker.line(line);
    }
    walker.found
}

/// Control characters, direction marks, what has no width, what looks like a blank.
fn is_suspicious(char: char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\t'))
        || elophanto_base::visible::is_deceptive(char)
        || (char.is_whitespace() && !matches!(char, ' ' | '\n' | '\t'))
        || matches!(char, '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{ff01}'..='\u{ff5e}')
}
