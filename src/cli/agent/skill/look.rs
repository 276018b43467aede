//! `elophanto agent skill list`, `show` and `new`

use std::path::{Path, PathBuf};

use crate::cli::{CliError, NoArgs, Outcome, Result, Ui, escape_control_line, visible, workspace};
use crate::wire::{NewSkillWire, ShadowedWire, SkillTextWire, SkillWire};
use elophanto_agent::skills::{Origin, Shadowed};
use elophanto_app::{agent::skill_store::SkillStore, skills};

/// Characters of a description in a list.
const MOST_LINE: usize = 100;

/// Show what a skill says
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// Its name
    name: String,
    /// A file beside SKILL.md in its place
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
}

/// Make a new skill to fill in, in this repository
#[derive(clap::Args, Debug)]
pub struct NewArgs {
    /// Small letters, digits and hyphens
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// What it does, and when to use it: by this the agent finds it
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// Among your own skills, for all repositories
    #[arg(long)]
    user: bool,
}

pub fn list(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let found = SkillStore::of(&workspace::open(Vec::new(), ui)?)?.discover();
    let longest = found.skills.iter().map(|skill| skill.name.len()).max().unwrap_or(0);
    for skill in &found.skills {
        let description = elophanto_base::one_line::one_line(&skill.description, MOST_LINE);
        let origin = skill.origin.label();
        let text = format!("{:longest$}  {origin:20}  {description}", skill.name);
        ui.emit(&SkillWire::of(skill), escape_control_line(&text))?;
    }
    for hidden in &found.shadowed {
        if ui.json {
            ui.json(&ShadowedWire::from(hidden))?;
            continue;
        }
        let Shadowed { name, origin, folder, by } = hidden;
        let place = folder.as_deref().map(|folder| format!(" in `{}`", shown(folder)));
        ui.note(format_args!(
            "`{name}` ({}){} is hidden by the one of origin {}",
            origin.label(),
            escape_control_line(&place.unwrap_or_default()),
            by.name()
        ));
    }
    for problem in found.problems {
        ui.warn(problem);
    }
    Ok(Outcome::Done)
}

pub fn show(args: &ShowArgs, ui: &mut Ui) -> Result<Outcome> {
    let found = SkillStore::of(&workspace::open(Vec::new(), ui)?)?.discover();
    let Some(skill) = found.skills.iter().find(|skill| skill.name == args.name) else {
        // Why it is not there may be among these.
        for problem in found.problems {
            ui.warn(problem);
        }
        return Err(CliError::unknown("usable skill", &args.name, "agent skill list"));
    };
    if let Some(file) = &args.file {
        let bytes = skills::read_file(skill, file)?;
        let text = String::from_utf8_lossy(&bytes);
        let wire = SkillTextWire { name: &skill.name, file: shown(file), text: &text };
        return ui.done(&wire, visible(text.trim_end()));
    }
    if ui.json {
        ui.json(&SkillWire::whole(skill))?;
        return Ok(Outcome::Done);
    }
    ui.line(escape_control_line(&format!("{} ({})", skill.name, skill.origin.label())))?;
    if let Origin::Installed { source, commit, tree } = &skill.origin {
        ui.line(escape_control_line(&format!("from {source}")))?;
        if let Some(commit) = commit {
            ui.line(format_args!("commit {commit}"))?;
        }
        ui.line(format_args!("content {tree}"))?;
    }
    if let Some(folder) = &skill.folder {
        ui.line(escape_control_line(&format!("in {}", folder.display())))?;
    }
    for (path, bytes) in &skill.files {
        ui.line(escape_control_line(&format!("  {} {bytes} bytes", path.display())))?;
    }
    ui.line(escape_control_line(&format!("for: {}", skill.description)))?;
    ui.line(format_args!("\n{}", visible(skill.body.trim())))?;
    for problem in &skill.problems {
        ui.note(problem);
    }
    Ok(Outcome::Done)
}

pub fn new(args: &NewArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let path = skills::new(&workspace, &args.name, &args.description, args.user)?;
    let made = shown(&path);
    ui.emit(&NewSkillWire { made: &made }, escape_control_line(&made))?;
    ui.talk("fill it in; `elophanto agent skill list` says whether it is found");
    Ok(Outcome::Done)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
