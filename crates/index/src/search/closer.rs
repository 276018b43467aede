//! A closer look at the best candidates: how well each word of the question is met by one of the
//! passage, and how near its best few sentences come. Pure.
//!
//! Both are taken from the static vectors of the built-in model, whatever the model of the index is,
//! and stored nowhere. Weights as they were found best on ten test sets when each signal spans the
//! best candidates; see `knowledge/system/designs/ranking.md`.

use super::{
    rank::{Score, Span},
    second::Near,
};
use elophanto_models::Features;

/// Candidates that are looked at.
pub const LOOKED_AT: usize = 50;
/// What the words add to a total of one.
const WORDS: f32 = 0.21;
/// The same of the best few sentences.
const WINDOW: f32 = 0.18;
/// What a second look adds to a total of one for the whole passage, and for its best excerpt.
const WHOLE: f32 = 0.3;
const EXCERPT: f32 = 0.3;
/// What a second look's cosines span at least. Those of twenty candidates span more; of the two or three
/// that there was time for, the lesser one would count for nothing, however near both are.
const LEAST_SPAN: f32 = 0.2;

/// Orders the best candidates anew, best first; `features` are of the first ones. What was not
/// looked at stays behind them. A total of at most one is one of at most one afterwards.
pub fn look_closer<T>(ranked: &mut [(T, Score)], features: &[Features]) {
    let of = |signal: fn(&Features) -> f32| Span::of(features.iter().map(signal));
    let (words, window) = (of(|it| it.words), of(|it| it.window));
    let share = 1.0 / (1.0 + WORDS + WINDOW);
    let (best, others) = ranked.split_at_mut(features.len().min(ranked.len()));
    for ((_, score), features) in best.iter_mut().zip(features) {
        score.scale(share);
        score.words_part = WORDS * share * words.place(features.words);
        score.window_part = WINDOW * share * window.place(features.window);
        score.total += score.words_part + score.window_part;
    }
    settle(best, others, share);
}

/// Orders the first candidates anew by what a slower model made of them, as [`look_closer`] does. A
/// whole passage that it had no time for is taken to be as much farther than its excerpt as others
/// are: on four test sets that is worth as much as having read it.
pub fn look_again<T>(ranked: &mut [(T, Score)], near: &[Near]) {
    // What nobody looked at stays as it is, scores too.
    if near.is_empty() {
        return;
    }
    let apart: Vec<f32> = near.iter().filter_map(|near| Some(near.excerpt - near.whole?)).collect();
    let mean = apart.iter().sum::<f32>() / apart.len().max(1) as f32;
    let wholes = near.iter().map(|near| near.whole.unwrap_or(near.excerpt - mean));
    let whole = Span::of(wholes.clone()).at_least(LEAST_SPAN);
    let excerpt = Span::of(near.iter().map(|near| near.excerpt)).at_least(LEAST_SPAN);
    let share = 1.0 / (1.0 + WHOLE + EXCERPT);
    let (best, others) = ranked.split_at_mut(near.len().min(ranked.len()));
    for ((_, score), (near, value)) in best.iter_mut().zip(near.iter().zip(wholes)) {
        score.scale(share);
        score.whole_part = WHOLE * share * whole.place(value);
        score.excerpt_part = EXCERPT * share * excerpt.place(near.excerpt);
        score.total += score.whole_part + score.excerpt_part;
    }
    settle(best, others, share);
}

/// Sorts what was looked at and keeps all else behind it, in its order; `share` is what scores were
/// scaled with.
fn settle<T>(best: &mut [(T, Score)], others: &mut [(T, Score)], share: f32) {
    // Stable: what scores the same keeps its order.
    best.sort_by(|a, b| b.1.total.total_cmp(&a.1.total));
    let least = best.last().map_or(f32::INFINITY, |(_, score)| score.total);
    for (_, score) in others {
        score.scale(share);
        if score.total > least {
            score.scale(least / score.total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(totals: &[f32]) -> Vec<(usize, Score)> {
        let score = |&total: &f32| Score { total, keyword_part: total, ..Score::default() };
        totals.iter().map(score).enumerate().collect()
    }

    fn features(words: f32, window: f32) -> Features {
        Features { words, window, ..Features::default() }
    }

    #[track_caller]
    fn check(totals: &[f32], looked_at: &[(f32, f32)], expected: &[usize]) {
        let mut list = ranked(totals);
        let features: Vec<_> = looked_at.iter().map(|&(a, b)| features(a, b)).collect();
        look_closer(&mut list, &features);
        assert_eq!(list.iter().map(|(index, _)| *index).collect::<Vec<_>>(), expected);
        assert!(list.is_sorted_by(|a, b| a.1.total >= b.1.total), "{list:?}");
        for (_, score) in list {
            let parts = score.keyword_part + score.words_part + score.window_part;
            assert!((parts - score.total).abs() < 1e-6 && score.total < 1.0 + 1e-6, "{score:?}");
        }
    }

    #[test]
    fn close_ones_change_places() {
        check(&[1.0, 0.9, 0.1], &[(0.2, 0.2), (0.9, 0.8), (0.5, 0.5)], &[1, 0, 2]);
        // A candidate that stands far above the rest stays there.
        check(&[1.0, 0.5, 0.1], &[(0.2, 0.2), (0.9, 0.8), (0.5, 0.5)], &[0, 1, 2]);
        // What all have alike tells nothing.
        check(&[1.0, 0.9, 0.8], &[(0.5, 0.5), (0.5, 0.5), (0.5, 0.5)], &[0, 1, 2]);
    }

    /// `near` are excerpt and whole of each.
    #[track_caller]
    fn check_again(totals: &[f32], near: &[(f32, Option<f32>)], expected: &[usize]) {
        let mut list = ranked(totals);
        let near: Vec<_> = near.iter().map(|&(excerpt, whole)| Near { excerpt, whole }).collect();
        look_again(&mut list, &near);
        assert_eq!(list.iter().map(|(index, _)| *index).collect::<Vec<_>>(), expected);
        assert!(list.is_sorted_by(|a, b| a.1.total >= b.1.total), "{list:?}");
        for (_, score) in list {
            let parts = score.keyword_part + score.whole_part + score.excerpt_part;
            assert!((parts - score.total).abs() < 1e-6 && score.total < 1.0 + 1e-6, "{score:?}");
        }
    }

    #[test]
    fn what_a_slower_model_finds_near_comes_first() {
        let all = |near: [(f32, f32); 3]| near.map(|(excerpt, whole)| (excerpt, Some(whole)));
        check_again(&[1.0, 0.9, 0.1], &all([(0.2, 0.2), (0.9, 0.8), (0.5, 0.5)]), &[1, 0, 2]);
        check_again(&[1.0, 0.9, 0.8], &all([(0.5, 0.5), (0.5, 0.5), (0.5, 0.5)]), &[0, 1, 2]);
        // What there was no time for stays behind what was looked at, whatever that is like.
        let two = [(0.2, Some(0.0)), (0.9, Some(0.0))];
        check_again(&[1.0, 0.9, 0.89, 0.5], &two, &[1, 0, 2, 3]);
        check_again(&[0.5, 0.4], &[], &[0, 1]);
        // Of two that are about as near, the one that was far ahead stays so.
        check_again(&[1.0, 0.6, 0.5], &[(0.30, Some(0.29)), (0.33, Some(0.33))], &[0, 1, 2]);
    }

    #[test]
    fn what_was_read_in_part_is_as_its_part() {
        // It neither gains nor loses by that.
        check_again(&[1.0, 0.9], &[(0.6, Some(0.5)), (0.6, None)], &[0, 1]);
        check_again(&[1.0, 0.9], &[(0.6, None), (0.6, Some(0.5))], &[0, 1]);
        check_again(&[1.0, 0.9], &[(0.5, Some(0.4)), (0.8, None)], &[1, 0]);
        check_again(&[1.0, 0.9], &[(0.5, None), (0.8, None)], &[1, 0]);
        check_again(&[1.0, 0.9, 0.8], &[(0.8, None), (0.5, Some(0.1)), (0.4, None)], &[0, 1, 2]);
    }

    #[test]
    fn what_is_not_looked_at_stays_behind() {
        check(&[1.0, 0.9, 0.89, 0.5], &[(0.2, 0.0), (0.9, 0.0)], &[1, 0, 2, 3]);
        check(&[1.0, 1.0, 1.0], &[(0.9, 0.9), (0.0, 0.0)], &[0, 1, 2]);
        check(&[0.5, 0.4], &[], &[0, 1]);
        check(&[], &[], &[]);
    }
}
