//! Markdown -> the prose of a page: headings, paragraphs and list items as plain text, with what
//! was emphasised or linked in them, and the rows of tables. Code, most HTML and images are left out.

mod between;
mod capitals;
mod chronology;
mod cut;
mod html;
mod news;
mod plain;
mod properties;
mod reader;
mod sentences;
mod tables;
mod terms;
mod usage;
mod versions;

use std::collections::HashSet;
use std::ops::Range;

use super::fold::fold;
use super::furniture;
use super::indented;
use super::name::tidy;
use super::restructured;
use super::wiki;
use super::{boxes, pod};
use crate::words::{Words, list};
use cut::plain_blocks;
use elophanto_text::markdown;
pub(super) use properties::tells_no_more;
use reader::Reader;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// With its level, 1 to 6.
    Heading(u8),
    Paragraph,
    /// The first paragraph of a list item.
    Item,
}

/// What was done to a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Code,
    Link,
}

/// A run of prose.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// 1-based line of the document on which it begins.
    line: usize,
    /// Where in `text` the document's lines broke.
    pub(super) breaks: Vec<usize>,
    /// Ranges of `text`, ascending by their start.
    pub(super) marks: Vec<(Range<usize>, Mark)>,
    /// Number of the list it is an item of.
    pub(super) list: Option<usize>,
    /// Somebody else's words.
    pub(super) is_quoted: bool,
    /// Navigation, banners, footers, bylines: nothing is said in it.
    pub(super) is_furniture: bool,
}

impl Block {
    /// Puts a heading one level down.
    fn lower(&mut self) {
        if let Kind::Heading(level) = &mut self.kind {
            *level = (*level + 1).min(6);
        }
    }
}

/// A sentence of a block.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub(super) block: usize,
    /// In the text of its block.
    pub(super) range: Range<usize>,
    /// 1-based, of the document.
    pub(super) line: usize,
    /// Whether it is the first of its block.
    pub(super) first: bool,
}

/// A row of a table below its header, or `key: value` of a list or of front matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) header: Vec<String>,
    pub(super) cells: Vec<String>,
    /// The heading above it.
    pub(super) section: Option<String>,
    /// It is an item of a list.
    pub(super) is_item: bool,
    /// 1-based, of the document.
    pub(super) line: usize,
}

impl Row {
    /// Whether a table of two columns says what the first one is of, or only that it is a property.
    pub(super) fn lists_properties(&self) -> bool {
        let header = self.header.first().map(|header| fold(header)).unwrap_or_default();
        header.is_empty() || PROPERTIES.contains(header.as_str())
    }
}

/// What is above a column of properties.
static PROPERTIES: Words = list!(words "property_headers");

/// The prose of a document.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) title: Option<String>,
    pub(super) blocks: Vec<Block>,
    /// Of paragraphs and items that are no furniture, in order.
    pub(super) sentences: Vec<Sentence>,
    /// Of its tables.
    pub(super) rows: Vec<Row>,
    /// The user gave it for what they asked for.
    pub(super) is_given: bool,
    /// The day that its front matter has.
    pub(super) day: Option<String>,
}

impl Page {
    /// The numbers of the items that stand right below a table, or below `Notes:` there: notes to that, which
    /// tell of no thing.
    pub(super) fn notes(&self) -> HashSet<usize> {
        const BELOW: usize = 2;
        let of_table = |row: &&Row| !row.is_item && !row.header.is_empty();
        let tables: HashSet<usize> =
            self.rows.iter().filter(of_table).map(|row| row.line).collect();
        let mut notes = HashSet::new();
        let mut is_noted = false;
        for (number, block) in self.blocks.iter().enumerate() {
            let is_below = (1..=BELOW)
                .filter_map(|far| block.line.checked_sub(far))
                .any(|line| tables.contains(&line));
            match block.kind {
                Kind::Item if is_noted || is_below => is_noted = notes.insert(number),
                Kind::Item => {}
                _ => {
                    let key = fold(block.text.trim_end_matches(':').trim());
                    is_noted = is_below
                        && matches!(key.as_str(), "footnotes" | "note" | "notes" | "remarks");
                }
            }
        }
        notes
    }

    /// The line of the document on which a block begins.
    pub(super) fn line_of(&self, block: &Block) -> usize {
        block.line
    }

    /// The sentences of its block that stand before a sentence.
    pub(super) fn before(&self, sentence: &Sentence) -> &[Sentence] {
        let from = self.sentences.partition_point(|it| it.block < sentence.block);
        let rest = self.sentences.get(from..).unwrap_or_default();
        let is_before =
            |it: &Sentence| it.block == sentence.block && it.range.start < sentence.range.start;
        rest.get(..rest.partition_point(is_before)).unwrap_or_default()
    }

    pub(super) fn text(&self, sentence: &Sentence) -> &str {
        let block = self.blocks.get(sentence.block);
        block.and_then(|block| block.text.get(sentence.range.clone())).unwrap_or_default()
    }
}

/// The text with marks of a heading before its first line, if that is a topic: `Mount_Greylock`.
fn headed(body: &str, topic: &str) -> Option<String> {
    let start = body.len() - body.trim_start().len();
    let (line, rest) = body.get(start..)?.split_once('\n')?;
    let ends = |next: &str| next.trim().is_empty() || next.starts_with(char::is_uppercase);
    let is_alone = rest.lines().next().is_none_or(ends);
    let said = line.replace('_', " ");
    let name = said.split(" (").next().unwrap_or_default();
    let topic = fold(&tidy(topic));
    // `Mount Greylock (hill)`, and no sentence with a bracket behind its subject.
    let is_named = fold(name) == topic && said.trim_end().ends_with(')');
    let is_topic = !topic.is_empty() && (fold(&said) == topic || is_named);
    // A line that is code, or indented as code is, is no heading.
    let is_plain = body[..start].ends_with('\n') || start == 0;
    (is_alone && is_topic && is_plain)
        .then(|| format!("{}# {}\n{rest}", &body[..start], said.trim()))
}

/// Reads a text. What is no Markdown that can be parsed within the caps is read as plain
/// paragraphs.
pub(super) fn read(text: &str) -> Page {
    read_for(text, "")
}

/// The same, for somebody who asked for a topic: a first line that is that and no more is the heading
/// of the page.
pub(super) fn read_for(text: &str, topic: &str) -> Page {
    let (title, mut blocks, rows) = blocks(text, topic, false);
    capitals::lower(&mut blocks);
    furniture::tell(&mut blocks);
    let sentences = sentences::sentences(&blocks);
    let day = properties::day(text);
    Page { title, blocks, sentences, rows, day, is_given: false }
}

/// Reads what a person wrote: nothing in it is furniture, and what they quote is not theirs.
pub(super) fn read_message(text: &str) -> Page {
    let (title, mut blocks, rows) = blocks(text, "", true);
    blocks.retain(|block| !block.is_quoted);
    let sentences = sentences::sentences(&blocks);
    Page { title, blocks, sentences, rows, ..Page::default() }
}

fn blocks(text: &str, topic: &str, is_message: bool) -> (Option<String>, Vec<Block>, Vec<Row>) {
    let text = boxes::as_markdown(text);
    let text = pod::as_markdown(&text);
    let text = news::as_markdown(&text, topic);
    let text = plain::as_markdown(&text);
    let text = plain::without_dateline(&text);
    let text = plain::with_questions(&text);
    let text = plain::with_heads(&text);
    let text = indented::without_margin(&text);
    let text = restructured::as_markdown(&text);
    let text = wiki::as_markdown(&text);
    let text = versions::of_topic(&text, topic);
    let text = between::without(&text);
    let text = elophanto_text::template::without_templates(&text);
    let text = plain::with_globs(&text);
    match markdown::parse(&text) {
        Ok(document) => {
            let body = text.get(document.body.clone()).unwrap_or_default();
            let title = document.front_matter.title.clone();
            let headed = headed(body, topic);
            let body = headed.as_deref().unwrap_or(body);
            let (mut blocks, rows) = Reader::new(document.body_line, is_message).read(body);
            if headed.is_some() {
                blocks.iter_mut().skip(1).for_each(Block::lower);
            }
            let front = text.get(..document.body.start).unwrap_or_default();
            let mut all = properties::of_front_matter(front);
            all.extend(rows);
            let told = properties::texts(front).into_iter();
            let told = told.flat_map(|(line, text)| Reader::new(line, is_message).read(&text).0);
            blocks.splice(0..0, told);
            (title, blocks, all)
        }
        Err(_) => (None, plain_blocks(&text), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_keeps_its_lines_and_marks() {
        let page = read(
            "---\ntitle: T\n---\n# Head\n\nOne *is*\nhere. Two [are](x)\nthere.\n\n- **Item** a\n\n```\ncode\n```\n| a | b |\n|---|---|\n| c. D | e |\n",
        );
        assert_eq!(page.title.as_deref(), Some("T"));
        let kinds: Vec<_> =
            page.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect();
        assert_eq!(
            kinds,
            [
                (Kind::Heading(1), "Head"),
                (Kind::Paragraph, "One is here. Two are there."),
                (Kind::Item, "Item a"),
            ]
        );
        let lines: Vec<_> = page.sentences.iter().map(|it| (it.line, page.text(it))).collect();
        assert_eq!(lines, [(6, "One is here."), (7, "Two are there."), (10, "Item a")]);
        assert_eq!(page.blocks[1].marks, [(4..6, Mark::Emphasis), (17..20, Mark::Link)]);
        assert_eq!(page.blocks[2].marks, [(0..4, Mark::Strong)]);
    }

    #[test]
    fn abbreviations_end_no_sentence() {
        let page = read("Apple Inc. Makes phones in the U.S. Army style. Next one.");
        let texts: Vec<_> = page.sentences.iter().map(|it| page.text(it)).collect();
        assert_eq!(texts, ["Apple Inc. Makes phones in the U.S. Army style.", "Next one."]);
    }

    #[test]
    fn long_blocks_are_cut() {
        let text = "A *word* and more of it. ".repeat(1_000);
        let page = read(&text);
        assert!(page.blocks.len() > 5);
        assert_eq!(page.sentences.len(), 1_000);
        assert!(page.sentences.iter().all(|it| page.text(it) == "A word and more of it."));
    }
}
