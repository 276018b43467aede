//! All that can be searched: notes, summaries of files, and what is known of entities.
//!
//! Joins the collections of the rooms that own them. It refuses to know how any of them is made.

use std::time::Duration;

use crate::{learn, scan};
use elophanto_index::{
    Context, IndexError, Kind, Options, Progress, Refreshed, derived, form::Form,
    refresh as refresh_notes, version,
};
use elophanto_repo::{CommitId, Git, GitError, Stored, Version, record_store::RecordStore};

/// What lies in views of its own, beside that of the notes.
const APART: [Kind; 3] = [Kind::Summary, Kind::Fact, Kind::Memory];

/// Brings everything up to date with the work tree and the journal.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh(
    context: &Context,
    record_store: &RecordStore,
    options: Options,
) -> Result<Refreshed, IndexError> {
    let (notes, (summaries, facts)) = rayon::join(
        || refresh_notes(context, options),
        || {
            rayon::join(
                || scan::documents::refresh(context, record_store, options),
                || learn::documents::refresh(context, record_store, options),
            )
        },
    );
    let mut all = notes?;
    all.join(summaries);
    all.join(facts);
    Ok(all)
}

/// Brings what people link to up to date: notes, and pages of entities.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh_pages(
    context: &Context,
    record_store: &RecordStore,
    options: Options,
) -> Result<Refreshed, IndexError> {
    let (notes, facts) = rayon::join(
        || refresh_notes(context, options),
        || learn::documents::refresh(context, record_store, options),
    );
    let mut pages = notes?;
    pages.join(facts);
    Ok(pages)
}

/// Brings everything of which git carries vectors up to date: all that can be searched, and what
/// agents remember.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh_indexed(
    context: &Context,
    record_store: &RecordStore,
    options: Options,
) -> Result<Refreshed, IndexError> {
    let mut all = refresh(context, record_store, options)?;
    for form in context.forms.iter().filter(|form| form.folder.is_some()) {
        let other = refresh_notes(&context.of(form), options)?;
        all.report.apart += other.report.chunks;
        all.join(other);
    }
    Ok(all)
}

/// Adds what can be searched beside the notes, as it was left.
pub fn join_last(context: &Context, notes: &mut Refreshed) {
    let kept = [scan::documents::last(context), learn::documents::last(context)];
    kept.into_iter().flatten().for_each(|kept| notes.join(kept));
}

/// Everything that a version holds.
///
/// # Errors
/// When git cannot list the version.
pub fn of_version(
    context: &Context,
    git: &Git,
    version: &Version,
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    // A search of a commit does not look at what agents remember; a commit takes its vectors along.
    let kinds: &[Kind] = if *version == Version::Staged { &APART } else { &Kind::COLLECTIONS };
    of_kinds(context, git, version, kinds, progress)
}

/// Everything of which git carries vectors, as a commit holds it.
///
/// # Errors
/// When git cannot list the commit.
pub fn of_commit(
    context: &Context,
    git: &Git,
    commit: CommitId,
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    of_kinds(context, git, &Version::Commit(commit), &APART, progress)
}

fn of_kinds(
    context: &Context,
    git: &Git,
    version: &Version,
    kinds: &[Kind],
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    let mut all = version::snapshot_of(context, git, version, progress)?;
    let options = Options { full: false, patience: Some(Duration::ZERO), progress };
    for &kind in kinds {
        let files = files_of(context, git, version, kind)?;
        all.join(collection(context, git, version, kind, &files, options)?);
    }
    Ok(all)
}

/// What is staged, without collections that the last commit left as they are and took all vectors
/// of along; and the names of the others, to be [remembered](derived::remember) once theirs are staged.
///
/// # Errors
/// When git cannot list a version.
pub fn of_staged(
    context: &Context,
    git: &Git,
    parents: &[CommitId],
    progress: Progress,
) -> Result<(Refreshed, Vec<(Kind, String)>), IndexError> {
    let mut all = version::snapshot_of(context, git, &Version::Staged, progress)?;
    let options = Options { full: false, patience: Some(Duration::ZERO), progress };
    let mut names = Vec::new();
    for kind in APART {
        let files = files_of(context, git, &Version::Staged, kind)?;
        let name = derived::name_of(&files);
        if let [parent] = parents
            && derived::went_along(context, kind, &name)
            && derived::name_of(&files_of(context, git, &Version::Commit(*parent), kind)?) == name
        {
            continue;
        }
        all.join(collection(context, git, &Version::Staged, kind, &files, options)?);
        names.push((kind, name));
    }
    Ok((all, names))
}

fn files_of(
    context: &Context,
    git: &Git,
    version: &Version,
    kind: Kind,
) -> Result<Vec<Stored>, GitError> {
    match kind {
        Kind::Summary => scan::documents::files_of(git, version),
        Kind::Fact => learn::documents::files_of(context, git, version),
        Kind::Memory => match form(context, kind) {
            Some(form) => version::stored_files(git, version, form),
            None => Ok(Vec::new()),
        },
        Kind::Note => Ok(Vec::new()),
    }
}

fn form<'a>(context: &Context<'a>, kind: Kind) -> Option<&'a Form> {
    context.forms.iter().find(|form| form.kind == kind)
}

fn collection(
    context: &Context,
    git: &Git,
    version: &Version,
    kind: Kind,
    files: &[Stored],
    options: Options,
) -> Result<Refreshed, IndexError> {
    Ok(match kind {
        Kind::Summary => scan::documents::of_version(context, git, version, files, options),
        Kind::Fact => learn::documents::of_version(context, git, files, options),
        Kind::Memory => match form(context, kind) {
            Some(form) if !files.is_empty() => {
                version::snapshot_of(&context.of(form), git, version, options.progress)?
            }
            _ => Refreshed::default(),
        },
        Kind::Note => Refreshed::default(),
    })
}
