//! One scan: walk, compare, ask.

use std::{
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    ScanError, Wanted,
    activity::{self, Touched},
    gap::{Gap, Weight, gap_of_file, in_order},
    investigate::reopen,
    known::Known,
    notes::{self, Notes},
    reach::Reach,
    record::{GapKind, Question, QuestionState},
    sought::{Found, LeftOut, is_generated, is_outside},
    state::{self, Seen, Settled, State, Verdict},
    uses::{Uses, names},
};
use elophanto_index::{Snapshot, links::Files, plan::plan};
use elophanto_repo::{
    BlobId, FileStat, Git, NotePath, ReadError, Repository, journal::Place, read_note,
    record_store::RecordStore,
};
use elophanto_text::{entity::slug_of, markdown};

/// Notes are looked at again after this long, even if none has changed, in seconds: what they link
/// to may have.
const NOTES_AGAIN: i64 = 24 * 60 * 60;

/// What was settled is looked at again after this long, in seconds: what failed is to be tried
/// again some day.
const SETTLED_FOR: i64 = 60 * 60;

/// What a scan works on.
pub struct Scan<'a> {
    pub record_store: &'a RecordStore<'a>,
    pub wanted: &'a Wanted,
    /// Larger files are not read, in bytes.
    pub max_file_bytes: u64,
    /// The notes: they are known by themselves.
    pub notes: &'a Snapshot,
    /// The folder of the pages of entities: what one says is known, and one that says nothing any
    /// more is no gap.
    pub entities: &'a Path,
    pub git: Option<&'a Git>,
    /// From this cosine on, two chunks say nearly the same.
    pub near_duplicate: f32,
    /// Notes, and folders of notes, that nothing need link to.
    pub unlinked: &'a [NotePath],
    /// Ask only about what lies below these; all if empty.
    pub only: &'a [NotePath],
    /// New questions at most.
    pub limit: usize,
    /// Nanoseconds since 1970.
    pub now: i64,
}

/// What a scan found.
#[derive(Debug, Default)]
pub struct Report {
    /// Files that could be described.
    pub files: usize,
    /// Of these, described as they are.
    pub indexed: usize,
    /// Files whose content was read.
    pub read: usize,
    /// Questions raised now.
    pub asked: Vec<Question>,
    /// Questions that time has answered.
    pub closed: usize,
    /// Questions that wait for an answer, those raised now included.
    pub open: usize,
    /// Gaps beyond the limit: the next scans ask about them.
    pub left: usize,
    /// What could not be looked at, or read.
    pub problems: Vec<String>,
    /// Endings of files that no setting names, where they are most of all.
    pub left_out: Vec<LeftOut>,
}

/// Looks for gaps and asks about the most valuable of them.
///
/// # Errors
/// When the questions cannot be written down, the view of the notes is damaged, or nothing of what is to be
/// asked about is described.
pub fn scan(scan: &Scan) -> Result<Report, ScanError> {
    let Repository { root, .. } = scan.record_store.repository;
    let now = at(scan.now);
    let reach = Reach::new(root, scan.wanted);
    let file = state_file(scan.record_store.repository);
    let ((found, left_out, failed), (before, stamp)) = rayon::join(
        || reach.sought().find(&reach),
        || rayon::join(|| state::load(&file), || scan.record_store.journal.stamp(now)),
    );
    if let Some(path) = scan.only.iter().find(|only| is_in_vain(only, scan, &found)) {
        return Err(ScanError::NotWanted(path.to_text()));
    }
    let (mut after, read) = look(scan, &reach, &found, &before);
    let digest = notes::digest(scan.notes);
    let seconds = scan.now / 1_000_000_000;
    let wanted = digest_of(scan);
    if let Some(settled) = &before.settled
        && after.files == before.files
        && failed.is_empty()
        && settled.stamp == stamp.digest
        && settled.wanted == wanted
        && digest == before.notes
        && (settled.at..settled.at.saturating_add(SETTLED_FOR)).contains(&seconds)
    {
        return Ok(Report {
            files: settled.files as usize,
            indexed: settled.indexed as usize,
            read,
            open: settled.open as usize,
            left_out,
            ..Report::default()
        });
    }
    let mut known = Known::read(&scan.record_store.journal, &reach, now);
    reopen(scan.record_store, &mut known)?;
    let mut report = Report { read, left_out, ..Report::default() };
    report.problems.extend(failed.iter().map(ToString::to_string));
    for (path, damage) in &known.damage {
        report.problems.push(format!("{}:{}: {}", path.display(), damage.line, damage.fault));
    }
    report.problems.extend(known.unreadable.iter().map(ToString::to_string));

    let is_note: FxHashSet<&NotePath> = scan.notes.files.iter().map(|file| &file.path).collect();
    let mut gaps = Vec::new();
    for (found, seen) in found.iter().zip(&after.files) {
        if is_note.contains(&found.path) || slug_of(scan.entities, found.path.as_path()).is_some() {
            continue;
        }
        // There is nothing to say about an empty file.
        if seen.verdict == Verdict::Text && seen.stat.size == 0 {
            continue;
        }
        report.files += usize::from(seen.verdict == Verdict::Text);
        match gap_of_file(found, seen, &known, scan.record_store.share, now) {
            Some(gap) => gaps.push(gap),
            None => report.indexed += usize::from(seen.verdict == Verdict::Text),
        }
    }
    let again = seconds.saturating_sub(before.notes_checked) >= NOTES_AGAIN;
    let notes_looked_at = digest != before.notes || again;
    if notes_looked_at {
        gaps.extend(notes::gaps(&Notes {
            snapshot: scan.notes,
            git: scan.git,
            exists: &|path| root.join(path).exists(),
            files: &Files::below(root),
            near_duplicate: scan.near_duplicate,
            unlinked: scan.unlinked,
        })?);
    } else {
        (after.notes, after.notes_checked) = (before.notes, before.notes_checked);
    }
    let closed = closed(&known, &gaps, notes_looked_at, &is_note, now);
    let inside = |gap: &Gap| {
        scan.only.is_empty()
            || scan.only.iter().any(|only| gap.path.as_path().starts_with(only.as_path()))
    };
    gaps.retain(|gap| inside(gap) && gap.is_news(known.questions.get(&gap.id()), now));
    weigh(scan, &mut gaps, &after, seconds);
    in_order(&mut gaps);
    report.left = gaps.len().saturating_sub(scan.limit);
    let left_notes = gaps.iter().skip(scan.limit).any(|gap| is_of_notes(gap.kind));
    gaps.truncate(scan.limit);
    report.asked = gaps.iter().map(|gap| gap.question(now)).collect();
    // What only a claim on this machine speaks of is no business of other clones.
    let (local, shared): (Vec<&Question>, Vec<&Question>) =
        closed.iter().partition(|question| known.is_local(&question.id));
    scan.record_store.write(Place::Local, &local)?;
    write(scan.record_store, &reach, shared.into_iter().chain(&report.asked))?;
    report.closed = closed.len();
    let waiting = known.questions.values().filter(|question| question.state.is_waiting());
    report.open = waiting.count() - closed.len() + report.asked.len()
        - report
            .asked
            .iter()
            .filter(|asked| known.questions.get(&asked.id).is_some_and(|q| q.state.is_waiting()))
            .count();
    if notes_looked_at && !left_notes && scan.only.is_empty() {
        (after.notes, after.notes_checked) = (digest, seconds);
    }
    let quiet = report.asked.is_empty()
        && report.closed == 0
        && report.left == 0
        && report.problems.is_empty()
        && scan.only.is_empty();
    if quiet && !stamp.racy && after.notes == digest {
        after.settled = Some(Settled {
            stamp: stamp.digest,
            wanted,
            files: report.files as u64,
            indexed: report.indexed as u64,
            open: report.open as u64,
            at: seconds,
        });
    }
    if after != before {
        // Without it, the next scan reads every file again.
        let _ = state::save(&file, &after);
    }
    Ok(report)
}

/// Whether a path that is there holds nothing that is described, and no note.
fn is_in_vain(only: &NotePath, scan: &Scan, found: &[Found]) -> bool {
    let only = only.as_path();
    let is_below = |path: &NotePath| path.as_path().starts_with(only);
    let is_there = scan.record_store.repository.root.join(only).exists();
    is_there
        && !only.as_os_str().is_empty()
        && !found.iter().any(|found| is_below(&found.path))
        && !scan.notes.files.iter().any(|file| is_below(&file.path))
}

/// Where the state lies: private to the work tree.
pub(super) fn state_file(repository: &Repository) -> PathBuf {
    repository.view_dir().with_file_name("scan")
}

impl QuestionState {
    /// Whether an answer is still wanted.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Open | Self::Investigating)
    }
}

/// A digest of the settings that say what is looked for.
fn digest_of(scan: &Scan) -> u64 {
    let Scan { record_store, wanted, max_file_bytes, .. } = scan;
    let text = format!("{} {} {max_file_bytes}", wanted.in_words(), record_store.share);
    twox_hash::XxHash3_64::oneshot(text.as_bytes())
}

/// Nanoseconds since 1970 as a time.
pub(super) fn at(nanoseconds: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap_or_default()
}

/// Writes questions where they belong.
fn write<'q>(
    record_store: &RecordStore,
    reach: &Reach,
    questions: impl Iterator<Item = &'q Question>,
) -> Result<(), ScanError> {
    let (outside, inside): (Vec<&Question>, Vec<&Question>) =
        questions.partition(|question| reach.is_private(&question.evidence.path()));
    record_store.write(record_store.place(false), &inside)?;
    record_store.write(record_store.place(true), &outside)?;
    Ok(())
}

/// Reads what changed; returns what is now seen of every file found, in the same order.
fn look(scan: &Scan, reach: &Reach, found: &[Found], before: &State) -> (State, usize) {
    let stats = found.iter().map(|found| (&found.path, &found.stat));
    let plan = plan(&before.files, stats, false);
    let fresh: Vec<Seen> = plan
        .read
        .par_iter()
        .map(|&index| read(reach, &found[index], scan.max_file_bytes, scan.now))
        .collect();
    let count = fresh.len();
    let mut files: Vec<Seen> = plan.keep.iter().map(|&index| before.files[index].clone()).collect();
    files.extend(fresh);
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    (State { files, ..State::default() }, count)
}

fn read(reach: &Reach, found: &Found, limit: u64, now: i64) -> Seen {
    let mut seen = Seen {
        path: found.path.clone(),
        stat: found.stat,
        recorded: now,
        blob: BlobId::from_bytes([0; 20]),
        verdict: Verdict::Unsupported,
        uses: Vec::new(),
    };
    let (bytes, stat) = match read_file(reach, &found.path, limit) {
        Ok(read) => read,
        Err(ReadError::TooLarge { .. }) => return seen,
        Err(_) => return Seen { verdict: Verdict::Unreadable, ..seen },
    };
    // A file that changed while it was read is known by a stat that no file has.
    seen.stat = stat.unwrap_or(FileStat { ctime: i64::MAX, ..found.stat });
    seen.blob = BlobId::of(&bytes);
    if let Ok(decoded) = markdown::decode(&bytes) {
        let generated = is_generated(found.kind, &decoded.text);
        seen.verdict = if generated { Verdict::Generated } else { Verdict::Text };
        seen.uses = names(found.family, &decoded.text);
    }
    seen
}

/// Reads a file that records may speak of; any other is gone.
pub(super) fn read_file(
    reach: &Reach,
    path: &NotePath,
    limit: u64,
) -> Result<(Vec<u8>, Option<FileStat>), ReadError> {
    if !reach.holds(path) {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    }
    if !is_outside(path) {
        return read_note(reach.root, path, limit);
    }
    let folder = path.as_path().parent().unwrap_or(Path::new("/")).canonicalize()?;
    let name = NotePath::from(Path::new(path.as_path().file_name().unwrap_or_default()));
    read_note(&folder, &name, limit)
}

/// Questions that are no longer any: their gap has closed by itself.
fn closed(
    known: &Known,
    gaps: &[Gap],
    notes_looked_at: bool,
    is_note: &FxHashSet<&NotePath>,
    now: Timestamp,
) -> Vec<Question> {
    let there: FxHashSet<String> = gaps.iter().map(Gap::id).collect();
    let waiting = known.questions.values().filter(|question| question.state == QuestionState::Open);
    waiting
        .filter(|question| {
            !there.contains(&question.id) && (notes_looked_at || !is_of_notes(question.gap))
        })
        .map(|question| {
            let path = question.evidence.path();
            let answer = if is_note.contains(&path) && !is_of_notes(question.gap) {
                "it is a note now, and searched as one"
            } else {
                "the gap is gone"
            };
            question.moved(QuestionState::Answered, Some(answer.to_owned()), now)
        })
        .collect()
}

fn is_of_notes(kind: GapKind) -> bool {
    match kind {
        GapKind::Drifted | GapKind::BrokenLink | GapKind::Orphan | GapKind::Contradiction => true,
        GapKind::Unindexed | GapKind::Stale | GapKind::Unreadable => false,
    }
}

/// Says of each gap what closing it is worth. Git is asked only if there are any.
fn weigh(scan: &Scan, gaps: &mut [Gap], state: &State, now: i64) {
    if gaps.is_empty() {
        return;
    }
    let touched: FxHashMap<NotePath, Touched> = scan.git.map(activity::recent).unwrap_or_default();
    let uses = Uses::count(&state.files);
    for gap in gaps {
        let touched = touched.get(&gap.path).copied().unwrap_or_default();
        let users = uses.of(&gap.path);
        gap.value = Weight { size: gap.size, users, touched, now }.value();
        if gap.last_commit.is_none() {
            gap.last_commit = touched.commit.map(|commit| commit.to_string());
        }
    }
}
