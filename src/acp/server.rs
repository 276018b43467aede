//! What an editor asks for, and the conversations that are open. Nothing here waits: what takes time is
//! done by the thread of a conversation.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock,
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use agent_client_protocol::{
    Agent, Client, ConnectTo, Error as Refusal, ErrorCode, on_receive_notification,
    on_receive_request,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo, Responder,
        schema::{
            AgentCapabilities, CancelNotification, CloseSessionRequest, CloseSessionResponse,
            CurrentModeUpdate, Implementation, InitializeRequest, InitializeResponse,
            ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse,
            McpServer, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
            PromptResponse, ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities,
            SessionCloseCapabilities, SessionId, SessionListCapabilities,
            SessionResumeCapabilities, SessionUpdate, SetSessionModeRequest,
            SetSessionModeResponse,
        },
    },
};
use uuid::Uuid;

use super::{
    conversation::{Begin, Conversation, Work},
    editor::{Able, Editor},
    listing, refusal,
    turn::Turn,
};
use elophanto_app::{Environment, Error, agent::modes};
use elophanto_base::{mutex::lock, visible::escape_control_line};

/// Conversations that are open at once.
const MOST_SESSIONS: usize = 64;
/// A run needs room for what it parses.
const STACK: usize = 8 << 20;
const LOOKS: Duration = Duration::from_millis(10);

pub struct Server {
    environment: Environment,
    /// What the editor can do, once it said hello.
    able: OnceLock<Able>,
    sessions: Mutex<HashMap<Uuid, Open>>,
    /// Threads of conversations that were let go of: what they did may not be written down yet.
    ended: Mutex<Vec<JoinHandle<()>>>,
}

/// A conversation that is open.
struct Open {
    works: Sender<Work>,
    turn: Arc<Turn>,
    editor: Arc<Editor>,
    thread: JoinHandle<()>,
}

/// Serves until the editor goes.
///
/// # Errors
/// When it goes in the middle of something.
pub async fn serve(
    server: &Arc<Server>,
    lines: impl ConnectTo<Agent> + 'static,
) -> Result<(), Refusal> {
    let of = || Arc::clone(server);
    let (hello, new, load, resume) = (of(), of(), of(), of());
    let (list, close, prompt, mode, cancel) = (of(), of(), of(), of(), of());
    type Editors = ConnectionTo<Client>;
    Agent
        .v1()
        .name("elophanto")
        .on_receive_request(
            async move |request: InitializeRequest,
                        responder: Responder<InitializeResponse>,
                        _: Editors| responder.respond(hello.hello(&request)),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest,
                        responder: Responder<NewSessionResponse>,
                        editor: Editors| {
                let NewSessionRequest { cwd, mcp_servers, .. } = request;
                let begin = Begin::New(responder);
                new.begin(Uuid::new_v4(), cwd, &mcp_servers, begin, editor);
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest,
                        responder: Responder<LoadSessionResponse>,
                        editor: Editors| {
                let LoadSessionRequest { session_id, cwd, mcp_servers, .. } = request;
                let id = id_of(&session_id)?;
                load.begin(id, cwd, &mcp_servers, Begin::Load(responder), editor);
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest,
                        responder: Responder<ResumeSessionResponse>,
                        editor: Editors| {
                let ResumeSessionRequest { session_id, cwd, mcp_servers, .. } = request;
                let id = id_of(&session_id)?;
                resume.begin(id, cwd, &mcp_servers, Begin::Resume(responder), editor);
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest,
                        responder: Responder<ListSessionsResponse>,
                        _: Editors| {
                let environment = list.environment.clone();
                let read = move || {
                    let all = listing::list(&request, &environment);
                    let all = all.map_err(|error| refusal(ErrorCode::INVALID_PARAMS, &error));
                    let _ = responder.respond_with_result(all);
                };
                thread::Builder::new().name("list".to_owned()).spawn(read).map_err(no_thread)?;
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest,
                        responder: Responder<CloseSessionResponse>,
                        _: Editors| {
                close.close(&request.session_id)?;
                responder.respond(CloseSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest,
                        responder: Responder<PromptResponse>,
                        _: Editors| prompt.prompt(request, responder),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest,
                        responder: Responder<SetSessionModeResponse>,
                        _: Editors| {
                mode.set_mode(&request)?;
                responder.respond(SetSessionModeResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _: Editors| {
                cancel.with(&request.session_id, |open| {
                    // Nothing else is to end: the next prompt is not meant.
                    if open.turn.is_busy() {
                        open.turn.stop();
                    }
                    Ok(())
                })
            },
            on_receive_notification!(),
        )
        .connect_to(lines)
        .await
}

impl Server {
    pub fn new(environment: Environment) -> Self {
        let (sessions, ended) = (Mutex::default(), Mutex::default());
        Self { environment, able: OnceLock::new(), sessions, ended }
    }

    /// Whether somebody said hello.
    pub fn is_spoken(&self) -> bool {
        self.able.get().is_some()
    }

    /// Ends all that goes on and waits until it is written down, at most so long.
    pub fn end(&self, patience: Duration) {
        let open: Vec<_> = lock(&self.sessions).drain().map(|(_, open)| open).collect();
        let mut threads: Vec<_> = open
            .into_iter()
            .map(|open| {
                open.turn.stop();
                open.thread
            })
            .collect();
        threads.append(&mut lock(&self.ended));
        let until = Instant::now() + patience;
        while Instant::now() < until && !threads.iter().all(JoinHandle::is_finished) {
            thread::sleep(LOOKS);
        }
    }

    fn hello(&self, request: &InitializeRequest) -> InitializeResponse {
        // One that says hello again is the same one.
        let _ = self.able.set(Able::of(&request.client_capabilities));
        let prompts = PromptCapabilities::new().image(true).embedded_context(true);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(prompts)
            .session_capabilities(sessions);
        let own = Implementation::new("elophanto", env!("CARGO_PKG_VERSION"));
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(own)
    }

    fn begin(
        &self,
        id: Uuid,
        folder: PathBuf,
        servers: &[McpServer],
        begin: Begin,
        editor: ConnectionTo<Client>,
    ) {
        if !folder.is_absolute() {
            let error = Error::new(format_args!(
                "`{}` is no absolute path",
                escape_control_line(&folder.to_string_lossy())
            ));
            let error = error.hint("`cwd` is the folder of a repository, from the root on");
            return begin.refuse(refusal(ErrorCode::INVALID_PARAMS, &error));
        }
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, open| !open.thread.is_finished());
        let mut ended = lock(&self.ended);
        ended.retain(|thread| !thread.is_finished());
        if sessions.get(&id).is_some_and(|open| open.turn.is_busy()) {
            return begin.refuse(busy());
        }
        // It goes on where it was: what was opened of it is let go of.
        ended.extend(sessions.remove(&id).map(|open| open.thread));
        drop(ended);
        if sessions.len() >= MOST_SESSIONS {
            let error = Error::new(format_args!("{MOST_SESSIONS} sessions are open already"));
            let error = error.hint("close one of them");
            return begin.refuse(refusal(ErrorCode::INVALID_REQUEST, &error));
        }
        let (works, waiting) = channel();
        let turn = Arc::new(Turn::default());
        let able = self.able.get().copied().unwrap_or_default();
        let session = SessionId::new(id.to_string());
        let editor = Arc::new(Editor::new(editor, session, able, Arc::clone(&turn)));
        let conversation = Conversation {
            id,
            folder,
            environment: self.environment.clone(),
            editor: Arc::clone(&editor),
            turn: Arc::clone(&turn),
            works: waiting,
            servers: servers.iter().map(name_of).collect(),
            kept: None,
        };
        let named = thread::Builder::new().name("session".to_owned()).stack_size(STACK);
        // Without a thread the request is answered as its responder is dropped.
        if let Ok(thread) = named.spawn(move || conversation.live(begin)) {
            sessions.insert(id, Open { works, turn, editor, thread });
        }
    }

    fn close(&self, session: &SessionId) -> Result<(), Refusal> {
        let open = lock(&self.sessions).remove(&id_of(session)?);
        let open = open.ok_or_else(|| not_open(session))?;
        open.turn.stop();
        // It ends once nothing more can come.
        lock(&self.ended).push(open.thread);
        Ok(())
    }

    /// Does something with a conversation that is open.
    fn with<T>(
        &self,
        session: &SessionId,
        work: impl FnOnce(&Open) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let id = id_of(session)?;
        let sessions = lock(&self.sessions);
        let open = sessions.get(&id).filter(|open| !open.thread.is_finished());
        work(open.ok_or_else(|| not_open(session))?)
    }

    fn prompt(
        &self,
        request: PromptRequest,
        responder: Responder<PromptResponse>,
    ) -> Result<(), Refusal> {
        let PromptRequest { session_id, prompt: blocks, .. } = request;
        self.with(&session_id, |open| {
            if !open.turn.begin() {
                return Err(busy());
            }
            let work = Work::Prompt { blocks, responder };
            // What is dropped is answered as its responder is.
            open.works.send(work).map_err(|_| not_open(&session_id))
        })
    }

    fn set_mode(&self, request: &SetSessionModeRequest) -> Result<(), Refusal> {
        self.with(&request.session_id, |open| {
            let id = &*request.mode_id.0;
            let mode = modes::of_name(id).ok_or_else(|| {
                Error::new(format_args!("there is no mode `{}`", escape_control_line(id)))
                    .hint("ask, smart and full are")
            });
            let set = mode.and_then(|mode| open.turn.set_mode(mode));
            set.map_err(|error| refusal(ErrorCode::INVALID_PARAMS, &error))?;
            let mode = CurrentModeUpdate::new(request.mode_id.clone());
            open.editor.update(SessionUpdate::CurrentModeUpdate(mode));
            Ok(())
        })
    }
}

fn id_of(session: &SessionId) -> Result<Uuid, Refusal> {
    session.0.parse().map_err(|_| not_open(session))
}

fn not_open(session: &SessionId) -> Refusal {
    let error =
        Error::new(format_args!("there is no session `{}` here", escape_control_line(&session.0)))
            .hint("`session/new` begins one, `session/load` goes on with one that was held before");
    refusal(ErrorCode::RESOURCE_NOT_FOUND, &error)
}

fn busy() -> Refusal {
    let error = Error::new("a prompt of this session is worked on")
        .hint("wait for its answer, or end it by `session/cancel`");
    refusal(ErrorCode::INVALID_REQUEST, &error)
}

fn no_thread(cause: std::io::Error) -> Refusal {
    refusal(ErrorCode::INTERNAL_ERROR, &cause.into())
}

fn name_of(server: &McpServer) -> String {
    match server {
        McpServer::Stdio(server) => server.name.clone(),
        McpServer::Http(server) => server.name.clone(),
        McpServer::Sse(server) => server.name.clone(),
        _ => "of another kind".to_owned(),
    }
}
