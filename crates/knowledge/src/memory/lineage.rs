//! Which records are one lesson, and which of those counts. Pure.
//!
//! Owns who corrects whom and what was taken back, by ids and times alone. It refuses to know what a
//! record says.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

/// What records say of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    retired: FxHashSet<String>,
    /// Records that were taken back as another lesson says the same: when, which, and a record of the
    /// other.
    joins: BTreeSet<(Timestamp, String, String)>,
    /// When a record was written, and what it corrects.
    corrects: FxHashMap<String, (Timestamp, String)>,
    corrected: FxHashMap<String, BTreeSet<String>>,
}

/// All records that correct one another, directly or not.
#[derive(Debug, PartialEq, Eq)]
pub struct Lesson<'a> {
    pub records: Vec<&'a str>,
    /// The one that counts; none if the lesson was taken back.
    pub counts: Option<&'a str>,
    /// Others, each with what took its place. Following this always ends, at the one that counts if
    /// there is such a one.
    pub replaced: Vec<(&'a str, &'a str)>,
    /// The newest correction without effect: of something that was taken back, by somebody who did
    /// not know of this correction.
    pub in_vain: Option<&'a str>,
}

struct Node<'a> {
    id: &'a str,
    above: usize,
    is_hidden: bool,
    /// Whether it or a correction of it may count, and the newest of these.
    rank: (bool, Timestamp, &'a str),
    /// The best correction of it.
    best: Option<usize>,
}

/// Which records count, each lesson looked at once.
pub struct Counting<'a> {
    lineage: &'a Lineage,
    /// Of the records of lessons that were looked at, what counts instead.
    known: FxHashMap<&'a str, Option<&'a str>>,
}

impl<'a> Counting<'a> {
    pub fn of(lineage: &'a Lineage) -> Self {
        Self { lineage, known: FxHashMap::default() }
    }

    /// Whether a record counts no more.
    pub fn hides(&mut self, id: &str) -> bool {
        let lineage = self.lineage;
        let linked = lineage.corrects.get_key_value(id).map(|(id, _)| id.as_str());
        let linked =
            linked.or_else(|| lineage.corrected.get_key_value(id).map(|(id, _)| id.as_str()));
        let Some(linked) = linked else { return lineage.retired.contains(id) };
        if !self.known.contains_key(linked) {
            let Lesson { records, counts, .. } = lineage.lesson(linked);
            self.known.extend(records.into_iter().map(|record| (record, counts)));
        }
        self.known.get(linked) != Some(&Some(linked))
    }
}

impl Lineage {
    pub fn retire(&mut self, id: &str) {
        self.retired.insert(id.to_owned());
    }

    /// `old` was taken back as the lesson of `kept` says the same; counts once [`Lineage::settle`] was
    /// called.
    pub fn join(&mut self, old: &str, kept: &str, at: Timestamp) {
        self.joins.insert((at, old.to_owned(), kept.to_owned()));
    }

    /// Takes back what was joined, the earlier joins first, each only where the lesson that it was
    /// joined to counts, or one that this was joined to: two branches may have joined two lessons into
    /// each other, and one of them stays. To be called when all is known.
    pub fn settle(&mut self) {
        let mut applied: FxHashMap<String, String> = FxHashMap::default();
        for (_, old, kept) in std::mem::take(&mut self.joins) {
            let stands = self.stands(&kept, &applied);
            if stands.is_some_and(|id| !self.lesson(id).records.contains(&old.as_str())) {
                self.retire(&old);
                applied.insert(old, kept);
            }
        }
    }

    /// A record of the lesson that stands for that of `kept`, by the joins that hold so far.
    fn stands<'a>(
        &'a self,
        kept: &'a str,
        applied: &'a FxHashMap<String, String>,
    ) -> Option<&'a str> {
        let (mut seen, mut at) = (FxHashSet::default(), kept);
        while seen.insert(at) {
            let lesson = self.lesson(at);
            if lesson.counts.is_some() {
                return Some(at);
            }
            at = lesson.records.iter().find_map(|id| applied.get(*id))?;
        }
        None
    }

    /// Whether a record itself was taken back.
    pub fn is_retired(&self, id: &str) -> bool {
        self.retired.contains(id)
    }

    /// `new` takes the place of `old`. Of what one record corrects, the later counts.
    pub fn correct(&mut self, old: &str, new: &str, at: Timestamp) {
        let link = (at, old.to_owned());
        if old != new && self.corrects.get(new).is_none_or(|known| *known < link) {
            self.corrects.insert(new.to_owned(), link);
            self.corrected.entry(old.to_owned()).or_default().insert(new.to_owned());
        }
    }

    /// Whether a record counts no more.
    #[cfg(test)]
    pub fn hides(&self, id: &str) -> bool {
        Counting::of(self).hides(id)
    }

    /// The lesson of a record. What is taken back takes all that correct it, directly or not, along.
    /// A record that is corrected counts no more, and stays so if its correction is taken back. Of
    /// corrections of one record, which branches bring, the one that has the newest record counts.
    /// Of records that correct each other in a circle the newest one is the last.
    pub fn lesson<'a>(&'a self, id: &'a str) -> Lesson<'a> {
        let nodes = self.ranked(self.first(id));
        let mut last = &nodes[0];
        while let Some(best) = last.best {
            last = &nodes[best];
        }
        let counts = nodes[0].rank.0.then_some(last.id);
        let replaced = nodes.iter().filter_map(|node| {
            let loser = || counts.filter(|&id| id != node.id && !node.is_hidden);
            Some((node.id, node.best.map(|best| nodes[best].id).or_else(loser)?))
        });
        let in_vain = nodes.iter().filter(|it| it.is_hidden && !self.retired.contains(it.id));
        Lesson {
            records: nodes.iter().map(|node| node.id).collect(),
            counts,
            replaced: replaced.collect(),
            in_vain: in_vain.map(|node| node.id).max_by_key(|id| (self.corrects.get(*id), *id)),
        }
    }

    /// What all others of a lesson correct, and whether it was taken back.
    fn first<'a>(&'a self, id: &'a str) -> (&'a str, bool) {
        let (mut path, mut met, mut id) = (Vec::new(), FxHashMap::default(), id);
        while !met.contains_key(id) {
            met.insert(id, path.len());
            let Some((at, older)) = self.corrects.get(id) else {
                return (id, self.retired.contains(id));
            };
            path.push((*at, id));
            id = older;
        }
        let circle = &path[met[id]..];
        let newest = (0..circle.len()).max_by_key(|&index| circle[index]).unwrap_or_default();
        // The one that corrects the newest is its first.
        let (_, first) = circle[(newest + circle.len() - 1) % circle.len()];
        (first, circle.iter().any(|(_, id)| self.retired.contains(*id)))
    }

    /// The records of a lesson, each before those that correct it.
    fn ranked<'a>(&'a self, (first, is_hidden): (&'a str, bool)) -> Vec<Node<'a>> {
        let node = |id, at, above, is_hidden: bool| Node {
            id,
            above,
            is_hidden,
            rank: (!is_hidden, at, id),
            best: None,
        };
        let mut nodes = vec![node(first, Timestamp::MIN, 0, is_hidden)];
        let (mut seen, mut above) = (FxHashSet::from_iter([first]), 0);
        while let Some(Node { id, is_hidden, .. }) = nodes.get(above) {
            let (id, is_hidden) = (*id, *is_hidden);
            for newer in self.corrected.get(id).into_iter().flatten() {
                let Some((at, _)) = self.corrects.get(newer).filter(|(_, older)| older == id)
                else {
                    continue;
                };
                if seen.insert(newer) {
                    let is_hidden = is_hidden || self.retired.contains(newer);
                    nodes.push(node(newer, *at, above, is_hidden));
                }
            }
            above += 1;
        }
        for index in (0..nodes.len()).rev() {
            // All that correct it come after it.
            if let Some(best) = nodes[index].best {
                let ((_, at, id), (counts, best_at, best_id)) =
                    (nodes[index].rank, nodes[best].rank);
                let (at, id) = (at, id).max((best_at, best_id));
                nodes[index].rank = (counts, at, id);
            }
            let (rank, above) = (nodes[index].rank, nodes[index].above);
            if index > 0 && nodes[above].best.is_none_or(|best| nodes[best].rank < rank) {
                nodes[above].best = Some(index);
            }
        }
        nodes
    }
}
