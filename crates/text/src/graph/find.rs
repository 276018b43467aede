//! Which node a person means. Owns the order in which names are tried, and what is suggested when
//! none fits.

use super::{Graph, Node, paths::file_name};

/// Nodes that are named when several fit.
const MAX_FITTING: usize = 20;
const MAX_LIKE: usize = 5;
/// Jaro-Winkler similarity from which a name counts as a slip of the pen.
const LIKE: f64 = 0.8;
/// Characters of a name that are compared: the time grows with their square.
const MAX_COMPARED: usize = 64;

/// What became of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It names this node.
    Exact(usize),
    /// It fits these equally well: two or more, at most 20, by path.
    Ambiguous(Vec<usize>),
    /// It names none.
    Unknown {
        /// Nodes with a similar name, at most 5, most similar first.
        like: Vec<usize>,
    },
}

/// What is compared of a node, in lower case.
struct Names {
    node: usize,
    path: String,
    title: String,
}

pub(super) fn find(graph: &Graph, name: &str) -> Found {
    let name = name.trim();
    let name = name.strip_prefix("./").unwrap_or(name);
    if name.is_empty() {
        return Found::Unknown { like: Vec::new() };
    }
    let order = graph.by_path();
    let path_of = |node: usize| graph.nodes().get(node).map_or("", |node| node.path.as_str());
    if let Some(&node) = order.iter().find(|&&node| path_of(node) == name) {
        return Found::Exact(node);
    }
    let name = name.to_lowercase();
    let all: Vec<Names> = order
        .into_iter()
        .filter_map(|node| graph.nodes().get(node).map(|found| Names::new(node, found)))
        .collect();
    let ways: [fn(&Names, &str) -> bool; 3] = [
        |names, name| names.path == name,
        |names, name| ends_with_path(&names.path, name),
        |names, name| names.title == name || ends_with_path(without_extension(&names.path), name),
    ];
    for fits in ways {
        let mut fitting: Vec<usize> =
            all.iter().filter(|names| fits(names, &name)).map(|names| names.node).collect();
        fitting.truncate(MAX_FITTING);
        match fitting.as_slice() {
            [] => {}
            [node] => return Found::Exact(*node),
            _ => return Found::Ambiguous(fitting),
        }
    }
    Found::Unknown { like: like(&all, &name) }
}

impl Names {
    fn new(node: usize, Node { path, title, .. }: &Node) -> Self {
        Self { node, path: path.to_lowercase(), title: title.trim().to_lowercase() }
    }
}

/// Whether `end` is the whole path or its last whole parts.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn without_extension(path: &str) -> &str {
    let folder = path.len() - file_name(path).len();
    match path.rfind('.') {
        // A dot in front of everything hides a file, it begins no extension.
        Some(dot) if dot > folder => &path[..dot],
        _ => path,
    }
}

fn like(all: &[Names], name: &str) -> Vec<usize> {
    let name = head(name);
    let mut scored: Vec<(f64, usize)> = all
        .iter()
        .map(|names| {
            let file = file_name(&names.path);
            let forms = [&names.path, file, without_extension(file), &names.title];
            let score = forms.into_iter().map(|form| strsim::jaro_winkler(head(form), name));
            (score.fold(0.0, f64::max), names.node)
        })
        .filter(|(score, _)| *score >= LIKE)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(MAX_LIKE).map(|(_, node)| node).collect()
}

fn head(text: &str) -> &str {
    text.char_indices().nth(MAX_COMPARED).map_or(text, |(end, _)| &text[..end])
}
