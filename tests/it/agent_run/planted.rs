//! Git directories that a command leaves in the work tree: nobody's git obeys them afterwards.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use super::{Bench, Running, Told, drive};
use crate::{
    env::{TestEnv, finish},
    fake::script::{Model, Turn, call, shell, text},
};

/// Begins every script: `git_dir FOLDER` makes one whose settings write `$CANARY`.
const BEGINS: &str = "\
git_dir() {
  mkdir -p \"$1/objects\" \"$1/refs\" || return 1
  echo 'ref: refs/heads/m' >\"$1/HEAD\"
  printf '[core]\\n repositoryformatversion=0\\n bare=false\\n %s\\n fsmonitor=\"id >%s; false\"\\n' \\
    \"$2\" \"$CANARY\" >\"$1/config\"
}
";

/// What is planted, by a line of a shell, and where a user would ask git for the state of things.
/// All in folders that exist, since a narrow sandbox makes none at the top.
const VARIANTS: [(&str, &str, &str); 15] = [
    ("the place of a submodule", "git_dir vendor/lib/.git", "."),
    ("the place of a submodule, made anew", "rm -rf vendor/lib; git_dir vendor/lib/.git", "."),
    ("a folder", "git_dir work/a/.git", "work/a"),
    ("a folder that exists", "git_dir kept/.git", "kept"),
    ("a folder that git ignores", "git_dir ignored/deep/.git", "ignored/deep"),
    (
        "a file that names one",
        "git_dir work/f; mkdir work/g; echo 'gitdir: ../f' >work/g/.git",
        "work/g",
    ),
    ("a link to one", "git_dir work/s; mkdir work/l; ln -s ../s work/l/.git", "work/l"),
    ("a plain folder", "git_dir work/bare worktree=..", "work/bare"),
    (
        "a folder that names another for what is missing",
        "git_dir work/c worktree=..; mkdir work/d; cp work/c/HEAD work/d; echo ../c >work/d/commondir",
        "work/d",
    ),
    ("below a name that is only like git's", "git_dir work/.GIT/sub/.git", "work/.GIT/sub"),
    ("a work tree elsewhere", "git_dir work/w/.git worktree=..", "work/w"),
    (
        "objects of others",
        "git_dir work/o/.git; mkdir work/o/.git/objects/info; \
         echo \"$PWD/.git/objects\" >work/o/.git/objects/info/alternates",
        "work/o",
    ),
    ("a folder that is closed", "git_dir work/x/y/.git; chmod 0311 work/x", "work/x/y"),
    (
        "git itself, then its settings",
        "git init -q work/i && git -C work/i config core.fsmonitor \"id >$CANARY; false\"",
        "work/i",
    ),
    (
        "a template",
        "mkdir -p work/t; printf '[core]\\n fsmonitor=\"id >%s; false\"\\n' \"$CANARY\" >work/t/config; \
         git init -q --template=work/t work/u",
        "work/u",
    ),
];

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("README.md", "# Otters\n\nThey swim.\n"),
        (".gitignore", "ignored/\n"),
        ("kept/a.txt", "a\n"),
        ("work/a.txt", "a\n"),
    ]
}

fn script(canary: &Path) -> String {
    let mut script = format!("CANARY='{}'\n{BEGINS}", canary.display());
    for (_, line, _) in VARIANTS {
        script.push_str(&format!("( {line} ) 2>/dev/null\n"));
    }
    script + "echo all of it was tried\n"
}

/// A submodule that was never checked out, as in any clone without `--recursive`.
fn with_submodule(env: &TestEnv) {
    let head = env.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{},vendor/lib", head.trim());
    env.git(&["update-index", "--add", "--cacheinfo", &entry]);
    env.git(&["commit", "--quiet", "-m", "A submodule"]);
    fs::create_dir_all(env.path("vendor/lib")).unwrap();
    fs::create_dir_all(env.path("ignored")).unwrap();
}

fn bench(turns: Vec<Turn>) -> Bench {
    let turns = turns.into_iter().chain([text("Done.")]).collect();
    let bench = Bench::with(Model::script(turns), &files());
    with_submodule(&bench.env);
    bench
}

fn canary(bench: &Bench) -> PathBuf {
    bench.env.outside().join("CANARY")
}

/// The folders of a user who asks git for the state of things, and whether that ran something.
fn asks_git(env: &TestEnv, canary: &Path) -> Vec<&'static str> {
    let mut ran = Vec::new();
    for (name, _, folder) in VARIANTS {
        let _ = fs::remove_file(canary);
        let folder = env.path(folder);
        if folder.is_dir() {
            finish(env.sealed("git").arg("status").current_dir(folder));
        }
        if canary.exists() {
            ran.push(name);
        }
    }
    ran
}

/// Everything that git may find, but for the work tree's own.
fn found(env: &TestEnv) -> BTreeSet<PathBuf> {
    marks(env.root())
}

fn marks(root: &Path) -> BTreeSet<PathBuf> {
    let walk =
        walkdir::WalkDir::new(root).into_iter().filter_entry(|it| it.path() != root.join(".git"));
    let all: Vec<PathBuf> = walk.filter_map(Result::ok).map(|it| it.into_path()).collect();
    let is_mark = |path: &&PathBuf| {
        let is_inside = path.parent().unwrap().components().any(|it| it.as_os_str() == ".git");
        let folder = path.parent().unwrap();
        let whole = folder.join("objects").exists() && folder.join("refs").exists();
        !is_inside && path.ends_with(".git")
            || !is_inside && path.ends_with("HEAD") && (whole || folder.join("commondir").exists())
    };
    let marks = all.iter().filter(is_mark);
    marks.map(|path| path.strip_prefix(root).unwrap().to_owned()).collect()
}

/// The same command where the system has no namespaces for it.
pub fn narrowly(command: &Command) -> Command {
    let limit = "echo 0 >/proc/sys/user/max_user_namespaces; \
                 echo 0 >/proc/sys/user/max_mnt_namespaces; exec \"$@\"";
    let mut narrow = Command::new("unshare");
    narrow.args(["-Ur", "sh", "-c", limit, "sh"]).arg(command.get_program());
    narrow.args(command.get_args()).env_clear();
    if let Some(folder) = command.get_current_dir() {
        narrow.current_dir(folder);
    }
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    narrow.envs(variables);
    narrow
}

/// Whether this system can be made such a one.
pub fn can_be_narrow() -> bool {
    let tried = narrowly(&Command::new("true")).output();
    tried.is_ok_and(|output| output.status.success())
}

fn run(bench: &Bench, is_narrow: bool, more: &[&str]) -> Told {
    let command = bench.command("Run the tests", &[&["--mode", "full"], more].concat());
    let mut command = if is_narrow { narrowly(&command) } else { command };
    drive(&mut command, |_| Some("once".to_owned()))
}

/// Without all this, it works: what the script does is worth holding back.
#[test]
fn the_attack_is_one() {
    let env = TestEnv::with(&files());
    env.commit("First");
    with_submodule(&env);
    let canary = env.outside().join("CANARY");
    env.write("attack.sh", script(&canary));
    let said = finish(env.sealed("sh").arg("attack.sh"));
    assert!(said.stdout().contains("all of it was tried"), "{said}");
    let ran = asks_git(&env, &canary);
    // Whether a link is followed, and a template of settings taken, is git's to say.
    assert!(ran.len() >= VARIANTS.len() - 3, "{ran:?}");
}

#[test]
fn what_a_command_plants_is_put_aside() {
    for is_narrow in [false, true] {
        if is_narrow && !can_be_narrow() {
            continue;
        }
        let bench = bench(vec![shell("sh attack.sh")]);
        let canary = canary(&bench);
        bench.env.write("attack.sh", script(&canary));
        bench.env.commit("Attack");
        let before = bench.env.files();
        let told = run(&bench, is_narrow, &[]);
        told.done();
        assert!(told.results()[0].contains("all of it was tried"), "{}", told.output);
        assert_eq!(found(&bench.env), BTreeSet::new(), "{is_narrow} {}", told.output);
        let ran = asks_git(&bench.env, &canary);
        assert!(ran.is_empty(), "{is_narrow} {ran:?}\n{}", told.output);
        let warnings = told.ended()["warnings"].to_string();
        for mark in ["work/a/.git", "work/bare/HEAD", "work/g/.git", "work/x/y/.git", "work/d/HEAD"]
        {
            let said = format!("a repository of its own, `{mark}`");
            assert!(warnings.contains(&said), "{is_narrow} {mark}\n{warnings}");
            assert!(told.results()[0].contains(&said), "{is_narrow} {mark}\n{}", told.output);
        }
        // What a submodule's place would hold was never there.
        assert!(!warnings.contains("vendor/lib"), "{is_narrow} {warnings}");
        // Where it is kept, git finds nothing either.
        let kept = bench.env.path(".git/elophanto/aside").join(told.run());
        assert!(kept.join("0").exists(), "{}", told.output);
        assert_eq!(marks(&kept), BTreeSet::new());
        for entry in fs::read_dir(&kept).unwrap().flatten().filter(|it| it.path().is_dir()) {
            finish(bench.env.sealed("git").arg("status").current_dir(entry.path()));
            assert!(!canary.exists(), "{:?}", entry.path());
        }
        // All else that it made is gone with an undo.
        bench.env.ok(&["agent", "undo"]);
        let mut after = bench.env.files();
        after.retain(|(path, _)| !path.starts_with("knowledge") && !path.starts_with(".elophanto"));
        assert_eq!(after, before, "{is_narrow}");
        assert!(!bench.env.path("work/x").exists());
    }
}

/// Files that tools write, one by one, are no repository in the end.
#[test]
fn file_tools_make_none_either() {
    let write = |path: &str, text: &str| call("file_write", json!({ "path": path, "text": text }));
    let config = "[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = id >../../../CANARY\n";
    let bench = bench(vec![
        write("work/b/config", config),
        write("work/b/objects/x", "x\n"),
        write("work/b/HEAD", "ref: refs/heads/m\n"),
        write("work/b/refs/x", "x\n"),
    ]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert_eq!(told.ran().len(), 4, "{}", told.output);
    assert_eq!(found(&bench.env), BTreeSet::new(), "{}", told.output);
    assert_eq!(asks_git(&bench.env, &canary(&bench)), [""; 0]);
    assert!(told.ended()["warnings"].to_string().contains("work/b/HEAD"), "{}", told.output);
}

/// What git makes by itself when it is told to is what the user wanted. Nothing writes in it
/// afterwards, and an undo takes it away.
#[test]
fn what_git_makes_as_it_was_let_stays() {
    let bench = bench(vec![
        shell("git init work/sub"),
        shell("git clone . work/copy"),
        shell("git init --bare work/store.git"),
        shell("sh write.sh"),
    ]);
    let script = "for i in work/sub/.git work/copy/.git work/store.git; do echo x >>$i/config; done\n\
                  mv work/sub work/moved; echo tried\n";
    bench.env.write("write.sh", script);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert!(told.results()[3].contains("tried"), "{}", told.output);
    let kept = ["work/copy/.git", "work/store.git/HEAD", "work/sub/.git"];
    assert_eq!(found(&bench.env), kept.iter().map(PathBuf::from).collect(), "{}", told.output);
    for path in ["work/sub/.git/config", "work/copy/.git/config", "work/store.git/config"] {
        assert!(!bench.env.read(path).ends_with(b"x\n"), "{path} {}", told.output);
    }
    let undone = bench.env.ok(&["agent", "undo"]);
    assert_eq!(found(&bench.env), BTreeSet::new(), "{undone}");
    assert!(
        !bench.env.path("work/sub").exists() && !bench.env.path("work/copy").exists(),
        "{undone}"
    );
    assert!(!bench.env.path("work/store.git").exists(), "{undone}");
}

/// Repositories of the user's own are left alone, those that they make between two commands too.
#[test]
fn what_was_there_stays() {
    let bench = bench(vec![shell("true"), shell("ls work; echo x >work/own/.git/config; true")]);
    bench.env.git(&["init", "--quiet", "work/own"]);
    let config = bench.env.read("work/own/.git/config");
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert_eq!(bench.env.read("work/own/.git/config"), config);
    assert!(!told.ended()["warnings"].to_string().contains("put aside"), "{}", told.output);
}

/// A run that was killed while a command of it had planted something; then come these turns.
fn killed_after_planting(more: Vec<Turn>) -> Bench {
    let plants = "mkdir -p work/k/.git/objects work/k/.git/refs\n\
                  echo 'ref: refs/heads/m' >work/k/.git/HEAD\necho y >work/k/y\nsleep 60\n";
    let bench = bench([vec![shell("sh plant.sh")], more].concat());
    bench.env.write("plant.sh", plants);
    let running = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    let begun = std::time::Instant::now();
    while !bench.env.path("work/k/y").exists() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    running.signal(libc::SIGKILL);
    running.finish(|_| None);
    // The sandbox takes its stand-in away once it sees that nobody waits for it.
    let planted = BTreeSet::from([PathBuf::from("work/k/.git")]);
    let killed = std::time::Instant::now();
    while found(&bench.env) != planted && killed.elapsed() < std::time::Duration::from_secs(20) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(found(&bench.env), planted);
    bench
}

/// Nobody could put aside what a command left that was killed with its run: the undo does.
#[test]
fn an_interrupted_run_leaves_none_after_its_undo() {
    let bench = killed_after_planting(vec![]);
    let undone = bench.env.ok(&["agent", "undo", "--interrupted"]);
    assert_eq!(found(&bench.env), BTreeSet::new(), "{undone}");
    assert!(!bench.env.path("work/k").exists(), "{undone}");
}

/// The next run does not take it for the user's own.
#[test]
fn a_run_after_one_that_was_killed_puts_aside_what_that_planted() {
    let bench = killed_after_planting(vec![shell("true")]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert_eq!(found(&bench.env), BTreeSet::new(), "{}", told.output);
    let warnings = told.ended()["warnings"].to_string() + &told.output.to_string();
    assert!(
        warnings.contains("a run was killed before, in the middle of a command"),
        "{}",
        told.output
    );
    assert!(warnings.contains("work/k/.git"), "{}", told.output);
    // Said and done once.
    let entries = fs::read_dir(bench.env.path(".git/elophanto/aside")).unwrap().flatten();
    let names: Vec<_> = entries.map(|entry| entry.path()).collect();
    assert!(
        matches!(&names[..], [one] if one.extension().is_some_and(|it| it == "killed")),
        "{names:?}"
    );
}

/// Whatever command comes next does, not only those of the agent: git may be asked any moment.
#[test]
fn any_command_after_a_run_that_was_killed_puts_aside_what_that_planted() {
    for command in [&["search", "otters"][..], &["doctor"], &["index"], &["agent", "recall", "x"]] {
        let bench = killed_after_planting(Vec::new());
        let output = bench.env.run(command);
        assert_eq!(found(&bench.env), BTreeSet::new(), "{command:?} {output}");
        assert!(output.stderr().contains("a run was killed before"), "{command:?} {output}");
        let again = bench.env.run(command);
        assert!(!again.stderr().contains("killed"), "{command:?} {again}");
    }
}

/// A bare repository that git makes in a folder that was prepared for it keeps what lies there.
#[test]
fn a_prepared_folder_becomes_no_repository() {
    let bench = bench(vec![shell("sh prepare.sh"), shell("git init --bare work/store")]);
    let script = "mkdir -p work/store/hooks; echo 'id >CANARY' >work/store/hooks/post-receive\n\
                  chmod +x work/store/hooks/post-receive; echo prepared\n";
    bench.env.write("prepare.sh", script);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert!(told.results()[0].contains("prepared"), "{}", told.output);
    assert_eq!(found(&bench.env), BTreeSet::new(), "{}", told.output);
}

/// File tools leave the settings of a bare repository of the user's alone.
#[test]
fn a_bare_repository_is_not_written() {
    let write = |path: &str| call("file_write", json!({ "path": path, "text": "x\n" }));
    let bench = bench(vec![
        write("work/store.git/description-of-mine"),
        write("work/store.git/hooks/post-receive"),
        write("work/b.txt"),
    ]);
    bench.env.git(&["init", "--quiet", "--bare", "work/store.git"]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    for path in ["description-of-mine", "hooks/post-receive"] {
        assert!(!bench.env.path("work/store.git").join(path).exists(), "{}", told.output);
    }
    assert!(told.output.to_string().contains("is a git repository of its own"), "{}", told.output);
    assert_eq!(bench.env.read("work/b.txt"), b"x\n");
}

/// A folder at the top that is spelled nearly like git's own is none.
#[test]
fn nothing_hides_at_the_top() {
    for name in [".GIT", ".g\u{200b}it"] {
        let bench = bench(vec![shell("sh attack.sh")]);
        let canary = canary(&bench);
        let line = format!("git_dir '{name}/sub/.git'; echo all of it was tried\n");
        bench.env.write("attack.sh", format!("CANARY='{}'\n{BEGINS}{line}", canary.display()));
        bench.env.commit("Attack");
        let told = run(&bench, false, &[]);
        told.done();
        assert!(told.results()[0].contains("all of it was tried"), "{}", told.output);
        assert_eq!(found(&bench.env), BTreeSet::new(), "{name} {}", told.output);
        let folder = bench.env.path(name).join("sub");
        if folder.is_dir() {
            finish(bench.env.sealed("git").arg("status").current_dir(folder));
        }
        assert!(!canary.exists(), "{name}");
    }
}
