//! A small world, and somebody who answers.

use std::{collections::VecDeque, path::PathBuf};

use crate::{
    permissions::{Action, Call, Decision, Layer, Mode, Verdict},
    *,
};
use elophanto_models::llm::Image;

pub struct FakeWorld {
    pub gathered: Gathered,
    pub mode: Mode,
    pub changed: Vec<PathBuf>,
    pub remarks: Vec<String>,
    pub before: Result<(), String>,
    pub remembered: Vec<TaskSummary>,
    pub heard: Vec<String>,
    pub rules: usize,
    pub checkpoints: usize,
    pub beyond_undo: Vec<String>,
    /// Does not turn questions into refusals where nobody is there.
    pub ignores_absence: bool,
    /// What a picture of a kept conversation is now.
    pub image: Result<Image, String>,
}

/// What an undo takes back.
fn stays(action: &Action) -> bool {
    matches!(action, Action::Write { .. } | Action::Shell { network: false, .. } | Action::Commit)
}

impl World for FakeWorld {
    fn image(&self, _path: &str) -> Result<Image, String> {
        self.image.clone()
    }

    fn begun(&mut self, _run: ulid::Ulid) {}

    fn gather(&mut self, _goal: &str) -> Gathered {
        self.gathered.clone()
    }

    /// The order of the real one: taint before mode.
    fn decide(&mut self, call: &Call<'_>, is_tainted: bool, is_attended: bool) -> Verdict {
        let has_effect = call.action.writes_or_reaches();
        let (mut decision, layer) = match self.mode {
            _ if is_tainted && has_effect && !stays(&call.action) => (Decision::Ask, Layer::Taint),
            // What was answered as a rule is one.
            _ if self.rules > 0 => (Decision::Allow, Layer::Mode),
            Mode::Full => (Decision::Allow, Layer::Mode),
            Mode::Smart if !has_effect => (Decision::Allow, Layer::Mode),
            _ => (Decision::Ask, Layer::Mode),
        };
        if decision == Decision::Ask && !is_attended && !self.ignores_absence {
            decision = Decision::Deny;
        }
        let reasons = vec!["it says so".to_owned()];
        let can_be_kept = layer == Layer::Mode;
        let commands = match &call.action {
            Action::Shell { line, .. } => vec![line.split(' ').map(str::to_owned).collect()],
            _ => Vec::new(),
        };
        Verdict { decision, layer, reasons, can_be_kept, commands, is_unanswered: false }
    }

    fn beyond_undo(&self) -> Vec<String> {
        self.beyond_undo.clone()
    }

    fn before(&mut self, _action: &Action, _is_unseen: bool) -> Result<(), String> {
        self.checkpoints += 1;
        self.before.clone()
    }

    fn after(&mut self) -> Effects {
        let remarks = std::mem::take(&mut self.remarks);
        Effects { changed: std::mem::take(&mut self.changed), remarks }
    }

    fn uncovered(&self) -> Vec<String> {
        Vec::new()
    }

    fn remember(&mut self, summary: &TaskSummary) -> Result<Vec<PathBuf>, String> {
        self.remembered.push(summary.clone());
        Ok(vec![PathBuf::from("knowledge/learned/tasks/one.md")])
    }

    fn heard(&mut self, message: &str) {
        self.heard.push(message.to_owned());
    }

    fn keep_rule(&mut self, _call: &Call<'_>, _verdict: &Verdict) -> Result<(), String> {
        self.rules += 1;
        Ok(())
    }
}

#[derive(Default)]
pub struct Person {
    /// In turn; then [`Answer::Nobody`].
    pub answers: VecDeque<Answer>,
    pub always: Option<Answer>,
    pub requests: Vec<Approval>,
    pub questions: Vec<String>,
    /// What they answer, in turn; then nothing.
    pub replies: VecDeque<String>,
    pub told: Vec<String>,
}

impl Approver for Person {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.requests.push(request.clone());
        self.answers.pop_front().or(self.always.clone()).unwrap_or(Answer::Nobody)
    }

    fn ask(&mut self, question: &str, _options: &[String]) -> Option<String> {
        self.questions.push(question.to_owned());
        self.replies.pop_front()
    }

    fn tell(&mut self, event: &Event<'_>) {
        let debug = format!("{event:?}");
        let name = debug.split([' ', '(']).next().unwrap_or_default();
        self.told.push(name.to_owned());
    }
}
