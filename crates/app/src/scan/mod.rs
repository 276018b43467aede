//! What the knowledge base does not know yet: the files of the repository are compared with what is
//! known, what is missing is asked about, and the questions are answered.

mod investigate;
pub mod library;

use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Result, init,
    reporter::Reporter,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::Options;
use elophanto_knowledge::scan::{
    self, LeftOut, Question, QuestionState, Report, Scan,
    investigate::{Found, Outcome},
};
use elophanto_repo::{Git, NotePath};
use elophanto_text::{changelog, entity};
pub(crate) use investigate::investigate;

/// Questions that a run asks at once when it is to answer everything.
const ROUND: usize = 2_000;

/// What to compare, and whether to answer. The settings of the workspace say how many questions are
/// raised, and what may be spent on a language model.
#[derive(Debug, Clone, Default)]
pub struct ScanRequest {
    /// Asks only about these files and folders; about all if empty.
    pub only: Vec<NotePath>,
    /// Answers questions: those of these ids, else the most valuable ones.
    pub investigate: Option<Vec<String>>,
    /// Asks and answers until nothing is left.
    pub all: bool,
    /// Agrees to what is sent to a model elsewhere.
    pub yes: bool,
}

/// A run in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Scanned {
    /// Files that could be described.
    pub files: usize,
    /// Of these, described as they are.
    pub indexed: usize,
    /// Files whose content was read.
    pub read: usize,
    /// Questions that were raised.
    pub asked: usize,
    /// Questions that time has answered.
    pub closed: usize,
    /// Questions that were answered.
    pub answered: usize,
    /// Questions that could not be answered.
    pub failed: usize,
    /// Calls of a language model.
    pub calls: usize,
    /// Questions that wait for an answer.
    pub open: usize,
    /// Gaps beyond the limit: the next scans ask about them.
    pub left: usize,
    /// To the millisecond.
    pub seconds: f64,
    /// What could not be looked at, or read.
    pub problems: Vec<String>,
    /// Endings of files that no setting names, where there are more of them than of any that is described.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Those that were asked.
    #[serde(skip)]
    pub questions: Vec<Question>,
}

/// Compares, asks, and answers if that is wanted; `told` gets each answer.
///
/// # Errors
/// When a root does not exist, something cannot be written down, or no question has a wanted id.
pub fn scan(
    workspace: &Workspace,
    wanted: &ScanRequest,
    told: &mut dyn FnMut(&Found) -> Result<()>,
    reporter: &dyn Reporter,
) -> Result<Scanned> {
    let start = Instant::now();
    let mut sum = Scanned::default();
    let usual = workspace.config.scan.max_questions;
    // Who wants everything answered is not to wait for one walk per ten questions.
    let limit = if wanted.all && wanted.investigate.is_some() { usual.max(ROUND) } else { usual };
    loop {
        let report = look(workspace, &wanted.only, limit)?;
        sum.questions.extend(report.asked);
        sum.closed += report.closed;
        sum.read += report.read;
        (sum.files, sum.indexed, sum.open) = (report.files, report.indexed, report.open);
        (sum.left, sum.problems) = (report.left, report.problems);
        sum.left_out = report.left_out;
        let Some(ids) = &wanted.investigate else { break };
        let Outcome { found, calls, stopped } =
            investigate(workspace, ids, wanted, told, reporter)?;
        let is_failed = |found: &&Found| found.question.state == QuestionState::Failed;
        let failed = found.iter().filter(is_failed).count();
        sum.failed += failed;
        sum.answered += found.len() - failed;
        sum.calls += calls;
        if !wanted.all || sum.left == 0 || found.is_empty() || stopped.is_some() {
            break;
        }
    }
    sum.asked = sum.questions.len();
    sum.open = sum.open.saturating_sub(sum.answered + sum.failed);
    sum.indexed = (sum.indexed + sum.answered).min(sum.files);
    sum.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    Ok(sum)
}

/// Brings the notes up to date and compares.
fn look(workspace: &Workspace, only: &[NotePath], limit: usize) -> Result<Report> {
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let notes = workspace.refresh_pages(options)?.snapshot;
    let write_root = &workspace.config.knowledge.write_root;
    // Entries of the changelog, pages of entities, and those that every knowledge base begins with.
    let entities = entity::folder(write_root);
    let unlinked: Vec<NotePath> = init::pages(write_root)
        .chain([changelog::folder(write_root), entities.clone()])
        .map(|path| NotePath::from(path.as_path()))
        .collect();
    Ok(scan::scan(&Scan {
        record_store: &workspace.record_store(),
        wanted: workspace.wanted(),
        max_file_bytes: workspace.config.knowledge.max_file_bytes,
        notes: &notes,
        entities: &entities,
        git: Git::of(&workspace.repository).as_ref(),
        near_duplicate: workspace.models.thresholds().near_duplicate,
        unlinked: &unlinked,
        only,
        limit,
        now: now_nanoseconds(),
    })?)
}
