//! Bringing the index of a knowledge base up to date, and the vectors that git carries of it.

pub mod embed;
pub mod git;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::Serialize;
use walkdir::{DirEntry, WalkDir};

use crate::{
    Error, Result,
    embedding::{background::embed_soon, pin},
    plugin_pages,
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::{
    counted::{agreeing, counted},
    platform::may_write,
    visible::escape_control_line,
};
use elophanto_index::{
    IndexError, Options, Refreshed,
    commit::{Committed, update_pending},
    watch::Watch,
};
use elophanto_repo::{Git, TEMPORARY, remove_beneath};

/// How long a refresh beside others waits for another writer of the view.
const PATIENCE: Duration = Duration::from_millis(50);
/// A half-written file this old belongs to nobody who is still at work.
const LEFT_FOR: Duration = Duration::from_hours(1);

/// How a run is to be made.
#[derive(Debug, Clone, Copy, Default)]
pub struct IndexRequest {
    /// Reads and cuts every note again; vectors stay, as they belong to their text.
    pub full: bool,
    /// Agrees to what is sent to a model elsewhere, whatever it costs.
    pub yes: bool,
}

/// What a run came to.
pub struct Indexed {
    /// What can be searched now, and how it came about.
    pub refreshed: Refreshed,
    /// What became of the vectors that git is to carry.
    pub committed: Committed,
    /// From the beginning, the user's thinking about questions included.
    pub took: Duration,
}

/// A run in figures.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Notes, facts and descriptions that can be searched.
    pub files: usize,
    /// Passages that these are cut into.
    pub chunks: usize,
    /// Passages that the model was asked for.
    pub embedded: usize,
    /// Passages whose vector was there.
    pub reused: usize,
    /// Notes that are gone.
    pub removed: usize,
    /// Files that could not be read as notes.
    pub skipped: usize,
    /// Chunks without a vector.
    pub waiting: usize,
    /// Vectors that wait for a commit.
    pub pending: usize,
    /// To the millisecond.
    pub seconds: f64,
}

impl Indexed {
    /// In figures, as `--json` prints them.
    pub fn summary(&self) -> Summary {
        let report = &self.refreshed.report;
        Summary {
            files: report.files,
            chunks: report.chunks,
            embedded: report.embedded,
            reused: report.chunks.saturating_sub(report.embedded + report.waiting),
            removed: report.removed,
            skipped: report.problems.len(),
            waiting: report.waiting,
            pending: self.committed.pending,
            seconds: (self.took.as_secs_f64() * 1000.0).round() / 1000.0,
        }
    }
}

/// The first run: decides which model it is if that is open, and writes that down.
///
/// # Errors
/// When a root does not exist, the view or a table cannot be written, or a setting is unusable.
pub fn first(
    workspace: Workspace,
    wanted: IndexRequest,
    reporter: &dyn Reporter,
) -> Result<(Workspace, Indexed)> {
    let start = Instant::now();
    mirror(&workspace, reporter);
    let refreshed = refresh(&workspace, wanted.full, reporter)?;
    let pins = pin::decide(&workspace, &|| Ok((&refreshed.report).into()), wanted.yes, reporter)?;
    let model = workspace.models.active().fingerprint().clone();
    let workspace = pin::write_down(workspace, pins, reporter)?;
    let refreshed = if *workspace.models.active().fingerprint() == model {
        refreshed
    } else {
        refresh(&workspace, false, reporter)?
    };
    let indexed = finish(&workspace, wanted, refreshed, start, reporter)?;
    Ok((workspace, indexed))
}

/// Another run.
///
/// # Errors
/// Those of [`first`].
pub fn again(
    workspace: &Workspace,
    wanted: IndexRequest,
    reporter: &dyn Reporter,
) -> Result<Indexed> {
    let start = Instant::now();
    mirror(workspace, reporter);
    let refreshed = refresh(workspace, false, reporter)?;
    finish(workspace, wanted, refreshed, start, reporter)
}

/// Goes on with a run whenever notes change, and at intervals, and tells what came of each that
/// found something new. A run that fails is only warned of: a root that is gone for a moment (a
/// checkout) comes back.
///
/// # Errors
/// When telling fails.
pub fn keep(
    workspace: &Workspace,
    watch: Watch,
    interval: Option<Duration>,
    wanted: IndexRequest,
    reporter: &dyn Reporter,
    told: &mut dyn FnMut(&Indexed) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    watch.run(interval, |_| {
        match aside(workspace, wanted, reporter) {
            Ok(indexed) => {
                let done = &indexed.refreshed.report;
                if done.embedded + done.removed + done.read > 0 {
                    outcome = told(&indexed);
                }
            }
            Err(cause) => reporter.warn(cause.message()),
        }
        outcome.is_ok()
    });
    outcome
}

/// A run while somebody works on the notes: nothing is sent anywhere, and `git status` stays as it
/// is.
fn aside(workspace: &Workspace, wanted: IndexRequest, reporter: &dyn Reporter) -> Result<Indexed> {
    let start = Instant::now();
    let again =
        || workspace.refresh_indexed(Options { full: false, patience: None, progress: &|_, _| {} });
    let refreshed = match workspace.models.remote() {
        Some(_) => again()?,
        // What waits for a slow model goes to the vector cache, where the next table finds it.
        None => embed::complete(workspace, again()?, wanted.yes, &again, reporter)?,
    };
    Ok(Indexed { refreshed, committed: Committed::default(), took: start.elapsed() })
}

/// Brings what can be searched up to date while others work on the notes: nothing is sent anywhere,
/// nothing written into the work tree, and what waits for a slow model is left to a process of its own.
/// Does nothing where the git directory may not be written to.
///
/// # Errors
/// When a root does not exist, or the view cannot be written.
pub fn keep_up(workspace: &Workspace) -> Result<()> {
    if !may_write(workspace.repository.home()) {
        return Ok(());
    }
    let options = Options { full: false, patience: Some(PATIENCE), progress: &|_, _| {} };
    let again = || workspace.refresh_indexed(options);
    let refreshed = again()?;
    if workspace.models.remote().is_none() {
        embed_soon(workspace, &workspace.context(), refreshed, &again)?;
    }
    Ok(())
}

/// READMEs of deployed plugins are notes too: pages that are behind are written before they are
/// read.
fn mirror(workspace: &Workspace, reporter: &dyn Reporter) {
    for page in plugin_pages::mirror(workspace, reporter) {
        reporter.note(format_args!("`{}` says what the plugin's README says now", page.display()));
    }
}

fn refresh(workspace: &Workspace, full: bool, reporter: &dyn Reporter) -> Result<Refreshed> {
    let progress = reporter.progress("notes");
    let update = |done, all| progress.update(done, all);
    workspace.refresh_indexed(Options { full, patience: None, progress: &update })
}

/// Embeds what waits, and writes the pending table.
fn finish(
    workspace: &Workspace,
    wanted: IndexRequest,
    refreshed: Refreshed,
    start: Instant,
    reporter: &dyn Reporter,
) -> Result<Indexed> {
    for reason in workspace.models.reasons() {
        reporter.note(reason);
    }
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let again = || workspace.refresh_indexed(options);
    let mut refreshed = embed::complete(workspace, refreshed, wanted.yes, &again, reporter)?;
    if let Some(cause) = &refreshed.report.unwritten {
        let cause = escape_control_line(cause);
        return Err(Error::new(format_args!("the search view cannot be written: {cause}")).hint(
            "make room for it in the git directory, and see that you may write there, then run this again; \
             until then every search reads all notes anew",
        ));
    }
    let commit = |refreshed: &Refreshed| match workspace.commits_vectors() {
        true => update_pending(&workspace.context(), &refreshed.snapshot),
        false => Ok(Committed::default()),
    };
    let committed = match commit(&refreshed) {
        Err(cause @ IndexError::Damaged) => {
            let anew = workspace.refresh_indexed(Options { full: true, ..options })?;
            reporter.note(format_args!("{cause}; it was built anew"));
            let before = refreshed.report;
            refreshed = embed::complete(workspace, anew, wanted.yes, &again, reporter)?;
            refreshed.report.follow(before);
            commit(&refreshed)?
        }
        done => done?,
    };
    warn_of_untracked(&committed, reporter);
    if committed.locked {
        reporter.note(
            "git is writing its index (`index.lock` in the git directory): vectors that are in no table go \
             into one with the next commit, or the next `elophanto index`",
        );
    }
    sweep(workspace);
    Ok(Indexed { refreshed, committed, took: start.elapsed() })
}

/// Removes half-written files of ours that a kill left long ago where git would find them.
fn sweep(workspace: &Workspace) {
    let Some(git) = Git::of(&workspace.repository) else { return };
    let root = &workspace.repository.root;
    let folders = [Path::new(".elophanto"), &workspace.config.knowledge.write_root];
    let is_left = |entry: &DirEntry| {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
        let age = || Some(entry.metadata().ok()?.modified().ok()?.elapsed().ok()? > LEFT_FOR);
        is_ours && !entry.file_type().is_dir() && age().unwrap_or(false)
    };
    let left = folders.into_iter().flat_map(|folder| WalkDir::new(root.join(folder)));
    let left: Vec<PathBuf> = left.flatten().filter(is_left).map(DirEntry::into_path).collect();
    // Hardly ever: git is asked of nothing.
    for path in left.iter().filter_map(|path| path.strip_prefix(root).ok()) {
        let literally = format!(":(top,literal){}", path.display());
        let is_untracked = |told: Vec<u8>| !told.is_empty();
        if git.run(&["ls-files", "--others", "--", &literally]).is_ok_and(is_untracked) {
            // What cannot be removed is in nobody's way but git's.
            let _ = remove_beneath(root, path);
        }
    }
}

/// Says what of the table is of notes that git does not have.
fn warn_of_untracked(committed: &Committed, reporter: &dyn Reporter) {
    if committed.withheld > 0 {
        let (passages, look) =
            (counted(committed.withheld, "passage"), agreeing(committed.withheld, "looks", "look"));
        reporter.note(format_args!(
            "{passages} that git does not track {look} like a secret: no vectors of {} go into git",
            agreeing(committed.withheld, "it", "them")
        ));
    }
    let [first, rest @ ..] = &committed.untracked[..] else { return };
    if committed.written {
        let (first, more) = (escape_control_line(&first.to_text()), rest.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        reporter.note(format_args!(
            "git does not track `{first}`{more}, but would carry vectors of it: name in .gitignore \
             what is private, for a vector tells who guesses the text that the guess is right"
        ));
    }
}
