//! What plain texts are marked with otherwise than Markdown: quotation marks of German, `>>so<<`, in which that would
//! see a quotation where a line begins with one, and items behind `•`.

use std::borrow::Cow;

/// Most bytes of what stands between them.
const MOST: usize = 200;

/// Marks of items; a bare dash is Markdown's own.
const BULLETS: &[char] = &['•', '‣', '◦', '·', '▪'];

/// The text as Markdown. Lines stay lines.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    match with_items(text) {
        Some(text) => Cow::Owned(with_quotes(&text).into_owned()),
        None => with_quotes(text),
    }
}

/// The text with headings for the questions of a plain one, each on a line of its own, and without the tab before its
/// answers. Lines stay lines.
pub(super) fn with_questions(text: &str) -> Cow<'_, str> {
    const LEAST: usize = 3;
    const LONGEST: usize = 120;
    let is_rule = |line: &str| line.len() > 2 && line.bytes().all(|it| matches!(it, b'-' | b'='));
    let asks = |before: &str, line: &str| {
        let is_set_off = before.trim().is_empty() || is_rule(before.trim());
        let begins = line.starts_with(|it: char| it.is_uppercase() || it.is_ascii_digit());
        is_set_off && begins && line.len() <= LONGEST && line.trim_end().ends_with('?')
    };
    let before = || std::iter::once("").chain(text.lines());
    let count = before().zip(text.lines()).filter(|(before, line)| asks(before, line)).count();
    // What no further one closes is a rule below a line, and no fence of code.
    let is_wave = |line: &str| line.len() > 3 && line.bytes().all(|it| it == b'~');
    let is_fence = text.lines().filter(|line| is_wave(line)).count() != 1;
    let is_asked = count >= LEAST;
    if !is_asked && is_fence || text.lines().any(|line| line.starts_with('#')) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + count * 4);
    for (before, line) in before().zip(text.lines()) {
        match asks(before, line) {
            true if is_asked => kept.push_str(&format!("### {line}")),
            _ if is_wave(line) && !is_fence => kept.push_str(&"-".repeat(line.len())),
            _ if is_asked => kept.push_str(line.strip_prefix('\t').unwrap_or(line)),
            _ => kept.push_str(line),
        }
        kept.push('\n');
    }
    Cow::Owned(kept)
}

/// The text without the place where a report was written, before its first paragraph: `CAIRO — `, `WASHINGTON, D.C.
/// (AP) -- `.
pub(super) fn without_dateline(text: &str) -> Cow<'_, str> {
    const EARLY: usize = 8;
    const LONGEST: usize = 50;
    const LEAST: usize = 4;
    let mut from = 0;
    for line in text.split_inclusive('\n').take(EARLY) {
        let marks = [" — ", " – ", " -- "];
        let found = marks.iter().filter_map(|mark| Some((line.find(mark)?, mark.len()))).min();
        if let Some((at, length)) = found.filter(|(at, _)| *at <= LONGEST) {
            let place = line[..at].trim();
            let first = place.split([' ', ',']).next().unwrap_or_default();
            let is_place = first.len() >= LEAST && first.bytes().all(|it| it.is_ascii_uppercase());
            let begins = line[at + length..].starts_with(char::is_uppercase);
            // `NATO – The North Atlantic`: what is defined there is told of below.
            let is_place = is_place && text.matches(first).count() == 1;
            if is_place && begins && line.len() > 2 * LONGEST {
                return Cow::Owned(format!("{}{}", &text[..from], &text[from + at + length..]));
            }
        }
        from += line.len();
    }
    Cow::Borrowed(text)
}

/// The text with marks of headings for the lines that are some, where each paragraph is a line of its own: what was
/// copied from a page. `[edit]` behind them goes.
pub(super) fn with_heads(text: &str) -> Cow<'_, str> {
    const LONG: usize = 200;
    const LEAST: usize = 3;
    const LONGEST: usize = 60;
    const MOST: usize = 8;
    let is_marked = |line: &str| line.starts_with(['#', '|', '=', '`', '<']);
    let all: Vec<&str> = text.lines().collect();
    let long = all.iter().filter(|line| line.len() >= LONG).count();
    if long < LEAST || all.iter().any(|line| is_marked(line)) {
        return Cow::Borrowed(text);
    }
    let name = |line: &str| {
        let line = line.trim();
        let edit = line.strip_suffix("[edit]").or(line.strip_suffix("Edit"));
        let is_glued = |name: &&str| name.ends_with(|it: char| it.is_lowercase() || it == ')');
        edit.filter(is_glued).unwrap_or(line).trim().to_owned()
    };
    let may_head = |at: usize| {
        let line = all[at].trim();
        at > 0
            && all[at - 1].trim().is_empty()
            && line.len() <= LONGEST
            && line.split_whitespace().count() <= MOST
            && line.starts_with(|it: char| it.is_uppercase() || it.is_ascii_digit())
            && line.ends_with(|it: char| it.is_alphanumeric() || matches!(it, ')' | ']'))
    };
    let begins = all.iter().position(|line| line.len() >= LONG).unwrap_or_default();
    // The next line is text, or a heading itself: from the last one up.
    let mut heads = vec![false; all.len()];
    let mut is_above_text = false;
    for at in (begins..all.len()).rev().filter(|at| !all[*at].trim().is_empty()) {
        heads[at] = is_above_text && may_head(at);
        is_above_text = heads[at] || all[at].len() >= LONG / 2;
    }
    let mut kept = String::with_capacity(text.len() + 64);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        match heads[at] {
            true => kept.push_str(&format!("### {}\n", name(line))),
            false => kept.push_str(line),
        }
    }
    Cow::Owned(kept)
}

/// The text with its globs as they are, which Markdown takes for emphasis: `lists of ABS_* and BPF_*`. Nothing is
/// changed on a line with code.
pub(super) fn with_globs(text: &str) -> Cow<'_, str> {
    let is_glob = |line: &str, at: usize| {
        let behind = line.get(at + 2..).unwrap_or_default();
        line[..at].ends_with(|it: char| it.is_ascii_uppercase())
            && (behind.is_empty() || behind.starts_with([',', ' ', '.', ';', ')', '\n', '\r']))
    };
    if !text.contains("_*") {
        return Cow::Borrowed(text);
    }
    let mut is_code = false;
    let escaped = |line: &str| {
        let mut kept = line.to_owned();
        is_code ^= ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence));
        if !is_code && !line.contains('`') {
            let all = line.match_indices("_*").filter(|(at, _)| is_glob(line, *at));
            all.collect::<Vec<_>>().iter().rev().for_each(|(at, _)| kept.insert(at + 1, '\\'));
        }
        kept
    };
    Cow::Owned(text.split_inclusive('\n').map(escaped).collect())
}

/// The text with a dash for each mark of an item; none if there is none.
fn with_items(text: &str) -> Option<String> {
    let item = |line: &str| {
        let bare = line.trim_start_matches([' ', '\t']);
        let rest = bare.strip_prefix(BULLETS)?;
        let blanks = &line[..line.len() - bare.len()];
        rest.starts_with([' ', '\t']).then(|| format!("{blanks}-{rest}"))
    };
    if !text.contains(BULLETS) {
        return None;
    }
    Some(
        text.split_inclusive('\n')
            .map(|line| item(line).unwrap_or_else(|| line.to_owned()))
            .collect(),
    )
}

/// The text with quotation marks for those of plain texts.
fn with_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains(">>") || !text.contains("<<") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(">>") {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let head = &from[2..from.floor_char_boundary(MOST)];
        let end = head.find("<<").filter(|end| is_quoted(&head[..*end]));
        let opens = kept.is_empty() || kept.ends_with([' ', '\n', '(']);
        match end.filter(|_| opens) {
            Some(end) => {
                kept.push_str(&format!("“{}”", &head[..end]));
                rest = &from[2 + end + 2..];
            }
            None => {
                kept.push_str(">>");
                rest = &from[2..];
            }
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn is_quoted(said: &str) -> bool {
    let ends = said.chars().next().into_iter().chain(said.chars().next_back());
    !said.is_empty()
        && !said.contains("\n\n")
        && !said.contains(">>")
        && ends.clone().all(|it| !it.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::{as_markdown, with_globs, with_heads, with_questions, without_dateline};

    #[test]
    fn a_dateline_is_no_part_of_a_sentence() {
        let said = "Gunmen opened fire on visitors of a museum on Wednesday, and killed at least 19 people, as was told.";
        for (text, is_cut) in [
            (format!("# Head\n\nCAIRO — {said}"), true),
            (format!("WASHINGTON, D.C. (AP) -- {said}\n"), true),
            (format!("HTTP — {}", said.to_lowercase()), false),
            (format!("Cairo — {said}"), false),
            ("CAIRO — The city.".to_owned(), false),
            (format!("NATO – {said} NATO has members."), false),
        ] {
            let told = without_dateline(&text);
            assert_eq!(
                told.trim_start_matches("# Head\n\n").starts_with("Gunmen"),
                is_cut,
                "{text}"
            );
        }
    }

    #[test]
    fn short_lines_between_paragraphs_are_headings() {
        let long = "A paragraph of a page that was copied. ".repeat(8);
        let text = |heads: [&str; 4]| {
            let [top, first, second, last] = heads;
            format!(
                "{top}\n\n\n{long}\n{long}\n\n\n{first}\n{long}\n\n{second}\n\n{long}\nOne\n\n{last}\n"
            )
        };
        let told =
            with_heads(&text(["Foo", "2007 CupEdit", "Later life[edit]", "No more"])).into_owned();
        assert_eq!(told, text(["Foo", "### 2007 Cup", "### Later life", "No more"]));
        for text in [
            text(["# Foo", "Cup", "Life", "More"]),
            text(["Foo", "It was so.", "and so", "More"]),
            "Foo\n\nBar\nShort.\n".to_owned(),
        ] {
            assert_eq!(with_heads(&text), text);
        }
    }

    #[test]
    fn questions_of_plain_texts_are_headings() {
        let text = "Foo FAQ\n~~~~~~~\n\nIs it so?\n\n\tIt is.\n\n\t\tfoo\n\n1.2. Why?\nFor it is.\n\nAnd\nso?\n";
        assert_eq!(with_questions(text), text.replace("~", "-"));
        let fenced = format!("{text}~~~~\n");
        assert_eq!(with_questions(&fenced), fenced);
        let told = "Foo FAQ\n-------\n\n### Is it so?\n\nIt is.\n\n\tfoo\n\n### 1.2. Why?\nFor it is.\n\nAnd\nso?\n\n### Who?\n";
        assert_eq!(with_questions(&format!("{text}\nWho?\n")), told);
        let marked = format!("{text}\nWho?\n# Head\n");
        assert_eq!(with_questions(&marked), marked);
    }

    #[test]
    fn globs_are_no_emphasis() {
        for (text, expected) in [
            (
                "lists of ABS_*, BPF_*\nand `A_*`, A_* and\n*a_* b",
                "lists of ABS_\\*, BPF_\\*\nand `A_*`, A_* and\n*a_* b",
            ),
            ("A_*x*", "A_*x*"),
            ("```\nA_*, b\n```\nA_*, b", "```\nA_*, b\n```\nA_\\*, b"),
        ] {
            assert_eq!(with_globs(text), expected);
        }
    }

    #[test]
    fn marks_of_plain_texts_are_markdown() {
        for (text, expected) in [
            (">>Not: yes<< ist, (>>a\nb<<).", "“Not: yes” ist, (“a\nb”)."),
            ("a >> b << c, x>>1 <<2", "a >> b << c, x>>1 <<2"),
            (">> Quoted\n>> twice", ">> Quoted\n>> twice"),
            (">>a\n\nb<<", ">>a\n\nb<<"),
            (">>", ">>"),
            (">><<", ">><<"),
            ("• one\n  ◦ two\n3 • 4\n•5", "- one\n  - two\n3 • 4\n•5"),
        ] {
            assert_eq!(as_markdown(text), expected);
        }
    }
}
