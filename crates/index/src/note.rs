//! One document, from bytes to what a segment and the embedder need.

use std::{ops::Range, path::Path};

use rayon::prelude::*;

use crate::{
    Snapshot,
    store::{
        Malformed,
        matrix::Key,
        segment::{Attributes, ChunkRecord, DocumentRecord, Segment},
    },
};
use elophanto_models::Fingerprint;
use elophanto_repo::{BlobId, NotePath, read_note};
use elophanto_text::{
    changelog,
    chunk::{self, Limits},
    markdown::{self, Document, FrontMatter, Scope, Warning},
};

/// Tells which parts of a note still wait to be written: bytes of the text that was parsed.
pub type Unwritten = fn(&str, &Document) -> Vec<Range<usize>>;

/// A document cut into chunks.
pub struct Note {
    pub record: DocumentRecord,
    /// As it is searched: what says nothing is blank, all else is in its place.
    pub text: String,
    pub chunks: Vec<ChunkRecord>,
    /// What is embedded, chunk by chunk.
    pub passages: Vec<String>,
    /// Names of the vectors of the passages.
    pub keys: Vec<Key>,
}

/// Why a file is not in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: NotePath,
    pub line: Option<u32>,
    pub reason: String,
}

/// What the front matter of the notes says that is not understood: they are searched all the same.
pub fn misread(root: &Path, snapshot: &Snapshot, max_bytes: u64) -> Vec<(NotePath, Warning)> {
    let of_note = |path: &NotePath| {
        let (bytes, _) = read_note(root, path, max_bytes).ok()?;
        Some(markdown::misread(&markdown::decode(&bytes).ok()?.text))
    };
    let files = snapshot.files.par_iter().map(|file| &file.path);
    let found = files.flat_map_iter(|path| {
        of_note(path).unwrap_or_default().into_iter().map(move |warning| (path.clone(), warning))
    });
    found.collect()
}

/// How notes are cut and named.
pub struct Chunker<'a> {
    pub limits: &'a Limits,
    /// Folder whose first level names scopes, relative to the root.
    pub write_root: &'a Path,
    pub count_tokens: &'a (dyn Fn(&str) -> usize + Sync),
    pub fingerprint: &'a Fingerprint,
    pub unwritten: Unwritten,
}

impl Chunker<'_> {
    /// Decodes, parses and cuts the bytes of a Markdown file. Comments, tables of contents and what still
    /// waits to be written are left out: they are blank from here on.
    ///
    /// # Errors
    /// A [`Problem`] when the bytes are no text or the text is beyond the parser's caps.
    pub fn cut_bytes(&self, path: &NotePath, blob: BlobId, bytes: &[u8]) -> Result<Note, Problem> {
        let problem = |reason: String| Problem { path: path.clone(), line: None, reason };
        let decoded = markdown::decode(bytes).map_err(|cause| problem(cause.to_string()))?;
        let mut text = decoded.text.into_owned();
        if path.as_path() == changelog::page(self.write_root) {
            // What the page gathers is indexed where it stands.
            text.truncate(changelog::without_block(&text).len());
        }
        let (text, document) = self.said(path, text)?;
        let warning = document.warnings.first().map(|warning| match warning.line {
            Some(line) => format!("line {line}: {}", warning.message),
            None => warning.message.clone(),
        });
        let title = document.title().map(str::to_owned);
        let chunks = self.chunks(&text, &document);
        let FrontMatter { created, updated, mut tags, scope, covers, .. } = document.front_matter;
        tags.extend(document.tags);
        let record = DocumentRecord {
            path: path.clone(),
            blob,
            titled: title.is_some(),
            title: title.unwrap_or_else(|| path.stem()),
            scope: scope.unwrap_or_else(|| scope_of(path, self.write_root)),
            tags,
            attributes: Attributes::Note { covers },
            created: created.map(jiff::Timestamp::as_second),
            updated: updated.map(jiff::Timestamp::as_second),
            note: warning.or(decoded.note),
        };
        Ok(Note::new(record, text, chunks, self.fingerprint))
    }

    /// Cuts the Markdown of a document of which all else is known.
    ///
    /// # Errors
    /// A [`Problem`] when the text is beyond the parser's caps.
    pub fn cut_made(&self, record: DocumentRecord, text: String) -> Result<Note, Problem> {
        let (text, document) = self.said(&record.path, text)?;
        let chunks = self.chunks(&text, &document);
        Ok(Note::new(record, text, chunks, self.fingerprint))
    }

    /// A text without what says nothing, and what it is.
    fn said(&self, path: &NotePath, text: String) -> Result<(String, Document), Problem> {
        let document = parse(path, &text)?;
        let mut unsaid = markdown::unsaid(&text, &document);
        unsaid.extend((self.unwritten)(&text, &document));
        if unsaid.is_empty() {
            return Ok((text, document));
        }
        unsaid.sort_by_key(|part| part.start);
        let text = markdown::blanked(&text, &unsaid);
        let document = parse(path, &text)?;
        Ok((text, document))
    }

    fn chunks(&self, text: &str, document: &Document) -> Vec<ChunkRecord> {
        let chunks = chunk::chunk(text, document, self.limits, self.count_tokens).into_iter();
        let record = |chunk: chunk::Chunk| ChunkRecord {
            lines: (*chunk.lines.start(), *chunk.lines.end()),
            range: chunk.range,
            breadcrumb: chunk.breadcrumb,
            lesson: None,
        };
        chunks.map(record).collect()
    }
}

impl Note {
    /// What is embedded of each chunk follows from its text and what stands above it.
    pub fn new(
        record: DocumentRecord,
        text: String,
        chunks: Vec<ChunkRecord>,
        fingerprint: &Fingerprint,
    ) -> Self {
        let title = record.titled.then_some(record.title.as_str());
        let passages: Vec<String> = chunks
            .iter()
            .map(|chunk| {
                let body = text.get(chunk.range.clone()).unwrap_or_default();
                passage(title, &chunk.breadcrumb, body)
            })
            .collect();
        let keys = passages.iter().map(|passage| key(fingerprint, passage)).collect();
        Self { record, text, chunks, passages, keys }
    }

    /// A document as a segment holds it.
    ///
    /// # Errors
    /// [`Malformed`] if the segment is damaged.
    pub fn of_segment(
        segment: &Segment,
        document: usize,
        fingerprint: &Fingerprint,
    ) -> Result<Self, Malformed> {
        let view = segment.document(document)?;
        let (record, chunks) = segment.records(&view)?;
        Ok(Self::new(record, segment.text(&view)?.to_owned(), chunks, fingerprint))
    }
}

fn parse(path: &NotePath, text: &str) -> Result<Document, Problem> {
    markdown::parse(text).map_err(|cause| Problem {
        path: path.clone(),
        line: None,
        reason: cause.to_string(),
    })
}

/// The text that is embedded for a chunk: title, headings, body.
///
/// The title is left out when it is only the file name, so that a rename embeds nothing. CRLF is
/// taken as LF, so that git's conversion of line endings embeds nothing either.
pub fn passage(title: Option<&str>, breadcrumb: &[String], body: &str) -> String {
    let title = title.unwrap_or_default();
    let headings = breadcrumb.iter().map(String::as_str).filter(|&heading| heading != title);
    let parts = std::iter::once(title).chain(headings).filter(|part| !part.is_empty());
    let mut passage = parts.collect::<Vec<_>>().join(" > ");
    if !passage.is_empty() {
        passage.push('\n');
    }
    passage.push_str(body.trim());
    if passage.contains('\r') { passage.replace("\r\n", "\n") } else { passage }
}

/// Names a vector after what it is made from.
pub fn key(fingerprint: &Fingerprint, passage: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(fingerprint.as_str().as_bytes());
    hasher.update(&[0]);
    hasher.update(passage.as_bytes());
    let mut key = [0; 16];
    hasher.finalize_xof().fill(&mut key);
    key
}

/// The scope of a note without `scope:`: named by the first folder below the write root, else
/// [`Scope::User`].
fn scope_of(path: &NotePath, write_root: &Path) -> Scope {
    path.as_path()
        .strip_prefix(write_root)
        .ok()
        .filter(|below| below.components().count() > 1)
        .and_then(|below| below.components().next())
        .and_then(|folder| folder.as_os_str().to_str())
        .and_then(|folder| folder.parse().ok())
        .unwrap_or(Scope::User)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_come_from_folders() {
        for (path, scope) in [
            ("knowledge/system/a.md", Scope::System),
            ("knowledge/learned/failures/a.md", Scope::Learned),
            ("knowledge/plugins/a.md", Scope::Plugin),
            ("knowledge/user/system/a.md", Scope::User),
            ("docs/system/a.md", Scope::User),
            ("a.md", Scope::User),
        ] {
            assert_eq!(scope_of(&path.into(), Path::new("knowledge")), scope, "{path}");
        }
    }

    #[test]
    fn a_passage_says_where_it_stands() {
        let crumbs = ["Otters".to_owned(), "Sleep".to_owned()];
        assert_eq!(passage(Some("Otters"), &crumbs, "\nhands\n"), "Otters > Sleep\nhands");
        assert_eq!(passage(None, &[], "hands\n"), "hands");
        assert_eq!(passage(None, &[], "\r\nhold\r\nhands\r\n"), "hold\nhands");
        assert_eq!(passage(None, &[], "hold\rhands"), "hold\rhands", "no line ending of git's");
    }

    #[test]
    fn what_says_nothing_is_left_out_and_nothing_else_changes() {
        let model = elophanto_models::builtin::Builtin::new();
        let chunker = Chunker {
            limits: &Limits::default(),
            write_root: Path::new("knowledge"),
            count_tokens: &elophanto_models::builtin::count_tokens,
            fingerprint: elophanto_models::Embedder::fingerprint(&model),
            unwritten: |text, _| text.find("waits").map(|at| at..at + 5).into_iter().collect(),
        };
        for (text, passages) in [
            // These are as every version before has embedded them.
            (
                "# A\n\nText.\n\n\n## B\n\nMore  text. \n\n| a | b |\n|---|---|\n| c | d |\n",
                &["A\n# A\n\nText.\n\n\n## B\n\nMore  text. \n\n| a | b |\n|---|---|\n| c | d |"][..],
            ),
            ("plain\n", &["plain"]),
            ("# A\n\nText. <!-- b -->\n", &["A\n# A\n\nText."]),
            ("---\ntags: [c]\n---\n# A\n\nText. #b/d\n", &["A\n# A\n\nText. #b/d"]),
            ("# A\n\nIt waits.\n", &["A\n# A\n\nIt      ."]),
            ("<!-- b -->\n", &[]),
        ] {
            let bytes = text.as_bytes();
            let note = chunker.cut_bytes(&"a.md".into(), BlobId::of(bytes), bytes).unwrap();
            assert_eq!(note.passages, passages, "{text}");
            let tags: &[&str] = if text.contains("#b") { &["c", "b/d"] } else { &[] };
            assert_eq!(note.record.tags, tags, "{text}");
            assert_eq!(note.text.len(), text.len());
            // What a segment keeps of it gives the same again.
            let analyzer = elophanto_base::lexical::Analyzer::new("english");
            let mut builder = crate::store::segment::SegmentBuilder::new(&analyzer);
            builder.add(&note.record, &note.text, &note.chunks);
            let segment = Segment::in_memory(builder.finish()).unwrap();
            let again = Note::of_segment(&segment, 0, chunker.fingerprint).unwrap();
            assert_eq!((again.passages, again.keys), (note.passages, note.keys), "{text}");
            assert_eq!((again.record, again.text), (note.record, note.text), "{text}");
        }
    }
}
