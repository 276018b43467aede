//! All that can be searched: notes, summaries of files, and what is known of entities.
//!
//! Joins the collections of the rooms that own them. It refuses to know how any of them is made.

use std::time::Duration;

use crate::{
    desk::Desk,
    index::{Context, IndexError, Options, Progress, Refreshed, refresh as refresh_notes, version},
    learn,
    repo::{Git, Version},
    scan,
};

/// Brings everything up to date with the work tree and the journal.
///
/// # Errors
/// When a configured root does not exist.
pub fn refresh(context: &Context, desk: &Desk, options: Options) -> Result<Refreshed, IndexError> {
    let (notes, (summaries, facts)) = rayon::join(
        || refresh_notes(context, options),
        || {
            rayon::join(
                || scan::documents::refresh(context, desk, options),
                || learn::documents::refresh(context, desk, options),
            )
        },
    );
    let mut all = notes?;
    all.join(summaries);
    all.join(facts);
    Ok(all)
}

/// Adds what can be searched beside the notes, as it was left.
pub fn join_last(context: &Context, notes: &mut Refreshed) {
    for kept in [scan::documents::last(context), learn::documents::last(context)] {
        if let Some(kept) = kept {
            notes.join(kept);
        }
    }
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
    let mut all = version::snapshot_of(context, git, version, progress)?;
    let options = Options { full: false, patience: Some(Duration::ZERO), progress };
    all.join(scan::documents::of_version(context, git, version, options)?);
    all.join(learn::documents::of_version(context, git, version, options)?);
    Ok(all)
}
