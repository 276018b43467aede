//! `elophanto graph`

use super::{Outcome, Result, Ui, escape_control_line, workspace};
use elophanto_app::graph::{graph, named, nodes_and_edges};
use elophanto_text::graph::{Found, Graph, dot, mermaid, text};

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

pub fn run(args: &GraphArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let references = graph(&workspace)?;
    let graph = &references.graph;
    let node = match &args.node {
        None => None,
        Some(name) => match told(named(&workspace, graph, name), graph, name, ui) {
            Some(node) => Some(node),
            None => return Ok(Outcome::Negative),
        },
    };
    match args.format {
        _ if args.is_json() => {
            let (mut nodes, mut edges) = nodes_and_edges(&references, node);
            nodes.try_for_each(|node| ui.json(&node))?;
            edges.try_for_each(|edge| ui.json(&edge))?;
        }
        Format::Text | Format::Json => ui.line(text(graph, node).trim_end())?,
        Format::Dot => ui.line(dot(graph, node).trim_end())?,
        Format::Mermaid => ui.line(mermaid(graph, node).trim_end())?,
    }
    Ok(Outcome::Done)
}

/// The node that was found; says what there is instead if it is none.
fn told(found: Found, graph: &Graph, name: &str, ui: &Ui) -> Option<usize> {
    let paths = |nodes: &[usize]| {
        let paths = nodes.iter().filter_map(|&node| graph.nodes().get(node));
        paths
            .map(|node| format!("`{}`", escape_control_line(&node.path)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match found {
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
