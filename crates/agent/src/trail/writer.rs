//! Writing a trail beside the run: every entry is on disk within a moment, and the run waits only
//! where it must not go on before that.

use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use ulid::Ulid;

use super::{Entry, EntryKind, TrailsError};
use elophanto_base::jsonl::{self, Log};

/// How long an entry may wait for others.
const DELAY: Duration = Duration::from_millis(20);
/// What could not be written is tried again after this.
const IDLE: Duration = Duration::from_secs(60);
/// Entries that are kept for another try if they cannot be written.
const KEPT: usize = 1_000;

/// The log of a run that goes on. Dropping it waits until all is written.
#[derive(Debug)]
pub(crate) struct Trail {
    pub(crate) run: Ulid,
    /// The reader that entries belong to, from 1, while its call is made.
    pub(crate) reader: Option<usize>,
    /// `None` only while it is dropped.
    orders: Option<Sender<Order>>,
    writer: Option<JoinHandle<()>>,
}

enum Order {
    Note(Box<Entry>),
    /// All noted so far is to be on disk; says whether it is.
    Flush(Sender<Result<(), TrailsError>>),
}

impl Trail {
    pub(super) fn new(run: Ulid, log: Log, lock: PathBuf) -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        let name = "trail".to_owned();
        let writer = std::thread::Builder::new()
            .name(name)
            .spawn(move || Writer { log, lock, pending: Vec::new() }.work(&receiver))?;
        Ok(Self { run, reader: None, orders: Some(sender), writer: Some(writer) })
    }

    /// Notes something.
    pub(crate) fn note(&mut self, at: Timestamp, depth: u32, kind: EntryKind) {
        let reader = self.reader;
        self.order(Order::Note(Box::new(Entry { at, depth, reader, kind })));
    }

    /// Waits until all that was noted is on disk.
    ///
    /// # Errors
    /// When it is not. It is tried again with the next entry.
    pub(crate) fn flush(&mut self) -> Result<(), TrailsError> {
        let (sender, receiver) = channel();
        self.order(Order::Flush(sender));
        receiver.recv().unwrap_or(Err(TrailsError::Stopped))
    }

    fn order(&self, order: Order) {
        // A writer that is gone is found out by the next flush.
        let _ = self.orders.as_ref().map(|orders| orders.send(order));
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

struct Writer {
    log: Log,
    lock: PathBuf,
    pending: Vec<Entry>,
}

impl Writer {
    fn work(mut self, orders: &Receiver<Order>) {
        // Entries that come close after each other are written with one sync.
        let mut due: Option<Instant> = None;
        loop {
            let left =
                due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
            match orders.recv_timeout(left.min(IDLE)) {
                Ok(Order::Note(entry)) => {
                    self.keep(*entry);
                    due.get_or_insert_with(|| Instant::now() + DELAY);
                }
                Ok(Order::Flush(sender)) => {
                    due = None;
                    let _ = sender.send(self.write());
                }
                Err(RecvTimeoutError::Timeout) => {
                    due = None;
                    let _ = self.write();
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let _ = self.write();
    }

    fn keep(&mut self, entry: Entry) {
        if self.pending.len() >= KEPT {
            // Only if the disk takes nothing any more is something lost; the next flush says so.
            let _ = self.write();
        }
        if self.pending.len() < KEPT {
            self.pending.push(entry);
        }
    }

    fn write(&mut self) -> Result<(), TrailsError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let lock = jsonl::lock(&self.lock)?;
        self.log.append_all(&self.pending, lock)?;
        self.pending.clear();
        Ok(())
    }
}
