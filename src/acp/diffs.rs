//! Changes of files as a tool shows them, in the form in which an editor shows them. Pure.

use std::path::Path;

use agent_client_protocol::v1::schema::Diff;

/// A change of one file at one place.
#[derive(Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first that is other than before, in the file as it will be, from 1.
    pub line: u32,
    /// `None` where there is no file yet.
    pub old: Option<String>,
    pub new: String,
}

impl Hunk {
    pub fn diff(&self, path: &Path) -> Diff {
        Diff::new(path, self.new.clone()).old_text(self.old.clone())
    }
}

/// What stands before a unified diff of one file, and its hunks; `None` if there is no such diff.
pub fn hunks(shown: &str) -> Option<(&str, Vec<Hunk>)> {
    let start = match shown.starts_with(HEAD) {
        true => 0,
        false => shown.find("\ndiff --git ")? + 1,
    };
    let (before, diff) = shown.split_at(start);
    let mut all: Vec<Hunk> = Vec::new();
    let mut is_new = false;
    // Lines that the hunk still has, before and after.
    let mut left = (0_usize, 0_usize);
    let (mut last, mut is_changed) = (' ', false);
    for line in diff.split_inclusive('\n') {
        if line.starts_with('\\') {
            for text in all.last_mut()?.sides(last) {
                text.truncate(text.trim_end_matches('\n').len());
            }
            continue;
        }
        if left == (0, 0) {
            if let Some(range) = line.strip_prefix("@@ -") {
                let (line, counts) = range_of(range)?;
                (left, is_changed) = (counts, false);
                let old = (!is_new).then(String::new);
                all.push(Hunk { line, old, new: String::new() });
            } else if line.starts_with(HEAD) && !all.is_empty() {
                return None;
            }
            is_new |= line.starts_with("--- /dev/null");
            continue;
        }
        let mut chars = line.chars();
        last = chars.next()?;
        is_changed |= last != ' ';
        if !is_changed {
            all.last_mut()?.line += 1;
        }
        for text in all.last_mut()?.sides(last) {
            text.push_str(chars.as_str());
        }
        left.0 = left.0.saturating_sub(usize::from(last != '+'));
        left.1 = left.1.saturating_sub(usize::from(last != '-'));
    }
    (!all.is_empty()).then_some((before, all))
}

const HEAD: &str = "diff --git ";

impl Hunk {
    /// Where a line of the diff stands.
    fn sides(&mut self, sign: char) -> impl Iterator<Item = &mut String> {
        let old = self.old.as_mut().filter(|_| sign != '+');
        old.into_iter().chain((sign != '-').then_some(&mut self.new))
    }
}

/// The line after, and how many there are before and after, from `1,2 +3,4 @@`.
fn range_of(range: &str) -> Option<(u32, (usize, usize))> {
    let (old, rest) = range.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let parts = |range: &str| match range.split_once(',') {
        Some((line, count)) => Some((line.parse::<u32>().ok()?, count.parse().ok()?)),
        None => Some((range.parse().ok()?, 1)),
    };
    let ((_, before), (line, after)) = (parts(old)?, parts(new)?);
    Some((line.max(1), (before, after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(line: u32, old: Option<&str>, new: &str) -> Hunk {
        Hunk { line, old: old.map(str::to_owned), new: new.to_owned() }
    }

    #[test]
    fn places_are_told_apart() {
        let two = "careful\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n a\r\n-b\n+-- c\n@@ -9 +9,2 \
                   @@\n x\n+--- a/a\n";
        let made = "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+a\n\\ No \
                    newline at end of file\n";
        let gone = "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n";
        let end = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n";
        for (shown, before, expected) in [
            (
                two,
                "careful\n",
                vec![
                    hunk(2, Some("a\r\nb\n"), "a\r\n-- c\n"),
                    hunk(10, Some("x\n"), "x\n--- a/a\n"),
                ],
            ),
            (made, "", vec![hunk(1, None, "a")]),
            (gone, "", vec![hunk(1, Some("a\n"), "")]),
            (end, "", vec![hunk(1, Some("a"), "a\n")]),
        ] {
            assert_eq!(hunks(shown), Some((before, expected)), "{shown}");
        }
        for other in ["", "read a.md", "diff --git a/a b/a\nold mode 1\n", &format!("{made}{gone}")]
        {
            assert_eq!(hunks(other), None, "{other}");
        }
    }
}
