//! What there is at a path: the unit that is compared and restored.

use std::fs::Metadata;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::name::Name;
use elophanto_base::platform::rights;
use elophanto_repo::FileStat;

/// Bits of a mode that are kept and restored: rights, set-id and sticky bits.
pub(super) const MODE_BITS: u32 = 0o7777;

/// The BLAKE3 hash of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Digest(pub(super) [u8; 32]);

impl Digest {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

elophanto_base::shown_as_hex!(Digest);

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hash = blake3::Hash::from_hex(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(*hash.as_bytes()))
    }
}

/// What there is at a path, without following links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Absent,
    File {
        mode: u32,
        size: u64,
        digest: Digest,
    },
    Link {
        target: Name,
    },
    Folder {
        mode: u32,
    },
    /// Something that is not looked into, so that it can be neither compared nor restored.
    Opaque(Opaque),
}

/// Why something is not looked into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Opaque {
    /// A pipe, socket or device.
    Special,
    /// A folder with a `.git` of its own.
    Nested,
    /// A file over the cap, by its stat: size, times of its content and its inode, inode number.
    Large { size: u64, mtime: i64, ctime: i64, inode: u64 },
    /// More than is covered of an ignored tree, or of a folder that was named.
    TooMuch,
    /// The system does not let it be read.
    Unreadable,
}

impl State {
    pub(super) fn large(metadata: &Metadata) -> Self {
        let FileStat { size, mtime, ctime, inode } = FileStat::from(metadata);
        Self::Opaque(Opaque::Large { size, mtime, ctime, inode })
    }

    pub(super) fn folder(metadata: &Metadata) -> Self {
        Self::Folder { mode: rights(metadata) }
    }

    pub(super) fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    pub(super) fn is_opaque(&self) -> bool {
        matches!(self, Self::Opaque(_))
    }

    pub(super) fn digest(&self) -> Option<Digest> {
        match self {
            Self::File { digest, .. } => Some(*digest),
            _ => None,
        }
    }
}

/// Something that a run may have changed and that cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uncovered {
    /// Relative to the root.
    pub path: std::path::PathBuf,
    pub why: WhyUncovered,
}

elophanto_base::named! {
    /// Why it cannot be taken back.
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum WhyUncovered, as_str {
        /// A pipe, socket or device.
        Special = "a pipe, socket or device",
        /// Another repository, or a submodule.
        NestedRepository = "another repository",
        /// A file over [`super::MOST_FILE_BYTES`].
        Large = "too large",
        /// An ignored tree, or a folder that was named, over [`super::MOST_IGNORED_ENTRIES`] or
        /// [`super::MOST_IGNORED_BYTES`].
        TooMuch = "too many ignored files",
        /// It cannot be read.
        Unreadable = "cannot be read",
        /// A program moved HEAD.
        Head = "a program moved it",
    }
}

impl From<&Opaque> for WhyUncovered {
    fn from(opaque: &Opaque) -> Self {
        match opaque {
            Opaque::Special => Self::Special,
            Opaque::Nested => Self::NestedRepository,
            Opaque::Large { .. } => Self::Large,
            Opaque::TooMuch => Self::TooMuch,
            Opaque::Unreadable => Self::Unreadable,
        }
    }
}
