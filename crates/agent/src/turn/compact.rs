//! Keeping a conversation short: older messages become one summary, and a call of a tool is never
//! parted from its result. Pure.

use crate::clean::cut_middle;
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Message, estimated};

/// How a summary begins.
pub(super) const HEADING: &str = "Summary of what came before in this conversation:";
/// Bytes of a summary.
pub(super) const SUMMARY_CAP: usize = 6_000;
/// Tokens of one, its heading included.
const SUMMARY_TOKENS: u64 = 1_600;
/// Characters of a message in a summary that no model wrote, and in what a model makes one of.
const LINE_CHARS: (usize, usize) = (300, 2_000);
/// Bytes that stay of a tool's older result when the prompt is too long.
const RESULT_LEFT: usize = 600;

/// What may stay of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) messages: usize,
    /// Estimated.
    pub(crate) tokens: u64,
}

/// As much as there is room for: the newest messages as they are, the others as one summary before
/// them. `summarise` is given those others, see [`extract`]. Where a summary would take more than what
/// it stands for, all stays as it is, unless there are too many messages. Results whose call is missing,
/// and calls whose result is, are dropped.
pub(crate) fn compact(
    messages: Vec<Message>,
    room: Room,
    summarise: &mut dyn FnMut(&[Message]) -> String,
) -> Vec<Message> {
    let units = units(messages);
    let count: usize = units.iter().map(Vec::len).sum();
    let tokens: Vec<u64> = units.iter().map(|unit| estimated(unit)).collect();
    if count <= room.messages && tokens.iter().sum::<u64>() <= room.tokens {
        return units.concat();
    }
    let (mut kept, mut filled, mut first) = (1, SUMMARY_TOKENS, units.len());
    for (number, (unit, tokens)) in units.iter().zip(&tokens).enumerate().rev() {
        kept += unit.len();
        filled = filled.saturating_add(*tokens);
        if kept > room.messages || filled > room.tokens {
            break;
        }
        first = number;
    }
    let (older, newer) = units.split_at_checked(first).unwrap_or((&units, &[]));
    let older = older.concat();
    if older.is_empty() || room.messages == 0 {
        return newer.concat();
    }
    let mut all = vec![Message::User(format!("{HEADING}\n{}", summarise(&older)))];
    if count <= room.messages && estimated(&all) >= estimated(&older) {
        return units.concat();
    }
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
    cut_middle(&lines(messages, LINE_CHARS.0), SUMMARY_CAP)
}

/// What a model makes a summary of: the same with more of each message, `cap` bytes at most.
pub(super) fn transcript(messages: &[Message], cap: usize) -> String {
    cut_middle(&lines(messages, LINE_CHARS.1), cap)
}

fn lines(messages: &[Message], chars: usize) -> String {
    let mut lines = Vec::new();
    for message in messages {
        match message {
            Message::User(text) => match text.strip_prefix(HEADING) {
                Some(summary) => lines.push(unquoted(summary)),
                None => lines.push(format!("user: {}", one_line(text, chars))),
            },
            Message::Image(image) => lines.push(format!("image: {}", one_line(&image.path, chars))),
            Message::System(text) => lines.push(format!("note: {}", one_line(text, chars))),
            Message::Assistant { text, tool_calls } => {
                if !text.trim().is_empty() {
                    lines.push(format!("agent: {}", one_line(text, chars)));
                }
                lines.extend(tool_calls.iter().map(|call| {
                    let arguments = one_line(&call.arguments.to_string(), chars / 3);
                    format!("agent called {} {arguments}", one_line(&call.name, 64))
                }));
            }
            Message::Tool { name, text, failed, .. } => {
                let how = if *failed { " failed" } else { "" };
                let name = one_line(name, 64);
                lines.push(format!("{name}{how}: {}", one_line(&unquoted(text), chars / 2)));
            }
        }
    }
    lines.join("\n")
}

/// Without the lines that begin and end a quote: a summary is quoted as a whole.
fn unquoted(text: &str) -> String {
    let is_mark = |line: &&str| line.starts_with("<quoted-") || line.starts_with("</quoted-");
    text.trim().lines().filter(|line| !is_mark(line)).collect::<Vec<_>>().join("\n")
}

/// Makes a conversation fit: first older results of tools are cut, the oldest first, then older
/// messages become a summary, those of `history` before those of `task`. The first message of the
/// task, and the newest ones, stay as they are. Returns how many messages went into a summary.
pub(super) fn shrink(
    history: &mut Vec<Message>,
    task: &mut Vec<Message>,
    tokens: u64,
    summarise: &mut dyn FnMut(&[Message]) -> String,
) -> usize {
    let mut total = estimated(history) + estimated(task);
    let recent = task.len().saturating_sub(4).max(1);
    for message in history.iter_mut().chain(task.iter_mut().take(recent).skip(1)) {
        if total <= tokens {
            return 0;
        }
        let before = estimated(std::slice::from_ref(message));
        if let Message::Tool { text, .. } = message {
            *text = cut_middle(text, RESULT_LEFT);
        }
        let now = estimated(std::slice::from_ref(message));
        total = total.saturating_sub(before.saturating_sub(now));
    }
    if total <= tokens {
        return 0;
    }
    let count = history.len() + task.len();
    let left = tokens.saturating_sub(estimated(task));
    let room = Room { messages: usize::MAX, tokens: left };
    *history = compact(std::mem::take(history), room, summarise);
    for messages in [10, 4, 1] {
        if estimated(history) + estimated(task) <= tokens {
            break;
        }
        let rest = task.split_off(1.min(task.len()));
        let room = Room { messages, tokens: u64::MAX };
        let shorter = compact(rest.clone(), room, summarise);
        let is_shorter = estimated(&shorter) < estimated(&rest);
        task.extend(if is_shorter { shorter } else { rest });
    }
    count.saturating_sub(history.len() + task.len())
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
            Message::Image(_) => "i".to_owned(),
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
            let room = Room { messages: limit, tokens: u64::MAX };
            let found = compact(conversation(before), room, &mut |older| extract(older));
            assert_eq!(shown(&found), after, "{before} {limit}");
            let again = compact(found.clone(), room, &mut |older| extract(older));
            assert_eq!(again, found);
        }
    }

    #[test]
    fn a_summary_of_a_summary_keeps_what_it_said() {
        let mut messages = conversation("u1 a1 u2 a2 u3");
        let room = Room { messages: 3, tokens: u64::MAX };
        for _ in 0..3 {
            messages = compact(messages, room, &mut |older| extract(older));
            messages.extend(conversation("u9 a9"));
        }
        let Some(Message::User(summary)) = messages.first() else { panic!("{messages:?}") };
        assert!(summary.contains("user: u1") && summary.matches(HEADING).count() == 1, "{summary}");
        let found = compact(messages, room, &mut |_| "told".to_owned());
        assert_eq!(found.first(), Some(&Message::User(format!("{HEADING}\ntold"))));
    }

    #[test]
    fn a_long_prompt_shrinks() {
        let big = |number: u8| Message::Tool {
            id: number.to_string(),
            name: "t".into(),
            text: "word ".repeat(1_000),
            failed: false,
        };
        let calls = |from: u8, to: u8| (from..to).flat_map(move |it| [call(&[it]), big(it)]);
        let old: Vec<_> = [Message::user("before")].into_iter().chain(calls(0, 20)).collect();
        let task: Vec<_> = [Message::user("goal")].into_iter().chain(calls(20, 40)).collect();
        for tokens in [60_000, 20_000, 6_000, 1_000, 10] {
            let (mut history, mut short) = (old.clone(), task.clone());
            let gone = shrink(&mut history, &mut short, tokens, &mut |older| extract(older));
            assert_eq!(short.first(), task.first());
            assert!(whole(&history) && whole(&short));
            let left = estimated(&history) + estimated(&short);
            assert!(left <= tokens.max(4_500), "{tokens} {left}");
            assert_eq!(gone == 0, tokens >= 20_000, "{tokens} {gone}");
            if tokens == 60_000 {
                assert_eq!((history, short), (old.clone(), task.clone()));
            }
        }
    }

    #[test]
    fn what_fits_by_its_tokens_stays() {
        let long = |text: &str| Message::user(format!("{text} {}", "word ".repeat(800)));
        let messages: Vec<_> = ["a", "b", "c", "d"].into_iter().map(long).collect();
        let room = |tokens| Room { messages: usize::MAX, tokens };
        for (tokens, kept) in [(9_000, 4), (3_900, 2), (2_700, 1), (100, 0)] {
            let found = compact(messages.clone(), room(tokens), &mut |older| extract(older));
            let same = found.iter().filter(|it| messages.contains(it)).count();
            assert_eq!((same, found.len()), (kept, kept + usize::from(kept < 4)), "{tokens}");
            assert!(kept == 0 || estimated(&found) <= tokens);
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
            let room = Room { messages: limit, tokens: u64::MAX };
            let found = compact(messages.clone(), room, &mut |older| extract(older));
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
