//! The graph, or what surrounds one node, in the languages of Graphviz and Mermaid. Owns what is
//! left out of a picture that would be too large to read, and says so in it.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    super::{Edge, EdgeKind, Graph, Node, NodeKind},
    escape,
};

const MAX_NODES: usize = 500;
const MAX_EDGES: usize = 5_000;

/// What a picture shows.
struct Part<'g> {
    /// By path; a node is named by its place here.
    nodes: Vec<&'g Node>,
    /// Between places of `nodes`.
    edges: Vec<Edge>,
    /// The place of the node in question.
    focus: Option<usize>,
    /// What was left out.
    notices: Vec<String>,
}

/// A DOT graph of everything, or of a node and its neighbours. Of more than 500 nodes the most
/// central are kept; a comment says so. Without nodes for a number that is none.
pub fn dot(graph: &Graph, node: Option<usize>) -> String {
    let part = part(graph, node);
    let mut text = String::from("digraph knowledge {\n  rankdir=LR;\n");
    for notice in &part.notices {
        let _ = writeln!(text, "  // {notice}");
    }
    for (place, node) in part.nodes.iter().enumerate() {
        let shape = match node.kind {
            NodeKind::Note => "note",
            NodeKind::Source => "box",
            NodeKind::Entity => "ellipse",
        };
        let width = if part.focus == Some(place) { ", penwidth=2" } else { "" };
        let label = escape::dot(&node.path);
        let _ = writeln!(text, "  n{place} [label=\"{label}\", shape={shape}{width}];");
    }
    for Edge { from, to, kind, .. } in &part.edges {
        let style = if *kind == EdgeKind::Mention { ", style=dashed" } else { "" };
        let _ = writeln!(text, "  n{from} -> n{to} [label=\"{}\"{style}];", kind.name());
    }
    text.push_str("}\n");
    text
}

/// A Mermaid flowchart of what [`dot`] shows.
pub fn mermaid(graph: &Graph, node: Option<usize>) -> String {
    let part = part(graph, node);
    let mut text = String::from("flowchart LR\n");
    for notice in &part.notices {
        let _ = writeln!(text, "  %% {notice}");
    }
    for (place, node) in part.nodes.iter().enumerate() {
        let label = escape::mermaid(&node.path);
        let _ = match node.kind {
            NodeKind::Note => writeln!(text, "  n{place}[\"{label}\"]"),
            NodeKind::Source => writeln!(text, "  n{place}(\"{label}\")"),
            NodeKind::Entity => writeln!(text, "  n{place}([\"{label}\"])"),
        };
    }
    for Edge { from, to, kind, .. } in &part.edges {
        let arrow = if *kind == EdgeKind::Mention { "-.->" } else { "-->" };
        let _ = writeln!(text, "  n{from} {arrow}|{}| n{to}", kind.name());
    }
    if let Some(place) = part.focus {
        let _ = writeln!(text, "  style n{place} stroke-width:3px");
    }
    text
}

fn part(graph: &Graph, focus: Option<usize>) -> Part<'_> {
    let mut notices = Vec::new();
    let wanted: FxHashSet<usize> = match focus {
        Some(node) => around(graph, node),
        None => (0..graph.nodes().len()).collect(),
    };
    let kept = most_central(graph, wanted, focus, &mut notices);
    let places: FxHashMap<usize, usize> =
        kept.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    let mut edges: Vec<Edge> = kept
        .iter()
        .flat_map(|node| graph.neighbours(*node).outgoing)
        .filter_map(|edge| {
            Some(Edge { from: *places.get(&edge.from)?, to: *places.get(&edge.to)?, ..*edge })
        })
        .collect();
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind));
    if edges.len() > MAX_EDGES {
        notices.push(format!("the first {MAX_EDGES} of {} references", edges.len()));
        edges.truncate(MAX_EDGES);
    }
    Part {
        nodes: kept.iter().filter_map(|node| graph.nodes().get(*node)).collect(),
        edges,
        focus: focus.and_then(|node| places.get(&node).copied()),
        notices,
    }
}

/// A node and all nodes that it refers to or that refer to it.
fn around(graph: &Graph, node: usize) -> FxHashSet<usize> {
    let neighbours = graph.neighbours(node);
    let own = graph.nodes().get(node).map(|_| node);
    let outgoing = neighbours.outgoing.iter().map(|edge| edge.to);
    outgoing.chain(neighbours.incoming.iter().map(|edge| edge.from)).chain(own).collect()
}

/// As many as a picture holds, by path; the node in question is always among them.
fn most_central(
    graph: &Graph,
    mut wanted: FxHashSet<usize>,
    focus: Option<usize>,
    notices: &mut Vec<String>,
) -> Vec<usize> {
    if wanted.len() > MAX_NODES {
        notices.push(format!("{MAX_NODES} of {} nodes: the most central ones", wanted.len()));
        let own = focus.filter(|node| wanted.contains(node));
        let others = graph
            .central(usize::MAX)
            .into_iter()
            .map(|(node, _)| node)
            .filter(|node| wanted.contains(node) && Some(*node) != own);
        wanted = own.into_iter().chain(others).take(MAX_NODES).collect();
    }
    graph.by_path().into_iter().filter(|node| wanted.contains(node)).collect()
}
