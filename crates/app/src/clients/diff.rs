//! A change as text for people.

use super::Change;
use elophanto_agent::tools::hunks;
use elophanto_base::visible::escape_control_line;

/// Characters of a line that are shown where it stays as it is.
const MAX_CONTEXT_CHARS: usize = 240;

/// The change in the unified format, with three lines of context. What changes is shown whole, as people
/// agree to it; long lines that stay are cut. Characters that steer a terminal are made visible. Line ends
/// are not shown but for a missing last one.
pub fn diff(change: &Change) -> String {
    let (old, new) = (change.before.as_deref(), change.after.as_deref());
    let name = |text: Option<&str>| match text {
        Some(_) => escape_control_line(&change.path.display().to_string()),
        None => "/dev/null".to_owned(),
    };
    let mut shown = format!("--- {}\n+++ {}\n", name(old), name(new));
    hunks(&mut shown, old.unwrap_or_default(), new.unwrap_or_default(), push_line);
    shown
}

fn push_line(shown: &mut String, sign: char, line: &str) {
    let body = line.strip_suffix('\n').unwrap_or(line);
    let body = body.strip_suffix('\r').unwrap_or(body);
    shown.push(sign);
    match body.char_indices().nth(MAX_CONTEXT_CHARS) {
        Some((end, _)) if sign == ' ' => {
            shown.push_str(&escape_control_line(body.get(..end).unwrap_or_default()));
            shown.push_str(" ...");
        }
        _ => shown.push_str(&escape_control_line(body).replace('\u{2409}', "\t")),
    }
    shown.push('\n');
    if !line.ends_with('\n') {
        shown.push_str("\\ no line end\n");
    }
}
