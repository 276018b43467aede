//! What was sent over streams of events, so that a client whose connection broke gets the rest: each
//! event has an id, and whoever names one gets what came after it. Kept in memory, the latest only.

use std::{
    collections::{BTreeMap, VecDeque},
    pin::Pin,
    sync::{Arc, Mutex},
};

use futures::stream;
use rmcp::{
    model::JsonRpcMessage,
    transport::{
        common::server_side_http::ServerSseMessage,
        streamable_http_server::session::{EventId, EventStore, EventStoreError, EventStream},
    },
};
use tokio::sync::watch;

use elophanto_base::mutex::lock;

/// Events of one stream that are kept.
const MOST: usize = 256;
/// Streams that are kept; the one that began first goes first.
const STREAMS: usize = 512;
/// Bytes of all events that are kept.
const BYTES: usize = 32 * 1024 * 1024;

/// The events of all streams.
#[derive(Clone, Default)]
pub struct Events(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    streams: BTreeMap<String, Sent>,
    /// Streams in the order in which they began.
    order: VecDeque<String>,
    bytes: usize,
}

/// What one stream sent.
struct Sent {
    /// With the number of bytes of each.
    events: VecDeque<(usize, ServerSseMessage)>,
    /// Events that are not kept any more.
    forgotten: usize,
    /// The last event is the answer.
    is_over: bool,
    /// Rung when something was sent, and dropped with the stream.
    bell: watch::Sender<()>,
}

type Waiting<'a, T> = Pin<Box<dyn Future<Output = Result<T, EventStoreError>> + Send + 'a>>;

impl Events {
    /// The event of this number, or none and whether there can be one yet.
    fn get(&self, stream: &str, number: usize) -> Result<ServerSseMessage, bool> {
        let kept = lock(&self.0);
        let sent = kept.streams.get(stream).ok_or(false)?;
        // What is forgotten is passed over.
        let at = number.saturating_sub(sent.forgotten);
        sent.events.get(at).map(|(_, event)| event.clone()).ok_or(!sent.is_over)
    }
}

impl Kept {
    fn add(&mut self, stream: &str, event: &ServerSseMessage) -> EventId {
        if !self.streams.contains_key(stream) {
            let (bell, _) = watch::channel(());
            let sent = Sent { events: VecDeque::new(), forgotten: 0, is_over: false, bell };
            self.streams.insert(stream.to_owned(), sent);
            self.order.push_back(stream.to_owned());
        }
        let message = event.message.as_deref();
        let bytes = serde_json::to_string(&message).map_or(0, |json| json.len());
        let id = self.streams.get_mut(stream).map_or_else(String::new, |sent| {
            let id = format!("{}@{stream}", sent.forgotten + sent.events.len());
            let mut event = event.clone();
            event.event_id = Some(id.clone());
            sent.events.push_back((bytes, event));
            self.bytes += bytes;
            if sent.events.len() > MOST {
                self.bytes -= sent.events.pop_front().map_or(0, |(bytes, _)| bytes);
                sent.forgotten += 1;
            }
            sent.is_over =
                matches!(message, Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)));
            sent.bell.send_replace(());
            id
        });
        while self.order.len() > 1 && (self.order.len() > STREAMS || self.bytes > BYTES) {
            // One that is over before one that is under way, whose numbers must go on.
            let is_over = |it: &String| self.streams.get(it).is_none_or(|sent| sent.is_over);
            let first = self.order.iter().position(is_over).unwrap_or(0);
            let Some(sent) = self.order.remove(first).and_then(|it| self.streams.remove(&it))
            else {
                continue;
            };
            self.bytes -= sent.events.iter().map(|(bytes, _)| bytes).sum::<usize>();
        }
        id
    }
}

// As the trait's own macro writes it.
impl EventStore for Events {
    fn store_event<'a, 'b, 'c, 'd>(
        &'a self,
        stream: &'b str,
        event: &'c ServerSseMessage,
    ) -> Waiting<'d, EventId>
    where
        'a: 'd,
        'b: 'd,
        'c: 'd,
    {
        let id = lock(&self.0).add(stream, event);
        Box::pin(async { Ok(id) })
    }

    fn replay_events_after<'a, 'b, 'd>(&'a self, last: &'b str) -> Waiting<'d, EventStream>
    where
        'a: 'd,
        'b: 'd,
    {
        let place = last.split_once('@').and_then(|(number, stream)| {
            let number: usize = number.parse().ok()?;
            let bell = lock(&self.0).streams.get(stream)?.bell.subscribe();
            Some((number.checked_add(1)?, stream.to_owned(), bell))
        });
        let events = self.clone();
        Box::pin(async move {
            let from = place.ok_or("no stream that is kept has sent this event")?;
            // Goes on until the answer, as the stream would have that broke off.
            let rest = stream::unfold(from, move |(number, stream, mut bell)| {
                let events = events.clone();
                async move {
                    loop {
                        bell.borrow_and_update();
                        match events.get(&stream, number) {
                            Ok(event) => return Some((event, (number + 1, stream, bell))),
                            Err(false) => return None,
                            Err(true) => bell.changed().await.ok()?,
                        }
                    }
                }
            });
            Ok(Box::pin(rest) as EventStream)
        })
    }
}
