//! Tags: how they are written, and those that a lesson's texts suggest. Pure.

use std::collections::BTreeSet;

use super::{codes, command, tools};

/// Most tags of a record.
const MAX_TAGS: usize = 20;

/// Most characters of a tag.
const MAX_CHARACTERS: usize = 40;

/// Most tags that are derived.
const MAX_DERIVED: usize = 5;

/// Of those, how many programs of the command come before all others, and then how many error codes.
const FIRST_PROGRAMS: usize = 3;
const FIRST_CODES: usize = 2;

/// More of a text is not looked at.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// At most 5 tags, in lower case: the programs that the command runs, error codes (`eacces`,
/// `e0502`, `404`, `sigkill`), and well-known tools and files that the texts name.
pub fn derive_tags(command: &str, context: &str, lesson: &str) -> Vec<String> {
    let [command, context, lesson] = [command, context, lesson].map(start);
    let programs = command::programs(command);
    let words: Vec<&str> = [context, lesson, command].into_iter().flat_map(words).collect();
    let codes = codes::codes(&words);
    let tools = words.iter().filter_map(|word| tools::tag(word)).map(str::to_owned);

    let first = programs.iter().take(FIRST_PROGRAMS).chain(codes.iter().take(FIRST_CODES)).cloned();
    let rest = programs.iter().skip(FIRST_PROGRAMS).chain(codes.iter().skip(FIRST_CODES)).cloned();
    tidy(first.chain(tools).chain(rest)).into_iter().take(MAX_DERIVED).collect()
}

/// Tags as somebody else wrote them: in lower case, without blanks, repetitions and what is over
/// the caps.
pub(super) fn tidy(tags: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let tags = tags.map(|tag| plain(&tag).chars().take(MAX_CHARACTERS).collect::<String>());
    tags.filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).take(MAX_TAGS).collect()
}

/// Tags that are about to be written.
///
/// # Errors
/// With the reason, when one is empty or too long, or there are too many.
pub(super) fn check(tags: &[String]) -> Result<Vec<String>, String> {
    if tags.len() > MAX_TAGS {
        return Err(format!("has {} tags, over the cap of {MAX_TAGS}", tags.len()));
    }
    for tag in tags {
        let characters = plain(tag).chars().count();
        if characters == 0 {
            return Err("has an empty tag".to_owned());
        }
        if characters > MAX_CHARACTERS {
            return Err(format!(
                "has a tag of {characters} characters, over the cap of {MAX_CHARACTERS}"
            ));
        }
    }
    Ok(tidy(tags.iter().cloned()))
}

fn plain(tag: &str) -> String {
    let is_blank = |char: char| char.is_whitespace() || char.is_control();
    let words: Vec<_> = tag.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join("-").to_lowercase()
}

fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or(text)
}

/// Words and names of files, without the punctuation around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '+');
    let pieces = text.split(move |char| !is_part(char));
    pieces
        .map(|word| word.trim_end_matches(['.', '-']).trim_start_matches('-'))
        .filter(|word| !word.is_empty())
}
