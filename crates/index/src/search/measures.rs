//! What `how long`, `how heavy` and `how much` ask for: an amount of something, in a unit of it or under a
//! name of it. Pure.

use elophanto_base::lexical::{MONTHS, words};

use super::asked::{AMOUNTS, ARTICLES, is_one_of};

/// Something that is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    /// The words of a question that ask for it.
    asked: &'static [&'static str],
    /// Words that name it.
    names: &'static [&'static str],
    /// What stands behind its numbers, in the singular.
    units: &'static [&'static str],
    /// Whether a unit alone tells it: a number of knots is a speed, a number of feet no width.
    by_unit: bool,
}

const LENGTHS: &[&str] = &[
    "centimeter", "centimetre", "cm", "fathom", "feet", "foot", "ft", "inch", "inche", "kilometer",
    "kilometre", "km", "m", "meter", "metre", "mi", "mile", "mm", "nmi", "yard", "yd",
];

const MEASURES: &[Measure] = &[
    Measure {
        asked: &["long"],
        names: &["duration", "length", "lifespan", "long", "lasted", "lasts", "runtime"],
        units: &[
            "century", "day", "decade", "fortnight", "hour", "hr", "min", "minute", "month", "ms",
            "sec", "second", "week", "year", "yr", // Not only of time.
            "centimeter", "centimetre", "cm", "feet", "foot", "ft", "inch", "inche", "kilometer",
            "kilometre", "km", "m", "meter", "metre", "mi", "mile", "mm", "yard",
        ],
        by_unit: true,
    },
    Measure {
        asked: &["wide", "broad"],
        names: &["beam", "breadth", "broad", "wide", "width", "wingspan"],
        units: LENGTHS,
        by_unit: false,
    },
    Measure {
        asked: &["tall", "high"],
        names: &["altitude", "elevation", "height", "high", "tall"],
        units: LENGTHS,
        by_unit: false,
    },
    Measure {
        asked: &["deep"],
        names: &["deep", "depth", "draft", "draught"],
        units: LENGTHS,
        by_unit: false,
    },
    Measure { asked: &["far"], names: &["distance", "far"], units: LENGTHS, by_unit: true },
    Measure {
        asked: &["fast"],
        names: &["fast", "speed", "velocity"],
        units: &[
            "fps", "gbps", "ghz", "hz", "khz", "mb/s", "mbps", "mhz", "km/h", "kmh", "kn", "knot",
            "kph", "m/s", "mph",
        ],
        by_unit: true,
    },
    Measure {
        asked: &["heavy", "weigh"],
        names: &["mass", "weigh", "weighed", "weighs", "weight"],
        units: &[
            "g", "gram", "kg", "kilo", "kilogram", "lb", "ounce", "oz", "pound", "stone", "t",
            "ton", "tonne",
        ],
        by_unit: true,
    },
    Measure {
        asked: &["old"],
        names: &["age", "aged", "old"],
        units: &["month", "year"],
        by_unit: false,
    },
    Measure {
        asked: &["cost", "money", "price", "pay", "paid", "worth", "charge"],
        names: &[],
        units: &["cent", "dollar", "eur", "euro", "gbp", "penny", "pound", "usd", "yen"],
        by_unit: true,
    },
];

/// Words between a number and what it measures: `three feet wide`, `the width of the old bridge is 3 m`.
const NEAR_BEFORE: usize = 3;
const NEAR_BEHIND: usize = 12;

/// What one does with what `how much` asks for.
const VERBS: [&str; 8] = ["charge", "cost", "money", "paid", "pay", "price", "weigh", "worth"];

/// What goes on for a time: how long it does is no length.
const LASTING: [&str; 12] = [
    "keep", "kept", "last", "lasted", "live", "lived", "pregnant", "remain", "stay", "stayed",
    "take", "took",
];

/// How long something goes on.
const DURATION: Measure = Measure {
    asked: &["long"],
    names: &["duration", "lasted", "lasts", "lifespan", "long", "runtime"],
    units: &[
        "century", "day", "decade", "fortnight", "hour", "hr", "min", "minute", "month", "ms",
        "sec", "second", "week", "year", "yr",
    ],
    by_unit: true,
};

/// What stands behind `cost` where that is a verb: `what does a seat cost per month`.
const BESIDE_COST: [&str; 19] = [
    "a", "an", "at", "each", "extra", "for", "from", "if", "in", "me", "now", "on", "per", "to",
    "today", "us", "when", "with", "without",
];

/// Whether one asks what something costs: `what does it cost`, and no `what does the cost model do`.
pub(super) fn asks_the_cost(question: &str) -> bool {
    let all: Vec<&str> = words(question).map(|word| &question[word.range]).collect();
    let [what, does, rest @ ..] = all.as_slice() else { return false };
    let is_verb = |at: usize| {
        at > 0
            && !is_one_of(&ARTICLES, rest[at - 1])
            && rest.get(at + 1).is_none_or(|next| is_one_of(&BESIDE_COST, next))
    };
    is_one_of(&["what"], what)
        && is_one_of(&["did", "do", "does", "will"], does)
        && rest.iter().enumerate().any(|(at, word)| is_one_of(&["cost"], word) && is_verb(at))
}

impl Measure {
    /// What a question asks for: `how` and the next word, or behind `how much` what is done with it.
    pub(super) fn of(question: &str) -> Option<Self> {
        let all: Vec<String> =
            words(question).map(|word| question[word.range].to_lowercase()).collect();
        let by = |word: &String| MEASURES.iter().find(|it| is_one_of(it.asked, word)).copied();
        if asks_the_cost(question) {
            return all.iter().filter(|word| *word == "cost").find_map(by);
        }
        let how = all.iter().position(|word| word == "how")?;
        let next = all.get(how + 1)?;
        match next.as_str() {
            // Behind it stands a verb; `how much did the old one cost` asks for no age.
            "much" => all.iter().skip(how + 2).filter(|word| is_one_of(&VERBS, word)).find_map(by),
            "long" if all.iter().any(|word| is_one_of(&LASTING, word)) => Some(DURATION),
            _ => by(next),
        }
    }

    /// The words that name it.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    pub(super) fn is_asked_by(&self, word: &str) -> bool {
        is_one_of(self.asked, word)
    }

    /// Whether a statement tells an amount of it.
    pub(super) fn is_told_by(&self, text: &str) -> bool {
        let is_money = self.units.contains(&"euro")
            && (text.contains(['€', '$', '£', '¥'])
                && text.contains(|it: char| it.is_ascii_digit())
                || text.split_whitespace().any(|word| bare(word).eq_ignore_ascii_case("free")));
        let has_amount = amounts(text).next().is_some();
        // `since 1906`.
        let is_span = self.units.contains(&"year")
            && words(text).any(|word| text[word.range].eq_ignore_ascii_case("since"))
            && !years(text).is_empty();
        // `100 kilometres per hour`
        let is_rate = self.units.contains(&"knot")
            && ["per hour", "an hour", "per second", "a second"].iter().any(|it| text.contains(it));
        is_money
            || is_span
            || has_amount && is_rate
            || has_amount && (self.is_named_near(text) || self.by_unit && self.has_unit(text))
    }

    /// Whether a statement names what is measured.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        words(text).any(|word| is_one_of(self.names, &text[word.range]))
    }

    /// The same by another word than the one that asks: "duration", where one asks how long.
    pub(super) fn is_labelled_in(&self, text: &str) -> bool {
        let names = |word: &str| is_one_of(self.names, word) && !is_one_of(self.asked, word);
        words(text).any(|word| names(&text[word.range]))
    }

    /// Whether a number stands near to what is measured: not in "250,000 a night with its long tongue".
    fn is_named_near(&self, text: &str) -> bool {
        let tokens: Vec<&str> = text.split_whitespace().map(bare).collect();
        let amounts: Vec<&str> = amounts(text).collect();
        let named = (0..tokens.len()).filter(|at| is_one_of(self.names, tokens[*at]));
        named.into_iter().any(|at| {
            let near = &tokens[at.saturating_sub(NEAR_BEFORE)..tokens.len().min(at + NEAR_BEHIND)];
            near.iter().any(|token| amounts.contains(token))
        })
    }

    /// Whether one of its units follows a number, right behind it or after one word.
    fn has_unit(&self, text: &str) -> bool {
        let is_unit = |word: &str| {
            let word = word.to_lowercase();
            let singular = word.strip_suffix('s').unwrap_or(&word);
            self.units.contains(&word.as_str()) || self.units.contains(&singular)
        };
        let tokens: Vec<&str> = text.split([' ', '\u{a0}', '(', ')', '-', '–']).map(bare).collect();
        tokens.iter().enumerate().any(|(at, token)| {
            let own = token.trim_start_matches(|char: char| {
                char.is_numeric() || [',', '.', '+'].contains(&char)
            });
            let behind = || tokens[at + 1..].iter().filter(|next| !next.is_empty()).take(2);
            // `USD 590`
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let is_coded = before.is_some_and(|word| word.len() == 3 && is_unit(word));
            is_amount(token)
                && (!own.is_empty() && is_unit(own) || is_coded || behind().any(|it| is_unit(it)))
        })
    }
}

/// A word without signs around it.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|char: char| !char.is_alphanumeric())
}

fn is_amount(word: &str) -> bool {
    word.starts_with(|char: char| char.is_numeric()) || is_one_of(&AMOUNTS, word)
}

/// Small words around a year: `in 1500`, `a 1949 film`, `1943 to 1963`.
const BEFORE_YEAR: [&str; 16] = [
    "a", "after", "and", "before", "between", "by", "during", "from", "in", "of", "or", "since",
    "the", "till", "to", "until",
];

/// Words before a `one` that counts nothing.
const BEFORE_ONE: [&str; 6] = ["each", "every", "that", "the", "this", "which"];

/// The numbers of a text that are no part of a day, a year or a version.
pub(super) fn amounts(text: &str) -> impl Iterator<Item = &str> {
    let whole: Vec<&str> = text.split_whitespace().collect();
    let tokens: Vec<&str> = whole.iter().map(|word| bare(word)).collect();
    let is_month = |word: &str| word.len() > 2 && is_one_of(&MONTHS, word);
    let is_amount = move |at: usize| {
        let token = tokens[at];
        let near = [at.checked_sub(1), Some(at + 1)];
        let near = near.into_iter().flatten().filter_map(|at| tokens.get(at));
        let is_of_day = token.len() <= 4 && near.clone().any(|word| is_month(word));
        let number = token.bytes().all(|byte| byte.is_ascii_digit()).then(|| token.parse().ok());
        // `1500 members`, which `in` does not stand before.
        let is_counted = || {
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let behind = tokens.get(at + 1).filter(|_| !whole[at].ends_with([',', ')', '.']));
            !before.is_none_or(|word| is_one_of(&BEFORE_YEAR, word))
                && behind.is_some_and(|word| {
                    word.starts_with(char::is_lowercase) && !is_one_of(&BEFORE_YEAR, word)
                })
        };
        let is_year =
            number.flatten().is_some_and(|year: u32| (1000..2100).contains(&year)) && !is_counted();
        let parts = token.split(['.', '-', '–', '/', ':']);
        let is_of_parts = parts.clone().count() > 2
            || token.contains(['-', '–', '/'])
                && parts.clone().all(|part| part.len() == 4 || part.len() == 2)
                && parts.clone().any(|part| part.len() == 4);
        let before = |by: usize, all: &[&str]| {
            at.checked_sub(by).is_some_and(|at| is_one_of(all, tokens[at]))
        };
        let is_one = token.eq_ignore_ascii_case("one");
        // `that one`, `a learned one`.
        let stands_for_it = is_one && (before(1, &BEFORE_ONE) || before(2, &ARTICLES));
        let is_other = is_of_day || is_year || is_of_parts || stands_for_it;
        (is_amount(token) && !is_other).then_some(token)
    };
    let count = text.split_whitespace().count();
    (0..count).filter_map(is_amount)
}

/// Years that a text names.
pub(super) fn years(text: &str) -> Vec<&str> {
    let is_year = |word: &&str| {
        word.len() == 4
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && (word.starts_with('1') || word.starts_with("20"))
    };
    text.split(|char: char| !char.is_alphanumeric()).filter(is_year).collect()
}

/// Words of which one says what the other does not.
const OPPOSITES: &[[&str; 2]] = &[
    ["biggest", "smallest"],
    ["female", "male"],
    ["first", "last"],
    ["highest", "lowest"],
    ["largest", "smallest"],
    ["longest", "shortest"],
    ["maximum", "minimum"],
    ["most", "least"],
    ["newest", "oldest"],
];

/// Whether a statement says the opposite of a word that is asked with, and not the word. `At least` and
/// `how long does it last` have no opposite.
pub(super) fn says_opposite(question: &str, text: &str) -> bool {
    let says = |text: &str, one: &str| {
        let all: Vec<&str> = words(text).map(|it| &text[it.range]).collect();
        all.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| all.get(at));
            word.eq_ignore_ascii_case(one)
                && !(one == "last" && at + 1 == all.len())
                && !before.is_some_and(|before| before.eq_ignore_ascii_case("at"))
        })
    };
    let is_against = |asked: &str, other: &str| {
        says(question, asked) && !says(question, other) && says(text, other) && !says(text, asked)
    };
    OPPOSITES.iter().any(|[one, other]| is_against(one, other) || is_against(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_of_what_is_measured() {
        for (question, statement, tells) in [
            ("How long is an otter pregnant?", "The gestation period is 60 to 64 days.", true),
            ("How long is an otter pregnant?", "The body weight is 7 to 12 kg.", false),
            ("How long is the film?", "Film – Runtime: 104 minutes", true),
            ("How long is the film?", "In 1999 it was voted the best.", false),
            ("How long may I keep it?", "It may be renewed two times.", false),
            ("How long does it live?", "It has a length of 13 inches.", false),
            ("How long does it live?", "It lives for up to 5 years.", true),
            ("How much money did it make?", "It made $2 million.", true),
            ("How much money did it make?", "It sold 2 boxes.", false),
            ("How long is it pregnant?", "It eats 250,000 a night with its long tongue.", false),
            ("How long has it been there?", "It has been there since 1906.", true),
            ("How wide is the ship?", "Ship – Beam: 37 ft 6 in (11.4 m)", true),
            ("How wide is the ship?", "Ship – Length: 377 ft", false),
            ("How wide is the ship?", "Ship – Launched: 5 May 1917", false),
            ("How fast is it?", "Speed: 36.5 knots", true),
            ("How fast is it?", "It makes 54km/h.", true),
            ("How fast is it?", "It runs at 100 kilometres per hour.", true),
            ("How much does it cost?", "It costs USD 590.", true),
            ("How much did the old bridge cost?", "It cost $2 million.", true),
            ("How heavy is it?", "It weighs 1500 kg.", true),
            ("How heavy is it?", "Packed weight: 1.71kg", true),
            ("How much does it weigh?", "Capacity: 2 people", false),
            ("How much does it weigh?", "Packed: 6 lbs. 8 oz.", true),
            ("How much does it cost?", "A seat is 20 euros a year.", true),
            ("How much does it cost?", "It is £590 in shops.", true),
            ("How much does it cost?", "Capacity: 4 people", false),
            ("What does a seat cost per month?", "A seat is 20 euros a year.", true),
            ("What does the seat cost?", "Capacity: 4 people", false),
            ("How old was he when he died?", "He died on January 19, 2000, aged 86.", true),
            ("How old was he when he died?", "He died in 2000.", false),
        ] {
            let measure = Measure::of(question).unwrap();
            assert_eq!(measure.is_told_by(statement), tells, "{question} {statement}");
        }
        for question in [
            "how do I do it",
            "how many are there",
            "what is long",
            "how much fits",
            "what does the cost model weigh",
            "what does a unit cost function map",
            "what does cost per page mean",
            "what does the cost in pages tell",
        ] {
            assert_eq!(Measure::of(question), None, "{question}");
        }
    }

    #[test]
    fn days_years_and_versions_are_no_amounts() {
        for (text, expected) in [
            ("It sank on 29 August 1782.", &[][..]),
            ("It served from 1943 to 1963, and 1948–57.", &[]),
            ("On August 17, 1911, at 2020-11-06.", &[]),
            ("Version 0.5.0 has two modes.", &["two"]),
            ("A crew of 259 (14 officers).", &["259", "14"]),
            ("It costs 1,200 or 2.5.", &["1,200", "2.5"]),
            ("The society has 1500 members.", &["1500"]),
            ("It is a 1949 film, of 1950 or so.", &[]),
            ("Capacity: 4-person", &["4-person"]),
            ("A note and a learned one meet the one.", &[]),
            ("Each has one user.", &["one"]),
        ] {
            assert_eq!(amounts(text).collect::<Vec<_>>(), expected, "{text}");
        }
        assert_eq!(years("in 1949 and 20495, v1999x, 2024-05"), ["1949", "2024"]);
    }

    #[test]
    fn an_opposite_answers_nothing() {
        for (question, statement, expected) in [
            ("When was the last one?", "The first one was in 1931.", true),
            ("When was the first one?", "The first one was in 1931.", false),
            ("When was the last one?", "The first and last one was in 1931.", false),
            ("When was one?", "The first one was in 1931.", false),
            ("How long does it last?", "It runs from the first day on.", false),
            ("Which do most speak?", "It is spoken by at least half.", false),
        ] {
            assert_eq!(says_opposite(question, statement), expected, "{question} {statement}");
        }
    }
}
