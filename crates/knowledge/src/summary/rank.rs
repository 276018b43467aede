//! Which sentences carry the most.
//!
//! Greedy coverage: a sentence is worth the telling terms that no chosen one has, so that near
//! duplicates are worth little, and are refused outright.

use super::words::Vocabulary;

/// What a term is still worth that a chosen sentence already has.
const KNOWN: f32 = 0.1;
/// What a sentence is worth less for each one that was chosen about the same thing.
const AGAIN: f32 = 0.6;
/// Sentences that share more of their terms than this say the same.
const SAME: f32 = 0.55;
/// A sentence of whose terms more than this are in another one adds nothing to that.
const WITHIN: f32 = 0.85;
/// Long sentences hold more terms; this many terms are given to every sentence when that is
/// evened out, so that very short ones gain nothing.
const EVEN: f32 = 8.0;
/// How often the best is looked for: text of nothing but repeats must not take long.
const MAX_ROUNDS: usize = 64;

/// What a sentence is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lead {
    /// Its name in back ticks.
    pub name: String,
    /// The name in words, if it hides them.
    pub words: Option<String>,
    /// Whether the sentence stands in it rather than tells of it.
    pub inside: bool,
}

/// A sentence that may be said of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidate {
    /// Without marks, on one line.
    pub text: String,
    pub lead: Option<Lead>,
    /// How good its source is; 1 is the documentation of a private function.
    pub weight: f32,
    /// What it is ordered by in the text.
    pub place: usize,
    /// Sorted ids.
    terms: Vec<u32>,
}

impl Candidate {
    /// A candidate whose terms are looked up in `vocabulary`. Sentences that lean on another one
    /// or only point elsewhere weigh less.
    pub fn new(
        text: &str,
        lead: Option<Lead>,
        weight: f32,
        place: usize,
        vocabulary: &mut Vocabulary,
    ) -> Self {
        let mut terms = vocabulary.terms(text);
        if let Some(lead) = &lead {
            terms.extend(vocabulary.terms(&lead.name));
            terms.sort_unstable();
            terms.dedup();
        }
        let weight = weight * worth(text, &terms, vocabulary);
        Self { text: text.to_owned(), lead, weight, place, terms }
    }

    fn about(&self, other: &Self) -> bool {
        self.lead.as_ref().map(|lead| &lead.name) == other.lead.as_ref().map(|lead| &lead.name)
    }

    /// Whether `other` adds nothing to this one.
    fn says(&self, other: &Self) -> bool {
        let shared = self.terms.iter().filter(|term| other.terms.binary_search(term).is_ok());
        let shared = shared.count() as f32;
        let all = (self.terms.len() + other.terms.len()) as f32 - shared;
        let within = shared / (other.terms.len().max(3) as f32);
        (all > 0.0 && shared / all > SAME) || within > WITHIN
    }
}

/// What a term is worth, and what is left of that.
struct Weight {
    full: f32,
    now: f32,
}

/// Chooses up to `limit` candidates that `fits` lets through, best first; `opening` counts as
/// said. Returns their indexes, best first.
pub(super) fn choose(
    candidates: &[Candidate],
    opening: &Candidate,
    vocabulary: &Vocabulary,
    limit: usize,
    mut fits: impl FnMut(usize) -> bool,
) -> Vec<usize> {
    let mut weights: Vec<Weight> =
        vocabulary.weights().map(|full| Weight { full, now: full }).collect();
    cover(&mut weights, opening);
    let mut open: Vec<usize> = (0..candidates.len()).collect();
    let mut chosen: Vec<usize> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        if chosen.len() >= limit {
            break;
        }
        let best = open
            .iter()
            .enumerate()
            .filter_map(|(at, &index)| {
                let candidate = candidates.get(index)?;
                let about = |other: &&usize| {
                    candidate.lead.is_some()
                        && candidates.get(**other).is_some_and(|c| c.about(candidate))
                };
                let again = AGAIN.powi(chosen.iter().filter(about).count() as i32);
                Some((at, again * gain(candidate, &weights)))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((at, gain)) = best else { break };
        if gain <= 0.0 {
            break;
        }
        // Order is kept, so that of equal ones the first in the file wins.
        let index = open.remove(at);
        let Some(candidate) = candidates.get(index) else { continue };
        let said = chosen.iter().filter_map(|&index| candidates.get(index)).chain([opening]);
        if said.into_iter().any(|other| other.says(candidate)) || !fits(index) {
            continue;
        }
        cover(&mut weights, candidate);
        chosen.push(index);
    }
    chosen
}

/// Terms that were said are worth little from now on.
fn cover(weights: &mut [Weight], said: &Candidate) {
    for &term in &said.terms {
        if let Some(weight) = weights.get_mut(term as usize) {
            weight.now = weight.full * KNOWN;
        }
    }
}

fn gain(candidate: &Candidate, weights: &[Weight]) -> f32 {
    let terms = candidate.terms.iter().filter_map(|&term| weights.get(term as usize));
    let sum: f32 = terms.map(|weight| weight.now).sum();
    candidate.weight * sum / (candidate.terms.len() as f32 + EVEN).sqrt()
}

fn worth(text: &str, terms: &[u32], vocabulary: &Vocabulary) -> f32 {
    let telling = terms.iter().filter(|&&term| vocabulary.is_telling(term)).count();
    let mut worth = if telling < 2 { 0.3 } else { 1.0 };
    let first = text.split(' ').next().unwrap_or("").trim_end_matches(',').to_lowercase();
    match first.as_str() {
        "see" | "first" | "todo" | "todo:" | "fixme" | "fixme:" | "xxx" | "hack:" | "note:"
        | "safety:" | "nb" => worth *= 0.4,
        "this" | "it" | "however" | "but" | "also" | "otherwise" | "therefore" | "thus"
        | "these" | "they" | "that" | "so" | "then" | "if" | "for" | "and" | "or" | "note"
        | "here" | "we" => worth *= 0.7,
        _ => {}
    }
    let rights = ["licens", "copyright", "warrant"].iter().any(|word| text.contains(word));
    if rights || text.contains("://") || text.ends_with(':') || text.ends_with('?') {
        worth *= 0.4;
    }
    worth
}
