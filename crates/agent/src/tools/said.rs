//! What a program says while it runs, as whole lines that may be shown. Pure.

use super::{cut::text_of, withheld::Lines};

/// Bytes of a line that are shown.
const MOST_OF_A_LINE: usize = 2_000;
/// Bytes that are held back at most: of a private key that does not end.
const MOST_HELD: usize = 64 * 1024;
/// A private key is shown as a whole or not at all: only as a whole it is known for a secret.
const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_ENDS: &str = "-----END ";

/// Stdout or stderr of a program.
#[derive(Default)]
pub(super) struct Said {
    /// What no line end has come for.
    rest: Vec<u8>,
    /// A carriage return was the last that came.
    is_returned: bool,
    lines: Lines,
    /// Lines of a key that has not ended.
    held: String,
}

impl Said {
    /// The lines that these bytes end, with their ends. A carriage return ends one too: what writes
    /// over its line is shown line by line.
    pub(super) fn take(&mut self, bytes: &[u8], is_key: &dyn Fn(&str) -> bool) -> String {
        let mut shown = String::new();
        for &byte in bytes {
            let ends = match byte {
                b'\r' => !self.rest.is_empty(),
                b'\n' => !(self.is_returned && self.rest.is_empty()),
                _ => {
                    if self.rest.len() < MOST_OF_A_LINE {
                        self.rest.push(byte);
                    }
                    false
                }
            };
            if ends {
                let line = std::mem::take(&mut self.rest);
                self.line(&text_of(&line), is_key, &mut shown);
            }
            self.is_returned = byte == b'\r' && (ends || self.is_returned);
        }
        shown
    }

    /// The program has ended: the line that it has not.
    pub(super) fn end(&mut self, is_key: &dyn Fn(&str) -> bool) -> String {
        if self.rest.is_empty() { String::new() } else { self.take(b"\n", is_key) }
    }

    fn line(&mut self, line: &str, is_key: &dyn Fn(&str) -> bool, shown: &mut String) {
        let Some(line) = self.lines.shown(line, is_key) else { return };
        if self.held.is_empty() && !line.contains(KEY_BEGINS) {
            shown.push_str(&line);
            shown.push('\n');
            return;
        }
        if self.held.len() < MOST_HELD {
            self.held.push_str(&line);
            self.held.push('\n');
            if line.contains(KEY_ENDS) {
                shown.push_str(&std::mem::take(&mut self.held));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(pieces: &[&str], expected: &[&str]) {
        let mut said = Said::default();
        let shown: Vec<_> = pieces
            .iter()
            .map(|piece| said.take(piece.as_bytes(), &|path| path == ".env"))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn whole_lines_are_shown() {
        check(&["a", "b\nc", "\n\nd"], &["", "ab\n", "c\n\n"]);
        check(&["a\r", "\nb\r\n\r\n"], &["a\n", "b\n\n"]);
        check(&["10%\r", "20%\r", "\rdone\n"], &["10%\n", "20%\n", "done\n"]);
        check(&["\n\n"], &["\n\n"]);
        check(
            &["diff --git a/.env b/.env\n", "+K=v\n", "diff --git a/b b/b\n+b\n"],
            &[
                "diff --git a/.env b/.env\n[left out: no tool reads this file]\n",
                "",
                "diff --git a/b b/b\n+b\n",
            ],
        );
        let mut said = Said::default();
        assert_eq!(said.take(b"a\nb", &|_| false) + &said.end(&|_| false), "a\nb\n");
        assert_eq!(said.end(&|_| false), "");
        let key = "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n";
        let (begin, end) = key.split_at(40);
        check(&["x\n", begin, end, "y\n"], &["x\n", "", key, "y\n"]);
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "[ab\r\n]{0,40}", at in 0_usize..40) {
            let (head, tail) = text.split_at(at.min(text.len()));
            let mut whole = Said::default();
            let mut pieces = Said::default();
            let one = whole.take(text.as_bytes(), &|_| false);
            let two = pieces.take(head.as_bytes(), &|_| false)
                + &pieces.take(tail.as_bytes(), &|_| false);
            prop_assert_eq!(one, two);
        }
    }
}
