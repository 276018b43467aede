//! The change of one file as a unified diff that `git apply` takes. Pure.

use std::{fmt::Write as _, ops::Range, path::Path};

use elophanto_base::visible::visible;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// Lines shown around a change.
const AROUND: usize = 3;
/// Lines that are compared at most; of more, all are shown as replaced.
const MOST_LINES: usize = 4_000;

/// What turns `before` into `after`; `None` for a file that is not there. Empty if they are equal.
///
/// Lines end with a line feed and nothing else, as git has it.
pub fn diff(path: &Path, before: Option<&str>, after: Option<&str>, mode: u32) -> String {
    if before == after {
        return String::new();
    }
    let mode = if mode & 0o111 == 0 { "100644" } else { "100755" };
    let (a, b) = (quoted("a/", path), quoted("b/", path));
    let mut text = format!("diff --git {a} {b}\n");
    if before.is_none() {
        let _ = writeln!(text, "new file mode {mode}");
    } else if after.is_none() {
        let _ = writeln!(text, "deleted file mode {mode}");
    }
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    if old == new {
        return text;
    }
    let from = before.map_or("/dev/null", |_| &a);
    let to = after.map_or("/dev/null", |_| &b);
    // A name with a blank in it ends where the tab is.
    let tab = |name: &str| if name.contains(' ') { "\t" } else { "" };
    let _ = writeln!(text, "--- {from}{}", tab(from));
    let _ = writeln!(text, "+++ {to}{}", tab(to));
    hunks(&mut text, old, new, |text, sign, line| {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    });
    text
}

/// Adds the hunks of a unified diff; `push` adds a line with its sign and its line end.
pub fn hunks(text: &mut String, old: &str, new: &str, push: impl Fn(&mut String, char, &str)) {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    for group in group_diff_ops(changes(&old, &new), AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let olds = first.old_range().start..last.old_range().end;
        let news = first.new_range().start..last.new_range().end;
        // A range of no lines is named by the line before it.
        let range = |range: &Range<usize>| {
            format!("{},{}", range.start + usize::from(!range.is_empty()), range.len())
        };
        let _ = writeln!(text, "@@ -{} +{} @@", range(&olds), range(&news));
        for op in &group {
            let is_same = matches!(op, DiffOp::Equal { .. });
            let sign = if is_same { ' ' } else { '-' };
            old[op.old_range()].iter().for_each(|line| push(text, sign, line));
            if !is_same {
                new[op.new_range()].iter().for_each(|line| push(text, '+', line));
            }
        }
    }
}

/// Comparing takes the square of what differs: equal ends are taken off first, and beyond the
/// limit the middle counts as replaced.
fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - tail];
    let new_middle = &new_rest[..new_rest.len() - tail];
    if old_middle.len() + new_middle.len() <= MOST_LINES {
        return in_order(&capture_diff_slices(Algorithm::Myers, old, new));
    }
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let mut changes = Vec::new();
    if head > 0 {
        changes.push(equal(0, 0, head));
    }
    let (old_len, new_len) = (old_middle.len(), new_middle.len());
    changes.push(match (old_len, new_len) {
        (0, _) => DiffOp::Insert { old_index: head, new_index: head, new_len },
        (_, 0) => DiffOp::Delete { old_index: head, old_len, new_index: head },
        _ => DiffOp::Replace { old_index: head, old_len, new_index: head, new_len },
    });
    if tail > 0 {
        changes.push(equal(head + old_len, head + new_len, tail));
    }
    changes
}

/// The same changes with places that are counted anew: where `similar` moves an insertion or removal
/// past equal lines, it leaves the place on the other side as it was.
fn in_order(ops: &[DiffOp]) -> Vec<DiffOp> {
    let (mut old_index, mut new_index) = (0, 0);
    let mut counted = Vec::with_capacity(ops.len());
    for op in ops {
        let (old_len, new_len) = (op.old_range().len(), op.new_range().len());
        counted.push(match op {
            DiffOp::Equal { len, .. } => DiffOp::Equal { old_index, new_index, len: *len },
            DiffOp::Delete { .. } => DiffOp::Delete { old_index, old_len, new_index },
            DiffOp::Insert { .. } => DiffOp::Insert { old_index, new_index, new_len },
            DiffOp::Replace { .. } => DiffOp::Replace { old_index, old_len, new_index, new_len },
        });
        (old_index, new_index) = (old_index + old_len, new_index + new_len);
    }
    counted
}

/// A name as git writes it in a diff (`core.quotePath` off): in quotes, with octal escapes, where it is not
/// to be shown as it is.
fn quoted(prefix: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |byte: &u8| (0x20..0x7f).contains(byte) && !b"\"\\".contains(byte);
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains(['"', '\\', '\n', '\t'])
        && visible(text) == text
    {
        return format!("{prefix}{text}");
    }
    let mut text = format!("\"{prefix}");
    for byte in bytes {
        if plain(byte) {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "\\{byte:03o}");
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the hunks make of a text.
    fn patched(before: &str, change: &str) -> String {
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let (mut after, mut at) = (String::new(), 0);
        let mut lines = change.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            if let Some(range) = line.strip_prefix("@@ -") {
                let (start, rest) = range.split_once(',').unwrap();
                let (len, _) = rest.split_once(' ').unwrap();
                let start = start.parse::<usize>().unwrap() - usize::from(len != "0");
                after.extend(old[at..start].iter().copied());
                at = start;
            } else if !line.starts_with("---") && !line.starts_with("+++") {
                let (sign, mut text) = line.split_at(1);
                if lines.peek().is_some_and(|next| next.starts_with('\\')) {
                    text = text.strip_suffix('\n').unwrap();
                }
                match sign {
                    "+" => after.push_str(text),
                    " " | "-" => {
                        assert_eq!(old[at], text);
                        at += 1;
                        after.push_str(if sign == " " { text } else { "" });
                    }
                    _ => {}
                }
            }
        }
        after.extend(old[at..].iter().copied());
        after
    }

    #[test]
    fn names_in_a_diff() {
        for (path, expected) in [
            ("a.md", "a/a.md"),
            ("größe und/日本.md", "a/größe und/日本.md"),
            ("a\"b", "\"a/a\\042b\""),
            ("a\nb", "\"a/a\\012b\""),
            ("a\u{202e}b", "\"a/a\\342\\200\\256b\""),
        ] {
            assert_eq!(quoted("a/", Path::new(path)), expected);
        }
        let path = elophanto_base::platform::path(b"a\xffb");
        assert_eq!(quoted("b/", path), "\"b/a\\377b\"");
    }

    #[test]
    fn more_than_is_compared() {
        let text = |range: std::ops::Range<usize>| {
            range.map(|number| format!("{number}\n")).collect::<String>()
        };
        let same = text(0..10);
        let before = format!("{same}{}{same}", text(100..4_000));
        let after = format!("{same}{}{same}", text(50_000..54_000));
        let change = diff(Path::new("a"), Some(&before), Some(&after), 0);
        assert_eq!(patched(&before, &change), after);
        assert!(!change.contains(" 6\n 7\n 8\n 9\n") && change.contains(" 7\n 8\n 9\n-100"));
    }

    proptest! {
        #[test]
        fn makes_the_text(before in "[ab\n]{0,60}", after in "[ab\n]{0,60}") {
            let change = diff(Path::new("x"), Some(&before), Some(&after), 0);
            prop_assert_eq!(patched(&before, &change), after);
        }
    }
}
