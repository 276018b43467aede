//! Text -> word-piece ids of the built-in model: its vocabulary, and how its `tokenizer.json` says
//! that text is cut. Every piece is ASCII (`build.rs` checks it).

use std::ops::ControlFlow;

use super::{
    piece::{self, LONGEST, LONGEST_CONTINUATION, MAX_WORD, UNKNOWN},
    table,
};
use crate::tokenizer::{Options, Pieces, Tokenizer, WINDOW};

const TOKENIZER: Tokenizer<'static, Table, { MAX_WORD + 1 + WINDOW }, MAX_WORD> = Tokenizer {
    options: Options {
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: true,
        lowercase: true,
        longest_word: MAX_WORD,
        unknown: UNKNOWN,
    },
    vocabulary: Table,
    specials: &[],
};

struct Table;

impl Pieces for Table {
    const ASCII: bool = true;

    fn longest(&self, continues: bool) -> usize {
        if continues { LONGEST_CONTINUATION } else { LONGEST }
    }

    #[inline]
    fn id(&self, from: &[u8], length: usize, continues: bool) -> Option<u32> {
        table::find(&piece::key(from.first_chunk()?, length, continues))
    }

    #[inline]
    fn mark(&self, mark: u8) -> Option<u32> {
        table::PUNCTUATION.get(usize::from(mark)).copied()
    }
}

/// Appends the ids of all word pieces of `text`, `[UNK]` (1) included, without special tokens.
pub fn token_ids(text: &str, ids: &mut Vec<u32>) {
    let _ = scan(text, |word| {
        ids.extend_from_slice(word);
        ControlFlow::Continue(())
    });
}

/// Pieces of the vocabulary, which begins with the most frequent ones of English, that nobody misspells as
/// something else. `color` (1,682), which others write otherwise, is none.
const ORDINARY: u32 = 500;

/// Whether a word is one of the few that English texts use most: no slip of the fingers for a rarer one.
pub fn is_ordinary(word: &str) -> bool {
    let mut ids = Vec::new();
    token_ids(word, &mut ids);
    matches!(ids[..], [id] if id != UNKNOWN && id < ORDINARY) && word.len() > 1
}

/// How many ids [`token_ids`] gives. Allocates nothing.
pub fn count_tokens(text: &str) -> usize {
    TOKENIZER.count(text)
}

/// Hands the ids of one word or punctuation mark after the other to `sink`, until it breaks.
#[inline]
pub fn scan(text: &str, sink: impl FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
    TOKENIZER.scan(text, sink)
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
    fn ordinary_words_are_told_from_slips() {
        for word in ["many", "part", "made", "came"] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in [
            "mnay", "otter", "modes", "color", "theater", "trail", "kubernetes", "x", "",
            "two words",
        ] {
            assert!(!is_ordinary(word), "{word}");
        }
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
