//! What looks like a link of ours that leads nowhere, and is read by others: links of CommonMark that
//! begin like wikilinks, names of files in round brackets in a vault, paths of rustdoc, pages of sites and
//! of forges, tests of shells.

use super::{Buffer, LinkTo, Resolver};
use elophanto_text::markdown::{Destination, Link, LinkKind, anchor, followed};

/// What says that Docusaurus makes a site of the notes below a folder.
const DOCUSAURUS: [&str; 4] = [
    "docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs",
    "docusaurus.config.cjs",
];
/// The same of MkDocs.
const MKDOCS: [&str; 2] = ["mkdocs.yml", "mkdocs.yaml"];
/// The same of mdBook.
const MDBOOK: [&str; 1] = ["SUMMARY.md"];

impl Resolver<'_> {
    /// Whether a link that leads nowhere is not called broken.
    pub fn is_foreign(&self, buffer: &Buffer, link: &LinkTo) -> bool {
        let source = buffer.text.get(link.link.range.clone()).unwrap_or_default();
        let behind = buffer.text.get(link.link.range.end..).unwrap_or_default();
        match link.link.kind {
            LinkKind::Wiki | LinkKind::Embed => {
                let is_followed = behind.starts_with('(')
                    || behind.starts_with('[') && !behind.starts_with("[[")
                    || is_before_address(behind);
                is_followed
                    || buffer.defines(&link.link.target)
                    || is_of_shell(source, &link.link.target)
                    || is_contents(&link.link.target)
            }
            LinkKind::Inline => {
                source.starts_with("[^")
                    || is_of_rustdoc(&link.link.target)
                    || is_above(&buffer.path, &link.link.target)
                    || self.is_of_site(&buffer.path, link.link)
                    || self.is_of_vault(buffer, link.link)
            }
        }
    }

    /// Whether a link leads by name alone to a file that lies elsewhere: in a text with links in double
    /// brackets, their readers look up the others in the same way.
    fn is_of_vault(&self, buffer: &Buffer, link: &Link) -> bool {
        let links = buffer.document().map_or(&[][..], |it| it.links.as_slice());
        let by_name = Link { kind: LinkKind::Wiki, ..link.clone() };
        links.iter().any(|link| link.kind != LinkKind::Inline)
            && !link.target.starts_with('.')
            && matches!(self.destination(&buffer.path, &by_name), Destination::Inside(_))
    }

    /// Whether a link leads to a page that a site is made of, as a generator of sites has it; or with a question
    /// behind it that a forge answers (`x.md?raw=true`).
    fn is_of_site(&self, note: &str, link: &Link) -> bool {
        let target = link.target.split('?').next().unwrap_or(&link.target);
        target.len() < link.target.len() && self.leads(note, link, target)
            || self.is_beside_book(note, target)
            || self.is_of_docusaurus(note, link, target)
    }

    /// Whether a link of the note at a path would lead somewhere with another target.
    fn leads(&self, note: &str, link: &Link, target: &str) -> bool {
        let other = Link { target: target.to_owned(), ..link.clone() };
        matches!(self.destination(note, &other), Destination::Inside(_))
    }

    /// Whether a link leads out of a book to a page: other books lie beside it where it is published.
    fn is_beside_book(&self, note: &str, target: &str) -> bool {
        let book = || folders(note).find(|folder| self.holds(folder, &MDBOOK));
        target.ends_with(".html") && book().is_some_and(|book| is_above(below(note, book), target))
    }

    /// Whether Docusaurus follows a link: what ends like no file is the address of a page, which front
    /// matter may name, and files are looked for from the folders above too.
    fn is_of_docusaurus(&self, note: &str, link: &Link, target: &str) -> bool {
        let is_site = |folder: &&str| {
            let above = folder.strip_suffix("docs");
            let above = above.filter(|above| above.is_empty() || above.ends_with('/'));
            above.is_some_and(|above| self.holds(&format!("{above}website"), &DOCUSAURUS))
                || self.holds(folder, &DOCUSAURUS) && below(note, folder).contains('/')
        };
        let Some(site) = folders(note).find(is_site) else { return false };
        let is_address = target.rsplit('/').next().is_some_and(|name| !name.contains('.'));
        let mut above = folders(note).take_while(|folder| folder.len() >= site.len()).skip(1);
        is_address
            || !target.starts_with('.')
                && above.any(|folder| self.leads(&within(folder, "x.md"), link, target))
    }

    /// Whether MkDocs calls a heading of a text so: with one `-` where forges put several, and `_1` behind
    /// the second of two that are the same.
    pub fn is_of_mkdocs(&self, target: &Buffer, wanted: &str) -> bool {
        let headings = target.document().map_or(&[][..], |it| it.headings.as_slice());
        headings.iter().any(|heading| is_so_called(&heading.text, wanted))
            && folders(&target.path).any(|folder| self.holds(folder, &MKDOCS))
    }

    /// Whether one of some files lies in a folder.
    fn holds(&self, folder: &str, names: &[&str]) -> bool {
        names.iter().any(|name| self.exists(&within(folder, name)))
    }
}

/// The folders above a file, the nearest first; the top is empty.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(above(path)), |folder| (!folder.is_empty()).then(|| above(folder)))
}

/// The folder that a file or a folder lies in.
fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of a file in a folder.
fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A path as it is from one of the folders above.
fn below<'p>(path: &'p str, folder: &str) -> &'p str {
    path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/')
}

/// Whether a heading is called so by MkDocs.
fn is_so_called(heading: &str, wanted: &str) -> bool {
    let slug = anchor(heading);
    let words: Vec<&str> = slug.split('-').filter(|word| !word.is_empty()).collect();
    let slug = words.join("-");
    let behind = wanted.strip_prefix(slug.as_str());
    !slug.is_empty()
        && behind.is_some_and(|behind| {
            let number = behind.strip_prefix('_').unwrap_or("x");
            behind.is_empty() || number.parse::<u16>().is_ok()
        })
}

/// Whether an address in round brackets comes next, but apart: a link of CommonMark was meant.
fn is_before_address(behind: &str) -> bool {
    let inside = behind.trim_start_matches([' ', '\t']).strip_prefix(['(', '（']);
    inside.is_some_and(|it| it.starts_with("http://") || it.starts_with("https://"))
}

/// `[[TOC]]`, `[[_TOC_]]`: where a table of contents is put.
fn is_contents(target: &str) -> bool {
    target.trim_matches('_').eq_ignore_ascii_case("toc")
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
    "attr", "attribute", "const", "constant", "derive", "enum", "field", "fn", "function", "macro",
    "method", "mod", "module", "prim", "primitive", "static", "struct", "trait", "tyalias", "type",
    "union", "value", "variant",
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
            "macro@crate::bits", "fn@from_fn", "tower_http::cors", "::serde_core", "crate",
            "Snafu", "`tower::Service`", "Vec<T>", "vec!", "from_fn()",
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
    fn folders_above_a_file() {
        let all: Vec<&str> = folders("a/b/c.md").collect();
        assert_eq!(all, ["a/b", "a", ""]);
        assert_eq!(folders("c.md").collect::<Vec<_>>(), [""]);
        for (path, folder, expected) in
            [("a/b/c.md", "a", "b/c.md"), ("a/b/c.md", "", "a/b/c.md"), ("c.md", "", "c.md")]
        {
            assert_eq!((below(path, folder), within(folder, expected).as_str()), (expected, path));
        }
    }

    #[test]
    fn headings_as_mkdocs_calls_them() {
        for (heading, wanted, expected) in [
            ("Caret, Mark & Tilde", "caret-mark-tilde", true),
            ("Sub- and superscripts", "sub-and-superscripts", true),
            ("Otters", "otters_1", true),
            ("Otters", "otters-1", false),
            ("Otters", "otters_", false),
            ("Otters", "otters_x", false),
            ("Otters sleep", "otters", false),
            ("!", "_1", false),
        ] {
            assert_eq!(is_so_called(heading, wanted), expected, "{heading} {wanted}");
        }
    }

    #[test]
    fn what_was_meant_otherwise_than_as_a_wikilink() {
        for (behind, expected) in [
            (" (https://example.org)", true),
            ("（http://example.org）", true),
            (" (see below)", false),
            (", https://example.org", false),
            ("\n(https://example.org)", false),
        ] {
            assert_eq!(is_before_address(behind), expected, "{behind}");
        }
        for (target, expected) in
            [("TOC", true), ("_TOC_", true), ("toc", true), ("tocs", false), ("__", false)]
        {
            assert_eq!(is_contents(target), expected, "{target}");
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
