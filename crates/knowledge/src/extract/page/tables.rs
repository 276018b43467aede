//! What the cells of a table say, where its header says little: one over all columns, or none above a list
//! of what is offered.

use comrak::nodes::{AstNode, NodeValue};

use super::html;

/// Bytes of a cell that are read.
const MAX_CELL: usize = 1_000;
/// Most words of a header over all columns.
const MAX_OVER: usize = 10;

/// The header of a table that stands over all of its columns.
pub(super) fn over_all(header: &[String]) -> Option<String> {
    let (first, rest) = header.split_first()?;
    let is_over = !first.is_empty() && !rest.is_empty() && rest.iter().all(String::is_empty);
    (is_over && first.split_whitespace().count() <= MAX_OVER).then(|| first.clone())
}

/// The cells of a row, the first with what stands over all columns before it: `command search`, `Nutritional value, energy`.
pub(super) fn below(over: Option<&str>, mut cells: Vec<String>) -> Vec<String> {
    if let (Some(over), [key, _, ..]) = (over, cells.as_mut_slice()) {
        // One that says of which kind the first cells are.
        let is_kind = over.starts_with(char::is_lowercase) && !over.contains(' ');
        let end = if is_kind { "" } else { "," };
        *key = format!("{over}{end} {}", key.trim_start_matches(['-', '–', '•', ' ']));
    }
    cells
}

/// What a row without a header offers: a cell with a name in bold and what that is, and perhaps a price.
pub(super) fn offer<'a>(row: &'a AstNode<'a>) -> Option<Vec<Vec<String>>> {
    const LEAST_CELLS: usize = 3;
    let cells: Vec<&AstNode<'_>> = row.children().collect();
    let (name, told) = cells.iter().copied().find_map(named)?;
    let price = cells.iter().copied().map(plain).find(|text| is_price(text));
    if cells.len() < LEAST_CELLS {
        return None;
    }
    let priced = price.map(|price| vec![format!("{name}, price"), price]);
    Some([vec![name, told]].into_iter().chain(priced).collect())
}

/// `**Name.** What it is.`
fn named<'a>(cell: &'a AstNode<'a>) -> Option<(String, String)> {
    const LEAST_WORDS: usize = 3;
    let first = cell.first_child()?;
    if !matches!(first.data().value, NodeValue::Strong) {
        return None;
    }
    let name = plain(first);
    let told = plain(cell);
    let told = told.strip_prefix(&name)?.trim_start_matches([' ', '.', ':', '–', '-']).to_owned();
    let name = name.trim_end_matches(['.', ':', ' ']).to_owned();
    let is_name = name.chars().any(char::is_alphabetic);
    (is_name && told.split(' ').count() >= LEAST_WORDS).then_some((name, told))
}

fn is_price(text: &str) -> bool {
    const MAX_WORDS: usize = 6;
    let has_sum = text.contains(['$', '€', '£', '¥']) && text.bytes().any(|it| it.is_ascii_digit());
    text.split_whitespace().count() <= MAX_WORDS && (has_sum || text.eq_ignore_ascii_case("free"))
}

/// Tags behind which another part of a cell begins.
const PARTING: &[&str] = &["<br", "<li", "<p>", "<ul", "<ol"];

/// What links to maps and the like are called, in lower case, behind what a cell says.
const IDLE_LINKS: &[&str] = &["edit", "google maps", "link", "map", "openstreetmap", "source"];

/// Whether a node is a link that says nothing of what a cell tells before it.
fn is_idle<'a>(node: &'a AstNode<'a>) -> bool {
    let is_link = matches!(node.data().value, NodeValue::Link(_));
    is_link
        && node.previous_sibling().is_some()
        && IDLE_LINKS.contains(&plain(node).to_lowercase().as_str())
}

/// The text of a cell.
pub(super) fn plain<'a>(node: &'a AstNode<'a>) -> String {
    let mut text = String::new();
    let said = node.children().filter(|child| !is_idle(child));
    for inline in said.flat_map(|child| child.descendants()) {
        match &inline.data().value {
            NodeValue::Text(literal) => text.push_str(literal),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            // `one</li><li>two`
            NodeValue::HtmlInline(tag) if PARTING.iter().any(|part| tag.starts_with(part)) => {
                let is_open = text.ends_with(|char: char| char.is_alphanumeric() || char == ')');
                text.push_str(if is_open { "; " } else { " " });
            }
            NodeValue::HtmlInline(tag) if html::is_placeholder(tag) => text.push_str(tag),
            _ => {}
        }
    }
    text.truncate(text.floor_char_boundary(MAX_CELL));
    text.trim().to_owned()
}
