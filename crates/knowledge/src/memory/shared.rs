//! Lessons that several repositories learnt on their own.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{Memory, Rate, recall::words_of};
use elophanto_base::contradicts::contradicts;
use elophanto_index::{Snapshot, store::Malformed};

/// In so many repositories a lesson is worth a note for all.
const REPOSITORIES: usize = 3;
/// Lessons that are compared by their meaning, the newest: the work grows with the square.
pub(super) const COMPARED: usize = 3_000;

/// A lesson and who learnt it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// The newest record of it.
    pub memory: Memory,
    /// Sorted.
    pub repositories: Vec<String>,
    pub records: usize,
    /// Of all records together.
    pub rate: Option<Rate>,
}

/// The lessons of three or more repositories, most repositories first: the same words, or `alike`
/// by their meaning. `joined` are the repositories of what was joined with a lesson, by its id.
pub fn shared(
    memories: &[Memory],
    joined: &BTreeMap<&str, Vec<&str>>,
    alike: &dyn Fn(&Memory, &Memory) -> bool,
) -> Vec<Shared> {
    let mut same: BTreeMap<String, Vec<&Memory>> = BTreeMap::new();
    for memory in memories.iter().filter(|memory| !memory.lesson.trim().is_empty()) {
        same.entry(words_of(&memory.lesson)).or_default().push(memory);
    }
    let mut groups: Vec<Vec<&Memory>> = same.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.iter().map(|it| it.timestamp).max()));
    let rest = groups.split_off(groups.len().min(COMPARED));
    let mut same: Vec<Vec<&Memory>> = Vec::new();
    for group in groups {
        let twin = same.iter_mut().find(|other| {
            let (a, b) = (other[0], group[0]);
            alike(a, b) && !contradicts(&a.lesson, &b.lesson)
        });
        match twin {
            Some(other) => other.extend(group),
            None => same.push(group),
        }
    }
    let of = |group| of(group, joined);
    let mut found: Vec<Shared> = same.into_iter().chain(rest).filter_map(of).collect();
    found.sort_by(|a, b| {
        let order = b.repositories.len().cmp(&a.repositories.len());
        order.then_with(|| a.memory.id.cmp(&b.memory.id))
    });
    found
}

fn of(group: Vec<&Memory>, joined: &BTreeMap<&str, Vec<&str>>) -> Option<Shared> {
    let others: Vec<&str> =
        group.iter().filter_map(|it| joined.get(it.id.as_str())).flatten().copied().collect();
    let own = group.iter().map(|it| it.repo.as_str());
    let repositories: BTreeSet<&str> = own.chain(others.iter().copied()).collect();
    if repositories.len() < REPOSITORIES {
        return None;
    }
    let repositories = repositories.into_iter().map(str::to_owned).collect();
    let records = group.len() + others.len();
    let rate = group.iter().filter_map(|it| it.success_rate).reduce(Rate::plus);
    let newest = group.iter().max_by_key(|it| (it.timestamp, &it.id))?;
    Some(Shared { memory: (*newest).clone(), repositories, records, rate })
}

/// The vectors of some records, by id.
///
/// # Errors
/// [`Malformed`] when the view is damaged.
pub fn vectors(
    snapshot: &Snapshot,
    wanted: &BTreeSet<&str>,
) -> Result<FxHashMap<String, Vec<f32>>, Malformed> {
    let mut vectors = FxHashMap::default();
    for part in &snapshot.parts {
        let (segment, matrix) = (&part.loaded.segment, &part.loaded.matrix);
        for number in part.live.ones() {
            let document = segment.document(number)?;
            for chunk in document.chunks {
                let id = segment.lesson(&segment.chunk(chunk)?)?.ok_or(Malformed)?.id;
                if wanted.contains(id)
                    && let Some(vector) = matrix.vector(chunk)?
                {
                    let values = vector.codes.iter().map(|&code| f32::from(code) * vector.scale);
                    vectors.insert(id.to_owned(), values.collect());
                }
            }
        }
    }
    Ok(vectors)
}

/// The newest records, as many as are compared by their meaning.
pub fn compared(memories: &[Memory]) -> BTreeSet<&str> {
    memories.iter().rev().take(COMPARED).map(|memory| memory.id.as_str()).collect()
}
