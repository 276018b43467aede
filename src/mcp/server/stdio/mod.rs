//! Serving one client over standard streams: one JSON message a line.

use std::sync::Arc;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{ServeError, Server, door::Door};

mod lines;
mod scan;
mod transport;

use transport::Streams;

pub use scan::{MAX_BYTES, Refusal, Scan};

/// Serves the client at standard input and output until the input ends. Nothing else may write to
/// standard output meanwhile.
///
/// # Errors
/// The client broke the protocol before it had begun.
pub async fn serve_stdio(server: Server) -> Result<(), ServeError> {
    serve_streams(server, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves the client at the other end of two streams until the first one ends.
pub async fn serve_streams<R, W>(server: Server, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closing = CancellationToken::new();
    let door = Door::new(Arc::clone(&server.shared), closing.clone());
    let running = match serve_server(door, Streams::new(read, write, closing)).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Handshake(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        Ok(other) => Err(ServeError::Ended(format!("{other:?}"))),
        Err(error) => Err(ServeError::Ended(error.to_string())),
    }
}
