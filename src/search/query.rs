//! The query language: words, `"phrases"`, `-excluded` words and `-"phrases"`.

use crate::lexical::{Analyzer, fold, words};

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Terms looked for, in the order typed; one that is typed twice counts twice.
    pub terms: Vec<String>,
    /// Terms that must stand next to each other.
    pub phrases: Vec<Vec<String>>,
    /// A chunk that holds one of these is no hit.
    pub excluded: Vec<Vec<String>>,
    /// Phrases and exclusions of nothing but stop words, as typed: they cannot be kept to.
    pub ignored: Vec<String>,
    /// What is embedded: the query without operators and exclusions.
    pub text: String,
}

impl Query {
    /// Parses what was typed. Nothing is an error: an unclosed quote ends at the end.
    pub fn parse(typed: &str, analyzer: &Analyzer) -> Self {
        let mut query = Self::default();
        let mut plain = String::new();
        let mut rest = typed;
        while let Some(char) = rest.chars().next() {
            let at_word_start = plain.is_empty() || plain.ends_with(char::is_whitespace);
            let (negated, opened) = match rest.strip_prefix('-') {
                Some(after) if at_word_start && starts_word(after) => (true, after),
                _ => (false, rest),
            };
            if let Some(after) = opened.strip_prefix('"').filter(|_| at_word_start) {
                let (phrase, tail) = after.split_once('"').unwrap_or((after, ""));
                query.add_phrase(phrase, negated, analyzer);
                if !negated {
                    plain.push_str(phrase);
                }
                plain.push(' ');
                rest = tail;
            } else if negated {
                let end = opened.find(char::is_whitespace).unwrap_or(opened.len());
                query.add_phrase(&opened[..end], true, analyzer);
                rest = &opened[end..];
            } else {
                plain.push(char);
                rest = &rest[char.len_utf8()..];
            }
        }
        query.terms = topic_terms(&plain, analyzer);
        query.text = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        query
    }

    /// A query in which quotes and dashes mean nothing: a question that was not typed for us.
    pub fn plain(text: &str, analyzer: &Analyzer) -> Self {
        Self {
            terms: topic_terms(text, analyzer),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            ..Self::default()
        }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn add_phrase(&mut self, phrase: &str, negated: bool, analyzer: &Analyzer) {
        let terms = phrase_terms(phrase, analyzer);
        if terms.is_empty() {
            if words(phrase).next().is_some() {
                let dash = if negated { "-" } else { "" };
                self.ignored.push(format!("{dash}{phrase}"));
            }
            return;
        }
        if negated { self.excluded.push(terms) } else { self.phrases.push(terms) }
    }
}

fn starts_word(text: &str) -> bool {
    text.chars().next().is_some_and(|char| char.is_alphanumeric() || char == '"' || char == '_')
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

/// Terms of a phrase in the order of their positions; a compound gives only its parts. A stop word
/// between two of them, which no term stands for, is an empty one: any word.
fn phrase_terms(text: &str, analyzer: &Analyzer) -> Vec<String> {
    let mut terms: Vec<(u32, String)> = Vec::new();
    let mut buffer = String::new();
    for word in words(text) {
        fold(&text[word.range], &mut buffer);
        let Some(term) = analyzer.term(&buffer) else { continue };
        let term = term.into_owned();
        match terms.last_mut() {
            Some(last) if last.0 == word.position => last.1 = term,
            _ => terms.push((word.position, term)),
        }
    }
    let mut phrase: Vec<String> = Vec::new();
    let first = terms.first().map_or(0, |(position, _)| *position);
    for (position, term) in terms {
        phrase.resize((position - first) as usize, String::new());
        phrase.push(term);
    }
    phrase
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, terms: &[&str], phrases: &[&[&str]], excluded: &[&[&str]], text: &str) {
        let query = Query::parse(typed, &Analyzer::new("english"));
        assert_eq!(query.terms, terms, "{typed}");
        assert_eq!(query.phrases, phrases, "{typed}");
        assert_eq!(query.excluded, excluded, "{typed}");
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
        let far: &[&[&str]] = &[&["he", "did", "", "log"]];
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
}
