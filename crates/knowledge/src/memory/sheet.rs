//! Files of records as the index takes them: one line of text for each line of the file, one chunk
//! for each record.
//!
//! In front of what is searched stands what only we read: `\u{1}`, the fields of the record
//! between `\u{1f}`, `\u{2}`. So a file can be cut again from the text that a segment keeps, and a
//! hit is a record without reading its file.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{
    Entry, Files, Lineage, Memory, Retired, parse_file,
    repo_name::{ARCHIVE, repo_name},
};
use elophanto_base::beneath::Folder;
use elophanto_index::{
    Kind,
    form::{Cut, Form, Sheet},
    store::{
        Malformed,
        segment::{ChunkRecord, ChunkView, DocumentView, Segment},
    },
};
use elophanto_repo::{FileStat, NotePath, Repository, Walked};

/// Where git carries what agents remember, relative to the root.
pub const FOLDER: &str = ".elophanto/memory";
/// Largest file, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// More bytes than the fields in front of most records have.
const HEAD_BYTES: usize = 512;

const BEGIN: char = '\u{1}';
const END: char = '\u{2}';
const BETWEEN: char = '\u{1f}';

/// The files that git carries of a repository, or that lie in a folder that several share.
pub fn form(repository: &Repository, shared: Option<&Path>) -> Form {
    let (root, folder, view, list): (_, _, _, fn(&Path) -> Vec<Walked>) = match shared {
        None => {
            let folder = Some(Path::new(FOLDER).to_owned());
            (repository.root.clone(), folder, "memory".to_owned(), list_in_repository)
        }
        Some(folder) => {
            let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
            (folder.to_owned(), None, format!("memory-at-{}", &hash[..16]), list_in_folder)
        }
    };
    Form {
        kind: Kind::Memory,
        root,
        folder,
        view,
        max_file_bytes: MOST_BYTES,
        list,
        names: |path| path.as_path().extension().is_some_and(|extension| extension == "jsonl"),
        read: |path, bytes| text_of(bytes, &repo_of(path)),
        cut,
    }
}

fn list_in_repository(root: &Path) -> Vec<Walked> {
    list(root, &root.join(FOLDER))
}

fn list_in_folder(root: &Path) -> Vec<Walked> {
    list(root, root)
}

fn list(root: &Path, folder: &Path) -> Vec<Walked> {
    let Ok(top) = Folder::open(root) else { return Vec::new() };
    let files = Files::new(folder.to_owned(), PathBuf::new()).list_unsorted().files;
    let found = files.into_iter().filter_map(|file| {
        let stat = FileStat::from(&top.stat(&file.path).ok()??);
        Some(Walked { path: NotePath::from(file.path.strip_prefix(root).ok()?), stat })
    });
    let mut walked: Vec<Walked> = found.collect();
    walked.sort_by(|a, b| a.path.cmp(&b.path));
    walked
}

/// The repository that the records of a file are of, unless they say otherwise.
pub(super) fn repo_of(path: &NotePath) -> String {
    repo_below(below_folder(path))
}

/// The name of a file's folder, or of a file that other writers keep for a repository. The path is
/// that below the folder of all lessons.
pub(super) fn repo_below(path: &Path) -> String {
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

/// The text of a file, line by line; what is damaged is an empty line.
fn text_of(bytes: &[u8], repo: &str) -> String {
    let read = parse_file(bytes, repo);
    let mut text = String::with_capacity(bytes.len());
    let mut at = 1;
    for (line, entry) in &read.entries {
        // Several records that were glued together stand on one line.
        while at < *line {
            text.push('\n');
            at += 1;
        }
        write(entry, &mut text);
    }
    if let Some(told) = read.damage_told() {
        text.push('\n');
        control(&["damage", &told], &mut text);
    }
    text
}

fn write(entry: &Entry, text: &mut String) {
    match entry {
        Entry::Memory(memory) => {
            let rate = memory.success_rate.map(|rate| rate.to_string()).unwrap_or_default();
            let fields = [
                "memory",
                &memory.id,
                &memory.timestamp.to_string(),
                &memory.agent_id,
                &memory.repo,
                memory.event_type.as_str(),
                &rate,
                memory.replaces.as_deref().unwrap_or_default(),
            ];
            control(&fields, text);
            let tags = memory.tags.join(" ");
            join(&[&memory.context, &memory.command, &memory.lesson, &tags], text);
        }
        Entry::Retired(Retired { retired, .. }) => control(&["retired", retired], text),
    }
}

fn control(fields: &[&str], text: &mut String) {
    text.push(BEGIN);
    join(fields, text);
    text.push(END);
}

fn join(fields: &[&str], text: &mut String) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            text.push(BETWEEN);
        }
        text.extend(field.chars().map(|char| if char.is_control() { ' ' } else { char }));
    }
}

/// Cuts the text of a file.
fn cut(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        for (at, _) in line.match_indices(BEGIN) {
            let piece = &line[at + BEGIN.len_utf8()..];
            let piece = piece.split(BEGIN).next().unwrap_or_default();
            let Some((head, body)) = piece.split_once(END) else { continue };
            let fields: Vec<&str> = head.split(BETWEEN).collect();
            match fields[..] {
                ["retired", id] => sheet.covers.push(format!("retired {id}")),
                ["damage", reason] => sheet.warning = Some(reason.to_owned()),
                ["memory", id, written, .., replaced] => {
                    if !replaced.is_empty() {
                        sheet.covers.push(format!("replaces {replaced} {id} {written}"));
                    }
                    let begin = start + at + BEGIN.len_utf8() + head.len() + END.len_utf8();
                    let range = begin..begin + body.len();
                    let record =
                        ChunkRecord { range, lines: (number, number), breadcrumb: Vec::new() };
                    sheet.chunks.push(Cut { record, passage: passage(body) });
                }
                _ => {}
            }
        }
        start += line.len() + 1;
    }
    sheet
}

/// What is embedded of a record, of the text that is searched of it.
fn passage(body: &str) -> String {
    let mut fields = body.split(BETWEEN);
    let mut next = || fields.next().unwrap_or_default();
    let (context, command, lesson, tags) = (next(), next(), next(), next());
    passage_of(context, command, lesson, tags)
}

/// What is embedded of a record. Its tags, which name what it is about, come first: without them 67
/// instead of 84 of 100 questions find their record among the first five (`tests/labelled/recall`).
pub(super) fn passage_of(context: &str, command: &str, lesson: &str, tags: &str) -> String {
    let about = if tags.is_empty() { context.to_owned() } else { format!("{tags}: {context}") };
    let parts = [about.trim_end(), lesson, command].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

/// The record of a chunk of a document.
pub(super) fn record_of(
    segment: &Segment,
    document: &DocumentView,
    chunk: &ChunkView,
) -> Result<Memory, Malformed> {
    let (text, begin) = segment.text_with_head(document, chunk.range.clone(), HEAD_BYTES)?;
    if let Some(memory) = record_at(text, begin, text.len()) {
        return Ok(memory);
    }
    // Its head is longer than most.
    let Range { start, end } = chunk.range;
    record_at(segment.text(document)?, start, end).ok_or(Malformed)
}

/// The record whose searched text begins at a byte of the text that a segment keeps.
pub(super) fn record_at(text: &str, begin: usize, end: usize) -> Option<Memory> {
    let before = text.get(..begin)?.strip_suffix(END)?;
    let head = &before[before.rfind(BEGIN)? + BEGIN.len_utf8()..];
    let fields: Vec<&str> = head.split(BETWEEN).collect();
    let ["memory", id, timestamp, agent_id, repo, event_type, rate, replaces] = fields[..] else {
        return None;
    };
    let body: Vec<&str> = text.get(begin..end)?.split(BETWEEN).collect();
    let [context, command, lesson, tags] = body[..] else { return None };
    Some(Memory {
        id: id.to_owned(),
        timestamp: timestamp.parse().ok()?,
        agent_id: agent_id.to_owned(),
        repo: repo.to_owned(),
        event_type: event_type.parse().ok()?,
        context: context.to_owned(),
        command: command.to_owned(),
        lesson: lesson.to_owned(),
        success_rate: rate.parse().ok(),
        tags: tags.split_whitespace().map(str::to_owned).collect(),
        replaces: Some(replaces).filter(|id| !id.is_empty()).map(str::to_owned),
    })
}

/// Takes up what a file says of records of any file, which its document keeps beside the chunks.
pub(super) fn add_cover(lineage: &mut Lineage, cover: &str) {
    match cover.split(' ').collect::<Vec<_>>()[..] {
        ["retired", id] => lineage.retire(id),
        // Ids of one clock tell as much: views of an earlier version have no time.
        ["replaces", old, new] => lineage.correct(old, new, Timestamp::UNIX_EPOCH),
        ["replaces", old, new, at] => {
            lineage.correct(old, new, at.parse().unwrap_or(Timestamp::UNIX_EPOCH));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let text = text_of(LINES.as_bytes(), "folder");
        let sheet = cut(&text);
        let lines: Vec<usize> = sheet.chunks.iter().map(|it| it.record.lines.0).collect();
        assert_eq!(lines, [1, 3]);
        assert_eq!(sheet.covers, ["replaces A B 2026-01-02T00:00:00Z", "retired B"]);
        assert!(sheet.warning.is_some_and(|warning| warning.starts_with("line 2: ")));
        let at = |index: usize| {
            let range = &sheet.chunks[index].record.range;
            record_at(&text, range.start, range.end).unwrap()
        };
        let first = at(0);
        assert_eq!((first.id.as_str(), first.repo.as_str()), ("A", "r"));
        assert_eq!(
            (first.context.as_str(), first.command.as_str()),
            ("npm  failed badly", "npm ci")
        );
        assert_eq!(first.success_rate.map(|rate| rate.to_string()).as_deref(), Some("9/10"));
        assert_eq!(first.tags, ["npm", "cache"]);
        assert_eq!((at(1).repo.as_str(), at(1).replaces.as_deref()), ("folder", Some("A")));
        assert_eq!(sheet.chunks[0].passage, "npm cache: npm  failed badly\nown the cache\nnpm ci");
    }

    #[test]
    fn what_is_hidden() {
        let mut lineage = Lineage::default();
        for cover in [
            "replaces A B",
            "replaces B C 2026-01-02T00:00:00Z",
            "retired D",
            "replaces D E",
            "replaces X Y",
            "replaces Y X",
            "replaces K M 2026-01-02T00:00:00Z",
            "replaces K L 2026-01-02T00:00:00.001Z",
        ] {
            add_cover(&mut lineage, cover);
        }
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
