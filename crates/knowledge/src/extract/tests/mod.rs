//! What is found in texts; by subject.

mod given;
mod hostile;
mod languages;
mod names;
mod pages;
mod references;
mod rows;
mod unnamed;

use super::*;

fn found(text: &str, topic: &str, known: &[Known], mode: Mode) -> Vec<(String, Vec<String>)> {
    let document = Document { text, title: None };
    let entities = extract(&document, topic, known, mode).entities;
    let facts = |it: Found| (it.name, it.facts.into_iter().map(|fact| fact.text).collect());
    entities.into_iter().map(facts).collect()
}

fn check(text: &str, expected: &[(&str, &[&str])]) {
    let found = found(text, "", &[], Mode::Full);
    let found: Vec<(&str, Vec<&str>)> = found
        .iter()
        .map(|(name, facts)| (name.as_str(), facts.iter().map(String::as_str).collect()))
        .collect();
    let expected: Vec<(&str, Vec<&str>)> =
        expected.iter().map(|(name, facts)| (*name, facts.to_vec())).collect();
    assert_eq!(found, expected, "{text}");
}

fn known(names: &[&str]) -> Vec<Known> {
    names.iter().map(|name| Known { name: (*name).to_owned(), aliases: Vec::new() }).collect()
}

/// Name, aliases and facts, of a text that was read about a topic.
fn asked(text: &str, topic: &str) -> Vec<(String, Vec<String>, Vec<String>)> {
    let entities = extract(&Document { text, title: None }, topic, &[], Mode::Full).entities;
    let facts = |it: Vec<Statement>| it.into_iter().map(|fact| fact.text).collect();
    entities.into_iter().map(|it| (it.name, it.aliases, facts(it.facts))).collect()
}

fn check_asked(text: &str, topic: &str, expected: &[(&str, &[&str], &[&str])]) {
    let owned = |list: &[&str]| list.iter().map(|&it| it.to_owned()).collect::<Vec<String>>();
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, aliases, facts)| ((*name).to_owned(), owned(aliases), owned(facts)))
        .collect();
    assert_eq!(asked(text, topic), expected, "{text}");
}

/// The facts of a page under a topic, each with its entity.
pub(super) fn told(text: &str, topic: &str) -> Vec<String> {
    let facts = found(text, topic, &[], Mode::Full).into_iter();
    facts
        .flat_map(|(name, facts)| facts.into_iter().map(move |it| format!("{name} | {it}")))
        .collect()
}
