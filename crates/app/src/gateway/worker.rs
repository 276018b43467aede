//! The thread that makes the runs of a conversation, one after the other.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use uuid::Uuid;

use super::{
    Gateway, Identity,
    conversation::Conversation,
    events,
    ledger::{Ended, Settled},
    message::{
        self, ApprovalOf, ApprovalRequest, Failure, Response, SourceWire, TaskComplete, Told, Word,
    },
    mode,
    remote::{Remote, answer},
    state::Work,
};
use crate::{
    Error, Reporter, Result,
    agent::{
        self, Answer, Attachment, Door, Finished, Prepared,
        chat::{Chat, ChatAnswer, ChatCommand, ChatOptions, told},
    },
    interest, learn,
    reporter::Tone,
};
use elophanto_repo::{Git, NotePath};

/// A worker without work ends after this time, and lets go of what it had opened: settings are read
/// again, and models take no memory.
const IDLE: Duration = Duration::from_secs(3);

/// Works until nothing is left to do.
pub fn work(gateway: &Arc<Gateway>, conversation: &Arc<Conversation>) {
    let worked = catch_unwind(AssertUnwindSafe(|| opened(gateway, conversation)));
    match worked {
        Ok(Ok(())) => {}
        // What was to be done cannot be: whoever waits for it is told.
        Ok(Err(error)) => refuse_all(gateway, conversation, &error),
        Err(_) => {
            let error = Error::bug("a run had to be given up");
            match conversation.give_up() {
                Some(id) => {
                    refuse(gateway, conversation, id, &error);
                    conversation.dismiss();
                    conversation.reemploy(gateway);
                }
                // It came to no work at all, and the next one would not either.
                None => refuse_all(gateway, conversation, &error),
            }
        }
    }
}

fn refuse_all(gateway: &Gateway, conversation: &Conversation, error: &Error) {
    while let Some(work) = conversation.next(Duration::ZERO, gateway.ending()) {
        refuse(gateway, conversation, work.id(), error);
    }
}

fn refuse(gateway: &Gateway, conversation: &Conversation, id: Uuid, error: &Error) {
    gateway.tell(conversation, &failure(error, Some(id)));
    // Of what is no message, or over by now, there is nothing to be noted.
    let Ok(Some((goal, _))) = conversation.begin(id, &Arc::default()) else { return };
    let ended = Ended::without_answer(events::failed(&goal, error));
    conversation.end(gateway, id, ended);
}

/// Why something was not done.
pub fn failure(error: &Error, reply_to: Option<Uuid>) -> Told {
    let hints = error.hints();
    Told::Error(Failure {
        detail: error.message().to_owned(),
        hint: (!hints.is_empty()).then(|| hints.join("; ")),
        reply_to,
    })
}

/// Works with what is opened of the repository.
fn opened(gateway: &Arc<Gateway>, conversation: &Arc<Conversation>) -> Result<()> {
    let workspace = conversation.served.base.open(Vec::new())?;
    let reporter =
        Arc::new(Telling { gateway: Arc::clone(gateway), conversation: Arc::clone(conversation) });
    let tools = (gateway.options.tools)(&workspace, reporter.clone());
    let (channel, user) = gateway.channel_of(&conversation.person);
    let door = Door { channel: channel.name(), user: Some(user), tools, reporter };
    let prepared = agent::prepare(&workspace, door)?;
    let session = prepared.session_of(conversation.session())?;
    let options = ChatOptions { is_attended: true, ..ChatOptions::default() };
    let mut chat = Chat::within(&prepared, session, options)?;
    if let Some(carried) = conversation.carried().take() {
        chat.take_up(carried);
    }
    while let Some(work) = conversation.next(IDLE, gateway.ending()) {
        let settings = workspace.config.agent.mode.into();
        prepared.set_mode(mode::held(conversation.standing().mode, settings));
        let here = Here { gateway, conversation, prepared: &prepared };
        match work {
            // What cannot begin waits: nobody works here any more.
            Work::Message(id) if !here.say(&mut chat, id, None) => break,
            Work::Message(_) => {}
            Work::GoOn { message, request, settled } => {
                if !here.say(&mut chat, message, Some((*request, settled))) {
                    break;
                }
            }
            Work::Command { command, reply_to, who } => {
                here.obey(&mut chat, command, reply_to, &who);
            }
            Work::Shell { line, reply_to } => here.shell(&mut chat, &line, reply_to),
        }
    }
    *conversation.carried() = Some(chat.carry());
    // Nobody waits for it: what comes meanwhile has another worker.
    if workspace.config.gateway.learn && !gateway.is_ending() {
        // What cannot be read now is after the next message.
        let _ = learn::hear(&workspace, &Hearing(gateway));
    }
    Ok(())
}

/// Says nothing, and nobody agrees to anything.
struct Hearing<'g>(&'g Gateway);

impl Reporter for Hearing<'_> {
    fn tell(&self, _: Tone, _: &str) {}

    fn is_gone(&self) -> bool {
        self.0.is_ending()
    }
}

/// A conversation with what is opened of it.
struct Here<'a> {
    gateway: &'a Arc<Gateway>,
    conversation: &'a Arc<Conversation>,
    prepared: &'a Prepared<'a>,
}

impl Here<'_> {
    /// Says a message, or goes on with one that waited for this answer; `false` where it cannot be noted
    /// that it begins.
    fn say(
        &self,
        chat: &mut Chat<'_>,
        id: Uuid,
        answered: Option<(ApprovalRequest, Settled)>,
    ) -> bool {
        let (gateway, conversation) = (self.gateway, self.conversation);
        let is_wanted = || !gateway.is_ending() && conversation.is_open(id);
        let waits = || {
            let text = "a run of another conversation goes on in this repository: this begins when \
                        that has ended";
            conversation.wait_for_turn(Some(id));
            gateway.tell(conversation, &events::notice(text.to_owned(), message::Tone::Note));
        };
        let turn = gateway.turns.take(&conversation.served.root, &is_wanted, &waits);
        conversation.wait_for_turn(None);
        let Some(_turn) = turn else {
            // Dropped by `/stop all`.
            if !gateway.is_ending() {
                return true;
            }
            // Begun after the next start.
            conversation.dismiss();
            return false;
        };
        let (goal, attachments) = match conversation.begin(id, self.prepared.cancelled()) {
            Ok(Some(begun)) => begun,
            // Dropped by `/stop all`.
            Ok(None) => return true,
            Err(error) => {
                let error = error.hint("it stays in line: send it again when there is room");
                conversation.put_back(match answered {
                    Some((request, settled)) => {
                        Work::GoOn { message: id, request: Box::new(request), settled }
                    }
                    None => Work::Message(id),
                });
                // Whoever hears it may send it again at once.
                gateway.tell(conversation, &failure(&error, Some(id)));
                return false;
            }
        };
        let is_scheduled = conversation.is_scheduled(id);
        if !is_scheduled {
            interest::acted(self.prepared.workspace);
        }
        chat.attend(!is_scheduled);
        chat.keep_here(!conversation.is_of_this_machine(id));
        gateway.tell_status(conversation, None);
        if let Some((request, settled)) = &answered {
            chat.attach(cut_off(request, settled));
        }
        for id in attachments {
            match gateway.attachments.given(id) {
                Ok(given) => chat.attach(given),
                Err(error) => {
                    let text = error.message().to_owned();
                    let origin = "the gateway, of a file that goes with this message".to_owned();
                    chat.attach(Attachment::Text {
                        origin,
                        text: format!("it cannot be shown: {text}"),
                    });
                    gateway.tell(conversation, &events::notice(text, message::Tone::Warning));
                }
            }
        }
        let granted = answered.and_then(|(request, settled)| granted(&request, settled));
        let mut approver = Remote {
            gateway,
            conversation,
            cancelled: self.prepared.cancelled(),
            message: id,
            goal: &goal,
            run: String::new(),
            granted,
        };
        let ended = match chat.say(&goal, &mut approver) {
            Ok(finished) => {
                let ended = self.ended(&finished, &goal);
                let paths = ended.sources.iter().map(|source| source.path.as_str());
                // An answer that cannot be reacted to is still one.
                let _ =
                    interest::answered(self.prepared.workspace, id, &goal, &ended.answer, paths);
                ended
            }
            Err(error) => {
                gateway.tell(conversation, &failure(&error, Some(id)));
                Ended::without_answer(events::failed(&goal, &error))
            }
        };
        conversation.end(gateway, id, ended);
        gateway.tell_status(conversation, None);
        true
    }

    fn ended(&self, finished: &Finished, goal: &str) -> Ended {
        let sources = sources(self.prepared, &finished.answer);
        let complete = TaskComplete::of(finished, goal);
        Ended { answer: finished.answer.clone(), sources, ..Ended::without_answer(complete) }
    }

    fn obey(&self, chat: &mut Chat<'_>, command: ChatCommand, reply_to: Uuid, who: &Identity) {
        let (gateway, conversation) = (self.gateway, self.conversation);
        let telling =
            Telling { gateway: Arc::clone(gateway), conversation: Arc::clone(conversation) };
        // Files that it names lie in the repository.
        let command = command.within(&conversation.served.root);
        let done = super::commands::check(chat, &command, who).and_then(|()| {
            self.is_free(&command)?;
            let answer = chat.obey(command, &telling)?;
            let is_over = matches!(answer, ChatAnswer::Quit);
            Ok((told::text(&answer), is_over))
        });
        match done {
            Ok((_, true)) => {}
            Ok((text, false)) => gateway.tell(conversation, &said(text, reply_to)),
            Err(error) => gateway.tell(conversation, &failure(&error, Some(reply_to))),
        }
        // Another session may go on here now.
        let session = chat.session().id;
        if session != conversation.session() {
            if let Err(error) = conversation.set_session(session) {
                gateway.tell(conversation, &failure(&error, Some(reply_to)));
            }
            gateway.tell_status(conversation, None);
        }
    }

    /// Refuses to go on in what another conversation of the gateway is in.
    fn is_free(&self, command: &ChatCommand) -> Result<()> {
        let ChatCommand::Resume(Some(id)) = command else { return Ok(()) };
        let session = self.prepared.session(Some(id))?.id;
        match self.gateway.is_held(session, self.conversation) {
            true => Err(Error::new("another conversation of the gateway is in that session")),
            false => Ok(()),
        }
    }

    fn shell(&self, chat: &mut Chat<'_>, line: &str, reply_to: Uuid) {
        let mut approver = Remote {
            gateway: self.gateway,
            conversation: self.conversation,
            cancelled: self.prepared.cancelled(),
            message: reply_to,
            goal: line,
            run: String::new(),
            granted: None,
        };
        self.conversation.occupy(reply_to, line, self.prepared.cancelled());
        let ran = chat.shell(line, &mut approver);
        self.conversation.release();
        let told = match ran {
            Err(error) => failure(&error, Some(reply_to)),
            Ok(ran) if ran.changed.is_empty() => said(String::new(), reply_to),
            Ok(ran) => said(format!("`/undo {}` takes back what it changed", ran.run), reply_to),
        };
        self.gateway.tell(self.conversation, &told);
    }
}

/// The answer to a command.
pub fn said(content: String, reply_to: Uuid) -> Told {
    let reply_to = Some(reply_to);
    Told::Response(Response { content, done: true, reply_to, ..Response::default() })
}

/// What the model is told of a run that was cut off at a question.
fn cut_off(request: &ApprovalRequest, settled: &Settled) -> Attachment {
    let what = match &request.what {
        ApprovalOf::Call { tool, shown, .. } => format!("the call of `{tool}`:\n{shown}"),
        ApprovalOf::Question { question, .. } => format!("the question: {question}"),
    };
    let is_question = matches!(request.what, ApprovalOf::Question { .. });
    let answer = match settled {
        Settled::Answered { text: Some(text), .. } if is_question => text.clone(),
        Settled::Answered { word: Word::No, text, .. } => {
            format!("no{}", text.as_ref().map(|text| format!(": {text}")).unwrap_or_default())
        }
        Settled::Answered { .. } => "yes: make the call again".to_owned(),
        Settled::Expired | Settled::Stopped => "no: nobody answered in time".to_owned(),
    };
    let text = format!(
        "the program was ended while this waited for the user's answer; what was done before it is \
         done. {what}\nThe user's answer: {answer}"
    );
    Attachment::Text { origin: "the gateway, of the run that goes on".to_owned(), text }
}

/// What was approved while no run went on: good for that very call.
fn granted(request: &ApprovalRequest, settled: Settled) -> Option<(String, Answer)> {
    match (&request.what, settled) {
        (ApprovalOf::Call { .. }, Settled::Answered { word, text, .. }) => {
            Some((request.digest.clone(), answer(word, text)))
        }
        _ => None,
    }
}

/// Where that is known which the model was told, of what its answer names; of nothing named, all.
fn sources(prepared: &Prepared<'_>, answer: &str) -> Vec<SourceWire> {
    let known = prepared.known_places();
    let is_named = |(path, _): &&(String, Option<usize>)| answer.contains(path.as_str());
    let named: Vec<_> = known.iter().filter(is_named).cloned().collect();
    let all = if named.is_empty() { known } else { named };
    let git = Git::of(&prepared.workspace.repository);
    let source = |(path, line): (String, Option<usize>)| {
        let commit = git.as_ref().and_then(|git| {
            git.last_commit_of(&NotePath::from(std::path::Path::new(&path))).ok().flatten()
        });
        SourceWire { path, line, commit: commit.map(|commit| commit.to_string()) }
    };
    all.into_iter().map(source).collect()
}

/// Tells a conversation what a use case says by the way. Nobody agrees to anything here.
pub struct Telling {
    pub gateway: Arc<Gateway>,
    pub conversation: Arc<Conversation>,
}

impl Reporter for Telling {
    fn tell(&self, tone: Tone, text: &str) {
        self.gateway.tell(&self.conversation, &events::notice(text.to_owned(), tone.into()));
    }

    fn is_gone(&self) -> bool {
        self.gateway.is_ending()
    }
}
