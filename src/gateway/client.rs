//! A conversation through the gateway that runs, as our own commands hold one: over the socket of the
//! user, which no other user could have opened.

use std::{io, path::Path, sync::mpsc, time::Duration};

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::sync::mpsc as tokio_mpsc;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, error::ProtocolError},
};
use uuid::Uuid;

use crate::{
    listening::own,
    wire::gateway::{hello, sent},
};
use elophanto_app::{Error, Result, gateway::message::Asked};

/// Where it is reached at the socket.
const ADDRESS: &str = "ws://localhost/gateway";
/// How long it may take to let somebody in.
const PATIENCE: Duration = Duration::from_secs(10);

/// Texts that wait to be sent where there are many.
const MOST_UNSENT: usize = 16;

/// What comes of a conversation.
#[derive(Debug)]
pub enum Heard {
    /// A message of the gateway.
    Message(String),
    /// The connection is over: why.
    End(String),
}

/// A conversation. Dropping it leaves.
pub struct Conversation {
    say: tokio_mpsc::UnboundedSender<String>,
    room: mpsc::SyncSender<()>,
}

impl Conversation {
    /// Comes in, and hands what is heard to `hear`, its end included, on a thread of its own. The hello
    /// is said; what is answered to it is the first that is heard.
    ///
    /// # Errors
    /// When nobody listens there, or lets us in.
    pub fn open(socket: &Path, hear: impl Fn(Heard) + Send + 'static) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (say, said) = tokio_mpsc::unbounded_channel();
        let (room, sent) = mpsc::sync_channel(MOST_UNSENT);
        let (opened, is_open) = mpsc::channel();
        let path = socket.to_owned();
        let talk = move || {
            runtime.block_on(async {
                match tokio::time::timeout(PATIENCE, connect(&path)).await {
                    Ok(Ok(socket)) => {
                        let _ = opened.send(Ok(()));
                        hear(Heard::End(talk(socket, said, &sent, &hear).await));
                    }
                    Ok(Err(cause)) => drop(opened.send(Err(cause))),
                    Err(_) => drop(opened.send(Err(io::ErrorKind::TimedOut.into()))),
                }
            });
        };
        std::thread::Builder::new().name("gateway".to_owned()).spawn(talk)?;
        let opened = is_open.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()));
        opened.map_err(|cause| {
            Error::new(format_args!("the gateway lets nobody in: {cause}"))
                .hint("`elophanto gateway status` says whether one runs")
        })?;
        say.send(hello(Uuid::new_v4()).to_string()).map_err(Error::new)?;
        Ok(Self { say, room })
    }

    /// Room for a text that is not sent yet: whoever has many to say puts one in before each, on a thread
    /// of its own where waiting is no harm.
    pub fn room(&self) -> mpsc::SyncSender<()> {
        self.room.clone()
    }

    /// Sends a text as it is. That it is over is heard.
    pub fn say(&self, text: String) {
        let _ = self.say.send(text);
    }

    /// Says something. The id of the message, and the message.
    pub fn tell(&self, asked: &Asked) -> (String, Value) {
        let id = Uuid::new_v4();
        let message = sent(id, asked);
        self.say(message.to_string());
        (id.to_string(), message)
    }
}

type Socket = WebSocketStream<own::Stream>;

async fn connect(path: &Path) -> io::Result<Socket> {
    let stream = own::connect(path).await?;
    let (socket, _) = client_async(ADDRESS, stream).await.map_err(io::Error::other)?;
    Ok(socket)
}

/// Until one of both leaves: why.
async fn talk(
    socket: Socket,
    mut said: tokio_mpsc::UnboundedReceiver<String>,
    sent: &mpsc::Receiver<()>,
    hear: &dyn Fn(Heard),
) -> String {
    use tokio_tungstenite::tungstenite::Error::{AlreadyClosed, ConnectionClosed, Protocol};
    let (mut sink, mut stream) = socket.split();
    loop {
        tokio::select! {
            text = said.recv() => match text {
                // That it is over is read below, and why.
                Some(text) => {
                    let _ = sink.send(Message::text(text)).await;
                    let _ = sent.try_recv();
                }
                // Nobody is here any more.
                None => {
                    let left = async {
                        let _ = sink.close().await;
                        while let Some(Ok(_)) = stream.next().await {}
                    };
                    let _ = tokio::time::timeout(PATIENCE, left).await;
                    return "left".to_owned();
                }
            },
            frame = stream.next() => match frame {
                Some(Ok(Message::Text(text))) => hear(Heard::Message(text.to_string())),
                Some(Ok(Message::Close(frame))) => {
                    return frame.map_or("the gateway has ended it".to_owned(), |frame| {
                        format!("the gateway has ended it: {}", frame.reason)
                    });
                }
                Some(Ok(_)) => {}
                None
                | Some(Err(ConnectionClosed | AlreadyClosed))
                | Some(Err(Protocol(ProtocolError::ResetWithoutClosingHandshake))) => {
                    return "the gateway is gone".to_owned();
                }
                Some(Err(cause)) => return format!("the connection broke: {cause}"),
            },
        }
    }
}
