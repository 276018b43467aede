//! From the files of a hub to its entries, wherever they lie.

use serde::Deserialize;

use super::{
    super::{
        MAX_DESCRIPTION, Result, SkillError,
        files::{self, SKILL_FILE},
        front, name,
        remote::{Kind, Listed},
    },
    Entry, Hub, MAX_ENTRIES,
};
use elophanto_base::one_line::one_line;

/// The list of a hub.
pub(super) const INDEX: &str = "index.json";
pub(super) const MAX_INDEX_BYTES: u64 = 8 << 20;
const MAX_PROBLEMS: usize = 50;

/// Reads files that were listed, all of them at most so many bytes.
pub(super) type Read<'a> = &'a dyn Fn(&[&Listed], u64) -> Result<Vec<Vec<u8>>>;

/// The hub of these files.
pub(super) fn hub(address: &str, commit: &str, listed: &[Listed], read: Read) -> Result<Hub> {
    let mut problems = Vec::new();
    let mut entries = match listed.iter().find(|file| file.path == INDEX && is_file(file)) {
        Some(index) => from_index(index, listed, read, &mut problems)?,
        None => from_folders(listed, read, &mut problems)?,
    };
    for entry in &mut entries {
        commit.clone_into(&mut entry.commit);
    }
    each_once(&mut entries, &mut problems);
    problems.truncate(MAX_PROBLEMS);
    Ok(Hub { url: address.to_owned(), commit: commit.to_owned(), entries, problems })
}

/// Sorts entries by name; of several with one name the first by its path stays.
pub(super) fn each_once(entries: &mut Vec<Entry>, problems: &mut Vec<String>) {
    entries.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    entries.dedup_by(|later, first| {
        let double = later.name == first.name;
        if double {
            problems.push(format!("`{}` is there more than once", first.name));
        }
        double
    });
}

#[derive(Deserialize)]
pub(super) struct Index {
    pub skills: Vec<serde_json::Value>,
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
    read: Read,
    problems: &mut Vec<String>,
) -> Result<Vec<Entry>> {
    let bytes = read(&[index], MAX_INDEX_BYTES)?.pop().unwrap_or_default();
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

pub(super) fn from_folders(
    listed: &[Listed],
    read: Read,
    problems: &mut Vec<String>,
) -> Result<Vec<Entry>> {
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
        for ((folder, _), bytes) in some.iter().zip(read(&files, most)?) {
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
