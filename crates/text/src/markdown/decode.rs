//! Bytes of a note -> text. Owns the guess at the encoding and the right to say no: a wrong guess
//! would index rubbish under a real path, so what is not sure is refused with its reason. It knows
//! no Markdown.

use std::borrow::Cow;

/// Text, and what had to be assumed to get it.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// A UTF-8 byte order mark is still in it, so that offsets are those of the file;
    /// [`parse`](super::parse) steps over it.
    pub text: Cow<'a, str>,
    /// Set when the bytes were not UTF-8: offsets into `text` are then not those of the file.
    pub note: Option<String>,
}

/// Why bytes are no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undecodable {
    #[error("no text: NUL byte at offset {offset}")]
    Nul { offset: usize },
    #[error("broken {encoding} at byte {offset}")]
    Broken { encoding: &'static str, offset: usize },
    #[error("a Git LFS pointer, its text is not here (run `git lfs pull`)")]
    LfsPointer,
    #[error("neither UTF-8 nor surely Windows-1252 (byte {byte:#04x} at offset {offset})")]
    Unsure { byte: u8, offset: usize },
}

/// A Windows-1252 text has at least this many ASCII letters per byte above 0x7f. Western European
/// prose stays below one in ten; other code pages are mostly such bytes.
const ASCII_LETTERS_PER_HIGH_BYTE: usize = 3;

/// What stands in place of a file whose content Git LFS keeps elsewhere begins with this line.
const LFS_VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// Git LFS takes nothing longer for a pointer.
const LFS_POINTER_BYTES: usize = 1024;

/// Decodes UTF-8 (with or without mark), UTF-16 with a mark, and Windows-1252 (which holds
/// Latin-1's letters) if the bytes leave no doubt.
///
/// # Errors
/// On NUL, on an encoding that breaks off, on anything that is not surely text, and on a Git LFS
/// pointer, which is text but not the note's.
pub fn decode(bytes: &[u8]) -> Result<Decoded<'_>, Undecodable> {
    match bytes {
        _ if is_lfs_pointer(bytes) => Err(Undecodable::LfsPointer),
        [0xff, 0xfe, rest @ ..] => utf16(rest, "UTF-16LE", u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, "UTF-16BE", u16::from_be_bytes),
        _ => {
            if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
                return Err(Undecodable::Nul { offset });
            }
            match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Decoded { text: Cow::Borrowed(text), note: None }),
                Err(error) => windows_1252(bytes, error.valid_up_to()),
            }
        }
    }
}

fn is_lfs_pointer(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(LFS_VERSION) else { return false };
    bytes.len() < LFS_POINTER_BYTES && matches!(rest, [] | [b'\n', ..] | [b'\r', b'\n', ..])
}

fn utf16(
    bytes: &[u8],
    encoding: &'static str,
    unit: fn([u8; 2]) -> u16,
) -> Result<Decoded<'static>, Undecodable> {
    const MARK: usize = 2;
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut offset = MARK;
    for decoded in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        match decoded {
            Ok('\0') => return Err(Undecodable::Nul { offset }),
            Ok(c) => {
                text.push(c);
                offset += c.len_utf16() * 2;
            }
            Err(_) => return Err(Undecodable::Broken { encoding, offset }),
        }
    }
    if !odd.is_empty() {
        return Err(Undecodable::Broken { encoding, offset });
    }
    Ok(Decoded { text: Cow::Owned(text), note: Some(format!("decoded from {encoding}")) })
}

/// `invalid` is where the bytes stop being UTF-8.
fn windows_1252(bytes: &[u8], invalid: usize) -> Result<Decoded<'static>, Undecodable> {
    // Two bytes that form a UTF-8 character are two rare signs in Windows-1252 ("Ã©"): where one
    // is found, the text is UTF-8 that was damaged.
    if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return Err(Undecodable::Broken { encoding: "UTF-8", offset: invalid });
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let (mut letters, mut high) = (0, 0);
    for (offset, &byte) in bytes.iter().enumerate() {
        let neighbour = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied();
        let in_word = || {
            let beside = [neighbour(offset.checked_sub(1)), neighbour(offset.checked_add(1))];
            beside.iter().flatten().any(|beside| beside.is_ascii_alphabetic())
        };
        let c = from_1252(byte);
        let plausible = match c {
            Some('\t' | '\n' | '\r' | '\u{c}') => true,
            Some(c) if c.is_control() => false,
            Some(c) if c.is_ascii() => true,
            Some(c) => !c.is_alphabetic() || in_word(),
            None => false,
        };
        let Some(c) = c.filter(|_| plausible) else {
            return Err(Undecodable::Unsure { byte, offset });
        };
        letters += usize::from(byte.is_ascii_alphabetic());
        high += usize::from(!byte.is_ascii());
        text.push(c);
    }
    if letters < high * ASCII_LETTERS_PER_HIGH_BYTE {
        let byte = bytes.get(invalid).copied().unwrap_or_default();
        return Err(Undecodable::Unsure { byte, offset: invalid });
    }
    Ok(Decoded { text: Cow::Owned(text), note: Some("decoded from Windows-1252".to_owned()) })
}

/// `None` for the five bytes that mean nothing.
pub(crate) fn from_1252(byte: u8) -> Option<char> {
    /// 0x80..=0x9f, the block that Latin-1 fills with controls.
    const SIGNS: [char; 32] = [
        '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', //
        '\0', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => SIGNS.get(usize::from(byte) - 0x80).copied().filter(|&c| c != '\0'),
        _ => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text`, or `text | note`, or the refusal.
    fn check(bytes: &[u8], expected: &str) {
        let actual = match decode(bytes) {
            Ok(Decoded { text, note: None }) => text.into_owned(),
            Ok(Decoded { text, note: Some(note) }) => format!("{text} | {note}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected, "{bytes:?}");
    }

    #[test]
    fn decodes_what_is_sure() {
        check(b"", "");
        check("# Füße\r\n".as_bytes(), "# Füße\r\n");
        check(b"\xef\xbb\xbfhi", "\u{feff}hi");
        check(b"\x1b[2J", "\x1b[2J");
        check(b"\xff\xfeh\0i\0\x3d\xd8\x00\xde", "hi😀 | decoded from UTF-16LE");
        check(b"\xfe\xff\0h\0i", "hi | decoded from UTF-16BE");
        check(b"Stra\xdfe und Caf\xe9", "Straße und Café | decoded from Windows-1252");
        check(
            b"it\x92s about 5 \x80 \x96 na\xefve",
            "it’s about 5 € – naïve | decoded from Windows-1252",
        );
    }

    #[test]
    fn refuses_pointers_of_git_lfs() {
        const REFUSED: &str = "a Git LFS pointer, its text is not here (run `git lfs pull`)";
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
        check(pointer.as_bytes(), REFUSED);
        check(pointer.replace('\n', "\r\n").as_bytes(), REFUSED);
        for text in [
            format!("The pointer:\n\n{pointer}"),
            format!("{pointer}{}", "A note about pointers.\n".repeat(50)),
            pointer.replace("v1\n", "v1 is what it says.\n"),
        ] {
            check(text.as_bytes(), &text);
        }
    }

    #[test]
    fn refuses_what_is_not() {
        check(b"text\0more", "no text: NUL byte at offset 4");
        check(b"\xff\xfeh\0\0\0", "no text: NUL byte at offset 4");
        check(b"\xff\xfe\0\xd8h\0", "broken UTF-16LE at byte 2");
        check(b"\xff\xfeh\0i", "broken UTF-16LE at byte 4");
        check("é and more \u{e9}".as_bytes().split_last().unwrap().1, "broken UTF-8 at byte 12");
        let unsure = |byte: &str, offset: usize| {
            format!("neither UTF-8 nor surely Windows-1252 (byte {byte} at offset {offset})")
        };
        check(b"\x89PNG\x1a", &unsure("0x1a", 4));
        check(b"word \xe9 word", &unsure("0xe9", 5));
        check(b"a\x81b", &unsure("0x81", 1));
        // KOI8-R: nearly every letter is a high byte.
        check(b"a\xd2\xc9b\xd7\xc5c\xd4", &unsure("0xd2", 1));
        check(&[0x9c, 0x3f, 0xd1, 0x11, 0x8d, 0xfa, 0x20], &unsure("0x9c", 0));
    }
}
