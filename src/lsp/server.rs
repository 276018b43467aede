//! The loop: messages in, their order, and when it ends.

use std::{
    cell::Cell,
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use crossbeam_channel::RecvTimeoutError;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher,
    GlobPattern, InitializeParams, MessageType, Registration, RegistrationParams, Uri,
    notification::{
        Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders,
        DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit, Initialized,
        Notification as _,
    },
    request::{Initialize, RegisterCapability, Request as _, Shutdown},
};
use serde::de::DeserializeOwned;

use super::{
    asked::{Asked, told},
    awaited::Waiting,
    capabilities::capabilities,
    client::Client,
    diagnostics::Diagnostics,
    folders::Folders,
    pool::Pool,
    positions::Encoding,
    texts::{Changed, Text, Texts},
    uris::path_of,
};
use elophanto_app::{Environment, editor::Buffer};

/// How long after the last key a text is looked at.
pub const QUIET: Duration = Duration::from_millis(150);
/// How often it is seen to whether notes have changed underneath.
const LOOKS: Duration = Duration::from_secs(1);
/// Threads that answer.
const ANSWERING: usize = 3;

/// One editor's server.
pub struct Server {
    connection: Connection,
    folder: PathBuf,
    pub client: Arc<Client>,
    pub folders: Arc<Folders>,
    pub texts: Texts,
    pub encoding: Encoding,
    /// For questions.
    pub answering: Pool,
    /// For what nobody waits for, one after the other.
    pub beside: Pool,
    pub diagnostics: Arc<Diagnostics>,
    pub waiting: Waiting,
    /// When a text is to be looked at.
    pub due: HashMap<String, Instant>,
    /// How often notes of each knowledge base had changed when that was looked at last.
    pub numbers: HashMap<PathBuf, u64>,
    /// Whether files that changed wait to be read.
    pub is_changing: Arc<AtomicBool>,
    is_ready: bool,
    is_ending: bool,
}

impl Server {
    pub fn new(connection: Connection, folder: PathBuf, environment: Environment) -> Self {
        let client = Client::new(connection.sender.clone(), Default::default());
        Self {
            connection,
            folder,
            client: Arc::new(client),
            folders: Arc::new(Folders::new(environment)),
            texts: Texts::default(),
            encoding: Encoding::default(),
            answering: Pool::new("answer", ANSWERING),
            beside: Pool::new("beside", 1),
            diagnostics: Arc::default(),
            waiting: Waiting::default(),
            due: HashMap::new(),
            numbers: HashMap::new(),
            is_changing: Arc::default(),
            is_ready: false,
            is_ending: false,
        }
    }

    /// Serves until the editor goes; whether it took its leave as it should.
    pub fn run(mut self) -> bool {
        let mut looked = Instant::now();
        loop {
            let next =
                self.due.values().min().map(|due| due.saturating_duration_since(Instant::now()));
            let message = self.connection.receiver.recv_timeout(next.unwrap_or(LOOKS).min(LOOKS));
            match message {
                Ok(Message::Request(request)) => self.request(request),
                Ok(Message::Response(response)) => {
                    if let Some(then) = self.client.answered(response) {
                        self.answering.run(then);
                    }
                }
                Ok(Message::Notification(it)) if it.method == Exit::METHOD => {
                    return self.is_ending;
                }
                Ok(Message::Notification(notification)) => self.notified(notification),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.is_ending,
            }
            self.look_at_due();
            if looked.elapsed() >= LOOKS {
                looked = Instant::now();
                self.look_underneath();
            }
        }
    }

    fn request(&mut self, request: Request) {
        match request.method.as_str() {
            Initialize::METHOD if !self.is_ready => self.initialize(request),
            _ if !self.is_ready => {
                self.refuse(request.id, ErrorCode::ServerNotInitialized, "nobody said hello yet");
            }
            Shutdown::METHOD => {
                self.is_ending = true;
                self.client.send(Response::new_ok(request.id, ()));
            }
            _ if self.is_ending => {
                self.refuse(request.id, ErrorCode::InvalidRequest, "the server is ending");
            }
            _ => self.dispatch(request),
        }
    }

    /// Answers with an error.
    pub fn refuse(&self, id: RequestId, code: ErrorCode, message: impl Into<String>) {
        self.client.send(Response::new_err(id, code as i32, message.into()));
    }

    fn initialize(&mut self, request: Request) {
        let params: InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(cause) => {
                return self.refuse(request.id, ErrorCode::InvalidParams, cause.to_string());
            }
        };
        let offered =
            params.capabilities.general.as_ref().and_then(|it| it.position_encodings.as_ref());
        self.encoding = Encoding::agreed(offered.map(Vec::as_slice));
        let named: Vec<Uri> = match params.workspace_folders {
            Some(folders) if !folders.is_empty() => folders.into_iter().map(|it| it.uri).collect(),
            // As editors said it before there could be several.
            #[allow(deprecated)]
            _ => params.root_uri.into_iter().collect(),
        };
        self.client = Arc::new(Client::new(self.connection.sender.clone(), params.capabilities));
        self.is_ready = true;
        let result = serde_json::json!({
            "capabilities": capabilities(self.encoding),
            "serverInfo": { "name": "elophanto", "version": env!("CARGO_PKG_VERSION") },
        });
        self.client.send(Response::new_ok(request.id, result));
        let mut folders: Vec<PathBuf> = named.iter().filter_map(path_of).collect();
        if folders.is_empty() {
            folders.push(self.folder.clone());
        }
        self.open_folders(folders);
    }

    fn open_folders(&self, folders: Vec<PathBuf>) {
        for folder in folders {
            match self.folders.open(&folder) {
                // Names of notes first: they are all that links of the first text need.
                Ok(opened) => self.answering.run(move || drop(opened.editor.listing())),
                Err(None) => {}
                Err(Some(error)) if error.is_nowhere => {
                    self.client.log(MessageType::INFO, told(&error))
                }
                Err(Some(error)) => self.client.show(MessageType::WARNING, told(&error)),
            }
        }
    }

    fn notified(&mut self, notification: Notification) {
        if !self.is_ready {
            return;
        }
        match notification.method.as_str() {
            Initialized::METHOD => self.register(),
            Cancel::METHOD => {
                let id = notification.params.get("id").cloned();
                if let Some(id) = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok()) {
                    self.waiting.take_back(&id);
                }
            }
            DidOpenTextDocument::METHOD => {
                if let Some(params) = self.read::<DidOpenTextDocument>(notification) {
                    let text = self.texts.open(params, &self.folders);
                    self.look_at(&text, true);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = self.read::<DidChangeTextDocument>(notification) {
                    self.changed(params);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(params) = self.read::<DidCloseTextDocument>(notification) {
                    let uri = params.text_document.uri;
                    self.texts.close(&uri);
                    self.due.remove(uri.as_str());
                    self.diagnostics.close(&uri, &self.client);
                }
            }
            DidSaveTextDocument::METHOD => {}
            DidChangeWatchedFiles::METHOD => self.changed_underneath(),
            DidChangeWorkspaceFolders::METHOD => {
                if let Some(params) = self.read::<DidChangeWorkspaceFolders>(notification) {
                    let path = |it: &lsp_types::WorkspaceFolder| path_of(&it.uri);
                    for folder in params.event.removed.iter().filter_map(path) {
                        self.folders.close(&folder);
                    }
                    self.open_folders(params.event.added.iter().filter_map(path).collect());
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri.clone();
        match self.texts.change(params, self.encoding) {
            Changed::To(text) => {
                self.diagnostics.is_outdated(&text.uri);
                self.due.insert(text.uri.as_str().to_owned(), Instant::now() + QUIET);
            }
            Changed::Lost => {
                let said = format!(
                    "{}: a change has no version above the last one; nothing more is said of this \
                     text until it is opened again",
                    uri.as_str()
                );
                self.client.log(MessageType::WARNING, said);
                self.due.remove(uri.as_str());
                self.diagnostics.close(&uri, &self.client);
            }
            Changed::Nothing => {}
        }
    }

    /// What cannot be read is said in the log, and ends nothing.
    fn read<N: lsp_types::notification::Notification>(
        &self,
        notification: Notification,
    ) -> Option<N::Params>
    where
        N::Params: DeserializeOwned,
    {
        let read = serde_json::from_value(notification.params);
        read.map_err(|cause| {
            self.client.log(MessageType::WARNING, format!("{}: {cause}", N::METHOD));
        })
        .ok()
    }

    /// Asks to be told of files that others change.
    fn register(&self) {
        if !self.client.watches() {
            return;
        }
        let watcher = |glob: &str| FileSystemWatcher {
            glob_pattern: GlobPattern::String(glob.to_owned()),
            kind: None,
        };
        let all = self.folders.all();
        let endings = all.iter().flat_map(|folder| folder.editor.endings());
        let mut globs: Vec<String> = endings.map(|ending| format!("**/*.{ending}")).collect();
        globs.extend(["**/*.md", "**/.elophanto/config.yaml"].map(str::to_owned));
        globs.sort();
        globs.dedup();
        let options = DidChangeWatchedFilesRegistrationOptions {
            watchers: globs.iter().map(|glob| watcher(glob)).collect(),
        };
        let registration = Registration {
            id: "files".to_owned(),
            method: DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        self.client.ask(RegisterCapability::METHOD, params, Box::new(|_| {}));
    }

    /// A text with what is at hand to answer questions about it: as it is open, else as it is saved.
    pub fn asked(&self, uri: &Uri) -> Option<Asked> {
        let (folder, path) = self.folders.of(uri)?;
        let open = self.texts.get(uri);
        if open.is_some_and(|text| text.is_lost) {
            return None;
        }
        let buffer = match open {
            Some(text) if text.buffer.path == path => Arc::clone(&text.buffer),
            // It was opened before its knowledge base was.
            Some(text) => Arc::new(Buffer::new(path, text.buffer.text.clone())),
            None => Arc::new(folder.editor.read(&path)?),
        };
        let version = open.map(|text| text.version);
        let here = |text: &Text| match &text.root {
            Some(root) => (*root == folder.editor.root).then(|| text.clone()),
            // It was opened before its knowledge base was.
            None => {
                let buffer = Buffer::new(folder.path_of(&text.uri)?, text.buffer.text.clone());
                Some(Text { buffer: Arc::new(buffer), ..text.clone() })
            }
        };
        let texts: Vec<Text> = self.texts.all().filter_map(here).collect();
        let known = texts.iter().filter(|text| !text.is_lost && text.buffer.path != buffer.path);
        let mut open: Vec<_> = known.map(|text| Arc::clone(&text.buffer)).collect();
        open.push(Arc::clone(&buffer));
        Some(Asked {
            buffer,
            uri: uri.clone(),
            version,
            encoding: self.encoding,
            client: Arc::clone(&self.client),
            texts,
            open,
            counted: Cell::default(),
            at: self.texts.changes.count(),
            changes: self.texts.changes.clone(),
            folder,
        })
    }
}
