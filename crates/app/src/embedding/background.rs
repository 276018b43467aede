//! What waits for a model that runs here, where nobody asked for `index`: as much of it as a moment
//! allows at once, the rest in a process of its own in the background.
//!
//! That process is one per work tree: it holds a kernel lock, inherited from whoever started it, so
//! that no two are started. It keeps nobody's terminal or pipes, is as nice as can be, gives way to
//! a running `index`, and ends by itself: when nothing waits, when the repository is gone, or when
//! it has been at it for too long.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use crate::{Result, workspace::Workspace};
use elophanto_base::process;
use elophanto_index::{
    Context, Options, Refreshed,
    fill::{self, Allowance},
    store::{lock, view},
};
use elophanto_models::Pace;
use elophanto_repo::Repository;

/// How long a search or `learn` embeds before it does its own work.
const MOMENT: Duration = Duration::from_millis(300);
/// Where more waits, a moment is no help, and cutting all of it again takes longer than that.
const MOST_LOOKED_AT: usize = 1_000;
/// A reader, and the process in the background, wait this long for another writer of the view.
const PATIENCE: Duration = Duration::from_millis(50);
/// The process in the background ends after this time at the latest.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// So often it looks whether more has come to wait.
const ROUNDS: usize = 8;

/// Who makes what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Nobody until somebody runs `index`.
    Nobody,
    /// A process that was started just now.
    Started,
    /// One that was at work already.
    AtWork,
}

/// Embeds what waits for the model as far as a moment goes, looks at everything again by `again`,
/// and leaves the rest to the background.
///
/// # Errors
/// Those of `again`.
pub(crate) fn embed_soon(
    workspace: &Workspace,
    context: &Context,
    refreshed: Refreshed,
    again: &dyn Fn() -> Result<Refreshed>,
) -> Result<Refreshed> {
    if refreshed.report.waiting == 0 || context.embedder.pace() != Pace::Slow {
        return Ok(refreshed);
    }
    let any = refreshed.report.waiting <= MOST_LOOKED_AT && embed_some(context, &refreshed);
    let refreshed = if any { again()? } else { refreshed };
    if refreshed.report.waiting > 0 {
        workspace.background();
    }
    Ok(refreshed)
}

/// Says whether anything was embedded.
fn embed_some(context: &Context, refreshed: &Refreshed) -> bool {
    let start = Instant::now();
    let clock = || start.elapsed();
    // Of a damaged view nothing is embedded; whoever searches it finds out and mends it.
    let Ok(mut passages) = fill::waiting(context, &refreshed.snapshot) else { return false };
    fill::smallest_first(&mut passages, |_| false);
    let allowance = Allowance { least: 0, budget: MOMENT, ceiling: MOMENT, clock: &clock };
    fill::fill_within(context, &passages, &allowance).embedded > 0
}

/// Starts the process in the background, unless there is one or none is wanted: the settings may
/// forbid it, in CI nobody would wait for it, and where nothing can be written it is of no use.
pub fn start(workspace: &Workspace) -> Background {
    let wanted = workspace.config.index.background
        && !workspace.environment.is_ci()
        && workspace.models.is_named();
    let repository = &workspace.repository;
    if !wanted || view::is_filling(&workspace.context().view_dir()) {
        return Background::Nobody;
    }
    let lock = match lock::try_for(&lock_file(repository), Duration::ZERO) {
        Ok(Some(lock)) => lock,
        Ok(None) => return Background::AtWork,
        Err(_) => return Background::Nobody,
    };
    let Some(program) = workspace.environment.program() else { return Background::Nobody };
    let argv = [program.to_string_lossy().into_owned(), "index".to_owned(), "--fill".to_owned()];
    // The lock is its standard input: held as long as it lives.
    let started = process::detach(&argv, &repository.root, Stdio::from(lock.into_file()), None);
    match started {
        Ok(started) => {
            started.leave();
            Background::Started
        }
        Err(_) => Background::Nobody,
    }
}

/// What the process in the background does.
///
/// # Errors
/// When the notes or the view cannot be read.
pub fn run(workspace: &Workspace) -> Result<()> {
    let start = Instant::now();
    let context = workspace.context();
    let view = context.view_dir();
    let there = workspace.repository.home();
    let goes_on = || there.is_dir() && start.elapsed() < LONGEST && !view::is_filling(&view);
    if context.embedder.pace() != Pace::Slow {
        return Ok(());
    }
    for _ in 0..ROUNDS {
        if !goes_on() {
            break;
        }
        let options = Options { full: false, patience: Some(PATIENCE), progress: &|_, _| {} };
        let refreshed = workspace.refresh_indexed(options)?;
        if refreshed.report.waiting == 0 {
            break;
        }
        let Ok(mut passages) = fill::waiting(&context, &refreshed.snapshot) else { break };
        fill::smallest_first(&mut passages, |_| false);
        if fill::fill(&context, &passages, &|_, _| goes_on()).embedded == 0 {
            break;
        }
    }
    Ok(())
}

fn lock_file(repository: &Repository) -> PathBuf {
    repository.view_dir().parent().unwrap_or(Path::new(".")).join("background.lock")
}
