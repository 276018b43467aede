//! `elophanto agent skill list`, `show` and `new`

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible, visible_line},
        workspace,
    },
    shelf::Shelf,
};
use elophanto_agent::skills::{self, MAX_SKILL_BYTES, Origin, Shadowed, Skill, SkillError};

/// Where a repository keeps the skills that are made here.
const IN_REPOSITORY: &str = ".elophanto/skills";
/// Characters of a description in a list.
const MOST_LINE: usize = 100;

/// List all skills, where each comes from, and which hide others of their name
///
/// Of those with one name your own wins, then the repository's, then an installed one, then a
/// bundled one.
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Show what a skill says
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// Its name
    name: String,
    /// A file beside SKILL.md in its place
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
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
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A skill, as `--json` prints it.
#[derive(Serialize)]
struct SkillWire<'a> {
    name: &'a str,
    description: &'a str,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    files: Vec<FileWire>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    problems: &'a [String],
    /// What it says; only of one that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
}

#[derive(Serialize)]
struct FileWire {
    path: String,
    bytes: u64,
}

/// A skill that another of its name hides.
#[derive(Serialize)]
struct ShadowedWire<'a> {
    shadowed: &'a str,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    by: &'static str,
}

#[derive(Serialize)]
struct TextWire<'a> {
    name: &'a str,
    file: String,
    text: &'a str,
}

#[derive(Serialize)]
struct NewWire {
    made: String,
}

pub fn list(ui: &mut Ui) -> Result<Outcome, CliError> {
    let found = Shelf::of(&workspace::open(Vec::new(), ui)?)?.discover();
    let longest = found.skills.iter().map(|skill| skill.name.len()).max().unwrap_or(0);
    for skill in &found.skills {
        let description = elophanto_base::one_line::one_line(&skill.description, MOST_LINE);
        let origin = skill.origin.label();
        let text = format!("{:longest$}  {origin:20}  {description}", skill.name);
        ui.emit(&wire(skill, None), visible_line(&text))?;
    }
    for Shadowed { name, origin, folder, by } in &found.shadowed {
        let (folder, by) = (folder.as_deref().map(shown), word(by));
        if ui.json {
            let origin = word(origin);
            ui.json(&ShadowedWire { shadowed: name, origin, folder, by })?;
        } else {
            let place = folder.map(|folder| format!(" in `{folder}`")).unwrap_or_default();
            ui.note(format_args!(
                "`{name}` ({}){} is hidden by the one of origin {by}",
                origin.label(),
                visible_line(&place)
            ));
        }
    }
    for problem in found.problems {
        ui.warn(problem);
    }
    Ok(Outcome::Done)
}

pub fn show(args: &ShowArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let found = Shelf::of(&workspace::open(Vec::new(), ui)?)?.discover();
    let Some(skill) = found.skills.iter().find(|skill| skill.name == args.name) else {
        // Why it is not there may be among these.
        for problem in found.problems {
            ui.warn(problem);
        }
        ui.talk(format_args!(
            "no skill `{}` that can be used; `elophanto agent skill list` names those that can",
            visible_line(&args.name)
        ));
        return Ok(Outcome::Negative);
    };
    if let Some(file) = &args.file {
        let read = skills::read_file(skill, file, MAX_SKILL_BYTES as u64);
        let bytes = read.map_err(|cause| {
            instead(cause, ErrorKind::NotFound, || {
                let file = shown(file);
                CliError::new(format_args!("`{}` has no file `{file}`", skill.name))
                    .hint(format!("`elophanto agent skill show {}` lists them", skill.name))
            })
        })?;
        let text = String::from_utf8_lossy(&bytes);
        let wire = TextWire { name: &skill.name, file: shown(file), text: &text };
        ui.emit(&wire, visible(text.trim_end()))?;
        return Ok(Outcome::Done);
    }
    if ui.json {
        ui.json(&wire(skill, Some(&skill.body)))?;
        return Ok(Outcome::Done);
    }
    ui.line(visible_line(&format!("{} ({})", skill.name, skill.origin.label())))?;
    if let Origin::Installed { source, commit, tree } = &skill.origin {
        ui.line(visible_line(&format!("from {source}")))?;
        if let Some(commit) = commit {
            ui.line(format_args!("commit {commit}"))?;
        }
        ui.line(format_args!("content {tree}"))?;
    }
    if let Some(folder) = &skill.folder {
        ui.line(visible_line(&format!("in {}", folder.display())))?;
    }
    for (path, bytes) in &skill.files {
        ui.line(visible_line(&format!("  {} {bytes} bytes", path.display())))?;
    }
    ui.line(visible_line(&format!("for: {}", skill.description)))?;
    ui.line(format_args!("\n{}", visible(skill.body.trim())))?;
    for problem in &skill.problems {
        ui.note(problem);
    }
    Ok(Outcome::Done)
}

pub fn new(args: &NewArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    skills::check_name(&args.name)?;
    let folder = match args.user {
        true => Shelf::of(&workspace)?.places.user.ok_or_else(|| {
            CliError::new("there is no folder for your own skills").hint("set HOME")
        })?,
        false => workspace.repository.root.join(IN_REPOSITORY),
    };
    // What lies above the user's own folder is the user's.
    let root = match args.user {
        true => fs::create_dir_all(&folder).map(|()| &folder)?,
        false => &workspace.repository.root,
    };
    let path =
        skills::new_skill(root, &folder, &args.name, &args.description).map_err(|cause| {
            instead(cause, ErrorKind::AlreadyExists, || {
                CliError::new(format_args!("there is a skill `{}` already", args.name))
                    .hint(format!("it is in `{}`", folder.join(&args.name).display()))
            })
        })?;
    let made = shown(&path);
    ui.emit(&NewWire { made: made.clone() }, visible_line(&made))?;
    ui.talk("fill it in; `elophanto agent skill list` says whether it is found");
    Ok(Outcome::Done)
}

/// Says in words what one kind of failure means here.
fn instead(cause: SkillError, kind: ErrorKind, said: impl FnOnce() -> CliError) -> CliError {
    match &cause {
        SkillError::Io { cause: failed, .. } if failed.kind() == kind => said(),
        _ => cause.into(),
    }
}

fn wire<'a>(skill: &'a Skill, body: Option<&'a str>) -> SkillWire<'a> {
    let (source, commit, tree) = match &skill.origin {
        Origin::Installed { source, commit, tree } => {
            (Some(source.as_str()), commit.as_deref(), Some(tree.as_str()))
        }
        _ => (None, None, None),
    };
    let file = |(path, bytes): &(PathBuf, u64)| FileWire { path: shown(path), bytes: *bytes };
    SkillWire {
        name: &skill.name,
        description: &skill.description,
        origin: word(&skill.origin),
        source,
        commit,
        tree,
        folder: skill.folder.as_deref().map(shown),
        files: skill.files.iter().map(file).collect(),
        problems: &skill.problems,
        body,
    }
}

/// As `--json` names an origin.
fn word(origin: &Origin) -> &'static str {
    match origin {
        Origin::User => "user",
        Origin::Repository => "repository",
        Origin::Installed { .. } => "installed",
        Origin::Bundled => "bundled",
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
