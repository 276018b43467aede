//! Facts of documents of kinds that the rules were not made for, each judged by a reader who saw the
//! document and the page alone: true, whole, and understandable by itself. One half was looked at
//! while the rules were made, of the other half only the totals.

use std::{collections::HashMap, fs};

use elophanto_knowledge::extract::{Document, Mode, extract};
use elophanto_text::reading::{Hint, read};

use super::documents::{fold, says};
use super::{Share, folder, lines, text, texts, truth};
use crate::env::snapshot;

#[derive(Default)]
struct Figures {
    /// Right ones of those that were judged.
    right: Share,
    /// What nobody judged yet.
    unjudged: Vec<String>,
    best: Share,
    /// Documents of which nothing was found.
    empty: usize,
}

#[test]
fn facts_of_documents_kept_apart() {
    let judged: HashMap<(String, String), bool> = lines("judged.jsonl")
        .iter()
        .map(|line| {
            let key = (text(line, "document").to_owned(), fold(text(line, "fact")));
            (key, truth(line, "right"))
        })
        .collect();
    let mut halves = [("seen", Figures::default()), ("kept apart", Figures::default())];
    for label in lines("more.jsonl") {
        let (id, file, topic) = (text(&label, "id"), text(&label, "file"), text(&label, "topic"));
        let figures = &mut halves[usize::from(text(&label, "part") == "held")].1;
        let bytes = fs::read(folder().join(file)).unwrap();
        let page = read(&bytes, Hint { media_type: None, name: Some(file) }).unwrap();
        let document = Document { text: &page.text, title: page.title.as_deref() };
        let found = extract(&document, topic, &[], Mode::Full).entities;
        let facts = found.iter().flat_map(|it| &it.facts).map(|fact| fact.text.as_str());
        let facts: Vec<&str> = facts.collect();
        figures.empty += usize::from(facts.is_empty());
        for fact in &facts {
            match judged.get(&(id.to_owned(), fold(fact))) {
                Some(is_right) => figures.right.count(*is_right),
                None => figures.unjudged.push(format!("{id} {fact}")),
            }
        }
        let said: Vec<String> = facts.iter().map(fold).collect();
        for best in texts(&label, "best") {
            figures.best.count(says(&said, best));
        }
    }
    let show = |(part, figures): &(&str, Figures)| {
        let Figures { right, unjudged, best, empty } = figures;
        let named: String = unjudged.iter().map(|fact| format!("    {fact}\n")).collect();
        format!(
            "{part}\n  right {right}\n  of the ten best {best}\n  documents without facts {empty}\n  \
             not judged {}\n{named}",
            unjudged.len()
        )
    };
    let shown: String = halves.iter().map(show).collect();
    snapshot!(shown, @"
    seen
      right 0.974 (191/196)
      of the ten best 0.625 (75/120)
      documents without facts 2
      not judged 0
    kept apart
      right 0.940 (126/134)
      of the ten best 0.578 (67/116)
      documents without facts 1
      not judged 0
    ");
}
