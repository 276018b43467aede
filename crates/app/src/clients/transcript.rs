//! Whether a session has a lesson in it that nobody wrote down, read from its transcript.

use memchr::{memmem, memrchr};
use serde_json::Value;

use super::hook_input::{HookInput, REMINDER};

/// Most bytes of a transcript that are looked at, the newest.
pub const MAX_TRANSCRIPT_BYTES: usize = 64 * 1024 * 1024;

/// Whether to hold the agent back once: a tool call failed, nothing was remembered since, and we
/// said nothing of it in this session yet.
///
/// The transcript is JSONL, of which the last 64 MiB count. Lines that cannot be read are passed
/// over.
pub fn wants_reminder(input: &HookInput, transcript: &[u8]) -> bool {
    if input.stop_hook_active {
        return false;
    }
    let mut failed = false;
    for line in newest_first(transcript) {
        // Most lines are none of these, and parsing is what takes time.
        let may_remind = memmem::find(line, REMINDER.as_bytes()).is_some();
        let may_fail = !failed && memmem::find(line, b"\"is_error\"").is_some();
        let may_remember = !failed && memmem::find(line, b"remember").is_some();
        if !may_remind && !may_fail && !may_remember {
            continue;
        }
        let Ok(entry) = serde_json::from_slice::<Value>(line) else { continue };
        let blocks = entry.pointer("/message/content").and_then(Value::as_array);
        let blocks = blocks.map(Vec::as_slice).unwrap_or_default();
        for block in blocks.iter().rev() {
            if failed {
                break;
            }
            if remembers(block) {
                return false;
            }
            failed = is_failure(block);
        }
        // What a tool shows or the agent says may quote the reminder; that is not being reminded.
        let is_quoted = entry.get("type").and_then(Value::as_str) == Some("assistant")
            || blocks.iter().any(|block| kind(block) == Some("tool_result"));
        if may_remind && !is_quoted {
            return false;
        }
    }
    failed
}

fn newest_first(transcript: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start = transcript.len().saturating_sub(MAX_TRANSCRIPT_BYTES);
    let newest = transcript.get(start..).unwrap_or_default();
    // A line that the cap cuts is damaged, and passed over as such.
    let mut rest = Some(newest);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, before) = match memrchr(b'\n', text) {
            Some(end) => (text.get(end + 1..), text.get(..end)),
            None => (Some(text), None),
        };
        rest = before;
        line
    })
}

fn kind(block: &Value) -> Option<&str> {
    block.get("type").and_then(Value::as_str)
}

fn is_failure(block: &Value) -> bool {
    kind(block) == Some("tool_result")
        && block.get("is_error").and_then(Value::as_bool) == Some(true)
}

fn remembers(block: &Value) -> bool {
    if kind(block) != Some("tool_use") {
        return false;
    }
    let name = block.get("name").and_then(Value::as_str).unwrap_or_default();
    let command = block.pointer("/input/command").and_then(Value::as_str).unwrap_or_default();
    name.ends_with("remember") || (name == "Bash" && command.contains("agent remember"))
}
