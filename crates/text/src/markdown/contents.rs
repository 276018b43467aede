//! What stands in a note and says nothing to its reader: comments of HTML, and tables of contents,
//! which only repeat its headings.

use std::ops::Range;

use super::{Block, BlockKind, Document};

/// Headings over a table of contents, in lower case.
const TITLES: &[&str] = &[
    "contents", "table of contents", "toc", "on this page", "in this article", "inhalt",
    "inhaltsverzeichnis", "sommaire", "table des matières", "contenido", "contenidos", "índice",
    "indice", "содержание", "目录", "目次",
];
/// Marks that generators put a table of contents in place of, in lower case.
const MARKS: &[&str] = &["[toc]", "[[toc]]", "[[_toc_]]", "{:toc}", "* toc", "- toc", "${toc}"];
/// Bytes of the longest of them.
const MOST_MARK: usize = 9;
/// Links into the note itself, from which on a paragraph without such a heading is one.
const FEWEST_LINKS: usize = 3;

/// The parts of a note that say nothing: comments, and tables of contents with their headings.
/// `document` is what `text` parses to.
pub fn unsaid(text: &str, document: &Document) -> Vec<Range<usize>> {
    let mut found = document.comments.clone();
    let blocks = &document.blocks;
    let shown = |block: &Block| without(text, &block.range, &document.comments);
    let is_blank = |block: &Block| block.kind == BlockKind::Html && shown(block).trim().is_empty();
    let mut headings = document.headings.iter();
    let mut title: Option<&Block> = None;
    for (number, block) in blocks.iter().enumerate() {
        if matches!(block.kind, BlockKind::Heading(_)) {
            let is_title = headings.next().is_some_and(|heading| is_title(&heading.text));
            title = is_title.then_some(block);
            continue;
        }
        if is_blank(block) {
            continue;
        }
        let may_be =
            matches!(block.kind, BlockKind::List | BlockKind::Paragraph | BlockKind::Quote);
        // An entry of a list that is a link into the note says nothing, however few there are.
        let fewest = if block.kind == BlockKind::List { 1 } else { FEWEST_LINKS };
        if may_be && is_contents(&shown(block), title.is_some(), fewest) {
            found.push(block.range.clone());
            let ends_section = blocks[number + 1..]
                .iter()
                .find(|next| !is_blank(next))
                .is_none_or(|next| matches!(next.kind, BlockKind::Heading(_)));
            if let Some(title) = title.take().filter(|_| ends_section) {
                found.push(title.range.clone());
            }
        }
        title = None;
    }
    found.sort_by_key(|range| range.start);
    found
}

/// The text with these parts blank: every byte stays in its place and every line on its number.
pub fn blanked(text: &str, parts: &[Range<usize>]) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut from = 0;
    for part in parts {
        let part = part.start.max(from)..part.end.max(from);
        blank.push_str(&text[from..part.start]);
        for char in text[part.clone()].chars() {
            match char {
                '\n' | '\r' => blank.push(char),
                _ => blank.extend(std::iter::repeat_n(' ', char.len_utf8())),
            }
        }
        from = part.end;
    }
    blank.push_str(&text[from..]);
    blank
}

fn without(text: &str, range: &Range<usize>, comments: &[Range<usize>]) -> String {
    let first = comments.partition_point(|comment| comment.start < range.start);
    let inside = comments[first..].iter().take_while(|comment| comment.end <= range.end);
    let inside: Vec<Range<usize>> =
        inside.map(|comment| comment.start - range.start..comment.end - range.start).collect();
    blanked(&text[range.clone()], &inside)
}

fn is_title(heading: &str) -> bool {
    let bare = heading.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    TITLES.contains(&bare.as_str())
}

/// Whether a block holds nothing but links into the note itself; below a heading that announces
/// contents, nothing but links.
fn is_contents(block: &str, is_titled: bool, fewest: usize) -> bool {
    let bare = block.trim();
    // A table of contents begins with a link, but for marks and numbers.
    if bare
        .trim_start_matches(|char: char| !char.is_alphabetic() && char != '[')
        .starts_with(char::is_alphabetic)
    {
        return is_mark(bare);
    }
    if is_mark(bare) {
        return true;
    }
    let (mut links, mut inward) = (0, 0);
    let mut outside = String::new();
    let mut rest = block;
    while let Some(open) = rest.find('[') {
        outside.push_str(&rest[..open]);
        let Some((target, behind)) = link(&rest[open..]) else { return false };
        links += 1;
        inward += usize::from(target.trim_start_matches('<').starts_with('#'));
        rest = behind;
    }
    outside.push_str(rest);
    // Numbers of sections may stand before their links.
    !outside.contains(char::is_alphabetic)
        && (is_titled && links > 0 || links >= fewest && inward == links)
}

fn is_mark(block: &str) -> bool {
    block.len() <= MOST_MARK && MARKS.contains(&block.to_lowercase().as_str())
}

/// The target of the link that a text begins with, and what follows it.
fn link(text: &str) -> Option<(&str, &str)> {
    if let Some(wiki) = text.strip_prefix("[[") {
        return wiki.split_once("]]");
    }
    let mut depth = 0;
    let close = text.char_indices().find_map(|(at, char)| {
        match char {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    text[close + 1..].strip_prefix('(')?.split_once(')')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;

    /// What is left of a note, blank lines apart, with single spaces.
    fn check(text: &str, expected: &str) {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let document = markdown::parse(&text).unwrap();
            let blank = blanked(&text, &unsaid(&text, &document));
            assert_eq!(blank.len(), text.len());
            assert_eq!(blank.matches('\n').count(), text.matches('\n').count());
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            let lines: Vec<String> =
                blank.lines().map(words).filter(|line| !line.is_empty()).collect();
            assert_eq!(lines, expected.lines().collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn comments_say_nothing() {
        check("a <!-- b --> c\n", "a c");
        check("<!-- a\nb\n\nc -->\nd\n\n<!--e--> <!-- f -->\n", "d");
        check("---\ntitle: t\n---\n<!-- a -->\n# b\n", "---\ntitle: t\n---\n# b");
        check("- a <!-- b -->\n- <!-- c -->\n", "- a\n-");
        check("é <!-- é\nü --> b\n", "é\nb");
        // What is no comment.
        check("`<!-- a -->`\n", "`<!-- a -->`");
        check("```\n<!-- a -->\n```\n", "```\n<!-- a -->\n```");
        check("    <!-- a -->\n", "<!-- a -->");
        check("<!-- a\n\nb\n", "<!-- a\nb");
        check("<pre>\n<!-- a -->\n</pre>\n", "<pre>\n<!-- a -->\n</pre>");
        check("<div>\n<!-- a -->\nb\n</div>\n", "<div>\nb\n</div>");
        check("`<!-- a -->` <!-- b --> c\n", "`<!-- a -->` c");
    }

    #[test]
    fn tables_of_contents_say_nothing() {
        let list = "- [A](#a)\n  - [A `b`](#a-b)\n- [C [d]](#c)\n";
        check(&format!("# T\n\n{list}\n## A\n\ntext\n"), "# T\n## A\ntext");
        check(&format!("# T\n\n## Contents\n\n{list}\n## A\n\ntext\n"), "# T\n## A\ntext");
        check("## Table of Contents:\n\n1. [A](a.md)\n2. [B](b.md)\n\n## B\n", "## B");
        check(
            "## Contents\n<!-- toc -->\n\n[A](#a) | [B](#b)\n\n<!-- tocstop -->\n\ntext\n",
            "## Contents\ntext",
        );
        check("# T\n\n<!-- toc -->\n- [A](#a)\n<!-- /toc -->\n\n## A\n\ntext\n", "# T\n## A\ntext");
        check("[TOC]\n\ntext\n", "text");
        check("## Inhalt\n\n* 1.1 [[#a]]\n", "");
        // Lists that say something.
        check("- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n", "- [A](a.md)\n- [B](b.md)\n- [C](c.md)");
        check("- [A](#a)\n- [B](#b): why\n- [C](#c)\n", "- [A](#a)\n- [B](#b): why\n- [C](#c)");
        check("See [A](#a).\n", "See [A](#a).");
        check("## Contents\n\nWhat is in the box.\n", "## Contents\nWhat is in the box.");
        check("- [ ] a\n- [x] b\n- [ ] c\n", "- [ ] a\n- [x] b\n- [ ] c");
    }
}
