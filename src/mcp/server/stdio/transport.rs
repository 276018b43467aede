//! Messages over two streams, one a line. What cannot be read is answered here and goes no further.
//!
//! The transport of `rmcp` passes over lines that are too long, too deep or no JSON without a word, so
//! that whoever sent one waits for ever; this one answers.

use std::{io, pin::Pin, sync::Arc};

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::Mutex,
};
use tokio_util::sync::CancellationToken;

use super::lines::{Line, Lines};

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// The two streams of one client.
pub struct Streams<R, W> {
    lines: Lines<R>,
    write: Arc<Mutex<W>>,
    /// An error on its way to the client. Nothing is read until it is sent, so that a client that
    /// does not read cannot pile them up; kept here because `receive` may be dropped meanwhile.
    answer: Option<Sending>,
    has_begun: bool,
    /// Cancelled when the reading stream has ended.
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Streams<R, W> {
    pub fn new(read: R, write: W, closing: CancellationToken) -> Self {
        let write = Arc::new(Mutex::new(write));
        Self { lines: Lines::new(read), write, answer: None, has_begun: false, closing }
    }
}

impl<R, W> Transport<RoleServer> for Streams<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        send(Arc::clone(&self.write), message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.closing.cancel();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Streams<R, W> {
    /// The next message that can be read.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answer) = &mut self.answer {
                answer.await.ok()?;
                self.answer = None;
            }
            let error = match self.lines.next().await.ok()? {
                Line::End => return None,
                Line::Refused(refusal, id) => {
                    (ErrorData::invalid_request(refusal.to_string(), None), id)
                }
                Line::Whole(line) => match parse(&line) {
                    Ok(Some(message)) if self.has_begun || is_request(&message) => {
                        self.has_begun = true;
                        return Some(message);
                    }
                    // What is no request cannot begin a session, and needs no answer.
                    Ok(_) => continue,
                    Err(error) => *error,
                },
            };
            let message = ServerJsonRpcMessage::error(error.0, error.1.and_then(request_id));
            self.answer = Some(Box::pin(send(Arc::clone(&self.write), message)));
        }
    }
}

async fn send<W: AsyncWrite + Unpin>(
    write: Arc<Mutex<W>>,
    message: ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

/// The message of a line, if there is one on it.
fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<(ErrorData, Option<Value>)>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(line).map(Some).map_err(|error| {
        let value: Option<Value> = serde_json::from_slice(line).ok();
        match value {
            None => Box::new((ErrorData::parse_error("the line is no JSON", None), None)),
            Some(mut value) => {
                let id = value.get_mut("id").map(Value::take);
                let message = format!("the line is no message of the protocol: {error}");
                Box::new((ErrorData::invalid_request(message, None), id))
            }
        }
    })
}

fn is_request(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(_))
}

fn request_id(id: Value) -> Option<RequestId> {
    serde_json::from_value(id).ok()
}
