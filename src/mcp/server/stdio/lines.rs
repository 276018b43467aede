//! Lines of a stream, none kept that is too long or too deep.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::scan::{Refusal, Scan};

/// A line of a stream.
#[derive(Debug)]
pub enum Line {
    /// Its bytes without the line feed.
    Whole(Vec<u8>),
    /// It was passed over. With the id of the request in it, if that could be found.
    Refused(Refusal, Option<serde_json::Value>),
    /// The stream has ended; what came after the last line feed is no line.
    End,
}

/// Reads lines.
pub struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    scan: Scan,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(read: R) -> Self {
        Self { read: BufReader::new(read), line: Vec::new(), scan: Scan::default() }
    }

    /// The next line. May be dropped at any time: what was read is kept for the next call.
    ///
    /// # Errors
    /// Those of the stream.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            let bytes = self.read.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(Line::End);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
            self.scan.feed(part);
            if self.scan.refusal().is_none() {
                self.line.extend_from_slice(part);
            } else {
                self.line = Vec::new();
            }
            let used = part.len() + usize::from(end.is_some());
            self.read.consume(used);
            if end.is_some() {
                let (line, scan) = (std::mem::take(&mut self.line), std::mem::take(&mut self.scan));
                return Ok(match scan.refusal() {
                    None => Line::Whole(line),
                    Some(refusal) => Line::Refused(refusal, scan.id()),
                });
            }
        }
    }
}
