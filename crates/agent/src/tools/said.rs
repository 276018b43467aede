//! What a program says while it runs, as whole lines that may be shown. Pure.

use super::{cut::text_of, withheld::Lines};
use elophanto_base::secrets::{begins_key, ends_key, may_be_of_key};

/// Bytes of a line that are shown.
const MOST_OF_A_LINE: usize = 2_000;
/// Bytes that are held back at most: of a private key that does not end.
const MOST_HELD: usize = 64 * 1024;
/// Lines in a row that are no part of a key, behind which it is taken for one that was cut off.
const MOST_BESIDE: usize = 3;
/// What stands for such a key. A private key is shown as a whole or not at all: only as a whole it is
/// known for a secret.
const CUT_OFF: &str = "[left out: a key that does not end]\n";

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
    /// Of these, the last ones that are no part of it.
    beside: Vec<String>,
    /// A key began whose end did not come: what may be a line of it is not shown.
    is_cut_off: bool,
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
        let last = if self.rest.is_empty() { String::new() } else { self.take(b"\n", is_key) };
        last + &self.let_go()
    }

    fn line(&mut self, line: &str, is_key: &dyn Fn(&str) -> bool, shown: &mut String) {
        let Some(line) = self.lines.shown(line, is_key) else { return };
        let (begins, ends) = (begins_key(&line), ends_key(&line));
        if begins && !self.held.is_empty() {
            shown.push_str(&self.let_go());
        }
        if begins {
            self.is_cut_off = false;
        } else if self.held.is_empty() {
            if !(self.is_cut_off && may_be_of_key(&line)) {
                shown.push_str(&line);
                shown.push('\n');
            }
            self.is_cut_off &= !ends;
            return;
        }
        self.held.push_str(&line);
        self.held.push('\n');
        if ends {
            shown.push_str(&std::mem::take(&mut self.held));
            self.beside.clear();
            return;
        }
        match begins || may_be_of_key(&line) {
            true => self.beside.clear(),
            false => self.beside.push(line.into_owned()),
        }
        if self.beside.len() > MOST_BESIDE || self.held.len() > MOST_HELD {
            shown.push_str(&self.let_go());
        }
    }

    /// What there is to show of a key that was cut off: the lines behind it.
    fn let_go(&mut self) -> String {
        if self.held.is_empty() {
            return String::new();
        }
        self.held.clear();
        self.is_cut_off = true;
        let lines = std::mem::take(&mut self.beside);
        std::iter::once(CUT_OFF.to_owned())
            .chain(lines.into_iter().map(|line| line + "\n"))
            .collect()
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

    /// What comes behind a key that was cut off is seen, and nothing of the key.
    #[test]
    fn a_key_without_an_end_holds_nothing_back_for_long() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n";
        let head = format!("-----BEGIN PRIVATE KEY-----\n{line}{line}");
        check(
            &["a\n", &head, "one\ntwo\n", "three\n", "four\n", "five\n", line, "six\n"],
            &[
                "a\n",
                "",
                "",
                "",
                &format!("{CUT_OFF}one\ntwo\nthree\nfour\n"),
                "five\n",
                "",
                "six\n",
            ],
        );
        // It is said at the end, too.
        let mut said = Said::default();
        assert_eq!(said.take(head.as_bytes(), &|_| false), "");
        assert_eq!(said.take(b"done", &|_| false), "");
        assert_eq!(said.end(&|_| false), format!("{CUT_OFF}done\n"));
        // Another one begins before it ends.
        let whole = format!("-----BEGIN PRIVATE KEY-----\n{line}-----END PRIVATE KEY-----\n");
        check(&[&head, &whole, "x\n"], &["", &format!("{CUT_OFF}{whole}"), "x\n"]);
        // One that is written in short lines.
        let short: String = line
            .as_bytes()
            .chunks(14)
            .map(|part| format!("{}\n", String::from_utf8_lossy(part).trim()))
            .collect();
        let begin = "-----BEGIN PRIVATE KEY-----\n";
        let mut said = Said::default();
        assert_eq!(said.take((begin.to_owned() + &short.repeat(9)).as_bytes(), &|_| false), "");
        assert_eq!(said.end(&|_| false), CUT_OFF);
        // Other blocks are none of a key.
        let certificate = format!("-----BEGIN CERTIFICATE-----\n{line}");
        check(&[&certificate, "x\n", line], &[&certificate, "x\n", line]);
        // However much of it there is.
        let long = line.repeat(MOST_HELD / line.len() + 1);
        let mut said = Said::default();
        assert_eq!(said.take((head + &long).as_bytes(), &|_| false), CUT_OFF);
        assert_eq!(said.take(long.as_bytes(), &|_| false), "");
        assert_eq!(said.take(b"and on\n", &|_| false), "and on\n");
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
