//! `elophanto index`: by content, one pending table, nothing embedded twice.

use std::{fs, path::Path};

use serde_json::json;

use crate::env::{TestEnv, finish, snapshot};

/// Two notes, one of them with two sections that stay two chunks.
fn two_notes() -> TestEnv {
    let env = TestEnv::with(&[("docs/otters.md", "# Otters\n\nThey hold hands.\n")]);
    env.write("docs/bears.md", bears(&["They sleep in winter.", "They like honey and berries."]));
    env
}

/// A note with one section per sentence, each too long to join its neighbour.
fn bears(sections: &[&str]) -> String {
    let section = |(number, sentence): (usize, &&str)| {
        format!("## Part {number}\n\n{}\n", format!("{sentence}\n").repeat(20))
    };
    format!("# Bears\n\n{}", sections.iter().enumerate().map(section).collect::<String>())
}

/// All bytes of one table, with the names of the files.
fn bytes_of(env: &TestEnv, table: &str) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = env.files();
    files.retain(|(path, _)| path.starts_with(Path::new(".elophanto/index").join(table)));
    files
}

#[test]
fn a_first_run_and_one_with_nothing_to_do() {
    let env = two_notes();
    snapshot!(env.run(&["index"]), @"
    exit: 0
    --- stdout
    2 files, 3 chunks, 3 embedded, 0 reused, 0 removed, 0 skipped, [SECONDS] seconds
    --- stderr
    3 vectors wait in `.elophanto/index` to be committed
    ");
    snapshot!(env.run(&["index"]), @"
    exit: 0
    --- stdout
    2 files, 3 chunks, 0 embedded, 3 reused, 0 removed, 0 skipped, [SECONDS] seconds
    --- stderr
    ");
    snapshot!(env.run(&["index", "--json"]), @r#"
    exit: 0
    --- stdout
    {"files":2,"chunks":3,"embedded":0,"reused":3,"removed":0,"skipped":0,"waiting":0,"pending":3,"seconds":"[SECONDS]"}
    --- stderr
    "#);
    let status = env.git(&["status", "--porcelain", "--untracked-files=all"]);
    let others = status.lines().filter(|line| !line.contains(".lance/"));
    snapshot!(others.collect::<Vec<_>>().join("\n"), @"
    ?? .elophanto/config.yaml
    ?? docs/bears.md
    ?? docs/otters.md
    ");
}

#[test]
fn an_empty_repository() {
    let env = TestEnv::new();
    snapshot!(env.run(&["index"]), @"
    exit: 0
    --- stdout
    0 files, 0 chunks, 0 embedded, 0 reused, 0 removed, 0 skipped, [SECONDS] seconds
    --- stderr
    ");
    assert_eq!(env.tables(), [""; 0]);
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
    snapshot!(env.run(&["search", "otters"]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing found for `otters` in 0 notes (0 chunks)
    hint: no note is indexed: write one below `knowledge/`, or check `knowledge.roots` in `.elophanto/config.yaml`
    ");
}

#[test]
fn renames_and_moves_embed_nothing() {
    let env = two_notes();
    assert_eq!(env.index(&[])["embedded"], 3);
    env.rename("docs/otters.md", "docs/sea-otters.md");
    let run = env.index(&[]);
    assert_eq!((&run["embedded"], &run["files"]), (&json!(0), &json!(2)));
    env.rename("docs", "pages/animals");
    let run = env.index(&[]);
    assert_eq!(
        (&run["embedded"], &run["files"], &run["chunks"]),
        (&json!(0), &json!(2), &json!(3))
    );
    assert_eq!(env.hits(&["honey", "-n", "1"]), ["pages/animals/bears.md"]);
    assert_eq!(env.hits(&["hands", "--path", "docs/**"]), [""; 0]);
}

#[test]
fn a_note_without_heading_is_renamed_for_nothing_too() {
    let env = TestEnv::with(&[("a.md", "Otters hold hands.\n")]);
    assert_eq!(env.index(&[])["embedded"], 1);
    env.rename("a.md", "otters.md");
    assert_eq!(env.index(&[])["embedded"], 0);
    assert_eq!(env.json(&["search", "--json", "hands"])[0]["title"], "otters");
}

#[test]
fn an_edited_section_is_embedded_alone() {
    let env = two_notes();
    env.index(&[]);
    env.write("docs/bears.md", bears(&["They sleep in winter.", "They like salmon and berries."]));
    let run = env.index(&[]);
    assert_eq!((&run["embedded"], &run["reused"]), (&json!(1), &json!(2)));
    // What was committed once comes back for nothing.
    env.commit("salmon");
    env.write("docs/bears.md", bears(&["They sleep in winter.", "They like honey and berries."]));
    env.index(&[]);
    env.commit("honey");
    env.git(&["checkout", "--quiet", "HEAD~1", "--", "docs"]);
    env.remove(".git/elophanto");
    assert_eq!(env.index(&[])["embedded"], 0);
}

#[test]
fn equal_text_is_embedded_once() {
    let env = TestEnv::new();
    for name in ["a", "b", "c/d"] {
        env.write(format!("{name}.md"), "# Otters\n\nThey hold hands.\n");
    }
    let run = env.index(&[]);
    assert_eq!((&run["files"], &run["chunks"]), (&json!(3), &json!(3)));
    assert_eq!(run["pending"], 1);
}

#[test]
fn a_deleted_note_is_gone() {
    let env = two_notes();
    env.index(&[]);
    env.remove("docs/otters.md");
    assert_eq!(env.hits(&["hands", "--mode", "keyword"]), [""; 0], "a search looks for itself");
    env.write("docs/otters.md", "# Otters\n\nThey hold hands.\n");
    env.index(&[]);
    env.remove("docs/otters.md");
    let run = env.index(&[]);
    assert_eq!(
        (&run["removed"], &run["files"], &run["embedded"]),
        (&json!(1), &json!(1), &json!(0))
    );
    assert_eq!(env.hits(&["hands", "--mode", "keyword"]), [""; 0]);
}

#[test]
fn check_says_whether_all_is_indexed() {
    let env = two_notes();
    snapshot!(env.run(&["index", "--check"]), @"
    exit: 1
    --- stdout
    not complete: 3 vectors in no table, 0 tables damaged, 0 files skipped, 0 not searched yet
    --- stderr
    hint: run `elophanto index` and commit `.elophanto/index`
    ");
    snapshot!(env.run(&["index", "--check", "--json"]), @r#"
    exit: 1
    --- stdout
    {"ok":false,"uncommitted":3,"damaged":0,"skipped":0,"stale":0}
    --- stderr
    hint: run `elophanto index` and commit `.elophanto/index`
    "#);
    env.ok(&["index"]);
    snapshot!(env.run(&["index", "--check"]), @"
    exit: 0
    --- stdout
    ok: 2 files, 3 chunks, all indexed, every vector in a table
    --- stderr
    ");
    env.write("docs/new.md", "# New\n\nA new note.\n");
    assert_eq!(env.run(&["index", "--check"]).code, Some(1), "the new note is in no table");
    env.ok(&["index"]);
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
    // Of pages of entities too, as doctor says.
    env.write("knowledge/learned/entities/otter.md", "# Otter\n\n- Otters hold hands.\n");
    assert_eq!(env.run(&["index", "--check"]).code, Some(1), "the page is in no table");
    let doctor = env.run(&["doctor"]);
    assert!(doctor.stdout().contains("! 1 chunk has no vector"), "{doctor}");
    env.ok(&["index"]);
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
    assert!(env.ok(&["doctor"]).stdout().contains("nothing is wrong"));
    env.write("docs/bad.md", [0xff, 0xfe, 0x00, 0xd8, 0x00, 0x01, 0x00, 0x00, 0x9c, 0xff, 0x81]);
    let output = env.run(&["index", "--check"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr().contains("docs/bad.md"), "{output}");
}

#[test]
fn a_fresh_clone_is_complete() {
    let env = two_notes();
    env.ok(&["init"]);
    env.ok(&["index"]);
    env.commit("all");
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let clone = env.outside().join("clone");
    let check = finish(env.command(&["index", "--check"]).current_dir(&clone));
    assert_eq!(check.code, Some(0), "{check}");
    let run = finish(env.command(&["index", "--json"]).current_dir(&clone)).json().remove(0);
    assert_eq!((&run["embedded"], &run["files"]), (&json!(0), &json!(8)));
    let status = finish(env.sealed("git").args(["status", "--porcelain"]).current_dir(&clone));
    assert_eq!(status.stdout(), "", "the clone is as it was");
    // The same where `index` is the first thing that happens there.
    env.git(&["clone", "--quiet", ".", "../second"]);
    let second = env.outside().join("second");
    let run = finish(env.command(&["index", "--json"]).current_dir(&second)).json().remove(0);
    assert_eq!(run["embedded"], 0);
}

/// The index of this package's own notes is committed with them.
#[test]
fn a_fresh_clone_of_this_package_is_complete() {
    let package = env!("CARGO_MANIFEST_DIR");
    if !Path::new(package).join(".git").exists() {
        // Built from a package of sources: nothing to clone.
        return;
    }
    let env = TestEnv::plain();
    env.git(&["clone", "--quiet", "--", package, "clone"]);
    let check = env.run_in("clone", &["index", "--check"]);
    assert_eq!(check.code, Some(0), "run `elophanto index` and commit `.elophanto/index`\n{check}");
    let run = env.run_in("clone", &["index", "--json"]).json().remove(0);
    assert_eq!(run["embedded"], 0);
    let status = finish(env.sealed("git").args(["-C", "clone", "status", "--porcelain"]));
    assert_eq!(status.stdout(), "");
}

#[test]
fn one_pending_table_until_it_is_committed() {
    let env = two_notes();
    env.ok(&["index"]);
    let first = env.pending();
    assert_eq!(first.len(), 1);
    env.write("docs/a.md", "# A\n\nAnts carry leaves.\n");
    env.ok(&["index"]);
    let second = env.pending();
    assert_eq!(second.len(), 1, "replaced, not added to");
    assert_ne!(first, second);
    env.ok(&["index"]);
    assert_eq!(env.pending(), second, "nothing changed, nothing written");
    env.commit("first table");

    let committed = bytes_of(&env, &second[0]);
    assert_eq!((env.pending().len(), env.tables().len()), (0, 1));
    for round in 0..3 {
        env.write("docs/b.md", format!("# B\n\nBees dance for the {round}. time.\n"));
        env.remove("docs/otters.md");
        env.ok(&["index"]);
        env.write("docs/otters.md", format!("# Otters\n\nThey hold {round} hands.\n"));
        env.ok(&["index", "--full"]);
        assert_eq!((env.pending().len(), env.tables().len()), (1, 2));
    }
    assert!(bytes_of(&env, &second[0]) == committed, "a committed table was touched");
    let status =
        env.git(&["status", "--porcelain", "--", &format!(".elophanto/index/{}", second[0])]);
    assert_eq!(status, "");

    // What is no longer needed waits no longer.
    env.git(&["checkout", "--quiet", "--", "docs"]);
    env.remove("docs/b.md");
    env.ok(&["index"]);
    assert_eq!((env.pending().len(), env.tables().len()), (0, 1));
}

#[test]
fn a_staged_table_counts_as_gits_own() {
    let env = two_notes();
    env.ok(&["index"]);
    env.git(&["add", ".elophanto"]);
    let staged = env.tables();
    let before = bytes_of(&env, &staged[0]);
    env.write("docs/a.md", "# A\n\nAnts carry leaves.\n");
    env.ok(&["index"]);
    assert_eq!(env.tables().len(), 2);
    assert!(bytes_of(&env, &staged[0]) == before);
}

#[test]
fn commit_never_writes_no_table() {
    let env = two_notes();
    env.write(".elophanto/config.yaml", "index:\n  commit: never\n");
    let run = env.index(&[]);
    assert_eq!((&run["embedded"], &run["pending"]), (&json!(3), &json!(0)));
    assert_eq!(env.tables(), [""; 0]);
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
}

#[test]
fn full_reads_again_and_embeds_nothing() {
    let env = two_notes();
    env.index(&[]);
    let tables = env.tables();
    let run = env.index(&["--full"]);
    assert_eq!(
        (&run["embedded"], &run["reused"], &run["chunks"]),
        (&json!(0), &json!(3), &json!(3))
    );
    assert_eq!(env.tables(), tables);
}

#[test]
fn a_lost_view_is_made_again_from_the_tables() {
    let env = two_notes();
    env.index(&[]);
    env.remove(".git/elophanto");
    assert_eq!(env.index(&[])["embedded"], 0);
    env.remove(".elophanto/index");
    assert_eq!(env.run(&["index", "--check"]).code, Some(1));
    let run = env.index(&[]);
    assert_eq!((&run["embedded"], &run["pending"]), (&json!(0), &json!(3)), "from the view");
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
}

/// The most frequent slip of a title: it costs tags and `covers` too.
#[test]
fn front_matter_that_is_not_understood_is_named() {
    let env = TestEnv::with(&[
        ("docs/ferries.md", "---\ntags: [sea]\ntitle: Ferries: when they leave\n---\nAt nine.\n"),
        ("docs/otters.md", "---\ntitle: Otters\ncreated: soon\n---\nThey hold hands.\n"),
        ("docs/seals.md", "---\ntitle: \"Seals: a list\"\n---\nThey bark.\n"),
    ]);
    env.ok(&["index"]);
    let doctor = env.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor}");
    let told = doctor.stdout();
    let lines: Vec<&str> = told.lines().filter(|line| line.starts_with("! docs/")).collect();
    assert_eq!(
        lines,
        [
            "! docs/ferries.md:3: front matter ignored: invalid YAML: mapping values are not allowed in this context",
            "! docs/otters.md:3: `created` ignored: `soon` is no date or time",
        ]
    );
}

#[test]
fn only_init_and_index_pin_the_provider() {
    let env = two_notes();
    for args in [&["search", "otters"][..], &["doctor"], &["index", "--check"]] {
        env.run(args);
        assert!(!env.path(".elophanto").exists(), "{args:?}");
    }
    env.ok(&["index"]);
    snapshot!(String::from_utf8(env.read(".elophanto/config.yaml")).unwrap(), @"
    knowledge:
      embedding_provider: minilm
    ");
    // Comments and the rest stay; a provider that was chosen stays.
    let text = "# ours\nsearch: {limit: 3}\n";
    env.write(".elophanto/config.yaml", text);
    env.ok(&["index"]);
    let pinned = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
    assert!(pinned.starts_with(text), "{pinned}");
    assert!(pinned.contains("embedding_provider: minilm"), "{pinned}");
    env.ok(&["index"]);
    assert_eq!(String::from_utf8(env.read(".elophanto/config.yaml")).unwrap(), pinned);
    env.write(".elophanto/config.yaml", "knowledge:\n  embedding_provider: ollama\n");
    env.ok(&["index"]);
    assert_eq!(env.read(".elophanto/config.yaml"), b"knowledge:\n  embedding_provider: ollama\n",);
}

#[test]
fn ignored_notes_are_not_read() {
    let env = two_notes();
    env.write("build/out.md", "# Built\n\nOtters hold hands in the build folder.\n");
    env.write("docs/draft.md", "# Draft\n\nOtters hold hands in a draft.\n");
    env.write("docs/keep.txt", "Otters hold hands in a text file.\n");
    assert_eq!(env.index(&[])["files"], 4);
    env.write(".gitignore", "build/\n");
    env.write("docs/.elophantoignore", "draft.md\n");
    let run = env.index(&[]);
    assert_eq!((&run["files"], &run["removed"]), (&json!(2), &json!(2)));
    let hits = env.hits(&["otters hold hands"]);
    assert!(hits.iter().all(|hit| hit == "docs/otters.md" || hit == "docs/bears.md"), "{hits:?}");
    // One may also be let in again.
    env.write("docs/.elophantoignore", "*.md\n!bears.md\n");
    assert_eq!(env.index(&[])["files"], 1);
}

#[test]
fn extensions_are_settings() {
    let env = two_notes();
    env.write("docs/LOUD.MARKDOWN", "# Loud\n\nA loud note.\n");
    env.write("docs/plain.txt", "A plain note about llamas.\n");
    assert_eq!(env.index(&[])["files"], 3);
    env.write(".elophanto/config.yaml", "knowledge:\n  extensions: [md, txt]\n");
    assert_eq!(env.index(&[])["files"], 3);
    assert_eq!(env.hits(&["llamas", "-n", "1"]), ["docs/plain.txt"]);
}

#[test]
fn scope_comes_from_front_matter_or_folder() {
    let env = TestEnv::new();
    for (path, front) in [
        ("knowledge/system/a.md", ""),
        ("knowledge/learned/tasks/b.md", ""),
        ("knowledge/plugins/c.md", ""),
        ("knowledge/user/d.md", ""),
        ("docs/system/e.md", ""),
        ("docs/f.md", "---\nscope: learned\n---\n"),
        ("knowledge/system/g.md", "---\nscope: user\n---\n"),
        ("docs/h.md", "---\nscope: plugins\n---\n"),
        ("docs/i.md", "+++\nscope = \"system\"\n+++\n"),
    ] {
        env.write(
            path,
            format!("{front}# Page {path}\n\nAll speak of walruses, {path} as well.\n"),
        );
    }
    let of = |scope: &str| {
        let mut hits = env.hits(&["walruses", "--scope", scope, "-n", "20"]);
        hits.sort();
        hits
    };
    assert_eq!(of("system"), ["docs/i.md", "knowledge/system/a.md"]);
    assert_eq!(of("learned"), ["docs/f.md", "knowledge/learned/tasks/b.md"]);
    assert_eq!(of("plugin"), ["docs/h.md", "knowledge/plugins/c.md"]);
    assert_eq!(of("plugins"), of("plugin"));
    assert_eq!(of("user"), ["docs/system/e.md", "knowledge/system/g.md", "knowledge/user/d.md"]);
}

#[test]
fn changed_settings_are_followed() {
    let env = two_notes();
    assert_eq!(env.index(&[])["chunks"], 3);
    env.write(
        ".elophanto/config.yaml",
        "knowledge:\n  chunk:\n    max_tokens: 50\n    min_tokens: 5\n    min_split_tokens: 20\n",
    );
    let chunks = env.index(&[])["chunks"].as_u64().unwrap();
    assert!(chunks > 3, "{chunks}");
    env.write(".elophanto/config.yaml", "knowledge:\n  roots: [docs/deeper]\n");
    snapshot!(env.run(&["index"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: knowledge root `docs/deeper` does not exist
    hint: create the folder, or correct `knowledge.roots` in `.elophanto/config.yaml`
    ");
    fs::create_dir_all(env.path("docs/deeper")).unwrap();
    assert_eq!(env.index(&[])["files"], 0);
}

#[test]
fn paths_only_choose_what_is_reported() {
    let env = two_notes();
    env.write("docs/bad.md", [0u8; 64]);
    env.write("pages/bad.md", [0u8; 64]);
    let output = env.ok(&["index", "docs"]);
    assert!(output.stderr().contains("docs/bad.md"), "{output}");
    assert!(!output.stderr().contains("pages/bad.md"), "{output}");
    assert!(output.stdout().starts_with("2 files, 3 chunks, 3 embedded"), "{output}");
    let below = env.run_in("pages", &["index", "bad.md"]);
    assert!(below.stderr().contains("pages/bad.md"), "{below}");
    let missing = env.ok(&["index", "nowhere"]);
    assert!(missing.stderr().contains("`nowhere` does not exist"), "{missing}");
}

#[test]
fn watching_and_checking_exclude_each_other() {
    let env = two_notes();
    assert_eq!(env.run(&["index", "--check", "--watch"]).code, Some(2));
    let output = env.run(&["index", "--every", "soon"]);
    snapshot!(output, @r#"
    exit: 2
    --- stdout
    --- stderr
    error: expected a duration such as 300ms, 30s, 10m, 6h, 2d or 1w, found "soon"
    hint: give a number with ms, s, m, h, d or w, such as `--every 10m`
    "#);
}

/// Waits for a child to say something on a stream that is read line by line.
fn next_line(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> String {
    lines.next().expect("the program went on").unwrap()
}

#[test]
fn watch_follows_changes_and_leaves_git_as_it_was() {
    use std::io::{BufRead, BufReader};
    let env = two_notes();
    env.ok(&["index"]);
    env.commit("all");
    let mut child = env.spawn(&["index", "--watch", "--json"]);
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines();
    let first: serde_json::Value = serde_json::from_str(&next_line(&mut out)).unwrap();
    assert_eq!(first["files"], 2);
    assert!(next_line(&mut err).contains("watching"));
    // At once and whole, so that there is one change to see.
    env.write("../new.md", "# New\n\nPelicans have landed.\n");
    env.rename("../new.md", "docs/new.md");
    let second: serde_json::Value = serde_json::from_str(&next_line(&mut out)).unwrap();
    assert_eq!((&second["files"], &second["embedded"]), (&json!(3), &json!(1)));
    assert_eq!(env.hits(&["pelicans", "--no-refresh", "-n", "1"]), ["docs/new.md"]);
    env.remove("docs/new.md");
    let third: serde_json::Value = serde_json::from_str(&next_line(&mut out)).unwrap();
    assert_eq!((&third["files"], &third["removed"]), (&json!(2), &json!(1)));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}
