//! Connections: so many at once, none that never says what it wants.

use std::{future::Future, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Connections at once; the next ones wait until one is closed.
const MAX: usize = 512;
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
    let places = Arc::new(Semaphore::new(MAX));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (router, closing) = (router.clone(), closing.clone());
        connections.spawn(async move {
            serve(stream, router, closing).await;
            drop(place);
        });
    }
    drop(listener);
    closing.cancel();
    let ended = async { while connections.join_next().await.is_some() {} };
    // What has not ended by then is cut off when the set is dropped.
    let _ = tokio::time::timeout(END_TIME, ended).await;
}

async fn serve(stream: TcpStream, router: Router, closing: CancellationToken) {
    // Answers are written whole; waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
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
