//! Which facts of one entity say something else of the same: the same words up to another number,
//! date or name in one place, or a negation. Pure.
//!
//! In doubt they do not: what may be so more than once (releases, prizes, what is supported), what
//! is qualified (`in 2019`, `more than`), and what is only more exact is no other value.

use std::collections::BTreeMap;

use elophanto_base::lexical::MONTHS;

use super::claims::NUMBERS;
use crate::{
    extract::is_verb,
    words::{Words, list},
};

/// Verbs of what happens, or is so, more than once.
static REPEATED: Words = list!(words "repeated");
/// Words that happen once to a thing: with another year they say otherwise.
static ONCE: Words = list!(words "once");
/// Words behind which a number is a name: `version 3`, `chapter 4`.
static NUMBERED: Words = list!(words "numbered");
/// Words between which and a number it is only about right.
static ABOUT: Words = list!(words "about");
/// Words that make a number a bound.
static BOUNDS: Words = list!(words "bounds");
/// Words before a verb that make it happen once: `was first released`.
const FIRST: &[&str] = &["first", "initially", "originally"];
/// What makes a number the most that there is.
const MOST: &[[&str; 2]] = &[["up", "to"], ["at", "most"]];
/// Words of names that tell nothing apart.
const KINDS: &[&str] = &["license", "licence"];
/// Words that change nothing of what is said.
const IDLE: &[&str] = &["the", "currently", "now", "today", "also", "officially"];
/// What stands before a name that there is one of.
static ONE_OF: Words = list!(phrases "before_only_names");
/// The mark of the entity's own name.
const ITSELF: &str = "\u{1}";
/// Words of a fact that are looked at.
const MOST_WORDS: usize = 80;
/// A longer name is none, in words.
const MOST_NAME: usize = 4;
/// How far apart two numbers may be of which one is only about right.
const TOLERANCE: f64 = 0.1;

/// Groups of facts, by their places in `facts`, that say otherwise than each other. `names` are all
/// names of the entity; `is_one_voice` tells of two facts whether one source said both at once, for
/// that is no disagreement.
pub fn otherwise(
    facts: &[&str],
    names: &[&str],
    is_one_voice: &dyn Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let names = in_words(names);
    let mut by_key: BTreeMap<String, Vec<(usize, Reading)>> = BTreeMap::new();
    for (place, fact) in facts.iter().enumerate() {
        for (key, reading) in readings(fact, &names) {
            by_key.entry(key).or_default().push((place, reading));
        }
    }
    // Facts that are connected by what they say otherwise.
    let mut group: Vec<usize> = (0..facts.len()).collect();
    for readings in by_key.values() {
        for (at, (one, reading)) in readings.iter().enumerate() {
            for (other, said) in readings.iter().skip(at + 1) {
                let is_joined = group[*other] == group[*one];
                if !is_joined && reading.differs(said) && !is_one_voice(*one, *other) {
                    let (from, into) = (group[*other], group[*one]);
                    group.iter_mut().filter(|it| **it == from).for_each(|it| *it = into);
                }
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, of) in group.into_iter().enumerate() {
        groups.entry(of).or_default().push(place);
    }
    groups.into_values().filter(|places| places.len() > 1).collect()
}

/// What a fact says, read once to be compared with others.
#[derive(Debug)]
pub struct Said(Vec<(String, Reading)>);

impl Said {
    /// Whether both give another value for the same.
    pub fn is_otherwise(&self, other: &Self) -> bool {
        let differs = |(key, reading): &(String, Reading)| {
            other.0.iter().any(|(its, said)| its == key && reading.differs(said))
        };
        self.0.iter().any(differs)
    }

    /// Whether both give the same value for something.
    pub fn agrees(&self, other: &Self) -> bool {
        self.0.iter().any(|reading| other.0.contains(reading))
    }
}

/// Reads what facts say of an entity of these names.
pub fn reader(names: &[&str]) -> impl Fn(&str) -> Said + use<> {
    let names = in_words(names);
    move |fact| Said(readings(fact, &names))
}

/// Names as their words, the longest first.
fn in_words(names: &[&str]) -> Vec<Vec<String>> {
    let mut names: Vec<Vec<String>> = names.iter().map(|name| plain(name)).collect();
    names.retain(|name| !name.is_empty());
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names
}

/// One value that a fact gives for what its key asks.
#[derive(Debug, PartialEq)]
struct Reading {
    value: Value,
    /// What follows it.
    rest: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Value {
    Amount {
        number: f64,
        decimals: usize,
        unit: String,
        is_about: bool,
    },
    Date {
        year: u16,
        month: Option<usize>,
        day: Option<u8>,
    },
    Name(Vec<String>),
    /// Whether it is so.
    Holds(bool),
}

impl Reading {
    fn differs(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (
                Value::Amount { number: a, decimals: exact, unit, is_about },
                Value::Amount { number: b, decimals: also, unit: in_unit, is_about: or_about },
            ) => {
                let digits = i32::try_from((*exact).min(*also)).unwrap_or(0);
                let rounded = |number: f64| (number * 10_f64.powi(digits)).round();
                let near = (a - b).abs() <= a.abs().max(b.abs()) * TOLERANCE;
                unit == in_unit
                    && self.rest == other.rest
                    && rounded(*a) != rounded(*b)
                    && !((*is_about || *or_about) && near)
            }
            (
                Value::Date { year, month, day },
                Value::Date { year: in_year, month: in_month, day: on_day },
            ) => {
                let both =
                    |a: Option<usize>, b: Option<usize>| a.zip(b).is_some_and(|(a, b)| a != b);
                let fits = self.rest == other.rest || self.rest.is_empty() || other.rest.is_empty();
                let days = day.zip(*on_day).is_some_and(|(a, b)| a != b);
                fits && (year != in_year || both(*month, *in_month) || days)
            }
            (Value::Name(a), Value::Name(b)) => {
                let fits = self.rest == other.rest || self.rest.is_empty() || other.rest.is_empty();
                fits && !is_like(a, b)
            }
            (Value::Holds(a), Value::Holds(b)) => a != b,
            _ => false,
        }
    }
}

/// What a fact says, by what it says it of.
fn readings(fact: &str, names: &[Vec<String>]) -> Vec<(String, Reading)> {
    let mut said = fact;
    if let Some((of, row)) = fact.split_once(" – ") {
        if let Some((predicate, value)) = row.split_once(": ") {
            return of_row(predicate, value).into_iter().collect();
        }
        // `mio – The oldest Rust that it builds with is 1.70.`
        if names.contains(&plain(of)) {
            said = row;
        }
    }
    let raw = words(said);
    let said = marked(&raw, names);
    let mut found: Vec<(String, Reading)> = negated(&said).into_iter().collect();
    let Some(verb) = said.iter().position(|word| is_verb(&word.lower)) else { return found };
    let is_repeated = said.iter().any(|word| REPEATED.contains(word.lower.as_str()));
    let mut at = verb + 1;
    while at < said.len() {
        let (before, from) = said.split_at(at);
        let read = date(from, before)
            .map(|(value, length)| ("date", value, length))
            .filter(|_| happens_once(before))
            .or_else(|| {
                let (value, length) = amount(from, before)?;
                (!is_repeated || is_most(before)).then_some(("amount", value, length))
            })
            .or_else(|| name(from, before).map(|(value, length)| ("name", value, length)));
        let Some((kind, value, length)) = read else {
            at += 1;
            continue;
        };
        let key = key(kind, before);
        let rest = from.iter().skip(length).filter(|word| !is_idle(&word.lower));
        let rest = rest.map(|word| word.lower.clone()).collect();
        found.push((key, Reading { value, rest }));
        at += length;
    }
    found
}

/// A word, and without capitals.
#[derive(Debug, Clone)]
struct Word {
    raw: String,
    lower: String,
}

fn words(text: &str) -> Vec<Word> {
    let bare = |char: char| {
        !char.is_alphanumeric() && !matches!(char, '$' | '€' | '£' | '¥' | '%' | '+' | '#')
    };
    text.split_whitespace()
        .map(|word| word.trim_matches(bare))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(|word| Word { raw: word.to_owned(), lower: word.to_lowercase() })
        .collect()
}

fn plain(text: &str) -> Vec<String> {
    let words = words(text).into_iter().map(|word| word.lower);
    words.skip_while(|word| word == "the").collect()
}

/// The words with one mark for the entity, by whatever of its names.
fn marked(words: &[Word], names: &[Vec<String>]) -> Vec<Word> {
    let mut said = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let of = |name: &&Vec<String>| {
            words.get(at..at + name.len()).is_some_and(|run| {
                run.iter().zip(name.iter()).all(|(word, own)| {
                    word.lower == *own || word.lower.strip_suffix("'s") == Some(own.as_str())
                })
            })
        };
        if let Some(name) = names.iter().find(of) {
            let last = words.get(at + name.len() - 1).map_or("", |word| word.lower.as_str());
            let owns = if last.ends_with("'s") { "'s" } else { "" };
            let mark = format!("{ITSELF}{owns}");
            said.push(Word { raw: mark.clone(), lower: mark });
            at += name.len();
        } else {
            said.push(word.clone());
            at += 1;
        }
    }
    said
}

fn is_idle(word: &str) -> bool {
    IDLE.contains(&word)
}

fn key(kind: &str, before: &[Word]) -> String {
    let words = before.iter().map(|word| word.lower.as_str());
    let words = words.filter(|word| !is_idle(word) && !ABOUT.contains(word));
    std::iter::once(kind).chain(words).collect::<Vec<_>>().join(" ")
}

/// A number with its currency or unit, and how many words it takes.
fn amount(from: &[Word], before: &[Word]) -> Option<(Value, usize)> {
    let word = from.first()?;
    let last = before.last().map_or("", |word| word.lower.as_str());
    let is_about = ABOUT.contains(last);
    let in_time = matches!(last, "in" | "since" | "by" | "until" | "of" | "from" | "and");
    let is_bound = BOUNDS.contains(last) && !is_most(before);
    if NUMBERED.contains(last) || is_bound || in_time {
        return None;
    }
    let (number, decimals, unit) = number(&word.lower)?;
    Some((Value::Amount { number, decimals, unit, is_about }, 1))
}

/// A number, its decimals, and what stands at it.
fn number(word: &str) -> Option<(f64, usize, String)> {
    let is_ordinal = word.ends_with("th") || matches!(word, "second" | "third" | "twice");
    if let Some(known) = NUMBERS.get(word).filter(|_| !is_ordinal) {
        // `Three million` are not three.
        return (known.len() < 3).then_some((known.parse().ok()?, 0, String::new()));
    }
    let is_digit = |char: char| char.is_ascii_digit();
    let (front, rest) = word.split_at(word.find(is_digit)?);
    let end = rest.rfind(is_digit)? + 1;
    let (digits, back) = rest.split_at(end);
    let is_unit =
        |text: &str| text.chars().all(|char| char.is_alphabetic() || "$€£¥%°".contains(char));
    if !is_unit(front) || !is_unit(back) || front.chars().any(char::is_alphabetic) {
        return None;
    }
    let digits = digits.replace(',', "");
    let decimals = digits.split_once('.').map_or(0, |(_, part)| part.len());
    Some((digits.parse().ok()?, decimals, format!("{front}{back}")))
}

/// A year, with the month and day that stand at it, and how many words it takes.
fn date(from: &[Word], before: &[Word]) -> Option<(Value, usize)> {
    let last = before.last().map_or("", |word| word.lower.as_str());
    if !matches!(last, "in" | "on" | "since") {
        return None;
    }
    let (mut month, mut day, mut length) = (None, None, 0);
    for word in from.iter().take(4) {
        length += 1;
        let digits = word.lower.trim_end_matches(|char: char| char.is_alphabetic());
        if let Some(known) = MONTHS.iter().position(|month| *month == word.lower) {
            month = Some(known);
        } else if let Ok(number) = digits.parse::<u16>() {
            if (1000..=2100).contains(&number) && digits.len() == 4 && digits == word.lower {
                return Some((Value::Date { year: number, month, day }, length));
            }
            day = Some(u8::try_from(number).ok().filter(|day| (1..=31).contains(day))?);
        } else {
            return None;
        }
    }
    None
}

/// Whether what is said happens to a thing once.
fn happens_once(before: &[Word]) -> bool {
    before.iter().any(|word| ONCE.contains(word.lower.as_str()))
        || before.last().is_some_and(|word| word.lower == "since")
        || before
            .array_windows()
            .any(|[first, verb]| FIRST.contains(&first.lower.as_str()) && is_verb(&verb.lower))
}

/// Whether a number behind these words is the most that there is.
fn is_most(before: &[Word]) -> bool {
    before
        .last_chunk::<2>()
        .is_some_and(|[a, b]| MOST.contains(&[a.lower.as_str(), b.lower.as_str()]))
}

/// Whether two names may be one: a word of one begins one of the other, or is short for it.
fn is_like(a: &[String], b: &[String]) -> bool {
    let is_own = |word: &&String| !KINDS.contains(&word.as_str());
    let is_short = |short: &[String], long: &[String]| {
        let initials: String = long.iter().filter_map(|word| word.chars().next()).collect();
        short.iter().any(|word| {
            let letters: String = word.chars().take_while(|char| char.is_alphabetic()).collect();
            let letters = letters.strip_suffix('v').unwrap_or(&letters);
            letters.len() > 2 && initials.contains(letters)
        })
    };
    let is_begun = |one: &String| {
        b.iter().filter(is_own).any(|other| one.starts_with(other) || other.starts_with(one))
    };
    a.iter().filter(is_own).any(is_begun) || is_short(a, b) || is_short(b, a)
}

/// A name of which there is one, and how many words it takes.
fn name(from: &[Word], before: &[Word]) -> Option<(Value, usize)> {
    let lower: Vec<&str> = before.iter().map(|word| word.lower.as_str()).collect();
    // `Licensed under the MIT License`.
    let said: Vec<&str> = lower.iter().filter(|word| !is_idle(word)).copied().collect();
    let is_place =
        said.last_chunk::<2>().is_some_and(|words| ONE_OF.contains(words.join(" ").as_str()));
    // `The team lead of X is Ada`: there is one of what has an article.
    let is_role = matches!(lower.last(), Some(&("is" | "was")))
        && lower.len() > 2
        && (lower[0] == "the" && lower.contains(&"of") || lower[0].ends_with("'s"));
    if !is_place && !is_role {
        return None;
    }
    let length = from.iter().take_while(|word| word.raw.starts_with(char::is_uppercase)).count();
    let words = from.iter().take(length).map(|word| word.lower.clone()).collect();
    (1..=MOST_NAME).contains(&length).then_some((Value::Name(words), length))
}

/// What is said, and whether it is so.
fn negated(said: &[Word]) -> Option<(String, Reading)> {
    let mut words: Vec<&str> = Vec::new();
    let mut holds = true;
    let mut said = said.iter().map(|word| word.lower.as_str()).peekable();
    while let Some(word) = said.next() {
        match word {
            "not" if said.peek() == Some(&"only") => return None,
            "not" | "never" => holds = !holds,
            "no" if said.peek() == Some(&"longer") => {
                said.next();
                holds = !holds;
            }
            "cannot" | "can't" => {
                words.push("can");
                holds = !holds;
            }
            "don't" | "doesn't" | "didn't" => holds = !holds,
            "isn't" | "wasn't" | "aren't" | "weren't" => {
                words.push(word.trim_end_matches("n't"));
                holds = !holds;
            }
            "do" | "does" | "did" => {}
            word if is_idle(word) => {}
            word => {
                words.push(word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word))
            }
        }
    }
    let key = format!("holds {}", words.join(" "));
    (words.len() > 2).then_some((key, Reading { value: Value::Holds(holds), rest: Vec::new() }))
}

/// Whether a value says that it is so.
fn holds(word: &str) -> Option<bool> {
    match word {
        "yes" | "true" | "ja" | "oui" | "sí" | "✓" | "supported" => Some(true),
        "no" | "false" | "nein" | "non" | "none" | "✗" | "unsupported" | "not" => Some(false),
        _ => None,
    }
}

/// The value of a row of a table.
fn of_row(predicate: &str, value: &str) -> Option<(String, Reading)> {
    let lower = predicate.trim().to_lowercase();
    let key = format!("row {lower}");
    let all = words(value);
    if let Some(first) = all.first().filter(|first| holds(&first.lower).is_none())
        && let Some((number, decimals, unit)) = number(&first.lower)
    {
        let rest = all.iter().skip(1).map(|word| word.lower.clone()).collect();
        let value = Value::Amount { number, decimals, unit, is_about: false };
        return Some((key, Reading { value, rest }));
    }
    // `yes` and `no, only over a cable`.
    if let Some(holds) = all.first().and_then(|first| holds(&first.lower)) {
        return Some((key, Reading { value: Value::Holds(holds), rest: Vec::new() }));
    }
    // Languages, authors: there may be several of them.
    let is_list = lower.ends_with('s') && !lower.ends_with("ss") && lower != "status"
        || value.contains([',', ';', '/'])
        || all.iter().any(|word| word.lower == "and");
    if is_list || all.is_empty() || all.len() > MOST_NAME {
        return None;
    }
    let words = all.into_iter().map(|word| word.lower).collect();
    Some((key, Reading { value: Value::Name(words), rest: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, expected: bool) {
        let facts = [a, b];
        let apart = |_: usize, _: usize| false;
        let names = ["KEF LS50 Meta", "LS50 Meta", "KEF"];
        let found = otherwise(&facts, &names, &apart);
        assert_eq!(
            !found.is_empty(),
            expected,
            "{a} | {b}: {:?}",
            facts.map(|fact| readings(fact, &[]))
        );
        assert_eq!(otherwise(&[b, a], &names, &apart).is_empty(), found.is_empty());
        assert!(otherwise(&facts, &names, &|_, _| true).is_empty(), "one source said both");
    }

    #[test]
    fn another_value_of_the_same_is_told() {
        for (a, b) in [
            ("KEF was founded in 1961 by Raymond Cooke.", "KEF was founded in 1962."),
            ("KEF was founded in May 1961.", "KEF was founded in June 1961."),
            ("The KEF LS50 Meta weighs 7.8 kg.", "LS50 Meta weighs 8.2 kg."),
            ("The KEF LS50 Meta costs $1,599.", "The KEF LS50 Meta costs $1,699."),
            ("KEF has 200 employees.", "KEF currently has 250 employees."),
            ("KEF has two factories.", "KEF has three factories."),
            ("KEF is headquartered in Maidstone.", "KEF is headquartered in London."),
            ("KEF's lead designer is Ada Byron.", "KEF's lead designer is Jack Oclee."),
            ("The capital of KEF is Ada.", "The capital of KEF is Bob."),
            (
                "The LS50 Meta is not magnetically shielded.",
                "The LS50 Meta is magnetically shielded.",
            ),
            ("The LS50 Meta does not support bridging.", "The LS50 Meta supports bridging."),
            ("KEF is maintained by volunteers.", "KEF is no longer maintained by volunteers."),
            ("KEF LS50 Meta – Weight: 7.8 kg", "KEF LS50 Meta – Weight: 8.2 kg"),
            ("KEF LS50 Meta – Finish: black", "KEF LS50 Meta – Finish: white"),
            ("KEF listens on port 8080.", "KEF listens on port 9090."),
            ("KEF – The oldest shop has 20 lamps.", "The oldest shop has 30 lamps."),
            ("KEF LS50 Meta – Wireless: yes", "KEF LS50 Meta – Wireless: No"),
            ("KEF LS50 Meta – Wireless: Yes, aptX", "KEF LS50 Meta – Wireless: no"),
            ("KEF was founded by Raymond Cooke.", "KEF was founded by Robert Pearch in 1961."),
            ("KEF is a subsidiary of GP Acoustics.", "KEF is a subsidiary of Tannoy."),
            ("KEF was first released in 2011.", "KEF was first released in 2013."),
            ("KEF supports up to 500 queues.", "KEF supports up to 800 queues."),
            (
                "KEF is licensed under the Apache License 2.0.",
                "KEF is licensed under the MIT License.",
            ),
        ] {
            check(a, b, true);
        }
    }

    #[test]
    fn what_may_be_so_beside_the_other_is_no_other_value() {
        for (a, b) in [
            // Several times, or of several.
            ("KEF released version 3.0 in 2020.", "KEF released version 4.0 in 2022."),
            ("KEF won the prize in 2010.", "KEF won the prize in 2012."),
            ("KEF supports Python 3.8.", "KEF supports Python 3.9."),
            ("KEF supports Linux.", "KEF supports Windows."),
            ("KEF is used in Berlin.", "KEF is used in Munich."),
            ("KEF LS50 Meta – Colours: black", "KEF LS50 Meta – Colours: white"),
            ("KEF LS50 Meta – Inputs: RCA, XLR", "KEF LS50 Meta – Inputs: HDMI"),
            ("KEF is licensed under Apache-2.0.", "KEF is licensed under the Apache License 2.0."),
            (
                "KEF is licensed under the GPLv3.",
                "KEF is licensed under the GNU General Public License.",
            ),
            ("KEF has up to 500 shops.", "KEF has 300 shops."),
            (
                "KEF was the first maker that won in 2011.",
                "KEF was the first maker that won in 2013.",
            ),
            // Of another thing.
            ("Version 2 of KEF has 8 ports.", "Version 3 of KEF has 9 ports."),
            ("KEF has 200 employees.", "KEF has 300 shops."),
            ("KEF had 200 employees in 2019.", "KEF had 250 employees in 2021."),
            ("The KEF LS50 Meta weighs 7.8 kg.", "The KEF LS50 Meta weighs 17.2 pounds."),
            ("The KEF LS50 Meta costs $1,599.", "The KEF LS50 Meta costs £1,199."),
            // The same, or more exactly.
            ("KEF was founded in 1961.", "KEF was founded in May 1961."),
            ("KEF was founded in 1961.", "KEF was founded on 12 May 1961."),
            ("The KEF LS50 Meta weighs 7.8 kg.", "The KEF LS50 Meta weighs 8 kg."),
            ("KEF has about 200 employees.", "KEF has 203 employees."),
            ("KEF has more than 200 employees.", "KEF has 250 employees."),
            ("KEF has 1,000 employees.", "KEF has 1000 employees."),
            ("KEF has two factories.", "KEF has 2 factories."),
            ("KEF is headquartered in Maidstone.", "KEF is headquartered in Maidstone, Kent."),
            ("KEF's lead designer is Ada Byron.", "KEF's lead designer is Ada."),
            ("KEF is not only a maker of speakers.", "KEF is only a maker of speakers."),
            ("KEF is a maker.", "KEF is a maker."),
            ("", ""),
        ] {
            check(a, b, false);
        }
    }

    #[test]
    fn those_that_differ_stand_in_one_group() {
        let facts = [
            "KEF was founded in 1961.",
            "KEF makes speakers.",
            "KEF was founded in 1962.",
            "KEF was founded in 1961 by Raymond Cooke.",
            "KEF has 200 employees.",
            "KEF has 250 employees.",
        ];
        let found = otherwise(&facts, &["KEF"], &|_, _| false);
        assert_eq!(found, [vec![0, 2, 3], vec![4, 5]]);
    }
}
