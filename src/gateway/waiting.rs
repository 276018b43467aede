//! What a client said that is not answered yet. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use uuid::Uuid;

/// Messages that wait for their answers.
#[derive(Default)]
pub struct Waiting {
    open: BTreeSet<String>,
    /// The message that each run answers.
    runs: BTreeMap<String, String>,
    /// Texts that are no messages: it is said why, not of which.
    faults: usize,
}

impl Waiting {
    /// A text that is sent.
    pub fn sent(&mut self, message: &Value) {
        // Nothing need come of these.
        if matches!(message["type"].as_str(), Some("status" | "approval_response")) {
            return;
        }
        match message["id"].as_str().filter(|id| Uuid::parse_str(id).is_ok()) {
            Some(id) => drop(self.open.insert(id.to_owned())),
            None => self.faults += 1,
        }
    }

    /// A message of the gateway.
    pub fn heard(&mut self, message: &Value) {
        let data = &message["data"];
        let of = data["reply_to"].as_str();
        match (message["type"].as_str(), of) {
            (Some("error"), Some(of)) => drop(self.open.remove(of)),
            (Some("error"), None) => self.faults = self.faults.saturating_sub(1),
            // A run that an answer is of has its own end.
            (Some("response"), Some(of))
                if data["done"] == true && !self.runs.values().any(|message| message == of) =>
            {
                self.open.remove(of);
            }
            (Some("event"), of) => self.happened(data, of),
            _ => {}
        }
    }

    fn happened(&mut self, event: &Value, of: Option<&str>) {
        let run = event["run"].as_str().unwrap_or_default();
        match (event["event"].as_str(), of) {
            (Some("begun"), Some(of)) if self.open.contains(of) => {
                self.runs.insert(run.to_owned(), of.to_owned());
            }
            (Some("task_complete"), _) => {
                if let Some(of) = self.runs.remove(run) {
                    self.open.remove(&of);
                }
            }
            _ => {}
        }
    }

    /// Whether everything is answered.
    pub fn is_over(&self) -> bool {
        self.open.is_empty() && self.faults == 0
    }

    /// Whether this message is.
    pub fn is_answered(&self, id: &str) -> bool {
        !self.open.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const A: &str = "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";
    const B: &str = "b2a9a3a5-0a54-4a1f-9d0e-5c8f7d2b6c11";

    fn event(event: &str, run: &str, reply_to: Option<&str>) -> Value {
        json!({ "type": "event", "data": { "event": event, "run": run, "reply_to": reply_to } })
    }

    fn response(reply_to: &str, done: bool) -> Value {
        json!({ "type": "response", "data": { "reply_to": reply_to, "done": done } })
    }

    fn error(reply_to: Option<&str>) -> Value {
        json!({ "type": "error", "data": { "reply_to": reply_to } })
    }

    #[test]
    fn a_task_is_answered_when_its_run_ends() {
        let mut waiting = Waiting::default();
        waiting.sent(&json!({ "type": "chat", "id": A }));
        waiting.sent(&json!({ "type": "status", "id": B }));
        waiting.heard(&event("begun", "other", None));
        waiting.heard(&event("task_complete", "other", None));
        waiting.heard(&event("begun", "r", Some(A)));
        waiting.heard(&response(A, false));
        waiting.heard(&response(A, true));
        assert!(!waiting.is_over() && !waiting.is_answered(A));
        waiting.heard(&event("task_complete", "r", None));
        assert!(waiting.is_over());
    }

    #[test]
    fn a_command_is_answered_by_its_answer() {
        let mut waiting = Waiting::default();
        for id in [A, B] {
            waiting.sent(&json!({ "type": "command", "id": id }));
        }
        waiting.heard(&response(A, false));
        assert!(!waiting.is_answered(A));
        waiting.heard(&response(A, true));
        assert!(waiting.is_answered(A) && !waiting.is_over());
        waiting.heard(&error(Some(B)));
        assert!(waiting.is_over());
    }

    #[test]
    fn what_is_no_message_is_answered_too() {
        let mut waiting = Waiting::default();
        waiting.sent(&Value::Null);
        waiting.sent(&json!({ "type": "chat", "id": "1" }));
        waiting.sent(&json!({ "type": "shout", "id": A }));
        waiting.heard(&error(None));
        waiting.heard(&error(Some(A)));
        assert!(!waiting.is_over());
        waiting.heard(&error(None));
        assert!(waiting.is_over());
    }
}
