//! A few lines of ours inside a file of somebody else, between two markers.
//!
//! Works on bytes: the file may be in any encoding that contains ASCII, with either kind of line
//! ending, and may lack the last one. Every byte outside the block stays. A block whose markers
//! don't match is refused, since guessing where it ends would eat lines of the user.

/// First line of the block.
pub const START: &str = "# >>> elophanto >>>";
/// Last line of the block.
pub const END: &str = "# <<< elophanto <<<";

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The markers don't match. Lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The block is opened and not closed.
    #[error("{line}: `{START}` without `{END}` after it; repair or remove the block by hand")]
    NoEnd {
        /// Of the marker.
        line: usize,
    },
    /// The block is closed and not opened.
    #[error("{line}: `{END}` without `{START}` before it; repair or remove the block by hand")]
    NoStart {
        /// Of the marker.
        line: usize,
    },
    /// There is another block.
    #[error("{line}: a second `{START}`; leave one block only")]
    Second {
        /// Of the marker.
        line: usize,
    },
}

/// Puts the block at the end, or brings the one that is there up to date where it stands.
/// `None` means that it says so already.
pub fn upsert(text: &[u8], lines: &[String]) -> Result<Option<Vec<u8>>, BlockError> {
    let found = find(text)?;
    let (before, after, ending) = match &found {
        Some(block) => (&text[..block.start], &text[block.end..], block.ending),
        None => (text, &[][..], line_ending(text)),
    };
    let mut new = before.to_vec();
    let begins_line = before.is_empty() || before == BOM || before.ends_with(b"\n");
    if found.is_none() && !begins_line {
        new.extend_from_slice(ending);
    }
    for line in [START].into_iter().chain(lines.iter().map(String::as_str)).chain([END]) {
        new.extend_from_slice(line.as_bytes());
        new.extend_from_slice(ending);
    }
    if found.is_some_and(|block| !block.closed) {
        // The block is the end of a file without a final newline: leave it so.
        new.truncate(new.len() - ending.len());
    }
    new.extend_from_slice(after);
    Ok((new != text).then_some(new))
}

/// Takes the block out. `None` means that there is none.
pub fn remove(text: &[u8]) -> Result<Option<Vec<u8>>, BlockError> {
    Ok(split(text)?.map(|[before, _, after]| [before, after].concat()))
}

/// The text before the block, the block with its markers, the text after. `None` means that there
/// is no block.
pub fn split(text: &[u8]) -> Result<Option<[&[u8]; 3]>, BlockError> {
    let Some(block) = find(text)? else { return Ok(None) };
    Ok(Some([&text[..block.start], &text[block.start..block.end], &text[block.end..]]))
}

struct Block {
    /// Where the line of the first marker begins.
    start: usize,
    /// Behind the ending of the last marker's line.
    end: usize,
    /// How the first marker's line ends.
    ending: &'static [u8],
    /// Whether the last marker's line has an ending.
    closed: bool,
}

fn find(text: &[u8]) -> Result<Option<Block>, BlockError> {
    let mut open: Option<(usize, usize, &'static [u8])> = None;
    let mut block = None;
    let mut at = 0;
    for (line, bytes) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        let start = at;
        at += bytes.len();
        // A byte order mark is no part of the marker.
        let mark = if line == 1 && bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let words = bytes[mark..].trim_ascii();
        if words == START.as_bytes() {
            if open.is_some() || block.is_some() {
                return Err(BlockError::Second { line });
            }
            open = Some((start + mark, line, line_ending(bytes)));
        } else if words == END.as_bytes() {
            let Some((start, _, ending)) = open.take() else {
                return Err(BlockError::NoStart { line });
            };
            block = Some(Block { start, end: at, ending, closed: bytes.ends_with(b"\n") });
        }
    }
    match open {
        Some((_, line, _)) => Err(BlockError::NoEnd { line }),
        None => Ok(block),
    }
}

fn line_ending(text: &[u8]) -> &'static [u8] {
    let first = text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BLOCK: &str = "# >>> elophanto >>>\na\nb\n# <<< elophanto <<<\n";

    fn body(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    fn check(text: &str, expected: &str) {
        let lines = body(&["a", "b"]);
        let new = upsert(text.as_bytes(), &lines).unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(&new), expected);
        assert_eq!(upsert(&new, &lines).unwrap(), None, "a second time");
    }

    #[test]
    fn inserts_at_the_end() {
        check("", BLOCK);
        check("x\n", &format!("x\n{BLOCK}"));
        check("x", &format!("x\n{BLOCK}"));
        check("x\r\ny", &format!("x\r\ny\r\n{}", BLOCK.replace('\n', "\r\n")));
        check("\u{feff}", &format!("\u{feff}{BLOCK}"));
    }

    #[test]
    fn updates_in_place() {
        let old = "# >>> elophanto >>>\nold\n# <<< elophanto <<<\n";
        let crlf = |text: &str| text.replace('\n', "\r\n");
        check(&format!("x\n{old}y"), &format!("x\n{BLOCK}y"));
        check(&crlf(&format!("x\n{old}y\n")), &crlf(&format!("x\n{BLOCK}y\n")));
        check(&format!("\u{feff}{old}"), &format!("\u{feff}{BLOCK}"));
        check(&format!("x\n{}", old.trim_end()), &format!("x\n{}", BLOCK.trim_end()));
        check(&format!("x\r\n{old}"), &format!("x\r\n{BLOCK}"));
        check("  # >>> elophanto >>>  \n\t# <<< elophanto <<<\nz", &format!("{BLOCK}z"));
    }

    #[test]
    fn refuses_a_damaged_block() {
        for (text, error) in [
            (format!("x\n{START}\ny\n"), BlockError::NoEnd { line: 2 }),
            (format!("{END}\n"), BlockError::NoStart { line: 1 }),
            (format!("{START}\n{START}\n{END}\n"), BlockError::Second { line: 2 }),
            (format!("{BLOCK}{BLOCK}"), BlockError::Second { line: 5 }),
            (format!("{BLOCK}{END}"), BlockError::NoStart { line: 5 }),
            (format!("{END}\n{START}\n"), BlockError::NoStart { line: 1 }),
        ] {
            assert_eq!(upsert(text.as_bytes(), &body(&["a"])), Err(error), "{text}");
            assert_eq!(remove(text.as_bytes()), Err(error), "{text}");
        }
        assert_eq!(
            BlockError::NoEnd { line: 2 }.to_string(),
            "2: `# >>> elophanto >>>` without `# <<< elophanto <<<` after it; \
             repair or remove the block by hand"
        );
    }

    #[test]
    fn removes() {
        assert_eq!(remove(b"x\n"), Ok(None));
        assert_eq!(remove(format!("x\n{BLOCK}y").as_bytes()), Ok(Some(b"x\ny".to_vec())));
    }

    fn lines_of_a_file() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"# >>> other >>>".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..6),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn keeps_every_other_byte(
            head in lines_of_a_file(),
            tail in lines_of_a_file(),
            first in proptest::collection::vec("[a-z* =]{0,8}", 0..4),
            second in proptest::collection::vec("[a-z* =]{0,8}", 0..4),
        ) {
            let inserted = upsert(&head, &first).unwrap().unwrap();
            prop_assert!(inserted.starts_with(&head));
            prop_assert_eq!(upsert(&inserted, &first).unwrap(), None);
            let removed = remove(&inserted).unwrap().unwrap();
            let added = removed.strip_prefix(head.as_slice()).unwrap();
            prop_assert!([&b""[..], b"\n", b"\r\n"].contains(&added));

            let whole = [inserted.as_slice(), &tail].concat();
            if let Some(updated) = upsert(&whole, &second).unwrap() {
                prop_assert!(updated.starts_with(&head) && updated.ends_with(&tail));
                prop_assert_eq!(upsert(&updated, &second).unwrap(), None);
                prop_assert_eq!(remove(&updated).unwrap(), remove(&whole).unwrap());
            } else {
                prop_assert_eq!(&first, &second);
            }
        }
    }
}
