//! Cuts up what is over the limit, and packs the fragments into pieces of about equal size. Owns
//! the order in which borders are tried; knows no sections.

use std::ops::Range;

use super::Limits;
use crate::{markdown::BlockKind, sentences};

/// A range of the text and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub range: Range<usize>,
    pub tokens: usize,
}

impl Span {
    /// `next` starts where this one ends.
    pub(super) fn extend(&mut self, next: &Span) {
        self.range.end = next.range.end;
        self.tokens += next.tokens;
    }

    /// Joins spans that follow each other; `None` if there are none.
    pub(super) fn join<'a>(spans: impl IntoIterator<Item = &'a Span>) -> Option<Span> {
        spans.into_iter().fold(None, |joined: Option<Span>, span| match joined {
            None => Some(span.clone()),
            Some(mut joined) => {
                joined.extend(span);
                Some(joined)
            }
        })
    }
}

/// A block with the blank lines behind it.
pub(super) struct Part {
    pub kind: BlockKind,
    pub span: Span,
}

impl Part {
    pub(super) fn is_heading(&self) -> bool {
        matches!(self.kind, BlockKind::Heading(_))
    }
}

/// The text, and how to measure it.
pub(super) struct Chunker<'a> {
    pub text: &'a str,
    pub limits: &'a Limits,
    pub count: &'a dyn Fn(&str) -> usize,
}

impl Chunker<'_> {
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let tokens = (self.count)(self.text(&range));
        Span { range, tokens }
    }

    /// Cuts a block into fragments that can be packed; a heading stays whole if it can.
    pub(super) fn cut(&self, part: &Part, out: &mut Vec<Span>) {
        if part.is_heading() && part.span.tokens <= self.limits.max_tokens {
            out.push(part.span.clone());
        } else {
            self.cut_at(Grain::coarsest(part.kind), &part.span.range, out);
        }
    }

    /// Goes down one grain at a time where a fragment is still over the limit, so that no byte is
    /// counted more often than there are grains.
    fn cut_at(&self, grain: Grain, range: &Range<usize>, out: &mut Vec<Span>) {
        let text = self.text(range);
        let borders = grain.borders(text).into_iter().chain([text.len()]);
        let mut start = range.start;
        for border in borders {
            let end = range.start + border;
            let span = self.span(start..end);
            start = end;
            match grain.finer() {
                Some(finer) if span.tokens > self.limits.max_tokens => {
                    self.cut_at(finer, &span.range, out);
                }
                _ => out.push(span),
            }
        }
    }

    /// Joins fragments into as few pieces as the limit allows, and evenly: the rest of a cut
    /// should not be a crumb. A fragment without tokens never starts or makes up a piece.
    pub(super) fn pack(&self, fragments: Vec<Span>, out: &mut Vec<Span>) {
        let max = self.limits.max_tokens.max(1);
        let aim = |left: usize| {
            let pieces = left.div_ceil(max).max(1);
            left.div_ceil(pieces).max(self.limits.min_split_tokens).min(max)
        };
        let mut left: usize = fragments.iter().map(|fragment| fragment.tokens).sum();
        let mut enough = aim(left);
        let mut piece: Option<Span> = None;
        for fragment in fragments {
            match &mut piece {
                None => piece = Some(fragment),
                Some(open) => {
                    let full = open.tokens >= enough || open.tokens + fragment.tokens > max;
                    if full && open.tokens > 0 && fragment.tokens > 0 {
                        left -= open.tokens;
                        enough = aim(left);
                        out.push(std::mem::replace(open, fragment));
                    } else {
                        open.extend(&fragment);
                    }
                }
            }
        }
        out.extend(piece);
    }

    fn text(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }
}

/// Where a block may be cut, from the border that costs least meaning to the one that costs most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grain {
    /// Items of a list's outermost level.
    Item,
    Line,
    Sentence,
    Word,
    /// [`RUN_CHARS`] characters of a word: scripts without spaces come as one long word.
    Run,
    Char,
}

const RUN_CHARS: usize = 64;

impl Grain {
    fn coarsest(kind: BlockKind) -> Self {
        match kind {
            BlockKind::List => Self::Item,
            BlockKind::Paragraph | BlockKind::Heading(_) => Self::Sentence,
            BlockKind::Code
            | BlockKind::Table
            | BlockKind::Quote
            | BlockKind::Html
            | BlockKind::Other => Self::Line,
        }
    }

    fn finer(self) -> Option<Self> {
        match self {
            Self::Item => Some(Self::Line),
            Self::Line => Some(Self::Sentence),
            Self::Sentence => Some(Self::Word),
            Self::Word => Some(Self::Run),
            Self::Run => Some(Self::Char),
            Self::Char => None,
        }
    }

    /// Offsets at which `text` may be cut, without its start and end. Whitespace stays with what
    /// is before it.
    fn borders(self, text: &str) -> Vec<usize> {
        match self {
            Self::Item => items(text),
            Self::Line => lines(text).map(|(start, _)| start).skip(1).collect(),
            Self::Sentence => sentences::starts(text),
            Self::Word => words(text),
            Self::Run => characters(text).step_by(RUN_CHARS).skip(1).collect(),
            Self::Char => characters(text).skip(1).collect(),
        }
    }
}

/// Lines that are not blank, with their offsets.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let with_start = |start: &mut usize, line: &'_ str| {
        let at = *start;
        *start += line.len();
        Some(at)
    };
    let starts = text.split_inclusive('\n').scan(0, with_start);
    starts.zip(text.split_inclusive('\n')).filter(|(_, line)| !line.trim().is_empty())
}

fn items(text: &str) -> Vec<usize> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let outermost = lines(text).next().map_or(0, |(_, line)| indent(line));
    lines(text)
        .filter(|(_, line)| indent(line) <= outermost && opens_item(line.trim_start()))
        .map(|(start, _)| start)
        .skip(1)
        .collect()
}

fn opens_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let markers: &[char] = if digits.len() < line.len() { &['.', ')'] } else { &['-', '*', '+'] };
    let rest = digits.strip_prefix(markers);
    rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

fn words(text: &str) -> Vec<usize> {
    let mut in_space = false;
    let mut borders = Vec::new();
    for (at, c) in text.char_indices() {
        if in_space && !c.is_whitespace() {
            borders.push(at);
        }
        in_space = c.is_whitespace();
    }
    // Leading whitespace is no word.
    if text.starts_with(char::is_whitespace) && !borders.is_empty() {
        borders.remove(0);
    }
    borders
}

fn characters(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(grain: Grain, text: &str, expected: &[&str]) {
        let mut borders = grain.borders(text);
        borders.insert(0, 0);
        borders.push(text.len());
        let parts: Vec<&str> = borders.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        assert_eq!(parts, expected, "{grain:?} of {text:?}");
    }

    #[test]
    fn finds_borders() {
        let (item, line, sentence, word) = (Grain::Item, Grain::Line, Grain::Sentence, Grain::Word);
        check(item, "- a\n  - b\n\n- c\nlazy\n", &["- a\n  - b\n\n", "- c\nlazy\n"]);
        check(item, " 1. a\n 2) b\n-no\n", &[" 1. a\n", " 2) b\n-no\n"]);
        check(line, "\na\r\n\r\nb\n\nc", &["\na\r\n\r\n", "b\n\n", "c"]);
        check(sentence, "One. Two!\nThree?", &["One. ", "Two!\n", "Three?"]);
        check(
            sentence,
            "He said \"no.\" Then e.g. this 1.5 went…",
            &["He said \"no.\" ", "Then e.g. this 1.5 went…"],
        );
        check(sentence, "甲。乙！」 丙？", &["甲。", "乙！」 ", "丙？"]);
        check(word, " a  b\nc ", &[" a  ", "b\n", "c "]);
        check(Grain::Char, "甲 乙b", &["甲 ", "乙", "b"]);
        check(Grain::Run, &"x".repeat(130), &[&"x".repeat(64), &"x".repeat(64), "xx"]);
    }
}
