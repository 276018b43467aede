//! What Claude Code tells a hook, and what a hook answers.

use std::path::PathBuf;

use serde_json::{Value, json};

/// Most bytes that are read of what a hook is told.
const MAX_INPUT_BYTES: usize = 1024 * 1024;
/// Most characters of context: the client keeps no more than 10,000 of a hook's output.
const MAX_CONTEXT_CHARS: usize = 9_000;
/// Tells our reminder in a transcript. No character of it is escaped in JSON.
pub(super) const REMINDER: &str = "[elophanto reminder]";

/// What the client says of the session. Whatever is missing or of another type is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookInput {
    /// As the client names it.
    pub session_id: Option<String>,
    /// The session so far, a JSONL file.
    pub transcript_path: Option<PathBuf>,
    /// The folder in which the session is.
    pub cwd: Option<PathBuf>,
    /// Whether the agent goes on only because a hook held it back.
    pub stop_hook_active: bool,
    /// Why a session starts: `startup`, `resume`, `clear`, `compact`.
    pub source: Option<String>,
}

/// What a `SessionStart` hook prints to add context to the session, cut after 9,000 characters.
pub fn start_output(context: &str) -> String {
    let context = match context.char_indices().nth(MAX_CONTEXT_CHARS) {
        Some((end, _)) => {
            let cut = context.get(..end).unwrap_or_default();
            cut.rfind('\n').and_then(|line| cut.get(..line)).unwrap_or(cut)
        }
        None => context,
    };
    let output = json!({
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": context,
        }
    });
    output.to_string()
}

/// What a `Stop` hook prints to have the agent think of what it learned.
pub fn stop_output() -> String {
    let reason = format!(
        "{REMINDER} A tool call failed in this session and nothing was remembered since. If the \
         error took more than one attempt, or its solution will be useful again, call the \
         `remember` tool of the elophanto server once (or run `elophanto agent remember`) with \
         type, context, command, lesson and success_rate. If there is no lesson in it, just stop."
    );
    json!({ "decision": "block", "reason": reason }).to_string()
}

/// Reads what a hook is told on its standard input.
pub fn hook_input(stdin_json: &str) -> HookInput {
    if stdin_json.len() > MAX_INPUT_BYTES {
        return HookInput::default();
    }
    let input: Value =
        serde_json::from_str(stdin_json.trim_start_matches('\u{feff}')).unwrap_or_default();
    let text = |key| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    HookInput {
        session_id: text("session_id").map(str::to_owned),
        transcript_path: text("transcript_path").map(PathBuf::from),
        cwd: text("cwd").map(PathBuf::from),
        stop_hook_active: input.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false),
        source: text("source").map(str::to_owned),
    }
}
