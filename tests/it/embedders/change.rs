//! Another model in the settings.

use super::*;

#[test]
fn old_vectors_answer_until_there_are_new_ones() {
    let site = Site::indexed();
    let env = &site.env;
    let newer = Embeddings::start(DIMENSION);
    env.write_settings(&settings(&newer, "newer"));
    let (hits, output) = by_meaning(env, ".", "hold hands");
    assert_eq!(hits, ["otters.md"]);
    let notes = notes_of(&output);
    assert!(notes.len() == 1 && notes[0].contains("openai:fake@256"), "{output}");
    // The same server serves the old one.
    assert_eq!(newer.texts(), ["hold hands"]);

    let index = env.index(&[]);
    assert_eq!((&index["embedded"], &index["waiting"]), (&CHUNKS.into(), &0.into()));
    // One word more: the length in the settings was that of the old model.
    assert_eq!(newer.texts().len(), CHUNKS + 1);
    let (hits, output) = by_meaning(env, ".", "hold hands");
    assert_eq!((hits, notes_of(&output)), (vec!["otters.md".to_owned()], Vec::new()), "{output}");
    let calls = newer.take();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].body["model"], "newer");

    // Back: nothing is made again, with the table in git or without.
    env.write_settings(&settings(&site.server, "fake"));
    assert_eq!(env.index(&[])["embedded"], 0);
    env.write_settings(&settings(&newer, "newer"));
    assert_eq!(env.index(&[])["embedded"], 0);
    assert_eq!((site.server.requests(), newer.requests()), (0, 0));
}

/// A table that nobody has committed yet outlives a half finished change.
#[test]
fn a_change_half_made_keeps_what_there_was() {
    let site = Site::new();
    let env = &site.env;
    assert_eq!(env.index(&[])["embedded"], CHUNKS);
    let before = env.tables();
    assert_eq!(before.len(), 1);
    let newer = Embeddings::start(DIMENSION);
    env.write_settings(&settings(&newer, "newer"));
    newer.always(Some(Trouble::Partial));
    let waiting = env.index(&[])["waiting"].as_u64().unwrap();
    assert!(waiting > 0);
    assert!(env.tables().contains(&before[0]), "{:?}", env.tables());
    newer.always(None);
    assert_eq!(env.index(&[])["waiting"], 0);
    assert_eq!(env.tables().len(), 1);
    assert!(!env.tables().contains(&before[0]));
}

#[test]
fn tidying_removes_views_of_models_no_longer_used() {
    let site = Site::indexed();
    let env = &site.env;
    let views = || {
        let entries = std::fs::read_dir(env.path(".git/elophanto")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("view-")).count()
    };
    env.write_settings(&settings(&site.server, "newer"));
    env.index(&[]);
    assert_eq!(views(), 2);
    env.ok(&["clean", "--index"]);
    assert_eq!(views(), 1);
    site.server.take();
    assert_eq!(by_meaning(env, ".", "hold hands").0, ["otters.md"]);
    assert_eq!(site.server.texts(), ["hold hands"]);
}

#[test]
fn few_notes_are_no_exception() {
    let server = Embeddings::start(DIMENSION);
    let env = TestEnv::with(&[
        ("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n"),
        ("bears.md", "# Bears\n\nBears sleep in caves.\n"),
    ]);
    env.write_settings(&settings(&server, "fake"));
    assert_eq!(env.index(&[])["embedded"], 2);
    env.write_settings(&settings(&server, "newer"));
    server.take();
    let (hits, output) = by_meaning(&env, ".", "hold hands");
    assert_eq!(hits, ["otters.md"]);
    assert!(notes_of(&output)[0].contains("openai:fake@256"), "{output}");
}

/// The length of the old model's vectors stands in the settings.
#[test]
fn a_model_with_shorter_vectors() {
    let site = Site::indexed();
    let env = &site.env;
    let newer = Embeddings::start(64);
    env.write_settings(&settings(&newer, "newer"));
    let index = env.index(&[]);
    assert_eq!((&index["embedded"], &index["waiting"]), (&CHUNKS.into(), &0.into()));
    assert!(config_of(env.root()).contains("embedding_dimension: 64"));
    assert_eq!(by_meaning(env, ".", "hold hands").0, ["otters.md"]);
}
