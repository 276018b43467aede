//! A commit carries the vectors of what it changes, and a clone has them all.

use std::os::fd::{FromRawFd, OwnedFd};

use super::*;

#[test]
fn a_clone_has_every_vector() {
    let env = with_notes(46);
    env.ok(&["init"]);
    env.ok(&["index"]);
    env.ok(&["hook", "install"]);
    commit(&env, "base");
    assert!(config(env.root()).contains("embedding_provider: minilm"));
    for number in [3, 17, 40] {
        env.write(format!("notes/{number:04}.md"), format!("{}\nIt was changed.\n", note(number)));
    }
    // Three notes and the entry of the changelog, perhaps in more than one passage.
    let said = commit(&env, "edited");
    assert!(said.contains("vectors go along") && !said.contains("wait"), "{said}");
    assert_complete(&env, env.root());
    assert_eq!(env.git(&["status", "--porcelain"]), "");

    let clone = clone(&env, "clone");
    assert_complete(&env, &clone);
    let found = run_in(&env, &clone, &["search", "case 17"]);
    assert_eq!((found.code, found.stderr()), (Some(0), String::new()), "{found}");
    assert_eq!(index_in(&env, &clone)["embedded"], 0);
    let verified = run_in(&env, &clone, &["index", "--check", "--verify"]);
    assert_eq!(verified.code, Some(0), "{verified}");
    assert!(verified.stderr().contains(" differ") && verified.stderr().contains(", 0 differ"));
}

#[test]
fn fifty_passages_whatever_the_budget_and_the_rest_with_the_next_commit() {
    let env = hooked(1);
    // So short that only what is always embedded fits.
    env.write_settings("hooks.budget: 1ms\n");
    for number in 1..=60 {
        env.write(format!("notes/{number:04}.md"), note(number));
    }
    let said = commit(&env, "many");
    assert_eq!(said, "elophanto: 50 vectors go along, 10 passages wait for the next commit\n");
    // What is changed now comes before what is left.
    env.write("notes/0000.md", "# Changed\n\nSomething else is written here.\n");
    env.write("long.md", format!("# Long\n\n{}", "It is long. ".repeat(60)));
    assert_eq!(commit(&env, "few"), "elophanto: 12 vectors go along\n");
    assert_complete(&env, env.root());
    assert_complete(&env, &clone(&env, "clone"));
}

#[test]
fn what_is_left_is_said_once() {
    let env = hooked(1);
    env.write_settings("hooks.budget: 0s\n");
    env.write("notes/0001.md", note(1));
    assert_eq!(commit(&env, "one"), "elophanto: 1 passage waits for the next commit\n");
    env.write("code.txt", "one");
    assert_eq!(commit(&env, "code"), "");
    env.write_settings("");
    env.write("code.txt", "two");
    assert_eq!(commit(&env, "code again"), "elophanto: 1 vector goes along\n");
    assert_complete(&env, env.root());
}

/// A larger part of what is staged than of the work tree, and the other way round.
#[test]
fn what_is_staged_is_embedded_not_what_lies_there() {
    let env = hooked(2);
    env.write("notes/0000.md", "# Staged\n\nThis is what is committed.\n");
    env.git(&["add", "notes/0000.md"]);
    env.write("notes/0000.md", "# Draft\n\nThis is what is not.\n");
    env.write("notes/draft.md", "# Draft\n\nNor is this.\n");
    let said = git(&env, &["commit", "--quiet", "-m", "staged"]);
    assert_eq!(said, "elophanto: 1 vector goes along\n");
    assert_complete(&env, &clone(&env, "clone"));
    assert_eq!(uncommitted(&env, env.root()), 2);
}

#[test]
fn a_linked_work_tree_that_is_the_first_to_be_indexed() {
    let env = with_notes(3);
    env.write(".elophanto/config.yaml", "changelog: {enabled: false}\n");
    env.commit("base");
    env.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = env.outside().join("linked");
    assert_eq!(index_in(&env, &linked)["embedded"], 3);
    assert_eq!(index_in(&env, &linked)["embedded"], 0);
    assert_eq!(run_in(&env, &linked, &["hook", "install"]).code, Some(0));
    fs::write(linked.join("new.md"), note(9)).unwrap();
    git(&env, &["-C", "../linked", "add", "--all"]);
    git(&env, &["-C", "../linked", "commit", "--quiet", "-m", "new"]);
    assert_complete(&env, &linked);
    assert_eq!(env.git(&["-C", "../linked", "status", "--porcelain"]), "");
}

#[test]
fn an_index_that_is_stopped_goes_on_where_it_was() {
    let env = TestEnv::new();
    // Decided already, or the vectors of the built-in model would come first.
    env.write(".elophanto/config.yaml", "knowledge: {embedding_provider: minilm}\n");
    for number in 0..200 {
        let text = format!("{}{}", note(number), format!("Line {number} of many. ").repeat(40));
        env.write(format!("notes/{number:04}.md"), text);
    }
    let mut child = env.spawn(&["index"]);
    let vectors = env.path(".git/elophanto/vectors");
    let is_kept = || {
        let mut files = fs::read_dir(&vectors).into_iter().flatten().flatten();
        files.any(|file| file.path().extension().is_some_and(|it| it == "vec"))
    };
    while !is_kept() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let _ = child.kill();
    child.wait().unwrap();
    // The built-in model answers meanwhile, and says so.
    let found = env.ok(&["search", "case 17"]);
    assert!(found.stdout().contains("notes/"), "{found}");
    let summary = env.index(&[]);
    assert_eq!((&summary["chunks"], &summary["waiting"]), (&200.into(), &0.into()));
    assert!(summary["embedded"].as_u64().unwrap() < 200, "{summary}");
    assert_complete(&env, env.root());
}

/// `init` decides, and embeds nothing.
#[test]
fn a_person_gets_the_better_model_for_more_notes() {
    let env = TestEnv::new();
    for number in 0..1_010 {
        env.write(format!("notes/{number:04}.md"), note(number));
    }
    let (mut master, mut slave) = (0, 0);
    // SAFETY: both are places for a descriptor; nothing else is handed over.
    let opened = unsafe {
        libc::openpty(
            &raw mut master,
            &raw mut slave,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    assert_eq!(opened, 0);
    // SAFETY: they were just opened and are nobody else's.
    let (_screen, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    let mut decided = Vec::new();
    for (stderr, ci) in [
        (Stdio::piped(), ""),
        (Stdio::from(slave.try_clone().unwrap()), "true"),
        (Stdio::from(slave), ""),
    ] {
        let mut command: Command = env.command(&["init"]);
        let status = command.env("CI", ci).stdout(Stdio::null()).stderr(stderr).status().unwrap();
        assert!(status.success());
        let config = config(env.root());
        let line = config.lines().find(|line| line.trim().starts_with("embedding_provider:"));
        decided.push(line.unwrap_or_default().trim().to_owned());
        env.remove(".elophanto/config.yaml");
    }
    let [builtin, minilm] = ["builtin", "minilm"].map(|it| format!("embedding_provider: {it}"));
    assert_eq!(decided, [builtin.clone(), builtin, minilm]);
}
