//! What waits for an answer, as it is asked at a terminal; what others answer meanwhile is said at once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
    mpsc::{RecvTimeoutError, channel},
};

use serde_json::Value;

use super::{LOOKS, Message, Stuck, Through, elsewhere, gone};
use crate::{
    cli::{CliError, Result},
    terminal::remote,
};
use elophanto_app::{
    Error, Reporter,
    gateway::message::{ApprovalRequest, ApprovalResponse, Asked, Word},
};
use elophanto_base::mutex::lock;

impl Stuck {
    /// Why nothing more is said here.
    pub(super) fn error(self) -> CliError {
        Error::new(format_args!(
            "a run waits for an answer, and what was said waits behind it: {}",
            self.what
        ))
        .hint("`elophanto agent chat` in a terminal answers it")
        .hint("`/stop` ends that run; what was said stays in line")
    }
}

impl Through<'_> {
    /// Asks, unless it is answered elsewhere. Where nobody can be asked, what we began is refused; what
    /// others began is theirs.
    pub(super) fn approve(&mut self, data: &Value) -> Result<()> {
        let Ok(request) = serde_json::from_value::<ApprovalRequest>(data.clone()) else {
            return Ok(());
        };
        self.take_heard()?;
        let id = request.request_id.to_string();
        if self.inbox.iter().any(|message| is_settled(message, &id)) {
            return Ok(());
        }
        let is_ours = self.runs.get(&request.run).is_some_and(|of| !self.waiting.is_answered(of));
        let answered = self.answered_beside(&request, &id)?;
        if self.inbox.iter().any(|message| is_settled(message, &id)) {
            return Ok(());
        }
        let (answer, text) = match answered {
            Some(answered) => answered,
            None if !is_ours && !self.terminal.is_attended() => {
                self.leave(&request, data);
                return Ok(());
            }
            // The run is ended, which is said where that is waited for; or it is that of others.
            None if !is_ours || self.cancelled.load(Ordering::Relaxed) => return Ok(()),
            None => (Word::No, Some("nobody can be asked here".to_owned())),
        };
        let ApprovalRequest { request_id, digest, .. } = request;
        let response = ApprovalResponse { request_id, digest, answer, text };
        let (id, _) = self.conversation.tell(&Asked::ApprovalResponse(response));
        self.answered.insert(id);
        self.follows |= self.waiting.is_over();
        Ok(())
    }

    /// The answer of whoever sits here; what comes meanwhile is looked at afterwards, but that it was
    /// answered elsewhere is said at once.
    fn answered_beside(
        &mut self,
        request: &ApprovalRequest,
        id: &str,
    ) -> Result<Option<(Word, Option<String>)>> {
        let (put, meanwhile) = channel();
        let (heard, id) = (Arc::clone(&self.heard), id.to_owned());
        let beside = move |above: &mut dyn FnMut(String), is_read: &AtomicBool| {
            let heard = lock(&heard);
            while !is_read.load(Ordering::Relaxed) {
                let it = match heard.recv_timeout(LOOKS) {
                    Ok(it) => it,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                match &it {
                    Err(_) => above("the gateway is gone: Enter says more".to_owned()),
                    Ok(message) if is_settled(message, &id) => {
                        elsewhere::line(message)
                            .into_iter()
                            .for_each(|line| above(format!("{line} (Enter goes on)")));
                    }
                    Ok(_) => {}
                }
                // Whoever asked is still there.
                let _ = put.send(it);
            }
        };
        self.terminal.set_beside(Some(Box::new(beside)));
        let answered = remote::ask(self.terminal, request);
        self.terminal.set_beside(None);
        meanwhile.try_iter().try_for_each(|it| self.take_in(it))?;
        Ok(answered)
    }

    /// What has come and was not looked at yet.
    fn take_heard(&mut self) -> Result<()> {
        let heard: Vec<_> = lock(&self.heard).try_iter().collect();
        heard.into_iter().try_for_each(|it| self.take_in(it))
    }

    fn take_in(&mut self, heard: Message) -> Result<()> {
        self.inbox.push_back(heard.map_err(|why| gone(&why))?);
        Ok(())
    }

    /// What nobody can be asked here is said, and holds up what is said here if its run goes on.
    fn leave(&mut self, request: &ApprovalRequest, data: &Value) {
        let what = elsewhere::named(data);
        let tell: &dyn Reporter = &self.terminal.screen;
        tell.note(format_args!(
            "waits for an answer, which nobody can give here: {what} (`elophanto agent chat` in a \
             terminal answers it)"
        ));
        if !request.is_interrupted && request.repository == self.repository {
            self.stuck = Some(Stuck { id: data["request_id"].clone(), what });
        }
    }
}

fn is_settled(message: &Value, id: &str) -> bool {
    let data = &message["data"];
    data["event"] == "approval_settled" && data["request_id"] == id
}
