//! The vector cache: whatever becomes of work tree, tables and view, nothing is embedded twice.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Child,
};

use elophanto_index::store::{cache, manifest::Manifest};

use crate::env::{Output, TestEnv, finish};

const QUESTION: &[&str] = &["search", "--json", "which animal went home"];

/// The provider is pinned, so that `index` writes no setting.
fn settings(commit: &str) -> String {
    format!(
        "knowledge: {{embedding_provider: builtin}}\nsearch: {{recency_weight: 0}}\n\
         index: {{commit: {commit}}}\n"
    )
}

/// A note that shares no sentence with any other, one chunk each.
fn note(number: usize, edition: &str) -> String {
    format!("# Note {number}\n\nAnimal {number} went home with {edition}.\n")
}

fn write_notes(env: &TestEnv, count: usize, edition: &str) {
    for number in 0..count {
        env.write(format!("notes/n{number}.md"), note(number, edition));
    }
}

/// So many notes, committed, not indexed yet.
fn notes(count: usize, commit: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(".elophanto/config.yaml", settings(commit));
    write_notes(&env, count, "honey");
    env.commit("notes");
    env
}

fn embedded(env: &TestEnv) -> u64 {
    env.index(&[])["embedded"].as_u64().unwrap()
}

/// Names of the cache's files: as long as they stay, nothing was embedded.
fn cached(env: &TestEnv) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(env.path(".git/elophanto/vectors")) else {
        return BTreeSet::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".vec")).collect()
}

#[test]
fn a_branch_switch_and_back() {
    // `always` replaces its pending table with the other branch's.
    for commit in ["never", "always"] {
        let env = notes(500, commit);
        env.git(&["checkout", "--quiet", "-b", "other"]);
        write_notes(&env, 500, "salmon");
        env.commit("other notes");
        assert_eq!(embedded(&env), 500, "{commit}");
        for (branch, expected) in [("main", 500), ("other", 0), ("main", 0)] {
            env.git(&["checkout", "--quiet", branch]);
            assert_eq!(embedded(&env), expected, "{commit}, {branch}");
        }
        assert_eq!(cached(&env).len(), 2, "{commit}");
    }
}

#[test]
fn a_moved_folder() {
    let env = notes(500, "never");
    assert_eq!(embedded(&env), 500);
    env.git(&["mv", "notes", "pages"]);
    assert_eq!(embedded(&env), 0);
    env.remove(env.view());
    env.git(&["mv", "pages", "leaves"]);
    assert_eq!(embedded(&env), 0);
}

#[test]
fn a_cleaned_work_tree_and_a_lost_view() {
    let env = notes(40, "always");
    assert_eq!(embedded(&env), 40);
    let right = env.ok(QUESTION).stdout;
    let before = cached(&env);
    for lost in [false, true] {
        env.git(&["clean", "-fdx", "--quiet"]);
        assert_eq!(env.tables(), [""; 0]);
        if lost {
            env.remove(env.view());
        }
        let answer = env.ok(QUESTION);
        assert!(answer.stdout == right, "{answer}");
        assert_eq!((answer.stderr().as_str(), cached(&env)), ("", before.clone()));
        assert_eq!(embedded(&env), 0);
    }
}

/// Makes an older manifest of one.
type Older<'a> = &'a dyn Fn(Vec<u8>) -> Vec<u8>;

/// Files of this name below a folder.
fn named(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(named(&entry, name));
        } else if entry.ends_with(name) {
            found.push(entry);
        }
    }
    found
}

#[test]
fn a_view_of_another_version() {
    let env = notes(40, "never");
    env.write("src/bear.rs", "//! Bears sleep all winter.\npub fn sleep() {}\n");
    env.ok(&["scan", "--investigate", "--all"]);
    embedded(&env);
    let (right, before) = (env.ok(QUESTION).stdout, cached(&env));
    let manifests = named(&env.path(".git/elophanto"), "manifest");
    assert!(manifests.len() > 1, "{manifests:?}");
    // Cut by older rules, and kept in another form.
    let cut = |bytes: Vec<u8>| {
        let manifest = Manifest::from_bytes(&bytes).unwrap();
        let (_, rest) = manifest.settings.split_once('/').unwrap();
        Manifest { settings: format!("1/{rest}"), ..manifest }.to_bytes()
    };
    let kept = |bytes: Vec<u8>| [b"ELOMAN00", &bytes[8..]].concat();
    let notes = [env.view().join("manifest")];
    let cases: [(&[PathBuf], Older, _); 2] = [
        (&manifests, &cut, "the search view is of another version of elophanto; it was built anew"),
        (&notes, &kept, "; the search view was built anew"),
    ];
    for (manifests, older, said) in cases {
        for manifest in manifests {
            fs::write(manifest, older(fs::read(manifest).unwrap())).unwrap();
        }
        let answer = env.ok(QUESTION);
        assert!(answer.stdout == right, "{answer}");
        let stderr = answer.stderr();
        let [note] = &stderr.lines().collect::<Vec<_>>()[..] else { panic!("{answer}") };
        assert!(note.starts_with("note: ") && note.ends_with(said), "{note}");
        assert_eq!(env.ok(QUESTION).stderr(), "");
        assert_eq!((embedded(&env), cached(&env)), (0, before.clone()));
    }
}

#[test]
fn what_a_search_embedded() {
    let env = notes(40, "never");
    env.ok(QUESTION);
    assert_eq!(cached(&env).len(), 1);
    env.remove(env.view());
    assert_eq!(embedded(&env), 0);
    // With nothing new nothing is added.
    env.ok(QUESTION);
    env.ok(&["index", "--full"]);
    assert_eq!(cached(&env).len(), 1);
}

#[test]
fn a_linked_work_tree() {
    let env = notes(40, "never");
    assert_eq!(embedded(&env), 40);
    let before = cached(&env);
    for name in ["second", "third"] {
        env.git(&["worktree", "add", "--quiet", "--detach", &format!("../{name}")]);
    }
    let in_tree = |name: &str, args: &[&str]| {
        let output = finish(env.command(args).current_dir(env.outside().join(name)));
        assert_eq!(output.code, Some(0), "{output}");
        output
    };
    let summary = in_tree("second", &["index", "--json"]).json().remove(0);
    assert_eq!((&summary["embedded"], &summary["chunks"]), (&0.into(), &40.into()));
    assert!(!in_tree("third", QUESTION).stdout.is_empty());
    assert_eq!(cached(&env), before);
}

#[test]
fn a_folder_without_git() {
    let env = TestEnv::plain();
    env.write(".elophanto/config.yaml", settings("never"));
    write_notes(&env, 5, "honey");
    assert_eq!(embedded(&env), 5);
    env.remove(".elophanto/cache/view");
    assert_eq!(embedded(&env), 0);
    env.remove(".elophanto/cache");
    assert_eq!(embedded(&env), 5);
}

#[test]
fn a_flipped_bit() {
    let env = notes(40, "never");
    assert_eq!(embedded(&env), 40);
    let right = env.ok(QUESTION).stdout;
    let damage = || {
        env.remove(env.view());
        let path = Path::new(".git/elophanto/vectors").join(cached(&env).pop_last().unwrap());
        let mut bytes = env.read(&path);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        env.write(&path, bytes);
        cached(&env)
    };
    let check_told = |output: &Output| {
        let stderr = output.stderr();
        assert!(stderr.contains(".vec` is damaged; its vectors are made again"), "{output}");
        assert_eq!(stderr.lines().count(), 1, "{output}");
    };
    let damaged = damage();
    let answer = env.ok(QUESTION);
    assert!(answer.stdout == right, "{answer}");
    check_told(&answer);
    assert!(cached(&env).is_disjoint(&damaged), "removed, and made again");
    env.remove(env.view());
    let answer = env.ok(QUESTION);
    assert!(answer.stdout == right && answer.stderr.is_empty(), "{answer}");
    damage();
    let index = env.ok(&["index", "--json"]);
    check_told(&index);
    assert_eq!(index.json()[0]["embedded"], 40);
    env.remove(env.view());
    assert_eq!(embedded(&env), 0);
}

#[test]
fn a_cache_that_cannot_be_written() {
    let env = notes(5, "never");
    env.write(".git/elophanto/vectors", "in the way");
    let answer = env.ok(QUESTION);
    assert!(!answer.stdout.is_empty() && answer.stderr.is_empty(), "{answer}");
    let index = env.ok(&["index", "--full"]);
    assert!(index.stderr.is_empty(), "{index}");
    assert_eq!(env.read(".git/elophanto/vectors"), b"in the way");
}

#[test]
fn converted_line_endings() {
    let env = TestEnv::new();
    env.write(".elophanto/config.yaml", settings("never"));
    let list = "- an otter\n- a heron\n  with a fish\n\n".repeat(30);
    let code = "```c\nint main(void)\n{\n    return 0;\n}\n```\n\n".repeat(40);
    let prose = "The otter met the heron\nand went home with honey.\n".repeat(120);
    env.write(
        "notes/long.md",
        format!(
            "---\ntitle: A long\n  note\ntags: [a]\n---\n\n# Long\n\n{prose}\n\n## List\n\n{list}\
             ## Code\n\n{code}Under\n-----\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{prose}"
        ),
    );
    env.write("notes/short.md", "An otter\nwithout a heading.\n");
    env.commit("notes");
    let first = env.index(&[]);
    assert!(first["embedded"].as_u64() > Some(5), "{first}");
    env.git(&["config", "core.autocrlf", "true"]);
    env.remove("notes");
    env.git(&["checkout", "--", "notes"]);
    assert!(env.read("notes/short.md").ends_with(b"\r\n"));
    let second = env.index(&[]);
    assert_eq!((&second["embedded"], &second["chunks"]), (&0.into(), &first["chunks"]));
}

#[test]
fn eight_work_trees_at_once() {
    const TREES: usize = 8;
    const ROUNDS: usize = 4;
    let env = notes(10, "never");
    let folder = |tree: usize| env.outside().join(format!("tree{tree}"));
    for tree in 0..TREES {
        env.git(&["worktree", "add", "--quiet", "--detach", folder(tree).to_str().unwrap()]);
    }
    // More runs that embed something than files are kept, so that some of them merge.
    for round in 0..ROUNDS {
        for tree in 0..TREES {
            for number in 0..3 {
                let text = note(number, &format!("berry {tree} of round {round}"));
                fs::write(folder(tree).join(format!("notes/r{round}n{number}.md")), text).unwrap();
            }
        }
        let children: Vec<Child> = (0..TREES)
            .map(|tree| {
                let mut command = env.command(&["index", "--json"]);
                command.current_dir(folder(tree)).stdout(std::process::Stdio::piped());
                command.stderr(std::process::Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = Output::from(child.wait_with_output().unwrap());
            assert_eq!((output.code, output.stderr().as_str()), (Some(0), ""), "{output}");
        }
    }
    let cache = cache::size(&env.path(".git/elophanto/vectors")).unwrap();
    assert!((1..=16 + TREES).contains(&cache.files), "{cache:?}");
    for tree in 0..TREES {
        let view = env.path(format!(".git/worktrees/tree{tree}/elophanto/view"));
        fs::remove_dir_all(view).unwrap();
        let summary = finish(env.command(&["index", "--json"]).current_dir(folder(tree))).json();
        let counts = (&summary[0]["embedded"], &summary[0]["chunks"]);
        assert_eq!(counts, (&0.into(), &(10 + 3 * ROUNDS).into()), "tree {tree}");
    }
}
