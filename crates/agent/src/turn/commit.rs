//! On a branch of its own, what a run has changed is committed.

use serde_json::json;

use super::{
    Run,
    call::{Asked, How},
    frame::Frame,
};
use crate::{End, LeftToCommit};
use elophanto_base::one_line::one_line;

/// The tool that commits.
const COMMIT: &str = "git_commit";
/// Characters of a subject.
const SUBJECT: usize = 72;

impl Run<'_, '_> {
    /// Commits what the run has changed and not committed itself, where it is on a branch of its
    /// own: as a call like any other, asked about as the mode says.
    pub(super) fn commit_what_is_left(&mut self, frame: &Frame<'_>) -> Result<(), End> {
        let LeftToCommit { paths, kept_back } =
            self.agent.world.left_to_commit(&self.facts.touched);
        self.facts.uncommitted = kept_back;
        if paths.is_empty() {
            return Ok(());
        }
        let message = one_line(&frame.goal, SUBJECT);
        let arguments = json!({ "message": message, "paths": paths });
        let made = self.call(frame.tools, &Asked { tool: COMMIT, arguments })?;
        if made.how != How::Ran {
            let why = one_line(&made.plain, 400);
            let why = format!("what the run changed is not committed: {why}");
            let kept_back = self.facts.uncommitted.take();
            self.facts.uncommitted =
                Some(kept_back.into_iter().chain([why]).collect::<Vec<_>>().join("; "));
        }
        Ok(())
    }
}
