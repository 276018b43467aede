//! A sentence as a claim: what it is about, and what must stand in another one that says the same.

use std::collections::HashSet;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::extract::words;
use crate::words::{Words, list};
use elophanto_base::lexical::{Analyzer, MONTHS};

/// Verbs that say the same, a group a line, as they are written: `found` is none of `founded`.
static ALIKE: LazyLock<FxHashMap<&'static str, String>> = LazyLock::new(|| {
    let file = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/words/alike_verbs.txt"));
    let groups = file.lines().filter(|line| !line.starts_with('#'));
    let group = |line: &'static str| {
        let key = format!("={}", line.split_whitespace().next().unwrap_or_default());
        line.split_whitespace().map(move |word| (word, key.clone()))
    };
    groups.flat_map(group).collect()
});

/// What limits a claim: `may`, `if`, `planned`.
static LIMITS: Words = list!(words "claim_limits");
/// What compares or orders: `more`, `before`, `only`. Another one says something else.
static RELATIONS: Words = list!(words "claim_relations");

/// A word of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) lower: String,
    /// What it is looked up by: stems, `#` and a number, `!` for a negation.
    pub(super) keys: Vec<String>,
    capital: bool,
    /// Whether punctuation follows.
    ends: bool,
}

impl Word {
    /// Whether a sentence that begins with this word is about what is called so: `Twitch has`, not
    /// `Founded in` nor `Price: $5`.
    pub(super) fn begins_with_a_name(&self) -> bool {
        is_name(self, 0)
            && !self.ends
            && !words::looks_past(&self.lower)
            && !words::is_participle(&self.lower)
            && !words::is_lead(&self.lower)
    }

    fn number(&self) -> bool {
        self.keys.iter().any(|key| key.starts_with('#'))
    }

    fn negates(&self) -> bool {
        self.keys.iter().any(|key| key == "!")
    }

    /// Its stems, of a word that says something.
    fn terms(&self) -> impl Iterator<Item = &String> {
        self.keys.iter().filter(|key| !key.starts_with(['#', '!']))
    }
}

/// The words of a sentence.
pub(super) fn words(sentence: &str, analyzer: &Analyzer) -> Vec<Word> {
    let word = |raw: &str| {
        let bare = raw.trim_matches(|char: char| !char.is_alphanumeric());
        let capital = bare.chars().any(char::is_uppercase);
        let ends = raw.ends_with([',', ';', ':', '.', '!', '?', ')']);
        let lower = bare.replace('’', "'").to_lowercase();
        Word { lower, keys: keys(raw, analyzer), capital, ends }
    };
    sentence.split_whitespace().map(word).collect()
}

/// Whether a word points at something named before.
pub(super) fn is_reference(lower: &str) -> bool {
    words::is_pronoun(lower) || lower == "the"
}

/// A sentence to be borne out.
pub(super) struct Claim {
    words: Vec<Word>,
    /// Keys of the names of what it is about.
    own: HashSet<String>,
    /// Numbers and names: all must be there.
    strict: Vec<String>,
    /// Other words, and whether each is a verb.
    free: Vec<(String, bool)>,
}

impl Claim {
    /// The claim that a sentence makes about something; `None` if it says nothing of it.
    pub(super) fn new(sentence: &str, names: &[&str], analyzer: &Analyzer) -> Option<Self> {
        let own: HashSet<String> = names
            .iter()
            .flat_map(|name| name.split_whitespace())
            .flat_map(|word| keys(word, analyzer))
            .collect();
        let words = words(sentence, analyzer);
        let (mut strict, mut free): (Vec<String>, Vec<(String, bool)>) = Default::default();
        for (at, word) in words.iter().enumerate() {
            let is_name = is_name(word, at);
            let verb = !is_name
                && words::is_finite(&word.lower, false)
                && !words::is_auxiliary(&word.lower);
            for key in word.keys.iter().filter(|key| !own.contains(*key) && *key != "!") {
                if is_name || key.starts_with('#') {
                    strict.push(key.clone());
                } else if !free.iter().any(|(known, _)| known == key) {
                    free.push((key.clone(), verb));
                }
            }
        }
        let says = !free.is_empty() || strict.iter().any(|key| !key.starts_with('#'));
        says.then_some(Self { words, own, strict, free })
    }

    /// What the sentence is looked up by.
    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.strict.iter().chain(self.free.iter().map(|(key, _)| key))
    }

    /// Whether a sentence of a document says it.
    pub(super) fn is_said_by(&self, said: &[Word]) -> bool {
        self.holds_words(said)
            && same(&self.words, said, &LIMITS)
            && self.compares_alike(said)
            && self.negates_alike(said)
            && self.numbers_alike(said)
            && self.acts_alike(said)
            && self.has_objects(said)
    }

    fn holds_words(&self, said: &[Word]) -> bool {
        let held: HashSet<&str> =
            said.iter().flat_map(|word| &word.keys).map(String::as_str).collect();
        if !self.strict.iter().all(|key| held.contains(key.as_str())) {
            return false;
        }
        let missing: Vec<bool> = self
            .free
            .iter()
            .filter(|(key, _)| !held.contains(key.as_str()))
            .map(|(key, verb)| *verb || key.ends_with("est"))
            .collect();
        let spare = match self.free.len() {
            0..=2 => 0,
            3..=9 => 1,
            _ => 2,
        };
        missing.len() <= spare && !missing.contains(&true)
    }

    /// `more`, `before`, `only`: each that the claim has stands in the sentence too.
    fn compares_alike(&self, said: &[Word]) -> bool {
        self.words
            .iter()
            .filter(|word| RELATIONS.contains(word.lower.as_str()))
            .all(|word| said.iter().any(|other| other.lower == word.lower))
    }

    /// What one of the two denies and the other says is not the same.
    fn negates_alike(&self, said: &[Word]) -> bool {
        let (mine, theirs) = (negated(&self.words), negated(said));
        let says = |key: &&&String| self.words.iter().any(|word| word.keys.contains(**key));
        mine.iter().all(|key| theirs.contains(key))
            && !theirs.iter().filter(says).any(|key| !mine.contains(key))
    }

    /// A number belongs to the words before it, up to the number before.
    fn numbers_alike(&self, said: &[Word]) -> bool {
        let halves = halves(said);
        (0..self.words.len()).filter(|at| self.words[*at].number()).all(|at| {
            let around = self.around(&self.words, at);
            let unit = unit(&self.words, at);
            (0..said.len()).any(|place| {
                let same = self.words[at]
                    .keys
                    .iter()
                    .any(|key| key.starts_with('#') && said[place].keys.contains(key));
                let near = |unit: &String| {
                    said.iter().skip(place + 1).take(2).any(|word| word.keys.contains(unit))
                };
                // Only then is what stands around it looked for, which takes as long as it is.
                let told = || {
                    let there = self.around(said, place);
                    around.is_empty() || there.is_empty() || !around.is_disjoint(&there)
                };
                same && told() && unit.as_ref().is_none_or(near) && self.is_of(said, &halves, place)
            })
        })
    }

    /// Whether the part of a sentence in which a word stands is about something that the claim names:
    /// `YouTube pays 55 percent, and Twitch pays 50` says nothing of 50 and YouTube.
    fn is_of(&self, said: &[Word], halves: &[usize], place: usize) -> bool {
        if halves.is_empty() {
            return true;
        }
        let before = halves.partition_point(|start| *start <= place);
        let subject = before.checked_sub(1).and_then(|at| halves.get(at)).copied();
        let subject = match subject {
            Some(start) => said.get(start),
            None => said.first().filter(|first| first.begins_with_a_name()),
        };
        subject.is_none_or(|subject| {
            self.words.iter().any(|word| word.keys.iter().any(|key| subject.keys.contains(key)))
        })
    }

    fn around<'w>(&self, words: &'w [Word], at: usize) -> HashSet<&'w str> {
        let far = |other: usize| words[other].number() && at.abs_diff(other) > 2;
        let from = (0..at).rev().find(|other| far(*other)).map_or(0, |other| other + 1);
        let to = (at + 1..words.len()).find(|other| far(*other)).unwrap_or(words.len());
        // Of a date the month is a part, not what it is told of.
        let told = |words: &'w [Word]| -> HashSet<&'w str> {
            let told = words.iter().filter(|word| !MONTHS.contains(&word.lower.as_str()));
            let keys = told.flat_map(Word::terms).filter(|key| !self.own.contains(*key));
            keys.map(String::as_str).collect()
        };
        // What leads up to it; of one that stands first, what follows.
        let before = told(&words[from..at]);
        if before.is_empty() { told(&words[at..to]) } else { before }
    }

    /// Who does what to whom: of each two names in a row.
    fn acts_alike(&self, said: &[Word]) -> bool {
        self.names().windows(2).all(|pair| {
            let [first, second] = pair else { return true };
            let Some(acts) = acts_of(&self.words, first, second) else { return true };
            let others = self.places(said, second);
            let mut told = Vec::new();
            for one in self.places(said, first) {
                for &other in &others {
                    told.extend(match one < other {
                        true => acts_of(said, &(one, one + 1), &(other, other + 1)),
                        false => acts_of(said, &(other, other + 1), &(one, one + 1)).map(|it| !it),
                    });
                }
            }
            told.is_empty() || told.contains(&acts)
        })
    }

    /// What stands right behind a verb stands near behind it in the sentence too: `supports old
    /// comments` is not said by `supports captions and keeps old comments`.
    fn has_objects(&self, said: &[Word]) -> bool {
        const NEAR: usize = 5;
        let verbs = self.words.iter().enumerate().filter(|(at, word)| {
            let is_verb = |key| self.free.iter().any(|(known, verb)| *verb && known == key);
            *at > 0 && word.keys.iter().any(is_verb)
        });
        verbs.into_iter().all(|(at, verb)| {
            let object = self.words.get(at + 1).filter(|next| !verb.ends && !next.capital);
            let Some(object) = object.and_then(|next| next.terms().next()) else { return true };
            said.iter().enumerate().any(|(place, word)| {
                let behind = said.iter().skip(place + 1).take(NEAR);
                word.keys.iter().any(|key| verb.keys.contains(key))
                    && behind.into_iter().any(|near| near.keys.contains(object))
            })
        })
    }

    /// The names in the claim, as ranges of its words.
    fn names(&self) -> Vec<(usize, usize)> {
        let is_own = |word: &Word| {
            !word.keys.is_empty() && word.keys.iter().all(|key| self.own.contains(key))
        };
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let named = is_own(word) || (is_name(word, at) && !word.keys.is_empty());
            if !named {
                continue;
            }
            match found.last_mut() {
                Some((_, end)) if *end == at && !self.words[at - 1].ends => *end = at + 1,
                _ => found.push((at, at + 1)),
            }
        }
        found
    }

    /// Where a sentence has a name of the claim: its last word; what the claim is about may be a
    /// pronoun there.
    fn places(&self, said: &[Word], name: &(usize, usize)) -> Vec<usize> {
        const MOST: usize = 4;
        let Some(last) = name.1.checked_sub(1).and_then(|at| self.words.get(at)) else {
            return Vec::new();
        };
        let find = |is: &dyn Fn(&Word) -> bool| -> Vec<usize> {
            let found = said.iter().enumerate().filter(|(_, word)| is(word));
            found.map(|(at, _)| at).take(MOST).collect()
        };
        let named = find(&|word| last.keys.first().is_some_and(|key| word.keys.contains(key)));
        let is_own = last.keys.iter().all(|key| self.own.contains(key));
        if !named.is_empty() || !is_own {
            return named;
        }
        find(&|word| {
            self.own.iter().any(|key| word.keys.contains(key))
                || matches!(word.lower.as_str(), "it" | "he" | "she" | "they")
        })
    }
}

/// Where a further part of a sentence begins that has a name for its subject: `and Twitch pays`.
fn halves(said: &[Word]) -> Vec<usize> {
    const JOINTS: &[&str] = &["and", "but", "while", "whereas"];
    let begins = |at: &usize| {
        let joined = JOINTS.contains(&said[*at - 1].lower.as_str());
        let verb = said.iter().skip(at + 1).take(2);
        let mut verb = verb.filter(|word| !word.capital);
        joined
            && said[*at].capital
            && !said[*at].ends
            && verb.next().is_some_and(|word| words::is_finite(&word.lower, false))
    };
    (1..said.len()).filter(begins).collect()
}

/// Whether a word is written as a name; a sentence begins with a capital whatever it begins with.
fn is_name(word: &Word, at: usize) -> bool {
    word.capital && (at > 0 || !words::is_starter(&word.lower))
}

/// Whether the first of two names acts on the second (`true`) or the other way round (`false`):
/// `A bought B`, `A is part of B`, and `A was bought by B`.
fn acts_of(words: &[Word], first: &(usize, usize), second: &(usize, usize)) -> Option<bool> {
    let mut between = words.get(first.1..second.0)?;
    while let [rest @ .., last] = between
        && (words::is_determiner(&last.lower) || last.capital)
    {
        between = rest;
    }
    let last = between.last()?;
    let acts = |word: &Word| words::is_finite(&word.lower, false) || words::looks_past(&word.lower);
    let finite = between.iter().any(acts);
    match last.lower.as_str() {
        "by" => Some(false),
        "of" => between.iter().any(|word| words::is_auxiliary(&word.lower)).then_some(true),
        "to" => between.iter().rev().nth(1).is_some_and(acts).then_some(true),
        _ if words::is_lead(&last.lower) || words::ends_phrase(&last.lower) => None,
        _ => (finite && !last.ends).then_some(true),
    }
}

/// The words that negations deny: the first that says something within three behind each.
fn negated(words: &[Word]) -> Vec<&String> {
    let negations = words.iter().enumerate().filter(|(_, word)| word.negates());
    negations
        .filter_map(|(at, _)| {
            words.iter().skip(at + 1).take(4).find_map(|word| word.terms().next())
        })
        .collect()
}

/// What is counted or measured: the word right behind a number.
fn unit(words: &[Word], at: usize) -> Option<String> {
    let next =
        words.get(at + 1).filter(|next| !words[at].ends && !next.capital && !next.number())?;
    next.terms().next().cloned()
}

/// Whether two sentences have the same words of a list.
fn same(one: &[Word], other: &[Word], list: &Words) -> bool {
    let of = |words: &[Word]| -> HashSet<String> {
        let listed =
            words.iter().filter(|word| !word.capital && list.contains(word.lower.as_str()));
        listed.map(|word| word.lower.clone()).collect()
    };
    of(one) == of(other)
}

/// What one word between spaces is looked up by: stems, `#` and a number, `!` for a negation.
fn keys(word: &str, analyzer: &Analyzer) -> Vec<String> {
    let word = &word[..word.floor_char_boundary(200)];
    let lower = word.replace('’', "'").to_lowercase();
    let bare = lower.trim_matches(|char: char| !char.is_alphanumeric());
    if matches!(bare, "not" | "no" | "never" | "cannot" | "without" | "neither" | "nor")
        || bare.ends_with("n't")
    {
        return vec!["!".to_owned()];
    }
    let mut keys: Vec<String> = Vec::new();
    for part in bare.split(['-', '–', '—', '/', '(', ')', '×', ':']) {
        let digits = part.trim_start_matches(|char: char| !char.is_alphanumeric());
        if digits.starts_with(|char: char| char.is_ascii_digit()) {
            let end = digits
                .find(|char: char| !(char.is_ascii_digit() || matches!(char, '.' | ',')))
                .unwrap_or(digits.len());
            let number = digits[..end].replace(',', "");
            keys.push(format!("#{}", number.trim_end_matches('.')));
        }
    }
    // Numbers have been taken; what is in one must not count as a word as well.
    let terms = analyzer.terms(bare);
    if let Some(alike) = ALIKE.get(bare) {
        keys.push(alike.clone());
        return keys;
    }
    let is_number = |term: &String| term.starts_with(|char: char| char.is_ascii_digit());
    keys.extend(terms.into_iter().filter(|term| !is_number(term)));
    keys
}
