//! `elophanto gateway`: the real program, real sockets, a model that follows a script.

mod attachments;
mod clients;
mod crowd;
mod entrance;
mod frames;
mod fuzz;
mod hearing;
mod keeping;
mod kills;
mod life;
mod many;
mod messages;
pub mod pages;
pub mod runs;
mod second_look;
mod sturdy;
mod terminal;
mod timetable;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::{
        net::UnixStream,
        process::{CommandExt, ExitStatusExt},
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{
    Error, Message, WebSocket, client,
    client::IntoClientRequest,
    handshake::{HandshakeError, client::Request},
    http::{HeaderName, HeaderValue},
};
use uuid::Uuid;

use crate::{env::TestEnv, fake::script::Model};

/// Longer takes only what hangs.
const HANGS: Duration = Duration::from_secs(60);

/// As [`snapshot!`](crate::env::snapshot), and what differs between two gateways hidden.
macro_rules! seen {
    ($output:expr, @$expected:literal) => {
        insta::with_settings!({ filters => crate::gateway::filters() }, {
            insta::assert_snapshot!($output, @$expected)
        })
    };
}
use seen;

fn filters() -> Vec<(&'static str, &'static str)> {
    let mut filters = vec![
        (r"127\.0\.0\.1:\d{4,}", "[ADDRESS]"),
        (r"process \d+", "process [PID]"),
        (r#""pid":\d+"#, r#""pid":"[PID]""#),
        (r"(/[^\s/`]+)*/\.tmp[A-Za-z0-9]{6}", "[TEMP]"),
    ];
    filters.extend(crate::env::FILTERS);
    filters
}

/// A repository whose user has a scripted model.
fn bench(model: &Model) -> TestEnv {
    let env = TestEnv::with(&[("README.md", "# Otters\n\nThey swim.\n")]);
    env.write_settings(&model.settings());
    env.commit("First");
    env
}

/// A repository whose user has no model.
fn plain() -> TestEnv {
    let env = TestEnv::with(&[("README.md", "# Otters\n\nThey swim.\n")]);
    env.commit("First");
    env
}

/// A file of the gateway.
fn state(env: &TestEnv, name: &str) -> PathBuf {
    env.outside().join("home/.local/state/elophanto/gateway").join(name)
}

fn running(env: &TestEnv) -> Value {
    fs::read(state(env, "gateway.json"))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < HANGS, "not yet: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A gateway at work.
pub struct Gate<'e> {
    env: &'e TestEnv,
    child: Child,
    port: u16,
    token: String,
    /// The path below which pages lie.
    place: String,
    /// What it says on both its outputs, once it has ended.
    words: Option<std::thread::JoinHandle<String>>,
}

impl<'e> Gate<'e> {
    pub fn open(env: &'e TestEnv) -> Self {
        Self::with(env, &["--port", "0"])
    }

    pub fn with(env: &'e TestEnv, more: &[&str]) -> Self {
        Self::start(env, env.command(&[&["gateway", "--json"], more].concat()))
    }

    /// One whose files may have so many bytes each, as on a disk that is full then.
    fn within(env: &'e TestEnv, bytes: u64) -> Self {
        let mut command = env.command(&["gateway", "--json", "--port", "0"]);
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
        let restrict = move || {
            // SAFETY: both calls only read what they are given. What is too long is an error then, and
            // no signal.
            let done = unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit)
            };
            if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        };
        // SAFETY: only calls what may be called between fork and exec.
        unsafe { command.pre_exec(restrict) };
        Self::start(env, command)
    }

    /// Its disk has room again.
    #[cfg(target_os = "linux")]
    fn lift_limit(&self) {
        let limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        let (pid, none) = (self.child.id().cast_signed(), std::ptr::null_mut());
        // SAFETY: reads the structure, which outlives the call.
        let done = unsafe { libc::prlimit(pid, libc::RLIMIT_FSIZE, &raw const limit, none) };
        assert_eq!(done, 0);
    }

    fn start(env: &'e TestEnv, mut command: Command) -> Self {
        in_system(&mut command).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = child.stderr.take().unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut why = String::new();
            stderr.read_to_string(&mut why).unwrap();
            panic!("it does not begin: {why}");
        }
        let said: Value = serde_json::from_str(&line).unwrap();
        let port = said["url"].as_str().unwrap().split(['/', ':']).nth(4).unwrap().parse().unwrap();
        let words = std::thread::spawn(move || {
            let mut words = line;
            let _ = stdout.read_to_string(&mut words);
            let _ = stderr.read_to_string(&mut words);
            words
        });
        let token = running(env)["token"].as_str().unwrap().to_owned();
        let place = format!("/~{}/", fs::read_to_string(state(env, "page")).unwrap());
        Self { env, child, port, token, place, words: Some(words) }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A path below that of pages.
    pub fn below(&self, path: &str) -> String {
        format!("{}{path}", self.place)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Sends a request as it stands over TCP; status, head and body of the answer.
    pub fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        answer(&mut stream, request)
    }

    /// The same over the socket of the user.
    fn send_own(&self, request: &str) -> Answer {
        let mut stream = UnixStream::connect(state(self.env, "gateway.sock")).unwrap();
        answer(&mut stream, request)
    }

    /// Asks for a WebSocket with these headers beside those that every client sends.
    fn upgrade(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut head = format!("GET {path} HTTP/1.1\r\n");
        let usual = [
            ("Host", self.host()),
            ("Connection", "Upgrade".to_owned()),
            ("Upgrade", "websocket".to_owned()),
            ("Sec-WebSocket-Version", "13".to_owned()),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==".to_owned()),
        ];
        for (name, value) in &usual {
            if !headers.iter().any(|(given, _)| given == name) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.send(&format!("{head}\r\n"))
    }

    /// A program that bears the token; nothing is said yet.
    fn enter(&self, more: &[(&'static str, &str)]) -> Talk<TcpStream> {
        let bearer = self.bearer();
        let headers = [&[("authorization", bearer.as_str())], more].concat();
        self.try_enter(&headers).unwrap()
    }

    fn try_enter(&self, headers: &[(&'static str, &str)]) -> Result<Talk<TcpStream>, u16> {
        self.try_enter_at("/gateway", headers)
    }

    fn try_enter_at(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Talk<TcpStream>, u16> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(HANGS)).unwrap();
        let mut request = format!("ws://{}{path}", self.host()).into_client_request().unwrap();
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        Talk::open(request, stream)
    }

    /// One of the user's own programs; nothing is said yet.
    fn enter_own(&self) -> Talk<UnixStream> {
        let stream = UnixStream::connect(state(self.env, "gateway.sock")).unwrap();
        stream.set_read_timeout(Some(HANGS)).unwrap();
        let request = "ws://localhost/gateway".into_client_request().unwrap();
        Talk::open(request, stream).unwrap()
    }

    /// The same, greeted.
    fn greet(&self) -> Talk<UnixStream> {
        let mut talk = self.enter_own();
        talk.hello();
        talk
    }

    /// The same; `None` where it is gone meanwhile.
    fn try_greet(&self) -> Option<Talk<UnixStream>> {
        let stream = UnixStream::connect(state(self.env, "gateway.sock")).ok()?;
        stream.set_read_timeout(Some(HANGS)).ok()?;
        let request = "ws://localhost/gateway".into_client_request().ok()?;
        let (socket, _) = client(request, stream).ok()?;
        let mut talk = Talk { socket, heard: Vec::new() };
        talk.say("status", json!({ "version": 1 }));
        Some(talk)
    }

    fn signal(&self, signal: i32) {
        // SAFETY: only sends a signal, to a child that has not been waited for.
        unsafe { libc::kill(self.child.id().cast_signed(), signal) };
    }

    /// Ends it in order; all that it said.
    pub fn end(mut self) -> String {
        self.signal(libc::SIGTERM);
        until("it ends", || self.child.try_wait().unwrap().is_some());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.words.take().unwrap().join().unwrap()
    }

    /// Makes sure that it was killed from outside.
    fn killed(mut self) {
        let mut status = None;
        until("it is gone", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let words = self.words.take().unwrap().join().unwrap();
        let signal = status.and_then(|status| status.signal());
        assert!(signal == Some(libc::SIGKILL), "{status:?}\n{words}");
    }

    /// Bytes of memory that it takes.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Programs of the system first: those below a home folder are not to be had in the sandbox.
fn in_system(command: &mut Command) -> &mut Command {
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/bin:/bin:{path}"))
}

/// What came back of a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

fn answer(stream: &mut (impl Read + Write), request: &str) -> Answer {
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let is_end = line == b"\r\n";
        bytes.append(&mut line);
        if is_end {
            break;
        }
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut body = String::new();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    if let Some(length) = length {
        let mut bytes = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut bytes).unwrap();
        body = String::from_utf8_lossy(&bytes).into_owned();
    }
    Answer { status, head, body }
}

/// A WebSocket from the client's side.
struct Talk<S> {
    socket: WebSocket<S>,
    heard: Vec<Value>,
}

impl<S: Read + Write> Talk<S> {
    fn open(request: Request, stream: S) -> Result<Self, u16> {
        match client(request, stream) {
            Ok((socket, _)) => Ok(Self { socket, heard: Vec::new() }),
            Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
            Err(cause) => panic!("{cause}"),
        }
    }

    fn send(&mut self, message: Message) {
        // It may have been closed; that is seen when it is read.
        let _ = self.socket.send(message);
    }

    /// Says hello, and hears how the conversation stands.
    fn hello(&mut self) -> Value {
        self.say("status", json!({ "version": 1 }));
        self.until("status")
    }

    /// Sends a message; its id.
    fn say(&mut self, kind: &str, data: Value) -> String {
        let id = Uuid::new_v4().to_string();
        self.say_as(&id, kind, data);
        id
    }

    fn say_as(&mut self, id: &str, kind: &str, data: Value) {
        let message = json!({ "type": kind, "id": id, "data": data });
        self.send(Message::text(message.to_string()));
    }

    /// The next message; the code of the close frame at the end, 0 without one.
    fn next(&mut self) -> Result<Value, u16> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    self.heard.push(message.clone());
                    return Ok(message);
                }
                Ok(Message::Close(frame)) => return Err(frame.map_or(0, |it| it.code.into())),
                Ok(_) => {}
                Err(Error::Io(cause)) if cause.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("it hangs: {:#?}", self.heard)
                }
                // A signal of another test's.
                Err(Error::Io(cause)) if cause.kind() == std::io::ErrorKind::Interrupted => {}
                Err(cause) => {
                    self.heard.push(json!({ "broken": cause.to_string() }));
                    return Err(0);
                }
            }
        }
    }

    /// Waits for a message of a type.
    fn until(&mut self, kind: &str) -> Value {
        self.find(|message| message["type"] == kind)
    }

    /// Waits for an event.
    fn event(&mut self, event: &str) -> Value {
        self.find(|message| message["data"]["event"] == event)["data"].take()
    }

    fn find(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            // Pings come all the while.
            assert!(begun.elapsed() < HANGS, "it hangs: {:#?}", self.heard);
            match self.next() {
                Ok(message) if is_it(&message) => return message,
                Ok(_) => {}
                Err(code) => panic!("closed with {code}: {:#?}", self.heard),
            }
        }
    }

    /// Reads to the end: the code of the close frame.
    fn closed(&mut self) -> u16 {
        loop {
            if let Err(code) = self.next() {
                return code;
            }
        }
    }

    /// The last error.
    fn error(&self) -> &Value {
        let mut errors = self.heard.iter().filter(|message| message["type"] == "error");
        &errors.next_back().unwrap_or_else(|| panic!("no error: {:#?}", self.heard))["data"]
    }
}
