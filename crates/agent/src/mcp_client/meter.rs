//! How much a server may say: a reader that ends when it said more.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, ReadBuf};

/// What a server may still say, shared by its reader and whoever asks it something.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    left: AtomicU64,
    exceeded: AtomicBool,
}

impl Allowance {
    pub(super) fn grant(&self, bytes: u64) {
        self.left.store(bytes, Ordering::Relaxed);
    }

    /// Takes from what is left; whether there was enough, now and before.
    pub(super) fn take(&self, bytes: u64) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(bytes), Ordering::Relaxed);
        if bytes > left {
            self.exceeded.store(true, Ordering::Relaxed);
        }
        !self.is_exceeded()
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }
}

/// A reader that takes from an allowance, and fails when that is used up.
pub(super) struct Metered<R> {
    pub reader: R,
    pub allowance: Arc<Allowance>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.allowance.is_exceeded() {
            return Poll::Ready(Err(io::Error::other("said too much")));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.reader).poll_read(context, buffer);
        let taken = (buffer.filled().len() - before) as u64;
        if !self.allowance.take(taken) {
            return Poll::Ready(Err(io::Error::other("said too much")));
        }
        polled
    }
}
