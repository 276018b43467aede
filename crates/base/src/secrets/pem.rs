//! Private keys between `BEGIN` and `END` lines: one finding for the whole block, or for what there
//! is of it, and which lines of a text are of one.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::{Found, MASK};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// The longest name of a block, such as `ENCRYPTED PRIVATE KEY`.
const MAX_LABEL: usize = 60;
/// The smallest key (Ed25519) has 64; an ellipsis between the lines is documentation.
const MIN_BODY: usize = 60;
/// A block of which one end is missing is taken to be no longer than this.
const MAX_OPEN: usize = 16 * 1024;
/// Characters of a word that is a line of a key even where a number, a path or a mark stands before it.
const KEY_WORD: usize = 24;
/// Characters of the shortest line that is known again; a key ends in what is left.
const MIN_LINE: usize = 8;

/// All private keys of a text.
pub(super) fn blocks(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut begins = text.match_indices(BEGIN).map(|(at, _)| at).peekable();
    let mut ends = text.match_indices(END).map(|(at, _)| at).peekable();
    // Up to where the text belongs to a block already.
    let mut done = 0;
    loop {
        let start = begins.next().unwrap_or(text.len());
        // Ends whose beginning is missing.
        while let Some(close) = ends.next_if(|end| *end < start) {
            found.extend(headless(text, done, close));
            done = close + END.len();
        }
        if start == text.len() {
            return found;
        }
        let Some(body) = body_of(text, start + BEGIN.len()) else { continue };
        let limit = begins.peek().copied().unwrap_or(text.len());
        let close = ends.peek().copied().filter(|end| *end < limit);
        let (secret, end) = match close {
            Some(close) => (key_text(&text[body..close]), label_end(text, close + END.len())),
            None => {
                let open = text.floor_char_boundary(limit.min(body + MAX_OPEN));
                (key_text(&text[body..open]), body + last_key_line(&text[body..open]))
            }
        };
        if is_key(&secret) {
            found.push(Found { range: start..end, kind: KIND, secret, certain: true });
            done = end;
            ends.next_if(|end| Some(*end) == close);
        }
    }
}

const KIND: &str = "private key";

/// Whether a private key begins in a line.
pub fn begins_key(line: &str) -> bool {
    line.match_indices(BEGIN).any(|(at, _)| body_of(line, at + BEGIN.len()).is_some())
}

/// Whether a private key ends in a line.
pub fn ends_key(line: &str) -> bool {
    line.match_indices(END).any(|(at, _)| body_of(line, at + END.len()).is_some())
}

/// Whether a line is, or holds in one word, what private keys are made of. So are other things: it
/// tells where a key has begun.
pub fn may_be_of_key(line: &str) -> bool {
    let bare = line.trim_matches(|char| !is_key_char(char));
    let is_bare = bare.len() >= KEY_WORD / 2 && bare.chars().all(is_key_char);
    is_bare || line.split(|char| !is_key_char(char)).any(|word| word.len() >= KEY_WORD)
}

/// The lines of the private keys of a whole text, by which they are known where a piece of it is
/// shown without the line that a key begins with.
#[derive(Debug, Default)]
pub struct KeyLines(FxHashSet<String>);

impl KeyLines {
    pub fn of(whole: &str) -> Self {
        let mut lines = FxHashSet::default();
        for Found { range, .. } in blocks(whole) {
            let parts = pieces(&whole[range]).map(part_of);
            lines.extend(parts.filter_map(|part| match part {
                Part::Key(word) if word.len() >= MIN_LINE => Some(bare(word).to_owned()),
                _ => None,
            }));
        }
        Self(lines)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The piece with [`MASK`] in the place of each of these lines, whatever stands before them (a number,
    /// the mark of a difference). Its own lines stay where they are.
    pub fn hide<'p>(&self, piece: &'p str) -> Cow<'p, str> {
        if self.is_empty() {
            return Cow::Borrowed(piece);
        }
        let (mut shown, mut at) = (String::new(), 0);
        for word in piece.split(|char| !is_key_char(char)) {
            let end = offset(piece, word) + word.len();
            // A line break as JSON writes it.
            let is_escaped = piece[..end - word.len()].ends_with('\\');
            let word = if is_escaped { word.strip_prefix('n').unwrap_or(word) } else { word };
            let word = bare(word);
            if self.0.contains(word) {
                shown.push_str(&piece[at..end - word.len()]);
                shown.push_str(MASK);
                at = end;
            }
        }
        if at == 0 {
            return Cow::Borrowed(piece);
        }
        shown.push_str(&piece[at..]);
        Cow::Owned(shown)
    }
}

impl FromIterator<KeyLines> for KeyLines {
    fn from_iter<I: IntoIterator<Item = Self>>(all: I) -> Self {
        Self(all.into_iter().flat_map(|lines| lines.0).collect())
    }
}

/// Without the marks of lines that a difference adds.
fn bare(word: &str) -> &str {
    word.trim_start_matches('+')
}

/// The key that ends at `close` and of which the beginning is not in the text, behind `from`.
fn headless(text: &str, from: usize, close: usize) -> Option<Found> {
    body_of(text, close + END.len())?;
    let from = text.ceil_char_boundary(from.max(close.saturating_sub(MAX_OPEN)));
    let (mut start, mut secret) = (close, Vec::new());
    let lines: Vec<&str> = pieces(text.get(from..close)?).collect();
    for line in lines.into_iter().rev() {
        match part_of(line) {
            Part::Key(word) => {
                start = offset(text, word);
                secret.push(word);
            }
            Part::Beside => {}
            Part::Prose => break,
        }
    }
    secret.reverse();
    let (secret, end) = (secret.concat(), label_end(text, close + END.len()));
    is_key(&secret).then_some(Found { range: start..end, kind: KIND, secret, certain: true })
}

/// Where the text behind `... PRIVATE KEY-----` starts, of which the name starts at `label`.
fn body_of(text: &str, label: usize) -> Option<usize> {
    let reach = text.floor_char_boundary((label + MAX_LABEL).min(text.len()));
    let length = text[label..reach].find(DASHES)?;
    let name = &text[label..label + length];
    let private = name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK");
    private.then_some(label + length + DASHES.len())
}

/// Behind the dashes that end a line of which the name starts at `label`.
fn label_end(text: &str, label: usize) -> usize {
    let reach = text.floor_char_boundary((label + MAX_LABEL).min(text.len()));
    text[label..reach].find(DASHES).map_or(label, |length| label + length + DASHES.len())
}

/// The key's own characters. Ends where prose begins.
fn key_text(inside: &str) -> String {
    let parts = pieces(inside).map(part_of).take_while(|part| !matches!(part, Part::Prose));
    parts.filter_map(|part| if let Part::Key(word) = part { Some(word) } else { None }).collect()
}

/// Where the last line of a key that is not closed ends: others may have spoken between its lines.
fn last_key_line(inside: &str) -> usize {
    let mut is_prose = false;
    let mut end = 0;
    for line in pieces(inside) {
        match part_of(line) {
            Part::Key(word) if !is_prose || word.len() >= KEY_WORD => {
                end = offset(inside, word) + word.len();
            }
            Part::Key(_) | Part::Beside => {}
            Part::Prose => is_prose = true,
        }
    }
    end
}

fn is_key(secret: &str) -> bool {
    secret.len() >= MIN_BODY && distinct_bytes(secret) > 10
}

/// What a line between `BEGIN` and `END` is.
enum Part<'t> {
    /// The key's own characters in it.
    Key(&'t str),
    /// Nothing, or a header such as `Proc-Type: 4,ENCRYPTED`.
    Beside,
    Prose,
}

/// Whatever stands around the key's characters: quotes, indents, and numbers and paths, with which
/// programs show lines.
fn part_of(line: &str) -> Part<'_> {
    let line = line.trim_matches(|char| !is_key_char(char));
    if line.is_empty() {
        return Part::Beside;
    }
    if line.chars().all(is_key_char) {
        return Part::Key(line);
    }
    let is_name = |name: &str| name.chars().all(|char| char.is_ascii_alphabetic() || char == '-');
    if line.split_once(": ").is_some_and(|(name, _)| is_name(name)) {
        return Part::Beside;
    }
    match line.rsplit(|char| !is_key_char(char)).next() {
        Some(word) if word.len() >= KEY_WORD => Part::Key(word),
        _ if line.contains(": ") => Part::Beside,
        _ => Part::Prose,
    }
}

/// The lines of a text, also those of a string in JSON.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r']).flat_map(|line| line.split("\\n"))
}

fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '=')
}

/// Where a part of a text starts in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn distinct_bytes(text: &str) -> usize {
    let mut seen = [false; 256];
    text.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}
