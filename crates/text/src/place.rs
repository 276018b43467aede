//! Places in notes as they come from outside: paths, URIs, with lines or without. Pure.

use crate::percent;

/// Scheme and authority of the URI of a note.
pub const PREFIX: &str = "elophanto://note/";
/// The template of all URIs of notes (RFC 6570).
pub const TEMPLATE: &str = "elophanto://note/{+path}";

/// Of more digits is no number of a line.
const MOST_DIGITS: usize = 18;

/// The URI of a note, all but letters, digits, `-._~` and `/` percent-encoded.
pub fn to_uri(path: &str) -> String {
    format!("{PREFIX}{}", percent::encoded(path))
}

/// A note, and its lines if they are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    /// The first line and, of two, the last: `path:12` is a place, `path:12-12` one line. There may be
    /// no such lines.
    pub lines: Option<(usize, Option<usize>)>,
    /// The path if what looks like lines is the end of a name: `a:12`.
    pub whole: String,
}

/// A place as agents write it: a path, perhaps with `./` before it, or the URI of a note; either may
/// end in a line or two, as `docs/a.md:12` or `docs/a.md:10-40`. None: it leads out of the root.
pub fn place(text: &str) -> Option<Place> {
    let whole = match text.starts_with(PREFIX) {
        true => from_uri(text)?,
        false => {
            let mut path = text;
            while let Some(rest) = path.strip_prefix("./") {
                path = rest;
            }
            is_below_root(path).then(|| path.to_owned())?
        }
    };
    let numbered = whole.rsplit_once(':').and_then(|(path, end)| {
        let (first, last) = numbers(end).filter(|_| is_below_root(path))?;
        Some((path.to_owned(), (first, end.contains('-').then_some(last))))
    });
    let (path, lines) = match numbered {
        Some((path, lines)) => (path, Some(lines)),
        None => (whole.clone(), None),
    };
    Some(Place { path, lines, whole })
}

/// The path in the URI of a note, decoded once; None: it is no such URI, or leads out of the root.
pub fn from_uri(uri: &str) -> Option<String> {
    let path = decode(uri.strip_prefix(PREFIX)?)?;
    is_below_root(&path).then_some(path)
}

fn decode(encoded: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let (high, low) = (hex(bytes.next()?)?, hex(bytes.next()?)?);
        decoded.push(high * 16 + low);
    }
    String::from_utf8(decoded).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Whether a path is relative, written with `/`, and cannot lead out of the folder it starts from.
pub fn is_below_root(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

/// One number or two, whether or not there can be such lines: whoever reads the note says so.
fn numbers(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((number(first, MOST_DIGITS)?, number(last, MOST_DIGITS)?))
}

/// The first and the last line of one line number, or of two as `10-40`.
pub fn lines(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (positive(first, 9)?, positive(last, 9)?);
    (first <= last).then_some((first, last))
}

/// A whole number over 0 in so many digits at most.
pub fn positive(digits: &str, most: usize) -> Option<usize> {
    number(digits, most).filter(|_| !digits.starts_with('0'))
}

/// A whole number in so many digits at most.
pub fn number(digits: &str, most: usize) -> Option<usize> {
    let is_number =
        (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}
