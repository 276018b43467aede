//! Questions that are being answered, and taken back.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use lsp_server::{ErrorCode, RequestId, Response};
use serde_json::Value;

use super::client::Client;
use elophanto_base::mutex::lock;

/// Questions that wait, each with whether it was taken back.
#[derive(Clone, Default)]
pub struct Waiting(Arc<Mutex<HashMap<RequestId, Arc<AtomicBool>>>>);

impl Waiting {
    /// Notes that somebody waits for an answer.
    pub fn begin(&self, id: &RequestId, client: &Arc<Client>) -> Awaited {
        let taken_back = Arc::new(AtomicBool::new(false));
        lock(&self.0).insert(id.clone(), Arc::clone(&taken_back));
        Awaited { id: id.clone(), taken_back, waiting: self.clone(), client: Arc::clone(client) }
    }

    /// Nobody waits any more. Of a question that was answered, or never asked, that says nothing.
    pub fn take_back(&self, id: &RequestId) {
        if let Some(taken_back) = lock(&self.0).get(id) {
            taken_back.store(true, Ordering::Relaxed);
        }
    }
}

/// A question that is being answered.
pub struct Awaited {
    id: RequestId,
    taken_back: Arc<AtomicBool>,
    waiting: Waiting,
    client: Arc<Client>,
}

impl Awaited {
    pub fn is_taken_back(&self) -> bool {
        self.taken_back.load(Ordering::Relaxed)
    }

    /// Begins what cannot be undone: from here on it is answered what was done, whoever takes the question
    /// back. `false` if that has happened already.
    pub fn begin(&self) -> bool {
        let mut waiting = lock(&self.waiting.0);
        waiting.remove(&self.id);
        !self.is_taken_back()
    }

    /// Answers, unless the question was taken back: then that is the answer.
    pub fn answer(self, answer: Result<Value, (ErrorCode, String)>) {
        lock(&self.waiting.0).remove(&self.id);
        let answer = match self.is_taken_back() {
            true => Err((ErrorCode::RequestCanceled, "cancelled".to_owned())),
            false => answer,
        };
        let response = match answer {
            Ok(value) => Response::new_ok(self.id, value),
            Err((code, message)) => Response::new_err(self.id, code as i32, message),
        };
        self.client.send(response);
    }
}

#[cfg(test)]
mod tests {
    use lsp_server::Message;

    use super::*;

    /// Takes a question back before or after it was begun; what is answered.
    fn answered(is_before: bool) -> (bool, Message) {
        let (sender, answers) = crossbeam_channel::unbounded();
        let client = Arc::new(Client::new(sender, Default::default()));
        let (waiting, id) = (Waiting::default(), RequestId::from(1));
        let awaited = waiting.begin(&id, &client);
        if is_before {
            waiting.take_back(&id);
        }
        let is_begun = awaited.begin();
        waiting.take_back(&id);
        awaited.answer(Ok(Value::from("done")));
        (is_begun, answers.recv().expect("an answer"))
    }

    #[test]
    fn what_was_begun_is_answered_as_done() {
        let (is_begun, Message::Response(done)) = answered(false) else { panic!("no answer") };
        assert!(is_begun && done.response_result.is_ok());
        let (is_begun, Message::Response(back)) = answered(true) else { panic!("no answer") };
        assert!(!is_begun && back.response_result.is_err());
    }
}
