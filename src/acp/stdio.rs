//! Lines over standard streams: a message each.
//!
//! Text that is no UTF-8, or holds half of a character, is mended; a line over the cap is answered and
//! passed over. What is no message is answered by the protocol's library.

use std::{
    io::{self, BufRead, Read, Write},
    sync::mpsc::{Receiver, sync_channel},
    thread,
    time::Duration,
};

use agent_client_protocol::{Agent, ConnectTo, ErrorCode, Lines};
use futures::{
    SinkExt as _, StreamExt as _,
    channel::mpsc::{self, Sender, UnboundedReceiver, UnboundedSender},
    executor::block_on,
};
use serde_json::json;

use elophanto_base::half_characters::mended;

/// Bytes of a message: ten pictures of the largest that models take, as text.
const MOST_LINE: u64 = 96 << 20;
/// Messages that wait to be read.
const MOST_WAITING: usize = 16;
/// How long the last messages may take.
const MOST_FLUSHING: Duration = Duration::from_secs(1);

pub struct Streams<L> {
    pub lines: L,
    pub written: Written,
}

/// What was sent, on its way out.
pub struct Written(Receiver<()>);

impl Written {
    /// Waits until it is out, a moment at most.
    pub fn wait(&self) {
        let _ = self.0.recv_timeout(MOST_FLUSHING);
    }
}

/// Reads standard input and writes standard output, each on a thread of its own.
///
/// # Errors
/// When no thread can be started.
pub fn streams() -> io::Result<Streams<impl ConnectTo<Agent>>> {
    let (lines, incoming) = mpsc::channel(MOST_WAITING);
    let (outgoing, messages) = mpsc::unbounded::<String>();
    let (done, written) = sync_channel(1);
    let answers = outgoing.clone();
    let read = move || read_all(&mut io::stdin().lock(), MOST_LINE, lines, &answers);
    thread::Builder::new().name("read".to_owned()).spawn(read)?;
    let write = move || {
        write_all(messages);
        let _ = done.send(());
    };
    thread::Builder::new().name("write".to_owned()).spawn(write)?;
    let lines = Lines::new(outgoing.sink_map_err(io::Error::other), incoming);
    Ok(Streams { lines, written: Written(written) })
}

fn write_all(mut messages: UnboundedReceiver<String>) {
    while let Some(mut line) = block_on(messages.next()) {
        line.push('\n');
        let mut out = io::stdout().lock();
        // Whoever no longer reads is told nothing more.
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            break;
        }
    }
}

fn read_all(
    input: &mut impl BufRead,
    most: u64,
    mut lines: Sender<io::Result<String>>,
    answers: &UnboundedSender<String>,
) {
    loop {
        let mut line = Vec::new();
        match Read::take(&mut *input, most + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if line.len() as u64 > most && !line.ends_with(b"\n") {
            let message = format!("a message has at most {most} bytes");
            let error = json!({ "code": ErrorCode::INVALID_REQUEST, "message": message });
            let answer = json!({ "jsonrpc": "2.0", "id": null, "error": error });
            let _ = answers.unbounded_send(answer.to_string());
            if input.skip_until(b'\n').is_err() {
                break;
            }
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let has_half = text.contains("\\ud") || text.contains("\\uD");
        let text = if has_half { mended(text) } else { text.to_owned() };
        if block_on(lines.send(Ok(text))).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut input: &[u8]) -> (Vec<String>, usize) {
        let (lines, incoming) = mpsc::channel(MOST_WAITING);
        let (answers, answered) = mpsc::unbounded();
        read_all(&mut input, 40, lines, &answers);
        drop(answers);
        let lines = block_on(incoming.map(|line| line.unwrap()).collect());
        (lines, block_on(answered.collect::<Vec<_>>()).len())
    }

    #[test]
    fn lines_are_mended() {
        let input = b"{\"a\":1}\r\n\n \n{\"b\":\"\xff\\ud83d\"}\n{\"c\":2}";
        let expected = ["{\"a\":1}", "{\"b\":\"\u{fffd}\u{fffd}\"}", "{\"c\":2}"];
        assert_eq!(read(input), (expected.map(str::to_owned).to_vec(), 0));
    }

    #[test]
    fn a_line_over_the_cap_is_answered_and_what_follows_is_read() {
        let input = [&[b'x'; 50][..], b"\n{}\n", &[b'y'; 40], b"\n"].concat();
        assert_eq!(read(&input), (vec!["{}".to_owned(), "y".repeat(40)], 1));
    }
}
