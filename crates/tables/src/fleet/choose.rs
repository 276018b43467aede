//! Which of the chunks that indexes list are read. Pure.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

/// Of each list, so many percent of those that are read are read in any case.
const EACH: usize = 25;

/// A row of a table, as one of its indexes lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Listed {
    pub(super) row: u64,
    /// How well it stands: the more, the better.
    pub(super) by: f32,
}

/// The rows that are worth reading, ascending: `most` of those that stand best by both lists, as a ranking
/// weighs them, and the best of each, which also say how far the two reach.
pub(super) fn choose(words: &[Listed], near: &[Listed], meaning: f32, most: usize) -> Vec<u64> {
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

    fn list(rows: &[(u64, f32)]) -> Vec<Listed> {
        rows.iter().map(|&(row, by)| Listed { row, by }).collect()
    }

    #[test]
    fn the_best_by_both_are_read_and_the_best_by_each() {
        let words = list(&[(1, 9.0), (2, 8.0), (3, 7.0), (4, 1.0)]);
        let near = list(&[(3, 0.9), (5, 0.8), (2, 0.7), (6, 0.1)]);
        // Row 3 stands well in both, row 1 best by words, which count more.
        assert_eq!(choose(&words, &near, 0.4, 2), [2, 3]);
        assert_eq!(choose(&words, &near, 0.4, 4), [1, 2, 3, 5]);
        assert_eq!(choose(&words, &near, 0.4, 9), [1, 2, 3, 4, 5, 6]);
        // By one alone, as far as it is listed; and each has its best, whatever the other says.
        assert_eq!(choose(&words, &[], 0.4, 2), [1, 2]);
        assert_eq!(choose(&[], &near, 0.4, 2), [3, 5]);
        assert_eq!(choose(&words, &near, 0.0, 4), [1, 2, 3, 4]);
        assert_eq!(choose(&words, &near, 1.0, 4), [1, 2, 3, 5]);
        assert_eq!(choose(&[], &[], 0.4, 2), [0u64; 0]);
    }

    #[test]
    fn what_stands_the_same_is_read_in_the_order_of_the_table() {
        let words = list(&[(4, 1.0), (2, 1.0), (3, 1.0)]);
        assert_eq!(choose(&words, &[], 0.4, 2), [2, 3]);
        assert_eq!(choose(&list(&[(7, f32::NAN)]), &[], 0.4, 2), [7]);
    }
}
