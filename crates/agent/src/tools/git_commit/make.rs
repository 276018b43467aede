//! Making the commit, in an index of its own.

use std::{collections::BTreeSet, fs, io};

use super::{
    super::git_calls::{pathspec, told},
    Along, Gate, Proposed,
    plan::{Plan, empty_tree},
};
use crate::ToolError;
use elophanto_repo::{CommitId, Git, NotePath};

/// A commit that was made.
pub(super) struct Made {
    pub(super) commit: CommitId,
    pub(super) files: usize,
    /// Why what was to go along does not.
    pub(super) lacks: Option<String>,
}

/// # Errors
/// When the gate refuses, HEAD has moved, nobody is named as the author, or git cannot write. Then
/// there is no commit, and the index is as it was.
pub(super) fn commit(
    git: &Git,
    plan: &Plan,
    message: &str,
    gate: &Gate,
    along: &Along,
) -> Result<Made, ToolError> {
    if !git.has_identity().map_err(told)? {
        return Err(ToolError::Failed(
            "git does not know in whose name to commit: user.name and user.email are not set"
                .into(),
        ));
    }
    let io = |cause: io::Error| ToolError::Failed(format!("no temporary index: {cause}"));
    let folder = tempfile::tempdir_in(git.git_dir()).map_err(io)?;
    let aside = git.clone().with_index(folder.path().join("index"));
    let against = match &plan.head {
        Some(head) => head.to_string(),
        None => empty_tree(git)?,
    };
    match &plan.named {
        Some(files) => {
            if plan.head.is_some() {
                aside.run(&["read-tree", &against]).map_err(told)?;
            }
            let removal = |path: &NotePath| removal(path.as_bytes(), against.len());
            stage(&aside, &files.removed.iter().flat_map(removal).collect::<Vec<u8>>())?;
            let spec =
                |path: &NotePath| [pathspec(path.as_path()).as_encoded_bytes(), &[0]].concat();
            let input: Vec<u8> = files.kept.iter().flat_map(spec).collect();
            let add = ["add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"];
            // Without a path it would add everything.
            if !input.is_empty() {
                aside.run_with(&add, &input).map_err(told)?;
            }
        }
        None => {
            let to = folder.path().join("index");
            fs::copy(git.git_dir().join("index"), to).map_err(io)?;
        }
    }
    let asked = ["diff-index", "--cached", "--raw", "-z", "--no-renames", &against, "--"];
    let mut changes = listed(&aside.run(&asked).map_err(told)?)?;
    if changes.is_empty() {
        return Err(ToolError::Failed("nothing has changed there".into()));
    }
    // A file may come where a folder was: what goes makes room first.
    changes.sort_by_key(|change| !change.removes());
    let mut paths: Vec<NotePath> = changes.iter().map(|change| change.path.clone()).collect();
    paths.sort();
    let proposed = Proposed { git: &aside, head: plan.head, message, paths: &paths };
    gate(&proposed).map_err(|why| ToolError::Refused(format!("not committed: {why}")))?;
    let files = changes.len();
    let lacks = along(&proposed).err();
    // What goes along is in this index, and in no other yet.
    let mut all = listed(&aside.run(&asked).map_err(told)?)?;
    all.retain(|change| plan.named.is_some() || paths.binary_search(&change.path).is_err());
    all.sort_by_key(|change| !change.removes());
    let changes = all;

    let tree = text(&aside.run(&["write-tree"]).map_err(told)?);
    let mut arguments = vec!["commit-tree", &tree];
    if plan.head.is_some() {
        arguments.extend(["-p", &against]);
    }
    let id = text(&git.run_with(&arguments, message.as_bytes()).map_err(told)?);
    let commit: CommitId =
        id.parse().map_err(|_| ToolError::Failed("git named no commit".into()))?;
    // The index comes first, as another process may hold it; what fails after that is taken back.
    let before = if changes.is_empty() { Vec::new() } else { entries(git, &changes)? };
    let input: Vec<u8> = changes.iter().flat_map(Change::entry).collect();
    stage(git, &input)?;
    let old = plan.head.map_or_else(|| "0".repeat(id.len()), |head| head.to_string());
    let subject = format!("commit: {}", message.lines().next().unwrap_or_default());
    if let Err(cause) = git.run(&["update-ref", "-m", &subject, "HEAD", &id, &old]) {
        stage(git, &before)?;
        return Err(told(cause));
    }
    Ok(Made { commit, files, lacks })
}

/// A line of `diff-index --raw`.
struct Change {
    mode: String,
    object: String,
    path: NotePath,
}

impl Change {
    fn removes(&self) -> bool {
        self.mode == "000000"
    }

    /// What `update-index --index-info` is told.
    fn entry(&self) -> Vec<u8> {
        if self.removes() {
            return removal(self.path.as_bytes(), self.object.len());
        }
        let head = format!("{} {} 0\t", self.mode, self.object);
        [head.as_bytes(), self.path.as_bytes(), &[0]].concat()
    }
}

/// What takes a path out of an index whose ids have so many digits.
fn removal(path: &[u8], digits: usize) -> Vec<u8> {
    [format!("0 {}\t", "0".repeat(digits)).as_bytes(), path, &[0]].concat()
}

fn listed(said: &[u8]) -> Result<Vec<Change>, ToolError> {
    let fields: Vec<&[u8]> = said.split(|&byte| byte == 0).collect();
    let mut changes = Vec::new();
    for pair in fields.chunks_exact(2) {
        // `:100644 100644 id id M`, then the path.
        let head = String::from_utf8_lossy(pair[0]).into_owned();
        let parts: Vec<&str> = head.split(' ').collect();
        let [_, mode, _, object, _] = parts[..] else {
            return Err(ToolError::Failed("git gave an answer that cannot be read".into()));
        };
        if mode == "160000" {
            let path = NotePath::new(pair[1]).to_text();
            return Err(ToolError::Refused(format!("`{path}` is a repository of its own")));
        }
        let path = NotePath::new(pair[1]);
        changes.push(Change { mode: mode.to_owned(), object: object.to_owned(), path });
    }
    Ok(changes)
}

/// What puts the index back for these paths.
fn entries(git: &Git, changes: &[Change]) -> Result<Vec<u8>, ToolError> {
    let said = git.run(&["ls-files", "-z", "--stage", "--full-name"]).map_err(told)?;
    let mut missing: BTreeSet<&[u8]> =
        changes.iter().map(|change| change.path.as_bytes()).collect();
    let digits = changes.first().map_or(40, |change| change.object.len());
    let mut there = Vec::new();
    for entry in said.split(|&byte| byte == 0) {
        let path = entry.splitn(2, |&byte| byte == b'\t').nth(1).unwrap_or_default();
        if missing.remove(path) {
            there.extend_from_slice(entry);
            there.push(0);
        }
    }
    let mut input: Vec<u8> = missing.iter().flat_map(|path| removal(path, digits)).collect();
    input.append(&mut there);
    Ok(input)
}

fn stage(git: &Git, input: &[u8]) -> Result<(), ToolError> {
    if input.is_empty() {
        return Ok(());
    }
    let update = ["update-index", "-z", "--add", "--index-info"];
    git.run_with(&update, input).map(drop).map_err(told)
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said.trim_ascii()).into_owned()
}
