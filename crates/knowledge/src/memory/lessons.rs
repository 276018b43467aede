//! Files of lessons as the index takes them: one chunk for each record, which keeps the rest of the
//! record beside what is searched of it.

use std::path::{Path, PathBuf};

use super::{
    Entry, Files, Lineage, Memory, Retired,
    doubles::Doubles,
    parse_file,
    repo_name::{ARCHIVE, repo_name},
};
use elophanto_base::beneath::Folder;
use elophanto_index::{
    Context, IndexError, Kind, Problem,
    note::{Chunker, Note},
    source::{Listing, Source},
    store::{
        Malformed,
        segment::{
            Attributes, ChunkRecord, ChunkView, Correction, DocumentRecord, DocumentView,
            LessonRecord, Segment,
        },
    },
};
use elophanto_repo::{
    BlobId, FileStat, Git, GitError, NotePath, Repository, Stored, Version, Walked,
};
use elophanto_text::markdown::Scope;

/// Where git carries what agents remember, relative to the root.
pub const FOLDER: &str = ".elophanto/memory";
/// Largest file, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The files of lessons that git carries of a repository, or that lie in a folder that several
/// share.
pub struct Lessons {
    /// What the paths of the files are relative to.
    pub root: PathBuf,
    /// Whether git carries them.
    pub in_git: bool,
    view: String,
}

impl Lessons {
    pub fn new(repository: &Repository, shared: Option<&Path>) -> Self {
        match shared {
            None => Self { root: repository.root.clone(), in_git: true, view: "memory".to_owned() },
            Some(folder) => {
                let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
                let view = format!("memory-at-{}", &hash[..16]);
                Self { root: folder.to_owned(), in_git: false, view }
            }
        }
    }

    /// The folder that holds them.
    pub fn folder(&self) -> PathBuf {
        if self.in_git { self.root.join(FOLDER) } else { self.root.clone() }
    }

    /// All files, sorted by path.
    pub fn list(&self) -> Vec<Walked> {
        let Ok(top) = Folder::open(&self.root) else { return Vec::new() };
        let files = Files::new(self.folder(), PathBuf::new()).list_unsorted().files;
        let found = files.into_iter().filter_map(|file| {
            let stat = FileStat::from(&top.stat(&file.path).ok()??);
            Some(Walked { path: NotePath::from(file.path.strip_prefix(&self.root).ok()?), stat })
        });
        let mut walked: Vec<Walked> = found.collect();
        walked.sort_by(|a, b| a.path.cmp(&b.path));
        walked
    }
}

impl Source for Lessons {
    fn kind(&self) -> Kind {
        Kind::Memory
    }

    fn view(&self) -> &str {
        &self.view
    }

    fn root<'s>(&'s self, _repository: &'s Repository) -> &'s Path {
        &self.root
    }

    fn is_carried(&self) -> bool {
        self.in_git
    }

    fn max_file_bytes(&self, _context: &Context) -> u64 {
        MOST_BYTES
    }

    fn here<'s>(&'s self, _context: &'s Context) -> Result<Listing<'s>, IndexError> {
        Ok(Listing::Files(self.list(), Vec::new()))
    }

    fn stored(
        &self,
        _context: &Context,
        git: &Git,
        version: &Version,
    ) -> Result<Vec<Stored>, GitError> {
        if !self.in_git {
            return Ok(Vec::new());
        }
        let mut files = git.list(version, &[Path::new(FOLDER)])?;
        let is_one = |path: &Path| path.extension().is_some_and(|it| it == "jsonl");
        files.retain(|file| is_one(file.path.as_path()));
        Ok(files)
    }

    fn cut(
        &self,
        chunker: &Chunker,
        path: &NotePath,
        blob: BlobId,
        bytes: &[u8],
    ) -> Result<Note, Problem> {
        let (record, text, chunks) = cut(path, blob, bytes);
        Ok(Note::new(record, text, chunks, chunker.fingerprint))
    }
}

/// The repository that the records of a file are of, unless they say otherwise.
pub(super) fn repo_of(path: &NotePath) -> String {
    repo_below(below_folder(path))
}

/// The name of a file's folder, or of a file that other writers keep for a repository. The path is
/// that below the folder of all lessons.
pub fn repo_below(path: &Path) -> String {
    match path.parent().and_then(Path::file_name) {
        Some(folder) => folder.to_string_lossy().into_owned(),
        None => repo_name(None, &path.file_stem().unwrap_or_default().to_string_lossy()),
    }
}

/// Whether a file may hold records of a repository: one that other writers keep may name several.
pub(super) fn may_hold(path: &NotePath, repo: &str) -> bool {
    below_folder(path).parent() == Some(Path::new("")) || repo_of(path) == repo
}

/// Whether a file lies in the archive.
pub(super) fn is_archived(path: &NotePath) -> bool {
    below_folder(path).starts_with(ARCHIVE)
}

/// A file's path below the folder of all lessons.
fn below_folder(path: &NotePath) -> &Path {
    path.as_path().strip_prefix(FOLDER).unwrap_or(path.as_path())
}

/// Cuts a file: what is searched of each record is a paragraph, and a chunk.
fn cut(path: &NotePath, blob: BlobId, bytes: &[u8]) -> (DocumentRecord, String, Vec<ChunkRecord>) {
    let read = parse_file(bytes, &repo_of(path));
    let mut text = String::with_capacity(bytes.len());
    let (mut chunks, mut retired) = (Vec::new(), Vec::new());
    let (mut joins, mut corrections) = (Vec::new(), Vec::new());
    for (line, entry) in &read.entries {
        match entry {
            Entry::Memory(memory) => {
                if let Some(old) = &memory.replaces {
                    corrections.push(Correction {
                        old: one_line(old),
                        new: one_line(&memory.id),
                        at: memory.timestamp,
                    });
                }
                let start = text.len();
                let lesson = write(memory, &mut text);
                chunks.push(ChunkRecord {
                    range: start..text.len(),
                    lines: (*line, *line),
                    breadcrumb: Vec::new(),
                    lesson: Some(lesson),
                });
                text.push_str("\n\n");
            }
            Entry::Retired(Retired { retired: id, joined: None, .. }) => retired.push(one_line(id)),
            Entry::Retired(Retired { retired: id, joined: Some(kept), timestamp, .. }) => {
                joins.push(Correction { old: one_line(id), new: one_line(kept), at: *timestamp });
            }
        }
    }
    let record = DocumentRecord {
        path: path.clone(),
        blob,
        titled: false,
        title: path.stem(),
        scope: Scope::Learned,
        tags: Vec::new(),
        attributes: Attributes::Lessons { retired, joins, corrections },
        created: None,
        updated: None,
        note: read.damage_told(),
    };
    (record, text, chunks)
}

/// Writes what is searched of a record, and returns the rest.
fn write(memory: &Memory, text: &mut String) -> LessonRecord {
    let fields = [&memory.context, &memory.command, &memory.lesson, &memory.tags.join(" ")];
    let [context, command, lesson, tags] = fields.map(|field| one_line(field));
    let (passage, fields) = laid_out(&context, &command, &lesson, &tags);
    text.push_str(&passage);
    LessonRecord {
        id: one_line(&memory.id),
        timestamp: memory.timestamp,
        agent_id: one_line(&memory.agent_id),
        repo: one_line(&memory.repo),
        event_type: memory.event_type.as_str().to_owned(),
        success_rate: memory.success_rate.map(|rate| rate.to_string()).unwrap_or_default(),
        replaces: memory.replaces.as_deref().map(one_line).unwrap_or_default(),
        fields,
    }
}

/// A record as it comes back from the index.
pub(super) fn as_indexed(memory: &Memory) -> Memory {
    Memory {
        id: one_line(&memory.id),
        timestamp: memory.timestamp,
        agent_id: one_line(&memory.agent_id),
        repo: one_line(&memory.repo),
        event_type: memory.event_type,
        context: one_line(&memory.context).trim_end().to_owned(),
        command: one_line(&memory.command),
        lesson: one_line(&memory.lesson),
        success_rate: memory.success_rate,
        tags: memory.tags.iter().map(|tag| one_line(tag)).collect(),
        replaces: memory.replaces.as_deref().map(one_line),
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

/// What is searched and embedded of a record. Its tags, which name what it is about, come first:
/// without them 67 instead of 84 of 100 questions find their record among the first five
/// (`tests/labelled/recall`).
pub fn passage(memory: &Memory) -> String {
    laid_out(&memory.context, &memory.command, &memory.lesson, &memory.tags.join(" ")).0
}

/// The same, and where context, command, lesson and tags stand in it.
fn laid_out(
    context: &str,
    command: &str,
    lesson: &str,
    tags: &str,
) -> (String, [(usize, usize); 4]) {
    let mut passage = String::new();
    let mut put = |field: &str, before: &str| {
        if !passage.is_empty() && !field.is_empty() {
            passage.push_str(before);
        }
        let start = passage.len();
        passage.push_str(field);
        (start, passage.len())
    };
    let tags = put(tags, "");
    // The colon stands behind tags alone too.
    let is_tagged = tags.1 > 0;
    put(if is_tagged { ":" } else { "" }, "");
    let context = put(context.trim_end(), if is_tagged { " " } else { "" });
    let [lesson, command] = [lesson, command].map(|field| put(field, "\n"));
    (passage, [context, command, lesson, tags])
}

/// The record of a chunk of a document.
///
/// # Errors
/// [`Malformed`] if it is none.
pub(super) fn record_of(
    segment: &Segment,
    document: &DocumentView,
    chunk: &ChunkView,
) -> Result<Memory, Malformed> {
    let lesson = segment.lesson(chunk)?.ok_or(Malformed)?;
    let text = segment.text_at(document, chunk.range.clone())?;
    memory_of(&lesson, text).ok_or(Malformed)
}

fn memory_of(lesson: &LessonRecord<&str>, text: &str) -> Option<Memory> {
    let field = |index: usize| {
        let (start, end) = lesson.fields[index];
        text.get(start..end)
    };
    Some(Memory {
        id: lesson.id.to_owned(),
        timestamp: lesson.timestamp,
        agent_id: lesson.agent_id.to_owned(),
        repo: lesson.repo.to_owned(),
        event_type: lesson.event_type.parse().ok()?,
        context: field(0)?.to_owned(),
        command: field(1)?.to_owned(),
        lesson: field(2)?.to_owned(),
        success_rate: lesson.success_rate.parse().ok(),
        tags: field(3)?.split_whitespace().map(str::to_owned).collect(),
        replaces: Some(lesson.replaces).filter(|id| !id.is_empty()).map(str::to_owned),
    })
}

/// Takes up what a file says of records of any file. Of an id with several records only the one that
/// counts corrects another.
pub(super) fn corrected(lineage: &mut Lineage, attributes: &Attributes<&str>, doubles: &Doubles) {
    let Attributes::Lessons { retired, joins, corrections } = attributes else { return };
    retired.iter().for_each(|id| lineage.retire(id));
    joins.iter().for_each(|it| lineage.join(it.old, it.new, it.at));
    let counting = corrections.iter().filter(|it| doubles.corrects(it.new, it.old));
    counting.for_each(|it| lineage.correct(it.old, it.new, it.at));
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_index::store::segment::SegmentBuilder;

    const LINES: &str = concat!(
        r#"{"id":"A","timestamp":"2026-01-01T00:00:00Z","agent_id":"a","repo":"r","event_type":"error","#,
        r#""context":"npm\u0002 failed\nbadly","command":"npm ci","lesson":"own the cache","#,
        r#""success_rate":"9/10","tags":["npm","cache"]}"#,
        "\nno record\n",
        r#"{"id":"B","timestamp":"2026-01-02T00:00:00Z","event_type":"pattern","lesson":"two","context":"c","replaces":"A"}"#,
        r#"{"id":"C","timestamp":"2026-01-03T00:00:00Z","retired":"B"}"#,
        "\n",
    );

    #[test]
    fn a_record_comes_back_from_what_a_segment_keeps() {
        let path = NotePath::from("folder/x.jsonl");
        let (record, text, chunks) = cut(&path, BlobId::of(b""), LINES.as_bytes());
        let lines: Vec<usize> = chunks.iter().map(|it| it.lines.0).collect();
        assert_eq!(lines, [1, 3]);
        let own = str::to_owned;
        let at = "2026-01-02T00:00:00Z".parse().unwrap();
        let correction = Correction { old: own("A"), new: own("B"), at };
        let attributes = Attributes::Lessons {
            retired: vec![own("B")],
            joins: vec![],
            corrections: vec![correction],
        };
        assert_eq!(record.attributes, attributes);
        assert!(record.note.as_ref().is_some_and(|warning| warning.starts_with("line 2: ")));
        let analyzer = elophanto_base::lexical::Analyzer::new("english");
        let mut builder = SegmentBuilder::new(&analyzer);
        builder.add(&record, &text, &chunks);
        let segment = Segment::in_memory(builder.finish()).unwrap();
        let document = segment.document(0).unwrap();
        let at = |number| record_of(&segment, &document, &segment.chunk(number).unwrap()).unwrap();
        let first = at(0);
        assert_eq!((first.id.as_str(), first.repo.as_str()), ("A", "r"));
        assert_eq!(
            (first.context.as_str(), first.command.as_str(), first.lesson.as_str()),
            ("npm  failed badly", "npm ci", "own the cache")
        );
        assert_eq!(first.success_rate.map(|rate| rate.to_string()).as_deref(), Some("9/10"));
        assert_eq!(first.tags, ["npm", "cache"]);
        assert_eq!((at(1).repo.as_str(), at(1).replaces.as_deref()), ("folder", Some("A")));
        let fingerprint = elophanto_models::Fingerprint::new("m");
        let note = Note::new(record, text, chunks, &fingerprint);
        assert_eq!(note.passages[0], "npm cache: npm  failed badly\nown the cache\nnpm ci");
    }

    #[test]
    fn a_record_comes_back_as_it_is_compared() {
        let path = NotePath::from("folder/x.jsonl");
        let (record, text, chunks) = cut(&path, BlobId::of(b""), LINES.as_bytes());
        let analyzer = elophanto_base::lexical::Analyzer::new("english");
        let mut builder = SegmentBuilder::new(&analyzer);
        builder.add(&record, &text, &chunks);
        let segment = Segment::in_memory(builder.finish()).unwrap();
        let document = segment.document(0).unwrap();
        let read = parse_file(LINES.as_bytes(), "folder").entries;
        let written = read.iter().filter_map(|(_, entry)| match entry {
            Entry::Memory(memory) => Some(as_indexed(memory)),
            Entry::Retired(_) => None,
        });
        let back = (0..2).map(|at| record_of(&segment, &document, &segment.chunk(at).unwrap()));
        assert_eq!(written.collect::<Vec<_>>(), back.map(Result::unwrap).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_hidden() {
        let correction = |(old, new, milliseconds)| Correction {
            old,
            new,
            at: jiff::Timestamp::from_millisecond(milliseconds).unwrap(),
        };
        let corrections = [
            ("A", "B", 0),
            ("B", "C", 9),
            ("D", "E", 0),
            ("X", "Y", 0),
            ("Y", "X", 0),
            ("K", "M", 9),
            ("K", "L", 10),
        ];
        let mut lineage = Lineage::default();
        let attributes = Attributes::Lessons {
            retired: vec!["D"],
            joins: vec![],
            corrections: corrections.map(correction).into(),
        };
        corrected(&mut lineage, &attributes, &Doubles::default());
        lineage.settle();
        let hidden: Vec<&str> = ["A", "B", "C", "D", "E", "F", "K", "L", "M", "X", "Y"]
            .into_iter()
            .filter(|id| lineage.hides(id))
            .collect();
        assert_eq!(hidden, ["A", "B", "D", "E", "K", "M", "X"]);
    }

    #[test]
    fn repositories_are_named_by_folder_or_file() {
        for (path, repo, archived) in [
            (".elophanto/memory/shop/01m8.jsonl", "shop", false),
            (".elophanto/memory/archive/shop/01m8.jsonl", "shop", true),
            (".elophanto/memory/shop.jsonl", "shop", false),
            ("shop/01m8.jsonl", "shop", false),
            ("shop.jsonl", "shop", false),
        ] {
            assert_eq!(
                (repo_of(&path.into()).as_str(), is_archived(&path.into())),
                (repo, archived)
            );
        }
    }
}
