//! What is shown of a chunk: its sentences, the best of them, and what fits a budget. Pure.

use std::ops::Range;

/// Longest snippet in characters.
pub const SNIPPET_CHARACTERS: usize = 240;

/// The sentences of a chunk: prose by full stops, everything else (headings, list items, table
/// rows, code) by lines. White space around them is left out.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut paragraph: Option<Range<usize>> = None;
    let mut fenced = false;
    for line in line_ranges(text) {
        let content = text[line.clone()].trim();
        let fence = content.starts_with("```") || content.starts_with("~~~");
        if fence {
            fenced = !fenced;
        }
        if content.is_empty() || fenced || fence || starts_unit(content) {
            close(text, &mut paragraph, &mut found);
        }
        if content.is_empty() || fence {
            continue;
        }
        if fenced || content.starts_with('#') || content.starts_with('|') {
            push_trimmed(text, line, &mut found);
        } else {
            let start = paragraph.as_ref().map_or(line.start, |open| open.start);
            paragraph = Some(start..line.end);
        }
    }
    close(text, &mut paragraph, &mut found);
    found
}

/// The part of a sentence that is shown, at most [`SNIPPET_CHARACTERS`], around its first match.
pub fn clip(text: &str, sentence: Range<usize>, first_match: Option<usize>) -> Range<usize> {
    let shown = &text[sentence.clone()];
    if shown.chars().count() <= SNIPPET_CHARACTERS {
        return sentence;
    }
    let lead = SNIPPET_CHARACTERS / 4;
    let at = first_match.map_or(sentence.start, |at| at.clamp(sentence.start, sentence.end));
    let before = text[sentence.start..at].char_indices().rev().nth(lead);
    let start = sentence.start + before.map_or(0, |(offset, _)| offset);
    let start = word_start(text, start, at);
    let end = text[start..sentence.end]
        .char_indices()
        .nth(SNIPPET_CHARACTERS)
        .map_or(sentence.end, |(offset, _)| start + offset);
    start..end
}

/// One piece of text that may be shown within a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Which hit it belongs to, best first.
    pub hit: usize,
    /// Usefulness; higher is shown first.
    pub value: f32,
    /// Its cost in tokens.
    pub cost: usize,
}

/// Chooses the pieces that fit into `budget`, most useful first. The first piece of a hit also
/// costs that hit's header. Returns indexes into `pieces`, ascending.
pub fn fill(pieces: &[Piece], headers: &[usize], budget: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|&a, &b| pieces[b].value.total_cmp(&pieces[a].value).then(a.cmp(&b)));
    let mut opened = vec![false; headers.len()];
    let mut spent = 0;
    let mut chosen = Vec::new();
    for index in order {
        let piece = &pieces[index];
        let Some(open) = opened.get_mut(piece.hit) else { continue };
        let cost = piece.cost + if *open { 0 } else { headers[piece.hit] };
        if spent + cost <= budget {
            spent += cost;
            *open = true;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    chosen
}

fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end;
        range
    })
}

/// Whether a line begins a unit of its own: heading, list item, table row, quote.
fn starts_unit(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['#', '|', '>'])
        || ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
        || (numbered.len() < line.len()
            && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

fn close(text: &str, paragraph: &mut Option<Range<usize>>, found: &mut Vec<Range<usize>>) {
    let Some(range) = paragraph.take() else { return };
    let mut start = range.start;
    let mut after_stop = false;
    for (offset, char) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        if after_stop && char.is_whitespace() && continues_upper(&text[at..range.end]) {
            push_trimmed(text, start..at, found);
            start = at;
        }
        after_stop = matches!(char, '.' | '!' | '?' | '。' | '！' | '？')
            || (after_stop && matches!(char, '"' | '\'' | ')' | '*' | '_' | '`'));
        if matches!(char, '。' | '！' | '？') {
            let end = at + char.len_utf8();
            push_trimmed(text, start..end, found);
            start = end;
        }
    }
    push_trimmed(text, start..range.end, found);
}

/// A full stop before a lower-case word is an abbreviation.
fn continues_upper(rest: &str) -> bool {
    rest.trim_start().chars().next().is_some_and(|char| !char.is_lowercase())
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let raw = &text[range.clone()];
    let start = range.start + (raw.len() - raw.trim_start().len());
    let trimmed = raw.trim();
    if !trimmed.is_empty() {
        found.push(start..start + trimmed.len());
    }
}

fn word_start(text: &str, from: usize, to: usize) -> usize {
    match text[from..to].find(char::is_whitespace) {
        Some(offset) if from > 0 => {
            let rest = &text[from + offset..to];
            from + offset + (rest.len() - rest.trim_start().len())
        }
        _ => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sentences_of_markdown() {
        check(
            "# Otters\n\nThey sleep. They\nfloat! e.g. in kelp.\n",
            &["# Otters", "They sleep.", "They\nfloat! e.g. in kelp."],
        );
        check(
            "- one. Two\n- two\n  more\n1. three\n",
            &["- one.", "Two", "- two\n  more", "1. three"],
        );
        check("```\nlet x. = 1;\n\nb\n```\nafter\n", &["let x. = 1;", "b", "after"]);
        check("| a | b |\n|---|---|\n", &["| a | b |", "|---|---|"]);
        check("日本語。二つ目。", &["日本語。", "二つ目。"]);
        check("", &[]);
        check("  \n\n", &[]);
    }

    #[test]
    fn long_sentences_are_clipped_at_words_around_the_match() {
        let text = "word ".repeat(200);
        let clipped = clip(&text, 0..text.len(), Some(500));
        let shown = &text[clipped.clone()];
        assert!(clipped.start <= 500 && clipped.end > 500 && shown.starts_with("word"));
        assert!(shown.chars().count() <= SNIPPET_CHARACTERS);
        assert_eq!(clip("short", 0..5, None), 0..5);
    }

    #[test]
    fn a_budget_is_never_exceeded() {
        let piece = |hit, value, cost| Piece { hit, value, cost };
        let pieces = [piece(0, 0.9, 10), piece(0, 0.1, 10), piece(1, 0.8, 10), piece(1, 0.2, 1)];
        assert_eq!(fill(&pieces, &[5, 5], 30), [0, 2]);
        assert_eq!(fill(&pieces, &[5, 5], 31), [0, 2, 3]);
        assert_eq!(fill(&pieces, &[5, 5], 14), [3]);
        assert!(fill(&pieces, &[5, 5], 3).is_empty());
    }
}
