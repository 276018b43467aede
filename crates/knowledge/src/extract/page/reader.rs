//! The blocks of a Markdown text, out of its syntax tree.

use std::collections::HashSet;
use std::ops::Range;

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};

use super::cut::{cut, headed, lettered, lined, numbered};
use super::html;
use super::properties::{self, Section};
use super::tables::{self, plain};
use super::{Block, Kind, Mark, Row};
use super::{chronology, terms, usage};
use elophanto_text::reading::takes_power;

/// Rows of tables of one page that are read.
const MAX_ROWS: usize = 500;

/// Columns of a table that are read.
const MAX_COLUMNS: usize = 20;

/// Collects blocks in the order of the text.
pub(super) struct Reader {
    lines_before: usize,
    blocks: Vec<Block>,
    rows: Vec<Row>,
    lists: usize,
    /// Depth of quotes.
    quotes: usize,
    /// What a person wrote: all of it is prose.
    is_message: bool,
    /// The heading above.
    section: Section,
}

impl Reader {
    /// A reader of a text whose first line is line `body_line` of the document.
    pub(super) fn new(body_line: usize, is_message: bool) -> Self {
        let lines_before = body_line.saturating_sub(1);
        Self {
            lines_before,
            blocks: Vec::new(),
            rows: Vec::new(),
            lists: 0,
            quotes: 0,
            is_message,
            section: Section::default(),
        }
    }

    /// The blocks of the text, and the rows of its tables. Its caps have been checked.
    pub(super) fn read(mut self, body: &str) -> (Vec<Block>, Vec<Row>) {
        self.blocks_of(body, false);
        if !self.is_message {
            chronology::of_blocks(&mut self.blocks, &mut self.rows, MAX_ROWS);
            terms::of_lists(&mut self.blocks, &mut self.rows, MAX_ROWS);
            properties::of_lists(&mut self.blocks, &mut self.rows, MAX_ROWS);
        }
        (self.blocks, self.rows)
    }

    /// Collects the blocks of a text that begins behind `lines_before`, and perhaps stands within HTML.
    fn blocks_of(&mut self, body: &str, is_within: bool) {
        let mut options = Options::default();
        options.extension.table = true;
        options.extension.strikethrough = true;
        options.extension.tasklist = true;
        options.extension.wikilinks_title_after_pipe = true;
        let arena = Arena::new();
        let root = parse_document(&arena, body, &options);
        let mut lists: Vec<usize> = Vec::new();
        for edge in root.traverse() {
            match edge {
                NodeEdge::Start(node) => {
                    let kind = match &node.data().value {
                        NodeValue::List(_) => {
                            self.lists += 1;
                            lists.push(self.lists);
                            None
                        }
                        NodeValue::BlockQuote => {
                            self.quotes += 1;
                            None
                        }
                        NodeValue::Heading(heading) => Some(Kind::Heading(heading.level)),
                        NodeValue::Paragraph if is_first_of_item(node) => Some(Kind::Item),
                        NodeValue::Paragraph => Some(Kind::Paragraph),
                        NodeValue::Table(_) if self.quotes == 0 => {
                            self.table(node);
                            None
                        }
                        NodeValue::CodeBlock(code) if self.quotes == 0 && !self.is_message => {
                            let line = self.lines_before + node.data().sourcepos.start.line;
                            usage::read(&code.literal, line, &mut self.rows, MAX_ROWS);
                            None
                        }
                        NodeValue::HtmlBlock(block) if !is_within => {
                            let before = self.lines_before;
                            let line = before + node.data().sourcepos.start.line - 1;
                            for (number, text) in html::texts(&block.literal) {
                                self.lines_before = line + number;
                                self.blocks_of(&text, true);
                            }
                            self.lines_before = before;
                            None
                        }
                        _ => None,
                    };
                    if let Some(kind) = kind {
                        self.block(node, kind, lists.last().copied());
                    }
                }
                NodeEdge::End(node) => match node.data().value {
                    NodeValue::List(_) => drop(lists.pop()),
                    NodeValue::BlockQuote => self.quotes = self.quotes.saturating_sub(1),
                    _ => {}
                },
            }
        }
    }

    /// Takes down the rows of a table: what each says of its first cell, or of the page.
    fn table<'a>(&mut self, table: &'a AstNode<'a>) {
        let cells = |row: &'a AstNode<'a>| -> Vec<String> {
            row.children().take(MAX_COLUMNS).map(plain).collect()
        };
        // Several numbers of notes, and no array of five.
        let marks: HashSet<String> = table
            .children()
            .flat_map(|row| row.children().map(plain))
            .filter_map(|cell| note_of(&cell).map(|(_, note)| note.to_owned()))
            .collect();
        let cells = |row: &'a AstNode<'a>| match marks.len() {
            0 | 1 => cells(row),
            _ => cells(row).into_iter().map(without_notes).collect(),
        };
        let mut rows = table.children();
        let mut header = rows.next().map(cells).unwrap_or_default();
        let caption = self.blocks.last().filter(|block| is_caption(block));
        let caption = caption.map(|block| block.text.trim_end_matches(':').to_owned());
        let option = option_above(table);
        // One header over all columns: `Nutritional value per 100 g`.
        let over = tables::over_all(&header);
        if over.is_some() {
            header.clear();
        }
        // Without a header the first row is one of the others; HTML's come with an empty one.
        for row in rows.take(MAX_ROWS.saturating_sub(self.rows.len())) {
            let line = self.lines_before + row.data().sourcepos.start.line;
            let section = caption.clone().or_else(|| option.clone());
            let section = section.or_else(|| self.section.title().map(str::to_owned));
            let is_bare = header.iter().all(String::is_empty);
            let offer = is_bare.then(|| tables::offer(row)).flatten();
            let all = offer.unwrap_or_else(|| vec![tables::below(over.as_deref(), cells(row))]);
            self.rows.extend(all.into_iter().map(|cells| {
                let (header, section) = (header.clone(), section.clone());
                Row { header, cells, section, is_item: false, line }
            }));
        }
    }

    /// Takes a paragraph of which each line is `key: value` as rows; whether it is one.
    fn properties(&mut self, block: &Block) -> bool {
        let is_header = self.blocks.is_empty() && self.rows.is_empty();
        let Some(pairs) = properties::of_lines(block, is_header) else { return false };
        if self.is_message || !self.section.is_own() || self.rows.len() + pairs.len() > MAX_ROWS {
            return false;
        }
        let is_generated = is_header && properties::is_generated(&pairs);
        for (number, key, value) in pairs {
            if is_generated && properties::is_filed(key, value) && !key.eq_ignore_ascii_case("date")
            {
                continue;
            }
            let cells = vec![key.to_owned(), value.to_owned()];
            let (line, section) = (block.line + number, self.section.title().map(str::to_owned));
            self.rows.push(Row { cells, section, line, ..Row::default() });
        }
        true
    }

    fn block<'a>(&mut self, node: &'a AstNode<'a>, kind: Kind, list: Option<usize>) {
        let mut text = String::new();
        let mut breaks = Vec::new();
        let mut marks: Vec<(Range<usize>, Mark)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        // Depth below an image or what was struck out; a heading that was heads its text all the same.
        let mut hidden = 0_usize;
        let is_hidden = |value: &NodeValue| match value {
            NodeValue::Strikethrough => !matches!(kind, Kind::Heading(_)),
            value => matches!(value, NodeValue::Image(_)),
        };
        for edge in node.traverse() {
            match edge {
                NodeEdge::Start(inline) => {
                    let ast = inline.data();
                    match &ast.value {
                        value if is_hidden(value) => hidden += 1,
                        _ if hidden > 0 => {}
                        NodeValue::Text(literal) => push_text(literal, &mut text),
                        NodeValue::Code(code) => {
                            let start = text.len();
                            text.push_str(&code.literal);
                            marks.push((start..text.len(), Mark::Code));
                        }
                        NodeValue::SoftBreak | NodeValue::LineBreak => {
                            // A word that was parted at the end of its line.
                            let is_parted = parts_word(&text);
                            if is_parted {
                                text.pop();
                            }
                            breaks.push(text.len());
                            if is_parted {
                                continue;
                            }
                            // A line that was broken on purpose behind a stop ends its sentence,
                            // however the next one begins: `foo-types is licensed`.
                            let ends = text.ends_with(['.', '!', '?']);
                            let is_hard = matches!(ast.value, NodeValue::LineBreak);
                            // `**Code of Conduct**`, alone on its line.
                            let is_label = is_label(&text, &marks, is_hard);
                            let parts = ends && is_hard || is_label;
                            text.push_str(if parts { "\n\n" } else { " " });
                        }
                        NodeValue::HtmlInline(tag) if tag.starts_with("<br") => {
                            let is_label = is_label(&text, &marks, true);
                            text.push_str(if is_label { "\n\n" } else { " " });
                        }
                        NodeValue::HtmlInline(tag)
                            if tag == "<sup>"
                                && takes_power(&text)
                                && is_number(inline.next_sibling()) =>
                        {
                            text.push('^');
                        }
                        NodeValue::HtmlInline(tag) if html::is_placeholder(tag) => {
                            text.push_str(tag);
                        }
                        value => {
                            if let Some(mark) = mark_of(value) {
                                open.push(marks.len());
                                marks.push((text.len()..text.len(), mark));
                            }
                        }
                    }
                }
                NodeEdge::End(inline) => {
                    let ast = inline.data();
                    match &ast.value {
                        value if is_hidden(value) => hidden -= 1,
                        value if hidden == 0 && mark_of(value).is_some() => {
                            if let Some((range, _)) = open.pop().and_then(|at| marks.get_mut(at)) {
                                range.end = text.len();
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        marks.retain(|(range, _)| !range.is_empty());
        let line = self.lines_before + node.data().sourcepos.start.line;
        let (is_quoted, is_furniture) = (self.quotes > 0, false);
        let block = Block { kind, text, line, breaks, marks, list, is_quoted, is_furniture };
        if kind == Kind::Paragraph && self.quotes == 0 && self.properties(&block) {
            return;
        }
        self.section.take(&block);
        self.lists += 1;
        let list = self.lists;
        let parts = headed(block).into_iter().flat_map(numbered);
        for part in parts.flat_map(|part| lettered(part, list)).flat_map(lined) {
            cut(part, &mut self.blocks);
        }
    }
}

/// `**Code of Conduct**`, alone on its line, which is one word only where that is broken on purpose.
fn is_label(text: &str, marks: &[(Range<usize>, Mark)], is_hard: bool) -> bool {
    let is_strong =
        |(of, mark): &(Range<usize>, Mark)| *mark == Mark::Strong && *of == (0..text.len());
    (is_hard || text.contains(' ')) && marks.first().is_some_and(is_strong)
}

/// A cell without the numbers of notes behind it: `yes [2]`, `255 {1}`.
fn without_notes(mut cell: String) -> String {
    while let Some(end) = note_of(&cell).map(|(said, _)| said.len()) {
        cell.truncate(end);
    }
    cell
}

/// What stands before the number of a note, and that.
fn note_of(cell: &str) -> Option<(&str, &str)> {
    let (said, note) = cell.trim_end().rsplit_once(' ')?;
    let inner = note.strip_prefix(['[', '{'])?.strip_suffix([']', '}'])?;
    let is_number = !inner.is_empty() && inner.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| (said.trim_end(), note))
}

/// Whether a text ends within a word, with a hyphen of printed lines, which is no minus.
fn parts_word(text: &str) -> bool {
    let rest = text.strip_suffix(['\u{2010}', '\u{ad}']);
    rest.is_some_and(|rest| rest.ends_with(char::is_alphabetic))
}

/// Whether what stands behind a mark is a number alone: `53</sup>`, and no `nd</sup>`.
fn is_number<'a>(next: Option<&'a AstNode<'a>>) -> bool {
    next.is_some_and(|next| match &next.data().value {
        NodeValue::Text(text) => {
            let digits = text.trim().trim_start_matches(['-', '−', '+']);
            !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
        }
        _ => false,
    })
}

/// Adds text with blanks for breaks that are written wrongly: `<br/ >`.
fn push_text(literal: &str, text: &mut String) {
    let mut rest = literal;
    while let Some((before, after)) = rest.split_once("<br") {
        let Some((inner, behind)) = after.split_once('>') else { break };
        if !inner.chars().all(|char| char == '/' || char.is_whitespace()) {
            break;
        }
        text.push_str(before);
        text.push_str("; ");
        rest = behind;
    }
    // What stood before a mark that was left out.
    text.push_str(&rest.replace(" () ", " ").replace(" ; ", "; ").replace(" , ", ", "));
}

/// The option whose item a table stands in, which says what its values are: `--hook <HOOK>`.
fn option_above<'a>(table: &'a AstNode<'a>) -> Option<String> {
    const MOST: usize = 40;
    let items = table.ancestors().filter(|node| matches!(node.data().value, NodeValue::Item(_)));
    let outer = items.last()?.first_child()?;
    let code =
        outer.first_child().filter(|first| matches!(first.data().value, NodeValue::Code(_)))?;
    let is_alone = code.next_sibling().is_none();
    let text = plain(outer);
    let name = text.split([' ', '=', '<', '[']).next().unwrap_or_default();
    (is_alone && !name.is_empty() && name.len() <= MOST).then(|| name.to_owned())
}

/// Whether a block is as short as what stands above a table to tell which one it is.
fn is_caption(block: &Block) -> bool {
    const MAX_WORDS: usize = 6;
    block.kind == Kind::Paragraph
        && block.text.split_whitespace().count() <= MAX_WORDS
        && !block.text.trim_end().ends_with(['.', '!', '?'])
}

fn mark_of(value: &NodeValue) -> Option<Mark> {
    match value {
        NodeValue::Strong => Some(Mark::Strong),
        NodeValue::Emph => Some(Mark::Emphasis),
        NodeValue::Link(_) | NodeValue::WikiLink(_) => Some(Mark::Link),
        _ => None,
    }
}

fn is_first_of_item<'a>(node: &'a AstNode<'a>) -> bool {
    let in_item = node.parent().is_some_and(|parent| {
        matches!(parent.data().value, NodeValue::Item(_) | NodeValue::TaskItem(_))
    });
    in_item && node.previous_sibling().is_none()
}
