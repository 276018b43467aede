//! The graph for people and for the programs that draw graphs.
//!
//! Owns the wording and the escaping: every path and title is untrusted, so it is put on one line
//! and what steers or hides is made visible before anything else is done to it.

mod diagram;
mod escape;
#[cfg(test)]
mod tests;

use std::fmt::Write;

pub use diagram::{dot, mermaid};
use escape::visible;

use super::{Edge, EdgeKind, Graph, NodeKind};
use elophanto_base::counted::counted;

/// References of one kind that are listed.
const MAX_REFERENCES: usize = 100;
const MAX_CENTRAL: usize = 10;
const MAX_ORPHANS: usize = 20;
/// Characters of a title.
const MAX_TITLE: usize = 200;

/// One node with what it refers to and what refers to it, or, without a node, how large the graph
/// is, its most central nodes and its orphans. Empty for a number that is no node.
pub fn text(graph: &Graph, node: Option<usize>) -> String {
    match node {
        Some(node) => one(graph, node),
        None => all(graph),
    }
}

fn one(graph: &Graph, number: usize) -> String {
    let Some(node) = graph.nodes().get(number) else { return String::new() };
    let neighbours = graph.neighbours(number);
    let mut text = format!("{}\n", heading(graph, number));
    let _ = writeln!(text, "  {}", node.kind.name());
    let outgoing = |edge: &Edge| {
        let line = edge.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        (path(graph, edge.to), line)
    };
    references(&mut text, "refers to", neighbours.outgoing, outgoing);
    let incoming = |edge: &Edge| {
        let line = edge.line.map(|line| format!(":{line}")).unwrap_or_default();
        (path(graph, edge.from), line)
    };
    references(&mut text, "referred to by", neighbours.incoming, incoming);
    text
}

/// A list of references by kind. `show` gives the path, by which they are sorted, and the line.
fn references(
    text: &mut String,
    title: &str,
    edges: &[Edge],
    show: impl Fn(&Edge) -> (String, String),
) {
    let _ = writeln!(text, "\n{title} ({})", edges.len());
    for kind in EdgeKind::ALL {
        let mut shown: Vec<(String, String)> =
            edges.iter().filter(|edge| edge.kind == kind).map(&show).collect();
        if shown.is_empty() {
            continue;
        }
        shown.sort();
        let _ = writeln!(text, "  {}", kind.name());
        let lines = shown.iter().map(|(path, line)| format!("    {path}{line}"));
        list(text, lines, MAX_REFERENCES, "    ");
    }
}

fn all(graph: &Graph) -> String {
    let count = |kind| graph.nodes().iter().filter(|node| node.kind == kind).count();
    let entities = count(NodeKind::Entity);
    let known = match entities {
        0 => String::new(),
        _ => format!("{}, ", counted(entities, "known thing")),
    };
    let mut text = format!(
        "{}, {}, {known}{}\n",
        counted(count(NodeKind::Note), "note"),
        counted(count(NodeKind::Source), "source"),
        counted(graph.edges().len(), "reference"),
    );
    for kind in EdgeKind::ALL {
        let of_kind = graph.edges().iter().filter(|edge| edge.kind == kind).count();
        if of_kind > 0 {
            let _ = writeln!(text, "  {} {of_kind}", kind.name());
        }
    }
    let central = graph.central(MAX_CENTRAL);
    if !central.is_empty() {
        text.push_str("\nmost central\n");
        let lines =
            central.iter().map(|(node, rank)| format!("  {rank:.4}  {}", heading(graph, *node)));
        list(&mut text, lines, MAX_CENTRAL, "  ");
    }
    let orphans = graph.orphans();
    let _ = writeln!(text, "\norphans ({})", orphans.len());
    let lines = orphans.iter().map(|node| format!("  {}", heading(graph, *node)));
    list(&mut text, lines, MAX_ORPHANS, "  ");
    text
}

fn list(
    text: &mut String,
    lines: impl ExactSizeIterator<Item = String>,
    max: usize,
    indentation: &str,
) {
    let more = lines.len().saturating_sub(max);
    for line in lines.take(max) {
        text.push_str(&line);
        text.push('\n');
    }
    if more > 0 {
        let _ = writeln!(text, "{indentation}and {more} more");
    }
}

fn path(graph: &Graph, node: usize) -> String {
    graph.nodes().get(node).map(|node| visible(&node.path)).unwrap_or_default()
}

fn heading(graph: &Graph, node: usize) -> String {
    let title = graph.nodes().get(node).map_or("", |node| node.title.trim());
    let shown: String = visible(title).chars().take(MAX_TITLE).collect();
    let path = path(graph, node);
    if shown.is_empty() { path } else { format!("{path}  {shown}") }
}
