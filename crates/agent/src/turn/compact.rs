//! Keeping a conversation short: older messages become one summary, and a call of a tool is never
//! parted from its result. Pure.

use crate::clean::cut_middle;
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Message, Request};

/// How a summary begins.
pub(super) const HEADING: &str = "Summary of what came before in this conversation:";
/// Bytes of a summary.
const SUMMARY_CAP: usize = 6_000;
/// Characters of a message in a summary that no model wrote.
const LINE_CHARS: usize = 300;
/// Bytes that stay of a tool's older result when the prompt is too long.
const RESULT_LEFT: usize = 600;

/// At most `limit` messages: the newest as they are, the others as one summary before them.
/// `summarise` is given those others, see [`extract`]. Results whose call is missing, and calls whose result is, are dropped.
pub(crate) fn compact(
    messages: Vec<Message>,
    limit: usize,
    summarise: &mut dyn FnMut(&[Message]) -> String,
) -> Vec<Message> {
    let units = units(messages);
    let count: usize = units.iter().map(Vec::len).sum();
    if count <= limit {
        return units.concat();
    }
    let (mut kept, mut first) = (0, units.len());
    for (number, unit) in units.iter().enumerate().rev() {
        if kept + unit.len() + 1 > limit {
            break;
        }
        kept += unit.len();
        first = number;
    }
    let (older, newer) = units.split_at_checked(first).unwrap_or((&units, &[]));
    let older = older.concat();
    if older.is_empty() || limit == 0 {
        return newer.concat();
    }
    let mut all = vec![Message::User(format!("{HEADING}\n{}", summarise(&older)))];
    all.extend(newer.concat());
    all
}

/// Whether every call has its result right behind it, and every result its call before it.
pub(crate) fn whole(messages: &[Message]) -> bool {
    let count: usize = units(messages.to_vec()).iter().map(Vec::len).sum();
    count == messages.len()
}

/// Messages that belong together: a message alone, or one with calls and all their results.
fn units(messages: Vec<Message>) -> Vec<Vec<Message>> {
    let mut units: Vec<Vec<Message>> = Vec::new();
    let mut open: Option<(Vec<Message>, Vec<String>)> = None;
    for message in messages {
        if let (Some((unit, missing)), Message::Tool { id, .. }) = (&mut open, &message) {
            if let Some(at) = missing.iter().position(|one| one == id) {
                missing.remove(at);
                unit.push(message);
            }
            if missing.is_empty() {
                units.extend(open.take().map(|(unit, _)| unit));
            }
            continue;
        }
        // Whatever else comes ends a unit that lacks a result: it is dropped.
        open = None;
        match &message {
            Message::Tool { .. } => {}
            Message::Assistant { tool_calls, .. } if !tool_calls.is_empty() => {
                let missing = tool_calls.iter().map(|call| call.id.clone()).collect();
                open = Some((vec![message], missing));
            }
            _ => units.push(vec![message]),
        }
    }
    units
}

/// A summary without a model: a line for each message, without marks of quotes.
pub(super) fn extract(messages: &[Message]) -> String {
    let mut lines = Vec::new();
    for message in messages {
        match message {
            Message::User(text) => match text.strip_prefix(HEADING) {
                Some(summary) => lines.push(unquoted(summary)),
                None => lines.push(format!("user: {}", one_line(text, LINE_CHARS))),
            },
            Message::System(text) => lines.push(format!("note: {}", one_line(text, LINE_CHARS))),
            Message::Assistant { text, tool_calls } => {
                if !text.trim().is_empty() {
                    lines.push(format!("agent: {}", one_line(text, LINE_CHARS)));
                }
                lines.extend(tool_calls.iter().map(|call| {
                    let arguments = one_line(&call.arguments.to_string(), LINE_CHARS / 3);
                    format!("agent called {} {arguments}", one_line(&call.name, 64))
                }));
            }
            Message::Tool { name, text, failed, .. } => {
                let how = if *failed { " failed" } else { "" };
                let name = one_line(name, 64);
                lines.push(format!("{name}{how}: {}", one_line(&unquoted(text), LINE_CHARS / 2)));
            }
        }
    }
    cut_middle(&lines.join("\n"), SUMMARY_CAP)
}

/// Without the lines that begin and end a quote: a summary is quoted as a whole.
fn unquoted(text: &str) -> String {
    let is_mark = |line: &&str| line.starts_with("<quoted-") || line.starts_with("</quoted-");
    text.trim().lines().filter(|line| !is_mark(line)).collect::<Vec<_>>().join("\n")
}

/// Makes a prompt fit: first older results of tools are cut, the oldest first, then older messages
/// become a summary. The first `fixed` messages and the newest ones stay as they are. Returns how
/// many messages went into a summary.
pub(super) fn shrink(
    messages: &mut Vec<Message>,
    fixed: usize,
    tokens: u64,
    summarise: &mut dyn FnMut(&[Message]) -> String,
) -> usize {
    let estimate = |messages: &[Message]| {
        // The estimate is the request's own, so it needs one.
        let request = Request { messages: messages.to_vec(), ..Request::default() };
        request.estimated_input()
    };
    let mut total = estimate(messages);
    if total <= tokens {
        return 0;
    }
    let recent = messages.len().saturating_sub(4);
    for message in messages.iter_mut().take(recent).skip(fixed) {
        let before = estimate(std::slice::from_ref(message));
        if let Message::Tool { text, .. } = message {
            *text = cut_middle(text, RESULT_LEFT);
        }
        total = total.saturating_sub(before - estimate(std::slice::from_ref(message)).min(before));
        if total <= tokens {
            return 0;
        }
    }
    let count = messages.len();
    for left in [10, 4, 1] {
        let tail = messages.split_off(fixed.min(messages.len()));
        messages.extend(compact(tail, left, summarise));
        if estimate(messages) <= tokens {
            break;
        }
    }
    count.saturating_sub(messages.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use elophanto_models::llm::ToolCall;

    fn call(ids: &[u8]) -> Message {
        let call =
            |id: &u8| ToolCall { id: id.to_string(), name: "t".into(), arguments: json!({}) };
        Message::Assistant { text: String::new(), tool_calls: ids.iter().map(call).collect() }
    }

    fn result(id: u8) -> Message {
        let (id, name, text) = (id.to_string(), "t".to_owned(), "x".to_owned());
        Message::Tool { id, name, text, failed: false }
    }

    /// `u` user, `a` assistant, `(12` a message with the calls 1 and 2, digits are results.
    fn conversation(text: &str) -> Vec<Message> {
        let mut messages = Vec::new();
        for word in text.split_whitespace() {
            messages.push(match word.as_bytes() {
                [b'u', ..] => Message::user(word),
                [b'(', ids @ ..] => call(&ids.iter().map(|id| id - b'0').collect::<Vec<_>>()),
                [digit @ b'0'..=b'9'] => result(digit - b'0'),
                _ => Message::assistant(word),
            });
        }
        messages
    }

    fn shown(messages: &[Message]) -> String {
        let word = |message: &Message| match message {
            Message::User(text) if text.starts_with(HEADING) => "S".to_owned(),
            Message::User(text) => text.clone(),
            Message::Assistant { text, tool_calls } if tool_calls.is_empty() => text.clone(),
            Message::Assistant { tool_calls, .. } => {
                format!("({}", tool_calls.iter().map(|call| call.id.as_str()).collect::<String>())
            }
            Message::Tool { id, .. } => id.clone(),
            Message::System(_) => "s".to_owned(),
        };
        messages.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn compaction() {
        for (before, limit, after) in [
            ("", 3, ""),
            ("u1 a1 u2", 3, "u1 a1 u2"),
            ("u1 a1 u2 a2", 3, "S u2 a2"),
            ("u1 (1 1 a1", 3, "S a1"),
            ("u1 (1 1 a1", 4, "u1 (1 1 a1"),
            ("u1 (12 1 2 a1 u2", 5, "S a1 u2"),
            ("u1 (12 1 2 a1", 5, "u1 (12 1 2 a1"),
            // What is without its other half.
            ("u1 1 a1", 9, "u1 a1"),
            ("u1 (12 1 a1", 9, "u1 a1"),
            ("u1 (1 u2 1", 9, "u1 u2"),
            ("u1 (123456 1 2 3 4 5 6", 4, "S"),
            ("u1 u2", 1, "S"),
            ("u1 u2", 0, ""),
        ] {
            let found = compact(conversation(before), limit, &mut |older| extract(older));
            assert_eq!(shown(&found), after, "{before} {limit}");
            let again = compact(found.clone(), limit, &mut |older| extract(older));
            assert_eq!(again, found);
        }
    }

    #[test]
    fn a_summary_of_a_summary_keeps_what_it_said() {
        let mut messages = conversation("u1 a1 u2 a2 u3");
        for _ in 0..3 {
            messages = compact(messages, 3, &mut |older| extract(older));
            messages.extend(conversation("u9 a9"));
        }
        let Some(Message::User(summary)) = messages.first() else { panic!("{messages:?}") };
        assert!(summary.contains("user: u1") && summary.matches(HEADING).count() == 1, "{summary}");
        let found = compact(messages, 3, &mut |_| "told".to_owned());
        assert_eq!(found.first(), Some(&Message::User(format!("{HEADING}\ntold"))));
    }

    #[test]
    fn a_long_prompt_shrinks() {
        let mut messages = vec![Message::system("s"), Message::user("goal")];
        for number in 0..40 {
            messages.push(call(&[number]));
            messages.push(Message::Tool {
                id: number.to_string(),
                name: "t".into(),
                text: "word ".repeat(1_000),
                failed: false,
            });
        }
        for tokens in [20_000, 6_000, 1_000, 10] {
            let mut short = messages.clone();
            shrink(&mut short, 2, tokens, &mut |older| extract(older));
            assert_eq!(short.get(..2), messages.get(..2));
            assert!(whole(&short));
            let request = Request { messages: short.clone(), ..Request::default() };
            assert!(request.estimated_input() <= tokens.max(2_500), "{tokens}");
        }
    }

    proptest! {
        #[test]
        fn short_and_whole(
            parts in proptest::collection::vec((0_u8..5, 0_u8..6), 0..80),
            limit in 1_usize..25,
        ) {
            let mut messages = Vec::new();
            for (kind, number) in parts {
                match kind {
                    0 => messages.push(Message::user("u")),
                    1 => messages.push(Message::assistant("a")),
                    2 => messages.push(call(&(0..number).collect::<Vec<_>>())),
                    3 => messages.push(result(number)),
                    _ => messages.extend((0..number).map(result)),
                }
            }
            let found = compact(messages.clone(), limit, &mut |older| extract(older));
            prop_assert!(found.len() <= limit);
            prop_assert!(whole(&found));
            if let (Some(last), Some(kept)) = (messages.last(), found.last())
                && matches!(last, Message::User(_)) && limit > 1
            {
                prop_assert_eq!(last, kept);
            }
        }
    }
}
