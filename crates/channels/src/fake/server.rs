//! What answers at a port of this machine.

use axum::{Router, extract::Request, response::Response};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};

/// It stops when this is dropped.
pub struct Server(Option<Runtime>);

impl Server {
    /// At this port; 0 takes any that is free. Nothing is answered before [`Server::serve`].
    pub fn at(port: u16) -> (Self, TcpListener) {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port))).unwrap();
        (Self(Some(runtime)), listener)
    }

    pub fn serve<F: Future<Output = Response> + Send + 'static>(
        &self,
        listener: TcpListener,
        answer: impl Fn(Request) -> F + Clone + Send + Sync + 'static,
    ) {
        self.0.as_ref().unwrap().spawn(async move {
            axum::serve(listener, Router::new().fallback(answer)).await.unwrap();
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
