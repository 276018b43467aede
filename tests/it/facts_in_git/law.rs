//! Two clones that learn, edit by hand, take out, put back, undo, merge entities and take that back,
//! and merge with each other: no fact is lost, none is there twice, none comes back.
//!
//! What is to be expected comes from a model that knows lines and what was done to them, and
//! nothing of pages, journals and merges.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde_json::Value;

use super::{SETTINGS, learned_search, slugs};
use crate::{
    env::{Output, PROGRAM, TestEnv},
    merges::try_git,
};

/// Steps of a history, of both sides together.
const STEPS: usize = 10;
const NAMES: [&str; 3] = ["Alder Pump", "Birch Valve", "Cedar Engine"];

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        of.get(self.roll(of.len())).cloned()
    }
}

/// What all say of something. No two are alike but for the name, or merging them would leave one.
fn is(name: &str) -> String {
    format!("The {name} is machine number {} of the works.", name.len())
}

fn weighs(name: &str, number: usize) -> String {
    format!("The {name} weighs {} kilograms.", number * 100 + name.len())
}

/// What one side knows: every line it has seen and the retirements of it, each with a number of its
/// own. A merge unites all of it.
#[derive(Debug, Clone, Default)]
struct Known {
    /// Line as it stands on its page, and who took it out.
    lines: BTreeMap<String, BTreeSet<usize>>,
    /// Retirements that were taken back.
    back: BTreeSet<usize>,
    /// Facts that were learned once.
    written: BTreeSet<String>,
    /// Searches and merges, with what is needed to undo them.
    searches: BTreeSet<String>,
    merges: BTreeSet<String>,
}

impl Known {
    fn counts(&self, line: &str) -> bool {
        self.lines[line].is_subset(&self.back)
    }

    fn counting(&self) -> Vec<String> {
        self.lines.keys().filter(|line| self.counts(line)).cloned().collect()
    }

    /// What is to be seen: each text once.
    fn texts(&self) -> Vec<String> {
        let texts: BTreeSet<String> = self.counting().iter().map(|line| text(line)).collect();
        texts.into_iter().collect()
    }

    fn retire(&mut self, line: &str, number: usize) {
        self.lines.get_mut(line).unwrap().insert(number);
    }

    fn unite(&mut self, other: &Self) {
        for (line, retired) in &other.lines {
            self.lines.entry(line.clone()).or_default().extend(retired);
        }
        self.back.extend(&other.back);
        self.written.extend(other.written.iter().cloned());
        self.searches.extend(other.searches.iter().cloned());
        self.merges.extend(other.merges.iter().cloned());
    }
}

/// What a line says.
fn text(line: &str) -> String {
    let (text, _) = line.rsplit_once(" <!--").unwrap();
    text.trim_start_matches("- ").to_owned()
}

/// A clone, and what it should know.
struct Side<'e> {
    env: &'e TestEnv,
    folder: PathBuf,
    known: Known,
}

impl Side<'_> {
    fn run(&self, args: &[&str]) -> Output {
        self.env.run_in(&self.folder, args)
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        let output = self.run(args);
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        output.json()
    }

    fn git(&self, args: &[&str]) -> Output {
        let folder = self.folder.to_str().unwrap();
        try_git(self.env, &[&["-C", folder], args].concat())
    }

    fn commit(&self, message: &str) {
        for args in [&["add", "--all"][..], &["commit", "--quiet", "--allow-empty", "-m", message]]
        {
            let output = self.git(args);
            assert_eq!(output.code, Some(0), "{args:?}\n{output}");
        }
    }

    fn pages(&self) -> Vec<PathBuf> {
        slugs(&self.folder).into_iter().map(|(_, path)| path).collect()
    }

    /// Every line of a fact on any page.
    fn lines(&self) -> BTreeSet<String> {
        let texts = self.pages().into_iter().map(|page| std::fs::read_to_string(page).unwrap());
        let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        lines.filter(|line| line.contains("<!-- f:")).collect()
    }

    /// Changes a line by hand wherever it stands.
    fn replace(&self, line: &str, with: &str) {
        for page in self.pages() {
            let text = std::fs::read_to_string(&page).unwrap();
            std::fs::write(page, text.replace(&format!("{line}\n"), with)).unwrap();
        }
    }

    fn learn(&mut self, name: &str, number: usize) {
        let fact = weighs(name, number);
        let before = self.lines();
        let text = format!("# {name}\n\n{} {fact}\n", is(name));
        let args = ["learn", name, "--from", "-", "--json"];
        let mut command = self.env.command(&args);
        command.current_dir(&self.folder);
        let output = super::with_input(&mut command, text.as_bytes());
        assert!(matches!(output.code, Some(0 | 1)), "{output}");
        self.known.searches.insert(learned_search(&output));
        let is_out = |known: &Known, fact: &String| {
            known.lines.keys().any(|line| text_is(line, fact) && !known.counts(line))
        };
        for fact in [fact, is(name)] {
            let fresh: Vec<String> = self
                .lines()
                .difference(&before)
                .filter(|line| text_is(line, &fact))
                .cloned()
                .collect();
            let may = !is_out(&self.known, &fact)
                && !self.known.written.contains(&fact)
                && !self.known.texts().contains(&fact);
            assert_eq!(fresh.len(), usize::from(may), "{fact}: {fresh:?}\n{output}");
            if may {
                self.known.written.insert(fact);
                self.known.lines.insert(fresh[0].clone(), BTreeSet::new());
            }
        }
    }

    fn undo(&mut self, search: &str, number: usize) {
        self.json(&["learn", "undo", search, "--json"]);
        let its = format!("search:{search} ");
        let lines = self.known.counting().into_iter().filter(|line| line.contains(&its));
        // Each line is taken out for itself, and may be put back for itself.
        for (line, number) in lines.zip(number..) {
            self.known.retire(&line, number);
        }
    }

    fn merge_entities(&mut self, dice: &mut Dice) {
        let names: Vec<String> = self
            .json(&["entity", "--json"])
            .iter()
            .map(|entity| entity["entity"].as_str().unwrap().to_owned())
            .collect();
        let (Some(from), Some(into)) = (dice.pick(&names), dice.pick(&names)) else { return };
        if from != into {
            let merged = self.json(&["clean", "merge", &from, &into, "--json"]);
            self.known.merges.insert(merged[0]["id"].as_str().unwrap().to_owned());
        }
    }

    /// Everything that is shown, with the texts of all facts.
    fn shown(&self) -> (Vec<Value>, Vec<String>) {
        let entities: Vec<Value> = self
            .json(&["entity", "--json"])
            .iter()
            .flat_map(|entity| self.json(&["entity", entity["entity"].as_str().unwrap(), "--json"]))
            .collect();
        let facts = entities.iter().flat_map(|entity| entity["facts"].as_array().unwrap());
        let mut texts: Vec<String> =
            facts.map(|fact| fact["text"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        (entities, texts)
    }
}

fn text_is(line: &str, said: &str) -> bool {
    text(line) == said
}

/// A history: the steps of it, for whoever has to find out why it fails.
fn play(env: &TestEnv, seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let place = |name: &str| env.outside().join(format!("{name}{seed}"));
    let mut sides: Vec<Side> = ["left", "right"]
        .into_iter()
        .map(|name| Side { env, folder: place(name), known: Known::default() })
        .collect();
    for side in &sides {
        env.git(&["clone", "--quiet", ".", side.folder.to_str().unwrap()]);
        let output = side.run(&["hook", "install", "--program", PROGRAM]);
        assert_eq!(output.code, Some(0), "{output}");
    }
    let base: Vec<String> = sides[0].lines().into_iter().collect();
    for side in &mut sides {
        side.known.written.extend(base.iter().map(|line| text(line)));
        side.known.lines.extend(base.iter().map(|line| (line.clone(), BTreeSet::new())));
        let searches = base.iter().map(|line| line.split("search:").nth(1).unwrap());
        side.known.searches.extend(searches.map(|rest| rest[..26].to_owned()));
    }
    let mut story: Vec<String> = Vec::new();
    for step in 0..STEPS {
        let number = 1_000 * (step + 1);
        let at = dice.roll(2);
        let what = dice.roll(12);
        if step + 1 == STEPS || what == 11 {
            story.push("merge".to_owned());
            meet(&mut sides, &story, seed);
            continue;
        }
        let side = &mut sides[at];
        let counting = side.known.counting();
        match what {
            0..=2 => {
                let name = NAMES[dice.roll(NAMES.len())];
                // Some numbers are learned by both.
                let number = if dice.roll(3) == 0 { 7 } else { number };
                story.push(format!("{at}: learn {name} {number}"));
                side.learn(name, number);
            }
            3 | 4 => {
                let Some(line) = dice.pick(&counting) else { continue };
                story.push(format!("{at}: take out {line}"));
                side.replace(&line, "");
                side.known.retire(&line, number);
            }
            5 | 6 => {
                let Some(line) = dice.pick(&counting) else { continue };
                let (said, comment) = line.rsplit_once(" <!--").unwrap();
                let new = match what {
                    5 => format!("{said} It was number {number}. <!--{comment}"),
                    _ => format!("- [masked] {number} <!--{comment}"),
                };
                story.push(format!("{at}: {line} becomes {new}"));
                side.replace(&line, &format!("{new}\n"));
                side.known.retire(&line, number);
                side.known.lines.insert(new, BTreeSet::new());
            }
            7 => {
                let out: Vec<String> = side
                    .known
                    .lines
                    .keys()
                    .filter(|line| !counting.contains(line))
                    .cloned()
                    .collect();
                let Some(line) = dice.pick(&out) else { continue };
                // One that is on its page all the same, since a merge brought it, is not put back.
                if side.lines().contains(&line) {
                    continue;
                }
                let slug = line.split_whitespace().nth(2).unwrap().to_lowercase();
                let page = side
                    .pages()
                    .into_iter()
                    .find(|page| page.file_stem().unwrap().to_str().unwrap().starts_with(&slug));
                let Some(page) = page else { continue };
                story.push(format!("{at}: put back {line}"));
                let old = std::fs::read_to_string(&page).unwrap();
                std::fs::write(page, format!("{old}{line}\n")).unwrap();
                let retired = side.known.lines[&line].clone();
                side.known.back.extend(retired);
            }
            8 => {
                let searches: Vec<String> = side.known.searches.iter().cloned().collect();
                let Some(search) = dice.pick(&searches) else { continue };
                story.push(format!("{at}: undo {search}"));
                side.undo(&search, number);
            }
            9 => {
                story.push(format!("{at}: merge entities"));
                side.merge_entities(&mut dice);
            }
            _ => {
                let merges: Vec<String> = side.known.merges.iter().cloned().collect();
                let Some(merge) = dice.pick(&merges) else { continue };
                story.push(format!("{at}: undo merge {merge}"));
                side.json(&["clean", "undo", &merge, "--json"]);
            }
        }
        side.commit(&story[story.len() - 1]);
    }
}

/// Both sides merge each other, and then know and show the same.
fn meet(sides: &mut [Side], story: &[String], seed: u64) {
    let [left, right] = sides else { unreachable!() };
    for (one, other) in [(&*left, &*right), (&*right, &*left)] {
        let other = other.folder.to_str().unwrap();
        let merged = one.git(&["pull", "--quiet", "--no-rebase", "--no-edit", other, "main"]);
        assert_eq!(merged.code, Some(0), "{seed}: {story:#?}\n{merged}");
    }
    left.known.unite(&right.known);
    right.known = left.known.clone();
    let (shown, texts) = left.shown();
    assert_eq!(texts, left.known.texts(), "seed {seed}: {story:#?}");
    assert_eq!(shown, right.shown().0, "seed {seed}: {story:#?}");
}

/// A repository with two entities, to be cloned by histories.
fn base() -> TestEnv {
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", SETTINGS),
        (".gitattributes", "knowledge/learned/entities/*.md merge=union\n"),
    ]);
    for name in &NAMES[..2] {
        let text = format!("# {name}\n\n{} {}\n", is(name), weighs(name, 7));
        let output = env.run_with(&["learn", name, "--from", "-"], text.as_bytes());
        assert_eq!(output.code, Some(0), "{output}");
    }
    env.commit("base");
    env
}

fn histories(seeds: std::ops::Range<u64>) {
    let env = base();
    for seed in seeds {
        play(&env, seed);
    }
}

#[test]
fn nothing_is_lost_doubled_or_back_in_the_first_histories() {
    histories(0..5);
}

#[test]
fn nothing_is_lost_doubled_or_back_in_the_second_histories() {
    histories(5..10);
}

#[test]
fn nothing_is_lost_doubled_or_back_in_the_third_histories() {
    histories(10..15);
}

#[test]
fn nothing_is_lost_doubled_or_back_in_the_fourth_histories() {
    histories(15..20);
}

#[test]
fn nothing_is_lost_doubled_or_back_in_the_fifth_histories() {
    histories(20..25);
}

/// Thousands of them, by hand: `ELOPHANTO_HISTORIES=100..1000 cargo test -- --ignored histories`.
#[test]
#[ignore = "takes as long as one wants"]
fn nothing_is_lost_doubled_or_back_in_more_histories() {
    let asked = std::env::var("ELOPHANTO_HISTORIES").unwrap();
    let (from, to) = asked.split_once("..").unwrap();
    let env = base();
    let (mut done, mut failed) = (0, Vec::new());
    for seed in from.parse().unwrap()..to.parse().unwrap() {
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(&env, seed)));
        done += 1;
        if played.is_err() {
            failed.push(seed);
        }
        for name in ["left", "right"] {
            let _ = std::fs::remove_dir_all(env.outside().join(format!("{name}{seed}")));
        }
    }
    assert!(failed.is_empty(), "{} of {done}: {failed:?}", failed.len());
    // So that nobody takes an empty range for a proof.
    assert!(done > 0);
}
