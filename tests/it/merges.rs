//! The shapes in which two histories meet: the index never conflicts but where two compacted it,
//! a search finds what it finds after a rebuild, and only text that the merge itself made is
//! embedded.

use std::{fs, path::Path};

use elophanto_index::store::{
    matrix::Encoded,
    tables::{self, TableContent},
};
use elophanto_tables::Lance;

use serde_json::Value;

use crate::{
    env::{Output, PROGRAM, TestEnv, finish},
    incremental::Bench,
};

/// Settings that no test wants otherwise: the changelog would add notes of its own.
pub const CONFIG: &str =
    "knowledge:\n  embedding_provider: builtin\nchangelog:\n  enabled: false\n";

const OTTERS: &str = "# Otters\n\nOtters hold hands while they sleep in the kelp.\n";
const BEARS: &str = "# Bears\n\nBears eat honey and salmon, and pause all winter.\n";

/// How the index gets into commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The hooks stage it.
    Hooks,
    /// The user runs `index` and adds the table.
    ByHand,
}

const WAYS: [Way; 2] = [Way::Hooks, Way::ByHand];

/// A repository that keeps its index in one of the ways.
struct Site {
    env: TestEnv,
    way: Way,
}

impl Site {
    /// Three notes, committed on `main`; `side` begins there.
    fn new(way: Way) -> Self {
        let env = TestEnv::with(&[
            (".elophanto/config.yaml", CONFIG),
            ("otters.md", OTTERS),
            ("bears.md", BEARS),
            ("long.md", &long("the first stone", "the last branch")),
        ]);
        if way == Way::Hooks {
            install(&env);
        }
        let site = Self { env, way };
        site.save("base");
        site.env.git(&["branch", "side"]);
        site
    }

    fn write(&self, path: &str, text: &str) {
        self.env.write(path, text);
    }

    /// Commits everything, the index as well.
    fn save(&self, message: &str) {
        self.make_table();
        self.env.commit(message);
    }

    fn make_table(&self) {
        if self.way == Way::ByHand {
            self.env.index(&[]);
        }
    }

    fn switch(&self, branch: &str) {
        self.env.git(&["switch", "--quiet", branch]);
    }

    /// Runs git, which may fail.
    fn try_git(&self, args: &[&str]) -> Output {
        try_git(&self.env, args)
    }

    /// Expects that everything is committed and well, that a clone embeds as many chunks as the
    /// merge itself made, and that answers are those after a rebuild.
    fn check(&self, made: u64) {
        let env = &self.env;
        let way = self.way;
        assert_eq!(env.git(&["status", "--porcelain"]), "", "{way:?}");
        sound(env);
        assert_eq!(embedded_in_a_clone(env), made, "{way:?}: chunks embedded in a clone");
        equals_a_rebuild(env);
        // What the merge made goes along with the next commit.
        env.index(&[]);
        env.commit("the rest of the index");
        env.ok(&["index", "--check"]);
        assert_eq!(embedded_in_a_clone(env), 0, "{way:?}");
    }
}

/// A note of one chunk whose ends are far enough apart that two sides may edit one each.
fn long(first: &str, last: &str) -> String {
    let middle: String =
        (1..9).map(|line| format!("Line {line} tells of the river and the forest.\n")).collect();
    format!("# Long\n\nIt begins with {first}.\n\n{middle}\nIt ends with {last}.\n")
}

pub fn install(env: &TestEnv) {
    env.ok(&["hook", "install", "--program", PROGRAM]);
}

/// Runs git without opening an editor; it may fail.
pub fn try_git(env: &TestEnv, args: &[&str]) -> Output {
    finish(env.sealed("git").args(args).env("GIT_EDITOR", "true"))
}

/// Paths of ours that are in conflict.
pub fn conflicts(env: &TestEnv) -> String {
    env.git(&["ls-files", "--unmerged", "--", ".elophanto"])
}

/// Expects that git finds no fault with the repository, and nothing of ours in conflict.
pub fn sound(env: &TestEnv) {
    assert_eq!(conflicts(env), "");
    env.git(&["fsck", "--strict", "--no-dangling", "--no-progress"]);
}

/// How many chunks a fresh clone has to embed.
pub fn embedded_in_a_clone(env: &TestEnv) -> u64 {
    let clone = env.outside().join("clone");
    if clone.exists() {
        fs::remove_dir_all(&clone).unwrap();
    }
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let output = env.run_in(&clone, &["index", "--json"]);
    assert_eq!(output.code, Some(0), "{output}");
    output.json().last().unwrap()["embedded"].as_u64().unwrap()
}

/// Expects the same chunks and the same best hits after everything derived is gone.
pub fn equals_a_rebuild(env: &TestEnv) {
    // Recency goes by the clock, so that the last digits of a score differ from run to run.
    let search = |query| {
        let hits = env.json(&["search", "--json", query]).into_iter();
        let known = |hit: Value| {
            let score = (hit["score"].as_f64().unwrap() * 1e4).round();
            (hit["path"].clone(), hit["lines"].clone(), hit["changed"].clone(), score)
        };
        hits.map(known).collect::<Vec<_>>()
    };
    let grown = (Bench::answers_of(env), search("otters and kelp"), search("\"the river\""));
    env.remove(".git/elophanto");
    let built = (Bench::answers_of(env), search("otters and kelp"), search("\"the river\""));
    assert_eq!(grown, built);
}

/// Plays one shape in both ways.
fn each(shape: impl Fn(&Site)) {
    for way in WAYS {
        shape(&Site::new(way));
    }
}

#[test]
fn both_append() {
    each(|site| {
        site.write("long.md", &long("the first stone", "an index"));
        site.write("eels.md", "# Eels\n\nEels cross the sea.\n");
        site.save("main");
        site.switch("side");
        site.write("long.md", &long("a vector", "the last branch"));
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
        site.save("side");
        site.switch("main");
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        // Git put the two edits of one section together.
        site.check(1);
    });
}

#[test]
fn one_compacts_while_the_other_appends() {
    each(|site| {
        for word in ["crab", "eel", "seal"] {
            site.write(&format!("{word}.md"), &format!("# {word}\n\nAbout the {word}.\n"));
            site.save(word);
        }
        assert_eq!(site.env.tables().len(), 4);
        site.env.git(&["branch", "--force", "side"]);
        site.env.ok(&["clean", "--index", "--compact"]);
        site.env.git(&["commit", "--quiet", "-m", "one table of four"]);
        site.env.git(&["tag", "compacted"]);
        assert_eq!(site.env.tables().len(), 1);
        site.switch("side");
        site.write("owl.md", "# Owl\n\nAbout the owl.\n");
        site.save("side");
        // Both ways: into the compacted branch, and the compaction into the other.
        site.env.git(&["branch", "into"]);
        site.switch("main");
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        site.check(0);
        site.switch("into");
        site.env.git(&["merge", "--quiet", "--no-edit", "compacted"]);
        site.check(0);
    });
}

/// A repository in which `main` and `side` both compacted: one table was larger than the rest
/// together, so that git takes each new table for that one, renamed.
pub fn both_compacted(env: &TestEnv, save: impl Fn(&str)) {
    for number in 0..30 {
        let text = format!("# Note {number}\n\nStone {number} lies in the river {number}.\n");
        env.write(format!("many/{number}.md"), text);
    }
    save("many");
    for word in ["crab", "eel", "seal"] {
        env.write(format!("{word}.md"), format!("# {word}\n\nAbout the {word}.\n"));
        save(word);
    }
    env.git(&["branch", "--force", "side"]);
    for (branch, word) in [("side", "owl"), ("main", "fox")] {
        env.git(&["switch", "--quiet", branch]);
        env.write(format!("{word}.md"), format!("# {word}\n\nAbout the {word}.\n"));
        save(word);
        env.ok(&["clean", "--index", "--compact"]);
        env.git(&["commit", "--quiet", "-m", "one table"]);
    }
}

#[test]
fn both_compact() {
    each(|site| {
        both_compacted(&site.env, |message| site.save(message));
        let merged = site.try_git(&["merge", "--no-edit", "side"]);
        assert_eq!(merged.code, Some(1), "{merged}");
        assert_ne!(conflicts(&site.env), "", "{merged}");
        let resolved = site.env.json(&["index", "--resolve", "--json"]);
        assert_eq!(resolved[0]["tables"], 2, "{resolved:?}");
        assert_eq!(resolved[0]["unreadable"], serde_json::json!([]));
        site.env.git(&["commit", "--quiet", "--no-edit"]);
        site.check(0);
    });
}

#[test]
fn both_change_the_model() {
    // There is one model so far: the tables of another are made by hand.
    let table = |env: &TestEnv, model: &str, codes: &[f32; 4]| {
        let rows = (0..20).map(|key| ([key; 16], Encoded::new(codes))).collect();
        let content = TableContent { fingerprint: model.to_owned(), rows };
        let folder = env.path(".elophanto/index");
        tables::write(&Lance, &folder, &env.outside().join("staging"), &content).unwrap()
    };
    each(|site| {
        table(&site.env, "another-4", &[0.6, 0.8, 0.0, 0.0]);
        site.write("eels.md", "# Eels\n\nEels cross the sea.\n");
        site.env.git(&["add", ".elophanto/index"]);
        site.save("main");
        site.switch("side");
        table(&site.env, "another-4", &[0.0, 0.6, 0.8, 0.0]);
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
        site.env.git(&["add", ".elophanto/index"]);
        site.save("side");
        site.switch("main");
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        assert_eq!(site.env.tables().len(), 5);
        site.check(0);
    });
}

#[test]
fn one_deletes_what_the_other_edits() {
    each(|site| {
        site.write("otters.md", &format!("{OTTERS}\nThey eat urchins.\n"));
        site.save("main");
        site.switch("side");
        site.env.remove("otters.md");
        site.save("side");
        site.switch("main");
        let merged = site.try_git(&["merge", "--no-edit", "side"]);
        assert_eq!(merged.code, Some(1), "{merged}");
        assert_eq!(conflicts(&site.env), "");
        site.save("kept");
        site.check(0);
    });
}

#[test]
fn one_renames_what_the_other_edits() {
    each(|site| {
        site.write("bears.md", &format!("{BEARS}\nThey like the forest.\n"));
        site.save("main");
        site.switch("side");
        site.env.rename("bears.md", "animals/brown.md");
        site.save("side");
        site.switch("main");
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        let renamed = String::from_utf8(site.env.read("animals/brown.md")).unwrap();
        assert!(renamed.ends_with("forest.\n"), "{renamed}");
        site.check(0);
    });
}

#[test]
fn a_conflict_in_a_note_resolved_by_hand() {
    each(|site| {
        site.write("otters.md", &OTTERS.replace("kelp", "winter"));
        site.save("main");
        site.switch("side");
        site.write("otters.md", &OTTERS.replace("kelp", "forest"));
        site.save("side");
        site.switch("main");
        let merged = site.try_git(&["merge", "--no-edit", "side"]);
        assert_eq!(merged.code, Some(1), "{merged}");
        assert_eq!(conflicts(&site.env), "");
        site.write("otters.md", &OTTERS.replace("kelp", "forest in winter"));
        let before = site.env.tables();
        site.save("merged");
        // The table of the other side is still what its commit brought.
        let kept = before.iter().filter(|name| site.env.tables().contains(name)).count();
        assert_eq!((kept, before.len(), site.env.tables().len()), (3, 3, 4));
        site.check(0);
    });
}

#[test]
fn an_octopus() {
    each(|site| {
        for (branch, first, last) in
            [("one", "a vector", "the last branch"), ("two", "the first stone", "an index")]
        {
            site.env.git(&["switch", "--quiet", "--create", branch, "side"]);
            site.write("long.md", &long(first, last));
            site.write(&format!("{branch}.md"), &format!("# {branch}\n\nBranch {branch}.\n"));
            site.save(branch);
        }
        site.switch("side");
        site.write("side.md", "# Side\n\nThe third branch.\n");
        site.save("side");
        site.switch("main");
        site.write("main.md", "# Main\n\nThe trunk.\n");
        site.save("main");
        site.env.git(&["merge", "--quiet", "--no-edit", "one", "two", "side"]);
        assert_eq!(site.env.git(&["rev-list", "--parents", "-1", "HEAD"]).split(' ').count(), 5);
        site.check(1);
    });
}

#[test]
fn a_squash() {
    each(|site| {
        site.switch("side");
        for word in ["crab", "eel"] {
            site.write(&format!("{word}.md"), &format!("# {word}\n\nAbout the {word}.\n"));
            site.save(word);
        }
        let tables = site.env.tables();
        site.switch("main");
        site.env.git(&["merge", "--quiet", "--squash", "side"]);
        site.make_table();
        site.env.git(&["commit", "--quiet", "-m", "squashed"]);
        assert_eq!(site.env.tables(), tables, "no vector is there twice");
        site.check(0);
        // The branch that was squashed is merged all the same.
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        site.check(0);
    });
}

#[test]
fn a_merge_reverted() {
    each(|site| {
        site.switch("side");
        site.write("long.md", &long("a vector", "the last branch"));
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
        site.save("side");
        site.switch("main");
        site.write("eels.md", "# Eels\n\nEels cross the sea.\n");
        site.save("main");
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        site.env.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
        site.env.git(&["tag", "reverted"]);
        site.check(0);
        // And the revert reverted, after more work on both sides.
        site.switch("side");
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways, and so does the river.\n");
        site.save("more of it");
        site.switch("main");
        site.env.git(&["revert", "--no-edit", "reverted"]);
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        site.check(0);
    });
}

#[test]
fn a_rebase() {
    each(|site| {
        site.write("long.md", &long("the first stone", "an index"));
        site.save("main");
        site.switch("side");
        site.write("long.md", &long("a vector", "the last branch"));
        site.save("side");
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
        site.save("more");
        site.env.git(&["rebase", "--quiet", "main"]);
        site.check(1);
    });
}

#[test]
fn a_cherry_pick() {
    each(|site| {
        site.write("long.md", &long("the first stone", "an index"));
        site.save("main");
        site.switch("side");
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
        site.save("not picked");
        site.write("long.md", &long("a vector", "the last branch"));
        site.save("picked");
        site.switch("main");
        site.env.git(&["cherry-pick", "side"]);
        site.check(1);
        site.env.git(&["merge", "--quiet", "--no-edit", "side"]);
        site.check(0);
    });
}

#[test]
fn an_amend() {
    each(|site| {
        site.write("otters.md", &OTTERS.replace("kelp", "forest"));
        site.save("main");
        site.env.git(&["branch", "before"]);
        site.write("otters.md", &OTTERS.replace("kelp", "winter"));
        site.make_table();
        site.env.git(&["add", "--all"]);
        site.env.git(&["commit", "--quiet", "--amend", "--no-edit"]);
        site.check(0);
        // Whoever built on the commit before meets the amended one.
        site.switch("before");
        site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
        site.save("built on it");
        site.switch("main");
        let merged = site.try_git(&["merge", "--no-edit", "before"]);
        assert_eq!(merged.code, Some(1), "{merged}");
        assert_eq!(conflicts(&site.env), "");
        site.write("otters.md", OTTERS);
        site.save("merged");
        site.check(0);
    });
}

#[test]
fn a_table_staged_by_a_commit_that_was_given_up_is_replaced() {
    let site = Site::new(Way::Hooks);
    let base = site.env.tables();
    let staged = |env: &TestEnv| {
        let listed = env.git(&["diff", "--cached", "--name-only", "--", ".elophanto/index"]);
        let names: std::collections::BTreeSet<_> =
            listed.lines().filter_map(|path| Path::new(path).iter().nth(2)).collect();
        names.len()
    };
    site.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
    site.env.git(&["add", "--all"]);
    // An editor that fails gives the commit up.
    let mut given_up = site.env.sealed("git");
    let output = finish(given_up.args(["commit", "--quiet"]).env("GIT_EDITOR", "false"));
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(staged(&site.env), 1);
    let first = site.env.tables();
    site.write("crabs.md", "# Crabs\n\nCrabs walk forth and back.\n");
    site.save("second attempt");
    let second = site.env.tables();
    assert_eq!((first.len(), second.len()), (base.len() + 1, base.len() + 1));
    assert_ne!(first, second);
    site.check(0);
}

#[test]
fn a_commit_of_nothing_stages_nothing() {
    let site = Site::new(Way::Hooks);
    // A merge whose text no table holds yet.
    site.write("long.md", &long("the first stone", "an index"));
    site.save("main");
    site.switch("side");
    site.write("long.md", &long("a vector", "the last branch"));
    site.save("side");
    site.env.git(&["merge", "--quiet", "--no-edit", "main"]);
    let output = site.try_git(&["commit", "-m", "nothing"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(site.env.git(&["status", "--porcelain"]), "");
    site.env.git(&["rebase", "--quiet", "main"]);
    site.check(1);
}

#[test]
fn what_git_merged_by_itself_is_said() {
    let site = Site::new(Way::Hooks);
    site.write("long.md", &long("the first stone", "an index"));
    site.save("main");
    site.switch("side");
    site.write("long.md", &long("a vector", "the last branch"));
    site.save("side");
    site.switch("main");
    let said = site.try_git(&["merge", "--quiet", "--no-edit", "side"]).stderr();
    let line = "note: git merged `long.md` by itself: vectors of what came of it go along with the next \
                commit, or now by `elophanto index --commit`\n";
    assert_eq!(said, line);
    site.env.ok(&["index", "--commit"]);
    site.env.ok(&["index", "--check"]);
    // Nothing came of this one.
    site.switch("side");
    site.write("eels.md", "# Eels\n\nEels cross the sea.\n");
    site.save("eels");
    site.switch("main");
    let said = site.try_git(&["merge", "--quiet", "--no-edit", "side"]).stderr();
    assert_eq!(said, "");
}
