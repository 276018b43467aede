//! What looks like a link of ours that leads nowhere, and is read by others: links of CommonMark that
//! begin like wikilinks, paths of rustdoc, pages of sites and of forges, tests of shells.

use super::{Buffer, LinkTo, Resolver};
use elophanto_text::markdown::{Destination, Link, LinkKind, followed};

impl Resolver<'_> {
    /// Whether a link that leads nowhere is not called broken.
    pub fn is_foreign(&self, buffer: &Buffer, link: &LinkTo) -> bool {
        let source = buffer.text.get(link.link.range.clone()).unwrap_or_default();
        let behind = buffer.text.get(link.link.range.end..).unwrap_or_default();
        match link.link.kind {
            LinkKind::Wiki | LinkKind::Embed => {
                let is_followed =
                    behind.starts_with('(') || behind.starts_with('[') && !behind.starts_with("[[");
                is_followed
                    || buffer.defines(&link.link.target)
                    || is_of_shell(source, &link.link.target)
            }
            LinkKind::Inline => {
                source.starts_with("[^")
                    || is_of_rustdoc(&link.link.target)
                    || is_above(&buffer.path, &link.link.target)
                    || self.is_of_site(&buffer.path, link.link)
            }
        }
    }

    /// Whether a link leads to a page that a site is made of: from the top of the site, which nobody knows
    /// here, or to what is made of a note (`x.html`, `x/index.html` of `x/README.md`); or with a question
    /// behind it that a forge answers (`x.md?raw=true`).
    fn is_of_site(&self, note: &str, link: &Link) -> bool {
        let target = link.target.split('?').next().unwrap_or(&link.target);
        if target.starts_with('/') {
            return true;
        }
        let mut made_of = Vec::new();
        if target.len() < link.target.len() {
            made_of.push(target.to_owned());
        }
        if let Some(bare) = target.strip_suffix(".html") {
            made_of.push(format!("{bare}.md"));
            made_of.extend(bare.strip_suffix("index").map(|above| format!("{above}README.md")));
        }
        made_of.into_iter().any(|target| {
            let other = Link { target, ..link.clone() };
            matches!(self.destination(note, &other), Destination::Inside(_))
        })
    }
}

/// Tests of shells (`[[ -f x ]]`), classes of characters (`[[:alpha:]]`), indices (`[[0]]`) and footnotes.
fn is_of_shell(source: &str, target: &str) -> bool {
    let inside = source.trim_start_matches('!').trim_start_matches('[').trim_end_matches(']');
    let is_test = inside.starts_with(char::is_whitespace)
        && (inside.trim_start().starts_with(['-', '!', '$', '"', '(', '\''])
            || [" == ", " = ", " != ", " =~ ", " -"].iter().any(|it| inside.contains(it)));
    is_test
        || target.starts_with('^')
        || target.len() > 2 && target.starts_with(':') && target.ends_with(':')
        || !target.is_empty() && !target.chars().any(char::is_alphabetic)
}

/// Words that say before `@` what a path of rustdoc names.
const KINDS: [&str; 23] = [
    "attr",
    "attribute",
    "const",
    "constant",
    "derive",
    "enum",
    "field",
    "fn",
    "function",
    "macro",
    "method",
    "mod",
    "module",
    "prim",
    "primitive",
    "static",
    "struct",
    "trait",
    "tyalias",
    "type",
    "union",
    "value",
    "variant",
];

/// Paths of Rust, as rustdoc links to them.
fn is_of_rustdoc(target: &str) -> bool {
    let target = target.trim_matches('`');
    if target.split_once('@').is_some_and(|(kind, _)| KINDS.contains(&kind)) {
        return true;
    }
    let bare = target.split('<').next().unwrap_or(target);
    let bare = bare.strip_suffix("()").or_else(|| bare.strip_suffix('!')).unwrap_or(bare);
    let is_word = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|char: char| char.is_ascii_digit())
            && part.chars().all(|char| char.is_alphanumeric() || char == '_')
    };
    let is_type = |word: &str| {
        word.starts_with(|char: char| char.is_ascii_uppercase())
            && word.contains(|char: char| char.is_ascii_lowercase())
    };
    let path = bare.strip_prefix("::").unwrap_or(bare);
    path.split("::").all(is_word)
        && (bare.contains("::")
            || bare.len() < target.len()
            || ["crate", "self", "super", "Self"].contains(&bare)
            || is_type(bare))
}

/// Whether a path leaves the repository: forges have pages there (`../../issues`).
fn is_above(note: &str, target: &str) -> bool {
    let folder = note.rsplit_once('/').map_or("", |(folder, _)| folder);
    followed(folder, target.split('/')).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_rust_are_told_from_names_of_notes() {
        for path in [
            "macro@crate::bits",
            "fn@from_fn",
            "tower_http::cors",
            "::serde_core",
            "crate",
            "Snafu",
            "`tower::Service`",
            "Vec<T>",
            "vec!",
            "from_fn()",
        ] {
            assert!(is_of_rustdoc(path), "{path}");
        }
        for path in ["a.md", "a/b", "river", "LICENSE", "me@example.org", "a::b.md", "", "v1.2"] {
            assert!(!is_of_rustdoc(path), "{path}");
        }
    }

    #[test]
    fn tests_of_shells_are_no_links() {
        for (source, target) in [
            ("[[ -f x ]]", "-f x"),
            ("[[ $a == b ]]", "$a == b"),
            ("[[0]]", "0"),
            ("[[:alpha:]]", ":alpha:"),
            ("[[^1]]", "^1"),
        ] {
            assert!(is_of_shell(source, target), "{source}");
        }
        for (source, target) in
            [("[[one]]", "one"), ("[[ one ]]", "one"), ("[[2024 plan]]", "2024 plan")]
        {
            assert!(!is_of_shell(source, target), "{source}");
        }
    }

    #[test]
    fn forges_have_pages_above_a_repository() {
        for (note, target, expected) in [
            ("README.md", "../../issues", true),
            ("a/b.md", "../x.md", false),
            ("a/b.md", "../../x.md", true),
            ("a/b.md", "c/../../x.md", false),
        ] {
            assert_eq!(is_above(note, target), expected, "{note} {target}");
        }
    }
}
