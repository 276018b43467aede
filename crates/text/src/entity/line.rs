//! A line of ours: `- TEXT <!-- LETTER:ID key:value ... -->`.

use std::str::FromStr;

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::{MAX_LINE_BYTES, name::normalise, rows::Row, text::decode};
use crate::markdown::unescape;

elophanto_base::named! {
    /// What a line says, named by what stands in front of the text.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Kind, label {
        /// A name under which the entity is shown.
        Title = "title:",
        /// When the entity was first heard of; the text is a time.
        Created = "created:",
        /// Another name.
        Alias = "alias:",
        /// What it is filed under.
        Tag = "tag:",
        /// The page whose entity this one is; the text is a slug.
        MergedInto = "merged-into:",
        /// Something that is known.
        Fact = "",
    }
}

impl Kind {
    /// The letter in front of the id.
    pub fn letter(self) -> char {
        match self {
            Self::Title => 't',
            Self::Created => 'c',
            Self::Alias => 'a',
            Self::Tag => 'g',
            Self::MergedInto => 'm',
            Self::Fact => 'f',
        }
    }
}

/// A line of ours, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Told by the letter of the comment, whatever label a person wrote.
    pub kind: Kind,
    /// 16 hex digits, for [`Kind::MergedInto`] the id of the merge. It stays when a person edits
    /// the text, so it tells where a line came from and not what it says.
    pub id: String,
    /// Plain: label, bullet and escapes are gone. Never empty.
    pub text: String,
    /// The address it was found at.
    pub source: Option<String>,
    /// The id of the search that found it.
    pub search: Option<String>,
    /// The id of the message it was said in.
    pub message: Option<String>,
    /// The day that its source gives itself.
    pub published: Option<Date>,
    /// When the line was written.
    pub at: Option<Timestamp>,
    /// The note it contradicts.
    pub against: Option<String>,
    /// A person changed what it says, so that its source no longer says it.
    pub is_edited: bool,
    /// 1-based.
    pub number: usize,
    /// What retirements call it by.
    pub hash: LineHash,
}

impl Line {
    /// The letter and the id as the comment has them, such as `f:0123456789abcdef`.
    pub fn key(&self) -> String {
        format!("{}:{}", self.kind.letter(), self.id)
    }

    /// As of when it says so: the day of its source, else when it was written, as far as that can be true.
    pub fn said(&self) -> Option<Timestamp> {
        let day = self.published.and_then(|day| day.to_zoned(TimeZone::UTC).ok());
        let at = self.at.filter(|at| is_possible(*at));
        day.map(|day| day.timestamp()).or(at)
    }

    /// Whether it says what was written under its id for an entity of one of these names.
    pub(super) fn is_as_written(&self, identities: &[String]) -> bool {
        let id = |identity: &String| match self.kind {
            Kind::Fact => fact_id(identity, &self.text, self.source.as_deref()),
            kind => line_id(kind, identity, &self.text),
        };
        identities.iter().any(|identity| id(identity) == self.id)
    }

    /// Earlier lines first, those without a time that can be true last. Two different lines never
    /// are the same.
    pub fn age(&self) -> (bool, Option<Timestamp>, &str, LineHash) {
        let at = self.at.filter(|at| is_possible(*at));
        (at.is_none(), at, &self.id, self.hash)
    }
}

/// Whether something of ours can have been written then: a clock that is wrong by decades must not
/// make a line the oldest.
pub(super) fn is_possible(at: Timestamp) -> bool {
    const EARLIEST: Timestamp = Timestamp::constant(631_152_000, 0); // 1990-01-01
    at >= EARLIEST
}

/// BLAKE3-128 of a line without its line ending and the white space at its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct LineHash([u8; 16]);

impl LineHash {
    /// That of a line as it stands in a file.
    pub fn of(line: &str) -> Self {
        let mut hash = [0; 16];
        blake3::Hasher::new().update(line.trim_end().as_bytes()).finalize_xof().fill(&mut hash);
        Self(hash)
    }
}

elophanto_base::shown_as_hex!(LineHash);

/// A text that is no hash of a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no hash of a line: expected 32 hex digits")]
pub struct NoLineHash;

impl FromStr for LineHash {
    type Err = NoLineHash;

    fn from_str(text: &str) -> Result<Self, NoLineHash> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NoLineHash);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| NoLineHash)?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl From<LineHash> for String {
    fn from(hash: LineHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for LineHash {
    type Error = NoLineHash;

    fn try_from(text: String) -> Result<Self, NoLineHash> {
        text.parse()
    }
}

/// The id of a fact of an entity. The same statement from the same source is the same fact.
pub(super) fn fact_id(identity: &str, text: &str, source: Option<&str>) -> String {
    digest([identity, &normalise(text), source.unwrap_or_default()])
}

/// The id of any other line.
pub(super) fn line_id(kind: Kind, identity: &str, text: &str) -> String {
    digest([kind.letter().encode_utf8(&mut [0; 4]), identity, &normalise(text)])
}

fn digest(parts: [&str; 3]) -> String {
    blake3::hash(parts.join("\0").as_bytes()).to_hex().chars().take(16).collect()
}

/// Whether a text can be the id of such a line.
pub(super) fn is_id(kind: Kind, id: &str) -> bool {
    match kind {
        // Whatever its maker calls merges by.
        Kind::MergedInto => {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            (1..=64).contains(&id.len()) && id.bytes().all(plain) && !id.contains("--")
        }
        _ => id.len() == 16 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
    }
}

/// `None` for a line of a person: one that does not end in a comment of ours, or says nothing.
pub(super) fn read(number: usize, row: &Row<'_>) -> Option<Line> {
    let content = row.content.trim_end();
    if content.len() > MAX_LINE_BYTES {
        return None;
    }
    let body = content.strip_suffix("-->")?;
    let (before, comment) = body.rsplit_once("<!--")?;
    let mut words = comment.split_whitespace();
    let (letter, id) = words.next()?.split_once(':')?;
    let kind = Kind::ALL.into_iter().find(|kind| letter.chars().eq([kind.letter()]))?;
    let before = before.trim();
    let blank = |item: &&str| item.is_empty() || item.starts_with([' ', '\t']);
    let item = before.strip_prefix(['-', '*', '+']).filter(blank);
    let text = item.unwrap_or(before).trim();
    let text = unescape(text.strip_prefix(kind.label()).unwrap_or(text).trim());
    if !is_id(kind, id) || text.is_empty() {
        return None;
    }
    let mut line = Line {
        kind,
        id: id.to_owned(),
        text,
        source: None,
        search: None,
        message: None,
        published: None,
        at: None,
        against: None,
        is_edited: false,
        number,
        hash: LineHash::of(content),
    };
    // Words that are not known belong to a newer version.
    for (key, value) in words.filter_map(|word| word.split_once(':')) {
        let field = match key {
            "src" => &mut line.source,
            "search" => &mut line.search,
            "msg" => &mut line.message,
            "against" => &mut line.against,
            "of" => {
                line.published = line.published.or_else(|| value.parse().ok());
                continue;
            }
            "at" => {
                line.at = line.at.or_else(|| value.parse().ok());
                continue;
            }
            _ => continue,
        };
        field.get_or_insert_with(|| decode(value));
    }
    Some(line)
}
