//! Key files in git's history, where no sandbox can hide them.

use super::Bench;
use crate::{
    env::finish,
    fake::script::{Model, shell, text},
};

/// No rule for secrets knows its form.
const KEY: &str = "opensesame";

/// What shows contents without naming the file, and commands that name it one way or another.
const LINES: [&str; 36] = [
    "git show HEAD~1",
    "git show --no-color HEAD~1 HEAD",
    "git log -p",
    "git log -p --graph --all",
    "git log -p --oneline",
    "git log -p -S opensesame --reverse",
    "git log --stat -p --word-diff",
    "git diff HEAD~1",
    "git diff HEAD~1 HEAD",
    "git diff --color HEAD~1 HEAD",
    "git diff --word-diff HEAD~2 HEAD~1",
    "git diff-tree -p HEAD",
    "git grep -n opensesame HEAD~1",
    "git grep -h opensesame HEAD~1 -- config",
    "git grep --cached opensesame",
    "git log -p | grep -i pass",
    "git log -p --all | cut -c2- | sort",
    "git show HEAD~1 | tail -n 3",
    "git diff HEAD~2 HEAD~1 | tac",
    "git diff HEAD~1 | grep '^-'",
    "git log -p --graph -1 HEAD~1",
    "git log -p --all --full-history -S opensesame",
    "git stash show -p",
    "git stash show -p --line-prefix=Q",
    "git grep -h -v -e -n HEAD~1",
    "git grep -h PASS HEAD~1 HEAD~1",
    "git show $(git rev-parse HEAD~1:config/.env)",
    "git show BLOB",
    "git diff BLOB HEAD:README.md",
    "git cat-file -p HEAD~1:config/.env",
    "git cat-file -p $(git rev-parse HEAD~1:config/.env)",
    "git show HEAD~1:config/.env",
    "git blame HEAD~1 -- config/.env",
    "git log -L1,1:config/.env HEAD~1",
    "git archive HEAD~1 | tar -xO",
    "git show $(git ls-tree -r HEAD~1 | awk '/env/ { print $3 }')",
];

/// Runs them, says no to what asks, and gives what was asked for, and what the model got to see.
fn run(mode: &str, lines: &[&str]) -> (Vec<String>, String) {
    // The id of a content depends on nothing but the content.
    let blob = elophanto_repo::BlobId::of(format!("PASSWORD={KEY}\n").as_bytes()).to_string();
    let lines = lines.iter().map(|line| line.replace("BLOB", &blob));
    let turns = lines.map(|line| shell(&line)).chain([text("Done.")]).collect();
    let bench = Bench::new(Model::script(turns));
    bench.env.write("config/.env", format!("PASSWORD={KEY}\n"));
    bench.env.write("README.md", "# Otters\n\nThey swim far.\n");
    bench.env.commit("Second");
    bench.env.remove("config/.env");
    bench.env.write("README.md", "# Otters\n\nThey swim farther.\n");
    bench.env.commit("Third");
    let told = bench.run("Look around", &["--mode", mode], "no");
    // A search that finds nothing ends with 1.
    assert!(["done", "partly"].contains(&told.outcome()), "{}", told.output);
    let asked = told.all("approval_request").into_iter().map(ToString::to_string);
    (asked.collect(), bench.model.prompts().concat())
}

#[test]
fn what_runs_unasked_never_shows_a_key() {
    let (asked, seen) = run("smart", &LINES);
    assert!(!seen.contains("PASSWORD"), "{seen}");
    // Work goes on around it.
    assert!(seen.contains("They swim far") && seen.contains("no tool reads this file"), "{seen}");
    assert!(asked.len() < LINES.len() / 2, "{asked:#?}");
}

#[test]
fn what_names_or_shows_a_key_file_shows_no_key_in_any_mode() {
    let (_, seen) = run("full", &LINES[..15]);
    assert!(!seen.contains("PASSWORD"), "{seen}");
}

/// What an undo needs of a key that git has never seen: commands find it nowhere.
#[test]
fn what_is_kept_of_keys_is_out_of_reach() {
    let lines = [
        // The second of these is kept by the run, the first with the work tree.
        "mv keys other && touch other/note.md",
        "mv other keys",
        "git cat-file --batch-all-objects --batch --unordered",
        "cat .git/elophanto/runs/*/*",
        "cat .git/elophanto/runs/*/*/*",
        "grep -r PASS .git/elophanto",
        "cd .git/elophanto && cat $(find . -type f)",
        "python3 -c 'import os; [print(open(os.path.join(d, f), errors=\"replace\").read()) \
         for d, _, fs in os.walk(\".git\") for f in fs]'",
    ];
    let turns = lines.iter().map(|line| shell(line)).chain([text("Done.")]).collect();
    let bench = Bench::new(Model::script(turns));
    bench.env.write(".git/info/exclude", "keys/\n");
    bench.env.write("keys/.env", format!("PASSWORD={KEY}\n"));
    bench.env.write("README.md", "# Otters\n\nThey swim far.\n");
    bench.env.commit("Second");
    let told = bench.run("Look around", &["--mode", "full"], "yes");
    told.done();
    let seen = bench.model.prompts().concat();
    assert!(!seen.contains("PASSWORD=") && !seen.contains(KEY), "{seen}");
    assert!(seen.contains("They swim far"), "{seen}");
    assert!(bench.env.path("keys/note.md").exists());
    let all = ["cat-file", "--batch-all-objects", "--batch", "--unordered"];
    let objects = finish(bench.env.sealed("git").args(all)).stdout;
    let objects = String::from_utf8_lossy(&objects);
    assert!(!objects.contains(KEY) && objects.contains("They swim far"), "{objects}");
    // It can be undone all the same.
    bench.env.ok(&["agent", "undo"]);
    assert!(!bench.env.path("keys/note.md").exists());
    assert_eq!(bench.env.read("keys/.env"), format!("PASSWORD={KEY}\n").into_bytes());
}
