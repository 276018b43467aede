//! `elophanto graph`

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    scan::wanted,
    ui::{Ui, visible_line},
    workspace,
};
use elophanto_index::{Options, search::SearchError};
use elophanto_knowledge::{
    references::{self, References},
    scan::Sought,
};
use elophanto_text::graph::{Edge, Found, Graph, NodeKind, dot, mermaid, text};

/// Show what refers to what
///
/// Links and mentions between notes, imports between source files, and what notes cover. With a
/// node (a path, the end of one, or a title): what it refers to and what refers to it. Without:
/// the most central files, and the notes that nothing leads to.
#[derive(clap::Args, Debug)]
pub struct GraphArgs {
    /// A note or file: its path, the end of it, its name or its title
    node: Option<String>,
    /// How to print: text, dot, mermaid or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Dot,
    Mermaid,
    Json,
}

impl GraphArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        self.json || self.format == Format::Json
    }
}

/// A node, as `--json` prints it.
#[derive(Serialize)]
struct NodeWire<'a> {
    path: &'a str,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'a [u8]>,
    title: &'a str,
    kind: &'static str,
    /// Share of the time that a reader who follows references spends here.
    rank: f64,
    orphan: bool,
}

/// A reference, as `--json` prints it.
#[derive(Serialize)]
struct EdgeWire<'a> {
    from: &'a str,
    to: &'a str,
    reference: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

pub fn run(args: &GraphArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let notes = workspace.refresh_pages(options)?;
    let root = &workspace.repository.root;
    let (files, _) = Sought::new(root, &wanted(&workspace)).find(root);
    let limit = workspace.config.knowledge.max_file_bytes;
    let References { graph, bytes } =
        references::graph(root, &notes.snapshot, &files, limit).map_err(SearchError::from)?;
    let node = match &args.node {
        None => None,
        Some(name) => match find(&graph, name, ui) {
            Some(node) => Some(node),
            None => return Ok(Outcome::Negative),
        },
    };
    match args.format {
        _ if args.is_json() => json(&graph, &bytes, node, ui)?,
        Format::Text | Format::Json => ui.line(text(&graph, node).trim_end())?,
        Format::Dot => ui.line(dot(&graph, node).trim_end())?,
        Format::Mermaid => ui.line(mermaid(&graph, node).trim_end())?,
    }
    Ok(Outcome::Done)
}

/// The node of that name; says what there is instead if there is none.
fn find(graph: &Graph, name: &str, ui: &Ui) -> Option<usize> {
    let name = name.strip_prefix("./").unwrap_or(name);
    let paths = |nodes: &[usize]| {
        let paths = nodes.iter().filter_map(|&node| graph.nodes().get(node));
        paths.map(|node| format!("`{}`", visible_line(&node.path))).collect::<Vec<_>>().join(", ")
    };
    match graph.find(name) {
        Found::Exact(node) => return Some(node),
        Found::Ambiguous(nodes) => {
            ui.talk(format_args!("`{name}` is one of {}", paths(&nodes)));
            ui.talk("hint: give more of the path");
        }
        Found::Unknown { like } => {
            ui.talk(format_args!("there is no `{name}` here"));
            if !like.is_empty() {
                ui.talk(format_args!("hint: did you mean {}?", paths(&like)));
            }
        }
    }
    None
}

/// The nodes with their ranks, then the references; of one node, those that touch it.
fn json(
    graph: &Graph,
    bytes: &FxHashMap<String, Vec<u8>>,
    node: Option<usize>,
    ui: &mut Ui,
) -> Result<(), CliError> {
    let ranks = graph.ranks();
    let orphans = graph.orphans();
    let edges: Vec<Edge> = match node {
        None => graph.edges().to_vec(),
        Some(node) => {
            let near = graph.neighbours(node);
            [near.outgoing, near.incoming].concat()
        }
    };
    let mut shown: Vec<usize> = match node {
        None => (0..graph.nodes().len()).collect(),
        Some(node) => {
            let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]);
            ends.chain([node]).collect()
        }
    };
    shown.sort_unstable();
    shown.dedup();
    for index in shown {
        let Some(node) = graph.nodes().get(index) else { continue };
        ui.json(&NodeWire {
            path: &node.path,
            path_bytes: bytes.get(&node.path).map(Vec::as_slice),
            title: &node.title,
            kind: match node.kind {
                NodeKind::Note => "note",
                NodeKind::Source => "source",
            },
            rank: ranks.get(index).copied().unwrap_or_default(),
            orphan: orphans.contains(&index),
        })?;
    }
    for edge in edges {
        let (Some(from), Some(to)) = (graph.nodes().get(edge.from), graph.nodes().get(edge.to))
        else {
            continue;
        };
        ui.json(&EdgeWire {
            from: &from.path,
            to: &to.path,
            reference: edge.kind.name(),
            line: edge.line,
        })?;
    }
    Ok(())
}
