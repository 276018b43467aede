//! Branches that meet: the index is the union of both, and git's other ways bring it along too.

use super::*;

/// Two branches, each with a note of its own and a change of one that was there.
fn branches() -> TestEnv {
    let env = hooked(6);
    env.git(&["checkout", "--quiet", "-b", "side"]);
    env.write("side.md", "# Side\n\nThe side branch knows about lighthouses.\n");
    env.write("notes/0001.md", "# Note 1\n\nThe side branch says something else.\n");
    assert_eq!(commit(&env, "side"), "elophanto: 2 vectors go along\n");
    env.git(&["checkout", "--quiet", "main"]);
    env.write("main.md", "# Main\n\nThe main branch knows about windmills.\n");
    env.write("notes/0002.md", "# Note 2\n\nThe main branch says something else.\n");
    assert_eq!(commit(&env, "main"), "elophanto: 2 vectors go along\n");
    env
}

#[test]
fn a_merge_is_the_union() {
    let env = branches();
    git(&env, &["merge", "--quiet", "-m", "merged", "side"]);
    assert_complete(&env, env.root());
    assert_complete(&env, &clone(&env, "clone"));
    assert_eq!(env.hits(&["where ships see a light"])[0], "side.md");
}

#[test]
fn what_is_picked_or_rebased_brings_its_vectors() {
    let env = branches();
    git(&env, &["cherry-pick", "side"]);
    assert_complete(&env, env.root());
    assert_complete(&env, &clone(&env, "picked"));

    let env = branches();
    git(&env, &["checkout", "--quiet", "side"]);
    git(&env, &["rebase", "--quiet", "main"]);
    assert_complete(&env, env.root());
    assert_complete(&env, &clone(&env, "rebased"));
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

/// No hook may stage what only the merge made: it comes with the next commit.
#[test]
fn text_that_a_merge_made_comes_with_the_next_commit() {
    let env = hooked(3);
    let text = |first: &str, last: &str| {
        let filler = "Nothing happens in between.\n".repeat(8);
        format!("# Both\n\n{first}\n\n{filler}\n{last}\n")
    };
    env.write("both.md", text("One.", "Two."));
    commit(&env, "both");
    env.git(&["checkout", "--quiet", "-b", "side"]);
    env.write("both.md", text("One.", "The side changed the end."));
    commit(&env, "side");
    env.git(&["checkout", "--quiet", "main"]);
    env.write("both.md", text("Main changed the beginning.", "Two."));
    commit(&env, "main");
    git(&env, &["merge", "--quiet", "-m", "merged", "side"]);
    assert_eq!(uncommitted(&env, env.root()), 1);
    env.write("code.txt", "one");
    assert_eq!(commit(&env, "next"), "elophanto: 1 vector goes along\n");
    assert_complete(&env, env.root());
    assert_complete(&env, &clone(&env, "clone"));
}

#[test]
fn two_branches_that_learn_of_one_thing() {
    let env = TestEnv::new();
    env.write("a.txt", "The KEF LS50 Meta is a bookshelf speaker made by KEF.\n");
    env.write("b.txt", "The KEF LS50 Meta is a speaker of 7.8 kg with a tweeter made by KEF.\n");
    env.commit("base");
    for branch in ["one", "two"] {
        env.git(&["checkout", "--quiet", "-b", branch, "main"]);
        let from = if branch == "one" { "a.txt" } else { "b.txt" };
        let learnt = env.ok(&["learn", "kef ls50", "--from", from]);
        let note = "note: `.gitattributes` tells git how to merge what is written here; commit it \
                    too";
        assert!(notes_of(&learnt).contains(&note.to_owned()), "{learnt}");
        commit(&env, branch);
    }
    git(&env, &["merge", "--quiet", "-m", "merged", "one"]);
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    let known = env.ok(&["entity", "kef ls50 meta"]).stdout();
    assert!(known.contains("bookshelf speaker") && known.contains("7.8 kg"), "{known}");
    // A second time there is nothing to say.
    env.write("c.txt", "The KEF LS50 Meta was sold in 900 units to the town of Tovil.\n");
    let learnt = env.ok(&["learn", "kef ls50", "--from", "c.txt"]);
    assert!(!learnt.stderr().contains(".gitattributes"), "{learnt}");
}

#[test]
fn hooks_bring_the_lines_for_git_along() {
    let env = TestEnv::with(&[(".gitattributes", "*.png binary\n")]);
    let installed = env.ok(&["hook", "install"]);
    assert!(installed.stderr().contains("`.gitattributes` tells git"), "{installed}");
    let text = String::from_utf8(env.read(".gitattributes")).unwrap();
    assert!(text.starts_with("*.png binary\n") && text.contains("merge=union"), "{text}");
    assert!(!env.ok(&["hook", "install"]).stderr().contains(".gitattributes"));
}

/// They go with the hooks, unless something is there that they are for.
#[test]
fn the_lines_for_git_go_with_the_hooks() {
    for (before, after) in [(Some("*.png binary\n"), Some("*.png binary\n")), (None, None)] {
        let files = before.map(|text| (".gitattributes", text));
        let env = TestEnv::with(files.as_slice());
        let there = || env.path(".gitattributes").exists().then(|| env.read(".gitattributes"));
        env.ok(&["hook", "install"]);
        let gone = env.ok(&["hook", "uninstall"]);
        assert!(gone.stderr().contains("our lines in `.gitattributes` were taken out"), "{gone}");
        assert_eq!(there().as_deref(), after.map(str::as_bytes));
        assert!(!env.ok(&["hook", "uninstall"]).stderr().contains(".gitattributes"));
    }
    let env =
        TestEnv::with(&[("a.txt", "The KEF LS50 Meta is a bookshelf speaker made by KEF.\n")]);
    env.ok(&["learn", "kef ls50", "--from", "a.txt"]);
    let lines = env.read(".gitattributes");
    env.ok(&["hook", "install"]);
    let kept = env.ok(&["hook", "uninstall"]);
    let stay = "our lines in `.gitattributes` stay: they tell git how to merge what is in `";
    assert!(kept.stderr().contains(stay), "{kept}");
    assert_eq!(env.read(".gitattributes"), lines);
}
