//! A server that fails: nothing is lost, it is said, and only what is missing is sent again.

use super::*;

/// Indexes while the server misbehaves like this, and then again; returns how many chunks the first
/// run left without a vector, and the second's number of texts sent.
#[track_caller]
fn check(script: &[Trouble], always: Option<Trouble>, waiting: usize, reason: &str) {
    let site = Site::new();
    let env = &site.env;
    // The length of the vectors is known already.
    env.write(".elophanto/config.yaml", "knowledge: {embedding_dimension: 256}\n");
    site.server.script(script);
    site.server.always(always);
    let output = env.run(&["index", "--json"]);
    assert_eq!(output.code, Some(0), "{output}");
    let summary = output.json().last().cloned().unwrap();
    assert_eq!(summary["chunks"], CHUNKS, "{output}");
    assert_eq!(summary["waiting"], waiting, "{output}");
    assert_eq!(summary["embedded"], CHUNKS - waiting, "{output}");
    let said = notes_of(&output);
    if waiting == 0 {
        assert_eq!(said, [""; 0], "{output}");
    } else {
        let number = format!("note: {waiting} of {CHUNKS} texts have no vector yet");
        assert!(said.len() == 1 && said[0].starts_with(&number), "{output}");
        assert!(said[0].contains(reason), "{output}");
    }
    site.server.take();

    // What has no vector is found all the same.
    assert_eq!(env.hits(&["--mode", "keyword", "caves winter", "-n", "1"]), ["bears.md"]);
    assert_eq!(site.server.fake.calls().len(), 0, "a search for words asks nobody");

    site.server.script(&[]);
    site.server.always(None);
    let again = env.index(&[]);
    assert_eq!((&again["waiting"], &again["embedded"]), (&0.into(), &waiting.into()));
    assert_eq!(site.server.texts().len(), waiting, "only what is missing is sent");
    assert_eq!(by_meaning(env, ".", "hold hands").0, ["otters.md"]);
}

#[test]
fn what_passes_is_not_noticed() {
    check(&[Trouble::Status(500), Trouble::Status(503)], None, 0, "");
    check(&[Trouble::Busy, Trouble::Busy], None, 0, "");
    check(&[Trouble::Hidden], None, 0, "");
    check(&[Trouble::Partial], None, 0, "");
}

#[test]
fn what_lasts_is_said_and_mended() {
    check(&[], Some(Trouble::Hidden), CHUNKS, "busy");
    check(&[], Some(Trouble::Dimension), CHUNKS, "257 components instead of 256");
    check(&[], Some(Trouble::NotANumber), CHUNKS, "without a usable vector");
    check(&[], Some(Trouble::Status(401)), CHUNKS, "401");
    check(&[], Some(Trouble::Status(404)), CHUNKS, "404");
}

/// Half of the answers are never complete: half of the texts, of the rest a half, and so on.
#[test]
fn half_answers() {
    let site = Site::new();
    let env = &site.env;
    env.write(".elophanto/config.yaml", "knowledge: {embedding_dimension: 256}\n");
    site.server.always(Some(Trouble::Partial));
    let first = env.index(&[]);
    let waiting = usize::try_from(first["waiting"].as_u64().unwrap()).unwrap();
    assert!((1..CHUNKS).contains(&waiting), "{first}");
    site.server.take();
    site.server.always(None);
    assert_eq!(env.index(&[])["embedded"], waiting);
    assert_eq!(site.server.texts().len(), waiting);
}

#[test]
fn nobody_listens() {
    let mut site = Site::new();
    let env = &site.env;
    env.write(".elophanto/config.yaml", "knowledge: {embedding_dimension: 256}\n");
    site.server.fake.stop();
    let output = env.run(&["index", "--json"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.json().last().unwrap()["waiting"], CHUNKS);
    assert_eq!(notes_of(&output).len(), 1, "{output}");
    assert_eq!(env.tables(), [""; 0], "an empty table helps nobody");
    assert_eq!(env.hits(&["--mode", "keyword", "caves winter", "-n", "1"]), ["bears.md"]);

    // Another one, at another port: moving a server makes nothing anew, and this is the first.
    let server = Embeddings::start(DIMENSION);
    env.write_settings(&settings(&server, "fake"));
    assert_eq!(env.index(&[])["embedded"], CHUNKS);
    assert_eq!(server.texts().len(), CHUNKS);
    let other = Embeddings::start(DIMENSION);
    env.write_settings(&settings(&other, "fake"));
    assert_eq!(env.index(&[])["embedded"], 0);
    assert_eq!((server.requests(), other.requests()), (0, 0));
}

#[test]
fn the_length_cannot_be_asked() {
    let mut site = Site::new();
    let env = &site.env;
    site.server.fake.stop();
    let output = env.run(&["index", "--json"]);
    assert_eq!(output.code, Some(0), "{output}");
    // The built-in model stands in, and nothing of that goes into git.
    assert_eq!(env.tables(), [""; 0]);
    assert!(!config_of(env.root()).contains("embedding_dimension: "), "{output}");
    assert_eq!(by_meaning(env, ".", "otters hold hands").0, ["otters.md"]);
}
