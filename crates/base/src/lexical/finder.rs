use rustc_hash::FxHashMap;

use super::{Analyzer, fold};

/// Languages whose stemmers leave the first letter of a word alone. Those of French and Italian take
/// articles off (`l'arte`).
const ENDINGS_ONLY: [&str; 12] = [
    "danish", "dutch", "english", "finnish", "german", "hungarian", "norwegian", "portuguese",
    "romanian", "russian", "spanish", "swedish",
];

/// Finds a few terms in texts. Stemming is dear: each word is stemmed once, and one that begins as
/// none of the terms does not at all.
pub struct Finder<'a> {
    analyzer: &'a Analyzer,
    terms: Vec<&'a str>,
    /// By the first byte of a folded word: whether it may be one of the terms.
    begins: [bool; 256],
    /// Words that were met, folded, with the number of the term that each stands for.
    known: FxHashMap<String, Option<usize>>,
    buffer: String,
}

impl<'a> Finder<'a> {
    /// `terms` are as the analyzer makes them, no empty one among them.
    pub fn new(analyzer: &'a Analyzer, terms: impl IntoIterator<Item = &'a str>) -> Self {
        let terms: Vec<&str> = terms.into_iter().collect();
        let mut begins = [!ENDINGS_ONLY.contains(&analyzer.language.as_str()); 256];
        for byte in terms.iter().filter_map(|term| term.bytes().next()) {
            begins[usize::from(byte)] = true;
        }
        Self { analyzer, terms, begins, known: FxHashMap::default(), buffer: String::new() }
    }

    /// The number of the first term, from 0, that a word of a text stands for.
    pub fn find(&mut self, word: &str) -> Option<usize> {
        fold(word, &mut self.buffer);
        let first = self.buffer.bytes().next()?;
        // The stemmer of English takes quotes before a word off.
        if !self.begins[usize::from(first)] && first != b'\'' {
            return None;
        }
        if let Some(&found) = self.known.get(&self.buffer) {
            return found;
        }
        let term = self.analyzer.term(&self.buffer);
        let found = term.and_then(|term| self.terms.iter().position(|known| *known == term));
        self.known.insert(self.buffer.clone(), found);
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_with_articles_are_found() {
        for language in ENDINGS_ONLY.into_iter().chain(["french", "italian", "none"]) {
            let analyzer = Analyzer::new(language);
            for word in ["L'A", "l'arbre", "qu'il", "d'or", "dell'arte", "un'altra", "o'clock"] {
                let mut folded = String::new();
                fold(word, &mut folded);
                let Some(term) = analyzer.term(&folded) else { continue };
                let mut finder = Finder::new(&analyzer, [&*term]);
                assert_eq!(finder.find(word), Some(0), "{language} {word}");
            }
        }
    }

    proptest! {
        #[test]
        fn finds_what_the_analyzer_makes(
            language in proptest::sample::select(
                [&ENDINGS_ONLY[..], &["arabic", "french", "italian", "none"]].concat()
            ),
            words in proptest::collection::vec("[a-zA-Zà-ÿß0-9_']{1,12}|[а-я]{1,9}|[ا-ي]{1,9}", 1..9),
        ) {
            let analyzer = Analyzer::new(language);
            let mut buffer = String::new();
            let mut term = |word: &str| {
                fold(word, &mut buffer);
                analyzer.term(&buffer).map(std::borrow::Cow::into_owned)
            };
            let terms: Vec<Option<String>> = words.iter().map(|word| term(word)).collect();
            let wanted: Vec<&str> =
                terms.iter().step_by(2).filter_map(|term| term.as_deref()).collect();
            let mut finder = Finder::new(&analyzer, wanted.clone());
            for (word, term) in words.iter().zip(&terms).chain(words.iter().zip(&terms)) {
                let expected = wanted.iter().position(|wanted| term.as_deref() == Some(wanted));
                prop_assert_eq!(finder.find(word), expected, "{} {}", language, word);
            }
        }
    }
}
