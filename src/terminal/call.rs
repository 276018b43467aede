//! A call as a terminal shows it: what runs, what it says, what it changes. Pure.

use std::{collections::VecDeque, path::Path};

use super::{
    show::{ACCENT, BOLD, CAUTION, FAINT, GOOD, PLAIN, Span, diff},
    ui::escape_control_line,
};
use elophanto_agent::{ReaderEnd, ReaderState, Todo, TodoState, permissions::Action};
use elophanto_base::{counted::counted, visible::visible};

/// Lines of a call that nobody was asked about.
const MOST_CALL: usize = 12;
/// The same of what it changes in files.
const MOST_DIFF: usize = 40;
/// Lines of what a command said, the last ones.
const MOST_SAID: usize = 8;

/// The line that names a call.
pub fn head(tool: &str, action: &Action, shown: &str, root: &Path) -> Vec<Span> {
    match action {
        Action::Shell { line, folder, network } => {
            let first = escape_control_line(line.lines().next().unwrap_or_default());
            let mut head = vec![Span::new("$ ", ACCENT), Span::new(first, BOLD)];
            let mut more = Vec::new();
            if let Some(below) = folder.strip_prefix(root).ok().filter(|it| *it != Path::new("")) {
                more.push(format!("in {}", escape_control_line(&below.to_string_lossy())));
            }
            if *network {
                more.push("with the network".to_owned());
            }
            if !more.is_empty() {
                head.push(Span::new(format!("  ({})", more.join(", ")), FAINT));
            }
            head
        }
        _ => {
            let tool = Span::new(tool, BOLD);
            let first = match change(shown) {
                Some(change) => change,
                None => shown.lines().next().unwrap_or_default().to_owned(),
            };
            let first = Span::new(format!(" {}", escape_control_line(&first)), PLAIN);
            vec![Span::new("→ ", ACCENT), tool, first]
        }
    }
}

/// Which file a diff is of, and how many lines come and go.
fn change(shown: &str) -> Option<String> {
    if !diff::is_diff(shown) {
        return None;
    }
    let name = |sign: &str| {
        let line = shown.lines().find_map(|line| line.strip_prefix(sign))?;
        Some(line.trim_end_matches('\t').to_owned()).filter(|name| name != "/dev/null")
    };
    let name = name("+++ b/").or_else(|| name("--- a/"))?;
    let count = |sign: char, header: &str| {
        let is_change = |line: &&str| line.starts_with(sign) && !line.starts_with(header);
        shown.lines().filter(is_change).count()
    };
    Some(format!("{name} (+{} -{})", count('+', "+++ "), count('-', "--- ")))
}

/// What stands below it, as far as it is shown where nobody was asked.
pub fn body(action: &Action, shown: &str) -> Vec<Vec<Span>> {
    match action {
        Action::Shell { line, .. } => {
            let rest: Vec<_> = line.lines().skip(1).collect();
            cut(&rest.join("\n"), MOST_CALL)
        }
        _ if diff::is_diff(shown) => {
            let shown: Vec<_> = shown.lines().map(escape_control_line).collect();
            let is_header = |line: &str| {
                ["diff --git ", "--- ", "+++ "].iter().any(|begins| line.starts_with(begins))
            };
            let mut lines = diff::lines(&shown.join("\n"));
            let is_kept = |line: &Vec<Span>| {
                !line.first().is_some_and(|span| span.style == BOLD && is_header(&span.text))
            };
            lines.retain(is_kept);
            shortened(lines, MOST_DIFF)
        }
        _ => {
            let (_, rest) = shown.split_once('\n').unwrap_or((shown, ""));
            cut(rest, MOST_CALL)
        }
    }
}

/// Something that is to be done.
pub fn todo(item: &Todo) -> Vec<Span> {
    let (sign, style) = match item.state {
        TodoState::Open => (Span::new("· ", FAINT), PLAIN),
        TodoState::Doing => (Span::new("▸ ", ACCENT), BOLD),
        TodoState::Done => (Span::new("✓ ", GOOD), FAINT),
    };
    vec![Span::new("  ", PLAIN), sign, Span::new(escape_control_line(&item.text), style)]
}

/// A reader that begins or has ended.
pub fn reader(number: usize, question: &str, state: ReaderState) -> Vec<Span> {
    let name = Span::new(format!("reader {number}"), BOLD);
    let used = |steps: u32, tokens: u64| {
        format!("{}, {}", counted(steps, "step"), counted(tokens, "token"))
    };
    match state {
        ReaderState::Begun { .. } => {
            vec![name, Span::new(format!(": {}", escape_control_line(question)), PLAIN)]
        }
        ReaderState::Ended { end, steps, tokens } => {
            let style = match end {
                ReaderEnd::Answered => GOOD,
                ReaderEnd::Partly | ReaderEnd::Failed | ReaderEnd::Cancelled => CAUTION,
            };
            let how = Span::new(format!(" {}", end.name()), style);
            vec![name, how, Span::new(format!(": {}", used(steps, tokens)), FAINT)]
        }
    }
}

/// The first lines of a text, and how many there are more.
pub fn cut(text: &str, most: usize) -> Vec<Vec<Span>> {
    if most == 0 {
        return Vec::new();
    }
    let lines = text.lines().map(|line| vec![Span::new(escape_control_line(line), PLAIN)]);
    shortened(lines.collect(), most)
}

fn shortened(mut lines: Vec<Vec<Span>>, most: usize) -> Vec<Vec<Span>> {
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        lines.truncate(most);
        lines.push(vec![Span::new(format!("… {}", counted(more, "more line")), FAINT)]);
    }
    lines
}

/// A command that runs.
#[derive(Default)]
pub struct Command {
    /// The last lines that it said.
    last: VecDeque<String>,
    count: usize,
}

impl Command {
    /// Whole lines that it says now, safe to show.
    pub fn said(&mut self, text: &str) {
        for line in text.lines() {
            self.count += 1;
            self.last.push_back(line.to_owned());
            if self.last.len() > MOST_SAID {
                self.last.pop_front();
            }
        }
    }

    /// What stays of it: the last lines, and how the others are looked at. `text` is its result, for
    /// one that could not be heard while it ran.
    pub fn folded(mut self, text: &str, way: Option<&str>) -> Vec<Vec<Span>> {
        if self.count == 0 {
            let said = visible(text).replace('\t', "    ");
            let said = said.lines().skip_while(|line| !is_mark(line));
            let said: Vec<_> = said.filter(|line| !is_mark(line)).collect();
            self.said(&said.join("\n"));
        }
        let more = self.count - self.last.len();
        let mut lines = Vec::new();
        if more > 0 {
            let way = way.map(|way| format!(" ({way})")).unwrap_or_default();
            let text = format!("… {} above{way}", counted(more, "line"));
            lines.push(vec![Span::new(text, FAINT)]);
        }
        lines.extend(self.last.into_iter().map(|line| vec![Span::new(line, PLAIN)]));
        lines
    }
}

/// What the result of a command says before what that said, on one line.
pub fn how_it_ended(text: &str) -> String {
    let head = text.lines().take_while(|line| !is_mark(line)).map(escape_control_line);
    head.collect::<Vec<_>>().join("; ")
}

/// What stands between the streams in a result.
fn is_mark(line: &str) -> bool {
    matches!(line, "--- stdout" | "--- stderr")
}

#[cfg(test)]
mod tests {
    use super::super::show::Canvas;
    use super::*;

    fn plain(lines: &[Vec<Span>]) -> String {
        let canvas = Canvas { width: usize::MAX, colour: false };
        let lines: Vec<_> = lines.iter().map(|line| canvas.paint(line)).collect();
        lines.join("\n")
    }

    fn shell(line: &str, folder: &str, network: bool) -> Action {
        Action::Shell { line: line.to_owned(), folder: folder.into(), network }
    }

    #[test]
    fn calls_are_named_by_what_they_do() {
        let write = || Action::Write { paths: vec!["/r/a b".into()] };
        let diff =
            "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1,1 +1,2 @@\n-x\n+y\n+z\n";
        let gone = "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n";
        for (tool, action, shown, head, body) in [
            ("shell_execute", shell("cargo test", "/r", false), "in /r", "$ cargo test", ""),
            (
                "shell_execute",
                shell("a\nb\u{1b}", "/r/s", true),
                "",
                "$ a  (in s, with the network)",
                "b␛",
            ),
            (
                "file_write",
                write(),
                diff,
                "→ file_write a b (+2 -1)",
                "@@ -1,1 +1,2 @@\n-x\n+y\n+z",
            ),
            ("file_write", write(), gone, "→ file_write a (+0 -0)", "deleted file mode 100644"),
            ("file_read", Action::Look, "read a.md", "→ file_read read a.md", ""),
            ("x", Action::Look, "one\ntwo", "→ x one", "two"),
        ] {
            assert_eq!(plain(&[super::head(tool, &action, shown, Path::new("/r"))]), head);
            assert_eq!(plain(&super::body(&action, shown)), body);
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(plain(&cut("a\nb\nc", 2)), "a\nb\n… 1 more line");
        assert_eq!(plain(&cut("a\nb", 2)), "a\nb");
        assert!(cut("a\nb", 0).is_empty());
    }

    #[test]
    fn outputs_are_folded() {
        let folded = |said: &str, text: &str| {
            let mut command = Command::default();
            command.said(said);
            plain(&command.folded(text, Some("/output shows all of it")))
        };
        assert_eq!(folded("", "exit code 0\n"), "");
        assert_eq!(folded("a\nb\n", "exit code 0\n--- stdout\na\nb\n"), "a\nb");
        assert_eq!(folded("", "exit code 1\n--- stdout\na\n--- stderr\nb\u{1b}\n"), "a\nb␛");
        assert_eq!(how_it_ended("exit code 1\nnarrow\n--- stdout\na\n"), "exit code 1; narrow");
        let long: String = (1..=10).map(|number| format!("{number}\n")).collect();
        let expected = "… 2 lines above (/output shows all of it)\n3\n4\n5\n6\n7\n8\n9\n10";
        assert_eq!(folded(&long, "exit code 0\n"), expected);
    }
}
