//! What is believed of a language model's answers: names that the document holds, and facts that
//! it bears out.
//!
//! The form of an answer is forgiven much, its content nothing: a name that the document does not
//! hold, a number that does not stand there, a fact whose words are not found together, all fall,
//! whether they were invented or injected.

mod json;
mod support;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::facts::{is_statement, shown};
use super::fold::fold;
use super::name::{structural, tidy};
use super::{Document, Known, MAX_ENTITIES, MAX_FACTS, Mode, Statement, words};
use support::Source;

/// Bytes of an answer that are read.
pub const MAX_ANSWER_BYTES: usize = 256 << 10;

/// Why nothing of an answer can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nothing was said, or thoughts only.
    #[error("the answer is empty")]
    Empty,
    /// Prose, broken JSON, or JSON of another form.
    #[error("the answer holds no JSON list")]
    NoList,
}

/// A name that a model found and the document holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Tidied; of a known entity, its own name.
    pub name: String,
    /// Index of the known entity that this is.
    pub known: Option<usize>,
}

/// The names of an answer to [`super::prompts::identify`] that can be believed, each once, in its
/// order. With [`Mode::KnownOnly`] every one is known, whatever was answered.
///
/// # Errors
/// [`Refused`] if the answer has no list; an empty list is an answer.
pub fn identify(
    answer: &str,
    document: &Document<'_>,
    known: &[Known],
    mode: Mode,
) -> Result<Vec<Name>, Refused> {
    let items = json::strings(answer, &["names", "entities"])?;
    let source = Source::new(document);
    let mut seen: HashSet<String> = HashSet::new();
    let believed = items.iter().filter_map(|item| {
        let key = fold(item);
        let tidied = tidy(item);
        let same = |name: &str| fold(name) == key || fold(name) == fold(&tidied);
        let at = known
            .iter()
            .position(|it| same(&it.name) || it.aliases.iter().any(|alias| same(alias)));
        let found = match at.and_then(|at| Some((at, known.get(at)?))) {
            Some((at, it)) => {
                let held =
                    source.holds(&it.name) || it.aliases.iter().any(|alias| source.holds(alias));
                held.then(|| Name { name: it.name.clone(), known: Some(at) })
            }
            None => match mode {
                Mode::KnownOnly => None,
                Mode::Full | Mode::Given => new(tidied, &source),
            },
        };
        found.filter(|found| seen.insert(fold(&found.name)))
    });
    Ok(believed.take(MAX_ENTITIES).collect())
}

fn new(name: String, source: &Source) -> Option<Name> {
    let key = fold(&name);
    let ordinary = words::is_generic(&key) || words::is_starter(&key);
    let fits = structural(&name).is_ok() && !ordinary && source.holds(&name);
    fits.then_some(Name { name, known: None })
}

/// The facts of an answer to [`super::prompts::facts`] that the document bears out, each once and
/// none of `had`, with the line where it does.
///
/// # Errors
/// [`Refused`] if the answer has no list; an empty list is an answer.
pub fn facts(
    answer: &str,
    document: &Document<'_>,
    entity: &Known,
    had: &[&str],
) -> Result<Vec<Statement>, Refused> {
    let items = json::strings(answer, &["facts", "statements"])?;
    let source = Source::new(document);
    let names: Vec<&str> =
        std::iter::once(&entity.name).chain(&entity.aliases).map(String::as_str).collect();
    if !names.iter().any(|name| source.holds(name)) {
        return Ok(Vec::new());
    }
    let mut seen: HashSet<String> = had.iter().map(|fact| compared(fact)).collect();
    let believed = items.iter().filter_map(|item| {
        let text = named(&shown(item), &names)?;
        let line = is_statement(&text).then(|| source.bears_out(&text, &names)).flatten()?;
        seen.insert(compared(&text)).then_some(Statement { text, line })
    });
    Ok(believed.take(MAX_FACTS).collect())
}

/// Facts are the same that differ in case, marks at the end and white space.
fn compared(fact: &str) -> String {
    fold(fact).trim_end_matches(['.', '!', ' ']).to_owned()
}

/// The sentence with the entity's name in it: a pronoun that it begins with gives way.
fn named(text: &str, names: &[&str]) -> Option<String> {
    let folded = fold(text);
    if names.iter().any(|name| support::holds(&folded, &fold(name))) {
        return Some(text.to_owned());
    }
    let rest = text.strip_prefix("It ").or_else(|| text.strip_prefix("They "))?;
    names.first().map(|name| format!("{name} {rest}"))
}
