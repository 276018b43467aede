//! What terse minutes note below their headings: `Builds, Windows – Ann: still slow, a fix is on its way`.
//! Owns which notes are understood behind the meeting and what they stand below.

use std::collections::HashMap;
use std::ops::Range;

use super::{ATTENDANCE, DECISIONS, attendance_in};
use crate::extract::fold::fold;
use crate::extract::name::{self, tidy};
use crate::extract::page::{Kind, Mark, Page};
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};
use elophanto_text::sentences::sentences;

/// Fewest and most words of a note.
const LENGTH: std::ops::RangeInclusive<usize> = 5..=60;
/// Most notes of one page.
const MAX_NOTES: usize = 40;
/// Most bytes before a link that is all else of a note: `Doc: `.
const LEAD: usize = 12;
/// Most words of what notes stand below.
const MAX_LABEL: usize = 20;

/// Headings, in lower case, below which nothing is noted.
static EMPTY: Words = list!(phrases "unnoted_headings");

/// Words that stand for what was said before, or for whoever speaks.
static POINTING: Words = list!(words "note_pointers");

/// A note of a meeting.
#[derive(Debug)]
pub(super) struct Note {
    /// What it stands below.
    pub(super) label: String,
    pub(super) text: String,
    pub(super) line: usize,
}

/// The notes of a page, in its order.
pub(super) fn read(page: &Page) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut headings: Vec<(u8, String)> = Vec::new();
    // What each list stands below within another.
    let mut above: HashMap<usize, String> = HashMap::new();
    let mut before: Option<(usize, String)> = None;
    let mut is_attended = false;
    for block in page.blocks.iter().filter(|block| !block.is_furniture && !block.is_quoted) {
        let text = block.text.trim();
        if let Kind::Heading(level) = block.kind {
            headings.retain(|(other, _)| *other < level);
            headings.push((level, text.trim_end_matches(':').trim().to_owned()));
            before = None;
            is_attended = false;
            continue;
        }
        if attendance_in(text).is_some() {
            is_attended = true;
            continue;
        }
        if is_attended && block.kind == Kind::Item {
            continue;
        }
        is_attended = false;
        let list = block.list.unwrap_or_default();
        let outer = before.take().filter(|(outer, _)| list > *outer);
        if let Some((outer, item)) = outer {
            let own = above.get(&outer).map(|over| format!("{over}, ")).unwrap_or_default();
            above.entry(list).or_insert(format!("{own}{item}"));
        }
        if block.kind == Kind::Item && is_topic(text) {
            before = Some((list, text.trim_end_matches(':').trim().to_owned()));
            continue;
        }
        let is_told = headings.iter().all(|(_, heading)| tells(heading));
        let label = label(&headings, above.get(&list).map(String::as_str));
        let (true, Some(label)) = (is_told, label) else { continue };
        let is_link = |(range, mark): &(Range<usize>, Mark)| {
            *mark == Mark::Link && range.end == block.text.len() && range.start <= LEAD
        };
        if block.marks.iter().any(is_link) {
            continue;
        }
        let line = page.line_of(block);
        let is_plain = label.is_empty();
        let fits = |text: &str| is_note(text) && (!is_plain || tells_alone(text));
        let all: Vec<&str> = match fits(text) {
            true => vec![text],
            false => {
                let parts = sentences(text).into_iter().filter_map(|range| text.get(range));
                parts.map(str::trim).filter(|part| fits(part) && tells_alone(part)).collect()
            }
        };
        let note = |text: &str| Note { label: label.clone(), text: text.to_owned(), line };
        notes.extend(all.into_iter().map(note).take(MAX_NOTES.saturating_sub(notes.len())));
    }
    notes
}

/// The headings below the title, and the item, that a note stands below; nothing if they are too long.
fn label(headings: &[(u8, String)], item: Option<&str>) -> Option<String> {
    let mut below = headings.iter().filter(|(level, _)| *level > 1).map(|(_, text)| tidy(text));
    let last = below.next_back().map(|heading| without_number(&heading).to_owned());
    let last = last.filter(|heading| {
        let key = fold(heading);
        let mut words = key.split(|char: char| !char.is_alphanumeric());
        !words.all(|word| GENERAL.contains(&word))
    });
    let all: Vec<String> = last.into_iter().chain(item.map(str::to_owned)).collect();
    let label = all.join(", ");
    (label.split(' ').count() <= MAX_LABEL).then_some(label)
}

/// Headings of which each word only says that notes follow.
const GENERAL: &[&str] =
    &["", "decision", "decisions", "discussion", "discussions", "meeting", "minutes", "notes"];

/// A heading without the number before it, or that of the issue behind it: `3. Builds #20828`.
fn without_number(heading: &str) -> &str {
    let heading = name::without_number(heading);
    let Some((words, number)) = heading.rsplit_once(" #") else { return heading };
    if number.bytes().all(|byte| byte.is_ascii_digit()) { words } else { heading }
}

/// Whether notes may stand below a heading.
fn tells(heading: &str) -> bool {
    let key = fold(&tidy(heading));
    let key = key.as_str();
    // `Observers/Guests`, `Q&A, other`
    let is_empty = |part: &str| EMPTY.contains(part) || ATTENDANCE.contains(part);
    let mut parts = key.split([',', '/']).map(str::trim);
    let are_empty =
        parts.clone().all(|part| is_empty(part) || part == "other") && parts.any(is_empty);
    !are_empty && !is_empty(key) && !DECISIONS.contains(key)
}

/// `Builds:`, an item that the list within it is about.
fn is_topic(text: &str) -> bool {
    const MOST: usize = 6;
    const MOST_BEFORE_COLON: usize = 14;
    let most = if text.ends_with(':') { MOST_BEFORE_COLON } else { MOST };
    text.split(' ').count() <= most
        && (text.ends_with(':')
            || text.chars().all(|it| it.is_alphanumeric() || " -.".contains(it)))
}

/// The note as a whole, where another fact tells the first words of it and leaves more than a third: what
/// is told stands twice then, for the rest alone would lack its subject. Nothing where less is left.
pub(super) fn without(text: &str, told: &str) -> Option<String> {
    let rest = text.replace(told, "");
    let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    // `Motion by Ann to receive and file`: what, is told before.
    (rest.len() * 3 > text.len() && is_note(&rest) && text.starts_with(told) && is_note(text))
        .then(|| text.to_owned())
}

/// Whether a sentence behind the first one begins with a pronoun, for somebody of another note.
fn goes_on(text: &str) -> bool {
    let parts = sentences(text).into_iter().skip(1).filter_map(|range| text.get(range));
    let first = |part: &str| part.trim().split(' ').next().map(str::to_lowercase);
    parts.filter_map(first).any(|word| matches!(word.as_str(), "he" | "it" | "she" | "they"))
}

/// Whether a note needs nothing that it stands below: it has a verb, and names or counts something.
fn tells_alone(text: &str) -> bool {
    let all = tokens(text);
    let is_verb = |at: usize| {
        let word = all[at].lower();
        (words::is_finite(&word, false) || words::looks_past(&word)) && !words::is_noun_verb(&word)
    };
    let names = |token: &Token<'_>| {
        token.is_capitalised() || token.text.bytes().any(|byte| byte.is_ascii_digit())
    };
    let first = all.first().map(Token::lower).unwrap_or_default();
    let goes_on = matches!(first.as_str(), "also" | "and" | "not" | "one" | "so" | "then")
        || words::is_verb_base(&first);
    // `Ann noted`
    let is_name = !words::is_starter(&first) && all.len() > 1 && is_verb(1);
    let speaks = all.iter().any(|token| matches!(token.text, "we" | "We" | "us" | "our" | "Our"));
    let has_speaker = all.iter().take(4).any(|token| token.after == ":");
    text.ends_with('.')
        && !has_speaker
        && !goes_on
        && !speaks
        && (1..all.len()).any(is_verb)
        && (is_name || all.iter().skip(1).any(names))
        && all.first().is_some_and(Token::is_capitalised)
}

/// Whether a note says something to whoever was not there.
pub(super) fn is_note(text: &str) -> bool {
    let all = tokens(text);
    let word = |at: usize| all.get(at).map(Token::lower).unwrap_or_default();
    let points = |at: usize| {
        let is_mine =
            matches!(all[at].text, "I" | "I'm" | "I’m" | "I'll" | "I’ll" | "I've" | "I’ve");
        let stands = match word(at).as_str() {
            "it" | "they" | "he" | "she" => at < 4,
            "that" => at == 0 || !all[at - 1].joins() || words::is_finite(&word(at + 1), false),
            word => POINTING.contains(word),
        };
        is_mine || stands
    };
    let said = all.iter().position(|token| token.after == ":").map_or(0, |at| at + 1);
    // What was decided is told as that.
    let key = text.split(':').next().filter(|_| said > 0).map(fold).unwrap_or_default();
    let is_filed = DECISIONS.contains(key.as_str()) || ATTENDANCE.contains(key.as_str());
    let is_date = word(0) == "held" && word(1) == "on";
    let ends = text.ends_with(|char: char| char.is_alphanumeric() || ".)\"”".contains(char));
    LENGTH.contains(&all.len())
        && all.len() - said >= *LENGTH.start()
        && text.starts_with(|char: char| char.is_alphanumeric() || char == '[')
        && ends
        && !goes_on(text)
        && !is_filed
        && !is_date
        && !text.contains(['?', '{', '|'])
        && !words::is_auxiliary(&word(said))
        && !(0..all.len()).any(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page;

    #[test]
    fn notes_stand_below_their_headings_and_items() {
        let text = "# Foo meeting\n\n## Present\n\n- Ann Hill\n\n## Builds #12\n\n- Windows:\n  - Ann: \
                    still slow, finding small bugs\n  - I volunteered to move forward with that\n- Bo is \
                    not here for this\n\n## Agenda\n\n- Talk about new builds on Windows\n\n## 6.x \
                    vote\n\n- Doc: [A proposal for new builds of Foo](x)\n- Fears of a vote that nobody needs\n";
        let notes = read(&page::read(text));
        let notes: Vec<(&str, &str)> =
            notes.iter().map(|note| (note.label.as_str(), note.text.as_str())).collect();
        assert_eq!(
            notes,
            [
                ("Builds, Windows", "Ann: still slow, finding small bugs"),
                ("6.x vote", "Fears of a vote that nobody needs"),
            ]
        );
    }
}
