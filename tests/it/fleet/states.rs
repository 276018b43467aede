//! States of a repository: one that is not complete, one of before, one under another name.

use std::{thread, time::Duration};

use super::{BADGERS, CRABS, OTTERS, fold, hits, of_minilm, place, publish, repository};
use crate::env::TestEnv;

#[test]
fn strict_publishes_nothing_without_a_vector() {
    let env = of_minilm("knowledge/crabs.md", CRABS);
    let address = place(&env);
    env.write("knowledge/badgers.md", BADGERS);
    env.commit("without its vector");
    let strict = ["publish", &address, "--as", "r", "--strict", "--json"];
    let refused = env.run(&strict);
    assert_eq!(refused.code, Some(1), "{refused}");
    let said = refused.json().remove(0);
    assert_eq!((&said["outcome"], &said["without_vector"]), (&"incomplete".into(), &1.into()));
    assert!(!env.outside().join("kb").exists(), "nothing was begun");
    let told = env.run(&strict[..5]);
    assert_eq!(told.code, Some(1), "{told}");
    let note = "1 chunk has no vector, and can be found by words alone: `elophanto index` makes it, to be committed";
    assert!(told.stderr().contains(note), "{told}");
    // Without it, the words are published.
    let published = publish(&env, "r", &address);
    assert_eq!(
        (&published["outcome"], &published["without_vector"]),
        (&"created".into(), &1.into())
    );
    env.index(&[]);
    env.commit("with its vector");
    let complete = env.json(&strict).remove(0);
    assert_eq!((&complete["outcome"], &complete["without_vector"]), (&"created".into(), &0.into()));
    assert_eq!(fold(&env, &address)["taken"], 1);
    assert_eq!(hits(&env, &address, &["where do badgers dig"])[0].1, "r/knowledge/badgers.md");
}

/// One note that nobody could fold keeps the others away from nobody.
#[test]
fn notes_that_would_be_set_aside_are_left_out() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    let tags: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    env.write("knowledge/crabs.md", format!("---\ntags: [{}]\n---\n{CRABS}", tags.join(", ")));
    env.write("knowledge/bad\ngers.md", BADGERS);
    env.commit("two odd ones");
    let published = env.ok(&["publish", &address, "--as", "r"]);
    assert_eq!(
        published.stderr(),
        "warning: `knowledge/bad␊gers.md` is left out: a path with control characters, or of no repository\n\
         warning: `knowledge/crabs.md` is left out: more than 256 tags, or 64 KiB of them\n"
    );
    assert!(published.stdout().contains(": 1 chunk, "), "{published}");
    assert_eq!(fold(&env, &address)["taken"], 1);
    assert_eq!(hits(&env, &address, &["how do otters sleep"])[0].1, "r/knowledge/otters.md");
}

#[test]
fn what_was_there_at_a_moment_is_found_as_it_was() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    // Versions are told apart by the second.
    let pause = || thread::sleep(Duration::from_millis(1_100));
    publish(&env, "r", &address);
    fold(&env, &address);
    let head = env.git(&["rev-parse", "HEAD"]).trim().to_owned();
    pause();
    let then = jiff::Timestamp::now().to_string();
    pause();
    env.write("knowledge/otters.md", OTTERS.replace("hold hands", "hold paws"));
    env.write("knowledge/crabs.md", CRABS);
    env.commit("second");
    publish(&env, "r", &address);
    fold(&env, &address);
    let nowhere = TestEnv::plain().builtin();
    let found = |more: &[&str]| {
        let args = ["search", "--in", &address, "--json", "how do otters sleep"];
        nowhere.json(&[&args[..], more].concat())
    };
    let says = |hit: &serde_json::Value, text: &str| hit["snippet"].to_string().contains(text);
    assert!(says(&found(&[])[0], "hold paws"));
    let before = found(&["--at", &then]);
    assert!(says(&before[0], "hold hands"), "{before:?}");
    assert_eq!(before[0]["commit"], head.as_str());
    let crabs = hits(&nowhere, &address, &["hermit crabs shells", "--at", &then]);
    assert!(crabs.iter().all(|hit| !hit.1.contains("crabs")), "{crabs:?}");
    let early = nowhere.run(&["search", "--in", &address, "otters", "--at", "2020-01-01"]);
    assert_eq!(early.code, Some(2), "{early}");
    assert!(early.stderr().contains("knows nothing of that time"), "{early}");
}

#[test]
fn a_renamed_repository_is_found_once_under_its_new_name() {
    let env = repository("knowledge/otters.md", OTTERS);
    let other = repository("knowledge/badgers.md", BADGERS);
    let address = place(&env);
    publish(&env, "acme/old", &address);
    publish(&other, "acme/land", &address);
    fold(&env, &address);
    publish(&env, "acme/new", &address);
    env.ok(&["publish", &address, "--retire", "--as", "acme/old"]);
    assert_eq!(fold(&env, &address)["taken"], 2);
    let found = hits(&other, &address, &["how do otters sleep"]);
    let otters: Vec<_> = found.iter().filter(|hit| hit.1.contains("otters.md")).collect();
    assert_eq!(otters, [&("acme/new".to_owned(), "acme/new/knowledge/otters.md".to_owned())]);
    let listed = other.ok(&["publish", "--list", &address]).stdout();
    assert!(listed.contains("acme/new") && !listed.contains("acme/old"), "{listed}");
    let old = other.run(&["search", "--in", &address, "otters", "--repo", "acme/old"]);
    assert_eq!(old.code, Some(2), "{old}");
}
