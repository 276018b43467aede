//! Reading a segment. Everything that is returned was checked against a checksum first; a text when
//! this process reads it for the first time.

use std::{
    ops::Range,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    Attributes, CHUNK_BYTES, ChunkRecord, DocumentRecord, LessonRecord, MAGIC, Postings,
    TERM_INFO_BYTES, section,
};
use crate::store::{
    codec::{Malformed, Reader, Result, checksum, u32_at},
    container::{Container, OpenError},
};
use elophanto_repo::{BlobId, NotePath};
use elophanto_text::markdown::Scope;

/// An opened segment.
pub struct Segment {
    container: Container,
    documents: usize,
    chunks: usize,
    terms: usize,
    /// Per document, whether its text was checked.
    checked: Box<[AtomicBool]>,
}

/// A document as the segment holds it.
#[derive(Debug, Clone)]
pub struct DocumentView<'s> {
    pub path: NotePath,
    pub blob: BlobId,
    pub title: &'s str,
    /// Whether the title was given rather than taken from the file name.
    pub titled: bool,
    pub scope: Scope,
    pub tags: Vec<&'s str>,
    pub attributes: Attributes<&'s str>,
    /// Seconds since 1970.
    pub created: Option<i64>,
    /// Seconds since 1970.
    pub updated: Option<i64>,
    /// What was noticed while reading; empty if nothing.
    pub note: &'s str,
    /// Numbers of its chunks in the segment.
    pub chunks: Range<usize>,
    text: Range<usize>,
    text_sum: u64,
    number: usize,
}

/// A chunk as the segment holds it.
#[derive(Debug, Clone)]
pub struct ChunkView {
    pub document: usize,
    /// Bytes of the document's text.
    pub range: Range<usize>,
    /// First and last line in the file, from 1.
    pub lines: (usize, usize),
    /// Words in its text, title and headings, without stop words: the document length of BM25.
    pub words: u32,
    breadcrumb: usize,
}

impl Segment {
    /// Maps a file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::of(Container::open(path, MAGIC)?)
            .map_err(|Malformed| OpenError::Damaged { path: path.to_owned() })
    }

    /// Takes bytes from [`super::SegmentBuilder::finish`].
    pub fn in_memory(bytes: Vec<u8>) -> Result<Self> {
        Self::of(Container::in_memory(bytes, MAGIC)?)
    }

    fn of(container: Container) -> Result<Self> {
        let mut meta = Reader::new(container.section(section::META));
        let documents = meta.u32()? as usize;
        let chunks = meta.u32()? as usize;
        let terms = meta.u32()? as usize;
        let fits = container.section(section::DOCUMENT_OFFSETS).len() == (documents + 1) * 4
            && container.section(section::CHUNKS).len() == chunks * CHUNK_BYTES
            && container.section(section::TERM_OFFSETS).len() == (terms + 1) * 4
            && container.section(section::TERM_INFO).len() == terms * TERM_INFO_BYTES;
        if !fits {
            return Err(Malformed);
        }
        let checked = (0..documents).map(|_| AtomicBool::new(false)).collect();
        Ok(Self { container, documents, chunks, terms, checked })
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> usize {
        self.container.size()
    }

    /// A document by its number.
    pub fn document(&self, number: usize) -> Result<DocumentView<'_>> {
        let offsets = self.container.section(section::DOCUMENT_OFFSETS);
        let (start, end) = (u32_at(offsets, number)?, u32_at(offsets, number + 1)?);
        let all = self.container.section(section::DOCUMENTS);
        let mut reader = Reader::new(all.get(start as usize..end as usize).ok_or(Malformed)?);
        let path = NotePath::new(reader.block()?);
        let blob =
            BlobId::from_bytes(reader.take(BlobId::LENGTH)?.try_into().map_err(|_| Malformed)?);
        let title = reader.text()?;
        let titled = reader.u8()? != 0;
        let scope = reader.text()?.parse().map_err(|_| Malformed)?;
        let tags = (0..reader.size()?).map(|_| reader.text()).collect::<Result<_, _>>()?;
        let attributes = Attributes::read(&mut reader)?;
        let time = |value: i64| (value != i64::MIN).then_some(value);
        let (created, updated) = (time(reader.i64()?), time(reader.i64()?));
        let note = reader.text()?;
        let (first, count) = (reader.size()?, reader.size()?);
        let (text_start, text_length) = (reader.size()?, reader.size()?);
        let chunks = first..first.checked_add(count).ok_or(Malformed)?;
        let text = text_start..text_start.checked_add(text_length).ok_or(Malformed)?;
        if chunks.end > self.chunks {
            return Err(Malformed);
        }
        let text_sum = reader.u64()?;
        Ok(DocumentView {
            path,
            blob,
            title,
            titled,
            scope,
            tags,
            attributes,
            created,
            updated,
            note,
            chunks,
            text,
            text_sum,
            number,
        })
    }

    /// Only path, blob and chunks of a document: what deciding what is current needs.
    pub fn identity(&self, number: usize) -> Result<(&[u8], BlobId)> {
        let offsets = self.container.section(section::DOCUMENT_OFFSETS);
        let all = self.container.section(section::DOCUMENTS);
        let start = u32_at(offsets, number)? as usize;
        let mut reader = Reader::new(all.get(start..).ok_or(Malformed)?);
        let path = reader.block()?;
        let blob = reader.take(BlobId::LENGTH)?.try_into().map_err(|_| Malformed)?;
        Ok((path, BlobId::from_bytes(blob)))
    }

    /// The whole text of a document.
    pub fn text(&self, document: &DocumentView) -> Result<&str> {
        std::str::from_utf8(self.text_bytes(document)?).map_err(|_| Malformed)
    }

    /// Part of the text of a document.
    pub fn text_at(&self, document: &DocumentView, range: Range<usize>) -> Result<&str> {
        let bytes = self.text_bytes(document)?.get(range).ok_or(Malformed)?;
        std::str::from_utf8(bytes).map_err(|_| Malformed)
    }

    fn text_bytes(&self, document: &DocumentView) -> Result<&[u8]> {
        let texts = self.container.section(section::TEXTS);
        let bytes = texts.get(document.text.clone()).ok_or(Malformed)?;
        let checked = self.checked.get(document.number).ok_or(Malformed)?;
        if !checked.load(Ordering::Relaxed) {
            if checksum(bytes) != document.text_sum {
                return Err(Malformed);
            }
            checked.store(true, Ordering::Relaxed);
        }
        Ok(bytes)
    }

    /// A chunk by its number.
    pub fn chunk(&self, number: usize) -> Result<ChunkView> {
        let field = |index| u32_at(self.chunk_bytes(number)?, index).map(|value| value as usize);
        Ok(ChunkView {
            document: field(0)?,
            range: field(1)?..field(2)?,
            lines: (field(3)?, field(4)?),
            words: field(5)? as u32,
            breadcrumb: field(6)?,
        })
    }

    /// Words of a chunk, without decoding the rest.
    pub fn chunk_words(&self, number: usize) -> u32 {
        self.chunk_bytes(number).and_then(|bytes| u32_at(bytes, 5)).unwrap_or(0)
    }

    /// Number of the document that holds a chunk.
    pub fn chunk_document(&self, number: usize) -> usize {
        self.chunk_bytes(number).and_then(|bytes| u32_at(bytes, 0)).unwrap_or(0) as usize
    }

    /// The text of a chunk.
    pub fn chunk_text(&self, chunk: &ChunkView) -> Result<&str> {
        let document = self.document(chunk.document)?;
        self.text_at(&document, chunk.range.clone())
    }

    /// Headings above a chunk, outermost first.
    pub fn breadcrumb(&self, chunk: &ChunkView) -> Result<Vec<&str>> {
        let mut reader = self.headings(chunk)?;
        (0..reader.size()?).map(|_| reader.text()).collect()
    }

    fn headings(&self, chunk: &ChunkView) -> Result<Reader<'_>> {
        let all = self.container.section(section::BREADCRUMBS);
        Ok(Reader::new(all.get(chunk.breadcrumb..).ok_or(Malformed)?))
    }

    /// What a chunk that is a lesson says beside its text; `None` if it is none.
    pub fn lesson(&self, chunk: &ChunkView) -> Result<Option<LessonRecord<&str>>> {
        let mut reader = self.headings(chunk)?;
        for _ in 0..reader.size()? {
            reader.block()?;
        }
        if reader.u8()? == 0 { Ok(None) } else { LessonRecord::read(&mut reader).map(Some) }
    }

    /// A document and its chunks as they were when the segment was built.
    pub fn records(&self, document: &DocumentView) -> Result<(DocumentRecord, Vec<ChunkRecord>)> {
        let chunks = document.chunks.clone().map(|number| {
            let chunk = self.chunk(number)?;
            Ok(ChunkRecord {
                breadcrumb: self.breadcrumb(&chunk)?.into_iter().map(str::to_owned).collect(),
                lesson: self.lesson(&chunk)?.map(|lesson| lesson.to_owned()),
                range: chunk.range,
                lines: chunk.lines,
            })
        });
        let record = DocumentRecord {
            path: document.path.clone(),
            blob: document.blob,
            title: document.title.to_owned(),
            titled: document.titled,
            scope: document.scope,
            tags: document.tags.iter().map(|&tag| tag.to_owned()).collect(),
            attributes: document.attributes.to_owned(),
            created: document.created,
            updated: document.updated,
            note: (!document.note.is_empty()).then(|| document.note.to_owned()),
        };
        Ok((record, chunks.collect::<Result<_>>()?))
    }

    /// Where a term occurs; `None` if nowhere.
    pub fn postings(&self, term: &str) -> Result<Option<Postings<'_>>> {
        match self.find_term(term)? {
            Some(number) => self.term_postings(number).map(Some),
            None => Ok(None),
        }
    }

    /// All terms in byte order, those of documents that are no longer current included.
    pub fn terms(&self) -> impl Iterator<Item = Result<&str>> {
        (0..self.terms).map(|number| std::str::from_utf8(self.term(number)?).map_err(|_| Malformed))
    }

    fn chunk_bytes(&self, number: usize) -> Result<&[u8]> {
        let all = self.container.section(section::CHUNKS);
        all.get(number * CHUNK_BYTES..(number + 1) * CHUNK_BYTES).ok_or(Malformed)
    }

    fn find_term(&self, term: &str) -> Result<Option<usize>> {
        let (mut low, mut high) = (0, self.terms);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.term(middle)?.cmp(term.as_bytes()) {
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn term(&self, number: usize) -> Result<&[u8]> {
        let offsets = self.container.section(section::TERM_OFFSETS);
        let (start, end) = (u32_at(offsets, number)?, u32_at(offsets, number + 1)?);
        let terms = self.container.section(section::TERMS);
        terms.get(start as usize..end as usize).ok_or(Malformed)
    }

    fn term_postings(&self, number: usize) -> Result<Postings<'_>> {
        let infos = self.container.section(section::TERM_INFO);
        let mut info = Reader::new(infos.get(number * TERM_INFO_BYTES..).ok_or(Malformed)?);
        let offset = usize::try_from(info.u64()?).map_err(|_| Malformed)?;
        let length = info.u32()? as usize;
        let _chunks = info.u32()?;
        let sum = info.u32()?;
        let end = offset.checked_add(length).ok_or(Malformed)?;
        let postings = self.container.section(section::POSTINGS);
        let bytes = postings.get(offset..end).ok_or(Malformed)?;
        if checksum(bytes) as u32 == sum { Ok(Postings::new(bytes)) } else { Err(Malformed) }
    }
}
