//! What the user trusts: which exact content of which repository's files is obeyed in full.
//!
//! Owns the store in the user's own folder: one line per trusted content, named by its digest and
//! the repository it lies in, so that the same bytes elsewhere, or other bytes here, are not
//! trusted. Knows no settings: which of them need trust stands in the table of keys.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::layers::user_folder;

/// Largest trust store, in bytes: many thousands of lines.
pub const MAX_STORE_BYTES: u64 = 1 << 20;

/// Write permission of anybody but the owner.
const OTHERS_WRITE: u32 = 0o022;

/// The trust store can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// Neither variable names a folder.
    #[error("no folder for the trust store: neither XDG_CONFIG_HOME nor HOME is an absolute path")]
    NoHome,
    /// Whoever writes the repository could write the store.
    #[error("the trust store `{}` lies in the repository that it would judge", path.display())]
    Within { path: PathBuf },
    /// Somebody else may have written it.
    #[error("`{}` may be written by others than its owner", path.display())]
    Shared { path: PathBuf },
    /// More than any user trusts.
    #[error("`{}` is larger than {cap} bytes", path.display())]
    TooLarge { path: PathBuf, cap: u64 },
    /// A folder, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NoFile { path: PathBuf },
    /// It can't be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    /// It can't be written.
    #[error("cannot write `{}`: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
}

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

/// The user's trust store as it was read.
#[derive(Debug)]
pub struct TrustStore {
    path: PathBuf,
    lines: Vec<Line>,
}

/// A line as it stands in the file, and what it says. What can't be read is kept as it is: a later
/// version may have written it.
#[derive(Debug)]
struct Line {
    bytes: Vec<u8>,
    entry: Option<TrustEntry>,
}

/// Name of a content: BLAKE3 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl TrustStore {
    /// The store of the user whose variables these are: `elophanto/trust` beside the user's own
    /// settings. One that does not exist is empty.
    ///
    /// # Errors
    /// [`TrustError`] when there is no place for it, or what is there can't be relied on.
    pub fn open(variables: &BTreeMap<String, String>) -> Result<Self, TrustError> {
        let path = user_folder(variables).ok_or(TrustError::NoHome)?.join("trust");
        let lines = read_lines(&path)?;
        Ok(Self { path, lines })
    }

    /// The store, to judge or change what is said of the repository at `root`.
    ///
    /// # Errors
    /// Those of [`TrustStore::open`], and when the repository holds the store itself.
    pub fn open_for(root: &Path, variables: &BTreeMap<String, String>) -> Result<Self, TrustError> {
        let store = Self::open(variables)?;
        let root = canonical(root);
        // The file may be a link: it, and the folder that it is written to, must lie outside.
        let places = [store.path.as_path(), store.folder()];
        if places.into_iter().any(|place| canonical(place).starts_with(&root)) {
            return Err(TrustError::Within { path: store.path });
        }
        Ok(store)
    }

    /// Whether these very bytes of the file were trusted in this repository.
    pub fn trusts(&self, root: &Path, file: &str, bytes: &[u8]) -> bool {
        let (root, digest) = (canonical(root), digest(bytes));
        self.entries().any(|e| e.digest == digest && e.file == file && e.root == root)
    }

    /// Everything that is trusted, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = &TrustEntry> {
        self.lines.iter().filter_map(|line| line.entry.as_ref())
    }

    /// Trusts one content; `false` if it was trusted already.
    ///
    /// # Errors
    /// [`TrustError`] when the store can't be written; it is then as it was.
    pub fn record(&self, entry: TrustEntry) -> Result<bool, TrustError> {
        self.change(|lines| {
            let same = |e: &TrustEntry| {
                e.digest == entry.digest && e.file == entry.file && e.root == entry.root
            };
            if lines.iter().any(|line| line.entry.as_ref().is_some_and(same)) {
                return (false, false);
            }
            lines.push(Line { bytes: entry.to_line().into_bytes(), entry: Some(entry) });
            (true, true)
        })
    }

    /// Forgets every content of a repository; returns how many there were.
    ///
    /// # Errors
    /// [`TrustError`] when the store can't be written; it is then as it was.
    pub fn forget(&self, root: &Path) -> Result<usize, TrustError> {
        let root = canonical(root);
        self.change(|lines| {
            let before = lines.len();
            lines.retain(|line| line.entry.as_ref().is_none_or(|entry| entry.root != root));
            let gone = before - lines.len();
            (gone, gone > 0)
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Reads the store anew under a lock, so that two who change it at once lose nothing, and
    /// replaces it as a whole if `edit` says that it changed.
    fn change<T>(&self, edit: impl FnOnce(&mut Vec<Line>) -> (T, bool)) -> Result<T, TrustError> {
        let folder = self.folder();
        let failed = |cause| TrustError::Write { path: self.path.clone(), cause };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        if is_shared(folder).map_err(failed)? {
            return Err(TrustError::Shared { path: folder.to_owned() });
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(folder.join("trust.lock"))
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut lines = read_lines(&self.path)?;
        let (answer, changed) = edit(&mut lines);
        if changed {
            self.write(&lines).map_err(failed)?;
        }
        Ok(answer)
    }

    fn write(&self, lines: &[Line]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(&line.bytes);
            bytes.push(b'\n');
        }
        if bytes.len() as u64 > MAX_STORE_BYTES {
            let full = format!("it would grow larger than {MAX_STORE_BYTES} bytes");
            return Err(io::Error::other(full));
        }
        // Temporary files are made with mode 0600.
        let mut file = tempfile::Builder::new().prefix(".tmp-trust-").tempfile_in(self.folder())?;
        file.write_all(&bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|failed| failed.error)?;
        File::open(self.folder())?.sync_all()
    }
}

impl TrustEntry {
    /// `DIGEST FILE SINCE ROOT`; the root without spaces, line feeds or anything but ASCII.
    fn to_line(&self) -> String {
        let mut root = String::new();
        for byte in self.root.as_os_str().as_bytes() {
            match byte {
                b'%' | 0..=0x20 | 0x7f.. => {
                    let _ = write!(root, "%{byte:02x}");
                }
                _ => root.push(char::from(*byte)),
            }
        }
        format!("{} {} {} {root}", self.digest, self.file, self.since)
    }

    fn from_line(line: &[u8]) -> Option<Self> {
        let mut fields = std::str::from_utf8(line).ok()?.split(' ');
        let mut field = || fields.next().filter(|field| !field.is_empty());
        let (digest, file, since, root) = (field()?, field()?, field()?, field()?);
        let hexadecimal = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        let root = PathBuf::from(OsString::from_vec(unescape(root)?));
        let sound = fields.next().is_none()
            && digest.len() == 64
            && digest.chars().all(hexadecimal)
            && root.is_absolute();
        sound.then(|| Self {
            digest: digest.to_owned(),
            file: file.to_owned(),
            since: since.to_owned(),
            root,
        })
    }
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let pair = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    Some(bytes)
}

fn read_lines(path: &Path) -> Result<Vec<Line>, TrustError> {
    let failed = |cause| TrustError::Read { path: path.to_owned(), cause };
    let absent = |cause: &io::Error| {
        matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    // Without waiting for the writer of a pipe.
    let file = match File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path) {
        Ok(file) => file,
        Err(cause) if absent(&cause) => return Ok(Vec::new()),
        Err(cause) => return Err(failed(cause)),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(TrustError::NoFile { path: path.to_owned() });
    }
    for place in [Some(path), path.parent()].into_iter().flatten() {
        if is_shared(place).map_err(failed)? {
            return Err(TrustError::Shared { path: place.to_owned() });
        }
    }
    let mut bytes = Vec::new();
    file.take(MAX_STORE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_STORE_BYTES {
        return Err(TrustError::TooLarge { path: path.to_owned(), cap: MAX_STORE_BYTES });
    }
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let line = |line: &[u8]| Line { bytes: line.to_owned(), entry: TrustEntry::from_line(line) };
    Ok(text.split(|&byte| byte == b'\n').map(line).collect())
}

/// Whether others than its owner may write it.
fn is_shared(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & OTHERS_WRITE != 0)
}

/// The path without links; where it does not exist yet, as much of it as does.
fn canonical(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return match path.strip_prefix(above) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

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
        assert_eq!(store.forget(&home.root()).unwrap(), 2);
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
            assert!(matches!(&error, TrustError::Shared { path: named } if *named == path));
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
            assert!(matches!(error, TrustError::Within { .. }), "{error}");
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
        assert!(matches!(TrustStore::open(&BTreeMap::new()), Err(TrustError::NoHome)));
        fs::create_dir_all(home.file()).unwrap();
        assert!(matches!(error(), TrustError::NoFile { .. }));
        fs::remove_dir(home.file()).unwrap();
        fs::write(home.file(), vec![b'#'; (1 << 20) + 1]).unwrap();
        assert!(matches!(error(), TrustError::TooLarge { .. }));
        fs::remove_file(home.file()).unwrap();
        fs::remove_dir(home.file().parent().unwrap()).unwrap();
        fs::write(home.file().parent().unwrap(), "in the way").unwrap();
        let written = home.store().record(home.entry(b"a")).unwrap_err();
        assert!(matches!(written, TrustError::Write { .. }), "{written}");
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
