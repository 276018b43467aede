//! Sentences and lists as they are printed, and texts held to a number of tokens.

use super::{
    CountTokens,
    rank::Lead,
    text::{cut, is_hidden},
};
use crate::words::{Words, list};

/// How much of a file is searched for a word in lower case, in bytes.
const MAX_LOOKED_AT: usize = 64 * 1024;

/// First words that are no names.
static USUAL: Words = list!(words "usual_first");

/// `text` in at most `budget` tokens: whole lines if possible, then whole words.
pub(super) fn limited(text: &str, budget: usize, count_tokens: &CountTokens<'_>) -> String {
    let mut text = text.trim();
    while count_tokens(text) > budget {
        match text.rfind('\n') {
            Some(line) => text = text[..line].trim_end(),
            None => return words_within(text, budget, count_tokens).to_owned(),
        }
    }
    text.to_owned()
}

/// The most of the beginning of `text` that has at most `budget` tokens.
pub(super) fn words_within<'a>(
    text: &'a str,
    budget: usize,
    count_tokens: &CountTokens<'_>,
) -> &'a str {
    if count_tokens(text) <= budget {
        return text;
    }
    let (mut low, mut high) = (0, text.len());
    while high - low > 1 {
        let middle = low.midpoint(high);
        if count_tokens(cut(text, middle)) <= budget {
            low = middle;
        } else {
            high = middle;
        }
    }
    cut(text, low)
}

/// One sentence as it is printed: with what it is about, begun in lower case after that, and a
/// full stop. A name that was told in words in `before` is not again.
pub(super) fn said(text: &str, lead: Option<&Lead>, before: &str, file: &str) -> String {
    let text = text.trim_end_matches([':', ';', ',']);
    let mut said = match lead {
        Some(lead) => match after_name(text, lead) {
            Some(rest) => format!("{} {rest}", named(lead, before)),
            None => format!("{}: {}", named(lead, before), lowered(text, file)),
        },
        None => text.to_owned(),
    };
    if !said.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        said.push('.');
    }
    said
}

/// What follows the name in a text that begins with it, as they do in Go.
fn after_name<'a>(text: &'a str, lead: &Lead) -> Option<&'a str> {
    let name = lead.name.trim_matches('`');
    let name = name.rsplit('.').next().unwrap_or(name);
    let rest = text.trim_start_matches('`').strip_prefix(name)?.trim_start_matches('`');
    (!lead.inside && rest.len() > 1).then(|| rest.strip_prefix(' ')).flatten()
}

/// `` In `next` ``, `` `RetryPolicy` (retry policy) ``.
pub(super) fn named(lead: &Lead, before: &str) -> String {
    let Lead { name, words, inside } = lead;
    let name = if *inside { format!("In {name}") } else { name.clone() };
    match words.as_ref().map(|words| format!("({words})")) {
        Some(words) if !inside && !before.contains(&words) => format!("{name} {words}"),
        _ => name,
    }
}

/// A line of the names that fit into `budget` tokens; empty if none does.
pub(super) fn listed(
    label: &str,
    names: &[String],
    between: &str,
    budget: usize,
    count_tokens: &CountTokens<'_>,
) -> String {
    let mut left = budget.saturating_sub(count_tokens(label) + 2);
    let fitting: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .take_while(|name| {
            let cost = count_tokens(name) + 1;
            let fits = cost <= left;
            left -= if fits { cost } else { 0 };
            fits
        })
        .collect();
    let stop = if fitting.last().is_some_and(|last| last.ends_with('…')) { "" } else { "." };
    if fitting.is_empty() {
        String::new()
    } else {
        format!("{label}: {}{stop}", fitting.join(between))
    }
}

/// Begins in lower case if the first word is also written so in the file, or looks like a verb:
/// not a name, not an acronym.
pub(super) fn lowered(text: &str, file: &str) -> String {
    let word = text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    let mut chars = word.chars();
    let (Some(first), rest) = (chars.next(), chars.as_str()) else { return text.to_owned() };
    let plain = first.is_uppercase() && !rest.is_empty() && rest.chars().all(char::is_lowercase);
    let lower: String = first.to_lowercase().chain(rest.chars()).collect();
    let usual = USUAL.contains(lower.as_str())
        || (lower.ends_with('s') && !lower.ends_with("ws") && lower.is_ascii());
    let file = &file[..file.floor_char_boundary(MAX_LOOKED_AT)];
    if plain && (usual || file.contains(&format!(" {lower} "))) {
        format!("{lower}{}", &text[word.len()..])
    } else {
        text.to_owned()
    }
}

/// Names with commas and a last `and`.
pub(super) fn and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What is not seen left out, but for line breaks.
pub(super) fn shown(text: &str) -> String {
    text.chars().filter(|&char| matches!(char, '\n' | '\t') || !is_hidden(char)).collect()
}
