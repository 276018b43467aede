use std::collections::BTreeSet;

use ignore::WalkBuilder;
use proptest::prelude::*;

use super::{rules::IGNORE_FILES, *};

fn selection(roots: &[&str]) -> Selection {
    Selection {
        roots: roots.iter().map(PathBuf::from).collect(),
        extensions: vec!["md".to_owned()],
        apart: PathBuf::new(),
        is_key: |_| false,
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path.trim_start_matches('/'));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn walked(root: &Path, roots: &[&str]) -> Vec<String> {
    let (walked, failed) = walk(root, &selection(roots));
    assert!(failed.is_empty(), "{failed:?}");
    walked.iter().map(|walked| walked.path.to_text()).collect()
}

/// What the crate `ignore` finds under the rules of git's files in the tree, under those of the user's
/// exclude file, and under ours: what all three keep.
fn by_crate(root: &Path, roots: &[&str]) -> Vec<String> {
    let found = [(true, false, false), (false, true, false), (false, false, true)].map(
        |(git, exclude, ours)| {
            let mut builder = WalkBuilder::new(root.join(roots[0]));
            for folder in &roots[1..] {
                builder.add(root.join(folder));
            }
            builder.require_git(false).ignore(false).hidden(false);
            builder.git_ignore(git).git_exclude(exclude).git_global(exclude);
            if ours {
                builder.add_custom_ignore_filename(".elophantoignore");
            }
            by_rules(root, &builder)
        },
    );
    let [git, exclude, ours] = &found;
    git.iter().filter(|path| exclude.contains(*path) && ours.contains(*path)).cloned().collect()
}

fn by_rules(root: &Path, builder: &WalkBuilder) -> BTreeSet<String> {
    let mut builder = builder.clone();
    builder.filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        entry.depth() == 0 || !(is_hidden || is_folder && entry.path().join(".git").exists())
    });
    let files = builder.build().filter_map(Result::ok).filter(|entry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        is_file && entry.path().extension().is_some_and(|it| it == "md")
    });
    let relative = |entry: ignore::DirEntry| {
        let path = entry.path().strip_prefix(root).unwrap();
        path.strip_prefix(".").unwrap_or(path).to_string_lossy().into_owned()
    };
    files.map(relative).collect()
}

#[test]
fn what_is_no_note_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for path in [
        "a.md", "b.txt", ".hidden.md", ".github/c.md", ".github/.d.md", "docs/.github/e.md",
        ".claude/f.md", "inner/.git/HEAD", "inner/g.md", "kept/.h.md", "kept/i.md",
    ] {
        write(root, path, "x");
    }
    write(root, ".git/info/exclude", "i.md\n");
    write(root, "kept/.elophantoignore", "!.h.md\n");
    std::os::unix::fs::symlink("a.md", root.join("link.md")).unwrap();
    assert_eq!(walked(root, &["."]), [".github/c.md", "a.md"]);
    assert_eq!(walked(root, &["./kept", "kept", "absent"]), [""; 0]);
    assert_eq!(walked(root, &["docs"]), [""; 0]);
}

/// Ignore files of a clone bring back nothing that the user keeps from git, or hides.
#[test]
fn ours_only_leave_out_more() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for path in ["a.md", "b.md", "private/c.md", "own/d.md", ".secret/e.md", "docs/f.md", ".g.md"] {
        write(root, path, "x");
    }
    write(root, ".gitignore", "private/\n!own/\n");
    write(root, ".git/info/exclude", "own/\n");
    let back = "*.md\n!private/\n!own/\n!.secret/\n!.g.md\n!a.md\n!c.md\n!d.md\n!e.md\n!f.md\n";
    for name in [".elophantoignore", ".ignore"] {
        write(root, name, back);
    }
    assert_eq!(walked(root, &["."]), ["a.md", "docs/f.md"]);
    let (files, _) = walk_files(root, &[".".into()], |_| true, |_| true);
    let files: Vec<String> = files.iter().map(|it| it.path.to_text()).collect();
    assert_eq!(files, ["a.md", "docs/f.md"]);
}

#[test]
fn a_path_is_relative_to_the_root() {
    for (root, path, expected) in [
        ("/a", "/a/b.md", Some("b.md")),
        ("/a/", "/a/b/c.md", Some("b/c.md")),
        ("/a//b", "/a/b/c.md", Some("c.md")),
        ("/", "/b.md", Some("b.md")),
        ("/a", "/a", Some("")),
        ("/a", "/ab/c.md", None),
        ("/a", "/b.md", None),
    ] {
        assert_eq!(below(Path::new(root), Path::new(path)), expected.map(Path::new), "{path}");
    }
}

#[test]
fn a_named_path_is_found_as_the_walk_finds_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let root = root.as_path();
    for path in [
        "a.md", "src/b.rs", "private/c.md", "own/d.md", ".secret/e.md", ".env", ".github/f.md",
        "inner/.git/HEAD", "inner/g.md", "src/.ignored/h.md", "one/private.md",
    ] {
        write(root, path, "x");
    }
    write(root, ".gitignore", "private/\n*.log\none/private.md\n");
    write(root, ".git/info/exclude", "own\n");
    write(root, ".elophantoignore", "!private/\n!.secret/\n");
    std::os::unix::fs::symlink("private", root.join("linked")).unwrap();
    std::os::unix::fs::symlink("private/c.md", root.join("link.md")).unwrap();
    let finder = Finder::new(root);
    for (path, found) in [
        ("a.md", true),
        ("src/b.rs", true),
        ("src", true),
        ("src/gone.rs", true),
        ("gone/b.rs", true),
        (".github/f.md", true),
        ("private/c.md", false),
        ("private", false),
        ("src/private/gone.md", false),
        ("src/x.log", false),
        ("one/private.md", false),
        ("own/d.md", false),
        (".secret/e.md", false),
        (".env", false),
        ("src/.ignored/h.md", false),
        ("inner/g.md", false),
        ("linked/c.md", false),
        ("link.md", false),
        (".git/config", false),
        (".git", false),
        ("../a.md", false),
        ("src/../private/c.md", false),
        ("own//d.md", false),
        ("src//b.rs", false),
        ("src/./b.rs", false),
        ("./a.md", false),
        ("src/", false),
        ("private//c.md", false),
        ("one//private.md", false),
        ("one/./private.md", false),
        ("inner", false),
        ("/etc/passwd", false),
        ("", false),
        (".", false),
    ] {
        assert_eq!(finder.finds(Path::new(path)), found, "{path}");
    }
}

#[test]
fn ignore_files_that_never_end_leave_their_folder_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for path in ["a.md", "endless/b.md", "endless/below/c.md", "dangling/d.md"] {
        write(root, path, "x");
    }
    std::os::unix::fs::symlink("/dev/zero", root.join("endless/.gitignore")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("dangling/.gitignore")).unwrap();
    for (roots, found) in [(&["."][..], &["a.md", "dangling/d.md"][..]), (&["endless/below"], &[])]
    {
        let (walked, failed) = walk(root, &selection(roots));
        assert_eq!(walked.iter().map(|it| it.path.to_text()).collect::<Vec<_>>(), found);
        let [failed] = &failed[..] else { panic!("{failed:?}") };
        let said = failed.to_string();
        assert!(said.ends_with("its folder is left out: `endless/.gitignore` is no regular file"));
    }
}

#[test]
fn rules_of_an_ignore_file_that_is_too_large_do_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.md", "x");
    for (length, found) in [(MOST_IGNORE_BYTES, &[][..]), (MOST_IGNORE_BYTES + 1, &["a.md"])] {
        let mut rules = "a.md\n#".to_owned();
        rules.push_str(&"x".repeat(length as usize - rules.len()));
        write(root, ".gitignore", &rules);
        let (walked, failed) = walk(root, &selection(&["."]));
        assert_eq!(walked.iter().map(|it| it.path.to_text()).collect::<Vec<_>>(), found);
        assert_eq!(failed.len(), found.len(), "{failed:?}");
    }
}

/// Names of a small world, so that rules and files meet.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", ".d"]).prop_map(str::to_owned)
}

fn place() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 0..4).prop_map(|names| names.join("/"))
}

fn rule() -> impl Strategy<Value = String> {
    let pattern = prop::sample::select(vec![
        "*", "*.md", "a", "a/", "/a", "b.md", "/b.md", "**/c", "c/**", "a/b", ".d", ".*",
        "[ab].md", "\\!a", "# no rule", "a//", "[",
    ]);
    (any::<bool>(), pattern).prop_map(
        |(kept, pattern)| {
            if kept { format!("!{pattern}") } else { pattern.to_owned() }
        },
    )
}

#[test]
fn a_pipe_that_takes_the_place_of_an_ignore_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join(".gitignore");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let rules = Rules::above(folder.path(), folder.path(), OF_NOTES).unwrap();
    let rules = rules.within(folder.path(), &[".gitignore"], false);
    assert!(!rules.ignores(&folder.path().join("a.md"), false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn as_the_crate_ignore_walks(
        files in prop::collection::vec((place(), name()), 1..20),
        rules in prop::collection::vec(
            (place(), 0..4usize, prop::collection::vec(rule(), 1..4)),
            0..6,
        ),
        inner in prop::option::of(place()),
        root in place(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join(".git/info")).unwrap();
        for (place, name) in files {
            write(top, &format!("{place}/{name}.md"), "x");
        }
        for (place, kind, lines) in rules {
            match IGNORE_FILES.get(kind) {
                Some(name) => write(top, &format!("{place}/{name}"), &lines.join("\n")),
                None => write(top, ".git/info/exclude", &lines.join("\n")),
            }
        }
        if let Some(place) = inner.filter(|place| !place.is_empty()) {
            fs::create_dir_all(top.join(place).join(".git")).unwrap();
        }
        let root = if root.is_empty() { "." } else { &root };
        for roots in [&[root][..], &[".", root][..]] {
            let has = top.join(root).is_dir();
            prop_assert_eq!(walked(top, roots), if has || roots.len() > 1 { by_crate(top, roots) } else { vec![] });
        }
    }
}
