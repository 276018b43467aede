//! Codes of errors in a text. Pure.

use crate::words::{Words, list};

/// Of the C library and of npm. Listed, for many a word in capitals begins with an E.
static ERRNO: Words = list!(words "errno");

static SIGNALS: Words = list!(words "signals");

/// Letters before the digits of a code, and how many digits there are.
const NUMBERED: &[(&str, std::ops::RangeInclusive<usize>)] = &[
    ("E", 3..=4),
    ("TS", 4..=5),
    ("CS", 4..=4),
    ("LNK", 4..=4),
    ("MSB", 4..=4),
    ("NU", 4..=4),
    ("NETSDK", 4..=4),
    ("SC", 4..=4),
    ("ORA-", 4..=5),
    ("F", 3..=3),
    ("W", 3..=3),
];

static HTTP: Words = list!(words "http_errors");

/// Numbers that are as often amounts.
const ROUND: &[&str] = &["400", "500"];

/// What comes before a status rather than an amount.
static STATUS_WORDS: Words = list!(words "before_statuses");

/// What an amount is of.
static UNITS: Words = list!(words "amounts");

/// The codes among the words of a text, in small letters, in their order.
pub(super) fn codes(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| words.get(index)).copied();
        let after = words.get(index + 1).copied();
        if is_code(word) || is_status(word, before, after) {
            found.push(word.to_ascii_lowercase());
        }
    }
    found
}

fn is_code(word: &str) -> bool {
    ERRNO.contains(word)
        || SIGNALS.contains(word)
        || is_named(word)
        || NUMBERED.iter().any(|(letters, digits)| {
            word.strip_prefix(letters).is_some_and(|number| {
                digits.contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
}

/// As Node.js and OpenSSL name errors: `ERR_MODULE_NOT_FOUND`.
fn is_named(word: &str) -> bool {
    word.strip_prefix("ERR_").is_some_and(|name| {
        let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.len() >= 3 && name.bytes().all(is_part)
    })
}

/// Whether a number is the status of an HTTP response.
fn is_status(word: &str, before: Option<&str>, after: Option<&str>) -> bool {
    let is_one_of = |word: Option<&str>, list: &Words| {
        word.is_some_and(|word| list.contains(word.to_lowercase().as_str()))
    };
    if ROUND.contains(&word) {
        return is_one_of(before, &STATUS_WORDS) && !is_one_of(after, &UNITS);
    }
    HTTP.contains(word) && !is_one_of(after, &UNITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let words: Vec<_> = text.split(' ').collect();
        assert_eq!(codes(&words).join(" "), expected, "{text}");
    }

    #[test]
    fn errors_signals_and_statuses() {
        check("Error EACCES and ENOENT", "eacces enoent");
        check("ERROR EXIT ENTRYPOINT EVERY enoent", "");
        check("error E0502 TS2345 E501 CS0246 E12 E12345 E05x2", "e0502 ts2345 e501 cs0246");
        check("killed by SIGKILL SIGNAL", "sigkill");
        check("ERR_MODULE_NOT_FOUND ERR_ ERR_x", "err_module_not_found");
        check("the server said 404 for 503 rows", "404");
        check("status 500 after 500 ms of 400", "500");
        check("HTTP 400 ORA-01017", "400 ora-01017");
        check("", "");
    }
}
