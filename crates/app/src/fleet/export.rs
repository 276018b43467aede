//! All chunks of a fleet, for another engine: one JSON object a line, or a stream in Arrow's format.

use std::{io::Write, sync::mpsc};

use serde::Serialize;

use super::open;
use crate::{
    Error, Result, environment::Environment, keys::Asking, reporter::Reporter, when::time,
};
use elophanto_index::apart::Row;
use elophanto_tables::fleet::{ArrowStream, Only};

/// How the chunks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object a line.
    Ndjson,
    /// A stream of Arrow record batches.
    Arrow,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// How many rows there are of it.
    pub chunks: usize,
}

/// A chunk as it is written.
#[derive(Serialize)]
struct Line<'a> {
    repository: &'a str,
    commit: &'a str,
    path: &'a str,
    kind: &'static str,
    title: &'a str,
    headings: &'a [String],
    scope: &'a str,
    tags: &'a [String],
    lines: (usize, usize),
    text: &'a str,
    changed: Option<String>,
    model: &'a str,
    /// `None` where there is none.
    vector: Option<Vec<f32>>,
}

/// Batches that wait to be written.
const WAITING: usize = 4;

/// Writes all chunks at an address.
///
/// # Errors
/// When they cannot be read or written.
pub fn export(
    address: &str,
    format: ExportFormat,
    environment: &Environment,
    out: &mut dyn Write,
    reporter: &dyn Reporter,
) -> Result<Exported> {
    let fleet = open(address, environment, Asking::Through(reporter), false)?;
    let view = fleet.view(None)?;
    let heads = view.heads();
    let commit = |repository: &str| {
        let found = heads.binary_search_by(|head| head.repository.as_str().cmp(repository));
        found.map_or("", |index| heads[index].commit.as_str())
    };
    let mut stream = match format {
        ExportFormat::Ndjson => Stream::Ndjson(out),
        ExportFormat::Arrow => Stream::Arrow(ArrowStream::new(out)?),
    };
    let mut exported = Exported::default();
    for table in view.tables() {
        let (sender, receiver) = mpsc::sync_channel::<Vec<Row>>(WAITING);
        std::thread::scope(|scope| {
            let reading =
                scope.spawn(|| table.each(Only::default(), move |rows| sender.send(rows).is_ok()));
            for rows in &receiver {
                exported.chunks += rows.len();
                match &mut stream {
                    Stream::Ndjson(out) => {
                        for row in &rows {
                            line(row, commit(&row.repository), table.model(), out)?;
                        }
                    }
                    Stream::Arrow(stream) => {
                        let commit = |repository: &str| commit(repository).to_owned();
                        stream.write(&rows, table.model(), &commit)?;
                    }
                }
            }
            drop(receiver);
            let read = reading.join().map_err(|_| Error::bug("reading a table stopped"))?;
            Ok::<(), Error>(read?)
        })?;
    }
    match stream {
        Stream::Ndjson(out) => out.flush()?,
        Stream::Arrow(stream) => stream.finish()?,
    }
    Ok(exported)
}

/// Where chunks are written.
enum Stream<'a> {
    Ndjson(&'a mut dyn Write),
    Arrow(ArrowStream<&'a mut dyn Write>),
}

fn line(row: &Row, commit: &str, model: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let vector = row
        .vector
        .as_ref()
        .map(|vector| vector.codes.iter().map(|code| f32::from(*code) * vector.scale).collect());
    let line = Line {
        repository: &row.repository,
        commit,
        path: &row.path,
        kind: row.kind.name(),
        title: &row.title,
        headings: &row.headings,
        scope: row.scope.as_str(),
        tags: &row.tags,
        lines: row.lines,
        text: &row.text,
        changed: row.changed.and_then(time),
        model,
        vector,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}
