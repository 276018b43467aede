//! Which media types are fetched. Pure.

use url::Url;

/// Most characters kept of a media type.
const CAP: usize = 200;

/// Whether bodies of this type are read. Files of unknown type are if their name says what they
/// are; a server that says nothing is given a chance.
pub(super) fn is_read(media_type: &str, url: &Url) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        ""
        | "text/html"
        | "application/xhtml+xml"
        | "text/plain"
        | "text/markdown"
        | "text/x-markdown"
        | "application/pdf"
        | "application/x-pdf" => true,
        "application/octet-stream" | "binary/octet-stream" | "application/x-download" => {
            let ending = url.path().rsplit_once('.').map_or("", |(_, ending)| ending);
            ["pdf", "md", "markdown", "txt", "html", "htm"]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(ending))
        }
        _ => false,
    }
}

/// Whether bodies of this type may be a picture.
pub(super) fn is_picture(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "" | "image/png" | "image/jpeg" | "image/webp" | "image/gif")
}

/// `media_type` for a message: its essence, if it could be one.
pub(super) fn shown(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/+-.".contains(c);
    match essence.len() <= 60 && !essence.is_empty() && essence.chars().all(is_plain) {
        true => format!("`{essence}`"),
        false => "something of an unknown type".to_owned(),
    }
}

/// A header cut to what a media type can be.
pub(super) fn kept(header: &str) -> String {
    header.chars().filter(|c| !c.is_control()).take(CAP).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_are_read() {
        #[track_caller]
        fn check(media_type: &str, path: &str, expected: bool) {
            let url = Url::parse("https://h.test").unwrap().join(path).unwrap();
            assert_eq!(is_read(media_type, &url), expected, "{media_type} {path}");
        }
        check("Text/HTML; charset=x", "/", true);
        check("text/plain", "/x.rs", true);
        check("", "/x", true);
        check("application/octet-stream", "/a.PDF?x=1", true);
        check("application/octet-stream", "/a.exe", false);
        check("application/octet-stream", "/a", false);
        check("image/png", "/a.md", false);
        check("application/zip", "/", false);
        check("text/html-evil", "/", false);
        assert_eq!(shown("image/png; x=1"), "`image/png`");
        assert_eq!(shown("\u{1b}[2J"), "something of an unknown type");
    }
}
