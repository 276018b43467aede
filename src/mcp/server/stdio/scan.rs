//! Looks at the bytes of one JSON message as they come, and says when it is too long or nested too
//! deeply to be read at all. Pure, in constant memory.
//!
//! It also finds the id of the request, so that the refusal reaches whoever waits for an answer.

/// Bytes of one message.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Objects and lists inside each other: the deepest that `serde_json` reads.
const MAX_DEPTH: usize = 127;
/// Bytes of an id that is worth finding.
const MAX_ID: usize = 128;

/// Why a message is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the message is longer than {MAX_BYTES} bytes")]
    TooLong,
    #[error("the message is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

/// What has been seen of a message so far.
#[derive(Debug, Default)]
pub struct Scan {
    bytes: usize,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    refusal: Option<Refusal>,
    /// The string or number being read at the top level, or the last one.
    word: Vec<u8>,
    /// Whether the value after the colon is the id.
    is_id: bool,
    id: Option<Vec<u8>>,
}

impl Scan {
    /// Takes the next bytes of the message.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_BYTES {
            self.refusal.get_or_insert(Refusal::TooLong);
        }
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Why the message is not to be read, once that is known.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// The id of the message at its end, if it has one that is a number or a string.
    pub fn id(mut self) -> Option<serde_json::Value> {
        self.end_value();
        let id: serde_json::Value = serde_json::from_slice(&self.id?).ok()?;
        (id.is_i64() || id.is_u64() || id.is_string()).then_some(id)
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.clear();
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.clear();
                self.depth = self.depth.saturating_add(1);
                if self.depth > MAX_DEPTH {
                    self.refusal.get_or_insert(Refusal::TooDeep);
                }
            }
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_value(),
            b':' if self.depth == 1 => {
                self.is_id = self.word == br#""id""#;
                self.clear();
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => self.keep(byte),
        }
    }

    fn end_value(&mut self) {
        if self.depth == 1 {
            if self.is_id && !self.word.is_empty() && self.id.is_none() {
                self.id = Some(std::mem::take(&mut self.word));
            }
            self.is_id = false;
            self.clear();
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < MAX_ID {
            self.word.push(byte);
        }
    }

    fn clear(&mut self) {
        if self.depth == 1 {
            self.word.clear();
        }
    }
}
