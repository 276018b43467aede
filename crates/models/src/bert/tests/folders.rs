//! Folders with a small model made up on the spot, and what may be wrong with them.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

const PIECES: [&str; 9] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "one", "two", "three", "##e"];
const HIDDEN: usize = 32;
const INNER: usize = 50;

/// A model's folder.
pub struct Folder {
    folder: TempDir,
}

/// How weights are written.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    F32,
    F16,
    Bf16,
}

impl Folder {
    /// Two layers, 32 components, two heads, twelve tokens.
    pub fn small() -> Self {
        Self::of("", Type::F32)
    }

    fn of(prefix: &str, kind: Type) -> Self {
        let folder = Self { folder: tempfile::tempdir().unwrap() };
        folder.write("config.json", &config());
        let vocab: serde_json::Map<_, _> =
            PIECES.iter().enumerate().map(|(id, piece)| ((*piece).to_owned(), json!(id))).collect();
        let added = [json!({"id": 4, "content": "[MASK]", "lstrip": false, "normalized": false})];
        folder.write("tokenizer.json", &json!({
            "added_tokens": added,
            "normalizer": {"type": "BertNormalizer", "clean_text": true,
                "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]",
                "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
        }));
        folder.write("sentence_bert_config.json", &json!({"max_seq_length": 12}));
        fs::write(folder.path().join("model.safetensors"), tensors(prefix, kind)).unwrap();
        folder
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, value: &Value) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    /// Changes one setting of a file.
    fn set(&self, name: &str, pointer: &str, value: Value) {
        let text = fs::read_to_string(self.path().join(name)).unwrap();
        let mut file: Value = serde_json::from_str(&text).unwrap();
        *file.pointer_mut(pointer).unwrap() = value;
        self.write(name, &file);
    }

    fn error(&self) -> String {
        pack(self.path(), Precision::Int8).unwrap_err().to_string()
    }

    fn vector(&self) -> Vec<f32> {
        let packed = pack(self.path(), Precision::F32).unwrap();
        Bert::from_packed(&packed).unwrap().embed_one("one three two")
    }
}

fn config() -> Value {
    json!({"model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": INNER, "vocab_size": 12,
        "max_position_embeddings": 20, "type_vocab_size": 2, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12, "position_embedding_type": "absolute"})
}

/// Weights that every type holds exactly.
fn tensors(prefix: &str, kind: Type) -> Vec<u8> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![12, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![20, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
    ];
    let norm = |shapes: &mut Vec<_>, name: String| {
        shapes.push((format!("{name}.weight"), vec![HIDDEN]));
        shapes.push((format!("{name}.bias"), vec![HIDDEN]));
    };
    norm(&mut shapes, "embeddings.LayerNorm".to_owned());
    for layer in 0..2 {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for (part, outputs, inputs) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INNER, HIDDEN),
            ("output.dense", HIDDEN, INNER),
        ] {
            shapes.push((name(&format!("{part}.weight")), vec![outputs, inputs]));
            shapes.push((name(&format!("{part}.bias")), vec![outputs]));
        }
        norm(&mut shapes, name("attention.output.LayerNorm"));
        norm(&mut shapes, name("output.LayerNorm"));
    }
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    let mut state = 1u32;
    for (name, shape) in shapes {
        let start = data.len();
        for _ in 0..shape.iter().product() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (state >> 24) as i32 % 64 - 32;
            let value = number as f32 / 32.0 + if name.contains("Norm.weight") { 1.5 } else { 0.0 };
            match kind {
                Type::F32 => data.extend_from_slice(&value.to_le_bytes()),
                Type::Bf16 => data.extend_from_slice(&value.to_le_bytes()[2..]),
                Type::F16 if value == 0.0 => data.extend_from_slice(&[0, 0]),
                Type::F16 => {
                    let bits = value.to_bits();
                    let half = (bits >> 16 & 0x8000)
                        + (((bits >> 23 & 0xff) - 112) << 10)
                        + (bits >> 13 & 0x3ff);
                    data.extend_from_slice(&(half as u16).to_le_bytes());
                }
            }
        }
        let dtype = match kind {
            Type::F32 => "F32",
            Type::F16 => "F16",
            Type::Bf16 => "BF16",
        };
        header.insert(
            format!("{prefix}{name}"),
            json!({"dtype": dtype, "shape": shape, "data_offsets": [start, data.len()]}),
        );
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

#[test]
fn types_and_prefixes_of_weights_make_no_difference() {
    let expected = Folder::small().vector();
    for prefix in ["", "bert."] {
        for kind in [Type::F32, Type::F16, Type::Bf16] {
            assert_eq!(Folder::of(prefix, kind).vector(), expected);
        }
    }
}

#[test]
fn a_list_of_words_does_as_well() {
    let folder = Folder::small();
    let expected = folder.vector();
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    assert!(folder.error().contains("vocab.txt"));
    fs::write(folder.path().join("vocab.txt"), PIECES.join("\n")).unwrap();
    assert_eq!(folder.vector(), expected);
}

#[test]
fn pooling_is_what_the_folder_says() {
    let folder = Folder::small();
    let mean = folder.vector();
    let modules = json!([{"type": "sentence_transformers.models.Transformer", "path": ""},
        {"type": "sentence_transformers.models.Pooling", "path": "pool"},
        {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}]);
    folder.write("modules.json", &modules);
    folder.write("pool/config.json", &json!({"pooling_mode_mean_tokens": true}));
    assert_eq!(folder.vector(), mean);
    folder.write("pool/config.json", &json!({"pooling_mode_cls_token": true}));
    let cls = folder.vector();
    folder.write("pool/config.json", &json!({"pooling_mode": "max"}));
    let max = folder.vector();
    assert!(mean != cls && cls != max && max != mean);

    folder.write("pool/config.json", &json!({"pooling_mode_weightedmean_tokens": true}));
    assert!(folder.error().contains("`pooling_mode_weightedmean_tokens` is true"));
    folder.write(
        "pool/config.json",
        &json!({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true}),
    );
    assert!(folder.error().contains("`pooling_mode` is "));
    folder.set("modules.json", "/2/type", json!("sentence_transformers.models.Dense"));
    assert!(folder.error().contains("models.Dense"));
    folder.set("modules.json", "/1/path", json!("../elsewhere"));
    assert!(folder.error().contains("../elsewhere"));
}

#[test]
fn refuses_what_it_does_not_do_and_says_where() {
    let check = |name: &str, pointer: &str, value: Value, expected: &str| {
        let folder = Folder::small();
        folder.set(name, pointer, value);
        let error = folder.error();
        assert!(error.contains(expected), "{error}");
        // Most are noticed in the file that says so; sizes may be noticed at a tensor.
        assert!(error.contains(name) || error.contains("model.safetensors"), "{error}");
    };
    let config = "config.json";
    check(config, "/model_type", json!("roberta"), "`model_type` is roberta");
    check(config, "/position_embedding_type", json!("relative_key"), "relative_key");
    check(config, "/hidden_act", json!("swish"), "`hidden_act` is swish");
    check(
        config,
        "/hidden_size",
        json!(48),
        "tensor `embeddings.word_embeddings.weight` has shape",
    );
    check(config, "/hidden_size", json!("many"), "`hidden_size` is \"many\"");
    check(config, "/hidden_size", json!(u64::MAX), "`hidden_size` is ");
    check(config, "/num_attention_heads", json!(3), "a divisor of 32");
    check(config, "/num_attention_heads", json!(0), "supported: 1 to 128");
    check(
        config,
        "/num_hidden_layers",
        json!(3),
        "`encoder.layer.2.attention.self.query.weight` is missing",
    );
    check(config, "/intermediate_size", json!(64), "`encoder.layer.0.intermediate.dense.weight`");
    check(config, "/vocab_size", json!(5), "the tokenizer has 9 pieces");
    check(config, "/layer_norm_eps", json!(-1.0), "layer_norm_eps");
    let tokenizer = "tokenizer.json";
    check(tokenizer, "/model/type", json!("BPE"), "`/model/type` is \"BPE\"");
    check(tokenizer, "/normalizer/type", json!("Sequence"), "Sequence");
    check(tokenizer, "/model/vocab/one", json!(6), "wrong about the id of");
    check(tokenizer, "/model/vocab/one", json!(9), "wrong about the id of `one`");
    check(tokenizer, "/model/unk_token", json!("[NONE]"), "[NONE]");
    check(tokenizer, "/added_tokens/0/lstrip", json!(true), "added_tokens");
    check("sentence_bert_config.json", "/max_seq_length", json!("x"), "max_seq_length");

    let folder = Folder::small();
    fs::write(folder.path().join(config), "{").unwrap();
    assert!(folder.error().contains("config.json` can't be understood"));
    fs::remove_file(folder.path().join(config)).unwrap();
    assert!(folder.error().starts_with("reading `"));
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    use std::{os::unix::fs::symlink, process::Command};
    let needed = ["config.json", "tokenizer.json", "model.safetensors"];
    for name in needed.into_iter().chain(["sentence_bert_config.json", "modules.json"]) {
        let folder = Folder::small();
        let path = folder.path().join(name);
        let _ = fs::remove_file(&path);
        let check = |what: &str| {
            let error = folder.error();
            assert!(error.contains(name) && error.ends_with("no regular file"), "{what}: {error}");
            assert!(Bert::open(&path).is_err_and(|it| it.to_string() == error), "{what}");
        };
        symlink("/dev/zero", &path).unwrap();
        check("a device");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        check("a folder");
        fs::remove_dir(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        check("a pipe");
    }
    // A cache of a hub holds links to files.
    let folder = Folder::small();
    let (path, other) = (folder.path().join("config.json"), folder.path().join("blob"));
    fs::rename(&path, &other).unwrap();
    symlink(&other, &path).unwrap();
    assert!(pack(folder.path(), Precision::Int8).is_ok());
}
