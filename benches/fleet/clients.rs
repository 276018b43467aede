//! Many clients of one server that answers for a fleet, over HTTP.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    WARMING,
    figure::{Aim, say},
    place::Place,
};

const CLIENTS: usize = 100;
const VERSION: &str = "2025-11-25";
/// No answer takes this long.
const PATIENCE: Duration = Duration::from_secs(120);
/// Requests a minute that the server lets come: all.
const RATE: &str = "1000000";

/// How the clients ask.
pub struct Crowd<'a> {
    /// How long each waits between two questions, on average.
    pub pause: Duration,
    /// Questions of each.
    pub each: usize,
    /// The setting of the server: with `auto`, a slower model looks at the hits again.
    pub second_look: &'a str,
}

/// Has all of them ask one server that has answered some questions before.
pub fn run(place: &Place, crowd: &Crowd, questions: &[String], aim: Option<Aim>) {
    let server = Server::open(place, crowd.second_look);
    let warming = server.session().unwrap();
    for question in &questions[..WARMING] {
        server.search(&warming, question).unwrap();
    }
    let together = Barrier::new(CLIENTS);
    let answered: Vec<Result<Duration, String>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (server, together) = (&server, &together);
                scope.spawn(move || server.client(number, crowd, questions, together))
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let (times, failed): (Vec<_>, Vec<_>) = answered.into_iter().partition(Result::is_ok);
    let times: Vec<Duration> = times.into_iter().flatten().collect();
    let Crowd { pause, second_look, .. } = crowd;
    let name = format!("{CLIENTS} clients, {} s apart, second look {second_look}", pause.as_secs());
    match times.is_empty() {
        true => println!("{name}: nothing was answered"),
        false => say(&name, &times, aim),
    }
    println!("  {} errors, most memory {} MB", failed.len(), server.most_bytes() / 1_000_000);
    if let Some(Err(first)) = failed.first() {
        println!("  first: {first}");
    }
}

/// A running server. It ends when it is dropped.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn open(place: &Place, second_look: &str) -> Self {
        let serve = ["agent", "mcp", "serve", "--http", "127.0.0.1:0", "--rate", RATE, "--in"];
        let mut command = place.program.command(&[&serve[..], &[&place.address]].concat());
        command.env("ELOPHANTO_SEARCH_SECOND_LOOK", second_look).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = url.unwrap_or_else(|| panic!("no address: {line:?}")).to_owned();
        let mut status = place.program.command(&["agent", "mcp", "status", "--token"]);
        let token = status.stdout(Stdio::piped()).stderr(Stdio::null()).output().unwrap().stdout;
        let token = String::from_utf8(token).unwrap().trim().to_owned();
        Self { child, address, token }
    }

    /// Sends a message; the head of the answer, and its body.
    fn send(&self, session: Option<&str>, message: &Value) -> io::Result<(String, String)> {
        let body = message.to_string();
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n",
            self.address,
            self.token,
            body.len()
        );
        if let Some(session) = session {
            request += &format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {VERSION}\r\n");
        }
        request += &format!("\r\n{body}");
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        Ok((head.to_owned(), body.to_owned()))
    }

    /// Begins a session; its name.
    fn session(&self) -> Result<String, String> {
        let info = json!({"name": "bench", "version": "1"});
        let hello = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
        let (head, _) = self.send(None, &hello).map_err(|cause| cause.to_string())?;
        let headers = head.lines().filter_map(|line| line.split_once(": "));
        let mut own = headers.filter(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
        let session = own.next().map(|(_, session)| session.to_owned()).ok_or(head)?;
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(Some(&session), &begun).map_err(|cause| cause.to_string())?;
        Ok(session)
    }

    /// Asks, and says how long that took.
    fn search(&self, session: &str, question: &str) -> Result<Duration, String> {
        let params = json!({"name": "search", "arguments": {"query": question}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let start = Instant::now();
        let (head, body) = self.send(Some(session), &call).map_err(|cause| cause.to_string())?;
        let took = start.elapsed();
        // Alone, or as an event.
        let found = body.find('{').zip(body.rfind('}'));
        let message: Value = found
            .and_then(|(first, last)| serde_json::from_str(&body[first..=last]).ok())
            .unwrap_or_default();
        match message["result"]["isError"] == false {
            true => Ok(took),
            false => Err(format!("{head}\n{body}")),
        }
    }

    /// One client: begins when all do, at some moment of the first pause.
    fn client(
        &self,
        number: usize,
        crowd: &Crowd,
        questions: &[String],
        together: &Barrier,
    ) -> Vec<Result<Duration, String>> {
        let session = self.session();
        together.wait();
        let session = match session {
            Ok(session) => session,
            Err(cause) => return vec![Err(cause)],
        };
        let mut random = fastrand::Rng::with_seed(number as u64);
        let mut answers = Vec::new();
        for _ in 0..crowd.each {
            // Half as long to half as long again as on average.
            thread::sleep(crowd.pause.mul_f64(random.f64() + 0.5));
            answers.push(self.search(&session, &questions[random.usize(..questions.len())]));
        }
        answers
    }

    /// Most memory that it held; 0 where the system does not say.
    fn most_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let said = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = said.and_then(|said| said.trim().strip_suffix(" kB")?.parse().ok());
        kilobytes.unwrap_or(0u64) * 1_024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
