//! What an install or update would bring: everything is read, nothing is run or written where
//! skills lie.

use std::{fs, path::Path};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Concern, Difference, Result, SkillError, Source, Warning, difference,
    files::{self, Content, SKILL_FILE, Skipped},
    front, hub, lock, name, remote, shown, warnings,
};
use elophanto_base::process::Environment;

/// Folders of a repository that are named when one has to be chosen.
const MAX_CHOICES: usize = 20;

/// What lies outside of the folders of skills.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// What git may see: `PATH`, `HOME`, proxies, the agent of ssh keys.
    pub environment: &'a Environment,
    /// A folder of the user's for what can be fetched again; made if it is not there.
    pub cache: &'a Path,
    /// Address of the hub, from the user's own settings.
    pub hub: Option<&'a str>,
}

/// What would be installed, all of it: [`super::install`] copies these bytes and no others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Plan {
    pub name: String,
    pub description: String,
    /// A path is absolute here.
    #[schemars(with = "String")]
    pub source: Source,
    /// The commit it was read from; `None` for a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Address of the hub it was found in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// Hash of all its files: what the user agrees to.
    pub tree: String,
    /// Sorted by path.
    pub files: Vec<PlannedFile>,
    /// Markdown of its `SKILL.md`.
    #[serde(skip)]
    pub body: String,
    /// What to look at before agreeing.
    pub warnings: Vec<Warning>,
    /// Against the files that are installed now; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The hash that is pinned now.
    #[serde(skip)]
    pub(super) replaces: Option<String>,
    #[serde(skip)]
    pub(super) contents: Vec<Content>,
}

/// A file that would be copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedFile {
    pub path: String,
    #[serde(rename = "bytes")]
    pub size: u64,
    /// It may be run where it comes from; the copy may not.
    pub executable: bool,
}

impl Plan {
    /// Whether just this is installed already.
    pub fn is_current(&self) -> bool {
        self.difference.as_ref().is_some_and(Difference::is_empty)
            && self.replaces.as_ref() == Some(&self.tree)
    }

    /// All of it as text for whoever agrees. What a skill says is in it as it is: whoever shows it
    /// escapes it.
    pub fn shown(&self) -> String {
        shown::shown(self)
    }

    /// The bytes of a file of the plan, to look at.
    pub fn content(&self, path: &str) -> Option<&[u8]> {
        self.contents.iter().find(|content| content.path == path).map(|c| c.bytes.as_slice())
    }
}

/// Reads a skill and says what installing it below `installed` would do. A git repository is
/// fetched for it into a folder that is gone afterwards; a skill of a hub in git is taken from the
/// commit that [`hub::refresh`] brought.
///
/// # Errors
/// When there is no skill in the right form, or it is over a cap: [`files::MAX_FILES`],
/// [`files::MAX_BYTES`].
pub fn plan_install(source: &Source, installed: &Path, outside: &Outside) -> Result<Plan> {
    let read = match source {
        Source::Path(path) => from_folder(path)?,
        Source::Git { url, folder } => from_git(url, folder.as_deref(), outside)?,
        Source::Hub { name } => from_hub(name, outside)?,
    };
    let pinned = lock::installed(installed)?.remove(&read.name);
    let place = installed.join(&read.name);
    let mut plan = assemble(read)?;
    let Some(pinned) = pinned else {
        if fs::symlink_metadata(&place).is_ok() {
            return Err(SkillError::Occupied(place));
        }
        return Ok(plan);
    };
    let (old, skipped) =
        if place.is_dir() { files::read_folder(&place)? } else { Default::default() };
    if files::tree_hash(&old) != pinned.tree || !skipped.is_empty() {
        let said = "what is installed was changed since, and would be replaced";
        plan.warnings.push(warnings::warning(Concern::Tampered, "", said));
    }
    if pinned.source != plan.source.to_string() || pinned.hub != plan.hub {
        let from = pinned.hub.as_ref().map(|hub| format!(" of {hub}")).unwrap_or_default();
        let said = format!("what is installed came from {}{from}", name::shown(&pinned.source));
        plan.warnings.push(warnings::warning(Concern::Moved, "", said));
    }
    plan.difference = Some(difference::between(&old, &plan.contents));
    plan.replaces = Some(pinned.tree);
    Ok(plan)
}

/// What updating an installed skill from where it came from would do.
///
/// # Errors
/// When it is not installed, and those of [`plan_install`].
pub fn plan_update(name: &str, installed: &Path, outside: &Outside) -> Result<Plan> {
    name::check_name(name)?;
    let missing = || SkillError::NotInstalled(name.to_owned());
    let pinned = lock::installed(installed)?.remove(name).ok_or_else(missing)?;
    let plan = plan_install(&Source::parse(&pinned.source)?, installed, outside)?;
    if plan.name != name {
        return Err(SkillError::Renamed { name: name.to_owned(), found: plan.name });
    }
    Ok(plan)
}

/// A skill as it was read, before it is judged.
struct Read {
    name: String,
    front: front::Front,
    source: Source,
    commit: Option<String>,
    hub: Option<String>,
    contents: Vec<Content>,
    skipped: Vec<Skipped>,
}

fn assemble(read: Read) -> Result<Plan> {
    let Read { name, front, source, commit, hub, contents, skipped } = read;
    let warnings = warnings::find(&front, &contents, &skipped);
    let files = contents
        .iter()
        .map(|content| PlannedFile {
            path: content.path.clone(),
            size: content.bytes.len() as u64,
            executable: content.executable,
        })
        .collect();
    let tree = files::tree_hash(&contents);
    let front::Front { description, body, .. } = front;
    let (difference, replaces) = (None, None);
    Ok(Plan {
        name,
        description,
        source,
        commit,
        hub,
        tree,
        files,
        body,
        warnings,
        difference,
        replaces,
        contents,
    })
}

/// The front of a skill that stands at `place`, in a folder of that name.
pub(super) fn front_of(
    contents: &[Content],
    place: &str,
    folder: Option<&str>,
) -> Result<front::Front> {
    let file = contents.iter().find(|content| content.path == SKILL_FILE);
    let file = file.ok_or_else(|| SkillError::NoSkill(name::shown(place)))?;
    front::read(&file.bytes, folder)
}

fn from_folder(path: &Path) -> Result<Read> {
    let place = path.canonicalize().map_err(|cause| SkillError::io(path, cause))?;
    let text = place.to_str().ok_or_else(|| SkillError::Source {
        shown: name::shown(&place.to_string_lossy()),
        why: "its path is not UTF-8",
    })?;
    let source = Source::parse(text)?;
    // Before all else below it is read: a folder without one may be anything.
    if !place.join(SKILL_FILE).is_file() {
        return Err(SkillError::NoSkill(name::shown(text)));
    }
    let (contents, skipped) = files::read_folder(&place)?;
    let folder = place.file_name().and_then(|name| name.to_str());
    let front = front_of(&contents, text, folder)?;
    Ok(Read { name: front.name.clone(), front, source, commit: None, hub: None, contents, skipped })
}

fn from_git(url: &str, folder: Option<&str>, outside: &Outside) -> Result<Read> {
    let failed = |cause| SkillError::io(outside.cache, cause);
    fs::create_dir_all(outside.cache).map_err(failed)?;
    let work =
        tempfile::Builder::new().prefix(".fetch-").tempdir_in(outside.cache).map_err(failed)?;
    let bare = work.path().join("fetched.git");
    let commit = remote::fetch(url, &bare, outside.environment)?;
    let found = match folder {
        Some(folder) => folder.to_owned(),
        None => only_skill(url, &remote::list(&bare, &commit, None, outside.environment)?)?,
    };
    let (contents, skipped) = remote::contents(&bare, &commit, &found, outside.environment)?;
    // At the top of a repository there is no folder to be named like.
    let named = found.rsplit('/').next().filter(|name| !name.is_empty());
    let front = front_of(&contents, &format!("{url}#{found}"), named)?;
    let source = Source::Git { url: url.to_owned(), folder: folder.map(str::to_owned) };
    Ok(Read {
        name: front.name.clone(),
        front,
        source,
        commit: Some(commit),
        hub: None,
        contents,
        skipped,
    })
}

/// The folder of a repository's only skill, empty for the top.
fn only_skill(url: &str, listed: &[remote::Listed]) -> Result<String> {
    let folders: Vec<&str> = listed
        .iter()
        .filter_map(|file| match file.path.rsplit_once('/') {
            Some((folder, SKILL_FILE)) => Some(folder),
            None if file.path == SKILL_FILE => Some(""),
            _ => None,
        })
        .collect();
    match folders.as_slice() {
        [] => Err(SkillError::NoSkill(name::shown(url))),
        [only] => Ok((*only).to_owned()),
        // One at the top has the others as its parts.
        several if several.contains(&"") => Ok(String::new()),
        several => Err(SkillError::Several {
            place: name::shown(url),
            folders: several.iter().take(MAX_CHOICES).map(|folder| name::shown(folder)).collect(),
        }),
    }
}

fn from_hub(wanted: &str, outside: &Outside) -> Result<Read> {
    name::check_name(wanted)?;
    let url = outside.hub.ok_or(SkillError::NoHub)?;
    let (entry, contents, skipped) =
        hub::contents(wanted, url, outside.cache, outside.environment)?;
    let front = front_of(&contents, &format!("hub:{wanted}"), None)?;
    if front.name != wanted {
        return Err(SkillError::Renamed { name: wanted.to_owned(), found: front.name });
    }
    let source = Source::Hub { name: wanted.to_owned() };
    let commit = Some(entry.commit).filter(|commit| !commit.is_empty());
    let hub = Some(url.to_owned());
    Ok(Read { name: front.name.clone(), front, source, commit, hub, contents, skipped })
}
