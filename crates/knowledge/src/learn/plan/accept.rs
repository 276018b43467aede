//! Which lines of a model's answer become searches.

use std::collections::BTreeSet;

use super::{
    MAX_QUERIES, MAX_QUERY_CHARS, MIN_QUERIES, Topic, plan,
    prompt::{FENCE, RULE},
    searches::is_among,
    topic::content_terms,
};
use crate::words::{Words, list};
use elophanto_base::one_line::one_line;

/// How much of an answer is read.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Lines that are looked at.
const MAX_LINES: usize = 200;
/// A line of more words is prose.
const MAX_WORDS: usize = 20;

/// Why an answer is no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nothing is left once thoughts and fences are taken away.
    #[error("the answer is empty")]
    Empty,
    /// The prompt comes back.
    #[error("the answer repeats the prompt")]
    Echo,
    /// No line is a search about the topic.
    #[error("the answer holds no search about the topic")]
    NoQueries,
}

/// How a line begins that talks to us.
static TALK: Words = list!(phrases "talk");

/// The searches of a model's answer, three to five different ones.
///
/// Numbers, bullets, quotation marks, fences and the brackets of a JSON list are taken away. What
/// holds an address, is too long, is talk, or shares no content word with the topic is dropped; if
/// fewer than three are left, those of [`plan`] follow.
///
/// # Errors
/// [`Refused`] if no search is left.
pub fn accept(answer: &str, topic: &Topic) -> Result<Vec<String>, Refused> {
    let answer = answer.get(..answer.floor_char_boundary(MAX_ANSWER_BYTES)).unwrap_or(answer);
    let answer = without_thoughts(answer);
    if answer.contains(FENCE) || answer.contains(RULE) {
        return Err(Refused::Echo);
    }
    let lines = lines(answer);
    if lines.is_empty() {
        return Err(Refused::Empty);
    }
    let about = About::new(topic);
    let mut queries = Distinct::default();
    for line in lines.iter().filter_map(|line| query(line)).filter(|query| about.covers(query)) {
        queries.add(line);
    }
    if queries.kept.is_empty() {
        return Err(Refused::NoQueries);
    }
    let planned = plan(topic, MAX_QUERIES);
    for query in &planned {
        if queries.kept.len() < MIN_QUERIES {
            queries.add(query.clone());
        }
    }
    // A topic that is made of the words that plans add has no others to tell its searches apart.
    for query in planned {
        if queries.kept.len() < MIN_QUERIES && !is_among(&query, &queries.kept) {
            queries.kept.push(query);
        }
    }
    Ok(queries.kept)
}

/// By what two searches are told apart: their words without order, endings and stop words, or all
/// they have.
fn key(query: &str) -> String {
    let terms = content_terms(query);
    if terms.is_empty() {
        return query.to_lowercase();
    }
    terms.into_iter().collect::<Vec<_>>().join(" ")
}

#[derive(Default)]
struct Distinct {
    kept: Vec<String>,
    keys: BTreeSet<String>,
}

impl Distinct {
    fn add(&mut self, query: String) {
        if self.kept.len() < MAX_QUERIES && self.keys.insert(key(&query)) {
            self.kept.push(query);
        }
    }
}

/// What a search must share with its topic.
struct About {
    terms: BTreeSet<String>,
    /// What a topic without content words is known by.
    whole: String,
}

impl About {
    fn new(topic: &Topic) -> Self {
        let whole = topic.as_str().trim_end_matches(['?', '!', '.']).to_lowercase();
        Self { terms: content_terms(topic.as_str()), whole }
    }

    fn covers(&self, query: &str) -> bool {
        if self.terms.is_empty() {
            return query.to_lowercase().contains(&self.whole);
        }
        !content_terms(query).is_disjoint(&self.terms)
    }
}

/// What follows the last thought; a thought that never ends leaves nothing.
fn without_thoughts(answer: &str) -> &str {
    let mut rest = answer;
    for (open, close) in
        [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")]
    {
        if let Some((_, after)) = rest.rsplit_once(close) {
            rest = after;
        }
        if rest.trim_start().starts_with(open) {
            return "";
        }
    }
    rest
}

/// The lines of an answer, or the strings of the JSON list that it is.
fn lines(answer: &str) -> Vec<String> {
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    let bare = answer.lines().map(str::trim).filter(|line| !line.is_empty() && !is_fence(line));
    let bare: Vec<&str> = bare.take(MAX_LINES).collect();
    if bare.first().is_some_and(|first| first.starts_with(['[', '{']))
        && let Ok(json) = serde_json::from_str(&bare.join("\n"))
    {
        return strings(&json);
    }
    bare.into_iter().map(str::to_owned).collect()
}

/// The strings of a list, or of the first list of an object.
fn strings(json: &serde_json::Value) -> Vec<String> {
    let list = match json {
        serde_json::Value::Object(fields) => fields.values().find_map(|field| field.as_array()),
        _ => json.as_array(),
    };
    let texts = list.into_iter().flatten().filter_map(|item| item.as_str());
    // A line break inside a string would join what are two lines.
    texts.filter(|text| !text.contains('\n')).take(MAX_LINES).map(str::to_owned).collect()
}

/// The search of a line; `None` if it is none.
fn query(line: &str) -> Option<String> {
    if line.len() > MAX_QUERY_CHARS * 8 {
        return None;
    }
    let line = one_line(line, MAX_QUERY_CHARS + 50);
    let line = unquoted(without_mark(&line));
    let folded = line.replace('’', "'").to_lowercase();
    let is_talk = TALK.iter().any(|talk| {
        folded.strip_prefix(talk).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let has_address = ["://", "www.", "http:", "https:", "](", "mailto:"];
    let is_code = line.starts_with(['{', '}', '[', ']', '<', '#', '|', '$', '/']);
    let fits = line.chars().count() <= MAX_QUERY_CHARS
        && line.split(' ').count() <= MAX_WORDS
        && !line.ends_with(':')
        && !line.contains(['`', '<', '>', '{', '}', '|', '\\', '='])
        && !has_address.iter().any(|part| folded.contains(part));
    (fits && !is_talk && !is_code && !line.is_empty()).then(|| line.to_owned())
}

/// Without the bullet, number or label at the beginning of a line: `2) `, `- `, `Query 3: `.
fn without_mark(line: &str) -> &str {
    let line = line.trim_start_matches(['>', '-', '*', '•', '–', '+', ' ']);
    let labelled = ["search query", "search", "query"].iter().find_map(|label| {
        let head = line.get(..label.len())?;
        let rest = line.get(label.len()..)?.trim_start();
        let rest = rest.trim_start_matches(|char: char| char.is_ascii_digit());
        head.eq_ignore_ascii_case(label).then(|| rest.strip_prefix(':')).flatten()
    });
    if let Some(rest) = labelled {
        return rest.trim_start();
    }
    let rest = line.trim_start_matches(['(', '[']);
    let digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    let count = rest.len() - digits.len();
    let marked = digits.trim_start_matches(['.', ')', ']', ':', '-']);
    // `3D printing` and `3.5 mm jack` are no numbers of lines.
    if (1..=2).contains(&count) && marked.len() < digits.len() && marked.starts_with(' ') {
        return marked.trim_start();
    }
    line
}

/// Without quotation marks around the whole, the comma of a list, and emphasis.
fn unquoted(line: &str) -> &str {
    let line = line.trim().trim_end_matches([',', ';']);
    let line = line.trim_matches(['*', '_', '`']);
    let inner = line.trim_matches(['"', '“', '”', '„', '\'', '‘', '’', '«', '»']);
    // A quotation mark inside means that those at the ends are no pair.
    if inner.contains('"') { line } else { inner.trim() }
}
