//! A socket in the file system that this user alone can open, and requests to it.

#[cfg(any(test, not(unix)))]
mod elsewhere;
#[cfg(unix)]
mod unix;

use std::{
    io::{self, ErrorKind},
    path::Path,
    time::Duration,
};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{Method, Request, header},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;

#[cfg(not(unix))]
pub use elsewhere::{Own, Stream, connect, own_name};
#[cfg(unix)]
pub use unix::{Own, Stream, connect, own_name};

/// Bytes of an answer.
const MOST_ANSWER: usize = 256 * 1024;

/// Asks whoever listens at a socket: the status of the answer, and its JSON (`null` if it has none).
///
/// # Errors
/// When nobody answers within `limit`.
pub fn ask(path: &Path, method: Method, target: &str, limit: Duration) -> io::Result<(u16, Value)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = async { tokio::time::timeout(limit, asked(path, method, target)).await };
    runtime.block_on(asked).map_err(|_| io::Error::from(ErrorKind::TimedOut))?
}

async fn asked(path: &Path, method: Method, target: &str) -> io::Result<(u16, Value)> {
    let stream = TokioIo::new(connect(path).await?);
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake::<_, Body>(stream).await.map_err(io::Error::other)?;
    let connection = tokio::spawn(connection);
    let request = Request::builder()
        .method(method)
        .uri(target)
        .header(header::HOST, "localhost")
        .body(Body::empty())
        .map_err(io::Error::other)?;
    let response = sender.send_request(request).await.map_err(io::Error::other)?;
    let status = response.status().as_u16();
    let body: Bytes =
        to_bytes(Body::new(response.into_body()), MOST_ANSWER).await.map_err(io::Error::other)?;
    connection.abort();
    Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_sockets_of_a_users_own_nobody_listens_nor_answers() {
        let path = Path::new("none");
        let refused = [
            elsewhere::Own::bind(path).map(drop),
            elsewhere::connect(path).await.map(drop::<elsewhere::Stream>),
        ];
        for cause in refused.map(Result::unwrap_err) {
            assert_eq!(cause.kind(), ErrorKind::Unsupported);
        }
        assert!(!elsewhere::own_name().is_empty() && !unix::own_name().is_empty());
    }
}
