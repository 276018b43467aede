//! What can go wrong with skills.

use std::{io, path::PathBuf};

/// What is done with skills comes to.
pub type Result<T, E = SkillError> = std::result::Result<T, E>;

/// Why something was not done. Texts from outside in it are on one line and safe to show.
#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    #[error("`{shown}` is no name of a skill: {why}")]
    Name { shown: String, why: &'static str },
    #[error("`{shown}` is no place to install from: {why}")]
    Source { shown: String, why: &'static str },
    /// There is a `SKILL.md`, and it is not in the form it must have.
    #[error("`SKILL.md` of `{skill}`: {why}")]
    Form { skill: String, why: String },
    #[error("there is no `SKILL.md` in `{0}`")]
    NoSkill(String),
    #[error("there are several skills in `{place}`: say which with `#` and its folder: {}", .folders.join(", "))]
    Several { place: String, folders: Vec<String> },
    /// A cap on what is taken from outside.
    #[error("`{what}` has more than {max} {unit}")]
    TooLarge { what: String, max: u64, unit: &'static str },
    #[error("the file name `{shown}` is not allowed in a skill: {why}")]
    FileName { shown: String, why: &'static str },
    #[error("`{url}` cannot be read: {said}")]
    Git { url: String, said: String },
    #[error("no hub is set")]
    NoHub,
    #[error("the hub `{0}` is neither a folder nor the address of a git repository")]
    Hub(String),
    #[error("not every skill can be published: {}", .0.join("; "))]
    Unpublished(Vec<String>),
    #[error("the hub was not read yet")]
    HubNotRead,
    #[error("the hub has no skill `{0}`")]
    NotInHub(String),
    #[error("what the hub says of `{name}` and its `SKILL.md` differ: it is named `{found}`")]
    Renamed { name: String, found: String },
    #[error("no skill `{0}` is installed")]
    NotInstalled(String),
    /// What was agreed to is not what would be installed.
    #[error("`{0}` is not what was agreed to: look at it again")]
    NotAgreed(String),
    #[error("`{0}` was installed, updated or removed in the meantime: look at it again")]
    Overtaken(String),
    #[error("`{}` is there and was not installed by this program", .0.display())]
    Occupied(PathBuf),
    #[error("`{}` cannot be read as a list of installed skills: {why}", .path.display())]
    Lock { path: PathBuf, why: String },
    #[error("the files of `{0}` were changed after it was installed")]
    Tampered(String),
    #[error("`{}`: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl SkillError {
    pub(super) fn io(path: &std::path::Path, cause: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source: cause }
    }
}
