//! Sparse work trees: what git tracks and does not check out there is never made anew.

use std::{fs, path::PathBuf};

use crate::env::{Output, TestEnv, finish};

const SPEAKER: &str = "KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.";
const BOUGHT: &str = "KEF was bought by GP Acoustics in 1992.";
const PAGES: &str = "knowledge/learned/entities";
const ENTRIES: &str = "knowledge/system/changelog";

/// A clone that has only the files of some folders.
struct Sparse {
    env: TestEnv,
    root: PathBuf,
}

impl Sparse {
    fn of(env: TestEnv, folders: &[&str]) -> Self {
        env.commit("all");
        let root = env.outside().join("sparse");
        let paths = [env.root(), &root].map(|path| path.to_str().unwrap());
        env.git(&[&["clone", "--quiet", "--sparse"][..], &paths].concat());
        let clone = Self { env, root };
        if !folders.is_empty() {
            clone.git(&[&["sparse-checkout", "set"], folders].concat());
        }
        clone
    }

    fn git(&self, args: &[&str]) -> String {
        self.env.git(&[&["-C", self.root.to_str().unwrap()], args].concat())
    }

    fn run(&self, args: &[&str]) -> Output {
        finish(self.env.command(args).current_dir(&self.root))
    }

    /// Expects a refusal that names the folder, and that no tracked file has changed; then the same with that
    /// folder.
    fn refuses(&self, args: &[&str], folder: &str) {
        let output = self.run(args);
        let advice = format!("`git sparse-checkout add {folder}`");
        assert!(output.code == Some(2) && output.stderr().contains(&advice), "{args:?}\n{output}");
        assert_eq!(self.changed(), "", "{args:?}\n{output}");
        assert!(!self.root.join(folder).exists(), "{args:?}\n{output}");
        self.git(&["sparse-checkout", "add", folder]);
        let output = self.run(args);
        assert_eq!(output.code, Some(0), "{args:?}\n{output}");
    }

    /// Changes of tracked files.
    fn changed(&self) -> String {
        self.git(&["status", "--porcelain", "--untracked-files=no"])
    }
}

fn notes() -> TestEnv {
    TestEnv::with(&[("docs/ferries.md", "# Ferries\n\nThey leave at nine.\n")])
}

fn learnt() -> TestEnv {
    let env = notes();
    let output = env.run_with(&["learn", "--from", "-", "KEF"], SPEAKER.as_bytes());
    assert_eq!(output.code, Some(0), "{output}");
    env
}

/// Of a clone in which nothing is checked out yet, nothing is made anew, and nothing is taken out of git.
#[test]
fn what_waits_to_be_checked_out() {
    let env = notes();
    env.ok(&["init"]);
    env.ok(&["index"]);
    env.commit("all");
    let root = env.outside().join("empty");
    let paths = [env.root(), &root].map(|path| path.to_str().unwrap());
    env.git(&[&["clone", "--quiet", "--no-checkout"][..], &paths].concat());
    let clone = Sparse { env, root };
    for (args, code) in [
        (&["index"][..], 2),
        (&["init"], 2),
        (&["index", "--commit"], 0),
        (&["index", "--stage"], 0),
        (&["hook", "install"], 0),
    ] {
        let output = clone.run(args);
        assert_eq!(output.code, Some(code), "{args:?}\n{output}");
        assert!(code == 0 || output.stderr().contains("`git checkout` brings"), "{output}");
        let made: Vec<_> = fs::read_dir(&clone.root).unwrap().map(|it| it.unwrap()).collect();
        assert!(matches!(&made[..], [git] if git.file_name() == ".git"), "{args:?} {made:?}");
    }
    clone.git(&["checkout", "--quiet"]);
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn settings() {
    let env = notes();
    env.ok(&["init"]);
    let clone = Sparse::of(env, &["docs"]);
    clone.refuses(&["index"], ".elophanto");
    assert_eq!(clone.changed(), "");
}

#[test]
fn facts() {
    let clone = Sparse::of(learnt(), &["docs", ".elophanto"]);
    let text = clone.env.outside().join("bought.md");
    fs::write(&text, BOUGHT).unwrap();
    clone.refuses(&["learn", "--from", text.to_str().unwrap(), "KEF"], PAGES);
    let page = fs::read_to_string(clone.root.join(PAGES).join("kef.md")).unwrap();
    assert!(page.contains(SPEAKER) && page.contains(BOUGHT), "{page}");
}

#[test]
fn likes() {
    let clone = Sparse::of(learnt(), &["docs", ".elophanto"]);
    clone.refuses(&["like", "KEF"], PAGES);
    let page = fs::read_to_string(clone.root.join(PAGES).join("kef.md")).unwrap();
    assert!(page.contains(SPEAKER), "{page}");
}

#[test]
fn templates() {
    let env = notes();
    env.ok(&["init"]);
    let clone = Sparse::of(env, &["docs", ".elophanto"]);
    let output = clone.run(&["init"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("`git sparse-checkout add knowledge/system`"), "{output}");
    assert!(!clone.root.join("knowledge").exists(), "{output}");
    assert_eq!(clone.changed(), "");
}

#[test]
fn entries_of_the_changelog() {
    let env = notes();
    env.write(
        format!("{ENTRIES}/2026-01-02-01jd8xq0t3v5w7y9z1a3c5e7g1.md"),
        "## 2026-01-02 — Otters added\n\n- **Type**: knowledge\n",
    );
    env.ok(&["changelog", "--write"]);
    // The page that gathers them comes along with a folder beside them.
    let clone = Sparse::of(env, &["knowledge/system/designs"]);
    clone.refuses(&["changelog", "--write"], ENTRIES);
    assert_eq!(clone.changed(), "");
}

/// A file that git does not know is made as ever.
#[test]
fn what_is_new() {
    let clone = Sparse::of(notes(), &[]);
    let output = clone.run(&["index"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(clone.root.join(".elophanto/config.yaml").exists(), "{output}");
}

/// A link to what git tracks leads there, though it is not checked out.
#[test]
fn links_to_what_is_left_out_lead_there() {
    let env = notes();
    let text = "# Piers\n\n![plan](pictures/plan.svg) [code](../src/) [ferries](ferries.md) [gone](gone.svg)\n";
    env.write("docs/deep/piers.md", text);
    env.write("docs/deep/pictures/plan.svg", "<svg/>\n");
    env.write("docs/src/pier.rs", "fn pier() {}\n");
    env.write("docs/deep/ferries.md", "# Ferries\n");
    let clone = Sparse::of(env, &[]);
    clone.git(&["sparse-checkout", "set", "--no-cone", "/docs/deep/piers.md"]);
    let doctor = clone.run(&["doctor"]);
    let told = doctor.stdout();
    let links: Vec<&str> = told.lines().filter(|line| line.contains("leads nowhere")).collect();
    assert_eq!(links, ["! docs/deep/piers.md:3: link to `gone.svg` leads nowhere"], "{doctor}");
}
