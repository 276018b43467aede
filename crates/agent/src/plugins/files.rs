//! The files of a plugin as data, and the hash that names them all.

use super::{MAX_DEPTH, MAX_PATH_BYTES};

/// What the hash begins with, so that no other hash of ours can equal it.
const DOMAIN: &[u8] = b"elophanto plugin 1\0";

/// One file of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// Relative to the plugin's folder, joined by `/`.
    pub path: String,
    /// Of the mode only what git keeps.
    pub is_executable: bool,
    pub bytes: Vec<u8>,
}

impl PluginFile {
    /// Its content if that is UTF-8 without NUL.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }
}

/// The content hash of a plugin: BLAKE3 over paths, modes and contents in the order of the paths,
/// as 64 hexadecimal digits.
pub fn hash(files: &[PluginFile]) -> String {
    let mut sorted: Vec<&PluginFile> = files.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hasher = blake3::Hasher::new();
    hasher.update(DOMAIN);
    for file in sorted {
        // With the lengths in front, no two lists of files read the same.
        hasher.update(&(file.path.len() as u64).to_le_bytes());
        hasher.update(file.path.as_bytes());
        hasher.update(&[u8::from(file.is_executable)]);
        hasher.update(&(file.bytes.len() as u64).to_le_bytes());
        hasher.update(&file.bytes);
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether a file of a plugin may have this path: parts of ASCII letters, digits, `.`, `_` and
/// `-`, none of which begins with `.` or `-`, or ends with `.`; at most [`MAX_DEPTH`] of them.
pub fn is_file_path(path: &str) -> bool {
    path.len() <= MAX_PATH_BYTES
        && path.split('/').count() <= MAX_DEPTH
        && path.split('/').all(is_part)
}

fn is_part(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !part.is_empty()
        && part.bytes().all(plain)
        && !part.starts_with(['.', '-'])
        && !part.ends_with('.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(path: &str, is_executable: bool, bytes: &[u8]) -> PluginFile {
        PluginFile { path: path.to_owned(), is_executable, bytes: bytes.to_vec() }
    }

    #[test]
    fn paths() {
        for path in ["plugin", "plugin.py", "lib/a-b_1.py", "README.md", "a..b"] {
            assert!(is_file_path(path), "{path}");
        }
        let (long, deep) = ("a".repeat(201), "a/".repeat(8) + "a");
        for path in [
            "", "/a", "../../x", "a/../b", "a//b", "a/", ".git/config", "-rf", "a\\b", "a b", "é",
            "a\0", "a\nb", "a.", "C:x", &long, &deep,
        ] {
            assert!(!is_file_path(path), "{path:?}");
        }
    }

    #[test]
    fn every_difference_counts_but_the_order() {
        let base = [file("a", false, b"1"), file("b", true, b"2")];
        let same = [base[1].clone(), base[0].clone()];
        assert_eq!(hash(&base), hash(&same));
        for other in [
            vec![file("a", true, b"1"), file("b", true, b"2")],
            vec![file("a", false, b"12"), file("b", true, b"")],
            vec![file("ab", false, b"1"), file("b", true, b"2")],
            vec![file("a", false, b"1")],
            vec![],
        ] {
            assert_ne!(hash(&base), hash(&other));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn different_files_hash_differently(
            a in proptest::collection::btree_map("[ab]{1,3}", (any::<bool>(), "[ab]{0,3}"), 0..4),
            b in proptest::collection::btree_map("[ab]{1,3}", (any::<bool>(), "[ab]{0,3}"), 0..4),
        ) {
            let files = |map: &std::collections::BTreeMap<String, (bool, String)>| -> Vec<_> {
                map.iter().map(|(path, (mode, text))| file(path, *mode, text.as_bytes())).collect()
            };
            prop_assert_eq!(a == b, hash(&files(&a)) == hash(&files(&b)));
        }
    }
}
