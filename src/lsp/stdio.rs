//! Messages over standard streams.
//!
//! `lsp-server` has this too, but ends at the first message that is no JSON, and an editor whose text
//! holds half of a character sends one. Here such a half becomes a replacement character, and any other
//! message that cannot be read is answered; so is a request whose id `lsp-server` cannot hold.

use std::{
    io::{self, BufRead, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{Connection, ErrorCode, Message, RequestId, Response};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use elophanto_base::half_characters::mended;

/// Bytes of a message: a text of 16 MiB, each character escaped.
const MOST_BYTES: usize = 128 << 20;
/// How long the last messages may take.
const MOST_FLUSHING: Duration = Duration::from_secs(1);
/// Bytes of a line of the header.
const MOST_HEADER: u64 = 8 * 1024;

/// Takes messages from standard input and sends them to standard output, each on a thread of its own. The
/// second says whether any came in.
///
/// # Errors
/// When no thread can be started.
pub fn connection() -> io::Result<(Connection, Arc<AtomicBool>)> {
    let (sender, outgoing) = unbounded::<Message>();
    let (incoming, receiver) = bounded::<Message>(64);
    let answers = sender.clone();
    let is_spoken = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&is_spoken);
    let read = move || read_all(&mut io::stdin().lock(), &incoming, &answers, &heard, &mut refuse);
    thread::Builder::new().name("read".to_owned()).spawn(read)?;
    let write = move || write_all(&outgoing);
    thread::Builder::new().name("write".to_owned()).spawn(write)?;
    Ok((Connection { sender, receiver }, is_spoken))
}

/// Answers a request whose id is none of those that the protocol has.
fn refuse(id: &Value) {
    let message = "the id of a request is a text or an integer of 32 bits";
    let error = json!({ "code": ErrorCode::InvalidRequest as i32, "message": message });
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
    let mut out = io::stdout().lock();
    let _ = write!(out, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| out.flush());
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
fn read_all(
    input: &mut impl BufRead,
    messages: &Sender<Message>,
    answers: &Sender<Message>,
    is_spoken: &AtomicBool,
    refuse: &mut dyn FnMut(&Value),
) {
    while let Ok(Some(body)) = body(input) {
        let message = parsed(&body);
        is_spoken.fetch_or(message.is_some(), Ordering::Relaxed);
        match message {
            // A request whose id is not understood passes for a notification.
            Some(Message::Notification(_)) if let Some(id) = id_of(&body) => refuse(&id),
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

/// The id of a message, whatever it is.
fn id_of(body: &[u8]) -> Option<Value> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default, deserialize_with = "any")]
        id: Option<Value>,
    }
    fn any<'de, D: Deserializer<'de>>(id: D) -> Result<Option<Value>, D::Error> {
        Value::deserialize(id).map(Some)
    }
    serde_json::from_slice::<Head>(body).ok()?.id
}

fn parsed(body: &[u8]) -> Option<Message> {
    let text = String::from_utf8_lossy(body);
    let whole = serde_json::from_str(&text);
    whole.or_else(|_| serde_json::from_str(&mended(&text))).ok()
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
        let mut refused = 0;
        let is_spoken = AtomicBool::new(false);
        read_all(&mut &input[..], &incoming, &answers, &is_spoken, &mut |_| refused += 1);
        drop((incoming, answers));
        let shown = |message: Message| match message {
            Message::Notification(it) => format!("{} {}", it.method, it.params),
            other => format!("{other:?}"),
        };
        (messages.iter().map(shown).collect(), answered.iter().count() + refused)
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
    fn requests_with_odd_ids_are_answered() {
        for id in ["2147483648", "1.5", "null", "[]", "true"] {
            let json = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a","params":{{"id":1}}}}"#);
            assert_eq!(read(&framed(&json)), (Vec::new(), 1), "{id}");
            assert_eq!(id_of(json.as_bytes()).unwrap().to_string(), id);
        }
        let own = framed(r#"{"jsonrpc":"2.0","method":"a","params":{"id":1}}"#);
        assert_eq!(read(&own), (vec!["a {\"id\":1}".to_owned()], 0));
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
