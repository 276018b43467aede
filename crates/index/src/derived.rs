//! Documents that are no files of the work tree: what records say of something, searched beside
//! the notes.
//!
//! Each collection has a view of its own. Its documents are given as Markdown and cut, embedded and
//! inverted as notes are; a stamp of what they are made from tells whether they have to be made
//! at all. It refuses to know what the records are.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

use super::{
    Context, Kind, Options, Refreshed, Report, Snapshot,
    draft::Draft,
    fill::missing_keys,
    refresh::{publish_segments, refreshed, report_on, settings},
    segments::{Job, Workshop, build},
    vectors::{Vectors, can_complete},
};
use crate::store::{
    manifest::{Manifest, Place},
    registry::Registry,
    view::{self, Opened, Staging, View},
    write_whole,
};
use elophanto_repo::{BlobId, FileStat, NotePath, Stored, Walked, history::History};

/// With this many segments the small ones are built anew as one.
const MANY_SEGMENTS: usize = 8;
/// A segment with fewer documents is small.
const SMALL_DOCUMENTS: usize = 256;

/// One document: what it is of, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    pub path: NotePath,
    /// Markdown, front matter included.
    text: String,
}

/// What a document was made from: its text may no longer be that of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name of the file's content then, in hex.
    pub blob: String,
    /// First and last line of the file that it speaks of.
    pub lines: (usize, usize),
    /// Whether a part of the file is meant, not all of it.
    pub is_part: bool,
}

impl Source {
    /// As the entries of `covers:`, where a segment keeps it.
    fn covers(&self) -> [String; 2] {
        let word = if self.is_part { "part" } else { "lines" };
        [self.blob.clone(), format!("{word} {}-{}", self.lines.0, self.lines.1)]
    }

    /// Back from there.
    pub fn from_covers(covers: &[&str]) -> Option<Self> {
        let [blob, place] = covers else { return None };
        let (word, lines) = place.split_once(' ')?;
        let (first, last) = lines.split_once('-')?;
        let lines = (first.parse().ok()?, last.parse().ok()?);
        Some(Self { blob: (*blob).to_owned(), lines, is_part: word == "part" })
    }
}

/// That a note of the user says otherwise than a line of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Against {
    /// 1-based.
    pub line: usize,
    /// Path of the note.
    pub note: String,
}

impl Against {
    /// As an entry of `covers:`, where a segment keeps it.
    pub fn cover(&self) -> String {
        format!("against {} {}", self.line, self.note)
    }

    /// Those among the entries.
    pub fn from_covers(covers: &[&str]) -> Vec<Self> {
        let parse = |cover: &&str| {
            let (line, note) = cover.strip_prefix("against ")?.split_once(' ')?;
            Some(Self { line: line.parse().ok()?, note: note.to_owned() })
        };
        covers.iter().filter_map(parse).collect()
    }
}

/// What there is to say in a document.
pub struct Content<'a> {
    /// Name of the type, as in `--type`.
    pub file_type: &'a str,
    /// Heading of a part.
    pub heading: Option<&'a str>,
    pub text: &'a str,
    pub made: jiff::Timestamp,
}

impl Derived {
    /// A document whose lines are those of its file.
    pub fn of_lines(path: NotePath, text: String) -> Self {
        Self { path, text }
    }

    pub fn new(path: NotePath, source: &Source, content: &Content) -> Self {
        // JSON strings are YAML strings too, whatever is in them.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let [blob, lines] = source.covers();
        let mut text = format!(
            "---\ntitle: {}\nscope: learned\ntags: [{}]\ncreated: {}\nupdated: {}\ncovers: [{}, {}]\n---\n",
            quoted(&path.to_text()),
            quoted(content.file_type),
            content.made,
            content.made,
            quoted(&blob),
            quoted(&lines),
        );
        if let Some(heading) = content.heading {
            text.push_str(&format!("# {}\n\n", heading.replace(['\n', '\r'], " ")));
        }
        for line in content.text.lines() {
            // Only the heading of a part is one.
            if line.trim_start().starts_with('#') || line.trim_start().starts_with("```") {
                text.push('\\');
                text.push_str(line.trim_start());
            } else {
                text.push_str(line);
            }
            text.push('\n');
        }
        Self { path, text }
    }
}

/// Documents of one kind.
pub struct Collection<'a> {
    pub kind: Kind,
    /// Changes whenever the documents may have changed; `None` if that cannot be told without
    /// making them.
    pub stamp: Option<String>,
    /// Whether the same stamp will still mean the same documents next time: what was written a
    /// moment ago may be written again unseen.
    pub settled: bool,
    pub documents: &'a dyn Fn() -> Vec<Derived>,
}

impl Context<'_> {
    /// Folder of the view of a collection.
    pub fn collection_dir(&self, kind: Kind) -> PathBuf {
        self.model_dir(kind.name())
    }
}

/// Brings the view of a collection up to date. As with notes, a view that cannot be written is
/// answered from memory.
pub fn refresh(context: &Context, collection: &Collection, options: Options) -> Refreshed {
    bring(context, collection, options, true)
}

/// The documents of another version: what is known of them is taken from the collection's view,
/// which stays as it is.
pub fn of_version(context: &Context, collection: &Collection, options: Options) -> Refreshed {
    bring(context, collection, options, false)
}

/// What a version holds of a collection, as one name.
pub fn name_of(files: &[Stored]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        hasher.update(file.path.as_bytes()).update(&[0]).update(file.object.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether a commit took along all vectors of what bears this name, by this model.
pub fn went_along(context: &Context, kind: Kind, name: &str) -> bool {
    fs::read_to_string(went_along_file(context, kind))
        .is_ok_and(|text| text == gone_along(context, name))
}

/// Remembers that a commit takes along all vectors of what bears this name. Where that cannot be
/// kept, the next commit looks at all of it again.
pub fn remember(context: &Context, kind: Kind, name: &str) {
    let _ = write_whole(&went_along_file(context, kind), gone_along(context, name).as_bytes());
}

fn went_along_file(context: &Context, kind: Kind) -> PathBuf {
    context.collection_dir(kind).join("went-along")
}

fn gone_along(context: &Context, name: &str) -> String {
    format!("{name} {}", context.embedder.fingerprint())
}

/// The view of a collection as it was left; `None` if there is none.
pub fn last(context: &Context, kind: Kind) -> Option<Refreshed> {
    let (base, _) = base(context, kind);
    (base.generation != 0).then(|| finished(kind, base, Report::default()))
}

fn bring(context: &Context, collection: &Collection, options: Options, keep: bool) -> Refreshed {
    let kind = collection.kind;
    let folder = context.collection_dir(kind);
    let (mut base, notice) = base(context, kind);
    if options.full {
        // Something in it may be damaged: nothing of it is taken over.
        base = View { manifest: Manifest::default(), segments: Vec::new(), ..base };
    }
    let mut report = Report { notices: notice.into_iter().collect(), ..Report::default() };
    let wanted = collection
        .stamp
        .as_ref()
        .map(|stamp| format!("{}\n{}", settings(context), stamp.replace('\n', " ")));
    let missing = missing_keys(
        base.segments
            .iter()
            .zip(&base.manifest.segments)
            .map(|(loaded, entry)| (&**loaded, &entry.live)),
    );
    let complete = can_complete(context, &missing);
    let unchanged = wanted.as_ref() == Some(&base.manifest.settings);
    if unchanged && !complete && !options.full {
        return finished(kind, base, report);
    }
    let documents = (collection.documents)();
    if documents.is_empty() && base.generation == 0 {
        return Refreshed { snapshot: Snapshot::default(), report };
    }

    let mut draft = Draft::new(base.segments.clone());
    let mut known = draft.known(0, complete);
    if keep && base.segments.len() >= MANY_SEGMENTS {
        let small = |number: usize| base.segments[number].segment.documents() < SMALL_DOCUMENTS;
        known.retain(|_, (segment, _)| !small(*segment));
    }
    let mut jobs = Vec::new();
    let mut seen = BTreeSet::new();
    for given in documents {
        let blob = BlobId::of(given.text.as_bytes());
        if !seen.insert((given.path.clone(), blob)) {
            continue;
        }
        let file = Walked { path: given.path, stat: FileStat::default() };
        match known.get(&(file.path.clone(), blob)) {
            Some(&place) => draft.found(file, blob, place, 0),
            None => {
                let size = given.text.len() as u64;
                jobs.push((Job::Take(file, given.text), size));
            }
        }
    }
    let fingerprint = context.embedder.fingerprint().as_str();
    let staging = if jobs.is_empty() { None } else { Staging::new(&folder).ok().map(Arc::new) };
    let mut built = Vec::new();
    if !jobs.is_empty() {
        let tables = context.repository.tables_dir();
        let memory = view::registry_file(&context.view_dir());
        let (registry, _) = Registry::load(context.tables, &memory, &tables).unwrap_or_default();
        let cache = context.repository.vectors_dir();
        let vectors = Vectors::new(context, &draft.segments, tables, registry, cache);
        let groups = build(
            &Workshop {
                root: &context.repository.root,
                max_file_bytes: context.max_file_bytes,
                chunker: context.chunker(),
                analyzer: context.analyzer,
                fingerprint,
                dimension: context.embedder.dimension(),
                vectors: &vectors,
                known: &known,
                segments: &draft.segments,
                objects: None,
                staging: staging.as_deref().map(Staging::path),
                progress: options.progress,
            },
            jobs,
        );
        // Damaged tables and cache files are passed over; whoever indexes the notes says so.
        vectors.close();
        for group in groups {
            report.embedded += group.embedded;
            report.read += group.read;
            if let Some(failure) = group.failure {
                report.notices.push(format!("some vectors are missing: {failure}"));
            }
            let loaded = group.loaded.map(Arc::new);
            built.extend(loaded.iter().map(|loaded| (Arc::clone(loaded), staging.clone())));
            draft.take(loaded, group.outcomes, 0);
        }
    }
    let made =
        wanted.filter(|_| collection.settled).unwrap_or_else(|| format!("{}\n", settings(context)));
    let (manifest, segments) = draft.finish(made, fingerprint);
    report.changed = manifest != base.manifest;
    if keep && report.changed {
        let done = view::write_lock(&folder, options.patience).and_then(|lock| {
            // Whoever was faster, or has it now, had the same records: nothing is lost.
            if lock.is_some() && view::generation(&folder) == base.generation {
                publish_segments(&folder, &manifest, &built)?;
                view::replace(&folder, &manifest)?;
            }
            Ok(())
        });
        if let Err(cause) = done {
            report.notices.push(format!(
                "the search view cannot be written ({cause}); answering from memory"
            ));
        }
    }
    finished(kind, View { manifest, segments, generation: base.generation }, report)
}

/// The view if it can be built upon, else an empty one and what is wrong with it.
fn base(context: &Context, kind: Kind) -> (View, Option<String>) {
    let folder = context.collection_dir(kind);
    let (view, notice) = match view::open(&folder) {
        Opened::Ready(view) => (Some(view), None),
        Opened::Missing => (None, None),
        Opened::Damaged(cause) => (None, Some(format!("{cause}; the search view was built anew"))),
    };
    let usable = |view: &View| {
        let made = view.manifest.settings.rsplit_once('\n').map(|(settings, _)| settings);
        made == Some(settings(context).as_str())
            && view.manifest.fingerprint == context.embedder.fingerprint().as_str()
    };
    let empty = || View {
        manifest: Manifest::default(),
        segments: Vec::new(),
        generation: view::generation(&folder),
    };
    (view.filter(usable).unwrap_or_else(empty), notice)
}

fn finished(kind: Kind, view: View, report: Report) -> Refreshed {
    let Report { embedded, read, notices, changed, .. } = report;
    let report = Report { embedded, read, notices, changed, ..report_on(&view.manifest) };
    refreshed(kind, view.manifest, &view.segments, Arc::new(History::default()), report)
}

impl Refreshed {
    /// Adds documents of another kind.
    pub fn join(&mut self, other: Self) {
        let Self { snapshot: Snapshot { parts, files, .. }, report } = other;
        let before = self.snapshot.parts.len() as u32;
        self.snapshot.parts.extend(parts);
        self.snapshot.files.extend(files.into_iter().map(|mut file| {
            if let Place::Document { segment, .. } = &mut file.place {
                *segment += before;
            }
            file
        }));
        self.snapshot.files.sort_by(|a, b| a.path.cmp(&b.path));
        let own = &mut self.report;
        own.chunks += report.chunks;
        own.embedded += report.embedded;
        own.waiting += report.waiting;
        own.changed |= report.changed;
        for notice in report.notices {
            if !own.notices.contains(&notice) {
                own.notices.push(notice);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_text::markdown;

    #[test]
    fn a_document_says_what_it_is_made_from() {
        for is_part in [true, false] {
            let source = Source { blob: "0a".repeat(20), lines: (3, 99), is_part };
            let content = Content {
                file_type: "rust_file",
                heading: is_part.then_some("Retry\nPolicy"),
                text: "Says when.\n# no heading\n---\n```\nend",
                made: jiff::Timestamp::UNIX_EPOCH,
            };
            let path = NotePath::from("src/a: \"b\" #c.rs");
            let given = Derived::new(path.clone(), &source, &content);
            let parsed = markdown::parse(&given.text).unwrap();
            assert_eq!(parsed.title(), Some(path.to_text().as_str()));
            let front = &parsed.front_matter;
            assert_eq!(front.tags, ["rust_file"]);
            assert_eq!(front.scope, Some(markdown::Scope::Learned));
            let covers: Vec<&str> = front.covers.iter().map(String::as_str).collect();
            assert_eq!(Source::from_covers(&covers), Some(source));
            assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
        }
    }
}
