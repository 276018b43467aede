//! What a client said that is not answered yet. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Messages that wait for their answers.
#[derive(Default)]
pub struct Waiting {
    open: BTreeSet<String>,
    /// The message that each run answers.
    runs: BTreeMap<String, String>,
}

impl Waiting {
    /// A message that is sent.
    pub fn sent(&mut self, message: &Value) {
        let is_asked = matches!(message["type"].as_str(), Some("chat" | "command"));
        if let (true, Some(id)) = (is_asked, message["id"].as_str()) {
            self.open.insert(id.to_owned());
        }
    }

    /// A message of the gateway.
    pub fn heard(&mut self, message: &Value) {
        let data = &message["data"];
        let of = data["reply_to"].as_str();
        match message["type"].as_str() {
            Some("error") => drop(of.map(|of| self.open.remove(of))),
            Some("response") if data["done"] == true => {
                // A run that an answer is of has its own end.
                let has_run = |of: &&str| self.runs.values().any(|message| message == of);
                of.filter(|of| !has_run(of)).map(|of| self.open.remove(of));
            }
            Some("event") => {
                let run = data["run"].as_str().unwrap_or_default();
                match data["event"].as_str() {
                    Some("begun") => {
                        let of = of.filter(|of| self.open.contains(*of));
                        of.map(|of| self.runs.insert(run.to_owned(), of.to_owned()));
                    }
                    Some("task_complete") => {
                        self.runs.remove(run).map(|of| self.open.remove(&of));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Whether everything is answered.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
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

    fn event(event: &str, run: &str, reply_to: Option<&str>) -> Value {
        json!({ "type": "event", "data": { "event": event, "run": run, "reply_to": reply_to } })
    }

    fn response(reply_to: &str, done: bool) -> Value {
        json!({ "type": "response", "data": { "reply_to": reply_to, "done": done } })
    }

    #[test]
    fn a_task_is_answered_when_its_run_ends() {
        let mut waiting = Waiting::default();
        waiting.sent(&json!({ "type": "chat", "id": "a" }));
        waiting.sent(&json!({ "type": "status", "id": "s" }));
        waiting.heard(&event("begun", "other", None));
        waiting.heard(&event("task_complete", "other", None));
        waiting.heard(&event("begun", "r", Some("a")));
        waiting.heard(&response("a", false));
        waiting.heard(&response("a", true));
        assert!(!waiting.is_over() && !waiting.is_answered("a"));
        waiting.heard(&event("task_complete", "r", None));
        assert!(waiting.is_over());
    }

    #[test]
    fn a_command_is_answered_by_its_answer() {
        let mut waiting = Waiting::default();
        for id in ["b", "c"] {
            waiting.sent(&json!({ "type": "command", "id": id }));
        }
        waiting.heard(&response("b", false));
        assert!(!waiting.is_answered("b"));
        waiting.heard(&response("b", true));
        assert!(waiting.is_answered("b") && !waiting.is_over());
        waiting.heard(&json!({ "type": "error", "data": { "reply_to": "c" } }));
        assert!(waiting.is_over());
    }
}
