//! Addresses in pages: which are kept, and how they are made absolute.

use url::Url;

/// Longer addresses are dropped.
const CAP: usize = 2048;

/// `written` made absolute with `base`, or as it is if there is none. `None` for what leads
/// nowhere a reader could follow: scripts, embedded files, empty and overlong addresses.
pub(super) fn resolve(written: &str, base: Option<&Url>) -> Option<String> {
    let written = written.trim();
    if written.is_empty() || written.len() > CAP {
        return None;
    }
    match (Url::parse(written), base) {
        (Ok(url), _) => is_kept(&url).then(|| url.into()),
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => {
            let url = base.join(written).ok()?;
            is_kept(&url).then(|| url.into())
        }
        (Err(url::ParseError::RelativeUrlWithoutBase), None) => {
            let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
            written.chars().all(is_plain).then(|| written.to_owned())
        }
        (Err(_), _) => None,
    }
}

fn is_kept(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https" | "mailto")
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().len() <= CAP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_resolved() {
        #[track_caller]
        fn check(written: &str, alone: Option<&str>, with_base: Option<&str>) {
            let base = Url::parse("https://h.test/a/b?q").unwrap();
            assert_eq!(resolve(written, None).as_deref(), alone, "{written} alone");
            assert_eq!(resolve(written, Some(&base)).as_deref(), with_base, "{written}");
        }
        check("c.html", Some("c.html"), Some("https://h.test/a/c.html"));
        check("/c", Some("/c"), Some("https://h.test/c"));
        check("//o.test/x", Some("//o.test/x"), Some("https://o.test/x"));
        check("#part", Some("#part"), Some("https://h.test/a/b?q#part"));
        check("http://x.test", Some("http://x.test/"), Some("http://x.test/"));
        check("mailto:a@b.test", Some("mailto:a@b.test"), Some("mailto:a@b.test"));
        for nowhere in ["javascript:x", " JavaScript:x", "java\nscript:x", "data:text/html,x", ""] {
            check(nowhere, None, None);
        }
        check("https://u:p@x.test/", None, None);
        check(&"x".repeat(3000), None, None);
    }
}
