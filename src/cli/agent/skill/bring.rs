//! `elophanto agent skill install`, `update` and `remove`

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
use elophanto_agent::skills::{self, Plan, Source};

/// Bring a skill here from a folder, a git repository or the hub
///
/// Shows all of it first and asks; then copies exactly what was shown and pins it by a hash that is
/// checked whenever it is used. Nothing of it is run.
#[derive(clap::Args, Debug)]
pub struct InstallArgs {
    /// A folder (./NAME), a git repository (https, ssh; `#FOLDER` names one of several), hub:NAME
    #[arg(allow_hyphen_values = true)]
    source: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Bring what was installed up to date from where it came from
///
/// Shows what changes and asks, for each skill.
#[derive(clap::Args, Debug)]
pub struct UpdateArgs {
    /// Only this skill
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Remove a skill that was installed
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// What would be, or was, installed, as `--json` prints it.
#[derive(Serialize)]
struct PlanWire<'a> {
    name: &'a str,
    description: &'a str,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hub: Option<&'a str>,
    tree: &'a str,
    files: Vec<FileWire<'a>>,
    warnings: Vec<WarningWire<'a>>,
    /// Against what is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceWire<'a>>,
    /// Whether just this was there already.
    current: bool,
    installed: bool,
}

#[derive(Serialize)]
struct FileWire<'a> {
    path: &'a str,
    bytes: u64,
    /// It may be run where it comes from; the copy may not.
    executable: bool,
}

#[derive(Serialize)]
struct WarningWire<'a> {
    path: &'a str,
    said: &'a str,
}

#[derive(Serialize)]
struct DifferenceWire<'a> {
    added: &'a [String],
    removed: &'a [String],
    changed: Vec<ChangedWire<'a>>,
}

#[derive(Serialize)]
struct ChangedWire<'a> {
    path: &'a str,
    diff: &'a str,
}

#[derive(Serialize)]
struct RemovedWire<'a> {
    removed: &'a str,
}

pub fn install(args: &InstallArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    // Before anything is read or started.
    let source = Source::parse(&args.source)?;
    let shelf = Shelf::of(&workspace::open(Vec::new(), ui)?)?;
    let plan = skills::plan_install(&source, &shelf.places.installed, &shelf.outside())?;
    agreed(&plan, &shelf, args.yes, ui)
}

pub fn update(args: &UpdateArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if let Some(name) = &args.name {
        skills::check_name(name)?;
    }
    let shelf = Shelf::of(&workspace::open(Vec::new(), ui)?)?;
    let mut installed = skills::installed(&shelf.places.installed)?;
    if let Some(name) = &args.name {
        installed.retain(|other, _| other == name);
        if installed.is_empty() {
            return Err(skills::SkillError::NotInstalled(name.clone()).into());
        }
    }
    if installed.is_empty() {
        ui.talk("no skill is installed");
        return Ok(Outcome::Negative);
    }
    // What the hub has now, not what it had when it was searched.
    if installed.values().any(|locked| locked.hub.is_some()) && shelf.hub.is_some() {
        shelf.fetched_hub()?;
    }
    let (mut outcome, mut failed) = (Outcome::Negative, 0);
    for name in installed.keys() {
        let updated = skills::plan_update(name, &shelf.places.installed, &shelf.outside())
            .map_err(CliError::from)
            .and_then(|plan| agreed(&plan, &shelf, args.yes, ui));
        match updated {
            Ok(Outcome::Done) => outcome = Outcome::Done,
            Ok(Outcome::Negative) => {}
            // One that cannot be updated must not keep the others from it.
            Err(error) if args.name.is_none() && !error.broken_pipe => {
                ui.warn(format_args!("`{name}`: {}", error.message()));
                failed += 1;
            }
            Err(error) => return Err(error),
        }
    }
    match failed {
        0 => Ok(outcome),
        failed => Err(CliError::new(format_args!("{failed} skills could not be updated"))
            .hint("`elophanto agent skill update NAME` says more about one")),
    }
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let shelf = Shelf::of(&workspace::open(Vec::new(), ui)?)?;
    skills::remove(&args.name, &shelf.places.installed)?;
    ui.emit(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))?;
    Ok(Outcome::Done)
}

/// Shows a plan, asks, and installs what was shown.
fn agreed(plan: &Plan, shelf: &Shelf, yes: bool, ui: &mut Ui) -> Result<Outcome, CliError> {
    if !ui.json {
        ui.line(visible(plan.shown().trim_end()))?;
        // Seen before it is agreed to.
        ui.flush()?;
    }
    let is_current = plan.is_current();
    let question = format!("Install `{}`?", plan.name);
    let is_agreed = !is_current && (yes || ui.confirm(&question)?);
    if is_agreed {
        skills::install(plan, &plan.tree, &shelf.places.installed)?;
    }
    if ui.json {
        ui.json(&wire(plan, is_agreed))?;
    } else if is_agreed {
        ui.talk(format_args!("installed: {}", visible_line(&plan.name)));
    }
    if is_agreed {
        return Ok(Outcome::Done);
    }
    if !is_current {
        ui.talk("nothing was installed; --yes installs it without asking");
    }
    Ok(Outcome::Negative)
}

fn wire(plan: &Plan, installed: bool) -> PlanWire<'_> {
    let files = plan.files.iter().map(|file| FileWire {
        path: &file.path,
        bytes: file.size,
        executable: file.executable,
    });
    let warnings = plan
        .warnings
        .iter()
        .map(|warning| WarningWire { path: &warning.path, said: &warning.said });
    let difference = plan.difference.as_ref().map(|difference| DifferenceWire {
        added: &difference.added,
        removed: &difference.removed,
        changed: difference
            .changed
            .iter()
            .map(|changed| ChangedWire { path: &changed.path, diff: &changed.diff })
            .collect(),
    });
    PlanWire {
        name: &plan.name,
        description: &plan.description,
        source: plan.source.to_string(),
        commit: plan.commit.as_deref(),
        hub: plan.hub.as_deref(),
        tree: &plan.tree,
        files: files.collect(),
        warnings: warnings.collect(),
        difference,
        current: plan.is_current(),
        installed,
    }
}
