//! Text -> word-piece ids, exactly as the `tokenizers` library does with the model's
//! `tokenizer.json`.
//!
//! Owns normalisation (clean text, spaces around CJK characters, strip accents, lower-case), word
//! borders (white space and every punctuation mark) and the greedy longest-match-first split of a
//! word (WordPiece: Wu et al. 2016, "Google's Neural Machine Translation System"; Devlin et al.
//! 2018, "BERT"). It knows no vectors.
//!
//! The library normalises a whole string, step after step; here one pass looks at each character
//! by itself. That gives the same ids because every piece of the vocabulary is ASCII (`build.rs`
//! checks it): a word that still holds another character after normalisation is `[UNK]` whatever
//! the character is, so of such a character only two things matter: whether it ends a word and
//! whether it vanishes. Canonical decomposition moves combining marks past each other, never past
//! a border, and the order of what makes a word `[UNK]` makes no difference.

use std::ops::ControlFlow;

use unicode_categories::UnicodeCategories;
use unicode_normalization::char::decompose_canonical;

use super::super::cjk::is_cjk;
use super::{
    piece::{self, LONGEST, LONGEST_CONTINUATION, MAX_WORD, UNKNOWN},
    table,
};

/// Appends the ids of all word pieces of `text`, `[UNK]` (1) included, without special tokens.
pub fn token_ids(text: &str, ids: &mut Vec<u32>) {
    let _ = scan(text, |word| {
        ids.extend_from_slice(word);
        ControlFlow::Continue(())
    });
}

/// How many ids [`token_ids`] gives. Allocates nothing.
pub fn count_tokens(text: &str) -> usize {
    let mut count = 0;
    let _ = scan(text, |word| {
        count += word.len();
        ControlFlow::Continue(())
    });
    count
}

/// Hands the ids of one word or punctuation mark after the other to `sink`, until it breaks.
#[inline]
pub fn scan(text: &str, sink: impl FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut scanner = Scanner { word: Word::default(), sink };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            at += 1;
            scanner.ascii(byte)?;
        } else if let Some(character) = text[at..].chars().next() {
            at += character.len_utf8();
            scanner.wide(character)?;
        }
    }
    scanner.end_word()
}

/// What an ASCII byte means: a letter or digit is its lower-case form, all else is one of these.
static ASCII: [u8; 128] = {
    let mut meaning = [DROPPED; 128];
    let mut byte = 0;
    while byte < 128 {
        let character = byte as u8;
        if character.is_ascii_alphanumeric() {
            meaning[byte] = character.to_ascii_lowercase();
        } else if character.is_ascii_punctuation() {
            meaning[byte] = MARK;
        } else if matches!(character, b' ' | b'\t' | b'\n' | b'\r') {
            meaning[byte] = SPACE;
        }
        byte += 1;
    }
    meaning
};
const SPACE: u8 = 0x80;
const MARK: u8 = 0x81;
/// Control characters vanish; they end no word.
const DROPPED: u8 = 0x82;

struct Scanner<S> {
    word: Word,
    sink: S,
}

/// The word being read, normalised.
struct Word {
    /// Room for a piece of full length at any start.
    bytes: [u8; MAX_WORD + LONGEST],
    length: usize,
    /// Too long, or holds a character that no piece has.
    unknown: bool,
}

impl Default for Word {
    fn default() -> Self {
        Self { bytes: [0; MAX_WORD + LONGEST], length: 0, unknown: false }
    }
}

impl<S: FnMut(&[u32]) -> ControlFlow<()>> Scanner<S> {
    #[inline]
    fn ascii(&mut self, byte: u8) -> ControlFlow<()> {
        match ASCII[usize::from(byte & 0x7f)] {
            SPACE => self.end_word()?,
            MARK => {
                self.end_word()?;
                (self.sink)(&[table::PUNCTUATION[usize::from(byte & 0x7f)]])?;
            }
            DROPPED => {}
            letter => self.word.push(letter),
        }
        ControlFlow::Continue(())
    }

    /// One character outside ASCII, before normalisation.
    #[cold]
    fn wide(&mut self, character: char) -> ControlFlow<()> {
        if is_cjk(character) {
            self.end_word()?;
            return (self.sink)(&[UNKNOWN]);
        }
        // Another letter makes no difference to a word that is unknown already.
        if self.word.unknown && character.is_alphabetic() {
            return ControlFlow::Continue(());
        }
        if character == char::REPLACEMENT_CHARACTER || character.is_other() {
            return ControlFlow::Continue(());
        }
        if character.is_whitespace() {
            return self.end_word();
        }
        let mut flow = ControlFlow::Continue(());
        decompose_canonical(character, |part| {
            if !part.is_mark_nonspacing() {
                for lower in part.to_lowercase() {
                    if flow.is_continue() {
                        flow = self.normalised(lower);
                    }
                }
            }
        });
        flow
    }

    /// One character after normalisation.
    fn normalised(&mut self, character: char) -> ControlFlow<()> {
        if let Ok(byte) = u8::try_from(character)
            && byte.is_ascii()
        {
            return self.ascii(byte);
        }
        if character.is_punctuation() {
            self.end_word()?;
            return (self.sink)(&[UNKNOWN]);
        }
        self.word.unknown = true;
        ControlFlow::Continue(())
    }

    #[inline]
    fn end_word(&mut self) -> ControlFlow<()> {
        let word = &mut self.word;
        if word.unknown {
            word.length = 0;
            word.unknown = false;
            return (self.sink)(&[UNKNOWN]);
        }
        if word.length == 0 {
            return ControlFlow::Continue(());
        }
        let mut ids = [UNKNOWN; MAX_WORD];
        let count = word.split(&mut ids).unwrap_or_else(|| {
            ids[0] = UNKNOWN;
            1
        });
        word.length = 0;
        (self.sink)(&ids[..count])
    }
}

impl Word {
    #[inline]
    fn push(&mut self, byte: u8) {
        if self.length < MAX_WORD {
            self.bytes[self.length] = byte;
            self.length += 1;
        } else {
            self.unknown = true;
        }
    }

    /// Splits the word into the longest pieces, from the left, and returns how many. `None` if the
    /// vocabulary can't spell it.
    #[inline]
    fn split(&self, ids: &mut [u32; MAX_WORD]) -> Option<usize> {
        let (mut start, mut count) = (0, 0);
        while start < self.length {
            let window = self.bytes[start..].first_chunk::<LONGEST>()?;
            let longest = if start == 0 { LONGEST } else { LONGEST_CONTINUATION };
            let mut length = longest.min(self.length - start);
            let id = loop {
                if let Some(id) = table::find(&piece::key(window, length, start > 0)) {
                    break id;
                }
                length -= 1;
                if length == 0 {
                    return None;
                }
            };
            ids[count] = id;
            count += 1;
            start += length;
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use rayon::prelude::*;
    use tokenizers::Tokenizer;

    use super::*;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    const LINES: usize = 100_000;

    fn ids(text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        token_ids(text, &mut ids);
        assert_eq!(count_tokens(text), ids.len(), "{text:?}");
        ids
    }

    fn reference() -> Tokenizer {
        Tokenizer::from_file(Path::new(ROOT).join("assets/builtin/tokenizer.json")).unwrap()
    }

    #[test]
    fn equals_the_tokenizers_library_on_100_000_lines() {
        let reference = reference();
        let mut pieces: Vec<String> = reference.get_vocab(true).into_keys().collect();
        pieces.sort_unstable();

        let mut lines = Vec::new();
        markdown_lines(Path::new(ROOT), &mut lines);
        lines.extend(every_character());
        assert!(
            lines.len() < LINES,
            "{} fixed lines leave no room for generated ones",
            lines.len()
        );
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        while lines.len() < LINES {
            lines.push(random.line(&pieces));
        }

        lines.par_iter().for_each(|line| {
            let expected = reference.encode_fast(line.as_str(), false).unwrap();
            assert_eq!(ids(line), expected.get_ids(), "{line:?}");
        });
    }

    #[test]
    fn a_word_may_have_64_characters() {
        assert!(!ids(&"a".repeat(64)).contains(&UNKNOWN));
        assert_eq!(ids(&"a".repeat(65)), [UNKNOWN]);
        // Accents don't count, nor does what vanishes.
        assert!(!ids(&"\u{e1}\u{200b}".repeat(64)).contains(&UNKNOWN));
        assert_eq!(ids(&format!("{} a", "a".repeat(500))).len(), 2);
    }

    #[test]
    fn every_piece_of_the_vocabulary_is_found() {
        for (text, id) in reference().get_vocab(true) {
            let (continues, letters) = match text.strip_prefix("##") {
                Some(letters) if !letters.is_empty() => (true, letters),
                _ => (false, text.as_str()),
            };
            let mut bytes = [b'x'; LONGEST];
            bytes[..letters.len()].copy_from_slice(letters.as_bytes());
            let found = table::find(&piece::key(&bytes, letters.len(), continues));
            assert_eq!(found, Some(id).filter(|id| *id > UNKNOWN), "{text}");
        }
    }

    #[test]
    fn a_scan_stops_when_told() {
        for text in ["one two", "one, two", "one\u{2014}two", "one\u{65e5}two"] {
            let mut words = 0;
            let flow = scan(text, |_| {
                words += 1;
                ControlFlow::Break(())
            });
            assert!(flow.is_break());
            assert_eq!(words, 1, "{text}");
        }
    }

    /// The lines of the repository's own Markdown files.
    fn markdown_lines(folder: &Path, lines: &mut Vec<String>) {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort_unstable();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_symlink() || name.starts_with('.') || name == "target" {
                continue;
            }
            if path.is_dir() {
                markdown_lines(&path, lines);
            } else if name.ends_with(".md") && lines.len() < LINES / 4 {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                lines.extend(text.lines().map(str::to_owned));
            }
        }
    }

    /// Each Unicode scalar value inside a word and alone, 64 a line.
    fn every_character() -> impl Iterator<Item = String> {
        (0..=0x10_ffff / 64).map(|line| {
            let characters = (line * 64..(line + 1) * 64).filter_map(char::from_u32);
            characters.map(|c| format!("so{c}me {c} ")).collect()
        })
    }

    /// Marsaglia's xorshift: the same lines in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 16) as usize % limit
        }

        fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
            items[self.below(items.len())]
        }

        fn from(&mut self, ranges: &[(u32, u32)]) -> char {
            let (first, last) = ranges[self.below(ranges.len())];
            let code = first + self.below((last - first + 1) as usize) as u32;
            char::from_u32(code).unwrap_or('\u{fffd}')
        }

        fn line(&mut self, pieces: &[String]) -> String {
            let mut line = String::new();
            for _ in 0..=self.below(24) {
                self.fragment(pieces, &mut line);
            }
            line
        }

        fn fragment(&mut self, pieces: &[String], line: &mut String) {
            const LATIN: &[(u32, u32)] = &[(0xa0, 0x24f), (0x1e00, 0x1eff), (0x2c60, 0x2c7f)];
            const CJK: &[(u32, u32)] = &[
                (0x3000, 0x30ff),
                (0x3400, 0x34ff),
                (0x4e00, 0x9fff),
                (0xf900, 0xfaff),
                (0x20000, 0x2fa1f),
            ];
            const HANGUL: &[(u32, u32)] = &[(0xac00, 0xd7a3), (0x1100, 0x11ff), (0xa960, 0xa97f)];
            const EMOJI: &[(u32, u32)] =
                &[(0x1f300, 0x1faff), (0x2600, 0x27bf), (0xfe0e, 0xfe0f), (0x200d, 0x200d)];
            const MARKS: &[(u32, u32)] =
                &[(0x300, 0x36f), (0x483, 0x489), (0x5b0, 0x5bd), (0x93e, 0x94d), (0x20d0, 0x20f0)];
            const CONTROLS: &[(u32, u32)] = &[(0, 0x1f), (0x7f, 0x9f), (0xfff9, 0xffff)];
            const INVISIBLE: &[(u32, u32)] = &[
                (0x200b, 0x200f),
                (0x2028, 0x202f),
                (0x2060, 0x206f),
                (0xfeff, 0xfeff),
                (0xad, 0xad),
            ];
            const OTHER_SCRIPTS: &[(u32, u32)] =
                &[(0x370, 0x5ff), (0x600, 0x6ff), (0x900, 0xdff), (0x10a0, 0x10ff)];
            const PUNCTUATION: &[(u32, u32)] = &[
                (0x2010, 0x205e),
                (0x3001, 0x3020),
                (0xfe10, 0xfe6b),
                (0xff01, 0xff65),
                (0x10100, 0x10102),
                (0x12470, 0x12474),
                (0x1e95e, 0x1e95f),
            ];
            match self.below(20) {
                0..=5 => line.push_str(pieces[self.below(pieces.len())].trim_start_matches("##")),
                6..=9 => line.push(' '),
                10 => line.push(self.from(&[(0x20, 0x7e)])),
                11 => line.push(self.from(LATIN)),
                12 => line.push(self.from(CJK)),
                13 => line.push(self.from(HANGUL)),
                14 => line.push(self.from(EMOJI)),
                15 => (0..=self.below(3)).for_each(|_| line.push(self.from(MARKS))),
                16 => {
                    let ranges = self.pick(&[CONTROLS, INVISIBLE]);
                    line.push(self.from(ranges));
                }
                17 => {
                    let ranges = self.pick(&[PUNCTUATION, OTHER_SCRIPTS]);
                    line.push(self.from(ranges));
                }
                // Any code point, most of them unassigned.
                18 => line.push(self.from(&[(0, 0x10_ffff)])),
                // A word about as long as a word may be, with and without accents.
                _ => {
                    let letter = self.pick(&["a", "Z", "\u{e9}", "7", "e\u{301}", "qx"]);
                    line.push_str(&letter.repeat(58 + self.below(12)));
                }
            }
        }
    }
}
