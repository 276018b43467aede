//! Every operation of git, in every kind of work tree, with hooks and without.

use super::*;

/// What git does, and whether pre-commit sees what is committed.
struct Operation {
    name: &'static str,
    runs_pre_commit: bool,
    run: fn(&Site),
}

const fn operation(name: &'static str, runs_pre_commit: bool, run: fn(&Site)) -> Operation {
    Operation { name, runs_pre_commit, run }
}

const OPERATIONS: &[Operation] = &[
    operation("commit", true, |site| {
        site.stage("new", "Something new.");
        site.commit("new");
    }),
    operation("commit --amend", true, |site| {
        site.stage("first", "Said in another way.");
        site.git(&["commit", "--quiet", "--amend", "--no-edit"]);
    }),
    operation("commit -a", true, |site| {
        site.note("otters", "They let go.");
        site.git(&["commit", "--quiet", "-a", "-m", "all"]);
    }),
    operation("commit PATH", false, |site| {
        site.stage("other", "Staged, and to stay so.");
        let path = site.note("otters", "They let go.");
        site.git(&["commit", "--quiet", "-m", "path", &path]);
    }),
    operation("commit --only PATH", false, |site| {
        site.stage("other", "Staged, and to stay so.");
        let path = site.note("otters", "They let go.");
        site.git(&["commit", "--quiet", "-m", "only", "--only", &path]);
    }),
    operation("commit --include PATH", true, |site| {
        site.stage("other", "Staged, and to go along.");
        let path = site.note("otters", "They let go.");
        site.git(&["commit", "--quiet", "-m", "include", "--include", &path]);
    }),
    operation("merge", false, |site| {
        site.git(&["merge", "--quiet", "--no-edit", "side"]);
    }),
    operation("merge with a conflict", true, |site| {
        site.git(&["stash", "push", "--quiet"]);
        assert_eq!(site.try_git(&["merge", "--quiet", "--no-edit", "clash"]).code, Some(1));
        site.stage("first", "Both are right.");
        site.git(&["commit", "--quiet", "--no-edit"]);
        site.git(&["stash", "pop", "--quiet"]);
    }),
    operation("cherry-pick", false, |site| {
        site.git(&["cherry-pick", "side"]);
    }),
    operation("cherry-pick with a conflict", true, |site| {
        site.git(&["stash", "push", "--quiet"]);
        assert_eq!(site.try_git(&["cherry-pick", "clash"]).code, Some(1));
        site.stage("first", "Both are right.");
        site.git(&["-c", "core.editor=true", "cherry-pick", "--continue"]);
        site.git(&["stash", "pop", "--quiet"]);
    }),
    operation("revert", false, |site| {
        site.git(&["revert", "--no-edit", "HEAD"]);
    }),
    operation("rebase", false, |site| {
        site.git(&["rebase", "--quiet", "--autostash", "side"]);
    }),
    operation("reset --hard", true, |site| {
        site.stage("lost", "Nobody will read this.");
        site.commit("lost");
        site.stage("lost", "Nor this.");
        site.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    }),
    operation("stash", true, |site| {
        site.stage("new", "Something new.");
        site.git(&["stash", "push", "--quiet"]);
        site.git(&["stash", "pop", "--quiet", "--index"]);
        site.commit("after the stash");
    }),
    operation("stash of an aborted commit", true, |site| {
        site.stage("new", "Something new.");
        site.aborted(&[]);
        site.git(&["stash", "push", "--quiet"]);
        site.git(&["stash", "pop", "--quiet", "--index"]);
        site.commit("after the stash");
    }),
    operation("add -p", true, |site| {
        site.write("docs/long.md", long("very first", "very last"));
        site.git_with(&["add", "-p", "docs/long.md"], "y\nn\n");
        site.commit("half");
    }),
    operation("half a table", true, |site| {
        site.stage("new", "Something new.");
        site.aborted(&[]);
        let table = site.staged().into_iter().filter(|line| line.contains(".elophanto/index/"));
        let committed = site.committed("HEAD", ".elophanto/index/");
        let paths: Vec<String> = table
            .map(|line| line.split('\t').nth(1).unwrap().to_owned())
            .filter(|path| !committed.contains(path))
            .collect();
        if let Some(path) = paths.first() {
            site.git(&["rm", "--quiet", "--cached", "--", path]);
        }
        site.commit("half a table");
    }),
    operation("aborted commit", true, |site| {
        site.stage("new", "Something new.");
        site.aborted(&[]);
        site.stage("new", "Something else.");
        site.commit("second attempt");
    }),
    operation("aborted commit -a", true, |site| {
        site.note("otters", "They let go.");
        site.aborted(&["-a"]);
        site.note("otters", "They hold on.");
        site.git(&["commit", "--quiet", "-a", "-m", "second attempt"]);
    }),
    operation("clean -fdx", true, |site| {
        site.git(&["clean", "-fdx", "--quiet"]);
        site.stage("new", "Something new.");
        site.commit("clean");
    }),
    operation("nothing of ours", true, |site| {
        site.write("code.txt", "two\n");
        site.git(&["add", "code.txt"]);
        site.commit("code");
    }),
    operation("initial commit", true, |site| {
        site.git(&["checkout", "--quiet", "--orphan", "fresh"]);
        site.commit("initial");
    }),
    operation("detached HEAD", true, |site| {
        site.git(&["checkout", "--quiet", "--detach"]);
        site.stage("new", "Something new.");
        site.commit("detached");
    }),
    operation("moved and removed", true, |site| {
        site.git(&["mv", "docs/long.md", "docs/longer.md"]);
        site.git(&["rm", "--quiet", "docs/otters.md"]);
        site.commit("moved");
    }),
];

/// Two branches to come together with, a commit with hooks, and an edit that stays unstaged.
fn prepared(tree: Tree, hooks: bool) -> Site {
    let site = Site::new(tree, hooks);
    for (branch, note) in [("side", "side"), ("clash", "first")] {
        site.git(&["checkout", "--quiet", "-b", branch]);
        site.stage(note, &format!("Written on {branch}."));
        site.commit(branch);
        site.git(&["checkout", "--quiet", "-"]);
    }
    site.stage("first", "Written here.");
    site.commit("first");
    site.write("docs/draft.md", "# Draft\n\nNot staged yet.\n");
    site
}

/// A site that is prepared once and put back, to the byte, before each operation.
struct Prepared {
    site: Site,
    kept: tempfile::TempDir,
}

impl Prepared {
    fn new(tree: Tree, hooks: bool) -> Self {
        let (site, kept) = (prepared(tree, hooks), tempfile::tempdir().unwrap());
        copy(site.env.outside(), kept.path());
        Self { site, kept }
    }

    fn again(&self) -> &Site {
        for entry in fs::read_dir(self.site.env.outside()).unwrap() {
            let path = entry.unwrap().path();
            let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            gone.unwrap();
        }
        copy(self.kept.path(), self.site.env.outside());
        &self.site
    }
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(copied.success());
}

/// What a user sees of it, without what is ours.
fn seen(site: &Site) -> Vec<(&'static str, Vec<String>)> {
    let log = ["log", "--topo-order", "--format=%s%n%an%n%P%x00", "HEAD"];
    let subjects = lines(&site.asked(&log)).into_iter().map(|record| {
        let mut fields = record.trim_start().lines();
        let (subject, author) = (fields.next(), fields.next());
        let parents = fields.next().unwrap_or_default().split_whitespace().count();
        format!("{} {} {parents}", subject.unwrap_or_default(), author.unwrap_or_default())
    });
    let mut files = Vec::new();
    all_files(&site.top, &mut files);
    let shown = files.iter().filter_map(|(path, bytes)| {
        let path = path.strip_prefix(&site.top).unwrap();
        let ours = path.starts_with(".git") || is_ours(path.to_str().unwrap());
        (!ours).then(|| format!("{} {}", path.display(), String::from_utf8_lossy(bytes)))
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    vec![
        ("history", subjects.collect()),
        ("committed", not_ours(lines(&site.asked(&["ls-tree", "-r", "-z", "HEAD"])))),
        ("staged", not_ours(site.staged())),
        ("status", not_ours(site.status())),
        ("stashes", lines(&site.asked(&["stash", "list", "--format=%gs%x00"]))),
        ("work tree", shown),
    ]
}

fn check(tree: Tree, with: &Site, without: &Site, operation: &Operation) {
    let name = format!("{}, {tree:?}", operation.name);
    let outside = with.outside();
    (operation.run)(with);
    (operation.run)(without);
    for (with, without) in seen(with).into_iter().zip(seen(without)) {
        assert_eq!(with, without, "{name}");
    }
    if operation.runs_pre_commit {
        assert_eq!(with.embedded_by_a_clone(), 0, "{name}: in a clone");
        assert!(!with.tables("HEAD").is_empty(), "{name}");
    }
    // What is ours is committed or not there.
    let ours: Vec<String> = with.status().into_iter().filter(|line| is_ours(line)).collect();
    assert_eq!(ours, [""; 0], "{name}");
    assert!(!with.git_dir().join("index.lock").exists(), "{name}");

    with.stage("next", "What comes next.");
    let said = with.commit("next");
    assert_eq!(said.lines().count(), 1, "{name}: {said}");
    let changed = with.changed("HEAD");
    let lost = |line: &&String| line.starts_with('D') && !line.contains("docs/");
    assert_eq!(changed.iter().find(lost), None, "{name}: {changed:?}");
    assert_eq!(with.embedded_by_a_clone(), 0, "{name}: in a clone of the next");
    assert_eq!(with.read("docs/draft.md").contains("Not staged"), {
        without.read("docs/draft.md").contains("Not staged")
    });
    with.check_sound();
    assert_eq!(with.outside(), outside, "{name}");
}

fn check_all(tree: Tree) {
    let wanted = std::env::var("OPERATION").ok();
    let (with, without) = (Prepared::new(tree, true), Prepared::new(tree, false));
    for operation in OPERATIONS {
        if wanted.as_ref().is_none_or(|wanted| wanted == operation.name) {
            check(tree, with.again(), without.again(), operation);
        }
    }
}

#[test]
fn in_the_main_tree() {
    check_all(Tree::Main);
}

#[test]
fn in_a_linked_tree() {
    check_all(Tree::Linked);
}

#[test]
fn in_a_submodule() {
    check_all(Tree::Submodule);
}

#[test]
fn variables_of_another_repository() {
    for tree in [Tree::Main, Tree::Linked, Tree::Submodule] {
        let site = prepared(tree, true);
        site.stage("new", "Something new.");
        let decoy = site.env.outside().join("decoy/.git");
        let own = site.git_dir();
        let (outside, before) = (site.outside(), seen(&site));
        let staged = site.staged();
        for (git_dir, index) in [
            (Some(decoy.clone()), Some(decoy.join("index"))),
            (Some(decoy.clone()), None),
            (None, Some(decoy.join("index"))),
            (Some(own), Some(decoy.join("index.lock"))),
        ] {
            for hook in ["pre-commit", "post-merge", "post-commit"] {
                let mut command = site.command(PROGRAM, &["hook", "run", hook]);
                command.envs(git_dir.iter().map(|path| ("GIT_DIR", path)));
                command.envs(index.iter().map(|path| ("GIT_INDEX_FILE", path)));
                let output = finish(&mut command);
                let lines = usize::from(hook == "pre-commit");
                assert_eq!((output.code, output.stderr().lines().count()), (Some(0), lines));
                assert_eq!((seen(&site), site.staged()), (before.clone(), staged.clone()));
                assert_eq!(site.outside(), outside, "{git_dir:?} {index:?}");
            }
        }
    }
}
