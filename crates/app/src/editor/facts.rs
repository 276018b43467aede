//! What is doubtful about facts: on the page where they stand, and in a note that says otherwise.

use std::ops::Range;

use super::{
    Buffer, Editor, Finding, Severity, Spot,
    known::{Fact, Known},
};
use crate::reading::Catalogue;
use elophanto_base::one_line::one_line;
use elophanto_knowledge::learn::kept::passage;

/// Characters of a fact as it is told.
const MOST_FACT: usize = 160;

/// Where in a text each fact of a page stands, by what the comment at its end says.
pub fn lines_of<'k>(
    buffer: &Buffer,
    facts: impl Iterator<Item = &'k Fact>,
) -> Vec<(Range<usize>, &'k Fact)> {
    let facts: Vec<&Fact> = facts.collect();
    if facts.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for line in 0..buffer.lines() {
        let range = buffer.line_range(line);
        let Some((said, comment)) = buffer.line(line).split_once("<!-- f:") else { continue };
        let id: &str = comment.split([' ', '-']).next().unwrap_or_default();
        let of = facts.iter().filter(|fact| fact.id == id);
        // Two lines may say the same of two sources.
        let nearest = of.min_by_key(|fact| fact.line.abs_diff(line + 1));
        if let Some(fact) = nearest {
            let start = range.start + (said.len() - said.trim_start().len());
            found.push((start..range.start + said.trim_end().len(), *fact));
        }
    }
    found
}

/// What is doubtful on a page of an entity: a note of the user says otherwise, another fact does, or the
/// file that it was found in says it no longer.
pub fn on_page(
    editor: &Editor,
    known: &Known,
    catalogue: &Catalogue,
    buffer: &Buffer,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for (range, fact) in lines_of(buffer, known.facts_on(&buffer.path)) {
        if let Some(note) = &fact.against {
            let message = format!("your note `{note}` says otherwise");
            let mut finding =
                Finding::new(range.clone(), Severity::Warning, "contradiction", message);
            finding.related.push((against_spot(editor, note, &fact.text), "your note".to_owned()));
            found.push(finding);
        }
        if let Some(other) = fact.otherwise.first() {
            let message = format!("another source says: {}", one_line(other, MOST_FACT));
            found.push(Finding::new(
                range.clone(),
                Severity::Information,
                "contradiction",
                message,
            ));
        }
        if let Some(message) = stale(editor, catalogue, fact) {
            found.push(Finding::new(range, Severity::Warning, "stale-fact", message));
        }
    }
    found
}

/// Where a note says otherwise than a fact.
fn against_spot(editor: &Editor, note: &str, fact: &str) -> Spot {
    let Some(buffer) = editor.read(note) else { return Spot::top(note) };
    match passage(&buffer.text, fact) {
        Some(passage) => Spot::line(&buffer, passage.lines.0.saturating_sub(1)),
        None => Spot::top(note),
    }
}

/// Why a fact may no longer hold: the file here that it was found in is gone, or has changed since and
/// says it no longer. Of what was found elsewhere nothing is known.
pub fn stale(editor: &Editor, catalogue: &Catalogue, fact: &Fact) -> Option<String> {
    let source = fact.source.as_deref().filter(|it| !it.contains("://") && !it.starts_with('/'))?;
    if !editor.is_note(source) || source.split('/').any(|part| part == "..") {
        return None;
    }
    let Some(text) = editor.text(source) else {
        let is_gone = !editor.root.join(source).exists();
        return is_gone.then(|| format!("its source `{source}` is gone"));
    };
    let changed = catalogue.entries.get(catalogue.find(source)?)?.changed?;
    let is_newer = fact.at.is_some_and(|at| changed > at);
    (is_newer && passage(&text, &fact.text).is_none())
        .then(|| format!("its source `{source}` has changed since and no longer says so"))
}

/// Facts of which a note says otherwise, at the sentence that does.
pub fn contradicted(known: &Known, buffer: &Buffer) -> Vec<Finding> {
    let finding = |fact: &Fact| {
        let at = passage(&buffer.text, &fact.text);
        let line = at.map_or(0, |passage| passage.lines.0.saturating_sub(1));
        let message = format!(
            "a fact about {} says otherwise: {} ({})",
            fact.entity,
            one_line(&fact.text, MOST_FACT),
            fact.source.as_deref().unwrap_or("no source named")
        );
        let range = buffer.line_range(line);
        let mut finding = Finding::new(range, Severity::Information, "contradiction", message);
        let there = Spot { line: fact.line.saturating_sub(1), ..Spot::top(&fact.page) };
        finding.related.push((there, "the fact".to_owned()));
        finding
    };
    known.against(&buffer.path).map(finding).collect()
}
