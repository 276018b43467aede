//! The hub: a git repository of skills that the user's settings name.
//!
//! Its list is `index.json` at the top, `{"skills": [{"name", "description", "path"}]}`; without
//! one, every `SKILL.md` in the repository is an entry. A copy of the repository's newest commit
//! lies in the cache: searching and installing use that commit, so what is installed is what was
//! found.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    FITS, MAX_DESCRIPTION, Skill, SkillError,
    files::{self, SKILL_FILE},
    fit, front, lock, name,
    remote::{self, Kind, Listed},
};
use elophanto_base::{
    one_line::one_line,
    process::Environment,
    whole::{PRIVATE, Synced, write_whole},
};

/// Entries of a hub.
pub const MAX_ENTRIES: usize = 5_000;

const INDEX: &str = "index.json";
const MAX_INDEX_BYTES: u64 = 8 << 20;
const MAX_PROBLEMS: usize = 50;
const LIST: &str = "list.json";

/// A skill of the hub. Its description is on one line and safe to show; whoever runs the hub wrote
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub description: String,
    /// Its folder in the repository, empty for the top.
    pub path: String,
    /// The commit it was found in, and would be installed from.
    pub commit: String,
}

/// What a hub offered when it was last asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hub {
    pub url: String,
    pub commit: String,
    /// Sorted by name, each name once.
    pub entries: Vec<Entry>,
    /// What was passed over.
    pub problems: Vec<String>,
}

/// Asks the hub for its newest commit and keeps its list below `cache`.
///
/// # Errors
/// When the address is not allowed, git fails, or the list cannot be read or kept.
pub fn refresh(url: &str, cache: &Path, environment: &Environment) -> Result<Hub, SkillError> {
    let place = place(url, cache);
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
    let mut problems = Vec::new();
    let mut entries = match listed.iter().find(|file| file.path == INDEX && is_file(file)) {
        Some(index) => from_index(index, &listed, &bare, environment, &mut problems)?,
        None => from_folders(&listed, &bare, environment, &mut problems)?,
    };
    for entry in &mut entries {
        entry.commit.clone_from(&commit);
    }
    entries.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    entries.dedup_by(|later, first| {
        let double = later.name == first.name;
        if double {
            problems.push(format!("`{}` is there more than once", first.name));
        }
        double
    });
    problems.truncate(MAX_PROBLEMS);
    let hub = Hub { url: url.to_owned(), commit, entries, problems };
    keep(&hub, &place.join(LIST))?;
    Ok(hub)
}

/// The list as [`refresh`] kept it. Opens no connection.
///
/// # Errors
/// [`SkillError::HubNotRead`] when there is none for this address that can be read.
pub fn load(url: &str, cache: &Path) -> Result<Hub, SkillError> {
    let unread = |_| SkillError::HubNotRead;
    let (bytes, _) =
        files::read_capped(&place(url, cache).join(LIST), 2 * MAX_INDEX_BYTES).map_err(unread)?;
    let hub: Hub = serde_json::from_slice(&bytes).map_err(|_| SkillError::HubNotRead)?;
    if hub.url == url { Ok(hub) } else { Err(SkillError::HubNotRead) }
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
/// does, by [`FITS`].
pub fn propose<'h>(goal: &str, skills: &[Skill], hub: &'h Hub) -> Option<&'h Entry> {
    // Ranked together, because how rare a word is depends on what it is compared with.
    let here = skills.iter().map(|skill| fit::text_of(&skill.name, &skill.description));
    let texts: Vec<String> = here.chain(hub.entries.iter().map(text_of)).collect();
    let scores = fit::by_keywords(goal, &texts);
    let (here, there) = scores.split_at_checked(skills.len())?;
    if here.iter().any(|score| *score >= FITS) {
        return None;
    }
    let best = there.iter().zip(&hub.entries).max_by(|(a, x), (b, y)| {
        // Of equal ones the first by name.
        a.total_cmp(b).then_with(|| y.name.cmp(&x.name))
    })?;
    let (score, entry) = best;
    let is_here = skills.iter().any(|skill| skill.name == entry.name);
    (*score >= FITS && !is_here).then_some(entry)
}

/// An entry by name, and the repository to read it from.
pub(super) fn find(wanted: &str, url: &str, cache: &Path) -> Result<(Entry, PathBuf), SkillError> {
    let hub = load(url, cache)?;
    let missing = || SkillError::NotInHub(wanted.to_owned());
    let entry = hub.entries.into_iter().find(|entry| entry.name == wanted).ok_or_else(missing)?;
    if !entry.path.is_empty() {
        files::check_path(&entry.path)?;
    }
    Ok((entry, place(url, cache).join("hub.git")))
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
fn anew(
    url: &str,
    place: &Path,
    bare: &Path,
    environment: &Environment,
) -> Result<String, SkillError> {
    let failed = |cause| SkillError::io(place, cause);
    let work = tempfile::Builder::new().prefix(".fetch-").tempdir_in(place).map_err(failed)?;
    let fresh = work.path().join("hub.git");
    let commit = remote::fetch(url, &fresh, environment)?;
    fs::rename(bare, work.path().join("old.git")).map_err(failed)?;
    fs::rename(&fresh, bare).map_err(failed)?;
    Ok(commit)
}

#[derive(Deserialize)]
struct Index {
    skills: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    description: String,
    path: String,
}

fn from_index(
    index: &Listed,
    listed: &[Listed],
    bare: &Path,
    environment: &Environment,
    problems: &mut Vec<String>,
) -> Result<Vec<Entry>, SkillError> {
    let bytes =
        remote::read(bare, &[index], MAX_INDEX_BYTES, environment)?.pop().unwrap_or_default();
    let wrong = |cause: serde_json::Error| SkillError::Git {
        url: INDEX.to_owned(),
        said: name::shown(&cause.to_string()),
    };
    let Index { skills } = serde_json::from_slice(&bytes).map_err(wrong)?;
    let paths: std::collections::HashSet<&str> =
        listed.iter().map(|file| file.path.as_str()).collect();
    if skills.len() > MAX_ENTRIES {
        problems.push(format!("{} entries, of which {MAX_ENTRIES} are read", skills.len()));
    }
    let mut entries = Vec::new();
    for (number, value) in skills.into_iter().take(MAX_ENTRIES).enumerate() {
        let entry = serde_json::from_value::<Row>(value)
            .map_err(|cause| name::shown(&cause.to_string()))
            .and_then(|row| entry(&row.name, &row.description, row.path.trim_end_matches('/')));
        match entry {
            Ok(entry) if paths.contains(skill_file(&entry.path).as_str()) => entries.push(entry),
            Ok(entry) => problems.push(format!("`{}` has no `SKILL.md`", entry.name)),
            Err(why) => problems.push(format!("entry {}: {why}", number + 1)),
        }
        problems.truncate(MAX_PROBLEMS);
    }
    Ok(entries)
}

fn from_folders(
    listed: &[Listed],
    bare: &Path,
    environment: &Environment,
    problems: &mut Vec<String>,
) -> Result<Vec<Entry>, SkillError> {
    let mut found = Vec::new();
    for file in listed.iter().filter(|file| is_file(file)) {
        let folder = match file.path.rsplit_once('/') {
            Some((folder, SKILL_FILE)) => folder,
            None if file.path == SKILL_FILE => "",
            _ => continue,
        };
        if found.len() >= MAX_ENTRIES {
            problems.push(format!("more than {MAX_ENTRIES} skills, of which the first are read"));
            break;
        }
        if file.size <= front::MAX_SKILL_BYTES as u64 {
            found.push((folder, file));
        } else {
            problems.push(format!("`{}` is too long", name::shown(&file.path)));
        }
    }
    let mut entries = Vec::new();
    // A few at a time, so that many long ones do not stand in memory together.
    for some in found.chunks(100) {
        let files: Vec<&Listed> = some.iter().map(|(_, file)| *file).collect();
        let most = front::MAX_SKILL_BYTES as u64 * files.len() as u64;
        for ((folder, _), bytes) in some.iter().zip(remote::read(bare, &files, most, environment)?)
        {
            let named = folder.rsplit('/').next().filter(|name| !name.is_empty());
            let entry = front::read(&bytes, named)
                .map_err(|cause| cause.to_string())
                .and_then(|front| entry(&front.name, &front.description, folder));
            match entry {
                Ok(entry) => entries.push(entry),
                Err(why) => problems.push(why),
            }
        }
        problems.truncate(MAX_PROBLEMS);
    }
    Ok(entries)
}

fn entry(name: &str, description: &str, path: &str) -> Result<Entry, String> {
    name::check_name(name).map_err(|cause| cause.to_string())?;
    if !path.is_empty() {
        files::check_path(path).map_err(|cause| cause.to_string())?;
    }
    let description = one_line(description, MAX_DESCRIPTION);
    if description.is_empty() {
        return Err(format!("`{name}` has no description"));
    }
    Ok(Entry { name: name.to_owned(), description, path: path.to_owned(), commit: String::new() })
}

fn skill_file(folder: &str) -> String {
    if folder.is_empty() { SKILL_FILE.to_owned() } else { format!("{folder}/{SKILL_FILE}") }
}

fn is_file(file: &Listed) -> bool {
    matches!(file.kind, Kind::Regular | Kind::Executable)
}

fn keep(hub: &Hub, path: &Path) -> Result<(), SkillError> {
    let failed = |cause: std::io::Error| SkillError::io(path, cause);
    let bytes = serde_json::to_vec(hub).map_err(|cause| failed(cause.into()))?;
    write_whole(path, &bytes, PRIVATE, Synced::Content).map_err(failed)
}
