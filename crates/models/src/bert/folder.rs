//! What the JSON files of a model's folder say.
//!
//! Owns reading `config.json`, `tokenizer.json` (or `vocab.txt` with `tokenizer_config.json`) and
//! sentence-transformers' files, and refusing what the encoder does not do. It knows no tensors.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    error::ModelError,
    math::Activation,
    shape::{Pooling, Precision, Shape},
    words::{self, Words},
};
use elophanto_base::regular::{follow, read_capped};

/// Bytes of the largest of these files.
const MOST_BYTES: u64 = 64 << 20;

/// A model's shape and words, as its folder states them.
pub struct Description {
    pub shape: Shape,
    pub words: Words,
    /// Rows of the table of positions, and of that of token types.
    pub positions: usize,
    pub types: usize,
}

/// Reads all of it.
///
/// # Errors
/// When a file is missing, can't be understood or asks for something unsupported.
pub fn describe(folder: &Path, precision: Precision) -> Result<Description, ModelError> {
    let config = Settings::read(&folder.join("config.json"))?;
    config.expect("model_type", &["bert"], "bert")?;
    config.expect("position_embedding_type", &["absolute"], "absolute")?;
    config.expect_bool("is_decoder", false)?;
    let activation = match config.text("hidden_act")?.unwrap_or("gelu") {
        "gelu" | "gelu_python" => Activation::Gelu,
        "gelu_new" | "gelu_pytorch_tanh" => Activation::GeluTanh,
        "relu" => Activation::Relu,
        other => return Err(config.unsupported("hidden_act", other, "gelu, gelu_new, relu")),
    };
    let epsilon = config.value.get("layer_norm_eps").map_or(Some(1e-12), Value::as_f64);
    let epsilon = epsilon
        .filter(|epsilon| (0.0..1.0).contains(epsilon))
        .ok_or_else(|| config.unsupported("layer_norm_eps", "no such number", "0 to 1"))?;

    let pooling = pooling(folder)?;
    let positions = config.size("max_position_embeddings")?;
    let tokens = tokens(folder)?.unwrap_or(usize::MAX).min(positions);
    let words = words::read(folder)?;
    let pieces = config.size("vocab_size")?;
    let found = words.pieces.len();
    if found > pieces || found == 0 {
        let found = format!("{pieces}, but the tokenizer has {found} pieces");
        return Err(config.unsupported("vocab_size", &found, "at least that many"));
    }
    let shape = Shape {
        precision,
        hidden: config.size("hidden_size")?,
        layers: config.size("num_hidden_layers")?,
        heads: config.size("num_attention_heads")?,
        inner: config.size("intermediate_size")?,
        pieces,
        tokens,
        windows: 1,
        activation,
        pooling,
        epsilon: epsilon as f32,
        options: words.options,
        cls: words.cls,
        sep: words.sep,
        longest_piece: words.pieces.iter().map(String::len).max().unwrap_or(0),
        spelling_bytes: words.pieces.iter().map(String::len).sum(),
        special_bytes: super::format::write_specials(&words.specials).len(),
    };
    if let Some((name, value, supported)) = shape.out_of_bounds() {
        return Err(config.unsupported(name, &value.to_string(), &supported));
    }
    let types = config.optional_size("type_vocab_size")?.unwrap_or(2);
    Ok(Description { shape, words, positions, types })
}

/// How sentence-transformers pools this model, the mean if the folder does not say.
fn pooling(folder: &Path) -> Result<Pooling, ModelError> {
    let mut path = folder.join("1_Pooling").join("config.json");
    let modules = folder.join("modules.json");
    if let Some(list) = Settings::read_if_there(&modules)? {
        let items = list.value.as_array().map_or(&[][..], Vec::as_slice);
        for item in items {
            let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
            match kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "Normalize" => {}
                "Pooling" => {
                    let name = item.get("path").and_then(Value::as_str).unwrap_or("1_Pooling");
                    // Only a folder right inside this one.
                    if name.is_empty() || name.contains(['/', '\\', ':']) || name.starts_with('.') {
                        return Err(list.unsupported("path", name, "a folder name"));
                    }
                    path = folder.join(name).join("config.json");
                }
                _ => {
                    return Err(list.unsupported("type", kind, "Transformer, Pooling, Normalize"));
                }
            }
        }
    }
    let Some(config) = Settings::read_if_there(&path)? else { return Ok(Pooling::Mean) };
    const MODES: &str = "one of mean, cls and max";
    let mut found = Vec::new();
    let settings = config.value.as_object().into_iter().flatten();
    for (name, value) in settings {
        match (name.as_str(), value) {
            ("pooling_mode_mean_tokens", Value::Bool(true)) => found.push(Pooling::Mean),
            ("pooling_mode_cls_token", Value::Bool(true)) => found.push(Pooling::Cls),
            ("pooling_mode_max_tokens", Value::Bool(true)) => found.push(Pooling::Max),
            (name, Value::Bool(true)) if name.starts_with("pooling_mode_") => {
                return Err(config.unsupported(name, "true", MODES));
            }
            ("pooling_mode", Value::String(mode)) => found.push(match mode.as_str() {
                "mean" => Pooling::Mean,
                "cls" => Pooling::Cls,
                "max" => Pooling::Max,
                other => return Err(config.unsupported("pooling_mode", other, MODES)),
            }),
            _ => {}
        }
    }
    found.dedup();
    match found[..] {
        [pooling] => Ok(pooling),
        _ => Err(config.unsupported("pooling_mode", &format!("{found:?}"), MODES)),
    }
}

/// How many tokens of a text count, if the folder says so.
fn tokens(folder: &Path) -> Result<Option<usize>, ModelError> {
    match Settings::read_if_there(&folder.join("sentence_bert_config.json"))? {
        Some(config) => config.optional_size("max_seq_length"),
        None => Ok(None),
    }
}

/// A JSON file with settings.
pub struct Settings {
    pub path: PathBuf,
    pub value: Value,
}

impl Settings {
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        read_json(path).map(|value| Self { path: path.to_owned(), value })
    }

    pub fn read_if_there(path: &Path) -> Result<Option<Self>, ModelError> {
        if_there(Self::read(path))
    }

    pub fn unsupported(&self, setting: &str, found: &str, supported: &str) -> ModelError {
        // A value from outside may be of any length.
        let found: String = found.chars().take(100).collect();
        ModelError::Unsupported {
            path: self.path.clone(),
            setting: setting.to_owned(),
            found: if found.is_empty() { "missing".to_owned() } else { found },
            supported: supported.to_owned(),
        }
    }

    fn text(&self, name: &str) -> Result<Option<&str>, ModelError> {
        match self.value.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.unsupported(name, &other.to_string(), "a string")),
        }
    }

    fn expect(&self, name: &str, allowed: &[&str], default: &str) -> Result<(), ModelError> {
        let found = self.text(name)?.unwrap_or(default);
        if allowed.contains(&found) {
            return Ok(());
        }
        Err(self.unsupported(name, found, &allowed.join(", ")))
    }

    fn expect_bool(&self, name: &str, expected: bool) -> Result<(), ModelError> {
        match self.value.get(name) {
            None | Some(Value::Null) => Ok(()),
            Some(Value::Bool(found)) if *found == expected => Ok(()),
            Some(other) => Err(self.unsupported(name, &other.to_string(), &expected.to_string())),
        }
    }

    /// A setting that is true or false, `None` if it is missing or null.
    pub fn flag(&self, pointer: &str) -> Result<Option<bool>, ModelError> {
        match self.value.pointer(pointer) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.unsupported(pointer, &other.to_string(), "true, false")),
        }
    }

    fn optional_size(&self, name: &str) -> Result<Option<usize>, ModelError> {
        match self.value.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
                let error = || self.unsupported(name, &value.to_string(), "a size");
                size.map(Some).ok_or_else(error)
            }
        }
    }

    fn size(&self, name: &str) -> Result<usize, ModelError> {
        self.optional_size(name)?.ok_or_else(|| self.unsupported(name, "", "a size"))
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, ModelError> {
    let bytes = read(path)?;
    serde_json::from_slice(&bytes)
        .map_err(|cause| ModelError::Json { path: path.to_owned(), source: cause })
}

/// The bytes of a file of bearable size.
pub fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let error = |cause| ModelError::Read { path: path.to_owned(), source: cause };
    let file = follow(path).map_err(error)?;
    let (bytes, most) = (MOST_BYTES + 1, MOST_BYTES);
    let too_large = || ModelError::TooLarge { path: path.to_owned(), bytes, most };
    read_capped(file, MOST_BYTES).map_err(error)?.ok_or_else(too_large)
}

/// `None` for a file that does not exist.
pub fn if_there<T>(result: Result<T, ModelError>) -> Result<Option<T>, ModelError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ModelError::Read { source: cause, .. })
            if cause.kind() == std::io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
