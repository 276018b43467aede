//! Text -> word-piece ids, as the `tokenizers` library gives them for a BERT model.
//!
//! Owns normalisation (clean text, spaces around CJK characters, strip accents, lower-case, each
//! as the model says), word borders (white space and every punctuation mark), special tokens
//! spelled out in the text, and the greedy longest-match-first split of a word (WordPiece: Wu et
//! al. 2016, "Google's Neural Machine Translation System"; Devlin et al. 2018, "BERT"). It knows
//! neither files nor vectors.
//!
//! A text is read character by character and only as far as its ids are wanted, so a very long
//! one costs no more than what counts.

use std::ops::ControlFlow;

use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use super::super::cjk::is_cjk;
use super::vocabulary::Vocabulary;

/// What the model's files say about tokenising.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Drop control characters, make all white space blanks.
    pub clean_text: bool,
    /// Set CJK ideographs apart.
    pub handle_chinese_chars: bool,
    /// Decompose and drop non-spacing marks.
    pub strip_accents: bool,
    /// Lower-case, character by character.
    pub lowercase: bool,
    /// A word of more characters is unknown.
    pub longest_word: usize,
    /// The id of a word that the vocabulary can't spell.
    pub unknown: u32,
}

/// A tokenizer over tables that lie elsewhere. Costs nothing to make.
#[derive(Debug, Clone, Copy)]
pub struct Tokenizer<'a> {
    pub options: Options,
    pub vocabulary: Vocabulary<'a>,
    /// Spelling and id of the special tokens that a text may spell out, like `[MASK]`.
    pub specials: &'a [(String, u32)],
}

impl Tokenizer<'_> {
    /// The first `most` ids of `text`, without `[CLS]` and `[SEP]`.
    pub fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        let _ = self.scan(text, |id| {
            if ids.len() == most {
                return ControlFlow::Break(());
            }
            ids.push(id);
            ControlFlow::Continue(())
        });
        ids
    }

    /// How many ids `text` has, without `[CLS]` and `[SEP]`.
    pub fn count(&self, text: &str) -> usize {
        let mut count = 0;
        let _ = self.scan(text, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Hands one id after the other to `sink`, until it breaks.
    fn scan(&self, text: &str, mut sink: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut word = Word::default();
        let mut at = 0;
        let mut specials = Specials::new(self.specials, text);
        while let Some((start, end, id)) = specials.next(at) {
            self.scan_plain(&text[at..start], &mut word, &mut sink)?;
            sink(id)?;
            at = end;
        }
        self.scan_plain(&text[at..], &mut word, &mut sink)
    }

    fn scan_plain(
        &self,
        text: &str,
        word: &mut Word,
        sink: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Options { clean_text, handle_chinese_chars, .. } = self.options;
        let cleaned = text.chars().filter_map(|character| match character {
            _ if !clean_text => Some(character),
            '\0' | char::REPLACEMENT_CHARACTER => None,
            '\t' | '\n' | '\r' => Some(' '),
            _ if character.is_ascii() => (!character.is_ascii_control()).then_some(character),
            _ if character.is_other() => None,
            _ if character.is_whitespace() => Some(' '),
            _ => Some(character),
        });
        let spaced = cleaned.flat_map(|character| {
            let apart = handle_chinese_chars && is_cjk(character);
            let space = apart.then_some(' ');
            space.into_iter().chain([character]).chain(space)
        });
        if self.options.strip_accents {
            let stripped = spaced
                .nfd()
                .filter(|character| character.is_ascii() || !character.is_mark_nonspacing());
            self.scan_characters(stripped, word, sink)
        } else {
            self.scan_characters(spaced, word, sink)
        }
    }

    fn scan_characters(
        &self,
        characters: impl Iterator<Item = char>,
        word: &mut Word,
        sink: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for character in characters {
            if character.is_ascii() {
                let lower = character.to_ascii_lowercase();
                let kept = if self.options.lowercase { lower } else { character };
                self.scan_normalised(kept, word, sink)?;
            } else if self.options.lowercase {
                for lower in character.to_lowercase() {
                    self.scan_normalised(lower, word, sink)?;
                }
            } else {
                self.scan_normalised(character, word, sink)?;
            }
        }
        self.end_word(word, sink)
    }

    #[inline]
    fn scan_normalised(
        &self,
        character: char,
        word: &mut Word,
        sink: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if character.is_whitespace() {
            return self.end_word(word, sink);
        }
        let mark = if character.is_ascii() {
            character.is_ascii_punctuation()
        } else {
            character.is_punctuation()
        };
        if !mark {
            word.push(character, self.options.longest_word);
            return ControlFlow::Continue(());
        }
        self.end_word(word, sink)?;
        word.push(character, self.options.longest_word);
        self.end_word(word, sink)
    }

    #[inline]
    fn end_word(
        &self,
        word: &mut Word,
        sink: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if word.characters == 0 {
            return ControlFlow::Continue(());
        }
        word.ids.clear();
        if word.characters > self.options.longest_word || !self.split(&word.spelling, &mut word.ids)
        {
            word.ids.clear();
            word.ids.push(self.options.unknown);
        }
        word.spelling.clear();
        word.characters = 0;
        word.ids.iter().try_for_each(|id| sink(*id))
    }

    /// Splits a word into the longest pieces, from the left. False if the vocabulary can't spell
    /// it.
    fn split(&self, word: &str, ids: &mut Vec<u32>) -> bool {
        let mut rest = word;
        while !rest.is_empty() {
            let prefix: &[u8] = if rest.len() == word.len() { b"" } else { b"##" };
            let longest = self.vocabulary.longest().saturating_sub(prefix.len());
            let mut end = rest.floor_char_boundary(longest);
            if end == 0 {
                return false;
            }
            let id = loop {
                if let Some(id) = self.vocabulary.find(prefix, &rest.as_bytes()[..end]) {
                    break id;
                }
                end = rest.floor_char_boundary(end - 1);
                if end == 0 {
                    return false;
                }
            };
            ids.push(id);
            rest = &rest[end..];
        }
        true
    }
}

/// Special tokens spelled out in a text. Each is looked for only behind its last place, so a text
/// full of them takes no longer than another.
struct Specials<'a> {
    text: &'a str,
    /// Spelling, id and next place of each that occurs at all.
    ahead: Vec<(&'a str, u32, usize)>,
}

impl<'a> Specials<'a> {
    fn new(specials: &'a [(String, u32)], text: &'a str) -> Self {
        let ahead = specials.iter().filter_map(|(spelling, id)| {
            Some((spelling.as_str(), *id, text.find(spelling.as_str())?))
        });
        Self { text, ahead: ahead.collect() }
    }

    /// Start, end and id of the first special token from `at` on; of several, the longest.
    fn next(&mut self, at: usize) -> Option<(usize, usize, u32)> {
        self.ahead.retain_mut(|(spelling, _, place)| {
            if *place < at {
                match self.text[at..].find(*spelling) {
                    Some(found) => *place = at + found,
                    None => return false,
                }
            }
            true
        });
        let first =
            self.ahead.iter().min_by_key(|(spelling, _, at)| (*at, usize::MAX - spelling.len()));
        first.map(|(spelling, id, place)| (*place, *place + spelling.len(), *id))
    }
}

/// The word being read, normalised.
#[derive(Default)]
struct Word {
    spelling: String,
    characters: usize,
    ids: Vec<u32>,
}

impl Word {
    #[inline]
    fn push(&mut self, character: char, longest: usize) {
        // Beyond that it is unknown whatever it holds.
        if self.characters <= longest {
            self.spelling.push(character);
            self.characters += 1;
        }
    }
}

#[cfg(test)]
mod tests;
