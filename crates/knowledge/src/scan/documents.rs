//! Summaries as documents that can be searched: one per file, and one per part of a large file.

use std::path::Path;

use rayon::prelude::*;

use super::{
    known::Known,
    reach::Reach,
    record::{SUMMARY, Summary},
    sought::Wanted,
};
use elophanto_index::{
    Context, IndexError, Kind,
    source::{Collection, Derived, Listing, Source},
    store::segment::{Attributes, MadeFrom},
};
use elophanto_repo::{
    CommitId, Git, GitError, NotePath, ObjectId, Stored, Version,
    journal::parse_file,
    record_store::{SHARED, journal_of},
};

/// Largest file of the journal that is read from git, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What was found out about files, those that are wanted, from the records of the journal.
pub struct Summaries(pub Wanted);

impl Source for Summaries {
    fn kind(&self) -> Kind {
        Kind::Summary
    }

    fn here<'s>(&'s self, context: &'s Context) -> Result<Listing<'s>, IndexError> {
        let journal = journal_of(context.repository);
        if journal.is_empty() {
            // The usual case costs a search next to nothing.
            return Ok(Listing::Made(Collection::default()));
        }
        let now = super::run::at((context.now)());
        let stamp = journal.stamp(now);
        Ok(Listing::Made(Collection {
            stamp: stamp_of(&stamp.digest, &self.0),
            settled: !stamp.racy,
            // What is gone since, and may be back, is found out when it is shown.
            documents: Box::new(move || {
                let reach = self.reach(context);
                of(&Known::of(journal.read(&[SUMMARY]).records, &reach, now))
            }),
        }))
    }

    fn stored(
        &self,
        _context: &Context,
        git: &Git,
        version: &Version,
    ) -> Result<Vec<Stored>, GitError> {
        git.list(version, &[Path::new(SHARED)])
    }

    fn made(
        &self,
        context: &Context,
        git: &Git,
        version: &Version,
        files: &[Stored],
    ) -> Option<Vec<Derived>> {
        let ids: Vec<&ObjectId> = files.iter().map(|file| &file.object).collect();
        let contents = git.objects().read(&ids, MOST_BYTES).into_iter().flatten();
        let records = contents.flat_map(|bytes| parse_file(&bytes, &[SUMMARY]).into_records());
        let reach = self.reach(context);
        let mut known = Known::of(records.collect(), &reach, super::run::at((context.now)()));
        if let Version::Commit(commit) = version {
            keep_what_it_holds(&mut known, git, commit);
        }
        Some(of(&known))
    }
}

impl Summaries {
    fn reach<'r>(&'r self, context: &'r Context) -> Reach<'r> {
        Reach::new(&context.repository.root, &self.0)
    }
}

/// Names what descriptions are made of: the journal, and which files the settings want described.
fn stamp_of(journal: &[u8; 32], wanted: &Wanted) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(journal).update(wanted.in_words().as_bytes());
    hasher.finalize().to_hex().to_string()
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
    let mut documents: Vec<Derived> = newest
        .into_par_iter()
        .filter_map(|newest| newest.summary())
        .flat_map(documents_of)
        .collect();
    documents.sort_by(|a, b| a.path().cmp(b.path()));
    documents
}

fn documents_of(summary: Summary) -> Vec<Derived> {
    let path = summary.path();
    let made = Some(summary.indexed_at.as_second());
    let document = |lines, part: Option<&str>, text: &str| {
        let blob = summary.blob.clone();
        Derived::new(
            path.clone(),
            path.to_text(),
            vec![summary.file_type.clone()],
            (made, made),
            Attributes::Summary(MadeFrom { blob, lines, is_part: part.is_some() }),
            markdown_of(part, text),
        )
    };
    let parts = summary.parts.iter();
    let parts = parts.map(|part| document(part.lines, Some(&part.name), &part.summary));
    std::iter::once(document((1, 1), None, &summary.summary)).chain(parts).collect()
}

/// A description, below the name of the part that it is of.
fn markdown_of(part: Option<&str>, text: &str) -> String {
    let mut markdown = match part {
        Some(name) => format!("# {}\n\n", name.replace(['\n', '\r'], " ")),
        // It has no front matter.
        None if text.trim_start_matches('\u{feff}').starts_with("---") => "\n".to_owned(),
        None => String::new(),
    };
    for line in text.lines() {
        // Only the heading of a part is one.
        if line.trim_start().starts_with('#') || line.trim_start().starts_with("```") {
            markdown.push('\\');
            markdown.push_str(line.trim_start());
        } else {
            markdown.push_str(line);
        }
        markdown.push('\n');
    }
    markdown
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_text::markdown;

    #[test]
    fn nothing_of_a_description_is_a_heading_but_the_name_of_its_part() {
        let text = "Says when.\n# no heading\n\n---\n```\nend";
        for (part, headings) in [(None, &[][..]), (Some("Retry\nPolicy"), &["Retry Policy"])] {
            let parsed = markdown::parse(&markdown_of(part, text)).unwrap();
            let found: Vec<&str> = parsed.headings.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(found, headings);
        }
        let parsed = markdown::parse(&markdown_of(None, "---\ntitle: a\n---\nText.")).unwrap();
        assert_eq!(parsed.front_matter.title, None);
    }
}
