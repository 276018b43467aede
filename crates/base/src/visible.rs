//! Text from outside made safe to show. Pure, and the only place that knows which characters steer a
//! terminal, turn the direction of reading round, or hide.
//!
//! Blanks that are no spaces (a French `Bonjour !`, the wide one between Chinese words) are what
//! they look like in running text, so [`visible`] leaves them. In what is approved, and in names,
//! one may pass for another: [`exact`] marks them.

use std::{borrow::Cow, fmt::Write as _};

const JOINER: char = '\u{200d}';

/// Text from outside, safe to show: control characters, direction marks and invisible characters
/// become visible marks. Line feeds, tabs and blanks stay, and emoji made of several characters; a
/// line end of Windows is a line feed.
pub fn visible(text: &str) -> String {
    shown(&with_line_feeds(text), false)
}

/// [`visible`], on one line.
pub fn escape_control_line(text: &str) -> String {
    on_one_line(visible(text))
}

/// [`visible`] with every blank marked that is no space: for what is approved.
pub fn exact(text: &str) -> String {
    shown(text, true)
}

/// [`exact`], on one line: for names.
pub fn exact_line(text: &str) -> String {
    on_one_line(exact(text))
}

/// Text that comes in pieces, shown as [`visible`] shows the whole of it.
#[derive(Debug, Default)]
pub struct Pieces {
    /// The last character that was shown, unless it hides.
    before: Option<char>,
    /// One that waits for what stands behind it.
    waiting: Option<char>,
}

impl Pieces {
    /// A piece, but for what the next one says how to show.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for char in piece.chars() {
            self.show(Some(char), &mut shown);
            match char {
                '\r' | '\u{fe0e}' | '\u{fe0f}' | JOINER => self.waiting = Some(char),
                _ => {
                    let hides = is_deceptive(char);
                    put(&mut shown, char, hides);
                    self.before = Some(char).filter(|_| !hides);
                }
            }
        }
        shown
    }

    /// What is left. Another text may begin.
    pub fn end(&mut self) -> String {
        let mut shown = String::new();
        self.show(None, &mut shown);
        self.before = None;
        shown
    }

    /// Shows what waits, now that it is known what stands behind it.
    fn show(&mut self, after: Option<char>, shown: &mut String) {
        let of_line_end = |char: &char| *char == '\r' && after == Some('\n');
        if let Some(char) = self.waiting.take().filter(|char| !of_line_end(char)) {
            let hides = hides(self.before, char, after);
            put(shown, char, hides);
            self.before = Some(char).filter(|_| !hides);
        }
    }
}

/// How many characters of a text [`visible`] shows as marks.
pub fn hidden(text: &str) -> usize {
    if is_plain(text) {
        return 0;
    }
    let is_control = |char: char| char.is_ascii_control() && !matches!(char, '\n' | '\t');
    marked(&with_line_feeds(text)).filter(|(char, hides)| *hides || is_control(*char)).count()
}

/// Characters that steer a terminal or hide, wherever they stand: C1 controls, direction marks,
/// what has no width, what looks like nothing, what is only there to be combined with others.
pub fn is_deceptive(char: char) -> bool {
    matches!(char,
        '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffc}' | '\u{13430}'..='\u{1343f}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character hides between these two: what makes emoji does so only outside of them.
pub fn hides(before: Option<char>, char: char, after: Option<char>) -> bool {
    match char {
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = matches!(before, Some('0'..='9' | '#' | '*')) && after == Some('\u{20e3}');
            !is_key && !before.is_some_and(has_two_forms)
        }
        JOINER => {
            let joins = |char: char| is_emoji(char) || char == '\u{fe0f}' || is_skin(char);
            !(before.is_some_and(joins)
                && after.is_some_and(|char| is_emoji(char) || is_sign(char)))
        }
        _ => is_deceptive(char),
    }
}

/// Blanks that are neither space nor line end, and look like one.
pub fn is_odd_blank(char: char) -> bool {
    matches!(
        char,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a character is a picture rather than a letter or a mark of punctuation.
pub fn is_emoji(char: char) -> bool {
    matches!(char,
        '\u{231a}'..='\u{23ff}' | '\u{25fb}'..='\u{27bf}' | '\u{2b05}'..='\u{2b55}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character can be a sign of text or a picture, as the one behind it says.
fn has_two_forms(char: char) -> bool {
    is_emoji(char)
        || is_sign(char)
        || matches!(
            char,
            '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'
                ..='\u{2199}'
                    | '\u{21a9}'
                    | '\u{21aa}'
                    | '\u{24c2}'
                    | '\u{25aa}'
                    | '\u{25ab}'
                    | '\u{25b6}'
                    | '\u{25c0}'
                    | '\u{2934}'
                    | '\u{2935}'
                    | '\u{3030}'
                    | '\u{303d}'
                    | '\u{3297}'
                    | '\u{3299}'
        )
}

/// Signs that emoji are joined with.
fn is_sign(char: char) -> bool {
    matches!(char, '\u{2640}' | '\u{2642}' | '\u{2695}' | '\u{2708}')
}

fn is_skin(char: char) -> bool {
    matches!(char, '\u{1f3fb}'..='\u{1f3ff}')
}

fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match text.contains("\r\n") {
        true => text.replace("\r\n", "\n").into(),
        false => text.into(),
    }
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | 0x20..=0x7e))
}

/// All characters, and whether each hides.
fn marked(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    text.char_indices().map(move |(at, char)| {
        let after = || text[at + char.len_utf8()..].chars().next();
        // Most characters depend on none beside them.
        let hides = match char {
            '\u{fe0e}' | '\u{fe0f}' | JOINER => hides(before, char, after()),
            _ => is_deceptive(char),
        };
        before = Some(char).filter(|_| !hides);
        (char, hides)
    })
}

fn shown(text: &str, marks_blanks: bool) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for (char, hides) in marked(text) {
        put(&mut shown, char, hides || (marks_blanks && is_odd_blank(char)));
    }
    shown
}

/// Appends a character, or a mark for it.
fn put(shown: &mut String, char: char, is_marked: bool) {
    match char {
        '\n' | '\t' => shown.push(char),
        // Control pictures exist for exactly this.
        '\u{0}'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(char))),
        '\u{7f}' => shown.push('\u{2421}'),
        _ if is_marked => {
            let _ = write!(shown, "<U+{:04X}>", u32::from(char));
        }
        _ => shown.push(char),
    }
}

fn on_one_line(shown: String) -> String {
    shown.replace('\n', "\u{240a}").replace('\t', "\u{2409}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_hides_is_marked_and_what_is_meant_stays() {
        for (text, expected) in [
            ("plain äöü 日本 ру́сский", "plain äöü 日本 ру́сский"),
            ("two\r\n\r\nlines\r\n", "two\n\nlines\n"),
            ("a\rb\r\r\n\r", "a␍b␍\n␍"),
            ("a\u{34f}b", "a<U+034F>b"),
            ("a\u{17b4}\u{17b5}", "a<U+17B4><U+17B5>"),
            ("a\u{180b}\u{180e}\u{180f}", "a<U+180B><U+180E><U+180F>"),
            ("a\u{2800}b", "a<U+2800>b"),
            ("a\u{fe00}\u{fe0e}\u{fe0f}", "a<U+FE00><U+FE0E><U+FE0F>"),
            ("x\u{e0100}\u{e01ef}\u{e0041}", "x<U+E0100><U+E01EF><U+E0041>"),
            ("\u{1d173}\u{1d17a}\u{1bca0}\u{1bca3}", "<U+1D173><U+1D17A><U+1BCA0><U+1BCA3>"),
            ("\u{fffc}\u{fff9}\u{fffb}\u{fffd}", "<U+FFFC><U+FFF9><U+FFFB>\u{fffd}"),
            ("a\u{200d}b\u{200b}", "a<U+200D>b<U+200B>"),
            // Emoji, one selector each.
            ("❤\u{fe0f} ©\u{fe0f} 1\u{fe0f}\u{20e3}", "❤\u{fe0f} ©\u{fe0f} 1\u{fe0f}\u{20e3}"),
            (
                "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥",
                "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥",
            ),
            ("❤\u{fe0f}\u{fe0f}\u{fe01}", "❤\u{fe0f}<U+FE0F><U+FE01>"),
            ("1\u{fe0f}2", "1<U+FE0F>2"),
            ("🦦\u{200d}", "🦦<U+200D>"),
            // Blanks of running text.
            (
                "Bonjour\u{a0}!\u{202f}«\u{2009}x»\u{3000}。",
                "Bonjour\u{a0}!\u{202f}«\u{2009}x»\u{3000}。",
            ),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }

    #[test]
    fn blanks_are_marked_where_one_may_pass_for_another() {
        for (text, expected) in [
            ("rm\u{a0}-rf a", "rm<U+00A0>-rf a"),
            ("a\u{2003}b\u{3000}c\u{1680}d", "a<U+2003>b<U+3000>c<U+1680>d"),
            ("a\u{2000}\u{200a}\u{202f}\u{205f}", "a<U+2000><U+200A><U+202F><U+205F>"),
            ("a b\tc\nd", "a b\tc\nd"),
            ("❤\u{fe0f}", "❤\u{fe0f}"),
        ] {
            assert_eq!(exact(text), expected, "{text:?}");
        }
        assert_eq!(exact_line("a\u{a0}b\nc\td"), "a<U+00A0>b␊c␉d");
        assert_eq!(escape_control_line("a\u{a0}b\nc\td"), "a\u{a0}b␊c␉d");
    }

    #[test]
    fn emoji_stay_whole_wherever_a_text_is_cut() {
        let check = |pieces: &[&str], expected: &[&str]| {
            let mut all = Pieces::default();
            let mut found: Vec<String> = pieces.iter().map(|piece| all.push(piece)).collect();
            found.push(all.end());
            assert_eq!(found, expected, "{pieces:?}");
        };
        check(&["❤", "\u{fe0f}"], &["❤", "", "\u{fe0f}"]);
        check(&["a", "\u{fe0f}"], &["a", "", "<U+FE0F>"]);
        check(&["1\u{fe0f}", "\u{20e3}"], &["1", "\u{fe0f}\u{20e3}", ""]);
        check(&["1\u{fe0f}", "2"], &["1", "<U+FE0F>2", ""]);
        check(&["👨", "\u{200d}", "👩"], &["👨", "", "\u{200d}👩", ""]);
        check(&["👨\u{200d}"], &["👨", "<U+200D>"]);
        check(&["a\r", "\nb\r", "c\r"], &["a", "\nb", "␍c", "␍"]);
    }

    proptest! {
        #[test]
        fn in_pieces_a_text_is_shown_as_it_is_in_one(
            pieces in prop::collection::vec(
                "(\\PC|[\r\n\u{200b}-\u{200f}\u{fe0e}\u{fe0f}\u{20e3}❤1👨♂\u{1f3fb}]){0,4}", 0..6)
        ) {
            let mut all = Pieces::default();
            let mut found: String = pieces.iter().map(|piece| all.push(piece)).collect();
            found.push_str(&all.end());
            prop_assert_eq!(found, visible(&pieces.concat()));
        }

        #[test]
        fn nothing_is_marked_twice_or_missed(
            text in "(\\PC|[\u{0}-\u{1f}\u{7f}-\u{a0}\u{200b}-\u{200f}\u{fe00}-\u{fe0f}❤1\u{e0100}]){0,30}"
        ) {
            let shown = visible(&text);
            prop_assert_eq!(hidden(&shown), 0, "{:?}", shown);
            prop_assert_eq!(visible(&shown), shown.clone());
            prop_assert_eq!(hidden(&text) == 0, shown == with_line_feeds(&text));
            let all = exact(&text);
            prop_assert!(!all.chars().any(is_odd_blank));
        }
    }
}
