//! People who share a repository, not a server.

use super::*;

/// A clone whose owner has no server and no key.
fn teammate(site: &Site) -> PathBuf {
    let clone = clone(&site.env);
    site.env.write_settings(
        "knowledge: {embedding_provider: openai, embedding_model: fake}\n\
         llm.providers.openai: {base_url: \"http://127.0.0.1:1/v1\"}\n\
         llm.providers.ollama: {base_url: \"http://127.0.0.1:1\"}\n",
    );
    clone
}

#[test]
fn the_built_in_model_stands_in() {
    let site = Site::indexed();
    let clone = teammate(&site);
    let git = |args: &[&str]| {
        let folder = ["-C", clone.to_str().unwrap()];
        site.env.git(&[&folder, args].concat())
    };
    let (hits, output) = by_meaning(&site.env, &clone, "otters hold hands");
    assert_eq!(hits, ["otters.md"]);
    assert_eq!(notes_of(&output).len(), 1, "{output}");
    assert_eq!(git(&["status", "--porcelain"]), "");

    let tables = tables_of(&clone);
    let index = index_in(&site.env, &clone, &[]);
    assert_eq!((&index["embedded"], &index["waiting"]), (&0.into(), &0.into()));
    assert_eq!(tables_of(&clone), tables);

    // A note of theirs, committed with hooks.
    assert_eq!(site.env.run_in(&clone, &["hook", "install"]).code, Some(0));
    std::fs::write(clone.join("new.md"), "# New\n\nA note by somebody else.\n").unwrap();
    let waiting = index_in(&site.env, &clone, &[]);
    assert_eq!(waiting["waiting"], 1);
    assert_eq!(tables_of(&clone), tables);
    git(&["add", "new.md"]);
    git(&["commit", "--quiet", "-m", "new"]);
    assert_eq!(tables_of(&clone), tables);
    let changed = git(&["show", "--format=", "--name-only", "HEAD"]);
    assert!(!changed.contains(".elophanto/index"), "{changed}");
    assert_eq!(git(&["status", "--porcelain"]), "");

    // Who has the server makes what is missing.
    site.env.write_settings(&settings(&site.server, "fake"));
    site.env.git(&["pull", "--quiet", "../clone", "HEAD"]);
    let made = site.env.index(&[])["embedded"].as_u64().unwrap();
    assert_eq!(site.server.texts().len() as u64, made);
    assert!(made >= 1);
    assert_eq!(tables_of(site.env.root()).len(), 2);
}

/// The model of the settings can't even be named here: its vectors' length is not known.
#[test]
fn hooks_commit_nothing_of_a_stand_in() {
    let mut site = Site::new();
    site.server.fake.stop();
    let env = &site.env;
    env.write(".elophanto/config.yaml", "changelog: {enabled: false}\n");
    env.ok(&["hook", "install"]);
    assert_eq!(by_meaning(env, ".", "otters hold hands").0, ["otters.md"]);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "-m", "all"]);
    assert_eq!(env.tables(), [""; 0]);
    let staged = env.run(&["index", "--stage"]);
    assert_eq!(staged.code, Some(0), "{staged}");
    assert_eq!(env.tables(), [""; 0], "{staged}");
    assert!(!env.git(&["ls-files"]).contains(".elophanto/index/"));
}
