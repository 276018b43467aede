//! Minutes of meetings: who was there, what was decided, and what was noted.

mod notes;

use std::ops::Range;

use super::Statement;
use super::facts::{is_statement, shown};
use super::fold::fold;
use super::name::{structural, tidy};
use super::page::{Block, Kind, Page};
use super::thing::Thing;
use super::token::tokens;
use crate::words::{Words, list};
use notes::Note;

/// What stands before who was there, in lower case.
static ATTENDANCE: Words = list!(phrases "attendance");
/// What stands before what was decided or is to be done, in lower case.
static DECISIONS: Words = list!(phrases "decisions");

/// Fewest people of a meeting, and most words of a name.
const LEAST_PEOPLE: usize = 2;
const MAX_NAME_WORDS: usize = 4;
/// Most bytes of what is listed of a meeting.
const MAX_LIST: usize = 400;

/// What minutes say, each with its line.
#[derive(Debug, Default)]
pub(super) struct Minutes {
    people: Vec<String>,
    attendance: Option<(String, usize)>,
    decisions: Vec<(String, String, usize)>,
    notes: Vec<Note>,
    /// Lines on which it only stands what was to be discussed.
    planned: Vec<Range<usize>>,
}

/// Reads a page that says who was at a meeting; other pages are no minutes.
pub(super) fn read(page: &Page) -> Option<Minutes> {
    let mut minutes = Minutes::default();
    for row in &page.rows {
        if let [key, value] = row.cells.as_slice()
            && ATTENDANCE.contains(fold(key).as_str())
        {
            minutes.attend(key, value.split(SEPARATORS), row.line);
        }
    }
    let mut listed: Vec<(String, &str, usize)> = Vec::new();
    let mut below: Option<&str> = None;
    for block in page.blocks.iter().filter(|block| !block.is_furniture) {
        let text = block.text.trim();
        if matches!(block.kind, Kind::Heading(_)) {
            // `Present (and members)`
            let said = text.split(" (").next().unwrap_or_default();
            below = Some(said.trim_end_matches(':').trim());
            continue;
        }
        // `Board members in attendance were:`, before a list of them.
        if let Some(key) = attendance_in(text) {
            below = Some(key);
            continue;
        }
        let heading = below.map(fold).unwrap_or_default();
        let (key, rest) = text.split_once(':').map_or(("", text), |(key, rest)| (key, rest.trim()));
        let line = page.line_of(block);
        if ATTENDANCE.contains(fold(key).as_str()) {
            minutes.attend(key, rest.split(SEPARATORS), line);
        } else if ATTENDANCE.contains(heading.as_str()) && block.kind == Kind::Item {
            listed.push((below.unwrap_or_default().to_owned(), text, line));
        } else if DECISIONS.contains(fold(key).as_str()) {
            let all = items(block, rest).into_iter();
            minutes.decisions.extend(all.map(|it| (key.trim().to_owned(), it, line)));
        } else if DECISIONS.contains(heading.as_str()) {
            let heading = below.unwrap_or_default().to_owned();
            let all = items(block, text).into_iter().map(|it| (heading.clone(), it, line));
            minutes.decisions.extend(all);
        }
    }
    // `Ann Hill, Foo Corp`, each with where they are from.
    let name_of = |text: &'_ str| {
        let (name, firm) = text.split_once(',')?;
        (name.contains(' ') && !firm.contains(',')).then_some(name.len())
    };
    let from = listed.iter().filter(|(_, text, _)| name_of(text).is_some()).count();
    let has_firms = from >= LEAST_PEOPLE && from * 2 > listed.len();
    for (below, text, line) in &listed {
        let end = name_of(text).filter(|_| has_firms).unwrap_or(text.len());
        minutes.attend(below, [&text[..end]], *line);
    }
    if minutes.people.len() < LEAST_PEOPLE {
        return None;
    }
    minutes.notes = notes::read(page);
    minutes.planned = notes::planned(page);
    Some(minutes)
}

/// The lines of what a block says, where each begins with a capital, as items do; else all of it.
fn items(block: &Block, said: &str) -> Vec<String> {
    let ends = block.breaks.iter().copied().chain([block.text.len()]);
    let mut from = 0;
    let lines = ends.map(|end| block.text.get(std::mem::replace(&mut from, end)..end));
    let lines = lines.map(|line| line.unwrap_or_default().trim());
    let lines: Vec<&str> = lines.filter(|line| said.contains(line)).collect();
    match lines.len() > 1 && lines.iter().all(|line| line.starts_with(char::is_uppercase)) {
        true => lines.into_iter().filter(|line| notes::is_note(line)).map(str::to_owned).collect(),
        false => vec![said.to_owned()],
    }
}

/// What of a line before a list says that the people in it were there.
fn attendance_in(text: &str) -> Option<&'static str> {
    const MOST: usize = 8;
    let lead = text.strip_suffix(':').filter(|lead| lead.split(' ').count() <= MOST)?;
    let lead = format!(" {} ", fold(lead));
    let mut all = ATTENDANCE.iter().filter(|key| lead.contains(&format!(" {key} ")));
    all.next().copied()
}

/// What parts the people of one line.
const SEPARATORS: &[char] = &[',', ';'];

/// Two names of two words between which `&` stands: `Ann Hill & Bo Oak`, and no `Smith & Sons`.
fn two_people(part: &str) -> Vec<&str> {
    let all: Vec<&str> = part.split("& ").map(str::trim).filter(|it| !it.is_empty()).collect();
    if all.iter().all(|it| it.contains(' ')) { all } else { vec![part] }
}

/// Nouns that say what several people are, and no name: `Town Supervisors`.
static ROLES: Words = list!(words "meeting_roles");

/// Most people who are taken down: more come to no meeting, and each is looked for among the others.
const MOST_PEOPLE: usize = 500;

impl Minutes {
    /// Takes down people under what stands before them.
    fn attend<'t>(&mut self, key: &str, people: impl IntoIterator<Item = &'t str>, line: usize) {
        let mut is_away = false;
        let people = people.into_iter().flat_map(|part| there(part, &mut is_away));
        let people = people.flat_map(|part| part.split(SEPARATORS));
        let people = people.flat_map(|part| part.split(" and "));
        let people = people.flat_map(two_people).filter_map(name);
        let before = self.people.len();
        for person in people {
            if self.people.len() < MOST_PEOPLE && !self.people.contains(&person) {
                self.people.push(person);
            }
        }
        if self.people.len() > before && self.attendance.is_none() {
            self.attendance = Some((key.trim().to_lowercase(), line));
        }
    }

    /// Whoever was there.
    pub(super) fn people(&self) -> impl Iterator<Item = &str> {
        self.people.iter().map(String::as_str).filter(|name| name.contains(' '))
    }

    /// What is so of the meeting.
    /// `told` are the facts that are known of them already.
    pub(super) fn facts(
        &self,
        thing: Option<&Thing>,
        told: &[(usize, Statement)],
    ) -> Vec<(usize, Statement)> {
        let mut found = Vec::new();
        if let Some(thing) = thing {
            if let Some((key, line)) = &self.attendance {
                let people = self.people.join(", ");
                let text = shown(&format!("{} – {key}: {people}", thing.name));
                if people.len() <= MAX_LIST {
                    found.push((thing.entity, Statement { text, line: *line }));
                }
            }
            for (key, decided, line) in &self.decisions {
                let key = key.to_lowercase();
                let text = shown(&format!("{} – {key}: {decided}", thing.name));
                if decided.len() <= MAX_LIST && decides(decided) && is_statement(&text) {
                    found.push((thing.entity, Statement { text, line: *line }));
                }
            }
        }
        if let Some(thing) = thing.filter(|thing| thing.is_sure) {
            found.extend(self.noted(thing, told));
        }
        found
    }
}

impl Minutes {
    /// Leaves what was only to be discussed, and what is told of the meeting itself and noted below an item,
    /// which says of what.
    pub(super) fn without_noted(&self, thing: &Thing, facts: &mut Vec<(usize, Statement)>) {
        let is_noted = |said: &str| {
            let mut notes = self.notes.iter().filter(|note| !note.label.is_empty());
            notes.any(|note| note.text.contains(said))
        };
        let lead = format!("{} – ", thing.name);
        facts.retain(|(entity, fact)| {
            let said = fact.text.strip_prefix(&lead).filter(|_| *entity == thing.entity);
            let said_alone = fact.text.split_once(" – ").map(|(_, said)| said);
            let is_idle = said_alone.is_some_and(|said| notes::is_idle(&tokens(said)));
            let is_planned = self.planned.iter().any(|lines| lines.contains(&fact.line));
            !is_planned && !is_idle && !said.is_some_and(is_noted)
        });
    }

    /// What was noted of the meeting and is not told by other facts.
    fn noted(&self, thing: &Thing, told: &[(usize, Statement)]) -> Vec<(usize, Statement)> {
        let said = |note: &Note| -> Option<&str> {
            let ends = told.iter().map(|(_, fact)| fact);
            let ends = ends.filter_map(|fact| fact.text.rsplit(" – ").next());
            let mut ends = ends.map(|said| said.trim_matches('"'));
            ends.find(|said| note.text.contains(*said))
        };
        let rest = |note: &Note| match said(note) {
            Some(said) => notes::without(&note.text, said),
            None => Some(note.text.clone()),
        };
        let shown = |note: &Note| {
            let rest = rest(note)?;
            let text = match note.label.is_empty() {
                true => format!("{} – {rest}", thing.name),
                false => format!("{}, {} – {rest}", thing.name, note.label),
            };
            is_statement(&text).then(|| Statement { text: shown(&text), line: note.line })
        };
        self.notes.iter().filter_map(shown).map(|fact| (thing.entity, fact)).collect()
    }
}

/// Whether what stands below `Decisions` decides anything.
fn decides(text: &str) -> bool {
    static NOTHING: Words = list!(phrases "nothing_decided");
    let text = fold(text);
    !NOTHING.iter().any(|start| text.starts_with(start)) && !text.ends_with(['?', ':'])
}

/// A full name without what somebody is before it: `Secretary Ann Hill`.
fn without_role(name: &str) -> &str {
    let Some((role, rest)) = name.split_once(' ') else { return name };
    let role = fold(role);
    let is_role = ROLES.contains(role.as_str()) || role.starts_with("vice") || role == "president";
    if is_role && rest.contains(' ') { without_role(rest) } else { name }
}

/// Those of a part of a list of people who were there, behind what they are called together: `Board members:
/// Ann Hill`, `Bo Oak. Absent: Cy Fern. Staff: Di Elm`. `is_away`: the part goes on with those who were not.
fn there<'t>(part: &'t str, is_away: &mut bool) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once(": ") {
        let (names, label) = before.rsplit_once(". ").unwrap_or_else(|| at_role(before));
        found.extend(Some(names).filter(|names| !*is_away && !names.is_empty()));
        let label = fold(label);
        *is_away = AWAY.iter().any(|away| label.starts_with(away));
        rest = behind;
    }
    found.extend((!*is_away).then_some(rest));
    found
}

/// Names, and what those behind them are called together, without a stop between: `Ann Hill Members of public`.
fn at_role(text: &str) -> (&str, &str) {
    let starts = text.match_indices(' ').map(|(at, _)| at + 1);
    let mut at = starts.filter(|at| {
        let word = fold(text[*at..].split(' ').next().unwrap_or_default());
        // `Board members` are no Board.
        text[..*at].trim().contains(' ') && ROLES.contains(word.strip_suffix('s').unwrap_or(&word))
    });
    text.split_at(at.next_back().unwrap_or(0))
}

/// Beginnings of words beside a name that say that somebody was not there.
static AWAY: Words = list!(phrases "away");

/// Small words of names: `Bas van Beek`.
const PARTICLES: &[&str] = &["da", "de", "del", "den", "der", "di", "du", "la", "van", "von", "zu"];

/// A text as the name of a person, if it can be one.
fn name(text: &str) -> Option<String> {
    let bare = text.split(['(', '–', '—', '[', '@']).next()?.split(" - ").next()?;
    // Whoever is listed as away was not there.
    let rest = fold(&text[bare.len()..]);
    if AWAY.iter().any(|away| rest.contains(away)) {
        return None;
    }
    let name = without_role(&tidy(bare.trim())).to_owned();
    let words = name.split(' ').count();
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let capitals = is_capital(&name)
        && name.split(' ').all(|word| is_capital(word) || PARTICLES.contains(&word))
        && name.rsplit(' ').next().is_some_and(is_capital);
    let plain = name
        .chars()
        .all(|char| char.is_alphabetic() || matches!(char, ' ' | '.' | '-' | '\'' | '’'));
    let is_name = (1..=MAX_NAME_WORDS).contains(&words) && capitals && plain && name.len() > 1;
    let heads =
        ATTENDANCE.contains(fold(&name).as_str()) || DECISIONS.contains(fold(&name).as_str());
    let last = fold(name.rsplit(' ').next().unwrap_or_default());
    let is_role = ROLES.contains(last.strip_suffix('s').unwrap_or(&last));
    let ordinary = is_role || super::words::is_generic(&name.to_lowercase());
    (is_name && !heads && !ordinary && structural(&name).is_ok()).then_some(name)
}
