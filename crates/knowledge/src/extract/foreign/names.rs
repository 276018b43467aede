//! Names that texts of other languages are about.

use std::collections::{HashMap, HashSet};

use super::grammar::Grammar;
use crate::extract::candidates::Candidate;
use crate::extract::fold::fold;
use crate::extract::name::{structural, tidy};
use crate::extract::page::Page;
use crate::extract::shape;
use crate::extract::subject::Class;
use crate::extract::thing;
use crate::extract::token::{Token, tokens};

/// Names of a page that are kept, and runs of words that are looked at.
const MAX_NAMES: usize = 100;
const MAX_RUNS: usize = 2_000;

/// The topic as the page writes it, what the page lists the properties of, and names that nothing but
/// a name can be, if the page states something of them.
pub(in crate::extract) fn candidates(
    page: &Page,
    grammar: &Grammar,
    topic: &str,
    title: Option<&str>,
) -> Vec<Candidate> {
    let asked = asked(page, grammar, topic);
    let is_person = person(page, grammar).is_some();
    let surname = asked.as_deref().and_then(|name| name.rsplit_once(' ')).filter(|_| is_person);
    let surname = surname.map(|(_, last)| last.to_owned());
    let whole = asked.clone();
    let new = |name: String| Candidate {
        short: surname.iter().filter(|_| whole.as_ref() == Some(&name)).cloned().collect(),
        name,
        aliases: Vec::new(),
        class: Class::NewProper,
        is_defined: false,
    };
    let mut names: Vec<String> = asked.into_iter().collect();
    names.extend(thing::of_topic(page, topic, title));
    names.extend(thing::of_properties(page, topic, title));
    names.extend(subjects(page, grammar, topic));
    let mut seen: HashSet<String> = HashSet::new();
    names.retain(|name| seen.insert(fold(name)));
    names.truncate(MAX_NAMES);
    names.into_iter().map(new).collect()
}

/// The pronoun of the person whose life a page tells: its first sentence says when they were born, and what
/// they are.
pub(super) fn person(page: &Page, grammar: &Grammar) -> Option<&'static str> {
    let first = page.sentences.first().map(|first| page.text(first))?;
    let is_born = ["(*", " * ", "geb", "né", "nacid"].iter().any(|mark| first.contains(mark));
    let kinds = [(" eine ", "sie"), (" ein ", "er"), (" une ", "elle"), (" un ", "il")];
    let mut kinds = kinds.into_iter().filter(|(_, it)| grammar.pronouns.contains(it));
    let is_it = |(article, _): &(&str, &str)| {
        ["ist", "war", "est", "était", "fut"]
            .iter()
            .any(|is| first.contains(&format!(" {is}{article}")))
    };
    kinds.find(is_it).filter(|_| is_born).map(|(_, pronoun)| pronoun)
}

fn asked(page: &Page, grammar: &Grammar, topic: &str) -> Option<String> {
    let topic = fold(&tidy(topic));
    let words = topic.split(' ').count();
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        for from in 0..tokens.len() {
            let (Some(first), Some(last)) = (tokens.get(from), tokens.get(from + words - 1)) else {
                break;
            };
            let surface = text.get(first.start..last.end).unwrap_or_default();
            if fold(surface) == topic
                && structural(surface).is_ok()
                && grammar.states(&tokens, from, from + words)
            {
                return Some(surface.to_owned());
            }
        }
    }
    None
}

/// How a page writes a word or run of words that begins sentences.
#[derive(Default)]
struct Writing {
    /// Statements that it begins, without an article.
    subject: usize,
    /// Elsewhere in a sentence, with a capital.
    inner: usize,
    /// Behind an article.
    article: usize,
    /// It begins an entry: `Debian 0.91 (1994): ...`
    entry: bool,
}

/// Names that sentences are about: of several words, shaped as only names are, or written as a name
/// where others are not.
fn subjects(page: &Page, grammar: &Grammar, topic: &str) -> Vec<String> {
    let topic = fold(topic);
    let of_topic: Vec<&str> = topic.split([' ', '-']).collect();
    let mut order: Vec<String> = Vec::new();
    let mut all: HashMap<String, Writing> = HashMap::new();
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let begins = at == 0;
            let known = begins && grammar.is_small(&first.lower());
            let end = if known { at } else { shape::run(&tokens, at) };
            let surface = tokens.get(end.wrapping_sub(1)).filter(|_| end > at);
            let Some(surface) = surface.and_then(|last| text.get(first.start..last.end)) else {
                at += 1;
                continue;
            };
            let article = at > 0 && grammar.is_article(&tokens[at - 1]);
            if !all.contains_key(surface) && order.len() < MAX_RUNS {
                order.push(surface.to_owned());
            }
            let writing = all.entry(surface.to_owned()).or_default();
            let opens = begins || at == 1 && article;
            writing.subject += usize::from(opens && grammar.states(&tokens, at, end));
            writing.inner += usize::from(!begins && !article);
            writing.article += usize::from(article);
            writing.entry |= begins && sentence.first && is_entry(&tokens, end);
            at = end;
        }
    }
    order.retain(|name| {
        let Some(writing) = all.get(name) else { return false };
        let told = writing.subject > 0 || writing.entry;
        let words = name.split(' ').count();
        // `Das Hauptprodukt des Projekts`, `Verschiedene Typen` are no names.
        let plain = grammar.nouns_have_capitals
            && (writing.article > 0 || writing.inner == 0 || name.split(' ').any(shape::is_joint));
        let sure = shape::is_shaped(name) && !name.contains('-')
            || words > 1 && shape::is_proper(name) && !plain;
        let single = || {
            let named = of_topic.contains(&fold(name).as_str());
            let is_name = match grammar.nouns_have_capitals {
                true => writing.article == 0 && writing.subject > 1,
                false => writing.inner > 0,
            };
            words == 1 && (named && writing.article == 0 || is_name)
        };
        told && structural(name).is_ok() && !shape::is_code(name) && (sure || single())
    });
    order
}

/// `X (1994) : what came of it`, at the beginning of a block.
pub(super) fn is_entry(tokens: &[Token<'_>], end: usize) -> bool {
    let at = crate::extract::clause::behind_bracket(tokens, end);
    let colon = |token: &Token<'_>| token.text.is_empty() && token.before == ":";
    let closed = tokens.get(at.wrapping_sub(1)).is_some_and(|last| last.after.ends_with(':'));
    let behind = tokens.get(at).is_some_and(colon);
    (closed || behind) && tokens.len() >= at + 5
}
