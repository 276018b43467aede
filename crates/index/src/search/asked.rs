//! What the first words of a question ask for, and the English words by which that and what tells it are
//! known. Pure.

use super::measures::asks_the_cost;
use elophanto_base::lexical::words;

/// What a question's first word asks for, where a statement without it is no answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AsksFor {
    /// `who`: a name, where the statement does not say what was done in the question's own words.
    Person,
    /// `when did`: a time.
    Day,
    /// `when`: a time, or on what it depends.
    Time,
    /// `where`: a place.
    Place,
    /// `how many`: a number, of what is named.
    Count,
    /// `how much`, `how long`, `what does it cost`: a number.
    Amount,
    /// `what is the maximum`: a number in digits, or that there is none.
    Bound,
    /// `which command`, `what variable`: something to write.
    Code,
    /// `what is the default of`: what is said to be one.
    Default,
    /// `which version`: a number of one.
    Version,
    /// `which license`: the name or the terms of one.
    Licence,
}

impl AsksFor {
    pub(super) fn of(question: &str) -> Option<Self> {
        let words = words(question).map(|word| question[word.range].to_lowercase());
        let mut words = words.skip_while(|word| is_one_of(&BEFORE_WHICH, word));
        match (words.next()?.as_str(), words.next().as_deref()) {
            ("who" | "whom" | "whose", _) => Some(Self::Person),
            ("where", _) => Some(Self::Place),
            ("what", _) if asks_the_cost(question) => Some(Self::Amount),
            ("when", Some("was" | "were" | "did")) => Some(Self::Day),
            ("when", _) => Some(Self::Time),
            // Not `what date format`.
            ("what" | "which", Some("date" | "day" | "month" | "year"))
                if words.next().is_none_or(|word| is_one_of(&AUXILIARIES, &word)) =>
            {
                Some(Self::Day)
            }
            ("what" | "which", next) => {
                let few: Vec<String> =
                    next.map(str::to_owned).into_iter().chain(words.take(3)).collect();
                let has = |all: &[&str], most: usize| {
                    few.iter().take(most).any(|word| is_one_of(all, word))
                };
                let bound = has(&BOUNDS_ASKED, 4).then_some(Self::Bound);
                let default = || has(&["default"], 4).then_some(Self::Default);
                let version = || has(&["version"], 3).then_some(Self::Version);
                let licence = || has(&["licence", "license"], 3).then_some(Self::Licence);
                let code = has(&CODE_ASKED, 2).then_some(Self::Code);
                bound.or_else(default).or_else(version).or_else(licence).or(code)
            }
            _ => None,
        }
    }
}

/// What a question may begin with before its `which`.
const BEFORE_WHICH: [&str; 7] = ["at", "by", "from", "in", "on", "since", "under"];

/// Words of the terms under which something may be used.
pub(super) const LICENCES: [&str; 15] = [
    "agpl", "apache", "bsd", "cc0", "copyright", "domain", "gpl", "isc", "lgpl", "licence",
    "licensed", "license", "licenses", "mit", "mpl",
];

/// Words before what was done that name nobody who did it.
pub(super) const PASSIVE: [&str; 7] = ["are", "be", "been", "being", "is", "was", "were"];
pub(super) const NOBODY: [&str; 12] = [
    "can", "cannot", "could", "it", "may", "must", "not", "should", "something", "that", "to",
    "will",
];

/// Words between what is counted and its number: `the number of nodes is 12`.
pub(super) const HOLDERS: [&str; 8] = ["are", "at", "be", "count", "is", "number", "was", "were"];

/// Numbers in words, and what stands in place of one.
pub(super) const AMOUNTS: [&str; 39] = [
    "dozen", "dozens", "eight", "eighteen", "eighty", "eleven", "fifteen", "fifty", "five",
    "forty", "four", "fourteen", "hundred", "hundreds", "million", "millions", "nine", "nineteen",
    "ninety", "no", "none", "one", "seven", "seventeen", "seventy", "single", "six", "sixteen",
    "sixty", "ten", "thirteen", "thirty", "thousand", "thousands", "three", "twelve", "twenty",
    "two", "unlimited",
];

/// Words that say that there is no bound.
pub(super) const BOUNDLESS: [&str; 4] = ["infinite", "none", "unbounded", "unlimited"];

/// Words of what is a number.
pub(super) const BOUNDS_ASKED: [&str; 7] =
    ["largest", "longest", "max", "maximum", "min", "minimum", "smallest"];

/// Words of what one writes.
pub(super) const CODE_ASKED: [&str; 8] =
    ["argument", "command", "flag", "header", "option", "parameter", "setting", "variable"];

/// Words of a day, a span or a date.
pub(super) const TIMES: [&str; 34] = [
    "ago", "anniversary", "april", "august", "daily", "day", "days", "december", "february",
    "friday", "january", "july", "june", "march", "may", "monday", "month", "monthly", "months",
    "november", "october", "saturday", "september", "since", "sunday", "thursday", "tuesday",
    "wednesday", "week", "weekly", "weeks", "year", "years", "yesterday",
];

/// Words that begin what something waits for.
pub(super) const CONDITIONS: [&str; 17] = [
    "after", "before", "during", "each", "every", "if", "immediately", "next", "only", "soon",
    "till", "tomorrow", "unless", "until", "upon", "when", "whenever",
];

/// Verbs of questions that answers do not take up: what something `is used for`, what `happens`.
pub(super) const LIGHT: [&str; 14] = [
    "use", "mean", "happen", "work", "need", "want", "cause", "get", "lie", "belong", "able",
    "try", "see", "turn",
];

/// Words of a question that nobody misses in an answer.
pub(super) const QUIET: [&str; 38] = [
    "aboard", "about", "above", "after", "as", "before", "below", "between", "else", "every",
    "get", "go", "her", "his", "its", "itself", "just", "keep", "like", "made", "make", "makes",
    "may", "must", "one", "only", "over", "set", "several", "so", "something", "than", "their",
    "through", "under", "up", "when", "while",
];

/// Verbs that a question begins with behind `which` and its noun.
pub(super) const AUXILIARIES: [&str; 19] = [
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "must",
    "should", "was", "were", "will", "would", "operates", "uses",
];

/// Small words before a place.
pub(super) const PLACING: [&str; 19] = [
    "across", "along", "around", "at", "behind", "below", "beside", "between", "from", "in",
    "inside", "into", "near", "off", "on", "outside", "through", "to", "under",
];

/// Words behind a place that are no part of it.
pub(super) const BESIDE_PLACES: [&str; 10] =
    ["and", "as", "by", "for", "that", "when", "where", "which", "who", "with"];

/// Those of them behind which a name is no person's.
pub(super) const PLACED: [&str; 7] = ["across", "at", "in", "inside", "near", "on", "towards"];

/// Words behind such a one that are no place: `at the age of`, `in order to`, `in a while`.
pub(super) const NO_PLACES: [&str; 16] = [
    "addition", "age", "all", "any", "case", "fact", "first", "general", "last", "least", "moment",
    "most", "once", "order", "time", "while",
];

/// Letters that a name or an abbreviation has at least.
pub(super) const LEAST_NAME: usize = 3;

/// Words of whoever made a beginning.
pub(super) const FOUNDING: [&str; 5] = ["founded", "founder", "founders", "founding", "founds"];

/// Words before a thing.
pub(super) const ARTICLES: [&str; 6] = ["a", "an", "my", "our", "the", "your"];

pub(super) fn is_one_of(all: &[&str], word: &str) -> bool {
    all.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Whether a word tells a time: a year, a month, a day, how long ago.
pub(super) fn is_of_time(word: &str) -> bool {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    // In small letters the two are a verb and a gait.
    is_year || is_one_of(&TIMES, word) && word != "may" && word != "march"
}

/// Whether a word is an hour of a day: `7:46`.
pub(super) fn is_clock(word: &str) -> bool {
    let is_number = |part: &str| {
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    word.split_once(':').is_some_and(|(hour, minute)| is_number(hour) && is_number(minute))
}

/// Whether a word stands for what was spoken of before.
pub(super) fn is_pronoun(word: &str) -> bool {
    ["it", "its", "they", "their", "this", "these", "he", "she"]
        .iter()
        .any(|pronoun| word.eq_ignore_ascii_case(pronoun))
}
