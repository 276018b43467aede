//! Maintenance of the index: tidying what is local, and, when asked for, making one table of many.
//!
//! Compaction deletes committed tables, which two branches must not both do: it is explicit, and
//! `resolve` settles it if they did. A vector goes only if no tip of a branch uses it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Context, IndexError, Snapshot,
    commit::TABLES,
    note::key,
    passages::passages,
    source::Source,
    version::{self, tables_of},
};
use crate::store::{
    Malformed,
    matrix::{Encoded, Key},
    place,
    tables::{self, ROW_BYTES, TableContent},
    view::Staging,
};
use elophanto_models::Fingerprint;
use elophanto_repo::{CommitId, Git, NotePath, Staged, Version};

/// What compaction does, or would do.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Compacted {
    /// Branch tips that were looked at.
    pub tips: usize,
    pub tables_before: usize,
    pub bytes_before: u64,
    pub tables_after: usize,
    /// Estimated in a dry run.
    pub bytes_after: u64,
    pub vectors_kept: usize,
    /// Vectors that nothing uses, or that were there twice.
    pub vectors_dropped: usize,
    /// Whether there is anything to gain.
    #[serde(skip)]
    pub worth: bool,
}

/// Bytes of a table without rows.
const TABLE_BYTES: u64 = 2_400;

/// Makes one table per model of all tables that git tracks here, without what no branch tip
/// uses, and stages that; `dry` only says what would be done.
///
/// # Errors
/// When git or a table cannot be read or written; then nothing is staged.
pub fn compact(
    context: &Context,
    sources: &[&dyn Source],
    git: &Git,
    dry: bool,
) -> Result<Compacted, IndexError> {
    let folder = context.repository.tables_dir();
    let tracked = tables_of(git, &Version::Staged, &BTreeSet::new())?;
    let mut done = Compacted::default();
    let mut models: BTreeMap<String, FxHashMap<Key, Option<Encoded>>> = BTreeMap::new();
    let mut rows = 0;
    for name in tracked.keys() {
        let content = tables::read(context.tables, &folder, name, Some(&context.view_dir()))
            .map_err(|cause| IndexError::BadTable { name: name.clone(), source: cause })?;
        done.tables_before += 1;
        done.bytes_before += tables::size(&folder, name);
        rows += content.rows.len();
        let all = models.entry(content.fingerprint).or_default();
        for (key, vector) in content.rows {
            // Of two different vectors for one key neither counts.
            let agreed = all.entry(key).or_insert_with(|| Some(vector.clone()));
            if agreed.as_ref() != Some(&vector) {
                *agreed = None;
            }
        }
    }
    let tips = tips(git)?;
    done.tips = tips.len();
    let mut used: BTreeMap<&String, FxHashSet<Key>> = BTreeMap::new();
    // What is staged is on its way to be a tip.
    let versions = tips.iter().map(|tip| Version::Commit(*tip)).chain([Version::Staged]);
    for version in versions {
        for source in sources {
            let refreshed = version::version(context, *source, git, &version, &|_, _| {})?;
            for fingerprint in models.keys() {
                let keys = keys_for(context, &refreshed.snapshot, fingerprint)?;
                used.entry(fingerprint).or_default().extend(keys);
            }
        }
    }
    let mut contents = Vec::new();
    for (fingerprint, all) in &models {
        let used = used.remove(fingerprint).unwrap_or_default();
        let mut rows: Vec<(Key, Encoded)> = all
            .iter()
            .filter(|(key, _)| used.contains(*key))
            .filter_map(|(key, vector)| Some((*key, vector.clone()?)))
            .collect();
        if !rows.is_empty() {
            rows.sort_by_key(|row| row.0);
            done.vectors_kept += rows.len();
            contents.push(TableContent { fingerprint: fingerprint.clone(), rows });
        }
    }
    done.vectors_dropped = rows - done.vectors_kept;
    let pieces = |content: &TableContent| {
        let dimension = content.rows.first().map_or(0, |(_, vector)| vector.codes.len());
        tables::pieces(content.rows.len(), dimension)
    };
    done.tables_after = contents.iter().map(pieces).sum();
    done.worth = done.vectors_dropped > 0 || done.tables_before > done.tables_after;
    let estimate = |content: &TableContent| {
        let codes = content.rows.first().map_or(0, |(_, vector)| vector.codes.len() as u64);
        TABLE_BYTES + content.rows.len() as u64 * (ROW_BYTES + codes)
    };
    done.bytes_after = contents.iter().map(estimate).sum();
    if dry || !done.worth {
        return Ok(done);
    }
    done.bytes_after = 0;
    let staging = Staging::new(&context.view_dir())?;
    let mut changes = Vec::new();
    for content in &contents {
        for name in tables::write(context.tables, &folder, staging.path(), content)? {
            done.bytes_after += tables::size(&folder, &name);
            let (paths, bytes): (Vec<_>, Vec<_>) =
                tables::contents(&folder, &name)?.into_iter().unzip();
            let objects = git.write_contents(&bytes)?;
            changes.extend(paths.iter().zip(objects).map(|(path, object)| Staged::Put {
                path: NotePath::from(Path::new(TABLES).join(&name).join(path).as_path()),
                object,
            }));
        }
    }
    let old = tracked.values().flatten();
    changes.extend(old.map(|file| Staged::Remove { path: file.path.clone() }));
    git.stage(&changes)?;
    // Only now that the new ones are staged.
    for name in tracked.keys() {
        place::remove(&folder, name)?;
    }
    Ok(done)
}

/// The tips of all branches, remote ones too, and what is checked out in any work tree.
fn tips(git: &Git) -> Result<BTreeSet<CommitId>, IndexError> {
    let output =
        git.run(&["for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes"])?;
    let trees = git.run(&["worktree", "list", "--porcelain"])?;
    let text = format!("{}\n{}", String::from_utf8_lossy(&output), String::from_utf8_lossy(&trees));
    let mut tips: BTreeSet<CommitId> = text
        .lines()
        .filter_map(|line| line.strip_prefix("HEAD ").unwrap_or(line).parse().ok())
        .collect();
    tips.extend(elophanto_repo::head(git)?);
    // A work tree without a commit yet is listed with zeros.
    tips.retain(|tip| tip.as_bytes().iter().any(|&byte| byte != 0));
    Ok(tips)
}

/// Keys of all passages of a snapshot, as this model would file them.
fn keys_for(
    context: &Context,
    snapshot: &Snapshot,
    fingerprint: &str,
) -> Result<FxHashSet<Key>, IndexError> {
    if fingerprint == context.embedder.fingerprint().as_str() {
        return Ok(super::commit::used_keys(snapshot).iter().copied().collect());
    }
    let fingerprint = Fingerprint::new(fingerprint);
    let passages = passages(context, snapshot).map_err(|Malformed| IndexError::Damaged)?;
    Ok(passages.iter().map(|passage| key(&fingerprint, &passage.text)).collect())
}
