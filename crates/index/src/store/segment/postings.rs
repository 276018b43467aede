//! Where a term occurs: chunk by chunk, with its fields and its positions in the text.
//!
//! Per chunk: distance to the previous chunk (varint), fields (u8), count in the text (varint),
//! then as many distances between positions (varints).

use crate::store::codec::{Malformed, Reader, Result, varint};

/// The term is in the title.
pub const FIELD_TITLE: u8 = 1;
/// The term is in a heading above the chunk.
pub const FIELD_BREADCRUMB: u8 = 2;
/// The term is one of the tags, or part of one.
pub const FIELD_TAGS: u8 = 4;
/// The term is in the path.
pub const FIELD_PATH: u8 = 8;

/// One chunk that holds the term.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Posting {
    pub chunk: u32,
    /// Bits `FIELD_*`.
    pub fields: u8,
    /// Occurrences in the chunk's text.
    pub count: u32,
    /// Ordinals of the words in the chunk's text, ascending.
    pub positions: Vec<u32>,
}

/// Writes the postings of one term.
#[derive(Default)]
pub struct PostingsWriter {
    pub bytes: Vec<u8>,
    pub chunks: u32,
    last: u32,
}

impl PostingsWriter {
    /// Appends a chunk; chunks must ascend.
    pub fn push(&mut self, chunk: u32, fields: u8, positions: impl ExactSizeIterator<Item = u32>) {
        varint(&mut self.bytes, u64::from(chunk - self.last));
        self.bytes.push(fields);
        varint(&mut self.bytes, positions.len() as u64);
        let mut before = 0;
        for position in positions {
            varint(&mut self.bytes, u64::from(position - before));
            before = position;
        }
        self.last = chunk;
        self.chunks += 1;
    }
}

/// Reads the postings of one term, already checked against their checksum.
pub struct Postings<'s> {
    reader: Reader<'s>,
    chunk: u64,
    /// Positions of the last chunk that were not read.
    unread: u32,
}

impl<'s> Postings<'s> {
    pub(super) fn new(bytes: &'s [u8]) -> Self {
        Self { reader: Reader::new(bytes), chunk: 0, unread: 0 }
    }

    /// Visits chunk, fields and count without decoding positions.
    pub fn for_each(mut self, mut visit: impl FnMut(u32, u8, u32)) -> Result<()> {
        while let Some((chunk, fields, count)) = self.head()? {
            visit(chunk, fields, count);
        }
        Ok(())
    }

    /// The next chunk, its fields and how often the term is in its text. [`Self::positions`] are decoded
    /// only for a chunk that is asked for them.
    #[inline]
    pub fn head(&mut self) -> Result<Option<(u32, u8, u32)>> {
        self.reader.skip_varints(self.unread)?;
        self.unread = 0;
        if self.reader.is_empty() {
            return Ok(None);
        }
        self.chunk = self.chunk.checked_add(self.reader.varint()?).ok_or(Malformed)?;
        let fields = self.reader.u8()?;
        self.unread = u32::try_from(self.reader.varint()?).map_err(|_| Malformed)?;
        Ok(Some((u32::try_from(self.chunk).map_err(|_| Malformed)?, fields, self.unread)))
    }

    /// Where the term stands in the text of the chunk that was returned last, in the place of what
    /// `positions` held; none when asked again.
    pub fn positions(&mut self, positions: &mut Vec<u32>) -> Result<()> {
        positions.clear();
        let mut position = 0u64;
        for _ in 0..std::mem::take(&mut self.unread) {
            position = position.checked_add(self.reader.varint()?).ok_or(Malformed)?;
            positions.push(u32::try_from(position).map_err(|_| Malformed)?);
        }
        Ok(())
    }
}

impl Iterator for Postings<'_> {
    type Item = Result<Posting>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut next = || {
            let Some((chunk, fields, count)) = self.head()? else { return Ok(None) };
            let mut positions = Vec::new();
            self.positions(&mut positions)?;
            Ok(Some(Posting { chunk, fields, count, positions }))
        };
        next().transpose()
    }
}
