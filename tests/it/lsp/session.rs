//! An editor as a test has it: over a connection in memory, or over the streams of the real program.

use std::{
    collections::BTreeMap,
    io::BufReader,
    process::{Child, Command, Stdio},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use elophanto::Environment;
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::env::TestEnv;

/// The longest that an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Session {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    server: Option<JoinHandle<bool>>,
    root: String,
    next: i32,
    /// What was published of each text, by path: each time.
    pub published: BTreeMap<String, Vec<Value>>,
    /// Other notifications and questions of the server.
    pub told: Vec<(String, Value)>,
    /// What it may choose when it is asked to.
    pub choice: Option<String>,
}

/// What an editor can do that can do all.
pub fn able() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-8", "utf-16"] },
        "window": { "showDocument": { "support": true } },
        "workspace": {
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
            },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
        "textDocument": {
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
        },
    })
}

/// What a program in the sealed home of a test sees.
pub fn environment(env: &TestEnv) -> Environment {
    let home = env.outside().join("home");
    let variables = [
        ("HOME", home.to_str().unwrap()),
        ("ELOPHANTO_SEARCH_SECOND_LOOK", "never"),
        ("TZ", "UTC"),
    ];
    Environment::of_variables(variables.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

impl Session {
    /// Begins with all that an editor can do.
    pub fn begin(env: &TestEnv) -> Self {
        Self::begin_with(env, able())
    }

    pub fn begin_with(env: &TestEnv, capabilities: Value) -> Self {
        let mut session = Self::connect(env);
        session.initialize(capabilities);
        session
    }

    /// Begins in a folder that is called so.
    pub fn begin_at(env: &TestEnv, root: &std::path::Path) -> Self {
        let mut session = Self::connect(env);
        session.root = root.to_str().unwrap().to_owned();
        session.initialize(able());
        session
    }

    /// A connection on which nobody said hello yet.
    pub fn connect(env: &TestEnv) -> Self {
        let (client, server) = Connection::memory();
        let (root, environment) = (env.root().to_owned(), environment(env));
        let serve = move || elophanto::lsp::serve(server, root, environment);
        let server = std::thread::Builder::new().name("lsp".to_owned()).spawn(serve).unwrap();
        Self {
            sender: client.sender,
            receiver: client.receiver,
            server: Some(server),
            ..Self::of(env.root().to_str().unwrap())
        }
    }

    /// The real program; whoever drops the child ends it.
    pub fn spawn(command: &mut Command, root: &str) -> (Self, Child) {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, outgoing) = unbounded::<Message>();
        let (incoming, receiver) = unbounded();
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for message in outgoing {
                if message.write(&mut stdin).is_err() {
                    break;
                }
            }
        });
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Ok(Some(message)) = Message::read(&mut stdout) {
                if incoming.send(message).is_err() {
                    break;
                }
            }
        });
        (Self { sender, receiver, ..Self::of(root) }, child)
    }

    fn of(root: &str) -> Self {
        let (sender, receiver) = unbounded();
        Self {
            sender,
            receiver,
            server: None,
            root: root.to_owned(),
            next: 1,
            published: BTreeMap::new(),
            told: Vec::new(),
            choice: None,
        }
    }

    pub fn initialize(&mut self, capabilities: Value) -> Value {
        let folder = json!({ "uri": self.uri(""), "name": "here" });
        let params = json!({ "capabilities": capabilities, "workspaceFolders": [folder] });
        let answer = self.ask("initialize", params).unwrap();
        self.tell("initialized", json!({}));
        answer
    }

    pub fn uri(&self, path: &str) -> String {
        let path = format!("{}/{path}", self.root);
        let path = path.trim_end_matches('/').replace('%', "%25").replace(' ', "%20");
        format!("file://{path}")
    }

    pub fn send(&self, message: impl Into<Message>) {
        self.sender.send(message.into()).unwrap();
    }

    pub fn tell(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params));
    }

    pub fn open(&self, path: &str, text: &str) {
        let document =
            json!({ "uri": self.uri(path), "languageId": "markdown", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Puts another text in the place of all of it.
    pub fn replace(&self, path: &str, version: i32, text: &str) {
        self.change(path, version, json!([{ "text": text }]));
    }

    pub fn change(&self, path: &str, version: i32, changes: Value) {
        let document = json!({ "uri": self.uri(path), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }

    /// Asks and waits for the answer; an error is its code and message.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.begin_to_ask(method, params);
        self.wait_for(&id)
    }

    pub fn begin_to_ask(&mut self, method: &str, params: Value) -> RequestId {
        let id = RequestId::from(self.next);
        self.next += 1;
        self.send(Request::new(id.clone(), method.to_owned(), params));
        id
    }

    pub fn wait_for(&mut self, id: &RequestId) -> Result<Value, (i32, String)> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(Response { id: of, response_result }) = self.take(until, "an answer")
                && of == *id
            {
                return response_result.map_err(|error| (error.code, error.message));
            }
        }
    }

    /// Asks about a place in a text.
    pub fn at(&mut self, method: &str, path: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": { "uri": self.uri(path) },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true, "triggerKind": 1 },
        });
        self.ask(method, params).unwrap()
    }

    /// Asks about a text.
    pub fn about(&mut self, method: &str, path: &str) -> Value {
        self.ask(method, json!({ "textDocument": { "uri": self.uri(path) } })).unwrap()
    }

    /// What is published of a text once it is as it should be.
    pub fn diagnostics(&mut self, path: &str, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let (until, uri) = (Instant::now() + PATIENCE, self.uri(path));
        loop {
            if let Some(found) = self.published.get(&uri).and_then(|all| all.last())
                && let Some(all) = found["diagnostics"].as_array().filter(|all| is_so(all))
            {
                return all.clone();
            }
            let shown = format!("{:?}", self.published.get(&uri));
            self.take(until, &shown);
        }
    }

    /// The same as lines of code and message.
    pub fn problems(&mut self, path: &str, is_so: impl Fn(&[Value]) -> bool) -> Vec<String> {
        let all = self.diagnostics(path, is_so);
        let shown = |it: &Value| {
            let message = it["message"].as_str().unwrap();
            format!("{} {} {message}", place(&it["range"]), it["code"].as_str().unwrap())
        };
        all.iter().map(shown).collect()
    }

    /// The next answer, if it is one; what else comes is kept, and questions are answered.
    fn take(&mut self, until: Instant, waited: &str) -> Option<Response> {
        let left = until.saturating_duration_since(Instant::now());
        let message = self.receiver.recv_timeout(left);
        match message.unwrap_or_else(|_| panic!("waited in vain: {waited}; told {:?}", self.told)) {
            Message::Response(response) => return Some(response),
            Message::Notification(Notification { method, params }) => {
                if method == "textDocument/publishDiagnostics" {
                    let uri = params["uri"].as_str().unwrap().to_owned();
                    self.published.entry(uri).or_default().push(params);
                } else {
                    self.told.push((method, params));
                }
            }
            Message::Request(Request { id, method, params }) => {
                let answer = match (&self.choice, method.as_str()) {
                    (Some(choice), "window/showMessageRequest") => {
                        let titles = params["actions"].as_array().unwrap();
                        let mut titles = titles.iter().map(|it| it["title"].as_str().unwrap());
                        json!({ "title": titles.find(|it| it.contains(choice.as_str())).unwrap() })
                    }
                    _ => Value::Null,
                };
                self.told.push((method, params));
                self.send(Response::new_ok(id, answer));
            }
        }
        None
    }

    /// What the server was told or asked by this name, once it comes.
    pub fn told(&mut self, method: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some((_, params)) = self.told.iter().find(|(known, _)| known == method) {
                return params.clone();
            }
            self.take(until, method);
        }
    }

    /// Takes its leave; whether the server ended as it should.
    pub fn end(mut self) -> bool {
        self.ask("shutdown", Value::Null).unwrap();
        self.tell("exit", Value::Null);
        self.server.take().is_none_or(|server| server.join().unwrap())
    }

    /// Goes without a word; what the server makes of it.
    pub fn vanish(self) -> bool {
        let Self { sender, receiver, server, .. } = self;
        drop((sender, receiver));
        server.unwrap().join().unwrap()
    }
}

/// A range as `line:column-line:column`, from 0.
pub fn place(range: &Value) -> String {
    let at = |end: &str| format!("{}:{}", range[end]["line"], range[end]["character"]);
    format!("{}-{}", at("start"), at("end"))
}
