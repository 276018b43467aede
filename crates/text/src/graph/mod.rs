//! The cross-references of a repository: which note or source file refers to which.
//!
//! Owns the graph and what is told from it (neighbours, backlinks, orphans, what is central), how a
//! node is found by a name that a person types, where an import of a source file leads
//! ([`Paths::resolve_import`]), which paths and symbols a text mentions ([`mentions`]), and the
//! graph as text, DOT and Mermaid. It is pure, and refuses to know disks, parsers and models:
//! nodes, paths, imports and symbols are handed in. Links of notes are resolved by whoever parses
//! them.
//!
//! Paths are relative to the root of the repository and separated by `/`. None that leaves the
//! root is ever named.

mod find;
mod mentions;
mod paths;
mod rank;
mod render;
mod resolve;
#[cfg(test)]
mod tests;

pub use find::Found;
pub use mentions::{Mention, Symbols, mentions};
pub use paths::Paths;
pub use render::{dot, mermaid, text};
pub use resolve::Language;

/// Nodes a graph may have; further ones are left out, with their references.
pub const MAX_NODES: usize = 1_000_000;
/// References that are taken in before repeats are dropped; further ones are left out.
pub const MAX_EDGES: usize = 10_000_000;

elophanto_base::named! {
    /// What a node is.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum NodeKind, name {
        /// A Markdown note.
        Note = "note",
        /// Any other file that is described, or could be.
        Source = "source",
        /// The page of a person, product or thing with facts.
        Entity = "entity",
    }
}

/// A file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Relative to the root, separated by `/`.
    pub path: String,
    /// What it calls itself; may be empty.
    pub title: String,
    /// Note or source.
    pub kind: NodeKind,
}

elophanto_base::named! {
    /// In what way one file refers to another.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum EdgeKind, name {
        /// A Markdown link.
        Link = "links",
        /// A `[[wikilink]]`.
        WikiLink = "wikilinks",
        /// An import, an include, a unit that another one needs.
        Import = "imports",
        /// A path, a symbol or a thing that a text names.
        Mention = "mentions",
        /// A note that says it describes a source (`covers:`).
        Covers = "covers",
    }
}

/// One file refers to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Number of the node that refers.
    pub from: usize,
    /// Number of the node that is referred to.
    pub to: usize,
    /// How it does so.
    pub kind: EdgeKind,
    /// Where in `from` it says so, from 1.
    pub line: Option<usize>,
}

/// Files and how they refer to each other.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    /// Sorted by `from`, `to`, kind.
    outgoing: Vec<Edge>,
    /// The same, sorted by `to`, `from`, kind.
    incoming: Vec<Edge>,
}

/// The references of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbours<'g> {
    /// What it refers to, by number and kind.
    pub outgoing: &'g [Edge],
    /// What refers to it, by number and kind.
    pub incoming: &'g [Edge],
}

impl Graph {
    /// Nodes keep their numbers. Of references that differ in nothing but their line the first is
    /// kept; a reference to itself or to a number that is no node is dropped.
    pub fn new(mut nodes: Vec<Node>, edges: impl IntoIterator<Item = Edge>) -> Self {
        nodes.truncate(MAX_NODES);
        let count = nodes.len();
        let mut outgoing: Vec<Edge> = edges
            .into_iter()
            .take(MAX_EDGES)
            .filter(|edge| edge.from < count && edge.to < count && edge.from != edge.to)
            .collect();
        // A reference without a line tells less than one with a line.
        outgoing.sort_unstable_by_key(|edge| (triple(edge), edge.line.unwrap_or(usize::MAX)));
        outgoing.dedup_by_key(|edge| triple(edge));
        let mut incoming = outgoing.clone();
        incoming.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.kind));
        Self { nodes, outgoing, incoming }
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All references that were kept, by `from`, `to` and kind.
    pub fn edges(&self) -> &[Edge] {
        &self.outgoing
    }

    /// What a node refers to and what refers to it; nothing for a number that is no node.
    pub fn neighbours(&self, node: usize) -> Neighbours<'_> {
        Neighbours {
            outgoing: run(&self.outgoing, node, |edge| edge.from),
            incoming: run(&self.incoming, node, |edge| edge.to),
        }
    }

    /// Notes to which nothing refers, by path. Pages that people open first (a readme, an index, a
    /// changelog, instructions for agents) need no reference and are not among them.
    pub fn orphans(&self) -> Vec<usize> {
        self.by_path()
            .into_iter()
            .filter(|&node| {
                let Node { path, kind, .. } = &self.nodes[node];
                *kind == NodeKind::Note
                    && !is_entry_page(path)
                    && self.neighbours(node).incoming.is_empty()
            })
            .collect()
    }

    /// How central each node is, by number: the share of time a reader spends there who follows
    /// references at random (PageRank). The shares of all nodes sum to 1.
    pub fn ranks(&self) -> Vec<f64> {
        rank::ranks(self)
    }

    /// The `n` most central nodes with their [`ranks`](Self::ranks), best first; equals by path.
    pub fn central(&self, n: usize) -> Vec<(usize, f64)> {
        let ranks = self.ranks();
        let mut central: Vec<(usize, f64)> =
            self.by_path().into_iter().map(|node| (node, ranks[node])).collect();
        central.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        central.truncate(n);
        central
    }

    /// The node that a person means: by its path, the end of its path, its file name without
    /// extension, or its title, in this order and without regard to case.
    pub fn find(&self, name: &str) -> Found {
        find::find(self, name)
    }

    /// Numbers of all nodes in an order that does not depend on how they are numbered.
    fn by_path(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.nodes[a], &self.nodes[b]);
            (&a.path, &a.title, a.kind).cmp(&(&b.path, &b.title, b.kind))
        });
        order
    }
}

fn triple(edge: &Edge) -> (usize, usize, EdgeKind) {
    (edge.from, edge.to, edge.kind)
}

/// The part of a sorted list that belongs to a node.
fn run(edges: &[Edge], node: usize, of: impl Fn(&Edge) -> usize) -> &[Edge] {
    let start = edges.partition_point(|edge| of(edge) < node);
    let end = edges.partition_point(|edge| of(edge) <= node);
    &edges[start..end]
}

/// Translations (`README.de.md`) and licences by name (`LICENSE-MIT.md`) count too.
pub fn is_entry_page(path: &str) -> bool {
    let name = paths::file_name(path);
    let name = name.split_once('.').map_or(name, |(name, _)| name).to_lowercase();
    let entries = ["readme", "index", "changelog", "contributing", "license", "agents", "claude"];
    entries.contains(&name.as_str()) || name.starts_with("license-")
}
