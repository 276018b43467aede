//! Lessons that say the same in other words: offered, joined by somebody, one from then on.

use std::fs;

use super::{Desk, told};
use crate::env::TestEnv;

#[test]
fn what_says_the_same_in_other_words_is_offered_and_joined() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    env.commit("begin");
    let (a, b) = (Desk::clone_of(&env, "a"), Desk::clone_of(&env, "b"));
    let cache = "Root owns the npm cache: chown it back to yourself";
    let kept = a.remember("npm install fails with EACCES", cache, &["--success-rate", "2/2"]);
    let other = a.remember(
        "npm: EACCES, permission denied",
        "The npm cache belongs to root, chown it back",
        &["--success-rate", "1/2", "--repo", "web", "--tags", "npm,cache"],
    );
    let apart = [
        ("npm install fails with ENOSPC", "The disk is full: remove old images", "hub"),
        ("npm install hangs on port 8080", "Proxy 8080 is down: use the proxy on 9090", "hub"),
        ("npm install hangs on port 9090", "Proxy 9090 is down: use the proxy on 7070", "hub"),
    ];
    for (context, lesson, repo) in apart {
        a.remember(context, lesson, &["--repo", repo]);
    }
    a.commit("learnt");
    a.exchange();
    b.git(&["pull", "--quiet", "origin", "main"]);
    // A correction that the other clone makes of what is joined here.
    b.ok(&["agent", "memory", "edit", &other, "--tags", "npm,root"]);
    told!(a.run(&["agent", "memory", "patterns"]), @"
    exit: 0
    --- stdout
    perhaps one:
      [ID]  npm: EACCES, permission denied: The npm cache belongs to root, chown it back
      [ID]  npm install fails with EACCES: Root owns the npm cache: chown it back to yourself
    --- stderr
    make two of them one with elophanto agent memory join ID OTHER: the text of ID stays
    ");
    let offered = a.json(&["agent", "memory", "patterns"]);
    assert_eq!(offered[0]["likely"][0]["id"], other.as_str());
    assert_eq!(offered[0]["likely"][1]["id"], kept.as_str());
    told!(a.run(&["agent", "memory", "join", &kept[..20], &other]), @"
    exit: 0
    --- stdout
    [ID]  Root owns the npm cache: chown it back to yourself (3/4), joined with 1 other lesson
    --- stderr
    ");
    assert_eq!(a.recall(&["EACCES npm"])[0], cache);
    let found = a.json(&["agent", "recall", "EACCES npm", "-n", "1"]);
    assert_eq!(found[0]["success_rate"], "3/4");
    assert_eq!(found[0]["tags"], serde_json::json!(["eacces", "npm", "cache"]));
    assert_eq!((a.sorted().len(), a.records().len()), (4, 7));
    assert_eq!(a.run(&["agent", "memory", "patterns"]).code, Some(1));
    told!(a.run(&["agent", "memory", "show", &other]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[ID]` was joined with another lesson
    hint: what stands for both is [ID]
    ");
    for (ids, says) in [
        (&[&*kept][..], "required arguments"),
        (&[&*kept, &*kept], "was corrected"),
        (&[&*other, &*kept], "was joined with another lesson"),
    ] {
        let refused = a.run(&[&["agent", "memory", "join"], ids].concat());
        assert!(refused.code == Some(2) && refused.stderr().contains(says), "{refused}");
    }
    for desk in [&a, &b] {
        desk.commit("mended");
    }
    a.exchange();
    b.exchange();
    a.exchange();
    for desk in [&a, &b] {
        assert_eq!(desk.sorted().len(), 4);
        assert_eq!(desk.recall(&["EACCES npm"])[0], cache);
    }
}

/// Where each was learnt still counts.
#[test]
fn a_joined_lesson_was_learnt_wherever_any_of_them_was() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let pin = "Pin the base image by its digest";
    let ids = [
        desk.remember("api broke overnight", pin, &["--repo", "api"]),
        desk.remember("web broke", "Name the base image by digest, not by tag", &["--repo", "web"]),
        desk.remember("worker broke", "Tags of base images move", &["--repo", "worker"]),
    ];
    let [api, web, worker] = ids.each_ref().map(String::as_str);
    let joined = desk.json(&["agent", "memory", "join", web, worker]);
    let web = joined[0]["id"].as_str().unwrap();
    desk.ok(&["agent", "memory", "join", api, web]);
    assert_eq!(desk.sorted(), [pin]);
    told!(desk.run(&["agent", "memory", "patterns"]), @"
    exit: 0
    --- stdout
    [ID]  Pin the base image by its digest  (api, web, worker, 3 records)
    --- stderr
    write the note of one with --promote ID
    ");
    let id = desk.json(&["agent", "memory", "list"])[0]["id"].as_str().unwrap().to_owned();
    desk.ok(&["agent", "memory", "patterns", "--promote", &id[..22]]);
    let note = "knowledge/learned/patterns/pin-the-base-image-by-its-digest.md";
    assert!(fs::read_to_string(env.path(note)).unwrap().contains("api, web, worker"));
}
