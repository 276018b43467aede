//! Ids against the `tokenizers` library, with every combination of options.

use proptest::prelude::*;
use rayon::prelude::*;
use serde_json::json;

use super::*;
use crate::tokenizer::Options;

/// A tokenizer of ours and the library's, over the same pieces.
struct Pair {
    pieces: Vec<String>,
    tables: (Vec<u32>, Vec<u8>, Vec<u32>),
    specials: Vec<(String, u32)>,
    options: Options,
    reference: tokenizers::Tokenizer,
}

impl Pair {
    fn new(pieces: &[String], flags: [bool; 3], strip_accents: Option<bool>) -> Self {
        let [clean_text, handle_chinese_chars, lowercase] = flags;
        let id = |name: &str| pieces.iter().position(|piece| piece == name).unwrap() as u32;
        let names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
        let specials: Vec<_> = names.iter().map(|name| ((*name).to_owned(), id(name))).collect();
        let added: Vec<_> = specials
            .iter()
            .map(|(name, id)| {
                json!({"id": id, "content": name, "special": true, "single_word": false,
                    "lstrip": false, "rstrip": false, "normalized": false})
            })
            .collect();
        let vocab: serde_json::Map<_, _> =
            pieces.iter().enumerate().map(|(id, piece)| (piece.clone(), json!(id))).collect();
        let file = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
            "normalizer": {"type": "BertNormalizer", "clean_text": clean_text,
                "handle_chinese_chars": handle_chinese_chars, "strip_accents": strip_accents,
                "lowercase": lowercase},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": null, "decoder": null,
            "model": {"type": "WordPiece", "unk_token": "[UNK]",
                "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                "vocab": vocab},
        });
        let reference = tokenizers::Tokenizer::from_bytes(file.to_string()).unwrap();
        let options = Options {
            clean_text,
            handle_chinese_chars,
            strip_accents: strip_accents.unwrap_or(lowercase),
            lowercase,
            longest_word: 100,
            unknown: id("[UNK]"),
        };
        let spellings: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let tables = vocabulary::build(&spellings);
        Self { pieces: pieces.to_vec(), tables, specials, options, reference }
    }

    fn shipped() -> Self {
        Self::new(&shipped_pieces(), [true; 3], None)
    }

    fn check(&self, text: &str) {
        let (ends, spellings, slots) = &self.tables;
        let longest = self.pieces.iter().map(String::len).max().unwrap();
        let vocabulary = Vocabulary::new(ends, spellings, slots, longest).unwrap();
        let tokenizer = Tokenizer { options: self.options, vocabulary, specials: &self.specials };
        let expected = self.reference.encode_fast(text, false).unwrap();
        let ids = tokenizer.ids(text, usize::MAX);
        assert_eq!(ids, expected.get_ids(), "{:?} {text:?}", self.options);
        assert_eq!(tokenizer.count(text), ids.len());
        let few = tokenizer.ids(text, 5);
        assert_eq!(few, ids[..ids.len().min(5)]);
    }
}

/// The words of the shipped model.
fn shipped_pieces() -> Vec<String> {
    let model = crate::bert::Bert::minilm();
    let Plan { ends, spellings, .. } = &model.plan;
    let (ends, spellings) = (ends.of(model.bytes.get()), spellings.of(model.bytes.get()));
    let mut start = 0;
    ends.iter()
        .map(|end| {
            let piece = &spellings[start..*end as usize];
            start = *end as usize;
            str::from_utf8(piece).unwrap().to_owned()
        })
        .collect()
}

/// Each Unicode scalar value inside a word and alone, 64 a line.
fn every_character() -> impl Iterator<Item = String> {
    (0..=0x10_ffff / 64).map(|line| {
        let characters = (line * 64..(line + 1) * 64).filter_map(char::from_u32);
        characters.map(|c| format!("so{c}me {c} ")).collect()
    })
}

#[test]
fn equals_the_tokenizers_library_on_every_character() {
    let pair = Pair::shipped();
    every_character().par_bridge().for_each(|line| pair.check(&line));
}

/// Options that are rarely used, over the characters that they treat differently.
#[test]
fn equals_the_tokenizers_library_with_any_options() {
    let mut pieces = shipped_pieces();
    pieces.extend(["É", "é", "##É", "Some", "##\u{301}", "\u{301}"].map(str::to_owned));
    pieces.sort();
    pieces.dedup();
    let lines: Vec<String> = every_character().take(0x3_0000 / 64).step_by(17).collect();
    for flags in 0..8 {
        let flags = [flags & 1 == 0, flags & 2 == 0, flags & 4 == 0];
        for strip in [None, Some(true), Some(false)] {
            let pair = Pair::new(&pieces, flags, strip);
            lines.par_iter().for_each(|line| pair.check(line));
            for text in ["É E\u{301} é some Some", "\u{0}a\tb\u{a0}c\u{2003}d", "中文 text中", ""]
            {
                pair.check(text);
            }
        }
    }
}

#[test]
fn special_tokens_may_be_spelled_out() {
    let pair = Pair::shipped();
    for text in ["[CLS]", "a[SEP]b", "x [MASK][MASK] y", "[mask] [ CLS ]", "[[CLS]]", "[UN[UNK]K]"]
    {
        pair.check(text);
    }
    pair.check(&"[SEP]".repeat(3_000));
    pair.check(&"x".repeat(100));
    pair.check(&"x".repeat(101));
    pair.check(&"\u{e9}".repeat(101));
    pair.check(&"rain ".repeat(1_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn equals_the_tokenizers_library_on_random_texts(
        parts in proptest::collection::vec(prop_oneof![
            any::<char>().prop_map(String::from),
            "[a-zA-Z]{1,9}",
            "[ \\t\\n.,'-]",
            "[\u{e0}-\u{17f}]",
            "[\u{300}-\u{36f}]{1,3}",
            "[\u{4e00}-\u{4e40}\u{ac00}-\u{ac40}\u{3040}-\u{30ff}]",
            Just("[SEP]".to_owned()),
        ], 0..40),
    ) {
        thread_local!(static PAIR: Pair = Pair::shipped());
        PAIR.with(|pair| pair.check(&parts.concat()));
    }
}
