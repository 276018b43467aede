//! The most useful parts of an answer, as many as a reader has room for. Pure: what something costs
//! comes in.

use std::ops::Range;

use elophanto_index::search::{
    Answer, Hit,
    passage::{Kind, SNIPPET_CHARACTERS, of_hit},
};

/// Stands where something of a text is left out.
pub const LEFT_OUT: &str = "\u{2026}";

/// What is shown of hits, from the first on, so that it fits into `most`: the snippet of as many as fit,
/// so that more room never shows fewer of them; then the most useful sentences of these. Of the first one
/// the beginning, where there is no room for more. `cost` is what a hit costs with a text.
pub fn within(answer: &Answer, most: usize, cost: impl Fn(&Hit, &str) -> usize) -> Vec<String> {
    let (mut texts, fitting) = of_hits(answer, most, false, &cost);
    texts.truncate(fitting.max(1));
    if let (0, Some(text), Some(hit)) = (fitting, texts.first_mut(), answer.hits.first()) {
        match begun(text, |text| cost(hit, text) <= most) {
            Some(begun) => *text = begun,
            None => texts.clear(),
        }
    }
    texts
}

/// The snippet of each hit, and the most useful sentences beside where those of all hits fit into `most`.
pub fn of_all(answer: &Answer, most: usize, cost: impl Fn(&Hit, &str) -> usize) -> Vec<String> {
    of_hits(answer, most, true, cost).0
}

fn of_hits(
    answer: &Answer,
    most: usize,
    all_first: bool,
    cost: impl Fn(&Hit, &str) -> usize,
) -> (Vec<String>, usize) {
    let excerpts: Vec<Excerpt> = answer.hits.iter().map(Excerpt::of).collect();
    let of_hit = |at: usize, text: &str| answer.hits.get(at).map_or(0, |hit: &Hit| cost(hit, text));
    fill(&excerpts, most, all_first, of_hit)
}

/// The beginning of a text that fits, cut between words; `None` where no word of it does.
fn begun(text: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let ends = text.char_indices().filter(|(_, char)| char.is_whitespace()).map(|(at, _)| at);
    let cut = |end: usize| Some(format!("{} {LEFT_OUT}", text.get(..end)?.trim_end()));
    let cuts: Vec<String> = ends.filter_map(cut).filter(|cut| cut.trim() != LEFT_OUT).collect();
    cuts.into_iter().rev().find(|cut| fits(cut))
}

/// A part of a text that is shown whole or not at all: a sentence, or a block of code.
struct Part {
    range: Range<usize>,
    /// What there is room for first; `None` for what says nothing beside the heading of the hit.
    value: Option<f32>,
    kind: Kind,
}

/// A text of which parts are shown.
struct Excerpt<'a> {
    text: &'a str,
    /// In the order of the text.
    parts: Vec<Part>,
    /// What is shown first.
    snippet: Range<usize>,
}

impl<'a> Excerpt<'a> {
    fn of(hit: &'a Hit) -> Self {
        // The header says the headings already.
        let kinds = of_hit(hit).into_iter().map(|sentence| sentence.kind);
        let is_silent = |((range, _), kind): (&(Range<usize>, f32), Kind)| {
            kind == Kind::Markup || hit.text[range.clone()].starts_with('#')
        };
        let silent: Vec<bool> = hit.sentences.iter().zip(kinds.clone()).map(is_silent).collect();
        let only_silent = silent.iter().all(|silent| *silent);
        let said = hit.sentences.iter().zip(kinds).zip(silent);
        let parts = said.map(|(((range, value), kind), silent)| Part {
            range: range.clone(),
            value: (!silent || only_silent).then(|| hit.score.total.max(0.01) * (0.3 + value)),
            kind,
        });
        Self::new(&hit.text, parts, hit.snippet.clone())
    }

    fn new(text: &'a str, said: impl Iterator<Item = Part>, snippet: Range<usize>) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for part in said {
            match parts.last_mut() {
                // A line of code alone is another program.
                Some(last) if is_one_block(text, last, &part) => {
                    last.range.end = part.range.end;
                    last.value = [last.value, part.value].into_iter().flatten().reduce(f32::max);
                }
                _ => parts.push(part),
            }
        }
        let mut excerpt = Self { text, parts, snippet };
        excerpt.snippet = excerpt.lines(excerpt.snippet.clone());
        excerpt
    }

    /// A snippet; if it is of a block of code, whole lines of that from there on, or all of a short one.
    fn lines(&self, snippet: Range<usize>) -> Range<usize> {
        let Some(block) = self.around(snippet.start).filter(|part| part.kind == Kind::Code) else {
            return snippet;
        };
        let block = block.range.clone();
        if block.len() <= SNIPPET_CHARACTERS {
            return block;
        }
        let from = self.text[block.start..snippet.start].rfind('\n');
        let start = from.map_or(block.start, |at| block.start + at + 1);
        let ends = self.text[start..block.end].match_indices('\n').map(|(at, _)| start + at);
        let ends = ends.chain([block.end]).take_while(|end| end - start <= SNIPPET_CHARACTERS);
        start..ends.last().unwrap_or(snippet.end).max(snippet.end).min(block.end)
    }

    /// The part that a place is in.
    fn around(&self, at: usize) -> Option<&Part> {
        self.parts.iter().find(|part| part.range.contains(&at))
    }

    /// These parts in the order of the text, with a mark where others stand between them, or where
    /// one is cut.
    fn joined(&self, shown: &[Range<usize>]) -> String {
        let mut out = String::new();
        let mut end: Option<usize> = None;
        for range in shown {
            if let Some(end) = end {
                let gap = &self.text[end..range.start];
                out.push_str(match (self.leaves_out(end..range.start), gap.contains('\n')) {
                    (true, true) => "\n\u{2026}\n",
                    (true, false) => " \u{2026} ",
                    (false, true) => "\n",
                    (false, false) if gap.is_empty() => "",
                    (false, false) => " ",
                });
            } else if let Some(part) = self.around(range.start)
                && part.range.start < range.start
            {
                out.push_str(if part.kind == Kind::Code { "\u{2026}\n" } else { "\u{2026} " });
            }
            out.push_str(&self.text[range.clone()]);
            end = Some(range.end);
        }
        let last = end.and_then(|end| self.around(end.checked_sub(1)?).map(|part| (end, part)));
        if let Some((end, part)) = last
            && end < part.range.end
        {
            out.push_str(if part.kind == Kind::Code { "\n\u{2026}" } else { " \u{2026}" });
        }
        out
    }

    /// Whether something that says anything stands in a gap.
    fn leaves_out(&self, gap: Range<usize>) -> bool {
        let mut said = self.parts.iter().filter(|part| part.kind != Kind::Markup);
        said.any(|part| part.range.start < gap.end && gap.start < part.range.end)
    }
}

/// Whether two lines of code stand in one block.
fn is_one_block(text: &str, above: &Part, below: &Part) -> bool {
    let gap = text.get(above.range.end..below.range.start).unwrap_or("-");
    let is_between = |char: char| char == '>' || char.is_whitespace();
    above.kind == Kind::Code && below.kind == Kind::Code && gap.chars().all(is_between)
}

/// The texts of excerpts, and how many of them fit, from the first. Only where all do are there more
/// sentences than the snippets, if `all_first`. `cost` is what a text costs with what stands beside it.
fn fill(
    excerpts: &[Excerpt],
    most: usize,
    all_first: bool,
    cost: impl Fn(usize, &str) -> usize,
) -> (Vec<String>, usize) {
    let mut shown: Vec<Vec<Range<usize>>> =
        excerpts.iter().map(|it| vec![it.snippet.clone()]).collect();
    let mut texts: Vec<String> =
        excerpts.iter().zip(&shown).map(|(it, shown)| it.joined(shown)).collect();
    let mut costs: Vec<usize> = texts.iter().enumerate().map(|(at, text)| cost(at, text)).collect();
    let mut left = most;
    let fitting = costs
        .iter()
        .take_while(|cost| match left.checked_sub(**cost) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .count();
    if all_first && fitting < excerpts.len() {
        return (texts, fitting);
    }
    let of = |(at, excerpt): (usize, &Excerpt)| {
        let valued =
            excerpt.parts.iter().filter_map(move |it| Some((it.value?, at, it.range.clone())));
        valued.collect::<Vec<_>>()
    };
    let mut rest: Vec<(f32, usize, Range<usize>)> =
        excerpts.iter().take(fitting).enumerate().flat_map(of).collect();
    rest.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, at, range) in rest {
        let (Some(excerpt), Some(ranges)) = (excerpts.get(at), shown.get_mut(at)) else { continue };
        let Some(more) = with(ranges, range) else { continue };
        let text = excerpt.joined(&more);
        let (now, before) = (cost(at, &text), costs.get(at).copied().unwrap_or_default());
        if now <= left + before {
            left = left + before - now;
            *ranges = more;
            texts[at] = text;
            costs[at] = now;
        }
    }
    (texts, fitting)
}

/// Ranges with one more; `None` where it is there already.
fn with(ranges: &[Range<usize>], more: Range<usize>) -> Option<Vec<Range<usize>>> {
    if ranges.iter().any(|it| it.start <= more.start && more.end <= it.end) {
        return None;
    }
    // The snippet is a part of it.
    let apart = |it: &&Range<usize>| it.end <= more.start || more.end <= it.start;
    let mut all: Vec<Range<usize>> = ranges.iter().filter(apart).cloned().collect();
    let at = all.partition_point(|it| it.start < more.start);
    all.insert(at, more);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_index::search::passage::{clip, sentences};
    use proptest::prelude::*;

    /// A text whose best part holds these words, the others worth less the further down they stand.
    fn excerpt<'a>(text: &'a str, best: &str) -> Excerpt<'a> {
        let all = sentences(text, None);
        let is_best = |range: &Range<usize>| !best.is_empty() && text[range.clone()].contains(best);
        let value = |at: usize, range: &Range<usize>| match is_best(range) {
            true => 2.0,
            false => 1.0 / (at + 1) as f32,
        };
        let chosen = all.iter().find(|it| is_best(&it.range)).or(all.first());
        let snippet = chosen.map_or(0..0, |it| clip(text, it.range.clone(), text.find(best)));
        let parts = all.iter().enumerate().map(|(at, it)| Part {
            range: it.range.clone(),
            value: (it.kind != Kind::Markup && it.kind != Kind::Heading)
                .then(|| value(at, &it.range)),
            kind: it.kind,
        });
        Excerpt::new(text, parts.collect::<Vec<_>>().into_iter(), snippet)
    }

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[track_caller]
    fn check(text: &str, best: &str, most: usize, expected: &str) {
        let (texts, fitting) = fill(&[excerpt(text, best)], most, false, |_, text| words(text));
        assert_eq!(texts, [expected]);
        assert!(words(expected) <= most || fitting == 0);
    }

    #[test]
    fn what_is_left_out_is_marked() {
        let prose = "One is here. Two is here. Three is here.\n\nFour is here.\n";
        check(prose, "One", 3, "One is here.");
        check(prose, "Three", 7, "One is here. \u{2026} Three is here.");
        check(prose, "Four", 7, "One is here.\n\u{2026}\nFour is here.");
        check(prose, "Two", 12, "One is here. Two is here. Three is here.\nFour is here.");
        let list = "1. Take it.\n2. Turn it. Twice.\n3. Put it back.\n";
        check(list, "Put", 8, "1. Take it.\n\u{2026}\n3. Put it back.");
        check(list, "Twice", 5, "1. Take it.\n\u{2026}\nTwice.");
        check("# A\n\nOne.\n\n## B\n\nTwo.\n", "One", 9, "One.\n\u{2026}\nTwo.");
        check("One.\n\n[a]: https://a.example\n\nTwo.\n", "One", 9, "One.\nTwo.");
        let long = format!("{}END {}", "word ".repeat(60), "word ".repeat(60));
        let shown = fill(&[excerpt(&long, "END")], 90, false, |_, text| words(text)).0;
        assert!(shown[0].starts_with("\u{2026} word ") && shown[0].ends_with(" word \u{2026}"));
        check("", "", 5, "");
    }

    #[test]
    fn code_is_shown_in_one_piece() {
        let text = "Run this:\n\n```sh\nif a; then\n    b\n\n    c\nfi\n```\n\nDone.\n";
        let code = "if a; then\n    b\n\n    c\nfi";
        check(text, "then", 6, code);
        check(text, "Run", 7, "Run this:\n\u{2026}\nDone.");
        check(text, "Run", 8, &format!("Run this:\n{code}"));
        // Of a long one a few lines.
        let lines: String = (10..60).map(|line| format!("    line {line} of it\n")).collect();
        let shown = fill(&[excerpt(&lines, "line 30")], 70, false, |_, text| words(text)).0;
        let shown = shown[0].replace('\u{2026}', "...");
        let begins = "...\n    line 30 of it\n    line 31 of it\n";
        assert!(shown.starts_with(begins) && shown.ends_with(" of it\n..."), "{shown}");
    }

    #[test]
    fn the_beginning_of_a_text_ends_between_words() {
        let begun = |most| begun("One two, three four.", |text| words(text) <= most);
        assert_eq!(begun(3).as_deref(), Some("One two, \u{2026}"));
        assert_eq!(begun(2).as_deref(), Some("One \u{2026}"));
        assert_eq!(begun(1), None);
    }

    /// Sentences, lists and code.
    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "([A-Z][a-z ]{0,60}[.] ?){1,4}",
            "- [a-z ]{1,40}",
            "    [a-z(){} ]{1,30}",
            Just("## Heading".to_owned()),
            Just("```".to_owned()),
            Just(String::new()),
            "([a-z\u{e4}]{1,9} ){0,90}",
        ];
        proptest::collection::vec(line, 0..25).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn more_room_never_shows_fewer_hits(
            texts in proptest::collection::vec((text(), "[a-z]{0,2}"), 1..9),
            all_first: bool,
        ) {
            let excerpts: Vec<Excerpt> =
                texts.iter().map(|(text, best)| excerpt(text, best)).collect();
            let cost = |at: usize, text: &str| 5 + at % 3 + words(text);
            let mut fewer = 0;
            for most in (0..400).step_by(23) {
                let (texts, fitting) = fill(&excerpts, most, all_first, cost);
                prop_assert_eq!(texts.len(), excerpts.len());
                prop_assert!(fitting >= fewer, "{} hits in {}, {} before", fitting, most, fewer);
                fewer = fitting;
                let spent: usize =
                    texts.iter().take(fitting).enumerate().map(|(at, it)| cost(at, it)).sum();
                prop_assert!(spent <= most, "{} of {}", spent, most);
                for (excerpt, shown) in excerpts.iter().zip(&texts) {
                    for piece in shown.split('\u{2026}').flat_map(str::lines) {
                        prop_assert!(excerpt.text.contains(piece.trim()), "{:?}", piece);
                    }
                }
            }
        }
    }
}
