//! Summaries as documents that can be searched: one per file, and one per part of a large file.

use std::path::Path;

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    known::Known,
    record::{SUMMARY, Summary},
};
use elophanto_index::{
    Context, Kind, Options, Refreshed,
    derived::{self, Collection, Content, Derived, Source},
};
use elophanto_repo::{
    CommitId, Git, GitError, NotePath, ObjectId, Stored, Version,
    journal::parse_file,
    record_store::{RecordStore, SHARED},
};

/// Largest file of the journal that is read from git, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Brings what can be searched of the summaries up to date with the journal.
pub fn refresh(context: &Context, record_store: &RecordStore, options: Options) -> Refreshed {
    if record_store.journal.is_empty() {
        // The usual case costs a search next to nothing.
        return Refreshed::default();
    }
    let now = super::run::at((context.now)());
    let stamp = record_store.journal.stamp(now);
    let documents = || {
        let reading = record_store.journal.read(&[SUMMARY]);
        // What is gone since, and may be back, is found out when it is shown.
        of(&Known::of(reading.records, now))
    };
    let collection = Collection {
        kind: Kind::Summary,
        stamp: Some(blake3::Hash::from_bytes(stamp.digest).to_hex().to_string()),
        settled: !stamp.racy,
        documents: &documents,
    };
    derived::refresh(context, &collection, options)
}

/// What can be searched of the summaries as it was left.
pub fn last(context: &Context) -> Option<Refreshed> {
    derived::last(context, Kind::Summary)
}

/// What a version holds that its summaries are made of: the journal.
///
/// # Errors
/// When git cannot list the version.
pub fn files_of(git: &Git, version: &Version) -> Result<Vec<Stored>, GitError> {
    git.list(version, &[Path::new(SHARED)])
}

/// The summaries that a version carries, of the files it holds of them.
pub fn of_version(
    context: &Context,
    git: &Git,
    version: &Version,
    files: &[Stored],
    options: Options,
) -> Refreshed {
    let ids: Vec<&ObjectId> = files.iter().map(|file| &file.object).collect();
    let now = super::run::at((context.now)());
    let documents = || {
        let contents = git.objects().read(&ids, MOST_BYTES).into_iter().flatten();
        let records = contents.flat_map(|bytes| parse_file(&bytes, &[SUMMARY]).into_records());
        let mut known = Known::of(records.collect(), now);
        if let Version::Commit(commit) = version {
            keep_what_it_holds(&mut known, git, commit);
        }
        of(&known)
    };
    let collection =
        Collection { kind: Kind::Summary, stamp: None, settled: false, documents: &documents };
    derived::of_version(context, &collection, options)
}

/// Leaves what is described of files that a commit holds, as it holds them where that is known.
fn keep_what_it_holds(known: &mut Known, git: &Git, commit: &CommitId) {
    let paths: Vec<NotePath> = known.described.keys().cloned().collect();
    // Where git cannot tell, what was known then is shown as it was.
    let Ok(contents) = git.contents_at(commit, &paths.iter().collect::<Vec<_>>()) else { return };
    for (path, content) in paths.iter().zip(contents) {
        let Some(content) = content else {
            known.described.remove(path);
            continue;
        };
        let blob = content.blob_id().map(|blob| blob.to_string()).unwrap_or_default();
        if let Some(all) = known.described.get_mut(path)
            && let Some(own) = all.iter().position(|described| described.blob == blob)
        {
            all.swap(0, own);
            all.truncate(1);
        }
    }
}

/// The description of every file that is to be shown, as documents.
fn of(known: &Known) -> Vec<Derived> {
    let newest: Vec<_> = known.described.keys().filter_map(|path| known.shown(path)).collect();
    let mut documents: Vec<Derived> =
        newest.into_par_iter().filter_map(|newest| newest.summary()).flat_map(given_of).collect();
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    documents
}

fn given_of(summary: Summary) -> Vec<Derived> {
    let path = summary.path();
    let document = |lines, is_part, heading, text: &str, made: Timestamp| {
        let source = Source { blob: summary.blob.clone(), lines, is_part };
        let content = Content { file_type: &summary.file_type, heading, text, made };
        Derived::new(path.clone(), &source, &content)
    };
    let made = summary.indexed_at;
    let mut documents = vec![document((1, 1), false, None, &summary.summary, made)];
    documents.extend(
        summary
            .parts
            .iter()
            .map(|part| document(part.lines, true, Some(&part.name), &part.summary, made)),
    );
    documents
}
