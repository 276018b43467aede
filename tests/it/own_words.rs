//! A repository's own words: taught to the built-in model, carried by git, taken away again.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::env::{Output, TestEnv};
use elophanto_models::{
    Embedder,
    builtin::{Builtin, Words},
};

/// The notes of this package about how it is built: `minilm` has to know better what they are like.
fn notes() -> TestEnv {
    let env = TestEnv::new().builtin();
    let designs = Path::new(env!("CARGO_MANIFEST_DIR")).join("knowledge/system/designs");
    for entry in fs::read_dir(designs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        env.write(format!("notes/{name}"), fs::read_to_string(&path).unwrap());
    }
    env.commit("notes");
    env
}

fn tables(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.path(".elophanto/words")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The fingerprint of the model in use.
fn model(env: &TestEnv) -> String {
    let listed = env.json(&["model", "list", "--json"]);
    listed[0]["fingerprint"].as_str().unwrap().to_owned()
}

fn tuned(output: &Output) -> Value {
    output.json()[0].clone()
}

#[test]
fn words_are_taught_carried_and_taken_away() {
    let env = notes();
    let plain = Builtin.fingerprint().as_str();
    env.index(&[]);
    let dry = env.run(&["model", "tune", "--dry-run", "--json"]);
    let told = tuned(&dry);
    assert_eq!((dry.code, &told["file"], &told["helps"]), (Some(0), &Value::Null, &json!(true)));
    assert_eq!(tables(&env), [""; 0]);
    assert_eq!(model(&env), plain);

    let told = tuned(&env.ok(&["model", "tune", "--json"]));
    let passages = told["passages"].clone();
    assert_eq!(told["read"], passages);
    assert!(told["after"].as_f64() > told["before"].as_f64(), "{told}");
    let own = model(&env);
    assert!(own.starts_with(&format!("{plain}+")), "{own}");
    // Nothing is mixed: all is embedded again, once.
    assert_eq!(env.index(&[])["embedded"], passages);
    assert_eq!(env.index(&[])["embedded"], 0);
    env.commit("words");

    // A clone has them without a word.
    let clone = TestEnv::new().builtin();
    let from = env.root().to_str().unwrap().to_owned();
    clone.git(&["pull", "--quiet", &from, "HEAD"]);
    assert_eq!(model(&clone), own);
    let args = ["search", "--json", "who may read the journal"];
    let (here, there) = (env.run(&args), clone.run(&args));
    // Scores fall with every second that a note grows older.
    let places = |output: &Output| -> Vec<(Value, Value)> {
        output.json().iter().map(|hit| (hit["path"].clone(), hit["line"].clone())).collect()
    };
    assert!(!places(&here).is_empty(), "{here}");
    assert_eq!(places(&here), places(&there));
    assert!(!there.stderr().contains("words"), "{there}");

    // The next table takes the place of the one before.
    env.write("notes/more.md", "# More\n\nThe violin waits for the drum on the stage.\n");
    env.ok(&["model", "tune"]);
    assert_eq!(tables(&env).len(), 1);
    assert_ne!(model(&env), own);

    assert_eq!(env.run(&["model", "tune", "--remove"]).code, Some(0));
    assert_eq!(model(&env), plain);
    assert_eq!(tables(&env), [""; 0]);
    assert_eq!(env.run(&["model", "tune", "--remove"]).code, Some(1));
    env.index(&[]);
    assert_eq!(env.run(&args).code, Some(0));
}

#[test]
fn too_little_teaches_nothing() {
    let env = TestEnv::with(&[("otters.md", "# Otters\n\nOtters hold hands.\n")]).builtin();
    let told = env.run(&["model", "tune"]);
    assert_eq!((told.code, told.stdout()), (Some(1), String::new()), "{told}");
    assert!(told.stderr().contains("at least 200 are needed"), "{told}");
}

#[test]
fn a_table_that_is_none_is_refused_with_one_notice() {
    let env = TestEnv::with(&[("otters.md", "# Otters\n\nOtters hold hands.\n")]).builtin();
    env.index(&[]);
    let good = Words::default().to_bytes();
    let digest = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..16].to_owned();
    let cut = &good[..good.len() - 1];
    let large = vec![0; 3 << 20];
    for (bytes, named, reason) in [
        (&b"\x7fELF and more"[..], None, "it is no table of words"),
        (cut, None, "it is cut short or damaged"),
        (&large[..], None, "it is larger than"),
        (&good[..], Some("0123456789abcdef"), "it is not what its name says"),
    ] {
        let digest = named.map_or_else(|| digest(bytes), str::to_owned);
        let path = format!(".elophanto/words/01ARZ3NDEKTSV4RRFFQ69G5FAV-{digest}.words");
        env.write(&path, bytes);
        let found = env.run(&["search", "--json", "otters"]);
        assert_eq!((found.code, found.json().len()), (Some(0), 1), "{found}");
        let notices: Vec<String> = found
            .stderr()
            .lines()
            .filter(|it| it.contains("is not used"))
            .map(Into::into)
            .collect();
        assert_eq!(notices.len(), 1, "{found}");
        assert!(notices[0].contains(reason), "{found}");
        assert_eq!(model(&env), Builtin.fingerprint().as_str());
        env.remove(&path);
    }
    // What only looks like a table, or leads elsewhere, is none of ours.
    env.write(".elophanto/words/README.md", "# No table\n");
    let found = env.run(&["search", "otters"]);
    assert!(!found.stderr().contains("is not used"), "{found}");
    #[cfg(unix)]
    {
        fs::remove_dir_all(env.path(".elophanto/words")).unwrap();
        let outside = env.outside().join("words");
        fs::create_dir_all(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, env.path(".elophanto/words")).unwrap();
        let told = env.run(&["model", "tune", "--remove"]);
        assert_eq!(told.code, Some(2), "{told}");
    }
}
