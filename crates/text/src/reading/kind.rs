//! What bytes are: by media type, then by name, then by how they begin.

use super::{Hint, ReadError, tidy};

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Markdown,
    Text,
    Html,
    Pdf,
}

/// A PDF may carry this much in front of its header.
const PDF_HEAD: usize = 1024;

/// Beginnings of formats that hold no text to read, and what they are called.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a zip archive or office document"),
    (b"PK\x05\x06", "a zip archive or office document"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"RIFF", "an image or a recording"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"7z\xbc\xaf", "an archive"),
    (b"BZh", "an archive"),
    (b"\xfd7zXZ", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"SQLite format 3\0", "a database"),
];

/// # Errors
/// [`ReadError::Unsupported`] for what is known to be neither text nor PDF, [`ReadError::NotPdf`]
/// for what is called a PDF and is none.
pub(super) fn tell(bytes: &[u8], hint: Hint<'_>) -> Result<Kind, ReadError> {
    let is_pdf = bytes.get(..PDF_HEAD).unwrap_or(bytes).windows(5).any(|at| at == b"%PDF-");
    let begins_as_pdf = bytes.trim_ascii_start().starts_with(b"%PDF-");
    let told = match by_media_type(hint.media_type.unwrap_or_default(), hint.name)? {
        Some(kind) => Some(kind),
        None => hint.name.and_then(by_name),
    };
    match told {
        Some(Kind::Pdf) if !is_pdf => return Err(ReadError::NotPdf),
        _ if begins_as_pdf => return Ok(Kind::Pdf),
        _ => {}
    }
    if let Some((_, found)) = FOREIGN.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Err(ReadError::Unsupported { found: (*found).to_owned() });
    }
    Ok(told.unwrap_or_else(|| if is_html(bytes) { Kind::Html } else { Kind::Text }))
}

/// `type/subtype` in lower case, without parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// `None` if it says nothing: absent, or "some bytes".
fn by_media_type(media_type: &str, name: Option<&str>) -> Result<Option<Kind>, ReadError> {
    let essence = essence(media_type);
    Ok(Some(match essence.as_str() {
        "" | "application/octet-stream" | "binary/octet-stream" | "application/x-download" => {
            return Ok(None);
        }
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "text/markdown" | "text/x-markdown" => Kind::Markdown,
        "application/pdf" | "application/x-pdf" => Kind::Pdf,
        // Servers that do not know Markdown call it this.
        "text/plain" if name.and_then(by_name) == Some(Kind::Markdown) => Kind::Markdown,
        "application/json" | "application/xml" | "application/yaml" | "application/toml" => {
            Kind::Text
        }
        _ if essence.starts_with("text/") => Kind::Text,
        _ => {
            let found = tidy::line(&essence, 60).unwrap_or_default();
            return Err(ReadError::Unsupported { found: format!("`{found}`") });
        }
    }))
}

fn by_name(name: &str) -> Option<Kind> {
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (_, ending) = file.rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "md" | "markdown" | "mdown" | "mkd" | "mdx" => Kind::Markdown,
        "txt" | "text" | "log" | "rst" | "org" | "adoc" => Kind::Text,
        "html" | "htm" | "xhtml" => Kind::Html,
        "pdf" => Kind::Pdf,
        _ => return None,
    })
}

fn is_html(bytes: &[u8]) -> bool {
    const HEAD: usize = 2048;
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    // UTF-16 of markup is markup with a NUL in every pair.
    let ascii: Vec<u8> = head.iter().filter(|byte| **byte != 0).copied().collect();
    let mut start = ascii.as_slice();
    for mark in [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"] {
        start = start.strip_prefix(mark).unwrap_or(start);
    }
    let mut start = start.trim_ascii_start();
    // An XML declaration or a comment may stand in front.
    while start.starts_with(b"<?") || start.starts_with(b"<!--") {
        let end: &[u8] = if start.starts_with(b"<?") { b"?>" } else { b"-->" };
        let Some(at) = start.windows(end.len()).position(|at| at == end) else { return false };
        start = start.get(at + end.len()..).unwrap_or_default().trim_ascii_start();
    }
    let begins =
        |with: &[u8]| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"<!doctype html") || begins(b"<html") || begins(b"<head") || begins(b"<body")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told() {
        #[track_caller]
        fn check(media_type: Option<&str>, name: Option<&str>, bytes: &[u8], expected: &str) {
            let found = match tell(bytes, Hint { media_type, name }) {
                Ok(kind) => format!("{kind:?}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expected, "{media_type:?} {name:?}");
        }
        check(Some("text/html; charset=utf-8"), Some("a.md"), b"x", "Html");
        check(Some("TEXT/HTML"), None, b"", "Html");
        check(Some("text/plain"), Some("https://h.test/README.md?x=1"), b"x", "Markdown");
        check(Some("text/plain"), Some("a.html"), b"<html>", "Text");
        check(Some("application/octet-stream"), Some("a.md"), b"x", "Markdown");
        check(None, Some("A.PDF"), b"%PDF-1.4", "Pdf");
        check(None, Some("a.pdf"), b"junk\n%PDF-1.4", "Pdf");
        check(Some("text/html"), None, b"%PDF-1.7 ...", "Pdf");
        check(None, None, b"talks of %PDF- files", "Text");
        check(None, None, b"\xef\xbb\xbf\n<!DOCTYPE html>", "Html");
        check(None, None, b"<?xml version='1.0'?><!-- x --><HTML lang=en>", "Html");
        check(None, None, b"\xff\xfe<\0h\0t\0m\0l\0>\0", "Html");
        check(None, None, b"<!-- never closed <html>", "Text");
        check(None, Some("noext"), b"", "Text");
        let pdf = "this is no PDF: it does not begin like one";
        check(None, Some("a.pdf"), b"PK\x03\x04", pdf);
        check(Some("application/pdf"), None, b"<html>", pdf);
        let image = "no text can be read from `image/png`";
        check(Some("image/png"), Some("a.md"), b"x", image);
        let image = "no text can be read from an image";
        check(None, Some("a.md"), b"\x89PNG\r\n", image);
        check(Some("a\u{202e}b"), None, b"x", "no text can be read from `ab`");
    }
}
