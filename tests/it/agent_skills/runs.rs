//! Skills in runs of the agent.

use std::path::Path;

use serde_json::json;

use super::{hub, installed, put, skill, yes};
use crate::{
    env::{TestEnv, snapshot},
    fake::script::{Model, call, calls, text},
};

#[test]
fn a_run_reads_skills_and_installs_one_that_was_shown() {
    let env = TestEnv::new();
    env.write(".claude/skills/otters/SKILL.md", skill("otters", "About otters.", "Otters swim."));
    put(&env, "home/.config/elophanto/skills/voles/SKILL.md", &skill("voles", "On voles.", "Dig."));
    env.commit("First");
    let address = hub(&env);
    let model = Model::script(vec![
        call("skill_read", json!({ "name": "voles" })),
        call("skill_read", json!({ "name": "no-such" })),
        call("skill_read", json!({ "name": "../../x" })),
        call("hub_search", json!({ "query": "pdf" })),
        call("hub_search", json!({ "query": "pdf", "refresh": true })),
        call("hub_install", json!({ "name": "liar" })),
        call("hub_install", json!({ "name": "pdf-forms" })),
        call("skill_read", json!({ "name": "pdf-forms", "file": "fields.md" })),
        call("skill_read", json!({ "name": "otters" })),
        call("skill_list", json!({})),
        text("Done."),
    ]);
    env.write_settings(&format!("{}agent.hub: {address}\nagent.mode: full\n", model.settings()));
    let run = ["agent", "run", "fill in the tax form", "--json"];
    let output = env.run_with(&run, &yes(20));
    assert_eq!(output.code, Some(0), "{output}");
    snapshot!(calls(&output), @r#"
    tainted by skills of this repository, for skill_read
    skill_read failed: false
    skill voles (the user's own)


    Dig.

    skill_read failed: true
    no skill `no-such`; there are: investigating-a-failure, otters, recording-a-decision, reviewing-a-change, tidying-a-knowledge-base, voles, writing-a-note, writing-a-plugin
    skill_read unmade: `../../x` is no name of a skill: only lower case letters, digits and hyphens are allowed
    hub_search failed: true
    the hub was not read yet: call hub_search with `refresh` first
    asked: hub_search (safe) "untrusted text is in the conversation, and this reaches beyond what an undo of this work tree takes back"
    fetch the hub file://[TEMP]/hub.git, then look for: pdf
    hub_search failed: false
    - hub:pdf-forms Fills in PDF forms and tax forms. Use for PDF files.

    hub_install unmade: what the hub says of `liar` and its `SKILL.md` differ: it is named `pdf-forms`
    asked: hub_install (moderate) "it changes what the agent itself is"
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

    hub_install failed: false
    installed pdf-forms (2 files). `elophanto agent skill remove pdf-forms` takes it out
    skill_read failed: false
    Fields.

    skill_read failed: false
    skill otters (from this repository)


    Otters swim.

    skill_list failed: false
    - investigating-a-failure: Finds the root cause of something that fails and keeps the lesson. Use on an error, exception, crash, panic, stack trace, failing or flaky test, broken build or pipeline, hang, timeout, regression, wrong result or outage, when debugging a bug, or when asked why something stopped working or to write
    - otters: About otters. [from this repository]
    - pdf-forms: Fills in PDF forms and tax forms. Use for PDF files. [installed]
    - recording-a-decision: Records a decision with its context, the options weighed and the consequences. Use when choosing between alternatives such as libraries, databases, formats or designs, when asked why something was decided, to write an architecture decision record (ADR), to compare trade-offs and settle on one, or to
    - reviewing-a-change: Reviews a change before it is merged and reports what matters with evidence. Use when asked to review, check, audit or give feedback on code, a diff, a patch, a commit, a branch, a pull request or merge request, staged changes or a refactoring, or to say whether something is ready or safe to merge.
    - tidying-a-knowledge-base: Puts a knowledge base in order without losing anything. Use to clean up, reorganise, restructure, merge or split notes, remove duplicates, fix broken or dead links, update outdated, stale or contradicting notes, find orphans and gaps, archive old pages, improve tags, or when search finds the wrong
    - voles: On voles. [the user's own]
    - writing-a-note: Writes a note that others find and trust. Use when asked to document, write down, describe, explain or save knowledge about how something works, a procedure, a service, a how-to or a guide, to summarise what was learned, or to add a page or documentation to the knowledge base.
    - writing-a-plugin: Builds a new tool for the agent as a plugin with schema, tests and README. Use when a tool or capability is missing, to create, develop, extend, change or repair a plugin, to automate a repeated job as a script with JSON input and output, to connect or integrate an API, program or device, or before
    "#);
    assert!(installed(&env).join("pdf-forms/fields.md").exists());
    // The next run reads it by itself: it fits.
    let model = Model::script(vec![text("Done.")]);
    env.write_settings(&format!("{}agent.hub: {address}\n", model.settings()));
    env.run_with(&run, &yes(3));
    let prompt = &model.prompts()[0];
    assert!(prompt.contains("skill pdf-forms (installed)"), "{prompt}");
}

#[test]
fn a_run_proposes_what_the_hub_has_and_installs_nothing() {
    let env = TestEnv::new();
    env.commit("First");
    let address = hub(&env);
    let model = Model::script(vec![text("I cannot.")]);
    env.write_settings(&format!("{}agent.hub: {address}\n", model.settings()));
    let proposed = |goal: &str| -> Vec<String> {
        let lines = env.run_with(&["agent", "run", goal, "--json"], b"").json();
        let warnings = lines.iter().filter(|line| line["type"] == "warning");
        warnings.map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    };
    assert!(proposed("fill in the PDF form").is_empty(), "the hub was not read yet");
    env.ok(&["agent", "hub", "search"]);
    snapshot!(proposed("fill in the PDF form").join("\n"), @"hub:pdf-forms may help: Fills in PDF forms and tax forms. Use for PDF files. (elophanto agent skill install hub:pdf-forms)");
    assert!(proposed("feed the otters").is_empty());
    assert!(proposed("is pull request 42 ready to merge?").is_empty());
    assert!(!installed(&env).join("pdf-forms").exists());
    assert!(Path::new(&env.outside().join("home/.local/share/elophanto/hub")).exists());
}
