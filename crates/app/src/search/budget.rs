//! The most useful sentences of an answer, as many as a reader has room for.

use std::ops::Range;

use elophanto_index::search::{
    Answer, Hit,
    passage::{Piece, fill},
};

/// Chooses whole sentences for each hit, so that everything fits into `most`: `header` is what a hit
/// costs beside its sentences, `sentence` what one of them costs. `None` where none fits.
pub fn within(
    answer: &Answer,
    most: usize,
    header: impl Fn(&Hit) -> usize,
    sentence: impl Fn(&str) -> usize,
) -> Vec<Option<String>> {
    let headers: Vec<usize> = answer.hits.iter().map(header).collect();
    let mut pieces = Vec::new();
    let mut places = Vec::new();
    for (number, hit) in answer.hits.iter().enumerate() {
        let is_heading = |range: &Range<usize>| hit.text[range.clone()].starts_with('#');
        let only_headings = hit.sentences.iter().all(|(range, _)| is_heading(range));
        for (range, value) in &hit.sentences {
            // The header says the headings already.
            if is_heading(range) && !only_headings {
                continue;
            }
            let cost = sentence(&hit.text[range.clone()]);
            let value = hit.score.total.max(0.01) * (0.3 + value);
            pieces.push(Piece { hit: number, value, cost });
            places.push(range.clone());
        }
    }
    let mut chosen: Vec<Vec<Range<usize>>> = vec![Vec::new(); answer.hits.len()];
    for index in fill(&pieces, &headers, most) {
        chosen[pieces[index].hit].push(places[index].clone());
    }
    let joined = chosen.into_iter().zip(&answer.hits).map(|(ranges, hit)| join(&ranges, &hit.text));
    joined.collect()
}

/// Sentences in the order of the text, each on its own line where they were apart.
fn join(ranges: &[Range<usize>], text: &str) -> Option<String> {
    let mut out = String::new();
    let mut end = None;
    for range in ranges {
        if let Some(end) = end {
            let gap: &str = &text[end..range.start];
            out.push_str(if gap.trim().is_empty() && !gap.contains('\n') { " " } else { "\n" });
        }
        out.push_str(&text[range.clone()]);
        end = Some(range.end);
    }
    (!out.is_empty()).then_some(out)
}
