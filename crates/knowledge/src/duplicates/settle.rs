//! All proposals together: what is ambiguous is not certain, and nobody gets too many.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Candidate, Proposal, Reason, Thresholds, Verdict,
    names::{Named, relate, vetoed},
};

/// In order: surest first, then by slugs.
pub fn settle(
    mut proposals: Vec<Proposal>,
    candidates: &[Candidate],
    named: &[Named],
    thresholds: &Thresholds,
) -> Vec<Proposal> {
    doubt_rivals(&mut proposals, candidates, named);
    let slug = |index: usize| candidates.get(index).map_or("", |candidate| candidate.slug);
    proposals.sort_by(|left, right| {
        (left.verdict.cmp(&right.verdict))
            .then_with(|| right.similarity.total_cmp(&left.similarity))
            .then_with(|| (slug(left.b), slug(left.a)).cmp(&(slug(right.b), slug(right.a))))
            .then_with(|| (left.b, left.a).cmp(&(right.b, right.a)))
    });
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    proposals.retain(|proposal| {
        let count = |index: usize| counts.get(&index).copied().unwrap_or(0);
        let keep = count(proposal.a).max(count(proposal.b)) < thresholds.per_entity;
        if keep {
            *counts.entry(proposal.a).or_default() += 1;
            *counts.entry(proposal.b).or_default() += 1;
        }
        keep
    });
    proposals.sort_by(|left, right| {
        (left.verdict.cmp(&right.verdict))
            .then_with(|| (slug(left.b), slug(left.a)).cmp(&(slug(right.b), slug(right.a))))
            .then_with(|| (left.b, left.a).cmp(&(right.b, right.a)))
    });
    proposals
}

/// An entity that is certainly two others which are not each other is neither for certain: an
/// abbreviation of two things, a series with two years, a bare name that two things bear.
fn doubt_rivals(proposals: &mut [Proposal], candidates: &[Candidate], named: &[Named]) {
    let mut partners: FxHashMap<usize, Vec<(usize, usize)>> = FxHashMap::default();
    let mut certain: FxHashSet<(usize, usize)> = FxHashSet::default();
    for (at, proposal) in proposals.iter().enumerate() {
        let Proposal { a, b, verdict, reason, .. } = *proposal;
        if verdict == Verdict::Certain {
            certain.insert((a.min(b), a.max(b)));
        }
        if verdict == Verdict::Certain || matches!(reason, Reason::Acronym | Reason::SameName) {
            partners.entry(a).or_default().push((at, b));
            partners.entry(b).or_default().push((at, a));
        }
    }
    let mut doubted = Vec::new();
    for (&middle, partners) in &partners {
        let bare = candidates.get(middle).is_some_and(|candidate| candidate.facts.is_empty());
        for (index, &(left_at, left)) in partners.iter().enumerate() {
            for &(right_at, right) in partners.iter().skip(index + 1) {
                let agreed = certain.contains(&(left.min(right), left.max(right)));
                let (Some(left), Some(right)) = (named.get(left), named.get(right)) else {
                    continue;
                };
                if !agreed && (bare || !could_be_one(left, right)) {
                    doubted.extend([left_at, right_at]);
                }
            }
        }
    }
    for at in doubted {
        if let Some(proposal) = proposals.get_mut(at) {
            proposal.verdict = Verdict::Likely;
        }
    }
}

fn could_be_one(a: &Named, b: &Named) -> bool {
    let veto = a.name.as_ref().zip(b.name.as_ref()).is_none_or(|(a, b)| {
        let years = a.year().zip(b.year()).is_some_and(|(a, b)| a.0 != b.0);
        years || a.year().is_some() == b.year().is_some() && vetoed(a, b)
    });
    !veto && relate(a, b).is_some()
}
