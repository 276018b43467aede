//! Branches, made, moved and removed by plumbing: work tree, index and HEAD stay as they are.

use super::{CommitId, Git, GitError, reference};

impl Git {
    /// Whether a branch can be called that.
    pub fn is_branch_name(&self, name: &str) -> bool {
        let is_name = !name.starts_with('-') && !matches!(name, "@" | "HEAD");
        is_name && self.run(&["check-ref-format", &branch_reference(name)]).is_ok()
    }

    /// The commit of a branch; `None` if there is no such branch.
    ///
    /// # Errors
    /// When git cannot say.
    pub fn branch_tip(&self, name: &str) -> Result<Option<CommitId>, GitError> {
        reference(self, &branch_reference(name))
    }

    /// The branches of this clone, each with its commit, the newest first.
    ///
    /// # Errors
    /// When git cannot list them.
    pub fn branch_tips(&self) -> Result<Vec<(CommitId, String)>, GitError> {
        let format = "--format=%(objectname) %(refname:lstrip=2)";
        let output = self.run(&["for-each-ref", "--sort=-committerdate", format, "refs/heads/"])?;
        let tip = |line: &str| {
            let (commit, name) = line.split_once(' ')?;
            Some((commit.parse().ok()?, name.to_owned()))
        };
        Ok(String::from_utf8_lossy(&output).lines().filter_map(tip).collect())
    }

    /// Moves a branch, if it still is at `from`; without one it is made, if there is none of that
    /// name. `why` goes into its log.
    ///
    /// # Errors
    /// When it is somewhere else, or git cannot write.
    pub fn move_branch(
        &self,
        name: &str,
        from: Option<&CommitId>,
        to: &CommitId,
        why: &str,
    ) -> Result<(), GitError> {
        let to = to.to_string();
        let from = from.map_or_else(|| "0".repeat(to.len()), CommitId::to_string);
        let asked =
            ["update-ref", "-m", why, "--end-of-options", &branch_reference(name), &to, &from];
        self.run(&asked).map(drop)
    }

    /// Removes a branch, if it still is at `from`.
    ///
    /// # Errors
    /// When it is somewhere else, or git cannot write.
    pub fn remove_branch(&self, name: &str, from: &CommitId) -> Result<(), GitError> {
        let (reference, from) = (branch_reference(name), from.to_string());
        self.run(&["update-ref", "-d", "--end-of-options", &reference, &from]).map(drop)
    }

    /// Where a branch is checked out; `None` if nowhere.
    ///
    /// # Errors
    /// When git cannot say.
    pub fn checked_out_in(&self, name: &str) -> Result<Option<String>, GitError> {
        let asked = ["for-each-ref", "--format=%(worktreepath)", &branch_reference(name)];
        let said = self.run(&asked)?;
        let place = String::from_utf8_lossy(said.trim_ascii()).into_owned();
        Ok(Some(place).filter(|place| !place.is_empty()))
    }

    /// Whether a commit is in this clone.
    pub fn has_commit(&self, commit: &CommitId) -> bool {
        self.run(&["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_ok()
    }

    /// Whether all of the older commit is in the newer one.
    ///
    /// # Errors
    /// When git cannot say.
    pub fn is_part_of(&self, older: &CommitId, newer: &CommitId) -> Result<bool, GitError> {
        let (older, newer) = (older.to_string(), newer.to_string());
        match self.run(&["merge-base", "--is-ancestor", &older, &newer]) {
            Ok(_) => Ok(true),
            Err(GitError::Failed { .. }) => Ok(false),
            Err(cause) => Err(cause),
        }
    }
}

/// The full name of a branch.
pub fn branch_reference(name: &str) -> String {
    format!("refs/heads/{name}")
}
