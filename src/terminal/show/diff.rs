//! Unified diffs with colours, and with the words marked that differ. Pure.

use anstyle::Style;
use similar::{ChangeTag, TextDiff};

use super::{ACCENT, BAD, BOLD, GOOD, PLAIN, Span};

/// Longer lines are not compared word by word.
const MOST_COMPARED: usize = 2_000;
/// Lines that have less in common than this are others, not changed ones.
const LEAST_ALIKE: f32 = 0.4;
const HEADERS: [&str; 8] = [
    "diff --git ", "--- ", "+++ ", "new file mode ", "deleted file mode ", "index ", "rename ",
    "similarity ",
];

/// Whether there is a diff in it.
pub fn is_diff(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("diff --git "))
}

/// Every line of a text that holds diffs, as it is. The lines must be safe to show already.
pub fn lines(text: &str) -> Vec<Vec<Span>> {
    let mut shown = Vec::new();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    // Lines that the hunk still has, before and after.
    let mut left = (0_usize, 0_usize);
    for line in text.lines() {
        let is_hunk = left != (0, 0);
        match line.as_bytes().first() {
            Some(b'-') if left.0 > 0 => {
                if !added.is_empty() {
                    changed(&mut removed, &mut added, &mut shown);
                }
                left.0 -= 1;
                removed.push(line);
                continue;
            }
            Some(b'+') if left.1 > 0 => {
                left.1 -= 1;
                added.push(line);
                continue;
            }
            // "\\ No newline at end of file" belongs to the line before it.
            Some(b'\\') if added.is_empty() && !removed.is_empty() => {
                shown.extend(removed.drain(..).map(|line| vec![Span::new(line, BAD)]));
            }
            _ => {}
        }
        changed(&mut removed, &mut added, &mut shown);
        let style = if let Some(range) = line.strip_prefix("@@ -") {
            left = counts(range).unwrap_or_default();
            ACCENT
        } else if is_hunk && !line.starts_with('\\') {
            left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
            PLAIN
        } else if HEADERS.iter().any(|begins| line.starts_with(begins)) {
            BOLD
        } else {
            PLAIN
        };
        shown.push(vec![Span::new(line, style)]);
    }
    changed(&mut removed, &mut added, &mut shown);
    shown
}

/// How many lines a hunk has, from `1,2 +3,4 @@`.
fn counts(range: &str) -> Option<(usize, usize)> {
    let (old, rest) = range.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

/// Lines that were replaced by others: where there are as many of both, each by its like.
fn changed(removed: &mut Vec<&str>, added: &mut Vec<&str>, shown: &mut Vec<Vec<Span>>) {
    let (removed, added) = (std::mem::take(removed), std::mem::take(added));
    let mut after = Vec::new();
    if removed.len() == added.len() {
        for (old, new) in removed.iter().zip(&added) {
            let (old, new) = words(old, new);
            shown.push(old);
            after.push(new);
        }
    } else {
        shown.extend(removed.iter().map(|line| vec![Span::new(*line, BAD)]));
        after.extend(added.iter().map(|line| vec![Span::new(*line, GOOD)]));
    }
    shown.extend(after);
}

/// Two lines with their signs, the words underlined that are only in one of them.
fn words(old: &str, new: &str) -> (Vec<Span>, Vec<Span>) {
    let whole = || (vec![Span::new(old, BAD)], vec![Span::new(new, GOOD)]);
    let (Some(before), Some(after)) = (old.get(1..), new.get(1..)) else { return whole() };
    if before.len() + after.len() > MOST_COMPARED {
        return whole();
    }
    let (before, after) = (pieces(before), pieces(after));
    let diff = TextDiff::from_slices(&before, &after);
    if diff.ratio() < LEAST_ALIKE {
        return whole();
    }
    let mut shown = (vec![Span::new("-", BAD)], vec![Span::new("+", GOOD)]);
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                push(&mut shown.0, text, BAD);
                push(&mut shown.1, text, GOOD);
            }
            ChangeTag::Delete => push(&mut shown.0, text, BAD.bold().underline()),
            ChangeTag::Insert => push(&mut shown.1, text, GOOD.bold().underline()),
        }
    }
    shown
}

/// A line as words, and what stands between them character by character.
fn pieces(line: &str) -> Vec<&str> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(is_word).len();
        let (piece, after) = rest.split_at(word.max(first.len_utf8()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn push(spans: &mut Vec<Span>, text: &str, style: Style) {
    match spans.last_mut() {
        Some(last) if last.style == style => last.text.push_str(text),
        _ => spans.push(Span::new(text, style)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Canvas;
    use super::*;

    /// With `[...]` around what is underlined, and the colour in front.
    fn marked(text: &str) -> String {
        let mut marked = String::new();
        for line in lines(text) {
            for Span { text, style } in &line {
                let is_marked = style.get_effects().contains(anstyle::Effects::UNDERLINE);
                marked.push_str(&if is_marked { format!("[{text}]") } else { text.clone() });
            }
            let sign = match line.first().map(|span| span.style) {
                Some(BAD) => " < red",
                Some(GOOD) => " < green",
                Some(BOLD) => " < bold",
                Some(ACCENT) => " < cyan",
                _ => "",
            };
            marked.push_str(sign);
            marked.push('\n');
        }
        marked
    }

    #[test]
    fn words_that_differ_are_marked() {
        insta::assert_snapshot!(marked("\
note: one file
diff --git a/a.rs b/a.rs
--- a/a.rs
+++ b/a.rs
@@ -1,4 +1,4 @@
 same
-let otters = count(sea);
+let otters = count(river);
--- it is not a header
+quite another line
 end
"), @"
        note: one file
        diff --git a/a.rs b/a.rs < bold
        --- a/a.rs < bold
        +++ b/a.rs < bold
        @@ -1,4 +1,4 @@ < cyan
         same
        -let otters = count([sea]); < red
        +let otters = count([river]); < green
        --- it is not a header < red
        +quite another line < green
         end
        ");
    }

    #[test]
    fn other_numbers_of_lines_are_whole() {
        insta::assert_snapshot!(marked("\
diff --git a/a b/a
new file mode 100644
--- /dev/null
+++ b/a
@@ -1,1 +1,2 @@
-one two
\\ No newline at end of file
+one two
+three
--- after the hunk
"), @r"
        diff --git a/a b/a < bold
        new file mode 100644 < bold
        --- /dev/null < bold
        +++ b/a < bold
        @@ -1,1 +1,2 @@ < cyan
        -one two < red
        \ No newline at end of file
        +one two < green
        +three < green
        --- after the hunk < bold
        ");
    }

    proptest! {
        #[test]
        fn the_text_stays(text in "(diff --git a/a b/a\n|@@ -1,2 [+]1,3 @@\n|[-+ ][ab ]{0,6}\n|x\n){0,12}") {
            let canvas = Canvas { width: usize::MAX, colour: false };
            let mut shown: Vec<_> = lines(&text).iter().map(|line| canvas.paint(line)).collect();
            let mut expected: Vec<_> = text.lines().map(str::to_owned).collect();
            // Replaced lines stand in pairs of blocks.
            shown.sort();
            expected.sort();
            prop_assert_eq!(shown, expected);
        }
    }
}
