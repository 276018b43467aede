//! What is known of a document, or of a chunk, beside the text that is searched.
//!
//! Owns the types and their bytes. `T` is `String` where a segment is written and `&str` where it
//! is read. It refuses to know where any of it comes from.

use elophanto_repo::BlobId;
use jiff::Timestamp;

use crate::store::codec::{Malformed, Reader, Result, Writer};

/// What is known of a document, by what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attributes<T = String> {
    Note {
        /// Patterns of the sources that it describes.
        covers: Vec<T>,
    },
    Summary(MadeFrom<T>),
    Facts {
        /// The content of the page.
        page: BlobId,
        /// Every name of the entity, the one it is shown under first.
        names: Vec<T>,
        /// What of it notes of the user say otherwise.
        against: Vec<Against<T>>,
        /// Facts of the entity that say otherwise than others of this page; of each line the newest
        /// first.
        otherwise: Vec<Otherwise<T>>,
    },
    Lessons {
        /// Ids of records, of any file, that were taken back.
        retired: Vec<T>,
        /// Records of any file that were taken back as another lesson says the same: `new` is a record
        /// of that.
        joins: Vec<Correction<T>>,
        /// Records of this file that replace one of any file.
        corrections: Vec<Correction<T>>,
    },
}

/// What a summary was made from: its text may no longer be that of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFrom<T = String> {
    /// Name of the file's content then, in hex.
    pub blob: T,
    /// First and last line of the file that it speaks of, from 1.
    pub lines: (usize, usize),
    /// Whether a part of the file is meant, not all of it.
    pub is_part: bool,
}

/// That a note of the user says otherwise than a line of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Against<T = String> {
    /// 1-based.
    pub line: usize,
    /// Path of the note.
    pub note: T,
}

/// That another fact says otherwise than a line of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Otherwise<T = String> {
    /// 1-based.
    pub line: usize,
    /// Path of the page of the other, and its line there.
    pub page: T,
    /// The line of its page, from 1.
    pub at_line: usize,
    /// What it says.
    pub text: T,
    /// Where it is from; empty if nobody said.
    pub source: T,
    /// When it was found out, in seconds since 1970.
    pub said: Option<i64>,
}

/// That a record replaces another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction<T = String> {
    /// Ids of the records.
    pub old: T,
    pub new: T,
    /// When the new one was written.
    pub at: Timestamp,
}

/// What a chunk that is a lesson says of it beside what is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonRecord<T = String> {
    pub id: T,
    pub timestamp: Timestamp,
    pub agent_id: T,
    pub repo: T,
    pub event_type: T,
    /// As in `9/10`; empty if nobody said.
    pub success_rate: T,
    /// Id of the record that it replaces; empty if there is none.
    pub replaces: T,
    /// Where its fields stand in the chunk's text, in bytes: context, command, lesson, tags.
    pub fields: [(usize, usize); 4],
}

impl<T: AsRef<str>> Attributes<T> {
    /// The name of the content that the document was made from, if that is another text than its
    /// own.
    pub fn made_from(&self) -> Option<BlobId> {
        match self {
            Self::Note { .. } | Self::Lessons { .. } => None,
            Self::Summary(made_from) => BlobId::from_hex(made_from.blob.as_ref()),
            Self::Facts { page, .. } => Some(*page),
        }
    }

    /// The same with texts of its own.
    pub fn to_owned(&self) -> Attributes {
        let all = |texts: &[T]| texts.iter().map(own).collect();
        match self {
            Self::Note { covers } => Attributes::Note { covers: all(covers) },
            Self::Summary(made_from) => Attributes::Summary(made_from.to_owned()),
            Self::Facts { page, names, against, otherwise } => Attributes::Facts {
                page: *page,
                names: all(names),
                against: against.iter().map(Against::to_owned).collect(),
                otherwise: otherwise.iter().map(Otherwise::to_owned).collect(),
            },
            Self::Lessons { retired, joins, corrections } => Attributes::Lessons {
                retired: all(retired),
                joins: joins.iter().map(Correction::to_owned).collect(),
                corrections: corrections.iter().map(Correction::to_owned).collect(),
            },
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        match self {
            Self::Note { covers } => {
                out.u8(0);
                texts(out, covers);
            }
            Self::Summary(MadeFrom { blob, lines, is_part }) => {
                out.u8(1);
                text(out, blob);
                range(out, *lines);
                out.u8(u8::from(*is_part));
            }
            Self::Facts { page, names, against, otherwise } => {
                out.u8(2);
                out.bytes.extend_from_slice(page.as_bytes());
                texts(out, names);
                out.varint(against.len() as u64);
                for Against { line, note } in against {
                    out.varint(*line as u64);
                    text(out, note);
                }
                out.varint(otherwise.len() as u64);
                otherwise.iter().for_each(|it| it.write(out));
            }
            Self::Lessons { retired, joins, corrections } => {
                out.u8(3);
                texts(out, retired);
                for corrections in [joins, corrections] {
                    out.varint(corrections.len() as u64);
                    for Correction { old, new, at } in corrections {
                        text(out, old);
                        text(out, new);
                        time(out, *at);
                    }
                }
            }
        }
    }
}

impl<'s> Attributes<&'s str> {
    pub(super) fn read(reader: &mut Reader<'s>) -> Result<Self> {
        Ok(match reader.u8()? {
            0 => Self::Note { covers: list(reader, Reader::text)? },
            1 => Self::Summary(MadeFrom {
                blob: reader.text()?,
                lines: (reader.size()?, reader.size()?),
                is_part: reader.u8()? != 0,
            }),
            2 => Self::Facts {
                page: BlobId::from_bytes(
                    reader.take(BlobId::LENGTH)?.try_into().map_err(|_| Malformed)?,
                ),
                names: list(reader, Reader::text)?,
                against: list(reader, |reader| {
                    Ok(Against { line: reader.size()?, note: reader.text()? })
                })?,
                otherwise: list(reader, Otherwise::read)?,
            },
            3 => Self::Lessons {
                retired: list(reader, Reader::text)?,
                joins: list(reader, correction)?,
                corrections: list(reader, correction)?,
            },
            _ => return Err(Malformed),
        })
    }
}

fn correction<'s>(reader: &mut Reader<'s>) -> Result<Correction<&'s str>> {
    Ok(Correction { old: reader.text()?, new: reader.text()?, at: read_time(reader)? })
}

impl<T: AsRef<str>> Correction<T> {
    /// The same with texts of its own.
    pub fn to_owned(&self) -> Correction {
        Correction { old: own(&self.old), new: own(&self.new), at: self.at }
    }
}

impl<T: AsRef<str>> MadeFrom<T> {
    /// The same with a text of its own.
    pub fn to_owned(&self) -> MadeFrom {
        MadeFrom { blob: own(&self.blob), lines: self.lines, is_part: self.is_part }
    }
}

impl<T: AsRef<str>> Against<T> {
    /// The same with a text of its own.
    pub fn to_owned(&self) -> Against {
        Against { line: self.line, note: own(&self.note) }
    }
}

impl<T: AsRef<str>> Otherwise<T> {
    /// The same with texts of its own.
    pub fn to_owned(&self) -> Otherwise {
        Otherwise {
            line: self.line,
            page: own(&self.page),
            at_line: self.at_line,
            text: own(&self.text),
            source: own(&self.source),
            said: self.said,
        }
    }

    fn write(&self, out: &mut Writer) {
        range(out, (self.line, self.at_line));
        for part in [&self.page, &self.text, &self.source] {
            text(out, part);
        }
        out.u8(u8::from(self.said.is_some()));
        out.i64(self.said.unwrap_or_default());
    }
}

impl<'s> Otherwise<&'s str> {
    fn read(reader: &mut Reader<'s>) -> Result<Self> {
        let (line, at_line) = (reader.size()?, reader.size()?);
        let (page, text, source) = (reader.text()?, reader.text()?, reader.text()?);
        let (is_known, said) = (reader.u8()? != 0, reader.i64()?);
        Ok(Self { line, page, at_line, text, source, said: is_known.then_some(said) })
    }
}

impl<T: AsRef<str>> LessonRecord<T> {
    /// The same with texts of its own.
    pub fn to_owned(&self) -> LessonRecord {
        LessonRecord {
            id: own(&self.id),
            timestamp: self.timestamp,
            agent_id: own(&self.agent_id),
            repo: own(&self.repo),
            event_type: own(&self.event_type),
            success_rate: own(&self.success_rate),
            replaces: own(&self.replaces),
            fields: self.fields,
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        text(out, &self.id);
        time(out, self.timestamp);
        for field in
            [&self.agent_id, &self.repo, &self.event_type, &self.success_rate, &self.replaces]
        {
            text(out, field);
        }
        self.fields.iter().for_each(|&field| range(out, field));
    }
}

impl<'s> LessonRecord<&'s str> {
    pub(super) fn read(reader: &mut Reader<'s>) -> Result<Self> {
        let (id, timestamp) = (reader.text()?, read_time(reader)?);
        let [agent_id, repo, event_type, success_rate, replaces] =
            [reader.text()?, reader.text()?, reader.text()?, reader.text()?, reader.text()?];
        let mut field = || Ok((reader.size()?, reader.size()?));
        Ok(Self {
            id,
            timestamp,
            agent_id,
            repo,
            event_type,
            success_rate,
            replaces,
            fields: [field()?, field()?, field()?, field()?],
        })
    }
}

fn own(text: impl AsRef<str>) -> String {
    text.as_ref().to_owned()
}

fn text(out: &mut Writer, text: impl AsRef<str>) {
    out.block(text.as_ref().as_bytes());
}

fn texts(out: &mut Writer, texts: &[impl AsRef<str>]) {
    out.varint(texts.len() as u64);
    texts.iter().for_each(|it| text(out, it));
}

fn time(out: &mut Writer, at: Timestamp) {
    out.i64(at.as_second());
    out.u32(at.subsec_nanosecond().cast_unsigned());
}

fn read_time(reader: &mut Reader) -> Result<Timestamp> {
    let (seconds, nanoseconds) = (reader.i64()?, reader.u32()?);
    Timestamp::new(seconds, nanoseconds.cast_signed()).map_err(|_| Malformed)
}

fn range(out: &mut Writer, (first, last): (usize, usize)) {
    out.varint(first as u64);
    out.varint(last as u64);
}

fn list<'s, T>(
    reader: &mut Reader<'s>,
    read: impl Fn(&mut Reader<'s>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..reader.size()?).map(|_| read(reader)).collect()
}
