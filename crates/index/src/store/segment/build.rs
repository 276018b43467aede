//! Building a segment from parsed documents.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{
    Attributes, FIELD_BREADCRUMB, FIELD_PATH, FIELD_TAGS, FIELD_TITLE, LessonRecord, MAGIC,
    OTHER_LETTERS_TERM, language_term, postings::PostingsWriter,
};
use crate::store::{
    codec::{Writer, checksum},
    container::{Section, assemble},
};
use elophanto_base::lexical::{self, Analyzer, Language, is_in_other_letters, words};
use elophanto_repo::{BlobId, NotePath};
use elophanto_text::markdown::Scope;

/// What is known of a document besides its text.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRecord {
    pub path: NotePath,
    pub blob: BlobId,
    pub title: String,
    /// Whether the title was given (front matter or heading) rather than taken from the file name.
    pub titled: bool,
    pub scope: Scope,
    pub tags: Vec<String>,
    pub attributes: Attributes,
    /// Seconds since 1970, from front matter.
    pub created: Option<i64>,
    /// Seconds since 1970, from front matter.
    pub updated: Option<i64>,
    /// What was noticed while reading, for the user.
    pub note: Option<String>,
}

/// A chunk of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkRecord {
    /// Bytes of the document's text.
    pub range: Range<usize>,
    /// First and last line in the file, from 1.
    pub lines: (usize, usize),
    pub breadcrumb: Vec<String>,
    /// What it says beside its text if it is one.
    pub lesson: Option<LessonRecord>,
}

/// A stop word, in the table of known words.
const STOP: u32 = u32::MAX;

/// Field bit of the text itself, only while building.
const FIELD_TEXT: u8 = 0;

/// Collects documents and writes them as one segment.
pub struct SegmentBuilder<'a> {
    analyzer: &'a Analyzer,
    document_offsets: Writer,
    documents: Writer,
    document_count: u32,
    chunks: Writer,
    chunk_count: u32,
    breadcrumbs: Writer,
    texts: Vec<u8>,
    /// Per language of a document (`None`: that of the analyzer), folded word -> term number, so that
    /// each distinct word is stemmed once.
    words: FxHashMap<Option<&'static str>, FxHashMap<Box<str>, u32>>,
    /// The language of the document at hand, if it is another than the analyzer's.
    language: Option<Language>,
    numbers: FxHashMap<Box<str>, u32>,
    terms: Vec<(Box<str>, PostingsWriter)>,
    /// Occurrences in the chunk at hand: term, field, position.
    occurrences: Vec<(u32, u8, u32)>,
    buffer: String,
}

impl<'a> SegmentBuilder<'a> {
    /// An empty segment whose terms come from this analyzer.
    pub fn new(analyzer: &'a Analyzer) -> Self {
        Self {
            analyzer,
            document_offsets: Writer::default(),
            documents: Writer::default(),
            document_count: 0,
            chunks: Writer::default(),
            chunk_count: 0,
            breadcrumbs: Writer::default(),
            texts: Vec::new(),
            words: FxHashMap::default(),
            language: None,
            numbers: FxHashMap::default(),
            terms: Vec::new(),
            occurrences: Vec::new(),
            buffer: String::new(),
        }
    }

    /// Adds a document with its whole text; chunk ranges are byte ranges of that text.
    pub fn add(&mut self, document: &DocumentRecord, text: &str, chunks: &[ChunkRecord]) {
        self.document_offsets.u32(self.documents.bytes.len() as u32);
        write_document(&mut self.documents, document);
        let out = &mut self.documents;
        out.varint(u64::from(self.chunk_count));
        out.varint(chunks.len() as u64);
        out.varint(self.texts.len() as u64);
        out.varint(text.len() as u64);
        out.u64(checksum(text.as_bytes()));
        self.texts.extend_from_slice(text.as_bytes());

        self.language = self.analyzer.other_language_of(text);
        let mut shared = Vec::new();
        if let Some(language) = self.language.or(self.analyzer.language()) {
            let term = self.number(&language_term(language));
            shared.push((term, FIELD_TAGS, 0));
        }
        if is_in_other_letters(text) {
            shared.push((self.number(OTHER_LETTERS_TERM), FIELD_TAGS, 0));
        }
        let path = document.path.to_text();
        let tags = document.tags.join(" ");
        let title = if document.titled { document.title.as_str() } else { "" };
        for (field, text) in
            [(FIELD_TITLE, title), (FIELD_TAGS, tags.as_str()), (FIELD_PATH, path.as_str())]
        {
            self.occurrences.clear();
            self.count_words(text, field);
            shared.append(&mut self.occurrences);
        }
        for chunk in chunks {
            self.add_chunk(chunk, text, &shared);
        }
        self.document_count += 1;
    }

    /// Number of chunks added.
    pub fn chunk_count(&self) -> usize {
        self.chunk_count as usize
    }

    /// Bytes of text added.
    pub fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// The bytes of the segment file.
    pub fn finish(mut self) -> Vec<u8> {
        self.document_offsets.u32(self.documents.bytes.len() as u32);
        self.terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut term_offsets = Writer::default();
        let mut terms = Vec::new();
        let mut infos = Writer::default();
        let mut postings = Vec::new();
        for (term, writer) in &self.terms {
            term_offsets.u32(terms.len() as u32);
            terms.extend_from_slice(term.as_bytes());
            infos.u64(postings.len() as u64);
            infos.u32(writer.bytes.len() as u32);
            infos.u32(writer.chunks);
            infos.u32(checksum(&writer.bytes) as u32);
            postings.extend_from_slice(&writer.bytes);
        }
        term_offsets.u32(terms.len() as u32);
        let mut meta = Writer::default();
        meta.u32(self.document_count);
        meta.u32(self.chunk_count);
        meta.u32(self.terms.len() as u32);
        let checked = |bytes| Section { bytes, checked: true };
        let parts_checked = |bytes| Section { bytes, checked: false };
        assemble(
            MAGIC,
            &[
                checked(&meta.bytes),
                checked(&self.document_offsets.bytes),
                checked(&self.documents.bytes),
                checked(&self.chunks.bytes),
                checked(&self.breadcrumbs.bytes),
                checked(&term_offsets.bytes),
                checked(&terms),
                checked(&infos.bytes),
                parts_checked(&postings),
                parts_checked(&self.texts),
            ],
        )
    }

    fn add_chunk(&mut self, chunk: &ChunkRecord, text: &str, shared: &[(u32, u8, u32)]) {
        self.occurrences.clear();
        let body = text.get(chunk.range.clone()).unwrap_or_default();
        self.count_words(body, FIELD_TEXT);
        for heading in &chunk.breadcrumb {
            self.count_words(heading, FIELD_BREADCRUMB);
        }
        self.occurrences.extend_from_slice(shared);
        // Tags and path say what a note is about; they do not make it longer.
        let counts = |field| field == FIELD_TEXT || field & (FIELD_TITLE | FIELD_BREADCRUMB) > 0;
        let length = self.occurrences.iter().filter(|occurrence| counts(occurrence.1)).count();
        for number in [
            self.document_count,
            chunk.range.start as u32,
            chunk.range.end as u32,
            chunk.lines.0 as u32,
            chunk.lines.1 as u32,
            length as u32,
            self.breadcrumbs.bytes.len() as u32,
        ] {
            self.chunks.u32(number);
        }
        self.breadcrumbs.varint(chunk.breadcrumb.len() as u64);
        for heading in &chunk.breadcrumb {
            self.breadcrumbs.block(heading.as_bytes());
        }
        self.breadcrumbs.u8(u8::from(chunk.lesson.is_some()));
        if let Some(lesson) = &chunk.lesson {
            lesson.write(&mut self.breadcrumbs);
        }
        // Text comes first within a term, its positions ascending.
        self.occurrences.sort_unstable();
        for group in self.occurrences.chunk_by(|a, b| a.0 == b.0) {
            let in_text = group.partition_point(|occurrence| occurrence.1 == FIELD_TEXT);
            let fields =
                group[in_text..].iter().fold(0, |fields, occurrence| fields | occurrence.1);
            let positions = group[..in_text].iter().map(|occurrence| occurrence.2);
            if let Some((_, writer)) = self.terms.get_mut(group[0].0 as usize) {
                writer.push(self.chunk_count, fields, positions);
            }
        }
        self.chunk_count += 1;
    }

    fn count_words(&mut self, text: &str, field: u8) {
        let analyzer = self.language.map_or(self.analyzer, |language| language.analyzer());
        let language = self.language.map(Language::name);
        let mut known = std::mem::take(self.words.entry(language).or_default());
        let mut buffer = std::mem::take(&mut self.buffer);
        for word in words(text) {
            lexical::fold(&text[word.range], &mut buffer);
            let term = match known.get(buffer.as_str()) {
                Some(&term) => term,
                None => {
                    let term = analyzer.term(&buffer).map_or(STOP, |term| self.number(&term));
                    known.insert(buffer.as_str().into(), term);
                    term
                }
            };
            if term != STOP {
                self.occurrences.push((term, field, word.position));
            }
        }
        self.buffer = buffer;
        self.words.insert(language, known);
    }

    fn number(&mut self, term: &str) -> u32 {
        if let Some(&number) = self.numbers.get(term) {
            return number;
        }
        let number = self.terms.len() as u32;
        self.numbers.insert(term.into(), number);
        self.terms.push((term.into(), PostingsWriter::default()));
        number
    }
}

fn write_document(out: &mut Writer, document: &DocumentRecord) {
    out.block(document.path.as_bytes());
    out.bytes.extend_from_slice(document.blob.as_bytes());
    out.block(document.title.as_bytes());
    out.u8(u8::from(document.titled));
    out.block(document.scope.as_str().as_bytes());
    out.varint(document.tags.len() as u64);
    for tag in &document.tags {
        out.block(tag.as_bytes());
    }
    document.attributes.write(out);
    out.i64(document.created.unwrap_or(i64::MIN));
    out.i64(document.updated.unwrap_or(i64::MIN));
    out.block(document.note.as_deref().unwrap_or_default().as_bytes());
}
