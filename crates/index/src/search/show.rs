//! Choosing the sentence of a hit that is shown, and marking the matches in it.

use std::ops::Range;

use super::{
    Hit,
    passage::{Kind, Sentence, clip, sentences},
    question::Question,
};
use elophanto_base::lexical::{Finder, words};
use elophanto_models::{EmbedError, Embedder, Role};

/// Sentences compared with the query by meaning, per hit.
const SENTENCES_EMBEDDED: usize = 12;

/// Fills in what is shown of a hit. `weights` are the terms looked for with their weights, `query`
/// the query's vector by the sentence model `embedder`; `finder` looks for the same terms; without it the
/// first sentence wins among equals. What is of another version than `asked` comes last.
pub fn show(
    hit: &mut Hit,
    weights: &[(String, f32)],
    asked: &Question,
    query: Option<&[f32]>,
    finder: &mut Finder,
    embedder: &dyn Embedder,
) -> Result<(), EmbedError> {
    let mut matched: Vec<(Range<usize>, usize)> = Vec::new();
    for word in words(&hit.text) {
        if let Some(index) = finder.find(&hit.text[word.range.clone()]) {
            matched.push((word.range, index));
        }
    }
    let all: f32 = weights.iter().map(|(_, weight)| weight).sum::<f32>().max(f32::MIN_POSITIVE);
    let shown = sentences(&hit.text, hit.fence.as_deref());
    let mut found: Vec<(Range<usize>, f32)> = shown
        .iter()
        .map(|Sentence { range, kind }| {
            let mut seen = vec![false; weights.len()];
            for (word, index) in &matched {
                seen[*index] |= range.start <= word.start && word.end <= range.end;
            }
            let held: f32 =
                weights.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(w, _)| w.1).sum();
            // A heading is shown above the snippet anyway: any sentence says more.
            let weight = match kind {
                Kind::Heading | Kind::Markup => 0.1,
                _ if asked.is_of_another(&hit.text[range.clone()]) => 0.5,
                _ => 1.0,
            };
            (range.clone(), weight * held / all)
        })
        .collect();
    let says = |index: &usize| !matches!(shown[*index].kind, Kind::Heading | Kind::Markup);
    let prose: Vec<usize> = (0..found.len()).filter(says).collect();
    let mut chosen = prose.first().copied().unwrap_or(0);
    let best = prose.iter().map(|&index| found[index].1).fold(0.0, f32::max);
    if let Some(query) = query {
        let close: Vec<usize> = prose
            .into_iter()
            .filter(|&index| found[index].1 >= best * 0.75)
            .take(SENTENCES_EMBEDDED)
            .collect();
        if !close.is_empty() {
            let texts: Vec<&str> = close.iter().map(|&i| &hit.text[found[i].0.clone()]).collect();
            let made = embedder.embed(&texts, Role::Document).vectors;
            for (index, vector) in close.iter().zip(made.into_iter().flatten()) {
                let cosine: f32 = vector.iter().zip(query).map(|(a, b)| a * b).sum();
                found[*index].1 += 0.5 * cosine.max(0.0);
            }
        }
    }
    for (index, (_, value)) in found.iter().enumerate() {
        if *value > found[chosen].1 {
            chosen = index;
        }
    }
    if let Some((range, _)) = found.get(chosen) {
        let first_match =
            matched.iter().map(|(word, _)| word.start).find(|start| range.contains(start));
        hit.snippet = clip(&hit.text, range.clone(), first_match);
        hit.line = hit.line_at(hit.snippet.start);
    }
    hit.sentences = found;
    hit.matches = matched.into_iter().map(|(range, _)| range).collect();
    hit.matches.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    // A compound and its parts overlap: the compound is marked.
    let mut end = 0;
    hit.matches.retain(|range| {
        let keep = range.start >= end;
        end = end.max(range.end);
        keep
    });
    Ok(())
}
