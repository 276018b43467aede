//! Words, strings and marks of a schema, each with the comments that are about it.

use std::ops::Range;

use super::super::{caps, draft::Draft, prose};

/// Tokens of a text that are read; a dump of rows has more.
const TOKENS: usize = 500_000;

/// How a language writes strings and comments.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: bool,
    /// What opens and closes a string or a quoted name. The first that fits counts.
    pub(super) quotes: &'static [(&'static str, &'static str)],
    /// `$tag$ .. $tag$` is a string.
    pub(super) dollars: bool,
    /// A backslash takes the next character's meaning in strings.
    pub(super) escapes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    Quoted,
    Mark,
}

pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    pub(super) start: usize,
    /// For an opening bracket: the number of the closing one.
    pub(super) partner: Option<usize>,
    /// Numbers of the comments above it, and of the one behind it on its line.
    above: Range<usize>,
    behind: Option<usize>,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is this word, of either case, and not quoted.
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind != TokenKind::Quoted && self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_name(&self) -> bool {
        self.kind != TokenKind::Mark
    }
}

pub(super) struct Tokens<'t> {
    pub(super) list: Vec<Token<'t>>,
    comments: Vec<&'t str>,
}

impl<'t> Tokens<'t> {
    /// Reads all tokens. Marks the draft where strings, comments or brackets do not close.
    pub(super) fn read(draft: &mut Draft<'t>, style: Style) -> Self {
        let mut reader = Reader {
            text: draft.text,
            style,
            tokens: Self { list: Vec::new(), comments: Vec::new() },
            open: Vec::new(),
            pending: 0..0,
            line_start: true,
            failed: false,
        };
        let mut at = 0;
        while at < draft.text.len() && reader.tokens.list.len() < TOKENS {
            at = reader.step(at);
        }
        if reader.failed || !reader.open.is_empty() || at < draft.text.len() {
            draft.failed();
        }
        reader.tokens
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'t>> {
        self.list.get(at)
    }

    /// Whether the token is this word or mark, of either case.
    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.list.get(at).is_some_and(|token| token.is(word))
    }

    /// Where a token starts, or the last one ends.
    pub(super) fn start(&self, at: usize) -> usize {
        let end = || self.list.last().map_or(0, Token::end);
        self.list.get(at).map_or_else(end, |token| token.start)
    }

    /// Behind a group in brackets, if one opens here; what never closes takes all.
    pub(super) fn behind_group(&self, at: usize) -> usize {
        self.list.get(at).map_or(at, |token| match token.partner {
            Some(close) => close + 1,
            None if matches!(token.text, "(" | "[" | "{") => self.list.len(),
            None => at,
        })
    }

    /// What the comments say above the first token, or behind the last one on its line.
    pub(super) fn doc(&self, first: usize, last: usize) -> String {
        let above = self.list.get(first).map_or(0..0, |token| token.above.clone());
        let behind = self.list.get(last).and_then(|token| token.behind);
        let numbers =
            if above.is_empty() { behind.map_or(0..0, |one| one..one + 1) } else { above };
        let comments = self.comments.get(numbers).unwrap_or_default();
        let said = comments.iter().map(|comment| prose::unmarked(comment));
        let said = said.collect::<Vec<_>>().join("\n");
        if prose::is_licence(&said) { String::new() } else { said }
    }
}

struct Reader<'t> {
    text: &'t str,
    style: Style,
    tokens: Tokens<'t>,
    /// Opening brackets that have not closed.
    open: Vec<usize>,
    /// Comments since the last token.
    pending: Range<usize>,
    /// Nothing but white space since the last line break.
    line_start: bool,
    failed: bool,
}

impl<'t> Reader<'t> {
    fn step(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let Some(first) = rest.chars().next() else { return self.text.len() };
        if first.is_whitespace() {
            return at + self.blank(rest);
        }
        let line = self.style.line_comments.iter().any(|mark| rest.starts_with(mark));
        if line {
            let length = rest.find('\n').unwrap_or(rest.len());
            return self.comment(at, length);
        }
        if self.style.block_comments && rest.starts_with("/*") {
            let length = rest[2..].find("*/").map(|end| end + 4);
            self.failed |= length.is_none();
            return self.comment(at, length.unwrap_or(rest.len()));
        }
        let quotes = self.style.quotes.iter().find(|(open, _)| rest.starts_with(open));
        if let Some((open, close)) = quotes {
            let length = self.quoted(rest, open.len(), close);
            return self.token(TokenKind::Quoted, at, length);
        }
        if self.style.dollars
            && let Some(length) = dollar_quoted(rest)
        {
            return self.token(TokenKind::Quoted, at, length);
        }
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
        if length > 0 {
            return self.token(TokenKind::Word, at, length);
        }
        self.token(TokenKind::Mark, at, first.len_utf8())
    }

    /// The length of the white space. An empty line parts comments from what follows.
    fn blank(&mut self, rest: &str) -> usize {
        let length = rest.len() - rest.trim_start().len();
        let breaks = rest[..length].bytes().filter(|byte| *byte == b'\n').count();
        self.line_start |= breaks > 0;
        if breaks > 1 {
            self.pending = self.tokens.comments.len()..self.tokens.comments.len();
        }
        length
    }

    fn comment(&mut self, at: usize, length: usize) -> usize {
        let number = self.tokens.comments.len();
        self.tokens.comments.push(&self.text[at..at + length]);
        let last = self.tokens.list.last_mut().filter(|_| !self.line_start);
        match last {
            Some(token) => {
                token.behind.get_or_insert(number);
                self.pending = number + 1..number + 1;
            }
            None => self.pending.end = number + 1,
        }
        at + length
    }

    fn token(&mut self, kind: TokenKind, at: usize, length: usize) -> usize {
        let text = &self.text[at..at + length];
        let number = self.tokens.list.len();
        let above = self.pending.clone();
        self.pending = above.end..above.end;
        self.line_start = false;
        self.tokens.list.push(Token { kind, text, start: at, partner: None, above, behind: None });
        if kind == TokenKind::Mark {
            match text {
                "(" | "[" | "{" => {
                    self.failed |= self.open.len() >= caps::DEPTH;
                    self.open.push(number);
                }
                ")" | "]" | "}" => match self.open.pop() {
                    Some(open) => self.tokens.list[open].partner = Some(number),
                    None => self.failed = true,
                },
                _ => {}
            }
        }
        at + length
    }

    /// The length of a string with its quotes. A doubled quote does not end it, or where there are
    /// escapes, an escaped one.
    fn quoted(&mut self, rest: &str, open: usize, close: &str) -> usize {
        let mut at = open;
        while let Some(found) = rest.get(at..).and_then(|inner| inner.find(close)) {
            let before = rest[..at + found].bytes().skip(open).rev();
            let slashes = before.take_while(|byte| *byte == b'\\').count();
            at += found + close.len();
            if self.style.escapes {
                if slashes % 2 == 0 {
                    return at;
                }
            } else if rest[at..].starts_with(close) {
                at += close.len();
            } else {
                return at;
            }
        }
        self.failed = true;
        rest.len()
    }
}

/// The length of `$$ .. $$` or `$tag$ .. $tag$`.
fn dollar_quoted(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('$')?;
    let tag = inner.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    if !inner[tag..].starts_with('$') {
        return None;
    }
    let mark = &rest[..tag + 2];
    let end = rest[mark.len()..].find(mark)?;
    Some(end + 2 * mark.len())
}
