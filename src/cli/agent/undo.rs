//! `elophanto agent undo`

use serde::Serialize;
use ulid::Ulid;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, exact_line, visible_line},
        workspace,
    },
    errors::{why_left, why_uncovered},
};
use elophanto_agent::{
    checkpoint::{CheckpointError, Checkpoints, How, Kept, Progress, Undo, is_undone},
    permissions,
};
use elophanto_repo::Git;

/// Paths of an interrupted run that are told one by one.
const MOST_TOLD: usize = 200;

/// Take back what a run of the agent changed, byte for byte
///
/// Without RUN, the last one. A file that somebody changed since is left, and nothing is taken back
/// unless --partly says so. An undo is a run too, whose id it tells: undoing it does the work again.
/// The summary and the lesson of a run stay.
#[derive(clap::Args, Debug)]
pub struct UndoArgs {
    /// Id of the run, or its beginning
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Take back what nobody changed since, and leave the rest
    #[arg(long)]
    partly: bool,
    /// Also what changed after a run was interrupted, whoever changed it
    #[arg(long)]
    interrupted: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

impl UndoArgs {
    /// Of a run, or of the last one; all or nothing, for people.
    pub fn of(run: Option<&str>) -> Self {
        let run = run.map(str::to_owned);
        Self { run, partly: false, interrupted: false, json: false }
    }
}

/// What was taken back, as `--json` prints it.
#[derive(Serialize)]
struct UndoneWire {
    run: String,
    /// The undo, as a run.
    undo: Option<String>,
    restored: Vec<String>,
    removed: Vec<String>,
    left: Vec<LeftWire>,
    /// Folders that the run made and that stay, as others put something there.
    used: Vec<String>,
    /// What the run may have changed and no undo takes back.
    uncovered: Vec<LeftWire>,
    commits: usize,
}

#[derive(Serialize)]
struct LeftWire {
    path: String,
    reason: &'static str,
}

pub fn run(args: &UndoArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let Some(git) = Git::of(&workspace.repository) else {
        return Err(CliError::new("there is no git repository here, so there are no checkpoints"));
    };
    let folder = workspace.repository.runs_dir();
    let checkpoints = Checkpoints::new(&git, &folder, permissions::is_key);
    let runs = checkpoints.runs()?;
    let Some(kept) = chosen(&runs, args.run.as_deref())? else {
        match runs.iter().find(|run| run.progress == Progress::AtWork) {
            Some(run) => {
                ui.talk(format_args!("run {} is at work: wait until it has ended", run.run));
            }
            None => ui.talk(
                "there is no run of the agent here whose changes could be taken back; an undo is \
                 taken back by its id",
            ),
        }
        return Ok(Outcome::Negative);
    };
    let undo = Ulid::new().to_string();
    let how = if args.partly { How::OnlyUnchanged } else { How::All };
    let wanted = Undo { run: &kept.run, as_run: &undo, how, accepts_interrupted: args.interrupted };
    let undone = match checkpoints.undo(&wanted) {
        Err(CheckpointError::Conflicts { left }) => {
            for left in &left {
                ui.warn(format_args!(
                    "`{}` {}",
                    exact_line(&left.path.to_string_lossy()),
                    why_left(left.why)
                ));
            }
            return Err(CliError::new(format_args!(
                "{} of the things that run {} changed are not as it left them: nothing was taken back",
                left.len(),
                kept.run
            ))
            .hint("`--partly` takes back the others and leaves these as they are"));
        }
        Err(cause @ CheckpointError::Interrupted { .. }) => {
            return Err(CliError::from(cause).hint(
                "look at `git status`; `--interrupted` takes back all that changed since the run \
                 began",
            ));
        }
        undone => undone?,
    };
    let texts = |paths: &[std::path::PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    };
    let left = undone.left.iter().map(|left| LeftWire {
        path: left.path.to_string_lossy().into_owned(),
        reason: why_left(left.why),
    });
    let uncovered = undone.uncovered.iter().map(|it| LeftWire {
        path: it.path.to_string_lossy().into_owned(),
        reason: why_uncovered(it.why),
    });
    let wire = UndoneWire {
        run: kept.run.clone(),
        undo: undone.run.clone(),
        restored: texts(&undone.restored),
        removed: texts(&undone.removed),
        left: left.collect(),
        used: texts(&undone.used),
        uncovered: uncovered.collect(),
        commits: undone.commits_undone,
    };
    for LeftWire { path, reason } in &wire.left {
        ui.warn(format_args!("`{}` {reason}", exact_line(path)));
    }
    for path in &wire.used {
        ui.talk(format_args!("`{}` stays: there is more in it by now", exact_line(path)));
    }
    for LeftWire { path, reason } in &wire.uncovered {
        ui.warn(format_args!("`{}` is as the run left it: {reason}", exact_line(path)));
    }
    if undone.is_interrupted {
        // Others may have had a part in it.
        let paths = wire.restored.iter().map(|path| ("restored", path));
        let paths = paths.chain(wire.removed.iter().map(|path| ("removed", path)));
        for (what, path) in paths.take(MOST_TOLD) {
            ui.talk(format_args!("{what}: {}", exact_line(path)));
        }
    }
    let commits = match undone.commits_undone {
        1 => ", one commit taken back".to_owned(),
        0 => String::new(),
        count => format!(", {count} commits taken back"),
    };
    let text = match &wire.undo {
        None if wire.left.is_empty() => {
            format!("there is nothing to take back: all is as it was before run {}", wire.run)
        }
        _ => format!(
            "{} restored, {} removed{commits}: run {} is undone{}",
            wire.restored.len(),
            wire.removed.len(),
            wire.run,
            if wire.left.is_empty() { "" } else { ", but for what is named above" }
        ),
    };
    ui.emit(&wire, text)?;
    if let Some(undo) = &wire.undo {
        ui.talk(format_args!(
            "`elophanto agent undo {undo}` does it again; what was learnt stays, as notes in \
             `learned` and as lessons"
        ));
    }
    Ok(Outcome::Done)
}

/// The run that is meant: the last one that is not an undo, if none is named.
fn chosen<'k>(runs: &'k [Kept], named: Option<&str>) -> Result<Option<&'k Kept>, CliError> {
    let Some(named) = named else {
        let is_work = |run: &&Kept| {
            let is_over = run.undoes.is_none() && run.progress != Progress::AtWork;
            is_over && !is_undone(runs, &run.run)
        };
        return Ok(runs.iter().filter(is_work).max_by(|a, b| a.run.cmp(&b.run)));
    };
    let wanted = named.to_uppercase();
    let found: Vec<&Kept> =
        runs.iter().filter(|run| run.run.to_uppercase().starts_with(&wanted)).collect();
    match found[..] {
        [only] => Ok(Some(only)),
        [] => Err(CliError::new(format_args!(
            "no run `{}` changed anything here",
            visible_line(named)
        ))
        .hint("`elophanto agent runs` lists them")),
        _ => Err(CliError::new(format_args!(
            "{} runs begin with `{}`",
            found.len(),
            visible_line(named)
        ))
        .hint("give more of the id")),
    }
}
