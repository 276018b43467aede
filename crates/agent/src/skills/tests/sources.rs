//! What may be named as a place, and what may not.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let actual = match Source::parse(text) {
        Ok(Source::Path(_)) => "path",
        Ok(Source::Git { folder: None, .. }) => "git",
        Ok(Source::Git { folder: Some(_), .. }) => "git folder",
        Ok(Source::Hub { .. }) => "hub",
        Err(_) => "refused",
    };
    assert_eq!(actual, expected, "{text:?}");
    if let Ok(source) = Source::parse(text) {
        assert_eq!(source.to_string(), text);
    }
}

#[test]
fn forms() {
    for text in ["./a", "../a", "/a/b", ".", "..", "skills/a", "../../bin/x", "./my folder", "./é"]
    {
        check(text, "path");
    }
    for text in [
        "https://example.org/a/b.git",
        "https://example.org:8443/a",
        "ssh://git@example.org/a/b",
        "ssh://example.org:22/a",
        "git@example.org:a/b.git",
        "file:///srv/a.git",
        "https://h/a%20b",
        "git@host:/abs/path",
    ] {
        check(text, "git");
    }
    check("https://example.org/a/b.git#skills/x", "git folder");
    check("git@example.org:a/b.git#x", "git folder");
    check("hub:writing-a-note", "hub");
    for text in [
        "",
        " ",
        " ./a",
        "-rf",
        "--upload-pack=touch x",
        "ext::sh -c touch% x",
        "ext::x/y",
        "con",
        "name",
        "hub:",
        "hub:con",
        "hub:-rf",
        "hub:../../bin/x",
        "hub:Ä",
        "hub:\u{430}dmin",
        "hub:a/b",
        "http://example.org/a",
        "git://example.org/a",
        "ftp://h/a",
        "https://",
        "https://h",
        "https://h/",
        "https://user:pass@h/a",
        "https://user@h/a",
        "ssh://u:p@h/a",
        "ssh://-oProxyCommand=x/a",
        "ssh://git@-oProxyCommand=x/a",
        "-oProxyCommand=x@h:a",
        "git@-h:a",
        "git@h:-a",
        "git@h:../a",
        "file://host/a",
        "file://a",
        "https://h/../a",
        "https://h/%2e%2e/a",
        "https://h/a%00b",
        "https://h/a%0ab",
        "https://h/a%zz",
        "https://h/a%",
        "https://ex\u{430}mple.org/a",
        "https://h/a b",
        "https://h/a;b",
        "https://h/$(x)",
        "https://h/`x`",
        "https://h/a?x",
        "https://h:0/a",
        "https://h:99999/a",
        "https://h/a\\b",
        "a\0/b",
        "./a\nb",
        "./a\u{202e}b",
        "~/a",
        "~root/a",
        "https://h/a#../x",
        "https://h/a#-x",
        "https://h/a#.git/x",
        "https://h/a#",
        "C:\\x",
        "c:/x",
        "h:a",
        "user@h",
        "fd::7/a",
        "file:a",
        "./x::y",
    ] {
        check(text, "refused");
    }
    check(&format!("./{}", "a".repeat(3_000)), "refused");
}

proptest! {
    #[test]
    fn what_is_taken_is_plain(text in "(https://|ssh://|git@|hub:|ext::|-|file://)?(\\PC){0,30}") {
        if let Ok(Source::Git { url, .. }) = Source::parse(&text) {
            prop_assert!(url.is_ascii() && !url.starts_with('-') && !url.contains("::"));
            prop_assert!(!url.contains(' '));
        }
    }
}
