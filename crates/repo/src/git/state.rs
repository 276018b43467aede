//! What git is in the middle of, and which branch is checked out.

use std::fs;

use super::{CommitId, Git};
use crate::Repository;

impl Git {
    /// Whether a rebase, cherry-pick, revert or `am` is under way. A merge is not meant: it ends
    /// with a commit of its own.
    pub fn is_replaying(&self) -> bool {
        ["rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer"]
            .iter()
            .any(|name| self.git_dir.join(name).exists())
    }

    /// Whether there may be conflicts to settle: a merge, a rebase or the like is under way, or git
    /// kept what it merged by itself, as `stash pop` does.
    pub fn is_under_way(&self) -> bool {
        let merging = ["MERGE_HEAD", "AUTO_MERGE"];
        self.is_replaying() || merging.iter().any(|name| self.git_dir.join(name).exists())
    }

    /// Whether a git is writing the index, or was killed when it did.
    pub fn index_is_locked(&self) -> bool {
        self.git_dir.join("index.lock").exists()
    }

    /// The other sides of a merge, cherry-pick, revert or rebase that is under way.
    pub fn other_sides(&self) -> Vec<CommitId> {
        let rebasing =
            ["rebase-merge", "rebase-apply"].iter().any(|name| self.git_dir.join(name).exists());
        // Git may leave this one behind.
        let rebased = rebasing.then_some("REBASE_HEAD");
        ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]
            .into_iter()
            .chain(rebased)
            .flat_map(|name| self.ids_in(name))
            .collect()
    }

    /// The commits that a merge under way brings in.
    pub fn merge_heads(&self) -> Vec<CommitId> {
        self.ids_in("MERGE_HEAD")
    }

    fn ids_in(&self, name: &str) -> Vec<CommitId> {
        let text = fs::read_to_string(self.git_dir.join(name)).unwrap_or_default();
        text.lines().filter_map(|line| line.trim().parse().ok()).collect()
    }

    /// Name of the branch that is checked out; `None` for a detached HEAD.
    pub fn branch(&self) -> Option<String> {
        let text = fs::read_to_string(self.git_dir.join("HEAD")).ok()?;
        let name = text.trim().strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?.to_owned();
        // What a repository with reftables writes there for older programs.
        if name == ".invalid" {
            let output = self.run(&["symbolic-ref", "--quiet", "--short", "HEAD"]).ok()?;
            return Some(String::from_utf8_lossy(output.trim_ascii()).into_owned());
        }
        Some(name)
    }

    /// The repository that the address of a remote is of, in lower case: `github.com/acme/sea`; `None` if it lies
    /// on no host.
    pub fn repository_of(remote: &str) -> Option<String> {
        let remote = remote.trim().to_lowercase();
        let (host, path) = match remote.split_once("://") {
            Some(("file", _)) => return None,
            Some((_, rest)) => rest.split_once('/')?,
            // `user@host:path`, as ssh has it.
            None => remote.split_once(':').filter(|(host, _)| !host.contains('/'))?,
        };
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        let path = path.split(['?', '#']).next()?.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
    }

    /// Whether this is the branch that others clone: what `origin` says, else `main` or `master`.
    pub fn is_default_branch(&self, name: &str) -> bool {
        let said = fs::read_to_string(self.common_dir.join("refs/remotes/origin/HEAD")).ok();
        let said = said.as_deref().and_then(|text| {
            text.trim().strip_prefix("ref:")?.trim().strip_prefix("refs/remotes/origin/")
        });
        match said {
            Some(default) => default == name,
            None => matches!(name, "main" | "master"),
        }
    }
}

/// The address that `origin` stands for, as the repository's settings have it; `None` if there is
/// none.
pub fn remote_url(repository: &Repository) -> Option<String> {
    let git = Git::of(repository)?;
    let bytes = match git2::Repository::open_bare(&git.common_dir) {
        Ok(opened) => opened.find_remote("origin").ok()?.url_bytes().to_vec(),
        Err(_) => git.run(&["config", "--get", "remote.origin.url"]).ok()?,
    };
    let url = String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    Some(url).filter(|url| !url.is_empty())
}
