//! Lessons that say the same in other words. Pure: how near two are comes in.
//!
//! Only offers: whether two lessons are one is decided by somebody who reads both. What recalling joins
//! by itself is nearer, see [`super::recall()`].

use super::{
    Memory,
    recall::{symbols, words_of},
    shared::COMPARED,
};
use elophanto_base::contradicts::name_other_numbers;
use elophanto_models::{builtin::Builtin, dot};

/// Pairs that are offered at once.
const MOST: usize = 200;
/// What two lessons say to do is so near by the built-in model. Less is more offers of which fewer are
/// right, see `tests/it/labelled/paraphrases.rs`.
const SAID: f32 = 0.6;

/// Two lessons that are perhaps one.
#[derive(Debug, Clone, PartialEq)]
pub struct Likely {
    /// The newer first.
    pub lessons: [Memory; 2],
    /// Cosine of what they say to do.
    pub nearness: f32,
}

/// Pairs of lessons that may be one, the nearest first: what was embedded of them is near enough by
/// `cosine` (`None` where nobody knows), and what they say to do nearer still. Neither the same words,
/// nor another number or sign. Each lesson is offered once. `memories` by age, of which the newest are
/// compared.
pub fn paraphrases(
    memories: &[Memory],
    least: f32,
    cosine: &dyn Fn(&Memory, &Memory) -> Option<f32>,
) -> Vec<Likely> {
    let newest: Vec<&Memory> = memories.iter().rev().take(COMPARED).collect();
    // By the built-in model, whatever the index is made with: nobody is asked, and nobody waits.
    let lessons: Vec<Vec<f32>> = newest.iter().map(|it| Builtin.embed_one(&it.lesson)).collect();
    let mut near: Vec<(f32, usize, usize)> = Vec::new();
    for (at, one) in newest.iter().enumerate() {
        for (other_at, other) in newest.iter().enumerate().skip(at + 1) {
            let said = dot(&lessons[at], &lessons[other_at]);
            let is_near = || cosine(one, other).is_some_and(|cosine| cosine >= least);
            if said >= SAID && is_near() && may_be_one(one, other) {
                near.push((said, at, other_at));
            }
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut offered = vec![false; newest.len()];
    let mut likely = Vec::new();
    for (nearness, one, other) in near {
        if offered[one] || offered[other] || likely.len() == MOST {
            continue;
        }
        (offered[one], offered[other]) = (true, true);
        let lessons = [newest[one], newest[other]].map(Memory::clone);
        likely.push(Likely { lessons, nearness });
    }
    likely
}

/// Whether two lessons may say the same: whatever their vectors say, what holds another number or sign
/// does not, and of what has the same words nobody need be asked.
fn may_be_one(one: &Memory, other: &Memory) -> bool {
    symbols(&one.lesson) == symbols(&other.lesson)
        && !name_other_numbers(&one.lesson, &other.lesson)
        && words_of(&one.lesson) != words_of(&other.lesson)
}
