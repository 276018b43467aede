//! What programs say of files that no tool reads: git shows them out of its history, where no
//! sandbox can hide them. Pure.

use elophanto_base::counted::counted;

use std::borrow::Cow;

/// Digits of the shortest id of a commit that git shows.
const FEWEST_DIGITS: usize = 7;
const LEFT_OUT: &str = "[left out: no tool reads this file]";

/// The text without the contents of key files in patches, in hits of `git grep` and in lists of
/// objects. `is_key` is asked of paths relative to the root.
pub(super) fn without_keys<'t>(text: &'t str, is_key: &dyn Fn(&str) -> bool) -> Cow<'t, str> {
    let mut kept = String::new();
    // Where `kept` stands in the text, and how many lines of a patch have been left out.
    let (mut at, mut from, mut leaving) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let plain = plain(line);
        if ends_patch(&plain)
            && let Some(lines) = leaving.take()
        {
            kept.push_str(&lines_left_out(lines));
            from = at;
        }
        let begins = patch_of(&plain)
            .is_some_and(|paths| paths.split_whitespace().any(|path| is_named(path, is_key)));
        if begins && leaving.is_none() {
            kept.push_str(&text[from..at + line.len()]);
            leaving = Some(0);
        } else if let Some(lines) = &mut leaving {
            *lines += 1;
        } else if let Some(shown) = hit(&plain, is_key) {
            kept.push_str(&text[from..at]);
            kept.push_str(&format!("{shown} {LEFT_OUT}\n"));
            from = at + line.len();
        }
        at += line.len();
    }
    match leaving {
        Some(lines) => kept.push_str(&lines_left_out(lines)),
        None if from == 0 => return Cow::Borrowed(text),
        None => kept.push_str(&text[from..]),
    }
    Cow::Owned(kept)
}

/// The same line by line, as a program says them: what a patch of a key file leaves out is told in
/// one line without their number.
#[derive(Default)]
pub(super) struct Lines {
    is_leaving: bool,
}

impl Lines {
    /// What may be shown of the next line, which has no end; `None` if nothing may.
    pub(super) fn shown<'l>(
        &mut self,
        line: &'l str,
        is_key: &dyn Fn(&str) -> bool,
    ) -> Option<Cow<'l, str>> {
        let plain = plain(line);
        self.is_leaving &= !ends_patch(&plain);
        if self.is_leaving {
            return None;
        }
        let paths = patch_of(&plain);
        if paths.is_some_and(|paths| paths.split_whitespace().any(|path| is_named(path, is_key))) {
            self.is_leaving = true;
            return Some(format!("{line}\n{LEFT_OUT}").into());
        }
        match hit(&plain, is_key) {
            Some(shown) => Some(format!("{shown} {LEFT_OUT}").into()),
            None => Some(line.into()),
        }
    }
}

fn lines_left_out(lines: usize) -> String {
    format!("[{} left out: no tool reads this file]\n", counted(lines, "line"))
}

/// A line without colours and its end.
fn plain(line: &str) -> Cow<'_, str> {
    let line = line.trim_end_matches(['\n', '\r']);
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.find(|c: char| c.is_ascii_alphabetic()).map_or("", |end| &after[end + 1..]);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Characters that stand before a line where git draws a graph.
const GRAPH: [char; 6] = ['|', '*', '\\', '/', '_', ' '];

/// The paths in the first line of a patch, wherever it stands: better too much is left out.
fn patch_of(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(GRAPH);
    ["diff --git ", "diff --cc ", "diff --combined "]
        .iter()
        .find_map(|begins| line.strip_prefix(begins))
}

/// Whether a patch has ended before this line: behind a graph stands one blank, and a line of a
/// patch has one more character in front of its text.
fn ends_patch(line: &str) -> bool {
    let behind = line.trim_start_matches(GRAPH);
    let graph = &line[..line.len() - behind.len()];
    let blanks = graph.len() - graph.trim_end_matches(' ').len();
    let most = usize::from(blanks < graph.len());
    let id = behind.strip_prefix("commit ").or_else(|| behind.strip_prefix("From "));
    let is_commit =
        id.is_some_and(|id| id.bytes().take_while(u8::is_ascii_hexdigit).count() >= FEWEST_DIGITS);
    blanks <= most && (is_commit || patch_of(behind).is_some())
}

/// Whether a path names a key file, with `a/` or `b/` in front of it or without.
fn is_named(path: &str, is_key: &dyn Fn(&str) -> bool) -> bool {
    let path = path.trim_matches('"');
    let below = path.split_once('/').map_or("", |(_, rest)| rest);
    [path, below].into_iter().any(|path| !path.is_empty() && (is_key(path) || is_ours(path)))
}

/// Whether a path is one of those below which elophanto keeps contents of work trees in git.
fn is_ours(path: &str) -> bool {
    let is_id = |text: &str, digits: &[usize]| {
        digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    };
    path.split_once('/').is_some_and(|(folder, file)| {
        is_id(folder, &[2]) && is_id(file, &[38, 62]) || folder == "contents" && is_id(file, &[64])
    })
}

/// What of a line may be shown that is a hit of `git grep` in a key file (`PATH:TEXT`,
/// `COMMIT:PATH:TEXT`, `PATH-TEXT`), or gives the id of its content (`MODE ... ID\tPATH`).
fn hit<'l>(line: &'l str, is_key: &dyn Fn(&str) -> bool) -> Option<&'l str> {
    if let Some((object, path)) = line.split_once('\t') {
        let mode = object.trim_start_matches(':');
        let is_object = mode.len() > 6 && mode.bytes().take(6).all(|b| b.is_ascii_digit());
        if is_object && is_named(path, is_key) {
            return Some(path);
        }
    }
    let is_path =
        |path: &str| !path.is_empty() && !path.contains(char::is_whitespace) && is_key(path);
    // The first two parts: a commit or the path.
    let parts = line.match_indices(':').map(|(at, _)| at).take(2);
    let begins: Vec<usize> = std::iter::once(0).chain(parts.map(|at| at + 1)).take(2).collect();
    begins.into_iter().find_map(|begin| {
        let part = &line[begin..];
        let ends = part.match_indices([':', '-']).map(|(at, _)| at);
        let mut ends = ends.take_while(|&end| !part[..end].contains(':'));
        ends.find(|&end| is_path(&part[..end])).map(|end| &line[..begin + end])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_key(path: &str) -> bool {
        path.rsplit('/').next().is_some_and(|name| name == ".env" || name.ends_with(".pem"))
    }

    fn shown(text: &str) -> String {
        without_keys(text, &is_key).into_owned()
    }

    #[test]
    fn patches_of_key_files_lose_their_contents() {
        let patch = |path: &str, text: &str| {
            format!(
                "diff --git a/{path} b/{path}\nnew file mode 100644\nindex 000..1a2\n\
                 --- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n"
            )
        };
        let log = format!(
            "commit 0123456789abcdef\nAuthor: A\n\n    Add\n\n{}{}commit fedcba9876543210\n\n    \
             Next\n\n{}{}",
            patch("a.md", "text"),
            patch("config/.env", "PLAIN=words nobody masks"),
            patch("server.pem", "words"),
            patch("z.md", "more"),
        );
        insta::assert_snapshot!(shown(&log), @"
        commit 0123456789abcdef
        Author: A

            Add

        diff --git a/a.md b/a.md
        new file mode 100644
        index 000..1a2
        --- /dev/null
        +++ b/a.md
        @@ -0,0 +1 @@
        +text
        diff --git a/config/.env b/config/.env
        [6 lines left out: no tool reads this file]
        commit fedcba9876543210

            Next

        diff --git a/server.pem b/server.pem
        [6 lines left out: no tool reads this file]
        diff --git a/z.md b/z.md
        new file mode 100644
        index 000..1a2
        --- /dev/null
        +++ b/z.md
        @@ -0,0 +1 @@
        +more
        ");
        let colours = "\u{1b}[1mdiff --git a/.env b/.env\u{1b}[m\n\u{1b}[32m+K=v\u{1b}[m\n";
        assert!(!shown(colours).contains("K=v"));
        for inside in ["|  commit 0123456789", "|  diff --git a/a b/a", "| +commit 0123456789"] {
            let left = shown(&format!("| diff --git a/.env b/.env\n{inside}\n| +K=v\n"));
            assert_eq!(left, format!("| diff --git a/.env b/.env\n{}", lines_left_out(2)));
        }
        let ours = format!("diff --git a/ab/{0} b/ab/{0}\n+K=v\n", "c".repeat(38));
        assert!(!shown(&ours).contains("K=v"));
        let graph = "* commit 0123456\n| diff --git a/.env b/.env\n| +K=v\n* commit 7654321\n| b\n";
        let left = shown(graph);
        assert!(!left.contains("K=v") && left.ends_with("* commit 7654321\n| b\n"), "{left}");
        for header in [
            "diff --cc .env",
            "diff --combined x/.env",
            "diff --git .env .env",
            "diff --git old/.env new/.env",
            "diff --git \"a/\\303\\244/.env\" \"b/\\303\\244/.env\"",
            "diff --git a/my file/.env b/my file/.env",
        ] {
            let left = shown(&format!("{header}\n K=v\n\nK=v\n+K=v"));
            assert_eq!(left, format!("{header}\n{}", lines_left_out(4)));
        }
    }

    #[test]
    fn hits_and_objects_of_key_files_are_left_out() {
        for (line, left) in [
            (".env:K=v", ".env"),
            ("HEAD:config/.env:K=v", "HEAD:config/.env"),
            ("HEAD~2:server.pem-K=v", "HEAD~2:server.pem"),
            ("100644 blob 0123456789abcdef\t.env", ".env"),
            ("100644 0123456789abcdef 0\tx/.env", "x/.env"),
            (":000000 100644 0000000 0123456 A\tx/.env", "x/.env"),
        ] {
            assert_eq!(shown(&format!("a\n{line}\nb\n")), format!("a\n{left} {LEFT_OUT}\nb\n"));
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "",
            "a",
            "a\n\nb",
            "src/a.rs:12: // reads .env\n",
            "HEAD:src/a.rs:12:x\n",
            "The file .env: see README\n",
            "cat: .env: Permission denied\n",
            ".env\n.env.example\n",
            "M\t.env\n",
            "diff --git a/environment b/environment\n+K=v\n",
            "a-b:c\n-:-\n::\n",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    proptest! {
        #[test]
        fn text_without_keys_is_as_it_was(text in "[a-c:\t\n\u{1b}\\[m |*-]{0,80}|\\PC{0,80}") {
            prop_assert_eq!(without_keys(&text, &|_| false), text.as_str());
        }

        #[test]
        fn line_by_line_no_more_is_shown(
            text in "((diff --git a/(\\.env|b) b/b|commit 01234567|\\.env:K|100644 0123456 0\t\\.env|[+ -][a-z]{0,3})\n){0,12}"
        ) {
            let whole = shown(&text);
            let mut lines = Lines::default();
            let by_line: Vec<_> = text.lines().filter_map(|line| lines.shown(line, &is_key)).collect();
            let is_mark = |line: &&str| !line.contains("left out: no tool reads this file");
            let by_line = by_line.join("\n");
            prop_assert!(
                by_line.lines().filter(is_mark).eq(whole.lines().filter(is_mark)),
                "{:?} and {:?}", by_line, whole
            );
        }

        #[test]
        fn whatever_a_patch_holds_is_left_out(body in "([ +-][a-z \u{1b}:]{0,9}\n){0,9}") {
            let left = shown(&format!("diff --git a/.env b/.env\n{body}diff --git a/b b/b\n+q\n"));
            let lines = body.lines().count();
            let expected = format!(
                "diff --git a/.env b/.env\n{}diff --git a/b b/b\n+q\n",
                lines_left_out(lines)
            );
            prop_assert_eq!(left, expected);
        }
    }
}
