//! Which skills fit a goal. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::Skill;
use elophanto_base::lexical::{Analyzer, fold, words};

/// The score of [`by_keywords`] from which a text fits a goal.
pub const FITS: f32 = 0.3;

/// Characters of a goal that are looked at.
const MAX_GOAL: usize = 4_000;
/// Evidence that gives a score of one half.
const HALF: f32 = 4.0;
/// What a word of a text's name counts more than one of its description.
const IN_NAME: f32 = 1.0;

/// Skills that fit a goal, as places in `skills` with their scores, best first: of equal ones the
/// first. `rank` gives one score per text for a goal, above zero for what fits at all; such as
/// [`by_keywords`].
pub fn fits(
    goal: &str,
    skills: &[Skill],
    rank: &dyn Fn(&str, &[String]) -> Vec<f32>,
) -> Vec<(usize, f32)> {
    let texts: Vec<String> =
        skills.iter().map(|skill| text_of(&skill.name, &skill.description)).collect();
    let mut found: Vec<(usize, f32)> = rank(goal, &texts)
        .into_iter()
        .take(skills.len())
        .enumerate()
        .filter(|(_, score)| score.is_finite() && *score > 0.0)
        .collect();
    found.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    found
}

/// What a skill is ranked by: its name as words, and its description behind a colon.
pub(super) fn text_of(name: &str, description: &str) -> String {
    format!("{}: {description}", name.replace('-', " "))
}

/// Scores from 0 to 1 for how much of a goal's words texts share, rare words counting more, and
/// words before a text's first colon counting twice. Evidence adds up with falling returns, so
/// that a long goal is no worse than a short one.
pub fn by_keywords(goal: &str, texts: &[String]) -> Vec<f32> {
    let analyzer = Analyzer::new("english");
    let wanted = terms_of_goal(goal, &analyzer);
    let documents: Vec<(BTreeSet<String>, BTreeSet<String>)> = texts
        .iter()
        .map(|text| {
            let name = text.split_once(':').map_or("", |(name, _)| name);
            (analyzer.terms(name).into_iter().collect(), analyzer.terms(text).into_iter().collect())
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, terms) in &documents {
        for term in terms {
            *counts.entry(term.as_str()).or_default() += 1;
        }
    }
    let total = texts.len() as f32;
    let weight = |term: &str| {
        let count = counts.get(term).copied().unwrap_or(0) as f32;
        // Of a handful of texts none says how rare a word is: a part of the weight is fixed.
        1.0 + (1.0 + (total - count + 0.5) / (count + 0.5)).ln()
    };
    documents
        .iter()
        .map(|(name, terms)| {
            let evidence: f32 = wanted
                .iter()
                .filter(|term| terms.contains(*term))
                .map(|term| weight(term) * if name.contains(term) { 1.0 + IN_NAME } else { 1.0 })
                .sum();
            evidence / (evidence + HALF)
        })
        .collect()
}

/// How many words of a goal are in a text.
pub(super) fn shared(goal: &str, text: &str) -> usize {
    let analyzer = Analyzer::new("english");
    let terms: BTreeSet<String> = analyzer.terms(text).into_iter().collect();
    terms_of_goal(goal, &analyzer).intersection(&terms).count()
}

/// Whether a text holds a word that can be looked up.
pub(super) fn has_words(text: &str) -> bool {
    !terms_of_goal(text, &Analyzer::new("english")).is_empty()
}

fn terms_of_goal(goal: &str, analyzer: &Analyzer) -> BTreeSet<String> {
    let head: String = goal.chars().take(MAX_GOAL).collect();
    let mut buffer = String::new();
    words(&head)
        .filter_map(|word| {
            fold(head.get(word.range)?, &mut buffer);
            if analyzer.is_question_word(&buffer) {
                None
            } else {
                analyzer.term(&buffer).map(|t| t.into_owned())
            }
        })
        .collect()
}
