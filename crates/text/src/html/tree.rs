//! What is changed in the tree of a note before it becomes HTML.

use comrak::{
    Anchorizer,
    nodes::{Node, NodeCodeBlock, NodeLink, NodeValue, Sourcepos},
};

use super::{
    Addresses, Anchor, Mark, Target,
    finish::{BREAK, FIRST_MARK, HEADINGS, MARK, MARK_END, held, spoken, without_holders},
};
use crate::markdown::{LinkKind, link_of, words_of};

/// A scheme that the allow list does not have: what bears it is no link any more, its words stay.
const NOWHERE: &str = "nowhere:";
/// Characters of an address in the place of words that are missing.
const MOST_ADDRESS: usize = 80;

/// Changes a tree, and tells what of it can be linked to.
pub(super) struct Preparation<'a> {
    lines_before: usize,
    title: &'a str,
    mark: Option<&'a Mark>,
    addresses: &'a Addresses<'a>,
    ids: Anchorizer,
    /// The level of the last heading as it is shown.
    level: u8,
    pub anchors: Vec<Anchor>,
    pub is_marked: bool,
}

impl<'a> Preparation<'a> {
    pub fn new(
        first_line: usize,
        title: &'a str,
        mark: Option<&'a Mark>,
        addresses: &'a Addresses<'a>,
    ) -> Self {
        Self {
            lines_before: first_line.saturating_sub(1),
            title,
            mark,
            addresses,
            ids: Anchorizer::new(),
            // The page's own heading stands above.
            level: 1,
            anchors: Vec::new(),
            is_marked: false,
        }
    }

    pub fn prepare(&mut self, root: Node<'_>) {
        let nodes: Vec<Node<'_>> = root.descendants().collect();
        for node in &nodes {
            if self.html(node) {
                continue;
            }
            let is_text = matches!(node.data().value, NodeValue::Text(_));
            if is_text { self.text(node) } else { self.other(node) }
        }
        // Last, for what is put into texts is taken out of them before.
        for node in nodes {
            let is_heading = matches!(node.data().value, NodeValue::Heading(_));
            if is_heading {
                self.heading(node);
            }
        }
    }

    /// Raw HTML is shown as text; comments are not shown, and a line break is one. Whether nothing is
    /// left to be done with the node.
    fn html(&self, node: Node<'_>) -> bool {
        let is_comment_block = match &node.data().value {
            NodeValue::HtmlBlock(html) => is_comment(&html.literal),
            _ => false,
        };
        if is_comment_block {
            node.detach();
            return true;
        }
        let mut data = node.data_mut();
        // Even where a break of Markdown's own cannot stand, as in a table.
        let is_done = matches!(&data.value, NodeValue::HtmlInline(html) if is_break(html));
        let value = match &data.value {
            NodeValue::HtmlBlock(html) => {
                let literal = html.literal.clone();
                Some(NodeValue::CodeBlock(Box::new(NodeCodeBlock {
                    literal,
                    ..Default::default()
                })))
            }
            NodeValue::HtmlInline(html) if is_comment(html) => None,
            NodeValue::HtmlInline(_) if is_done => Some(NodeValue::Text(held(BREAK).into())),
            NodeValue::HtmlInline(html) => Some(NodeValue::Text(html.clone().into())),
            _ => return false,
        };
        data.value = value.unwrap_or_else(|| NodeValue::Text("".into()));
        is_done
    }

    fn text(&mut self, node: Node<'_>) {
        let mut data = node.data_mut();
        let place = data.sourcepos;
        let NodeValue::Text(text) = &mut data.value else { return };
        let mut shown = without_holders(text);
        let marked = self.marked(place, shown.len());
        if let Some((from, to)) = marked {
            let (from, to) = (shown.floor_char_boundary(from), shown.floor_char_boundary(to));
            shown = self.with_mark(&shown, from, to);
        } else if let Some(rest) = shown.strip_prefix("[ ] ") {
            shown = format!("\u{2610} {rest}");
        } else if let Some(rest) = shown.strip_prefix("[x] ").or_else(|| shown.strip_prefix("[X] "))
        {
            shown = format!("\u{2611} {rest}");
        }
        *text = shown.into();
    }

    /// The bytes of a text that are marked. One that does not say what stands in the note, as it holds
    /// what was escaped there, is marked as a whole.
    fn marked(&self, place: Sourcepos, length: usize) -> Option<(usize, usize)> {
        let mark = self.mark?;
        let line = self.lines_before + place.start.line;
        let wide = (place.end.column + 1).saturating_sub(place.start.column);
        let found = mark.within(line, place.start.column, wide)?;
        Some(if wide == length { found } else { (0, length) }).filter(|_| length > 0)
    }

    fn with_mark(&mut self, text: &str, from: usize, to: usize) -> String {
        let number = if self.is_marked { MARK } else { FIRST_MARK };
        self.is_marked = true;
        let (before, rest) = text.split_at(from);
        let (inside, after) = rest.split_at(to.saturating_sub(from));
        format!("{before}{}{inside}{}{after}", held(number), held(MARK_END))
    }

    /// Gives a heading an id, and a level that follows the one before it.
    fn heading(&mut self, node: Node<'_>) {
        let words = spoken(&words_of(node));
        let line = self.lines_before + node.data().sourcepos.start.line;
        let NodeValue::Heading(heading) = node.data().value else { return };
        let is_first = self.anchors.is_empty() && heading.level == 1;
        let is_title = is_first && words.trim() == self.title.trim();
        if words.trim().is_empty() || is_title {
            // The page says it already, or there is nothing to say.
            node.detach();
            return;
        }
        let level = heading.level.clamp(2, self.level + 1).min(6);
        self.level = level;
        if let NodeValue::Heading(heading) = &mut node.data_mut().value {
            heading.level = level;
            heading.setext = false;
        }
        let id = format!("s-{}", self.ids.anchorize(&words));
        let id = id.chars().filter(|char| char.is_alphanumeric() || *char == '-').collect();
        let number = HEADINGS + self.anchors.len();
        // In front of whatever the heading begins with.
        if let Some(first) = node.first_child() {
            prefix(first, &held(number));
        }
        self.anchors.push(Anchor { level: heading.level, text: words.trim().to_owned(), id, line });
    }

    fn other(&mut self, node: Node<'_>) {
        let place = node.data().sourcepos;
        let line = self.lines_before + place.start.line;
        let is_image = matches!(node.data().value, NodeValue::Image(_));
        let is_link = |it: Node<'_>| matches!(it.data().value, NodeValue::Link(_));
        let is_in_link = is_image && node.ancestors().skip(1).any(is_link);
        let words = match &node.data().value {
            NodeValue::Link(_) | NodeValue::WikiLink(_) | NodeValue::Image(_) => words_of(node),
            _ => String::new(),
        };
        let mut data = node.data_mut();
        match &mut data.value {
            NodeValue::Code(code) => {
                let literal = without_holders(&code.literal);
                code.literal = match self.marked(place, literal.len()) {
                    Some(_) => self.with_mark(&literal, 0, literal.len()),
                    None => literal,
                };
            }
            NodeValue::CodeBlock(code) => {
                code.info.clear();
                let first = line + usize::from(code.fenced);
                let literal = without_holders(&code.literal);
                code.literal = self.code(&literal, first);
            }
            NodeValue::Link(link) => {
                link.url = self.address(&link.url, LinkKind::Inline, line);
                link.title.clear();
            }
            NodeValue::WikiLink(link) => {
                let kind = if link.embed { LinkKind::Embed } else { LinkKind::Wiki };
                let url = self.address(&link.url, kind, line);
                data.value = NodeValue::Link(Box::new(NodeLink { url, title: String::new() }));
            }
            NodeValue::Image(image) => {
                let link = link_of(&image.url, LinkKind::Inline, line, 0..0);
                image.title.clear();
                if let Some(address) = (self.addresses.picture)(&link) {
                    image.url = address;
                } else if is_in_link {
                    data.value = NodeValue::Emph;
                } else {
                    let url = self.address(&link.target, LinkKind::Inline, line);
                    data.value = NodeValue::Link(Box::new(NodeLink { url, title: String::new() }));
                }
            }
            _ => return,
        }
        drop(data);
        // A link that says nothing can neither be seen nor read out.
        let is_link = matches!(node.data().value, NodeValue::Link(_));
        if is_link && spoken(&words).trim().is_empty() {
            let url = match &node.data().value {
                NodeValue::Link(link) => link.url.chars().take(MOST_ADDRESS).collect::<String>(),
                _ => String::new(),
            };
            if let Some(first) = node.first_child() {
                prefix(first, &url);
            } else {
                node.data_mut().value = NodeValue::Text(url.into());
            }
        }
    }

    fn code(&mut self, literal: &str, first: usize) -> String {
        let Some(mark) = self.mark.copied() else { return literal.to_owned() };
        let lines = (first..).zip(literal.split_inclusive('\n')).map(|(number, line)| {
            let text = line.trim_end_matches('\n');
            match mark.within(number, 1, text.len()) {
                Some(_) => self.with_mark(text, 0, text.len()) + &line[text.len()..],
                None => line.to_owned(),
            }
        });
        lines.collect()
    }

    fn address(&self, url: &str, kind: LinkKind, line: usize) -> String {
        match (self.addresses.link)(&link_of(url, kind, line, 0..0)) {
            Target::To(address) => without_holders(&address),
            Target::Nowhere => NOWHERE.to_owned(),
        }
    }
}

/// Puts text in front of what a node says.
fn prefix(node: Node<'_>, text: &str) {
    let mut node = node;
    loop {
        let next = {
            let mut data = node.data_mut();
            match &mut data.value {
                NodeValue::Text(known) => {
                    *known = format!("{text}{known}").into();
                    return;
                }
                NodeValue::Code(code) => {
                    code.literal = format!("{text}{}", code.literal);
                    return;
                }
                _ => node.first_child(),
            }
        };
        match next.or_else(|| node.next_sibling()) {
            Some(found) => node = found,
            None => return,
        }
    }
}

fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.starts_with("<!--") && html.ends_with("-->") && html.matches("-->").count() == 1
}

fn is_break(html: &str) -> bool {
    let name = html.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim();
    name.eq_ignore_ascii_case("br")
}
