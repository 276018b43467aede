//! `elophanto` without a command: what is here and what to try, else the help.

use crate::env::{TestEnv, snapshot};

fn tries(env: &TestEnv) -> Vec<String> {
    let said = env.ok(&[]).stdout();
    let commands = said.lines().filter_map(|line| line.strip_prefix("  "));
    commands.map(|line| line.split("  ").next().unwrap().to_owned()).collect()
}

#[test]
fn what_is_here_and_what_to_try() {
    let env = TestEnv::with(&[
        ("docs/otters.md", "# Sea otters\n\nThey eat urchins.\n\n## Sleep\n\nIn kelp.\n"),
        ("docs/gulls.md", "# It's `a` \"gull\"\n\nLoud.\n"),
    ]);
    env.commit("notes");
    env.ok(&["agent", "remember", "--type", "error", "--context", "a leak", "--lesson", "caulk"]);
    snapshot!(env.ok(&[]), @r#"
    exit: 0
    --- stdout
    repo: 2 notes in 2 passages, 1 lesson.

    Try:
      elophanto search "It's a \"gull\""     finds it by meaning and by keyword
      elophanto index && git add .elophanto  lets whoever clones the repository search at once
      elophanto hook install                 lets git keep the index up to date

    All commands: elophanto --help
    --- stderr
    "#);
    assert_eq!(env.git(&["status", "--porcelain"]), "?? .elophanto/\n", "the lesson alone");

    env.ok(&["index"]);
    env.git(&["add", "."]);
    env.commit("index");
    assert_eq!(
        tries(&env)[1..],
        ["elophanto hook install", "elophanto page"],
        "what is done is proposed no more"
    );
    env.ok(&["hook", "install"]);
    assert_eq!(tries(&env)[1..], ["elophanto page", "elophanto scan"]);
}

#[test]
fn the_first_proposal_can_be_typed() {
    let env = TestEnv::with(&[
        ("a.md", "# $(touch pwned); `id` 'x' \"y\" & | > z\n\nText.\n"),
        ("b.md", "# \u{202e}sretto\n\nText.\n"),
    ]);
    env.commit("hostile titles");
    let command = &tries(&env)[0];
    let words = shlex::split(command).unwrap();
    assert_eq!(words[..2], ["elophanto", "search"]);
    assert_eq!(words[2], "$(touch pwned); id 'x' \"y\" & | > z", "what is code in it is its words");
    assert_eq!(words.len(), 3);
    assert!(!env.ok(&[]).stdout().contains('\u{202e}'));
}

#[test]
fn what_is_proposed_below_the_root_works_there() {
    let env = TestEnv::with(&[("docs/otters.md", "# Sea otters\n\nThey eat urchins.\n")]);
    env.commit("notes");
    let output = env.run_in("docs", &[]);
    assert!(output.stdout().contains("elophanto index && git add :/.elophanto "), "{output}");
}

#[test]
fn a_page_that_waits_to_be_written_is_not_proposed() {
    let env = TestEnv::new();
    env.ok(&["init"]);
    let is_search = |command: &&String| command.starts_with("elophanto search");
    assert_eq!(tries(&env).iter().find(is_search), None);
    env.write("knowledge/system/otters.md", "# Sea otters\n\nThey eat urchins.\n");
    assert_eq!(tries(&env)[0], "elophanto search 'Sea otters'");
}

#[test]
fn where_there_are_no_notes() {
    let env = TestEnv::new();
    snapshot!(env.ok(&[]), @"
    exit: 0
    --- stdout
    repo has no notes yet.

    Try:
      elophanto init          makes a folder for notes, with pages to fill in
      elophanto hook install  lets git keep the index up to date
      elophanto scan          asks what no note says yet

    All commands: elophanto --help
    --- stderr
    ");
}

#[test]
fn where_there_is_nothing_the_help_is_shown() {
    let env = TestEnv::plain();
    let bare = env.run(&[]);
    assert_eq!(bare.code, Some(2));
    assert_eq!(bare.stdout(), "");
    assert!(bare.stderr().contains("Every day:\n  index"), "{}", bare.stderr());
}
