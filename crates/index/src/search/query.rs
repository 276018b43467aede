//! The query language: words, `"phrases"`, `-excluded` words and `-"phrases"`.
//!
//! A dash stands before options too (`-r`, `-rf`). Before a single letter it is always one, before
//! a longer word where the documents write the word with its dash, which `dashes` finds
//! out. Before quotes it always excludes.

use std::{borrow::Cow, ops::Range};

use super::compounds;
use elophanto_base::lexical::{Analyzer, fold, words};

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Terms looked for, in the order typed; one that is typed twice counts twice.
    pub terms: Vec<String>,
    /// Words that must stand next to each other.
    pub phrases: Vec<Phrase>,
    /// A chunk that holds one of these is no hit.
    pub excluded: Vec<Excluded>,
    /// Phrases and exclusions of nothing but stop words, as typed: they cannot be kept to.
    pub ignored: Vec<String>,
    /// What is embedded: the query without operators and exclusions.
    pub text: String,
    /// All of it, as typed.
    typed: String,
}

/// Words one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrase {
    /// Its terms, each with how many words it is behind the first one; never none.
    pub terms: Vec<(u32, String)>,
    /// Its stop words, folded, for which no term stands, each with how many words it is behind the
    /// first term.
    pub common: Vec<(i64, String)>,
}

/// What a hit must not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excluded {
    /// As typed, with its dash.
    pub typed: String,
    pub phrase: Phrase,
    /// Its bytes in what was typed.
    range: Range<usize>,
}

impl Excluded {
    /// The word with its dash, if it may be an option: it is not in quotes.
    pub fn as_option(&self) -> Option<&str> {
        (!self.typed.starts_with("-\"")).then(|| self.typed.trim_end_matches(is_punctuation))
    }
}

impl Query {
    /// Parses what was typed. Nothing is an error: an unclosed quote ends at the end.
    pub fn parse(typed: &str, analyzer: &Analyzer) -> Self {
        Self::parse_with(typed, &[], analyzer)
    }

    /// The same query with some of what it excludes taken for words that are looked for.
    pub fn with_words(&self, options: &[&Excluded], analyzer: &Analyzer) -> Self {
        let starts: Vec<usize> = options.iter().map(|option| option.range.start).collect();
        Self::parse_with(&self.typed, &starts, analyzer)
    }

    /// `options` are the places of dashes that exclude nothing.
    fn parse_with(typed: &str, options: &[usize], analyzer: &Analyzer) -> Self {
        let mut query = Self { typed: typed.to_owned(), ..Self::default() };
        let mut plain = String::new();
        let mut at = 0;
        while let Some(char) = typed[at..].chars().next() {
            let rest = &typed[at..];
            let at_word_start = plain.is_empty() || plain.ends_with(char::is_whitespace);
            let opened = rest.strip_prefix('-').filter(|after| {
                at_word_start && starts_word(after) && !is_letter(after) && !options.contains(&at)
            });
            let (negated, opened) = (opened.is_some(), opened.unwrap_or(rest));
            if let Some(after) = opened.strip_prefix('"').filter(|_| at_word_start) {
                let (phrase, tail) = after.split_once('"').unwrap_or((after, ""));
                let end = typed.len() - tail.len();
                if negated {
                    query.exclude(phrase, at..end, analyzer);
                } else {
                    query.add_phrase(phrase, analyzer);
                    plain.push_str(phrase);
                }
                plain.push(' ');
                at = end;
            } else if negated {
                let length = opened.find(char::is_whitespace).unwrap_or(opened.len());
                query.exclude(&opened[..length], at..at + 1 + length, analyzer);
                at += 1 + length;
            } else {
                plain.push(char);
                at += char.len_utf8();
            }
        }
        query.terms = topic_terms(&plain, analyzer);
        query.text = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        query
    }

    /// The same query in another language.
    pub fn in_language(&self, analyzer: &Analyzer) -> Self {
        match self.typed.is_empty() {
            true => Self::plain(&self.text, analyzer),
            false => Self::parse(&self.typed, analyzer),
        }
    }

    /// A query in which quotes and dashes mean nothing: a question that was not typed for us.
    pub fn plain(text: &str, analyzer: &Analyzer) -> Self {
        Self {
            terms: topic_terms(text, analyzer),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            ..Self::default()
        }
    }

    /// All terms that chunks may be found by: its own, the words of its phrases, and of two words what
    /// they are written as one; each once.
    pub fn looked_for(&self, analyzer: &Analyzer) -> Vec<String> {
        let phrases = self.phrases.iter().flat_map(|phrase| &phrase.terms);
        let phrases = phrases.map(|(_, term)| term.clone());
        let joined = compounds::joined(&self.text, analyzer);
        let mut all: Vec<String> = Vec::new();
        for term in self.terms.iter().cloned().chain(phrases).chain(joined) {
            if !all.contains(&term) {
                all.push(term);
            }
        }
        all
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn add_phrase(&mut self, phrase: &str, analyzer: &Analyzer) {
        match Phrase::parse(phrase, analyzer) {
            Some(phrase) => self.phrases.push(phrase),
            None if words(phrase).next().is_some() => self.ignored.push(phrase.to_owned()),
            None => {}
        }
    }

    fn exclude(&mut self, phrase: &str, range: Range<usize>, analyzer: &Analyzer) {
        match Phrase::parse(phrase, analyzer) {
            Some(phrase) => {
                let typed = self.typed[range.clone()].to_owned();
                self.excluded.push(Excluded { typed, phrase, range });
            }
            None if words(phrase).next().is_some() => self.ignored.push(format!("-{phrase}")),
            None => {}
        }
    }
}

fn starts_word(text: &str) -> bool {
    text.chars().next().is_some_and(|char| char.is_alphanumeric() || char == '"' || char == '_')
}

/// Whether a single letter or digit stands here, as of an option; characters that are whole words
/// in their language are none.
fn is_letter(text: &str) -> bool {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let word = text[..end].trim_end_matches(is_punctuation);
    word.len() == 1 && word.starts_with(|char: char| char.is_ascii_alphanumeric())
}

/// What ends a clause, or closes brackets and quotes, behind a word.
fn is_punctuation(char: char) -> bool {
    matches!(char, '.' | ',' | ';' | ':' | '?' | '!' | ')' | ']' | '\'' | '`')
}

/// Terms without question words, unless nothing else is left.
fn topic_terms(text: &str, analyzer: &Analyzer) -> Vec<String> {
    let mut all = Vec::new();
    let mut topical = Vec::new();
    let mut buffer = String::new();
    for word in words(text) {
        fold(&text[word.range], &mut buffer);
        let Some(term) = analyzer.term(&buffer) else { continue };
        let term = term.into_owned();
        if !analyzer.is_question_word(&buffer) {
            topical.push(term.clone());
        }
        all.push(term);
    }
    if topical.is_empty() { all } else { topical }
}

impl Phrase {
    /// `None` if nothing in it has a term. Of a compound, its parts count.
    fn parse(text: &str, analyzer: &Analyzer) -> Option<Self> {
        let mut found: Vec<(u32, String, bool)> = Vec::new();
        let mut buffer = String::new();
        for word in words(text) {
            fold(&text[word.range], &mut buffer);
            let term = analyzer.term(&buffer).map(Cow::into_owned);
            let is_term = term.is_some();
            let one = (word.position, term.unwrap_or_else(|| buffer.clone()), is_term);
            match found.last_mut() {
                Some(last) if last.0 == word.position => *last = one,
                _ => found.push(one),
            }
        }
        let start = found.iter().find(|(_, _, is_term)| *is_term)?.0;
        let mut phrase = Self::default();
        for (position, word, is_term) in found {
            if is_term {
                phrase.terms.push((position - start, word));
            } else {
                phrase.common.push((i64::from(position) - i64::from(start), word));
            }
        }
        Some(phrase)
    }

    /// Whether its stop words stand in a text where they belong, for one of these places of its
    /// first term, ascending.
    pub fn common_follow(&self, starts: &[u32], text: &str) -> bool {
        let mut buffer = String::new();
        let mut met = vec![0usize; starts.len()];
        for word in words(text) {
            let mut is_folded = false;
            for (offset, common) in &self.common {
                let start = i64::from(word.position) - offset;
                let Ok(start) = u32::try_from(start) else { continue };
                let Ok(at) = starts.binary_search(&start) else { continue };
                if !is_folded {
                    fold(&text[word.range.clone()], &mut buffer);
                    is_folded = true;
                }
                met[at] += usize::from(buffer == *common);
            }
        }
        met.contains(&self.common.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its words in their order, stop words too.
    fn shown(phrase: &Phrase) -> Vec<&str> {
        let mut all: Vec<(i64, &str)> =
            phrase.terms.iter().map(|(at, term)| (i64::from(*at), term.as_str())).collect();
        all.extend(phrase.common.iter().map(|(at, word)| (*at, word.as_str())));
        all.sort_unstable();
        all.into_iter().map(|(_, word)| word).collect()
    }

    fn check(typed: &str, terms: &[&str], phrases: &[&[&str]], excluded: &[&[&str]], text: &str) {
        let query = Query::parse(typed, &Analyzer::new("english"));
        assert_eq!(query.terms, terms, "{typed}");
        let quoted: Vec<Vec<&str>> = query.phrases.iter().map(shown).collect();
        assert_eq!(quoted, phrases, "{typed}");
        let barred: Vec<Vec<&str>> = query.excluded.iter().map(|it| shown(&it.phrase)).collect();
        assert_eq!(barred, excluded, "{typed}");
        assert_eq!(query.text, text, "{typed}");
    }

    #[test]
    fn the_language() {
        check("merge notes", &["merg", "note"], &[], &[], "merge notes");
        check("how does a merge work?", &["merg", "work"], &[], &[], "how does a merge work?");
        check("what is this", &["what"], &[], &[], "what is this");
        check(
            "\"hold hands\" sea",
            &["hold", "hand", "sea"],
            &[&["hold", "hand"]],
            &[],
            "hold hands sea",
        );
        check("otter -sea", &["otter"], &[], &[&["sea"]], "otter");
        let far: &[&[&str]] = &[&["he", "did", "not", "log", "in"]];
        check("\"he did not log in\"", &["he", "log"], far, &[], "he did not log in");
        let query = Query::parse("otter -not \"to be\" -\"to be\"", &Analyzer::new("english"));
        assert_eq!(query.ignored, ["-not", "to be", "-to be"]);
        check("otter -\"deep sea\"", &["otter"], &[], &[&["deep", "sea"]], "otter");
        check("x86-64 co-op", &["x86", "64", "co", "op"], &[], &[], "x86-64 co-op");
        check("git commit --amend", &["git", "commit", "amend"], &[], &[], "git commit --amend");
        check(
            "\"unclosed quote",
            &["unclos", "quot"],
            &[&["unclos", "quot"]],
            &[],
            "unclosed quote",
        );
        check("it's 5\" wide", &["5", "wide"], &[], &[], "it's 5\" wide");
        check("", &[], &[], &[], "");
        check("-", &[], &[], &[], "-");
        check("note note", &["note", "note"], &[], &[], "note note");
    }

    #[test]
    fn a_dash_before_one_letter_is_an_option() {
        check(
            "difference between -r -s and -b in rebase",
            &["differ", "between", "r", "s", "b", "rebas"],
            &[],
            &[],
            "difference between -r -s and -b in rebase",
        );
        check("what is -v?", &["v"], &[], &[], "what is -v?");
        check("(-v) or -v, -1", &["v", "v", "1"], &[], &[], "(-v) or -v, -1");
        // In quotes a letter too is excluded, and a character of Chinese is a word.
        check("plan -\"b\"", &["plan"], &[], &[&["b"]], "plan");
        check("plan -水", &["plan"], &[], &[&["水"]], "plan");
        check("rm -rf, now", &["rm", "now"], &[], &[&["rf"]], "rm now");
        check("commit --no-verify", &["commit", "verifi"], &[], &[], "commit --no-verify");
    }

    #[test]
    fn what_is_excluded_can_be_taken_for_a_word() {
        let analyzer = Analyzer::new("english");
        let query = Query::parse("rm -rf, -sea -\"deep sea\"", &analyzer);
        let typed: Vec<&str> = query.excluded.iter().map(|it| it.typed.as_str()).collect();
        assert_eq!(typed, ["-rf,", "-sea", "-\"deep sea\""]);
        let options: Vec<Option<&str>> = query.excluded.iter().map(Excluded::as_option).collect();
        assert_eq!(options, [Some("-rf"), Some("-sea"), None]);
        let again = query.with_words(&[&query.excluded[0]], &analyzer);
        assert_eq!((again.terms, again.text.as_str()), (vec!["rm".into(), "rf".into()], "rm -rf,"));
        assert_eq!(again.excluded.len(), 2);
    }
}
