//! Entries of the changelog, which commits bring, and the page that gathers them, which none does.

use super::*;

/// What stands in the only entry that a commit brought.
fn entry(site: &Site, revision: &str) -> String {
    let brought = site.changed(revision);
    let mut new: Vec<&str> = brought.iter().filter_map(|line| line.strip_prefix("A ")).collect();
    new.retain(|path| path.starts_with(&format!("{ENTRIES}/")));
    assert_eq!(new.len(), 1, "{brought:?}");
    site.asked(&["show", &format!("{revision}:{}", new[0])])
}

/// Titles of the entries of a commit, sorted.
fn titles(site: &Site, revision: &str) -> Vec<String> {
    let texts = site.entry_texts(revision);
    let title = |line: &str| Some(line.strip_prefix("## ")?.split_once(" — ")?.1.to_owned());
    let mut titles: Vec<String> = texts.lines().filter_map(title).collect();
    titles.sort();
    titles
}

/// A commit that no hook sees.
fn unseen(site: &Site, name: &str, text: &str) {
    site.stage(name, text);
    let message = format!("write {name}");
    site.git(&["commit", "--quiet", "--no-verify", "-m", &message]);
}

#[test]
fn says_what_a_commit_brings() {
    let site = Site::hooked();
    site.stage("new", "Something new.");
    site.git(&["mv", "docs/long.md", "docs/longer.md"]);
    site.git(&["rm", "--quiet", "docs/draft.md"]);
    site.write("docs/otters.md", "# Sea otters\n\nThey let go.\n");
    site.git(&["add", "docs/otters.md"]);
    site.commit("all");
    let text = entry(&site, "HEAD");
    let (_, rest) = text.split_once(" — ").unwrap();
    insta::assert_snapshot!(rest, @"
    new added, Sea otters changed, Draft removed, Long renamed

    - **Type**: knowledge
    - **Details**: added new (`docs/new.md`);
      changed Sea otters (`docs/otters.md`);
      removed Draft (`docs/draft.md`);
      renamed Long (`docs/longer.md`, was `docs/long.md`)
    ");
    let path = &site.entries("HEAD")[0];
    assert_eq!(site.read(path), text + "\n");
}

#[test]
fn says_where_and_how_a_note_changed() {
    let site = Site::hooked();
    let keys =
        "# Keys\n\nWhat unlocks.\n\n## Rotation\n\nKeys rotate weekly.\n\n## Audit\n\nNever.\n";
    site.write("docs/keys.md", keys);
    site.git(&["add", "docs/keys.md"]);
    site.commit("keys");
    for (from, to, said) in [
        ("weekly.", "daily.", " in “Rotation”: “weekly.” is now “daily.”\n"),
        ("Never.", "Twice a year.\nBy hand.", " in “Audit”\n"),
        ("What", "All that", ": “What” is now “All that”\n"),
    ] {
        let text = site.read("docs/keys.md");
        site.write("docs/keys.md", text.replace(from, to));
        site.git(&["commit", "--quiet", "-a", "-m", said]);
        let entry = entry(&site, "HEAD") + "\n";
        assert!(entry.ends_with(&format!("changed Keys (`docs/keys.md`){said}")), "{entry}");
    }
}

/// What a clean filter makes of a note is committed, and that is told; entries are staged as they are, and
/// no filter changes what git then finds in them.
#[test]
fn says_what_is_committed_where_a_filter_cleans() {
    let site = Site::hooked();
    site.git(&["config", "filter.loud.clean", "tr a-z A-Z"]);
    let ours = site.read(".gitattributes");
    site.write(".gitattributes", format!("*.md filter=loud\n{ours}"));
    site.stage("quiet", "Whispered.");
    site.git(&["add", ".gitattributes"]);
    site.commit("all");
    let text = entry(&site, "HEAD") + "\n";
    assert!(text.contains("added QUIET (`docs/quiet.md`)"), "{text}");
    let path = &site.entries("HEAD")[0];
    assert_eq!(site.read(path), text);
    // Looked at anew, whatever its time says.
    site.write(path, &text);
    assert_eq!(site.asked(&["status", "--porcelain", "--", ENTRIES]), "");
}

#[test]
fn none_for_what_is_ours_and_none_beside_one() {
    let site = Site::hooked();
    site.stage("new", "Something new.");
    site.commit("new");
    let text = "## 2026-01-02 — Written by hand\n\n- **Reason**: it was time\n";
    site.write(format!("{ENTRIES}/2026-01-02-01jd8xq0t3v5w7y9z1a3c5e7g1.md"), text);
    site.git(&["add", ENTRIES]);
    site.stage("newer", "Something newer.");
    site.commit("with an entry");
    assert_eq!(site.entries("HEAD").len(), 2);
    assert!(titles(&site, "HEAD").contains(&"Written by hand".to_owned()));
    // The page and the index alone are no change.
    site.write(PAGE, "# What happened\n");
    site.git(&["add", PAGE]);
    site.commit("page");
    assert_eq!(site.entries("HEAD").len(), 2);
    assert_eq!(site.status(), [""; 0]);
}

#[test]
fn of_commits_that_no_hook_saw() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    unseen(&site, "one", "Not seen.");
    unseen(&site, "two", "Not seen either.");
    // An attempt that comes to nothing loses none of them.
    site.stage("third", "The third.");
    site.aborted(&[]);
    site.git(&["reset", "--quiet"]);
    site.git(&["clean", "-fdq", "--", ENTRIES]);
    site.git(&["checkout", "--quiet", "--", "."]);
    site.stage("third", "The third.");
    let said = site.commit("third");
    assert!(said.contains("3 changelog entries written, 2 of them for earlier commits"), "{said}");
    let expected = ["first added", "one added", "third added", "two added"];
    assert_eq!(titles(&site, "HEAD"), expected);
    let texts = site.entry_texts("HEAD");
    assert!(texts.contains("- **Reason**: write one\n"), "{texts}");
    // Nobody says it twice.
    for name in ["fourth", "fifth"] {
        site.stage(name, "And on.");
        site.commit(name);
    }
    assert_eq!(titles(&site, "HEAD").len(), 6);
}

#[test]
fn of_many_commits_that_no_hook_saw_the_newest() {
    let site = Site::hooked();
    for number in 1..=8 {
        unseen(&site, &format!("n{number}"), "Not seen.");
    }
    for name in ["first", "second", "third"] {
        site.stage(name, "Seen.");
        site.commit(name);
    }
    let expected = ["first", "n4", "n5", "n6", "n7", "n8", "second", "third"]
        .map(|name| format!("{name} added"));
    assert_eq!(titles(&site, "HEAD"), expected);
}

#[test]
fn of_what_was_before_the_hooks_there_is_none() {
    let site = Site::new(Tree::Main, false);
    // More branches than are remembered: those that were committed to last are.
    let mut old = site.command("git", &["commit-tree", "HEAD^{tree}", "-m", "old"]);
    let old = finish(old.env("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")).stdout();
    for number in 0..250 {
        fs::write(site.git_dir().join(format!("refs/heads/a{number}")), &old).unwrap();
    }
    site.git(&["checkout", "--quiet", "-b", "release"]);
    for number in 1..=8 {
        site.stage(&format!("n{number}"), "Before the hooks.");
        site.commit("before");
    }
    site.git(&["checkout", "--quiet", "main"]);
    assert_eq!(site.run(&["hook", "install"]).code, Some(0));
    site.stage("first", "The first.");
    site.commit("first");
    site.git(&["checkout", "--quiet", "release"]);
    site.git(&["merge", "--quiet", "--no-edit", "main"]);
    site.stage("second", "The second.");
    site.commit("second");
    assert_eq!(titles(&site, "HEAD"), ["first added", "second added"]);
    // Nor of history that was written anew.
    let filter = "cat; echo x";
    let mut command =
        site.command("git", &["filter-branch", "-f", "--msg-filter", filter, "release"]);
    let output = finish(command.env("FILTER_BRANCH_SQUELCH_WARNING", "1"));
    assert_eq!(output.code, Some(0), "{output}");
    site.stage("third", "The third.");
    site.commit("third");
    assert_eq!(titles(&site, "HEAD"), ["first added", "second added", "third added"]);
}

#[test]
fn of_a_cherry_pick_and_of_a_pull() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    // Another clone without hooks.
    let other = site.env.outside().join("other");
    let other = other.to_str().unwrap();
    site.git(&["clone", "--quiet", ".", other]);
    for name in ["a", "b"] {
        fs::write(
            Path::new(other).join(format!("docs/{name}.md")),
            format!("# {name}\n\nPulled.\n"),
        )
        .unwrap();
        site.git(&["-C", other, "add", "docs"]);
        site.git(&["-C", other, "commit", "--quiet", "-m", &format!("pull {name}")]);
    }
    site.git(&["pull", "--quiet", "--ff-only", other, "main"]);
    site.git(&["checkout", "--quiet", "-b", "side"]);
    unseen(&site, "picked", "Picked.");
    site.git(&["checkout", "--quiet", "main"]);
    site.git(&["cherry-pick", "side"]);
    site.stage("last", "The last.");
    site.commit("last");
    // What was pulled was others' to write down.
    assert_eq!(titles(&site, "HEAD"), ["first added", "last added", "picked added"]);
}

#[test]
fn only_the_clone_that_made_a_commit_writes_it_down() {
    let site = Site::hooked();
    let start = site.asked(&["rev-parse", "HEAD"]);
    unseen(&site, "one", "Not seen.");
    unseen(&site, "two", "Not seen either.");
    let other = site.env.outside().join("other");
    site.git(&["clone", "--quiet", ".", other.to_str().unwrap()]);
    let clone = Site { env: TestEnv::plain(), top: other };
    clone.git(&["checkout", "--quiet", "--detach", &start]);
    assert_eq!(clone.run(&["hook", "install"]).code, Some(0));
    clone.git(&["checkout", "--quiet", "main"]);
    for (site, name) in [(&site, "here"), (&clone, "there")] {
        site.stage(name, "One of two.");
        site.commit(name);
    }
    assert_eq!(titles(&site, "HEAD"), ["here added", "one added", "two added"]);
    assert_eq!(titles(&clone, "HEAD"), ["there added"]);
    site.git(&["fetch", "--quiet", clone.top.to_str().unwrap(), "main"]);
    site.git(&["merge", "--quiet", "--no-edit", "FETCH_HEAD"]);
    assert_eq!(titles(&site, "HEAD").len(), 4);
}

#[test]
fn once_after_amend_and_rebase() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    site.git(&["checkout", "--quiet", "-b", "side"]);
    unseen(&site, "one", "Not seen.");
    site.stage("two", "Seen.");
    site.commit("two");
    site.git(&["commit", "--quiet", "--amend", "-m", "two, again"]);
    site.git(&["checkout", "--quiet", "main"]);
    site.stage("main", "Meanwhile.");
    site.commit("main");
    site.git(&["checkout", "--quiet", "side"]);
    site.git(&["rebase", "--quiet", "main"]);
    site.stage("three", "After the rebase.");
    site.commit("three");
    site.git(&["checkout", "--quiet", "main"]);
    site.git(&["merge", "--quiet", "--ff-only", "side"]);
    site.stage("last", "The last.");
    site.commit("last");
    let expected =
        ["first added", "last added", "main added", "one added", "three added", "two added"];
    assert_eq!(titles(&site, "HEAD"), expected);
}

#[test]
fn an_attempt_that_was_given_up_is_not_written_down() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    site.stage("wrong", "A mistake.");
    site.aborted(&[]);
    site.git(&["rm", "--quiet", "--cached", "docs/wrong.md"]);
    site.stage("right", "No mistake.");
    site.commit("right");
    assert_eq!(titles(&site, "HEAD"), ["first added", "right added"]);
    assert_eq!(site.status(), ["?? docs/wrong.md"]);
    // Neither is one whose entry the user took over.
    site.stage("more", "More.");
    site.aborted(&[]);
    let written: Vec<String> =
        site.status().into_iter().filter(|line| line.starts_with("A  k")).collect();
    let path = written[0].strip_prefix("A  ").unwrap();
    site.write(path, "## 2026-01-02 — In my words\n");
    site.git(&["add", path]);
    site.commit("more");
    assert!(titles(&site, "HEAD").contains(&"In my words".to_owned()));
    assert_eq!(site.entries("HEAD").len(), 3);
}

#[test]
fn the_page_is_gathered_when_somebody_asks() {
    let site = Site::hooked();
    site.write(PAGE, "# Changelog\n\nMine.\n");
    site.git(&["add", PAGE]);
    site.commit("page");
    for branch in ["left", "right"] {
        site.git(&["checkout", "--quiet", "-b", branch, "main"]);
        site.stage(branch, "Of a branch.");
        site.commit(branch);
    }
    site.git(&["checkout", "--quiet", "main"]);
    site.stage("main", "Of the trunk.");
    site.commit("main");
    for branch in ["left", "right"] {
        site.git(&["merge", "--quiet", "--no-edit", branch]);
    }
    assert_eq!(titles(&site, "HEAD"), ["left added", "main added", "right added"]);
    assert_eq!(site.read(PAGE), "# Changelog\n\nMine.\n");
    for command in [&["doctor"][..], &["hook", "status"], &["status"]] {
        let output = site.run(command);
        assert!(!format!("{output}").contains("changelog.md"), "{output}");
    }
    assert_eq!(site.run(&["changelog", "--write"]).code, Some(0));
    let gathered = site.read(PAGE);
    assert!(gathered.starts_with("# Changelog\n\nMine.\n"), "{gathered}");
    assert_eq!(gathered.matches("\n## ").count(), 3, "{gathered}");
    // Committed, it stays as it is.
    site.git(&["add", PAGE]);
    site.stage("more", "More.");
    site.commit("more");
    assert_eq!(site.read(PAGE), gathered);
    assert!(!site.changed("HEAD~").contains(&format!("M {PAGE}")));
    assert_eq!(site.status(), [""; 0]);
}

#[test]
fn what_a_user_has_on_the_page_stays() {
    let site = Site::hooked();
    site.write(PAGE, "# Changelog\n");
    site.git(&["add", PAGE]);
    site.commit("page");
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        site.git(&["update-index", flag, PAGE]);
        let before = site.asked(&["ls-files", "-v", PAGE]);
        site.stage(&flag[2..], "Something new.");
        site.commit(flag);
        assert_eq!(site.asked(&["ls-files", "-v", PAGE]), before, "{flag}");
        site.git(&["update-index", &flag.replacen("--", "--no-", 1), PAGE]);
    }
}

#[test]
fn commits_are_picked_reverted_and_put_in_another_order() {
    let site = Site::hooked();
    site.git(&["branch", "release"]);
    site.stage("one", "The first.");
    site.commit("one");
    site.stage("two", "The second.");
    site.commit("two");
    site.git(&["checkout", "--quiet", "release"]);
    site.git(&["cherry-pick", "main"]);
    site.git(&["checkout", "--quiet", "main"]);
    site.git(&[
        "-c",
        "sequence.editor=sed -i -e '1{h;d};2{G}'",
        "rebase",
        "--quiet",
        "-i",
        "HEAD~2",
    ]);
    assert_eq!(site.asked(&["log", "-2", "--format=%s"]), "one\ntwo");
    site.git(&["revert", "--no-edit", "HEAD~"]);
    assert_eq!(titles(&site, "HEAD"), ["one added"]);
}

#[test]
fn squashed_commits_keep_their_entries() {
    type Way = (&'static str, fn(&Site));
    let ways: [Way; 3] = [
        ("merge --squash", |site| {
            site.git(&["checkout", "--quiet", "main"]);
            site.git(&["merge", "--quiet", "--squash", "feat"]);
        }),
        ("reset --soft", |site| {
            site.git(&["reset", "--quiet", "--soft", "HEAD~2"]);
        }),
        ("cherry-pick -n", |site| {
            site.git(&["checkout", "--quiet", "main"]);
            site.git(&["cherry-pick", "-n", "main..feat"]);
        }),
    ];
    for (way, squash) in ways {
        let site = Site::hooked();
        site.git(&["checkout", "--quiet", "-b", "feat"]);
        for name in ["one", "two"] {
            site.stage(name, "Of the branch.");
            site.commit(name);
        }
        let entries = site.entry_texts("HEAD");
        squash(&site);
        site.commit("squashed");
        assert_eq!(site.entry_texts("HEAD"), entries, "{way}");
        assert_eq!(site.status(), [""; 0], "{way}");
    }
}

#[test]
fn what_was_committed_once_is_not_written_again() {
    let site = Site::hooked();
    site.git(&["branch", "start"]);
    site.stage("one", "The first.");
    site.commit("one");
    site.git(&["branch", "pushed"]);
    let before = site.entry_texts("HEAD");
    site.git(&["reset", "--quiet", "--soft", "HEAD~"]);
    site.stage("two", "And a second.");
    site.commit("one, better");
    // What the entry does not say is said by another.
    assert_eq!(titles(&site, "HEAD"), ["one added", "two added"]);
    assert_eq!(site.entry_texts("pushed"), before);
    site.git(&["merge", "--quiet", "--no-edit", "pushed"]);
    assert_eq!(titles(&site, "HEAD"), ["one added", "two added"]);
}

#[test]
fn an_amend_says_nothing_twice() {
    let site = Site::hooked();
    let more = |text: &str| {
        let before = site.read("docs/otters.md");
        site.write("docs/otters.md", before + text + "\n");
    };
    more("x");
    site.git(&["commit", "--quiet", "-a", "-m", "otters"]);
    for _ in 0..3 {
        more("x");
        site.git(&["commit", "--quiet", "-a", "--amend", "--no-edit"]);
    }
    assert_eq!(titles(&site, "HEAD"), ["Otters changed"]);
    assert_eq!(site.status(), [""; 0]);
    // What it brings besides is told with the rest.
    site.stage("new", "Something new.");
    more("y");
    site.git(&["commit", "--quiet", "-a", "--amend", "--no-edit"]);
    assert_eq!(titles(&site, "HEAD"), ["new added, Otters changed"]);
    site.note("new", "Something newer.");
    site.git(&["commit", "--quiet", "-a", "--amend", "--no-edit"]);
    assert_eq!(titles(&site, "HEAD"), ["new added, Otters changed"]);
    // An entry in somebody's own words stays.
    let path = &site.entries("HEAD")[0];
    site.write(path, site.read(path).replace("new added", "Much that is new"));
    more("z");
    site.git(&["commit", "--quiet", "-a", "--amend", "--no-edit"]);
    assert_eq!(titles(&site, "HEAD"), ["Much that is new, Otters changed"]);
    assert_eq!(site.status(), [""; 0]);
}

#[test]
fn commits_that_do_the_same_each_bring_their_entry() {
    let site = Site::hooked();
    for count in 1..4 {
        site.write("docs/otters.md", site.read("docs/otters.md") + "x\n");
        site.git(&["commit", "--quiet", "-a", "-m", "more"]);
        assert_eq!(titles(&site, "HEAD"), vec!["Otters changed"; count]);
    }
}

#[test]
fn of_commits_that_no_hook_saw_before_another_branch_was_worked_on() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    site.git(&["checkout", "--quiet", "-b", "side"]);
    unseen(&site, "one", "Not seen.");
    site.git(&["checkout", "--quiet", "main"]);
    for name in ["second", "third"] {
        site.stage(name, "Of the trunk.");
        site.commit(name);
    }
    site.git(&["checkout", "--quiet", "side"]);
    site.stage("two", "Seen.");
    site.commit("two");
    assert_eq!(titles(&site, "HEAD"), ["first added", "one added", "two added"]);
    // Merged before a hook saw it, too.
    unseen(&site, "three", "Not seen.");
    site.git(&["checkout", "--quiet", "main"]);
    site.git(&["merge", "--quiet", "--no-edit", "side"]);
    site.stage("fourth", "Of the trunk.");
    site.commit("fourth");
    let expected = ["first", "fourth", "one", "second", "third", "three", "two"];
    assert_eq!(titles(&site, "HEAD"), expected.map(|name| format!("{name} added")));
    site.stage("fifth", "And on.");
    site.commit("fifth");
    assert_eq!(titles(&site, "HEAD").len(), 8);
}

#[test]
fn can_be_turned_off() {
    let site = Site::hooked();
    site.write(".elophanto/config.yaml", format!("{SETTINGS}changelog: {{enabled: false}}\n"));
    site.git(&["add", ".elophanto/config.yaml"]);
    site.stage("new", "Something new.");
    insta::assert_snapshot!(site.commit("new"), @"elophanto: 4 vectors go along");
    assert_eq!(site.committed("HEAD", "knowledge"), [""; 0]);
    assert!(!site.top.join("knowledge").exists());
}

#[test]
fn line_endings_of_another_system() {
    let site = Site::hooked();
    site.git(&["config", "core.autocrlf", "true"]);
    for name in ["first", "second"] {
        site.stage(name, "Something new.");
        site.commit(name);
    }
    assert_eq!(titles(&site, "HEAD"), ["first added", "second added"]);
    assert_eq!(site.status(), [""; 0]);
    assert_eq!(site.embedded_by_a_clone(), 0);
}
