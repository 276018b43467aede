//! Text -> terms: what the inverted index stores and what a query looks up.
//!
//! Owns word borders, case and accent folding, stop words, stemming, the names of months, and which
//! language a text is in. It knows no documents, no scores and no files. The same [`Analyzer`] must be used for an index and for its queries,
//! which is why [`Analyzer::fingerprint`] is part of the view's identity.

use std::borrow::Cow;

use frostem::Stemmer;
use unicode_normalization::UnicodeNormalization;

mod finder;
mod language;
mod letters;
mod words;

pub use finder::Finder;
pub use language::Language;
pub use letters::{is_in_other_letters, is_latin};
pub use words::{Word, words};

/// Words longer than this many bytes are cut: hashes and encoded blobs are not looked up whole.
pub const MAX_WORD_BYTES: usize = 64;

/// Lucene's classic English stop words. The ISO list has 1,298 words, "computer" among them.
const ENGLISH_STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// Question words carry no topic; they are dropped from queries only, so that they stay findable
/// in a quoted phrase. Longer lists were measured and found worse.
const ENGLISH_QUESTION_WORDS: &[&str] = &[
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "do", "does", "did",
    "can", "could", "should", "would", "i", "my", "me", "we", "our", "you", "your", "has", "have",
    "had", "am", "were", "been", "being", "from",
];

/// The same of other languages, as far as they are no stop words there; folded.
const FRENCH_QUESTION_WORDS: &[&str] = &[
    "qui", "que", "quoi", "quel", "quelle", "quels", "quelles", "quand", "ou", "comment",
    "pourquoi", "combien",
];
const GERMAN_QUESTION_WORDS: &[&str] = &[
    "wer", "wen", "wem", "wessen", "was", "wann", "wo", "wie", "warum", "wieso", "weshalb",
    "womit", "wofur", "wodurch", "woran", "woraus", "wozu", "woher", "wohin", "welche", "welcher",
    "welches", "welchen", "welchem",
];
const SPANISH_QUESTION_WORDS: &[&str] = &[
    "que", "quien", "quienes", "cual", "cuales", "cuando", "donde", "como", "cuanto", "cuanta",
    "cuantos", "cuantas",
];

/// Names of the months in English, the first one first.
pub const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
];

/// Turns words into terms for one language.
pub struct Analyzer {
    language: String,
    stemmer: Option<Stemmer>,
    stop_words: &'static [&'static str],
}

impl Analyzer {
    /// An analyzer for a Snowball language name such as `english`; an unknown name or `none`
    /// means no stemming and no stop words.
    pub fn new(language: &str) -> Self {
        let stop_words = match language {
            "english" => ENGLISH_STOP_WORDS,
            other => iso_code(other).and_then(stop_words::lookup).unwrap_or(&[]),
        };
        Self {
            language: language.to_owned(),
            stemmer: Stemmer::try_from_name(language).ok(),
            stop_words,
        }
    }

    /// Identifies everything that decides which terms a text has.
    pub fn fingerprint(&self) -> String {
        format!("words-3/{}", self.language)
    }

    /// The term of one folded word, or `None` for a stop word.
    pub fn term<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        if self.stop_words.contains(&word) {
            return None;
        }
        // Identifiers and numbers are not language: a stemmer would only damage them.
        match &self.stemmer {
            Some(stemmer) if !word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_') => {
                Some(stemmer.stem(word))
            }
            _ => Some(Cow::Borrowed(word)),
        }
    }

    /// Whether any noun has a capital, not only a name.
    pub fn capitalises_nouns(&self) -> bool {
        self.language == "german"
    }

    /// Whether a query should leave this folded word out when others remain.
    pub fn is_question_word(&self, word: &str) -> bool {
        let words = match self.language.as_str() {
            "english" => ENGLISH_QUESTION_WORDS,
            "french" => FRENCH_QUESTION_WORDS,
            "german" => GERMAN_QUESTION_WORDS,
            "spanish" => SPANISH_QUESTION_WORDS,
            _ => &[],
        };
        words.contains(&word)
    }

    /// Whether a folded word says nothing of what a question is about.
    pub fn is_common(&self, word: &str) -> bool {
        self.stop_words.contains(&word) || self.is_question_word(word)
    }

    /// The other languages, by their ISO 639-1 codes, of which a word in lower case, accents
    /// included, is a stop word; none for a stop word of this language too.
    pub fn common_elsewhere(&self, word: &str) -> Vec<&'static str> {
        let is_of = |code: &str| stop_words::lookup(code).is_some_and(|all| all.contains(&word));
        match iso_code(&self.language) {
            Some(own) if !is_of(own) => {
                let codes = CODES.iter().map(|(_, code)| *code).chain(OTHERS.iter().copied());
                codes.filter(|&code| code != own && is_of(code)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// All terms of a text, in order and with repeats.
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        let mut buffer = String::new();
        for word in words(text) {
            fold(&text[word.range], &mut buffer);
            terms.extend(self.term(&buffer).map(Cow::into_owned));
        }
        terms
    }
}

/// Writes the word in lower case and without accents into `buffer`, cut at [`MAX_WORD_BYTES`].
pub fn fold(word: &str, buffer: &mut String) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(&word[..word.len().min(MAX_WORD_BYTES)]);
        buffer.make_ascii_lowercase();
        return;
    }
    for char in word.nfd().filter(|&c| !unicode_normalization::char::is_combining_mark(c)) {
        for lower in char.to_lowercase() {
            if buffer.len() + lower.len_utf8() > MAX_WORD_BYTES {
                return;
            }
            buffer.push(lower);
        }
    }
}

/// Languages that there is a list of stop words for, with their ISO 639-1 codes.
const CODES: &[(&str, &str)] = &[
    ("arabic", "ar"),
    ("armenian", "hy"),
    ("basque", "eu"),
    ("catalan", "ca"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("english", "en"),
    ("estonian", "et"),
    ("finnish", "fi"),
    ("french", "fr"),
    ("german", "de"),
    ("greek", "el"),
    ("hindi", "hi"),
    ("hungarian", "hu"),
    ("indonesian", "id"),
    ("irish", "ga"),
    ("italian", "it"),
    ("lithuanian", "lt"),
    ("norwegian", "no"),
    ("portuguese", "pt"),
    ("romanian", "ro"),
    ("russian", "ru"),
    ("spanish", "es"),
    ("swedish", "sv"),
    ("turkish", "tr"),
];

/// More languages that a question may be asked in; texts in them are neither stemmed nor freed of
/// stop words.
const OTHERS: &[&str] = &["af", "bg", "cs", "gl", "hr", "lv", "pl", "sk", "sl", "uk", "vi"];

fn iso_code(language: &str) -> Option<&'static str> {
    CODES.iter().find(|(name, _)| *name == language).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, text: &str, expected: &[&str]) {
        assert_eq!(Analyzer::new(language).terms(text), expected, "{language}: {text}");
    }

    #[test]
    fn terms_of_texts() {
        check("english", "The notes are merged", &["note", "merg"]);
        check("english", "Naïve café", &["naiv", "cafe"]);
        check("none", "The notes", &["the", "notes"]);
        check("german", "die Häuser", &["haus"]);
        check("english", "read_to_string", &["read_to_string", "read", "string"]);
        check("english", "parseHTMLPage", &["parsehtmlpag", "pars", "html", "page"]);
        check("english", "x86-64 v1.10", &["x86", "64", "v1", "10"]);
        check("english", "日本語 text", &["日", "本", "語", "text"]);
        check("english", "don't Rust's", &["don't", "rust"]);
        check("english", "", &[]);
    }

    #[test]
    fn words_that_are_common_elsewhere() {
        let english = Analyzer::new("english");
        assert!(english.common_elsewhere("wie").contains(&"de"));
        assert!(english.common_elsewhere("für").contains(&"de"));
        // Common here too, common nowhere, and nothing to compare with.
        assert!(english.common_elsewhere("in").is_empty());
        assert!(english.common_elsewhere("otter").is_empty());
        assert!(Analyzer::new("none").common_elsewhere("wie").is_empty());
        let german = Analyzer::new("german");
        assert!(german.common_elsewhere("wie").is_empty());
        assert!(german.common_elsewhere("how").contains(&"en"));
        assert!(
            english.is_common("the") && english.is_common("how") && !english.is_common("otter")
        );
        assert!(german.is_common("wann") && !german.is_common("winter"));
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(Analyzer::new("none").terms(&"a".repeat(500)), ["a".repeat(MAX_WORD_BYTES)]);
    }
}
