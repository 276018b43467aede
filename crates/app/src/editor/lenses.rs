//! What is told beside a text: who refers to it, what resembles it, since when it has drifted, where
//! facts are from.

use std::{collections::BTreeMap, ops::Range};

use super::{
    Buffer, Resolver, Spot,
    facts::{contradicted, lines_of},
    known::Fact,
    source::{about_file, description},
};
use crate::{
    Result,
    reading::{self, Catalogue, drift_of},
    when::day,
};
use elophanto_base::one_line::one_line;
use elophanto_repo::NotePath;
use elophanto_text::markdown::Destination;

/// Notes that refer to one and are read for it.
const MOST_READ: usize = 200;
/// Notes that are named in one line.
const MOST_SIMILAR: usize = 3;
/// Characters of a name.
const MOST_NAME: usize = 40;
/// Characters of a source.
const MOST_SOURCE: usize = 60;

/// Something told above a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// From 0.
    pub line: usize,
    /// What is told.
    pub shown: Shown,
}

/// What is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// So many links lead to the note, or to the heading.
    Referred(usize),
    /// Notes that resemble it, each with its title.
    Similar(Vec<(Spot, String)>),
    /// Commits that touched what it covers, and the day since when.
    Drifted(usize, String),
    /// A fact on this page says otherwise than the note.
    Contradicted(Spot),
    /// Notes that cover or name a source file, each with its title.
    Told(Vec<(Spot, String)>),
    /// What was found out about a source file, and whether it still holds.
    Described(String, bool),
}

/// Something told behind a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The byte behind which it stands.
    pub at: usize,
    /// What is shown behind the line.
    pub text: String,
    /// What is shown where somebody points at it.
    pub more: String,
}

/// What is told above lines of a text.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn lenses(resolver: &Resolver, buffer: &Buffer) -> Result<Vec<Lens>> {
    let catalogue = resolver.catalogue()?;
    if !resolver.editor.is_note(&buffer.path) {
        return of_source(resolver, catalogue, buffer);
    }
    let document = buffer.document().ok();
    let first = document.and_then(|it| it.headings.first()).map_or(0, |heading| heading.line - 1);
    let mut found = Vec::new();
    let mut tell = |line, shown| found.push(Lens { line, shown });
    let path = NotePath::from(buffer.path.as_str());
    if let Some(drift) = drift_of(resolver.workspace, catalogue, &path) {
        tell(first, Shown::Drifted(drift.total, day(drift.since)));
    }
    let known = resolver.known()?;
    for finding in contradicted(resolver.workspace, &known, buffer) {
        let line = buffer.line_at(finding.range.start);
        finding.related.into_iter().for_each(|(page, _)| tell(line, Shown::Contradicted(page)));
    }
    let (all, by_heading) = referred(resolver, catalogue, buffer);
    if all > 0 {
        tell(first, Shown::Referred(all));
    }
    let similar = similar(resolver, catalogue, buffer)?;
    if !similar.is_empty() {
        tell(first, Shown::Similar(similar));
    }
    for (line, count) in by_heading.into_iter().filter(|(line, _)| *line != first) {
        tell(line, Shown::Referred(count));
    }
    Ok(found)
}

/// How many links lead to a note, and to which of its headings (lines from 0).
fn referred(
    resolver: &Resolver,
    catalogue: &Catalogue,
    buffer: &Buffer,
) -> (usize, BTreeMap<usize, usize>) {
    let mut by_heading = BTreeMap::new();
    let Some(number) = catalogue.find(&buffer.path) else { return (0, by_heading) };
    let incoming = catalogue.incoming(number);
    let mut from: Vec<usize> = incoming.iter().map(|it| it.from).collect();
    from.dedup();
    for note in from.into_iter().take(MOST_READ) {
        let (Some(entry), Some(text)) = (catalogue.entries.get(note), catalogue.text(note)) else {
            continue;
        };
        // Most texts link to no heading at all.
        if !text.contains('#') {
            continue;
        }
        let other = Buffer::new(entry.name.clone(), text.to_owned());
        for link in resolver.links(&other) {
            let leads = matches!(&link.to, Destination::Inside(to) if *to == buffer.path);
            let wanted = link.heading().filter(|_| leads);
            if let Some(heading) = wanted.and_then(|wanted| buffer.heading(wanted)) {
                *by_heading.entry(heading.line - 1).or_insert(0) += 1;
            }
        }
    }
    (incoming.len(), by_heading)
}

/// Notes that resemble one as it was saved last, and are not linked with it yet.
fn similar(
    resolver: &Resolver,
    catalogue: &Catalogue,
    buffer: &Buffer,
) -> Result<Vec<(Spot, String)>> {
    let Some(number) = catalogue.find(&buffer.path) else { return Ok(Vec::new()) };
    let editor = resolver.editor;
    let workspace = editor.unasked()?;
    let Some(note) = reading::note(&workspace, catalogue, number)? else { return Ok(Vec::new()) };
    let alike = editor.cache.alike(&workspace, catalogue, &note);
    // What cannot be told is left out.
    let alike = alike.unwrap_or_default();
    let spot = |alike: &reading::Alike| {
        let path = alike.hit.path.to_text();
        let line = alike.hit.line.saturating_sub(1);
        (Spot { line, ..Spot::top(&path) }, one_line(&alike.hit.title, MOST_NAME))
    };
    let apart = alike.iter().filter(|alike| !alike.is_linked);
    Ok(apart.take(MOST_SIMILAR).map(spot).collect())
}

fn of_source(resolver: &Resolver, catalogue: &Catalogue, buffer: &Buffer) -> Result<Vec<Lens>> {
    let told = about_file(resolver, catalogue, &buffer.path)?;
    let told: Vec<(Spot, String)> = told
        .into_iter()
        .map(|it| {
            let line = it.line.saturating_sub(1);
            (Spot { line, ..Spot::top(&it.path) }, one_line(&it.title, MOST_NAME))
        })
        .collect();
    let description = description(resolver, catalogue, &buffer.path);
    let told = (!told.is_empty()).then_some(Shown::Told(told));
    let described = description.map(|(text, holds)| Shown::Described(text, holds));
    Ok(told.into_iter().chain(described).map(|shown| Lens { line: 0, shown }).collect())
}

/// Where the facts of a page are from.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn hints(resolver: &Resolver, buffer: &Buffer) -> Result<Vec<Hint>> {
    if !buffer.text.contains("<!-- f:") {
        return Ok(Vec::new());
    }
    let known = resolver.known()?;
    let facts = known.facts_on(resolver.workspace, &buffer.path);
    let hint = |(range, Fact { told, .. }): (Range<usize>, &Fact)| {
        let source = told.source.filter(|source| !source.is_empty())?;
        let short = source.split_once("://").map_or(source, |(_, rest)| rest);
        let short = short.strip_prefix("www.").unwrap_or(short);
        let host =
            if source.contains("://") { short.split('/').next().unwrap_or(short) } else { short };
        let day = told.day().map(|day| format!(", {day}")).unwrap_or_default();
        let more =
            if !told.also.is_empty() { format!(" +{}", told.also.len()) } else { String::new() };
        Some(Hint {
            at: range.end,
            text: format!("{}{day}{more}", one_line(host, MOST_SOURCE)),
            more: source.to_owned(),
        })
    };
    Ok(lines_of(buffer, &facts).into_iter().filter_map(hint).collect())
}
