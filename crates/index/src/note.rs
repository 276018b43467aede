//! One note, from bytes to what a segment and the embedder need.

use std::{ops::Range, path::Path};

use super::form::{self, Form};
use crate::store::{
    matrix::Key,
    segment::{ChunkRecord, DocumentRecord},
};
use elophanto_models::Fingerprint;
use elophanto_repo::{BlobId, NotePath};
use elophanto_text::{
    changelog,
    chunk::{self, Limits},
    markdown::{self, Document, FrontMatter, Scope},
};

/// Tells which parts of a note still wait to be written: bytes of the text that was parsed.
pub type Unwritten = fn(&str, &Document) -> Vec<Range<usize>>;

/// A note cut into chunks.
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

/// How notes are cut and named.
pub struct Chunker<'a> {
    pub limits: &'a Limits,
    /// Folder whose first level names scopes, relative to the root.
    pub write_root: &'a Path,
    pub count_tokens: &'a (dyn Fn(&str) -> usize + Sync),
    pub fingerprint: &'a Fingerprint,
    /// Of files that are no notes.
    pub form: Option<&'a Form>,
    pub unwritten: Unwritten,
}

impl Chunker<'_> {
    /// Decodes, parses and cuts the bytes of a file. Comments, tables of contents and what still
    /// waits to be written are left out: they are blank from here on.
    ///
    /// # Errors
    /// A [`Problem`] when the bytes are no text or the text is beyond the parser's caps.
    pub fn cut_bytes(&self, path: &NotePath, blob: BlobId, bytes: &[u8]) -> Result<Note, Problem> {
        if let Some(form) = self.form {
            return self.cut(path, blob, (form.read)(path, bytes), None);
        }
        let problem = |reason: String| Problem { path: path.clone(), line: None, reason };
        let decoded = markdown::decode(bytes).map_err(|cause| problem(cause.to_string()))?;
        let mut text = decoded.text.into_owned();
        if path.as_path() == changelog::page(self.write_root) {
            // What the page gathers is indexed where it stands.
            text.truncate(changelog::without_block(&text).len());
        }
        let mut document = parse(path, &text)?;
        let mut unsaid = markdown::unsaid(&text, &document);
        unsaid.extend((self.unwritten)(&text, &document));
        if !unsaid.is_empty() {
            unsaid.sort_by_key(|part| part.start);
            text = markdown::blanked(&text, &unsaid);
            document = parse(path, &text)?;
        }
        Ok(self.cut_document(path, blob, text, document, decoded.note))
    }

    /// Parses and cuts text that was left of a file when it was cut first.
    pub fn cut(
        &self,
        path: &NotePath,
        blob: BlobId,
        text: String,
        note: Option<String>,
    ) -> Result<Note, Problem> {
        if let Some(form) = self.form {
            let sheet = (form.cut)(&text);
            return Ok(form::note(path, blob, text, sheet, |passage| {
                key(self.fingerprint, passage)
            }));
        }
        let document = parse(path, &text)?;
        Ok(self.cut_document(path, blob, text, document, note))
    }

    fn cut_document(
        &self,
        path: &NotePath,
        blob: BlobId,
        text: String,
        document: Document,
        note: Option<String>,
    ) -> Note {
        let title = document.title().map(str::to_owned);
        let chunks = chunk::chunk(&text, &document, self.limits, self.count_tokens);
        let mut records = Vec::with_capacity(chunks.len());
        let mut passages = Vec::with_capacity(chunks.len());
        let mut keys = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let body = text.get(chunk.range.clone()).unwrap_or_default();
            let passage = passage(title.as_deref(), &chunk.breadcrumb, body);
            keys.push(key(self.fingerprint, &passage));
            passages.push(passage);
            records.push(ChunkRecord {
                range: chunk.range,
                lines: (*chunk.lines.start(), *chunk.lines.end()),
                breadcrumb: chunk.breadcrumb,
            });
        }
        let warning = document.warnings.first().map(|warning| match warning.line {
            Some(line) => format!("line {line}: {}", warning.message),
            None => warning.message.clone(),
        });
        let FrontMatter { created, updated, tags, scope, covers, .. } = document.front_matter;
        let record = DocumentRecord {
            path: path.clone(),
            blob,
            titled: title.is_some(),
            title: title.unwrap_or_else(|| path.stem()),
            scope: scope.unwrap_or_else(|| scope_of(path, self.write_root)),
            tags,
            covers,
            created: created.map(jiff::Timestamp::as_second),
            updated: updated.map(jiff::Timestamp::as_second),
            note: warning.or(note),
        };
        Note { record, text, chunks: records, passages, keys }
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
            form: None,
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
            ("# A\n\nIt waits.\n", &["A\n# A\n\nIt      ."]),
            ("<!-- b -->\n", &[]),
        ] {
            let bytes = text.as_bytes();
            let note = chunker.cut_bytes(&"a.md".into(), BlobId::of(bytes), bytes).unwrap();
            assert_eq!(note.passages, passages, "{text}");
            assert_eq!(note.text.len(), text.len());
            // What is cut again from what a segment keeps is the same.
            let again = chunker.cut(&"a.md".into(), BlobId::of(bytes), note.text, None).unwrap();
            assert_eq!(again.keys, note.keys, "{text}");
        }
    }
}
