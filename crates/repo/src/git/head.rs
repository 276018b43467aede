//! Object ids, and which commit is checked out.
//!
//! Every search asks for HEAD, so the files that hold it are read directly: starting git would
//! cost more than the rest of the question. What is laid out in another way (reftable) is asked of
//! libgit2 and then of the git program.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    str::FromStr,
};

use super::{super::BlobId, Git, GitError};
use elophanto_base::platform;

/// How many symbolic refs may lead to one another, as in git.
const MOST_STEPS: usize = 5;
/// A larger file of refs is left to git, in bytes.
const MOST_REF_BYTES: u64 = 64 * 1024 * 1024;

/// The name of an object in this repository: SHA-1 or SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; 32],
    length: u8,
}

/// The id of a commit.
pub type CommitId = ObjectId;

impl ObjectId {
    /// Hex digits of [`ObjectId::short`].
    const SHORT: usize = 10;

    /// Takes a raw id; `None` unless it has 20 or 32 bytes.
    pub fn from_bytes(id: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        match id.len() {
            20 | 32 => bytes.get_mut(..id.len())?.copy_from_slice(id),
            _ => return None,
        }
        Some(Self { bytes, length: id.len() as u8 })
    }

    /// Takes hex digits as git prints them; `None` unless there are 40 or 64.
    pub fn from_hex(digits: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        if !matches!(digits.len(), 40 | 64) {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
        }
        Some(Self { bytes, length: (digits.len() / 2) as u8 })
    }

    /// The raw id: 20 or 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The id by which documents are known, where git names content as we do (SHA-1).
    pub fn blob_id(&self) -> Option<BlobId> {
        self.as_bytes().try_into().ok().map(BlobId::from_bytes)
    }

    /// Whether this is the id that stands for nothing.
    pub fn is_zero(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// The first digits, for people.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(Self::SHORT);
        text
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ObjectId {
    type Err = GitError;

    fn from_str(text: &str) -> Result<Self, GitError> {
        Self::from_hex(text.as_bytes()).ok_or_else(|| GitError::UnknownRevision(text.to_owned()))
    }
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// The commit that is checked out; `None` if there is none yet.
///
/// # Errors
/// When neither the files, libgit2 nor the git program tell.
pub fn head(git: &Git) -> Result<Option<CommitId>, GitError> {
    match by_files(&git.git_dir, &git.common_dir) {
        Ok(Found::Commit(id)) => Ok(Some(id)),
        Ok(Found::NoCommit) => Ok(None),
        // Reading failed or the layout is none that is known here.
        Ok(Found::Unclear) | Err(_) => by_library(git).or_else(|_| by_program(git)),
    }
}

/// What a ref of this full name leads to; `None` if there is no such ref.
///
/// # Errors
/// When neither the files nor the git program tell.
pub fn reference(git: &Git, name: &str) -> Result<Option<ObjectId>, GitError> {
    match follow(&git.git_dir, &git.common_dir, format!("ref: {name}").into_bytes()) {
        Ok(Found::Commit(id)) => return Ok(Some(id)),
        Ok(Found::NoCommit) => return Ok(None),
        Ok(Found::Unclear) | Err(_) => {}
    }
    match git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", name]) {
        Ok(output) => Ok(ObjectId::from_hex(output.trim_ascii())),
        Err(GitError::Failed { .. }) => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// What the files say.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Commit(CommitId),
    NoCommit,
    Unclear,
}

fn by_files(git_dir: &Path, common_dir: &Path) -> io::Result<Found> {
    match read(&git_dir.join("HEAD"))? {
        Some(text) => follow(git_dir, common_dir, text),
        None => Ok(Found::NoCommit),
    }
}

/// Where the text of a symbolic ref leads to.
fn follow(git_dir: &Path, common_dir: &Path, mut text: Vec<u8>) -> io::Result<Found> {
    if common_dir.join("reftable").exists() {
        return Ok(Found::Unclear);
    }
    for _ in 0..MOST_STEPS {
        let value = text.trim_ascii();
        if let Some(id) = CommitId::from_hex(value) {
            return Ok(Found::Commit(id));
        }
        let Some(name) = value.strip_prefix(b"ref:").map(<[u8]>::trim_ascii) else {
            return Ok(Found::Unclear);
        };
        if !is_plain_ref(name) {
            return Ok(Found::Unclear);
        }
        let folder = if is_per_worktree(name) { git_dir } else { common_dir };
        // The loose file first: git writes `packed-refs` before it removes the loose one.
        text = match read(&folder.join(platform::path(name)))? {
            Some(text) => text,
            None => {
                let packed = read(&common_dir.join("packed-refs"))?.unwrap_or_default();
                return Ok(in_packed(&packed, name).map_or(Found::NoCommit, Found::Commit));
            }
        };
    }
    Ok(Found::Unclear)
}

/// The bytes of a file; `None` if there is no such file.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        // A branch `a` may have left an empty folder where a ref `a` would be, or the reverse.
        Err(cause) => {
            use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
            return match cause.kind() {
                NotFound | NotADirectory | IsADirectory => Ok(None),
                _ => Err(cause),
            };
        }
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() || metadata.len() > MOST_REF_BYTES {
        return Err(io::Error::other("no file of refs"));
    }
    let mut bytes = Vec::new();
    file.by_ref().take(MOST_REF_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A name that leads to a file below `refs/` and to nowhere else.
fn is_plain_ref(name: &[u8]) -> bool {
    let plain = |part: &[u8]| !part.is_empty() && !part.starts_with(b".");
    name.starts_with(b"refs/") && !name.contains(&0) && name.split(|&b| b == b'/').all(plain)
}

fn is_per_worktree(name: &[u8]) -> bool {
    [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// The id of a ref in the text of `packed-refs`.
fn in_packed(packed: &[u8], name: &[u8]) -> Option<CommitId> {
    packed.split(|&byte| byte == b'\n').find_map(|line| {
        let digits = line.strip_suffix(name)?.strip_suffix(b" ")?;
        CommitId::from_hex(digits)
    })
}

fn by_library(git: &Git) -> Result<Option<CommitId>, GitError> {
    let repository = git2::Repository::open_bare(&git.git_dir)?;
    match repository.head() {
        Ok(head) => Ok(CommitId::from_bytes(head.peel_to_commit()?.id().as_bytes())),
        Err(cause) if cause.code() == git2::ErrorCode::UnbornBranch => Ok(None),
        Err(cause) => Err(cause.into()),
    }
}

fn by_program(git: &Git) -> Result<Option<CommitId>, GitError> {
    // Says `missing` for a branch without a commit, where `rev-parse` would fail.
    let said = git.run_with(&["cat-file", "--batch-check=%(objectname)"], b"HEAD^{commit}\n")?;
    let said = said.trim_ascii();
    match CommitId::from_hex(said) {
        Some(id) => Ok(Some(id)),
        None if said.ends_with(b" missing") => Ok(None),
        None => Err(GitError::Odd(String::from_utf8_lossy(said).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222222222222222222222222222";

    #[test]
    fn an_id_is_40_or_64_lower_case_digits() {
        fn check(text: &str, good: bool) {
            let parsed: Option<CommitId> = text.parse().ok();
            assert_eq!(parsed.map(|id| id.to_string()), good.then(|| text.to_owned()), "{text}");
            let again = parsed.and_then(|id| CommitId::from_bytes(id.as_bytes()));
            assert_eq!(again, parsed);
        }
        check(ONE, true);
        check(TWO, true);
        check("0123456789abcdef0123456789abcdef01234567", true);
        check(&ONE[1..], false);
        check("", false);
        check("x111111111111111111111111111111111111111", false);
        check("A111111111111111111111111111111111111111", false);
    }

    #[test]
    fn head_is_read_from_its_files() {
        fn check(files: &[(&str, &str)], expected: &str) {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let found = by_files(folder.path(), &folder.path().join("common")).unwrap();
            let found = match found {
                Found::Commit(id) => id.to_string(),
                Found::NoCommit => "no commit".to_owned(),
                Found::Unclear => "unclear".to_owned(),
            };
            assert_eq!(found, expected, "{files:?}");
        }
        let branch = ("HEAD", "ref: refs/heads/main\n");
        let packed = format!(
            "# pack-refs with: peeled fully-peeled sorted \n{TWO} refs/heads/old/refs/heads/main\n\
             ^{TWO}\n{ONE} refs/heads/main\n"
        );
        let packed = ("common/packed-refs", packed.as_str());
        check(&[("HEAD", ONE)], ONE);
        check(&[("HEAD", TWO)], TWO);
        check(&[], "no commit");
        check(&[branch], "no commit");
        check(&[branch, ("common/refs/heads/main", ONE)], ONE);
        check(&[branch, packed], ONE);
        check(&[branch, packed, ("common/refs/heads/main", TWO)], TWO);
        // Only a folder is left where the ref was.
        check(&[branch, packed, ("common/refs/heads/main/x", TWO)], ONE);
        check(&[branch, ("common/refs/heads/main", "ref: refs/heads/b"), packed], "no commit");
        check(&[branch, ("common/refs/heads/main", "ref: refs/heads/main")], "unclear");
        check(&[("HEAD", "ref: refs/bisect/x"), ("refs/bisect/x", ONE)], ONE);
        check(&[("HEAD", "ref: refs/heads/.invalid")], "unclear");
        check(&[("HEAD", "ref: refs/heads/main"), ("common/reftable/tables.list", "")], "unclear");
        for away in ["ref: refs/../../secret", "ref: /etc/passwd", "ref: refs//x", "junk", ""] {
            check(&[("HEAD", away), ("secret", ONE)], "unclear");
        }
    }
}
