//! A plan as text. Pure.

use std::fmt::Write as _;

use super::Plan;
use elophanto_base::counted::counted;

/// Bytes of a `SKILL.md` that are shown.
const MAX_BODY: usize = 16 << 10;

/// Where from, what it is for, each file, each warning, and what changes: for an update the diff,
/// else the text of `SKILL.md`.
pub(super) fn shown(plan: &Plan) -> String {
    let mut text = format!("skill `{}` from {}\n", plan.name, plan.source);
    let mut say = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    if let Some(hub) = &plan.hub {
        say(format!("hub {hub}"));
    }
    if let Some(commit) = &plan.commit {
        say(format!("commit {commit}"));
    }
    say(format!("content {}", plan.tree));
    say(format!("for: {}", plan.description));
    let bytes: u64 = plan.files.iter().map(|file| file.size).sum();
    let (files, bytes) = (counted(plan.files.len(), "file"), counted(bytes, "byte"));
    say(format!("{files}, {bytes}, none of which may be run:"));
    for file in &plan.files {
        let mark = if file.executable { " (may be run where it comes from)" } else { "" };
        say(format!("  {} {} bytes{mark}", file.path, file.size));
    }
    if !plan.warnings.is_empty() {
        say("look at:".to_owned());
    }
    for warning in &plan.warnings {
        say(format!("  {warning}"));
    }
    match &plan.difference {
        Some(_) if plan.is_current() => say("just this is installed already".to_owned()),
        Some(difference) => {
            for (what, paths) in [("new", &difference.added), ("gone", &difference.removed)] {
                for path in paths {
                    say(format!("{what}: {path}"));
                }
            }
            for changed in &difference.changed {
                say(format!("changed: {}\n{}", changed.path, changed.diff.trim_end()));
            }
        }
        None => {
            let end = plan.body.floor_char_boundary(MAX_BODY);
            let body = plan.body.get(..end).unwrap_or_default();
            say(format!("it says:\n\n{}", body.trim()));
            if end < plan.body.len() {
                say(format!("... and {} bytes more", plan.body.len() - end));
            }
        }
    }
    text
}
