//! How notes hang together: what is near one, and which form a group.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Catalogue, Reference};

/// Notes around one that are drawn.
const MOST_NEAR: usize = 40;
/// Rounds in which notes join a group.
const ROUNDS: usize = 12;

/// A note and what is near it.
pub struct Near {
    /// The first one is the note itself; others by how many links they share with it, then by path.
    pub notes: Vec<usize>,
    /// Between these notes, by their places in `notes`.
    pub links: Vec<(usize, usize)>,
    /// Notes that are left out.
    pub more: usize,
}

/// Notes that are linked with one another more than with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The one with most links first.
    pub notes: Vec<usize>,
    /// Links within it.
    pub links: usize,
    /// To other clusters, by their places in the list, with how many links lead there or come from there.
    pub others: Vec<(usize, usize)>,
}

/// What refers to a note and what it refers to.
pub fn near(catalogue: &Catalogue, note: usize) -> Near {
    let mut shared: FxHashMap<usize, usize> = FxHashMap::default();
    let outgoing = catalogue.outgoing(note).iter().map(|it| it.to);
    for other in outgoing.chain(catalogue.incoming(note).iter().map(|it| it.from)) {
        *shared.entry(other).or_default() += 1;
    }
    let mut others: Vec<(usize, usize)> = shared.into_iter().collect();
    others.sort_by_key(|&(number, links)| (std::cmp::Reverse(links), number));
    let more = others.len().saturating_sub(MOST_NEAR);
    let kept = others.into_iter().take(MOST_NEAR).map(|(number, _)| number);
    let notes: Vec<usize> = std::iter::once(note).chain(kept).collect();
    let place = |number: usize| notes.iter().position(|it| *it == number);
    let mut links: Vec<(usize, usize)> = notes
        .iter()
        .flat_map(|&from| catalogue.outgoing(from))
        .filter_map(|it| Some((place(it.from)?, place(it.to)?)))
        .collect();
    links.sort_unstable();
    links.dedup();
    Near { notes, links, more }
}

/// See [`Catalogue::clusters`]. By the first phase of the Louvain method (Blondel et al. 2008) in a fixed
/// order, so that the same notes form the same groups.
pub(super) fn clusters(notes: usize, references: &[Reference]) -> (Vec<Cluster>, usize) {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); notes];
    for it in references {
        if let Some(of) = neighbours.get_mut(it.from) {
            of.push(it.to);
        }
        if let Some(of) = neighbours.get_mut(it.to) {
            of.push(it.from);
        }
    }
    let mut labels: Vec<usize> = (0..notes).collect();
    // Ends of links in each group, by its label.
    let mut ends: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let all: usize = ends.iter().sum();
    for _ in 0..ROUNDS {
        let mut has_changed = false;
        for (note, near) in neighbours.iter().enumerate() {
            let own = labels[note];
            ends[own] -= near.len();
            let mut links: BTreeMap<usize, usize> = BTreeMap::from([(own, 0)]);
            for other in near {
                *links.entry(labels[*other]).or_default() += 1;
            }
            // How many more links lead there than would by chance.
            let gain = |label: usize, links: usize| {
                links as f64 - (near.len() * ends[label]) as f64 / all.max(1) as f64
            };
            let mut best = (own, gain(own, links.get(&own).copied().unwrap_or(0)));
            for (label, links) in links {
                let gain = gain(label, links);
                if gain > best.1 + 1e-9 {
                    best = (label, gain);
                }
            }
            has_changed |= best.0 != own;
            labels[note] = best.0;
            ends[best.0] += near.len();
        }
        if !has_changed {
            break;
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let linked = neighbours.iter().enumerate().filter(|(_, near)| !near.is_empty());
    for (note, _) in linked {
        members.entry(labels[note]).or_default().push(note);
    }
    let mut groups: Vec<(usize, Vec<usize>)> = members.into_iter().collect();
    groups.sort_by_key(|(label, notes)| (std::cmp::Reverse(notes.len()), *label));
    let place: FxHashMap<usize, usize> =
        groups.iter().enumerate().map(|(at, (label, _))| (*label, at)).collect();
    let mut clusters: Vec<Cluster> = groups
        .into_iter()
        .map(|(_, mut notes)| {
            notes.sort_by_key(|note| (std::cmp::Reverse(neighbours[*note].len()), *note));
            Cluster { notes, links: 0, others: Vec::new() }
        })
        .collect();
    let mut between: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for it in references {
        let at = |note: usize| labels.get(note).and_then(|label| place.get(label)).copied();
        let (Some(from), Some(to)) = (at(it.from), at(it.to)) else { continue };
        *between.entry((from.min(to), from.max(to))).or_default() += 1;
    }
    for ((one, two), links) in between {
        if one == two {
            clusters[one].links = links;
        } else {
            clusters[one].others.push((two, links));
            clusters[two].others.push((one, links));
        }
    }
    let alone = neighbours.iter().filter(|near| near.is_empty()).count();
    (clusters, alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_are_two_groups() {
        let link = |(from, to): (usize, usize)| Reference { from, to, line: 1 };
        let links = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)].map(link);
        let (found, alone) = clusters(7, &links);
        let members: Vec<Vec<usize>> = found
            .iter()
            .map(|it| {
                let mut notes = it.notes.clone();
                notes.sort_unstable();
                notes
            })
            .collect();
        assert_eq!((members, alone), (vec![vec![0, 1, 2], vec![3, 4, 5]], 1));
        assert_eq!((found[0].links, found[0].others.clone()), (3, vec![(1, 1)]));
        assert_eq!(clusters(0, &[]), (Vec::new(), 0));
    }
}
