//! What is indexed, by which model, how large it is, and what is wrong with it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error, Result,
    config::REPOSITORY_FILE,
    entities::{Undone, undone},
    hidden,
    index::git::uncommitted,
    init,
    memory::Memories,
    on_commit::journal::{Grown, folders, grown},
    runs::unfinished,
    settings,
    shell::quoted,
    when::day,
    workspace::Workspace,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::one_line::one_line;
use elophanto_base::visible::escape_control_line;
use elophanto_index::{
    Options, Snapshot, commit, drift,
    links::{self, Files},
    note, refresh,
    search::SearchError,
    store::{
        manifest::{FileEntry, Place},
        tables::{self, TableError},
    },
};
use elophanto_knowledge::memory::{Entry, FOLDER, parse_file, repo_below};
use elophanto_repo::{
    CommitId, Git, NotePath, ObjectId, Repository, Version, read_note, tracked_under,
};
use elophanto_text::markdown;

/// How long git may take to tell which notes have drifted.
const DRIFT_PATIENCE: Duration = Duration::from_secs(60);
/// A drift is over when the note has a commit of its own after those of its sources.
const MEND_DRIFT: &str =
    "compare the note with what it covers, correct it or set `updated:`, and commit it";
/// Lessons in one file, from which on it is better archived.
const MOST_RECORDS: usize = 10_000;
/// What is committed of a file of records never changes.
const MEND_RECORDS: &str = "git checkout -- FILE brings back what was committed, the rest of it \
     counts as it is; a file of lessons without an id is read as .elophanto/memory/NAME.jsonl";
/// Largest file of lessons that git is asked for, in bytes.
const MOST_RECORDS_BYTES: u64 = 64 * 1024 * 1024;
/// Findings of one sort that people are told one by one.
const MOST_OF_A_SORT: usize = 10;
/// For each look at what changed: as it is, if another process is indexing.
const LOOK: Options =
    Options { full: false, patience: Some(Duration::from_millis(50)), progress: &|_, _| {} };

/// How a knowledge base is.
#[derive(Debug)]
pub struct Diagnosis {
    /// What there is, in figures.
    pub facts: Facts,
    /// Notes that have drifted.
    pub drifted: Vec<NotePath>,
    /// What is wrong, each with what mends it.
    pub findings: Vec<Finding>,
}

/// What there is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// The root of the knowledge base.
    pub root: String,
    /// Whether it is a git repository.
    pub git: bool,
    /// The fingerprint of the model that makes vectors.
    pub model: String,
    /// Notes that can be searched.
    pub notes: usize,
    /// Passages that they are cut into.
    pub chunks: usize,
    /// Parts that the view of the notes is made of.
    pub segments: usize,
    /// Size of these.
    pub view_bytes: u64,
    /// Committed tables.
    pub tables: usize,
    /// Size of their files.
    pub tables_bytes: u64,
    /// Vectors that wait for a commit.
    pub uncommitted_vectors: usize,
    /// Links of notes that lead nowhere.
    pub broken_links: usize,
    /// Notes of which something that they cover changed after them.
    pub drifted: usize,
    /// Files that could not be read as notes.
    pub skipped: usize,
    /// Pages that `init` made and nobody has written yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfilled: Vec<Unfilled>,
}

/// A page with the sections that still say what its template says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unfilled {
    /// Relative to the root.
    pub path: String,
    /// Their headings, in the order of the page.
    pub sections: Vec<String>,
}

/// Something wrong, and what mends it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// What is wrong, on one line.
    pub finding: String,
    /// What to do about it, as a command where there is one.
    pub mend: String,
    /// Of a sort of which there may be very many.
    #[serde(skip)]
    sort: Option<Sort>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Front,
    Link,
    Journal,
    Lessons,
    TakenOut,
    Undone,
}

impl Sort {
    /// That there are more of it than were told.
    fn more(self, more: usize) -> String {
        match self {
            Self::Front => format!("{more} more lines of front matter are not understood"),
            Self::Link => {
                let leads = agreeing(more, "leads", "lead");
                format!("{} {leads} nowhere", counted(more, "more link"))
            }
            Self::Journal => format!("{more} more faults of the journal"),
            Self::Lessons => format!("{more} more files of lessons with faults"),
            Self::TakenOut => format!("{more} more files of lessons were taken out"),
            Self::Undone => format!("{more} more pages whose facts went with undone commits"),
        }
    }
}

/// What people are told: the first findings of each sort, and how many more there are.
pub fn told_some(findings: &[Finding]) -> Vec<Finding> {
    let mut told = Vec::new();
    for run in findings.chunk_by(|one, next| one.sort.is_some() && one.sort == next.sort) {
        let (first, more) = run.split_at(run.len().min(MOST_OF_A_SORT));
        told.extend_from_slice(first);
        if let Some(sort) = more.first().and_then(|finding| finding.sort) {
            let finding = sort.more(more.len());
            told.push(Finding { finding, mend: "elophanto doctor --json".to_owned(), sort: None });
        }
    }
    told
}

/// In the order in which they were found.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, finding: String, mend: &str) {
        self.0.push(Finding { finding, mend: mend.to_owned(), sort: None });
    }

    fn add_of(&mut self, sort: Sort, finding: String, mend: &str) {
        self.0.push(Finding { finding, mend: mend.to_owned(), sort: Some(sort) });
    }
}

/// Of settings that cannot be used: until they are mended, nothing else can be said.
impl From<Error> for Finding {
    fn from(cause: Error) -> Self {
        let mend = cause.hint_text().unwrap_or("correct the settings").to_owned();
        Self { finding: cause.message().to_owned(), mend, sort: None }
    }
}

/// Looks at everything.
///
/// # Errors
/// When a root does not exist, or the view or the folder of tables cannot be read.
pub fn examine(workspace: &Workspace) -> Result<Diagnosis> {
    let repository = &workspace.repository;
    let refreshed = workspace.refresh(LOOK)?;
    let (report, snapshot) = (&refreshed.report, &refreshed.snapshot);
    // Pages, descriptions and lessons have vectors as well.
    let indexed = workspace.refresh_indexed(LOOK)?;
    let mut found = Findings::default();
    let folder = repository.tables_dir();
    let names = tables::list(&folder)?;
    let layers = settings::layers(repository, &workspace.environment, Vec::new());
    if layers.is_ok_and(|layers| layers.in_conflict) {
        found.add(
            format!(
                "`{REPOSITORY_FILE}` is in conflict; until it is settled, what our side says counts"
            ),
            "settle it, then git add it",
        );
    }
    for notice in &indexed.report.notices {
        found.add(notice.clone(), "elophanto index");
    }
    let (uncommitted, bad) = uncommitted(workspace, &indexed.snapshot)?;
    for table in &bad {
        let path = format!("{}/{}", commit::TABLES, table.name);
        let mend = match table.cause {
            TableError::Digest | TableError::Io(_) => {
                "git checkout -- :/.elophanto/index".to_owned()
            }
            TableError::Fatal => "elophanto index --full".to_owned(),
            _ => format!("git rm -r {}", from_top(&path)),
        };
        found.add(format!("{path}: {}", table.cause), &mend);
    }
    for hidden in hidden::findings(workspace) {
        found.add(hidden, "take the rule out, or git add --force the file");
    }
    find_records(workspace, &mut found);
    for (unfinished, mend) in unfinished(repository)? {
        found.add(unfinished, &mend);
    }
    for (path, records) in crowded(workspace) {
        found.add(
            format!("{path} holds {records} lessons, more than {MOST_RECORDS}"),
            "elophanto agent memory archive --before '6 months ago'",
        );
    }
    if uncommitted > 0 {
        found.add(
            format!(
                "{} {} in no table that git could carry",
                counted(uncommitted, "vector"),
                agreeing(uncommitted, "is", "are")
            ),
            "elophanto index && git add :/.elophanto/index",
        );
    }
    let waiting = indexed.report.waiting;
    if waiting > 0 {
        let model = workspace.models.active().fingerprint();
        let (chunks, have) = (counted(waiting, "chunk"), agreeing(waiting, "has", "have"));
        found.add(
            format!(
                "{chunks} {have} no vector of `{model}`, and {} found by keyword alone",
                agreeing(waiting, "is", "are")
            ),
            "elophanto index",
        );
    }
    let stale = indexed.report.stale;
    if stale > 0 {
        let (notes, are) = (counted(stale, "note"), agreeing(stale, "is", "are"));
        found.add(format!("{notes} {are} not searched yet"), "elophanto index");
    }
    for problem in &report.problems {
        found.add(
            format!("{}: skipped: {}", shown(&problem.path), problem.reason),
            "mend the file, or list it in .elophantoignore",
        );
    }
    let limit = workspace.config.knowledge.max_file_bytes;
    for (path, warning) in note::misread(&repository.root, snapshot, limit) {
        let line = warning.line.unwrap_or(1);
        found.add_of(
            Sort::Front,
            format!("{}:{line}: {}", shown(&path), escape_control_line(&warning.message)),
            "correct it: the note is searched, without what this says of it",
        );
    }
    let pages = workspace.refresh_pages(LOOK)?;
    let exists = |path: &str| repository.root.join(path).exists();
    let broken = links::broken(&pages.snapshot, &exists, &Files::below(&repository.root))
        .map_err(SearchError::from)?;
    for link in &broken {
        found.add_of(
            Sort::Link,
            format!("{}:{}: link to `{}` leads nowhere", shown(&link.path), link.line, link.target),
            "correct the link, or write the note",
        );
    }
    let drifts = drifts(workspace, snapshot)?;
    for drift in &drifts.found {
        found.add(format!("{}: {}", shown(&drift.path), told(drift)), MEND_DRIFT);
    }
    for (path, cause) in &drifts.untold {
        found.add(
            format!("{}: whether it has drifted cannot be told: {cause}", shown(path)),
            "git fsck",
        );
    }
    let segments = snapshot.parts.iter().map(|part| &part.loaded);
    let facts = Facts {
        root: repository.root.display().to_string(),
        git: repository.git_dir.is_some(),
        model: workspace.models.active().fingerprint().to_string(),
        notes: report.files,
        chunks: report.chunks,
        segments: snapshot.parts.len(),
        view_bytes: segments.map(|it| (it.segment.size() + it.matrix.size()) as u64).sum(),
        tables: names.len(),
        tables_bytes: names.iter().map(|name| tables::size(&folder, name)).sum(),
        uncommitted_vectors: uncommitted,
        broken_links: broken.len(),
        drifted: drifts.found.len(),
        skipped: report.problems.len(),
        unfilled: unfilled(workspace),
    };
    let drifted = drifts.found.into_iter().map(|drift| drift.path).collect();
    Ok(Diagnosis { facts, drifted, findings: found.0 })
}

/// What of the journal, of lessons and of git's index cannot be read, and what nobody sees of them.
fn find_records(workspace: &Workspace, found: &mut Findings) {
    for problem in workspace.record_store().journal.read(&[]).problems() {
        found.add_of(Sort::Journal, escape_control_line(&problem), MEND_RECORDS);
    }
    let memories = Memories::open(workspace);
    if let Some(left) = memories.left_out() {
        found.add(left.told(), &left.mend());
    }
    let (records, damage) = memories.read();
    for problem in damage {
        found.add_of(Sort::Lessons, escape_control_line(&problem), MEND_RECORDS);
    }
    for vain in records.folded.in_vain.values() {
        found.add(records.told(vain), &records.mend(vain));
    }
    let known = |id: &str| {
        let folded = &records.folded;
        folded.memories.iter().any(|it| it.id == id)
            || folded.retired.contains_key(id)
            || folded.replaced.contains_key(id)
    };
    let mut named = FxHashSet::default();
    for (path, commit, lessons) in taken_out(&workspace.repository, known) {
        named.extend(lessons);
        found.add_of(
            Sort::TakenOut,
            format!("{}: commit {} took these lessons out", shown(&path), commit.short()),
            &format!("git checkout {}^ -- {}", commit.short(), from_top(&shown(&path))),
        );
    }
    let mut lost = memories.lost(&records);
    lost.retain(|entry| !named.contains(entry.id()));
    if !lost.is_empty() {
        found.add(
            told_lost(&lost),
            "elophanto agent memory restore, or give it up: restore --forget",
        );
    }
    for Undone { path, commit, facts } in undone(workspace) {
        let is_there = workspace.repository.root.join(path.as_path()).exists();
        let (path, commit) = (shown(&path), commit.short());
        let word = from_top(&path);
        let (count, are) = (counted(facts.len(), "fact"), agreeing(facts.len(), "is", "are"));
        let first = facts.first().map(|fact| escape_control_line(&one_line(&fact.text, 60)));
        found.add_of(
            Sort::Undone,
            format!(
                "{path}: {count} of commit {commit}, which was undone, {are} nowhere any more, such as \"{}\"",
                first.unwrap_or_default()
            ),
            &match is_there {
                true => format!("git checkout --patch {commit} -- {word}"),
                false => format!("git checkout {commit} -- {word}"),
            },
        );
    }
    for Grown { path, records, .. } in unstaged(&workspace.repository) {
        let path = shown(&path);
        let (lines, were) = (counted(records, "record"), agreeing(records, "was", "were"));
        found.add_of(
            Sort::Lessons,
            format!("{path}: {lines} {were} added after git took the file along"),
            &format!(
                "git add {}, and commit it; with hooks the next commit does that",
                from_top(&path)
            ),
        );
    }
    if let Err(cause) = tracked_under(&workspace.repository, ".elophanto") {
        let cause = cause.to_string();
        let cause = cause.lines().next().unwrap_or_default();
        found.add(
            format!("git's index cannot be read: {}", escape_control_line(cause)),
            "rm \"$(git rev-parse --git-path index)\" && git reset, which leaves all files as they are",
        );
    }
}

/// That lessons are nowhere any more, with the words of the first.
fn told_lost(lost: &[Entry]) -> String {
    let said = lost.iter().find_map(|entry| match entry {
        Entry::Memory(memory) => {
            let text =
                if memory.lesson.trim().is_empty() { &memory.context } else { &memory.lesson };
            Some(format!(", such as \"{}\"", escape_control_line(&one_line(text, 60))))
        }
        Entry::Retired(_) => None,
    });
    let (records, is) = (counted(lost.len(), "record"), agreeing(lost.len(), "is", "are"));
    format!(
        "{records} of what was remembered on this machine {is} nowhere any more, in no commit, index or work \
         tree{}",
        said.unwrap_or_default()
    )
}

/// Files of records with lines that git does not hold; none if it cannot say.
fn unstaged(repository: &Repository) -> Vec<Grown> {
    let Some(git) = Git::of(repository) else { return Vec::new() };
    let staged = git.list(&Version::Staged, &folders()).unwrap_or_default();
    grown(repository, &git, &staged)
}

/// Files of lessons that a commit deleted, as the revert of one does that they went with, and of which a
/// lesson is known nowhere now, with the ids of those that they held; none if git cannot tell within its time.
fn taken_out(
    repository: &Repository,
    is_known: impl Fn(&str) -> bool,
) -> Vec<(NotePath, CommitId, Vec<String>)> {
    let Some(git) = Git::of(repository) else { return Vec::new() };
    let pattern = format!(":(top){FOLDER}");
    let arguments = [
        "log", "--diff-filter=D", "--no-renames", "--name-only", "--format=commit %H", "HEAD",
        "--", &pattern,
    ];
    let told = String::from_utf8(git.run(&arguments).unwrap_or_default()).unwrap_or_default();
    let (mut gone, mut commit, mut seen) = (Vec::new(), None, FxHashSet::default());
    for line in told.lines().filter(|line| !line.is_empty()) {
        if let Some(id) = line.strip_prefix("commit ") {
            commit = id.parse::<CommitId>().ok();
            continue;
        }
        let path = Path::new(line);
        let Some(commit) = commit.filter(|_| seen.insert(line)) else { continue };
        if repository.root.join(path).symlink_metadata().is_ok() {
            continue;
        }
        let lessons = lessons_before(&git, &commit, path);
        if lessons.iter().any(|id| !is_known(id)) {
            gone.push((NotePath::from(path), commit, lessons));
        }
    }
    gone
}

/// The ids of the lessons that a file held before a commit.
fn lessons_before(git: &Git, commit: &CommitId, path: &Path) -> Vec<String> {
    let object = format!("{commit}^:{}", path.display());
    let told = git.run(&["rev-parse", "--verify", "--quiet", object.as_str()]).unwrap_or_default();
    let content = ObjectId::from_hex(told.trim_ascii())
        .and_then(|id| git.objects().read(&[&id], MOST_RECORDS_BYTES).pop()?.ok());
    let below = path.strip_prefix(FOLDER).unwrap_or(path);
    let entries = parse_file(&content.unwrap_or_default(), &repo_below(below)).entries;
    let id = |(_, entry)| match entry {
        Entry::Memory(memory) => Some(memory.id),
        _ => None,
    };
    entries.into_iter().filter_map(id).collect()
}

fn shown(path: &NotePath) -> String {
    escape_control_line(&path.to_text())
}

/// A path as a command of git takes it in any folder of the work tree.
fn from_top(path: &str) -> String {
    quoted(&format!(":/{path}"))
}

/// Files of lessons that have grown too large, with their records.
fn crowded(workspace: &Workspace) -> Vec<(String, usize)> {
    let Ok(known) = refresh(&workspace.context(), workspace.lessons(), LOOK) else {
        return Vec::new();
    };
    let count = |file: &FileEntry| {
        let Place::Document { segment, document } = file.place else { return None };
        let part = known.snapshot.parts.get(segment as usize)?;
        let document = part.loaded.segment.document(document as usize).ok()?;
        Some((file.path.to_text(), document.chunks.len()))
    };
    let counted = known.snapshot.files.iter().filter_map(count);
    counted.filter(|(_, records)| *records > MOST_RECORDS).collect()
}

fn drifts(workspace: &Workspace, snapshot: &Snapshot) -> Result<drift::Drifts> {
    let Some(git) = Git::of(&workspace.repository) else { return Ok(drift::Drifts::default()) };
    let paths = snapshot.files.iter().map(|file| &file.path);
    Ok(drift::drifted(&git, snapshot, paths, DRIFT_PATIENCE).map_err(SearchError::from)?)
}

/// A drift with the commits that made it.
fn told(drift: &drift::Drift) -> String {
    if drift.total == 1 {
        return drift_line(drift);
    }
    let mut text = drifted(drift);
    for commit in &drift.commits {
        let subject = escape_control_line(&commit.subject);
        text.push_str(&format!("\n    {} {} {subject}", commit.id.short(), day(commit.time)));
    }
    if drift.total > drift.commits.len() {
        text.push_str(&format!("\n    and {} before", drift.total - drift.commits.len()));
    }
    text
}

/// That a note has drifted, on one line.
pub fn drift_line(drift: &drift::Drift) -> String {
    let latest = drift.commits.first().map_or_else(String::new, |commit| {
        format!(", latest {} {}", commit.id.short(), escape_control_line(&commit.subject))
    });
    drifted(drift) + &latest
}

fn drifted(drift: &drift::Drift) -> String {
    let (commits, since) = (counted(drift.total, "commit"), day(drift.since));
    format!("drifted: {commits} to what it covers since {since}")
}

/// The pages of every knowledge base with what of them still waits to be written: until then it is
/// not searched.
fn unfilled(workspace: &Workspace) -> Vec<Unfilled> {
    let knowledge = &workspace.config.knowledge;
    let of_page = |path: PathBuf| {
        let path = NotePath::from(path.as_path());
        let (bytes, _) =
            read_note(&workspace.repository.root, &path, knowledge.max_file_bytes).ok()?;
        let text = markdown::decode(&bytes).ok()?.text;
        let document = markdown::parse(&text).ok()?;
        let sections: Vec<String> = init::unfilled(&text, &document)
            .into_iter()
            .filter(|section| section.is_to_fill)
            .map(|section| section.heading)
            .collect();
        (!sections.is_empty()).then(|| Unfilled { path: path.to_text(), sections })
    };
    init::pages(&knowledge.write_root).filter_map(of_page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_the_first_of_each_sort() {
        let mut found = Findings::default();
        found.add("one".to_owned(), "mend");
        for (sort, count) in [(Sort::Journal, 10), (Sort::Link, 12), (Sort::TakenOut, 11)] {
            (0..count).for_each(|number| found.add_of(sort, format!("{sort:?} {number}"), "mend"));
        }
        let told = told_some(&found.0);
        let told: Vec<&str> = told.iter().map(|finding| finding.finding.as_str()).collect();
        assert_eq!(told.len(), 1 + 10 + 11 + 11);
        assert_eq!((told[0], told[1], told[10]), ("one", "Journal 0", "Journal 9"));
        assert_eq!((told[20], told[21]), ("Link 9", "2 more links lead nowhere"));
        assert_eq!(told[32], "1 more files of lessons were taken out");
    }
}
