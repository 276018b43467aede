//! A model that says what it is told to.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;

use crate::*;
use elophanto_models::llm::{Delta, Reply, Request, Sink, StopReason, Task, ToolCall, Usage};

/// What the model does when it is asked for a step.
#[derive(Debug, Clone)]
pub enum Say {
    Text(String),
    Calls(Vec<(String, Value)>),
    Refuses,
    Fails(BrainErrorKind),
    /// The user ends the run while the model answers.
    Cancels,
}

pub fn text(text: &str) -> Say {
    Say::Text(text.to_owned())
}

pub fn call(tool: &str, arguments: Value) -> Say {
    Say::Calls(vec![(tool.to_owned(), arguments)])
}

pub struct Script {
    pub steps: VecDeque<Say>,
    /// Said when there are no more steps.
    pub last: Say,
    pub plan: Value,
    pub reflection: Value,
    pub judgement: Value,
    pub asked: Vec<(Task, Request)>,
    pub cancelled: Arc<AtomicBool>,
    pub tokens_left: Option<u64>,
    /// Instead of the steps.
    pub obeys: Option<fn(&Request) -> Say>,
}

impl Script {
    fn answer(
        &mut self,
        task: Task,
        request: &Request,
        sink: Option<Sink<'_>>,
    ) -> Result<Thought, BrainError> {
        self.asked.push((task, request.clone()));
        let form = request.schema.as_ref().map(|schema| schema.name.as_str());
        let say = match (task, form) {
            (_, Some("plan")) => Say::Text(self.plan.to_string()),
            (_, Some("reflection")) => Say::Text(self.reflection.to_string()),
            (_, Some("judgement")) => Say::Text(self.judgement.to_string()),
            (Task::Summary, _) => text("the summary"),
            _ => match self.obeys {
                Some(obeys) => obeys(request),
                None => self.steps.pop_front().unwrap_or(self.last.clone()),
            },
        };
        let mut reply = Reply {
            text: String::new(),
            value: None,
            tool_calls: Vec::new(),
            stop: StopReason::End,
            usage: Usage { input: 10, output: 5, ..Usage::default() },
            model: "m".to_owned(),
            attempts: 1,
        };
        match say {
            Say::Text(text) => reply.text = text,
            Say::Refuses => reply.stop = StopReason::Refused,
            Say::Calls(calls) => {
                let of = |(name, arguments)| ToolCall { id: "1".to_owned(), name, arguments };
                reply.tool_calls = calls.into_iter().map(of).collect();
            }
            Say::Cancels => self.cancelled.store(true, Ordering::Relaxed),
            Say::Fails(kind) => {
                let (message, hint) = ("it failed".to_owned(), None);
                return Err(BrainError { message, hint, kind, lost: Vec::new() });
            }
        }
        if let Some(sink) = sink {
            let _ = sink(Delta::Text(reply.text.clone()));
        }
        Ok(Thought { reply, model: "p/m".to_owned(), usd_micros: Some(7), lost: Vec::new() })
    }
}

/// Asked by one after the other, whoever asks at once.
impl Brain for Mutex<&mut Script> {
    fn ask(
        &self,
        task: Task,
        request: &Request,
        sink: Option<Sink<'_>>,
    ) -> Result<Thought, BrainError> {
        self.lock().unwrap().answer(task, request, sink)
    }

    fn tokens_left(&self) -> Option<u64> {
        self.lock().unwrap().tokens_left
    }
}
