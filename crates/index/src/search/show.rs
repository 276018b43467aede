//! Choosing the sentence of a hit that is shown, and marking the matches in it.

use std::ops::Range;

use super::{
    Hit,
    passage::{Kind, Sentence, clip, heading, of_hit},
    question::Question,
};
use elophanto_base::lexical::{Finder, words};
use elophanto_models::{EmbedError, Embedder, Role};

/// Sentences compared with the query by meaning, per hit.
const SENTENCES_EMBEDDED: usize = 12;
/// What a word of the heading above a sentence counts of one in it.
const OF_HEADING: f32 = 0.5;

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
    let shown = of_hit(hit);
    // Of the heading above, within the chunk.
    let mut above = vec![false; weights.len()];
    let mut found: Vec<(Range<usize>, f32)> = shown
        .iter()
        .map(|Sentence { range, kind }| {
            let mut seen = vec![false; weights.len()];
            for (word, index) in &matched {
                seen[*index] |= range.start <= word.start && word.end <= range.end;
            }
            if *kind == Kind::Heading {
                above.clone_from(&seen);
            }
            let share = |(own, above): (&bool, &bool)| match (own, above) {
                (true, _) => 1.0,
                (false, true) => OF_HEADING,
                (false, false) => 0.0,
            };
            let shares = seen.iter().zip(&above).map(share);
            let held: f32 =
                weights.iter().zip(shares).map(|((_, weight), share)| weight * share).sum();
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
    let values: Vec<f32> = found.iter().map(|(_, value)| *value).collect();
    let chosen = most_useful(&shown, &values);
    if let Some((range, _)) = found.get(chosen) {
        let first_match =
            matched.iter().map(|(word, _)| word.start).find(|start| range.contains(start));
        hit.snippet = clip(&hit.text, range.clone(), first_match);
        hit.line = hit.line_at(hit.snippet.start);
        hit.section = section(&hit.title, &hit.breadcrumb, &hit.text, &shown[..chosen]);
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

/// Which sentence is shown: the most useful of those that say something, where there are none of the headings,
/// where there are none of what is left. Of equals the first.
fn most_useful(shown: &[Sentence], values: &[f32]) -> usize {
    let says = |sentence: &Sentence| match sentence.kind {
        Kind::Markup => 0,
        Kind::Heading => 1,
        Kind::Prose | Kind::Item | Kind::Row | Kind::Code => 2,
    };
    let of = shown.iter().map(says).zip(values).enumerate();
    let best = of.reduce(|best, next| {
        let is_better = (next.1.0, *next.1.1) > (best.1.0, *best.1.1);
        if is_better { next } else { best }
    });
    best.map_or(0, |(index, _)| index)
}

/// The headings above a sentence: those above its chunk, and those before it there that it is below.
/// `name` is the title of the note, with which its headings begin at level 1.
fn section(name: &str, breadcrumb: &[String], text: &str, before: &[Sentence]) -> Vec<String> {
    let within: Vec<(usize, String)> = before
        .iter()
        .filter_map(|it| heading(text, it))
        .map(|(level, title)| (usize::from(level), title))
        .collect();
    let Some((level, first)) = within.first() else { return breadcrumb.to_vec() };
    // The heading that a chunk begins with is the last of those above it.
    let above = match breadcrumb.split_last() {
        Some((last, above)) if last == first => above,
        _ => breadcrumb,
    };
    let deepest = if above.len() < breadcrumb.len() { level.saturating_sub(1) } else { usize::MAX };
    let top = if breadcrumb.first().is_some_and(|first| first == name) { 1 } else { 2 };
    let levels = (top..).map(|level| level.min(deepest));
    let mut section: Vec<(usize, String)> = levels.zip(above.iter().cloned()).collect();
    for (level, title) in within {
        while section.last().is_some_and(|(above, _)| *above >= level) {
            section.pop();
        }
        section.push((level, title));
    }
    section.into_iter().map(|(_, title)| title).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::passage::sentences, *};

    #[test]
    fn what_says_nothing_is_shown_where_nothing_else_is() {
        for (text, values, expected) in [
            ("[a]: https://a.example\n\n# A\n\nOne.\n\nTwo.\n", &[0.9, 0.5, 0.1, 0.2][..], "Two."),
            ("[a]: https://a.example\n\nOne.\n\nTwo.\n", &[0.9, 0.0, 0.0], "One."),
            ("[a]: https://a.example\n\n# A\n", &[0.9, 0.1], "# A"),
            ("^a\n\n[b]: https://b.example\n", &[0.0, 0.1], "[b]: https://b.example"),
        ] {
            let shown = sentences(text, None);
            assert_eq!(&text[shown[most_useful(&shown, values)].range.clone()], expected);
        }
        assert_eq!(most_useful(&[], &[]), 0);
    }

    #[test]
    fn a_sentence_stands_below_the_nearest_heading() {
        let of = |name: &str, breadcrumb: &[&str], text: &str, sentence: &str| {
            let shown = sentences(text, None);
            let at = shown.iter().position(|it| text[it.range.clone()] == *sentence).unwrap();
            let breadcrumb: Vec<String> = breadcrumb.iter().map(|&it| it.to_owned()).collect();
            section(name, &breadcrumb, text, &shown[..at]).join(" > ")
        };
        let text = "## Retries\n\nFive.\n\n### Pauses {#pauses}\n\nLong.\n\n## The `max` [of it](x.md)\n\n\
                    | a | b |\n|---|---|\n| 1 | 2 |\n\nNone.\n\n## C#\n\nSharp.\n\n## Read | Write\n\nBoth.\n\n\
                    Last\n----\n\nEnd.\n";
        for (sentence, expected) in [
            ("Five.", "Settings > Retries"),
            ("Long.", "Settings > Retries > Pauses"),
            ("None.", "Settings > The max of it"),
            ("Sharp.", "Settings > C#"),
            ("Both.", "Settings > Read | Write"),
            ("End.", "Settings > Last"),
        ] {
            assert_eq!(of("Settings", &["Settings", "Retries"], text, sentence), expected);
        }
        let nested = "# Top\n\n## Alpha\n\n### Beta\n\nOne.\n\n## Gamma\n\nTwo.\n";
        assert_eq!(of("Top", &["Top"], nested, "One."), "Top > Alpha > Beta");
        assert_eq!(of("Top", &["Top"], nested, "Two."), "Top > Gamma");
        // The later part of a section that was cut; the title is in the front matter.
        let later = "Three.\n\n## Limits\n\nNone.\n";
        assert_eq!(of("Top", &["Top", "Retries"], later, "Three."), "Top > Retries");
        assert_eq!(of("Top", &["Top", "Retries"], later, "None."), "Top > Limits");
        assert_eq!(of("Guide", &["Retries"], later, "None."), "Limits");
    }
}
