//! The hub: found in, installed from.

use super::{hub, publish, skill, told};
use crate::env::{TestEnv, snapshot};

#[test]
fn the_hub_is_searched_and_installed_from() {
    let env = TestEnv::new();
    snapshot!(told(&env, &[&["agent", "hub", "search"], &["agent", "skill", "install", "hub:pdf-forms"]]), @r"
    $ agent hub search
    exit: 2
    --- stdout
    --- stderr
    error: no hub is set
    hint: set `agent.hub` in your own settings to the address of a git repository of skills
    $ agent skill install hub:pdf-forms
    exit: 2
    --- stdout
    --- stderr
    error: no hub is set
    hint: set `agent.hub` in your own settings to the address of a git repository of skills
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
    snapshot!(env.run(&["agent", "hub", "search"]), @r"
    exit: 2
    --- stdout
    --- stderr
    warning: .elophanto/config.yaml: not trusted, passed over: agent.hub; `elophanto trust` shows and trusts them
    error: no hub is set
    hint: set `agent.hub` in your own settings to the address of a git repository of skills
    ");
}
