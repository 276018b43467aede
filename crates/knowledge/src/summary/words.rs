//! Words of prose and of identifiers, and which of them say something about a file.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Most different terms that are told apart in one file; what comes later counts as unknown.
const MAX_TERMS: usize = 20_000;
/// Words longer than this are hashes and encoded data, not words.
const MAX_WORD_BYTES: usize = 40;

/// What a word of everyday code or prose weighs, compared with one that is the file's own.
const COMMON_WEIGHT: f32 = 0.15;

/// Topics up to here may be words that occur once.
const FEW_TOPICS: usize = 10;

/// Words that say nothing about what a text is about: of the language, and of code in general.
const COMMON: &str = "\
    a an and are as at be but by for from if in into is it its no not of on or such that the their \
    then there these they this thi to was will with we you your our can could should would must may \
    might do doe did has have had been being so than too very only also just when where which who \
    what how why all any each both more most other some same own out up down over under again once \
    here about between through dure before after because until while against further off \
    use us one two new old get set let fn pub mod impl struct enum trait type self super crate mut \
    ref const static async await match return true false none some ok err error result option vec \
    string str box arc rc dyn unsafe extern move loop break continue else where usize isize bool u8 \
    u16 u32 u64 i8 i16 i32 i64 f32 f64 char def class import function var void int long float double \
    public private protect final null undefin export default extend implement interface package \
    func go go map list dict tuple object instance value given call caller method field example \
    note see todo fixme todo safety panic unwrap expect clone into iter next item name data \
    param argument arg parameter make need want like via per etc e.g i.e first last following \
    follow current currently already still possible instead without within since thu thus however \
    allow provide whether non number case way thing able does don doesn isn can't cannot won self \
    inner debug derive allow cfg feature test doc hidden inline must copy \
    usage fmt eq ne len as_ref as_mut deref return std core alloc lib main init args kwargs cls none raise try except pass elif \
    lambda yield print typeof instanceof const require module string boolean any unknown never \
    https http www com org github html md rs py ts js";

/// Those words and their stems.
static COMMON_SET: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut stems = HashSet::new();
    let mut buffer = String::new();
    for word in COMMON.split_ascii_whitespace() {
        stem(word, &mut buffer);
        stems.insert(buffer.clone());
        stems.insert(word.to_owned());
    }
    stems
});

/// Calls `each` with every word of `text`: runs of letters and digits, identifiers cut at
/// underscores and humps, ideographs and kana in pairs. Numbers are no words.
pub(super) fn each_word<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    for run in text.split(|char: char| !char.is_alphanumeric()) {
        if run.len() < 2 {
            continue;
        }
        if run.is_ascii() {
            each_hump(run, &mut each);
        } else if run.chars().any(is_unspaced) {
            each_pair(run, &mut each);
        } else {
            emit(run, &mut each);
        }
    }
}

/// `RetryPolicy` as `retry policy`, `HTTPServer2` as `http server2`. `None` for a name that is
/// one word, or whose words are set apart by marks already.
pub(super) fn in_words(name: &str) -> Option<String> {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let mut words: Vec<&str> = Vec::new();
    each_hump(name, &mut |word| words.push(word));
    (words.len() > 1).then(|| words.join(" ").to_lowercase())
}

/// The form in which words are compared: lower case, without common English endings.
pub(super) fn stem(word: &str, buffer: &mut String) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
        return;
    }
    let keep = |buffer: &mut String, cut: usize| buffer.truncate(buffer.len() - cut);
    if buffer.len() > 4 && (buffer.ends_with("ies") || buffer.ends_with("ied")) {
        keep(buffer, 3);
        buffer.push('y');
        return;
    }
    let plural =
        buffer.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| buffer.ends_with(ending));
    if buffer.len() > 3 && plural {
        keep(buffer, 1);
    }
    if buffer.len() > 5 && buffer.ends_with("ing") {
        keep(buffer, 3);
        undouble(buffer);
    } else if buffer.len() > 4 && buffer.ends_with("ed") {
        keep(buffer, 2);
        undouble(buffer);
    }
    if buffer.len() > 3 && buffer.ends_with('e') {
        keep(buffer, 1);
    }
}

/// The terms of one file, how much each weighs, and how it is written most plainly.
#[derive(Default)]
pub(super) struct Vocabulary {
    ids: HashMap<String, u32>,
    terms: Vec<Term>,
    buffer: String,
}

struct Term {
    count: f32,
    common: bool,
    /// Lower-case form as met first.
    surface: String,
}

impl Term {
    fn weight(&self) -> f32 {
        (1.0 + self.count).ln() * if self.common { COMMON_WEIGHT } else { 1.0 }
    }
}

impl Vocabulary {
    /// Counts the words of `text`, each as `weight`.
    pub fn add(&mut self, text: &str, weight: f32) {
        let Self { ids, terms, buffer } = self;
        each_word(text, |word| {
            stem(word, buffer);
            match ids.get(buffer.as_str()) {
                Some(&id) => {
                    if let Some(term) = terms.get_mut(id as usize) {
                        term.count += weight;
                    }
                }
                None if terms.len() < MAX_TERMS => {
                    ids.insert(buffer.clone(), terms.len() as u32);
                    let common = COMMON_SET.contains(buffer.as_str())
                        || COMMON_SET.contains(word.to_lowercase().as_str());
                    terms.push(Term { count: weight, common, surface: word.to_lowercase() });
                }
                None => {}
            }
        });
    }

    /// The different known terms of `text`, in the order of their ids.
    pub fn terms(&mut self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let Self { ids, buffer, .. } = self;
        each_word(text, |word| {
            stem(word, buffer);
            found.extend(ids.get(buffer.as_str()));
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// How much a term says: often used in this file, and not a word of every file.
    pub fn weight(&self, term: u32) -> f32 {
        self.terms.get(term as usize).map_or(0.0, Term::weight)
    }

    /// The weights of all terms, by id.
    pub fn weights(&self) -> impl Iterator<Item = f32> {
        self.terms.iter().map(Term::weight)
    }

    /// Whether a term is one of the file's own.
    pub fn is_telling(&self, term: u32) -> bool {
        self.terms.get(term as usize).is_some_and(|term| !term.common)
    }

    /// The most telling words that are not among `known` (sorted ids),
    /// best first, as they are written.
    pub fn topics(&self, known: &[u32]) -> Vec<&str> {
        let mut best: Vec<(u32, &Term)> = (0..)
            .zip(&self.terms)
            .filter(|(id, term)| {
                !term.common && term.surface.chars().count() > 2 && known.binary_search(id).is_err()
            })
            .collect();
        best.sort_by(|a, b| b.1.count.total_cmp(&a.1.count).then(a.0.cmp(&b.0)));
        // What occurs once says something only of a file that says little.
        let repeated = best.partition_point(|(_, term)| term.count >= 2.0);
        best.truncate(repeated.max(FEW_TOPICS));
        best.into_iter().map(|(_, term)| term.surface.as_str()).collect()
    }
}

fn emit<'a>(word: &'a str, each: &mut impl FnMut(&'a str)) {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let number = digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    if (2..=MAX_WORD_BYTES).contains(&word.len()) && !number {
        each(word);
    }
}

fn each_hump<'a>(run: &'a str, each: &mut impl FnMut(&'a str)) {
    let bytes = run.as_bytes();
    let upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let mut start = 0;
    for at in 1..bytes.len() {
        let border = upper(at) && (!upper(at - 1) || lower(at + 1));
        if border && let Some(word) = run.get(start..at) {
            emit(word, each);
            start = at;
        }
    }
    if let Some(word) = run.get(start..) {
        emit(word, each);
    }
}

/// Scripts that write no spaces: two neighbouring characters stand for a word.
fn each_pair<'a>(run: &'a str, each: &mut impl FnMut(&'a str)) {
    let mut previous = None;
    for (at, char) in run.char_indices() {
        if let Some(before) = previous
            && let Some(pair) = run.get(before..at + char.len_utf8())
        {
            each(pair);
        }
        previous = Some(at);
    }
}

fn is_unspaced(char: char) -> bool {
    matches!(u32::from(char), 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

fn undouble(buffer: &mut String) {
    let mut last = buffer.bytes().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && !matches!(a, b'l' | b's' | b'z' | b'e' | b'o')
    {
        buffer.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_stemmed() {
        let check = |text: &str, expected: &[&str]| {
            let mut found = Vec::new();
            let mut buffer = String::new();
            each_word(text, |word| {
                stem(word, &mut buffer);
                found.push(buffer.clone());
            });
            assert_eq!(found, expected, "{text}");
        };
        check("retries retried Retrying retry", &["retry", "retry", "retry", "retry"]);
        check("decides decided deciding", &["decid", "decid", "decid"]);
        check("stopped stops STOP", &["stop", "stop", "stop"]);
        check(
            "parseHTMLPage next_expiration x2",
            &["pars", "html", "pag", "next", "expiration", "x2"],
        );
        check("0x1f 12345 deadbeef0 a 1.5", &[]);
        check("再試行する", &["再試", "試行", "行す", "する"]);
        check("Größe über naïve", &["größe", "über", "naïve"]);
        check("\u{0}\u{1b}[2J", &[]);
    }

    #[test]
    fn names_are_told_in_words() {
        for (name, words) in [
            ("RetryPolicy", Some("retry policy")),
            ("HTTPServer", Some("http server")),
            ("fetchURL", Some("fetch url")),
            ("Level", None),
            ("next_expiration", None),
            ("", None),
        ] {
            assert_eq!(in_words(name).as_deref(), words, "{name}");
        }
    }

    #[test]
    fn topics_are_the_words_of_the_file() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add("jitter backoff jitter the the the value value backoff jitter once", 1.0);
        let known = vocabulary.terms("backoff");
        assert_eq!(vocabulary.topics(&known), ["jitter"]);
    }
}
