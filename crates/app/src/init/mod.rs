//! Planning what `init` writes: the knowledge tree, the repository's settings, git's attributes.
//!
//! Pure: what exists is asked through a callback and what to write is returned; [`make`] alone
//! touches the disk. Nothing that exists is changed, but for the lines between the markers of our
//! [managed block](managed_block) and the settings that were asked for. Planning against the
//! result of a plan gives no steps.

pub mod make;
pub mod managed_block;
mod templates;
#[cfg(test)]
mod tests;
mod unfilled;

use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;

use crate::config::{self, PinError};
use managed_block::BlockError;
pub use unfilled::{Unfilled, filled, unfilled};

/// Git's attributes, at the root of the work tree.
pub(crate) const ATTRIBUTES_FILE: &str = ".gitattributes";
/// Keeps the cache of a plain folder out of a repository made of it later.
pub(crate) const IGNORE_FILE: &str = ".elophanto/.gitignore";

/// What `init` was asked for.
#[derive(Debug, Clone)]
pub struct InitOptions<'a> {
    /// Roots given on the command line, relative to the repository; none leaves the setting alone.
    pub roots: Vec<PathBuf>,
    /// Where our own notes go, relative to the repository.
    pub write_root: PathBuf,
    /// The time that new notes are stamped with.
    pub now: Timestamp,
    /// What the notes call the project.
    pub project_name: String,
    /// Whether this is a git repository, not a plain folder.
    pub in_git: bool,
    /// Whether the settings are in conflict: nothing is written there.
    pub settings_in_conflict: bool,
    /// The embedding provider that `auto` picked; empty pins none.
    pub pinned_provider: &'a str,
}

/// One file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitStep {
    /// Relative to the repository. Folders above it are made as needed.
    pub path: PathBuf,
    /// All of its content.
    pub bytes: Vec<u8>,
    /// What happens to it.
    pub action: InitAction,
}

/// What a step does to its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InitAction {
    /// The file is new.
    Create,
    /// Our managed block is put in or brought up to date.
    Block,
    /// These settings are set in an existing configuration, each as `key: value`.
    Settings(Vec<String>),
}

/// Nothing was planned.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A folder that is no folder beneath the repository.
    #[error("`{}`: not a relative folder beneath the repository", path.display())]
    Folder {
        /// The file or folder.
        path: PathBuf,
    },
    /// The block's markers don't match.
    #[error("{}:{source}", path.display())]
    Block {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: BlockError,
    },
    /// The existing configuration can't be edited.
    #[error("{}: {source}", path.display())]
    Settings {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: PinError,
    },
    /// The existing configuration is no text.
    #[error("{}: not UTF-8 text", path.display())]
    NoText {
        /// The file or folder.
        path: PathBuf,
    },
    /// The existing configuration is in conflict, and settings were asked for.
    #[error("{}: in conflict", path.display())]
    InConflict {
        /// The file or folder.
        path: PathBuf,
    },
}

/// Plans what has to be written.
///
/// `existing` gives the content of a file of the repository; for a folder that exists it gives an
/// empty one, so that a folder which is already in use gets no `.gitkeep`.
pub fn plan(
    existing: &dyn Fn(&Path) -> Option<Vec<u8>>,
    options: &InitOptions<'_>,
) -> Result<Vec<InitStep>, InitError> {
    let write_root = beneath(&options.write_root)?;
    let roots: Vec<String> =
        options.roots.iter().map(|root| beneath(root)).collect::<Result<_, _>>()?;

    let mut steps = Vec::new();
    for note in templates::NOTES {
        let path = join(&write_root, note.path);
        if existing(&path).is_none() {
            let text = templates::render(note, &options.project_name, &write_root, options.now);
            steps.push(create(path, text.into_bytes()));
        }
    }
    for folder in templates::FOLDERS {
        let folder = join(&write_root, folder);
        if existing(&folder).is_none() && existing(&folder.join(".gitkeep")).is_none() {
            steps.push(create(folder.join(".gitkeep"), Vec::new()));
        }
    }
    steps.extend(settings(existing, options, &write_root, &roots)?);
    if existing(Path::new(IGNORE_FILE)).is_none() {
        steps.push(create(IGNORE_FILE.into(), b"cache/\n".to_vec()));
    }
    if options.in_git {
        steps.extend(attributes(existing, &options.write_root)?);
    }
    Ok(steps)
}

/// The notes that every knowledge base begins with, relative to the root.
pub fn pages(write_root: &Path) -> impl Iterator<Item = PathBuf> {
    templates::NOTES.iter().map(|note| write_root.join(note.path))
}

/// Lines of the managed block in git's attributes.
pub fn attribute_lines(write_root: &str) -> Vec<String> {
    let below = |folder: &str| match write_root {
        "." => folder.to_owned(),
        root => format!("{root}/{folder}"),
    };
    vec![
        attribute(&below("learned/entities/"), "*.md", "merge=union"),
        // Two clones may both have gathered it; to gather once more puts it in order.
        attribute(&below("system/"), "changelog.md", "merge=union"),
        // The hook stages them as they are: no filter of the repository (`*.md filter=lfs`) is asked.
        attribute(&below("system/changelog/"), "*.md", "-filter"),
        // Their bytes count, too: no line end is converted.
        attribute(".elophanto/index/", "**", "binary -filter linguist-generated=true"),
        attribute(".elophanto/journal/", "**/*.jsonl", "-text -filter merge=union"),
        attribute(".elophanto/memory/", "**/*.jsonl", "-text -filter merge=union"),
        attribute(".elophanto/sources/", "**", "-text -filter"),
    ]
}

fn settings(
    existing: &dyn Fn(&Path) -> Option<Vec<u8>>,
    options: &InitOptions<'_>,
    write_root: &str,
    roots: &[String],
) -> Result<Option<InitStep>, InitError> {
    let path = PathBuf::from(config::REPOSITORY_FILE);
    let broken = |cause| InitError::Settings { path: path.clone(), source: cause };
    let current = match existing(&path) {
        Some(bytes) => {
            Some(String::from_utf8(bytes).map_err(|_| InitError::NoText { path: path.clone() })?)
        }
        None => None,
    };
    let base = current.clone().unwrap_or_else(|| config::template(&[]));
    if options.settings_in_conflict {
        // Whoever settles it decides.
        let asked_for = !roots.is_empty();
        return if asked_for { Err(InitError::InConflict { path }) } else { Ok(None) };
    }
    let said = |key| config::value_in(&base, key).map_err(broken);

    let mut pins: Vec<(&str, String)> = Vec::new();
    if !roots.is_empty() {
        let old = match said("knowledge.roots")? {
            Some(config::Value::List(old)) => old,
            _ => Vec::new(),
        };
        let all = all_roots(old, roots, write_root);
        pins.push(("knowledge.roots", config::list_text(&all)));
    }
    let default_write_root = config::Config::default().knowledge.write_root.clone();
    if Path::new(write_root) != default_write_root && said("knowledge.write_root")?.is_none() {
        pins.push(("knowledge.write_root", write_root.to_owned()));
    }
    let undecided = match said("knowledge.embedding_provider")? {
        Some(config::Value::Text(provider)) => provider == config::Provider::Auto.to_string(),
        _ => true,
    };
    if undecided && !options.pinned_provider.is_empty() {
        pins.push(("knowledge.embedding_provider", options.pinned_provider.to_owned()));
    }

    let mut text = base;
    let mut set = Vec::new();
    for (key, value) in pins {
        if let Some(edited) = config::pin(&text, key, &value).map_err(broken)? {
            text = edited;
            set.push(format!("{key}: {value}"));
        }
    }
    Ok(match current {
        None => Some(create(path, text.into_bytes())),
        Some(_) if set.is_empty() => None,
        Some(_) => {
            Some(InitStep { path, bytes: text.into_bytes(), action: InitAction::Settings(set) })
        }
    })
}

/// What was read so far, what is asked for, and the folder of our own notes unless it lies
/// beneath one of them.
fn all_roots(old: Vec<String>, asked: &[String], write_root: &str) -> Vec<String> {
    let mut all = old;
    for root in asked.iter().map(String::as_str).chain([write_root]) {
        let covered = |outer: &String| outer == "." || Path::new(root).starts_with(outer);
        if !all.iter().any(covered) {
            all.push(root.to_owned());
        }
    }
    all
}

/// Plans our block in git's attributes; nothing if it is there as it should be.
///
/// # Errors
/// When the folder is none beneath the repository, or the markers of the block don't match.
pub fn attributes(
    existing: &dyn Fn(&Path) -> Option<Vec<u8>>,
    write_root: &Path,
) -> Result<Option<InitStep>, InitError> {
    let write_root = beneath(write_root)?;
    let path = PathBuf::from(ATTRIBUTES_FILE);
    let current = existing(&path);
    let text = current.as_deref().unwrap_or_default();
    let bytes = managed_block::upsert(text, &attribute_lines(&write_root))
        .map_err(|cause| InitError::Block { path: path.clone(), source: cause })?;
    let action = if current.is_some() { InitAction::Block } else { InitAction::Create };
    Ok(bytes.map(|bytes| InitStep { path, bytes, action }))
}

/// One line of git's attributes for a pattern beneath a folder. Git reads `*?[\` in the folder's
/// name as wildcards, and a name with spaces or a leading `!` or `#` only in quotes.
fn attribute(folder: &str, pattern: &str, attributes: &str) -> String {
    let mut path = String::new();
    for c in folder.chars() {
        if "*?[\\".contains(c) || path.is_empty() && c == '!' {
            path.push('\\');
        }
        path.push(c);
    }
    path.push_str(pattern);
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
    if path.chars().all(plain) && !path.starts_with('#') && !path.starts_with("[attr]") {
        return format!("{path} {attributes}");
    }
    let mut quoted = String::new();
    for c in path.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\{:03o}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    format!("\"{quoted}\" {attributes}")
}

/// The folder in its plain form, `docs/api` or `.`, if the settings allow it as one.
fn beneath(path: &Path) -> Result<String, InitError> {
    let refused = || InitError::Folder { path: path.to_owned() };
    let normal = |component: &Component<'_>| *component != Component::CurDir;
    let plain: PathBuf = path.components().filter(normal).collect();
    let text =
        if plain.as_os_str().is_empty() { "." } else { plain.to_str().ok_or_else(refused)? };
    let key = config::KEYS.iter().find(|key| key.name == "knowledge.write_root");
    match key.and_then(|key| key.kind.read(&config::Raw::Scalar(text.to_owned()))) {
        Some(config::Value::Text(folder)) => Ok(folder),
        _ => Err(refused()),
    }
}

fn join(root: &str, rest: &str) -> PathBuf {
    if root == "." { PathBuf::from(rest) } else { Path::new(root).join(rest) }
}

fn create(path: PathBuf, bytes: Vec<u8>) -> InitStep {
    InitStep { path, bytes, action: InitAction::Create }
}
