//! Numbers with or without a unit, currency or version mark.

use crate::words::{Words, list};

/// Units in lower case that may stand in any case behind a space.
static UNITS: Words = list!(words "units");
/// Units that follow a number without a space, in their own case: `3M`, `5G` and `4K` are names.
static ATTACHED: Words = list!(words "attached_units");
const CURRENCIES: &[&str] = &["$", "€", "£", "¥", "₹", "US$", "CA$", "AU$", "USD", "EUR", "GBP"];

/// Whether a name is nothing but a number: `42`, `3.5 GB`, `$1,600`, `v1.2.3`, `10-20 %`.
pub(super) fn is_quantity(name: &str, words: &[&str]) -> bool {
    let bare = name.trim_matches(|char: char| "()[]~≈<>±= ".contains(char));
    if is_version(bare) {
        return true;
    }
    let mut figures = 0;
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_matches(|char: char| "()[],;:~≈<>±=".contains(char));
        let lower = word.to_lowercase();
        if is_figure(word) {
            figures += 1;
        } else if !(word.is_empty()
            || matches!(lower.as_str(), "-" | "–" | "—" | "×" | "/" | "to" | "+")
            || (at > 0 && figures > 0 && UNITS.contains(lower.as_str()))
            || CURRENCIES.contains(&word))
        {
            return false;
        }
    }
    figures > 0
}

/// A number with what is attached to it.
fn is_figure(word: &str) -> bool {
    let word = word.trim_start_matches(['-', '−', '+', '#']);
    let currency = CURRENCIES.iter().filter_map(|mark| word.strip_prefix(mark)).next_back();
    let word = currency.unwrap_or(word);
    if let Some(hex) = word.strip_prefix("0x") {
        return !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let end = word
        .find(|char: char| !(char.is_numeric() || ".,'_-–−/×:".contains(char)))
        .unwrap_or(word.len());
    let (figures, unit) = word.split_at(end);
    // `9/11` and `24/7` are names.
    let slashed = figures.contains('/');
    let starts = figures.starts_with(char::is_numeric);
    let attached = unit.is_empty()
        // `6g` was a compiler.
        || (unit == "g" && figures.len() > 1)
        || ATTACHED.contains(unit)
        || (currency.is_some() && matches!(unit, "k" | "K" | "M" | "B" | "bn" | "m"))
        // `1920x1080`, `2x4`.
        || unit.strip_prefix(['x', '×']).is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
        });
    starts && !slashed && attached
}

/// `v1`, `v1.2.3`, `1.2.3-beta.1`, `2.0.0+build5`.
fn is_version(word: &str) -> bool {
    // `V8` and `V60` are names.
    let mark: &[char] = if word.contains('.') { &['v', 'V'] } else { &['v'] };
    let marked = word.strip_prefix(mark).unwrap_or(word);
    let core = marked.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    let figures = parts.iter().enumerate().all(|(at, part)| {
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits(part) || (at > 0 && matches!(*part, "x" | "*"))
    });
    let long = parts.len() > 1 || marked.len() < word.len();
    // `1.5-inch` has a unit behind its mark, a version a stage.
    let rest = &marked[core.len()..];
    let stage = rest.is_empty()
        || parts.len() > 2
        || ["alpha", "beta", "rc", "pre", "dev", "snapshot", "lts"]
            .iter()
            .any(|stage| rest.to_lowercase()[1..].starts_with(stage));
    figures && long && stage && !word.contains(char::is_whitespace)
}
