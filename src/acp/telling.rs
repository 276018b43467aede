//! The user in front of an editor as whoever approves, shown what happens in a run.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use agent_client_protocol::v1::schema::{
    ContentChunk, MessageId, NoticeSeverity, PermissionOptionKind, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus,
    ToolCallUpdateFields, ToolKind,
};
use uuid::Uuid;

use super::{calls, editor::Editor, turn::Turn};
use elophanto_agent::{
    Answer, Approval, Approver, End, Event, Finished, Outcome, ReaderEnd, ReaderState, Todo,
    TodoState, permissions::Action, tools::TODO_LIST,
};
use elophanto_app::{Reporter as _, reporter::Tone};
use elophanto_base::{
    fenced::fenced,
    visible::{Pieces, escape_control_line, exact_line, visible},
};

/// Bytes of what a command says while it runs, the last ones.
const MOST_LIVE: usize = 4 * 1024;
/// Between two times that this is shown.
const LIVE: Duration = Duration::from_millis(100);

pub struct Telling<'t> {
    editor: &'t Arc<Editor>,
    turn: &'t Turn,
    root: &'t Path,
    /// The call that was asked about last, and is neither made nor refused yet.
    pending: Option<String>,
    /// Calls that are being made, the innermost last.
    calls: Vec<Call>,
    /// Steps that were planned, as long as there is no list of the agent's own.
    steps: Vec<String>,
    /// What the model said last.
    said: String,
    /// The same as it is shown, a piece at a time.
    pieces: Pieces,
    message: MessageId,
    /// Readers that are at work.
    readers: Vec<(usize, String)>,
}

struct Call {
    id: String,
    /// What it shows besides what it says.
    content: Vec<ToolCallContent>,
    /// What it said so far, the last of it.
    live: String,
    /// When that was shown last.
    shown: Option<Instant>,
}

impl Call {
    /// Whether it is time to show what it says.
    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.shown.is_none_or(|shown| now.duration_since(shown) >= LIVE);
        if is_due {
            self.shown = Some(now);
        }
        is_due
    }
}

impl<'t> Telling<'t> {
    pub fn new(editor: &'t Arc<Editor>, turn: &'t Turn, root: &'t Path) -> Self {
        Self {
            editor,
            turn,
            root,
            pending: None,
            calls: Vec::new(),
            steps: Vec::new(),
            said: String::new(),
            pieces: Pieces::default(),
            message: new_message(),
            readers: Vec::new(),
        }
    }

    /// Shows how a run ended: its answer, unless that was shown as it came, and what else is to be said.
    pub fn end(mut self, finished: &Finished) {
        // Of a run that was ended there is none, and where no model answered that is an error.
        let is_error = matches!(finished.end, End::Brain { .. } | End::Trail { .. });
        let has_answer = !is_error && finished.end != End::Cancelled;
        if has_answer && self.said.trim() != finished.answer.trim() {
            self.begin_message();
            self.text(&finished.answer);
        }
        self.rest();
        if finished.outcome == Outcome::Done && !self.steps.is_empty() {
            self.plan(PlanEntryStatus::Completed);
        }
        for warning in &finished.warnings {
            self.editor.tell(Tone::Warning, warning);
        }
        if finished.outcome != Outcome::Done && !is_error {
            let hint = match &finished.end {
                End::Budget { hint: Some(hint), .. } => format!(" ({hint})"),
                _ => String::new(),
            };
            let text = format!("{}: {}{hint}", finished.outcome.name(), finished.reason());
            self.editor.notice(NoticeSeverity::Warning, &text);
        }
    }

    fn text(&mut self, text: &str) {
        let shown = self.pieces.push(text);
        self.chunk(shown);
        self.said.push_str(text);
    }

    /// The message ends: what waited for more of it is shown.
    fn rest(&mut self) {
        let shown = self.pieces.end();
        self.chunk(shown);
    }

    fn chunk(&self, shown: String) {
        if !shown.is_empty() {
            let chunk = ContentChunk::new(shown.into()).message_id(self.message.clone());
            self.editor.update(SessionUpdate::AgentMessageChunk(chunk));
        }
    }

    fn begin_message(&mut self) {
        self.rest();
        if !std::mem::take(&mut self.said).is_empty() {
            self.message = new_message();
        }
    }

    fn plan(&self, status: PlanEntryStatus) {
        let entry = |step: &String| entry(step, status.clone());
        let plan = Plan::new(self.steps.iter().map(entry).collect());
        self.editor.update(SessionUpdate::Plan(plan));
    }

    /// A call begins to be shown; its id.
    fn show(
        &mut self,
        (tool, action, shown): (&str, &Action, &str),
        status: ToolCallStatus,
        content: Vec<ToolCallContent>,
    ) -> String {
        let id = Uuid::new_v4().to_string();
        let call = ToolCall::new(id.clone(), calls::title(tool, action, shown, self.root))
            .name(exact_line(tool))
            .kind(calls::kind(tool, Some(action)))
            .status(status)
            .content(content)
            .locations(calls::locations(action, shown));
        self.editor.update(SessionUpdate::ToolCall(call));
        id
    }

    fn calling(&mut self, tool: &str, action: &Action, shown: &str) {
        self.begin_message();
        let content = calls::content(action, shown, false);
        let status = ToolCallStatus::InProgress;
        let id = match self.pending.take() {
            Some(id) => {
                let fields = ToolCallUpdateFields::new().status(status).content(content.clone());
                self.editor.changed(&id, fields);
                id
            }
            None => self.show((tool, action, shown), status, content.clone()),
        };
        self.calls.push(Call { id, content, live: String::new(), shown: None });
    }

    fn called(&mut self, failed: bool, text: &str) {
        let Some(Call { id, mut content, .. }) = self.calls.pop() else { return };
        let is_change = content.iter().any(|it| matches!(it, ToolCallContent::Diff(_)));
        // A change that was made says all of itself.
        if failed || !is_change {
            content.push(calls::result(text));
        }
        let status = if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        self.editor.changed(&id, ToolCallUpdateFields::new().status(status).content(content));
    }

    /// What a call says while it goes on. The last of it is shown with its end, if not before.
    fn live(&mut self, text: &str) {
        let Some(call) = self.calls.last_mut() else { return };
        call.live.push_str(&visible(text));
        let over = call.live.len().saturating_sub(MOST_LIVE);
        call.live.drain(..call.live.ceil_char_boundary(over));
        if !call.is_due(Instant::now()) {
            return;
        }
        let mut content = call.content.clone();
        content.push(calls::text(fenced("", &call.live)));
        self.editor.changed(&call.id, ToolCallUpdateFields::new().content(content));
    }

    fn unmade(&mut self, tool: &str, reason: &str) {
        let content = vec![calls::text(visible(reason))];
        match self.pending.take() {
            Some(id) => {
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
                self.editor.changed(&id, fields.content(content));
            }
            None => {
                self.begin_message();
                let call = ToolCall::new(Uuid::new_v4().to_string(), exact_line(tool))
                    .name(exact_line(tool))
                    .kind(calls::kind(tool, None))
                    .status(ToolCallStatus::Failed)
                    .content(content);
                self.editor.update(SessionUpdate::ToolCall(call));
            }
        }
    }

    fn reader(&mut self, number: usize, question: &str, state: ReaderState) {
        match state {
            ReaderState::Begun { .. } => {
                let id = Uuid::new_v4().to_string();
                let title = format!("reader {number}: {}", escape_control_line(question));
                let call = ToolCall::new(id.clone(), title)
                    .kind(ToolKind::Think)
                    .status(ToolCallStatus::InProgress);
                self.editor.update(SessionUpdate::ToolCall(call));
                self.readers.push((number, id));
            }
            ReaderState::Ended { end, .. } => {
                let Some(at) = self.readers.iter().position(|(of, _)| *of == number) else {
                    return;
                };
                let (_, id) = self.readers.remove(at);
                let status = match end {
                    ReaderEnd::Answered | ReaderEnd::Partly => ToolCallStatus::Completed,
                    ReaderEnd::Failed | ReaderEnd::Cancelled => ToolCallStatus::Failed,
                };
                self.editor.changed(&id, ToolCallUpdateFields::new().status(status));
            }
        }
    }
}

/// What was cut off is shown as it is: not done.
impl Drop for Telling<'_> {
    fn drop(&mut self) {
        self.rest();
        let calls = self.calls.drain(..).map(|call| call.id);
        let readers = self.readers.drain(..).map(|(_, id)| id);
        for id in self.pending.take().into_iter().chain(calls).chain(readers) {
            let failed = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            self.editor.changed(&id, failed);
        }
    }
}

impl Approver for Telling<'_> {
    fn approve(&mut self, request: &Approval) -> Answer {
        let Approval { tool, action, shown, .. } = request;
        self.begin_message();
        let mut content = calls::content(action, shown, true);
        let level = request.level.name();
        let mut why = vec![format!("{} ({level}) asks", exact_line(tool))];
        why.extend(request.reasons.iter().map(|reason| format!("- {}", exact_line(reason))));
        if request.is_tainted {
            why.push("- text from outside is in this conversation: look twice".to_owned());
        }
        content.push(calls::text(why.join("\n")));
        let of_call = (tool.as_str(), action, shown.as_str());
        let id = match self.pending.take() {
            Some(id) => id,
            None => self.show(of_call, ToolCallStatus::Pending, content.clone()),
        };
        let fields = ToolCallUpdateFields::new()
            .title(calls::title(tool, action, shown, self.root))
            .kind(calls::kind(tool, Some(action)))
            .status(ToolCallStatus::Pending)
            .content(content)
            .locations(calls::locations(action, shown));
        let mut options = vec![("once", "Allow".to_owned(), PermissionOptionKind::AllowOnce)];
        let always = PermissionOptionKind::AllowAlways;
        if request.can_be_kept {
            options.push(("session", format!("Allow {} for this session", scope(action)), always));
        }
        if request.can_be_edits {
            let name = "Allow all edits in this work tree for this session";
            options.push(("edits", name.to_owned(), always));
        }
        options.push(("no", "Reject".to_owned(), PermissionOptionKind::RejectOnce));
        let chosen = self.editor.choose(&id, fields, &options);
        self.pending = Some(id);
        self.turn.remind();
        match chosen {
            Some("once") => Answer::Once,
            Some("session") => Answer::Session,
            Some("edits") => Answer::Edits,
            Some(_) => Answer::No(None),
            None => Answer::Nobody,
        }
    }

    fn ask(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.begin_message();
        self.editor.question(question, options)
    }

    fn tell(&mut self, event: &Event<'_>) {
        self.turn.remind();
        match event {
            Event::Begun { .. } | Event::Ended(_) => {}
            Event::Planned { plan, depth: 0 } if !plan.steps.is_empty() => {
                self.steps = plan.steps.iter().map(|step| escape_control_line(step)).collect();
                self.plan(PlanEntryStatus::Pending);
            }
            // Of a task inside the task.
            Event::Planned { .. } => {}
            Event::Text(text) => self.text(text),
            Event::Restart => {
                self.begin_message();
                self.editor.think("the answer begins again");
            }
            // The list is all that is shown of it.
            Event::Calling { tool: TODO_LIST, .. } => {}
            Event::Called { tool: TODO_LIST, failed, text, .. } => {
                if *failed {
                    self.unmade(TODO_LIST, text);
                }
            }
            Event::Todo { items, .. } => {
                self.steps.clear();
                let plan = Plan::new(items.iter().map(of_todo).collect());
                self.editor.update(SessionUpdate::Plan(plan));
            }
            Event::Calling { tool, action, shown, .. } => self.calling(tool, action, shown),
            Event::Called { failed, text, .. } => self.called(*failed, text),
            Event::Output { text, .. } => self.live(text),
            Event::Progress { text, .. } => self.live(&format!("{text}\n")),
            Event::Unmade { tool, reason, .. } => self.unmade(tool, reason),
            Event::Reflected { note, .. } => self.editor.think(note),
            Event::Compacted { messages } => {
                let text = format!("{messages} older messages are now a summary");
                self.editor.notice(NoticeSeverity::Info, &text);
            }
            Event::Tainted { origin } => {
                let text = format!(
                    "text from outside is in the conversation ({}): what reaches beyond this work \
                     tree asks from now on",
                    escape_control_line(origin)
                );
                self.editor.notice(NoticeSeverity::Info, &text);
            }
            Event::Warning(text) => self.editor.tell(Tone::Warning, text),
            Event::SubTask { goal, .. } => self.editor.think(&format!("task: {goal}")),
            Event::Reader { number, question, state, .. } => {
                self.reader(*number, question, *state);
            }
        }
    }
}

/// What an answer for the session is about, besides this very call.
fn scope(action: &Action) -> &'static str {
    match action {
        Action::Shell { .. } => "these commands",
        Action::Write { .. } => "changes of these files",
        Action::Reach { .. } => "this host",
        _ => "this tool",
    }
}

fn entry(text: &str, status: PlanEntryStatus) -> PlanEntry {
    PlanEntry::new(text, PlanEntryPriority::Medium, status)
}

fn of_todo(item: &Todo) -> PlanEntry {
    let status = match item.state {
        TodoState::Open => PlanEntryStatus::Pending,
        TodoState::Doing => PlanEntryStatus::InProgress,
        TodoState::Done => PlanEntryStatus::Completed,
    };
    entry(&escape_control_line(&item.text), status)
}

fn new_message() -> MessageId {
    MessageId::new(Uuid::new_v4().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_says_is_shown_now_and_then() {
        let mut call =
            Call { id: String::new(), content: Vec::new(), live: String::new(), shown: None };
        let begun = Instant::now();
        for (millis, expected) in
            [(0, true), (1, false), (99, false), (100, true), (150, false), (900, true)]
        {
            let now = begun + Duration::from_millis(millis);
            assert_eq!(call.is_due(now), expected, "after {millis} ms");
        }
    }
}
