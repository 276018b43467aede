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

/// Headings, in lower case, below which it stands what was to be discussed.
const AGENDA: &[&str] = &["agenda", "tagesordnung"];

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
    let mut before: Option<(usize, Option<String>)> = None;
    let mut is_attended = false;
    // Below a line that says what the items are.
    let mut is_led = false;
    let blocks = page.blocks.iter().filter(|block| !block.is_furniture && !block.is_quoted);
    let mut blocks = blocks.peekable();
    while let Some(block) = blocks.next() {
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
        if block.kind != Kind::Item {
            is_led = text.ends_with(':');
        }
        let list = block.list.unwrap_or_default();
        let outer = before.take().filter(|(outer, _)| list > *outer);
        if let Some((outer, item)) = outer {
            let own = above.get(&outer).cloned();
            let all = own.into_iter().chain(item).filter(|label| !label.is_empty());
            let label = all.collect::<Vec<_>>().join(", ");
            above.entry(list).or_insert(label);
        }
        let holds_list = blocks.peek().is_some_and(|next| next.list.unwrap_or_default() > list);
        let item = above.get(&list).filter(|item| !item.is_empty()).cloned();
        let is_outcome = |text: &str| item.is_some() && !holds_list && is_outcome(text);
        if block.kind == Kind::Item && is_topic(text, holds_list) && !is_outcome(text) {
            before = Some((list, Some(text.trim_end_matches(':').trim().to_owned())));
            continue;
        }
        if holds_list {
            before = Some((list, None));
        }
        // Below parts of an agenda, what became of an item.
        let is_agenda = |at: usize| at + 1 < headings.len() && item.is_some();
        let is_told = headings.iter().enumerate().all(|(at, (_, heading))| {
            tells(heading) || is_agenda(at) && AGENDA.contains(&fold(heading).as_str())
        });
        let label = label(&headings, item.as_deref());
        let (true, Some(label)) = (is_told, label) else { continue };
        let is_link = |(range, mark): &(Range<usize>, Mark)| {
            *mark == Mark::Link && range.end == block.text.len() && range.start <= LEAD
        };
        if block.marks.iter().any(is_link) {
            continue;
        }
        let line = page.line_of(block);
        let is_plain = label.is_empty();
        let is_plain = is_plain
            || is_led && block.kind == Kind::Item && block.list.is_some() && item.is_none();
        let fits = |text: &str| match is_motion(text) {
            // What was moved need not be so.
            Some(is_settled) => is_settled && (!is_plain || is_note(text)),
            None => is_note(text) && (!is_plain || tells_alone(text)) || is_outcome(text),
        };
        let all: Vec<&str> = match fits(text) {
            true => vec![text],
            false => {
                let parts = sentences(text).into_iter().filter_map(|range| text.get(range));
                let parts = parts.map(str::trim).enumerate();
                // What is behind another sentence may speak of whom that names.
                let parts = parts.filter(|(at, part)| *at == 0 || !has_person(part));
                parts.map(|(_, part)| part).filter(|part| fits(part) && tells_alone(part)).collect()
            }
        };
        let note = |text: &str| Note { label: label.clone(), text: text.to_owned(), line };
        notes.extend(all.into_iter().map(note).take(MAX_NOTES.saturating_sub(notes.len())));
    }
    notes
}

/// The lines of a page below headings that only say what was to be discussed.
pub(super) fn planned(page: &Page) -> Vec<Range<usize>> {
    let headings = page.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading(_)));
    let starts: Vec<_> = headings.map(|block| (page.line_of(block), fold(&block.text))).collect();
    let ends = starts.iter().skip(1).map(|(line, _)| *line).chain([usize::MAX]);
    let parts = starts.iter().zip(ends).filter(|((_, key), _)| AGENDA.contains(&key.as_str()));
    parts.map(|((start, _), end)| *start..end).collect()
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
fn is_topic(text: &str, holds_list: bool) -> bool {
    const MOST: usize = 6;
    const MOST_BEFORE_COLON: usize = 14;
    let most = if text.ends_with(':') || holds_list { MOST_BEFORE_COLON } else { MOST };
    let first = fold(text.split(' ').next().unwrap_or_default());
    text.split(' ').count() <= most
        && !POINTING.contains(first.as_str())
        && (text.ends_with(':')
            || holds_list && !text.ends_with('.') && !text.contains(['?', '!'])
            || text.chars().all(|it| it.is_alphanumeric() || " -.".contains(it)))
}

/// What became of a topic, in a word or a few: `Approved.`, `Done - Yay`.
fn is_outcome(text: &str) -> bool {
    const MOST: usize = 4;
    let all = tokens(text);
    let first = all.first().map(Token::lower).unwrap_or_default();
    all.len() <= MOST
        && (first == "done" || words::looks_past(&first))
        && text.starts_with(char::is_uppercase)
        && !text.contains(['?', ':'])
}

/// Whether a note of a motion tells what became of it: `The motion passed 3-0.`, `Motion to adjourn; approved`.
fn is_motion(text: &str) -> Option<bool> {
    static OUTCOMES: Words = list!(words "motion_outcomes");
    const MOVING: &[&str] = &["by", "for", "from", "that", "to"];
    let tokens = tokens(text);
    let from = usize::from(tokens.first().is_some_and(|first| first.lower() == "the"));
    let is_one = tokens.get(from).is_some_and(|first| first.lower() == "motion");
    let tells = tokens.iter().any(|token| OUTCOMES.contains(token.lower().as_str()));
    let moves = tokens.get(from + 1).is_some_and(|next| MOVING.contains(&next.lower().as_str()));
    // `Motion blur is on by default` is none.
    (is_one && (tells || moves)).then_some(tells)
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

/// `Ann also asked if`, `Bo concluded her report`, `Now that that is done`, `Meeting adjourned`: what says
/// nothing of the matter, or only that it was asked.
pub(super) fn is_idle(tokens: &[Token<'_>]) -> bool {
    const VERBS: &[&str] = &["adjourned", "asked", "asks", "concluded", "concurred", "wondered"];
    const NEAR: usize = 5;
    let begins = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.lower() == word);
    let is_named = tokens.first().is_some_and(Token::is_capitalised) && !begins(0, "the");
    let mut first = tokens.iter().take(NEAR).map(Token::lower);
    let has_question = tokens
        .windows(3)
        .take(NEAR)
        .any(|three| three[0].text == "had" && three[1].text == "a" && three[2].text == "question");
    // `Bo will draw up a plan to prevent it`: what, another note tells.
    let last = tokens.last().map(Token::lower).unwrap_or_default();
    let is_open = matches!(last.as_str(), "it" | "them") && begins(1, "will");
    is_open
        || tokens.iter().any(|token| token.text == "TBD")
        || begins(0, "now") && begins(1, "that")
        || is_named && (has_question || first.any(|word| VERBS.contains(&word.as_str())))
}

fn has_person(text: &str) -> bool {
    tokens(text).iter().any(|it| matches!(it.text, "he" | "him" | "she" | "her" | "they" | "them"))
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
    // `Respectfully submitted, Ann Hill, Clerk`
    let is_signed = word(0) == "respectfully";
    // `Seconded by Ann`: what, stands before it.
    let is_seconded = matches!(word(0).as_str(), "moved" | "seconded") && all.len() < 8;
    let is_date = word(0) == "held" && word(1) == "on";
    let is_idle = is_idle(&all[said..]);
    let ends = text.ends_with(|char: char| char.is_alphanumeric() || ".)\"”".contains(char));
    LENGTH.contains(&all.len())
        && all.len() - said >= *LENGTH.start()
        && text.starts_with(|char: char| char.is_alphanumeric() || char == '[')
        && ends
        && !goes_on(text)
        && !is_filed
        && !is_date
        && !is_signed
        && !is_seconded
        && !is_idle
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

    #[test]
    fn a_motion_is_told_with_what_became_of_it() {
        for (text, expected) in [
            ("Motion to move the site to a new host; approved", Some(true)),
            ("The motion passed 3-0.", Some(true)),
            ("Motion to move the site to a new host.", Some(false)),
            ("Motion to move the site to a new host. Motion Passed.", Some(true)),
            ("Motion blur is on by default.", None),
            ("Ann moved the site.", None),
        ] {
            assert_eq!(is_motion(text), expected, "{text}");
        }
        let text = "# Foo meeting\n\n## Present\n\n- Ann Hill\n\n## Notes\n\n- Motion to move the site of Foo to a \
                    new host, which was approved.\n- Motion to hold another meeting on May 1.\n";
        let notes = read(&page::read(text));
        let moved: Vec<_> = notes.iter().filter(|note| note.text.contains("Motion")).collect();
        assert!(!moved.is_empty(), "{notes:?}");
        assert!(moved.iter().all(|note| note.text.contains("approved")), "{notes:?}");
    }

    #[test]
    fn what_became_of_an_item_stands_below_it() {
        let text = "# Foo meeting\n\n## Present\n\n- Ann Hill\n\n## Agenda\n\n### foo/bar\n\n- Close \
                    stale requests of others #12\n  - Previously discussed, removed from the agenda.\n- Rename \
                    the branch \"a\" to \"b\"\n  - Approved.\n- These have bugs\n  - One could hold on to \
                    the old one for a while longer\n- What is only to be discussed by all\n";
        let notes = read(&page::read(text));
        let notes: Vec<(&str, &str)> =
            notes.iter().map(|note| (note.label.as_str(), note.text.as_str())).collect();
        assert_eq!(
            notes,
            [
                (
                    "foo/bar, Close stale requests of others #12",
                    "Previously discussed, removed from the agenda."
                ),
                ("foo/bar, Rename the branch \"a\" to \"b\"", "Approved."),
            ]
        );
    }
}
