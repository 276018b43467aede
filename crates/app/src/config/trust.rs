//! What the user trusts: which exact content of which repository's files is obeyed in full.
//!
//! Owns the store in the user's own folder: one line per trusted content, named by its digest and
//! the repository it lies in, so that the same bytes elsewhere, or other bytes here, are not
//! trusted. Knows no settings: which of them need trust stands in the table of keys.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::store::{
    Record, Store, StoreError, canonical, escape, escape_root, fields, unescape, unescape_root,
};

/// One content of one file of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntry {
    /// BLAKE3 of the exact bytes, in hexadecimal.
    pub digest: String,
    /// The file, relative to the root.
    pub file: String,
    /// When trust was given, for people.
    pub since: String,
    /// The repository's canonical root.
    pub root: PathBuf,
}

impl TrustEntry {
    /// A content of a file that is trusted from now on.
    pub fn now(digest: String, file: String, root: &Path) -> Self {
        let since = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self { digest, file, since, root: root.to_owned() }
    }
}

/// The user's trust store as it was read: `elophanto/trust` beside the user's own settings.
pub type TrustStore = Store<TrustEntry>;

/// Name of a content: BLAKE3 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl TrustStore {
    /// Whether these very bytes of the file were trusted in this repository.
    pub fn trusts(&self, root: &Path, file: &str, bytes: &[u8]) -> bool {
        self.trusts_digest(root, file, &digest(bytes))
    }

    /// Whether a content of this digest was trusted under this name.
    pub fn trusts_digest(&self, root: &Path, file: &str, digest: &str) -> bool {
        let root = canonical(root);
        self.entries().any(|e| e.digest == digest && e.file == file && e.root == root)
    }

    /// Trusts one content; `false` if it was trusted already.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn record(&self, entry: TrustEntry) -> Result<bool, StoreError> {
        Ok(self.record_all(vec![entry])? > 0)
    }

    /// Trusts some contents, all of them or none; returns how many were not trusted yet.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn record_all(&self, entries: Vec<TrustEntry>) -> Result<usize, StoreError> {
        let is_same = |a: &TrustEntry, b: &TrustEntry| {
            a.digest == b.digest && a.file == b.file && a.root == b.root
        };
        self.put(entries, is_same, |_, _| false)
    }

    /// Trusts one content of each of some files, and forgets other contents of theirs; returns how
    /// many were not trusted yet.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn record_newest(&self, entries: Vec<TrustEntry>) -> Result<usize, StoreError> {
        let is_file = |a: &TrustEntry, b: &TrustEntry| a.file == b.file && a.root == b.root;
        self.put(entries, |a, b| a.digest == b.digest && is_file(a, b), is_file)
    }

    /// Forgets every content of a repository; returns how many there were.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn forget(&self, root: &Path) -> Result<usize, StoreError> {
        let root = canonical(root);
        self.remove(|entry| entry.root == root)
    }

    /// Forgets every content of one file of a repository; returns how many there were.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn forget_file(&self, root: &Path, file: &str) -> Result<usize, StoreError> {
        let root = canonical(root);
        self.remove(|entry| entry.root == root && entry.file == file)
    }
}

/// `DIGEST FILE SINCE ROOT`; file and root without spaces, line feeds or anything but ASCII.
impl Record for TrustEntry {
    const STORE: &'static str = "trust store";
    const FILE: &'static str = "trust";

    fn to_line(&self) -> String {
        let file = escape(self.file.as_bytes());
        format!("{} {file} {} {}", self.digest, self.since, escape_root(&self.root))
    }

    fn from_line(line: &[u8]) -> Option<Self> {
        let [digest, file, since, root] = fields(line)?;
        let hexadecimal = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        let sound = digest.len() == 64 && digest.chars().all(hexadecimal);
        let root = unescape_root(root).filter(|_| sound)?;
        let file = String::from_utf8(unescape(file)?).ok()?;
        let (digest, since) = (digest.to_owned(), since.to_owned());
        Some(Self { digest, file, since, root })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::prelude::*;

    use super::*;

    const FILE: &str = ".elophanto/config.yaml";

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            let home = Self(tempfile::tempdir().unwrap());
            fs::create_dir(home.0.path().join("repo")).unwrap();
            home
        }

        fn variables(&self) -> BTreeMap<String, String> {
            let config = self.0.path().join("config").to_str().unwrap().to_owned();
            BTreeMap::from([("XDG_CONFIG_HOME".to_owned(), config)])
        }

        fn root(&self) -> PathBuf {
            self.0.path().join("repo").canonicalize().unwrap()
        }

        fn file(&self) -> PathBuf {
            self.0.path().join("config/elophanto/trust")
        }

        fn store(&self) -> TrustStore {
            TrustStore::open_for(&self.root(), &self.variables()).unwrap()
        }

        fn entry(&self, bytes: &[u8]) -> TrustEntry {
            let since = "2026-01-02T03:04:05Z".to_owned();
            TrustEntry { digest: digest(bytes), file: FILE.to_owned(), since, root: self.root() }
        }
    }

    #[test]
    fn trusts_what_was_recorded_and_nothing_else() {
        let home = Home::new();
        assert!(!home.store().trusts(&home.root(), FILE, b"a"));
        assert!(!home.file().exists(), "asking writes nothing");
        assert!(home.store().record(home.entry(b"a")).unwrap());
        assert!(!home.store().record(home.entry(b"a")).unwrap());
        assert!(home.store().record(home.entry(b"b")).unwrap());
        let store = home.store();
        for (root, file, bytes, expected) in [
            (home.root(), FILE, &b"a"[..], true),
            (home.root().join("."), FILE, b"b", true),
            (home.root(), FILE, b"a\n", false),
            (home.root(), FILE, b"", false),
            (home.root(), ".elophanto/permissions.yaml", b"a", false),
            (home.root().join("sub"), FILE, b"a", false),
        ] {
            assert_eq!(store.trusts(&root, file, bytes), expected, "{root:?} {file} {bytes:?}");
        }
        assert_eq!(store.entries().count(), 2);
        let named = TrustEntry { file: "plugins/x".to_owned(), ..home.entry(b"c") };
        assert!(store.record(named).unwrap());
        let store = home.store();
        assert!(store.trusts_digest(&home.root(), "plugins/x", &digest(b"c")));
        assert!(!store.trusts_digest(&home.root(), "plugins/y", &digest(b"c")));
        assert_eq!(store.forget_file(&home.root(), "plugins/x").unwrap(), 1);
        let page =
            |name: &str, bytes: &[u8]| TrustEntry { file: name.to_owned(), ..home.entry(bytes) };
        let pages = |all: &[(&str, &[u8])]| {
            let entries = all.iter().map(|(name, bytes)| page(name, bytes)).collect();
            home.store().record_newest(entries).unwrap()
        };
        assert_eq!(pages(&[("knowledge/a b.md", b"1"), ("knowledge/ä\n%.md", b"1")]), 2);
        assert_eq!(pages(&[("knowledge/a b.md", b"1"), ("knowledge/ä\n%.md", b"2")]), 1);
        for (name, bytes, expected) in [
            ("knowledge/a b.md", &b"1"[..], true),
            ("knowledge/ä\n%.md", b"1", false),
            ("knowledge/ä\n%.md", b"2", true),
            (FILE, b"a", true),
        ] {
            assert_eq!(home.store().trusts(&home.root(), name, bytes), expected, "{name}");
        }
        for name in ["knowledge/a b.md", "knowledge/ä\n%.md"] {
            assert_eq!(store.forget_file(&home.root(), name).unwrap(), 1);
        }
        assert_eq!(home.store().forget(&home.root()).unwrap(), 2);
        assert_eq!(home.store().forget(&home.root()).unwrap(), 0);
        assert!(!home.store().trusts(&home.root(), FILE, b"a"));
    }

    #[test]
    fn nobody_else_reads_or_writes_it() {
        let home = Home::new();
        home.store().record(home.entry(b"a")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&home.file()), 0o600);
        let folder = home.file().parent().unwrap().to_owned();
        assert_eq!(mode(&folder), 0o700);
        for path in [home.file(), folder] {
            let before = mode(&path);
            fs::set_permissions(&path, fs::Permissions::from_mode(before | 0o020)).unwrap();
            let error = TrustStore::open(&home.variables()).unwrap_err();
            assert!(matches!(&error, StoreError::Shared { path: named } if *named == path));
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
        }
        assert!(home.store().trusts(&home.root(), FILE, b"a"));
    }

    #[test]
    fn lines_it_cannot_read_are_kept() {
        let home = Home::new();
        fs::create_dir_all(home.file().parent().unwrap()).unwrap();
        let odd = [
            b"# a comment".to_vec(),
            b"".to_vec(),
            b"\xff\xfe not text".to_vec(),
            format!("{} {FILE} now /repo and a word too much", digest(b"x")).into_bytes(),
            format!("{} {FILE} now relative", digest(b"x")).into_bytes(),
            format!("{} {FILE} now /broken%2", digest(b"x")).into_bytes(),
            b"{\"version\": 2}".to_vec(),
        ];
        // The last line lacks its line feed.
        fs::write(home.file(), odd.join(&b'\n')).unwrap();
        assert_eq!(home.store().entries().count(), 0);
        home.store().record(home.entry(b"a")).unwrap();
        let line = home.entry(b"a").to_line().into_bytes();
        let after = [&odd.join(&b'\n')[..], b"\n", &line, b"\n"].concat();
        assert_eq!(fs::read(home.file()).unwrap(), after);
        home.store().forget(&home.root()).unwrap();
        assert_eq!(fs::read(home.file()).unwrap(), [&odd.join(&b'\n')[..], b"\n"].concat());
    }

    #[test]
    fn a_store_in_the_repository_does_not_count() {
        let home = Home::new();
        let inside = home.root().join("config");
        let variables =
            BTreeMap::from([("XDG_CONFIG_HOME".to_owned(), inside.to_str().unwrap().to_owned())]);
        let refused = |variables: &BTreeMap<String, String>| {
            let error = TrustStore::open_for(&home.root(), variables).unwrap_err();
            assert!(matches!(error, StoreError::Within { .. }), "{error}");
        };
        refused(&variables);
        assert!(!inside.exists());
        // The same by a link.
        home.store().record(home.entry(b"a")).unwrap();
        fs::rename(home.file(), home.root().join("trust")).unwrap();
        std::os::unix::fs::symlink(home.root().join("trust"), home.file()).unwrap();
        refused(&home.variables());
    }

    #[test]
    fn refuses_what_is_no_usable_store() {
        let home = Home::new();
        let error = || TrustStore::open(&home.variables()).unwrap_err();
        assert!(matches!(TrustStore::open(&BTreeMap::new()), Err(StoreError::NoHome { .. })));
        fs::create_dir_all(home.file()).unwrap();
        assert!(matches!(error(), StoreError::NoFile { .. }));
        fs::remove_dir(home.file()).unwrap();
        fs::write(home.file(), vec![b'#'; (1 << 20) + 1]).unwrap();
        assert!(matches!(error(), StoreError::TooLarge { .. }));
        fs::remove_file(home.file()).unwrap();
        fs::remove_dir(home.file().parent().unwrap()).unwrap();
        fs::write(home.file().parent().unwrap(), "in the way").unwrap();
        let written = home.store().record(home.entry(b"a")).unwrap_err();
        assert!(matches!(written, StoreError::Write { .. }), "{written}");
    }

    #[test]
    fn two_at_once_lose_nothing() {
        let home = Home::new();
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let home = &home;
                scope.spawn(move || {
                    for number in 0..8 {
                        home.store().record(home.entry(&[writer, number])).unwrap();
                    }
                });
            }
        });
        assert_eq!(home.store().entries().count(), 64);
    }

    proptest! {
        #[test]
        fn a_line_reads_back(tail in proptest::collection::vec(1..=u8::MAX, 0..40)) {
            let root = PathBuf::from(OsStr::from_bytes(&[b"/", tail.as_slice()].concat()));
            let since = "now".to_owned();
            let entry = TrustEntry { digest: digest(&tail), file: FILE.to_owned(), since, root };
            let line = entry.to_line();
            prop_assert!(line.is_ascii() && !line.contains(char::is_control));
            prop_assert_eq!(TrustEntry::from_line(line.as_bytes()), Some(entry));
        }

        #[test]
        fn no_line_is_too_odd(line in proptest::collection::vec(any::<u8>(), 0..120)) {
            TrustEntry::from_line(&line);
        }
    }
}
