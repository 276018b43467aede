//! What is doubtful about facts: on the page where they stand, and in a note that says otherwise.

use std::ops::Range;

use super::{
    Buffer, Finding, Resolver, Severity, Spot,
    known::{Fact, Known},
};
use crate::{reading::Catalogue, workspace::Workspace};
use elophanto_base::one_line::one_line;
use elophanto_knowledge::learn::kept::passage;

/// Characters of a fact as it is told.
const MOST_FACT: usize = 160;

/// Where in a text each fact of a page stands, by what the comment at its end says.
pub fn lines_of<'f, 'k>(
    buffer: &Buffer,
    facts: &'f [Fact<'k>],
) -> Vec<(Range<usize>, &'f Fact<'k>)> {
    if facts.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for line in 0..buffer.lines() {
        let range = buffer.line_range(line);
        let Some((said, comment)) = buffer.line(line).split_once("<!-- f:") else { continue };
        let id: &str = comment.split([' ', '-']).next().unwrap_or_default();
        let of = facts.iter().filter(|fact| fact.told.id == id);
        // Two lines may say the same of two sources.
        let nearest = of.min_by_key(|fact| fact.told.line.abs_diff(line + 1));
        if let Some(fact) = nearest {
            let start = range.start + (said.len() - said.trim_start().len());
            found.push((start..range.start + said.trim_end().len(), fact));
        }
    }
    found
}

/// What is doubtful on a page of an entity: a note of the user says otherwise, another fact does, or the
/// file that it was found in says it no longer.
pub fn on_page(
    resolver: &Resolver,
    known: &Known,
    catalogue: &Catalogue,
    buffer: &Buffer,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let facts = known.facts_on(resolver.workspace, &buffer.path);
    for (range, fact) in lines_of(buffer, &facts) {
        if let Some(note) = fact.told.against {
            let message = format!("your note `{note}` says otherwise");
            let mut finding =
                Finding::new(range.clone(), Severity::Warning, "contradiction", message);
            finding
                .related
                .push((against_spot(resolver, note, fact.told.text), "your note".to_owned()));
            found.push(finding);
        }
        if let Some(other) = fact.otherwise() {
            let message = format!("another source says: {}", one_line(other, MOST_FACT));
            found.push(Finding::new(
                range.clone(),
                Severity::Information,
                "contradiction",
                message,
            ));
        }
        if let Some(message) = stale(resolver, catalogue, fact) {
            found.push(Finding::new(range, Severity::Warning, "stale-fact", message));
        }
    }
    found
}

/// Where a note says otherwise than a fact.
fn against_spot(resolver: &Resolver, note: &str, fact: &str) -> Spot {
    let Some(buffer) = resolver.buffer_of(note) else { return Spot::top(note) };
    match passage(&buffer.text, fact) {
        Some(passage) => Spot::line(&buffer, passage.lines.0.saturating_sub(1)),
        None => Spot::top(note),
    }
}

/// Why a fact may no longer hold: the file here that it was found in is gone, or has changed since and
/// says it no longer. Of what was found elsewhere nothing is known.
pub fn stale(resolver: &Resolver, catalogue: &Catalogue, fact: &Fact) -> Option<String> {
    let source = fact.told.source.filter(|it| !it.contains("://") && !it.starts_with('/'))?;
    if !resolver.editor.is_note(source) || source.split('/').any(|part| part == "..") {
        return None;
    }
    let Some(read) = resolver.buffer_of(source) else {
        let is_gone = !resolver.editor.root.join(source).exists();
        return is_gone.then(|| format!("its source `{source}` is gone"));
    };
    let changed = catalogue.entries.get(catalogue.find(source)?)?.changed?;
    let is_newer = fact.at().is_some_and(|at| changed > at);
    (is_newer && passage(&read.text, fact.told.text).is_none())
        .then(|| format!("its source `{source}` has changed since and no longer says so"))
}

/// Facts of which a note says otherwise, at the sentence that does.
pub fn contradicted(workspace: &Workspace, known: &Known, buffer: &Buffer) -> Vec<Finding> {
    let finding = |Fact { entity, told }: Fact| {
        let at = passage(&buffer.text, told.text);
        let line = at.map_or(0, |passage| passage.lines.0.saturating_sub(1));
        let message = format!(
            "a fact about {} says otherwise: {} ({})",
            entity.title,
            one_line(told.text, MOST_FACT),
            told.source.filter(|it| !it.is_empty()).unwrap_or("no source named")
        );
        let range = buffer.line_range(line);
        let mut finding = Finding::new(range, Severity::Information, "contradiction", message);
        let there = Spot { line: told.line.saturating_sub(1), ..Spot::top(&told.path) };
        finding.related.push((there, "the fact".to_owned()));
        finding
    };
    known.against(workspace, &buffer.path).into_iter().map(finding).collect()
}
