//! The hub: skills to choose from, at the place that the user's settings name: a git repository, a
//! folder, or what is part of the program.
//!
//! Its list is `index.json` at the top, `{"skills": [{"name", "description", "path"}]}`, which
//! [`publish()`] makes; without one, every `SKILL.md` is an entry. Of a git repository a copy of the
//! newest commit lies in the cache: searching and installing use that commit, so what is installed is
//! what was found. A folder is read as it is, and what would be installed is shown either way.

mod builtin;
mod folder;
mod listing;
mod publish;

use std::{
    fs,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    FITS, Result, Skill, SkillError,
    files::{self, Content, Skipped},
    fit, lock, remote,
};
use elophanto_base::{
    process::Environment,
    whole::{PRIVATE, Synced, write_whole},
};

pub use publish::{Published, publish};

/// The address of the hub that is part of the program.
pub const BUILTIN: &str = "builtin";

/// Entries of a hub.
pub const MAX_ENTRIES: usize = 5_000;

const LIST: &str = "list.json";

/// A skill of the hub. Its description is on one line and safe to show; whoever runs the hub wrote
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    pub name: String,
    pub description: String,
    /// Its folder in the repository, empty for the top.
    pub path: String,
    /// The commit it was found in, and would be installed from; empty outside of git.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub commit: String,
}

/// What a hub offered when it was last asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hub {
    pub url: String,
    /// Empty outside of git.
    pub commit: String,
    /// Sorted by name, each name once.
    pub entries: Vec<Entry>,
    /// What was passed over.
    pub problems: Vec<String>,
}

/// Where a hub is.
enum Place {
    Builtin,
    Folder(PathBuf),
    /// The address of a git repository.
    Git(String),
}

impl Place {
    /// A path is a folder, unless a bare repository lies there, which has no files.
    fn of(address: &str) -> Self {
        if address == BUILTIN {
            return Self::Builtin;
        }
        let path = Path::new(address);
        if !path.is_absolute() {
            return Self::Git(address.to_owned());
        }
        match path.join("HEAD").is_file() && path.join("objects").is_dir() {
            true => Self::Git(format!("file://{address}")),
            false => Self::Folder(path.to_owned()),
        }
    }
}

/// Whether a hub is fetched by git.
pub fn is_fetched(address: &str) -> bool {
    matches!(Place::of(address), Place::Git(_))
}

/// Asks the hub for what it offers now. Of a git repository the newest commit and its list are kept
/// below `cache`.
///
/// # Errors
/// When the address is not allowed, git fails, or the list cannot be read or kept.
pub fn refresh(address: &str, cache: &Path, environment: &Environment) -> Result<Hub> {
    match Place::of(address) {
        Place::Builtin => Ok(builtin::hub()),
        Place::Folder(path) => folder::hub(address, &path),
        Place::Git(url) => fetched(address, &url, cache, environment),
    }
}

fn fetched(address: &str, url: &str, cache: &Path, environment: &Environment) -> Result<Hub> {
    let place = place(address, cache);
    let _guard = lock::guard(&place)?;
    let bare = place.join("hub.git");
    let fetched = remote::fetch(url, &bare, environment).map_err(|cause| match cause {
        SkillError::Source { shown, .. } => SkillError::Hub(shown),
        cause => cause,
    });
    let commit = match fetched {
        Ok(commit) => commit,
        Err(first) if bare.exists() => anew(url, &place, &bare, environment).map_err(|_| first)?,
        Err(cause) => return Err(cause),
    };
    let listed = remote::list(&bare, &commit, None, environment)?;
    let read = |files: &[&remote::Listed], max| remote::read(&bare, files, max, environment);
    let hub = listing::hub(address, &commit, &listed, &read)?;
    keep(&hub, &place.join(LIST))?;
    Ok(hub)
}

/// The list as [`refresh`] kept it, or as it is where no connection is needed for that. Opens none.
///
/// # Errors
/// [`SkillError::HubNotRead`] when there is none for this address that can be read; others for a
/// folder that cannot be.
pub fn load(address: &str, cache: &Path) -> Result<Hub> {
    match Place::of(address) {
        Place::Builtin => return Ok(builtin::hub()),
        Place::Folder(path) => return folder::hub(address, &path),
        Place::Git(_) => {}
    }
    let unread = |_| SkillError::HubNotRead;
    let (bytes, _) =
        files::read_capped(&place(address, cache).join(LIST), 2 * listing::MAX_INDEX_BYTES)
            .map_err(unread)?;
    let hub: Hub = serde_json::from_slice(&bytes).map_err(|_| SkillError::HubNotRead)?;
    if hub.url == address { Ok(hub) } else { Err(SkillError::HubNotRead) }
}

/// Entries that share words with the query, best first, at most `limit`; all by name if the query
/// holds no word.
pub fn search<'h>(hub: &'h Hub, query: &str, limit: usize) -> Vec<&'h Entry> {
    let texts: Vec<String> = hub.entries.iter().map(text_of).collect();
    let scores = fit::by_keywords(query, &texts);
    let mut found: Vec<(f32, &Entry)> = scores.into_iter().zip(&hub.entries).collect();
    if fit::has_words(query) {
        found.retain(|(score, _)| *score > 0.0);
        // Stable: equal ones stay in the order of their names.
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    }
    found.into_iter().take(limit).map(|(_, entry)| entry).collect()
}

/// The entry that fits a goal for which there is no skill here: none if one here fits, or no entry
/// does, by [`FITS`] and at least two words.
pub fn propose<'h>(goal: &str, skills: &[Skill], hub: &'h Hub) -> Option<&'h Entry> {
    // Ranked together, because how rare a word is depends on what it is compared with.
    let here = skills.iter().map(|skill| fit::text_of(&skill.name, &skill.description));
    let texts: Vec<String> = here.chain(hub.entries.iter().map(text_of)).collect();
    let scores = fit::by_keywords(goal, &texts);
    let (here, there) = scores.split_at_checked(skills.len())?;
    if here.iter().any(|score| *score >= FITS) {
        return None;
    }
    // One word in common is chance.
    let fits =
        |(score, entry): &(&f32, &Entry)| **score >= FITS && fit::shared(goal, &text_of(entry)) > 1;
    let best = there.iter().zip(&hub.entries).filter(fits).max_by(|(a, x), (b, y)| {
        // Of equal ones the first by name.
        a.total_cmp(b).then_with(|| y.name.cmp(&x.name))
    })?;
    let (_, entry) = best;
    (!skills.iter().any(|skill| skill.name == entry.name)).then_some(entry)
}

/// An entry by name, its files, and what was passed over of them.
pub(super) fn contents(
    wanted: &str,
    address: &str,
    cache: &Path,
    environment: &Environment,
) -> Result<(Entry, Vec<Content>, Vec<Skipped>)> {
    let hub = load(address, cache)?;
    let missing = || SkillError::NotInHub(wanted.to_owned());
    let entry = hub.entries.into_iter().find(|entry| entry.name == wanted).ok_or_else(missing)?;
    if !entry.path.is_empty() {
        files::check_path(&entry.path)?;
    }
    let (contents, skipped) = match Place::of(address) {
        Place::Builtin => (builtin::contents(wanted).ok_or_else(missing)?, Vec::new()),
        Place::Folder(path) => folder::contents(&path, &entry.path)?,
        Place::Git(_) => {
            let bare = place(address, cache).join("hub.git");
            remote::contents(&bare, &entry.commit, &entry.path, environment)?
        }
    };
    Ok((entry, contents, skipped))
}

fn text_of(entry: &Entry) -> String {
    fit::text_of(&entry.name, &entry.description)
}

/// The folder of one hub in the cache.
fn place(url: &str, cache: &Path) -> PathBuf {
    let hash = blake3::hash(url.as_bytes()).to_hex();
    cache.join(format!("hub-{}", hash.get(..16).unwrap_or_default()))
}

/// Fetches into a new repository: the one that is there may be damaged.
fn anew(url: &str, place: &Path, bare: &Path, environment: &Environment) -> Result<String> {
    let failed = |cause| SkillError::io(place, cause);
    let work = tempfile::Builder::new().prefix(".fetch-").tempdir_in(place).map_err(failed)?;
    let fresh = work.path().join("hub.git");
    let commit = remote::fetch(url, &fresh, environment)?;
    fs::rename(bare, work.path().join("old.git")).map_err(failed)?;
    fs::rename(&fresh, bare).map_err(failed)?;
    Ok(commit)
}

fn keep(hub: &Hub, path: &Path) -> Result<()> {
    let failed = |cause: std::io::Error| SkillError::io(path, cause);
    let bytes = serde_json::to_vec(hub).map_err(|cause| failed(cause.into()))?;
    write_whole(path, &bytes, PRIVATE, Synced::Content).map_err(failed)
}
