//! What is sent: every text once, ever.

use std::time::{Duration, Instant};

use super::*;
use crate::fake::embeddings::inputs;

#[test]
fn every_text_is_sent_once() {
    let site = Site::new();
    let env = &site.env;
    let first = env.index(&[]);
    assert_eq!((&first["embedded"], &first["waiting"]), (&CHUNKS.into(), &0.into()));
    let mut texts = site.server.texts();
    // One word, to learn how long the vectors are; it is written down for all.
    assert_eq!(texts.remove(0), "dimension");
    assert_eq!(texts.len(), CHUNKS);
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), CHUNKS);
    assert!(config_of(env.root()).contains("embedding_dimension: 256"));
    assert_eq!(env.tables().len(), 1);

    assert_eq!(env.index(&[])["embedded"], 0);
    assert_eq!(env.index(&["--full"])["embedded"], 0);
    assert_eq!(site.server.requests(), 0);

    // A changed section, and nothing else of its note.
    env.write("long.md", long("first", "changed"));
    assert_eq!(env.index(&[])["embedded"], 1);
    let texts = site.server.texts();
    assert!(texts.len() == 1 && texts[0].contains("changed"), "{texts:?}");

    env.rename("otters.md", "animals/otters.md");
    let moved = env.index(&[]);
    assert_eq!((&moved["embedded"], &moved["waiting"]), (&0.into(), &0.into()));
    assert_eq!(site.server.requests(), 0);
    assert_eq!(by_meaning(env, ".", "hold hands").0, ["animals/otters.md"]);
    assert_eq!(site.server.texts(), ["hold hands"]);
}

#[test]
fn a_clone_takes_the_vectors_from_git() {
    let site = Site::indexed();
    let clone = clone(&site.env);
    let (hits, output) = by_meaning(&site.env, &clone, "hold hands");
    assert_eq!(hits, ["otters.md"]);
    assert_eq!(notes_of(&output), [""; 0], "{output}");
    assert_eq!(site.server.texts(), ["hold hands"]);
    let index = index_in(&site.env, &clone, &[]);
    assert_eq!((&index["embedded"], &index["waiting"]), (&0.into(), &0.into()));
    assert_eq!(site.server.requests(), 0);
    // They are those of the server: the built-in model's are shorter.
    let listing = site.env.git(&["-C", clone.to_str().unwrap(), "status", "--porcelain"]);
    assert_eq!(listing, "");
}

/// Texts that are filed together.
const SLICE: usize = 4_096;

#[test]
fn a_killed_index_is_continued() {
    let site = Site::new();
    let env = &site.env;
    let mut many = String::from("# Many\n");
    for number in 0..SLICE + 200 {
        let words = format!("word{number} ").repeat(25);
        many.push_str(&format!("\n## Section {number}\n\n{words}\n"));
    }
    env.write("many.md", many);
    env.write(".elophanto/config.yaml", "knowledge: {embedding_dimension: 256}\n");
    // The requests of the first slice are answered, 96 texts in each; those of the second are not.
    let answered = [Trouble::Late(Duration::ZERO)].repeat(SLICE.div_ceil(96));
    site.server.script(&answered);
    site.server.always(Some(Trouble::Late(Duration::from_secs(600))));
    let mut child = env.spawn(&["index"]);
    let sent = || site.server.fake.calls().iter().map(|call| inputs(call).len()).sum::<usize>();
    let deadline = Instant::now() + Duration::from_secs(300);
    while sent() <= SLICE {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "{}", sent());
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    site.server.take();
    site.server.always(None);
    let again = env.index(&[]);
    let chunks = usize::try_from(again["chunks"].as_u64().unwrap()).unwrap();
    assert!(chunks > SLICE + 200, "{again}");
    assert_eq!(again["waiting"], 0);
    // A last request of the killed run may have come in meanwhile.
    let mut sent = site.server.texts();
    sent.sort();
    sent.dedup();
    assert_eq!(sent.len(), chunks - SLICE, "what was filed is not sent again");
}
