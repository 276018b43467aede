//! One socket: messages in their order into the conversation, what comes of them out of a bounded
//! queue. Who sends no messages, or takes none, is hung up on, and holds up nobody.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
};
use futures::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    task::{JoinError, spawn_blocking},
    time::{MissedTickBehavior, interval, timeout},
};
use tokio_tungstenite::tungstenite;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    listening::connections::{Allowance, is_over_allowance},
    wire::gateway::incoming,
};
use elophanto_app::gateway::{
    Client, Gateway, Identity, Outbox,
    message::{Asked, Failure, Incoming, Outgoing, Told, VERSION},
};

/// Bytes of a message.
pub const MOST_MESSAGE: usize = 1024 * 1024;
/// The same of the first one.
pub const MOST_HELLO: usize = 64 * 1024;
/// Messages that wait until a client takes them.
const QUEUE: usize = 256;
/// Messages in a row that are none.
const MOST_BAD: u32 = 20;
/// Pings that may stay without an answer.
const UNANSWERED: u32 = 2;

/// How long is waited for a client.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// For its first message.
    pub hello: Duration,
    /// Between two pings.
    pub ping: Duration,
    /// Until it has read what it is told at the end.
    pub close: Duration,
    /// For a file that it hands over: others wait for its place.
    pub upload: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { hello: seconds(10), ping: seconds(30), close: seconds(5), upload: seconds(30) }
    }
}

/// Why a socket is closed.
struct End {
    /// `None`: there is nobody to be told.
    code: Option<u16>,
    why: &'static str,
    /// What the client is told before.
    told: Option<Box<Outgoing>>,
}

impl End {
    const GONE: Self = Self { code: None, why: "", told: None };

    fn with(code: u16, why: &'static str) -> Self {
        Self { code: Some(code), why, told: None }
    }
}

/// What is on its way to a client.
struct Line {
    queue: mpsc::Sender<Arc<Outgoing>>,
    /// The client takes too little.
    slow: CancellationToken,
}

impl Outbox for Line {
    fn put(&self, message: Arc<Outgoing>) -> bool {
        match self.queue.try_send(message) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.slow.cancel();
                false
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }
}

/// Talks with a client until it goes or may not stay.
pub async fn talk(
    socket: WebSocket,
    gateway: Arc<Gateway>,
    who: Identity,
    pace: Pace,
    allowance: Allowance,
    until: CancellationToken,
    closing: CancellationToken,
) {
    let (mut sink, mut stream) = socket.split();
    let (queue, mut waiting) = mpsc::channel(QUEUE);
    let slow = CancellationToken::new();
    let line = Arc::new(Line { queue, slow: slow.clone() });
    let (unanswered, busy) = (AtomicU32::new(0), AtomicBool::new(false));
    let end = {
        let listener =
            Listener { gateway, who, pace, line, allowance, unanswered: &unanswered, busy: &busy };
        tokio::select! {
            biased;
            () = until.cancelled() => End::with(close_code::POLICY, "what opened this is not good any more"),
            () = slow.cancelled() => End::with(close_code::AGAIN, "too little is read: come again"),
            () = closing.cancelled() => End::with(close_code::AWAY, "the gateway ends"),
            end = listener.hear(&mut stream) => end,
            end = say(&mut sink, &mut waiting, pace, &unanswered, &busy) => end,
        }
    };
    let Some(code) = end.code else {
        // Whoever said that they go is answered.
        let _ = timeout(pace.close, sink.close()).await;
        return;
    };
    let told = async {
        // What came before it is told before it, unless that is what is not taken.
        waiting.close();
        while let Some(message) = waiting.recv().await.filter(|_| !slow.is_cancelled()) {
            put(&mut sink, &message).await?;
        }
        if let Some(told) = &end.told {
            put(&mut sink, told).await?;
        }
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(end.why) };
        sink.send(Message::Close(Some(frame))).await
    };
    // Until the client has closed as well: what it has not read would be lost. Who still sends would
    // not come to reading otherwise.
    let heard = async { while let Some(Ok(_)) = stream.next().await {} };
    let _ = timeout(pace.close, async { tokio::join!(told, heard) }).await;
}

/// Sends what waits, and pings.
async fn say(
    sink: &mut SplitSink<WebSocket, Message>,
    waiting: &mut mpsc::Receiver<Arc<Outgoing>>,
    pace: Pace,
    unanswered: &AtomicU32,
    busy: &AtomicBool,
) -> End {
    let mut pings = interval(pace.ping);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings.reset();
    loop {
        let sent = tokio::select! {
            message = waiting.recv() => match message {
                Some(message) => timeout(pace.ping, put(sink, &message)).await,
                None => return std::future::pending().await,
            },
            _ = pings.tick() => {
                // While we are at what the client said, its answers are not read.
                let counted = u32::from(!busy.load(Ordering::Relaxed));
                if unanswered.fetch_add(counted, Ordering::Relaxed) >= UNANSWERED {
                    return End::GONE;
                }
                timeout(pace.ping, sink.send(Message::Ping(Bytes::new()))).await
            }
        };
        if !matches!(sent, Ok(Ok(()))) {
            return End::GONE;
        }
    }
}

async fn put(
    sink: &mut SplitSink<WebSocket, Message>,
    message: &Outgoing,
) -> Result<(), axum::Error> {
    let text = serde_json::to_string(message).map_err(axum::Error::new)?;
    sink.send(Message::Text(text.into())).await
}

/// Whoever takes the messages of a client.
struct Listener<'a> {
    gateway: Arc<Gateway>,
    who: Identity,
    pace: Pace,
    line: Arc<Line>,
    allowance: Allowance,
    unanswered: &'a AtomicU32,
    /// What the client said is being done.
    busy: &'a AtomicBool,
}

impl Listener<'_> {
    /// Hears a client out.
    async fn hear(&self, stream: &mut SplitStream<WebSocket>) -> End {
        match timeout(self.pace.hello, self.hello(stream)).await {
            Ok(Ok(())) => self.allowance.lift(),
            Ok(Err(end)) => return end,
            Err(_) => return self.refuse(None, close_code::POLICY, first("nothing was said")),
        }
        let (gateway, who, line) = (self.gateway.clone(), self.who.clone(), self.line.clone());
        let connected = spawn_blocking(move || gateway.connect(who, line)).await;
        let client = match connected {
            Ok(Ok(client)) => Arc::new(client),
            Ok(Err(error)) => {
                let failure = Failure {
                    detail: error.message().to_owned(),
                    hint: error.hint_text().map(str::to_owned),
                    reply_to: None,
                };
                return self.refuse(None, close_code::ERROR, failure);
            }
            Err(_) => return End::with(close_code::ERROR, "this is a bug"),
        };
        match self.messages(stream, &client).await {
            Ok(end) => end,
            Err(_) => End::with(close_code::ERROR, "this is a bug"),
        }
    }

    /// One message after the other; the next is looked at when this one is where it belongs.
    async fn messages(
        &self,
        stream: &mut SplitStream<WebSocket>,
        client: &Arc<Client>,
    ) -> Result<End, JoinError> {
        let mut bad = 0;
        loop {
            let text = match self.next(stream, Some(client)).await {
                Ok(text) => text,
                Err(end) => return Ok(end),
            };
            let failure = match incoming(&text) {
                Ok(message) => {
                    bad = 0;
                    let client = Arc::clone(client);
                    self.busy.store(true, Ordering::Relaxed);
                    let done = spawn_blocking(move || client.receive(message)).await;
                    self.unanswered.store(0, Ordering::Relaxed);
                    self.busy.store(false, Ordering::Relaxed);
                    done?;
                    continue;
                }
                Err(failure) => failure,
            };
            bad += 1;
            if bad >= MOST_BAD {
                return Ok(self.refuse(Some(client), close_code::POLICY, failure));
            }
            self.line.put(Arc::new(self.envelope(Some(client), failure)));
        }
    }

    /// The first message: which version it speaks.
    async fn hello(&self, stream: &mut SplitStream<WebSocket>) -> Result<(), End> {
        let text = self.next(stream, None).await?;
        let refuse = |code, failure| Err(self.refuse(None, code, failure));
        if text.len() > MOST_HELLO {
            return refuse(close_code::SIZE, first(&too_long_a_hello()));
        }
        match incoming(&text) {
            Ok(Incoming { body: Asked::Status(hello), .. }) if hello.version == VERSION => Ok(()),
            Ok(Incoming { id, body: Asked::Status(hello), .. }) => {
                let detail =
                    format!("version {} is not spoken here: it is {VERSION}", hello.version);
                let failure = Failure { reply_to: Some(id), ..first(&detail) };
                refuse(close_code::PROTOCOL, failure)
            }
            Ok(Incoming { id, .. }) => {
                let failure = Failure { reply_to: Some(id), ..first("this is no first message") };
                refuse(close_code::PROTOCOL, failure)
            }
            Err(failure) => refuse(close_code::PROTOCOL, failure),
        }
    }

    /// The text of the next message.
    async fn next(
        &self,
        stream: &mut SplitStream<WebSocket>,
        client: Option<&Arc<Client>>,
    ) -> Result<Utf8Bytes, End> {
        loop {
            let frame = stream.next().await;
            self.unanswered.store(0, Ordering::Relaxed);
            match frame {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Binary(_))) => {
                    let failure = failure("messages are text", "send JSON in text frames");
                    return Err(self.refuse(client, close_code::UNSUPPORTED, failure));
                }
                Some(Ok(Message::Close(_))) | None => return Err(End::GONE),
                Some(Err(error)) => return Err(self.broken(client, error)),
            }
        }
    }

    /// What cannot be read.
    fn broken(&self, client: Option<&Arc<Client>>, error: axum::Error) -> End {
        use tungstenite::Error;
        match error.into_inner().downcast_ref::<Error>() {
            Some(Error::Capacity(_)) => {
                let detail = format!("a message has at most {MOST_MESSAGE} bytes");
                let failure =
                    failure(&detail, "hand files over by themselves, or say less at once");
                self.refuse(client, close_code::SIZE, failure)
            }
            Some(Error::Utf8(_)) => {
                let failure = failure("this is not UTF-8", "send JSON in UTF-8");
                self.refuse(client, close_code::INVALID, failure)
            }
            Some(Error::Protocol(cause)) => {
                let failure = failure(&format!("this is no WebSocket: {cause}"), "use a library");
                self.refuse(client, close_code::PROTOCOL, failure)
            }
            Some(Error::Io(cause)) if client.is_none() && is_over_allowance(cause) => {
                self.refuse(None, close_code::SIZE, first(&too_long_a_hello()))
            }
            _ => End::GONE,
        }
    }

    fn refuse(&self, client: Option<&Arc<Client>>, code: u16, failure: Failure) -> End {
        let why = "see the message before this";
        End { code: Some(code), why, told: Some(Box::new(self.envelope(client, failure))) }
    }

    /// Before somebody has said hello, no conversation is theirs.
    fn envelope(&self, client: Option<&Arc<Client>>, failure: Failure) -> Outgoing {
        Outgoing {
            id: Uuid::new_v4(),
            session_id: client.map_or(Uuid::nil(), |client| client.session()),
            channel: self.who.channel,
            user_id: self.who.user.clone(),
            body: Told::Error(failure),
        }
    }
}

fn too_long_a_hello() -> String {
    format!("the first message has at most {MOST_HELLO} bytes")
}

/// What is wrong with the first message.
fn first(detail: &str) -> Failure {
    let hint = format!(
        "say first: {{\"type\": \"status\", \"id\": \"UUID\", \"data\": {{\"version\": {VERSION}}}}}"
    );
    failure(detail, &hint)
}

fn failure(detail: &str, hint: &str) -> Failure {
    Failure { detail: detail.to_owned(), hint: Some(hint.to_owned()), reply_to: None }
}
