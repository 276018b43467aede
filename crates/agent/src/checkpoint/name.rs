//! Paths as records hold them: text where they are text, else the bytes.

use std::{
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use elophanto_base::platform;

/// A path relative to the root, or the target of a link: bytes without NUL. The empty one is the
/// root itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Name(Vec<u8>);

impl Name {
    pub(super) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn as_path(&self) -> &Path {
        platform::path(&self.0)
    }

    pub(super) fn to_path(&self) -> PathBuf {
        self.as_path().to_owned()
    }

    /// An entry of this folder.
    pub(super) fn entry(&self, name: &OsStr) -> Self {
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + name.len());
        bytes.extend_from_slice(&self.0);
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name.as_encoded_bytes());
        Self(bytes)
    }

    /// The folder that holds it; `None` for the root.
    pub(super) fn folder(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        Some(Self(self.0[..end].to_vec()))
    }

    /// The folders above it, the nearest first, without the root.
    pub(super) fn above(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.folder(), Self::folder).filter(|name| !name.0.is_empty())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_path())
    }
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_encoded_bytes().to_vec())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Wire::Text(text.to_owned()),
            Err(_) => Wire::Bytes(self.0.clone()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = match Wire::deserialize(deserializer)? {
            Wire::Text(text) => text.into_bytes(),
            Wire::Bytes(bytes) => bytes,
        };
        if bytes.contains(&0) {
            return Err(serde::de::Error::custom("a path with NUL"));
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_come_back_from_json() {
        for bytes in [&b"a/b"[..], b"", b"new\nline\t\"", b"\xff\xfe/x", b"-rf", "é".as_bytes()] {
            let json = serde_json::to_vec(&Name::new(bytes)).unwrap();
            assert!(!json.contains(&b'\n'));
            assert_eq!(serde_json::from_slice::<Name>(&json).unwrap(), Name::new(bytes));
        }
    }

    #[test]
    fn folders_above() {
        let above: Vec<_> = Name::new("a/b/c").above().collect();
        assert_eq!(above, [Name::new("a/b"), Name::new("a")]);
        assert_eq!(Name::new("a").above().count(), 0);
    }
}
