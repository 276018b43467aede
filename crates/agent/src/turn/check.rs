//! The repository's own check, before an answer stands.

use serde_json::json;

use super::{
    Run,
    call::{Asked, How},
    frame::Frame,
    record::SHELL,
};
use crate::End;
use elophanto_base::one_line::one_line;

/// Failures that go back to the model; after one more the answer stands, and the run is not done.
const MOST_FAILURES: u32 = 3;
/// Characters of the command that are shown.
const SHOWN: usize = 120;

impl Run<'_, '_> {
    /// Runs the check where files were changed since it ran last. Whether the answer stands: a
    /// failure goes back to the model instead.
    pub(super) fn stands(&mut self, frame: &mut Frame<'_>) -> Result<bool, End> {
        let Some(command) = self.agent.settings.check.clone() else { return Ok(true) };
        if !self.facts.is_unchecked {
            return Ok(true);
        }
        let shown = one_line(&command, SHOWN);
        let asked = Asked { tool: SHELL, arguments: json!({ "command": command }) };
        let made = self.call(frame.tools, &asked)?;
        // What it builds is not checked again.
        (self.facts.is_unchecked, self.facts.unchecked) = (false, None);
        if made.how != How::Ran {
            let why = format!("the check `{shown}` was not run: {}", one_line(&made.plain, 400));
            self.facts.unchecked = Some(why);
            return Ok(true);
        }
        if !made.failed {
            return Ok(true);
        }
        self.facts.failed_checks += 1;
        // Until it runs again.
        self.facts.unchecked = Some(format!("the check `{shown}` failed when it ran last"));
        if self.facts.failed_checks > MOST_FAILURES {
            return Ok(true);
        }
        frame.remark(&format!(
            "Your answer does not stand yet: the check of this repository, `{shown}`, failed after \
             your changes. Mend what it says, or answer again and say what is left.\n{}",
            made.text
        ));
        self.keep(frame);
        Ok(false)
    }
}
