//! Exact replacements in a text. Pure.

use strsim::normalized_levenshtein;

/// Bytes of a line that are compared when the nearest is looked for.
const COMPARED: usize = 200;
/// Lines that are compared when the nearest is looked for.
const MOST_LINES: usize = 5_000;
/// How alike lines have to be, from 0 to 1, to be named as the nearest.
const ALIKE: f64 = 0.5;
/// Lines named when something is there more than once.
const NAMED: usize = 10;
/// Bytes of a text that edits may make.
const MOST_BYTES: usize = 32 << 20;

/// One replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edit<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// Every place, not the only one.
    pub(super) all: bool,
}

/// The text after all edits, each made on what the one before it left, and how many places were
/// changed.
///
/// Where lines end in CRLF, line feeds of an edit mean that too.
///
/// # Errors
/// In words, with the number of the edit: it is empty, changes nothing, is not there, or is there
/// more than once.
pub(super) fn apply(text: &str, edits: &[Edit]) -> Result<(String, usize), String> {
    let mut text = text.to_owned();
    let mut places = 0;
    for (number, edit) in edits.iter().enumerate() {
        let which = if edits.len() > 1 { format!("edit {}: ", number + 1) } else { String::new() };
        let (changed, count) = one(&text, edit).map_err(|why| format!("{which}{why}"))?;
        (text, places) = (changed, places + count);
    }
    Ok((text, places))
}

fn one(text: &str, edit: &Edit) -> Result<(String, usize), String> {
    if edit.old.is_empty() {
        return Err("`old` is empty".to_owned());
    }
    if edit.old == edit.new {
        return Err("`old` and `new` are the same".to_owned());
    }
    let (old, new) = (as_lines_end(text, edit.old), as_lines_end(text, edit.new));
    // As it was given, where the text mixes ways of ending lines.
    let (old, new) = match text.contains(&*old) {
        true => (&*old, &*new),
        false => (edit.old, edit.new),
    };
    let mut found = text.match_indices(old).map(|(at, _)| at);
    let Some(first) = found.next() else { return Err(not_there(text, edit.old)) };
    let others = found.count();
    if others > 0 && !edit.all {
        return Err(too_often(text, old, others + 1));
    }
    let grown = new.len().saturating_mul(others + 1).saturating_add(text.len());
    if grown > MOST_BYTES {
        return Err(format!("the text would grow over the limit of {MOST_BYTES} bytes"));
    }
    if others > 0 {
        return Ok((text.replace(old, new), others + 1));
    }
    let after = text.get(first + old.len()..).unwrap_or_default();
    Ok((format!("{}{new}{after}", text.get(..first).unwrap_or_default()), 1))
}

/// With CRLF for each line feed where all lines of the text end so.
fn as_lines_end<'a>(text: &str, part: &'a str) -> std::borrow::Cow<'a, str> {
    let feeds = text.matches('\n').count();
    if feeds > 0 && feeds == text.matches("\r\n").count() && !part.contains('\r') {
        part.replace('\n', "\r\n").into()
    } else {
        part.into()
    }
}

fn too_often(text: &str, old: &str, count: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut line, mut from) = (1, 0);
    for (at, _) in text.match_indices(old).take(NAMED) {
        line += text.get(from..at).unwrap_or_default().matches('\n').count();
        from = at;
        lines.push(line.to_string());
    }
    let more = if count > NAMED { ",..." } else { "" };
    let lines = lines.join(", ");
    format!(
        "`old` is there {count} times (lines {lines}{more}): make it longer until it is there \
         once, or set `all`"
    )
}

fn not_there(text: &str, old: &str) -> String {
    let wanted: Vec<&str> = old.lines().collect();
    let Some(at) = wanted.iter().position(|line| !line.trim().is_empty()) else {
        return "`old` is not in the file: it is blank".to_owned();
    };
    let first = short(wanted[at].trim());
    let mut best: Option<(f64, usize, &str)> = None;
    for (number, line) in text.lines().enumerate().take(MOST_LINES) {
        let candidate = short(line.trim());
        // The more of the following lines are right too, the better.
        let alike = if candidate == first { 1.0 } else { likeness(candidate, first) };
        if alike > ALIKE && best.is_none_or(|(known, ..)| alike > known) {
            best = Some((alike, number + 1, line));
        }
    }
    match best {
        Some((alike, number, line)) => {
            let why = if alike < 1.0 {
                "the nearest"
            } else if wanted.len() > 1 {
                "its first line is there but for white space, so that or a later line differs:"
            } else {
                "white space differs:"
            };
            format!("`old` is not in the file; {why} line {number} is `{}`", short(line))
        }
        None => "`old` is not in the file, nor anything like it: read the file again".to_owned(),
    }
}

fn likeness(a: &str, b: &str) -> f64 {
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    // Lines of so different lengths cannot be alike; comparing is what costs.
    if shorter * 2 < longer { 0.0 } else { normalized_levenshtein(a, b) }
}

fn short(line: &str) -> &str {
    &line[..line.floor_char_boundary(COMPARED)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, all: bool, expected: Result<&str, &str>) {
        let made = apply(text, &[Edit { old, new, all }]);
        match (made, expected) {
            (Ok((text, _)), Ok(expected)) => assert_eq!(text, expected),
            (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
            (made, expected) => panic!("{made:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn replacements() {
        check("one two", "one", "1", false, Ok("1 two"));
        check("a a", "a", "b", true, Ok("b b"));
        check("a\na\n", "a", "b", false, Err("2 times (lines 1, 2)"));
        check("a", "", "b", false, Err("empty"));
        check("a", "a", "a", false, Err("the same"));
        check("a", " \n", "b", false, Err("blank"));
        check("fn main() {\n    run();\n}\n", "\trun();", "", false, Err("line 2 is `    run();`"));
        check("x\nfn mains() {}\n", "fn main() {}", "", false, Err("nearest line 2"));
        check("abc\n", "something else", "", false, Err("nor anything like it"));
        // Line ends.
        check("a\r\nb\r\n", "a\nb", "c\nd", false, Ok("c\r\nd\r\n"));
        check("a\r\nb\r\n", "a\r\nb", "c\nd", false, Ok("c\r\nd\r\n"));
        check("a\r\nb\n", "b\n", "c\n", false, Ok("a\r\nc\n"));
        check("a\r\nb", "b", "c", false, Ok("a\r\nc"));
        // Nothing between `old` and the end of the file is added.
        check("a", "a", "b", false, Ok("b"));
    }

    #[test]
    fn edits_follow_each_other() {
        let edit = |old, new| Edit { old, new, all: false };
        let made = apply("one", &[edit("one", "two"), edit("two", "three")]);
        assert_eq!(made, Ok(("three".to_owned(), 2)));
        let failed = apply("one", &[edit("one", "two"), edit("one", "three")]);
        assert!(failed.is_err_and(|why| why.starts_with("edit 2: ")));
    }

    proptest! {
        #[test]
        fn equals_replacing_the_string(
            text in "[ab\n]{0,40}", old in "[ab\n]{1,4}", new in "[abc\n]{0,4}",
        ) {
            prop_assume!(old != new);
            let count = text.matches(&*old).count();
            let made = |all| apply(&text, &[Edit { old: &old, new: &new, all }]);
            if count == 0 {
                prop_assert!(made(true).is_err());
            } else {
                prop_assert_eq!(made(true), Ok((text.replace(&old, &new), count)));
            }
            prop_assert_eq!(made(false).is_ok(), count == 1);
        }

        #[test]
        fn any_text(text in any::<String>(), old in any::<String>(), new in any::<String>()) {
            let _ = apply(&text, &[Edit { old: &old, new: &new, all: true }]);
        }
    }
}
