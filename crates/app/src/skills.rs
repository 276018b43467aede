//! Skills: making one, reading one, and bringing one here once the user agreed to what was shown.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{
    Error, Result, agent::skill_store::SkillStore, reporter::Reporter, workspace::Workspace,
};
use elophanto_agent::skills::{
    self, MAX_SKILL_BYTES, SkillError, hub::Published, installed, new_skill, plan_update,
};
pub use elophanto_agent::skills::{Origin, Plan, Shadowed, Skill, hub::Entry};
use elophanto_base::counted::counted;

/// Where a repository keeps the skills that are made here.
const IN_REPOSITORY: &str = ".elophanto/skills";

/// A file of a skill.
///
/// # Errors
/// When it has none of that name, or it cannot be read.
pub fn read_file(skill: &Skill, file: &Path) -> Result<Vec<u8>> {
    skills::read_file(skill, file, MAX_SKILL_BYTES as u64).map_err(|cause| {
        instead(cause, ErrorKind::NotFound, || {
            let (name, file) = (&skill.name, file.to_string_lossy());
            Error::new(format_args!("`{name}` has no file `{file}`"))
                .hint(format!("`elophanto agent skill show {name}` lists them"))
        })
    })
}

/// Makes a new skill to fill in, in the repository or among the user's own; the path of its file.
///
/// # Errors
/// When its name or description is not in the right form, it is there already, or it cannot be
/// written.
pub fn new(workspace: &Workspace, name: &str, description: &str, of_user: bool) -> Result<PathBuf> {
    skills::check_name(name)?;
    let root = &workspace.repository.root;
    let folder = match of_user {
        true => SkillStore::of(workspace)?
            .places
            .user
            .ok_or_else(|| Error::new("there is no folder for your own skills").hint("set HOME"))?,
        false => root.join(IN_REPOSITORY),
    };
    // What lies above the user's own folder is the user's.
    let root = if of_user { fs::create_dir_all(&folder).map(|()| &folder)? } else { root };
    new_skill(root, &folder, name, description).map_err(|cause| {
        instead(cause, ErrorKind::AlreadyExists, || {
            Error::new(format_args!("there is a skill `{name}` already"))
                .hint(format!("it is in `{}`", folder.join(name).display()))
        })
    })
}

/// Says in words what one kind of failure means here.
fn instead(cause: SkillError, kind: ErrorKind, said: impl FnOnce() -> Error) -> Error {
    match &cause {
        SkillError::Io { source: failed, .. } if failed.kind() == kind => said(),
        _ => cause.into(),
    }
}

/// Makes a folder of skills a hub: writes the list of all that lie below it.
///
/// # Errors
/// When there is none, one of them is not in the right form, or the list cannot be written.
pub fn publish(folder: &Path) -> Result<Published> {
    Ok(skills::hub::publish(folder)?)
}

/// Asks whether to install what was shown, unless just that is installed or `yes` agrees, and
/// installs it; whether it did.
///
/// # Errors
/// When the answer cannot be read, or the skill cannot be installed.
pub fn install(
    plan: &Plan,
    store: &SkillStore,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<bool> {
    let question = format!("Install `{}`?", plan.name);
    let is_agreed = !plan.is_current() && (yes || reporter.confirm(&question)?);
    if is_agreed {
        skills::install(plan, &plan.tree, &store.places.installed)?;
    }
    Ok(is_agreed)
}

/// Takes a skill out: one that was installed, or, once the user agreed, one of their own, which nothing
/// brings back. `false` if nobody agreed.
///
/// # Errors
/// When there is none, it is not theirs to remove here, or it cannot be removed.
pub fn remove(store: &SkillStore, name: &str, yes: bool, reporter: &dyn Reporter) -> Result<bool> {
    skills::check_name(name)?;
    let is_installed = installed(&store.places.installed)?.contains_key(name);
    let own = store.places.user.as_ref().map(|folder| folder.join(name));
    let own = own.filter(|folder| !is_installed && fs::symlink_metadata(folder).is_ok());
    let Some(folder) = own else {
        let here = store.places.repository.as_ref();
        let here = here.map(|root| root.join(IN_REPOSITORY).join(name));
        return match skills::remove(name, &store.places.installed) {
            Err(cause @ SkillError::NotInstalled(_)) if here.is_some_and(|it| it.exists()) => {
                let hint = format!("it is the repository's: git rm -r {IN_REPOSITORY}/{name}");
                Err(Error::of(cause).hint(hint))
            }
            other => Ok(other.map(|()| true)?),
        };
    };
    let question = format!("Remove your own skill in `{}`, for good?", folder.display());
    if !(yes || reporter.confirm(&question)?) {
        return Ok(false);
    }
    let is_link = fs::symlink_metadata(&folder)?.is_symlink();
    if is_link {
        fs::remove_file(&folder)?
    } else {
        fs::remove_dir_all(&folder)?
    };
    Ok(true)
}

/// Plans to bring what is installed up to date, all skills or the one of this name, and hands each
/// plan on, which says whether it was installed. Whether one was; `None` if there is none.
///
/// # Errors
/// When it is not installed; when the one that was named, or any of all, could not be updated.
pub fn update(
    store: &SkillStore,
    name: Option<&str>,
    reporter: &dyn Reporter,
    agreed: &mut dyn FnMut(&Plan) -> Result<bool>,
) -> Result<Option<bool>> {
    let mut installed = installed(&store.places.installed)?;
    if let Some(name) = name {
        installed.retain(|other, _| other == name);
        if installed.is_empty() {
            return Err(SkillError::NotInstalled(name.to_owned()).into());
        }
    }
    if installed.is_empty() {
        return Ok(None);
    }
    // What the hub has now, not what it had when it was searched.
    if installed.values().any(|locked| locked.hub.is_some()) && store.hub.is_some() {
        store.fetched_hub()?;
    }
    let (mut any, mut failed) = (false, 0);
    for other in installed.keys() {
        let plan = plan_update(other, &store.places.installed, &store.outside());
        match plan.map_err(Error::from).and_then(|plan| agreed(&plan)) {
            Ok(is_installed) => any |= is_installed,
            // One that cannot be updated must not keep the others from it.
            Err(error) if name.is_none() && !error.broken_pipe => {
                reporter.warn(format_args!("`{other}`: {}", error.message()));
                failed += 1;
            }
            Err(error) => return Err(error),
        }
    }
    match failed {
        0 => Ok(Some(any)),
        failed => {
            Err(Error::new(format_args!("{} could not be updated", counted(failed, "skill")))
                .hint("`elophanto agent skill update NAME` says more about one"))
        }
    }
}
