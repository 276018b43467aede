//! The table that goes along with a commit, and when there is none.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn says_one_line_or_nothing() {
    let site = Site::hooked();
    // Everything that was there before, and the new note.
    site.stage("new", "Something new.");
    insta::assert_snapshot!(site.commit("new"), @"elophanto: 5 vectors go along, 1 changelog entry written");
    site.stage("new", "Something newer.");
    insta::assert_snapshot!(site.commit("newer"), @"elophanto: 2 vectors go along, 1 changelog entry written");
    site.write("code.txt", "two\n");
    site.git(&["add", "code.txt"]);
    assert_eq!(site.commit("code"), "");
    assert_eq!(site.changed("HEAD"), ["M code.txt"]);
    // Nothing is left in the work tree, and what is there is what is committed.
    assert_eq!(site.status(), [""; 0]);
    assert_eq!(site.tables("HEAD"), site.tables_here());
    assert_eq!(site.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]).stderr(), "");
    assert_eq!(site.changed("HEAD"), [""; 0]);
}

/// A wiki as a submodule, checked out or not, where the entries would lie.
#[test]
fn a_submodule_stays_what_it_is() {
    for is_there in [true, false] {
        let site = Site::hooked();
        site.git(&["clone", "--quiet", "--bare", ".", "../wiki"]);
        let allow = "protocol.file.allow=always";
        site.git(&["-c", allow, "submodule", "--quiet", "add", "../wiki", "knowledge"]);
        site.git(&["commit", "--quiet", "--no-verify", "-m", "wiki"]);
        if !is_there {
            site.git(&["submodule", "--quiet", "deinit", "--force", "knowledge"]);
        }
        let link = || site.git(&["ls-files", "--stage", "knowledge"]).stdout();
        let before = link();
        site.stage("new", "Something new.");
        let said = site.commit("new");
        assert!(said.contains("vectors go along"), "{said}");
        assert_eq!(link(), before, "{is_there}");
        assert!(site.changed("HEAD").iter().all(|line| !line.contains("knowledge")), "{is_there}");
    }
}

#[test]
fn tables_of_aborted_commits() {
    for args in [&[][..], &["-a"]] {
        let site = Site::hooked();
        site.stage("first", "The first.");
        site.commit("first");
        let before = site.tables("HEAD");
        for text in ["one", "two", "three"] {
            site.note("otters", text);
            if args.is_empty() {
                site.git(&["add", "docs/otters.md"]);
            }
            site.aborted(args);
        }
        assert!(site.tables_here().len() <= before.len() + 1, "{args:?}");
        // Back to what it was: nothing of the attempts goes along.
        site.git(&["checkout", "--quiet", "HEAD", "--", "docs/otters.md"]);
        site.stage("second", "The second.");
        site.commit("second");
        let after = site.tables("HEAD");
        assert_eq!(after.len(), before.len() + 1, "{args:?}");
        assert!(after.is_superset(&before), "{args:?}");
        assert_eq!(after, site.tables_here(), "{args:?}");
        assert_eq!(site.entries("HEAD").len(), 2, "{args:?}: {:?}", site.changed("HEAD"));
        assert_eq!(site.status(), [""; 0], "{args:?}");
        let texts = site.entry_texts("HEAD");
        assert!(texts.contains("second added") && !texts.contains("Otters"), "{args:?}: {texts}");
        assert_eq!(site.embedded_by_a_clone(), 0, "{args:?}");
    }
}

#[test]
fn a_pending_table_that_fits() {
    let site = Site::hooked();
    site.git(&["config", "commit.gpgSign", "false"]);
    site.write(".elophanto/config.yaml", format!("{SETTINGS}changelog: {{enabled: false}}\n"));
    site.stage("new", "Something new.");
    site.git(&["add", ".elophanto/config.yaml"]);
    assert_eq!(site.run(&["index"]).code, Some(0));
    let pending = site.tables_here();
    assert_eq!(pending.len(), 1);
    insta::assert_snapshot!(site.commit("new"), @"elophanto: 4 vectors go along");
    assert_eq!(site.tables("HEAD"), pending);
    // One that holds more than is committed stays until the rest is.
    site.note("draft", "Not staged.");
    site.stage("more", "Staged.");
    assert_eq!(site.run(&["index"]).code, Some(0));
    insta::assert_snapshot!(site.commit("more"), @"elophanto: 1 vector goes along");
    let committed = site.tables("HEAD");
    assert_eq!((committed.len(), site.tables_here().len()), (2, 3));
    site.git(&["add", "docs/draft.md"]);
    insta::assert_snapshot!(site.commit("draft"), @"elophanto: 1 vector goes along");
    assert_eq!(site.tables("HEAD"), site.tables_here());
    assert_eq!(site.embedded_by_a_clone(), 0);
    assert_eq!(site.status(), [""; 0]);
}

/// Behind a formatter the block sees what is committed, and stays there.
#[test]
fn a_block_that_was_moved_behind_a_formatter() {
    let site = Site::hooked();
    let base = site.asked(&["rev-parse", "HEAD"]);
    let hook = site.git_dir().join("hooks/pre-commit");
    let ours = fs::read_to_string(&hook).unwrap();
    let block = ours.strip_prefix("#!/bin/sh\n").unwrap();
    let text = format!("#!/bin/sh\nsed -i s/teh/the/ docs/new.md\ngit add docs/new.md\n{block}");
    fs::write(&hook, &text).unwrap();
    assert_eq!(site.run(&["hook", "install"]).code, Some(0));
    assert_eq!(fs::read_to_string(&hook).unwrap(), text);
    site.stage("new", "Mends teh words.");
    site.commit("new");
    assert!(site.asked(&["show", "HEAD:docs/new.md"]).contains("Mends the words."));
    assert_eq!(site.embedded_by_a_clone(), 0);
    let output = site.run(&["index", "--check", &format!("--verify={base}")]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn without_an_index_in_git() {
    let site = Site::hooked();
    site.write(".elophanto/config.yaml", format!("{SETTINGS}index: {{commit: never}}\n"));
    site.git(&["add", ".elophanto/config.yaml"]);
    site.stage("new", "Something new.");
    insta::assert_snapshot!(site.commit("new"), @"elophanto: 1 changelog entry written");
    assert_eq!((site.tables("HEAD").len(), site.tables_here().len()), (0, 0));
}

#[test]
fn a_repository_without_a_knowledge_base() {
    let site = Site::hooked();
    site.git(&["rm", "--quiet", "-r", ".elophanto"]);
    site.commit("gone");
    let _ = fs::remove_dir_all(site.top.join(".elophanto"));
    // It is still asked whether secrets go along, and writes nothing.
    site.stage("new", "Something new.");
    let before = fs::read_dir(site.git_dir()).unwrap().count();
    assert_eq!(site.commit("new"), "");
    assert_eq!(site.changed("HEAD"), ["A docs/new.md"]);
    assert_eq!(fs::read_dir(site.git_dir()).unwrap().count(), before);
}

#[test]
fn a_damaged_or_absent_view() {
    let site = Site::hooked();
    site.stage("new", "Something new.");
    site.commit("new");
    for damage in ["gone", "flipped", "empty"] {
        let local = site.git_dir().join("elophanto");
        let mut files = Vec::new();
        all_files(&local, &mut files);
        if damage == "gone" {
            fs::remove_dir_all(&local).unwrap();
        }
        for (path, mut bytes) in files {
            match damage {
                "flipped" if !bytes.is_empty() => {
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 1;
                    fs::write(&path, bytes).unwrap();
                }
                "empty" => fs::write(&path, "").unwrap(),
                _ => {}
            }
        }
        site.stage(damage, "After the damage.");
        let said = site.commit(damage);
        assert_eq!(said.lines().count(), 1, "{damage}: {said}");
        assert!(site.changed("HEAD").len() > 3, "{damage}: {:?}", site.changed("HEAD"));
        assert_eq!(site.embedded_by_a_clone(), 0, "{damage}");
        assert_eq!(site.status(), [""; 0], "{damage}");
    }
    // A table in the work tree that is not what is committed.
    let table = site.tables("HEAD").pop_first().unwrap();
    let mut files = Vec::new();
    all_files(&site.top.join(".elophanto/index").join(&table), &mut files);
    for (path, _) in &files {
        fs::write(path, "").unwrap();
    }
    fs::remove_dir_all(site.git_dir().join("elophanto")).unwrap();
    site.stage("last", "After the damage.");
    let said = site.commit("last");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(site.embedded_by_a_clone(), 0);
    for (path, bytes) in &files {
        assert_ne!(&fs::read(path).unwrap(), bytes, "the user's to put right");
    }
}

#[test]
fn a_sparse_work_tree() {
    let site = Site::hooked();
    site.stage("new", "Something new.");
    site.commit("new");
    // Git drops only what it knows to be unchanged, and trusts no file as young as its index.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    site.status();
    site.git(&[
        "sparse-checkout", "set", "--no-cone", "/*", "!/.elophanto/index/", "!/docs/long.md",
    ]);
    assert!(site.tables_here().is_empty());
    site.stage("newer", "Something newer.");
    insta::assert_snapshot!(site.commit("newer"), @"elophanto: 2 vectors go along, 1 changelog entry written");
    assert_eq!(site.tables("HEAD").len(), 2);
    assert_eq!(site.embedded_by_a_clone(), 0);
}

#[test]
fn a_locked_index() {
    let site = Site::hooked();
    site.stage("new", "Something new.");
    let (staged, status) = (site.staged(), site.status());
    let lock = site.git_dir().join("index.lock");
    fs::write(&lock, "").unwrap();
    let output = site.run(&["hook", "run", "pre-commit"]);
    assert_eq!((output.code, output.stderr().lines().count()), (Some(0), 1), "{output}");
    assert!(lock.exists());
    fs::remove_file(&lock).unwrap();
    assert_eq!((site.staged(), not_ours(site.status())), (staged, not_ours(status)));
    // Nothing is left of it but what the next commit takes.
    site.commit("new");
    assert_eq!(site.entries("HEAD").len(), 1);
    assert_eq!(site.status(), [""; 0]);
    assert_eq!(site.embedded_by_a_clone(), 0);
}

#[test]
fn a_short_path() {
    let site = Site::hooked();
    let tools = site.env.outside().join("tools");
    fs::create_dir(&tools).unwrap();
    let git = finish(site.env.sealed("sh").args(["-c", "command -v git"])).stdout();
    std::os::unix::fs::symlink(git.trim(), tools.join("git")).unwrap();
    site.stage("new", "Something new.");
    let mut command = site.command(git.trim(), &["commit", "--quiet", "-m", "new"]);
    let output = finish(command.env("PATH", &tools).env_remove("HOME").env_remove("LC_ALL"));
    assert_eq!(output.code, Some(0), "{output}");
    insta::assert_snapshot!(output.stderr(), @"elophanto: 5 vectors go along, 1 changelog entry written");
}

#[test]
fn a_git_directory_of_ours_that_cannot_be_written() {
    for in_the_way in ["a file", "no rights"] {
        let site = Site::hooked();
        site.stage("first", "The first.");
        site.commit("first");
        let local = site.git_dir().join("elophanto");
        if in_the_way == "a file" {
            fs::remove_dir_all(&local).unwrap();
            fs::write(&local, "").unwrap();
        } else {
            fs::set_permissions(&local, fs::Permissions::from_mode(0o555)).unwrap();
        }
        for name in ["new", "newer"] {
            site.stage(name, "Something new.");
            let said = site.commit(name);
            assert_eq!(said.lines().count(), 1, "{in_the_way}: {said}");
        }
        assert_eq!(site.entries("HEAD").len(), 3, "{in_the_way}");
        assert_eq!(site.status(), [""; 0], "{in_the_way}");
        if in_the_way == "no rights" {
            fs::set_permissions(&local, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

#[test]
fn notes_that_cannot_be_read() {
    let site = Site::hooked();
    site.write("docs/random.md", [0xff, 0x00, 0xfe, 0x80, 0x81].repeat(100));
    site.write("docs/matter.md", "---\ntitle: [unclosed\n: x\n---\n\n# Matter\n\nText.\n");
    site.write("docs/empty.md", "");
    site.write("docs/blank.md", "\n\n");
    site.write(
        "docs/pointer.md",
        "version https://git-lfs.github.com/spec/v1\n\
         oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
    );
    site.write("docs/huge.md", "word ".repeat(3 * 1024 * 1024));
    site.write("docs/conflict.md", "<<<<<<< ours\n# A\n=======\n# B\n>>>>>>> theirs\n");
    std::os::unix::fs::symlink("/dev/zero", site.top.join("docs/link.md")).unwrap();
    site.git(&["add", "docs"]);
    let said = site.commit("odd");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(site.embedded_by_a_clone(), 0);
    assert_eq!(site.status(), [""; 0]);
    // A title that a note does not have is the name of its file.
    let texts = site.entry_texts("HEAD");
    assert!(texts.contains("pointer"), "{texts}");
}

#[test]
fn names_of_every_kind() {
    use std::os::unix::ffi::OsStrExt;
    let site = Site::hooked();
    let long = format!("{}.md", "n".repeat(252));
    let names: [&[u8]; 9] = [
        b"line\nfeed.md",
        b"tab\tbed.md",
        b"quo\"te's.md",
        b"-rf.md",
        b":(glob)star*.md",
        b"caf\xe9.md",
        "é\u{202e}dm.md".as_bytes(),
        b"back\\slash `code` [x](y).md",
        long.as_bytes(),
    ];
    let token = concat!("ghp", "_", "R7kq2ZpX9vLm4TnB8cWd1YsF6hJg3Qa5Ue0o");
    for (number, name) in names.iter().enumerate() {
        let path = site.top.join(std::ffi::OsStr::from_bytes(name));
        fs::write(path, format!("# Name {number}\n\nNamed {number} in its own way.\n")).unwrap();
    }
    site.git(&["add", "--all"]);
    insta::assert_snapshot!(site.commit("names"), @"elophanto: 13 vectors go along, 1 changelog entry written");
    assert_eq!(site.embedded_by_a_clone(), 0);
    assert_eq!(site.status(), [""; 0]);
    let entry = site.read(&site.entries("HEAD")[0]);
    assert!(entry.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{entry}");
    // What is changed, moved and removed is found again.
    for (number, name) in names.iter().enumerate() {
        let path = site.top.join(std::ffi::OsStr::from_bytes(name));
        match number % 3 {
            0 => fs::write(path, format!("# Name {number}\n\nChanged.\n")).unwrap(),
            1 => fs::remove_file(path).unwrap(),
            _ => fs::rename(path, site.top.join(format!("plain{number}.md"))).unwrap(),
        }
    }
    site.git(&["add", "--all"]);
    site.commit("other names");
    let texts = site.entry_texts("HEAD");
    assert!(texts.contains("3 notes changed, 3 notes removed, 3 notes renamed"), "{texts}");
    assert_eq!(site.embedded_by_a_clone(), 0);
    // A finding in one of them stays on its line.
    fs::write(site.top.join("a\nb\u{1b}[2J.md"), format!("{token}\n")).unwrap();
    site.git(&["add", "--all"]);
    let output = site.try_git(&["commit", "-m", "x"]);
    assert_eq!((output.code, output.stderr().lines().count()), (Some(1), 3), "{output}");
    assert!(!output.stderr().contains('\u{1b}'), "{output}");
}

#[test]
fn after_a_merge_the_view_is_current() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    site.git(&["checkout", "--quiet", "-b", "other", "HEAD~"]);
    site.stage("other", "Of the other branch.");
    site.commit("other");
    site.git(&["checkout", "--quiet", "main"]);
    let output = site.git(&["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(output.stderr(), "");
    let output = site.run(&["search", "--json", "--no-refresh", "other branch"]);
    assert_eq!(output.json()[0]["path"], "docs/other.md", "{output}");
}

#[test]
fn a_sparse_work_tree_stays_clean() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    site.git(&["sparse-checkout", "set", "docs", ".elophanto"]);
    site.stage("second", "The second.");
    site.commit("second");
    assert_eq!(site.entries("HEAD").len(), 2);
    assert_eq!(site.status(), [""; 0]);
    assert!(site.entry_texts("HEAD").contains("second"));
}

#[test]
fn what_cannot_be_written_keeps_nothing_else_back() {
    let site = Site::hooked();
    site.write("knowledge", "a file, and no folder\n");
    site.stage("first", "The first.");
    let said = site.commit("first");
    assert!(said.contains("no changelog entry is written: "), "{said}");
    assert!(said.contains("go along"), "{said}");
    assert_eq!(site.tables("HEAD").len(), 1);
}

#[test]
fn what_a_kill_left_is_cleared_away_in_time() {
    let site = Site::hooked();
    let names = ["knowledge/system/.tmp-elophanto-abc", ".elophanto/memory/x/.tmp-elophanto-def"];
    names.iter().for_each(|name| site.write(name, "half"));
    site.run(&["index"]);
    assert!(names.iter().all(|name| site.top.join(name).exists()), "somebody may be at work");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7_200);
    for name in names {
        fs::File::options()
            .write(true)
            .open(site.top.join(name))
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
    site.run(&["index"]);
    assert!(names.iter().all(|name| !site.top.join(name).exists()));
}

#[test]
fn what_is_only_intended_is_not_in_the_commit() {
    // What libgit2 cannot read is asked of the program.
    for is_split in [false, true] {
        let site = Site::hooked();
        if is_split {
            site.git(&["update-index", "--split-index"]);
        }
        site.stage("first", "The first.");
        site.commit("first");
        site.note("new", "Something new.");
        site.note("part", "Something else.");
        assert_eq!(site.run(&["index"]).code, Some(0));
        site.git(&["add", "--intent-to-add", "."]);
        site.git(&["add", "docs/part.md"]);
        site.commit("part");
        let texts = site.entry_texts("HEAD");
        assert!(texts.contains("part added") && !texts.contains("new added"), "{texts}");
        site.git(&["add", "docs/new.md"]);
        site.commit("new");
        assert_eq!(site.status(), [""; 0], "split: {is_split}");
        assert_eq!(site.tables("HEAD"), site.tables_here(), "split: {is_split}");
        assert_eq!(site.embedded_by_a_clone(), 0, "split: {is_split}");
    }
}
