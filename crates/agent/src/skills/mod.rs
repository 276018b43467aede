//! Skills: folders with a `SKILL.md` that teach an agent how to do a kind of work.
//!
//! Owns the form of a skill, where skills lie and which of two with one name counts, what is shown
//! of them, which fit a goal, and bringing them here from folders, git repositories and a registry
//! of skills (the hub): planned and shown first, then copied exactly as shown, pinned by a hash
//! that every discovery checks. It refuses to know what a skill says, who agrees, and where the
//! folders come from: paths and environment are parameters. Nothing of a skill is ever run here.

mod bundled;
mod difference;
mod discover;
mod error;
mod files;
mod fit;
mod front;
pub mod hub;
mod install;
mod lock;
mod name;
mod new;
mod origin;
mod plan;
mod remote;
mod shown;
mod source;
mod warnings;

use std::path::PathBuf;

pub use bundled::bundled;
pub use difference::{Changed, Difference};
pub use discover::{Discovered, Places, Shadowed, discover};
pub use error::{Result, SkillError};
pub use files::{MAX_BYTES, MAX_FILES, read_file};
pub use fit::{FITS, by_keywords, fits};
pub use front::{MAX_DESCRIPTION, MAX_SKILL_BYTES};
pub use install::{install, remove};
pub use lock::{LOCK_NAME, Locked, installed};
pub use name::{MAX_NAME, check_name};
pub use new::new_skill;
pub use origin::Origin;
pub use plan::{Outside, Plan, PlannedFile, plan_install, plan_update};
pub use source::Source;
pub use warnings::{Concern, Warning};

use elophanto_base::one_line::one_line;

/// Characters of a description in the line of a prompt.
const MAX_LINE: usize = 300;

/// A skill that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Lower case letters, digits and hyphens; also the name of its folder.
    pub name: String,
    /// What it is for and when to use it, as it is written, at most [`MAX_DESCRIPTION`] characters.
    pub description: String,
    pub origin: Origin,
    /// `None` for a bundled one.
    pub folder: Option<PathBuf>,
    /// Markdown after the front matter.
    pub body: String,
    /// Files beside `SKILL.md`, relative to the folder, with their sizes in bytes; sorted.
    pub files: Vec<(PathBuf, u64)>,
    /// What is odd about it but does not keep it from being used.
    pub problems: Vec<String>,
}

/// One line about a skill for a prompt: its name, its description cut to a few hundred characters
/// without what cannot be seen, and where it comes from unless that is the program itself.
pub fn line(skill: &Skill) -> String {
    let description = one_line(&skill.description, MAX_LINE);
    match &skill.origin {
        Origin::Bundled => format!("- {}: {description}", skill.name),
        origin => format!("- {}: {description} [{}]", skill.name, origin.label()),
    }
}

#[cfg(test)]
mod tests;
