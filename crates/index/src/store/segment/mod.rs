//! A segment: some documents with their chunks, texts and inverted index, written once.
//!
//! Owns the file format. A segment knows nothing of which of its documents are still current;
//! that is the view's business. Vectors lie beside it in a `matrix`, so that another model
//! rewrites only those.

mod attributes;
mod build;
mod postings;
mod read;

pub use attributes::{Against, Attributes, Correction, LessonRecord, MadeFrom, Otherwise};
pub use build::{ChunkRecord, DocumentRecord, SegmentBuilder};
pub use postings::{FIELD_BREADCRUMB, FIELD_PATH, FIELD_TAGS, FIELD_TITLE, Posting, Postings};
pub use read::{ChunkView, DocumentView, Segment};

use elophanto_base::lexical::Language;

const MAGIC: &[u8; 8] = b"ELOSEG01";

/// Sections of the file, by number.
mod section {
    pub const META: usize = 0;
    pub const DOCUMENT_OFFSETS: usize = 1;
    pub const DOCUMENTS: usize = 2;
    pub const CHUNKS: usize = 3;
    pub const BREADCRUMBS: usize = 4;
    pub const TERM_OFFSETS: usize = 5;
    pub const TERMS: usize = 6;
    pub const TERM_INFO: usize = 7;
    pub const POSTINGS: usize = 8;
    pub const TEXTS: usize = 9;
}

/// The term that the chunks of notes in a language have: no word of a text is one.
pub fn language_term(language: Language) -> String {
    format!("\u{1}{}", language.name())
}

/// The term that the chunks of notes in other letters than the Latin ones have.
pub const OTHER_LETTERS_TERM: &str = "\u{1}letters";

/// Bytes of a chunk record: document, start, end, first line, last line, words, breadcrumb offset.
const CHUNK_BYTES: usize = 7 * 4;
/// Bytes of a term record: offset of its postings (u64), length, chunks that hold it, checksum.
const TERM_INFO_BYTES: usize = 8 + 4 + 4 + 4;

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_base::lexical::Analyzer;
    use elophanto_repo::BlobId;
    use elophanto_text::markdown::Scope;

    fn sample() -> Vec<u8> {
        let analyzer = Analyzer::new("english");
        let mut builder = SegmentBuilder::new(&analyzer);
        for (path, text) in [("a.md", "# Otters\nOtters hold hands. Hands!\n"), ("b.md", "sleep")] {
            let chunk = ChunkRecord {
                range: 0..text.len(),
                lines: (1, 2),
                breadcrumb: vec!["Otters".to_owned()],
                lesson: None,
            };
            builder.add(
                &DocumentRecord {
                    path: path.into(),
                    blob: BlobId::of(text.as_bytes()),
                    title: "Otters".to_owned(),
                    titled: true,
                    scope: Scope::User,
                    tags: vec!["sea".to_owned()],
                    attributes: Attributes::Note { covers: vec!["src/*.rs".to_owned()] },
                    created: None,
                    updated: Some(5),
                    note: None,
                },
                text,
                &[chunk],
            );
        }
        builder.finish()
    }

    #[test]
    fn what_is_built_is_read() {
        let segment = Segment::in_memory(sample()).expect("just built");
        assert_eq!((segment.documents(), segment.chunks()), (2, 2));
        let document = segment.document(0).unwrap();
        assert_eq!((document.title, document.updated, document.chunks), ("Otters", Some(5), 0..1));
        let covers = Attributes::Note { covers: vec!["src/*.rs"] };
        assert_eq!((document.tags, document.attributes), (vec!["sea"], covers));
        let chunk = segment.chunk(0).unwrap();
        assert_eq!(segment.chunk_text(&chunk).unwrap(), "# Otters\nOtters hold hands. Hands!\n");
        assert_eq!(segment.breadcrumb(&chunk).unwrap(), ["Otters"]);

        let hits: Vec<Posting> =
            segment.postings("hand").unwrap().unwrap().map(Result::unwrap).collect();
        assert_eq!((hits.len(), hits[0].chunk, hits[0].count), (1, 0, 2));
        assert_eq!(hits[0].positions, [3, 4]);
        let title: Vec<Posting> =
            segment.postings("otter").unwrap().unwrap().map(Result::unwrap).collect();
        assert_eq!(title.len(), 2);
        assert_eq!(title[1].fields, FIELD_TITLE | FIELD_BREADCRUMB);
        assert_eq!(title[1].count, 0);
        assert!(segment.postings("nowhere").unwrap().is_none());
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = sample();
        let read = |bytes: Vec<u8>| -> Option<String> {
            let segment = Segment::in_memory(bytes).ok()?;
            let mut all = String::new();
            for number in 0..segment.documents() {
                let document = segment.document(number).ok()?;
                all.push_str(&format!("{:?} {}", document.path, segment.text(&document).ok()?));
            }
            for term in ["otter", "hand", "sleep", "sea"] {
                for posting in segment.postings(term).ok()?? {
                    all.push_str(&format!("{:?}", posting.ok()?));
                }
            }
            Some(all)
        };
        let right = read(bytes.clone());
        assert!(right.is_some());
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let answer = read(damaged);
            assert!(answer.is_none() || answer == right, "bit {bit} went unnoticed");
        }
    }
}
