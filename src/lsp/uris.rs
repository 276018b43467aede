//! Addresses of files. Pure.

use std::{
    ffi::OsString,
    fmt::Write as _,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    str::FromStr,
};

use lsp_types::Uri;

/// The path that an address names; `None` if it names no file of this machine.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digit = |at: usize| tail.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        rest = tail;
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).ok()?);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
    (!bytes.contains(&0)).then(|| PathBuf::from(OsString::from_vec(bytes)))
}

/// The address of a file.
pub fn uri_of(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_addresses_unchanged() {
        for path in ["/a b/ü#1?.md", "/100%.md", "/a%20b", "/[x]/(y)"] {
            let uri = uri_of(Path::new(path)).expect("an address");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
        for other in ["untitled:Untitled-1", "http://example.org/a", "file:relative"] {
            let uri = Uri::from_str(other).expect("an address");
            assert_eq!(path_of(&uri), None, "{other}");
        }
    }
}
