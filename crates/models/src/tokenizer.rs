//! Text -> word-piece ids, exactly as the `tokenizers` library gives them for a BERT model.
//!
//! Owns normalisation (clean text, spaces around CJK characters, strip accents, lower-case, each
//! as the model says), word borders (white space and every punctuation mark), special tokens
//! spelled out in the text, and the greedy longest-match-first split of a word (WordPiece: Wu et
//! al. 2016, "Google's Neural Machine Translation System"; Devlin et al. 2018, "BERT"). It knows
//! neither files nor vectors, and of a vocabulary only [`Pieces`].
//!
//! The library normalises a whole string, step after step; here one pass looks at each character
//! by itself, and only as far as ids are wanted. Canonical decomposition is the one step that looks
//! beyond a character: it moves combining marks past each other, never past a border. Those that
//! are no accents are put in order where a word is spelled.

use std::ops::ControlFlow;

use unicode_categories::UnicodeCategories;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

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

/// Word pieces by spelling.
pub trait Pieces {
    /// Whether every piece is ASCII: a word that holds another character is unknown then.
    const ASCII: bool = false;

    /// Bytes of the longest piece that continues a word (without its `##`), or begins one.
    fn longest(&self, continues: bool) -> usize;

    /// The id of the piece that the first `length` bytes of `from` spell. There are at least
    /// [`WINDOW`] bytes.
    fn id(&self, from: &[u8], length: usize, continues: bool) -> Option<u32>;

    /// The id of an ASCII punctuation mark, a piece by itself.
    #[inline]
    fn mark(&self, mark: u8) -> Option<u32> {
        let mut window = [0; WINDOW];
        window[0] = mark;
        self.id(&window, 1, false)
    }
}

/// Bytes that a vocabulary may look at, wherever a piece begins.
pub const WINDOW: usize = 24;

/// A tokenizer over tables that lie elsewhere. Costs nothing to make. A word may have `IDS`
/// characters at most, and `BYTES` hold one of one more and a window.
#[derive(Debug, Clone, Copy)]
pub struct Tokenizer<'a, P, const BYTES: usize, const IDS: usize> {
    pub options: Options,
    pub vocabulary: P,
    /// Spelling and id of the special tokens that a text may spell out, like `[MASK]`.
    pub specials: &'a [(String, u32)],
}

impl<P: Pieces, const BYTES: usize, const IDS: usize> Tokenizer<'_, P, BYTES, IDS> {
    /// The first `most` ids of `text`, without `[CLS]` and `[SEP]`.
    pub fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        let _ = self.scan(text, |word| {
            ids.extend_from_slice(word);
            if ids.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        ids.truncate(most);
        ids
    }

    /// How many ids `text` has, without `[CLS]` and `[SEP]`.
    pub fn count(&self, text: &str) -> usize {
        let mut count = 0;
        let _ = self.scan(text, |word| {
            count += word.len();
            ControlFlow::Continue(())
        });
        count
    }

    /// Hands the ids of one word or punctuation mark after the other to `sink`, until it breaks.
    #[inline]
    pub fn scan(&self, text: &str, sink: impl FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let Options { clean_text, lowercase, .. } = self.options;
        let meanings = &MEANINGS[usize::from(clean_text) * 2 + usize::from(lowercase)];
        let word = Word { spelling: [0; BYTES], length: 0, wide: 0, foreign: false };
        let mut scan = Scan { tokenizer: self, meanings, word, sink };
        if self.specials.is_empty() { scan.plain(text) } else { scan.text(text) }
    }
}

/// What a byte means: part of a word, as the ASCII character that it becomes, or one of these.
const SPACE: u8 = 0x80;
const MARK: u8 = 0x81;
/// Control characters may vanish; they end no word.
const DROPPED: u8 = 0x82;
/// Of a character outside ASCII.
const WIDE: u8 = 0x83;

/// By whether the text is cleaned, and whether it is lower-cased.
static MEANINGS: [[u8; 256]; 4] =
    [meanings(false, false), meanings(false, true), meanings(true, false), meanings(true, true)];

const fn meanings(clean_text: bool, lowercase: bool) -> [u8; 256] {
    let mut meanings = [WIDE; 256];
    let mut byte = 0u8;
    while byte < 128 {
        meanings[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => SPACE,
            0x0b | 0x0c if !clean_text => SPACE,
            _ if byte.is_ascii_control() && clean_text => DROPPED,
            _ if byte.is_ascii_punctuation() => MARK,
            _ if lowercase => byte.to_ascii_lowercase(),
            _ => byte,
        };
        byte += 1;
    }
    meanings
}

struct Scan<'a, P, S, const BYTES: usize, const IDS: usize> {
    tokenizer: &'a Tokenizer<'a, P, BYTES, IDS>,
    meanings: &'static [u8; 256],
    word: Word<BYTES>,
    sink: S,
}

/// The word being read, normalised.
struct Word<const BYTES: usize> {
    /// As long as a word may become and a window more; what lies behind `length` means nothing.
    spelling: [u8; BYTES],
    /// Bytes of it, one character beyond the longest word at most: then it is unknown.
    length: usize,
    /// How many more bytes than characters that is.
    wide: usize,
    /// Holds a character that no piece has.
    foreign: bool,
}

impl<P, S, const BYTES: usize, const IDS: usize> Scan<'_, P, S, BYTES, IDS>
where
    P: Pieces,
    S: FnMut(&[u32]) -> ControlFlow<()>,
{
    fn text(&mut self, text: &str) -> ControlFlow<()> {
        let mut specials = Specials::new(self.tokenizer.specials, text);
        let mut at = 0;
        while let Some((start, end, id)) = specials.next(at) {
            self.plain(&text[at..start])?;
            (self.sink)(&[id])?;
            at = end;
        }
        self.plain(&text[at..])
    }

    #[inline]
    fn plain(&mut self, text: &str) -> ControlFlow<()> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let meaning = self.meanings[usize::from(byte)];
            if meaning.is_ascii() {
                at += 1;
                self.letter(meaning);
            } else if byte.is_ascii() {
                at += 1;
                self.border(byte, meaning)?;
            } else if let Some(character) = text[at..].chars().next() {
                at += character.len_utf8();
                self.wide(character)?;
            }
        }
        self.end_word()
    }

    /// Of the word.
    #[inline]
    fn characters(&self) -> usize {
        self.word.length - if P::ASCII { 0 } else { self.word.wide }
    }

    #[inline]
    fn letter(&mut self, letter: u8) {
        if self.characters() <= self.tokenizer.options.longest_word {
            self.word.spelling[self.word.length] = letter;
            self.word.length += 1;
        }
    }

    /// An ASCII character that is no part of a word.
    #[inline]
    fn border(&mut self, byte: u8, meaning: u8) -> ControlFlow<()> {
        match meaning {
            SPACE => self.end_word(),
            MARK => {
                self.end_word()?;
                let id = self.tokenizer.vocabulary.mark(byte);
                (self.sink)(&[id.unwrap_or(self.tokenizer.options.unknown)])
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// One character outside ASCII, before normalisation.
    #[cold]
    fn wide(&mut self, character: char) -> ControlFlow<()> {
        let options = self.tokenizer.options;
        let apart = options.handle_chinese_chars && is_cjk(character);
        if apart {
            self.end_word()?;
            if P::ASCII {
                return (self.sink)(&[options.unknown]);
            }
        // Another letter makes no difference to a word that is unknown already.
        } else if self.word.foreign && character.is_alphabetic() {
            return ControlFlow::Continue(());
        }
        if options.clean_text && (character == char::REPLACEMENT_CHARACTER || character.is_other())
        {
            return ControlFlow::Continue(());
        }
        if options.clean_text && character.is_whitespace() {
            return self.end_word();
        }
        let mut flow = ControlFlow::Continue(());
        let mut part = |part: char| {
            if flow.is_continue() {
                flow = match options.lowercase {
                    true => part.to_lowercase().try_for_each(|lower| self.normalised(lower)),
                    false => self.normalised(part),
                };
            }
        };
        if options.strip_accents {
            decompose_canonical(character, |one| {
                if !one.is_mark_nonspacing() {
                    part(one);
                }
            });
        } else {
            part(character);
        }
        flow?;
        if apart { self.end_word() } else { ControlFlow::Continue(()) }
    }

    /// One character after normalisation.
    fn normalised(&mut self, character: char) -> ControlFlow<()> {
        let byte = u8::try_from(character).unwrap_or(u8::MAX);
        if byte.is_ascii() {
            let meaning = self.meanings[usize::from(byte)];
            if !meaning.is_ascii() {
                return self.border(byte, meaning);
            }
            self.letter(meaning);
            return ControlFlow::Continue(());
        }
        if character.is_whitespace() {
            return self.end_word();
        }
        let is_mark = character.is_punctuation();
        if is_mark {
            self.end_word()?;
        }
        self.push(character);
        if is_mark { self.end_word() } else { ControlFlow::Continue(()) }
    }

    /// Adds a character outside ASCII.
    fn push(&mut self, character: char) {
        let options = &self.tokenizer.options;
        if P::ASCII {
            self.word.foreign = true;
            return;
        }
        if self.characters() > options.longest_word {
            return;
        }
        let word = &mut self.word;
        let mut at = word.length;
        let class = canonical_combining_class(character);
        if class > 0 && options.strip_accents {
            let before = str::from_utf8(&word.spelling[..at]).unwrap_or_default();
            let later =
                before.chars().rev().take_while(|it| canonical_combining_class(*it) > class);
            at -= later.map(char::len_utf8).sum::<usize>();
        }
        let end = word.length + character.len_utf8();
        word.spelling.copy_within(at..word.length, at + character.len_utf8());
        character.encode_utf8(&mut word.spelling[at..]);
        word.wide += end - word.length - 1;
        word.length = end;
    }

    #[inline]
    fn end_word(&mut self) -> ControlFlow<()> {
        let &Word { length, foreign, .. } = &self.word;
        if length == 0 && !foreign {
            return ControlFlow::Continue(());
        }
        let unknown = self.tokenizer.options.unknown;
        let is_lost = foreign || self.characters() > self.tokenizer.options.longest_word;
        let mut ids = [unknown; IDS];
        let count = if is_lost { None } else { self.split(&mut ids) };
        (self.word.length, self.word.wide, self.word.foreign) = (0, 0, false);
        match count {
            Some(count) => (self.sink)(&ids[..count]),
            None => (self.sink)(&[unknown]),
        }
    }

    /// Splits the word into the longest pieces, from the left, and returns how many. `None` if the
    /// vocabulary can't spell it.
    #[inline]
    fn split(&self, ids: &mut [u32; IDS]) -> Option<usize> {
        let (word, vocabulary) = (&self.word, &self.tokenizer.vocabulary);
        let (mut start, mut count) = (0, 0);
        while start < word.length {
            let from = &word.spelling[start..];
            let left = word.length - start;
            let mut length = vocabulary.longest(start > 0).min(left);
            let id = loop {
                if length == 0 {
                    return None;
                }
                let is_whole = P::ASCII || length == left || from[length] & 0xc0 != 0x80;
                if is_whole && let Some(id) = vocabulary.id(from, length, start > 0) {
                    break id;
                }
                length -= 1;
            };
            ids[count] = id;
            count += 1;
            start += length;
        }
        Some(count)
    }
}

/// The ideographs that the `tokenizers` library sets apart, with its range borders. Kana and Hangul are not
/// among them.
fn is_cjk(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x20000..=0x2a6df
            | 0x2a700..=0x2b73f
            | 0x2b740..=0x2b81f
            | 0x2b920..=0x2ceaf
            | 0xf900..=0xfaff
            | 0x2f800..=0x2fa1f
    )
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
