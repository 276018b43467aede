//! Lessons that say different things of the same. Pure.

use super::{Memory, lessons::passage};
use elophanto_base::contradicts::disputes;
use elophanto_models::{Embedder, builtin::Builtin};

/// Lessons that a new one is compared with, the newest.
pub const COMPARED: usize = 3_000;

/// Whether two lessons differ in what they say, and not in what they are about.
pub fn dispute(one: &Memory, other: &Memory) -> bool {
    disputes([&one.context, &one.lesson], [&other.context, &other.lesson])
}

/// The lessons that a new one contradicts, the newest first. They are compared by the built-in model,
/// whatever the index is made with: writing a lesson down asks nobody and waits for nothing.
pub fn contradicted<'m>(new: &Memory, known: &'m [Memory]) -> Vec<&'m Memory> {
    let vector = |it: &Memory| Builtin.embed_one(&passage(it));
    let own = vector(new);
    let near = Builtin.near().same_fact;
    let is_near = |it: &&Memory| {
        let cosine: f32 = own.iter().zip(vector(it)).map(|(a, b)| a * b).sum();
        cosine >= near
    };
    let others = known.iter().rev().take(COMPARED).filter(|it| it.id != new.id);
    others.filter(|it| dispute(new, it)).filter(is_near).collect()
}
