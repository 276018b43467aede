//! The words of a model's folder: its vocabulary, special tokens and tokenising options.
//!
//! Owns `tokenizer.json`, and `vocab.txt` with `tokenizer_config.json` where the former is missing.
//! Refuses whatever `tokenizer` would not do in the same way.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    error::ModelError,
    folder::{self, Settings},
    vocabulary::MOST_PIECES,
};
use crate::tokenizer::Options;

/// More special tokens than any model of this family has.
const MOST_SPECIALS: usize = 64;

/// Vocabulary and tokenising options.
pub struct Words {
    /// By id.
    pub pieces: Vec<String>,
    /// Those that a text may spell out.
    pub specials: Vec<(String, u32)>,
    pub options: Options,
    pub cls: u32,
    pub sep: u32,
}

/// Reads a folder's `tokenizer.json`, or its `vocab.txt`.
///
/// # Errors
/// When both are missing, or one can't be understood or asks for something unsupported.
pub fn read(folder: &Path) -> Result<Words, ModelError> {
    match Settings::read_if_there(&folder.join("tokenizer.json"))? {
        Some(file) => from_tokenizer(&file),
        None => from_list(folder),
    }
}

fn from_tokenizer(file: &Settings) -> Result<Words, ModelError> {
    let value = &file.value;
    let expect = |pointer: &str, expected: Value| match value.pointer(pointer) {
        Some(found) if *found == expected => Ok(()),
        found => {
            let found = found.map(Value::to_string).unwrap_or_default();
            Err(file.unsupported(pointer, &found, &expected.to_string()))
        }
    };
    expect("/normalizer/type", json!("BertNormalizer"))?;
    expect("/pre_tokenizer/type", json!("BertPreTokenizer"))?;
    // Old files leave the type out.
    if value.pointer("/model/type").is_some() {
        expect("/model/type", json!("WordPiece"))?;
    }
    expect("/model/continuing_subword_prefix", json!("##"))?;
    let lowercase = file.flag("/normalizer/lowercase")?.unwrap_or(true);
    let longest_word = match value.pointer("/model/max_input_chars_per_word") {
        None => 100,
        Some(found) => {
            found.as_u64().and_then(|most| usize::try_from(most).ok()).ok_or_else(|| {
                file.unsupported("max_input_chars_per_word", &found.to_string(), "a number")
            })?
        }
    };

    let vocabulary = value.pointer("/model/vocab").and_then(Value::as_object);
    let vocabulary = vocabulary.ok_or_else(|| file.unsupported("/model/vocab", "", "an object"))?;
    let added = added_tokens(file)?;
    let known = vocabulary.iter().map(|(text, id)| (text.as_str(), id.as_u64()));
    // An added token may be part of the vocabulary or come on top of it.
    let new = added.iter().filter(|(text, _)| !vocabulary.contains_key(text));
    let new = new.map(|(text, id)| (text.as_str(), Some(u64::from(*id))));
    let pieces = in_order(file, known.chain(new).collect())?;

    let id = |name: &str| id(file, &pieces, name);
    let unknown = value.pointer("/model/unk_token").and_then(Value::as_str).unwrap_or("[UNK]");
    let (cls, sep) = frame(value);
    let options = Options {
        clean_text: file.flag("/normalizer/clean_text")?.unwrap_or(true),
        handle_chinese_chars: file.flag("/normalizer/handle_chinese_chars")?.unwrap_or(true),
        strip_accents: file.flag("/normalizer/strip_accents")?.unwrap_or(lowercase),
        lowercase,
        longest_word,
        unknown: id(unknown)?,
    };
    let (cls, sep) = (id(&cls)?, id(&sep)?);
    Ok(Words { pieces, specials: added, options, cls, sep })
}

/// What is put before and behind a text: usually `[CLS]` and `[SEP]`.
fn frame(value: &Value) -> (String, String) {
    let name = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let cls = name("/post_processor/single/0/SpecialToken/id").or(name("/post_processor/cls/0"));
    let sep = name("/post_processor/single/2/SpecialToken/id").or(name("/post_processor/sep/0"));
    (cls.unwrap_or("[CLS]".to_owned()), sep.unwrap_or("[SEP]".to_owned()))
}

/// The tokens that are looked for before a text is normalised.
fn added_tokens(file: &Settings) -> Result<Vec<(String, u32)>, ModelError> {
    let list = file.value.get("added_tokens").and_then(Value::as_array);
    let list = list.map_or(&[][..], Vec::as_slice);
    if list.len() > MOST_SPECIALS {
        let most = format!("at most {MOST_SPECIALS}");
        return Err(file.unsupported("added_tokens", &format!("{} long", list.len()), &most));
    }
    let mut added = Vec::new();
    for token in list {
        let text = token.get("content").and_then(Value::as_str).unwrap_or_default();
        let id = token.get("id").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
        let plain = ["single_word", "lstrip", "rstrip", "normalized"]
            .iter()
            .all(|flag| matches!(token.get(flag), None | Some(Value::Bool(false))));
        match id {
            Some(id) if plain && (1..=64).contains(&text.len()) => {
                added.push((text.to_owned(), id))
            }
            _ => {
                let supported = "tokens of 1 to 64 bytes that are taken as they are";
                return Err(file.unsupported("added_tokens", &token.to_string(), supported));
            }
        }
    }
    Ok(added)
}

/// The pieces by id: each id below their number, none twice.
fn in_order(file: &Settings, ids: Vec<(&str, Option<u64>)>) -> Result<Vec<String>, ModelError> {
    let count = ids.len();
    let error =
        |found: String| file.unsupported("/model/vocab", &found, "ids from 0 on, each once");
    if count > MOST_PIECES {
        return Err(error(format!("{count} pieces")));
    }
    let mut pieces = vec![None; count];
    for (text, id) in ids {
        let id = id.and_then(|id| usize::try_from(id).ok());
        match id.and_then(|id| pieces.get_mut(id)) {
            Some(place @ None) => *place = Some(text.to_owned()),
            _ => return Err(error(format!("wrong about the id of `{text}`"))),
        }
    }
    // As many ids as places, none twice: no place is empty.
    Ok(pieces.into_iter().flatten().collect())
}

fn id(file: &Settings, pieces: &[String], name: &str) -> Result<u32, ModelError> {
    let id = pieces.iter().position(|piece| piece == name);
    let id = id.and_then(|id| u32::try_from(id).ok());
    id.ok_or_else(|| file.unsupported(name, "", "a piece of the vocabulary"))
}

/// One piece a line, `tokenizer_config.json` for the options.
fn from_list(folder: &Path) -> Result<Words, ModelError> {
    let path = folder.join("vocab.txt");
    let bytes = folder::read(&path)?;
    let text = String::from_utf8(bytes).map_err(|_| ModelError::Damaged {
        path: path.clone(),
        reason: "it is no UTF-8".to_owned(),
    })?;
    let pieces: Vec<String> = text.lines().map(str::to_owned).collect();
    let config = Settings::read_if_there(&folder.join("tokenizer_config.json"))?;
    let config = config.unwrap_or_else(|| Settings { path, value: json!({}) });
    let flag = |pointer: &str| config.flag(pointer);
    let lowercase = flag("/do_lower_case")?.unwrap_or(true);
    let id = |name: &str| id(&config, &pieces, name);
    let options = Options {
        clean_text: true,
        handle_chinese_chars: flag("/tokenize_chinese_chars")?.unwrap_or(true),
        strip_accents: flag("/strip_accents")?.unwrap_or(lowercase),
        lowercase,
        longest_word: 100,
        unknown: id("[UNK]")?,
    };
    let (cls, sep) = (id("[CLS]")?, id("[SEP]")?);
    let mut specials = Vec::new();
    for name in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] {
        if let Ok(id) = id(name) {
            specials.push((name.to_owned(), id));
        }
    }
    Ok(Words { pieces, specials, options, cls, sep })
}
