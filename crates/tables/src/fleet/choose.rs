//! Which of the chunks that indexes list are read. Pure.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use elophanto_index::search::rank::CANDIDATES;

/// Of each list, so many percent of those that are read are read in any case.
const EACH: usize = 25;

/// Of the best of each list, so many are read in any case that stand worst in the other one.
const FAR: usize = 8;

/// A row of a table, as one of its indexes lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Listed {
    pub(super) row: u64,
    /// How well it stands: the more, the better.
    pub(super) by: f32,
}

/// The rows that are worth reading, ascending: the best, and of the best of each list some that the other
/// one says least of, so that the two reach as far as in a ranking of everything.
pub(super) fn choose(words: &[Listed], near: &[Listed], meaning: f32, most: usize) -> Vec<u64> {
    let far = far(words, near).chain(far(near, words));
    let chosen: BTreeSet<u64> = both(words, near, meaning, most).into_iter().chain(far).collect();
    chosen.into_iter().collect()
}

/// `most` of those that stand best by both lists, as a ranking weighs them, and the best of each.
fn both(words: &[Listed], near: &[Listed], meaning: f32, most: usize) -> Vec<u64> {
    // What no word leads to has none; what is not listed by meaning is farther away than what is.
    let high = words.iter().map(|it| it.by).fold(0.0, f32::max);
    let nearest = near.iter().map(|it| it.by).fold(f32::NEG_INFINITY, f32::max);
    let farthest = near.iter().map(|it| it.by).fold(f32::INFINITY, f32::min);
    let share = |value: f32, width: f32| if width > 0.0 { value / width } else { 0.0 };
    let mut totals: BTreeMap<u64, f32> = BTreeMap::new();
    for Listed { row, by } in words {
        *totals.entry(*row).or_default() += (1.0 - meaning) * share(*by, high);
    }
    for Listed { row, by } in near {
        *totals.entry(*row).or_default() += meaning * share(by - farthest, nearest - farthest);
    }
    let totals: Vec<Listed> = totals.into_iter().map(|(row, by)| Listed { row, by }).collect();
    let mut chosen: BTreeSet<u64> = best(&totals, most).collect();
    for list in [words, near] {
        chosen.extend(best(list, most * EACH / 100));
    }
    chosen.into_iter().collect()
}

/// Of the best of a list, which a ranking of everything would look at, some that the other list says least
/// of: where its scale begins there.
fn far(list: &[Listed], other: &[Listed]) -> impl Iterator<Item = u64> {
    let known: BTreeMap<u64, f32> = other.iter().map(|it| (it.row, it.by)).collect();
    let mut rows: Vec<(u64, Option<f32>)> =
        best(list, CANDIDATES).map(|row| (row, known.get(&row).copied())).collect();
    // Those first of which nothing is said.
    rows.sort_by(|(_, a), (_, b)| match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(b),
        _ => a.is_some().cmp(&b.is_some()),
    });
    let unlisted = rows.iter().filter(|(_, by)| by.is_none()).count();
    // Of many of them, some from the first to the last.
    let count = if other.is_empty() { 0 } else { FAR };
    rows.into_iter().step_by((unlisted / FAR).max(1)).take(count).map(|(row, _)| row)
}

/// The best of a list; of equal ones the one that stands first in the table.
fn best(list: &[Listed], most: usize) -> impl Iterator<Item = u64> {
    let better =
        |a: &Listed, b: &Listed| -> Ordering { b.by.total_cmp(&a.by).then(a.row.cmp(&b.row)) };
    let mut list = list.to_vec();
    list.sort_unstable_by(better);
    list.into_iter().take(most).map(|it| it.row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_other_list_says_least_of_is_read() {
        let words: Vec<Listed> = (0..30).map(|row| Listed { row, by: 60.0 - row as f32 }).collect();
        let near: Vec<Listed> = (0..14).map(|row| Listed { row, by: row as f32 }).collect();
        // Sixteen are not listed by meaning: every second one of them.
        let far: Vec<u64> = far(&words, &near).collect();
        assert_eq!(far, [14, 16, 18, 20, 22, 24, 26, 28]);
        // All are listed by words: those of which they say least.
        assert_eq!(super::far(&near, &words).collect::<Vec<_>>(), [13, 12, 11, 10, 9, 8, 7, 6]);
        assert_eq!(super::far(&near, &[]).count(), 0, "who asks by one alone has one scale");
        let all = choose(&words, &near, 0.4, 4);
        assert!([0, 6, 13, 14, 28].iter().all(|row| all.contains(row)), "{all:?}");
        assert!(!all.contains(&15), "{all:?}");
    }

    fn list(rows: &[(u64, f32)]) -> Vec<Listed> {
        rows.iter().map(|&(row, by)| Listed { row, by }).collect()
    }

    #[test]
    fn the_best_by_both_are_read_and_the_best_by_each() {
        let words = list(&[(1, 9.0), (2, 8.0), (3, 7.0), (4, 1.0)]);
        let near = list(&[(3, 0.9), (5, 0.8), (2, 0.7), (6, 0.1)]);
        // Row 3 stands well in both, row 1 best by words, which count more.
        assert_eq!(both(&words, &near, 0.4, 2), [2, 3]);
        assert_eq!(both(&words, &near, 0.4, 4), [1, 2, 3, 5]);
        assert_eq!(both(&words, &near, 0.4, 9), [1, 2, 3, 4, 5, 6]);
        // By one alone, as far as it is listed; and each has its best, whatever the other says.
        assert_eq!(both(&words, &[], 0.4, 2), [1, 2]);
        assert_eq!(both(&[], &near, 0.4, 2), [3, 5]);
        assert_eq!(both(&words, &near, 0.0, 4), [1, 2, 3, 4]);
        assert_eq!(both(&words, &near, 1.0, 4), [1, 2, 3, 5]);
        assert_eq!(both(&[], &[], 0.4, 2), [0u64; 0]);
    }

    #[test]
    fn what_stands_the_same_is_read_in_the_order_of_the_table() {
        let words = list(&[(4, 1.0), (2, 1.0), (3, 1.0)]);
        assert_eq!(both(&words, &[], 0.4, 2), [2, 3]);
        assert_eq!(both(&list(&[(7, f32::NAN)]), &[], 0.4, 2), [7]);
    }
}
