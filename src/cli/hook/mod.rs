//! `elophanto hook`

mod run;

use std::path::{Path, PathBuf};

use super::{
    CliError, DoneLines, Json, NoArgs, Outcome, Result, Ui, env, escape_control_line,
    workspace::refuse_links_out,
};
use crate::wire::upkeep::{HookChangeWire, HookWire};
use elophanto_app::{
    hook_run::{begin, end},
    hooks::{
        self, Change, Folder, Foreign, HookError, HookName, Installation, Place, Standing, State,
    },
};
use elophanto_repo::{Git, Repository, locate};

/// Let git keep the index up to date by itself
///
/// Hooks save time, nothing depends on them: whatever goes wrong in one, git goes on. Only a secret
/// in the staged notes refuses a commit.
#[derive(clap::Args, Debug)]
pub struct HookArgs {
    #[command(subcommand)]
    command: HookCommand,
}

#[derive(clap::Subcommand, Debug)]
enum HookCommand {
    Install(DoneLines<InstallArgs>),
    Run(RunArgs),
    /// Take our hooks out and leave the folder as it was
    Uninstall(DoneLines<NoArgs>),
    /// Say which hooks run us
    ///
    /// Exits with 0 if pre-commit and post-merge do, with 1 otherwise.
    Status(Json<NoArgs>),
}

/// Run us from git's hooks, beside the hooks that are there
///
/// Installs pre-commit and post-merge, in the folder that git runs hooks from. A shell script that
/// is there gets a managed block at its top; any other hook is moved to `NAME.elophanto-saved` and
/// run after ours. Run it again after this program has moved.
#[derive(clap::Args, Debug)]
pub struct InstallArgs {
    /// Also post-commit, post-checkout and post-rewrite, so that the next search has less to do;
    /// without it they are taken out
    #[arg(long)]
    eager: bool,
    /// Name PROGRAM in the hooks, in place of the file that runs now; where that is missing, they
    /// look in `PATH`
    #[arg(long, value_name = "PROGRAM")]
    program: Option<PathBuf>,
}

/// Do what a hook does
///
/// For git, which waits for it: ends with 0 whatever happens, after 10 seconds at the latest; with
/// 1 only to refuse a commit whose staged notes hold what looks like a secret.
#[derive(clap::Args, Debug)]
pub struct RunArgs {
    /// Name of the hook, such as pre-commit
    name: String,
    /// What git hands to the hook
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Print findings as JSON Lines
    #[arg(long)]
    json: bool,
}

pub fn run(args: &HookArgs, ui: &mut Ui) -> Result<Outcome> {
    let here = || {
        let repository = locate(Path::new("."))?;
        refuse_links_out(&repository)?;
        if let Some(git) = Git::of(&repository) {
            git.check_own()?;
        }
        Ok::<_, CliError>(repository)
    };
    match &args.command {
        HookCommand::Install(args) => install(args, &here()?, ui),
        HookCommand::Uninstall(_) => uninstall(&here()?, ui),
        HookCommand::Run(args) => run::run(&args.name, ui),
        HookCommand::Status(_) => status(&here()?, ui),
    }
}

fn install(args: &InstallArgs, repository: &Repository, ui: &mut Ui) -> Result<Outcome> {
    let program = match &args.program {
        Some(program) => std::path::absolute(program)?,
        None => env::own_program()?,
    };
    let done = hooks::install(repository, &program, args.eager)?;
    emit_changes(repository, &done, ui)?;
    begin(repository, env::environment(), ui)?;
    if done.folder.place == Place::WorkTree {
        ui.note(format_args!(
            "git runs the hooks of `{}` (core.hooksPath), among the files of the work tree; \
             install again if another tool writes that folder anew",
            beneath(repository, &done.folder.path)
        ));
    }
    Ok(Outcome::Done)
}

fn uninstall(repository: &Repository, ui: &mut Ui) -> Result<Outcome> {
    let done = hooks::uninstall(repository)?;
    for done in &done {
        emit_changes(repository, done, ui)?;
    }
    if done.iter().all(|done| done.changes.is_empty()) && !ui.json {
        ui.line("no hook of ours is installed, nothing to do")?;
    }
    end(repository, env::environment(), ui);
    Ok(Outcome::Done)
}

fn status(repository: &Repository, ui: &mut Ui) -> Result<Outcome> {
    let status = hooks::status(repository)?;
    for (name, standing) in &status.hooks {
        let wire = HookWire::of(*name, shown(repository, &status.folder, *name), standing);
        let text = standing_text(*name, standing, wire.program_exists);
        ui.emit(&wire, escape_control_line(&text))?;
    }
    if status.folder.place == Place::Outside {
        ui.note(HookError::Outside { folder: status.folder.path.clone() });
    }
    Ok(if status.is_complete() { Outcome::Done } else { Outcome::Negative })
}

fn standing_text(name: HookName, standing: &Standing, program_exists: bool) -> String {
    let Standing { state, foreign, program } = standing;
    let mut text = format!("{name:<13}  {state}");
    if *state == State::Missing && !name.is_default() {
        text.push_str(" (installed with --eager)");
    }
    text.push_str(match foreign {
        Some(Foreign::Alone) => ", another hook is there",
        Some(Foreign::SameFile) => ", in one file with another hook",
        Some(Foreign::Saved) => ", hands over to the hook that was there",
        None => "",
    });
    match program {
        Some(program) if !program_exists => {
            text.push_str(&format!(", names `{}`, which is missing", program.display()));
        }
        None if *state != State::Missing => text.push_str(", looks in PATH"),
        _ => {}
    }
    text
}

fn emit_changes(repository: &Repository, done: &Installation, ui: &mut Ui) -> Result<()> {
    for (name, change, standing) in &done.changes {
        let hook = name.as_str();
        let beside = match (change, standing.foreign) {
            (Change::Removed, Some(_)) => " (your hook is as it was)".to_owned(),
            (_, Some(Foreign::SameFile)) => " (your hook goes on below our block)".to_owned(),
            (_, Some(Foreign::Saved)) => {
                format!(" (your hook is run after it, as `{hook}.elophanto-saved`)")
            }
            _ => String::new(),
        };
        let path = shown(repository, &done.folder, *name);
        let text = format!("{change}: {}{beside}", escape_control_line(&path));
        ui.emit(&HookChangeWire::of(*name, path, *change, standing), text)?;
    }
    Ok(())
}

fn shown(repository: &Repository, folder: &Folder, name: HookName) -> String {
    beneath(repository, &folder.path.join(name.as_str()))
}

/// Relative to the top of the work tree where it lies below, else whole.
fn beneath(repository: &Repository, path: &Path) -> String {
    path.strip_prefix(&repository.root).unwrap_or(path).display().to_string()
}
