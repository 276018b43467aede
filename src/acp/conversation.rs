//! One conversation: a thread that opens its repository, works on what the user says, and lets go of
//! what it had opened when nothing came for a while, so that settings are read again.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use agent_client_protocol::{
    Error as Refusal, ErrorCode,
    v1::{
        Responder,
        schema::{
            ContentBlock, Cost, CurrentModeUpdate, LoadSessionResponse, NewSessionResponse,
            NoticeSeverity, PromptResponse, ResumeSessionResponse, SessionId, SessionInfoUpdate,
            SessionUpdate, StopReason, UsageUpdate,
        },
    },
};
use uuid::Uuid;

use super::{
    commands, editor::Editor, listing::title, modes, prompt, refusal, replay, telling::Telling,
    turn::Turn,
};
use crate::mcp::knowledge_tools;
use elophanto_agent::{End, Finished, Session};
use elophanto_app::{
    Environment, Error, Reporter, Result, Workspace,
    agent::{
        self, Door, EDITOR, Prepared,
        chat::{Carried, Chat, ChatAnswer, ChatCommand, ChatOptions},
    },
};
use elophanto_base::{called::called, visible::escape_control_line};

/// What was opened is let go of after this time without work.
const IDLE: Duration = Duration::from_secs(10);

/// How a conversation begins here.
pub enum Begin {
    New(Responder<NewSessionResponse>),
    /// What was said is told again.
    Load(Responder<LoadSessionResponse>),
    Resume(Responder<ResumeSessionResponse>),
}

impl Begin {
    pub fn refuse(self, refusal: Refusal) {
        // One that is gone is told nothing more.
        let _ = match self {
            Self::New(responder) => responder.respond_with_error(refusal),
            Self::Load(responder) => responder.respond_with_error(refusal),
            Self::Resume(responder) => responder.respond_with_error(refusal),
        };
    }
}

pub enum Work {
    Begin(Begin),
    Prompt { blocks: Vec<ContentBlock>, responder: Responder<PromptResponse> },
}

pub struct Conversation {
    pub id: Uuid,
    pub folder: PathBuf,
    pub environment: Environment,
    pub editor: Arc<Editor>,
    pub turn: Arc<Turn>,
    pub works: Receiver<Work>,
    /// Servers of MCP that the editor named.
    pub servers: Vec<String>,
    /// As it stood, and what was in memory beside it, when the repository was let go of.
    pub kept: Option<(Session, Carried)>,
}

impl Conversation {
    /// Works until the editor closes the conversation, or it could not begin.
    pub fn live(mut self, begin: Begin) {
        let mut work = Some(Work::Begin(begin));
        loop {
            let opened = self.opened(&mut work);
            match (opened, work.take()) {
                (Ok(false), _) => return,
                (Ok(true), _) | (Err(_), None) => {}
                (Err(error), Some(Work::Begin(begin))) => {
                    return begin.refuse(refusal(ErrorCode::INVALID_PARAMS, &error));
                }
                (Err(error), Some(Work::Prompt { responder, .. })) => {
                    self.turn.end();
                    let refusal = refusal(ErrorCode::INTERNAL_ERROR, &error);
                    let _ = responder.respond_with_error(refusal);
                }
            }
            match self.works.recv() {
                Ok(next) => work = Some(next),
                Err(_) => return,
            }
        }
    }

    /// Does this and what comes soon after; whether the conversation goes on. What could not be begun is
    /// left where it was.
    fn opened(&mut self, work: &mut Option<Work>) -> Result<bool> {
        let environment = self.environment.clone();
        let workspace = Workspace::around(&self.folder, environment, Vec::new(), &*self.editor)?;
        let reporter: Arc<dyn Reporter + Send + Sync> = self.editor.clone();
        let tools = knowledge_tools(&workspace, Arc::clone(&reporter));
        let prepared =
            agent::prepare(&workspace, Door { channel: EDITOR, user: None, tools, reporter })?;
        let kept = self.kept.as_ref().map(|(session, _)| session.clone());
        let session = match (work.as_ref(), kept) {
            // Nothing of it is on disk before the first run.
            (_, Some(kept)) if kept.revision == 0 => kept,
            (_, Some(_)) | (Some(Work::Begin(Begin::New(_))), None) => {
                prepared.session_of(self.id)?
            }
            _ => known(&prepared, self.id)?,
        };
        let options = ChatOptions { is_attended: true, ..ChatOptions::default() };
        let mut chat = Chat::within(&prepared, session, options)?;
        // Only now: where anything before failed, it is there for the next time.
        if let Some((_, carried)) = self.kept.take() {
            chat.take_up(carried);
        }
        self.turn.opened(prepared.cancelled(), prepared.shared_mode());
        let top = called(&self.folder, &workspace.repository.root);
        let here = Here { conversation: &*self, prepared: &prepared, top: &top };
        loop {
            match work.take() {
                Some(Work::Begin(begin)) => {
                    let has_begun = here.begin(begin, &chat);
                    if !has_begun {
                        return Ok(false);
                    }
                }
                Some(Work::Prompt { blocks, responder }) => {
                    here.answer(&mut chat, blocks, responder);
                }
                None => {}
            }
            match self.works.recv_timeout(IDLE) {
                Ok(next) => *work = Some(next),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        self.kept = Some((chat.session().clone(), chat.carry()));
        Ok(true)
    }
}

/// A conversation of this work tree that was held before.
fn known(prepared: &Prepared<'_>, id: Uuid) -> Result<Session> {
    let session = prepared.session(Some(&id.to_string()))?;
    let root = prepared.workspace.repository.root.to_string_lossy();
    match session.root.as_ref().filter(|other| **other != root) {
        Some(other) => Err(Error::new(format_args!("session {id} is about another folder"))
            .hint(format!("load it with `cwd` {}", escape_control_line(other)))),
        None => Ok(session),
    }
}

/// A conversation with what is opened of it.
struct Here<'h> {
    conversation: &'h Conversation,
    prepared: &'h Prepared<'h>,
    /// What the editor calls the top of the work tree.
    top: &'h Path,
}

impl Here<'_> {
    /// Answers that the conversation begins, and tells what there is to know first; `false` where it cannot
    /// begin, which is answered too.
    fn begin(&self, begin: Begin, chat: &Chat<'_>) -> bool {
        let Conversation { editor, turn, servers, .. } = self.conversation;
        let modes = modes::state(turn);
        let answered = match begin {
            Begin::New(responder) => {
                let id = SessionId::new(chat.session().id.to_string());
                responder.respond(NewSessionResponse::new(id).modes(modes))
            }
            Begin::Load(responder) => {
                editor.knows();
                let said = match chat.said(&**editor) {
                    Ok(said) => said,
                    Err(error) => {
                        let refusal = refusal(ErrorCode::INTERNAL_ERROR, &error);
                        let _ = responder.respond_with_error(refusal);
                        return false;
                    }
                };
                replay::updates(&said).into_iter().for_each(|update| editor.update(update));
                responder.respond(LoadSessionResponse::new().modes(modes))
            }
            Begin::Resume(responder) => {
                responder.respond(ResumeSessionResponse::new().modes(modes))
            }
        };
        // One that is gone is told nothing more.
        let _ = answered;
        editor.knows();
        editor.update(commands::offered());
        if !servers.is_empty() {
            let names: Vec<_> =
                servers.iter().map(|name| format!("`{}`", escape_control_line(name))).collect();
            editor.notice(
                NoticeSeverity::Warning,
                &format!(
                    "servers of MCP that the editor names are not started ({}): add those that you \
                     trust by `elophanto agent mcp add`",
                    names.join(", ")
                ),
            );
        }
        true
    }

    fn answer(
        &self,
        chat: &mut Chat<'_>,
        blocks: Vec<ContentBlock>,
        responder: Responder<PromptResponse>,
    ) {
        let turn = &self.conversation.turn;
        let said = self.say(chat, blocks);
        let usage = self.tell_of_it(chat);
        let answer = match (turn.end(), said) {
            (true, _) => Ok(PromptResponse::new(StopReason::Cancelled)),
            (false, Ok(reason)) => Ok(PromptResponse::new(reason)),
            (false, Err(error)) => Err(refusal(ErrorCode::INTERNAL_ERROR, &error)),
        };
        // One that is gone is told nothing more, and how full a window is is never an error.
        let _ = (responder.respond_with_result(answer), usage);
    }

    /// What a prompt says: a command, or a message and the run that it begins.
    fn say(&self, chat: &mut Chat<'_>, blocks: Vec<ContentBlock>) -> Result<StopReason> {
        let Conversation { editor, turn, .. } = self.conversation;
        let root = self.prepared.workspace.repository.root.as_path();
        let said = prompt::read(blocks, &[self.top, root])?;
        if let Some(command) = commands::parse(&said.text)? {
            self.obey(chat, command)?;
            return Ok(StopReason::EndTurn);
        }
        for file in said.files.iter().filter(|file| self.prepared.is_file(file)) {
            // Its path is said all the same.
            if let Err(error) = chat.attach_file(file) {
                let text =
                    format!("`{}` is not sent: {}", escape_control_line(file), error.message());
                editor.notice(NoticeSeverity::Warning, &text);
            }
        }
        said.given.into_iter().for_each(|given| chat.attach(given));
        let mut telling = Telling::new(editor, turn, root);
        let finished = chat.say(&said.text, &mut telling)?;
        telling.end(&finished);
        reason(finished)
    }

    fn obey(&self, chat: &mut Chat<'_>, command: ChatCommand) -> Result<()> {
        let Conversation { editor, turn, .. } = self.conversation;
        let command = match command {
            ChatCommand::Mode(Some(mode)) => {
                turn.set_mode(mode)?;
                let mode = CurrentModeUpdate::new(agent::modes::name(mode));
                editor.update(SessionUpdate::CurrentModeUpdate(mode));
                // It is set: one that the editor sets meanwhile stays.
                ChatCommand::Mode(None)
            }
            command => command.within(&self.prepared.workspace.repository.root),
        };
        let answer = chat.obey(command, &**editor)?;
        editor.say(commands::answer(&answer));
        Ok(())
    }

    /// What the conversation is called now, how full the model's window is, and what it cost.
    fn tell_of_it(&self, chat: &mut Chat<'_>) -> Result<()> {
        let editor = &self.conversation.editor;
        let session = chat.session();
        let info = SessionInfoUpdate::new().updated_at(session.updated.to_string());
        let info = match title(session) {
            Some(title) => info.title(title),
            None => info,
        };
        editor.update(SessionUpdate::SessionInfoUpdate(info));
        let usd = match chat.obey(ChatCommand::Budget, &**editor)? {
            ChatAnswer::Budget(budget) => budget.spent.usd_micros as f64 / 1e6,
            _ => 0.0,
        };
        if let ChatAnswer::Context(context) = chat.obey(ChatCommand::Context, &**editor)? {
            let usage = UsageUpdate::new(context.used.total(), context.window.tokens);
            let usage = usage.cost(Cost::new(usd, "USD"));
            editor.update(SessionUpdate::UsageUpdate(usage));
        }
        Ok(())
    }
}

/// What ended a run, as the protocol calls it.
fn reason(finished: Finished) -> Result<StopReason> {
    let failed = |message: &String, hint: Option<String>| Err(Error::new(message).hints_of(hint));
    match finished.end {
        End::Answered | End::Loop { .. } => Ok(StopReason::EndTurn),
        End::Cancelled => Ok(StopReason::Cancelled),
        End::Steps { .. } => Ok(StopReason::MaxTurnRequests),
        End::Budget { .. } => Ok(StopReason::MaxTokens),
        End::Brain { message, hint } => failed(&message, hint),
        End::Trail { message } => failed(&message, None),
    }
}
