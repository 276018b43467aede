//! Messages over standard streams.
//!
//! `lsp-server` has this too, but ends at the first message that is no JSON, and an editor whose text
//! holds half of a character sends one. Here such a half becomes a replacement character, and any other
//! message that cannot be read is answered.

use std::{
    io::{self, BufRead, Write},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{Connection, ErrorCode, Message, RequestId, Response};

/// Bytes of a message: a text of 16 MiB, each character escaped.
const MOST_BYTES: usize = 128 << 20;
/// How long the last messages may take.
const MOST_FLUSHING: Duration = Duration::from_secs(1);
/// Bytes of a line of the header.
const MOST_HEADER: u64 = 8 * 1024;

/// Takes messages from standard input and sends them to standard output, each on a thread of its own.
///
/// # Errors
/// When no thread can be started.
pub fn connection() -> io::Result<Connection> {
    let (sender, outgoing) = unbounded::<Message>();
    let (incoming, receiver) = bounded::<Message>(64);
    let answers = sender.clone();
    let read = move || read_all(&mut io::stdin().lock(), &incoming, &answers);
    thread::Builder::new().name("read".to_owned()).spawn(read)?;
    let write = move || write_all(&outgoing);
    thread::Builder::new().name("write".to_owned()).spawn(write)?;
    Ok(Connection { sender, receiver })
}

fn write_all(messages: &Receiver<Message>) {
    // Whoever no longer reads is told nothing more.
    for message in messages {
        if message.write(&mut io::stdout().lock()).is_err() {
            break;
        }
    }
}

/// Waits until what was sent is written, a moment at most.
pub fn flush(sender: &Sender<Message>) {
    let until = Instant::now() + MOST_FLUSHING;
    while !sender.is_empty() && Instant::now() < until {
        thread::sleep(Duration::from_millis(2));
    }
    let _ = io::stdout().lock().flush();
}

/// Ends at the end of the input, or where no message begins any more.
fn read_all(input: &mut impl BufRead, messages: &Sender<Message>, answers: &Sender<Message>) {
    while let Ok(Some(body)) = body(input) {
        match parsed(&body) {
            Some(message) => {
                if messages.send(message).is_err() {
                    break;
                }
            }
            None => {
                let (id, code) = (RequestId::from(-1), ErrorCode::ParseError as i32);
                let said = "this message cannot be read".to_owned();
                let _ = answers.send(Response::new_err(id, code, said).into());
            }
        }
    }
}

fn parsed(body: &[u8]) -> Option<Message> {
    let text = String::from_utf8_lossy(body);
    let whole = serde_json::from_str(&text);
    whole.or_else(|_| serde_json::from_str(&mended(&text))).ok()
}

/// JSON in which halves of characters (`\ud83d` without its other half) are replacement characters.
fn mended(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let unit = |escape: &str| {
            let digits = escape.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match unit(escape) {
            Some(0xd800..=0xdbff)
                if matches!(escape.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) =>
            {
                out.push_str(&escape[..12]);
                12
            }
            Some(0xd800..=0xdfff) => {
                out.push('\u{fffd}');
                6
            }
            _ => {
                // Two characters at least: what is escaped may be another backslash.
                let end = escape.char_indices().nth(2).map_or(escape.len(), |it| it.0);
                out.push_str(&escape[..end]);
                end
            }
        };
        rest = &escape[length..];
    }
    out.push_str(rest);
    out
}

/// The next body; `None` at the end of the input.
fn body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let read = io::Read::take(&mut *input, MOST_HEADER).read_until(b'\n', &mut line)?;
        if read == 0 {
            return if is_first { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            match length {
                // Blank lines between messages are nobody's.
                None if is_first => continue,
                None => return Err(io::ErrorKind::InvalidData.into()),
                Some(length) => {
                    let mut body = vec![0; length];
                    input.read_exact(&mut body)?;
                    return Ok(Some(body));
                }
            }
        }
        is_first = false;
        let mut parts = line.splitn(2, |&byte| byte == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if name.trim_ascii().eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(value).ok().and_then(|it| it.trim().parse().ok());
            length = value.filter(|length| *length <= MOST_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> (Vec<String>, usize) {
        let (incoming, messages) = unbounded();
        let (answers, answered) = unbounded();
        read_all(&mut &input[..], &incoming, &answers);
        drop((incoming, answers));
        let shown = |message: Message| match message {
            Message::Notification(it) => format!("{} {}", it.method, it.params),
            other => format!("{other:?}"),
        };
        (messages.iter().map(shown).collect(), answered.iter().count())
    }

    fn framed(json: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{json}", json.len()).into_bytes()
    }

    #[test]
    fn half_characters_end_nothing() {
        let one = framed(
            r#"{"jsonrpc":"2.0","method":"a","params":"x\ud83dy\\ud83d\ud83e\udd80\udc00"}"#,
        );
        let two = framed(r#"{"jsonrpc":"2.0","method":"b","params":1}"#);
        let (messages, answered) = read(&[one, two].concat());
        assert_eq!(messages, ["a \"x\u{fffd}y\\\\ud83d🦀\u{fffd}\"", "b 1"]);
        assert_eq!(answered, 0);
    }

    #[test]
    fn junk_is_answered_and_what_follows_is_read() {
        let input =
            [framed("{"), b"\r\n".to_vec(), framed(r#"{"method":"b","params":1}"#)].concat();
        assert_eq!(read(&input), (vec!["b 1".to_owned()], 1));
        for bad in [
            "Content-Length: 99999999999\r\n\r\n{}",
            "no header\r\n\r\n",
            "Content-Length: 9\r\n\r\n{",
        ] {
            assert_eq!(read(bad.as_bytes()), (Vec::new(), 0), "{bad}");
        }
    }
}
