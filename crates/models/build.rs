//! Turns the built-in model's files into tables that the program uses as they are, so that start-up
//! parses nothing. Checks everything that the code in `src/builtin/` takes for granted.
//!
//! Output, all little-endian, `n` being the number of word pieces:
//!
//! | file | content |
//! | --- | --- |
//! | `rows.bin` | int8 `[n, 256]`, the embeddings |
//! | `scales.bin` | f32 `[n]`, what a row is multiplied with (f16 in the model, widened exactly) |
//! | `pieces.bin` | u64 `[n, 3]`, the key of each word piece (`piece.rs`) |
//! | `slots.bin` | u32 `[SLOTS]`, open-addressing hash table of the word pieces |
//! | `builtin.rs` | `FINGERPRINT`, `LONGEST_ROW` and `PUNCTUATION`, the id of each ASCII punctuation mark |

use std::{env, fs, path::Path};

use serde_json::{Value, json};

#[path = "src/builtin/piece.rs"]
mod piece;

const MODEL: &str = "../../assets/builtin/model.safetensors";
const TOKENIZER: &str = "../../assets/builtin/tokenizer.json";

/// Components of a vector.
const DIMENSION: usize = 256;

/// Part of the fingerprint. Raise it when the same text and the same model files would no longer
/// give the same vector.
const PREPROCESSING: u8 = 2;

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/builtin/piece.rs");
    println!("cargo::rerun-if-changed={MODEL}");
    println!("cargo::rerun-if-changed={TOKENIZER}");

    let model = read(MODEL)?;
    let tokenizer = read(TOKENIZER)?;
    let vocabulary = vocabulary(&tokenizer).map_err(|reason| format!("{TOKENIZER}: {reason}"))?;
    let (rows, scales) =
        tensors(&model, vocabulary.len()).map_err(|reason| format!("{MODEL}: {reason}"))?;
    let keys = keys(&vocabulary).map_err(|reason| format!("{TOKENIZER}: {reason}"))?;

    let out = env::var("OUT_DIR").map_err(|cause| format!("OUT_DIR: {cause}"))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = Path::new(&out).join(name);
        fs::write(&path, bytes).map_err(|cause| format!("{}: {cause}", path.display()))
    };
    write("rows.bin", rows)?;
    write("scales.bin", &scales.iter().flat_map(|scale| scale.to_le_bytes()).collect::<Vec<_>>())?;
    write("pieces.bin", &keys.iter().flatten().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())?;
    write("slots.bin", &slots(&keys).iter().flat_map(|s| s.to_le_bytes()).collect::<Vec<_>>())?;
    let constants = source(&vocabulary, longest(rows, &scales), &model, &tokenizer);
    write("builtin.rs", constants.as_bytes())
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|cause| format!("{path}: {cause}"))
}

/// The word pieces by id, if the tokenizer is one that `wordpiece.rs` reproduces.
fn vocabulary(json: &[u8]) -> Result<Vec<String>, String> {
    let tokenizer: Value = serde_json::from_slice(json).map_err(|cause| cause.to_string())?;
    let expect = |pointer: &str, expected: Value| match tokenizer.pointer(pointer) {
        Some(found) if *found == expected => Ok(()),
        Some(found) => Err(format!("`{pointer}` is {found}, the code is written for {expected}")),
        None => Err(format!("`{pointer}` is missing, the code is written for {expected}")),
    };
    expect("/normalizer/type", json!("BertNormalizer"))?;
    expect("/normalizer/clean_text", json!(true))?;
    expect("/normalizer/handle_chinese_chars", json!(true))?;
    expect("/normalizer/strip_accents", json!(true))?;
    expect("/normalizer/lowercase", json!(true))?;
    expect("/pre_tokenizer/type", json!("BertPreTokenizer"))?;
    expect("/added_tokens", json!([]))?;
    expect("/model/type", json!("WordPiece"))?;
    expect("/model/unk_token", json!("[UNK]"))?;
    expect("/model/continuing_subword_prefix", json!("##"))?;
    expect("/model/max_input_chars_per_word", json!(piece::MAX_WORD))?;
    expect("/model/vocab/[PAD]", json!(piece::PAD))?;
    expect("/model/vocab/[UNK]", json!(piece::UNKNOWN))?;

    let Some(Value::Object(ids)) = tokenizer.pointer("/model/vocab") else {
        return Err("`/model/vocab` is missing or no object".to_owned());
    };
    if ids.len() > usize::from(u16::MAX) {
        return Err(format!("{} word pieces, but an id is stored in 16 bits", ids.len()));
    }
    let mut pieces = vec![None; ids.len()];
    for (text, id) in ids {
        let id = id.as_u64().and_then(|id| usize::try_from(id).ok());
        match id.and_then(|id| pieces.get_mut(id)) {
            Some(place @ None) => *place = Some(text.clone()),
            Some(Some(other)) => return Err(format!("`{text}` and `{other}` have the same id")),
            None => return Err(format!("the id of `{text}` is not below {}", ids.len())),
        }
    }
    // As many ids as places, none twice: no place is empty.
    Ok(pieces.into_iter().flatten().collect())
}

/// The int8 rows (`[count, DIMENSION]`) and the f16 scales (`[count]`, widened) of a safetensors
/// file: an u64 header length, a JSON header, then the tensors' bytes.
fn tensors(file: &[u8], count: usize) -> Result<(&[u8], Vec<f32>), String> {
    let short = || "the file ends inside its header".to_owned();
    let (length, rest) = file.split_first_chunk::<8>().ok_or_else(short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
    let header: Value = serde_json::from_slice(header).map_err(|cause| cause.to_string())?;

    let tensor = |name: &str, dtype: &str, shape: Value, size: usize| {
        let entry = header.get(name).ok_or_else(|| format!("no tensor `{name}`"))?;
        if entry["dtype"] != dtype || entry["shape"] != shape {
            let (found, has) = (&entry["dtype"], &entry["shape"]);
            return Err(format!("`{name}` is {found} {has}, expected \"{dtype}\" {shape}"));
        }
        let offset = |index: usize| usize::try_from(entry["data_offsets"][index].as_u64()?).ok();
        let bytes = offset(0).zip(offset(1)).and_then(|(from, to)| data.get(from..to));
        bytes.filter(|bytes| bytes.len() == size).ok_or_else(|| {
            let offsets = &entry["data_offsets"];
            format!("`{name}` is not {size} bytes at {offsets} of {} bytes", data.len())
        })
    };
    let rows = tensor("embeddings", "I8", json!([count, DIMENSION]), count * DIMENSION)?;
    let scales = tensor("scales", "F16", json!([count]), count * 2)?;
    let scales = scales.as_chunks::<2>().0.iter().enumerate().map(|(row, bytes)| {
        widen(u16::from_le_bytes(*bytes)).ok_or_else(|| format!("the scale of row {row} is bad"))
    });
    Ok((rows, scales.collect::<Result<_, _>>()?))
}

/// A finite, non-negative IEEE 754 half as a float.
fn widen(half: u16) -> Option<f32> {
    let (exponent, fraction) = (i32::from(half >> 10), f32::from(half & 0x3ff));
    match exponent {
        0 => Some(fraction * 2f32.powi(-24)),
        1..31 => Some((fraction + 1024.0) * 2f32.powi(exponent - 25)),
        _ => None,
    }
}

/// The length of the longest row.
fn longest(rows: &[u8], scales: &[f32]) -> f32 {
    let lengths = rows.chunks_exact(DIMENSION).zip(scales).map(|(row, scale)| {
        let square = |byte: &u8| i32::from(byte.cast_signed()) * i32::from(byte.cast_signed());
        (row.iter().map(square).sum::<i32>() as f32).sqrt() * scale
    });
    lengths.fold(0.0, f32::max)
}

/// The key of each word piece, by id.
fn keys(vocabulary: &[String]) -> Result<Vec<piece::Key>, String> {
    let key = |text: &String| {
        let (continues, letters) = match text.strip_prefix("##") {
            Some(letters) if !letters.is_empty() => (true, letters),
            _ => (false, text.as_str()),
        };
        let longest = if continues { piece::LONGEST_CONTINUATION } else { piece::LONGEST };
        // A word that keeps a non-ASCII character is [UNK] without a look at the vocabulary.
        if !letters.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("`{text}` is not printable ASCII"));
        }
        if letters.len() > longest {
            return Err(format!("`{text}` is longer than {longest} bytes"));
        }
        let mut bytes = [0; piece::LONGEST];
        bytes[..letters.len()].copy_from_slice(letters.as_bytes());
        Ok(piece::key(&bytes, letters.len(), continues))
    };
    vocabulary.iter().map(key).collect()
}

/// Ids and tags by hash, linear probing. Special tokens are left out: no text spells them.
fn slots(keys: &[piece::Key]) -> Vec<u32> {
    let mut slots = vec![piece::EMPTY; piece::SLOTS];
    for (id, key) in (0u32..).zip(keys).filter(|(id, _)| ![piece::PAD, piece::UNKNOWN].contains(id))
    {
        let hash = piece::hash(key);
        let mut at = piece::slot(hash);
        while slots[at] != piece::EMPTY {
            at = (at + 1) % piece::SLOTS;
        }
        slots[at] = piece::tag(hash) | id;
    }
    slots
}

/// Constants that are small enough to be source.
fn source(vocabulary: &[String], longest: f32, model: &[u8], tokenizer: &[u8]) -> String {
    let hash = fnv1a(&[&[PREPROCESSING], model, tokenizer]);
    let punctuation = (0u8..128).map(|byte| {
        let id = vocabulary.iter().position(|piece| piece.as_bytes() == [byte]);
        id.filter(|_| byte.is_ascii_punctuation()).unwrap_or(piece::UNKNOWN as usize)
    });
    let punctuation = punctuation.map(|id| id.to_string()).collect::<Vec<_>>().join(", ");
    format!(
        "/// Names the model: a hash of its files and the dimension.\n\
         pub const FINGERPRINT: &str = \"builtin-{hash:016x}-{DIMENSION}\";\n\
         /// The length of the longest row.\n\
         pub const LONGEST_ROW: f32 = {longest:?};\n\
         /// The id of each ASCII punctuation mark; [UNK] for all other bytes.\n\
         pub const PUNCTUATION: [u32; 128] = [{punctuation}];\n"
    )
}

/// FNV-1a, 64 bits. It tells revisions of a model that ships inside the program apart; nobody gains
/// by forging it, so it need not cost a build dependency.
fn fnv1a(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
