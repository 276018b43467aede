//! A part of a Markdown page that is ours, between two comments. Pure.
//!
//! Every byte outside stays. A block whose markers don't match is refused, since guessing where it
//! ends would eat lines of the user.

use std::ops::Range;

const MARK: char = '\u{feff}';

/// The markers don't match. Lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The block is opened and not closed.
    #[error("line {line}: our block begins and does not end; repair or remove it by hand")]
    NoEnd { line: usize },
    /// The block is closed and not opened.
    #[error("line {line}: our block ends and does not begin; repair or remove it by hand")]
    NoStart { line: usize },
    /// There is another block.
    #[error("line {line}: a second block of ours; leave one only")]
    Second { line: usize },
}

/// First line of the block `name`.
fn start(name: &str) -> String {
    format!("<!-- >>> elophanto {name} >>> -->")
}

/// Last line of the block `name`.
fn end(name: &str) -> String {
    format!("<!-- <<< elophanto {name} <<< -->")
}

/// The page with `body` in the block `name`: where it stands, else at the end. `None` means that
/// it says so already. Lines of the body that look like one of our markers are defused.
///
/// # Errors
/// When the markers don't match.
pub fn upsert(page: &str, name: &str, body: &str) -> Result<Option<String>, BlockError> {
    let block = find(page, name)?;
    let (before, after) = match &block {
        Some(block) => (&page[..block.start], &page[block.end..]),
        None => (page, ""),
    };
    let ending = if first_ending_is_crlf(page) { "\r\n" } else { "\n" };
    let mut new = before.to_owned();
    let begun = !before.strip_prefix(MARK).unwrap_or(before).is_empty();
    if block.is_none() && begun {
        if !new.ends_with('\n') {
            new.push_str(ending);
        }
        if !new.ends_with("\n\n") && !new.ends_with("\n\r\n") {
            new.push_str(ending);
        }
    }
    new.extend([&start(name), ending, ending]);
    for line in body.trim_matches('\n').lines() {
        let line = line.trim_end_matches('\r');
        let words = line.trim_start_matches(MARK).trim();
        if ["<!-- >>> elophanto ", "<!-- <<< elophanto "].iter().any(|m| words.starts_with(m)) {
            new.extend([&line.replacen('<', "\\<", 1), ending]);
        } else {
            new.extend([line, ending]);
        }
    }
    new.extend([ending, &end(name), ending]);
    new.push_str(after);
    Ok((new != page).then_some(new))
}

fn first_ending_is_crlf(page: &str) -> bool {
    page.split('\n').next().is_some_and(|line| line.ends_with('\r'))
}

/// The lines of the block, markers included.
fn find(page: &str, name: &str) -> Result<Option<Range<usize>>, BlockError> {
    let (first, last) = (start(name), end(name));
    let mut open: Option<(usize, usize)> = None;
    let mut block = None;
    let mut at = 0;
    for (line, whole) in (1..).zip(page.split_inclusive('\n')) {
        // A byte order mark is no part of the marker.
        let mark = if line == 1 && whole.starts_with(MARK) { MARK.len_utf8() } else { 0 };
        let begins = at + mark;
        at += whole.len();
        let words = whole[mark..].trim_ascii();
        if words == first {
            if open.is_some() || block.is_some() {
                return Err(BlockError::Second { line });
            }
            open = Some((begins, line));
        } else if words == last {
            let Some((begins, _)) = open.take() else { return Err(BlockError::NoStart { line }) };
            block = Some(begins..at);
        }
    }
    match open {
        Some((_, line)) => Err(BlockError::NoEnd { line }),
        None => Ok(block),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(body: &str) -> String {
        format!("{}\n\n{body}\n\n{}\n", start("x"), end("x"))
    }

    #[track_caller]
    fn check(page: &str, body: &str, expected: &str) {
        let new = upsert(page, "x", body).unwrap();
        assert_eq!(new.as_deref().unwrap_or(page), expected, "{page:?}");
        assert_eq!(upsert(expected, "x", body), Ok(None), "a second time");
    }

    #[test]
    fn blocks() {
        check("", "a", &block("a"));
        check("# Mine", "a", &format!("# Mine\n\n{}", block("a")));
        check("# Mine\n\n", "a\nb\n", &format!("# Mine\n\n{}", block("a\nb")));
        check(&format!("x\n{}y\n", block("old")), "a", &format!("x\n{}y\n", block("a")));
        check("\u{feff}", "a", &format!("\u{feff}{}", block("a")));
        check("x\r\n", "a", &format!("x\n\n{}", block("a")).replace('\n', "\r\n"));
        let marker = end("x");
        check("", &format!("a\n{marker}\nb"), &block(&format!("a\n\\{marker}\nb")));
    }

    #[test]
    fn damage() {
        let (first, last) = (start("x"), end("x"));
        for (page, error) in [
            (format!("a\n{first}\n"), BlockError::NoEnd { line: 2 }),
            (format!("{last}\n"), BlockError::NoStart { line: 1 }),
            (format!("{first}\n{first}\n{last}"), BlockError::Second { line: 2 }),
            (format!("{}{}", block("a"), block("b")), BlockError::Second { line: 6 }),
        ] {
            assert_eq!(upsert(&page, "x", "a"), Err(error), "{page}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn whatever_the_body_says_it_is_replaced_as_a_whole(
            head in "[a\n\r]{0,8}", tail in "[a\n]{0,8}",
            pieces in proptest::collection::vec(prop_oneof![
                Just(start("x")), Just(end("x")), Just("\n".to_owned()), Just(" ".to_owned()),
                Just("\r".to_owned()), Just("\u{feff}".to_owned()), "[a-c]{0,3}",
            ], 0..8),
        ) {
            let first = upsert(&head, "x", &pieces.concat()).unwrap().unwrap() + &tail;
            let second = upsert(&first, "x", "new").unwrap().unwrap();
            prop_assert!(second.starts_with(&head) && second.ends_with(&tail));
            prop_assert_eq!(upsert(&second, "x", "new").unwrap(), None);
        }
    }
}
