//! What people wrote between the lines of code: comments, and texts of errors and logs.
//!
//! One pass over the bytes that knows how comments and strings look in each language, nothing of
//! their grammar. A mistake costs a remark, never more.

use elophanto_text::outline::FileKind;

use super::{
    phrases::is_message,
    text::{cut, tidy},
};

/// Most comments and most messages that are kept of one file.
const MAX_REMARKS: usize = 2_000;
/// Longest comment that is read, in bytes.
const MAX_COMMENT: usize = 4_000;
/// Longest string that is looked at, in bytes.
const MAX_MESSAGE: usize = 300;
/// How far before a string the word is looked for that makes it a message.
const REACH: usize = 60;

/// Words before a string that say that people are to read it.
const MESSAGE_HINTS: &[&str] = &[
    "err", "fail", "panic", "warn", "info", "debug", "trace", "log", "expect", "bail", "ensure",
    "raise", "throw", "exception", "fatal", "assert", "message", "msg", "abort", "reason", "help",
    "describ", "context", "ok_or", "print", "die", "echo", "write_str", "display", "=>",
];

/// One comment or message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remark {
    /// 1-based line where it begins.
    pub line: usize,
    /// Its text without comment marks.
    pub text: String,
}

/// What [`remarks`] found, each in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Comments; those on consecutive lines are one.
    pub comments: Vec<Remark>,
    /// Texts for people in strings.
    pub messages: Vec<Remark>,
}

struct Syntax {
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
    /// Bytes that open and close a string.
    quotes: &'static [u8],
    /// A lone `'` is no string but a lifetime or a character.
    characters: bool,
    triple: bool,
    /// A line comment begins only after white space, as in a shell.
    apart: bool,
}

impl Syntax {
    fn of(kind: FileKind) -> Option<Self> {
        let braces = Self {
            line: &["//"],
            block: Some(("/*", "*/")),
            quotes: b"\"",
            characters: false,
            triple: false,
            apart: false,
        };
        Some(match kind {
            FileKind::Rust | FileKind::C | FileKind::Java => Self { characters: true, ..braces },
            FileKind::Go => Self { characters: true, quotes: b"\"`", ..braces },
            FileKind::JavaScript | FileKind::TypeScript | FileKind::Tsx => {
                Self { quotes: b"\"'`", ..braces }
            }
            FileKind::Protobuf => Self { quotes: b"\"'", ..braces },
            FileKind::Sql => Self { line: &["--"], quotes: b"'", ..braces },
            FileKind::Python | FileKind::GraphQl => {
                Self { line: &["#"], block: None, quotes: b"\"'", triple: true, ..braces }
            }
            FileKind::Shell => {
                Self { line: &["#"], block: None, quotes: b"\"'", apart: true, ..braces }
            }
            // Apostrophes stand alone in these.
            FileKind::Yaml | FileKind::Toml => {
                Self { line: &["#"], block: None, quotes: b"\"", apart: true, ..braces }
            }
            FileKind::Service | FileKind::Timer => {
                Self { line: &["#", ";"], block: None, quotes: b"", apart: true, ..braces }
            }
            FileKind::Json => Self { quotes: b"\"", ..braces },
            FileKind::Cpp | FileKind::CSharp | FileKind::Zig => Self { characters: true, ..braces },
            FileKind::Kotlin | FileKind::Swift | FileKind::Scala => {
                Self { characters: true, triple: true, ..braces }
            }
            FileKind::Groovy | FileKind::Dart => Self { quotes: b"\"'", triple: true, ..braces },
            FileKind::Php => Self { line: &["//", "#"], quotes: b"\"'", ..braces },
            FileKind::Ruby | FileKind::Perl | FileKind::R => {
                Self { line: &["#"], block: None, quotes: b"\"'", apart: true, ..braces }
            }
            FileKind::Elixir => {
                Self { line: &["#"], block: None, triple: true, apart: true, ..braces }
            }
            FileKind::Julia => Self {
                line: &["#"],
                block: Some(("#=", "=#")),
                characters: true,
                triple: true,
                ..braces
            },
            FileKind::PowerShell => Self {
                line: &["#"],
                block: Some(("<#", "#>")),
                quotes: b"\"'",
                apart: true,
                ..braces
            },
            FileKind::Lua => {
                Self { line: &["--"], block: Some(("--[[", "]]")), quotes: b"\"'", ..braces }
            }
            FileKind::Haskell => {
                Self { line: &["--"], block: Some(("{-", "-}")), characters: true, ..braces }
            }
            FileKind::OCaml => {
                Self { line: &[], block: Some(("(*", "*)")), characters: true, ..braces }
            }
            FileKind::Erlang => Self { line: &["%"], block: None, ..braces },
            FileKind::Clojure => Self { line: &[";"], block: None, ..braces },
            FileKind::Markdown | FileKind::Text => return None,
        })
    }
}

/// Comments and messages of a text.
pub(super) fn remarks(kind: FileKind, text: &str) -> Remarks {
    let Some(syntax) = Syntax::of(kind) else { return Remarks::default() };
    Scan { syntax, text, at: 0, line: 1, last: None, found: Remarks::default() }.run()
}

struct Scan<'a> {
    syntax: Syntax,
    text: &'a str,
    at: usize,
    line: usize,
    /// Line of the last comment that stands on a line of its own, if the next may continue it.
    last: Option<usize>,
    found: Remarks,
}

impl<'a> Scan<'a> {
    fn run(mut self) -> Remarks {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b'\\' => self.at += if bytes.get(self.at + 1) == Some(&b'\n') { 1 } else { 2 },
                b'\'' if self.syntax.characters => self.character(),
                _ if self.syntax.quotes.contains(&byte) => self.string(byte),
                b'/' | b'#' | b'-' | b';' | b'%' | b'<' | b'{' | b'(' => {
                    if !self.comment() {
                        self.at += 1;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.found
    }

    /// The rest of the text, which may not begin at a character border after a lone back slash.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        if let Some((open, end)) = self.syntax.block
            && rest.starts_with(open)
        {
            let inner = &rest[open.len()..];
            let length = inner.find(end).unwrap_or(inner.len());
            let body = &inner[..length];
            self.block(body);
            self.line += body.matches('\n').count();
            self.at += (open.len() + length + end.len()).min(rest.len());
            return true;
        }
        let before = self.text.get(..self.at).unwrap_or("");
        let apart =
            !self.syntax.apart || before.is_empty() || before.ends_with(char::is_whitespace);
        if !apart || !self.syntax.line.iter().any(|mark| rest.starts_with(mark)) {
            return false;
        }
        let length = rest.find('\n').unwrap_or(rest.len());
        let body = rest[..length].trim_start_matches(['/', '#', '-', ';', '!', '%']).trim();
        let own_line = before.lines().next_back().is_none_or(|line| line.trim().is_empty());
        self.line_comment(body, own_line || before.ends_with('\n'));
        self.at += length;
        true
    }

    fn line_comment(&mut self, body: &str, own_line: bool) {
        let body = cut(body, MAX_COMMENT);
        let continues = own_line && self.last.is_some_and(|last| last + 1 == self.line);
        self.last = own_line.then_some(self.line);
        if continues && let Some(open) = self.found.comments.last_mut() {
            if open.text.len() + body.len() < MAX_COMMENT {
                open.text.push('\n');
                open.text.push_str(body);
            }
        } else {
            // An empty one too: what follows on the next line continues it.
            self.add_comment(self.line, body.to_owned());
        }
    }

    fn block(&mut self, body: &str) {
        let mut text = String::new();
        for line in cut(body, MAX_COMMENT).lines() {
            let line = line.trim().trim_start_matches('*').trim();
            text.push_str(line);
            text.push('\n');
        }
        self.last = None;
        self.add_comment(self.line, text.trim().to_owned());
    }

    fn add_comment(&mut self, line: usize, text: String) {
        if self.found.comments.len() < MAX_REMARKS {
            self.found.comments.push(Remark { line, text });
        } else {
            self.last = None;
        }
    }

    fn character(&mut self) {
        // `'a'`, `'\n'`, `'\u{1f}'`; everything else is a lifetime.
        let inner = self.text.get(self.at + 1..).unwrap_or("");
        let length = match inner.strip_prefix('\\') {
            Some(escape) => escape.get(1..).and_then(|rest| rest.find('\'')).map(|end| end + 2),
            None => inner.chars().next().map(char::len_utf8),
        };
        self.at += match length {
            Some(length)
                if length <= 12 && inner.get(length..).is_some_and(|r| r.starts_with('\'')) =>
            {
                length + 2
            }
            _ => 1,
        };
    }

    fn string(&mut self, quote: u8) {
        let bytes = self.text.as_bytes();
        let (start, line) = (self.at, self.line);
        let triple = [quote; 3];
        if self.syntax.triple && bytes[start..].starts_with(&triple) {
            let mark = if quote == b'"' { "\"\"\"" } else { "'''" };
            let rest = self.text.get(start + 3..).unwrap_or("");
            let length = rest.find(mark).unwrap_or(rest.len());
            self.line += rest[..length].matches('\n').count();
            self.at = (start + length + 6).min(bytes.len());
            return;
        }
        // Rust's raw strings know no escapes and end at their own number of marks.
        let marks = bytes[..start].iter().rev().take_while(|&&byte| byte == b'#').count();
        let raw = self.syntax.characters && bytes[..start - marks].ends_with(b"r");
        let marks_at = |at: usize| bytes.iter().skip(at).take_while(|&&byte| byte == b'#').count();
        let mut end = start + 1;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'\n' => {
                    // Only a few languages let strings run on; elsewhere it is a stray quote.
                    if !self.syntax.characters && quote != b'`' {
                        break;
                    }
                    self.line += 1;
                }
                b'\\' if !raw => {
                    self.line += usize::from(bytes.get(end + 1) == Some(&b'\n'));
                    end += 1;
                }
                _ if byte == quote && (!raw || marks_at(end + 1) >= marks) => break,
                _ => {}
            }
            end += 1;
        }
        let end = end.min(bytes.len());
        self.message(start, end, line);
        self.at = end + usize::from(bytes.get(end) == Some(&quote));
    }

    fn message(&mut self, start: usize, end: usize, line: usize) {
        let Some(text) = self.text.get(start + 1..end) else { return };
        if text.len() > MAX_MESSAGE || self.found.messages.len() >= MAX_REMARKS || !is_message(text)
        {
            return;
        }
        let before = &self.text.as_bytes()[start.saturating_sub(REACH)..start];
        let before = String::from_utf8_lossy(before).to_lowercase();
        if MESSAGE_HINTS.iter().any(|hint| before.contains(hint)) {
            let text = text.replace("\\n", " ").replace("\\\n", " ").replace("\\\"", "\"");
            self.found.messages.push(Remark { line, text: tidy(&text) });
        }
    }
}
