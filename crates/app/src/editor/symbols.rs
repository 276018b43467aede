//! The parts of a text, and places of all notes by what they say.

use std::ops::Range;

use super::{Buffer, Editor};
use crate::{
    Result,
    reporter::Silent,
    search::{SearchRequest, search_in},
    workspace::Workspace,
};
use elophanto_index::{Kind, search::Hit};
use elophanto_text::markdown::{BlockKind, Document};

/// Places that are found.
const MOST: usize = 40;

/// A heading with what stands below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading without its marks.
    pub name: String,
    /// 1 to 6.
    pub level: u8,
    /// From the heading to the next one of its level or above.
    pub range: Range<usize>,
    /// The heading alone.
    pub heading: Range<usize>,
    /// In the order of the text.
    pub below: Vec<Section>,
}

/// The sections of a text, each with those below it.
pub fn sections(document: &Document) -> Vec<Section> {
    let mut open: Vec<Section> = Vec::new();
    let mut whole: Vec<Section> = Vec::new();
    let close = |open: &mut Vec<Section>, whole: &mut Vec<Section>, level: u8, at: usize| {
        while open.last().is_some_and(|section| section.level >= level) {
            let Some(mut section) = open.pop() else { break };
            section.range.end = at.max(section.heading.end);
            match open.last_mut() {
                Some(above) => above.below.push(section),
                None => whole.push(section),
            }
        }
    };
    for heading in &document.headings {
        close(&mut open, &mut whole, heading.level, heading.range.start);
        open.push(Section {
            name: heading.text.clone(),
            level: heading.level,
            range: heading.range.clone(),
            heading: heading.range.clone(),
            below: Vec::new(),
        });
    }
    close(&mut open, &mut whole, 0, document.body.end);
    whole
}

/// What may be hidden of a text: sections, code, tables, front matter and comments. Bytes, and whether
/// it is a comment.
pub fn foldings(buffer: &Buffer) -> Vec<(Range<usize>, bool)> {
    let Ok(document) = buffer.document() else { return Vec::new() };
    let mut found = Vec::new();
    let mut gather = sections(document);
    while let Some(section) = gather.pop() {
        found.push((section.range, false));
        gather.extend(section.below);
    }
    let is_block = |kind: BlockKind| {
        matches!(kind, BlockKind::Code | BlockKind::Table | BlockKind::List | BlockKind::Quote)
    };
    let blocks = document.blocks.iter().filter(|block| is_block(block.kind));
    found.extend(blocks.map(|block| (block.range.clone(), false)));
    if let Some(front) = buffer.front_matter() {
        found.push((0..front.end, false));
    }
    found.extend(document.comments.iter().map(|comment| (comment.clone(), true)));
    found
}

/// A place that was found by what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What it says.
    pub name: String,
    /// The note it is in.
    pub container: String,
    /// Of what it was found in.
    pub kind: Kind,
    /// Relative to the root, with `/`.
    pub path: String,
    /// From 0.
    pub line: usize,
}

/// Places of notes, descriptions of files and facts that answer a question, best first; without one,
/// the notes that changed last.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn search_symbols(editor: &Editor, workspace: &Workspace, query: &str) -> Result<Vec<Symbol>> {
    let catalogue = editor.catalogue(workspace)?;
    if query.trim().is_empty() {
        let latest = catalogue.latest(MOST).into_iter().map(|entry| Symbol {
            name: entry.title.clone(),
            container: entry.name.clone(),
            kind: entry.kind,
            path: entry.name.clone(),
            line: 0,
        });
        return Ok(latest.collect());
    }
    let request = SearchRequest {
        text: query.to_owned(),
        kinds: Kind::SEARCHED.to_vec(),
        most: Some(MOST),
        as_it_is: true,
        ..SearchRequest::default()
    };
    let found = search_in(workspace, &request, Some(&catalogue.searched), &Silent)?;
    let symbol = |hit: &Hit| Symbol {
        name: hit.section.last().unwrap_or(&hit.title).clone(),
        container: hit.path.to_text(),
        kind: hit.kind,
        path: hit.path.to_text(),
        line: hit.line.saturating_sub(1),
    };
    Ok(found.answer.hits.iter().map(symbol).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_hold_those_below() {
        let buffer = Buffer::new("a.md".into(), "# A\nx\n### B\n## C\ny\n# D\n".into());
        fn shown(sections: &[Section]) -> String {
            let one = |it: &Section| format!("{}{:?}[{}]", it.name, it.range, shown(&it.below));
            sections.iter().map(one).collect()
        }
        let found = sections(buffer.document().expect("parses"));
        assert_eq!(shown(&found), "A0..19[B6..12[]C12..19[]]D19..23[]");
    }
}
