//! Connections: so many at once, none that never says what it wants. Whoever only connects keeps
//! nobody out: a connection takes a place once it has sent a whole head, and gives it up when it is
//! refused or becomes a socket, which is counted by whoever talks over it.

use std::{
    collections::VecDeque,
    convert::Infallible,
    future::Future,
    io,
    io::Cursor,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, header},
    middleware::map_response,
    response::Response,
    serve::Listener,
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tower::Service;

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

/// The room that a connection takes as long as it is open: whoever makes a socket of one keeps it.
#[derive(Clone)]
pub struct Room(
    #[expect(dead_code, reason = "kept until it is dropped")] Arc<OwnedSemaphorePermit>,
);

/// Bytes that may still be read of a connection: as many as come, until whoever makes a socket of it
/// says how many.
#[derive(Clone)]
pub struct Allowance(Arc<AtomicUsize>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }
}

impl Allowance {
    pub fn limit(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    pub fn lift(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }
}

/// Whether reading failed because no more may be read.
pub fn is_over_allowance(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::QuotaExceeded
}

/// What is read of a connection, as far as it may be.
struct Measured<R> {
    inner: R,
    allowance: Allowance,
}

impl<R: AsyncRead + Unpin> AsyncRead for Measured<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.allowance.0.load(Ordering::Relaxed);
        if left == 0 {
            return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
        }
        let before = into.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, into);
        if left != usize::MAX {
            let left = left.saturating_sub(into.filled().len() - before);
            self.allowance.0.store(left, Ordering::Relaxed);
        }
        read
    }
}

/// Connections over TCP.
pub struct Tcp(pub TcpListener);

impl Listener for Tcp {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.0.accept().await {
                // Answers are written whole; waiting to fill a packet only delays them.
                let _ = stream.set_nodelay(true);
                return (stream, address);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

/// Serves connections, and at most so many sockets beside them, until `shutdown` is done; then cancels
/// `closing` and waits for them to end.
pub async fn accept<L: Listener>(
    mut listener: L,
    router: Router,
    sockets: usize,
    closing: &CancellationToken,
    shutdown: impl Future<Output = ()>,
) {
    let router = router.layer(map_response(unless_refused));
    let places = Arc::new(Semaphore::new(MAX));
    // With them the system's room for open files is not used up, whoever connects.
    let all = MAX + BEGINNING + sockets;
    let rooms = Arc::new(Semaphore::new(all));
    // Dropping one of them closes its connection, if that has not sent a head yet.
    let mut beginning: VecDeque<oneshot::Sender<Infallible>> = VecDeque::new();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let room = Arc::clone(&rooms).acquire_owned().await.ok()?;
            Some((listener.accept().await.0, Room(Arc::new(room))))
        };
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            next = next => next,
        };
        // The rooms are never closed.
        let Some((stream, room)) = accepted else { break };
        beginning.retain(|begins| !begins.is_closed());
        // The newest that is let in must leave room for the next.
        if beginning.len() >= BEGINNING - 1 {
            beginning.pop_front();
        }
        let (begins, outdone) = oneshot::channel();
        beginning.push_back(begins);
        let (router, closing, places) = (router.clone(), closing.clone(), Arc::clone(&places));
        connections.spawn(async move {
            let allowance = Allowance::default();
            let begun = tokio::select! {
                begun = begin(stream, allowance.clone()) => begun,
                _ = outdone => None,
                () = closing.cancelled() => None,
            };
            if let (Some(stream), Ok(_place)) = (begun, places.acquire().await) {
                serve(stream, router, (room, allowance), closing).await;
            }
        });
    }
    drop(listener);
    closing.cancel();
    let ended = async {
        while connections.join_next().await.is_some() {}
        // Sockets are nobody's connections any more.
        let _ = rooms.acquire_many(u32::try_from(all).unwrap_or(u32::MAX)).await;
    };
    // What has not ended by then is cut off when the set is dropped.
    let _ = timeout(END_TIME, ended).await;
}

/// Waits for the head of the first request; `None` if it does not come. What has been read is read
/// once more.
async fn begin<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    mut stream: S,
    allowance: Allowance,
) -> Option<impl AsyncRead + AsyncWrite + Unpin + Send + 'static> {
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
    let (read, write) = tokio::io::split(stream);
    let read = Measured { inner: read, allowance };
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
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    (room, allowance): (Room, Allowance),
    closing: CancellationToken,
) {
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(room.clone());
        request.extensions_mut().insert(allowance.clone());
        // A router is always ready.
        router.clone().call(request)
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades()
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
