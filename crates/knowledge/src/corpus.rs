//! All that can be searched: notes, summaries of files, what is known of entities, and lessons.
//!
//! Joins the sources of the rooms that own them. It refuses to know how any of them is made.

use rayon::prelude::*;

use crate::learn::documents::Facts;
use elophanto_index::{
    Context, IndexError, Options, Part, Progress, Refreshed, derived, refresh as refresh_source,
    refresh::last_view,
    source::{Notes, Source},
    version,
};
use elophanto_repo::{CommitId, Git, Version};

/// Everything of which git carries vectors, notes first.
pub fn sources<'a>(context: &Context<'a>) -> Vec<&'a dyn Source> {
    let notes: &dyn Source = &Notes;
    std::iter::once(notes).chain(beside(context)).chain(lessons(context)).collect()
}

/// What is searched beside the notes.
fn beside<'a>(context: &Context<'a>) -> impl Iterator<Item = &'a dyn Source> + use<'a> {
    let facts: &dyn Source = &Facts;
    context.summaries.into_iter().chain([facts])
}

/// The lessons of agents, where git carries them.
fn lessons<'a>(context: &Context<'a>) -> Option<&'a dyn Source> {
    context.lessons.filter(|lessons| lessons.is_carried())
}

/// Brings everything that is searched up to date with the work tree and the journal.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh(context: &Context, options: Options) -> Result<Refreshed, IndexError> {
    sound(options, |options| searched(context, options))
}

/// What is brought up to date, once more from nothing if a vector in it is damaged: whoever waits as long as
/// it takes compares vectors, and passes them on, without a look of its own.
///
/// # Errors
/// Those of `bring`.
pub fn sound(
    options: Options,
    bring: impl Fn(Options) -> Result<Refreshed, IndexError>,
) -> Result<Refreshed, IndexError> {
    let brought = bring(options)?;
    let is_damaged = |part: &Part| !part.loaded.matrix.is_intact();
    if options.patience.is_some() || !brought.snapshot.parts.par_iter().any(is_damaged) {
        return Ok(brought);
    }
    let mut anew = bring(Options { full: true, ..options })?;
    anew.report.follow(brought.report);
    anew.report.notices.push("the search view is damaged; it was built anew".to_owned());
    Ok(anew)
}

fn searched(context: &Context, options: Options) -> Result<Refreshed, IndexError> {
    let (notes, (summaries, facts)) = side_by_side(
        options,
        || refresh_source(context, &Notes, options),
        || {
            side_by_side(
                options,
                || context.summaries.map(|summaries| refresh_source(context, summaries, options)),
                || refresh_source(context, &Facts, options),
            )
        },
    );
    let mut all = notes?;
    if let Some(summaries) = summaries {
        all.join(summaries?);
    }
    all.join(facts?);
    Ok(all)
}

/// Two refreshes. Whoever waits for locks as long as it takes is none of the threads that share work: while
/// one of these waits for shares of its own, it takes up work of others, and would wait there for a lock that
/// it holds itself.
fn side_by_side<A: Send, B: Send>(
    options: Options,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if options.patience.is_some() {
        return rayon::join(one, other);
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Brings what people link to up to date: notes, and pages of entities.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh_pages(context: &Context, options: Options) -> Result<Refreshed, IndexError> {
    sound(options, |options| {
        let (notes, facts) = side_by_side(
            options,
            || refresh_source(context, &Notes, options),
            || refresh_source(context, &Facts, options),
        );
        let mut pages = notes?;
        pages.join(facts?);
        Ok(pages)
    })
}

/// Brings everything of which git carries vectors up to date: all that can be searched, and the
/// lessons of agents. Vectors are looked at when they are read.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh_indexed(context: &Context, options: Options) -> Result<Refreshed, IndexError> {
    let mut all = searched(context, options)?;
    if let Some(lessons) = lessons(context) {
        let lessons = refresh_source(context, lessons, options)?;
        all.report.apart += lessons.report.chunks;
        all.join(lessons);
    }
    Ok(all)
}

/// Adds what can be searched beside the notes, as it was left.
pub fn join_last(context: &Context, notes: &mut Refreshed) {
    let kept = beside(context).filter_map(|source| last_view(context, source));
    kept.for_each(|kept| notes.join(kept));
}

/// Everything that a version holds and that is searched.
///
/// # Errors
/// When git cannot list the version.
pub fn of_version(
    context: &Context,
    git: &Git,
    version: &Version,
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    let mut all = version::version(context, &Notes, git, version, progress)?;
    for source in beside(context) {
        all.join(version::version(context, source, git, version, progress)?);
    }
    Ok(all)
}

/// Everything of which git carries vectors, as a version holds it.
///
/// # Errors
/// When git cannot list the version.
pub fn carried(
    context: &Context,
    git: &Git,
    version: &Version,
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    let mut all = of_version(context, git, version, progress)?;
    if let Some(lessons) = lessons(context) {
        all.join(version::version(context, lessons, git, version, progress)?);
    }
    Ok(all)
}

/// What is staged, without collections that the last commit left as they are and took all vectors
/// of along; and what is to be remembered of the others once theirs are staged.
///
/// # Errors
/// When git cannot list a version.
pub fn of_staged<'a>(
    context: &Context<'a>,
    git: &Git,
    parents: &[CommitId],
    progress: Progress,
) -> Result<(Refreshed, Vec<GoneAlong<'a>>), IndexError> {
    let mut all = version::version(context, &Notes, git, &Version::Staged, progress)?;
    let mut along = Vec::new();
    for source in beside(context).chain(lessons(context)) {
        let files = source.stored(context, git, &Version::Staged)?;
        let name = derived::name_of(&files);
        if let [parent] = parents
            && derived::went_along(context, source, &name)
            && derived::name_of(&source.stored(context, git, &Version::Commit(*parent))?) == name
        {
            continue;
        }
        all.join(version::of_files(context, source, git, &Version::Staged, files, progress)?);
        along.push(GoneAlong { source, name });
    }
    Ok((all, along))
}

/// What a commit takes all vectors of along.
pub struct GoneAlong<'a> {
    source: &'a dyn Source,
    name: String,
}

impl GoneAlong<'_> {
    /// Remembers it, so that the next commit need not look at it if it stays as it is.
    pub fn remember(&self, context: &Context) {
        derived::remember(context, self.source, &self.name);
    }
}
