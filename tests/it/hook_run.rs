//! `elophanto hook run` under git: what a commit brings along, what is left alone, and that git
//! does with hooks what it does without.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::env::{Output, PROGRAM, TestEnv, finish};

mod changelog;
mod lessons;
mod limits;
mod matrix;
mod pre_commit;
mod secrets;

const ENTRIES: &str = "knowledge/system/changelog";
const PAGE: &str = "knowledge/system/changelog.md";
/// The provider is pinned, so that `index` writes no setting.
const SETTINGS: &str = "knowledge: {embedding_provider: builtin}\n";

/// The kinds of work trees there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    Main,
    Linked,
    Submodule,
}

/// A work tree with notes, in a folder with a repository of somebody else.
struct Site {
    env: TestEnv,
    top: PathBuf,
}

impl Site {
    /// A main work tree on branch `main` with one commit, and hooks in it.
    fn hooked() -> Self {
        Self::new(Tree::Main, true)
    }

    fn new(tree: Tree, hooks: bool) -> Self {
        let env = TestEnv::with(&[
            (".elophanto/config.yaml", SETTINGS),
            ("docs/otters.md", "# Otters\n\nOtters hold hands while they sleep.\n"),
            ("docs/long.md", &long("first", "last")),
            ("docs/draft.md", "# Draft\n\nNobody has read this.\n"),
            ("code.txt", "one\n"),
        ]);
        env.write_attributes();
        env.commit("base");
        let top = match tree {
            Tree::Main => env.root().to_owned(),
            Tree::Linked => {
                env.git(&["worktree", "add", "--quiet", "../linked"]);
                env.outside().join("linked")
            }
            Tree::Submodule => {
                env.git(&["clone", "--quiet", "--bare", ".", "../library"]);
                let allow = "protocol.file.allow=always";
                env.git(&["-c", allow, "submodule", "--quiet", "add", "../library", "sub"]);
                env.path("sub")
            }
        };
        let site = Self { env, top };
        site.decoy();
        if hooks {
            let output = site.run(&["hook", "install"]);
            assert_eq!(output.code, Some(0), "{output}");
        }
        site
    }

    /// A repository that has nothing to do with ours.
    fn decoy(&self) {
        let decoy = self.env.outside().join("decoy");
        let decoy = decoy.to_str().unwrap();
        self.git(&["init", "--quiet", "--initial-branch=main", decoy]);
        fs::create_dir(Path::new(decoy).join(".elophanto")).unwrap();
        fs::write(Path::new(decoy).join("a.md"), "# Not ours\n").unwrap();
        self.git(&["-C", decoy, "add", "a.md"]);
        self.git(&["-C", decoy, "commit", "--quiet", "-m", "decoy"]);
        fs::write(Path::new(decoy).join("b.md"), "# Not ours, staged\n").unwrap();
        self.git(&["-C", decoy, "add", "b.md"]);
    }

    /// Every byte outside the repository that may not change.
    fn outside(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        for folder in ["decoy", "home"] {
            all_files(&self.env.outside().join(folder), &mut files);
        }
        files.sort();
        files
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = self.env.sealed(program);
        command.current_dir(&self.top).args(args);
        // What is tried here is not how fast the machine is.
        command.env("ELOPHANTO_HOOK_SECONDS", "300");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(PROGRAM, args))
    }

    /// Runs git and expects success; what it said on both streams.
    fn git(&self, args: &[&str]) -> Output {
        let output = self.try_git(args);
        assert_eq!(output.code, Some(0), "git {args:?}\n{output}");
        output
    }

    fn try_git(&self, args: &[&str]) -> Output {
        finish(&mut self.command("git", args))
    }

    fn asked(&self, args: &[&str]) -> String {
        self.git(args).stdout().trim_end().to_owned()
    }

    /// Runs git with something to read.
    fn git_with(&self, args: &[&str], input: &str) -> Output {
        let mut command = self.command("git", args);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!(output.code, Some(0), "git {args:?}\n{output}");
        output
    }

    fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self, path: impl AsRef<Path>) -> String {
        String::from_utf8(fs::read(self.top.join(path)).unwrap()).unwrap()
    }

    fn note(&self, name: &str, text: &str) -> String {
        let path = format!("docs/{name}.md");
        self.write(&path, format!("# {name}\n\n{text}\n"));
        path
    }

    /// Writes a note and stages it.
    fn stage(&self, name: &str, text: &str) {
        let path = self.note(name, text);
        self.git(&["add", "--", &path]);
    }

    /// Commits what is staged; what the hook said about it.
    fn commit(&self, message: &str) -> String {
        self.git(&["commit", "--quiet", "-m", message]).stderr()
    }

    /// A commit that the editor refuses.
    fn aborted(&self, args: &[&str]) {
        let mut command = self.command("git", &[&["commit"], args].concat());
        let output = finish(command.env("GIT_EDITOR", "false"));
        assert_eq!(output.code, Some(1), "{output}");
    }

    fn git_dir(&self) -> PathBuf {
        PathBuf::from(self.asked(&["rev-parse", "--absolute-git-dir"]))
    }

    /// `mode id stage path` of everything staged.
    fn staged(&self) -> Vec<String> {
        lines(&self.asked(&["ls-files", "-z", "--stage"]))
    }

    /// Paths of a commit below a folder.
    fn committed(&self, revision: &str, folder: &str) -> Vec<String> {
        lines(&self.asked(&["ls-tree", "-r", "-z", "--name-only", revision, "--", folder]))
    }

    /// Names of the entries of a commit.
    fn entries(&self, revision: &str) -> Vec<String> {
        self.committed(revision, &format!("{ENTRIES}/"))
    }

    /// What the entries of a commit say.
    fn entry_texts(&self, revision: &str) -> String {
        let text = |path: &String| self.git(&["show", &format!("{revision}:{path}")]).stdout();
        self.entries(revision).iter().map(text).collect()
    }

    /// Names of the tables of a commit.
    fn tables(&self, revision: &str) -> BTreeSet<String> {
        let table = |path: &String| path.split('/').nth(2).unwrap_or_default().to_owned();
        self.committed(revision, ".elophanto/index/").iter().map(table).collect()
    }

    /// Names of the tables in the work tree.
    fn tables_here(&self) -> BTreeSet<String> {
        let Ok(found) = fs::read_dir(self.top.join(".elophanto/index")) else {
            return BTreeSet::new();
        };
        found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// What a commit changed: status letters and paths.
    fn changed(&self, revision: &str) -> Vec<String> {
        let show = ["show", "--format=", "--no-renames", "--name-status", "-m", "--first-parent"];
        let shown = self.asked(&[&show[..], &[revision]].concat());
        shown.lines().map(|line| line.replace('\t', " ")).collect()
    }

    /// What is different between HEAD, what is staged and the work tree.
    fn status(&self) -> Vec<String> {
        lines(&self.asked(&["status", "--porcelain", "-z", "--untracked-files=all"]))
    }

    /// Passages that a fresh clone of HEAD has to embed.
    fn embedded_by_a_clone(&self) -> u64 {
        let folder = tempfile::tempdir_in(self.env.outside()).unwrap();
        let clone = folder.path().join("clone");
        let clone = clone.to_str().unwrap();
        self.git(&["init", "--quiet", "--initial-branch=main", clone]);
        let here = self.top.to_str().unwrap();
        self.git(&["-C", clone, "fetch", "--quiet", "--no-tags", here, "HEAD"]);
        self.git(&["-C", clone, "checkout", "--quiet", "-b", "work", "FETCH_HEAD"]);
        let mut command = self.command(PROGRAM, &["index", "--json"]);
        let output = finish(command.current_dir(clone));
        assert_eq!(output.code, Some(0), "{output}");
        output.json().last().unwrap()["embedded"].as_u64().unwrap()
    }

    fn check_sound(&self) {
        let output = self.git(&["fsck", "--strict", "--no-dangling"]);
        assert_eq!((output.stdout(), output.stderr()), (String::new(), String::new()));
    }
}

/// A note that `git add -p` sees as two hunks.
fn long(first: &str, last: &str) -> String {
    let middle: String = (0..30).map(|line| format!("Line {line} of the middle.\n")).collect();
    format!("# Long\n\nThe {first} line.\n\n{middle}\nThe {last} line.\n")
}

/// Pieces between NULs.
fn lines(text: &str) -> Vec<String> {
    text.split('\0').filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// Whether a line ends in a path that hooks write to.
fn is_ours(line: &str) -> bool {
    line.contains(".elophanto/index/") || line.contains(ENTRIES)
}

fn not_ours(mut lines: Vec<String>) -> Vec<String> {
    lines.retain(|line| !is_ours(line));
    lines
}

fn all_files(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all_files(&path, files);
        } else {
            let bytes = fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
}
