//! The statements of hits that may answer a question: whole sentences, items of lists and rows of
//! tables, how much of the question each speaks of, whether it says anything of what is asked about
//! its subject, and which say otherwise than another. Pure.
//!
//! What states nothing is never one: headings, code, diagrams, rules, badges, questions, and what
//! only introduces what follows it.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::{
    Hit, Query,
    passage::{Kind, sentences},
};
use elophanto_base::{
    contradicts::{contradicts, name_another},
    lexical::{Analyzer, Word, fold, words},
};
use elophanto_models::builtin::{Pieces, words_met};
use elophanto_text::markdown::on_one_line;

/// A longer sentence is none, in characters.
const MOST_CHARACTERS: usize = 600;
/// A shorter paragraph without a full stop is a title, in words.
const FEWEST_WORDS: usize = 5;
/// Two statements are of the same thing if they share this part of their words, numbers and
/// negations apart.
const SAME_SUBJECT: f32 = 0.7;
/// From this nearness of the words on, a statement says what is asked in other words: `price` for
/// `cost`.
const OTHER_WORDS: f32 = 0.5;

/// A sentence, an item or a row that states something.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Number of its hit.
    pub hit: usize,
    /// Its line in the file.
    pub line: usize,
    /// On one line, without the marks of lists and quotes.
    pub text: String,
    /// Share of what was asked that it says together with the headings above it, 0 to 1.
    pub with_headings: f32,
    /// How useful the search found it.
    pub value: f32,
    /// Whether it says anything of what is asked about its subject.
    pub tells: bool,
    is_row: bool,
    terms: BTreeSet<String>,
}

impl Statement {
    /// Whether it and another are of the same thing, and say otherwise of it. Rows of a table never
    /// are: what tells them apart is one cell.
    pub fn contradicts(&self, other: &Self) -> bool {
        if self.is_row || other.is_row {
            return false;
        }
        // What one passage says side by side are cases, not contradictions.
        if self.hit != other.hit && name_another(&self.text, &other.text) {
            return true;
        }
        let words = |statement: &Self| -> BTreeSet<String> {
            let is_word = |term: &&String| !term.contains(|char: char| char.is_numeric());
            statement.terms.iter().filter(is_word).cloned().collect()
        };
        let (own, others) = (words(self), words(other));
        let shared = own.intersection(&others).count();
        let all = own.union(&others).count();
        shared > 1
            && shared as f32 >= SAME_SUBJECT * all as f32
            && contradicts(&self.text, &other.text)
    }
}

/// What was asked: its words, each with its weight.
pub struct Question {
    terms: Vec<(String, f32)>,
    /// The same as they were typed, each with its term.
    words: Vec<(String, String)>,
    /// Numbers of several parts, such as versions and days: `0.8.0`, `2026-05-06`.
    numbers: Vec<String>,
    /// The term of the word that asks for a number: `how much`, `how long`, not `how to` or `how is`.
    measure: Option<String>,
    asks_for: Option<AsksFor>,
}

/// What a question's first word asks for, where a statement without it is no answer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum AsksFor {
    /// `who`: a name, where the statement does not say what was done in the question's own words.
    Person,
    /// `when did`: a time.
    Day,
    /// `when`: a time, or on what it depends.
    Time,
    /// `how many`: a number, of what is named.
    Count,
    /// `how much`, `how long`: a number.
    Amount,
}

impl Question {
    /// `weights` are those of the terms that occur anywhere; others weigh as much as the heaviest.
    pub fn new(text: &str, weights: &[(String, f32)], analyzer: &Analyzer) -> Self {
        let heaviest = weights.iter().map(|(_, weight)| *weight).fold(1.0, f32::max);
        let mut seen = FxHashSet::default();
        let mut terms = Query::plain(text, analyzer).terms;
        terms.retain(|term| seen.insert(term.clone()));
        let weigh = |term: String| {
            let known = weights.iter().find(|(known, _)| *known == term);
            let weight = known.map_or(heaviest, |(_, weight)| *weight);
            (term, weight)
        };
        let mut buffer = String::new();
        let mut typed = |word: Word| {
            fold(&text[word.range.clone()], &mut buffer);
            Some((text[word.range].to_owned(), analyzer.term(&buffer)?.into_owned()))
        };
        let measure = words(text).zip(words(text).skip(1)).find_map(|(how, next)| {
            let [how, next] = [how, next].map(|word| text[word.range].to_lowercase());
            let is_much = next == "much" || next == "many";
            let term = analyzer.term(&next).map(|term| term.into_owned());
            let term = term.filter(|term| terms.contains(term));
            let kind = if next == "many" { AsksFor::Count } else { AsksFor::Amount };
            let term = term.or_else(|| is_much.then_some(next)).filter(|_| how == "how")?;
            Some((term, kind))
        });
        let words = words(text).filter_map(&mut typed).collect();
        let bare = |word: &str| {
            let word = word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
            word.strip_prefix('v').map(str::to_owned).unwrap_or(word)
        };
        let is_of_parts = |word: &String| {
            let mut parts = word.split(['.', '-']);
            word.contains(['.', '-'])
                && parts.all(|part| part.starts_with(|char: char| char.is_ascii_digit()))
        };
        let numbers = text.split_whitespace().map(bare).filter(is_of_parts).collect();
        let (measure, kind) = measure.unzip();
        let asks_for = AsksFor::of(text).or(kind);
        Self { terms: terms.into_iter().map(weigh).collect(), words, numbers, measure, asks_for }
    }

    /// Share of it that a statement says together with the headings above it and its file's name.
    pub fn said_by(&self, text: &str, hit: &Hit, analyzer: &Analyzer) -> f32 {
        let terms: FxHashSet<String> = analyzer.terms(&with_place(text, hit)).into_iter().collect();
        self.share(|term| terms.contains(term))
    }

    /// Its words, as typed, that a statement does not say, nor the headings above it. What asks for a
    /// number need not be said, and a part of a number is none of its own.
    pub fn unsaid<'q>(&'q self, text: &str, hit: &Hit, analyzer: &Analyzer) -> Vec<&'q str> {
        let said = with_place(text, hit);
        let terms: FxHashSet<String> = analyzer.terms(&said).into_iter().collect();
        let is_part = |term: &str| {
            self.numbers.iter().any(|number| number.split(['.', '-']).any(|part| part == term))
        };
        let unsaid = self.terms.iter().filter(|(term, _)| {
            !terms.contains(term) && self.measure.as_ref() != Some(term) && !is_part(term)
        });
        let typed = |term: &str| self.words.iter().find(|(_, known)| known == term);
        let words = unsaid.filter_map(|(term, _)| typed(term).map(|(word, _)| word.as_str()));
        let numbers = self.numbers.iter().filter(|number| !holds_number(&said, number));
        words.chain(numbers.map(String::as_str)).collect()
    }

    /// Whether a statement says anything of what is asked about its subject, in these or in other
    /// words, or by a number where one asks how much. The subject is what the headings above it speak
    /// of, and what is written as a name: that they stand there tells that it is about the right
    /// thing, and nothing of what it `costs`. What names others only is not about what has a name.
    fn is_told_by(&self, text: &str, named: &Named, analyzer: &Analyzer) -> bool {
        let said: FxHashSet<String> = analyzer.terms(text).into_iter().collect();
        let (mut names, mut asked) = (Vec::new(), Vec::new());
        for (number, (word, term)) in self.words.iter().enumerate() {
            let is_of_question = self.terms.iter().any(|(known, _)| known == term);
            let is_typed_as_name =
                named.by_capitals && number > 0 && word.starts_with(char::is_uppercase);
            if !is_of_question || named.above.contains(term) {
                continue;
            }
            if is_typed_as_name || named.names.contains(term) {
                names.push(term);
            } else if self.measure.as_ref() != Some(term)
                && !word.contains(|char: char| char.is_numeric())
            {
                asked.push((word.as_str(), term));
            }
        }
        let speaks_of_it = || first_word(text).is_some_and(is_pronoun);
        let is_of_others = !names.is_empty()
            && !speaks_of_it()
            && !names.iter().any(|name| said.contains(*name))
            && said.iter().any(|term| named.names.contains(term));
        let in_other_words = || {
            let asked: Vec<&str> = asked.iter().map(|(word, _)| *word).collect();
            let met = words_met(&asked.join(" "), vec![Pieces::of(text)]).unwrap_or_default();
            met.first().is_some_and(|met| *met >= OTHER_WORDS)
        };
        let is_said = asked.iter().any(|(_, term)| said.contains(*term));
        let is_of_its_kind = match self.asks_for {
            Some(AsksFor::Person) => {
                let deed = asked.first().is_some_and(|(_, term)| said.contains(*term));
                deed || holds_name(text, &self.words)
            }
            Some(AsksFor::Day) => words(text).any(|word| is_of_time(&text[word.range])),
            Some(AsksFor::Time) => words(text).map(|word| &text[word.range]).any(|word| {
                let is_asked = self.words.iter().any(|(asked, _)| asked.eq_ignore_ascii_case(word));
                is_of_time(word) || is_one_of(&CONDITIONS, word) && !is_asked
            }),
            Some(AsksFor::Count | AsksFor::Amount) => {
                words(text).any(|word| is_amount(&text[word.range]))
            }
            None => true,
        };
        // An amount need not be named again: "20 euros" is what something costs.
        let is_an_amount = self.asks_for == Some(AsksFor::Amount);
        !is_of_others
            && is_of_its_kind
            && (asked.is_empty() || is_an_amount || is_said || in_other_words())
    }

    /// Share of its weight that these terms hold.
    fn share(&self, held: impl Fn(&str) -> bool) -> f32 {
        let all: f32 = self.terms.iter().map(|(_, weight)| weight).sum();
        let said: f32 =
            self.terms.iter().filter(|(term, _)| held(term)).map(|(_, weight)| weight).sum();
        if all > 0.0 { said / all } else { 0.0 }
    }

    /// Share of its weight that a hit holds in its text and headings.
    pub fn covered_by(&self, hit: &Hit, analyzer: &Analyzer) -> f32 {
        let mut terms = headings(hit, analyzer);
        terms.extend(analyzer.terms(&hit.text));
        self.share(|term| terms.contains(term))
    }

    /// Whether all of its words with a number in them are there: `v3` is not `v2`, and `0.8.0` is
    /// not `0`, `8` and `0`.
    pub fn keeps_numbers(&self, hit: &Hit, analyzer: &Analyzer) -> bool {
        let said = format!("{}\n{}", all_headings(hit), hit.text);
        let terms: FxHashSet<String> = analyzer.terms(&said).into_iter().collect();
        let mut numbers =
            self.terms.iter().filter(|(term, _)| term.contains(|char: char| char.is_numeric()));
        numbers.all(|(term, _)| terms.contains(term))
            && self.numbers.iter().all(|number| holds_number(&said, number))
    }
}

/// Whether a text holds a number of several parts, and not as part of a longer one.
fn holds_number(text: &str, number: &str) -> bool {
    let text = text.to_lowercase();
    let is_digit = |char: char| char.is_ascii_digit();
    text.match_indices(number).any(|(at, _)| {
        let before = text[..at].trim_end_matches('v');
        let after = &text[at + number.len()..];
        let goes_on = after.strip_prefix(['.', '-']).unwrap_or(after).starts_with(is_digit);
        !before.ends_with(['.', '-']) && !before.ends_with(is_digit) && !goes_on
    })
}

/// All statements of hits, in the order of the hits and of their texts.
pub fn statements(question: &Question, hits: &[&Hit], analyzer: &Analyzer) -> Vec<Statement> {
    let mut found = Vec::new();
    for (number, hit) in hits.iter().enumerate() {
        let (headings, named) = (headings(hit, analyzer), Named::of(hit, analyzer));
        let mut header: Vec<&str> = hit.breadcrumb.last().map_or_else(Vec::new, |last| cells(last));
        let kinds = sentences(&hit.text, hit.fence.as_deref());
        for (sentence, (range, value)) in kinds.iter().zip(&hit.sentences) {
            let raw = &hit.text[range.clone()];
            if sentence.kind == Kind::Heading && raw.contains('|') {
                header = cells(raw);
            }
            let Some(text) = stated(raw, sentence.kind, &header, hit) else { continue };
            let terms: BTreeSet<String> = analyzer.terms(&text).into_iter().collect();
            found.push(Statement {
                hit: number,
                line: if hit.source.is_some() { hit.line } else { hit.line_at(range.start) },
                with_headings: question
                    .share(|term| terms.contains(term) || headings.contains(term)),
                value: *value,
                tells: question.is_told_by(&text, &named, analyzer),
                is_row: sentence.kind == Kind::Row,
                text,
                terms,
            });
        }
    }
    found
}

/// What the statements of a hit may be about.
struct Named {
    /// Terms of the headings above them, and of the file's name.
    above: FxHashSet<String>,
    /// Terms that the hit writes as names: with a capital wherever they stand, and not only where any
    /// word has one.
    names: FxHashSet<String>,
    /// Whether a capital tells a name, as it does not where all nouns have one.
    by_capitals: bool,
}

impl Named {
    fn of(hit: &Hit, analyzer: &Analyzer) -> Self {
        let (mut names, mut others) = (FxHashSet::default(), FxHashSet::default());
        let above = analyzer.terms(&with_place("", hit)).into_iter().collect();
        let by_capitals = !analyzer.capitalises_nouns();
        if !by_capitals {
            return Self { above, names, by_capitals };
        }
        let text = &hit.text;
        let mut buffer = String::new();
        for word in words(text) {
            fold(&text[word.range.clone()], &mut buffer);
            let Some(term) = analyzer.term(&buffer) else { continue };
            let before = text[..word.range.start].trim_end_matches([' ', '*', '_', '`', '(', '"']);
            if !text[word.range].starts_with(char::is_uppercase) {
                others.insert(term.into_owned());
            } else if before.ends_with(|char: char| char.is_alphanumeric() || char == ',') {
                names.insert(term.into_owned());
            }
        }
        names.retain(|name| !others.contains(name));
        Self { above, names, by_capitals }
    }
}

impl AsksFor {
    fn of(question: &str) -> Option<Self> {
        let mut words = words(question).map(|word| question[word.range].to_lowercase());
        match (words.next()?.as_str(), words.next().as_deref()) {
            ("who" | "whom" | "whose", _) => Some(Self::Person),
            ("when", Some("was" | "were" | "did")) => Some(Self::Day),
            ("when", _) => Some(Self::Time),
            _ => None,
        }
    }
}

fn first_word(text: &str) -> Option<&str> {
    words(text).next().map(|word| &text[word.range])
}

/// Whether a statement names somebody: a capital within it, that none of the question's words has,
/// or the sign of an account or an address.
fn holds_name(text: &str, asked: &[(String, String)]) -> bool {
    let is_new = |word: &str| !asked.iter().any(|(known, _)| known.eq_ignore_ascii_case(word));
    let names = words(text).skip(1).map(|word| &text[word.range]);
    text.contains('@')
        || names.filter(|word| is_new(word)).any(|word| word.starts_with(char::is_uppercase))
}

/// Numbers in words, and what stands in place of one.
const AMOUNTS: [&str; 25] = [
    "dozen",
    "dozens",
    "eight",
    "eleven",
    "five",
    "four",
    "hundred",
    "hundreds",
    "million",
    "millions",
    "nine",
    "no",
    "none",
    "one",
    "seven",
    "single",
    "six",
    "ten",
    "thousand",
    "thousands",
    "three",
    "twelve",
    "twenty",
    "two",
    "unlimited",
];
/// Words of a day, a span or a date.
const TIMES: [&str; 34] = [
    "ago",
    "anniversary",
    "april",
    "august",
    "daily",
    "day",
    "days",
    "december",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "march",
    "may",
    "monday",
    "month",
    "monthly",
    "months",
    "november",
    "october",
    "saturday",
    "september",
    "since",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
    "week",
    "weekly",
    "weeks",
    "year",
    "years",
    "yesterday",
];
/// Words that begin what something waits for.
const CONDITIONS: [&str; 17] = [
    "after",
    "before",
    "during",
    "each",
    "every",
    "if",
    "immediately",
    "next",
    "only",
    "soon",
    "till",
    "tomorrow",
    "unless",
    "until",
    "upon",
    "when",
    "whenever",
];

fn is_one_of(all: &[&str], word: &str) -> bool {
    all.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Whether a word is an amount.
fn is_amount(word: &str) -> bool {
    word.starts_with(|char: char| char.is_numeric()) || is_one_of(&AMOUNTS, word)
}

/// Whether a word tells a time: a year, a month, a day, how long ago.
fn is_of_time(word: &str) -> bool {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    // In small letters the two are a verb and a gait.
    is_year || is_one_of(&TIMES, word) && word != "may" && word != "march"
}

/// Whether a word stands for what was spoken of before.
fn is_pronoun(word: &str) -> bool {
    ["it", "its", "they", "their", "this", "these", "he", "she"]
        .iter()
        .any(|pronoun| word.eq_ignore_ascii_case(pronoun))
}

/// A statement with what stands above it.
fn with_place(text: &str, hit: &Hit) -> String {
    format!("{}\n{}\n{text}", hit.path.to_text(), all_headings(hit))
}

fn all_headings(hit: &Hit) -> String {
    format!("{} {}", hit.title, hit.breadcrumb.join(" "))
}

fn headings(hit: &Hit, analyzer: &Analyzer) -> FxHashSet<String> {
    analyzer.terms(&all_headings(hit)).into_iter().collect()
}

/// A sentence as it is quoted; `None` if it states nothing.
fn stated(raw: &str, kind: Kind, header: &[&str], hit: &Hit) -> Option<String> {
    let text = match kind {
        Kind::Heading | Kind::Code => return None,
        Kind::Row => row(raw, header)?,
        Kind::Prose | Kind::Item => {
            let lines = raw.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']));
            let joined = lines.collect::<Vec<_>>().join(" ");
            let plain = on_one_line(without_mark(&joined), usize::MAX, |_| true);
            plain.trim().to_owned()
        }
    };
    let bare = text.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    let is_title = std::iter::once(&hit.title)
        .chain(&hit.breadcrumb)
        .any(|title| title.to_lowercase() == bare);
    let fits = text.chars().count() <= MOST_CHARACTERS;
    let states = kind == Kind::Row || says_something(&text);
    (fits && states && !is_title && is_language(&text)).then_some(text)
}

/// Without the mark of a list's item and of a task.
fn without_mark(text: &str) -> &str {
    let text = text.trim_start();
    let numbered = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark));
    let step = || {
        let step = [". ", ") "].iter().find_map(|mark| numbered.strip_prefix(mark));
        step.filter(|_| numbered.len() < text.len())
    };
    let item = item.or_else(step).unwrap_or(text).trim_start();
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| item.strip_prefix(mark)).unwrap_or(item)
}

/// A row with the names of its columns before the cells: `Setting: limit; Default: 10`.
fn row(raw: &str, header: &[&str]) -> Option<String> {
    let cells = cells(raw);
    let said: Vec<String> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.contains(char::is_alphanumeric))
        .map(|(column, cell)| match header.get(column).filter(|_| header.len() == cells.len()) {
            Some(name) if name.contains(char::is_alphanumeric) => format!("{name}: {cell}"),
            _ => (*cell).to_owned(),
        })
        .collect();
    (said.len() > 1).then(|| said.join("; "))
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let (mut start, mut escaped, mut code) = (0, false, false);
    for (at, char) in row.char_indices() {
        match char {
            '`' => code = !code,
            '|' if !escaped && !code => {
                cells.push(row[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = char == '\\' && !escaped;
    }
    cells.push(row[start..].trim());
    cells
}

/// Whether a sentence or item is more than a title, a question, or the announcement of what follows.
fn says_something(text: &str) -> bool {
    let bare = text.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '»', '”', '’', ' ']);
    if bare.ends_with([':', '?', '：', '？']) {
        return false;
    }
    let ends = bare.ends_with(['.', '!', '…', '。', '！', ';']);
    let outside = without_links(text);
    let count = |text: &str| {
        let spaced = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        // Scripts without spaces: two characters for a word.
        let wide = text.chars().filter(|char| u32::from(*char) >= 0x2E80).count() / 2;
        spaced.count().max(wide)
    };
    let is_bold = text.starts_with("**") && text.ends_with("**");
    count(text) >= if ends { 2 } else { FEWEST_WORDS } && count(&outside) > 1 && (ends || !is_bold)
}

/// A text without its links' words and targets.
fn without_links(text: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find("](").map(|at| open + at) else { break };
        let Some(end) = rest[close..].find(')').map(|at| close + at) else { break };
        outside.push_str(&rest[..open]);
        rest = &rest[end + 1..];
    }
    outside + rest
}

/// Whether it is made of words rather than of marks.
fn is_language(text: &str) -> bool {
    let shown = text.chars().filter(|char| !char.is_whitespace()).count();
    let letters = text.chars().filter(|char| char.is_alphanumeric()).count();
    let is_drawn = |char: char| ('\u{2500}'..='\u{25FF}').contains(&char);
    letters * 2 > shown && !text.contains(is_drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_states_nothing_is_not_quoted() {
        for (text, expected) in [
            ("The cache is kept for a day.", true),
            ("It is.", true),
            ("Installation guide", false),
            ("**A title in bold that is rather long**", false),
            ("**Note.**", false),
            ("Run the following command to do it:", false),
            ("What does it cost?", false),
            ("[Install the program on your machine](install.md)", false),
            ("[Install](install.md) it on your machine first", true),
            ("Retries five times, then gives up", true),
            ("缓存保留一天。", true),
            ("缓存", false),
        ] {
            assert_eq!(says_something(text), expected, "{text}");
        }
        for (text, expected) in [
            ("a --> b --> c --> d", false),
            ("┌── box ──┐", false),
            ("+-----+-----+ a +----+", false),
            ("Pass `--no-verify` to it.", true),
        ] {
            assert_eq!(is_language(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_of_several_parts_are_one_thing() {
        for (text, number, expected) in [
            ("Released 0.8.0 today", "0.8.0", true),
            ("Released v0.8.0.", "0.8.0", true),
            ("0.8.0", "0.8.0", true),
            ("0.8, and 0", "0.8.0", false),
            ("10.8.0", "0.8.0", false),
            ("1.0.8.0", "0.8.0", false),
            ("0.8.01", "0.8.0", false),
            ("0.8.0.1", "0.8.0", false),
            ("0.8.0-rc", "0.8.0", true),
            ("on 2026-05-06, late", "2026-05-06", true),
            ("on 2026-05-16", "2026-05-06", false),
        ] {
            assert_eq!(holds_number(text, number), expected, "{text} {number}");
        }
        let analyzer = Analyzer::new("english");
        let numbers = |text: &str| Question::new(text, &[], &analyzer).numbers;
        assert_eq!(numbers("when was v0.8.0 released, on 2026-05-06?"), ["0.8.0", "2026-05-06"]);
        assert_eq!(numbers("what is x86-64 on 3 of e.g. co-op 5?"), [""; 0]);
    }

    #[test]
    fn what_is_asked_for_is_in_what_answers() {
        for (question, statement, tells) in [
            ("how many users does it have", "It says how many files are missing.", false),
            ("how many users does it have", "The sea has 16 otters.", false),
            ("how many users does it have", "It has thousands of users.", true),
            ("how much does it cost", "A seat is 20 euros a year.", true),
            ("how old is the program", "The program has a long history.", false),
            ("who maintains the program", "The program makes notes searchable.", false),
            ("who maintains the program", "Only users with a key maintain it.", true),
            ("who wrote the program", "The author of the program is Ada Lovelace.", true),
            ("who wrote the program", "The author of the program is unknown.", false),
            ("when was the program founded", "A command leaves it as it found it.", false),
            ("when was the program founded", "Founded in May, it grew.", true),
            ("when does the program run", "The program runs after each merge.", true),
        ] {
            let analyzer = Analyzer::new("english");
            let question = Question::new(question, &[], &analyzer);
            let named = Named {
                above: ["program".to_owned()].into_iter().collect(),
                names: FxHashSet::default(),
                by_capitals: true,
            };
            assert_eq!(question.is_told_by(statement, &named, &analyzer), tells, "{statement}");
        }
    }

    #[test]
    fn rows_name_their_columns() {
        let header = cells("| Setting | Default | |");
        assert_eq!(header, ["Setting", "Default", ""]);
        for (raw, expected) in [
            ("| `limit` | 10 | a |", Some("Setting: `limit`; Default: 10; a")),
            ("`limit` | 10 | a \\| b", Some("Setting: `limit`; Default: 10; a \\| b")),
            ("| `a|b` | 10 | |", Some("Setting: `a|b`; Default: 10")),
            ("| a | b |", Some("a; b")),
            ("| a | - | |", None),
        ] {
            assert_eq!(row(raw, &header).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn the_same_thing_said_otherwise_is_a_contradiction() {
        let analyzer = Analyzer::new("english");
        let statement = |hit: usize, text: &str| Statement {
            hit,
            line: 1,
            with_headings: 0.0,
            value: 0.0,
            tells: true,
            is_row: text.contains("; "),
            terms: analyzer.terms(text).into_iter().collect(),
            text: text.to_owned(),
        };
        for (a, b, expected) in [
            ("Retries are capped at 5.", "Retries are capped at 3.", true),
            ("The cache is used for reads.", "The cache is not used for reads.", true),
            (
                "Version 2 was released on 2026-01-02.",
                "Version 2 was released on 2026-02-03.",
                true,
            ),
            ("Retries are capped at 5.", "Retries are capped at 5 in all.", false),
            ("Retries are capped at 5.", "Sessions end after 3 hours of silence.", false),
            ("Costs 5.", "Costs 3.", false),
            ("The office is in Madrid.", "The office is in Lisbon.", true),
            (
                "Name: heron; Default: 5; Type: number; Reload: needed",
                "Name: crane; Default: 3; Type: number; Reload: needed",
                false,
            ),
        ] {
            assert_eq!(statement(0, a).contradicts(&statement(1, b)), expected, "{a} {b}");
        }
    }
}
