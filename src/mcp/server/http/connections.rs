//! Connections: so many at once, none that never says what it wants. Whoever only connects keeps
//! nobody out: a connection takes a place once it has sent a whole head, and gives it up when it is
//! refused.

use std::{collections::VecDeque, convert::Infallible, future::Future, io::Cursor, pin::pin};
use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    http::{HeaderValue, header},
    middleware::map_response,
    response::Response,
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot},
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Connections that are served at once; the next ones wait until one is closed.
const MAX: usize = 512;
/// Connections that have not sent a whole head yet: of more, the oldest is closed.
const BEGINNING: usize = 256;
/// How long a connection may say nothing.
const FIRST_BYTE_TIME: Duration = Duration::from_secs(5);
/// How long the head of a request may take, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Bytes of a head.
const HEAD_BYTES: usize = 64 * 1024;
/// How long requests may go on after the end.
const END_TIME: Duration = Duration::from_secs(5);
/// How long to wait when the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `shutdown` is done, then cancels `closing` and waits for them to end.
pub async fn accept(
    listener: TcpListener,
    router: Router,
    closing: &CancellationToken,
    shutdown: impl Future<Output = ()>,
) {
    let router = router.layer(map_response(unless_refused));
    let places = Arc::new(Semaphore::new(MAX));
    // With them the system's room for open files is not used up, whoever connects.
    let rooms = Arc::new(Semaphore::new(MAX + BEGINNING));
    // Dropping one of them closes its connection, if that has not sent a head yet.
    let mut beginning: VecDeque<oneshot::Sender<Infallible>> = VecDeque::new();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let room = Arc::clone(&rooms).acquire_owned().await.ok();
            (listener.accept().await, room)
        };
        let (accepted, room) = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        beginning.retain(|begins| !begins.is_closed());
        // The newest that is let in must leave room for the next.
        if beginning.len() >= BEGINNING - 1 {
            beginning.pop_front();
        }
        let (begins, outdone) = oneshot::channel();
        beginning.push_back(begins);
        let (router, closing, places) = (router.clone(), closing.clone(), Arc::clone(&places));
        connections.spawn(async move {
            let begun = tokio::select! {
                begun = begin(stream) => begun,
                _ = outdone => None,
                () = closing.cancelled() => None,
            };
            if let (Some(stream), Ok(_place)) = (begun, places.acquire().await) {
                serve(stream, router, closing).await;
            }
            drop(room);
        });
    }
    drop(listener);
    closing.cancel();
    let ended = async { while connections.join_next().await.is_some() {} };
    // What has not ended by then is cut off when the set is dropped.
    let _ = timeout(END_TIME, ended).await;
}

/// Waits for the head of the first request; `None` if it does not come. What has been read is read
/// once more.
async fn begin(mut stream: TcpStream) -> Option<impl AsyncRead + AsyncWrite + Unpin> {
    // Answers are written whole; waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let mut head = Vec::new();
    let first = timeout(FIRST_BYTE_TIME, stream.read_buf(&mut head)).await;
    first.ok()?.ok().filter(|read| *read > 0)?;
    let rest = async {
        // One that is too long is refused by whoever reads it.
        while !is_whole(&head) && head.len() <= HEAD_BYTES {
            if stream.read_buf(&mut head).await.ok()? == 0 {
                return None;
            }
        }
        Some(())
    };
    timeout(HEAD_TIME, rest).await.ok()??;
    let (read, write) = stream.into_split();
    Some(tokio::io::join(Cursor::new(head).chain(read), write))
}

/// Whether an empty line ends it, not counting those before it.
fn is_whole(head: &[u8]) -> bool {
    let blank = head.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let head = &head[blank..];
    let ends = |line: &[u8]| memchr::memmem::find(head, line).is_some();
    ends(b"\n\r\n") || ends(b"\n\n")
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    router: Router,
    closing: CancellationToken,
) {
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    // A connection that breaks off concerns nobody but its client.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = closing.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Who is refused does not keep the place for another request.
async fn unless_refused(mut response: Response) -> Response {
    if response.status().is_client_error() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
