//! What a word of a shell line may stand for once bash has expanded it.

/// Stand-ins inside a [`Word::pattern`].
pub const STAR: char = '\u{e000}';
/// One character of a file name.
pub const ANY: char = '\u{e001}';
/// Whatever, slashes and leading dots included.
pub const UNKNOWN: char = '\u{e002}';

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// `*` of a file name pattern.
    Star,
    /// `?` or `[...]` of a file name pattern.
    Any,
    /// Digits that are not known.
    Number,
    /// Text that is not known.
    Unknown,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    pub pieces: Vec<Piece>,
    /// It may be no argument or several.
    pub is_many: bool,
}

impl Word {
    pub fn text(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())], is_many: false }
    }

    pub fn unknown() -> Self {
        Self { pieces: vec![Piece::Unknown], is_many: false }
    }

    pub fn number() -> Self {
        Self { pieces: vec![Piece::Number], is_many: false }
    }

    /// The one text that it stands for.
    pub fn literal(&self) -> Option<String> {
        if self.is_many {
            return None;
        }
        let mut whole = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => whole.push_str(text),
                _ => return None,
            }
        }
        Some(whole)
    }

    /// Whether any part can be anything.
    pub fn is_unknown(&self) -> bool {
        self.is_many || self.pieces.contains(&Piece::Unknown)
    }

    pub fn has_glob(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Star | Piece::Any))
    }

    /// Digits alone.
    pub fn is_number(&self) -> bool {
        !self.is_many
            && !self.pieces.is_empty()
            && self.pieces.iter().all(|piece| match piece {
                Piece::Number => true,
                Piece::Text(text) => text.bytes().all(|b| b.is_ascii_digit()) && text.len() < 20,
                _ => false,
            })
    }

    /// The text with stand-ins for what is not known.
    pub fn pattern(&self) -> String {
        let mut whole = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => whole.push_str(text),
                Piece::Star | Piece::Number => whole.push(STAR),
                Piece::Any => whole.push(ANY),
                Piece::Unknown => whole.push(UNKNOWN),
            }
        }
        if self.is_many && !self.pieces.contains(&Piece::Unknown) {
            whole.push(UNKNOWN);
        }
        whole
    }

    /// For people: `*`, `?` and `…`.
    pub fn shown(&self) -> String {
        self.pattern().replace(STAR, "*").replace(ANY, "?").replace(UNKNOWN, "\u{2026}")
    }

    /// What every text that it stands for begins with.
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    pub fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
            (_, piece) => self.pieces.push(piece),
        }
    }

    pub fn append(&mut self, other: &Self) {
        for piece in &other.pieces {
            self.push(piece.clone());
        }
        self.is_many |= other.is_many;
    }
}

/// Texts that braces of a raw word stand for: `{a,b}` and `{1..3}`. `None` when there are too many
/// or they are unusual.
pub fn braces(raw: &str, max: usize) -> Option<Vec<String>> {
    let mut queue = vec![raw.to_owned()];
    let mut done = Vec::new();
    let mut turns = 0;
    while let Some(text) = queue.pop() {
        turns += 1;
        if turns > 4 * max || done.len() > max {
            return None;
        }
        match first_brace(&text) {
            Brace::None => done.push(text),
            Brace::Unusual => return None,
            Brace::Found { start, end, parts } => {
                let (head, tail) = (text.get(..start)?, text.get(end..)?);
                if parts.len() > max {
                    return None;
                }
                queue.extend(parts.iter().rev().map(|part| format!("{head}{part}{tail}")));
            }
        }
    }
    Some(done)
}

enum Brace {
    None,
    Unusual,
    Found { start: usize, end: usize, parts: Vec<String> },
}

/// The first expression in braces that bash expands.
fn first_brace(text: &str) -> Brace {
    let mut at = 0;
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Option<(usize, usize, Vec<usize>)> = None;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let next = rest.chars().next().unwrap_or('\0');
        let step = match next {
            '\\' | '\'' | '"' | '`' | '$' => {
                let Ok(end) = super::scan::piece(text, at) else { return Brace::Unusual };
                end - at
            }
            '{' => {
                open.push((at, Vec::new()));
                1
            }
            ',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
                1
            }
            '}' => {
                if let Some((start, commas)) = open.pop() {
                    let inner = text.get(start + 1..at).unwrap_or_default();
                    let counts = !commas.is_empty() || inner.contains("..");
                    // The outermost one comes first.
                    if counts && found.as_ref().is_none_or(|(first, ..)| start < *first) {
                        found = Some((start, at + 1, commas));
                    }
                }
                1
            }
            other => other.len_utf8(),
        };
        at += step;
    }
    let Some((start, end, commas)) = found else { return Brace::None };
    if commas.is_empty() {
        let inner = text.get(start + 1..end - 1).unwrap_or_default();
        return match sequence(inner) {
            Some(parts) => Brace::Found { start, end, parts },
            None => Brace::Unusual,
        };
    }
    let mut parts = Vec::new();
    let mut from = start + 1;
    for to in commas.into_iter().chain([end - 1]) {
        parts.push(text.get(from..to).unwrap_or_default().to_owned());
        from = to + 1;
    }
    Brace::Found { start, end, parts }
}

fn sequence(inner: &str) -> Option<Vec<String>> {
    let (first, last) = inner.split_once("..")?;
    if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
        return (first <= last && last - first < 256)
            .then(|| (first..=last).map(|n| n.to_string()).collect());
    }
    let (mut a, mut b) = (first.chars(), last.chars());
    match (a.next(), a.next(), b.next(), b.next()) {
        (Some(a), None, Some(b), None) if a.is_ascii_lowercase() && b.is_ascii_lowercase() => {
            (a <= b).then(|| (a..=b).map(String::from).collect())
        }
        _ => None,
    }
}
