//! Bytes to text: UTF-8, UTF-16 with a mark, Windows-1252 (which browsers take for Latin-1 and for
//! ASCII too). What declares another encoding is refused with its name rather than guessed at.

use super::{ReadError, tidy};
use crate::markdown::from_1252;

/// How far into a page its declaration is looked for.
const DECLARED_WITHIN: usize = 4096;

/// A text that says it is UTF-8 may have one broken place per this many bytes.
const BYTES_PER_BREAK: usize = 200;

/// The mark decides, then the media type, then, in a page, its own declaration. What declares
/// nothing is UTF-8 if it can be, else Windows-1252 if it could be text.
///
/// # Errors
/// [`ReadError::Encoding`] and [`ReadError::Undecodable`].
pub(super) fn decode(
    bytes: &[u8],
    media_type: Option<&str>,
    is_page: bool,
) -> Result<String, ReadError> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => return utf8(rest),
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    if let Some(name) = media_type.and_then(of_media_type) {
        return by_name(bytes, &name);
    }
    if let Some(name) = is_page.then(|| of_page(bytes)).flatten() {
        // A declaration that could be read as ASCII does not stand in UTF-16.
        let name = if name.starts_with("utf-16") { "utf-8".to_owned() } else { name };
        return by_name(bytes, &name);
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => utf8(bytes),
        // A character that is whole in UTF-8 is two rare signs in Windows-1252.
        Err(_) if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) => utf8(bytes),
        Err(_) => windows_1252(bytes),
    }
}

fn by_name(bytes: &[u8], name: &str) -> Result<String, ReadError> {
    match name {
        "utf-8" | "utf8" | "unicode-1-1-utf-8" => utf8(bytes),
        // Declared by default, and often wrong.
        "us-ascii" | "ascii" | "iso-8859-1" | "latin1" | "latin-1" | "iso8859-1" | "l1"
        | "windows-1252" | "cp1252" | "x-cp1252" => match std::str::from_utf8(bytes) {
            Ok(text) if !text.is_ascii() => utf8(bytes),
            _ => windows_1252(bytes),
        },
        _ => Err(ReadError::Encoding { name: tidy::line(name, 40).unwrap_or_default() }),
    }
}

/// The `charset` of a media type, in lower case.
fn of_media_type(media_type: &str) -> Option<String> {
    let mut parameters = media_type.split(';').skip(1).filter_map(|part| part.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    let value = value.trim().trim_matches(['"', '\'']).trim();
    (!value.is_empty()).then(|| value.to_ascii_lowercase())
}

/// What stands after the first `charset=` in a `<meta>` of the head, or after `encoding=` of an XML
/// declaration.
fn of_page(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..DECLARED_WITHIN).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let xml = head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split("?>").next());
    if let Some(value) = xml.and_then(|declaration| after(declaration, "encoding")) {
        return Some(value);
    }
    let metas = head.split("<meta").skip(1);
    metas.filter_map(|rest| rest.split('>').next()).find_map(|meta| after(meta, "charset"))
}

fn after(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(name)?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let rest = rest.trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '/' | '?'));
    let value = rest.get(..end.unwrap_or(rest.len()))?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// With a few broken places, as when a download ends inside a character.
fn utf8(bytes: &[u8]) -> Result<String, ReadError> {
    let mut text = String::with_capacity(bytes.len());
    let mut broken = 0;
    let mut first = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            if broken == 0 {
                first = text.len();
            }
            broken += 1;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    if broken > 1 + bytes.len() / BYTES_PER_BREAK {
        return Err(ReadError::Undecodable { encoding: "UTF-8", offset: first });
    }
    plausible(text, "UTF-8")
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, ReadError> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for (at, decoded) in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).enumerate() {
        match decoded {
            Ok(character) => text.push(character),
            Err(_) if at + 1 >= pairs.len() => {}
            Err(_) => {
                return Err(ReadError::Undecodable { encoding: "UTF-16", offset: at * 2 + 2 });
            }
        }
    }
    plausible(text, "UTF-16")
}

fn windows_1252(bytes: &[u8]) -> Result<String, ReadError> {
    // The five bytes that mean nothing become controls, which are dropped later.
    let character = |byte: &u8| from_1252(*byte).unwrap_or(char::from(*byte));
    plausible(bytes.iter().map(character).collect(), "Windows-1252")
}

/// Refuses what is mostly control characters: bytes of something else that happen to decode.
fn plausible(text: String, encoding: &'static str) -> Result<String, ReadError> {
    const ONE_IN: usize = 20;
    let is_control = |c: &char| c.is_control() && !c.is_whitespace();
    let (mut all, mut controls, mut first) = (0_usize, 0_usize, None);
    for (offset, character) in text.char_indices() {
        all += 1;
        if is_control(&character) {
            controls += 1;
            first = first.or(Some(offset));
        }
    }
    match first {
        Some(offset) if controls > 2 + all / ONE_IN => {
            Err(ReadError::Undecodable { encoding, offset })
        }
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_decoded() {
        #[track_caller]
        fn check(bytes: &[u8], media_type: Option<&str>, expected: &str) {
            let found = decode(bytes, media_type, true).unwrap_or_else(|error| error.to_string());
            assert_eq!(found, expected);
        }
        check("é".as_bytes(), None, "é");
        check(b"\xef\xbb\xbf\xc3\xa9", Some("text/html; charset=koi8-r"), "é");
        check(b"\xff\xfeh\0i\0", None, "hi");
        check(b"\xfe\xff\0h\0i\0", None, "hi");
        check(b"caf\xe9 \x80", None, "café €");
        check(b"caf\xe9", Some("text/html;charset=ISO-8859-1"), "café");
        check(b"caf\xc3\xa9", Some("text/html; Charset=\"latin1\""), "café");
        check(b"<meta charset=windows-1252>caf\xe9", None, "<meta charset=windows-1252>café");
        check(b"<meta charset='utf-16'>x", None, "<meta charset='utf-16'>x");
        let refused = |name: &str| ReadError::Encoding { name: name.to_owned() }.to_string();
        check(b"x", Some("text/html; charset=Shift_JIS"), &refused("shift_jis"));
        check(b"x", Some("text/html; charset=utf-16le"), &refused("utf-16le"));
        let meta = b"<meta http-equiv=x content='text/html; charset=gbk'>x";
        check(meta, None, &refused("gbk"));
        check(b"<?xml version='1.0' encoding='big5'?><html>", None, &refused("big5"));
        check(b"talk of charset=gbk", None, "talk of charset=gbk");
        // Cut inside a character, and broken all over.
        check(
            b"words and words \xc3",
            Some("text/html; charset=utf-8"),
            "words and words \u{fffd}",
        );
        let broken = b"\xe9a\xe9b\xe9c\xe9";
        check(broken, Some("text/html; charset=utf-8"), "this is no text in UTF-8 (byte 0)");
        check(b"\x01\x02\x03\x04\x05", None, "this is no text in UTF-8 (byte 0)");
        check(b"a\0b", None, "a\0b");
    }
}
