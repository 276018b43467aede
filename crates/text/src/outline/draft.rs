//! An outline while it is drawn up: the one place that holds the caps on what is in it.

use std::{collections::HashSet, ops::Range};

use super::{Item, ItemKind, Outline, caps, prose};

/// A text and what has been found in it so far.
pub(super) struct Draft<'a> {
    /// The text up to the cap: ranges count from its start.
    pub(super) text: &'a str,
    /// Where each line starts.
    starts: Vec<usize>,
    outline: Outline,
    imported: HashSet<String>,
    cut: bool,
}

/// An item as a reader found it; the draft counts lines and applies the caps.
pub(super) struct Found<'f> {
    pub(super) kind: ItemKind,
    pub(super) name: &'f str,
    pub(super) parent: Option<usize>,
    /// Collapsed by the draft.
    pub(super) signature: &'f str,
    /// Without marks already.
    pub(super) doc: &'f str,
    pub(super) range: Range<usize>,
    pub(super) public: bool,
    pub(super) test: bool,
}

impl<'f> Found<'f> {
    /// For languages without visibility and tests.
    pub(super) fn new(kind: ItemKind, name: &'f str, range: Range<usize>) -> Self {
        let (parent, signature, doc) = (None, "", "");
        Self { kind, name, parent, signature, doc, range, public: true, test: false }
    }
}

impl<'a> Draft<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let head = prose::head(text, caps::TEXT);
        let behind_breaks = head.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(behind_breaks).collect();
        let cut = head.len() < text.len();
        let outline = Outline { has_errors: cut, ..Outline::default() };
        Self { text: head, starts, outline, imported: HashSet::new(), cut }
    }

    /// Whether the text is longer than what is looked at.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// The number of the new item. `None` if it has no name, or the outline is full.
    pub(super) fn add(&mut self, found: Found<'_>) -> Option<usize> {
        let name = prose::collapse(found.name, caps::NAME);
        if name.is_empty() || self.is_full() {
            return None;
        }
        let range = self.trimmed(found.range);
        let last = range.end.saturating_sub(1).max(range.start);
        let lines = (self.line_of(range.start), self.line_of(last));
        self.outline.items.push(Item {
            kind: found.kind,
            name,
            parent: found.parent,
            signature: prose::collapse(found.signature, caps::SIGNATURE),
            doc: prose::head(found.doc.trim(), caps::DOC).trim_end().to_owned(),
            lines,
            range,
            public: found.public,
            test: found.test,
        });
        Some(self.outline.items.len() - 1)
    }

    /// No further item is taken.
    pub(super) fn is_full(&self) -> bool {
        self.outline.items.len() >= caps::ITEMS
    }

    pub(super) fn import(&mut self, name: &str) {
        let name = name.trim();
        if name.is_empty()
            || name.len() > caps::IMPORT
            || self.outline.imports.len() >= caps::IMPORTS
            || self.imported.contains(name)
        {
            return;
        }
        self.imported.insert(name.to_owned());
        self.outline.imports.push(name.to_owned());
    }

    /// Says where an item ends, which was not known when it was added.
    pub(super) fn close(&mut self, number: usize, end: usize) {
        let Some(start) = self.outline.items.get(number).map(|item| item.range.start) else {
            return;
        };
        let range = self.trimmed(start..end);
        let last = self.line_of(range.end.saturating_sub(1).max(range.start));
        if let Some(item) = self.outline.items.get_mut(number) {
            (item.range, item.lines.1) = (range, last);
        }
    }

    /// The first that says something stays.
    pub(super) fn purpose(&mut self, purpose: &str) {
        if self.outline.purpose.is_empty() {
            let purpose = prose::head(purpose.trim(), caps::PURPOSE);
            self.outline.purpose = purpose.trim_end().to_owned();
        }
    }

    pub(super) fn failed(&mut self) {
        self.outline.has_errors = true;
    }

    /// For what is only known at the end, such as a doc comment that stands elsewhere.
    pub(super) fn items(&mut self) -> &mut [Item] {
        &mut self.outline.items
    }

    pub(super) fn finish(self) -> Outline {
        self.outline
    }

    /// The number of the line that a byte is on, 1-based.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    /// What a range says, `""` where it is none of the text's.
    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// Within the text, on character boundaries, without white space at the end.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end).max(start);
        start..start + self.slice(start..end).trim_end().len()
    }
}
