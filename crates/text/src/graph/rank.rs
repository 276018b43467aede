//! How central a node is: PageRank. Owns its arithmetic, knows nothing of what a node stands for.

use super::{Edge, EdgeKind, Graph};

/// How often a reader follows a reference instead of opening any file at random.
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 50;
/// Ends the rounds once all shares together move less than this.
const STILL: f64 = 1e-9;

/// A node refers to another, by place.
struct Pair {
    from: usize,
    to: usize,
    weight: f64,
}

/// A share per node, in the order of the nodes. They sum to 1 unless there is no node.
pub(super) fn ranks(graph: &Graph) -> Vec<f64> {
    let order = graph.by_path();
    let mut place = vec![0; order.len()];
    for (at, &node) in order.iter().enumerate() {
        place[node] = at;
    }
    let ranks = settle(order.len(), &pairs(graph, &place));
    place.into_iter().map(|at| ranks[at]).collect()
}

/// Nodes are taken by place, not by number, so that sums are made in one order however they are
/// numbered: equal graphs have equal ranks to the last bit.
fn pairs(graph: &Graph, place: &[usize]) -> Vec<Pair> {
    let same = |a: &Edge, b: &Edge| (a.from, a.to) == (b.from, b.to);
    let mut pairs: Vec<Pair> = graph
        .edges()
        .chunk_by(same)
        .filter_map(|edges| {
            // Linking to a file and naming it too does not say more than linking.
            let weight = edges.iter().map(|edge| weight(edge.kind)).reduce(f64::max)?;
            let Edge { from, to, .. } = edges.first()?;
            Some(Pair { from: place[*from], to: place[*to], weight })
        })
        .collect();
    pairs.sort_unstable_by_key(|pair| (pair.to, pair.from));
    pairs
}

/// A mention may be a coincidence of names.
fn weight(kind: EdgeKind) -> f64 {
    match kind {
        EdgeKind::Mention => 0.5,
        EdgeKind::Link | EdgeKind::WikiLink | EdgeKind::Import | EdgeKind::Covers => 1.0,
    }
}

fn settle(count: usize, pairs: &[Pair]) -> Vec<f64> {
    let mut leaving = vec![0.0; count];
    for pair in pairs {
        leaving[pair.from] += pair.weight;
    }
    let every = count as f64;
    let mut ranks = vec![1.0 / every; count];
    for _ in 0..ROUNDS {
        // Who has nowhere to go opens any file at random.
        let stuck: f64 =
            ranks.iter().zip(&leaving).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
        let mut next = vec![(1.0 - DAMPING + DAMPING * stuck) / every; count];
        for Pair { from, to, weight } in pairs {
            next[*to] += DAMPING * ranks[*from] * weight / leaving[*from];
        }
        let moved: f64 = next.iter().zip(&ranks).map(|(new, old)| (new - old).abs()).sum();
        ranks = next;
        if moved < STILL {
            break;
        }
    }
    ranks
}
