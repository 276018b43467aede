//! What a call has changed: for the checkpoint, and for whoever has to look at it.

use std::path::PathBuf;

use super::{Begun, Surroundings};
use elophanto_agent::git_guard::Sight;
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::exact_line;
use elophanto_index::commit::TABLES;
use elophanto_repo::{Git, Visited};

/// Files that are told of one by one.
const MOST_TOLD: usize = 20;

impl<'a> Surroundings<'a> {
    /// What the call that has just been made changed.
    pub(super) fn changed(&mut self) -> Vec<PathBuf> {
        let Some(Begun { is_covered: true, is_commit, head: old, .. }) = self.calls.pop() else {
            return Vec::new();
        };
        let new = self.head();
        let branch = self.git.and_then(Git::branch).map(|name| format!("refs/heads/{name}"));
        let Some(run) = &mut self.checkpoint else { return Vec::new() };
        if let Some(old) = old
            && let Some(new) = new.filter(|new| old.as_ref() != Some(new))
            && let Err(cause) = run.committed(old, new, branch.as_deref())
        {
            self.warnings.push(format!("the commit cannot be taken back: {cause}"));
        }
        match run.after() {
            Ok(mut paths) => {
                paths.retain(|path| !is_commit || !path.starts_with(TABLES));
                paths
            }
            Err(cause) => {
                self.warnings.push(format!("what the call changed is not known yet: {cause}"));
                Vec::new()
            }
        }
    }

    /// Puts out of everybody's sight what the call has left that others would go by: repositories,
    /// and, of a call that nobody looked at, files that steer other programs. Says so.
    pub(super) fn put_aside(&mut self) -> Vec<String> {
        let repository = &self.workspace.repository;
        let is_unseen = self.calls.last().is_some_and(|call| call.steering.is_some());
        let sight = is_unseen.then(|| self.sight());
        let Some(Begun { before: Some(before), under_way, steering, .. }) = self.calls.last_mut()
        else {
            return Vec::new();
        };
        let run = self.run.unwrap_or_default().to_string();
        let snapshot = repository.aside_dir().join(run);
        let (under_way, steering) = (under_way.take(), steering.take());
        let visit = |visited: Visited<'_>| sight.iter().for_each(|it| it.visit(visited));
        let aside = before.put_aside(repository, &|_| false, &snapshot, &visit);
        let (mut told, mut is_whole) = (aside.told, aside.is_whole);
        if let (Some(steering), Some(sight)) = (steering, sight) {
            let now = sight.steering(self.named.as_ref());
            let aside = steering.put_aside(repository, &now, &snapshot);
            told.extend(aside.told);
            is_whole &= aside.is_whole;
        }
        // What is still there is tried again by the next run.
        if let Some(under_way) = under_way.filter(|_| is_whole) {
            under_way.ended();
        }
        told
    }

    /// Gathers the files of the work tree that others go by.
    pub(super) fn sight(&self) -> Sight<'a> {
        Sight::of(&self.workspace.repository.root, &self.prepared.rights.borrow().protected)
    }

    /// Says which of these files, relative to the root, others execute.
    pub(super) fn executed(&self, changed: &[PathBuf]) -> Vec<String> {
        let (rights, root) = (self.prepared.rights.borrow(), &self.workspace.repository.root);
        let who = |path: &PathBuf| {
            let path = root.join(path);
            // A folder alone says nothing; a link says what lies behind it.
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            let by_git = || self.named.as_ref()?.why(&path).map(|_| "git");
            rights.protected.executed(&path).or_else(by_git).filter(|_| !is_folder)
        };
        let found: Vec<(&PathBuf, &str)> =
            changed.iter().filter_map(|path| Some((path, who(path)?))).collect();
        let said = |(path, who): &(&PathBuf, &str)| {
            let path = exact_line(&path.to_string_lossy());
            format!(
                "`{path}` was changed, and runs or steers {who} outside of the sandbox: look at it \
                 first"
            )
        };
        let mut told: Vec<String> = found.iter().take(MOST_TOLD).map(said).collect();
        if let Some(more @ 1..) = found.len().checked_sub(MOST_TOLD) {
            let (files, were) = (counted(more, "more file"), agreeing(more, "was", "were"));
            let run = agreeing(more, "runs or steers", "run or steer");
            told.push(format!("{files} that {run} other programs {were} changed"));
        }
        told
    }
}
