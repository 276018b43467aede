//! Lance reads a table out of memory. It is given no way to a file: the only store it knows holds
//! the bytes that were checked, so that whatever a table names, nothing else is opened.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    time::Duration,
};

use futures::TryStreamExt;
use lance::{
    dataset::builder::DatasetBuilder,
    io::{ObjectStore, ObjectStoreParams, ObjectStoreRegistry},
    session::Session,
};
use lance_io::object_store::providers::memory::MemoryStoreProvider;

use super::{
    form::{self, Form},
    rows::{self, COLUMNS},
};
use elophanto_index::store::tables::{Files, TableContent, TableError};

/// Where the files lie in the store.
const PLACE: &str = "memory:///table";
/// How long Lance may take over a table.
const PATIENCE: Duration = Duration::from_secs(60);
/// Rows decoded at once.
const BATCH_ROWS: usize = 1_024;
/// Bytes that Lance reads ahead.
const AHEAD_BYTES: u64 = 16 << 20;

/// The rows of a table whose form was checked.
///
/// # Errors
/// When Lance cannot read it, takes too long, or finds other rows than were announced.
pub(super) fn decode(files: Files, form: Form) -> Result<TableContent, TableError> {
    let rows = form.rows as usize;
    let fingerprint = form.fingerprint;
    let rows = guarded(Some(PATIENCE), async move {
        let registry = Arc::new(ObjectStoreRegistry::empty());
        registry.insert("memory", Arc::new(MemoryStoreProvider));
        // The registry keeps a store for as long as somebody holds it.
        let mut held = None;
        for (name, bytes) in files.0.into_iter().filter(|(name, _)| form::is_read(name)) {
            let name = String::from_utf8_lossy(&name);
            let uri = format!("{PLACE}/{name}");
            let parameters = ObjectStoreParams::default();
            let (store, path) =
                ObjectStore::from_uri_and_params(registry.clone(), &uri, &parameters).await?;
            store.put(&path, &bytes).await?;
            held = Some(store);
        }
        let session = Arc::new(Session::new(0, 0, registry));
        let dataset = DatasetBuilder::from_uri(PLACE).with_session(session).load().await?;
        let mut scan = dataset.scan();
        scan.project(&COLUMNS)?;
        scan.batch_size(BATCH_ROWS).batch_readahead(1).fragment_readahead(1);
        scan.io_buffer_size(AHEAD_BYTES).scan_in_order(true);
        let mut batches = scan.try_into_stream().await?;
        let mut found = Vec::with_capacity(rows);
        while let Some(batch) = batches.try_next().await? {
            if found.len() + batch.num_rows() > rows {
                return Err(TableError::Shape("more rows than announced").into());
            }
            rows::decode(&batch, &mut found)?;
        }
        drop(held);
        if found.len() < rows {
            return Err(TableError::Shape("fewer rows than announced").into());
        }
        Ok(found)
    })?;
    Ok(TableContent { fingerprint, rows })
}

/// Runs calls to Lance to their end; a panic inside is an error like any other. With a limit, a
/// call that does not end is left behind in its thread.
pub(super) fn guarded<T: Send + 'static>(
    limit: Option<Duration>,
    calls: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, TableError> {
    let run = || -> Result<T, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(WORKER_THREAD)
            .enable_all()
            .build()?;
        runtime.block_on(calls)
    };
    let (sender, receiver) = mpsc::channel();
    // The thread's name tells the program's panic hook that the panic is dealt with here.
    std::thread::Builder::new().name(WORKER_THREAD.to_owned()).spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(run));
        // Nobody listens any more if it took too long.
        let _ = sender.send(done);
    })?;
    let done = match limit {
        None => receiver.recv().ok(),
        Some(limit) => match receiver.recv_timeout(limit) {
            Ok(done) => Some(done),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(TableError::TooSlow { seconds: limit.as_secs() });
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        },
    };
    match done {
        Some(Ok(done)) => done.map_err(|Failure(cause)| cause),
        Some(Err(_)) | None => Err(TableError::Lance("Lance panicked on it".to_owned())),
    }
}

/// Name of the threads in which a panic means "this table is damaged".
pub const WORKER_THREAD: &str = "elophanto-tables";

/// What went wrong in a call to Lance.
pub(super) struct Failure(TableError);

impl From<lance::Error> for Failure {
    fn from(cause: lance::Error) -> Self {
        Self(TableError::Lance(message(&cause.to_string())))
    }
}

impl From<TableError> for Failure {
    fn from(cause: TableError) -> Self {
        Self(cause)
    }
}

impl From<std::io::Error> for Failure {
    fn from(cause: std::io::Error) -> Self {
        Self(cause.into())
    }
}

/// The first line of what Lance says, without the place in its sources that follows: that names
/// folders of whoever built the program.
pub(super) fn message(said: &str) -> String {
    let line = said.lines().next().unwrap_or_default();
    let is_place = |at: &usize| line[at + 4..].starts_with(|c: char| c.is_ascii_digit());
    let place = line.match_indices(".rs:").map(|(at, _)| at).find(is_place);
    let end = place.map_or(line.len(), |at| {
        let before = &line[..at];
        before.rfind(", ").or_else(|| before.rfind(char::is_whitespace)).unwrap_or(0)
    });
    match line[..end].trim_end_matches([',', ':', '(', ' ']) {
        "" => "Lance cannot read it".to_owned(),
        said => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_no_place_in_the_sources() {
        for (said, expected) in [
            (
                "Not found: table/data/a.lance, /home/x/.cargo/local.rs:274:31",
                "Not found: table/data/a.lance",
            ),
            (
                "lance error: LanceError(IO): External: Not found, /home/J Doe/a.rs:1:2, /b.rs:3:4",
                "lance error: LanceError(IO): External: Not found",
            ),
            ("LanceError(Schema): bad, location: src/a b.rs:7:9\nmore", "LanceError(Schema): bad"),
            ("panicked at /rustc/abc/library/core.rs:5", "panicked at"),
            ("/rustc/abc/library/core.rs:5", "Lance cannot read it"),
            ("about x.rs: a file, of Rust", "about x.rs: a file, of Rust"),
            ("", "Lance cannot read it"),
        ] {
            assert_eq!(message(said), expected, "{said}");
        }
    }
}
