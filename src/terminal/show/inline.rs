//! What stands inside of a line of Markdown: emphasis, code, links. Pure.

use anstyle::Style;
use comrak::{
    Arena, Options,
    nodes::{Node, NodeValue},
    parse_document,
};

use super::{ACCENT, Span, markdown::safe};

/// Stands before a text, so that nothing in it begins a block.
const BEFORE: &str = "x ";

/// A line, or a part of one. Without colours code keeps its marks.
pub fn inline(text: &str, style: Style, colour: bool) -> Vec<Span> {
    let arena = Arena::new();
    let mut options = Options::default();
    options.extension.strikethrough = true;
    let root = parse_document(&arena, &format!("{BEFORE}{}", safe(text)), &options);
    let mut spans = Vec::new();
    for block in root.children() {
        inside(block, style, colour, &mut spans);
    }
    if let Some(first) = spans.first_mut() {
        let bare = first.text.strip_prefix(BEFORE).or_else(|| first.text.strip_prefix('x'));
        first.text = bare.unwrap_or(&first.text).to_owned();
    }
    spans
}

fn inside(node: Node<'_>, style: Style, colour: bool, spans: &mut Vec<Span>) {
    for child in node.children() {
        let mut push = |text: &str, style: Style| match spans.last_mut() {
            // An entity of Markdown may be any character.
            Some(last) if last.style == style => last.text.push_str(&safe(text)),
            _ => spans.push(Span::new(safe(text), style)),
        };
        match &child.data().value {
            NodeValue::Text(text) => push(text, style),
            NodeValue::HtmlInline(text) => push(text, style),
            NodeValue::Code(code) if colour => push(&code.literal, ACCENT),
            NodeValue::Code(code) => {
                let marks = "`".repeat(code.num_backticks);
                push(&format!("{marks}{}{marks}", code.literal), style);
            }
            NodeValue::SoftBreak | NodeValue::LineBreak => push(" ", style),
            NodeValue::Strong => inside(child, style.bold(), colour, spans),
            NodeValue::Emph => inside(child, style.italic(), colour, spans),
            NodeValue::Strikethrough => inside(child, style.strikethrough(), colour, spans),
            NodeValue::Link(link) | NodeValue::Image(link) => {
                let from = spans.iter().map(|span| span.text.len()).sum::<usize>();
                inside(child, style.underline(), colour, spans);
                let all: String = spans.iter().map(|span| span.text.as_str()).collect();
                let label = all.get(from..).unwrap_or_default();
                let address = safe(&link.url);
                if label != address && address.strip_prefix("mailto:") != Some(label) {
                    spans.push(Span::new(format!(" ({address})"), ACCENT));
                }
            }
            _ => inside(child, style, colour, spans),
        }
    }
}
