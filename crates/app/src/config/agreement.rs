//! What the user agreed to send away: text of which repository, to which machine, for which model.
//!
//! Owns the store in the user's own folder: one line per agreement. Another machine, another model
//! or the same files in another place need another agreement. Knows neither who asks nor what is
//! sent.

use std::path::{Path, PathBuf};

use super::store::{
    Record, Store, StoreError, canonical, escape, escape_root, fields, unescape, unescape_root,
};

/// One agreement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// When it was given, for people.
    pub since: String,
    /// The machine, with its port where that is not the protocol's own.
    pub host: String,
    /// The model.
    pub model: String,
    /// The repository's canonical root.
    pub root: PathBuf,
}

/// The user's agreements as they were read: `elophanto/agreements` beside the user's own settings.
pub type Agreements = Store<Agreement>;

impl Agreements {
    /// Whether text of this repository may be sent to this model on this machine.
    pub fn agreed(&self, root: &Path, host: &str, model: &str) -> bool {
        let root = canonical(root);
        let host = host.to_ascii_lowercase();
        self.entries().any(|e| e.root == root && e.host == host && e.model == model)
    }

    /// Remembers an agreement; `false` if it was there already.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn agree(
        &self,
        root: &Path,
        host: &str,
        model: &str,
        now_text: &str,
    ) -> Result<bool, StoreError> {
        let entry = Agreement {
            since: now_text.to_owned(),
            host: host.to_ascii_lowercase(),
            model: model.to_owned(),
            root: canonical(root),
        };
        let is_same = |a: &Agreement, b: &Agreement| {
            a.host == b.host && a.model == b.model && a.root == b.root
        };
        Ok(self.put(vec![entry], is_same, |_, _| false)? > 0)
    }

    /// Takes back every agreement about a repository; returns how many there were.
    ///
    /// # Errors
    /// [`StoreError`] when the store can't be written; it is then as it was.
    pub fn withdraw(&self, root: &Path) -> Result<usize, StoreError> {
        let root = canonical(root);
        self.remove(|entry| entry.root == root)
    }
}

/// `SINCE HOST MODEL ROOT`, each without spaces, line feeds or anything but ASCII.
impl Record for Agreement {
    const STORE: &'static str = "store of agreements";
    const FILE: &'static str = "agreements";

    fn to_line(&self) -> String {
        let text = |text: &String| escape(text.as_bytes());
        let (since, host, model) = (text(&self.since), text(&self.host), text(&self.model));
        format!("{since} {host} {model} {}", escape_root(&self.root))
    }

    fn from_line(line: &[u8]) -> Option<Self> {
        let [since, host, model, root] = fields(line)?;
        let text = |field| String::from_utf8(unescape(field)?).ok();
        let (since, host, model) = (text(since)?, text(host)?, text(model)?);
        Some(Self { since, host, model, root: unescape_root(root)? })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::prelude::*;

    use super::super::TrustStore;
    use super::*;

    const NOW: &str = "2026-01-02T03:04:05Z";

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            let home = Self(tempfile::tempdir().unwrap());
            fs::create_dir(home.root()).unwrap();
            home
        }

        fn root(&self) -> PathBuf {
            self.0.path().join("repo")
        }

        fn file(&self) -> PathBuf {
            self.0.path().join("config/elophanto/agreements")
        }

        fn variables(&self) -> BTreeMap<String, String> {
            let config = self.0.path().join("config").to_str().unwrap().to_owned();
            BTreeMap::from([("XDG_CONFIG_HOME".to_owned(), config)])
        }

        fn store(&self) -> Agreements {
            Agreements::open_for(&self.root(), &self.variables()).unwrap()
        }
    }

    #[test]
    fn holds_for_that_machine_model_and_repository_only() {
        let home = Home::new();
        let (root, host) = (home.root(), "api.openai.com");
        assert!(!home.store().agreed(&root, host, "m:1"));
        assert!(!home.file().exists(), "asking writes nothing");
        assert!(home.store().agree(&root, "API.openai.com", "m:1", NOW).unwrap());
        assert!(!home.store().agree(&root, host, "m:1", "later").unwrap());
        assert!(home.store().agree(&root, "127.0.0.1:1234", "a model", NOW).unwrap());
        let store = home.store();
        for (root, host, model, expected) in [
            (root.clone(), host, "m:1", true),
            (root.join("."), "127.0.0.1:1234", "a model", true),
            (root.clone(), host, "a model", false),
            (root.clone(), host, "M:1", false),
            (root.clone(), host, "", false),
            (root.clone(), "api.openai.com:8443", "m:1", false),
            (root.clone(), "openai.com", "m:1", false),
            (root.join("sub"), host, "m:1", false),
            (home.0.path().to_owned(), host, "m:1", false),
        ] {
            assert_eq!(store.agreed(&root, host, model), expected, "{root:?} {host} {model}");
        }
        let shown: Vec<&str> = store.entries().map(|entry| entry.model.as_str()).collect();
        assert_eq!(shown, ["m:1", "a model"]);
        assert_eq!(store.withdraw(&root).unwrap(), 2);
        assert_eq!(home.store().withdraw(&root).unwrap(), 0);
        assert!(!home.store().agreed(&root, host, "m:1"));
    }

    #[test]
    fn keeps_what_it_cannot_read_and_what_others_say() {
        let home = Home::new();
        fs::create_dir_all(home.file().parent().unwrap()).unwrap();
        let odd = b"# a comment\n\n\xff\xfe\nnow host model relative\nnow host %zz /r\na b c /d e";
        fs::write(home.file(), odd).unwrap();
        assert_eq!(home.store().entries().count(), 0);
        let other = home.0.path().join("other");
        home.store().agree(&other, "h", "m", NOW).unwrap();
        let kept = fs::read(home.file()).unwrap();
        assert!(kept.starts_with(odd));
        home.store().agree(&home.root(), "h\nx", "m", NOW).unwrap();
        assert_eq!(home.store().withdraw(&home.root()).unwrap(), 1);
        assert_eq!(fs::read(home.file()).unwrap(), kept);
        assert!(home.store().agreed(&other, "h", "m"));
    }

    #[test]
    fn is_the_users_alone() {
        let home = Home::new();
        home.store().agree(&home.root(), "h", "m", NOW).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&home.file()), mode(home.file().parent().unwrap())), (0o600, 0o700));
        fs::set_permissions(home.file(), fs::Permissions::from_mode(0o620)).unwrap();
        let shared = Agreements::open(&home.variables()).unwrap_err();
        assert!(matches!(shared, StoreError::Shared { .. }), "{shared}");
        fs::write(home.file(), vec![b'#'; (1 << 20) + 1]).unwrap();
        fs::set_permissions(home.file(), fs::Permissions::from_mode(0o600)).unwrap();
        let large = Agreements::open(&home.variables()).unwrap_err();
        assert!(matches!(large, StoreError::TooLarge { .. }), "{large}");
        let nowhere = Agreements::open(&BTreeMap::new()).unwrap_err().to_string();
        assert!(nowhere.starts_with("no folder for the store of agreements: "), "{nowhere}");
    }

    #[test]
    fn a_store_in_the_repository_does_not_count() {
        let home = Home::new();
        let refused = || {
            let error = Agreements::open_for(&home.root(), &home.variables()).unwrap_err();
            assert!(matches!(error, StoreError::Within { .. }), "{error}");
        };
        home.store().agree(&home.root(), "h", "m", NOW).unwrap();
        fs::rename(home.file(), home.root().join("agreements")).unwrap();
        std::os::unix::fs::symlink(home.root().join("agreements"), home.file()).unwrap();
        refused();
        fs::remove_file(home.file()).unwrap();
        fs::rename(home.0.path().join("config"), home.root().join("config")).unwrap();
        std::os::unix::fs::symlink(home.root().join("config"), home.0.path().join("config"))
            .unwrap();
        refused();
    }

    #[test]
    fn trust_is_no_agreement() {
        let home = Home::new();
        home.store().agree(&home.root(), "h", "m", NOW).unwrap();
        let trust = TrustStore::open_for(&home.root(), &home.variables()).unwrap();
        assert_eq!(trust.entries().count(), 0);
        assert_eq!(trust.forget(&home.root()).unwrap(), 0);
        assert!(home.store().agreed(&home.root(), "h", "m"));
    }

    proptest! {
        #[test]
        fn a_line_reads_back(host in "\\PC{0,20}", model in any::<String>(), tail in "\\PC{0,20}") {
            let root = PathBuf::from(format!("/{tail}"));
            let entry = Agreement { since: NOW.to_owned(), host, model, root };
            let line = entry.to_line();
            prop_assert!(line.is_ascii() && !line.contains(char::is_control));
            prop_assert_eq!(Agreement::from_line(line.as_bytes()), Some(entry));
        }

        #[test]
        fn no_line_is_too_odd(line in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = Agreement::from_line(&line);
        }
    }
}
