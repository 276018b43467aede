//! Lessons that say different things of the same. Pure.

use std::{collections::BTreeSet, sync::LazyLock};

use super::{Memory, lessons::passage};
use elophanto_base::{
    contradicts::{disputes, forbids, is_correction},
    lexical::Analyzer,
};
use elophanto_models::{Embedder, builtin::Builtin, dot};

/// Lessons that a new one is compared with, the newest.
pub const COMPARED: usize = 3_000;

/// Whether two lessons differ in what they say, and not in what they are about.
pub fn dispute(one: &Memory, other: &Memory) -> bool {
    disputes([&one.context, &one.lesson], [&other.context, &other.lesson])
}

static ENGLISH: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new("english"));

/// Whether of two lessons about the same one takes the other back, in whatever words: it forbids what
/// that tells to do, or says that it corrects it.
pub fn takes_back(one: &Memory, other: &Memory) -> bool {
    let is_older = one.timestamp < other.timestamp;
    let newer = if is_older { other } else { one };
    let is_told = is_correction(&newer.lesson) && shares(&one.lesson, &other.lesson);
    (is_told || forbids(&one.lesson, &other.lesson)) && shares(&one.context, &other.context)
}

/// Whether most words of one text are the other's, too.
fn shares(one: &str, other: &str) -> bool {
    let terms = |text| ENGLISH.terms(text).into_iter().collect::<BTreeSet<String>>();
    let (one, other) = (terms(one), terms(other));
    one.intersection(&other).count() * 2 > one.len().min(other.len())
}

/// The lessons that a new one contradicts, the newest first. They are compared by the built-in model,
/// whatever the index is made with: writing a lesson down asks nobody and waits for nothing.
pub fn contradicted<'m>(new: &Memory, known: &'m [Memory]) -> Vec<&'m Memory> {
    let vector = |it: &Memory| Builtin.embed_one(&passage(it));
    let own = vector(new);
    let near = Builtin.near().same_fact;
    let is_near = |it: &Memory| dot(&own, &vector(it)) >= near;
    let others = known.iter().rev().take(COMPARED).filter(|it| it.id != new.id);
    others.filter(|it| takes_back(new, it) || dispute(new, it) && is_near(it)).collect()
}
