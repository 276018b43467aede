//! Is everything indexed? For CI: nothing is written.

use std::{collections::BTreeSet, io};

use rustc_hash::FxHashSet;

use super::{
    Context, IndexError, Refreshed, Snapshot, commit,
    passages::{Passage, passages},
};
use crate::{
    embed::{EmbedError, Role},
    repo::NotePath,
    store::{
        Malformed,
        matrix::{Encoded, Key},
        registry::Registry,
    },
};

/// A vector made again is the same but for rounding: below this cosine it is another one.
const SAME: f32 = 0.99;
/// Passages embedded at once.
const BATCH: usize = 1_024;

/// What a check found. All zero is a pass.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Vectors in use that no committed table holds, and chunks that have none.
    pub uncommitted: usize,
    /// Tables that cannot be read.
    pub damaged: usize,
    /// Files that cannot be indexed.
    pub skipped: usize,
    /// Files not searched because another process is indexing.
    pub stale: usize,
}

impl Gaps {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares the local view, just brought up to date, with what is committed.
///
/// # Errors
/// When the folder of tables cannot be read.
pub fn check(context: &Context, mut refreshed: Refreshed) -> Result<(Gaps, Refreshed), IndexError> {
    let (uncommitted, bad) = commit::uncommitted(context, &refreshed.snapshot)?;
    let notices =
        bad.iter().map(|table| format!("`{}/{}`: {}", commit::TABLES, table.name, table.cause));
    refreshed.report.notices.extend(notices);
    let gaps = Gaps {
        uncommitted: uncommitted + refreshed.report.waiting,
        damaged: bad.len(),
        skipped: refreshed.report.problems.len(),
        stale: refreshed.report.stale,
    };
    Ok((gaps, refreshed))
}

/// A committed vector that is not what the model makes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forged {
    pub path: NotePath,
    pub line: usize,
}

/// What a verification found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Committed vectors in use that were made again.
    pub checked: usize,
    pub forged: Vec<Forged>,
}

/// Why nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("the tables cannot be read: {0}")]
    Tables(#[from] io::Error),
    #[error("the search view is damaged")]
    Damaged,
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// Makes every vector in use again that a table holds, but for the tables named, and compares.
///
/// A pull request could carry a table whose vectors lift a text where it does not belong: the key
/// says what a vector claims to be made from, and this holds it to that.
///
/// # Errors
/// [`VerifyError`]; then nothing is known.
pub fn verify(
    context: &Context,
    snapshot: &Snapshot,
    trusted: &BTreeSet<String>,
) -> Result<Verified, VerifyError> {
    let folder = context.repository.tables_dir();
    let (mut registry, _) = Registry::read_all(&folder)?;
    let fingerprint = context.embedder.fingerprint().as_str();
    let held = registry.keys(fingerprint, |name| !trusted.contains(name));
    let mut seen: FxHashSet<Key> = FxHashSet::default();
    let all = passages(context, snapshot).map_err(|Malformed| VerifyError::Damaged)?;
    let in_doubt: Vec<&Passage> = all
        .iter()
        .filter(|passage| held.contains(&passage.key) && seen.insert(passage.key))
        .collect();
    let wanted = in_doubt.iter().map(|passage| passage.key).collect();
    let (vectors, _) = registry.vectors(&folder, fingerprint, &wanted);
    let mut verified = Verified::default();
    for batch in in_doubt.chunks(BATCH) {
        let texts: Vec<&str> = batch.iter().map(|passage| passage.text.as_str()).collect();
        let made = context.embedder.embed(&texts, Role::Document);
        if let Some(failure) = made.failure {
            return Err(failure.into());
        }
        for (passage, made) in batch.iter().zip(made.vectors) {
            let made = made.unwrap_or_default();
            verified.checked += 1;
            // Two tables that disagree: one of them is wrong, and neither is used.
            let same = vectors
                .get(&passage.key)
                .is_some_and(|found| cosine(found, &Encoded::new(&made)) >= SAME);
            if !same {
                verified.forged.push(Forged { path: passage.path.clone(), line: passage.line });
            }
        }
    }
    Ok(verified)
}

/// Cosine of two vectors of unit length; two zero vectors are the same.
fn cosine(a: &Encoded, b: &Encoded) -> f32 {
    if a.scale == 0.0 && b.scale == 0.0 {
        return 1.0;
    }
    if a.codes.len() != b.codes.len() {
        return 0.0;
    }
    let products = a.codes.iter().zip(&b.codes).map(|(&a, &b)| i32::from(a) * i32::from(b));
    products.sum::<i32>() as f32 * a.scale * b.scale
}
