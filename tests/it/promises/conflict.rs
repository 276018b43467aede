//! Settings that both sides of a merge changed.

use super::*;

const SETTINGS: &str = ".elophanto/config.yaml";
const WARNING: &str =
    "warning: .elophanto/config.yaml: in conflict; until it is settled, what our side says counts";

/// Both branches changed the model, and are merged: the settings are in conflict.
fn conflict() -> TestEnv {
    let env = with_notes(3);
    env.write(SETTINGS, "changelog: {enabled: false}\n");
    env.commit("base");
    for (branch, model) in [("ours", "minilm"), ("theirs", "builtin")] {
        env.git(&["checkout", "--quiet", "-b", branch, "main"]);
        let text =
            format!("changelog: {{enabled: false}}\nknowledge: {{embedding_provider: {model}}}\n");
        env.write(SETTINGS, text);
        env.write(format!("{branch}.md"), format!("# {branch}\n\nWritten by {branch}.\n"));
        env.ok(&["index"]);
        env.commit(branch);
    }
    env.git(&["checkout", "--quiet", "ours"]);
    let merged = finish(env.sealed("git").args(["merge", "--quiet", "-m", "merged", "theirs"]));
    assert_eq!(merged.code, Some(1), "{merged}");
    assert!(config(env.root()).contains("<<<<<<< "));
    env
}

#[test]
fn our_side_counts_until_it_is_settled() {
    let env = conflict();
    for args in [
        &["search", "who wrote this"][..],
        &["index", "--resolve"],
        &["index"],
        &["index", "--check"],
    ] {
        let output = env.run(args);
        assert_eq!(output.code, Some(0), "{args:?}\n{output}");
        let said = output.stderr();
        assert_eq!(said.lines().filter(|line| *line == WARNING).count(), 1, "{args:?}\n{output}");
    }
    // Nobody wrote into it.
    env.ok(&["hook", "install"]);
    assert!(config(env.root()).contains("<<<<<<< "));
    let doctor = env.run(&["doctor", "--json"]).json();
    let model = doctor[0]["model"].as_str().unwrap().to_owned();
    assert!(doctor[1]["finding"].as_str().unwrap().contains("is in conflict"), "{doctor:?}");
    assert!(model.starts_with("minilm-"), "{model}");

    env.git(&["checkout", "--quiet", "--theirs", "--", SETTINGS]);
    assert!(commit(&env, "settled").contains("goes along"));
    let found = env.ok(&["search", "written by theirs"]);
    assert_eq!(found.stderr(), "", "{found}");
}

#[test]
fn marks_that_git_knows_nothing_of_are_no_conflict() {
    let env = conflict();
    git(&env, &["add", SETTINGS]);
    let output = env.run(&["search", "who wrote this"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains(SETTINGS), "{output}");
    // Who asks what is wrong is told, with what to do.
    let doctor = env.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor}");
    assert_eq!(
        doctor.stdout(),
        "! .elophanto/config.yaml: holds the marks of a conflict, and git knows of none\n  mend: \
         keep what stands between the marks on one side, and take the marks out\n"
    );
    let finding = &env.run(&["doctor", "--json"]).json()[0];
    assert!(finding["mend"].as_str().unwrap().starts_with("keep what stands"), "{finding}");
}

/// Whoever settles it has begun.
#[test]
fn one_mark_that_is_left_is_a_conflict() {
    let env = conflict();
    let text = config(env.root());
    let begun: String = text
        .lines()
        .filter(|line| !line.starts_with('<'))
        .map(|line| format!("{line}\n"))
        .collect();
    env.write(SETTINGS, &begun);
    let output = env.run(&["search", "who wrote this"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr().contains(WARNING), "{output}");
    assert_eq!(config(env.root()), begun);
}

#[test]
fn in_a_conflict_nothing_is_trusted_and_init_leaves_the_settings() {
    let env = conflict();
    let before = config(env.root());
    let trust = env.run(&["trust"]);
    assert_eq!(trust.code, Some(2), "{trust}");
    assert_eq!(
        trust.stderr(),
        "error: `.elophanto/config.yaml` is in conflict: only what it says in the end can be \
         trusted\nhint: settle it and `git add` it, then run this again\n"
    );
    let init = env.ok(&["init"]);
    assert!(init.stdout().contains("created: knowledge/system/"), "{init}");
    assert!(init.stderr().contains(WARNING), "{init}");
    std::fs::create_dir(env.root().join("docs")).unwrap();
    let init = env.run(&["init", "--root", "docs"]);
    assert_eq!(init.code, Some(2), "{init}");
    assert!(init.stderr().contains("settle it, then run this again"), "{init}");
    assert_eq!(config(env.root()), before);
}

/// One side changed the settings, the other deleted them: the file holds no marks.
#[test]
fn what_one_side_deleted_is_in_conflict() {
    // Where our side has no settings, the model is that of the committed table.
    for ours in ["kept", "deleted"] {
        let env = one_sided(ours);
        let before = config(env.root());
        assert!(before.ends_with("minilm}\n"), "{before}");
        assert_untouched(&env, "minilm-");
        assert_eq!(config(env.root()), before);

        env.git(&["add", SETTINGS]);
        let found = env.run(&["search", "who wrote this"]);
        assert!(!found.stderr().contains("in conflict"), "{found}");
    }
}

/// A stash brings a conflict back without a merge that is under way.
#[test]
fn what_a_stash_brings_back_deleted_is_in_conflict() {
    let env = with_notes(3);
    env.write(SETTINGS, "knowledge: {embedding_provider: builtin}\n");
    env.commit("base");
    env.write(SETTINGS, "knowledge: {embedding_provider: minilm}\n");
    env.git(&["stash", "--quiet"]);
    env.git(&["rm", "--quiet", SETTINGS]);
    env.commit("deleted");
    let popped = finish(env.sealed("git").args(["stash", "pop", "--quiet"]));
    assert_eq!(popped.code, Some(1), "{popped}");
    assert_untouched(&env, "builtin-");
}

/// The branch `kept` chose a model, `deleted` has no settings; we are on `ours`.
fn one_sided(ours: &str) -> TestEnv {
    let env = with_notes(3);
    env.write(SETTINGS, "changelog: {enabled: false}\n");
    env.commit("base");
    env.git(&["checkout", "--quiet", "-b", "kept"]);
    env.write(SETTINGS, "knowledge: {embedding_provider: minilm}\n");
    env.ok(&["index"]);
    env.commit("kept");
    env.git(&["checkout", "--quiet", "-b", "deleted", "main"]);
    env.git(&["rm", "--quiet", SETTINGS]);
    env.commit("deleted");
    env.git(&["checkout", "--quiet", ours]);
    let theirs = if ours == "kept" { "deleted" } else { "kept" };
    let merged = finish(env.sealed("git").args(["merge", "--quiet", "-m", "merged", theirs]));
    assert_eq!(merged.code, Some(1), "{merged}");
    env
}

/// Our side counts, whoever asks is told, and nobody writes into what is in conflict.
fn assert_untouched(env: &TestEnv, model: &str) {
    let before = config(env.root());
    for args in [&["search", "# Note"][..], &["index"], &["init"]] {
        let output = env.run(args);
        assert!(output.code < Some(2), "{args:?}\n{output}");
        let said = output.stderr();
        assert_eq!(said.lines().filter(|line| *line == WARNING).count(), 1, "{args:?}\n{output}");
        assert_eq!(config(env.root()), before, "{args:?}");
    }
    env.ok(&["hook", "install"]);
    assert_eq!(config(env.root()), before);
    let trust = env.run(&["trust"]);
    assert!(trust.stderr().contains("is in conflict"), "{trust}");
    let doctor = env.run(&["doctor", "--json"]).json();
    assert!(doctor[0]["model"].as_str().unwrap().starts_with(model), "{doctor:?}");
    assert!(doctor[1]["finding"].as_str().unwrap().contains("is in conflict"), "{doctor:?}");
}
