//! Paths of notes as they come from outside, and as URIs. Pure.

use crate::wire::is_below_root;

/// Scheme and authority of the URI of a note.
pub const PREFIX: &str = "elophanto://note/";
/// The template of all URIs of notes (RFC 6570).
pub const TEMPLATE: &str = "elophanto://note/{+path}";

/// The URI of a note, all but letters, digits, `-._~` and `/` percent-encoded.
pub fn to_uri(path: &str) -> String {
    let mut uri = String::with_capacity(PREFIX.len() + path.len());
    uri.push_str(PREFIX);
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
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
