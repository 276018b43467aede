//! Plain texts that stand behind a margin of blanks, in which Markdown would see code; terms of manuals with
//! what they mean below them become items.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Blanks of a margin.
const LEAST_MARGIN: usize = 2;
/// Fewest dashes that stand below a heading.
const LEAST_RULE: usize = 3;
/// Fewest lines of text that tell.
const LEAST_LINES: usize = 10;

/// The text without the margin that most of its lines have; lines stay lines.
pub(super) fn without_margin(text: &str) -> Cow<'_, str> {
    // What a manual is printed with.
    let spaced = text.contains('\t') && is_manual(text);
    let text = if spaced { Cow::Owned(with_blanks(text)) } else { Cow::Borrowed(text) };
    match without_blanks(&text) {
        Some(kept) => Cow::Owned(kept),
        None => text,
    }
}

/// Whether a text has headings of manuals, each right above what stands behind a margin.
fn is_manual(text: &str) -> bool {
    const LEAST: usize = 2;
    let lines = text.lines().zip(text.lines().skip(1));
    let heads = lines.filter(|(line, next)| {
        is_in_capitals(line.trim_end()) && next.starts_with([' ', '\t']) && !next.trim().is_empty()
    });
    heads.take(LEAST).count() == LEAST
}

/// The text with blanks for the tabs before its lines and within them.
fn with_blanks(text: &str) -> String {
    const WIDTH: usize = 8;
    let mut kept = String::with_capacity(text.len());
    let mut column = 0;
    for char in text.chars() {
        let width = if char == '\t' { WIDTH - column % WIDTH } else { 1 };
        match char {
            '\t' => kept.extend(std::iter::repeat_n(' ', width)),
            char => kept.push(char),
        }
        column = if char == '\n' { 0 } else { column + width };
    }
    kept
}

fn without_blanks(text: &str) -> Option<String> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut all = 0_usize;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        // What is marked up has lines of its own at the margin.
        let is_rule =
            line.trim_end().len() >= LEAST_RULE && line.trim_end().bytes().all(|it| it == b'-');
        let is_marked = line.starts_with(['#', '`', '|', '<', '-', '*', '>']) && !is_rule;
        if is_marked || line.contains('\t') {
            return None;
        }
        all += 1;
        *counts.entry(line.len() - line.trim_start_matches(' ').len()).or_default() += 1;
    }
    let mut common = counts.iter().filter(|(_, count)| **count * 10 >= all);
    let margin = common.find(|(margin, _)| **margin >= LEAST_MARGIN).map(|(margin, _)| margin);
    let margin = margin?;
    let behind: usize = counts.range(margin..).map(|(_, count)| count).sum();
    if all < LEAST_LINES || behind * 5 < all * 3 {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let mut is_behind_blank = true;
    // Below `NAME`, and within what explains a term.
    let (mut is_name, mut term) = (false, None);
    // The term at the margin, of which deeper ones are values.
    let mut outer: Option<(usize, String)> = None;
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let bare = line.trim();
        if is_behind_blank && next.starts_with("  ") && is_in_capitals(line.trim_end()) {
            is_name = bare == "NAME";
            let mut said = line.to_lowercase();
            said[..1].make_ascii_uppercase();
            kept.push_str("### ");
            kept.push_str(&said);
            (is_behind_blank, term, outer) = (true, None, None);
            continue;
        }
        let margin_of_next = next.len() - next.trim_start_matches(' ').len();
        let is_above_deeper = blanks >= *margin && margin_of_next > blanks + 1;
        let is_free = term.is_none_or(|term| blanks <= term);
        if let Some((name, what)) = bare.split_once(" - ").filter(|_| is_name) {
            kept.push_str(&format!("- {name}: {what}\n"));
        } else if let Some(item) = bare.strip_prefix("- ").filter(|_| is_free) {
            kept.push_str(&format!("- {}\n", literal(item)));
        } else if is_behind_blank && is_part(line, next, *margin) {
            kept.push_str(&format!("#### {bare}\n"));
            (is_behind_blank, term, outer) = (true, None, None);
            continue;
        } else if is_behind_blank && is_above_deeper && is_term(bare) && !next.trim().is_empty() {
            outer = outer.filter(|(margin, _)| blanks > *margin);
            let of = outer.as_ref().map(|(_, of)| format!("{of}, ")).unwrap_or_default();
            kept.push_str(&format!("- `{of}{bare}`:\n"));
            if outer.is_none() {
                outer = Some((blanks, name_of(bare).to_owned()));
            }
            term = Some(blanks);
            is_behind_blank = false;
            continue;
        } else if let Some((name, what)) = option(bare).filter(|_| blanks == *margin) {
            kept.push_str(&format!("- `{name}`: {}\n", literal(what)));
            term = Some(blanks);
            outer = Some((blanks, name_of(name).to_owned()));
        } else if term.is_some_and(|term| blanks > term) && (!is_behind_blank || names_option(bare))
        {
            kept.push_str(&format!("{}\n", literal(bare)));
        } else if term.is_some_and(|term| blanks > term) {
            // What is told of a term further below says nothing without it.
            kept.push('\n');
            continue;
        } else {
            term = term.filter(|term| bare.is_empty() || blanks > *term);
            outer = outer.filter(|(margin, _)| bare.is_empty() || blanks > *margin);
            kept.push_str(&literal(&line[blanks.min(*margin)..]));
        }
        is_behind_blank = bare.is_empty();
    }
    Some(kept)
}

/// `--mode` of `--mode=one|two`, and `Multi-Arch` of `Multi-Arch: no|same`.
fn name_of(term: &str) -> &str {
    let end = term.find([' ', '=', '[', ':']).filter(|end| *end > 0);
    end.map_or(term, |end| &term[..end])
}

/// `   Integrating services`, which heads a part of a manual's part: before the margin of what stands below it.
fn is_part(line: &str, next: &str, margin: usize) -> bool {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let bare = line.trim();
    (1..margin).contains(&blanks(line))
        && blanks(next) >= margin
        && !next.trim().is_empty()
        && bare.starts_with(char::is_uppercase)
        && is_term(bare)
}

/// `The no-cache option turns it off`, below the term whose value that is.
fn names_option(line: &str) -> bool {
    let name = line.strip_prefix("The ").and_then(|rest| rest.split(' ').next());
    name.is_some_and(|it| {
        it.starts_with(|char: char| char.is_ascii_lowercase()) && it.contains(['-', '_'])
    })
}

/// What is printed, in which an asterisk is one, `/usr/lib/*,/usr/local/lib/*`, and `# Off` no heading.
fn literal(text: &str) -> Cow<'_, str> {
    let shown = match text.contains('*') {
        true => Cow::Owned(text.replace('*', "\\*")),
        false => Cow::Borrowed(text),
    };
    let at = shown.len() - shown.trim_start().len();
    match shown[at..].starts_with('#') {
        true => Cow::Owned(format!("{}\\{}", &shown[..at], &shown[at..])),
        false => shown,
    }
}

/// `--lines number`, above what it means: neither a sentence nor a part of one.
fn is_term(line: &str) -> bool {
    const MOST: usize = 70;
    const MOST_WORDS: usize = 6;
    line.len() <= MOST
        && line.split_whitespace().count() <= MOST_WORDS
        && !line.ends_with(['.', ':', ',', ';', '?'])
        && !line.contains('`')
}

/// `-s     Squeeze blank lines`, and `q   Quit without asking`.
fn option(line: &str) -> Option<(&str, &str)> {
    const LONGEST_KEY: usize = 12;
    let (term, what) = line.split_once("  ")?;
    let what = what.trim();
    // Two blanks may only stretch a line.
    let is_key = line[term.len()..].starts_with("   ")
        && !term.contains(' ')
        && term.len() <= LONGEST_KEY
        && what.starts_with(char::is_uppercase)
        && !term.ends_with('.');
    let is_option = term.starts_with('-') && term.len() > 1 && is_term(term);
    ((is_option || is_key) && what.contains(' ')).then_some((term, what))
}

/// `DESCRIPTION`, as manuals head their parts.
fn is_in_capitals(line: &str) -> bool {
    const LEAST: usize = 4;
    const MOST_WORDS: usize = 4;
    line.len() >= LEAST
        && line.split(' ').count() <= MOST_WORDS
        && line.starts_with(|it: char| it.is_ascii_uppercase())
        && line.bytes().all(|it| it.is_ascii_uppercase() || matches!(it, b' ' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_goes_and_code_stays() {
        let text = format!("1. Head\n\n{}    1. One\n\n", "   Words here.\n".repeat(10));
        let kept = without_margin(&text);
        assert_eq!(kept, format!("1. Head\n\n{} 1. One\n\n", "Words here.\n".repeat(10)));
        let words = "    Words here.\n".repeat(10);
        let manual = format!(
            "NAME\n    foo - a bar\n\nDESCRIPTION\n{words}\n    -n, --lines N\n        Print N\n        \
             lines.\n\n    -s  Print none.\n\n    Words here.\n"
        );
        let words = "Words here.\n".repeat(10);
        let expected = format!(
            "### Name\n- foo: a bar\n\n### Description\n{words}\n- `-n, --lines N`:\nPrint N\nlines.\n\n- \
             `-s`: Print none.\n\nWords here.\n"
        );
        assert_eq!(without_margin(&manual), expected);
        // Parts of parts, and items.
        let parts = format!(
            "NAME\n       foo - a bar\n\nDESCRIPTION\n   Small parts\n{}\n       - One is\n         here.\n",
            "       Words here.\n".repeat(10)
        );
        let expected = format!(
            "### Name\n- foo: a bar\n\n### Description\n#### Small parts\n{words}\n- One is\nhere.\n"
        );
        assert_eq!(without_margin(&parts).replace("  ", ""), expected);
        // Values of an option.
        let values = format!(
            "NAME\n       foo - a bar\n\nOPTIONS\n{}\n       --mode=MODE\n           Set the mode.\n\n           \
             The no-cache option is\n           new.\n\n           It is.\n\n           one\n               First \
             one.\n\n       --all\n           All of them.\n",
            "       Words here.\n".repeat(10)
        );
        let expected = format!(
            "### Name\n- foo: a bar\n\n### Options\n{words}\n- `--mode=MODE`:\nSet the mode.\n\nThe no-cache \
             option is\nnew.\n\n\n\n- `--mode, one`:\nFirst one.\n\n- `--all`:\nAll of them.\n"
        );
        assert_eq!(without_margin(&values), expected);
        // With tabs, and an option right below its heading.
        let tabbed = format!(
            "NAME\n\tfoo - a bar\n\nOPTIONS\n\t-n, --lines N\n\t\tPrint N lines.\n\n{}",
            "\tWords here.\n".repeat(10)
        );
        let expected = format!(
            "### Name\n- foo: a bar\n\n### Options\n- `-n, --lines N`:\nPrint N lines.\n\n{words}"
        );
        assert_eq!(without_margin(&tabbed), expected);
        // Keys, and what is written into a file.
        let keys = format!(
            "NAME\n       foo - a bar\n\nKEYS\n       q   Quit at once\n\n{}\n         # Off\n         -e\n",
            "       Words here.\n".repeat(10)
        );
        let expected = format!(
            "### Name\n- foo: a bar\n\n### Keys\n- `q`: Quit at once\n\n{words}\n\\# Off\n-e\n"
        );
        assert_eq!(without_margin(&keys).replace("  ", ""), expected);
        // Headings are underlined at the margin.
        let headed = format!("Head\n----\n\n{}", "    Words here.\n".repeat(10));
        assert_eq!(without_margin(&headed), format!("Head\n----\n\n{words}"));
        let code = format!("# Head\n\nWords.\n\n{}", "    let x = 1;\n".repeat(20));
        assert_eq!(without_margin(&code), code);
        let short = "  a\n  b\n";
        assert_eq!(without_margin(short), short);
    }
}
