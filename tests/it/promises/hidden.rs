//! Files of ours that a rule of the repository's own hides from git.

use super::*;

const NOTE: &str = "`.elophanto/config.yaml` is hidden from git by `.gitignore:2: config.yaml`";

#[test]
fn whoever_writes_or_looks_names_the_rule() {
    let env = with_notes(2);
    env.write(".gitignore", "*.log\nconfig.yaml\n");
    let note = format!("note: {NOTE}: a clone will not have it");
    for args in [&["init"][..], &["index"], &["hook", "install"]] {
        let output = env.ok(args);
        let said = notes_of(&output);
        assert_eq!(said.iter().filter(|line| **line == note).count(), 1, "{args:?}\n{output}");
    }
    let output = env.run(&["doctor"]);
    assert_eq!(output.code, Some(1), "{output}");
    let finding = format!("! {NOTE}\n  mend: take the rule out, or git add --force the file\n");
    assert!(output.stdout().contains(&finding), "{output}");
    // What git tracks is not hidden, whatever the rule.
    env.git(&["add", "--force", ".elophanto/config.yaml"]);
    let said = env.ok(&["index"]).stderr();
    assert!(!said.contains("hidden"), "{said}");
}

#[test]
fn many_are_counted_and_what_is_local_is_none() {
    let env = with_notes(2);
    env.write(".git/info/exclude", "*.md\n.gitattributes\n");
    env.write(".elophanto/cache/x", "x");
    for number in 0..7 {
        env.write(format!("knowledge/learned/entities/{number}.md"), "# One\n");
    }
    let output = env.ok(&["index"]);
    let said: Vec<String> =
        notes_of(&output).into_iter().filter(|line| line.contains("hidden")).collect();
    let expected = ["0.md", "1.md", "2.md", "3.md", "4.md"].map(|name| {
        format!(
            "note: `knowledge/learned/entities/{name}` is hidden from git by \
             `.git/info/exclude:1: *.md`: a clone will not have it"
        )
    });
    assert_eq!(said[..5], expected, "{output}");
    assert_eq!(
        said[5..],
        ["note: 2 more files of ours are hidden from git: a clone will not have it"]
    );
}

#[test]
fn a_clone_without_the_settings_uses_the_model_of_the_tables() {
    let env = with_notes(4);
    env.write(".gitignore", "config.yaml\n");
    env.ok(&["index"]);
    env.ok(&["hook", "install"]);
    commit(&env, "base");
    assert_eq!(env.git(&["ls-files", ".elophanto/config.yaml"]), "");

    let clone = clone(&env, "clone");
    assert!(!clone.join(".elophanto/config.yaml").exists());
    assert_complete(&env, &clone);
    let found = run_in(&env, &clone, &["search", "case 2"]);
    assert_eq!((found.code, found.stderr()), (Some(0), String::new()), "{found}");
    let summary = index_in(&env, &clone);
    assert_eq!((&summary["embedded"], &summary["pending"]), (&0.into(), &0.into()), "{summary}");
    assert!(config(&clone).contains("embedding_provider: minilm"));

    // The same with a model that the number of notes would not have chosen.
    let env = with_notes(4);
    env.write(".gitignore", "config.yaml\n");
    env.write(".elophanto/config.yaml", "knowledge: {embedding_provider: builtin}\n");
    env.ok(&["index"]);
    env.commit("base");
    let clone = super::clone(&env, "clone");
    assert_complete(&env, &clone);
    assert_eq!(index_in(&env, &clone)["embedded"], 0);
    assert!(config(&clone).contains("embedding_provider: builtin"));
}
