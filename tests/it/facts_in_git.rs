//! Facts that people take out, edit, mask and put back by hand, in commits of every kind: the commit
//! itself says what became of them, and no merge undoes it.

mod law;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    env::{Output, PROGRAM, TestEnv, finish},
    merges::{CONFIG, embedded_in_a_clone, try_git},
};

/// No notes and tables of our own beside the facts.
const SETTINGS: &str = "knowledge:\n  embedding_provider: builtin\nchangelog:\n  enabled: \
                        false\nindex:\n  commit: never\n";
const ATTRIBUTES: &str = "knowledge/learned/entities/*.md merge=union\n";
const FOLDER: &str = "knowledge/learned/entities";
const PAGE: &str = "knowledge/learned/entities/kef-ls50-meta.md";
const TOPIC: &str = "kef ls50 meta";
const TEXT: &str = "# KEF LS50 Meta\n\nThe KEF LS50 Meta is a bookshelf loudspeaker. The KEF LS50 \
                    Meta weighs 7.8 kilograms. The KEF LS50 Meta was released in 2020.\n";
const IS: &str = "The KEF LS50 Meta is a bookshelf loudspeaker.";
const WEIGHS: &str = "The KEF LS50 Meta weighs 7.8 kilograms.";
const RELEASED: &str = "The KEF LS50 Meta was released in 2020.";
const COSTS: &str = "The KEF LS50 Meta costs 1600 dollars.";

/// Runs a prepared program with something to read.
pub fn with_input(command: &mut Command, input: &[u8]) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap().into()
}

/// The id of the search that a `learn --from - --json` made.
pub fn learned_search(output: &Output) -> String {
    let lines = output.json();
    lines.last().unwrap()["searches"][0]["id"].as_str().unwrap().to_owned()
}

/// Pages below a folder, with their slugs.
pub fn slugs(root: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some());
    let mut pages: Vec<(String, PathBuf)> =
        paths.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect();
    pages.sort();
    pages
}

/// A work tree with the hook, one entity with three facts, and a branch `side` that learned one
/// more and has all the others.
struct Site {
    env: TestEnv,
}

impl Site {
    fn new() -> Self {
        Self::with(SETTINGS, ATTRIBUTES)
    }

    fn with(settings: &str, attributes: &str) -> Self {
        let env = TestEnv::with(&[
            (".elophanto/config.yaml", settings),
            (".gitattributes", attributes),
            ("a.txt", "a\n"),
        ]);
        env.ok(&["hook", "install", "--program", PROGRAM]);
        let site = Self { env };
        site.learn(TEXT);
        site.env.commit("learned");
        assert_eq!(site.facts(), [IS, WEIGHS, RELEASED]);
        site.env.git(&["switch", "--quiet", "-c", "side"]);
        site.learn(COSTS);
        site.env.commit("learned more");
        site.env.git(&["switch", "--quiet", "main"]);
        site
    }

    fn learn(&self, text: &str) -> String {
        let args = ["learn", TOPIC, "--from", "-", "--json"];
        let output = self.env.run_with(&args, text.as_bytes());
        assert_eq!(output.code, Some(0), "{output}");
        learned_search(&output)
    }

    fn page(&self) -> String {
        String::from_utf8(self.env.read(PAGE)).unwrap()
    }

    /// The line of a fact as it stands on the page.
    fn line(&self, text: &str) -> String {
        let page = self.page();
        let line = page.lines().find(|line| line.contains(text));
        format!("{}\n", line.unwrap_or_else(|| panic!("{text}: {page}")))
    }

    fn replace(&self, what: &str, with: &str) {
        let page = self.page();
        assert!(page.contains(what), "{what}: {page}");
        self.env.write(PAGE, page.replace(what, with));
    }

    fn take_out(&self, text: &str) {
        self.replace(&self.line(text), "");
    }

    fn git(&self, args: &[&str]) {
        let output = try_git(&self.env, args);
        assert_eq!(output.code, Some(0), "{args:?}\n{output}");
    }

    /// Texts of the entity's facts, in the order of the page.
    fn facts(&self) -> Vec<String> {
        facts_in(&self.env, self.env.root())
    }

    /// Facts that a search finds.
    fn found(&self, query: &str) -> String {
        let hits = self.env.json(&["search", "--kind", "fact", "--json", query]);
        hits.iter().map(|hit| hit["snippet"].as_str().unwrap()).collect()
    }

    /// Merges `side`, which has what was taken out on the very lines it appended to.
    fn merge_side(&self) {
        self.git(&["merge", "--quiet", "--no-edit", "side"]);
    }

    /// A fresh clone shows the same.
    fn same_in_a_clone(&self) {
        let clone = self.env.outside().join("clone");
        let _ = fs::remove_dir_all(&clone);
        self.env.git(&["clone", "--quiet", ".", "../clone"]);
        let show = |folder: &Path| {
            let output = self.env.run_in(folder, &["entity", TOPIC, "--json"]);
            assert_eq!(output.code, Some(0), "{output}");
            output.stdout()
        };
        assert_eq!(show(&clone), show(self.env.root()));
    }

    /// What the newest commit says became of lines: reason and text, the ids left out.
    fn said(&self) -> Vec<Value> {
        let diff = self.env.git(&["diff", "HEAD^", "HEAD", "--", ".elophanto/journal"]);
        said_in(diff.lines().filter_map(|line| line.strip_prefix('+')))
    }
}

fn said_in<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<Value> {
    let records = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let said = records.filter_map(|record| match record["kind"].as_str().unwrap() {
        "retired" => Some(json!([record["reason"], record["text"], record["raw"].is_string()])),
        "restored" => Some(json!(["restored", record["retirements"].as_array().unwrap().len()])),
        _ => None,
    });
    said.collect()
}

fn facts_in(env: &TestEnv, folder: &Path) -> Vec<String> {
    let output = env.run_in(folder, &["entity", TOPIC, "--json"]);
    assert_eq!(output.code, Some(0), "{output}");
    let shown = output.json();
    let mut facts: Vec<(u64, String)> = shown[0]["facts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| (fact["line"].as_u64().unwrap(), fact["text"].as_str().unwrap().to_owned()))
        .collect();
    facts.sort();
    facts.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn what_becomes_of_a_line_goes_along_in_the_same_commit() {
    let normal = "the kef ls50 meta was released in 2020";
    let edited = "The KEF LS50 Meta was released in September 2020.";
    for (reason, new) in [("removed", None), ("edited", Some(edited))] {
        let site = Site::new();
        match new {
            None => site.take_out(RELEASED),
            Some(new) => site.replace(RELEASED, new),
        }
        site.git(&["commit", "--quiet", "--all", "-m", reason]);
        assert_eq!(site.said(), [json!([reason, normal, true])], "{reason}");
        assert_eq!(site.env.git(&["status", "--porcelain"]), "", "{reason}");
        let facts: Vec<&str> = [IS, WEIGHS].into_iter().chain(new).collect();
        assert_eq!(site.facts(), facts, "{reason}");
        site.merge_side();
        // Union can only add; the records know better.
        assert!(site.page().contains(RELEASED), "{}", site.page());
        let mut facts = site.facts();
        facts.sort();
        let mut expected: Vec<&str> = [IS, WEIGHS, COSTS].into_iter().chain(new).collect();
        expected.sort_unstable();
        assert_eq!(facts, expected, "{reason}");
        assert!(site.found("LS50 weighs kilograms").contains(WEIGHS));
        let found = site.found("released in 2020");
        assert!(!found.contains(RELEASED), "{reason}: {found}");
        site.same_in_a_clone();
        // Nor does it come back from where it came from.
        let learned = site.env.run_with(&["learn", TOPIC, "--from", "-"], TEXT.as_bytes());
        assert_eq!(learned.code, Some(1), "{learned}");
        let mut again = site.facts();
        again.sort();
        assert_eq!(again, expected, "{reason}");
    }
}

#[test]
fn a_secret_is_refused_and_one_that_is_masked_is_not_kept_elsewhere() {
    let site = Site::new();
    let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    let secret = format!("The key of the shop is {key}.");
    let line = site.line(RELEASED).replace(RELEASED, &secret);
    site.replace(&site.line(RELEASED), &line);
    let refused = try_git(&site.env, &["commit", "--quiet", "--all", "-m", "a key"]);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr().contains("this looks like a secret"), "{refused}");
    assert!(!refused.stderr().contains(&key), "{refused}");
    // Nothing was written down of a commit that was refused.
    assert_eq!(site.env.git(&["status", "--porcelain"]), format!(" M {PAGE}\n"));
    site.git(&["commit", "--quiet", "--all", "--no-verify", "-m", "a key"]);
    site.replace(&key, "[masked]");
    site.git(&["commit", "--quiet", "--all", "-m", "no key"]);
    let edited = json!(["edited", "the kef ls50 meta was released in 2020", true]);
    assert_eq!(site.said(), [edited, json!(["masked", null, false])]);
    site.merge_side();
    assert!(!site.facts().iter().any(|fact| fact.contains(&key)));
    site.same_in_a_clone();
}

#[test]
fn every_kind_of_commit_says_it() {
    type Way = (&'static str, fn(&Site));
    let ways: [Way; 7] = [
        ("staged", |site| {
            site.take_out(RELEASED);
            site.git(&["add", PAGE]);
            site.git(&["commit", "--quiet", "-m", "out"]);
        }),
        ("by path", |site| {
            site.take_out(RELEASED);
            site.git(&["commit", "--quiet", "-m", "out", PAGE]);
        }),
        ("amended", |site| {
            site.env.write("a.txt", "b\n");
            site.git(&["commit", "--quiet", "--all", "-m", "b"]);
            site.take_out(RELEASED);
            site.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]);
        }),
        ("in a linked work tree", |site| {
            site.git(&["worktree", "add", "--quiet", "-b", "linked", "../linked"]);
            let linked = site.env.outside().join("linked");
            fs::write(linked.join(PAGE), site.page().replace(&site.line(RELEASED), "")).unwrap();
            let folder = linked.to_str().unwrap();
            site.git(&["-C", folder, "commit", "--quiet", "--all", "-m", "out"]);
            site.git(&["merge", "--quiet", "--no-edit", "linked"]);
        }),
        ("picked", |site| {
            site.git(&["switch", "--quiet", "-c", "other"]);
            site.take_out(RELEASED);
            site.git(&["commit", "--quiet", "--all", "-m", "out"]);
            site.git(&["switch", "--quiet", "main"]);
            site.env.write("a.txt", "b\n");
            site.git(&["commit", "--quiet", "--all", "-m", "b"]);
            site.git(&["cherry-pick", "other"]);
        }),
        ("rebased", |site| {
            site.git(&["switch", "--quiet", "-c", "other"]);
            site.take_out(RELEASED);
            site.git(&["commit", "--quiet", "--all", "-m", "out"]);
            site.git(&["switch", "--quiet", "main"]);
            site.env.write("a.txt", "b\n");
            site.git(&["commit", "--quiet", "--all", "-m", "b"]);
            site.git(&["rebase", "--quiet", "main", "other"]);
            site.git(&["switch", "--quiet", "main"]);
            site.git(&["merge", "--quiet", "--ff-only", "other"]);
        }),
        ("put together by hand", |site| {
            site.git(&["switch", "--quiet", "-c", "other"]);
            site.replace(RELEASED, "The KEF LS50 Meta was released in 2021.");
            site.git(&["commit", "--quiet", "--all", "--no-verify", "-m", "edited"]);
            site.git(&["switch", "--quiet", "main"]);
            site.replace(RELEASED, "The KEF LS50 Meta was released in 2022.");
            site.git(&["commit", "--quiet", "--all", "--no-verify", "-m", "edited too"]);
            // Without the attribute there is a conflict, and whoever settles it takes out both.
            site.env.write(".gitattributes", "");
            let merged = try_git(&site.env, &["merge", "--quiet", "--no-edit", "other"]);
            assert_eq!(merged.code, Some(1), "{merged}");
            let page = site.page();
            let (before, _) = page.split_once("<<<<<<<").unwrap();
            site.env.write(PAGE, before);
            site.env.write(".gitattributes", ATTRIBUTES);
            site.git(&["add", "--all"]);
            site.git(&["commit", "--quiet", "--no-edit"]);
            let all =
                [("edited", 2020), ("removed", 2022), ("removed", 2021)].map(|(reason, year)| {
                    json!([reason, format!("the kef ls50 meta was released in {year}"), true])
                });
            assert_eq!(site.said(), all);
            // The line of before both edits.
            site.git(&["branch", "--force", "side", "other"]);
            site.git(&["switch", "--quiet", "side"]);
            site.learn(COSTS);
            site.env.commit("learned more");
            site.git(&["switch", "--quiet", "main"]);
        }),
    ];
    for (way, commit) in ways {
        let site = Site::new();
        commit(&site);
        assert_eq!(site.facts(), [IS, WEIGHS], "{way}");
        site.merge_side();
        assert_eq!(site.facts(), [IS, WEIGHS, COSTS], "{way}\n{}", site.page());
        site.env.write("c.txt", "c\n");
        site.env.commit("the rest");
        assert_eq!(site.facts(), [IS, WEIGHS, COSTS], "{way}");
        assert_eq!(site.env.git(&["status", "--porcelain"]), "", "{way}");
        site.same_in_a_clone();
    }
}

#[test]
fn what_no_hook_saw_is_told_by_the_next() {
    let unseen = |site: &Site| {
        site.take_out(RELEASED);
        site.git(&["commit", "--quiet", "--all", "--no-verify", "-m", "out"]);
    };
    let seen = |site: &Site, name: &str| {
        site.env.write(name, "x\n");
        site.env.commit(name);
    };
    // Before the merge that would bring it again.
    let site = Site::new();
    unseen(&site);
    seen(&site, "c.txt");
    assert_eq!(site.said(), [json!(["removed", "the kef ls50 meta was released in 2020", true])]);
    site.merge_side();
    for name in ["d.txt", "e.txt"] {
        assert_eq!(site.facts(), [IS, WEIGHS, COSTS], "{name}\n{}", site.page());
        seen(&site, name);
        assert_eq!(site.said(), Vec::<Value>::new());
    }
    // After it, and after an attempt that came to nothing.
    let site = Site::new();
    unseen(&site);
    site.merge_side();
    site.env.write("c.txt", "c\n");
    site.git(&["add", "c.txt"]);
    let mut commit = site.env.sealed("git");
    let failed = finish(commit.args(["commit", "--quiet"]).env("GIT_EDITOR", "false"));
    assert_eq!(failed.code, Some(1), "{failed}");
    for name in ["d.txt", "e.txt", "f.txt"] {
        seen(&site, name);
        assert_eq!(site.facts(), [IS, WEIGHS, COSTS], "{name}\n{}", site.page());
    }
    site.same_in_a_clone();
    // Put back by hand, it counts again.
    site.take_out(IS);
    site.git(&["commit", "--quiet", "--all", "-m", "out"]);
    site.git(&["revert", "--no-edit", "HEAD"]);
    seen(&site, "g.txt");
    let mut facts = site.facts();
    facts.sort();
    assert_eq!(facts, [COSTS, IS, WEIGHS]);
    site.same_in_a_clone();
}

/// A commit that is reverted twice is back, whatever was written down meanwhile.
#[test]
fn what_is_reverted_twice_counts() {
    let site = Site::new();
    site.learn("The KEF LS50 Meta is made in England by KEF.");
    site.env.commit("learned more");
    let facts = site.facts();
    for (number, expected) in [(1, &facts[..3]), (2, &facts)] {
        site.git(&["revert", "--no-edit", if number == 1 { "HEAD" } else { "HEAD~1" }]);
        site.env.write("c.txt", format!("{number}\n"));
        site.env.commit("something else");
        assert_eq!(site.facts(), expected, "{number}\n{}", site.page());
    }
    site.same_in_a_clone();
}

#[test]
fn both_sides_edit_and_one_takes_out_what_the_other_keeps() {
    let site = Site::new();
    site.git(&["switch", "--quiet", "side"]);
    let (here, there) =
        ("The KEF LS50 Meta weighs 7.9 kilograms.", "The KEF LS50 Meta weighs 8 kilograms.");
    site.replace(WEIGHS, there);
    site.take_out(IS);
    site.git(&["commit", "--quiet", "--all", "-m", "there"]);
    site.git(&["switch", "--quiet", "main"]);
    site.replace(WEIGHS, here);
    site.git(&["commit", "--quiet", "--all", "-m", "here"]);
    site.take_out(RELEASED);
    site.learn("The KEF LS50 Meta uses a metamaterial absorber.");
    site.env.commit("here too");
    let main = site.env.git(&["rev-parse", "main"]);
    site.merge_side();
    let mut merged = site.facts();
    merged.sort();
    let mut expected =
        [here, there, COSTS, "The KEF LS50 Meta uses a metamaterial absorber."].map(str::to_owned);
    expected.sort();
    assert_eq!(merged, expected);
    site.same_in_a_clone();
    // The other way round it is the same.
    site.git(&["switch", "--quiet", "side"]);
    site.git(&["merge", "--quiet", "--no-edit", main.trim()]);
    let mut merged = site.facts();
    merged.sort();
    assert_eq!(merged, expected);
}

#[test]
fn a_line_put_back_by_hand_counts_again() {
    for settings in [SETTINGS.to_owned(), format!("{SETTINGS}journal:\n  share: false\n")] {
        let site = Site::with(&settings, ATTRIBUTES);
        let line = site.line(RELEASED);
        site.take_out(RELEASED);
        site.git(&["commit", "--quiet", "--all", "-m", "out"]);
        assert_eq!(site.facts(), [IS, WEIGHS]);
        site.env.write(PAGE, format!("{}{line}", site.page()));
        site.git(&["commit", "--quiet", "--all", "-m", "back"]);
        assert_eq!(site.facts(), [IS, WEIGHS, RELEASED]);
        site.merge_side();
        assert_eq!(site.facts().len(), 4);
        // Out again, although it once was and came back.
        site.take_out(RELEASED);
        site.git(&["commit", "--quiet", "--all", "-m", "out again"]);
        assert_eq!(site.facts(), [IS, WEIGHS, COSTS]);
        let shared = site.env.git(&["ls-files", ".elophanto/journal"]);
        if settings == SETTINGS {
            assert_eq!(
                site.said(),
                [json!(["removed", "the kef ls50 meta was released in 2020", true])]
            );
            site.same_in_a_clone();
        } else {
            assert_eq!(shared, "");
            assert!(!site.env.path(".elophanto/journal").exists());
        }
    }
}

/// Where git carries no journal, this clone alone knows what was taken out of it.
#[test]
fn a_journal_that_is_not_shared_outlasts_a_merge() {
    let site = Site::with(&format!("{SETTINGS}journal:\n  share: false\n"), ATTRIBUTES);
    let line = site.line(RELEASED);
    site.take_out(RELEASED);
    site.git(&["commit", "--quiet", "--all", "-m", "out"]);
    site.merge_side();
    for name in ["c.txt", "d.txt", "e.txt"] {
        assert_eq!(site.facts(), [IS, WEIGHS, COSTS], "{name}");
        site.env.write(name, "x\n");
        site.env.commit(name);
    }
    // The line that the merge brought, taken out and put back by hand.
    for (text, count) in [(site.page().replace(&line, ""), 3), (site.page(), 4)] {
        site.env.write(PAGE, text);
        site.git(&["commit", "--quiet", "--all", "-m", "by hand"]);
        assert_eq!(site.facts().len(), count);
    }
}

#[test]
fn a_commit_that_comes_to_nothing_takes_nothing_out() {
    let site = Site::new();
    site.take_out(RELEASED);
    let mut commit = site.env.sealed("git");
    let failed = finish(commit.args(["commit", "--quiet", "--all"]).env("GIT_EDITOR", "false"));
    assert_eq!(failed.code, Some(1), "{failed}");
    site.git(&["checkout", "--quiet", "HEAD", "--", PAGE]);
    site.env.write("a.txt", "b\n");
    site.git(&["commit", "--quiet", "--all", "-m", "something else"]);
    assert_eq!(site.facts(), [IS, WEIGHS, RELEASED]);
    site.merge_side();
    assert_eq!(site.facts(), [IS, WEIGHS, RELEASED, COSTS]);
    site.same_in_a_clone();
    // And taken out in earnest it stays out.
    site.take_out(RELEASED);
    site.git(&["commit", "--quiet", "--all", "-m", "out"]);
    assert_eq!(site.facts(), [IS, WEIGHS, COSTS]);
}

#[test]
fn a_page_may_be_renamed() {
    let site = Site::new();
    site.git(&["mv", PAGE, "knowledge/learned/entities/ls50.md"]);
    site.git(&["commit", "--quiet", "--all", "-m", "another name"]);
    assert_eq!(site.said(), Vec::<Value>::new());
    assert_eq!(site.facts(), [IS, WEIGHS, RELEASED]);
    site.merge_side();
    assert_eq!(site.facts(), [IS, WEIGHS, RELEASED, COSTS]);
    assert_eq!(site.env.json(&["entity", "--json"]).len(), 1);
    site.same_in_a_clone();
}

#[test]
fn an_entity_of_which_nothing_is_left_is_gone_until_something_is_learned() {
    let env =
        TestEnv::with(&[(".elophanto/config.yaml", SETTINGS), (".gitattributes", ATTRIBUTES)]);
    env.ok(&["hook", "install", "--program", PROGRAM]);
    let site = Site { env };
    let search = site.learn(TEXT);
    site.env.commit("learned");
    site.git(&["branch", "side"]);
    let undone = site.env.ok(&["learn", "undo", &search]);
    assert_eq!(undone.stdout(), "took back 3 facts and KEF LS50 Meta\n");
    assert_eq!(site.env.run(&["entity"]).code, Some(1));
    assert_eq!(site.found("KEF LS50 Meta"), "");
    site.env.commit("undone");
    // Another branch knows more: that stays, under its name.
    site.git(&["switch", "--quiet", "side"]);
    site.learn(COSTS);
    site.env.commit("learned more");
    site.git(&["switch", "--quiet", "main"]);
    site.merge_side();
    assert_eq!(site.facts(), [COSTS]);
    site.same_in_a_clone();
    // So does what is learned here, on the same page.
    site.learn("The KEF LS50 Meta is sold in 4 colours.");
    assert_eq!(site.facts(), [COSTS, "The KEF LS50 Meta is sold in 4 colours."]);
    assert_eq!(slugs(site.env.root()).len(), 1);
    // Without the other branch too.
    site.git(&["checkout", "--quiet", "--force", "HEAD^1"]);
    site.learn("The KEF LS50 Meta is made in England by KEF.");
    assert_eq!(site.facts(), ["The KEF LS50 Meta is made in England by KEF."]);
    assert_eq!(slugs(site.env.root()).len(), 1);
}

/// Nothing is taken from a view that was made so soon after its pages that it proves nothing.
#[test]
fn facts_are_gone_with_their_pages_however_soon() {
    let site = Site::new();
    assert_ne!(site.found("KEF LS50 Meta"), "");
    fs::remove_dir_all(site.env.path(FOLDER)).unwrap();
    assert_eq!(site.found("KEF LS50 Meta"), "");
}

/// What people hide in a page is not found in it.
#[test]
fn facts_that_went_with_an_undone_commit_are_missed() {
    let site = Site::new();
    let missed = || site.env.run(&["doctor"]).stdout();
    let commit = site.env.git(&["rev-parse", "side"])[..10].to_owned();
    // A branch may still bring them.
    assert!(!missed().contains("which was undone"), "{}", missed());
    site.git(&["branch", "--quiet", "-D", "side"]);
    let finding = format!(
        "! {PAGE}: 1 fact of commit {commit}, which was undone, is nowhere any more, such as \"{COSTS}\"\n"
    );
    let mend = |patch: &str| format!("{finding}  mend: git checkout {patch}{commit} -- :/{PAGE}\n");
    assert!(missed().contains(&mend("--patch ")), "{}", missed());
    site.git(&["rm", "--quiet", PAGE]);
    site.git(&["commit", "--quiet", "-m", "without the page"]);
    assert!(missed().contains(&mend("")), "{}", missed());
    site.git(&["checkout", "--quiet", &commit, "--", PAGE]);
    assert!(!missed().contains("which was undone"), "{}", missed());
    site.git(&["commit", "--quiet", "-m", "all of it"]);
    // What a person takes out is not missed, though only the reflog has it.
    site.take_out(COSTS);
    site.git(&["commit", "--quiet", "--all", "--amend", "-m", "all but one"]);
    assert!(!missed().contains("which was undone"), "{}", missed());
}

#[test]
fn comments_on_a_page_are_not_searched() {
    let site = Site::new();
    let page = site.page() + "\n<!-- heliotrope -->\n";
    site.env.write(PAGE, page);
    assert_ne!(site.found("KEF LS50 Meta"), "");
    assert_eq!(site.found("heliotrope"), "");
}

#[test]
fn the_vectors_of_facts_go_along() {
    let site = Site::with(CONFIG, ATTRIBUTES);
    assert_eq!(embedded_in_a_clone(&site.env), 0);
    // Without any page nothing would have to be embedded either.
    let clone = site.env.outside().join("clone");
    fs::remove_dir_all(clone.join(".elophanto/index")).unwrap();
    fs::remove_dir_all(clone.join(".git/elophanto")).unwrap();
    let output = site.env.run_in(&clone, &["index", "--json"]);
    assert_eq!(output.json().last().unwrap()["embedded"], 1, "{output}");
    // Many pages, and a commit that has nothing to do with them.
    for number in 0..500 {
        let line = format!("- Thing {number} weighs {number} grams. <!-- f:{number:016x} -->");
        let page = format!(
            "---\ntitle: thing-{number}\nscope: learned\n---\n\n- title: Thing {number} <!-- \
             t:{number:016x} -->\n{line}\n"
        );
        site.env.write(format!("{FOLDER}/thing-{number}.md"), page);
    }
    site.env.commit("many");
    assert_eq!(embedded_in_a_clone(&site.env), 0);
    let tables = site.env.tables();
    site.env.write("a.txt", "b\n");
    site.env.commit("nothing of facts");
    assert_eq!(site.env.git(&["show", "--name-only", "--format=", "HEAD"]), "a.txt\n");
    assert_eq!(site.env.tables(), tables);
}
