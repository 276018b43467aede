//! What only reads, and what git waits for, sends no note to anybody.

use super::*;

#[test]
fn readers_and_hooks_send_no_note() {
    let site = Site::indexed();
    let env = &site.env;
    assert_eq!(env.ok(&["hook", "install"]).code, Some(0));
    for number in 0..30 {
        env.write(format!("new/{number}.md"), format!("# New {number}\n\nFresh text {number}.\n"));
    }
    env.write("otters.md", "# Otters\n\nOtters hold hands while they swim.\n");
    for args in [
        &["doctor"][..],
        &["clean", "--index"],
        &["index", "--check"],
        &["index", "--stage"],
        &["hook", "run", "pre-commit"],
        &["hook", "run", "post-commit"],
        &["hook", "run", "post-merge"],
        &["search", "--mode", "keyword", "otters"],
        &["search", "--like", "bears.md"],
        &["search", "--like", "bears.md", "--mode", "semantic"],
    ] {
        let output = env.run(args);
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        let calls = site.server.fake.calls();
        assert_eq!(calls.len(), 0, "{args:?} {calls:?}");
    }
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "-m", "new"]);
    env.git(&["checkout", "--quiet", "-b", "other", "HEAD~1"]);
    env.git(&["merge", "--quiet", "main"]);
    assert_eq!(site.server.fake.calls().len(), 0, "git's hooks");

    // Only what was asked, once, whichever way.
    for mode in ["hybrid", "semantic"] {
        env.ok(&["search", "--mode", mode, "otters asleep"]);
        let texts = site.server.texts();
        let documents: Vec<&String> =
            texts.iter().filter(|text| *text != "otters asleep").collect();
        assert_eq!(documents, [&""; 0], "{mode}");
        assert!(texts.len() <= 1, "{mode}: {texts:?}");
    }
    // And what was committed meanwhile is sent by the next `index`, once.
    let index = env.index(&[]);
    assert_eq!(index["waiting"], 0);
    assert_eq!(site.server.texts().len(), index["embedded"].as_u64().unwrap() as usize);
}

#[test]
fn one_query_is_one_text() {
    let site = Site::indexed();
    let (hits, output) = by_meaning(&site.env, ".", "sleep in caves");
    assert_eq!(hits, ["bears.md"]);
    assert_eq!(notes_of(&output), [""; 0], "{output}");
    assert_eq!(site.server.texts(), ["sleep in caves"]);
}

#[test]
fn a_server_that_is_gone() {
    let mut site = Site::indexed();
    site.server.fake.stop();
    let env = &site.env;
    let (hits, output) = by_meaning(env, ".", "otters hold hands");
    assert_eq!(hits, ["otters.md"]);
    let notes = notes_of(&output);
    assert!(notes.len() == 1 && notes[0].contains("`builtin"), "{output}");
    // Every time, not only the first.
    assert_eq!(notes_of(&by_meaning(env, ".", "otters hold hands").1), notes);

    let words = env.ok(&["search", "--mode", "keyword", "otters"]);
    assert_eq!(words.stderr(), "");
    // What resembles a note is known without asking.
    let like = env.ok(&["search", "--json", "--like", "otters.md"]);
    assert_eq!(like.stderr(), "");
    assert!(!like.json().is_empty());
    // Nothing of the stand-in goes into git, and nothing is lost.
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    assert_eq!(env.index(&[])["waiting"], 0);
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}
