//! Random histories, with our hooks and without: the user sees the same, git is well, and the view
//! is what a rebuild gives.

use std::{cell::Cell, collections::BTreeSet, fs, io::Write};

use proptest::{prelude::*, test_runner::TestCaseError};

use crate::{
    env::{Output, PROGRAM, TestEnv},
    incremental::{Bench, WORDS, note, text},
    merges::{CONFIG, conflicts, sound, try_git},
};

/// Paths that steps speak of.
const PATHS: &[&str] = &["a.md", "b.md", "docs/c.md", "docs/d.md", "pages/e.md", "f.md"];
const BRANCHES: &[&str] = &["main", "one", "two"];
/// Sequences played by default; more when this variable says so.
const SEQUENCES: u32 = 8;
const VARIABLE: &str = "ELOPHANTO_SEQUENCES";
/// Commits of a rebase that may stop.
const MOST_STOPS: usize = 12;

#[derive(Debug, Clone)]
enum Step {
    Write(usize, Vec<u8>),
    /// Replaces the second half of a note, so that two sides may edit one each.
    Edit(usize, Vec<u8>),
    Rename(usize, usize),
    Delete(usize),
    Commit,
    Amend,
    /// Stages everything and goes on.
    Stage,
    Branch(usize),
    Switch(usize),
    Merge(usize, Vec<u8>),
    Rebase(usize, Vec<u8>),
    Revert(Vec<u8>),
    StashPush,
    StashPop(Vec<u8>),
    /// `search`, only where our hooks are.
    Search,
}

fn step() -> impl Strategy<Value = Step> {
    let path = 0..PATHS.len();
    let branch = 0..BRANCHES.len();
    let body = || prop::collection::vec(0..WORDS.len() as u8, 4..40);
    prop_oneof![
        4 => (path.clone(), body()).prop_map(|(path, body)| Step::Write(path, body)),
        4 => (path.clone(), body()).prop_map(|(path, body)| Step::Edit(path, body)),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => path.prop_map(Step::Delete),
        7 => Just(Step::Commit),
        2 => Just(Step::Amend),
        1 => Just(Step::Stage),
        3 => branch.clone().prop_map(Step::Branch),
        3 => branch.clone().prop_map(Step::Switch),
        4 => (branch.clone(), body()).prop_map(|(branch, body)| Step::Merge(branch, body)),
        2 => (branch, body()).prop_map(|(branch, body)| Step::Rebase(branch, body)),
        2 => body().prop_map(Step::Revert),
        1 => Just(Step::StashPush),
        2 => body().prop_map(Step::StashPop),
        1 => Just(Step::Search),
    ]
}

/// Status, trees of branches and stashes, and files with their contents.
type Seen = (String, Vec<String>, Vec<(String, Vec<u8>)>);

/// One of the two repositories in which a sequence is played.
struct Player {
    env: TestEnv,
    hooks: bool,
    /// Conflicts over our tables that were settled.
    settled: usize,
}

impl Player {
    fn new(hooks: bool, eager: bool) -> Self {
        let env = TestEnv::with(&[(".elophanto/config.yaml", CONFIG)]);
        env.write_attributes();
        if hooks {
            let install = ["hook", "install", "--program", PROGRAM, "--eager"];
            env.ok(if eager { &install } else { &install[..4] });
        }
        for (number, path) in PATHS.iter().take(4).enumerate() {
            let words: Vec<u8> =
                (0..24).map(|word| ((word + number) % WORDS.len()) as u8).collect();
            env.write(path, note(&words));
        }
        env.commit("base");
        Self { env, hooks, settled: 0 }
    }

    fn git(&self, args: &[&str]) -> Output {
        try_git(&self.env, args)
    }

    fn went_well(&self, args: &[&str]) -> bool {
        self.git(args).code == Some(0)
    }

    fn play(&mut self, step: &Step) {
        let env = &self.env;
        match step {
            Step::Write(path, body) => env.write(PATHS[*path], note(body)),
            Step::Edit(path, body) => {
                if let Ok(old) = fs::read_to_string(env.path(PATHS[*path])) {
                    let kept = old.split_once("## Second").map_or(&*old, |(kept, _)| kept);
                    env.write(PATHS[*path], format!("{kept}## Second\n\n{}", text(body)));
                }
            }
            Step::Rename(from, to) => {
                if env.path(PATHS[*from]).is_file() {
                    env.rename(PATHS[*from], PATHS[*to]);
                }
            }
            Step::Delete(path) => drop(fs::remove_file(env.path(PATHS[*path]))),
            Step::Commit => {
                self.git(&["add", "--all"]);
                self.git(&["commit", "--quiet", "-m", "commit"]);
            }
            Step::Amend => {
                self.git(&["add", "--all"]);
                self.git(&["commit", "--quiet", "--amend", "--no-edit", "--allow-empty"]);
            }
            Step::Stage => drop(self.git(&["add", "--all"])),
            Step::Branch(branch) => {
                self.git(&["switch", "--quiet", "--create", BRANCHES[*branch]]);
            }
            Step::Switch(branch) => drop(self.git(&["switch", "--quiet", BRANCHES[*branch]])),
            Step::Merge(branch, body) => {
                // Never forward: a commit of tables alone would be the end of that.
                let merge = ["merge", "--quiet", "--no-edit", "--no-ff", BRANCHES[*branch]];
                if !self.went_well(&merge) && self.is_under_way("MERGE_HEAD") {
                    self.settle(body);
                    assert!(self.went_well(&["commit", "--quiet", "--no-edit"]));
                }
            }
            Step::Rebase(branch, body) => {
                self.git(&["rebase", "--quiet", BRANCHES[*branch]]);
                for _ in 0..MOST_STOPS {
                    if !self.is_under_way("rebase-merge") {
                        return;
                    }
                    self.settle(body);
                    self.git(&["rebase", "--continue"]);
                }
                self.git(&["rebase", "--abort"]);
            }
            Step::Revert(body) => {
                let Some(commit) = self.last_change() else { return };
                let second = format!("{commit}^2");
                let is_merge = self.went_well(&["rev-parse", "--verify", "--quiet", &second]);
                let mainline: &[&str] = if is_merge { &["--mainline", "1"] } else { &[] };
                self.git(&[&["revert", "--no-edit"], mainline, &[&*commit]].concat());
                if self.is_under_way("REVERT_HEAD") {
                    self.settle(body);
                    if !self.went_well(&["revert", "--continue"]) {
                        // Nothing is left to revert.
                        self.git(&["revert", "--skip"]);
                    }
                }
            }
            Step::StashPush => {
                self.git(&["stash", "push", "--quiet", "--include-untracked"]);
            }
            Step::StashPop(body) => {
                if !self.went_well(&["stash", "pop", "--quiet"])
                    && !self.git(&["ls-files", "--unmerged"]).stdout.is_empty()
                {
                    self.settle(body);
                    self.git(&["stash", "drop", "--quiet"]);
                }
            }
            Step::Search if self.hooks => drop(env.json(&["search", "--json", "otter kelp"])),
            Step::Search => {}
        }
    }

    /// The last commit that changed a note. With hooks there may be commits of tables alone: what
    /// a rebase would drop as empty brings a table all the same.
    fn last_change(&self) -> Option<String> {
        let but_ours = ["--", ".", ":!.elophanto/index"];
        let list = ["rev-list", "--max-count=1", "--first-parent", "HEAD"];
        let commit = self.git(&[&list[..], &but_ours].concat()).stdout().trim().to_owned();
        (!commit.is_empty()).then_some(commit)
    }

    /// Whether the last commit changed a note.
    fn changed_a_note(&self) -> bool {
        self.last_change()
            .is_some_and(|commit| self.git(&["rev-parse", "HEAD"]).stdout().trim() == commit)
    }

    fn is_under_way(&self, what: &str) -> bool {
        self.env.path(".git").join(what).exists()
    }

    /// Settles every conflict: notes by a text of its own, ours as the program does.
    fn settle(&mut self, body: &[u8]) {
        if !conflicts(&self.env).is_empty() {
            self.env.ok(&["index", "--resolve"]);
            self.settled += 1;
        }
        let unmerged = self.git(&["ls-files", "--unmerged", "-z"]).stdout();
        let paths: BTreeSet<&str> =
            unmerged.split('\0').filter_map(|line| Some(line.split_once('\t')?.1)).collect();
        for path in &paths {
            if self.env.path(path).is_file() {
                self.env.write(path, note(body));
            }
        }
        // What is not in conflict is left alone: only one side may have a conflict at all.
        let ours = Some(".elophanto/index").filter(|ours| self.env.path(ours).exists());
        let settled: Vec<&str> = paths.into_iter().chain(ours).collect();
        if !settled.is_empty() {
            self.git(&[&["add", "--all", "--"], &settled[..]].concat());
        }
    }

    /// What the user sees: staged, in the work tree, on every branch and in the stash.
    fn seen(&self) -> Seen {
        let status = self.git(&["status", "--porcelain", "--", ".", ":!.elophanto/index"]).stdout();
        let stashes = self.git(&["stash", "list", "--format=%gd"]).stdout();
        let stashes: Vec<&str> = stashes.lines().collect();
        let trees = BRANCHES.iter().chain(&["HEAD"]).chain(&stashes).map(|revision| {
            let listed = self.git(&["ls-tree", "-r", revision]).stdout();
            let theirs = listed.lines().filter(|line| !line.contains("\t.elophanto/index/"));
            format!("{revision}\n{}", theirs.collect::<Vec<_>>().join("\n"))
        });
        let files = self.env.files().into_iter();
        let files = files.filter(|(path, _)| !path.starts_with(".elophanto/index"));
        let files = files.map(|(path, bytes)| (path.display().to_string(), bytes));
        (status, trees.collect(), files.collect())
    }
}

fn check(steps: &[Step], eager: bool) -> Result<usize, TestCaseError> {
    let mut ours = Player::new(true, eager);
    let mut plain = Player::new(false, false);
    for (number, step) in steps.iter().enumerate() {
        if matches!(step, Step::Amend) && !(ours.changed_a_note() && plain.changed_a_note()) {
            continue;
        }
        ours.play(step);
        plain.play(step);
        let branch = |player: &Player| player.env.read(".git/HEAD");
        prop_assert_eq!(branch(&ours), branch(&plain), "step {}: {:?}", number, step);
    }
    prop_assert_eq!(ours.seen(), plain.seen());
    sound(&ours.env);
    let grown = Bench::answers_of(&ours.env);
    ours.env.remove(".git/elophanto");
    prop_assert_eq!(grown, Bench::answers_of(&ours.env));
    Ok(ours.settled)
}

#[test]
fn the_user_sees_no_difference() {
    let cases = std::env::var(VARIABLE).ok().map_or(SEQUENCES, |number| number.parse().unwrap());
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 64,
        ..Default::default()
    };
    let settled = Cell::new((0, 0));
    proptest!(config, |(steps in prop::collection::vec(step(), 4..20), eager: bool)| {
        let (sequences, conflicts) = settled.get();
        settled.set((sequences + 1, conflicts + check(&steps, eager)?));
    });
    let (sequences, conflicts) = settled.get();
    let figures = format!("{sequences} sequences, {conflicts} conflicts over tables settled\n");
    std::io::stderr().write_all(figures.as_bytes()).unwrap();
}
