//! A path relative to the repository's root, as bytes.

use std::{
    borrow::Borrow,
    fmt,
    path::{Path, PathBuf},
};

use elophanto_base::platform;

/// A path relative to the root, `/`-separated, as the bytes git and the file system hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NotePath(Vec<u8>);

impl NotePath {
    /// Takes the bytes as they are.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes of the path.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for file operations, still relative to the root.
    pub fn as_path(&self) -> &Path {
        platform::path(&self.0)
    }

    /// The path below a root folder.
    pub fn below(&self, root: &Path) -> PathBuf {
        root.join(self.as_path())
    }

    /// The path as text; bytes that are not UTF-8 become `\xNN`.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.0.len());
        for piece in self.0.utf8_chunks() {
            text.push_str(piece.valid());
            for byte in piece.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        text
    }

    /// The file name without its extension, as text.
    pub fn stem(&self) -> String {
        let stem = self.as_path().file_stem().unwrap_or_default();
        NotePath::new(stem.as_encoded_bytes()).to_text()
    }
}

impl Borrow<[u8]> for NotePath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&Path> for NotePath {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_encoded_bytes().to_vec())
    }
}

impl From<&str> for NotePath {
    fn from(path: &str) -> Self {
        Self(path.as_bytes().to_vec())
    }
}

impl fmt::Debug for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_text())
    }
}
