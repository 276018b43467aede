//! What may be a passphrase, and how one is read from a file or a pipe.

use std::io::{self, Read};

use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::entries::MAX_VALUE_BYTES;
use super::error::BadValue;

/// Longest passphrase.
pub const MAX_PASSPHRASE_BYTES: usize = 4 << 10;
/// Shortest passphrase that a vault is given.
pub const MIN_PASSPHRASE_CHARS: usize = 8;

/// Not a passphrase.
#[derive(Debug, thiserror::Error)]
pub enum BadPassphrase {
    #[error("the passphrase is empty")]
    Empty,
    #[error("the passphrase is shorter than {MIN_PASSPHRASE_CHARS} characters")]
    TooShort,
    #[error("the passphrase is longer than {MAX_PASSPHRASE_BYTES} bytes")]
    TooLong,
    #[error("the passphrase holds a NUL character")]
    Nul,
    #[error("the passphrase holds a line break")]
    LineBreak,
    #[error("the passphrase is not UTF-8")]
    NotUtf8,
    #[error("the two passphrases differ")]
    Differ,
    #[error("the passphrase cannot be read: {0}")]
    Read(#[source] io::Error),
}

/// A passphrase: the first line of what is read, without its end. Nothing beyond that line is
/// waited for.
///
/// # Errors
/// [`BadPassphrase`] when there is none, or it can't be one.
pub fn read_passphrase(reader: impl Read) -> Result<SecretString, BadPassphrase> {
    let line = Some(b'\n');
    let bytes = read_capped(reader, MAX_PASSPHRASE_BYTES + 2, line).map_err(BadPassphrase::Read)?;
    let line = match bytes.iter().position(|&byte| byte == b'\n') {
        Some(end) => &bytes[..end],
        None => &bytes[..],
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = std::str::from_utf8(line).map_err(|_| BadPassphrase::NotUtf8);
    if line.len() > MAX_PASSPHRASE_BYTES {
        return Err(BadPassphrase::TooLong);
    }
    let passphrase = SecretString::from(text?);
    check(&passphrase)?;
    Ok(passphrase)
}

/// Whether it may be the passphrase of a new vault.
///
/// # Errors
/// [`BadPassphrase`] when it may not.
pub fn check_new(passphrase: &SecretString) -> Result<(), BadPassphrase> {
    check(passphrase)?;
    let long = passphrase.expose_secret().chars().nth(MIN_PASSPHRASE_CHARS - 1).is_some();
    if long { Ok(()) } else { Err(BadPassphrase::TooShort) }
}

/// A value: all that is read, without one line feed at its end, as shells add it.
///
/// # Errors
/// `Ok(Err(_))` when it can't be kept, `Err` when it can't be read.
pub fn read_value(reader: impl Read) -> io::Result<Result<SecretString, BadValue>> {
    let bytes = read_capped(reader, MAX_VALUE_BYTES + 3, None)?;
    let value = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let value = value.strip_suffix(b"\r").unwrap_or(value);
    if value.len() > MAX_VALUE_BYTES {
        return Ok(Err(BadValue::TooLong));
    }
    let value = std::str::from_utf8(value).map(SecretString::from);
    Ok(value.map_err(|_| BadValue::NotUtf8))
}

fn check(passphrase: &SecretString) -> Result<(), BadPassphrase> {
    let text = passphrase.expose_secret();
    match text.len() {
        0 => Err(BadPassphrase::Empty),
        length if length > MAX_PASSPHRASE_BYTES => Err(BadPassphrase::TooLong),
        _ if text.contains('\0') => Err(BadPassphrase::Nul),
        _ if text.contains(['\n', '\r']) => Err(BadPassphrase::LineBreak),
        _ => Ok(()),
    }
}

/// Up to `cap` bytes, and no further than the chunk in which `end` stands. They are wiped when
/// dropped, and never moved.
fn read_capped(
    mut reader: impl Read,
    cap: usize,
    end: Option<u8>,
) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; cap]);
    let mut filled = 0;
    while filled < cap {
        let read = match reader.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(cause),
        };
        let ended = end.is_some_and(|end| bytes[filled..filled + read].contains(&end));
        filled += read;
        if ended {
            break;
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_passphrase() {
        let read = |bytes: &[u8]| {
            read_passphrase(bytes)
                .map(|passphrase| passphrase.expose_secret().to_owned())
                .map_err(|bad| bad.to_string())
        };
        for (bytes, expected) in [
            (&b"hold hands"[..], "hold hands"),
            (b"hold hands\n", "hold hands"),
            (b"hold hands\r\n", "hold hands"),
            (b"hold hands\nnot this\xff\0", "hold hands"),
            (b" two  spaces \n", " two  spaces "),
            ("ötter\n".as_bytes(), "ötter"),
        ] {
            assert_eq!(read(bytes).as_deref(), Ok(expected));
        }
        let long = [b'x'; MAX_PASSPHRASE_BYTES + 1];
        assert!(read(&long[1..]).is_ok());
        for (bytes, expected) in [
            (&b""[..], "empty"),
            (b"\nsecond line", "empty"),
            (b"hold\0hands", "NUL"),
            (b"hold\rhands", "line break"),
            (b"hold \xff", "UTF-8"),
            (&long, "longer than 4096"),
        ] {
            let said = read(bytes).unwrap_err();
            assert!(said.contains(expected), "{said}");
            assert!(!said.contains("hands"), "{said}");
        }
        assert!(read_passphrase(io::repeat(b'x')).is_err(), "endless");
    }

    #[test]
    fn nothing_after_the_line_is_waited_for() {
        struct Once(bool);
        impl Read for Once {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                assert!(!std::mem::replace(&mut self.0, true), "read again");
                bytes[..4].copy_from_slice(b"abc\n");
                Ok(4)
            }
        }
        assert_eq!(read_passphrase(Once(false)).unwrap().expose_secret(), "abc");
    }

    #[test]
    fn new_ones_are_long_enough() {
        assert!(check_new(&"12345678".into()).is_ok());
        assert!(check_new(&"öööööööö".into()).is_ok());
        let short = check_new(&"ööööööö".into());
        assert!(matches!(short, Err(BadPassphrase::TooShort)), "characters are counted");
        assert!(matches!(check_new(&"".into()), Err(BadPassphrase::Empty)));
    }

    #[test]
    fn values_may_have_lines() {
        let read =
            |bytes: &[u8]| read_value(bytes).unwrap().map(|value| value.expose_secret().to_owned());
        assert_eq!(read(b"key").unwrap(), "key");
        assert_eq!(read(b"key\n").unwrap(), "key");
        assert_eq!(read(b"key\r\n").unwrap(), "key");
        assert_eq!(read(b"a\nb\n\n").unwrap(), "a\nb\n");
        assert_eq!(read(b"").unwrap(), "");
        assert_eq!(read(b"\xff"), Err(BadValue::NotUtf8));
        assert_eq!(read(&vec![b'x'; MAX_VALUE_BYTES + 4]), Err(BadValue::TooLong));
        assert!(read(&[vec![b'x'; MAX_VALUE_BYTES], b"\r\n".to_vec()].concat()).is_ok());
        assert!(read_value(io::repeat(b'x')).unwrap().is_err(), "endless");
    }
}
