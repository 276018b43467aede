//! Bytes cut into events, however the network cut them: server-sent events and JSON lines. Pure.
//!
//! A line that begins with `{` is an item of its own, everything else is read as server-sent
//! events. So a stream need not say which it is, and an error that a server drops into its events
//! as bare JSON is not lost.

use super::StreamItem;

/// An event is longer than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

#[derive(Debug)]
pub(super) struct Splitter {
    cap: usize,
    /// The line that is being received.
    line: Vec<u8>,
    /// A line feed that comes next belongs to the carriage return before it.
    after_return: bool,
    at_start: bool,
    event: String,
    data: Option<String>,
}

impl Splitter {
    pub fn new(cap: usize) -> Self {
        Self {
            cap,
            line: Vec::new(),
            after_return: false,
            at_start: true,
            event: String::new(),
            data: None,
        }
    }

    /// Takes more bytes and adds the items they complete.
    pub fn push(&mut self, bytes: &[u8], items: &mut Vec<StreamItem>) -> Result<(), TooLong> {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.line.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
            if self.line.len() > self.cap {
                return Err(TooLong);
            }
            let Some(end) = end else { break };
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.end_line(items)?;
        }
        Ok(())
    }

    /// The stream ended in good order: what stands in the last line counts.
    pub fn finish(mut self, items: &mut Vec<StreamItem>) -> Result<(), TooLong> {
        if !self.line.is_empty() {
            self.end_line(items)?;
        }
        self.dispatch(items);
        Ok(())
    }

    fn end_line(&mut self, items: &mut Vec<StreamItem>) -> Result<(), TooLong> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let mut line = line.as_ref();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(items);
        } else if line.trim_start().starts_with('{') {
            items.push(StreamItem { event: String::new(), data: line.trim().to_owned() });
        } else {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => self.add_data(value)?,
                "event" => value.clone_into(&mut self.event),
                // Comments have an empty name; `id` and `retry` are for coming back later.
                _ => {}
            }
        }
        Ok(())
    }

    fn add_data(&mut self, value: &str) -> Result<(), TooLong> {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
        let length = self.data.as_ref().map_or(0, String::len);
        if length > self.cap { Err(TooLong) } else { Ok(()) }
    }

    fn dispatch(&mut self, items: &mut Vec<StreamItem>) {
        let event = std::mem::take(&mut self.event);
        if let Some(data) = self.data.take().filter(|data| !data.is_empty()) {
            items.push(StreamItem { event, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Items as `event|data`.
    fn split(pieces: &[&[u8]]) -> Vec<String> {
        let mut splitter = Splitter::new(1 << 20);
        let mut items = Vec::new();
        for piece in pieces {
            splitter.push(piece, &mut items).unwrap();
        }
        splitter.finish(&mut items).unwrap();
        items.into_iter().map(|item| format!("{}|{}", item.event, item.data)).collect()
    }

    #[test]
    fn events() {
        #[track_caller]
        fn check(text: &str, expected: &[&str]) {
            assert_eq!(split(&[text.as_bytes()]), expected);
        }
        check("", &[]);
        check("data: a\n\ndata:b\n\n", &["|a", "|b"]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &["|a", "|b"]);
        check("data: a\r\rdata: b\r\r", &["|a", "|b"]);
        check("event: x\r\ndata: a\r\ndata: b\r\n\r\n", &["x|a\nb"]);
        check("data: a\rdata: b\n\n", &["|a\nb"]);
        check("data: a\ndata:  b\ndata\n\n", &["|a\n b\n"]);
        check(": comment\n\n:\n\ndata: a\n: in between\n\n", &["|a"]);
        check("event: delta\nid: 7\nretry: 3\ndata: a\n\ndata: b\n\n", &["delta|a", "|b"]);
        check("event: ping\n\ndata: a\n\n", &["|a"]);
        check("data:\n\n", &[]);
        check("\u{feff}data: a\n\n", &["|a"]);
        check("data: a", &["|a"]);
        check("data: a\n", &["|a"]);
        check("data: {\"x\": \"a: b\"}\n\n", &["|{\"x\": \"a: b\"}"]);
        check("data: [DONE]\n\n", &["|[DONE]"]);
        check("{\"a\":1}\n\n{\"b\":2}\r\n {\"c\":3} ", &["|{\"a\":1}", "|{\"b\":2}", "|{\"c\":3}"]);
        check("data: a\n\n{\"error\":1}\n", &["|a", "|{\"error\":1}"]);
        check("nonsense\nmore: nonsense\n\n", &[]);
    }

    #[test]
    fn caps() {
        let mut items = Vec::new();
        assert_eq!(Splitter::new(9).push(b"data: 6789", &mut items), Err(TooLong));
        let mut splitter = Splitter::new(9);
        splitter.push(b"data: 1\ndata: 2\ndata: 3\ndata: 4\ndata: 5\n", &mut items).unwrap();
        assert_eq!(splitter.push(b"data: 6\n", &mut items), Err(TooLong));
    }

    proptest! {
        #[test]
        fn cuts_make_no_difference(
            lines in prop::collection::vec(
                prop_oneof![
                    "data: ?[aé😀: ]{0,6}", "event: ?[a-c]{0,3}", ": ?[é]{0,2}", "[{]\"a\":1[}]",
                    "\\PC{0,6}", Just(String::new())
                ],
                0..12,
            ),
            ends in prop::collection::vec(0_usize..3, 12),
            cuts in prop::collection::vec(0.0..1.0, 0..20),
        ) {
            let mut text = String::new();
            for (line, end) in lines.iter().zip(ends) {
                text.push_str(line);
                text.push_str(["\n", "\r\n", "\r"][end]);
            }
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> =
                cuts.iter().map(|share| (bytes.len() as f64 * share) as usize).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> =
                cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
            prop_assert_eq!(split(&pieces), split(&[bytes]));
        }
    }
}
