//! The hub: found in, installed from.

use super::{hub, publish, skill, told};
use crate::env::{TestEnv, snapshot};

#[test]
fn the_hub_is_searched_and_installed_from() {
    let env = TestEnv::new();
    env.write_settings("agent.hub: none\n");
    snapshot!(told(&env, &[&["agent", "hub", "search"], &["agent", "skill", "install", "hub:pdf-forms"]]), @r"
    $ agent hub search
    exit: 2
    --- stdout
    --- stderr
    error: no hub is set
    hint: set `agent.hub` in your own settings: builtin, a folder, or the address of a git repository of skills
    $ agent skill install hub:pdf-forms
    exit: 2
    --- stdout
    --- stderr
    error: no hub is set
    hint: set `agent.hub` in your own settings: builtin, a folder, or the address of a git repository of skills
    ");
    let address = hub(&env);
    env.write_settings(&format!("agent.hub: {address}\n"));
    snapshot!(told(&env, &[
        &["agent", "hub", "search", "--offline"],
        &["agent", "skill", "install", "hub:pdf-forms", "--yes"],
        &["agent", "hub", "search"],
        &["agent", "hub", "search", "fill in a form", "--offline", "--json"],
        &["agent", "hub", "search", "otters", "--offline"],
        &["agent", "skill", "install", "hub:liar", "--yes"],
        &["agent", "skill", "install", "hub:absent", "--yes"],
        &["agent", "skill", "install", "hub:pdf-forms", "--yes"],
        &["agent", "hub", "search", "pdf", "--offline"],
    ]), @r#"
    $ agent hub search --offline
    exit: 2
    --- stdout
    --- stderr
    error: the hub was not read yet
    hint: `elophanto agent hub search` reads it
    $ agent skill install hub:pdf-forms --yes
    exit: 2
    --- stdout
    --- stderr
    error: the hub was not read yet
    hint: `elophanto agent hub search` reads it
    $ agent hub search
    exit: 0
    --- stdout
    hub:liar  It is another.
    hub:meeting-minutes  Writes minutes of meetings.
    hub:pdf-forms  Fills in PDF forms and tax forms. Use for PDF files.
    --- stderr
    note: not taken from the hub: entry 3: `../../bin/x` is no name of a skill: only lower case letters, digits and hyphens are allowed
    note: not taken from the hub: entry 4: `con` is no name of a skill: some systems keep that name for a device
    note: not taken from the hub: entry 5: the file name `../../etc` is not allowed in a skill: it does not stay below its folder
    note: not taken from the hub: `absent` has no `SKILL.md`
    $ agent hub search fill in a form --offline --json
    exit: 0
    --- stdout
    {"name":"pdf-forms","description":"Fills in PDF forms and tax forms. Use for PDF files.","path":"s/pdf-forms","commit":"[BLOB]","hub":"file://[TEMP]/hub.git","installed":false}
    --- stderr
    note: not taken from the hub: entry 3: `../../bin/x` is no name of a skill: only lower case letters, digits and hyphens are allowed
    note: not taken from the hub: entry 4: `con` is no name of a skill: some systems keep that name for a device
    note: not taken from the hub: entry 5: the file name `../../etc` is not allowed in a skill: it does not stay below its folder
    note: not taken from the hub: `absent` has no `SKILL.md`
    $ agent hub search otters --offline
    exit: 1
    --- stdout
    --- stderr
    note: not taken from the hub: entry 3: `../../bin/x` is no name of a skill: only lower case letters, digits and hyphens are allowed
    note: not taken from the hub: entry 4: `con` is no name of a skill: some systems keep that name for a device
    note: not taken from the hub: entry 5: the file name `../../etc` is not allowed in a skill: it does not stay below its folder
    note: not taken from the hub: `absent` has no `SKILL.md`
    nothing found among 3 skills
    $ agent skill install hub:liar --yes
    exit: 2
    --- stdout
    --- stderr
    error: what the hub says of `liar` and its `SKILL.md` differ: it is named `pdf-forms`
    hint: tell whoever keeps the hub
    $ agent skill install hub:absent --yes
    exit: 2
    --- stdout
    --- stderr
    error: the hub has no skill `absent`
    hint: `elophanto agent hub search` says what there is
    $ agent skill install hub:pdf-forms --yes
    exit: 0
    --- stdout
    skill `pdf-forms` from hub:pdf-forms
    hub file://[TEMP]/hub.git
    commit [BLOB]
    content blake3:[DIGEST]
    for: Fills in PDF forms and tax forms. Use for PDF files.
    2 files, 105 bytes, none of which may be run:
      SKILL.md 97 bytes
      fields.md 8 bytes
    it says:

    # PDF
    --- stderr
    installed: pdf-forms
    $ agent hub search pdf --offline
    exit: 0
    --- stdout
    hub:pdf-forms (installed)  Fills in PDF forms and tax forms. Use for PDF files.
    --- stderr
    note: not taken from the hub: entry 3: `../../bin/x` is no name of a skill: only lower case letters, digits and hyphens are allowed
    note: not taken from the hub: entry 4: `con` is no name of a skill: some systems keep that name for a device
    note: not taken from the hub: entry 5: the file name `../../etc` is not allowed in a skill: it does not stay below its folder
    note: not taken from the hub: `absent` has no `SKILL.md`
    "#);
    // What was found is what is installed, until the hub is asked again; an update asks it.
    let newer = skill("pdf-forms", "Fills in PDF forms and tax forms. Use for PDF files.", "# New");
    publish(&env, "hub", &[("s/pdf-forms/SKILL.md", &newer)]);
    snapshot!(told(&env, &[
        &["agent", "skill", "install", "hub:pdf-forms", "--yes"],
        &["agent", "skill", "update", "--yes"],
    ]), @r"
    $ agent skill install hub:pdf-forms --yes
    exit: 1
    --- stdout
    skill `pdf-forms` from hub:pdf-forms
    hub file://[TEMP]/hub.git
    commit [BLOB]
    content blake3:[DIGEST]
    for: Fills in PDF forms and tax forms. Use for PDF files.
    2 files, 105 bytes, none of which may be run:
      SKILL.md 97 bytes
      fields.md 8 bytes
    just this is installed already
    --- stderr
    $ agent skill update --yes
    exit: 0
    --- stdout
    skill `pdf-forms` from hub:pdf-forms
    hub file://[TEMP]/hub.git
    commit [BLOB]
    content blake3:[DIGEST]
    for: Fills in PDF forms and tax forms. Use for PDF files.
    2 files, 105 bytes, none of which may be run:
      SKILL.md 97 bytes
      fields.md 8 bytes
    changed: SKILL.md
    --- SKILL.md
    +++ SKILL.md
    @@ -3,4 +3,4 @@
     description: Fills in PDF forms and tax forms. Use for PDF files.
     ---

    -# PDF
    +# New
    --- stderr
    installed: pdf-forms
    ");
    // A repository does not name the hub.
    env.write_settings("");
    env.write(".elophanto/config.yaml", format!("agent.hub: {address}\n"));
    snapshot!(env.run(&["agent", "hub", "search", "pdf"]), @"
    exit: 1
    --- stdout
    --- stderr
    warning: .elophanto/config.yaml: not trusted, passed over: agent.hub; `elophanto trust` shows and trusts them
    nothing found among 16 skills
    ");
}

#[test]
fn the_hub_of_the_program_is_there_without_any_setting() {
    let env = TestEnv::new();
    let found =
        |query: &str| env.run(&["agent", "hub", "search", query, "--limit", "1"]).to_string();
    snapshot!(found("the start page is slow") + &found("rotate a leaked key"), @"
    exit: 0
    --- stdout
    hub:improving-performance  Makes something faster or smaller, with numbers before and after. Use when code, a query, a build, a page or a test is slow, uses too much memory, CPU or disk, when asked to optimise, profile, benchmark, speed up, reduce latency or cost, or to find a bottleneck or a leak.
    --- stderr
    exit: 0
    --- stdout
    hub:responding-to-a-leaked-secret  Handles a password, key or token that became visible where it should not be. Use when a secret, API key, credential, private key or .env file was committed, pushed, logged, posted or shared, when a scanner reports one, when keys must be rotated or revoked, or to clean a secret out of the git history.
    --- stderr
    ");
    assert_eq!(env.json(&["agent", "hub", "search", "--json"]).len(), 16);
    let install = ["agent", "skill", "install", "hub:writing-tests", "--yes"];
    assert!(
        env.ok(&install)
            .stdout()
            .starts_with("skill `writing-tests` from hub:writing-tests\nhub builtin\n")
    );
    let listed = env.json(&["agent", "hub", "search", "tests", "--json"]);
    assert_eq!(
        (&listed[0]["name"], &listed[0]["installed"]),
        (&"writing-tests".into(), &true.into())
    );
    assert_eq!(env.run(&install).code, Some(1), "it is current");
    assert_eq!(env.run(&["agent", "skill", "update", "--yes"]).code, Some(1));
}

#[test]
fn a_folder_is_published_and_used_by_its_path() {
    let env = TestEnv::new();
    let publish = ["agent", "hub", "publish", "team"];
    std::fs::create_dir(env.path("team")).unwrap();
    env.write("team/skills/pdf-forms/SKILL.md", skill("pdf-forms", "Fills in PDF forms.", "# PDF"));
    env.write("team/minutes/SKILL.md", "nothing");
    let said = env.run(&publish).to_string();
    env.write("team/minutes/SKILL.md", skill("minutes", "Writes minutes.", "# Minutes"));
    snapshot!(said + &told(&env, &[&publish, &publish]), @"
    exit: 2
    --- stdout
    --- stderr
    error: not every skill can be published: `SKILL.md` of `minutes`: no front matter
    hint: mend it and publish again; nothing was written
    $ agent hub publish team
    exit: 0
    --- stdout
    minutes  minutes
    pdf-forms  skills/pdf-forms
    --- stderr
    `team/index.json` lists 2 skills
    $ agent hub publish team
    exit: 0
    --- stdout
    minutes  minutes
    pdf-forms  skills/pdf-forms
    --- stderr
    `team/index.json` lists 2 skills already
    ");
    let team = env.path("team").canonicalize().unwrap();
    env.write_settings(&format!("agent.hub: {}\n", team.display()));
    snapshot!(told(&env, &[
        &["agent", "hub", "search", "minutes"],
        &["agent", "skill", "install", "hub:minutes", "--yes"],
    ]), @"
    $ agent hub search minutes
    exit: 0
    --- stdout
    hub:minutes  Writes minutes.
    --- stderr
    $ agent skill install hub:minutes --yes
    exit: 0
    --- stdout
    skill `minutes` from hub:minutes
    hub [TEMP]/repo/team
    content blake3:[DIGEST]
    for: Writes minutes.
    1 file, 62 bytes, none of which may be run:
      SKILL.md 62 bytes
    it says:

    # Minutes
    --- stderr
    installed: minutes
    ");
    env.write_settings("agent.hub: team\n");
    let refused = env.run(&["agent", "hub", "search"]);
    assert!(refused.stderr().contains("the hub `team` is neither a folder nor"), "{refused}");
    // From the user's home on.
    std::fs::rename(&team, env.outside().join("home/team")).unwrap();
    env.write_settings("agent.hub: ~/team\n");
    assert_eq!(env.json(&["agent", "hub", "search", "--json"]).len(), 2);
}
