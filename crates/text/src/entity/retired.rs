//! Lines that no longer count, by what the records say.
//!
//! Records are only ever added, and each retirement has its own id: a restoration names the
//! retirements it takes back, so one that another branch wrote meanwhile stands. The result is the
//! same for any order and repetition of the records.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use super::{
    line::{Kind, Line, LineHash},
    name::{TextDigest, normalise},
};

/// Why a line was retired. Written as one word, or two joined by a colon.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Reason {
    /// It was taken out of the page.
    Removed,
    /// Another text took its place.
    Edited,
    /// It held a secret.
    Masked,
    /// The search of this id was undone.
    Undone(String),
    /// The merge of this id made it needless.
    Merged(String),
    /// The whole entity was deleted.
    Deleted,
    /// One that a newer version knows.
    Other(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed => f.write_str("removed"),
            Self::Edited => f.write_str("edited"),
            Self::Masked => f.write_str("masked"),
            Self::Undone(search) => write!(f, "undone:{search}"),
            Self::Merged(merge) => write!(f, "merged:{merge}"),
            Self::Deleted => f.write_str("deleted"),
            Self::Other(word) => f.write_str(word),
        }
    }
}

impl From<String> for Reason {
    fn from(word: String) -> Self {
        match word.as_str() {
            "removed" => Self::Removed,
            "edited" => Self::Edited,
            "masked" => Self::Masked,
            "deleted" => Self::Deleted,
            text => match text.split_once(':') {
                Some(("undone", search)) => Self::Undone(search.to_owned()),
                Some(("merged", merge)) => Self::Merged(merge.to_owned()),
                _ => Self::Other(word),
            },
        }
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.to_string()
    }
}

/// A record that a line no longer counts. The id belongs to the header of the record, which is
/// read with the body and written in front of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Retirement {
    /// Its own, unlike that of any other retirement. Empty where the header has taken it.
    #[serde(default, skip_serializing)]
    pub id: String,
    /// The line that no longer counts.
    pub hash: LineHash,
    /// Letter and id of the line, as in its comment.
    pub line: String,
    /// The page it stood on.
    pub slug: String,
    /// Why it was retired.
    pub reason: Reason,
    /// What it said, normalised; not of a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Retirement {
    /// The record for a line of the page of this slug.
    pub fn new(id: impl Into<String>, slug: &str, line: &Line, reason: Reason) -> Self {
        let text = (reason != Reason::Masked).then(|| normalise(&line.text));
        let (hash, key) = (line.hash, line.key());
        Self { id: id.into(), hash, line: key, slug: slug.to_owned(), reason, text }
    }

    fn is_of(&self, kind: Kind) -> bool {
        self.line.strip_prefix(kind.letter()).is_some_and(|rest| rest.starts_with(':'))
    }
}

/// A record that takes retirements back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Restoration {
    /// Its own.
    #[serde(default, skip_serializing)]
    pub id: String,
    /// Ids of retirements.
    pub retirements: Vec<String>,
}

/// A record of either kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Record {
    /// A line no longer counts.
    Retired(Retirement),
    /// Retirements are taken back.
    Restored(Restoration),
}

/// The retirements that stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retired {
    standing: BTreeMap<LineHash, Vec<Retirement>>,
    /// Pages with a title that was deleted.
    deleted: BTreeSet<String>,
    /// Pages with a title whose search was undone.
    undone: BTreeSet<String>,
}

impl Retired {
    /// Reads the records, in any order.
    pub fn of(records: impl IntoIterator<Item = Record>) -> Self {
        let (mut retirements, mut restored) = (BTreeSet::new(), BTreeSet::new());
        for record in records {
            match record {
                Record::Retired(retirement) => {
                    retirements.insert(retirement);
                }
                Record::Restored(restoration) => restored.extend(restoration.retirements),
            }
        }
        let mut retired = Self::default();
        for retirement in retirements.into_iter().filter(|one| !restored.contains(&one.id)) {
            match &retirement.reason {
                Reason::Deleted if retirement.is_of(Kind::Title) => {
                    retired.deleted.insert(retirement.slug.clone());
                }
                Reason::Undone(_) if retirement.is_of(Kind::Title) => {
                    retired.undone.insert(retirement.slug.clone());
                }
                _ => {}
            }
            retired.standing.entry(retirement.hash).or_default().push(retirement);
        }
        retired
    }

    /// Whether the line of this hash no longer counts.
    pub fn holds(&self, hash: &LineHash) -> bool {
        self.standing.contains_key(hash)
    }

    /// The retirements of a line that stand, by their ids. All of them must be taken back for the
    /// line to count.
    pub fn standing(&self, hash: &LineHash) -> &[Retirement] {
        self.standing.get(hash).map(Vec::as_slice).unwrap_or_default()
    }

    /// All retirements that stand, such as to find those of a search, a merge or a page.
    pub fn all(&self) -> impl Iterator<Item = &Retirement> {
        self.standing.values().flatten()
    }

    /// What is not to be brought back: what retired facts said. A text of these may count all the
    /// same, by another line.
    pub fn texts(&self) -> BTreeSet<TextDigest> {
        let facts = self.all().filter(|retirement| retirement.is_of(Kind::Fact));
        facts.filter_map(|fact| fact.text.as_deref()).map(TextDigest::of).collect()
    }

    /// Whether a title on the page of this slug was deleted with its entity.
    pub(super) fn has_deleted_title(&self, slug: &str) -> bool {
        self.deleted.contains(slug)
    }

    /// Whether a title on the page of this slug was taken back with the search that made it.
    pub(super) fn has_undone_title(&self, slug: &str) -> bool {
        self.undone.contains(slug)
    }
}
