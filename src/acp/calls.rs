//! Calls of tools as an editor shows them: what kind, where, what changes. Pure.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{Content, ToolCallContent, ToolCallLocation, ToolKind};
use serde_json::Value;

use super::diffs::hunks;
use elophanto_agent::permissions::Action;
use elophanto_base::{
    fenced::fenced,
    one_line::one_line,
    visible::{exact, exact_line, hidden, visible},
};

/// Characters of a title.
const MOST_TITLE: usize = 200;
/// Places of a call.
const MOST_PLACES: usize = 50;
/// Bytes of a result.
const MOST_RESULT: usize = 8 * 1024;

/// What kind of call it is, by the name of its tool, else by what it does.
pub fn kind(tool: &str, action: Option<&Action>) -> ToolKind {
    match (tool, action) {
        ("file_search" | "search", _) => ToolKind::Search,
        ("file_delete", _) => ToolKind::Delete,
        ("file_move", _) => ToolKind::Move,
        ("file_read" | "file_list" | "git_diff" | "git_log" | "git_status", _) => ToolKind::Read,
        ("web_fetch" | "web_search", _) => ToolKind::Fetch,
        ("file_write" | "file_edit", _) => ToolKind::Edit,
        ("shell_execute" | "git_commit", _) => ToolKind::Execute,
        (_, Some(Action::Read { .. } | Action::Look)) => ToolKind::Read,
        (_, Some(Action::Write { .. } | Action::Record { .. })) => ToolKind::Edit,
        (_, Some(Action::Shell { .. } | Action::Commit)) => ToolKind::Execute,
        (_, Some(Action::Reach { .. })) => ToolKind::Fetch,
        (_, Some(Action::Model)) => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// What names a call: its command, the file that it changes, or its own first line.
pub fn title(tool: &str, action: &Action, shown: &str, root: &Path) -> String {
    let first = shown.lines().next().unwrap_or_default();
    let title = match (action, changed(action)) {
        (Action::Shell { line, .. }, _) => exact_line(line),
        (_, Some(path)) if hunks(shown).is_some() => {
            let path = path.strip_prefix(root).unwrap_or(path);
            format!("{tool} {}", exact_line(&path.to_string_lossy()))
        }
        _ if first.is_empty() => tool.to_owned(),
        _ => exact_line(first),
    };
    one_line(&title, MOST_TITLE)
}

/// The same of a call that was made before, of which only the arguments are known.
pub fn title_of(tool: &str, arguments: &Value) -> String {
    let known = ["command", "path", "query", "url", "from", "question"];
    let argument = known.iter().find_map(|name| arguments[name].as_str());
    match argument {
        Some(argument) if tool == "shell_execute" => one_line(&exact_line(argument), MOST_TITLE),
        Some(argument) => one_line(&exact_line(&format!("{tool} {argument}")), MOST_TITLE),
        None => exact_line(tool),
    }
}

/// The only file that a call writes.
fn changed(action: &Action) -> Option<&PathBuf> {
    match action {
        Action::Write { paths } if paths.len() == 1 => paths.first(),
        _ => None,
    }
}

/// Where it looks or changes something, by absolute paths.
pub fn locations(action: &Action, shown: &str) -> Vec<ToolCallLocation> {
    if let Some(path) = changed(action)
        && let Some((_, hunks)) = hunks(shown)
    {
        let place = |line| ToolCallLocation::new(path).line(line);
        return hunks.iter().take(MOST_PLACES).map(|hunk| place(hunk.line)).collect();
    }
    match action {
        Action::Read { paths } | Action::Write { paths } | Action::Record { paths } => {
            paths.iter().take(MOST_PLACES).map(ToolCallLocation::new).collect()
        }
        _ => Vec::new(),
    }
}

/// What is about to happen: a change of a file as such, anything else in words. All of it where somebody
/// is asked, what a text hides included.
pub fn content(action: &Action, shown: &str, is_asked: bool) -> Vec<ToolCallContent> {
    let mut all = Vec::new();
    if let Some(path) = changed(action)
        && let Some((before, hunks)) = hunks(shown)
    {
        if !before.trim().is_empty() {
            all.push(text(exact(before.trim_end())));
        }
        all.extend(hunks.iter().map(|hunk| ToolCallContent::Diff(hunk.diff(path))));
        if is_asked && hidden(shown) > 0 {
            all.push(text(fenced("diff", &exact(shown))));
        }
        return all;
    }
    let (language, said) = match action {
        // Whoever is asked is told where it runs, and with what.
        Action::Shell { line, .. } if !is_asked => ("sh", line.as_str()),
        _ => ("", shown),
    };
    if is_asked || said.trim().contains('\n') {
        all.push(text(fenced(language, &exact(said))));
    }
    all
}

/// What a call gave back.
pub fn result(said: &str) -> ToolCallContent {
    let end = said.floor_char_boundary(MOST_RESULT);
    let mut shown = visible(&said[..end]);
    if end < said.len() {
        shown.push_str(&format!("\n[{} bytes more]", said.len() - end));
    }
    text(fenced("", &shown))
}

pub fn text(text: String) -> ToolCallContent {
    ToolCallContent::Content(Content::new(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CHANGE: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -3,1 +3,1 @@\n-x\n+y\n";

    #[test]
    fn calls_are_named_by_what_they_do() {
        let root = Path::new("/r");
        let write = Action::Write { paths: vec!["/r/a".into()] };
        let shell =
            Action::Shell { line: "ls\u{1b}\nrm".to_owned(), folder: "/r".into(), network: false };
        for (tool, action, shown, expected) in [
            ("file_edit", &write, CHANGE, (ToolKind::Edit, "file_edit a", vec![Some(3)])),
            ("file_delete", &write, "remove a", (ToolKind::Delete, "remove a", vec![None])),
            ("shell_execute", &shell, "ls", (ToolKind::Execute, "ls␛␊rm", vec![])),
            ("mine", &Action::Look, "", (ToolKind::Read, "mine", vec![])),
        ] {
            let lines = locations(action, shown).iter().map(|place| place.line).collect();
            let found = (kind(tool, Some(action)), title(tool, action, shown, root), lines);
            assert_eq!(found, (expected.0, expected.1.to_owned(), expected.2), "{tool}");
        }
        assert_eq!(title_of("file_read", &json!({ "path": "a\u{1b}" })), "file_read a␛");
        assert_eq!(title_of("shell_execute", &json!({ "command": "ls" })), "ls");
        assert_eq!(title_of("todo_list", &json!({})), "todo_list");
    }

    #[test]
    fn all_is_shown_where_somebody_is_asked() {
        let write = Action::Write { paths: vec!["/r/a".into()] };
        let shown =
            |shown: &str, is_asked| serde_json::to_value(content(&write, shown, is_asked)).unwrap();
        let change = shown(CHANGE, true);
        let diff = json!([{ "type": "diff", "path": "/r/a", "oldText": "x\n", "newText": "y\n" }]);
        assert_eq!(change, diff);
        let hidden = CHANGE.replace("+y", "+y\u{202e}");
        assert_eq!(shown(&hidden, true).as_array().unwrap().len(), 2);
        assert_eq!(shown(&format!("careful\n{CHANGE}"), false)[0]["content"]["text"], "careful");
        assert_eq!(shown("remove a", false), json!([]));
        assert_eq!(shown("remove a", true)[0]["content"]["text"], "```\nremove a\n```");
        // Of a command the line alone names no folder.
        let line = "make\nmake test";
        let shell = Action::Shell { line: line.to_owned(), folder: "/r/b".into(), network: true };
        let whole = format!("in b, with network, at most 9 s:\n{line}");
        for (is_asked, expected) in
            [(true, format!("```\n{whole}\n```")), (false, format!("```sh\n{line}\n```"))]
        {
            let shown = serde_json::to_value(content(&shell, &whole, is_asked)).unwrap();
            assert_eq!(shown[0]["content"]["text"], expected);
        }
    }

    #[test]
    fn results_are_cut() {
        let cut = serde_json::to_value(result(&"ä".repeat(MOST_RESULT))).unwrap();
        let text = cut["content"]["text"].as_str().unwrap();
        assert!(text.len() < MOST_RESULT + 100 && text.contains("[8192 bytes more]"), "{text}");
    }
}
