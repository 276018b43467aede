//! How a run ended, as a terminal shows it.

use super::{
    super::{
        show::{BAD, FAINT, PLAIN, Span},
        ui::{escape_control_line, exact_line},
    },
    Terminal,
};
use elophanto_agent::{End, Finished, Outcome};
use elophanto_app::gateway::message::TaskComplete;
use elophanto_base::counted::counted;

impl Terminal {
    /// Shows how a run ended: its answer, unless that was shown as it came, and what it did.
    pub fn end(&mut self, finished: &Finished) {
        let hint = match &finished.end {
            End::Brain { hint, .. } | End::Budget { hint, .. } => hint.as_deref(),
            _ => None,
        };
        let complete = TaskComplete::of(finished, "");
        self.ended(&complete, &finished.answer, hint);
    }

    /// The same of a run that was made elsewhere.
    pub fn ended(&mut self, complete: &TaskComplete, answer: &str, hint: Option<&str>) {
        let said = std::mem::take(&mut self.said);
        // A check or a commit may have come behind it.
        if !self.screen.end_answer() && said.trim() != answer.trim() {
            self.screen.whole_answer(answer);
            self.screen.end_answer();
        }
        self.screen.rest();
        for warning in &complete.warnings {
            self.screen.warn(&escape_control_line(warning));
        }
        if complete.outcome != Outcome::Done.name() {
            let mut lines = complete.reason.lines().map(escape_control_line);
            let first = format!(": {}", lines.next().unwrap_or_default());
            let outcome = Span::new(complete.outcome.as_str(), BAD);
            self.screen.say(&[outcome, Span::new(first, PLAIN)], "");
            lines.for_each(|line| self.screen.say(&[Span::new(line, PLAIN)], ""));
            if let Some(hint) = hint {
                let hint = hint.lines().map(str::trim).collect::<Vec<_>>().join("; ");
                self.screen
                    .say(&[Span::new(format!("hint: {}", escape_control_line(&hint)), PLAIN)], "");
            }
        }
        // It never began.
        if complete.run.is_empty() {
            return;
        }
        let files = complete.files.len();
        let did = match (complete.effects, files + complete.commits.len()) {
            (0, 0) => "nothing was changed: no file written, no command run".to_owned(),
            _ => [counted(files, "file"), counted(complete.commits.len(), "commit")].join(", "),
        };
        let told = format!(
            "run {}: {}, {did}, {}, ${:.4}",
            escape_control_line(&complete.run),
            counted(complete.steps, "step"),
            counted(complete.input_tokens + complete.output_tokens, "token"),
            complete.usd,
        );
        self.screen.say(&[Span::new(told, FAINT)], "");
        for note in &complete.notes {
            let noted = format!("noted in {}", exact_line(note));
            self.screen.say(&[Span::new(noted, FAINT)], "");
        }
        if files > 0 {
            let way = match self.is_chat {
                true => "`/undo` takes it back, `/diff` shows it".to_owned(),
                false => format!("`elophanto agent undo {}` takes it back", complete.run),
            };
            self.screen.say(&[Span::new(way, FAINT)], "");
        }
    }
}
