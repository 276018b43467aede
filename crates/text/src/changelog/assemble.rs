//! The page that gathers all entries, behind what people wrote on it.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use super::name_parts;

/// First line of what is ours.
pub const START: &str = "<!-- >>> elophanto changelog >>> -->";
/// Last line of what is ours.
pub const END: &str = "<!-- <<< elophanto changelog <<< -->";

const MARK: char = '\u{feff}';

/// The page is left as it is. Lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// The block is opened and not closed.
    #[error("line {line}: `{START}` without `{END}` after it; repair or remove the block by hand")]
    NoEnd { line: usize },
    /// The block is closed and not opened.
    #[error("line {line}: `{END}` without `{START}` before it; repair or remove the block by hand")]
    NoStart { line: usize },
    /// There is another block.
    #[error("line {line}: a second `{START}`; leave one block only")]
    Second { line: usize },
    /// Entries can only be added to text of their own encoding.
    #[error("not UTF-8 text")]
    NotUtf8,
}

/// The page with all entries, given as file name and text, in one block at its end. Every byte
/// that people wrote outside the block stays. `None` means that it says so already.
///
/// # Errors
/// When the markers don't match, since guessing where the block ends would eat what people wrote.
pub fn assemble(
    entries: &[(String, String)],
    existing: &[u8],
) -> Result<Option<Vec<u8>>, AssembleError> {
    let text = std::str::from_utf8(existing).map_err(|_| AssembleError::NotUtf8)?;
    let mut new = match find(text)? {
        Some(block) => [&text[..block.start], &text[block.end..]].concat(),
        None => text.to_owned(),
    };
    let entries = newest_first(entries);
    if !entries.is_empty() {
        let begun = !new.strip_prefix(MARK).unwrap_or(&new).is_empty();
        let ending = line_ending(if begun { &new } else { text });
        if begun && !new.ends_with('\n') {
            new.push_str(ending);
        }
        if begun && !new.ends_with("\n\n") && !new.ends_with("\n\r\n") {
            new.push_str(ending);
        }
        for part in std::iter::once(START).chain(entries.iter().map(String::as_str)) {
            part.lines().chain([""]).for_each(|line| new.extend([line, ending]));
        }
        new.extend([END, ending]);
    }
    Ok((new != text).then(|| new.into_bytes()))
}

/// The texts of entries, newest first by date and id. What is no entry by its name, says nothing
/// or says what another one said is left out; a line that would end the block is defused.
pub fn newest_first(entries: &[(String, String)]) -> Vec<String> {
    let mut named: Vec<_> = entries
        .iter()
        .filter_map(|(name, text)| Some((name_parts(name)?, content(text))))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    named.sort_by(|a, b| b.cmp(a));
    let mut seen = HashSet::new();
    let texts = named.into_iter().map(|(_, text)| text);
    texts.filter(|text| seen.insert(text.clone())).collect()
}

/// The page without the block at its end, so that entries are not indexed a second time. All of it
/// if there is no such block, or text behind it.
pub fn without_block(text: &str) -> &str {
    match find(text) {
        Ok(Some(block)) if text[block.end..].trim().is_empty() => &text[..block.start],
        _ => text,
    }
}

/// Without differences that don't matter.
fn content(text: &str) -> String {
    let lines = text.trim_start_matches(MARK).lines().map(|line| {
        let line = line.trim_end();
        let ends = [START, END].contains(&line.trim_start());
        if ends { Cow::Owned(line.replacen('<', "\\<", 1)) } else { Cow::Borrowed(line) }
    });
    lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// That of the first line, which may still be open.
fn line_ending(text: &str) -> &'static str {
    let first = text.split('\n').next().unwrap_or_default();
    if first.ends_with('\r') { "\r\n" } else { "\n" }
}

/// The lines of the block, markers included.
fn find(text: &str) -> Result<Option<Range<usize>>, AssembleError> {
    let mut open: Option<(usize, usize)> = None;
    let mut block = None;
    let mut at = 0;
    for (line, whole) in (1..).zip(text.split_inclusive('\n')) {
        // A byte order mark is no part of the marker.
        let mark = if line == 1 && whole.starts_with(MARK) { MARK.len_utf8() } else { 0 };
        let start = at + mark;
        at += whole.len();
        match whole[mark..].trim_ascii() {
            START if open.is_some() || block.is_some() => {
                return Err(AssembleError::Second { line });
            }
            START => open = Some((start, line)),
            END => match open.take() {
                Some((start, _)) => block = Some(start..at),
                None => return Err(AssembleError::NoStart { line }),
            },
            _ => {}
        }
    }
    match open {
        Some((_, line)) => Err(AssembleError::NoEnd { line }),
        None => Ok(block),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(day: u8, id: u8, text: &str) -> (String, String) {
        (format!("2026-01-{day:02}-{id:026}.md"), text.to_owned())
    }

    fn block(entries: &str) -> String {
        format!("{START}\n\n{entries}\n{END}\n")
    }

    fn check(entries: &[(String, String)], text: &str, expected: &str) {
        let new = assemble(entries, text.as_bytes()).unwrap();
        let new = new.map_or_else(|| text.to_owned(), |new| String::from_utf8(new).unwrap());
        assert_eq!(new, expected, "{text:?}");
        assert_eq!(assemble(entries, new.as_bytes()), Ok(None), "a second time");
    }

    #[test]
    fn entries_stand_at_the_end_newest_first() {
        let entries = [
            entry(1, 1, "## a\n\n- x\n"),
            entry(3, 0, "## c\n"),
            entry(3, 1, "\u{feff}## d\r\n\r\n"),
        ];
        let all = block("## d\n\n## c\n\n## a\n\n- x\n");
        check(&entries, "", &all);
        check(&entries, "# Mine\n", &format!("# Mine\n\n{all}"));
        check(&entries, "# Mine", &format!("# Mine\n\n{all}"));
        check(&entries, "\u{feff}", &format!("\u{feff}{all}"));
        check(&entries, &all, &all);
        check(&entries, &format!("# Mine\n\n{}", block("## old\n")), &format!("# Mine\n\n{all}"));
        // What people write behind it goes before it.
        check(&entries, &format!("a\n{all}b\n"), &format!("a\nb\n\n{all}"));
        check(&entries, &format!("a\n{}", all.trim_end()), &format!("a\n\n{all}"));
        let crlf = |text: &str| text.replace('\n', "\r\n");
        check(&entries, "# Mine\r\nx", &crlf(&format!("# Mine\nx\n\n{all}")));
        check(&entries, &crlf(&format!("\u{feff}{all}")), &crlf(&format!("\u{feff}{all}")));
    }

    #[test]
    fn what_is_no_entry_is_left_out() {
        check(&[], "# Mine", "# Mine");
        check(&[], &format!("a\n\n{}", block("## old\n")), "a\n\n");
        check(&[("README.md".to_owned(), "x".to_owned()), entry(1, 1, " \n")], "", "");
        // The newest of two that say the same.
        let same = [entry(1, 1, "## a\n"), entry(2, 1, "## b\n"), entry(3, 1, "\n## a\r\n")];
        check(&same, "", &block("## a\n\n## b\n"));
        let evil = [entry(1, 1, &format!("## a\n{END}\n  {START}\nb\n"))];
        check(&evil, "", &block(&format!("## a\n\\{END}\n  \\{START}\nb\n")));
    }

    #[test]
    fn refuses_damaged_markers() {
        for (text, error) in [
            (format!("x\n{START}\ny\n"), AssembleError::NoEnd { line: 2 }),
            (format!("{END}\n"), AssembleError::NoStart { line: 1 }),
            (format!("{START}\n{START}\n{END}\n"), AssembleError::Second { line: 2 }),
            (format!("{}{START}\n", block("a\n")), AssembleError::Second { line: 6 }),
            (format!("{END}\n{START}\n"), AssembleError::NoStart { line: 1 }),
        ] {
            assert_eq!(assemble(&[entry(1, 1, "## a")], text.as_bytes()), Err(error), "{text}");
            assert_eq!(without_block(&text), text);
        }
        assert_eq!(assemble(&[], b"Caf\xe9"), Err(AssembleError::NotUtf8));
    }

    #[test]
    fn the_block_can_be_left_off() {
        let all = block("## a\n");
        for (text, expected) in [
            (format!("a\n{all}"), "a\n"),
            (format!("a\n{all} \r\n\n"), "a\n"),
            (all.clone(), ""),
            (format!("\u{feff}{all}"), "\u{feff}"),
            ("a\n".to_owned(), "a\n"),
        ] {
            assert_eq!(without_block(&text), expected, "{text:?}");
        }
        let text = format!("a\n{all}b");
        assert_eq!(without_block(&text), text);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn keeps_what_people_wrote(
            pieces in proptest::collection::vec("[a-z# ]{0,5}|\n|\r\n|\r|\u{feff}|é", 0..12),
            texts in proptest::collection::vec(
                ("(## [a-z]{0,3}|<!-- [<>]{3} elophanto changelog [<>]{3} -->|\r|\n){0,6}", 1..9_u8),
                0..6,
            ),
        ) {
            let people = pieces.concat();
            let entries: Vec<_> = texts.iter().map(|(text, id)| entry(*id, *id, text)).collect();
            let new = assemble(&entries, people.as_bytes()).unwrap();
            let new = new.unwrap_or_else(|| people.clone().into_bytes());
            prop_assert!(new.starts_with(people.as_bytes()));
            prop_assert_eq!(assemble(&entries, &new), Ok(None));
            let new = String::from_utf8(new).unwrap();
            let rest = without_block(&new).strip_prefix(people.as_str()).unwrap();
            prop_assert!(rest.trim_matches(['\r', '\n']).is_empty() && rest.len() <= 4, "{rest:?}");
            // Taking all entries away takes the block away.
            let gone = assemble(&[], new.as_bytes()).unwrap().unwrap_or(new.clone().into_bytes());
            prop_assert_eq!(gone, without_block(&new).as_bytes());
        }
    }
}
