//! Where skills come from, which one of a name counts, and new ones.

use std::fs;

use serde_json::Value;

use super::{put, skill, told};
use crate::env::{TestEnv, snapshot};

#[test]
fn four_origins_and_which_one_counts() {
    let env = TestEnv::new();
    let text = |from| skill("otters", &format!("About otters, {from}. Use for otters."), from);
    put(&env, "home/.config/elophanto/skills/otters/SKILL.md", &text("of mine"));
    env.write(".elophanto/skills/otters/SKILL.md", text("of the repository"));
    env.write(".agents/skills/voles/SKILL.md", skill("voles", "About voles.", "Voles dig."));
    env.write(".claude/skills/voles/SKILL.md", skill("voles", "Other voles.", "Voles swim."));
    env.write(".claude/skills/writing-a-note/SKILL.md", skill("writing-a-note", "Ours.", "Ours."));
    env.write(".claude/skills/broken/SKILL.md", "no front matter");
    env.write(".claude/skills/other-name/SKILL.md", skill("Evil Name", "x", "x"));
    std::os::unix::fs::symlink("/etc", env.path(".claude/skills/etc")).unwrap();
    put(&env, "from/shrews/SKILL.md", &skill("shrews", "About shrews.", "Shrews bite."));
    put(&env, "from/otters/SKILL.md", &text("of elsewhere"));
    env.ok(&["agent", "skill", "install", "../from/shrews", "--yes"]);
    env.ok(&["agent", "skill", "install", "../from/otters", "--yes"]);
    put(&env, "home/.local/share/elophanto/skills/stray/SKILL.md", &skill("stray", "x", "x"));
    snapshot!(told(&env, &[&["agent", "skill", "list"]]), @r"
    $ agent skill list
    exit: 0
    --- stdout
    investigating-a-failure   bundled               Finds the root cause of something that fails and keeps the lesson. Use on an error, exception,
    otters                    the user's own        About otters, of mine. Use for otters.
    recording-a-decision      bundled               Records a decision with its context, the options weighed and the consequences. Use when choosing
    reviewing-a-change        bundled               Reviews a change before it is merged and reports what matters with evidence. Use when asked to
    shrews                    installed             About shrews.
    tidying-a-knowledge-base  bundled               Puts a knowledge base in order without losing anything. Use to clean up, reorganise, restructure,
    voles                     from this repository  About voles.
    writing-a-note            from this repository  Ours.
    writing-a-plugin          bundled               Builds a new tool for the agent as a plugin with schema, tests and README. Use when a tool or
    --- stderr
    note: `otters` (from this repository) in `[TEMP]/repo/.elophanto/skills/otters` is hidden by the one of origin user
    note: `otters` (installed) in `[TEMP]/home/.local/share/elophanto/skills/otters` is hidden by the one of origin user
    note: `voles` (from this repository) in `[TEMP]/repo/.claude/skills/voles` is hidden by the one of origin repository
    note: `writing-a-note` (bundled) is hidden by the one of origin repository
    warning: [TEMP]/repo/.claude/skills/broken: `SKILL.md` of `broken`: no front matter
    warning: `[TEMP]/repo/.claude/skills/etc` leads out of the repository
    warning: [TEMP]/repo/.claude/skills/other-name: `Evil Name` is no name of a skill: only lower case letters, digits and hyphens are allowed
    warning: `[TEMP]/home/.local/share/elophanto/skills/stray` is not in skills.lock.json, so it is not loaded
    ");
    let names = env.json(&["agent", "skill", "list", "--json"]);
    let pick = |line: &Value| {
        let word = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
        [word("name"), word("shadowed"), word("origin"), word("by")].join(" ")
    };
    let rows: Vec<String> = names.iter().map(pick).collect();
    snapshot!(rows.join("\n"), @r"
    investigating-a-failure - bundled -
    otters - user -
    recording-a-decision - bundled -
    reviewing-a-change - bundled -
    shrews - installed -
    tidying-a-knowledge-base - bundled -
    voles - repository -
    writing-a-note - repository -
    writing-a-plugin - bundled -
    - otters repository user
    - otters installed user
    - voles repository repository
    - writing-a-note bundled repository
    ");
    snapshot!(told(&env, &[
        &["agent", "skill", "show", "otters"],
        &["agent", "skill", "show", "otters", "--json"],
        &["agent", "skill", "show", "shrews"],
        &["agent", "skill", "show", "stray"],
        &["agent", "skill", "show", "voles", "--file", "../../../README.md"],
    ]), @r#"
    $ agent skill show otters
    exit: 0
    --- stdout
    otters (the user's own)
    in [TEMP]/home/.config/elophanto/skills/otters
    for: About otters, of mine. Use for otters.

    of mine
    --- stderr
    $ agent skill show otters --json
    exit: 0
    --- stdout
    {"name":"otters","description":"About otters, of mine. Use for otters.","origin":"user","folder":"[TEMP]/home/.config/elophanto/skills/otters","files":[],"body":"\nof mine\n"}
    --- stderr
    $ agent skill show shrews
    exit: 0
    --- stdout
    shrews (installed)
    from [TEMP]/from/shrews
    content blake3:[DIGEST]
    in [TEMP]/home/.local/share/elophanto/skills/shrews
    for: About shrews.

    Shrews bite.
    --- stderr
    $ agent skill show stray
    exit: 2
    --- stdout
    --- stderr
    warning: [TEMP]/repo/.claude/skills/broken: `SKILL.md` of `broken`: no front matter
    warning: `[TEMP]/repo/.claude/skills/etc` leads out of the repository
    warning: [TEMP]/repo/.claude/skills/other-name: `Evil Name` is no name of a skill: only lower case letters, digits and hyphens are allowed
    warning: `[TEMP]/home/.local/share/elophanto/skills/stray` is not in skills.lock.json, so it is not loaded
    error: there is no usable skill `stray`
    hint: `elophanto agent skill list` lists what there is
    $ agent skill show voles --file ../../../README.md
    exit: 2
    --- stdout
    --- stderr
    error: `voles` has no file `../../../README.md`
    hint: `elophanto agent skill show voles` lists them
    "#);
}

#[test]
fn new_skills() {
    let env = TestEnv::new();
    snapshot!(told(&env, &[
        &["agent", "skill", "new", "otters", "--description", "About: \"otters\" # all"],
        &["agent", "skill", "new", "otters", "--description", "again"],
        &["agent", "skill", "new", "voles", "--description", "For voles", "--user", "--json"],
        &["agent", "skill", "new", "-rf", "--description", "x"],
        &["agent", "skill", "new", "../../x", "--description", "x"],
        &["agent", "skill", "new", "con", "--description", "x"],
        &["agent", "skill", "new", "blank", "--description", " "],
        &["agent", "skill", "show", "otters"],
    ]), @r#"
    $ agent skill new otters --description About: "otters" # all
    exit: 0
    --- stdout
    [TEMP]/repo/.elophanto/skills/otters/SKILL.md
    --- stderr
    fill it in; `elophanto agent skill list` says whether it is found
    $ agent skill new otters --description again
    exit: 2
    --- stdout
    --- stderr
    error: there is a skill `otters` already
    hint: it is in `[TEMP]/repo/.elophanto/skills/otters`
    $ agent skill new voles --description For voles --user --json
    exit: 0
    --- stdout
    {"made":"[TEMP]/home/.config/elophanto/skills/voles/SKILL.md"}
    --- stderr
    fill it in; `elophanto agent skill list` says whether it is found
    $ agent skill new -rf --description x
    exit: 2
    --- stdout
    --- stderr
    error: `-rf` is no name of a skill: hyphens stand singly between letters or digits
    hint: use lower case letters, digits and hyphens
    $ agent skill new ../../x --description x
    exit: 2
    --- stdout
    --- stderr
    error: `../../x` is no name of a skill: only lower case letters, digits and hyphens are allowed
    hint: use lower case letters, digits and hyphens
    $ agent skill new con --description x
    exit: 2
    --- stdout
    --- stderr
    error: `con` is no name of a skill: some systems keep that name for a device
    hint: use lower case letters, digits and hyphens
    $ agent skill new blank --description
    exit: 2
    --- stdout
    --- stderr
    error: `SKILL.md` of `blank`: no description
    hint: a skill is a folder with a SKILL.md that begins with name and description
    $ agent skill show otters
    exit: 0
    --- stdout
    otters (from this repository)
    in [TEMP]/repo/.elophanto/skills/otters
    for: About: "otters" # all

    # otters

    What this achieves, and for whom, in two sentences.

    ## When to use it

    - The signs that a task is of this kind
    - What looks like it and is not

    ## Steps

    1. What to read or search first
    2. What to do, with the tool or command that does it
    3. How to check that it worked

    ## Done when

    - What can be shown to somebody else

    ## Mistakes to avoid

    - What went wrong before, and what to do instead
    --- stderr
    "#);
    // A repository does not get to say where else a skill is written.
    env.remove(".elophanto/skills");
    fs::create_dir(env.outside().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../../elsewhere", env.path(".elophanto/skills")).unwrap();
    let output = env.run(&["agent", "skill", "new", "otters", "--description", "x"]);
    snapshot!(output, @r"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/repo/.elophanto/skills/otters/SKILL.md`: `.elophanto/skills` is a link, and nothing is read or written through one: put a folder or file of its own in its place
    hint: replace the link with a folder of its own
    ");
    assert_eq!(fs::read_dir(env.outside().join("elsewhere")).unwrap().count(), 0);
}
