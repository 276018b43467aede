//! Which questions are asked, in which order, and what they look like.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use serde_json::{Value, json};

use super::{Scanned, id, list, path, scan, scan_in, source, waiting};
use crate::env::{TestEnv, finish, snapshot};

/// Names that sort the other way round than they matter.
fn mixed() -> TestEnv {
    let env = TestEnv::with(&[
        ("z/guide.txt", "Otters hold hands while they sleep.\n"),
        ("z/alone.md", "# Alone\n\nNobody links here.\n"),
        ("z/other.md", "# Other\n\nNor here.\n"),
        ("m/app.yaml", "port: 80\n"),
        ("m/pond.toml", "depth = 3\n"),
        ("k/otter.service", "[Service]\nExecStart=/usr/bin/otter\n"),
    ]);
    for number in 0..9 {
        env.write(format!("a/heron{number}.rs"), source(&format!("Heron {number} fishes.")));
    }
    env
}

/// The place of a file's kind in the order in which it is asked about.
fn rank(path: &str) -> usize {
    let extension = path.rsplit('.').next().unwrap();
    let order = [&["txt", "md"][..], &["yaml", "toml"], &["service"], &["rs"]];
    order.iter().position(|same| same.contains(&extension)).unwrap()
}

#[test]
fn ten_at_most_and_documents_first() {
    let env = mixed();
    env.commit("all");
    let first = scan(&env, &[]);
    assert_eq!(first.counts(["files", "asked", "open", "left"]), [13, 10, 10, 5]);
    let paths = first.paths();
    assert_eq!(paths.len(), 10);
    assert!(paths.is_sorted_by_key(|path| rank(path)), "{paths:?}");
    // A document that nobody has described matters more than one that nobody links to.
    assert_eq!(paths[..3], ["z/guide.txt", "z/alone.md", "z/other.md"]);
    let listed = env.json(&["scan", "--list", "--json"]);
    assert_eq!(listed.iter().map(path).collect::<Vec<_>>(), paths, "they are listed in that order");
    let three = scan(&mixed(), &["--limit", "3"]);
    assert_eq!(three.paths(), paths[..3]);
    assert_eq!(three.counts(["asked", "left"]), [3, 12]);
    env.write(".elophanto/config.yaml", "scan: {max_questions: 2}\n");
    assert_eq!(scan(&env, &[]).counts(["asked", "open", "left"]), [2, 12, 3]);
}

#[test]
fn what_matters_more_comes_first() {
    let value = |scanned: &Scanned, of: &str| {
        let question = scanned.lines.iter().find(|question| path(question) == of).unwrap();
        question["value"].as_f64().unwrap()
    };
    let env = TestEnv::with(&[
        ("a_small.py", "def a():\n    pass\n"),
        ("m_used.py", "def a():\n    pass\n"),
        ("n_busy.py", "def a():\n    pass\n"),
        ("b_one.py", "import m_used\n"),
        ("b_two.py", "import m_used\n"),
    ]);
    env.write("z_large.py", "def a():\n    return 1\n\n".repeat(500));
    env.commit("all");
    for number in 0..6 {
        env.write("n_busy.py", format!("def a():\n    {number}\n#"));
        env.commit("work");
    }
    let scanned = scan(&env, &[]);
    let small = value(&scanned, "a_small.py");
    for better in ["m_used.py", "n_busy.py", "z_large.py"] {
        assert!(value(&scanned, better) > small, "{better} {:?}", scanned.lines);
    }
    let values = scanned.lines.iter().map(|question| question["value"].as_f64().unwrap());
    let values: Vec<f64> = values.collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
}

#[test]
fn ids_come_from_whole_paths_and_are_the_same_everywhere() {
    let ids = |scanned: &Scanned| -> BTreeSet<(String, String)> {
        let of = |line: &Value| (path(line).to_owned(), id(line).to_owned());
        scanned.lines.iter().map(of).collect()
    };
    let env = TestEnv::new();
    for folder in ["", "a/", "b/", "b/a/"] {
        env.write(format!("{folder}mod.rs"), source("The same words."));
    }
    env.commit("all");
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let here = ids(&scan(&env, &[]));
    let distinct: BTreeSet<&String> = here.iter().map(|(_, id)| id).collect();
    assert_eq!((here.len(), distinct.len()), (4, 4), "{here:?}");
    let clone = env.outside().join("clone");
    // Other times, another content, another commit: the gap is the same.
    fs::write(clone.join("a/mod.rs"), source("Other words.")).unwrap();
    assert_eq!(ids(&scan_in(&env, &clone, &[])), here);
    let expected = ("mod.rs".to_owned(), "unindexed-562901734068".to_owned());
    assert!(here.contains(&expected), "an id must not change from version to version: {here:?}");
}

#[test]
fn no_gap_is_asked_about_twice() {
    let env = mixed();
    let mut asked: Vec<String> = Vec::new();
    for expected in [10, 5, 0, 0] {
        let scanned = scan(&env, &[]);
        assert_eq!(scanned.lines.len(), expected);
        asked.extend(scanned.lines.iter().map(|question| id(question).to_owned()));
    }
    let distinct: BTreeSet<&String> = asked.iter().collect();
    assert_eq!((asked.len(), distinct.len()), (15, 15));
    // Nor when it is asked about by name, when the file changes, or when what was seen is lost.
    assert_eq!(scan(&env, &["a", "z/guide.txt"]).counts(["asked", "open"]), [0, 15]);
    env.write("a/heron0.rs", source("Heron 0 sleeps."));
    env.remove(".git/elophanto/scan");
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 15]);
    env.ok(&["scan", "--investigate", "--all"]);
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 0]);
    env.remove(".git/elophanto/scan");
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 0]);
}

const HERON: &str = "---\ncovers: [src/pond.rs]\n---\n# Herons\n\n\
    A heron stands in the pond, see [gone](missing.md).\n";
const SAID: &str = "The client tries a failed request again at most 5 times before it gives up.";

/// One gap of every kind that can be made without taking rights away.
fn gaps() -> TestEnv {
    let env = TestEnv::with(&[
        ("docs/README.md", "# Docs\n\n[h](heron.md) [u](user.md) [l](learned.md)\n"),
        ("docs/heron.md", HERON),
        ("docs/alone.md", "# Alone\n\nNobody links to this page about newts.\n"),
        ("docs/guide.txt", "Pelicans carry fish.\n"),
        ("src/pond.rs", "fn one() {}\n"),
    ]);
    env.write("docs/user.md", format!("---\nscope: user\n---\n# Retries\n\n{SAID}\n"));
    let learned = SAID.replace('5', "3");
    env.write("docs/learned.md", format!("---\nscope: learned\n---\n# Retries\n\n{learned}\n"));
    env.commit("all");
    env.ok(&["scan", "src", "--investigate"]);
    env.write("src/pond.rs", "fn two() {}\n");
    let mut git = env.sealed("git");
    git.args(["commit", "--quiet", "-am", "deepen the pond"]);
    for name in ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"] {
        git.env(name, "2026-02-01T00:00:00Z");
    }
    assert_eq!(finish(&mut git).code, Some(0));
    env
}

#[test]
fn every_kind_of_gap() {
    let env = gaps();
    let scanned = scan(&env, &[]);
    let told = |question: &Value| {
        let text = |name: &str| question[name].as_str().unwrap().to_owned();
        let evidence = &question["evidence"];
        format!(
            "{} | {} | {} | {} {} | {} {}:{}",
            text("kind"),
            text("question"),
            text("hypothesis"),
            text("priority"),
            question["autonomy"],
            evidence["file_type"].as_str().unwrap(),
            evidence["other"].as_str().unwrap_or("-"),
            evidence["line"]
        )
    };
    let told: BTreeSet<String> = scanned.lines.iter().map(told).collect();
    let expected = [
        "broken_link | Where should the link to missing.md in docs/heron.md lead? | \
         BROKEN_LINK_docs_heron_md | medium 2 | markdown_doc missing.md:6",
        "contradiction | Which is right, docs/learned.md or docs/user.md? | \
         CONTRADICTION_CANDIDATE_docs_learned_md | high 1 | markdown_doc docs/user.md:4",
        "drifted | Does docs/heron.md still say what is so in what it covers? | \
         DRIFTED_KNOWLEDGE_docs_heron_md | medium 2 | markdown_doc -:null",
        "orphan | Which note should link to docs/alone.md? | ORPHAN_NOTE_docs_alone_md | low 2 | \
         markdown_doc -:null",
        "stale | What knowledge does src/pond.rs contain, now that it has changed? | \
         STALE_KNOWLEDGE_src_pond_rs | low 3 | rust_file -:null",
        "unindexed | What knowledge does docs/guide.txt contain? | \
         UNINDEXED_KNOWLEDGE_docs_guide_txt | high 3 | text_doc -:null",
    ];
    assert_eq!(told.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    for question in &scanned.lines {
        assert_eq!(question["state"], "open");
        let prefix = format!("{}-", question["kind"].as_str().unwrap());
        let digits = id(question).strip_prefix(&prefix).unwrap();
        assert!(digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let value = question["value"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value), "{value}");
        assert!(question["cost"].is_u64() && question["at"].is_string());
    }
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 6]);
}

#[test]
fn evidence_is_of_the_file() {
    let env = gaps();
    let last = |path: &str| env.git(&["log", "-1", "--format=%H", "--", path]).trim().to_owned();
    for question in scan(&env, &[]).lines {
        let (evidence, path) = (&question["evidence"], path(&question));
        assert_eq!(evidence["size"], env.read(path).len(), "{question}");
        let blob = env.git(&["hash-object", "--", path]);
        assert_eq!(evidence["blob"], blob.trim(), "{question}");
        if question["kind"] == "drifted" {
            assert_eq!(evidence["last_commit"], last("src/pond.rs"));
        } else {
            assert_eq!(evidence["last_commit"], last(path), "{question}");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_does_not_mean_its_own_note() {
    let env = TestEnv::with(&[("docs/ferries.md", "# Ferries\n\n[times](ferry.md)\n")]);
    let answers = scan(&env, &["--investigate"]);
    let link = answers.lines.iter().find(|line| line["kind"] == "broken_link").unwrap();
    assert_eq!(
        link["answer"],
        "no note is called anything like `ferry.md`: write it, or take the link out"
    );
}

#[test]
fn each_kind_is_answered_from_what_is_there() {
    let env = gaps();
    let misspelt = "# Docs\n\n[h](heron.md) [u](user.md) [l](learned.md) [a](alnoe.md)\n";
    env.write("docs/README.md", misspelt);
    let answers = scan(&env, &["--investigate"]);
    assert_eq!(answers.counts(["answered", "failed", "calls", "open"]), [7, 0, 0, 0]);
    let answer = |kind: &str| {
        let about = |line: &&Value| line["kind"] == kind && path(line) != "docs/README.md";
        let line = answers.lines.iter().find(about).unwrap();
        assert_eq!(line["state"], "answered");
        let said = line["answer"].as_str().or_else(|| line["summary"].as_str());
        said.unwrap().to_owned()
    };
    let misspelt = answers.lines.iter().find(|line| path(line) == "docs/README.md").unwrap();
    assert_eq!(misspelt["answer"], "perhaps docs/alone.md");
    assert!(answer("broken_link").starts_with("no note is called anything like `missing.md`"));
    assert!(answer("orphan").starts_with("nearest by meaning: docs/"), "{}", answer("orphan"));
    assert!(answer("drifted").ends_with(" deepen the pond"), "{}", answer("drifted"));
    assert!(answer("contradiction").contains("docs/user.md"));
    assert!(answer("stale").contains("`two`"), "{}", answer("stale"));
    assert!(answer("unindexed").contains("elicans carry fish"));
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 0]);
}

#[test]
fn a_file_that_cannot_be_read() {
    let env = TestEnv::with(&[("a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n")]);
    fs::set_permissions(env.path("b.rs"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(env.path("b.rs")).is_ok() {
        return; // Nothing is closed to this user.
    }
    let scanned = scan(&env, &[]);
    let question = scanned.lines.iter().find(|question| path(question) == "b.rs").unwrap();
    assert_eq!(question["question"], "Why can b.rs not be read?");
    assert_eq!((&question["priority"], &question["autonomy"]), (&json!("low"), &json!(1)));
    assert_eq!(question["hypothesis"], "UNREADABLE_FILE_b_rs");
    fs::set_permissions(env.path("b.rs"), fs::Permissions::from_mode(0o644)).unwrap();
    let scanned = scan(&env, &[]);
    assert_eq!(scanned.counts(["asked", "closed"]), [1, 1]);
    assert_eq!(scanned.lines[0]["kind"], "unindexed");
}

#[test]
fn what_tools_wrote_or_others_brought_is_left_out() {
    let env = TestEnv::new();
    let code = "pub fn a() {}\n";
    let left_out = [
        ("__pycache__/a.py", "a = 1\n"),
        (".venv/lib/a.py", "a = 1\n"),
        ("venv/lib/a.py", "a = 1\n"),
        ("tools/env/pyvenv.cfg", "home = /usr\n"),
        ("tools/env/lib/a.py", "a = 1\n"),
        ("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n"),
        ("cache/a.py", "a = 1\n"),
        ("node_modules/a/index.js", "a = 1\n"),
        ("web/node_modules/a/index.js", "a = 1\n"),
        ("vendor/a/lib.rs", code),
        ("src/_vendor/a/b.py", "a = 1\n"),
        ("third_party/a.go", "package a\n"),
        ("src/old.rs.backup", code),
        ("src/old.backup.rs", code),
        ("src/old.rs.bak", code),
        ("src.backup-2026/lib.rs", code),
        ("src/generated.rs", "// @generated by a tool\npub fn a() {}\n"),
        ("src/generated.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n"),
        ("src/app.min.js", "a=1\n"),
        ("package-lock.json", "{\"a\": 1}\n"),
        ("src/binary.rs", "\0\u{1}\u{2}ELF\0\0\0"),
        ("src/empty.rs", ""),
        ("src/picture.png", "no picture\n"),
        ("made/a.rs", code),
        ("made/deep/a.rs", code),
        ("src/b.made.ts", "let a = 1;\n"),
        ("brought/a.rs", code),
        ("ignored/a.rs", code),
        (".hidden/a.rs", code),
    ];
    for (path, text) in left_out {
        env.write(path, text);
    }
    env.write("src/bundle.js", format!("let a = \"{}\";\n", "x".repeat(30_000)));
    env.write("src/latin.rs", b"// \xff\xfe\x00\x80 not text \x00\n");
    env.write(".gitignore", "ignored/\n");
    let attributes = "made/** linguist-generated\n*.made.ts linguist-generated=true\n\
        /brought/** linguist-vendored=true\nkept/** linguist-generated=false\n";
    env.write(".gitattributes", attributes);
    symlink("/etc/hostname", env.path("src/link.rs")).unwrap();
    symlink("real.rs", env.path("src/inner.rs")).unwrap();
    for kept in ["src/real.rs", "kept/a.rs", "deep/made/a.rs", "src/says.rs"] {
        env.write(kept, code);
    }
    env.write("src/says.rs", "pub const MARK: &str = \"@generated\";\n");
    let scanned = scan(&env, &["-n", "100"]);
    let mut paths = scanned.paths();
    paths.sort_unstable();
    assert_eq!(paths, ["deep/made/a.rs", "kept/a.rs", "src/real.rs", "src/says.rs"]);
    assert_eq!(scanned.counts(["asked", "left"]), [4, 0]);
    env.write(
        ".elophanto/config.yaml",
        "scan: {paths: [src], skip: ['*says*', '*.ba*', '*.min.js']}\n",
    );
    // What one's settings leave out is still asked where others' do not.
    assert_eq!(scan(&env, &["-n", "100"]).counts(["asked", "closed", "open"]), [0, 0, 1]);
    assert_eq!(waiting(&env), ["src/real.rs"]);
}

#[test]
fn paths_say_what_is_asked_about() {
    let env = TestEnv::new();
    for path in ["a.rs", "p/a.rs", "p/q/a.rs", "p/q/b.rs", "pq/a.rs"] {
        env.write(path, "pub fn a() {}\n");
    }
    assert_eq!(scan_in(&env, "p", &["q/b.rs"]).paths(), ["p/q/b.rs"]);
    assert_eq!(scan_in(&env, "p/q", &["."]).paths(), ["p/q/a.rs"]);
    assert_eq!(scan(&env, &["p/"]).paths(), ["p/a.rs"]);
    let whole = env.path("pq");
    assert_eq!(scan(&env, &[whole.to_str().unwrap(), "p"]).paths(), ["pq/a.rs"]);
    assert_eq!(scan(&env, &["p"]).counts(["asked", "open", "files"]), [0, 4, 5]);
    // What lies elsewhere is not closed on the way.
    env.remove("p/q");
    assert_eq!(scan(&env, &[]).paths(), ["a.rs"]);
    assert_eq!(waiting(&env), ["a.rs", "p/a.rs", "pq/a.rs"]);
}

#[test]
fn the_folder_above_is_a_path_too() {
    let env = TestEnv::with(&[("a.rs", "fn a() {}\n"), ("p/a.rs", "fn a() {}\n")]);
    env.write("p/q/a.rs", "fn a() {}\n");
    assert_eq!(scan_in(&env, "p/q", &[".."]).paths(), ["p/a.rs", "p/q/a.rs"]);
    assert_eq!(scan_in(&env, "p/q", &["../.."]).paths(), ["a.rs"]);
}

#[test]
fn questions_are_listed_shown_and_put_aside() {
    let env = TestEnv::with(&[("src/a.rs", "fn a() {}\n"), ("src/b.rs", "fn b() {}\n")]);
    env.write("c.yaml", "a: 1\n");
    snapshot!(env.run(&["scan", "--list"]), @"
    exit: 1
    --- stdout
    --- stderr
    no question waits for an answer: `elophanto scan` looks for some
    ");
    env.ok(&["scan"]);
    let listed = list(&env, &[]);
    let [yaml, a, b] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!([path(yaml), path(a), path(b)], ["c.yaml", "src/a.rs", "src/b.rs"]);
    // The beginning of an id will do, unless several begin so.
    let short = &id(a)[..id(a).len() - 3];
    let shown = env.json(&["scan", "--show", short, "--json"]);
    assert_eq!(shown, std::slice::from_ref(a));
    let text = env.ok(&["scan", "--show", short]).stdout();
    for part in [id(a), "state       open", "UNINDEXED_KNOWLEDGE_src_a_rs", "rust_file"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let several = env.run(&["scan", "--show", "unindexed-"]);
    assert_eq!(several.code, Some(2), "{several}");
    snapshot!(env.run(&["scan", "--show", "none"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: there is no question `none`
    hint: `elophanto scan --list` lists what there is
    ");
    let none = env.run(&["scan", "--dismiss", "none"]);
    assert_eq!(none.to_string(), env.run(&["scan", "--show", "none"]).to_string());
    let dismissed = env.ok(&["scan", "--dismiss", short]).stdout();
    assert_eq!(dismissed, format!("dismissed {}\n", id(a)));
    assert_eq!(waiting(&env), ["c.yaml", "src/b.rs"]);
    assert_eq!(list(&env, &["--state", "dismissed"]).iter().map(id).collect::<Vec<_>>(), [id(a)]);
    assert_eq!(list(&env, &["--state", "open"]).len(), 2);
    env.ok(&["scan", "--investigate", "--all"]);
    assert_eq!(list(&env, &["--state", "answered"]).len(), 2);
    assert_eq!(list(&env, &["--state", "failed"]).len(), 0);
    // Put aside for good.
    for text in ["fn other() {}\n", "fn third() {}\n"] {
        env.write("src/a.rs", text);
        assert_eq!(scan(&env, &["--investigate", "--all"]).counts(["asked", "answered"]), [0, 0]);
    }
    assert_eq!(list(&env, &["--state", "dismissed"]).len(), 1);
    // An answer is shown with its question.
    let text = env.ok(&["scan", "--show", id(b)]).stdout();
    assert!(text.contains("state       answered") && text.contains("defines the function `b`"));
    let wrong = env.run(&["scan", "--list", "--state", "lost"]);
    assert_eq!(wrong.code, Some(2), "{wrong}");
    assert!(wrong.stderr().contains("expected one of open, investigating, answered"));
}

#[test]
fn a_closed_gap_is_no_question() {
    let env = TestEnv::with(&[
        ("docs/README.md", "# Docs\n\nSee [gone](missing.md).\n"),
        ("docs/alone.md", "# Alone\n\nNobody links here.\n"),
        ("a.rs", "fn a() {}\n"),
        ("b.txt", "Pelicans carry fish.\n"),
    ]);
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [4, 4]);
    env.remove("a.rs");
    env.rename("b.txt", "docs/b.md");
    env.write("docs/README.md", "# Docs\n\nSee [alone](alone.md) and [b](b.md).\n");
    assert_eq!(scan(&env, &[]).counts(["asked", "closed", "open"]), [0, 4, 0]);
    assert_eq!(waiting(&env), [""; 0]);
    let answered = list(&env, &["--state", "answered"]);
    assert!(answered.iter().all(|question| question["answer"] == "the gap is gone"));
    // It opens again.
    env.write("a.rs", "fn a() {}\n");
    assert_eq!(scan(&env, &[]).paths(), ["a.rs"]);
}

#[test]
fn a_language_without_a_grammar_is_described() {
    let env = TestEnv::new();
    env.write(
        "lib/booter.rb",
        "# Boots ferries on all piers in parallel.\nclass Booter\n  # Waits for the tide.\n  def \
         wait(pier)\n  end\nend\n",
    );
    env.write("Rakefile", "# Tasks of the harbour.\ntask :sail do\nend\n");
    assert_eq!(super::investigate(&env).counts(["files", "answered"]), [2, 2]);
    let hit =
        env.json(&["search", "waits for the tide", "--type", "ruby_file", "--json"]).remove(0);
    assert_eq!((&hit["path"], &hit["line"]), (&"lib/booter.rb".into(), &3.into()), "{hit}");
}

/// Who reads that all is described is told what nobody counted.
#[test]
fn files_that_nobody_counts_are_told_where_they_are_most() {
    let env = TestEnv::with(&[("a.rs", "//! Ferries.\n"), ("app.yaml", "port: 80\n")]);
    for number in 0..6 {
        env.write(format!("pages/p{number}.vue"), "<template>Ferries</template>\n");
        env.write(format!("pages/p{number}.png"), "no picture\n");
    }
    let output = env.ok(&["scan"]);
    let said = output.stderr();
    assert!(
        said.contains("6 `.vue` files left out") && said.contains("scan.patterns.source"),
        "{output}"
    );
    assert_eq!(said.matches("left out").count(), 1, "{output}");
    let left = &scan(&env, &[]).sum["left_out"];
    assert_eq!(*left, json!([{ "ending": "vue", "files": 6 }]));
    for path in ["pages/p0.vue", "pages"] {
        let refused = env.run(&["scan", path]);
        assert_eq!(refused.code, Some(2), "{refused}");
        let said = format!("`{path}` is not described, and holds nothing that is");
        assert!(refused.stderr().contains(&said), "{refused}");
    }
    env.write_settings("scan: { patterns: { source: ['*.rs', '*.vue'] } }\n");
    let all = env.ok(&["scan", "pages/p0.vue"]);
    assert!(!all.stderr().contains("left out"), "{all}");
}
