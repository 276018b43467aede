//! Markdown -> blocks, headings and links, from comrak's tree. Owns the parser's options and its
//! step budget, and turns its line numbers into byte ranges. It knows no front matter.
//!
//! Footnotes stay off: the parser would move definitions to the end of the document, and blocks
//! here are in the order of the text.

use std::cell::Cell;
use std::ops::Range;

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, Options, try_parse_document};
use rustc_hash::FxHashSet;

use super::lines::LineTable;
use super::links::is_external;
use super::tags::{MOST_TAGS, tags};
use super::{Block, BlockKind, Heading, Link, LinkKind, MAX_PARSE_STEPS, Unparsable};

/// Steps between two calls of the parser's cancellation hook.
const STEPS_PER_CALL: usize = 256;

pub(super) struct Tree {
    pub blocks: Vec<Block>,
    pub headings: Vec<Heading>,
    pub links: Vec<Link>,
    /// Ranges of HTML comments, ascending.
    pub comments: Vec<Range<usize>>,
    /// Without their `#`, each once whatever its case.
    pub tags: Vec<String>,
}

/// Tags whose inside is shown as it stands.
const RAW_TAGS: [&str; 4] = ["<pre", "<script", "<style", "<textarea"];

/// Reads the lines of `text` from `body.start` on, which is where the line `body_line` begins.
pub(super) fn read(
    text: &str,
    body: &Range<usize>,
    body_line: usize,
    lines: &LineTable,
) -> Result<Tree, Unparsable> {
    let markdown = text.get(body.clone()).unwrap_or_default();
    let arena = Arena::new();
    let root = parsed_within_budget(&arena, markdown, &options())?;

    let mut reader = Reader {
        text,
        body,
        lines,
        lines_before: body_line - 1,
        end: body.start,
        tree: Tree {
            blocks: Vec::new(),
            headings: Vec::new(),
            links: Vec::new(),
            comments: Vec::new(),
            tags: Vec::new(),
        },
        seen: FxHashSet::default(),
    };
    for node in root.children() {
        reader.block(node);
    }
    reader.fill_gap(body.end);
    for node in root.descendants() {
        reader.link(node);
        reader.comments(node);
        reader.tags(node);
    }
    reader.tree.comments.sort_by_key(|comment| comment.start);
    Ok(reader.tree)
}

/// The tree of a text, unless it takes too many steps.
pub(crate) fn parsed_within_budget<'a>(
    arena: &'a Arena<'a>,
    markdown: &str,
    options: &Options<'_>,
) -> Result<Node<'a>, Unparsable> {
    let calls = Cell::new(0);
    let out_of_steps = || {
        calls.set(calls.get() + 1);
        calls.get() > MAX_PARSE_STEPS / STEPS_PER_CALL
    };
    try_parse_document(arena, markdown, options, &out_of_steps).map_err(|_| Unparsable::Tangled)
}

/// What is written as a link, on a line of a note.
pub(crate) fn link_of(url: &str, kind: LinkKind, line: usize, range: Range<usize>) -> Link {
    let (target, heading) = match url.split_once('#') {
        Some((target, heading)) if !is_external(url, kind) => (target, Some(heading)),
        _ => (url, None),
    };
    Link {
        target: target.trim().to_owned(),
        kind,
        heading: heading.map(|heading| heading.trim().to_owned()),
        line,
        range,
    }
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.wikilinks_title_after_pipe = true;
    options
}

struct Reader<'a> {
    text: &'a str,
    body: &'a Range<usize>,
    lines: &'a LineTable,
    lines_before: usize,
    /// Where the last block ended.
    end: usize,
    tree: Tree,
    /// Tags in lower case.
    seen: FxHashSet<String>,
}

impl Reader<'_> {
    fn block(&mut self, node: Node<'_>) {
        let ast = node.data();
        let first = self.lines_before + ast.sourcepos.start.line;
        let last = self.lines_before + ast.sourcepos.end.line;
        // Whole lines. The clamps only matter if the parser's positions were ever wrong: ranges
        // that ascend and don't overlap are our promise, not its.
        let start = self.lines.start(first).clamp(self.end, self.body.end);
        let end = self.lines.start(last + 1).clamp(start, self.body.end);
        // A paragraph of nothing but no-break spaces is a block to the parser, and blank to us.
        if self.text.get(start..end).is_none_or(|block| block.trim().is_empty()) {
            return;
        }
        self.fill_gap(start);
        let range = start..end;
        let kind = match &ast.value {
            NodeValue::Heading(heading) => {
                let (level, text) = (heading.level, plain_text(node));
                let range = range.clone();
                self.tree.headings.push(Heading { level, text, range, line: first });
                BlockKind::Heading(level)
            }
            NodeValue::Paragraph => BlockKind::Paragraph,
            NodeValue::CodeBlock(_) => BlockKind::Code,
            NodeValue::List(_) => BlockKind::List,
            NodeValue::Table(_) => BlockKind::Table,
            NodeValue::BlockQuote => BlockKind::Quote,
            NodeValue::HtmlBlock(_) => BlockKind::Html,
            _ => BlockKind::Other,
        };
        self.tree.blocks.push(Block { kind, range });
        self.end = end;
    }

    /// Link reference definitions leave no node in the tree, but are text of the note.
    fn fill_gap(&mut self, until: usize) {
        let gap = self.text.get(self.end..until).unwrap_or_default();
        if !gap.trim().is_empty() {
            let start = self.end + (gap.len() - gap.trim_start().len());
            let start = self.lines.start(self.lines.line_at(start)).max(self.end);
            self.tree.blocks.push(Block { kind: BlockKind::Other, range: start..until });
        }
        self.end = until;
    }

    /// Comments of HTML; one that never ends is none.
    fn comments(&mut self, node: Node<'_>) {
        let ast = node.data();
        let line = self.lines.start(self.lines_before + ast.sourcepos.start.line);
        match &ast.value {
            NodeValue::HtmlBlock(_) => {
                let end = self.lines.start(self.lines_before + ast.sourcepos.end.line + 1);
                let Some(html) = self.text.get(line..end) else { return };
                let first = html.trim_start_matches(|char: char| char != '<').to_ascii_lowercase();
                if RAW_TAGS.iter().any(|tag| first.starts_with(tag)) {
                    return;
                }
                let mut from = 0;
                while let Some(start) = html[from..].find("<!--").map(|at| from + at)
                    && let Some(length) = html[start..].find("-->")
                {
                    from = start + length + "-->".len();
                    self.tree.comments.push(line + start..line + from);
                }
            }
            NodeValue::HtmlInline(html) if html.starts_with("<!--") && html.ends_with("-->") => {
                let start = line + ast.sourcepos.start.column.saturating_sub(1);
                let is_there = self.text.get(start..).is_some_and(|rest| rest.starts_with("<!--"));
                if is_there && let Some(length) = self.text[start..].find("-->") {
                    self.tree.comments.push(start..start + length + "-->".len());
                }
            }
            _ => {}
        }
    }

    /// Tags in a paragraph or table: in its text, and in what is written there, where `\#a` is none.
    fn tags(&mut self, node: Node<'_>) {
        let ast = node.data();
        if !matches!(ast.value, NodeValue::Paragraph | NodeValue::Table(_)) {
            return;
        }
        let start = self.lines.start(self.lines_before + ast.sourcepos.start.line);
        let end = self.lines.start(self.lines_before + ast.sourcepos.end.line + 1);
        let written = self.text.get(start..end).unwrap_or_default();
        let written: FxHashSet<&str> = tags(written).collect();
        if written.is_empty() {
            return;
        }
        for inline in node.descendants() {
            let inside = inline.data();
            let NodeValue::Text(text) = &inside.value else { continue };
            if !text.contains('#') || inline.ancestors().any(is_link) {
                continue;
            }
            for tag in tags(text).filter(|tag| written.contains(tag)) {
                if self.tree.tags.len() < MOST_TAGS && self.seen.insert(tag.to_lowercase()) {
                    self.tree.tags.push(tag.to_owned());
                }
            }
        }
    }

    fn link(&mut self, node: Node<'_>) {
        let ast = node.data();
        let (url, kind) = match &ast.value {
            NodeValue::Link(link) | NodeValue::Image(link) => (&link.url, LinkKind::Inline),
            NodeValue::WikiLink(link) if link.embed => (&link.url, LinkKind::Embed),
            NodeValue::WikiLink(link) => (&link.url, LinkKind::Wiki),
            _ => return,
        };
        let line = self.lines_before + ast.sourcepos.start.line;
        let last = self.lines_before + ast.sourcepos.end.line;
        let start = self.lines.start(line) + ast.sourcepos.start.column.saturating_sub(1);
        let end = self.lines.start(last) + ast.sourcepos.end.column;
        let is_told = start < end && self.text.get(start..end).is_some();
        let whole = self.lines.start(line)..self.lines.start(line + 1);
        let range = if is_told { start..end } else { whole };
        self.tree.links.push(link_of(url, kind, line, range));
    }
}

fn is_link(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::Link(_) | NodeValue::Image(_) | NodeValue::WikiLink(_))
}

/// The words of a node without its markup, on one line.
fn plain_text(node: Node<'_>) -> String {
    words_of(node).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a node without its markup, as they stand.
pub(crate) fn words_of(node: Node<'_>) -> String {
    let mut text = String::new();
    for inline in node.descendants() {
        match &inline.data().value {
            NodeValue::Text(literal) => text.push_str(literal),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            _ => {}
        }
    }
    text
}
