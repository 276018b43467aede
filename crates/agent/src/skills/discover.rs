//! Which skills there are, and which of several with one name counts.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use super::{
    LOCK_NAME, Locked, MAX_BYTES, MAX_FILES, MAX_SKILL_BYTES, Origin, Result, Skill, SkillError,
    bundled,
    files::{self, SKILL_FILE},
    front, lock, name,
    plan::front_of,
};

/// Where a repository keeps skills, the first wins.
const IN_REPOSITORY: &[&str] = &[".elophanto/skills", ".agents/skills", ".claude/skills"];
/// Skills of one folder.
const MAX_SKILLS: usize = 500;
/// Entries of one folder that are looked at.
const MAX_ENTRIES: usize = 10_000;
/// Folders looked into below a skill.
const MAX_DEPTH: usize = 8;

/// Where skills lie.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The folder of the user's own skills.
    pub user: Option<PathBuf>,
    /// Root of the repository; `.elophanto/skills`, `.agents/skills` and `.claude/skills` below it
    /// are read.
    pub repository: Option<PathBuf>,
    /// The folder of the installed skills, in the user's data.
    pub installed: PathBuf,
}

/// All skills that may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Sorted by name, each name once.
    pub skills: Vec<Skill>,
    /// Those that another of the same name hides.
    pub shadowed: Vec<Shadowed>,
    /// What was found and is not loaded, and why. Safe to show.
    pub problems: Vec<String>,
}

/// A skill that is there but not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadowed {
    pub name: String,
    pub origin: Origin,
    pub folder: Option<PathBuf>,
    /// Where the one comes from that is used.
    pub by: Origin,
}

/// Finds all skills. Of those with one name the user's own wins, then the repository's, then an
/// installed one, then a bundled one. An installed skill whose files are not those that were
/// agreed to is not loaded. A bad one costs a problem and never the others.
pub fn discover(places: &Places) -> Discovered {
    let mut problems = Vec::new();
    let mut found = Vec::new();
    if let Some(user) = &places.user {
        found.extend(below(user, &Origin::User, None, &mut problems));
    }
    if let Some(root) = places.repository.as_ref().and_then(|root| root.canonicalize().ok()) {
        for folder in IN_REPOSITORY {
            found.extend(below(
                &root.join(folder),
                &Origin::Repository,
                Some(&root),
                &mut problems,
            ));
        }
    }
    found.extend(of_installed(&places.installed, &mut problems));
    found.extend(bundled());
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let mut shadowed = Vec::new();
    for skill in found {
        match skills.get(&skill.name) {
            // Two names of one folder.
            Some(first) if is_same_folder(first, &skill) => {}
            Some(first) => shadowed.push(Shadowed {
                by: first.origin.clone(),
                name: skill.name,
                origin: skill.origin,
                folder: skill.folder,
            }),
            None => {
                skills.insert(skill.name.clone(), skill);
            }
        }
    }
    shadowed.sort_by(|a, b| a.name.cmp(&b.name));
    Discovered { skills: skills.into_values().collect(), shadowed, problems }
}

fn is_same_folder(a: &Skill, b: &Skill) -> bool {
    let real = |skill: &Skill| skill.folder.as_ref().and_then(|folder| folder.canonicalize().ok());
    a.folder.is_some() && real(a) == real(b)
}

/// The skills of a folder. With `inside`, nothing is followed that leads out of that folder.
fn below(
    folder: &Path,
    origin: &Origin,
    inside: Option<&Path>,
    problems: &mut Vec<String>,
) -> Vec<Skill> {
    let mut skills = Vec::new();
    for (name, path) in folders(folder, problems) {
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(cause) => {
                problems.push(SkillError::io(&path, cause).to_string());
                continue;
            }
        };
        if inside.is_some_and(|root| !real.starts_with(root)) {
            problems.push(format!("`{}` leads out of the repository", shown(&path)));
            continue;
        }
        if fs::symlink_metadata(real.join(SKILL_FILE)).is_err() {
            continue;
        }
        match load(&name, &real, origin) {
            Ok(skill) => skills.push(Skill { folder: Some(path), ..skill }),
            Err(cause) => problems.push(format!("{}: {cause}", shown(&path))),
        }
    }
    skills
}

/// Installed skills: those of the list whose files are what the list says.
fn of_installed(folder: &Path, problems: &mut Vec<String>) -> Vec<Skill> {
    let pinned = match lock::installed(folder) {
        Ok(pinned) => pinned,
        Err(cause) => {
            problems.push(cause.to_string());
            return Vec::new();
        }
    };
    for (name, path) in folders(folder, problems) {
        if !pinned.contains_key(&name) {
            problems.push(format!("`{}` is not in {LOCK_NAME}, so it is not loaded", shown(&path)));
        }
    }
    let mut skills = Vec::new();
    for (name, locked) in pinned {
        match load_installed(&name, folder, locked) {
            Ok(skill) => skills.push(skill),
            Err(cause) => problems.push(cause.to_string()),
        }
    }
    skills
}

fn load_installed(name: &str, folder: &Path, locked: Locked) -> Result<Skill> {
    let place = folder.join(name);
    let stat = fs::symlink_metadata(&place).map_err(|cause| SkillError::io(&place, cause))?;
    if !stat.is_dir() {
        return Err(SkillError::Tampered(name.to_owned()));
    }
    let (contents, skipped) = files::read_folder(&place)?;
    if files::tree_hash(&contents) != locked.tree || !skipped.is_empty() {
        return Err(SkillError::Tampered(name.to_owned()));
    }
    let front = front_of(&contents, &place.to_string_lossy(), Some(name))?;
    let beside = contents.iter().filter(|content| content.path != SKILL_FILE);
    Ok(Skill {
        name: front.name,
        description: front.description,
        origin: Origin::Installed {
            source: locked.source,
            commit: locked.commit,
            tree: locked.tree,
        },
        folder: Some(place),
        body: front.body,
        files: beside.map(|c| (PathBuf::from(&c.path), c.bytes.len() as u64)).collect(),
        problems: front.problems,
    })
}

/// A skill of a folder that nobody pinned.
fn load(name: &str, folder: &Path, origin: &Origin) -> Result<Skill> {
    let (bytes, _) = files::read_resolved(&folder.join(SKILL_FILE), MAX_SKILL_BYTES as u64)?;
    let front = front::read(&bytes, Some(name))?;
    let mut problems = front.problems;
    let files = beside(folder, &mut problems);
    Ok(Skill {
        name: front.name,
        description: front.description,
        origin: origin.clone(),
        folder: Some(folder.to_owned()),
        body: front.body,
        files,
        problems,
    })
}

/// Names and sizes of the regular files beside `SKILL.md`, unread.
fn beside(folder: &Path, problems: &mut Vec<String>) -> Vec<(PathBuf, u64)> {
    let (mut files, mut bytes) = (Vec::new(), 0_u64);
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((place, depth)) = open.pop() {
        let Ok(listed) = fs::read_dir(&place) else { continue };
        for entry in listed.flatten().take(MAX_FILES * 2) {
            let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
            let Ok(relative) = path.strip_prefix(folder) else { continue };
            if kind.is_dir() && depth < MAX_DEPTH && entry.file_name() != ".git" {
                open.push((path, depth + 1));
            } else if kind.is_file() && relative != Path::new(SKILL_FILE) {
                if files.len() >= MAX_FILES || bytes > MAX_BYTES {
                    problems.push(format!("only {} files beside it are listed", files.len()));
                    files.sort();
                    return files;
                }
                let size = entry.metadata().map_or(0, |stat| stat.len());
                bytes = bytes.saturating_add(size);
                files.push((relative.to_owned(), size));
            }
        }
    }
    files.sort();
    files
}

/// Folders, and links, directly below a folder, sorted by name; none if it is not there.
fn folders(folder: &Path, problems: &mut Vec<String>) -> Vec<(String, PathBuf)> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(cause) => {
            problems.push(SkillError::io(folder, cause).to_string());
            return Vec::new();
        }
    };
    let mut folders: Vec<(String, PathBuf)> = listed
        .flatten()
        .take(MAX_ENTRIES)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_symlink()))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(name, path)| !name.starts_with('.') && path.is_dir())
        .collect();
    folders.sort();
    if folders.len() > MAX_SKILLS {
        problems
            .push(format!("only the first {MAX_SKILLS} skills of `{}` are read", shown(folder)));
        folders.truncate(MAX_SKILLS);
    }
    folders
}

fn shown(path: &Path) -> String {
    name::shown(&path.to_string_lossy())
}
