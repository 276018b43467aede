//! What a sentence claims that a paraphrase must keep: numbers, dates, names, negations, poles.

use std::collections::BTreeSet;

use super::form::fold;
use crate::words::{Pairs, Words, list};
use elophanto_base::lexical::MONTHS;

/// Words that turn a statement round.
static NEGATIONS: Words = list!(words "negations");

/// Words of which one rules out the other.
static POLES: Pairs = list!(pairs "poles");

/// Words of quantities, and how they are counted; empty ones say nothing that a number does not.
static UNITS: Pairs = list!(pairs "unit_spellings");

pub(super) static NUMBERS: Pairs = list!(pairs "numbers");

/// What two sentences that say the same have in common.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Claims {
    pub numbers: BTreeSet<String>,
    pub names: BTreeSet<String>,
    /// What is typed: `ffi_type_float`, `--all`, `IO::File`.
    pub typed: BTreeSet<String>,
    /// Whether an odd number of words turn it round.
    pub negated: bool,
    pub words: Vec<String>,
}

impl Claims {
    pub fn of(text: &str) -> Self {
        let text = without_conversions(text);
        let typed = text.split_whitespace().filter_map(typed);
        let mut claims = Self { typed: typed.collect(), ..Self::default() };
        let mut negations = 0;
        for (at, raw) in raw_words(&text).enumerate() {
            let word = fold(&raw);
            let word = match UNITS.get(word.as_str()) {
                Some(&"") => continue,
                Some(unit) => (*unit).to_owned(),
                None => word,
            };
            if word.chars().any(|char| char.is_ascii_digit()) {
                let parts = number_parts(&word);
                claims.words.extend(parts.iter().cloned());
                claims.numbers.extend(parts);
                continue;
            } else if at > 0 && raw != "May" && word == "may" {
                // The verb.
            } else if let Some(month) = month(&raw, &word) {
                claims.numbers.insert(month);
            } else if let Some(number) = NUMBERS.get(word.as_str()) {
                claims.numbers.insert((*number).to_owned());
                claims.words.push((*number).to_owned());
                continue;
            } else if NEGATIONS.contains(word.as_str()) {
                negations += 1;
            } else if at > 0 && raw.chars().next().is_some_and(char::is_uppercase) {
                claims.names.insert(word.clone());
            }
            claims.words.push(word);
        }
        claims.negated = negations % 2 == 1;
        claims
    }

    /// Whether the other claims something else: a number or an identifier that this one lacks or the
    /// other way round, another name in place of one, a negation, the opposite pole.
    pub fn differs_from(&self, other: &Self) -> bool {
        self.numbers != other.numbers
            || self.typed != other.typed
            || self.negated != other.negated
            || self.lacks_a_name_of(other) && other.lacks_a_name_of(self)
            || POLES.iter().any(|(one, end)| {
                self.only(other, one, end) && other.only(self, end, one)
                    || self.only(other, end, one) && other.only(self, one, end)
            })
    }

    fn lacks_a_name_of(&self, other: &Self) -> bool {
        other.names.iter().any(|name| !self.has(name) && !self.has_kin(name))
    }

    /// `Greece` for `Greek`: a name that begins with the same letters.
    fn has_kin(&self, name: &str) -> bool {
        const LETTERS: usize = 4;
        self.names.iter().any(|own| {
            own.chars().zip(name.chars()).take_while(|(own, other)| own == other).count() >= LETTERS
        })
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    fn only(&self, other: &Self, mine: &str, theirs: &str) -> bool {
        mine.split(' ').any(|word| self.has(word) && !other.has(word))
            && !theirs.split(' ').any(|word| self.has(word) && !other.has(word))
    }
}

/// A word as an identifier, if nobody writes prose so.
fn typed(word: &str) -> Option<String> {
    let bare =
        word.trim_matches(|char: char| !char.is_alphanumeric() && !matches!(char, '-' | '_'));
    let is_option = bare.starts_with('-')
        && bare.trim_start_matches('-').starts_with(|char: char| char.is_ascii_alphabetic());
    let is_joined = ["_", "::"].iter().any(|mark| {
        bare.split_once(mark).is_some_and(|(before, after)| !before.is_empty() && !after.is_empty())
    });
    (is_option || is_joined).then(|| bare.to_owned())
}

/// Words with their case; apostrophes are left out, so that `don't` is one.
fn raw_words(text: &str) -> impl Iterator<Item = String> {
    let inside = |char: char| {
        char.is_alphanumeric() || matches!(char, '.' | ',' | ':' | '-' | '/' | '+' | '#' | '%')
    };
    text.split(move |char: char| !inside(char) && !matches!(char, '\'' | '\u{2019}'))
        .flat_map(|word| {
            let word: String =
                word.chars().filter(|char| !matches!(char, '\'' | '\u{2019}')).collect();
            let word = word.trim_matches(|char: char| !char.is_alphanumeric()).to_owned();
            // `built-in` is two words, `2026-01-02` one.
            if word.chars().any(|char| char.is_ascii_digit()) {
                vec![word]
            } else {
                word.split(|char: char| !char.is_alphanumeric()).map(str::to_owned).collect()
            }
        })
        .filter(|word| !word.is_empty())
}

/// `2,024` is 2024, `85db` is 85, `9th` is 9; `2026-01-02` is a year, a month and a day.
fn number_parts(word: &str) -> Vec<String> {
    let plain = word.replace(',', "");
    let fields: Vec<&str> = plain.split('-').collect();
    if let [year, month, day] = fields.as_slice()
        && year.len() == 4
        && let (Ok(_), Ok(month), Ok(day)) =
            (year.parse::<u32>(), month.parse::<usize>(), day.parse::<u32>())
        && let Some(name) = month.checked_sub(1).and_then(|at| MONTHS.get(at))
    {
        return vec![(*year).to_owned(), (*name).to_owned(), day.to_string()];
    }
    let numeric = |part: &&str| part.chars().any(|char| char.is_ascii_digit());
    let (start, rest) = plain
        .split_at(plain.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(plain.len()));
    let unit = rest.chars().all(char::is_alphabetic) && !start.is_empty();
    if unit {
        // 85.0 is 85; 1.10 may be a version and is not 1.1.
        let shorter =
            start.strip_suffix(".00").or_else(|| start.strip_suffix(".0")).unwrap_or(start);
        return vec![shorter.to_owned()];
    }
    plain.split('-').filter(numeric).map(str::to_owned).collect()
}

fn month(raw: &str, word: &str) -> Option<String> {
    let named = raw.chars().next().is_some_and(char::is_uppercase);
    let full = |name: &&&str| **name == word || word.len() == 3 && name.starts_with(word);
    MONTHS.iter().find(full).filter(|_| named).map(|name| (*name).to_owned())
}

/// The text without brackets that give a quantity once more in another unit: `29.8 C (85.6 F)`.
fn without_conversions(text: &str) -> String {
    const MAX_INNER: usize = 24;
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let (before, bracket) = rest.split_at(open);
        kept.push_str(before);
        let Some(close) = bracket.find(')') else { break };
        let (inner, after) = bracket.split_at(close + 1);
        let measures = |text: &str| text.chars().any(|char| char.is_ascii_digit());
        let last_two = before.split_whitespace().rev().take(2).any(measures);
        let quantity = inner.len() <= MAX_INNER
            && inner.chars().nth(1).is_some_and(|char| char.is_ascii_digit())
            && inner.trim_end_matches(')').ends_with(char::is_alphabetic);
        if !(last_two && quantity) {
            kept.push_str(inner);
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}
