//! `elophanto agent skill install`, `update` and `remove`

use crate::cli::{Outcome, Result, Ui, escape_control_line, visible, workspace};
use crate::wire::{PlanWire, upkeep::RemovedWire};
use elophanto_agent::skills::{Plan, Source, check_name, plan_install};
use elophanto_app::{agent::skill_store::SkillStore, skills};

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
}

/// Remove a skill that was installed, or one of your own
///
/// One of your own is nowhere else, so that is asked before.
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub fn install(args: &InstallArgs, ui: &mut Ui) -> Result<Outcome> {
    // Before anything is read or started.
    let source = Source::parse(&args.source)?;
    let store = SkillStore::of(&workspace::open(Vec::new(), ui)?)?;
    let plan = plan_install(&source, &store.places.installed, &store.outside())?;
    Ok(outcome(agreed(&plan, &store, args.yes, ui)?))
}

pub fn update(args: &UpdateArgs, ui: &mut Ui) -> Result<Outcome> {
    if let Some(name) = &args.name {
        check_name(name)?;
    }
    let store = SkillStore::of(&workspace::open(Vec::new(), ui)?)?;
    let talk = ui.beside();
    let mut agreed = |plan: &Plan| agreed(plan, &store, args.yes, ui);
    match skills::update(&store, args.name.as_deref(), &talk, &mut agreed)? {
        Some(any) => Ok(outcome(any)),
        None => Ok(ui.nothing("no skill is installed")),
    }
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome> {
    let store = SkillStore::of(&workspace::open(Vec::new(), ui)?)?;
    if !skills::remove(&store, &args.name, args.yes, ui)? {
        return Ok(ui.nothing("nothing was removed; --yes removes it without asking"));
    }
    ui.done(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))
}

fn outcome(is_installed: bool) -> Outcome {
    if is_installed { Outcome::Done } else { Outcome::Negative }
}

/// Shows a plan, asks, and installs what was shown; whether it did.
fn agreed(plan: &Plan, store: &SkillStore, yes: bool, ui: &mut Ui) -> Result<bool> {
    if !ui.json {
        ui.line(visible(plan.shown().trim_end()))?;
        // Seen before it is agreed to.
        ui.flush()?;
    }
    let current = plan.is_current();
    let installed = skills::install(plan, store, yes, ui)?;
    if ui.json {
        ui.json(&PlanWire { plan, current, installed })?;
    } else if installed {
        ui.talk(format_args!("installed: {}", escape_control_line(&plan.name)));
    }
    if !installed && !current {
        ui.talk("nothing was installed; --yes installs it without asking");
    }
    Ok(installed)
}
