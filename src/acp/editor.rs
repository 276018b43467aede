//! The editor, as a conversation sees it: told what happens in it, and asked.

use std::{
    collections::HashSet,
    io,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use agent_client_protocol::{
    Client, JsonRpcRequest,
    v1::{
        ConnectionTo,
        schema::{
            ClientCapabilities, ContentChunk, CreateElicitationRequest, ElicitationAction,
            ElicitationContentValue, ElicitationFormMode, ElicitationSchema,
            ElicitationSessionScope, Notice, NoticeSeverity, PermissionOption,
            PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
            SessionNotification, SessionUpdate, StringPropertySchema, ToolCallStatus,
            ToolCallUpdate, ToolCallUpdateFields, ToolKind,
        },
    },
};
use uuid::Uuid;

use super::turn::Turn;
use elophanto_app::{Reporter, reporter::Tone};
use elophanto_base::{mutex::lock, visible::visible};

/// How often whoever waits for an answer looks whether that is still wanted.
const LOOKS: Duration = Duration::from_millis(50);
/// The field of a form.
const ANSWER: &str = "answer";

/// What an editor can do beyond what all can.
#[derive(Debug, Clone, Copy, Default)]
pub struct Able {
    notices: bool,
    forms: bool,
}

impl Able {
    pub fn of(capabilities: &ClientCapabilities) -> Self {
        let session = capabilities.session.as_ref();
        let forms = capabilities.elicitation.as_ref();
        Self {
            notices: session.is_some_and(|session| session.notices.is_some()),
            forms: forms.is_some_and(|forms| forms.supports_form()),
        }
    }
}

pub struct Editor {
    connection: ConnectionTo<Client>,
    session: SessionId,
    able: Able,
    turn: Arc<Turn>,
    /// What waits until the editor knows the session.
    held: Mutex<Option<Vec<SessionUpdate>>>,
    /// Notes and warnings, each of which is told once.
    told: Mutex<HashSet<String>>,
}

impl Editor {
    pub fn new(
        connection: ConnectionTo<Client>,
        session: SessionId,
        able: Able,
        turn: Arc<Turn>,
    ) -> Self {
        let (held, told) = (Mutex::new(Some(Vec::new())), Mutex::default());
        Self { connection, session, able, turn, held, told }
    }

    /// From now on the editor knows the session.
    pub fn knows(&self) {
        let held = lock(&self.held).take();
        held.into_iter().flatten().for_each(|update| self.update(update));
    }

    pub fn update(&self, update: SessionUpdate) {
        match &mut *lock(&self.held) {
            Some(held) => held.push(update),
            None => {
                let update = SessionNotification::new(self.session.clone(), update);
                // One that is gone is told nothing more.
                let _ = self.connection.send_notification(update);
            }
        }
    }

    /// A piece of what the agent says.
    pub fn say(&self, text: impl Into<String>) {
        self.update(SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into().into())));
    }

    /// Something beside the answer.
    pub fn think(&self, text: &str) {
        let text = format!("{}\n\n", visible(text));
        self.update(SessionUpdate::AgentThoughtChunk(ContentChunk::new(text.into())));
    }

    /// Something the user should know.
    pub fn notice(&self, severity: NoticeSeverity, text: &str) {
        match self.able.notices {
            true => self.update(SessionUpdate::Notice(Notice::new(severity, visible(text)))),
            false => self.think(text),
        }
    }

    /// A call of a tool has changed.
    pub fn changed(&self, call: &str, fields: ToolCallUpdateFields) {
        let update = ToolCallUpdate::new(call.to_owned(), fields);
        self.update(SessionUpdate::ToolCallUpdate(update));
    }

    /// Asks which of these it shall be; `None` where nobody chose any, or it is not wanted any more.
    pub fn choose<'o>(
        &self,
        call: &str,
        fields: ToolCallUpdateFields,
        options: &[(&'o str, String, PermissionOptionKind)],
    ) -> Option<&'o str> {
        let offered = options
            .iter()
            .map(|(id, name, kind)| PermissionOption::new((*id).to_owned(), name.clone(), *kind));
        let call = ToolCallUpdate::new(call.to_owned(), fields);
        let request = RequestPermissionRequest::new(self.session.clone(), call, offered.collect());
        match self.ask(request)?.outcome {
            RequestPermissionOutcome::Selected(chosen) => {
                // One that was not offered is none.
                options.iter().map(|it| it.0).find(|id| **id == *chosen.option_id.0)
            }
            _ => None,
        }
    }

    /// Puts a question of the agent; without a form it takes options to choose from.
    pub fn question(&self, question: &str, options: &[String]) -> Option<String> {
        let question = visible(question);
        if self.able.forms {
            let shown = || options.iter().map(|option| visible(option)).collect::<Vec<_>>();
            let choices = (!options.is_empty()).then(shown);
            let field = StringPropertySchema::new().title("Answer".to_owned()).enum_values(choices);
            let schema = ElicitationSchema::new().property(ANSWER, field, true);
            let scope = ElicitationSessionScope::new(self.session.clone());
            let form = ElicitationFormMode::new(scope, schema);
            let answer = self.ask(CreateElicitationRequest::new(form, question))?;
            let ElicitationAction::Accept(accepted) = answer.action else { return None };
            return match accepted.content?.remove(ANSWER)? {
                ElicitationContentValue::String(text) => Some(meant(options, text)),
                _ => None,
            };
        }
        if options.is_empty() {
            return None;
        }
        let ids: Vec<_> = (1..=options.len()).map(|number| number.to_string()).collect();
        let mut offered: Vec<_> = ids
            .iter()
            .zip(options)
            .map(|(id, option)| (id.as_str(), visible(option), PermissionOptionKind::AllowOnce))
            .collect();
        offered.push(("none", "None of these".to_owned(), PermissionOptionKind::RejectOnce));
        let chosen = self.choose_of(&question, &offered)?;
        ids.iter().zip(options).find(|(id, _)| *id == chosen).map(|(_, option)| option.clone())
    }

    /// Asks a question that is about no call of a tool, as if it were about one: nothing else can be asked.
    fn choose_of<'o>(
        &self,
        question: &str,
        options: &[(&'o str, String, PermissionOptionKind)],
    ) -> Option<&'o str> {
        let call = Uuid::new_v4().to_string();
        let fields = ToolCallUpdateFields::new()
            .title(question.to_owned())
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending);
        let chosen = self.choose(&call, fields, options);
        let status = chosen.map_or(ToolCallStatus::Failed, |_| ToolCallStatus::Completed);
        self.changed(&call, ToolCallUpdateFields::new().status(status));
        chosen
    }

    /// Asks and waits as long as the answer is wanted.
    fn ask<R: JsonRpcRequest>(&self, request: R) -> Option<R::Response>
    where
        R::Response: Send + 'static,
    {
        // It does not know the session yet.
        if lock(&self.held).is_some() {
            return None;
        }
        let (sender, answers) = mpsc::sync_channel(1);
        let request = self.connection.prepare_request(request);
        let cancellation = request.cancellation_handle();
        let take = async move |answer: Result<R::Response, _>| {
            let _ = sender.send(answer.ok());
            Ok(())
        };
        request.on_receiving_result(take).ok()?;
        loop {
            match answers.recv_timeout(LOOKS) {
                Ok(answer) => return answer,
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                Err(mpsc::RecvTimeoutError::Timeout) if self.turn.is_stopped() => {
                    let _ = cancellation.cancel();
                    return None;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Reporter for Editor {
    fn tell(&self, tone: Tone, text: &str) {
        let severity = match tone {
            Tone::Talk => NoticeSeverity::Info,
            Tone::Note | Tone::Warning if !lock(&self.told).insert(text.to_owned()) => return,
            Tone::Note => NoticeSeverity::Info,
            Tone::Warning => NoticeSeverity::Warning,
        };
        self.notice(severity, text);
    }

    fn confirm(&self, question: &str) -> io::Result<bool> {
        let options = [
            ("yes", "Yes".to_owned(), PermissionOptionKind::AllowOnce),
            ("no", "No".to_owned(), PermissionOptionKind::RejectOnce),
        ];
        Ok(self.choose_of(&visible(question), &options) == Some("yes"))
    }

    fn is_gone(&self) -> bool {
        self.turn.is_stopped()
    }
}

/// The option that was chosen by how it is shown; any other answer is one in the user's own words.
fn meant(options: &[String], answer: String) -> String {
    options.iter().find(|option| visible(option) == answer).cloned().unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_meant_by_how_it_is_shown() {
        let options = ["the sea otter", "the \u{202e}river otter"].map(str::to_owned);
        for (answer, expected) in [
            ("the sea otter", "the sea otter"),
            ("the <U+202E>river otter", "the \u{202e}river otter"),
            ("neither", "neither"),
        ] {
            assert_eq!(meant(&options, answer.to_owned()), expected);
        }
    }
}
