//! Items within the braces of a Rust macro call (`bitflags!`, `pin_project!`, `cfg_if!`): the
//! parser sees tokens there, but their order tells what is defined.

use tree_sitter::Node;

use super::{
    super::{kind::ItemKind, prose},
    grammar::{Definition, Source, Told},
};

/// How many braces deep items are looked for: `cfg_if! { if .. { fn .. } }` is two.
const DEPTH: usize = 3;

pub(super) fn definitions(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let tokens = |tree: Node<'_>| tree.kind() == "token_tree";
    let inner: Vec<Node<'_>> = node.children(&mut node.walk()).filter(|c| tokens(*c)).collect();
    let mut left: Vec<(Node<'_>, usize)> = inner.into_iter().map(|tree| (tree, 1)).collect();
    while let Some((tree, depth)) = left.pop() {
        let deeper = read(source, tree, told);
        if depth < DEPTH {
            left.extend(deeper.into_iter().rev().map(|tree| (tree, depth + 1)));
        }
    }
    told.items.sort_by_key(|one| one.range.start);
}

/// Adds what is defined directly in these tokens. Returns the braces that are no item's body.
fn read<'t>(source: Source<'_>, tree: Node<'t>, told: &mut Told) -> Vec<Node<'t>> {
    let tokens: Vec<Node<'t>> = tree.children(&mut tree.walk()).collect();
    let mut deeper = Vec::new();
    let mut doc = Vec::new();
    // Where an item with its visibility would start.
    let mut visible = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let text = source.text(*token);
        at += 1;
        match token.kind() {
            "line_comment" | "block_comment" => {
                if text.starts_with("///") || text.starts_with("/**") {
                    doc.push(prose::unmarked(text));
                }
                continue;
            }
            "token_tree" => {
                if text.starts_with('{') {
                    deeper.push(*token);
                }
                // `pub(crate)` and `#[inline]` go on, a body or an argument list does not.
                if !text.starts_with('[') && !is_restriction(text) {
                    doc.clear();
                    visible = None;
                }
                continue;
            }
            _ => {}
        }
        if text == "pub" {
            visible = Some(token.start_byte());
            continue;
        }
        if let Some((kind, name)) = defined(source, text, &tokens[at..]) {
            let end = tokens[at..].iter().position(|token| ends_head(source.text(*token)));
            let end = end.map_or(tokens.len(), |more| at + more);
            let head_end = tokens.get(end).unwrap_or(&tree);
            let is_end = tokens.get(end).is_some();
            let public = Some(visible.is_some());
            let start = visible.take().unwrap_or_else(|| token.start_byte());
            let last = if is_end { head_end.end_byte() } else { token.end_byte() };
            told.items.push(Definition {
                kind,
                name: name.to_owned(),
                range: start..last,
                head_end: if is_end { head_end.start_byte() } else { last },
                enter: false,
                doc: Some(doc.join("\n")),
                public,
                owner: None,
            });
            doc.clear();
            at = end + 1;
        } else if !matches!(text, "#" | "unsafe" | "async" | "extern" | "const" | "ref") {
            doc.clear();
            visible = None;
        }
    }
    deeper
}

fn is_restriction(text: &str) -> bool {
    ["(crate", "(super", "(in ", "(self"].iter().any(|start| text.starts_with(start))
}

/// An item keyword and the name behind it.
fn defined<'s>(
    source: Source<'s>,
    keyword: &str,
    behind: &[Node<'_>],
) -> Option<(ItemKind, &'s str)> {
    let kind = match keyword {
        "fn" => ItemKind::Function,
        "struct" => ItemKind::Struct,
        "enum" => ItemKind::Enum,
        "union" => ItemKind::Union,
        "trait" => ItemKind::Trait,
        "mod" => ItemKind::Module,
        "type" => ItemKind::TypeAlias,
        "static" | "const" => ItemKind::Constant,
        _ => return None,
    };
    let texts = behind.iter().map(|token| (token.kind(), source.text(*token)));
    let mut names = texts.skip_while(|(_, text)| matches!(*text, "ref" | "mut"));
    let (token, name) = names.next()?;
    // `const fn` and a metavariable are no names, nor is a keyword.
    (token == "identifier" && name != "fn").then_some((kind, name))
}

fn ends_head(text: &str) -> bool {
    text == ";" || text.starts_with('{')
}
