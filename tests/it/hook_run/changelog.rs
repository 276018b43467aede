//! Entries of the changelog, and the page that gathers them.

use super::*;

/// What stands in the only entry that a commit brought.
fn entry(site: &Site, revision: &str) -> String {
    let brought = site.changed(revision);
    let mut new: Vec<&str> = brought.iter().filter_map(|line| line.strip_prefix("A ")).collect();
    new.retain(|path| path.starts_with(&format!("{ENTRIES}/")));
    assert_eq!(new.len(), 1, "{brought:?}");
    site.asked(&["show", &format!("{revision}:{}", new[0])])
}

/// Titles of the entries on the page of a commit, newest first.
fn titles(site: &Site, revision: &str) -> Vec<String> {
    let page = site.asked(&["show", &format!("{revision}:{PAGE}")]);
    let title = |line: &str| Some(line.strip_prefix("## ")?.split_once(" — ")?.1.to_owned());
    page.lines().filter_map(title).collect()
}

fn sorted(mut titles: Vec<String>) -> Vec<String> {
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
    assert_eq!(site.read(PAGE), site.asked(&["show", &format!("HEAD:{PAGE}")]) + "\n");
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
    site.write(PAGE, format!("# What happened\n\n{}", site.read(PAGE)));
    site.git(&["add", PAGE]);
    site.commit("page");
    assert_eq!(site.entries("HEAD").len(), 2);
    assert!(site.read(PAGE).starts_with("# What happened\n"));
    assert_eq!(titles(&site, "HEAD").len(), 2);
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
    site.commit("third");
    let expected = ["third added", "two added", "one added", "first added"];
    assert_eq!(sorted(titles(&site, "HEAD")), sorted(expected.map(str::to_owned).to_vec()));
    let page = site.read(PAGE);
    assert!(page.contains("- **Reason**: write one\n"), "{page}");
    // Nobody says it twice.
    for name in ["fourth", "fifth"] {
        site.stage(name, "And on.");
        site.commit(name);
    }
    assert_eq!(site.entries("HEAD").len(), 6);
    assert_eq!(titles(&site, "HEAD").len(), 6);
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
    let expected = ["a added", "b added", "first added", "last added", "picked added"];
    assert_eq!(sorted(titles(&site, "HEAD")), expected);
}

#[test]
fn is_the_same_in_two_clones() {
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
    let skipped = |site: &Site| -> Vec<String> {
        let mut lines = site.staged();
        lines.retain(|line| line.contains(&format!("{ENTRIES}/2026-01-02-")));
        lines
    };
    assert_eq!(skipped(&site).len(), 2);
    assert_eq!(skipped(&site), skipped(&clone));
    // Both on the default branch, both with a page of their own: they come together.
    site.git(&["fetch", "--quiet", clone.top.to_str().unwrap(), "main"]);
    let merge = site.try_git(&["merge", "--quiet", "--no-edit", "FETCH_HEAD"]);
    let clash = lines(&site.asked(&["diff", "-z", "--name-only", "--diff-filter=U"]));
    assert!(clash.iter().all(|path| path == PAGE), "{merge}");
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
    assert_eq!(sorted(titles(&site, "HEAD")), expected);
    assert_eq!(site.entries("HEAD").len(), 6, "{:?}", site.entries("HEAD"));
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
    assert_eq!(titles(&site, "HEAD"), ["right added", "first added"]);
    assert_eq!(site.entries("HEAD").len(), 2);
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
fn the_page_is_of_the_default_branch() {
    let site = Site::hooked();
    for branch in ["left", "right"] {
        site.git(&["checkout", "--quiet", "-b", branch, "main"]);
        site.stage(branch, "Of a branch.");
        site.commit(branch);
        assert_eq!(site.committed("HEAD", PAGE), [""; 0], "{branch}");
        assert_eq!(site.entries("HEAD").len(), 1, "{branch}");
    }
    site.git(&["checkout", "--quiet", "main"]);
    site.stage("main", "Of the trunk.");
    site.commit("main");
    assert_eq!(titles(&site, "HEAD"), ["main added"]);
    for branch in ["left", "right"] {
        site.git(&["merge", "--quiet", "--no-edit", branch]);
    }
    assert_eq!(titles(&site, "HEAD"), ["main added"]);
    // The next commit completes it, whatever that brings.
    site.write("code.txt", "two\n");
    site.git(&["add", "code.txt"]);
    site.commit("code");
    assert_eq!(sorted(titles(&site, "HEAD")), ["left added", "main added", "right added"]);
    assert_eq!(site.status(), [""; 0]);
    site.write("code.txt", "three\n");
    site.git(&["add", "code.txt"]);
    assert_eq!(site.commit("code"), "");
    assert_eq!(site.changed("HEAD"), ["M code.txt"]);
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
fn a_page_that_somebody_edits() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    let mine = format!("# My page\n\n{}", site.read(PAGE));
    site.write(PAGE, &mine);
    site.stage("second", "The second.");
    site.commit("second");
    assert_eq!(site.read(PAGE), mine);
    assert_eq!(titles(&site, "HEAD"), ["second added", "first added"]);
    assert_eq!(site.status(), [format!(" M {PAGE}")]);
    // Committed, it is completed, and what was written stays.
    site.git(&["add", PAGE]);
    site.stage("third", "The third.");
    site.commit("third");
    assert_eq!(titles(&site, "HEAD"), ["third added", "second added", "first added"]);
    assert!(site.read(PAGE).starts_with("# My page\n"), "{}", site.read(PAGE));
    assert_eq!(site.status(), [""; 0]);
}

#[test]
fn line_endings_of_another_system() {
    let site = Site::hooked();
    site.git(&["config", "core.autocrlf", "true"]);
    site.stage("first", "The first.");
    site.commit("first");
    // As a checkout writes it.
    fs::remove_file(site.top.join(PAGE)).unwrap();
    site.git(&["checkout", "--quiet", "--", PAGE]);
    assert!(site.read(PAGE).contains("\r\n"));
    site.stage("second", "The second.");
    site.commit("second");
    assert_eq!(titles(&site, "HEAD"), ["second added", "first added"]);
    assert_eq!(site.status(), [""; 0]);
    assert!(site.read(PAGE).contains("second added"));
    assert_eq!(site.embedded_by_a_clone(), 0);
}
