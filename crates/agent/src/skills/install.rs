//! Putting what was planned and agreed to in its place, and taking it out again.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

use super::{
    Plan, Result, SkillError,
    files::Content,
    lock::{self, Locked},
    name,
};

/// Copies exactly what the plan showed below `installed`, and pins it. Files are plain: none may be
/// run. Nothing is run, either.
///
/// `agreed` is the [`Plan::tree`] that the user said yes to: another plan is not installed.
///
/// # Errors
/// When the plan is not the one agreed to, was overtaken by another install, would replace a
/// folder that was not installed, or cannot be written; then the former state stands.
pub fn install(plan: &Plan, agreed: &str, installed: &Path) -> Result<Locked> {
    name::check_name(&plan.name)?;
    if agreed != plan.tree {
        return Err(SkillError::NotAgreed(plan.name.clone()));
    }
    let _guard = lock::guard(installed)?;
    let mut skills = lock::installed(installed)?;
    if skills.get(&plan.name).map(|locked| &locked.tree) != plan.replaces.as_ref() {
        return Err(SkillError::Overtaken(plan.name.clone()));
    }
    let place = installed.join(&plan.name);
    let is_there = fs::symlink_metadata(&place).is_ok();
    if is_there && !skills.contains_key(&plan.name) {
        return Err(SkillError::Occupied(place));
    }
    let failed = |cause| SkillError::io(&place, cause);
    let work =
        tempfile::Builder::new().prefix(".install-").tempdir_in(installed).map_err(failed)?;
    let (fresh, former) = (work.path().join("new"), work.path().join("old"));
    write_all(&fresh, &plan.contents)?;
    if is_there {
        fs::rename(&place, &former).map_err(failed)?;
    }
    let put_back = || {
        let _ = fs::rename(&place, work.path().join("failed"));
        if is_there {
            let _ = fs::rename(&former, &place);
        }
    };
    if let Err(cause) = fs::rename(&fresh, &place) {
        put_back();
        return Err(failed(cause));
    }
    let locked = Locked {
        source: plan.source.to_string(),
        commit: plan.commit.clone(),
        hub: plan.hub.clone(),
        tree: plan.tree.clone(),
    };
    skills.insert(plan.name.clone(), locked.clone());
    if let Err(cause) = lock::write(installed, skills) {
        put_back();
        return Err(cause);
    }
    Ok(locked)
}

/// Removes an installed skill, changed files included.
///
/// # Errors
/// When it is not installed or cannot be removed.
pub fn remove(name: &str, installed: &Path) -> Result<()> {
    name::check_name(name)?;
    let missing = || SkillError::NotInstalled(name.to_owned());
    if !installed.is_dir() {
        return Err(missing());
    }
    let _guard = lock::guard(installed)?;
    let mut skills = lock::installed(installed)?;
    skills.remove(name).ok_or_else(missing)?;
    let place = installed.join(name);
    let failed = |cause| SkillError::io(&place, cause);
    // The list first: a folder that it does not name is never loaded.
    lock::write(installed, skills)?;
    let Ok(stat) = fs::symlink_metadata(&place) else { return Ok(()) };
    if !stat.is_dir() {
        return fs::remove_file(&place).map_err(failed);
    }
    let work = tempfile::Builder::new().prefix(".remove-").tempdir_in(installed).map_err(failed)?;
    fs::rename(&place, work.path().join("old")).map_err(failed)?;
    work.close().map_err(failed)
}

fn write_all(folder: &Path, contents: &[Content]) -> Result<()> {
    fs::create_dir(folder).map_err(|cause| SkillError::io(folder, cause))?;
    for content in contents {
        super::files::check_path(&content.path)?;
        let path = folder.join(&content.path);
        let failed = |cause| SkillError::io(&path, cause);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let mut file = File::create_new(&path).map_err(failed)?;
        file.write_all(&content.bytes).map_err(failed)?;
        file.sync_all().map_err(failed)?;
    }
    Ok(())
}
