//! A YAML reader for text that nobody vouches for: front matter and configuration files.
//!
//! Owns the budget (bytes, depth, nodes) and the refusal of everything that makes YAML dangerous
//! or ambiguous: anchors and aliases, duplicate keys, keys that are no scalars, several documents.
//! It walks the parser's events, so nothing is built before it has been counted, and no call
//! recurses. It refuses to know what a key means, and guesses no types: `1.10` stays `1.10` and
//! `007` stays `007`, for whoever asked for the value knows what it should be.

use std::collections::HashSet;

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::{ScanError, TScalarStyle};

/// How much a text may ask of the reader. Every cap is inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of the whole text.
    pub max_bytes: usize,
    /// Collections inside each other.
    pub max_depth: usize,
    /// Scalars and collections together; keys count too.
    pub max_nodes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { max_bytes: 64 * 1024, max_depth: 32, max_nodes: 10_000 }
    }
}

/// A value and the line it starts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// 1-based line within the text given to [`parse`].
    pub line: usize,
    pub value: Value,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing, `~` or an unquoted `null`.
    Null,
    /// The text of a scalar as it was written, without quotes and with escapes resolved.
    Scalar(String),
    Sequence(Vec<Node>),
    /// Entries in the order of the text. No key occurs twice.
    Mapping(Vec<(String, Node)>),
}

/// Why a text was refused. Lines are 1-based.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    #[error("{bytes} bytes of YAML, over the cap of {max}")]
    TooLarge { bytes: usize, max: usize },
    #[error("YAML nested deeper than the cap of {max}")]
    TooDeep { line: usize, max: usize },
    #[error("more YAML nodes than the cap of {max}")]
    TooManyNodes { line: usize, max: usize },
    #[error("anchors and aliases are not allowed in YAML here")]
    Alias { line: usize },
    #[error("the key `{key}` occurs twice")]
    DuplicateKey { line: usize, key: String },
    #[error("a list or mapping as a key is not allowed")]
    KeyNotScalar { line: usize },
    #[error("more than one YAML document")]
    SeveralDocuments { line: usize },
    #[error("invalid YAML: {reason}")]
    Syntax { line: usize, reason: String },
}

impl YamlError {
    /// The 1-based line of the offence, where there is a single one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::TooLarge { .. } => None,
            Self::TooDeep { line, .. }
            | Self::TooManyNodes { line, .. }
            | Self::Alias { line }
            | Self::DuplicateKey { line, .. }
            | Self::KeyNotScalar { line }
            | Self::SeveralDocuments { line }
            | Self::Syntax { line, .. } => Some(*line),
        }
    }
}

/// Reads one YAML document. A text without any content is [`Value::Null`].
///
/// # Errors
/// On broken syntax, on what the module refuses, and on the first cap of `budget` that is hit.
pub fn parse(text: &str, budget: &Budget) -> Result<Node, YamlError> {
    if text.len() > budget.max_bytes {
        return Err(YamlError::TooLarge { bytes: text.len(), max: budget.max_bytes });
    }
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder { budget, nodes: 0, open: Vec::new(), root: None };
    loop {
        let (event, mark) = parser.next_token().map_err(|error| refusal(&error, budget))?;
        if event == Event::StreamEnd {
            break;
        }
        builder.take(event, mark.line())?;
    }
    Ok(builder.root.unwrap_or(Node { line: 1, value: Value::Null }))
}

/// The scanner looks ahead and has a depth limit of its own (255), which it may hit first.
fn refusal(error: &ScanError, budget: &Budget) -> YamlError {
    let line = error.marker().line();
    match error.info() {
        "recursion limit exceeded" => YamlError::TooDeep { line, max: budget.max_depth },
        reason => YamlError::Syntax { line, reason: reason.to_owned() },
    }
}

/// A collection whose end has not been seen. A key waits for its value together with its line.
enum Open {
    Sequence {
        line: usize,
        items: Vec<Node>,
    },
    Mapping {
        line: usize,
        entries: Vec<(String, Node)>,
        seen: HashSet<String>,
        key: Option<(String, usize)>,
    },
}

struct Builder<'a> {
    budget: &'a Budget,
    nodes: usize,
    open: Vec<Open>,
    root: Option<Node>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event, line: usize) -> Result<(), YamlError> {
        match event {
            Event::Alias(_) => return Err(YamlError::Alias { line }),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if anchor != 0 =>
            {
                return Err(YamlError::Alias { line });
            }
            Event::DocumentStart if self.root.is_some() => {
                return Err(YamlError::SeveralDocuments { line });
            }
            Event::Scalar(text, style, ..) => {
                self.count(line)?;
                self.scalar(text, style, line)?;
            }
            Event::SequenceStart(..) => {
                self.descend(line)?;
                self.open.push(Open::Sequence { line, items: Vec::new() });
            }
            Event::MappingStart(..) => {
                self.descend(line)?;
                let (entries, seen) = (Vec::new(), HashSet::new());
                self.open.push(Open::Mapping { line, entries, seen, key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn count(&mut self, line: usize) -> Result<(), YamlError> {
        self.nodes += 1;
        let max = self.budget.max_nodes;
        if self.nodes > max { Err(YamlError::TooManyNodes { line, max }) } else { Ok(()) }
    }

    fn descend(&mut self, line: usize) -> Result<(), YamlError> {
        self.count(line)?;
        if let Some(Open::Mapping { key: None, .. }) = self.open.last() {
            return Err(YamlError::KeyNotScalar { line });
        }
        let max = self.budget.max_depth;
        if self.open.len() >= max { Err(YamlError::TooDeep { line, max }) } else { Ok(()) }
    }

    fn scalar(&mut self, text: String, style: TScalarStyle, line: usize) -> Result<(), YamlError> {
        let mut line = line;
        if let Some(Open::Mapping { key, seen, .. }) = self.open.last_mut() {
            let Some((_, key_line)) = key else {
                if !seen.insert(text.clone()) {
                    return Err(YamlError::DuplicateKey { line, key: text });
                }
                *key = Some((text, line));
                return Ok(());
            };
            // The parser reports a missing value where it noticed, at the next key.
            if style == TScalarStyle::Plain && text.is_empty() {
                line = *key_line;
            }
        }
        let null = style == TScalarStyle::Plain
            && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL");
        let value = if null { Value::Null } else { Value::Scalar(text) };
        self.place(Node { line, value });
        Ok(())
    }

    fn close(&mut self) {
        let node = match self.open.pop() {
            Some(Open::Sequence { line, items }) => Node { line, value: Value::Sequence(items) },
            Some(Open::Mapping { line, entries, .. }) => {
                Node { line, value: Value::Mapping(entries) }
            }
            None => return,
        };
        self.place(node);
    }

    fn place(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(Open::Sequence { items, .. }) => items.push(node),
            Some(Open::Mapping { entries, key, .. }) => {
                let (key, _) = key.take().unwrap_or_default();
                entries.push((key, node));
            }
            None => self.root = Some(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    /// `{key@line: value, ...}`, so that order, lines and raw text show in one string.
    fn render(node: &Node) -> String {
        match &node.value {
            Value::Null => "null".to_owned(),
            Value::Scalar(text) => format!("{text:?}"),
            Value::Sequence(items) => {
                format!("[{}]", items.iter().map(render).collect::<Vec<_>>().join(", "))
            }
            Value::Mapping(entries) => {
                let mut out = String::new();
                for (key, node) in entries {
                    let comma = if out.is_empty() { "" } else { ", " };
                    let _ = write!(out, "{comma}{key}@{}: {}", node.line, render(node));
                }
                format!("{{{out}}}")
            }
        }
    }

    /// Time that this thread has worked: what other processes do meanwhile does not count.
    fn worked() -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes to a value of the type that the call asks for.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
    }

    /// What a text reads as; for a refusal `line: message`. Either takes less than 100 ms.
    fn check(text: &str, expected: &str) {
        let started = worked();
        let actual = match parse(text, &Budget::default()) {
            Ok(node) => render(&node),
            Err(error) => format!("{:?}: {error}", error.line()),
        };
        let shown: String = text.chars().take(60).collect();
        assert_eq!(actual, expected, "{shown}");
        let took = worked() - started;
        assert!(took < Duration::from_millis(100), "{shown}: {took:?}");
    }

    #[test]
    fn keeps_order_lines_and_raw_text() {
        check("", "null");
        check("# only a comment\n", "null");
        check("just prose", r#""just prose""#);
        check("b: 1.10\na: 007\n", r#"{b@1: "1.10", a@2: "007"}"#);
        check("a: yes\nb: 0x1F\nc: 1e3\n", r#"{a@1: "yes", b@2: "0x1F", c@3: "1e3"}"#);
        check(
            "a:\nb: ~\nc: null\nd: ''\ne: 'null'",
            r#"{a@1: null, b@2: null, c@3: null, d@4: "", e@5: "null"}"#,
        );
        check(
            "a: [x, 'y, z']\nb:\n  - one\n  - k: v\n",
            r#"{a@1: ["x", "y, z"], b@3: ["one", {k@4: "v"}]}"#,
        );
        check("a: |\n  one\n  two\nb: \"t\\u0041b\"\r\n", r#"{a@2: "one\ntwo\n", b@4: "tAb"}"#);
        check("a: 2024-01-01T10:00:00Z", r#"{a@1: "2024-01-01T10:00:00Z"}"#);
        check("--- \na: 1\n...\n", r#"{a@2: "1"}"#);
    }

    #[test]
    fn refuses_what_is_ambiguous_or_dangerous() {
        check("a: 1\nb: 2\na: 3\n", "Some(3): the key `a` occurs twice");
        check("x:\n  a: 1\n  'a': 3\n", "Some(3): the key `a` occurs twice");
        check("a: &x 1\n", "Some(1): anchors and aliases are not allowed in YAML here");
        check("a: &x [1]\nb: *x\n", "Some(1): anchors and aliases are not allowed in YAML here");
        check("[a, b]: 1\n", "Some(1): a list or mapping as a key is not allowed");
        check("a: 1\n---\nb: 1\n", "Some(2): more than one YAML document");
        check("a: [1\nb: 2\n", "Some(2): invalid YAML: illegal placement of ':' indicator");
    }

    #[test]
    fn holds_the_budget() {
        let deep = "YAML nested deeper than the cap of 32";
        check(&"[".repeat(10_000), &format!("Some(1): {deep}"));
        check(&"{a: ".repeat(10_000), &format!("Some(1): {deep}"));
        check(&"- ".repeat(10_000), &format!("Some(1): {deep}"));
        let blocks: String = (0..300).map(|depth| " ".repeat(depth) + "a:\n").collect();
        check(&blocks, &format!("Some(33): {deep}"));
        let level: String = ('a'..='z').map(|c| format!("{c}: &{c} [*{c}, *{c}]\n")).collect();
        check(&level, "Some(1): anchors and aliases are not allowed in YAML here");
        let many = "- a\n".repeat(10_001);
        check(&many, "Some(10000): more YAML nodes than the cap of 10000");
        let key = "k".repeat(1 << 20) + ": v";
        check(&key, "None: 1048579 bytes of YAML, over the cap of 65536");
    }

    proptest! {
        #[test]
        fn never_panics(text in r#"([-\[\]{}:,?&*!|>'"%@`#a0~ \n\t.]{0,40}|\PC{0,40})"#) {
            let _ = parse(&text, &Budget::default());
        }
    }
}
