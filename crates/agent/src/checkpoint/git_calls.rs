//! What is asked of the git program. It alone knows every format of repositories, and syncs what
//! it writes when told to.

use std::{collections::BTreeMap, time::Duration};

use super::{name::Name, record::Entry};
use elophanto_repo::{Git, GitError, ObjectId};

/// Refs of the checkpoints, each named by its run.
pub(super) const CHECKPOINTS: &str = "refs/elophanto/checkpoints/";
/// Refs that keep the contents of the last seen work trees from being collected.
pub(super) const BASELINES: &str = "refs/elophanto/baselines/";

/// How long git may take to store or to give contents.
const PATIENCE: Duration = Duration::from_secs(600);
/// Contents that are handed to git at once, in bytes.
const BATCH_BYTES: usize = 32 * 1024 * 1024;
const BATCH_COUNT: usize = 4_096;
/// Who makes the commits of checkpoints: nobody's name is used.
const COMMITTER: &str = "committer elophanto <elophanto@localhost>";

/// Stores contents, in batches.
pub(super) struct Contents<'g> {
    git: &'g Git,
    waiting: Vec<Vec<u8>>,
    bytes: usize,
    ids: Vec<ObjectId>,
}

impl<'g> Contents<'g> {
    pub(super) fn new(git: &'g Git) -> Self {
        Self { git, waiting: Vec::new(), bytes: 0, ids: Vec::new() }
    }

    pub(super) fn add(&mut self, content: Vec<u8>) -> Result<(), GitError> {
        self.bytes += content.len();
        self.waiting.push(content);
        if self.bytes >= BATCH_BYTES || self.waiting.len() >= BATCH_COUNT {
            self.store()?;
        }
        Ok(())
    }

    /// The ids of all contents in their order. They are on disk.
    pub(super) fn finish(mut self) -> Result<Vec<ObjectId>, GitError> {
        self.store()?;
        Ok(self.ids)
    }

    fn store(&mut self) -> Result<(), GitError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut input = Vec::with_capacity(self.bytes + 64 * self.waiting.len());
        for (index, content) in self.waiting.iter().enumerate() {
            let mark = index + 1;
            input.extend_from_slice(
                format!("blob\nmark :{mark}\ndata {}\n", content.len()).as_bytes(),
            );
            input.extend_from_slice(content);
            input.extend_from_slice(format!("\nget-mark :{mark}\n").as_bytes());
        }
        let output = import(self.git, input)?;
        let before = self.ids.len();
        for line in output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.ids.push(ObjectId::from_hex(line).ok_or_else(|| odd("the id of a content"))?);
        }
        if self.ids.len() != before + self.waiting.len() {
            return Err(odd("the ids of contents"));
        }
        self.waiting.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// A commit that holds contents, for a ref of ours.
pub(super) struct Holder<'h> {
    pub(super) reference: &'h str,
    pub(super) message: &'h [u8],
    /// Seconds since 1970.
    pub(super) time: i64,
    /// Commits that are to stay as long as this one.
    pub(super) parents: &'h [String],
    /// The commit whose contents it begins with.
    pub(super) from: Option<&'h ObjectId>,
    /// Paths to take out of those, then paths to put in.
    pub(super) without: &'h [String],
    pub(super) with: &'h [(String, ObjectId)],
    /// A file that git has not seen yet.
    pub(super) file: Option<(&'h str, &'h [u8])>,
}

/// Makes the commit and sets its ref, whatever that was before. It is on disk when this returns.
///
/// # Errors
/// When git cannot write, or another git moved the ref at the same moment: one that a killed
/// process had started goes on to its end.
pub(super) fn hold(git: &Git, holder: &Holder) -> Result<ObjectId, GitError> {
    let mut input = Vec::new();
    let mut line = |text: String| input.extend_from_slice(text.as_bytes());
    line(format!(
        "commit {}\nmark :1\n{COMMITTER} {} +0000\n",
        holder.reference,
        holder.time.max(0)
    ));
    line(format!("data {}\n", holder.message.len()));
    input.extend_from_slice(holder.message);
    input.push(b'\n');
    let mut line = |text: String| input.extend_from_slice(text.as_bytes());
    holder.parents.iter().for_each(|parent| line(format!("merge {parent}\n")));
    if let Some(from) = holder.from {
        let tree = git.run(&["rev-parse", "--verify", "--quiet", &format!("{from}^{{tree}}")])?;
        line(format!("M 040000 {} \"\"\n", String::from_utf8_lossy(tree.trim_ascii())));
    }
    holder.without.iter().for_each(|path| line(format!("D {path}\n")));
    holder.with.iter().for_each(|(path, id)| line(format!("M 100644 {id} {path}\n")));
    if let Some((path, bytes)) = holder.file {
        line(format!("M 100644 inline {path}\ndata {}\n", bytes.len()));
        input.extend_from_slice(bytes);
        input.push(b'\n');
    }
    input.extend_from_slice(b"get-mark :1\n");
    let id = import(git, input)?;
    ObjectId::from_hex(id.trim_ascii()).ok_or_else(|| odd("the id of a commit"))
}

/// `done` at the end tells a whole input from a cut one.
fn import(git: &Git, mut input: Vec<u8>) -> Result<Vec<u8>, GitError> {
    input.extend_from_slice(b"done\n");
    let arguments = [
        "-c", "core.fsync=all", "fast-import", "--quiet", "--force", "--done", "--date-format=raw",
    ];
    git.clone().with_timeout(PATIENCE).run_with(&arguments, &input)
}

/// Refs below a prefix, each with the message of its commit.
pub(super) fn references(git: &Git, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, GitError> {
    let output = git.run(&["for-each-ref", "--format=%(refname) %(contents:subject)", prefix])?;
    let mut found = Vec::new();
    for line in output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let space = line.iter().position(|&byte| byte == b' ').unwrap_or(line.len());
        let name = String::from_utf8_lossy(&line[..space]).into_owned();
        found.push((name, line.get(space + 1..).unwrap_or_default().to_vec()));
    }
    Ok(found)
}

pub(super) fn remove_reference(git: &Git, name: &str) -> Result<(), GitError> {
    git.run(&["update-ref", "-d", name]).map(drop)
}

/// The content of a file that a ref holds.
pub(super) fn content(git: &Git, reference: &str, path: &str) -> Result<Vec<u8>, GitError> {
    git.clone().with_timeout(PATIENCE).run(&["cat-file", "blob", &format!("{reference}:{path}")])
}

/// What the folder of a commit holds, by name.
pub(super) fn folder(
    git: &Git,
    reference: &str,
    folder: &str,
) -> Result<BTreeMap<String, ObjectId>, GitError> {
    let output = git.run(&["ls-tree", "-r", "-z", "--full-tree", reference, folder])?;
    let mut found = BTreeMap::new();
    for line in zeros(&output) {
        let line = std::str::from_utf8(line).map_err(|_| odd("a list of contents"))?;
        let (fields, path) = line.split_once('\t').ok_or_else(|| odd("a list of contents"))?;
        let id = fields.rsplit(' ').next().unwrap_or_default().parse()?;
        found.insert(path.to_owned(), id);
    }
    Ok(found)
}

/// The topmost files and folders that git ignores and does not track.
pub(super) fn ignored(git: &Git) -> Result<Vec<Name>, GitError> {
    let output = git
        .clone()
        .with_timeout(PATIENCE)
        .run(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])?;
    Ok(zeros(&output).map(|name| Name::new(name.strip_suffix(b"/").unwrap_or(name))).collect())
}

/// All entries of the index, by path; of a path in conflict there are several.
pub(super) fn index(git: &Git) -> Result<BTreeMap<Name, Vec<Entry>>, GitError> {
    let output = git.run(&["ls-files", "-z", "--stage", "--full-name"])?;
    let mut found: BTreeMap<Name, Vec<Entry>> = BTreeMap::new();
    for line in zeros(&output) {
        let broken = || odd("a list of the index");
        let tab = line.iter().position(|&byte| byte == b'\t').ok_or_else(broken)?;
        let fields = std::str::from_utf8(&line[..tab]).map_err(|_| broken())?;
        let [mode, id, stage] =
            fields.split(' ').collect::<Vec<_>>().try_into().map_err(|_| broken())?;
        let entry = Entry { mode: mode.to_owned(), id: id.to_owned(), stage: stage.to_owned() };
        found.entry(Name::new(&line[tab + 1..])).or_default().push(entry);
    }
    Ok(found)
}

/// Replaces the entries of these paths, all at once or not at all.
pub(super) fn set_index<'e>(
    git: &Git,
    entries: impl Iterator<Item = (&'e Name, &'e [Entry])>,
    digits: usize,
) -> Result<(), GitError> {
    let mut input = Vec::new();
    for (name, entries) in entries {
        let mut line = |head: String| {
            input.extend_from_slice(head.as_bytes());
            input.push(b'\t');
            input.extend_from_slice(name.as_bytes());
            input.push(0);
        };
        line(format!("0 {}", "0".repeat(digits)));
        for Entry { mode, id, stage } in entries {
            line(format!("{mode} {id} {stage}"));
        }
    }
    if input.is_empty() {
        return Ok(());
    }
    git.run_with(&["update-index", "-z", "--add", "--replace", "--index-info"], &input).map(drop)
}

/// Paths in which two commits differ; `None` is the commit before the first.
pub(super) fn changed_paths(
    git: &Git,
    old: Option<&ObjectId>,
    new: Option<&ObjectId>,
) -> Result<Vec<Name>, GitError> {
    let Some(some) = old.or(new) else { return Ok(Vec::new()) };
    // The tree without files has an id that git knows without storing it.
    let empty = match some.as_bytes().len() {
        20 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        _ => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    };
    let id = |id: Option<&ObjectId>| id.map_or_else(|| empty.to_owned(), ObjectId::to_string);
    let (old, new) = (id(old), id(new));
    let output =
        git.run(&["diff-tree", "-r", "-z", "--no-renames", "--name-only", &old, &new, "--"])?;
    Ok(zeros(&output).map(Name::new).collect())
}

/// The full name of the branch that HEAD stands for; `None` if it stands for a commit.
pub(super) fn branch(git: &Git) -> Result<Option<String>, GitError> {
    match git.run(&["symbolic-ref", "--quiet", "HEAD"]) {
        Ok(output) => Ok(Some(String::from_utf8_lossy(output.trim_ascii()).into_owned())),
        Err(GitError::Failed { .. }) => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// Moves a ref, or HEAD itself, if it still is at `from`.
pub(super) fn move_reference(
    git: &Git,
    branch: Option<&str>,
    from: Option<&ObjectId>,
    to: Option<&ObjectId>,
    message: &str,
) -> Result<(), GitError> {
    let name = branch.unwrap_or("HEAD");
    let digits = from.or(to).map_or(40, |id| id.as_bytes().len() * 2);
    let id = |id: Option<&ObjectId>| id.map_or_else(|| "0".repeat(digits), ObjectId::to_string);
    let (from, new) = (id(from), id(to));
    let arguments = match to {
        Some(_) => vec!["update-ref", "--no-deref", "-m", message, name, &new, &from],
        None => vec!["update-ref", "--no-deref", "-m", message, "-d", name, &from],
    };
    git.run(&arguments).map(drop)
}

fn zeros(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|&byte| byte == 0).filter(|line| !line.is_empty())
}

pub(super) fn odd(what: &str) -> GitError {
    GitError::Odd(what.to_owned())
}
