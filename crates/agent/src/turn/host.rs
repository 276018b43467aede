//! What a tool may use of the run that it is part of.

use std::{path::Path, time::Duration};

use serde_json::Value;

use super::{
    MAX_DEPTH, Run,
    call::{Asked, How},
    frame::Trouble,
};
use crate::{Event, Host, Output, Reading, Todo, ToolError, clean::clean, trail::EntryKind};
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Message, Request, Task};

/// Bytes of a prompt that a tool may send.
const PROMPT_CAP: usize = 512 * 1024;
const OPTIONS: usize = 20;
/// Bytes of a question, and characters of an option. What is deployed is shown in a question.
const QUESTION_CAPS: (usize, usize) = (24 * 1024, 200);
/// Bytes of a question in the trail.
const NOTED_CAP: usize = 4 * 1024;
/// Bytes of a line about how far a tool is.
const REPORT_CAP: usize = 2_000;
/// Bytes that a program says at once, as they are shown.
const SAID_CAP: usize = 64 * 1024;

impl Host for Run<'_, '_> {
    fn root(&self) -> &Path {
        &self.agent.settings.root
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled_now() || self.stop.is_some()
    }

    fn patience(&self) -> Duration {
        self.patience_now()
    }

    fn max_output(&self) -> usize {
        self.agent.settings.max_output
    }

    fn ask_user(&mut self, question: &str, options: &[String]) -> Option<String> {
        if !self.agent.settings.is_attended || self.is_cancelled() {
            return self.asked_nobody(question);
        }
        let options: Vec<_> =
            options.iter().take(OPTIONS).map(|one| one_line(one, QUESTION_CAPS.1)).collect();
        let answer = self.approver.ask(&clean(question, QUESTION_CAPS.0), &options);
        let kept = answer.as_deref().map(|answer| clean(answer, 4_000));
        self.note(EntryKind::Question { question: clean(question, NOTED_CAP), answer: kept });
        answer
    }

    fn think(&mut self, task: &str, system: &str, prompt: &str) -> Result<String, ToolError> {
        let task: Task = task.parse().map_err(|error: elophanto_models::llm::UnknownTask| {
            ToolError::Arguments(error.to_string())
        })?;
        if system.len() + prompt.len() > PROMPT_CAP {
            return Err(ToolError::Arguments(format!(
                "a prompt over the cap of {PROMPT_CAP} bytes"
            )));
        }
        let mut messages = vec![Message::User(clean(prompt, PROMPT_CAP))];
        if !system.trim().is_empty() {
            messages.insert(0, Message::System(clean(system, PROMPT_CAP)));
        }
        let max_tokens = self.agent.settings.max_answer_tokens;
        let request = Request { messages, max_tokens, ..Request::default() };
        match self.ask(task, &request, false) {
            Ok(reply) => Ok(reply.text),
            Err(Trouble::End(end)) => Err(self.ends(end)),
            Err(Trouble::Malformed { message, .. } | Trouble::TooLong(message)) => {
                Err(ToolError::Failed(message))
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Result<Output, ToolError> {
        let tools = self.agent.tools;
        let made = Run::call(self, tools, &Asked { tool, arguments });
        let made = made.map_err(|end| self.ends(end))?;
        match made.how {
            How::Ran => Ok(made.output),
            How::Wrong => Err(ToolError::Arguments(made.output.text)),
            How::Refused => Err(ToolError::Refused(made.output.text)),
            How::Failed => Err(ToolError::Failed(made.output.text)),
        }
    }

    fn report(&mut self, text: &str) {
        let text = clean(text, REPORT_CAP);
        let tool = self.current.last().cloned().unwrap_or_default();
        let depth = self.depth;
        self.approver.tell(&Event::Progress { tool: &tool, text: &text, depth });
        self.note(EntryKind::Progress { tool, text });
    }

    fn todo(&mut self, items: &[Todo]) {
        let item = |item: &Todo| Todo {
            text: one_line(&clean(&item.text, REPORT_CAP), QUESTION_CAPS.1),
            state: item.state,
        };
        let items: Vec<_> = items.iter().map(item).collect();
        self.approver.tell(&Event::Todo { items: &items, depth: self.depth });
    }

    fn said(&mut self, lines: &str) {
        let text = clean(lines, SAID_CAP);
        let tool = self.current.last().cloned().unwrap_or_default();
        self.approver.tell(&Event::Output { tool: &tool, text: &text, depth: self.depth });
    }

    fn takes_images(&self) -> bool {
        self.agent.settings.takes_images && self.reader.is_none()
    }

    fn delegate(&mut self, questions: &[String]) -> Result<Vec<Reading>, ToolError> {
        self.read_side_by_side(questions)
    }

    fn sub_task(&mut self, goal: &str, tools: &[&str]) -> Result<String, ToolError> {
        if self.depth >= MAX_DEPTH {
            let text = format!("tasks are nested {MAX_DEPTH} deep at most");
            return Err(ToolError::Refused(text));
        }
        let goal = clean(goal.trim(), super::GOAL_CAP);
        if goal.is_empty() {
            return Err(ToolError::Arguments("there is no goal".to_owned()));
        }
        let toolbox = self.agent.tools.only(tools);
        self.depth += 1;
        let depth = self.depth;
        let shown = clean(&goal, 4_000);
        self.approver.tell(&Event::SubTask { goal: &shown, depth });
        let names = toolbox.specs().map(|spec| spec.name).collect();
        self.note(EntryKind::SubBegin { goal: shown, tools: names });
        let mut frame = self.frame(&goal, &toolbox, Vec::new());
        let done = self.work(&mut frame);
        let (failed, answer) = match &done {
            Ok(answer) => (false, clean(answer, 16 * 1024)),
            Err(end) => (true, end.reason()),
        };
        self.note(EntryKind::SubEnd { failed, answer });
        self.depth -= 1;
        done.map_err(|end| match end {
            // A circle in there says nothing about out here.
            crate::End::Loop { .. } => ToolError::Failed(end.reason()),
            end => self.ends(end),
        })
    }
}

impl Run<'_, '_> {
    /// What ends the run ends the tool first.
    fn ends(&mut self, end: crate::End) -> ToolError {
        let text = end.reason();
        let is_cancelled = end == crate::End::Cancelled;
        self.stop.get_or_insert(end);
        if is_cancelled { ToolError::Cancelled } else { ToolError::Failed(text) }
    }

    fn asked_nobody(&mut self, question: &str) -> Option<String> {
        self.note(EntryKind::Question { question: clean(question, NOTED_CAP), answer: None });
        None
    }
}
