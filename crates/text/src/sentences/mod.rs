//! Where sentences end, in prose of several languages and in Markdown's paragraphs. Pure.
//!
//! A stop ends a sentence if white space follows and what comes then may begin one; the full-width
//! stops of scripts without spaces always do, and so does a blank line. Nothing ends inside of
//! code or of brackets, nor behind an abbreviation, an initial, an ordinal or the number of a list
//! item. Where an abbreviation may also be the last word (`Inc.`, `etc.`, `a.m.`), the next word
//! tells.

mod words;

use std::ops::Range;

use words::{
    BEFORE_NUMBERS, BEFORE_ORDINALS, BEGINNERS, BEHIND_SUBJECTS, MAYBE_LAST, MONTHS, NEVER_LAST,
    TITLES,
};

/// Longest text in brackets that no sentence ends in, in bytes; longer ones hold sentences.
const MOST_ASIDE: usize = 400;
/// Longest code of one span, in bytes.
const MOST_CODE: usize = 4_000;
/// Brackets within brackets that are followed.
const MOST_NESTED: usize = 64;
/// Longest mark of a footnote, in bytes.
const MOST_FOOTNOTE: usize = 8;

/// The sentences of a text as byte ranges, ascending, without the white space between them. What
/// follows the last stop is one too.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut push = |range: Range<usize>| {
        let raw = &text[range.clone()];
        let start = range.start + (raw.len() - raw.trim_start().len());
        if !raw.trim().is_empty() {
            found.push(start..start + raw.trim().len());
        }
    };
    let asides = asides(text);
    let mut asides = &asides[..];
    let (mut start, mut at) = (0, 0);
    // Whether anything but marks was said since the last sentence ended.
    let mut says = false;
    loop {
        let plain = plain(&text[at..]);
        says |= !says && text[at..at + plain].contains(char::is_alphanumeric);
        at += plain;
        let Some(char) = text[at..].chars().next() else { break };
        while let [aside, others @ ..] = asides
            && aside.range.start < at
        {
            asides = others;
        }
        let (mut stop, dot) = match asides.first().filter(|aside| aside.range.start == at) {
            Some(aside) => {
                at = aside.range.end;
                says |= text[aside.range.clone()].contains(char::is_alphanumeric);
                aside.stop(text)
            }
            None => {
                at += char.len_utf8();
                says |= char.is_alphanumeric();
                (Stop::of(char), at - char.len_utf8())
            }
        };
        if stop == Stop::None {
            if char == '\n' && is_blank_line(&text[at..]) {
                push(start..at);
                (start, says) = (at, false);
            }
            continue;
        }
        // More stops, and what closes behind them.
        while let Some(next) = text[at..].chars().next() {
            let more = Stop::of(next);
            let length = if more != Stop::None {
                stop = stop.and(more);
                next.len_utf8()
            } else if closes(next) {
                next.len_utf8()
            } else {
                match footnote(&text[at..]) {
                    0 => break,
                    length => length,
                }
            };
            at += length;
        }
        let goes_on =
            || !begins(&text[at..]) || stop == Stop::Full && goes_on(text, start, dot, at);
        if says && (stop == Stop::Wide || !goes_on()) {
            push(start..at);
            (start, says) = (at, false);
        }
    }
    push(start..text.len());
    found
}

/// The sentences of a text as texts.
pub fn split(text: &str) -> Vec<&str> {
    sentences(text).into_iter().map(|range| &text[range]).collect()
}

/// Where sentences but the first begin.
pub fn starts(text: &str) -> Vec<usize> {
    sentences(text).into_iter().skip(1).map(|sentence| sentence.start).collect()
}

/// What kind of stop a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    None,
    /// A full stop, which abbreviates too.
    Full,
    Strong,
    /// Of a script without spaces.
    Wide,
}

impl Stop {
    fn of(char: char) -> Self {
        match char {
            '.' => Self::Full,
            '!' | '?' | '…' | '‽' | '؟' | '۔' | '।' | '॥' | '።' => Self::Strong,
            '。' | '！' | '？' | '｡' => Self::Wide,
            _ => Self::None,
        }
    }

    /// Of two stops in a row: two full ones are an ellipsis.
    fn and(self, next: Self) -> Self {
        if self == Self::Wide || next == Self::Wide { Self::Wide } else { Self::Strong }
    }
}

/// Code or brackets.
struct Aside {
    range: Range<usize>,
    is_code: bool,
}

impl Aside {
    /// The stop right before the closing bracket, and where it is.
    fn stop(&self, text: &str) -> (Stop, usize) {
        let inside = text.get(self.range.start..self.range.end).unwrap_or_default();
        let bare = inside.trim_end_matches(closes);
        match bare.char_indices().next_back() {
            Some((at, char)) if !self.is_code && Stop::of(char) != Stop::Wide => {
                (Stop::of(char), self.range.start + at)
            }
            _ => (Stop::None, self.range.end),
        }
    }
}

/// The outermost code spans and pairs of brackets, ascending.
fn asides(text: &str) -> Vec<Aside> {
    let mut all: Vec<Aside> = Vec::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut at = 0;
    loop {
        at += plain(&text[at..]);
        let Some(char) = text[at..].chars().next() else { break };
        let from = at;
        at += char.len_utf8();
        match char {
            '`' => {
                let run = 1 + text[at..].len() - text[at..].trim_start_matches('`').len();
                let end = code_end(text, from + run, run);
                at = end.unwrap_or(from + run);
                all.extend(end.map(|end| Aside { range: from..end, is_code: true }));
            }
            '(' | '[' | '{' | '（' if open.len() < MOST_NESTED => open.push((closing(char), from)),
            ')' | ']' | '}' | '）' => {
                if let Some(index) = open.iter().rposition(|(closing, _)| *closing == char) {
                    let (_, start) = open[index];
                    open.truncate(index);
                    if at - start <= MOST_ASIDE {
                        all.push(Aside { range: start..at, is_code: false });
                    }
                }
            }
            '\n' if is_blank_line(&text[at..]) => open.clear(),
            _ => {}
        }
    }
    all.sort_by_key(|aside| (aside.range.start, std::cmp::Reverse(aside.range.end)));
    let mut end = 0;
    all.retain(|aside| {
        let outermost = aside.range.start >= end;
        end = end.max(aside.range.end);
        outermost
    });
    all
}

/// Bytes at the beginning that are neither stops, brackets, code nor ends of lines.
fn plain(text: &str) -> usize {
    let is_plain = |byte: &u8| {
        byte.is_ascii()
            && !matches!(byte, b'.' | b'!' | b'?' | b'\n' | b'`' | b'(' | b')' | b'[' | b']')
            && !matches!(byte, b'{' | b'}')
    };
    text.bytes().take_while(is_plain).count()
}

/// The end of a code span whose inside begins here, after as many back ticks as opened it.
fn code_end(text: &str, from: usize, run: usize) -> Option<usize> {
    let inside = &text[from..text.floor_char_boundary((from + MOST_CODE).min(text.len()))];
    let mut at = 0;
    while let Some(tick) = inside[at..].find('`') {
        if inside[at..at + tick].contains("\n\n") {
            return None;
        }
        let start = at + tick;
        let length = inside[start..].len() - inside[start..].trim_start_matches('`').len();
        at = start + length;
        if length == run {
            return Some(from + at);
        }
    }
    None
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => '）',
    }
}

fn closes(char: char) -> bool {
    matches!(
        char,
        '"' | '\'' | ')' | ']' | '}' | '*' | '_' | '~' | '»' | '«' | '”' | '“' | '’' | '‘'
    ) || matches!(char, '」' | '』' | '）' | '】' | '》' | '›' | '‹')
}

/// Bytes of a footnote's mark right behind a stop: `[1]`, `[^note]`, `¹`.
fn footnote(rest: &str) -> usize {
    match rest.chars().next() {
        Some(char @ ('¹' | '²' | '³' | '⁴' | '⁵' | '⁶' | '⁷' | '⁸' | '⁹' | '⁰')) => {
            char.len_utf8()
        }
        Some('[') => {
            rest.bytes().take(MOST_FOOTNOTE).position(|byte| byte == b']').map_or(0, |end| end + 1)
        }
        _ => 0,
    }
}

/// Whether only white space is left of the line that begins here.
fn is_blank_line(rest: &str) -> bool {
    rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

/// Whether what follows a stop may begin a sentence.
fn begins(rest: &str) -> bool {
    rest.starts_with(char::is_whitespace)
        && opening(rest).chars().next().is_none_or(|char| !char.is_lowercase())
}

/// Without white space, and without quotes and brackets that open.
fn opening(rest: &str) -> &str {
    rest.trim_start().trim_start_matches(|char: char| {
        matches!(char, '"' | '\'' | '(' | '{' | '*' | '_' | '~' | '«' | '»' | '„' | '“' | '”')
            || matches!(char, '‚' | '‘' | '‹' | '›' | '¿' | '¡')
    })
}

/// Whether a full stop at `dot`, of a sentence that began at `start`, is none of a sentence's: its
/// closing marks end at `end`.
fn goes_on(text: &str, start: usize, dot: usize, end: usize) -> bool {
    let before = &text[start..dot];
    let so_far = before.trim_start().trim_start_matches(['-', '*', '+', '>', ' ', '#']);
    // The number of a list item or heading.
    let counts = |text: &str| text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    if counts(so_far) || so_far.len() == 1 && so_far != "I" {
        return true;
    }
    let said = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let ahead = before[..before.len() - said.len()].trim_end();
    let ahead = ahead.rsplit(char::is_whitespace).next().unwrap_or_default();
    let token = said
        .rsplit(['(', '[', '{', '"', '\'', '*', '_', '~', '„', '“', '«', '»', '-', '–', '—'])
        .next()
        .unwrap_or_default();
    let next = opening(&text[end..]);
    let next_word: String = next
        .chars()
        .take_while(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let begins_one = || BEGINNERS.contains(&next_word.as_str());
    let in_list = |list: &[&str]| token.len() <= 8 && list.contains(&token.to_lowercase().as_str());

    // `43 av. J.-C.`, `n. Chr.`
    let era = next.split(char::is_whitespace).next().unwrap_or_default();
    let is_era = match token {
        "apr" => era.starts_with("J."),
        "v" | "n" => era.starts_with("Chr"),
        _ => false,
    };
    if is_era {
        return true;
    }
    let mut letters = token.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && letter.is_alphabetic()
    {
        let is_letter = |word: &str| word.chars().count() == 2 && word.ends_with('.');
        let next_token = next.split(char::is_whitespace).next().unwrap_or_default();
        // `z. B.`, `d. h.`, `J. R. R.`
        if is_letter(ahead) || is_letter(next_token) && letter != 'I' {
            return true;
        }
        let numbered = next.starts_with(|char: char| char.is_ascii_digit());
        // `It is written in C. SQLite is`: no name.
        let verb = next.split_whitespace().nth(1).unwrap_or_default();
        let is_last = ahead == "in" && BEHIND_SUBJECTS.contains(&verb);
        return if letter.is_uppercase() {
            (letter != 'I' && !begins_one() && !numbered && !is_last) || letter == 'S' && numbered
        } else {
            numbered && matches!(letter, 'v' | 'p' | 's' | 'n' | 'c' | 'f')
        };
    }
    if token.bytes().all(|byte| byte.is_ascii_digit()) && (1..=2).contains(&token.len()) {
        let ordinal = BEFORE_ORDINALS.contains(&ahead.to_lowercase().as_str());
        return MONTHS.contains(&next_word.as_str()) || ordinal && !begins_one();
    }
    // `Let's Encrypt ist eine CA.`: no `ca. 1900`.
    let is_initialism = token.len() > 1 && token.chars().all(char::is_uppercase);
    if TITLES.contains(&token) || !is_initialism && in_list(NEVER_LAST) {
        return true;
    }
    let numbered = next.starts_with(|char: char| char.is_ascii_digit() || char == '#')
        || is_letter_number(next);
    if in_list(BEFORE_NUMBERS) && numbered {
        return true;
    }
    let dotted = token.contains('.')
        && token.split('.').all(|part| {
            let mut chars = part.chars();
            chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
        });
    // `It is made by Docker, Inc. Containers are`: a company that much stands before ends its sentence.
    let company = matches!(token.to_lowercase().as_str(), "inc" | "ltd" | "llc" | "corp");
    let ends = company && ahead.ends_with(',') && before.split_whitespace().nth(5).is_some();
    (dotted || in_list(MAYBE_LAST)) && !begins_one() && !next.is_empty() && !ends
}

/// `A`, `IV`: a letter or a Roman numeral that numbers a figure.
fn is_letter_number(next: &str) -> bool {
    let word = next.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    let roman = word.bytes().all(|byte| b"IVXLC".contains(&byte));
    !word.is_empty() && (roman || word.len() == 1 && word.bytes().all(|b| b.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests;
