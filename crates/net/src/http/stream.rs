//! Answers that arrive in pieces.

use std::{ops::ControlFlow, time::Duration};

use reqwest::{
    Method, Response,
    header::{CONTENT_TYPE, HeaderMap},
};
use serde::Serialize;
use tokio::time::timeout;

use super::{
    Client, EVENT_CAP, HttpError,
    body::Reader,
    client::encode,
    sse::Splitter,
    tries::{Tries, Trouble},
};

/// One piece of a stream: a server-sent event, or a line of JSON lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamItem {
    /// The name of the event, empty if it has none.
    pub event: String,
    /// Its `data` lines, joined by line feeds; or the line.
    pub data: String,
}

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamEnd {
    /// The server said `[DONE]`. Not all do.
    pub done: bool,
    /// The receiver had enough.
    pub stopped: bool,
    /// Requests sent, the one that was answered included.
    pub attempts: u32,
    /// Time spent between attempts.
    pub waited: Duration,
}

impl Client {
    /// Sends `body` as JSON to `path` below the endpoint and hands over the pieces of the answer as
    /// they arrive, until the stream ends or `on_item` breaks. `[DONE]` is not handed over.
    ///
    /// Tried again only as long as nothing of the answer has arrived. An answer that is one JSON
    /// document instead of a stream comes as one item.
    ///
    /// # Errors
    /// As [`Client::post`]; also when the stream breaks, falls silent or takes too long. Items that
    /// were handed over stay valid. Errors that a server reports within its stream are items.
    pub async fn post_stream<F>(
        &self,
        path: &str,
        body: &(impl Serialize + ?Sized),
        on_item: &mut F,
    ) -> Result<StreamEnd, HttpError>
    where
        F: FnMut(StreamItem) -> ControlFlow<()> + ?Sized,
    {
        let body = encode(body)?;
        let reader = self.reader(Some(&body));
        let mut tries = self.tries();
        let opened = loop {
            let limit = tries.start().await?;
            let open = async {
                let request = self.request(Method::POST, path, Some(&body));
                self.open(self.send(request).await?, reader, &tries).await
            };
            let trouble = match timeout(limit, open).await {
                Ok(Ok(opened)) => break opened,
                Ok(Err(trouble)) => trouble,
                Err(_) => tries.cut_off(limit),
            };
            tries.after(trouble).await?;
        };
        let Tries { attempts, waited, .. } = tries;
        let mut end = StreamEnd { done: false, stopped: false, attempts, waited };
        match opened {
            Opened::Whole(data) => {
                end.stopped = on_item(StreamItem { event: String::new(), data }).is_break();
            }
            Opened::Pieces(first, response) => {
                self.receive(first, response, &tries, on_item, &mut end).await?;
            }
        }
        Ok(end)
    }

    /// Reads up to the first bytes of the body.
    async fn open(
        &self,
        response: Response,
        reader: Reader<'_>,
        tries: &Tries<'_>,
    ) -> Result<Opened, Trouble> {
        let mut response = reader.success(response).await?;
        match kind(response.headers()) {
            Kind::Document => {
                let json = reader.json(response).await?;
                Ok(Opened::Whole(json.to_string()))
            }
            Kind::Page => {
                let (status, headers) = (response.status().as_u16(), response.headers().clone());
                let bytes = response.chunk().await.ok().flatten().unwrap_or_default();
                Err(Trouble::last(reader.no_json(status, &headers, &bytes)))
            }
            Kind::Pieces => {
                let idle = self.idle();
                match timeout(idle, response.chunk()).await {
                    Ok(Ok(Some(first))) => Ok(Opened::Pieces(first.to_vec(), response)),
                    Ok(Ok(None)) => Err(Trouble::again(HttpError::Broken {
                        host: reader.host.to_owned(),
                        reason: "it was closed before anything was said".to_owned(),
                    })),
                    Ok(Err(error)) => Err(reader.broken(&error)),
                    Err(_) => Err(tries.cut_off(idle)),
                }
            }
        }
    }

    async fn receive<F>(
        &self,
        first: Vec<u8>,
        mut response: Response,
        tries: &Tries<'_>,
        on_item: &mut F,
        end: &mut StreamEnd,
    ) -> Result<(), HttpError>
    where
        F: FnMut(StreamItem) -> ControlFlow<()> + ?Sized,
    {
        let reader = self.reader(None);
        let too_large = |cap| HttpError::TooLarge { host: reader.host.to_owned(), cap };
        let event_cap = EVENT_CAP.min(reader.cap);
        let mut splitter = Splitter::new(event_cap);
        let mut items = Vec::new();
        let mut received = first.len();
        let mut packet = Some(first);
        while let Some(bytes) = packet {
            splitter.push(&bytes, &mut items).map_err(|_| too_large(event_cap))?;
            if hand_over(&mut items, on_item, end).is_break() {
                return Ok(());
            }
            let limit = self.idle().min(tries.left());
            packet = match timeout(limit, response.chunk()).await {
                Ok(Ok(packet)) => packet.map(Vec::from),
                Ok(Err(error)) => return Err(reader.broken(&error).error),
                Err(_) => return Err(tries.cut_off(limit).error),
            };
            received += packet.as_ref().map_or(0, Vec::len);
            if received > reader.cap {
                return Err(too_large(reader.cap));
            }
        }
        splitter.finish(&mut items).map_err(|_| too_large(event_cap))?;
        let _ = hand_over(&mut items, on_item, end);
        Ok(())
    }
}

enum Opened {
    /// One JSON document.
    Whole(String),
    /// The first bytes, and where the others come from.
    Pieces(Vec<u8>, Response),
}

enum Kind {
    Document,
    Page,
    Pieces,
}

fn kind(headers: &HeaderMap) -> Kind {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim();
    if kind.eq_ignore_ascii_case("application/json") {
        Kind::Document
    } else if kind.eq_ignore_ascii_case("text/html") {
        Kind::Page
    } else {
        Kind::Pieces
    }
}

fn hand_over<F>(
    items: &mut Vec<StreamItem>,
    on_item: &mut F,
    end: &mut StreamEnd,
) -> ControlFlow<()>
where
    F: FnMut(StreamItem) -> ControlFlow<()> + ?Sized,
{
    for item in items.drain(..) {
        if item.data.trim() == "[DONE]" {
            end.done = true;
            return ControlFlow::Break(());
        }
        if on_item(item).is_break() {
            end.stopped = true;
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}
