//! Blocks of text without markup, and long blocks in parts.

use super::sentences::number;
use super::{Block, Kind};
use crate::extract::words;
use elophanto_text::sentences;

/// Bytes of a block; longer ones are cut between sentences.
const MAX_BLOCK: usize = 4_000;

/// The paragraphs of a text that is no Markdown.
pub(super) fn plain_blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            open.take().into_iter().for_each(|block| cut(block, &mut blocks));
            continue;
        }
        let block = open.get_or_insert_with(|| Block {
            kind: Kind::Paragraph,
            text: String::new(),
            line: number + 1,
            breaks: Vec::new(),
            marks: Vec::new(),
            list: None,
            is_quoted: false,
            is_furniture: false,
        });
        if !block.text.is_empty() {
            block.breaks.push(block.text.len());
            block.text.push(' ');
        }
        block.text.push_str(line);
    }
    open.into_iter().for_each(|block| cut(block, &mut blocks));
    blocks
}

/// Adds a block, in several parts if it is long.
pub(super) fn cut(block: Block, blocks: &mut Vec<Block>) {
    if block.text.trim().is_empty() {
        return;
    }
    if block.text.len() <= MAX_BLOCK {
        blocks.push(block);
        return;
    }
    let mut ends = Vec::new();
    let mut start = 0;
    while start < block.text.len() {
        let rest = &block.text[start..];
        let head = &rest[..rest.floor_char_boundary(MAX_BLOCK)];
        let last = || sentences::starts(head).last().copied();
        let end = match (head.len() < rest.len(), last(), head.rfind(' ')) {
            (false, ..) => rest.len(),
            (true, Some(start), _) => start,
            (true, None, Some(space)) => space + 1,
            (true, None, None) => head.len(),
        };
        start += end;
        ends.push(start);
    }
    blocks.extend(parts(block, ends));
}

/// A paragraph of which several lines begin with a number, as those of statutes do, in one part for each:
/// `(1) The fee is 20 euros.`
pub(super) fn numbered(block: Block) -> Vec<Block> {
    const LEAST: usize = 2;
    let is_numbered = |at: &usize| {
        let line = block.text.get(*at..).unwrap_or_default().trim_start();
        line.starts_with('(') && number(line).is_some()
    };
    let starts: Vec<usize> = block.breaks.iter().copied().filter(is_numbered).collect();
    let count = starts.len() + usize::from(is_numbered(&0));
    if block.kind != Kind::Paragraph || count < LEAST {
        return vec![block];
    }
    let whole = block.text.len();
    parts(block, starts.into_iter().chain([whole]))
}

/// A block of which lines begin with `a.`, `b.` and so on, each of which is an item of list `list`: Markdown knows
/// no such lists.
pub(super) fn lettered(block: Block, list: usize) -> Vec<Block> {
    const LEAST: usize = 2;
    let mut starts: Vec<usize> = Vec::new();
    for at in std::iter::once(0).chain(block.breaks.iter().copied()) {
        let next = (b'a'..=b'z').nth(starts.len());
        let line = block.text.get(at..).unwrap_or_default();
        if next.is_some_and(|letter| behind_letter(line, letter).is_some()) {
            starts.push(at);
        }
    }
    if matches!(block.kind, Kind::Heading(_)) || starts.len() < LEAST {
        return vec![block];
    }
    let whole = block.text.len();
    let first = usize::from(starts[0] > 0);
    let ends: Vec<usize> = starts.into_iter().filter(|at| *at > 0).chain([whole]).collect();
    let mut all = parts(block, ends);
    for (part, letter) in all.iter_mut().skip(first).zip(b'a'..) {
        let from = behind_letter(&part.text, letter).unwrap_or_default();
        part.text.drain(..from);
        part.marks.retain(|(range, _)| range.start >= from);
        for (range, _) in &mut part.marks {
            *range = range.start - from..range.end - from;
        }
        part.breaks.iter_mut().for_each(|at| *at = at.saturating_sub(from));
        (part.kind, part.list) = (Kind::Item, Some(list));
    }
    all
}

/// Bytes of `a. `, `a) ` or `(a) ` before an item.
fn behind_letter(line: &str, letter: u8) -> Option<usize> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix('(').unwrap_or(rest).strip_prefix(char::from(letter))?;
    let rest = rest.strip_prefix(['.', ')'])?.strip_prefix(' ')?;
    Some(line.len() - rest.trim_start().len())
}

/// A paragraph of lines that are paragraphs themselves, for none is that long where lines are broken by hand,
/// with the short ones among them that no sentence is on as headings: `History`.
pub(super) fn headed(block: Block) -> Vec<Block> {
    /// Letters of a line that nobody breaks, and of a heading.
    const LONG: usize = 160;
    const LONGEST: usize = 60;
    const MOST_WORDS: usize = 8;
    let ends = block.breaks.iter().copied().chain([block.text.len()]);
    let starts: Vec<usize> = std::iter::once(0).chain(block.breaks.iter().copied()).collect();
    let lines: Vec<&str> =
        starts.iter().zip(ends).map(|(from, to)| block.text[*from..to].trim()).collect();
    let begins = |line: &str| line.starts_with(|char: char| char.is_uppercase());
    let is_label = |at: usize| {
        let (line, from) = (lines[at], starts[at]);
        let words: Vec<String> = line.split(' ').map(str::to_lowercase).collect();
        let (first, last) = (words[0].as_str(), words[words.len() - 1].as_str());
        let tells = |word: &String| words::is_auxiliary(word) || words::is_pronoun(word);
        let opens = at == 0 || lines[at - 1].ends_with(['.', '!', '?', '"', '”', ')']);
        begins(line)
            && line.len() <= LONGEST
            && words.len() <= MOST_WORDS
            && line.ends_with(char::is_alphanumeric)
            && !words::ends_phrase(last)
            && (!words::is_lead(first) || first == "early")
            && !words.iter().any(tells)
            && opens
            && !block.marks.iter().any(|(range, _)| range.contains(&from))
            && lines.get(at + 1).is_some_and(|next| begins(next) && next.len() >= LONG)
    };
    let labels: Vec<usize> = (0..lines.len()).filter(|at| is_label(*at)).collect();
    if block.kind != Kind::Paragraph || labels.is_empty() {
        return vec![block];
    }
    let bounds = labels.iter().flat_map(|at| [starts[*at], starts[*at + 1]]);
    let bounds: Vec<usize> = bounds.filter(|at| *at > 0).chain([block.text.len()]).collect();
    let heads: Vec<&str> = labels.iter().map(|at| lines[*at]).collect();
    let is_head = |text: &str| heads.contains(&text.trim());
    let heads: Vec<bool> = std::iter::once(0)
        .chain(bounds.iter().copied())
        .zip(&bounds)
        .map(|(from, to)| is_head(&block.text[from..*to]))
        .collect();
    let mut all = parts(block, bounds);
    for (part, _) in all.iter_mut().zip(heads).filter(|(_, is_head)| *is_head) {
        part.kind = Kind::Heading(3);
    }
    all
}

/// A paragraph of which several lines end where the next word would have had room, in one part for each: what is
/// noted line by line is no sentence that goes on.
pub(super) fn lined(block: Block) -> Vec<Block> {
    const LEAST: usize = 2;
    /// Room that nobody leaves who breaks lines by hand at about a width.
    const SLACK: usize = 10;
    let ends = block.breaks.iter().copied().chain([block.text.len()]);
    let mut from = 0;
    let lines: Vec<&str> = ends
        .map(|end| {
            block.text.get(std::mem::replace(&mut from, end)..end).unwrap_or_default().trim()
        })
        .collect();
    let length = |line: &str| line.chars().count();
    let widest = lines.iter().map(|line| length(line)).max().unwrap_or_default();
    let has_room = |two: &[&str], slack: usize| {
        let next = two[1].split(' ').next().unwrap_or_default();
        length(two[0]) + 1 + length(next) + slack <= widest
    };
    let begins =
        |line: &str| line.starts_with(|char: char| char.is_uppercase() || char.is_ascii_digit());
    let ends = |line: &str| {
        let last = line.rsplit(' ').next().unwrap_or_default().to_lowercase();
        !line.ends_with([',', '-', '–', '&', '/'])
            && !words::ends_phrase(&last)
            && !words::is_determiner(&last)
            && !words::is_auxiliary(&last)
    };
    // Sentences on lines of their own may go on about what the one before names.
    let stops = |line: &str| line.ends_with(['.', '!', '?', ':', ';', ')', '"', '”']);
    let parts_them = |two: &[&str]| begins(two[1]) && ends(two[0]) && !stops(two[0]);
    let is_free = |two: &[&str]| has_room(two, SLACK) && parts_them(two);
    let free = lines.windows(2).filter(|two| is_free(two)).count();
    // Whoever breaks lines within sentences for their sense lists nothing.
    let is_prose = lines.windows(2).any(|two| has_room(two, 0) && !is_free(two) && !stops(two[0]));
    let is_labelled = block.kind == Kind::Item
        && lines.get(..2).is_some_and(is_free)
        && length(lines[0]) * 2 < widest;
    if free == 0 || is_prose || free < LEAST && !is_labelled {
        return vec![block];
    }
    let all = lines.windows(2).zip(&block.breaks).filter(|(two, _)| parts_them(two));
    let starts: Vec<usize> = all.map(|(_, at)| *at).collect();
    let whole = block.text.len();
    let mut all = parts(block, starts.into_iter().chain([whole]));
    for part in all.iter_mut().skip(1).filter(|part| part.kind == Kind::Item) {
        part.kind = Kind::Paragraph;
    }
    all
}

/// A block in parts that end at these bytes of its text.
fn parts(block: Block, ends: impl IntoIterator<Item = usize>) -> Vec<Block> {
    let mut found = Vec::new();
    // Marks and breaks ascend, so each is looked at once.
    let (mut marks, mut breaks) = (block.marks.iter().peekable(), block.breaks.iter().peekable());
    let (mut start, mut line) = (0, block.line);
    for end in ends {
        start += block.text[start..end].len() - block.text[start..end].trim_start().len();
        // The break before its first line.
        while breaks.next_if(|at| **at < start).is_some() {
            line += 1;
        }
        let mut part = Block {
            text: block.text[start..end].to_owned(),
            line,
            marks: Vec::new(),
            breaks: Vec::new(),
            ..block
        };
        while let Some((range, mark)) = marks.next_if(|(range, _)| range.start < end) {
            // A mark across the cut is lost with it.
            if range.start >= start && range.end <= end {
                part.marks.push((range.start - start..range.end - start, *mark));
            }
        }
        while let Some(at) = breaks.next_if(|at| **at < end) {
            part.breaks.push(at.saturating_sub(start));
            line += 1;
        }
        found.push(part);
        start = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn lines_with_letters_are_items() {
        for (text, expected) in [
            (
                "1. You pay for:\n   a. **Foo** and\n   more\n   b. Bar",
                vec!["You pay for:", "Foo and more", "Bar"],
            ),
            ("a) Foo\nb) Bar", vec!["Foo", "Bar"]),
            ("Foo is\na. Foo\nc. Bar", vec!["Foo is a. Foo c. Bar"]),
        ] {
            let page = read(text);
            let texts: Vec<&str> = page.blocks.iter().map(|block| block.text.trim()).collect();
            assert_eq!(texts, expected, "{text}");
        }
    }

    #[test]
    fn lines_that_end_with_room_are_parts() {
        let long = "The chair told everybody at length what the council had done about roads";
        for (text, expected) in [
            (format!("Ann Hill spoke\n{long}\nThe vote was held\nBo spoke"), 4),
            // Printed to a width, and broken where a clause ends.
            (format!("{long} and so\nIt went on. And then we all\nMoved on"), 1),
            (format!("{long}\nand went on\nThe vote was held\nBo spoke"), 1),
            (format!("The chair of the\nFoo Council is in\nRome. {long}"), 1),
            (format!("1. Roads\n{long}"), 2),
            (format!("Roads\n{long}"), 1),
            // Lines that are paragraphs, below a heading.
            (format!("Roads\n{long}, {long}, {long}"), 2),
            (format!("{long}, {long}.\nRoads and parks\n{long}, {long}, {long}"), 3),
            (format!("Early roads\n{long}, {long}, {long}"), 2),
            (format!("In Rome\n{long}, {long}, {long}"), 1),
            (format!("It was so\n{long}, {long}, {long}"), 1),
        ] {
            assert_eq!(read(&text).blocks.len(), expected, "{text}");
        }
    }
}
