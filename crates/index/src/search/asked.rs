//! What the first words of a question ask for, and the English words by which that and what tells it are
//! known. Pure.

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
    /// `how much`, `how long`: a number.
    Amount,
    /// `what is the maximum`: a number in digits, or that there is none.
    Bound,
    /// `which command`, `what variable`: something to write.
    Code,
    /// `what is the default of`: what is said to be one.
    Default,
}

impl AsksFor {
    pub(super) fn of(question: &str) -> Option<Self> {
        let words = words(question).map(|word| question[word.range].to_lowercase());
        let mut words = words.skip_while(|word| is_one_of(&BEFORE_WHICH, word));
        match (words.next()?.as_str(), words.next().as_deref()) {
            ("who" | "whom" | "whose", _) => Some(Self::Person),
            ("where", _) => Some(Self::Place),
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
                bound.or_else(default).or(has(&CODE_ASKED, 2).then_some(Self::Code))
            }
            _ => None,
        }
    }
}

/// What a question may begin with before its `which`.
const BEFORE_WHICH: [&str; 6] = ["at", "by", "from", "in", "on", "since"];

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
pub(super) const LIGHT: [&str; 12] = [
    "use", "mean", "happen", "work", "need", "want", "cause", "get", "lie", "belong", "able", "try",
];

/// Words of a question that nobody misses in an answer.
pub(super) const QUIET: [&str; 30] = [
    "aboard", "about", "above", "after", "before", "below", "between", "else", "every", "get",
    "go", "itself", "keep", "like", "made", "make", "makes", "may", "must", "one", "only", "over",
    "set", "several", "something", "than", "through", "under", "when", "while",
];

/// Verbs that a question begins with behind `which` and its noun.
pub(super) const AUXILIARIES: [&str; 19] = [
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "must",
    "should", "was", "were", "will", "would", "operates", "uses",
];

/// Small words before a place.
pub(super) const PLACING: [&str; 20] = [
    "across", "along", "around", "at", "behind", "below", "beside", "between", "from", "in",
    "inside", "into", "near", "of", "off", "on", "outside", "through", "to", "under",
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

/// Whether a word stands for what was spoken of before.
pub(super) fn is_pronoun(word: &str) -> bool {
    ["it", "its", "they", "their", "this", "these", "he", "she"]
        .iter()
        .any(|pronoun| word.eq_ignore_ascii_case(pronoun))
}
