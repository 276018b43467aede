//! Changes that mend what was found.

use std::ops::Range;

use super::Listing;
use crate::reading::Catalogue;
use elophanto_index::links::Files;
use elophanto_text::{
    authoring::nearest,
    markdown::{Destination, Link, LinkKind},
    percent,
};

/// Notes that are proposed in the place of one that is not there.
const NEAR: usize = 3;
/// Besides blanks, what would end a path in round brackets, or be taken for markup there.
const MARKS: &str = "()<>#?%\"'\\&`*[]!|:";

/// Another text in the place of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, for the menu of an editor.
    pub title: String,
    /// Bytes of the buffer.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

/// Notes that a target which leads nowhere may mean, the likeliest first.
pub fn near<'l>(target: &str, listing: &'l Listing) -> Vec<&'l str> {
    nearest(target, listing.paths().iter().map(String::as_str), NEAR)
}

/// How a note links to another: by the name alone where no other note has it, else by its path; in round
/// brackets from its own folder.
pub fn target_to(
    from: &str,
    to: &str,
    kind: LinkKind,
    is_pointed: bool,
    listing: &Listing,
) -> String {
    let is_inline = kind == LinkKind::Inline;
    let leads = |target: &String| {
        let link = Link { target: target.clone(), kind, heading: None, line: 1, range: 0..0 };
        let is_there = |path: &str| listing.contains(path);
        let found = listing.names.destination(from, &link, &is_there, &Files::default());
        is_inline
            || !listing.names.is_shared(target)
                && matches!(found, Destination::Inside(found) if found == to)
    };
    let style = LinkStyle { kind, is_pointed, is_whole: is_inline, has_path: false };
    let found = targets(from, to, style).into_iter().find(leads);
    found.unwrap_or_else(|| to.strip_suffix(".md").unwrap_or(to).to_owned())
}

/// How a link is written.
pub struct LinkStyle {
    /// Of Markdown or of wikis.
    pub kind: LinkKind,
    /// In `<` and `>`, as paths with blanks are.
    pub is_pointed: bool,
    /// With `.md` at its end.
    pub is_whole: bool,
    /// With folders.
    pub has_path: bool,
}

/// The ways to write a target, the one that is likest to how it was written first.
pub fn targets(from: &str, to: &str, style: LinkStyle) -> Vec<String> {
    let LinkStyle { kind, is_pointed, is_whole, has_path } = style;
    let bare = to.strip_suffix(".md").unwrap_or(to);
    match kind {
        LinkKind::Inline => {
            let path = |to: &str| {
                let path = relative(from, to);
                if is_pointed { path } else { encoded(&path) }
            };
            if is_whole { vec![path(to)] } else { vec![path(bare), path(to)] }
        }
        LinkKind::Wiki | LinkKind::Embed => {
            let stem = bare.rsplit('/').next().unwrap_or(bare);
            let mut all = match is_whole {
                true => vec![format!("{stem}.md"), to.to_owned(), bare.to_owned()],
                false => vec![stem.to_owned(), bare.to_owned(), to.to_owned()],
            };
            if has_path {
                all.rotate_left(1);
            }
            // Percent signs, and what ends a link, are written otherwise.
            let plain = |target: &String| !target.contains(['[', ']', '|', '#', '%', '\\', '&']);
            all.into_iter().filter(plain).collect()
        }
    }
}

/// The path of a file from the folder of another.
pub fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from.split('/').collect();
    let folder = folder.split_last().map(|(_, folder)| folder).unwrap_or_default();
    let target: Vec<&str> = to.split('/').collect();
    let common = folder
        .iter()
        .zip(&target[..target.len().saturating_sub(1)])
        .take_while(|(one, other)| one == other)
        .count();
    let up = std::iter::repeat_n("..", folder.len() - common);
    up.chain(target[common..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// A path as it stands in round brackets.
pub fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for char in path.chars() {
        match char.is_control() || char.is_whitespace() || MARKS.contains(char) {
            true => out.push_str(&percent::encoded(char.to_string())),
            false => out.push(char),
        }
    }
    out
}

/// Entities and notes that call themselves so, whatever the case of the letters.
pub fn titled<'c>(name: &str, catalogue: &'c Catalogue) -> Vec<&'c str> {
    let name = name.to_lowercase();
    let entries = catalogue.entries.iter();
    let titled = entries.filter(|entry| entry.title.to_lowercase() == name);
    titled.take(NEAR).map(|entry| entry.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_one_folder_to_another() {
        for (from, to, expected) in [
            ("a.md", "b.md", "b.md"),
            ("x/a.md", "x/b.md", "b.md"),
            ("x/a.md", "b.md", "../b.md"),
            ("x/y/a.md", "x/z/b.md", "../z/b.md"),
            ("x/a.md", "x", "../x"),
            ("a.md", "x/y/b.md", "x/y/b.md"),
        ] {
            assert_eq!(relative(from, to), expected, "{from} {to}");
        }
        assert_eq!(encoded("a b/(c)#1 ä.md"), "a%20b/%28c%29%231%20ä.md");
    }

    #[test]
    fn a_name_is_enough_where_it_names_one_note() {
        let paths = ["a/one.md", "b/one.md", "b/two.md", "c.md"].map(str::to_owned);
        let listing = Listing::from_paths(paths.into());
        let check = |from: &str, to: &str, kind, expected: &str| {
            assert_eq!(target_to(from, to, kind, false, &listing), expected);
        };
        check("c.md", "b/two.md", LinkKind::Wiki, "two");
        check("c.md", "b/one.md", LinkKind::Wiki, "b/one");
        check("c.md", "a/one.md", LinkKind::Wiki, "a/one");
        check("a/one.md", "b/two.md", LinkKind::Inline, "../b/two.md");
    }
}
