//! A new skill to fill in.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use super::{MAX_DESCRIPTION, Result, SkillError, files::SKILL_FILE, front, name};
use elophanto_base::{beneath::Folder, one_line::one_line};

/// Makes `folder/NAME/SKILL.md` with the parts that a skill should have; the file's path. The
/// folder lies beneath `root`, and nothing in between may be a link.
///
/// # Errors
/// When the name or description is not in the right form, the skill is there already, or it
/// cannot be written.
pub fn new_skill(root: &Path, folder: &Path, name: &str, description: &str) -> Result<PathBuf> {
    name::check_name(name)?;
    let text = template(name, description)?;
    front::read(text.as_bytes(), Some(name))?;
    let path = folder.join(name).join(SKILL_FILE);
    let write = || {
        let (place, name) = Folder::open(root)?.making(&path)?;
        place.create(Path::new(&name))?.write_all(text.as_bytes())
    };
    write().map_err(|cause| SkillError::io(&path, cause))?;
    Ok(path)
}

fn template(name: &str, description: &str) -> Result<String> {
    if description.chars().count() > MAX_DESCRIPTION {
        let what = "the description".to_owned();
        return Err(SkillError::TooLarge { what, max: MAX_DESCRIPTION as u64, unit: "characters" });
    }
    let description = one_line(description, MAX_DESCRIPTION);
    // A JSON string is a quoted scalar of YAML.
    let quoted = serde_json::Value::from(description).to_string();
    let title = name.replace('-', " ");
    Ok(format!(
        "---\nname: {name}\ndescription: {quoted}\n---\n\n# {title}\n\n\
         What this achieves, and for whom, in two sentences.\n\n\
         ## When to use it\n\n\
         - The signs that a task is of this kind\n\
         - What looks like it and is not\n\n\
         ## Steps\n\n\
         1. What to read or search first\n\
         2. What to do, with the tool or command that does it\n\
         3. How to check that it worked\n\n\
         ## Done when\n\n\
         - What can be shown to somebody else\n\n\
         ## Mistakes to avoid\n\n\
         - What went wrong before, and what to do instead\n"
    ))
}
