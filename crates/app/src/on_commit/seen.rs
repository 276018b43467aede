//! Up to which commits everything is written down, in this clone: one for each branch.
//!
//! A commit that no hook saw is told from those that were by this alone, so it is still known after other
//! branches were worked on.

use std::path::PathBuf;

use elophanto_base::regular::read_text;
use elophanto_index::store::write_whole;
use elophanto_repo::{CommitId, Git, GitError, head};

/// Branches that are remembered, those that were committed to last.
const MOST_BRANCHES: usize = 200;
/// Largest memory, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;

/// The memory of one clone.
pub struct Seen {
    file: PathBuf,
}

impl Seen {
    /// Up to where the changelog tells of commits.
    pub fn of_entries(git: &Git) -> Self {
        Self::at(git, "changelog-seen")
    }

    /// Up to where the journal tells what became of facts.
    pub fn of_facts(git: &Git) -> Self {
        Self::at(git, "facts-seen")
    }

    fn at(git: &Git, name: &str) -> Self {
        Self { file: git.common_dir().join("elophanto").join(name) }
    }

    /// Begins with all branches as they are, unless there is a memory already: what was before the hooks is
    /// history.
    ///
    /// # Errors
    /// When git cannot list the branches or say what is checked out.
    pub fn begin(&self, git: &Git) -> Result<(), GitError> {
        let mut known = self.read();
        // Before there was a line for each branch there was one commit; and where there was none, no line.
        let is_begun = self.file.exists();
        if is_begun && known.iter().all(|line| !line.branch.is_empty()) {
            return Ok(());
        }
        let checked_out = branch(git);
        let line = |(commit, branch)| Line { commit, since: 0, branch };
        if !is_begun && let Some(commit) = head(git)? {
            known.push(line((commit, checked_out.clone())));
        }
        let tips = git.branch_tips()?.into_iter();
        known.extend(tips.filter(|(_, branch)| *branch != checked_out).map(line));
        known.iter_mut().filter(|line| line.branch.is_empty()).for_each(|line| {
            line.branch = "HEAD".to_owned();
        });
        self.write_all(&known);
        Ok(())
    }

    /// The commits, of every branch; `None` where there is no memory and none can be kept.
    pub(super) fn commits(&self) -> Option<Vec<CommitId>> {
        self.file.exists().then(|| self.read().into_iter().map(|line| line.commit).collect())
    }

    /// Since when the commit of the branch that is checked out is seen, in milliseconds since 1970.
    pub(super) fn since(&self, git: &Git) -> u64 {
        let branch = branch(git);
        self.read().into_iter().find(|line| line.branch == branch).map_or(0, |line| line.since)
    }

    /// Remembers a commit of the branch that is checked out.
    pub(super) fn write(&self, git: &Git, commit: CommitId, since: u64) {
        let branch = branch(git);
        let mut known = self.read();
        if known.first().is_some_and(|line| line.commit == commit && line.branch == branch) {
            return;
        }
        known.retain(|line| line.branch != branch);
        known.insert(0, Line { commit, since, branch });
        self.write_all(&known);
    }

    fn read(&self) -> Vec<Line> {
        let text = read_text(&self.file, MOST_BYTES).unwrap_or_default();
        let line = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let commit = words.next()?.parse().ok()?;
            let since = words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
            Some(Line { commit, since, branch: words.next().unwrap_or_default().to_owned() })
        };
        text.lines().filter_map(line).collect()
    }

    /// Where that cannot be written, the next commit looks again.
    fn write_all(&self, known: &[Line]) {
        let line = |Line { commit, since, branch }: &Line| format!("{commit} {since} {branch}\n");
        let text: String = known.iter().take(MOST_BRANCHES).map(line).collect();
        let _ = write_whole(&self.file, text.as_bytes());
    }
}

/// A branch, and the commit that was looked at last.
struct Line {
    commit: CommitId,
    since: u64,
    branch: String,
}

/// The branch that is checked out; `HEAD`, which none is called, where none is.
fn branch(git: &Git) -> String {
    git.branch().unwrap_or_else(|| "HEAD".to_owned())
}
