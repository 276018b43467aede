//! A shell text cut into words and operators the way bash does it, and the skeleton that the
//! grammar is then asked about.
//!
//! The skeleton has the length of the text: words are replaced by `w`, redirects, comments and
//! here-documents by blanks. So the grammar decides structure alone, and no quote, escape or
//! comment can make it see other words than bash would.

use super::scan;

/// Why a text was not understood.
pub type Unparsed = &'static str;

/// What is read of a line.
pub type Result<T, E = Unparsed> = std::result::Result<T, E>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary word, assignments included.
    Word,
    /// A word that the grammar gives a meaning: `if`, `{`, ...
    Reserved,
    /// `[[ ... ]]` or `(( ... ))` as a whole.
    Test,
    /// A redirect operator; its target is the next token.
    Redirect,
    /// What a redirect reads or writes.
    Target,
    /// `;`, `&&`, `(`, a line end, ...
    Separator,
}

/// A token, by byte offsets into the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// Body of a here-document, of the operators `<<` and `<<-` alone.
    pub heredoc: Option<Heredoc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heredoc {
    pub body: String,
    /// The delimiter was quoted: nothing in the body is expanded.
    pub is_literal: bool,
}

#[derive(Debug)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub skeleton: String,
}

const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "{", "}", "!",
];
/// Reserved words after which a command may begin.
const OPENERS: &[&str] = &["if", "then", "elif", "else", "while", "until", "do", "{", "!"];
const OPERATORS: &[&str] = &[
    "<<<", "<<-", "&>>", ";;&", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "&&", "||", "|&", ";;",
    ";&", "<", ">", ";", "&", "|", "(", ")",
];

/// What the next word may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A command or a reserved word.
    Command,
    /// An argument.
    Argument,
    /// The name after `for`, `select`, `case`; then `in`.
    Name,
    In,
}

/// Cuts a text.
///
/// # Errors
/// When quotes or parentheses stay open, or something stands in it that is not understood.
pub fn lex(text: &str) -> Result<Lexed> {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        skeleton: vec![b' '; text.len()],
        place: Place::Command,
        expects_in: false,
        pending: Vec::new(),
    };
    while lexer.at < text.len() {
        lexer.step()?;
    }
    if !lexer.pending.is_empty() {
        return Err("a here-document has no end");
    }
    let skeleton = String::from_utf8(lexer.skeleton).map_err(|_| "not text")?;
    let mut lexed = Lexed { tokens: lexer.tokens, skeleton };
    lexed.stand_in_for_lone_redirects();
    Ok(lexed)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    skeleton: Vec<u8>,
    place: Place,
    /// The name that comes is that of a loop or a `case`, and `in` may follow.
    expects_in: bool,
    /// Tokens of here-documents whose bodies follow the line.
    pending: Vec<usize>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) -> Result<()> {
        let rest = self.rest();
        if rest.starts_with([' ', '\t']) {
            self.at += 1;
        } else if rest.starts_with("\\\n") {
            self.at += 2;
        } else if rest.starts_with('#') {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with('\n') {
            let at = self.at;
            self.fill(at, "\n");
            self.push(Kind::Separator, at, at + 1);
            self.at += 1;
            if self.place != Place::In {
                self.place = Place::Command;
            }
            return self.bodies();
        } else if rest.starts_with("((") && self.opens_arithmetic() {
            return self.arithmetic();
        } else if !scan::opens_substitution(rest)
            && let Some(operator) = OPERATORS.iter().find(|o| rest.starts_with(**o))
        {
            return self.operator(operator);
        } else {
            return self.word();
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        self.tokens.push(Token { kind, start, end, heredoc: None });
    }

    fn fill(&mut self, at: usize, with: &str) {
        for (place, byte) in self.skeleton.iter_mut().skip(at).zip(with.bytes()) {
            *place = byte;
        }
    }

    fn operator(&mut self, operator: &str) -> Result<()> {
        let (start, end) = (self.at, self.at + operator.len());
        self.at = end;
        if operator.contains(['<', '>']) {
            self.push(Kind::Redirect, start, end);
            return self.target(operator);
        }
        self.fill(start, operator);
        self.push(Kind::Separator, start, end);
        self.place = Place::Command;
        Ok(())
    }

    /// The word after a redirect operator.
    fn target(&mut self, operator: &str) -> Result<()> {
        loop {
            let rest = self.rest();
            if rest.starts_with([' ', '\t']) {
                self.at += 1;
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else {
                break;
            }
        }
        let start = self.at;
        let end = scan::word_end(self.text, start)?;
        if end == start {
            return Err("a redirect leads nowhere");
        }
        self.at = end;
        if matches!(operator, "<<" | "<<-") {
            self.pending.push(self.tokens.len() - 1);
        }
        self.push(Kind::Target, start, end);
        Ok(())
    }

    /// Here-documents of the line that has just ended.
    fn bodies(&mut self) -> Result<()> {
        for index in std::mem::take(&mut self.pending) {
            let (Some(operator), Some(target)) =
                (self.tokens.get(index), self.tokens.get(index + 1))
            else {
                return Err("a here-document has no delimiter");
            };
            let strips = self.text.get(operator.start..operator.end) == Some("<<-");
            let raw = self.text.get(target.start..target.end).unwrap_or_default();
            if raw.contains(['$', '`', '\n']) {
                return Err("an unusual delimiter of a here-document");
            }
            let delimiter: String =
                raw.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
            let is_literal = delimiter != raw;
            let mut body = String::new();
            let mut ended = false;
            while self.at < self.text.len() {
                let text = self.text;
                let line = text
                    .get(self.at..)
                    .unwrap_or_default()
                    .split_inclusive('\n')
                    .next()
                    .unwrap_or_default();
                self.at += line.len();
                let bare = line.strip_suffix('\n').unwrap_or(line);
                let bare = if strips { bare.trim_start_matches('\t') } else { bare };
                if bare == delimiter {
                    ended = true;
                    break;
                }
                // Bash joins such lines before it looks for the delimiter.
                if !is_literal && bare.ends_with('\\') {
                    return Err("a continued line in a here-document");
                }
                body.push_str(bare);
                body.push('\n');
            }
            if !ended {
                return Err("a here-document has no end");
            }
            if let Some(token) = self.tokens.get_mut(index) {
                token.heredoc = Some(Heredoc { body, is_literal });
            }
        }
        Ok(())
    }

    /// `for ((`, or `((` whose inner parenthesis closes right before an outer one.
    fn opens_arithmetic(&self) -> bool {
        (self.place == Place::Command || self.place == Place::Name)
            && scan::arithmetic_end(self.text, self.at + 2).is_some()
    }

    fn arithmetic(&mut self) -> Result<()> {
        let start = self.at;
        let end = scan::arithmetic_end(self.text, start + 2).ok_or("an open parenthesis")?;
        let stand_in = if self.place == Place::Name { "w in w" } else { "w" };
        if end - start < 6 {
            return Err("an unusual arithmetic command");
        }
        self.fill(start, stand_in);
        self.push(Kind::Test, start, end);
        self.at = end;
        self.place = if self.place == Place::Name { Place::Command } else { Place::Argument };
        Ok(())
    }

    fn word(&mut self) -> Result<()> {
        let start = self.at;
        let end = scan::word_end(self.text, start)?;
        if end == start {
            return Err("a character that no word begins with");
        }
        let raw = self.text.get(start..end).unwrap_or_default();
        let follows = self.text.get(end..).unwrap_or_default();
        if follows.starts_with(['<', '>']) && !scan::opens_substitution(follows) {
            if raw.bytes().all(|b| b.is_ascii_digit()) {
                // The number of a descriptor belongs to the redirect.
                self.at = end;
                return Ok(());
            }
            if raw.starts_with('{') {
                return Err("a descriptor kept in a variable");
            }
        }
        self.at = end;
        if raw == "[[" && self.place == Place::Command {
            return self.test(start);
        }
        let reserved = match self.place {
            Place::Command => RESERVED.contains(&raw),
            Place::In => matches!(raw, "in" | "do"),
            Place::Argument | Place::Name => false,
        };
        if reserved {
            self.fill(start, raw);
            self.push(Kind::Reserved, start, end);
            self.place = match raw {
                "for" | "select" | "case" | "function" => {
                    self.expects_in = raw != "function";
                    Place::Name
                }
                // Values of a loop and patterns of a `case` are words, whatever they are.
                "in" => Place::Argument,
                _ => Place::Command,
            };
            return Ok(());
        }
        self.fill(start, &"w".repeat(end - start));
        self.push(Kind::Word, start, end);
        self.place = match self.place {
            Place::Name if self.expects_in => Place::In,
            Place::Name => Place::Command,
            _ => Place::Argument,
        };
        Ok(())
    }

    /// `[[` up to its `]]`.
    fn test(&mut self, start: usize) -> Result<()> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err("`[[` has no end");
            }
            if rest.starts_with([' ', '\t', '\n', '&', '|', '(', ')'])
                || (rest.starts_with(['<', '>']) && !scan::opens_substitution(rest))
            {
                self.at += 1;
                continue;
            }
            if rest.starts_with(';') || rest.starts_with('#') {
                return Err("an unusual test");
            }
            let end = scan::word_end(self.text, self.at)?;
            let raw = self.text.get(self.at..end).unwrap_or_default();
            if raw.is_empty() {
                return Err("an unusual test");
            }
            self.at = end;
            if raw == "]]" {
                break;
            }
        }
        self.fill(start, &"w".repeat(self.at - start));
        self.push(Kind::Test, start, self.at);
        self.place = Place::Argument;
        Ok(())
    }
}

/// Whether a word assigns a variable: `NAME=`, `NAME+=`, `NAME[..]=`.
pub fn is_assignment(raw: &str) -> bool {
    let name = raw.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    if name == 0 || raw.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let rest = raw.get(name..).unwrap_or_default();
    rest.starts_with('=')
        || rest.starts_with("+=")
        || (rest.starts_with('[') && (rest.contains("]=") || rest.contains("]+=")))
}

impl Lexed {
    /// `> file` alone is a command that the skeleton would lose.
    fn stand_in_for_lone_redirects(&mut self) {
        let mut places = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind != Kind::Redirect {
                continue;
            }
            let before = self.tokens.get(..index).and_then(|all| all.last());
            let starts = before.is_none_or(|t| {
                t.kind == Kind::Separator && self.skeleton.get(t.start..t.end) != Some(")")
                    || t.kind == Kind::Reserved
                        && self
                            .skeleton
                            .get(t.start..t.end)
                            .is_some_and(|raw| OPENERS.contains(&raw))
            });
            let after = self
                .tokens
                .iter()
                .skip(index)
                .find(|t| !matches!(t.kind, Kind::Redirect | Kind::Target));
            if starts && after.is_none_or(|t| matches!(t.kind, Kind::Separator | Kind::Reserved)) {
                places.push(token.start);
            }
        }
        let mut bytes = std::mem::take(&mut self.skeleton).into_bytes();
        for place in places {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = b'w';
            }
        }
        self.skeleton = String::from_utf8(bytes).unwrap_or_default();
    }
}
