//! What refers to what in a knowledge base.

use std::path::Path;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Result, workspace::Workspace};
use elophanto_index::{Options, search::SearchError};
use elophanto_knowledge::references::{self, References};
use elophanto_text::graph::{Edge, Found, Graph};

/// A note or file, as programs get it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Node<'a> {
    /// Relative to the root.
    pub path: &'a str,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<&'a [u8]>,
    /// Of the note or page; of a file, what it is shown by.
    pub title: &'a str,
    /// `note`, `source` or `entity`.
    pub kind: &'static str,
    /// Share of the time that a reader who follows references spends here.
    pub rank: f64,
    /// Whether it is a note that nothing refers to, and no readme or index.
    pub orphan: bool,
}

/// A reference, as programs get it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reference<'a> {
    /// The path of what refers.
    pub from: &'a str,
    /// The path of what is referred to.
    pub to: &'a str,
    /// `link`, `covers` and the like: what kind it is.
    pub reference: &'static str,
    /// Of `from`, counted from 1; `None` where it stands in no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// The graph of the notes as they are now, and of the files that the settings want described.
///
/// # Errors
/// When a configured root does not exist, or the view is damaged.
pub fn graph(workspace: &Workspace) -> Result<References> {
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let notes = workspace.refresh_pages(options)?;
    let root = &workspace.repository.root;
    let reach = workspace.reach();
    let (files, ..) = reach.sought().find(&reach);
    let limit = workspace.config.knowledge.max_file_bytes;
    Ok(references::graph(root, &notes.snapshot, &files, limit).map_err(SearchError::from)?)
}

/// The node that a person means: by its path from the current folder, else by what `graph` knows it as.
pub fn named(workspace: &Workspace, graph: &Graph, name: &str) -> Found {
    let typed = workspace.note_path(Path::new(name)).to_text();
    match graph.nodes().iter().position(|node| node.path == typed) {
        Some(node) => Found::Exact(node),
        None => graph.find(name),
    }
}

/// The nodes with their ranks, and the references; of one node, those that touch it.
pub fn nodes_and_edges(
    References { graph, bytes }: &References,
    node: Option<usize>,
) -> (impl Iterator<Item = Node<'_>>, impl Iterator<Item = Reference<'_>>) {
    let ranks = graph.ranks();
    let orphans: FxHashSet<usize> = graph.orphans().into_iter().collect();
    let (edges, mut shown): (Vec<Edge>, Vec<usize>) = match node {
        None => (graph.edges().to_vec(), (0..graph.nodes().len()).collect()),
        Some(node) => {
            let near = graph.neighbours(node);
            let edges = [near.outgoing, near.incoming].concat();
            let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]).chain([node]).collect();
            (edges, ends)
        }
    };
    shown.sort_unstable();
    shown.dedup();
    let node = move |index: usize| {
        let node = graph.nodes().get(index)?;
        Some(Node {
            path: &node.path,
            path_bytes: bytes.get(&node.path).map(Vec::as_slice),
            title: &node.title,
            kind: node.kind.name(),
            rank: ranks.get(index).copied().unwrap_or_default(),
            orphan: orphans.contains(&index),
        })
    };
    let reference = move |edge: Edge| {
        let path = |index: usize| graph.nodes().get(index).map(|node| node.path.as_str());
        let (from, to) = (path(edge.from)?, path(edge.to)?);
        Some(Reference { from, to, reference: edge.kind.name(), line: edge.line })
    };
    (shown.into_iter().filter_map(node), edges.into_iter().filter_map(reference))
}
