//! Models that run in the program: the transformer that small repositories get, and those that the
//! user adds from a folder or a hub.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::{
    env::{Output, TestEnv, finish},
    fake::{Answer, Fake},
};

const NOTES: &[(&str, &str)] = &[
    ("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n"),
    ("tax.md", "# Tax\n\nThe form is due by the end of May.\n"),
];

fn first_path(output: &Output) -> String {
    output.json()[0]["path"].as_str().unwrap().to_owned()
}

#[test]
fn small_repositories_get_the_transformer_and_hooks_embed_with_it() {
    let env = TestEnv::with(NOTES);
    env.write(".elophanto/config.yaml", "changelog: {enabled: false}\n");
    let indexed = env.run(&["index", "--json"]).json();
    assert_eq!((&indexed[0]["embedded"], &indexed[0]["waiting"]), (&json!(2), &json!(0)));
    let settings = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
    assert!(settings.contains("embedding_provider: minilm"), "{settings}");
    let found = env.run(&["search", "--json", "animals at rest in the night"]);
    assert_eq!(first_path(&found), "otters.md");
    assert_eq!(env.run(&["index", "--json"]).json()[0]["embedded"], 0);

    env.ok(&["hook", "install"]);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "-m", "first"]);
    let tables = env.tables();
    env.write("bees.md", "# Bees\n\nA swarm looks for a new home in spring.\n");
    env.git(&["add", "bees.md"]);
    env.git(&["commit", "--quiet", "-m", "bees"]);
    assert_eq!(env.tables().len(), tables.len() + 1, "the hook embedded the note");
    let check = env.run(&["index", "--check", "--json"]);
    assert_eq!((check.code, &check.json()[0]["uncommitted"]), (Some(0), &json!(0)), "{check}");
    let found = env.run(&["search", "--json", "insects moving house"]);
    assert_eq!(first_path(&found), "bees.md", "{found}");
    assert_eq!(env.run(&["index", "--json"]).json()[0]["embedded"], 0);
    // Where the hook may not embed, a search makes the few vectors that wait, and the next commit
    // carries them.
    env.write_settings("hooks.budget: 0s\n");
    env.write("tax.md", "# Tax\n\nThe form is due by the end of June.\n");
    env.git(&["add", "tax.md"]);
    env.git(&["commit", "--quiet", "-m", "tax"]);
    assert_eq!(env.tables().len(), tables.len() + 1);
    env.ok(&["search", "when is the form due"]);
    env.write("bees.md", "# Bees\n\nA swarm looks for a new home in May.\n");
    env.git(&["add", "bees.md"]);
    env.git(&["commit", "--quiet", "-m", "more"]);
    assert_eq!(env.tables().len(), tables.len() + 2);
    assert_eq!(env.run(&["index", "--json"]).json()[0]["embedded"], 1, "only the new bees");
}

#[test]
fn watching_embeds_for_the_next_commit() {
    use std::io::{BufRead, BufReader};
    let env = TestEnv::with(NOTES);
    env.run(&["index"]);
    env.commit("all");
    let mut child = env.spawn(&["index", "--watch", "--json"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut line = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(line()["files"], 2);
    env.write("../bees.md", "# Bees\n\nA swarm looks for a new home in spring.\n");
    env.rename("../bees.md", "bees.md");
    let seen = line();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((&seen["files"], &seen["waiting"]), (&json!(3), &json!(0)), "{seen}");
    // The table is for whoever commits; the vector is there.
    assert_eq!(env.git(&["status", "--porcelain"]), "?? bees.md\n");
    let indexed = env.run(&["index", "--json"]).json();
    assert_eq!(indexed[0]["waiting"], 0);
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
}

#[test]
fn a_border_of_none_takes_the_instant_model() {
    let env = TestEnv::with(NOTES).builtin();
    env.index(&[]);
    let settings = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
    assert!(settings.contains("embedding_provider: builtin"), "{settings}");
}

#[test]
fn a_model_is_added_from_a_folder_used_and_removed() {
    let env = TestEnv::with(NOTES);
    let folder = env.outside().join("model");
    for (name, bytes) in model() {
        fs::write(folder_file(&folder, &name), bytes).unwrap();
    }
    let path = folder.to_str().unwrap();
    let added = env.json(&["model", "add", "tiny", path, "--json"]);
    assert_eq!((&added[0]["name"], &added[0]["dimension"]), (&json!("tiny"), &json!(16)));
    let again = env.run(&["model", "add", "tiny", path]);
    assert_eq!(again.code, Some(2), "{again}");
    assert!(again.stderr().contains("there is a model `tiny` already"), "{again}");
    env.ok(&["model", "add", "tiny", path, "--replace"]);
    assert!(env.ok(&["model", "list"]).stdout().contains("local:tiny"));

    env.write(".elophanto/config.yaml", "knowledge: {embedding_provider: 'local:tiny'}\n");
    assert_eq!(env.index(&[])["embedded"], 2);
    let found = env.ok(&["search", "--json", "otters"]);
    assert_eq!(first_path(&found), "otters.md");
    assert_eq!(found.stderr(), "");

    env.ok(&["model", "remove", "tiny"]);
    assert_eq!(env.run(&["model", "remove", "tiny"]).code, Some(1));
    let without = env.ok(&["search", "--json", "otters"]);
    assert_eq!(first_path(&without), "otters.md");
    let notes = without.stderr().lines().filter(|line| line.starts_with("note: ")).count();
    assert_eq!(notes, 1, "{without}");
    assert!(without.stderr().contains("elophanto model add"), "{without}");
}

#[test]
fn a_model_is_fetched_from_a_hub() {
    let files = model();
    let hub = Fake::start(move |request| {
        // As hubs do: the file itself lies elsewhere.
        if let Some(name) = request.path.strip_prefix("/org/tiny/resolve/main/") {
            return match files.contains_key(name) {
                true => Answer { status: 302, ..Answer::text("text/plain", "") }
                    .header("location", &format!("/cdn/{name}")),
                false => Answer { status: 404, ..Answer::text("text/plain", "no") },
            };
        }
        match files.get(request.path.trim_start_matches("/cdn/")) {
            Some(bytes) => Answer { status: 200, headers: Vec::new(), body: bytes.clone() },
            None => Answer { status: 404, ..Answer::text("text/plain", "no") },
        }
    });
    let env = TestEnv::with(NOTES);
    let add = |name: &str, url: &str| {
        finish(env.command(&["model", "add", "mine", name, "--json"]).env("HF_ENDPOINT", url))
    };
    let absent = add("org/other", &hub.url);
    assert_eq!(absent.code, Some(2), "{absent}");
    assert!(absent.stderr().contains("has no `config.json`"), "{absent}");
    let added = add("org/tiny", &hub.url);
    assert_eq!(added.json()[0]["dimension"], 16, "{added}");
    for odd in ["../x", "a/b/c", "org/..", "nowhere"] {
        let refused = add(odd, &hub.url);
        assert_eq!(refused.code, Some(2), "{refused}");
    }
    let nobody = add("org/tiny", "http://127.0.0.1:9");
    assert_eq!(nobody.code, Some(2), "{nobody}");
    let left = fs::read_dir(env.outside().join("home/.local/share/elophanto/models")).unwrap();
    assert_eq!(left.count(), 1, "nothing but the model is left");
}

#[test]
fn what_is_no_model_is_refused() {
    let env = TestEnv::with(NOTES);
    let folder = env.outside().join("model");
    for (name, bytes) in model() {
        fs::write(folder_file(&folder, &name), bytes).unwrap();
    }
    let weights = folder.join("model.safetensors");
    let bytes = fs::read(&weights).unwrap();
    let add = |name: &str| env.run(&["model", "add", name, folder.to_str().unwrap()]);
    for (damage, says) in [
        (bytes[..bytes.len() / 2].to_vec(), "model.safetensors"),
        (Vec::new(), "model.safetensors"),
        (vec![0xff; 64], "model.safetensors"),
    ] {
        fs::write(&weights, damage).unwrap();
        let refused = add("broken");
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr().contains(says), "{refused}");
    }
    fs::write(&weights, bytes).unwrap();
    // A file that could be the name of a model on the hub.
    env.write("org/tiny", "");
    let refused = env.run(&["model", "add", "broken", "org/tiny"]);
    assert!(refused.code == Some(2) && refused.stderr().contains("is no folder"), "{refused}");
    for name in ["../x", "A", "-x", ".x", "", "a b"] {
        let refused = env.run(&["model", "add", "--", name, folder.to_str().unwrap()]);
        assert_eq!(refused.code, Some(2), "{refused}");
    }
    assert_eq!(add("fine").code, Some(0));
}

fn folder_file(folder: &Path, name: &str) -> std::path::PathBuf {
    fs::create_dir_all(folder).unwrap();
    folder.join(name)
}

/// The files of a BERT of one layer and sixteen components.
fn model() -> BTreeMap<String, Vec<u8>> {
    const PIECES: [&str; 8] =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "otters", "tax", "sleep", "form"];
    let config = json!({"model_type": "bert", "hidden_size": 16, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": PIECES.len(),
        "max_position_embeddings": 64, "type_vocab_size": 2, "hidden_act": "gelu"});
    let vocab: serde_json::Map<String, Value> =
        PIECES.iter().enumerate().map(|(id, piece)| ((*piece).to_owned(), json!(id))).collect();
    let tokenizer = json!({
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": true,
            "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocab},
    });
    BTreeMap::from([
        ("config.json".to_owned(), config.to_string().into_bytes()),
        ("tokenizer.json".to_owned(), tokenizer.to_string().into_bytes()),
        ("model.safetensors".to_owned(), weights(PIECES.len())),
    ])
}

fn weights(pieces: usize) -> Vec<u8> {
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![pieces, 16]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![64, 16]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 16]),
    ];
    let layer = |part: &str| format!("encoder.layer.0.{part}");
    for (part, outputs, inputs) in [
        ("attention.self.query", 16, 16),
        ("attention.self.key", 16, 16),
        ("attention.self.value", 16, 16),
        ("attention.output.dense", 16, 16),
        ("intermediate.dense", 16, 16),
        ("output.dense", 16, 16),
    ] {
        shapes.push((layer(&format!("{part}.weight")), vec![outputs, inputs]));
        shapes.push((layer(&format!("{part}.bias")), vec![outputs]));
    }
    for norm in
        ["embeddings.LayerNorm", &layer("attention.output.LayerNorm"), &layer("output.LayerNorm")]
    {
        shapes.push((format!("{norm}.weight"), vec![16]));
        shapes.push((format!("{norm}.bias"), vec![16]));
    }
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    let mut state = 1u32;
    for (name, shape) in shapes {
        let start = data.len();
        for _ in 0..shape.iter().product::<usize>() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = if name.ends_with("LayerNorm.weight") {
                1.0
            } else {
                (state >> 16) as f32 / 65_536.0 - 0.5
            };
            data.extend_from_slice(&value.to_le_bytes());
        }
        let place = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name, place);
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}
