//! Publishing: what HEAD holds, as one object that is created and never changed.

use jiff::Timestamp;

use super::{
    models::{of_new_place, taken, without_vectors},
    name_of, open,
    rows::{foldable, lessons, rows},
};
use crate::{
    Error, Result, config::Agreements, keys::Asking, on_commit::allowed, reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::{
    counted::{agreeing, counted},
    secrets,
};
use elophanto_index::{
    IndexError, Kind, Options, Problem, apart::Row, store::Malformed, version::forget,
};
use elophanto_repo::{CommitId, Git, GitError, Version, head};
use elophanto_tables::{
    fleet::{Declared, Fleet, FleetError, Head, MOST_BYTES, Model, Publication},
    store::{Created, StoreError},
};

/// What an agreement to publish is noted under, in the place of a model.
const AGREED: &str = "publish";
/// Findings that are named.
const MOST_NAMED: usize = 5;

/// What to publish, and where.
#[derive(Debug, Clone, Default)]
pub struct PublishRequest {
    /// Of the fleet: `s3://BUCKET/FOLDER`, `gs://`, `az://` or `file:///FOLDER`.
    pub address: String,
    /// The name of the repository there; by default, where it was cloned from.
    pub name: Option<String>,
    /// Raised when the history was rewritten; by default as what is published says.
    pub epoch: Option<u64>,
    /// Says what would be published, and publishes nothing.
    pub dry_run: bool,
    /// Publishes nothing where a chunk has no vector.
    pub strict: bool,
    /// Publishes the lessons of agents too.
    pub memory: bool,
    /// Publishes that nothing of the repository is to be found any more.
    pub retire: bool,
    /// Agrees to what is sent.
    pub yes: bool,
}

/// What was published, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its name in the fleet.
    pub repository: String,
    /// The full id of what was published.
    pub commit: String,
    /// The name of the object.
    pub object: String,
    /// The fingerprint of the vectors.
    pub model: String,
    /// Passages in it.
    pub chunks: usize,
    /// Lessons among them.
    pub lessons: usize,
    /// Chunks that can be found by their words alone.
    pub without_vector: usize,
    /// Whether the place takes vectors of this repository's model.
    pub is_of_model: bool,
    /// Size of the object.
    pub bytes: usize,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is there now.
    Created,
    /// It was there.
    Before,
    /// What is there comes after it, and stays.
    Older,
    /// Nothing was to be published.
    Tried,
    /// Chunks lack vectors, which was not to be.
    Incomplete,
}

/// Publishes what HEAD holds.
///
/// # Errors
/// When that is not what lies here, holds secrets, is not to be sent there, or cannot be written.
pub fn publish(
    workspace: &Workspace,
    request: &PublishRequest,
    reporter: &dyn Reporter,
) -> Result<Published> {
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    let commit = committed(&git)?;
    let repository = name_of(&workspace.repository, request.name.as_deref())?;
    let fleet = open(&request.address, &workspace.environment, Asking::Through(reporter), false)?;
    if !workspace.models.is_named() {
        let reasons = workspace.models.reasons().join("; ");
        return Err(Error::new(format_args!(
            "the vectors of this repository cannot be had: {reasons}"
        ))
        .hint("publish from a machine that has its model, or name another one in the settings"));
    }
    let embedder = workspace.models.active();
    let own = Model { name: embedder.fingerprint().to_string(), dimension: embedder.dimension() };
    let mut chunks = match request.retire {
        true => Vec::new(),
        false => chunks(workspace, &git, commit, &repository, reporter)?,
    };
    if request.memory && !request.retire {
        chunks.extend(remembered(workspace, &git, commit, &repository, reporter)?);
    }
    let mut chunks = foldable(chunks, reporter);
    refuse_secrets(&git, workspace, &chunks)?;
    if !request.dry_run {
        agreed(workspace, request, &fleet, chunks.len(), reporter)?;
    }
    // The place, where it takes vectors of other models alone.
    let others = taken(&fleet)?.filter(|declared| !declared.models.contains(&own));
    let first = others.as_ref().and_then(|others| others.models.first());
    if first.is_some() {
        chunks.iter_mut().for_each(|(row, _)| row.vector = None);
    }
    let model = first.unwrap_or(&own).clone();
    let without_vector = chunks.iter().filter(|(row, _)| row.vector.is_none()).count();
    let before = published_before(&fleet, &repository, &commit, reporter)?;
    let epoch = epoch(request, &before, &git, (&commit, chunks.len()), reporter)?;
    let before = before.into_iter().next();
    let head = Head {
        epoch: epoch.or(before.as_ref().map(|before| before.epoch)).unwrap_or_default(),
        count: count(&git)?,
        commit: commit.to_string(),
        time: git.commit_time(&commit)?,
        published: Timestamp::now().as_second(),
        retired: request.retire,
        chunks: chunks.len() as u64,
        repository,
    };
    if let Some(others) = others.as_ref().filter(|_| !request.retire) {
        reporter.note(without_vectors(fleet.address(), others, &own, &head));
    }
    let Model { name, dimension } = model.clone();
    let publication = Publication { head, model: name, dimension, rows: chunks };
    let bytes = publication.encode().map_err(Error::bug)?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = format!("a publication may have {} MiB", MOST_BYTES >> 20);
        return Err(
            Error::new(most).hint("publish parts of the repository under names of their own")
        );
    }
    let Publication { head, rows, .. } = publication;
    let mut published = Published {
        object: head.object(),
        repository: head.repository.clone(),
        commit: head.commit.clone(),
        model: model.name.clone(),
        chunks: rows.len(),
        lessons: rows.iter().filter(|(row, _)| row.kind == Kind::Memory).count(),
        without_vector,
        is_of_model: model == own,
        bytes: bytes.len(),
        outcome: Outcome::Tried,
    };
    published.outcome = if request.strict && without_vector > 0 {
        Outcome::Incomplete
    } else if epoch.is_none() {
        Outcome::Older
    } else if request.dry_run {
        Outcome::Tried
    } else if before.is_some_and(|before| before.order(&head).is_eq()) {
        Outcome::Before
    } else {
        begin(&fleet, &model)?;
        match fleet.deposit(&head, bytes)? {
            Created::Now => Outcome::Created,
            Created::Before => {
                if request.memory {
                    reporter.note(
                        "it waits as it was published first: if that was without lessons, publish \
                         again when it is folded",
                    );
                }
                Outcome::Before
            }
        }
    };
    Ok(published)
}

/// The commit whose content lies here unchanged.
fn committed(git: &Git) -> Result<CommitId> {
    let commit = head(git)?.ok_or_else(|| {
        Error::new("nothing is committed yet")
            .hint("publishing takes what HEAD holds: commit first")
    })?;
    let changed = git.run(&["status", "--porcelain", "-z", "--untracked-files=no"])?;
    if !changed.is_empty() {
        return Err(Error::new("what lies here is not what HEAD holds").hint(
            "commit or put aside what is changed: others are to find what can be looked up",
        ));
    }
    if git.run(&["rev-parse", "--is-shallow-repository"])?.trim_ascii() == b"true" {
        return Err(Error::new(
            "this clone is shallow: which of two states is the newer cannot be told",
        )
        .hint("clone all of the history (`fetch-depth: 0` in CI, or `git fetch --unshallow`)"));
    }
    Ok(commit)
}

/// Commits from the first one along first parents.
fn count(git: &Git) -> Result<u64> {
    let said = git.run(&["rev-list", "--count", "--first-parent", "HEAD"])?;
    let said = String::from_utf8_lossy(&said);
    said.trim().parse().map_err(|_| Error::new("git does not say how many commits there are"))
}

fn chunks(
    workspace: &Workspace,
    git: &Git,
    commit: CommitId,
    repository: &str,
    reporter: &dyn Reporter,
) -> Result<Vec<(Row, String)>> {
    let progress = reporter.progress("notes");
    let update = |done, all| progress.update(done, all);
    of_sound_view(workspace, reporter, || {
        // When each note changed is found out with it.
        workspace.refresh_all(Options { full: false, patience: None, progress: &update })?;
        let held = workspace.version(git, &Version::Commit(commit), &update)?;
        Ok((rows(&held.snapshot, repository, &workspace.analyzer), held.report.problems))
    })
}

/// The lessons that HEAD holds.
fn remembered(
    workspace: &Workspace,
    git: &Git,
    commit: CommitId,
    repository: &str,
    reporter: &dyn Reporter,
) -> Result<Vec<(Row, String)>> {
    if !workspace.lessons().in_git {
        reporter.note("lessons lie where git does not carry them: none of them is published");
        return Ok(Vec::new());
    }
    let progress = reporter.progress("lessons");
    let update = |done, all| progress.update(done, all);
    of_sound_view(workspace, reporter, || {
        let held = workspace.lessons_of(git, &Version::Commit(commit), &update)?;
        Ok((lessons(&held.snapshot, repository, &workspace.analyzer), held.report.problems))
    })
}

/// What is read of a commit, and told of what is left out: once more without what is kept here of commits if
/// something in that is damaged.
fn of_sound_view<T>(
    workspace: &Workspace,
    reporter: &dyn Reporter,
    read: impl Fn() -> Result<(Result<T, Malformed>, Vec<Problem>)>,
) -> Result<T> {
    let (mut found, mut problems) = read()?;
    if found.is_err() {
        reporter.note("what is kept here of commits is damaged; it is built anew");
        forget(&workspace.context());
        (found, problems) = read()?;
    }
    say_left_out(&problems, reporter);
    found.map_err(|Malformed| IndexError::Damaged.into())
}

fn say_left_out(problems: &[Problem], reporter: &dyn Reporter) {
    for problem in problems {
        reporter.warn(format_args!("`{}` is left out: {}", problem.path.to_text(), problem.reason));
    }
}

/// What a bucket holds, many may read.
fn refuse_secrets(git: &Git, workspace: &Workspace, chunks: &[(Row, String)]) -> Result<()> {
    let allowed = allowed(git, &workspace.environment)?;
    let mut found: Vec<String> = Vec::new();
    for (row, _) in chunks {
        let said =
            [&row.text, &row.title, &row.path].into_iter().chain(&row.headings).chain(&row.tags);
        let findings: Vec<_> = said.flat_map(|text| secrets::scan(text)).collect();
        let forbidden = findings.iter().filter(|finding| !allowed.allows(finding));
        found.extend(forbidden.map(|_| format!("{}:{}", row.path, row.lines.0)));
    }
    found.dedup();
    if found.is_empty() {
        return Ok(());
    }
    let places = found.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let (count, hold) = (counted(found.len(), "chunk"), agreeing(found.len(), "holds", "hold"));
    Err(Error::new(format_args!("{count} {hold} what looks like a secret: {places}")).hint(
        "take it out of the notes and of the history; what is no secret is allowed by its hash in \
         `.elophanto/allow-secrets`, as for a commit",
    ))
}

/// Begins the fleet with what is about to be published, where there is none.
fn begin(fleet: &Fleet, model: &Model) -> Result<()> {
    match fleet.declare(of_new_place(model.clone())) {
        Ok(Declared { models, .. }) if models.iter().any(|known| known.name == model.name) => {
            Ok(())
        }
        Ok(_) => Err(Error::new(format_args!(
            "`{}` was begun with another model in this moment",
            fleet.address()
        ))
        .hint("publish once more: texts go there then")),
        Err(FleetError::Store(StoreError::Denied { .. })) => Ok(()),
        Err(cause) => Err(cause.into()),
    }
}

/// The newest states of a repository there, of what is folded and of what waits, either of which may be that
/// it is retired, the newer first; none where who publishes may not look.
fn published_before(
    fleet: &Fleet,
    repository: &str,
    commit: &CommitId,
    reporter: &dyn Reporter,
) -> Result<Vec<Head>> {
    let read = || {
        let all = fleet.view(None)?.all_heads();
        let folded = all.into_iter().filter(|head| head.repository == repository);
        let mut all: Vec<Head> = folded.collect();
        all.extend(fleet.waiting(repository, &commit.to_string())?);
        all.sort_by(|a, b| b.order(a));
        Ok(all)
    };
    match read() {
        Ok(all) => Ok(all),
        Err(FleetError::Nothing { .. }) => Ok(Vec::new()),
        // A job's key may do no more than create.
        Err(FleetError::Store(StoreError::Denied { .. })) => {
            reporter.note(
                "this key may not read what is published: after a rewritten history, or where the \
                 repository was retired, publish with `--epoch`, one higher than the last",
            );
            Ok(Vec::new())
        }
        Err(cause) => Err(cause.into()),
    }
}

/// The epoch: that of what is published, or the next one if that is known here and no part of our history,
/// or holds another number of chunks of this very commit; `None` where what is published comes after. What is not known here may as well be newer than
/// a clone that waited for its turn: the number of commits decides, and nothing goes back by itself.
fn epoch(
    request: &PublishRequest,
    before: &[Head],
    git: &Git,
    (commit, chunks): (&CommitId, usize),
    reporter: &dyn Reporter,
) -> Result<Option<u64>> {
    let Some((before, others)) = before.split_first().filter(|_| request.epoch.is_none()) else {
        return Ok(Some(request.epoch.unwrap_or_default()));
    };
    let repository = &before.repository;
    let older = CommitId::from_hex(before.commit.as_bytes());
    let is_ours = |head: &Head| {
        let commit_there = CommitId::from_hex(head.commit.as_bytes());
        let here = commit_there.filter(|it| git.has_commit(it));
        here.is_some_and(|it| it == *commit || git.is_part_of(&it, commit).unwrap_or(false))
    };
    let Some(older) = older.filter(|older| git.has_commit(older)) else {
        // A history that was written anew waits there, and this is what it was before.
        if let Some(old) = others.iter().find(|old| old.epoch < before.epoch && is_ours(old)) {
            reporter.note(format_args!(
                "the history of `{repository}` was rewritten: fetch it; what is published now is the older"
            ));
            return Ok(Some(old.epoch));
        }
        reporter.note(format_args!(
            "commit {:.10}, which is published of `{repository}`, is not in this clone: the state with \
             more commits is the newer; if the history was rewritten, publish with `--epoch {}`",
            before.commit,
            before.epoch.saturating_add(1)
        ));
        return Ok(Some(before.epoch));
    };
    if older == *commit {
        // What was retired at this very commit is published again as something newer, and so is what
        // was published without its lessons.
        let is_again = before.retired || before.chunks != chunks as u64;
        if before.chunks > chunks as u64 && !request.retire && !request.memory {
            reporter.note(
                "there is more of this commit than is published now: lessons stay with `--memory` alone",
            );
        }
        return Ok(Some(before.epoch.saturating_add(u64::from(is_again && !request.retire))));
    }
    if git.is_part_of(&older, commit)? {
        return Ok(Some(before.epoch));
    }
    if git.is_part_of(commit, &older)? {
        reporter.note(format_args!(
            "commit {older:.10} of `{repository}` is published, which comes after this one: it stays; if it \
             was taken back on purpose, publish with `--epoch {}`",
            before.epoch.saturating_add(1)
        ));
        return Ok(None);
    }
    reporter.note(format_args!(
        "what is published of `{repository}` is no part of this history: it is taken for rewritten"
    ));
    Ok(Some(before.epoch.saturating_add(1)))
}

/// Has the user agree to what is sent, once for each repository and place.
fn agreed(
    workspace: &Workspace,
    request: &PublishRequest,
    fleet: &Fleet,
    chunks: usize,
    reporter: &dyn Reporter,
) -> Result<()> {
    let address = fleet.address();
    if address.is_folder() {
        return Ok(());
    }
    let root = &workspace.repository.root;
    let agreements = Agreements::open_for(root, workspace.environment.variables())?;
    if agreements.agreed(root, address.as_str(), AGREED) {
        return Ok(());
    }
    let chunks = counted(chunks, "chunk");
    let question = format!("send {chunks} of text of this repository to {address}?");
    if !request.yes && !reporter.confirm(&question)? {
        return Err(Error::new(format_args!("nothing was sent to {address}"))
            .hint("agree with `--yes`, once for this repository and place"));
    }
    agreements.agree(root, address.as_str(), AGREED, &Timestamp::now().to_string())?;
    Ok(())
}
