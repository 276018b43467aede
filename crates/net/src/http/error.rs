//! Why a request failed, in words that hold no key, header or request body.

use std::time::Duration;

/// Most characters shown of what a server says.
const SHOWN: usize = 300;

/// Why there is no answer. Hosts are named with their port; what a server said is cut to 300
/// characters, its control characters are escaped, and the key is blotted out should it appear.
/// What it quotes of a request is cut off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("`{host}` is reached over http, which would show {what} to everybody on the way")]
    Insecure { host: String, what: &'static str },
    #[error("can't use this endpoint: {reason}")]
    Endpoint { reason: String },
    #[error("can't connect to `{host}`: {reason}")]
    Connect { host: String, reason: String },
    #[error("the connection to `{host}` broke: {reason}")]
    Broken { host: String, reason: String },
    #[error("`{host}` did not answer within {}", seconds(.limit))]
    Timeout { host: String, limit: Duration },
    #[error("no answer from `{host}` within {} (attempts: {attempts})", seconds(.total))]
    Deadline { host: String, total: Duration, attempts: u32 },
    /// 401 and 403.
    #[error("`{host}` refuses access ({status}): {message}")]
    Auth { host: String, status: u16, message: String },
    /// 402, or a quota that waiting does not refill.
    #[error("the account at `{host}` is out of credit ({status}): {message}")]
    Credit { host: String, status: u16, message: String },
    /// 429, after waiting as long as was allowed. `wait` is what the server asks for.
    #[error("`{host}` limits requests{}: {message}", asked(.wait))]
    RateLimited { host: String, wait: Option<Duration>, message: String },
    /// 400, 413 and 422: the server does not want what was sent.
    #[error("`{host}` refuses the request ({status}): {message}")]
    Refused { host: String, status: u16, message: String },
    /// Every other status, and an error inside an answer of status 200.
    #[error("`{host}` answered {status}: {message}")]
    Status { host: String, status: u16, message: String },
    #[error("`{host}` wants to redirect to {target}, which is not followed")]
    Redirect { host: String, target: String },
    #[error("`{host}` answered {status} with {found} instead of JSON")]
    NoJson { host: String, status: u16, found: String },
    #[error("the answer of `{host}` is larger than {cap} bytes")]
    TooLarge { host: String, cap: usize },
}

impl HttpError {
    /// Whether nobody answers there: no name, no listener, no route, no TLS.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Connect { .. })
    }

    /// What the user could do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Insecure { .. } => "use an https:// address",
            Self::Connect { .. } => "check the address and whether the server runs",
            Self::Auth { .. } => "check the key",
            Self::Credit { .. } => "add credit to the account or use another one",
            Self::RateLimited { .. } => "try again later, or send less at a time",
            Self::Redirect { .. } => "set the address to where the server really is",
            Self::NoJson { .. } => "check the address: is this the API, or a page or proxy?",
            _ => return None,
        })
    }
}

/// `text` on one line, without control characters, cut, and without the key.
pub(super) fn shown(text: &str, key: Option<&str>) -> String {
    let text = match key.filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, "[key]"),
        None => text.to_owned(),
    };
    let mut shown = String::new();
    let mut characters = text.trim().chars();
    for character in characters.by_ref().take(SHOWN) {
        match character {
            '\n' | '\r' | '\t' => shown.push(' '),
            character if is_hidden(character) => shown.extend(character.escape_unicode()),
            character => shown.push(character),
        }
    }
    if characters.next().is_some() {
        shown.push_str("...");
    }
    if shown.is_empty() {
        shown.push_str("(no message)");
    }
    shown
}

/// `message` up to where it begins to quote 48 or more bytes of `sent`. Shorter quotes are missed,
/// and those that are written otherwise than in the request.
pub(super) fn without_quotes(message: &str, sent: &[u8]) -> String {
    const STEP: usize = 16;
    let bytes = message.as_bytes();
    let quoted = (0..bytes.len()).step_by(STEP).find(|&start| {
        let window = bytes.get(start..start + 2 * STEP);
        window.is_some_and(|window| memchr::memmem::find(sent, window).is_some())
    });
    match quoted {
        // It may have begun up to a step before.
        Some(start) => {
            let kept = &message[..message.floor_char_boundary(start.saturating_sub(STEP))];
            format!("{kept}... (the request is quoted)")
        }
        None => message.to_owned(),
    }
}

/// Control characters, and those that reorder or hide text.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn seconds(duration: &Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

fn asked(wait: &Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(" and asks to wait {}", seconds(&wait)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_not_quoted() {
        #[track_caller]
        fn check(message: &str, expected: &str) {
            let sent =
                r#"{"model":"m","input":["These words are private, é, and there are many."]}"#;
            assert_eq!(without_quotes(message, sent.as_bytes()), expected);
        }
        check("input is too long", "input is too long");
        check("not good: These words", "not good: These words");
        let quote = "These words are private, é, and there are many.";
        check(quote, "... (the request is quoted)");
        for start in 0..40 {
            let message = format!("{}{quote}", "x".repeat(start));
            let shown = without_quotes(&message, quote.as_bytes());
            assert!(!shown.contains("Th"), "{shown}");
            assert!(shown.len() + 32 > start, "{shown}");
        }
    }

    #[test]
    fn server_messages_are_cut_and_escaped() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(shown(text, Some("sk-secret")), expected);
        }
        check("plain", "plain");
        check("  two\r\nlines\t", "two  lines");
        check("\u{1b}[2J\u{202e}x", "\\u{1b}[2J\\u{202e}x");
        check("key sk-secret is wrong", "key [key] is wrong");
        check("", "(no message)");
        check(&"é".repeat(301), &format!("{}...", "é".repeat(300)));
        check(&"é".repeat(300), &"é".repeat(300));
    }
}
