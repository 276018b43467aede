//! From text to a tree that says where everything stands.

use std::ops::Range;

use serde::de::IgnoredAny;

/// Objects and arrays inside one another.
const MAX_DEPTH: usize = 128;

/// A file as it was read.
#[derive(Debug)]
pub struct Document<'a> {
    /// All of it, comments too.
    pub text: &'a str,
    /// `None` if the file is blank.
    pub root: Option<Node>,
    /// Where comments stand, without the line end, in order.
    comments: Vec<Range<usize>>,
    /// Where commas stand, in order.
    commas: Vec<usize>,
}

/// A value and its place, in bytes.
#[derive(Debug)]
pub struct Node {
    /// From its first byte to behind its last, in the text.
    pub span: Range<usize>,
    /// What it is, with what lies in it.
    pub kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub enum Kind {
    /// In the order of the text; a key may be there twice.
    Object(Vec<Member>),
    /// In the order of the text.
    Array(Vec<Node>),
    /// Decoded.
    String(String),
    /// A number, a truth value or null.
    Scalar,
}

#[derive(Debug)]
pub struct Member {
    pub key: String,
    /// Where the key's quotation mark stands.
    pub start: usize,
    pub value: Node,
}

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw {
    /// The byte at which it is seen.
    pub offset: usize,
    /// What is wrong there, in a few words.
    pub reason: &'static str,
}

/// Reads JSON, with comments and trailing commas allowed.
pub fn parse(text: &str) -> Result<Document<'_>, Flaw> {
    let document = Document { text, root: None, comments: Vec::new(), commas: Vec::new() };
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { document, at };
    reader.skip()?;
    if reader.peek().is_none() && reader.document.comments.is_empty() {
        return Ok(reader.document);
    }
    reader.document.root = Some(reader.value(0)?);
    reader.skip()?;
    match reader.peek() {
        None => Ok(reader.document),
        Some(_) => Err(reader.flaw("something follows the value")),
    }
}

impl Document<'_> {
    /// Where the first comma between two places stands that no value encloses.
    pub fn comma_between(&self, start: usize, end: usize) -> Option<usize> {
        let next = self.commas.partition_point(|comma| *comma < start);
        self.commas.get(next).copied().filter(|comma| *comma < end)
    }

    /// Where the last comment between two places ends.
    pub fn comment_between(&self, start: usize, end: usize) -> Option<usize> {
        let next = self.comments.partition_point(|comment| comment.start < end);
        let last = next.checked_sub(1).and_then(|last| self.comments.get(last))?;
        (last.start >= start).then_some(last.end)
    }

    /// The bytes of a span, as they stand there.
    pub fn slice(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or_default()
    }
}

impl Node {
    /// The spans of the members or elements, in order.
    pub fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().map(|member| member.start..member.value.span.end).collect()
            }
            Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            Kind::String(_) | Kind::Scalar => Vec::new(),
        }
    }

    /// The value of the member or element with this number.
    pub fn item(&self, index: usize) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => members.get(index).map(|member| &member.value),
            Kind::Array(elements) => elements.get(index),
            Kind::String(_) | Kind::Scalar => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }
}

struct Reader<'a> {
    document: Document<'a>,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.document.text.as_bytes().get(self.at).copied()
    }

    fn flaw(&self, reason: &'static str) -> Flaw {
        Flaw { offset: self.at, reason }
    }

    /// The text from here on; every place that is reached is the beginning of a character.
    fn rest(&self) -> &str {
        self.document.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self) -> Result<(), Flaw> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => {
                    let rest = self.rest();
                    let length = if rest.starts_with("//") {
                        rest.find(['\n', '\r']).unwrap_or(rest.len())
                    } else if rest.starts_with("/*") {
                        let end = rest.get(2..).and_then(|body| body.find("*/"));
                        end.ok_or_else(|| self.flaw("a comment is not closed"))? + 4
                    } else {
                        return Err(self.flaw("a `/` begins no comment"));
                    };
                    self.document.comments.push(self.at..self.at + length);
                    self.at += length;
                }
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Flaw> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                return Err(self.flaw("more than 128 objects and arrays inside one another"));
            }
            Some(b'{') => Kind::Object(self.members(depth)?),
            Some(b'[') => Kind::Array(self.elements(depth)?),
            Some(b'"') => Kind::String(self.string()?),
            Some(_) => self.scalar()?,
            None => return Err(self.flaw("a value is missing")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>, Flaw> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(members);
            }
            if self.peek() != Some(b'"') {
                return Err(self.flaw("a key in double quotes or `}` is missing"));
            }
            let start = self.at;
            let key = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.flaw("a `:` is missing after a key"));
            }
            self.at += 1;
            self.skip()?;
            members.push(Member { key, start, value: self.value(depth + 1)? });
            self.comma(b'}')?;
        }
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Node>, Flaw> {
        let mut elements = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(elements);
            }
            elements.push(self.value(depth + 1)?);
            self.comma(b']')?;
        }
    }

    /// Passes over a comma, which may be missing before the bracket only.
    fn comma(&mut self, close: u8) -> Result<(), Flaw> {
        self.skip()?;
        match self.peek() {
            Some(b',') => {
                self.document.commas.push(self.at);
                self.at += 1;
                Ok(())
            }
            Some(byte) if byte == close => Ok(()),
            _ => Err(self.flaw("a comma or a closing bracket is missing")),
        }
    }

    fn string(&mut self) -> Result<String, Flaw> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.bytes().skip(1).position(|byte| {
            let is_end = byte == b'"' && !escaped || byte < b' ';
            escaped = byte == b'\\' && !escaped;
            is_end
        });
        let length = end.map_or(rest.len(), |end| end + 1);
        if rest.as_bytes().get(length) != Some(&b'"') {
            return Err(self.flaw("a string is not closed on its line"));
        }
        let body = rest.get(1..length).unwrap_or_default();
        let text = unescaped(body).ok_or_else(|| self.flaw("a string has an invalid escape"))?;
        self.at += length + 1;
        Ok(text)
    }

    fn scalar(&mut self) -> Result<Kind, Flaw> {
        let rest = self.rest();
        let is_inside =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = rest.bytes().take_while(|byte| is_inside(*byte)).count();
        let token = rest.get(..length).unwrap_or_default();
        if serde_json::from_str::<IgnoredAny>(token).is_err() {
            return Err(self.flaw("this is no value"));
        }
        self.at += length;
        Ok(Kind::Scalar)
    }
}

/// Half of a surrogate pair, which programs that cut strings write, becomes U+FFFD.
fn unescaped(body: &str) -> Option<String> {
    if !body.contains('\\') {
        return Some(body.to_owned());
    }
    let mut units: Vec<u16> = Vec::new();
    let mut chars = body.chars();
    while let Some(char) = chars.next() {
        let char = match char {
            '\\' => match chars.next()? {
                char @ ('"' | '\\' | '/') => char,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let digits = chars.as_str().get(..4)?;
                    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                    units.push(u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
                    chars = chars.as_str().get(4..)?.chars();
                    continue;
                }
                _ => return None,
            },
            char => char,
        };
        units.extend_from_slice(char.encode_utf16(&mut [0; 2]));
    }
    Some(String::from_utf16_lossy(&units))
}
