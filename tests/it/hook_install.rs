//! `elophanto hook install`, `uninstall`, `status`: git's hooks run us, the hooks that are there
//! run and decide as before, and taking ours out leaves no trace.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::env::{Output, PROGRAM, TestEnv, finish, snapshot};

/// Logs its arguments and what it is given to read, then ends as the file beside it says.
const STAND_IN: &str = r#"#!/bin/sh
{ printf '%s|' "$@"; cat; echo; } >>"${0%/*}/log"
code=$(cat "${0%/*}/code")
[ "$code" != signal ] || kill -SEGV $$
exit "$code"
"#;

/// What a user's hook does: logs its arguments and what it is given to read, then decides.
const BODY: &str = "{ printf '%s|' \"$@\"; cat; echo; } >>\"$LOG\"\nexit \"$SAYS\"\n";

/// The kinds of work trees there are.
#[derive(Debug, Clone, Copy)]
enum Tree {
    Main,
    Linked,
    Submodule,
}

const TREES: [Tree; 3] = [Tree::Main, Tree::Linked, Tree::Submodule];

/// A work tree, and a stand-in for the program in a folder with a difficult name.
struct Site {
    env: TestEnv,
    top: PathBuf,
    program: PathBuf,
}

/// A hook's exit code, what it logged, and whether a commit went through.
type Ways = Vec<(Option<i32>, String, Option<i32>)>;

impl Site {
    fn new(tree: Tree) -> Self {
        let env = TestEnv::with(&[("docs/otters.md", "# Otters\n")]);
        env.write_attributes();
        env.write("tools/hook.sh", format!("#!/bin/sh\n{BODY}"));
        executable(&env.path("tools/hook.sh"), 0o755);
        env.commit("all");
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
        let folder = env.outside().join("it's a \"$bin\"");
        fs::create_dir(&folder).unwrap();
        let program = folder.join("elophanto");
        let site = Self { env, top, program };
        write(&site.program, STAND_IN, 0o755);
        site.ends("0");
        site
    }

    /// How the stand-in ends from now on.
    fn ends(&self, code: &str) {
        fs::write(self.program.with_file_name("code"), code).unwrap();
    }

    /// What the stand-in logged since it was asked last.
    fn log(&self) -> String {
        let path = self.program.with_file_name("log");
        let log = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        log
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
        let mut command = self.env.sealed(program);
        command.current_dir(&self.top).args(args);
        command.env("LOG", self.env.outside().join("user.log")).env("SAYS", "0");
        command
    }

    fn git(&self, args: &[&str]) -> String {
        let output = finish(&mut self.command("git", args));
        assert_eq!(output.code, Some(0), "git {args:?}\n{output}");
        output.stdout().trim_end().to_owned()
    }

    fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(PROGRAM, args))
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        let output = self.run(&[&["hook"], args, &["--json"]].concat());
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        output.json()
    }

    /// Installs with the stand-in; hook and action, and where a hook of the user stands.
    fn install(&self, args: &[&str]) -> Vec<String> {
        let program = self.program.to_str().unwrap();
        said(&self.json(&[&["install", "--program", program], args].concat()), "action")
    }

    fn status(&self) -> Vec<String> {
        said(&self.json(&["status"]), "state")
    }

    /// The folder that git runs hooks from.
    fn hooks(&self) -> PathBuf {
        let path = ["rev-parse", "--path-format=absolute", "--git-path", "hooks"];
        PathBuf::from(self.git(&path))
    }

    /// Puts a pre-commit hook of the user in.
    fn hook(&self, text: impl AsRef<[u8]>, mode: u32) {
        fs::create_dir_all(self.hooks()).unwrap();
        write(&self.hooks().join("pre-commit"), text, mode);
    }

    /// What git makes of its pre-commit hook when the user's decides for and against.
    fn ways(&self) -> Ways {
        let input = self.env.outside().join("input");
        fs::write(&input, "one\ntwo\n").unwrap();
        let input = format!("--to-stdin={}", input.display());
        let run = ["hook", "run", "--ignore-missing", &input, "pre-commit", "--", "a b", "c\"'d"];
        let commit = ["commit", "--quiet", "--allow-empty", "-m", "x"];
        let log = self.env.outside().join("user.log");
        ["0", "3"]
            .into_iter()
            .map(|says| {
                let asked = finish(self.command("git", &run).env("SAYS", says)).code;
                let committed = finish(self.command("git", &commit).env("SAYS", says)).code;
                let logged = fs::read_to_string(&log).unwrap_or_default();
                let _ = fs::remove_file(&log);
                (asked, logged, committed)
            })
            .collect()
    }
}

/// `hook action`, and where a hook of the user stands.
fn said(lines: &[Value], key: &str) -> Vec<String> {
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    lines
        .iter()
        .map(|line| {
            format!("{} {} {}", text(line, "hook"), text(line, key), text(line, "foreign"))
                .trim_end()
                .to_owned()
        })
        .collect()
}

fn write(path: &Path, bytes: impl AsRef<[u8]>, mode: u32) {
    fs::write(path, bytes).unwrap();
    executable(path, mode);
}

fn executable(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Name, mode and content (of a link where it leads) of everything in a folder.
fn listing(folder: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap();
            let bytes = if kind.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            (path, kind.mode(), bytes)
        })
        .collect();
    files.sort();
    files
}

/// Installs beside a hook of the user, in every kind of work tree, with the program ending in
/// every way, and takes it out again. `foreign` is where the user's hook is then.
fn check(foreign: &str, prepare: impl Fn(&Site)) {
    for tree in TREES {
        let site = Site::new(tree);
        prepare(&site);
        let hooks = site.hooks();
        let before = listing(&hooks);
        let existed = hooks.exists();
        let state = site.git(&["status", "--porcelain"]);
        let ways = site.ways();
        assert_eq!(listing(&hooks), before, "the hook itself writes there");

        let expected = format!("pre-commit installed {foreign}");
        assert_eq!(site.install(&[]), [expected.trim_end(), "post-merge installed"], "{tree:?}");
        for code in ["0", "2", "101", "signal"] {
            site.ends(code);
            assert_eq!(site.ways(), ways, "{tree:?}, the program ends with {code}");
            // Four times asked: never anything to read, and always the arguments.
            let log = site.log();
            let lines: Vec<&str> = log.lines().collect();
            let asked = "hook|run|pre-commit|a b|c\"'d|";
            let committed = "hook|run|pre-commit|";
            assert_eq!(lines, [asked, committed, asked, committed], "{tree:?}, {code}");
        }
        // The gate: the commit is refused before the user's hook is asked.
        site.ends("1");
        for (asked, logged, committed) in site.ways() {
            assert_eq!((asked, logged.as_str(), committed), (Some(1), "", Some(1)), "{tree:?}");
        }
        // A program that is gone stands in nobody's way.
        let gone = site.program.with_extension("gone");
        fs::rename(&site.program, &gone).unwrap();
        assert_eq!(site.ways(), ways, "{tree:?}, without the program");
        fs::rename(&gone, &site.program).unwrap();

        let installed = listing(&hooks);
        let expected = format!("pre-commit unchanged {foreign}");
        assert_eq!(site.install(&[]), [expected.trim_end(), "post-merge unchanged"], "{tree:?}");
        assert_eq!(listing(&hooks), installed, "{tree:?}: a second time");
        let status = site.status();
        let expected = format!("pre-commit installed {foreign}");
        assert_eq!(status[..2], [expected.trim_end(), "post-merge installed"], "{tree:?}");

        let removed = said(&site.json(&["uninstall"]), "action");
        assert_eq!(removed.len(), 2, "{tree:?}: {removed:?}");
        assert_eq!(listing(&hooks), before, "{tree:?}");
        assert_eq!(hooks.exists(), existed, "{tree:?}");
        assert_eq!(site.git(&["status", "--porcelain"]), state, "{tree:?}");
        assert_eq!(site.ways(), ways, "{tree:?}, afterwards");
        assert_eq!(site.run(&["hook", "uninstall"]).code, Some(0), "a second time");
        assert_eq!(listing(&hooks), before, "{tree:?}");
    }
}

#[test]
fn no_hook_there() {
    check("", |_| {});
}

#[test]
fn no_hooks_folder_there() {
    check("", |site| fs::remove_dir_all(site.hooks()).unwrap());
}

#[test]
fn a_hooks_path_that_does_not_exist() {
    check("", |site| drop(site.git(&["config", "core.hooksPath", "made/by/us"])));
}

/// Git would look for its hooks at the root of the machine.
#[test]
fn an_empty_hooks_path() {
    let site = Site::new(TREES[0]);
    site.git(&["config", "core.hooksPath", ""]);
    let before = site.git(&["status", "--porcelain"]);
    let output = site.run(&["hook", "install"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("`/`"), "{output}");
    assert_eq!(site.git(&["status", "--porcelain"]), before);
}

#[test]
fn a_shell_script() {
    check("same-file", |site| site.hook(format!("#!/bin/sh\n{BODY}"), 0o755));
}

#[test]
fn a_shell_script_with_rights_of_its_own() {
    check("same-file", |site| site.hook(format!("#! /bin/sh -eu\n\n{BODY}"), 0o700));
}

#[test]
fn a_shell_script_that_dies_of_any_failure() {
    let text = format!(
        "#!/usr/bin/env bash\nset -euo pipefail\nshopt -s failglob\ntrap 'exit 9' ERR\n{BODY}"
    );
    check("same-file", |site| site.hook(&text, 0o755));
}

#[test]
fn a_shell_script_that_hands_over() {
    let text = "#!/bin/sh\nexec \"$PWD/tools/hook.sh\" \"$@\"\nexit 9\n";
    check("same-file", |site| site.hook(text, 0o755));
}

#[test]
fn a_shell_script_that_asks_for_its_own_name() {
    let text = format!("#!/bin/sh\nset -- \"${{0##*/}}\" \"$@\"\n{BODY}");
    check("same-file", |site| site.hook(&text, 0o755));
}

#[test]
fn a_shell_script_without_a_final_line_feed() {
    check("same-file", |site| site.hook(format!("#!/bin/sh\n{}", BODY.trim_end()), 0o755));
}

#[test]
fn only_a_first_line() {
    check("same-file", |site| site.hook("#!/bin/sh", 0o755));
    check("same-file", |site| site.hook("#!/bin/sh\n", 0o755));
}

#[test]
fn line_endings_of_another_system() {
    // The kernel looks for `sh\r`: git refuses every commit, and goes on doing so.
    for tree in TREES {
        let site = Site::new(tree);
        site.hook(format!("#!/bin/sh\n{BODY}").replace('\n', "\r\n"), 0o755);
        let before = listing(&site.hooks());
        let refused = |ways: Ways| ways.iter().all(|(_, _, commit)| *commit != Some(0));
        assert!(refused(site.ways()));
        assert_eq!(site.install(&[])[0], "pre-commit installed saved");
        assert!(refused(site.ways()));
        assert_eq!(site.json(&["uninstall"]).len(), 2);
        assert_eq!(listing(&site.hooks()), before);
    }
    // Only below the first line, they are the script's own affair.
    let text = format!("#!/bin/sh\nx=1\r\n{BODY}");
    check("same-file", |site| site.hook(&text, 0o755));
}

#[test]
fn no_first_line_for_the_kernel() {
    check("saved", |site| site.hook(BODY, 0o755));
    check("saved", |site| site.hook("", 0o755));
}

#[test]
fn another_interpreter() {
    let awk = r#"#!/usr/bin/env -S awk -f
BEGIN {
    log_file = ENVIRON["LOG"]
    for (i = 1; i < ARGC; i++) { printf "%s|", ARGV[i] >> log_file; delete ARGV[i] }
    while ((getline line < "-") > 0) print line >> log_file
    print "" >> log_file
    exit ENVIRON["SAYS"]
}
"#;
    check("saved", |site| {
        site.hook(awk, 0o755);
        assert_eq!(site.ways()[1].0, Some(3), "awk itself");
    });
    let python = "#!/usr/bin/env python3\nimport os, sys\n\
        open(os.environ['LOG'], 'a').write('|'.join(sys.argv[1:]) + sys.stdin.read())\n\
        sys.exit(int(os.environ['SAYS']))\n";
    check("saved", |site| site.hook(python, 0o755));
}

#[test]
fn a_binary() {
    let cat = ["/bin/cat", "/usr/bin/cat"].map(fs::read).into_iter().find_map(Result::ok).unwrap();
    check("saved", |site| site.hook(&cat, 0o755));
}

#[test]
fn a_script_with_bytes_behind_it() {
    let body = BODY.replace('\n', ";");
    let text = format!("#!/bin/sh\ntail -n +4 \"$0\" >>\"$LOG\"\n{body}\n\0\n");
    check("saved", |site| site.hook(&text, 0o755));
}

#[test]
fn a_file_that_is_not_executable() {
    check("saved", |site| site.hook("#!/bin/sh\nexit 9\n", 0o644));
}

#[test]
fn a_link_to_a_tracked_script() {
    check("saved", |site| {
        symlink(site.top.join("tools/hook.sh"), site.hooks().join("pre-commit")).unwrap();
        assert_eq!(site.ways()[1].0, Some(3), "the script itself");
    });
}

#[test]
fn a_link_to_its_neighbour() {
    check("saved", |site| {
        fs::create_dir_all(site.hooks()).unwrap();
        write(&site.hooks().join("shared"), format!("#!/bin/sh\n{BODY}"), 0o755);
        symlink("shared", site.hooks().join("pre-commit")).unwrap();
    });
}

#[test]
fn a_link_that_leads_nowhere() {
    check("saved", |site| symlink("nowhere", site.hooks().join("pre-commit")).unwrap());
}

/// As `husky init` of version 9 writes it.
#[test]
fn husky() {
    let h = r#"#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0

if [ -f "$HOME/.huskyrc" ]; then
	echo "husky - '~/.huskyrc' is DEPRECATED, please move your code to ~/.config/husky/init.sh"
fi
i="${XDG_CONFIG_HOME:-$HOME/.config}/husky/init.sh"
[ -f "$i" ] && . "$i"

[ "${HUSKY-}" = "0" ] && exit 0

export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?

[ $c != 0 ] && echo "husky - $n script failed (code $c)"
[ $c = 127 ] && echo "husky - command not found in PATH=$PATH"
exit $c
"#;
    for tree in TREES {
        let site = Site::new(tree);
        site.git(&["config", "core.hooksPath", ".husky/_"]);
        fs::create_dir_all(site.hooks()).unwrap();
        fs::write(site.hooks().join(".gitignore"), "*").unwrap();
        fs::write(site.hooks().join("h"), h).unwrap();
        for name in ["pre-commit", "post-merge", "post-commit", "pre-push"] {
            let text = "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"";
            write(&site.hooks().join(name), text, 0o755);
        }
        fs::write(site.top.join(".husky/pre-commit"), BODY).unwrap();
        let before = listing(&site.hooks());
        let ways = site.ways();
        assert_eq!(ways[1].0, Some(3), "husky itself");
        assert!(ways[1].1.starts_with("a b|c\"'d|one\ntwo\n"), "{ways:?}");

        let program = site.program.to_str().unwrap();
        let output = site.run(&["hook", "install", "--program", program]);
        insta::allow_duplicates! {
            snapshot!(output, @"
            exit: 0
            --- stdout
            installed: .husky/_/pre-commit (your hook goes on below our block)
            installed: .husky/_/post-merge (your hook goes on below our block)
            --- stderr
            note: nothing is indexed here yet: until `elophanto index` has run once, the hooks refuse secrets and do nothing else
            note: git runs the hooks of `.husky/_` (core.hooksPath), among the files of the work tree; install again if another tool writes that folder anew
            ");
        }
        assert_eq!(site.ways(), ways, "{tree:?}");
        assert_eq!(site.log().lines().count(), 4);
        assert_eq!(site.git(&["status", "--porcelain", "--", ".husky/_"]), "");
        // `npm install` writes the folder anew; then it is as if we had never been there.
        fs::write(&before[3].0, &before[3].2).unwrap();
        site.install(&[]);
        assert_eq!(site.json(&["uninstall"]).len(), 2);
        assert_eq!(listing(&site.hooks()), before, "{tree:?}");
    }
}

/// As `pre-commit install` of version 4 writes it.
#[test]
fn the_pre_commit_framework() {
    check("same-file", |site| {
        let python = site.env.outside().join("python");
        write(&python, format!("#!/bin/sh\n{BODY}"), 0o755);
        let text = r#"#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
# ID: 138fd403232d2ddd5efb44317e38bf03

# start templated
INSTALL_PYTHON=PYTHON
ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit)
# end templated

HERE="$(cd "$(dirname "$0")" && pwd)"
ARGS+=(--hook-dir "$HERE" -- "$@")

if [ -x "$INSTALL_PYTHON" ]; then
    exec "$INSTALL_PYTHON" -mpre_commit "${ARGS[@]}"
elif command -v pre-commit > /dev/null; then
    exec pre-commit "${ARGS[@]}"
else
    echo '`pre-commit` not found.  Did you forget to activate your virtualenv?' 1>&2
    exit 1
fi
"#;
        site.hook(text.replace("PYTHON\n", &format!("{}\n", python.display())), 0o755);
        assert!(site.ways()[1].1.contains("|--hook-type=pre-commit|--hook-dir|"));
    });
}

/// As `lefthook install` of version 2 writes it, but for the places where it looks for itself.
#[test]
fn lefthook() {
    check("same-file", |site| {
        let lefthook = site.env.outside().join("lefthook");
        write(&lefthook, format!("#!/bin/sh\n[ \"$1\" != -h ] || exit 0\n{BODY}"), 0o755);
        let text = r#"#!/bin/sh

if [ "$LEFTHOOK_VERBOSE" = "1" -o "$LEFTHOOK_VERBOSE" = "true" ]; then
  set -x
fi

if [ "$LEFTHOOK" = "0" ]; then
  exit 0
fi

call_lefthook()
{
  if test -n "$LEFTHOOK_BIN"
  then
    "$LEFTHOOK_BIN" "$@"
  elif BIN -h >/dev/null 2>&1
  then
    BIN "$@"
  else
    echo "Can't find lefthook in PATH"
  fi
}

call_lefthook run "pre-commit" "$@"
"#;
        site.hook(
            text.replace("BIN -h", &format!("{} -h", lefthook.display()))
                .replace("    BIN ", &format!("    {} ", lefthook.display())),
            0o755,
        );
        assert!(site.ways()[1].1.starts_with("run|pre-commit|a b|"));
    });
}

#[test]
fn all_hooks_fire_and_only_pre_commit_decides() {
    let site = Site::new(Tree::Main);
    assert_eq!(site.install(&["--eager"]).len(), 5);
    let fired = || {
        let log = site.log();
        let names = log.lines().map(|line| line.split('|').nth(2).unwrap_or_default().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    site.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
    assert_eq!(fired(), "pre-commit post-commit");
    site.git(&["commit", "--quiet", "--amend", "--allow-empty", "-m", "y"]);
    assert_eq!(fired(), "pre-commit post-commit post-rewrite");
    site.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    assert_eq!(fired(), "post-checkout");
    for code in ["1", "2", "signal"] {
        site.ends(code);
        site.git(&["checkout", "--quiet", "main"]);
        site.git(&["checkout", "--quiet", "side"]);
        assert_eq!(fired(), "post-checkout post-checkout", "{code}");
    }
    site.git(&["merge", "--quiet", "main"]);
    assert_eq!(fired(), "post-merge");

    // Asked for no longer, they go.
    assert_eq!(
        site.install(&[]),
        [
            "pre-commit unchanged", "post-merge unchanged", "post-commit removed",
            "post-checkout removed", "post-rewrite removed",
        ]
    );
    assert_eq!(
        site.status()[2..],
        ["post-commit missing", "post-checkout missing", "post-rewrite missing"]
    );
    assert!(!site.hooks().join("post-commit").exists());
}

#[test]
fn what_is_said() {
    let site = Site::new(Tree::Main);
    let program = "/opt/elophanto";
    snapshot!(site.run(&["hook", "status"]), @"
    exit: 1
    --- stdout
    pre-commit     missing
    post-merge     missing
    post-commit    missing (installed with --eager)
    post-checkout  missing (installed with --eager)
    post-rewrite   missing (installed with --eager)
    --- stderr
    ");
    site.hook("#!/usr/bin/perl\n", 0o755);
    write(&site.hooks().join("post-merge"), "#!/bin/sh\n", 0o755);
    snapshot!(site.run(&["hook", "status"]), @"
    exit: 1
    --- stdout
    pre-commit     missing, another hook is there
    post-merge     missing, another hook is there
    post-commit    missing (installed with --eager)
    post-checkout  missing (installed with --eager)
    post-rewrite   missing (installed with --eager)
    --- stderr
    ");
    snapshot!(site.run(&["hook", "install", "--eager", "--program", program]), @"
    exit: 0
    --- stdout
    installed: .git/hooks/pre-commit (your hook is run after it, as `pre-commit.elophanto-saved`)
    installed: .git/hooks/post-merge (your hook goes on below our block)
    installed: .git/hooks/post-commit
    installed: .git/hooks/post-checkout
    installed: .git/hooks/post-rewrite
    --- stderr
    note: nothing is indexed here yet: until `elophanto index` has run once, the hooks refuse secrets and do nothing else
    ");
    snapshot!(site.run(&["hook", "status"]), @"
    exit: 0
    --- stdout
    pre-commit     installed, hands over to the hook that was there, names `/opt/elophanto`, which is missing
    post-merge     installed, in one file with another hook, names `/opt/elophanto`, which is missing
    post-commit    installed, names `/opt/elophanto`, which is missing
    post-checkout  installed, names `/opt/elophanto`, which is missing
    post-rewrite   installed, names `/opt/elophanto`, which is missing
    --- stderr
    ");
    snapshot!(site.run(&["hook", "status", "--json"]), @r#"
    exit: 0
    --- stdout
    {"hook":"pre-commit","path":".git/hooks/pre-commit","state":"installed","default":true,"foreign":"saved","program":"/opt/elophanto","program_exists":false}
    {"hook":"post-merge","path":".git/hooks/post-merge","state":"installed","default":true,"foreign":"same-file","program":"/opt/elophanto","program_exists":false}
    {"hook":"post-commit","path":".git/hooks/post-commit","state":"installed","default":false,"foreign":null,"program":"/opt/elophanto","program_exists":false}
    {"hook":"post-checkout","path":".git/hooks/post-checkout","state":"installed","default":false,"foreign":null,"program":"/opt/elophanto","program_exists":false}
    {"hook":"post-rewrite","path":".git/hooks/post-rewrite","state":"installed","default":false,"foreign":null,"program":"/opt/elophanto","program_exists":false}
    --- stderr
    "#);
    snapshot!(site.run(&["hook", "install", "--json", "--program", program]), @r#"
    exit: 0
    --- stdout
    {"hook":"pre-commit","path":".git/hooks/pre-commit","action":"unchanged","foreign":"saved"}
    {"hook":"post-merge","path":".git/hooks/post-merge","action":"unchanged","foreign":"same-file"}
    {"hook":"post-commit","path":".git/hooks/post-commit","action":"removed","foreign":null}
    {"hook":"post-checkout","path":".git/hooks/post-checkout","action":"removed","foreign":null}
    {"hook":"post-rewrite","path":".git/hooks/post-rewrite","action":"removed","foreign":null}
    --- stderr
    note: nothing is indexed here yet: until `elophanto index` has run once, the hooks refuse secrets and do nothing else
    "#);
    snapshot!(site.run(&["hook", "uninstall"]), @"
    exit: 0
    --- stdout
    removed: .git/hooks/pre-commit (your hook is as it was)
    removed: .git/hooks/post-merge (your hook is as it was)
    --- stderr
    note: our lines in `.gitattributes` stay: they are committed, and so those of every clone
    ");
    snapshot!(site.run(&["hook", "uninstall"]), @"
    exit: 0
    --- stdout
    no hook of ours is installed, nothing to do
    --- stderr
    note: our lines in `.gitattributes` stay: they are committed, and so those of every clone
    ");
}

#[test]
fn the_program_that_runs_is_the_one_named() {
    let site = Site::new(Tree::Linked);
    assert_eq!(site.json(&["install"]).len(), 2);
    let status = site.json(&["status"]);
    let program = fs::canonicalize(PROGRAM).unwrap();
    assert_eq!(status[0]["program"].as_str(), program.to_str());
    assert_eq!(status[0]["program_exists"].as_bool(), Some(true));
    assert_eq!(site.run(&["hook", "status"]).code, Some(0));
    // It has moved.
    assert_eq!(site.install(&[]), ["pre-commit updated", "post-merge updated"]);
    site.ways();
    assert!(site.log().starts_with("hook|run|pre-commit|"));
}

#[test]
fn a_program_that_is_gone_is_looked_for_in_the_path() {
    let site = Site::new(Tree::Main);
    site.install(&[]);
    let folder = site.env.outside().join("in path");
    fs::create_dir(&folder).unwrap();
    let moved = folder.join("elophanto");
    fs::rename(&site.program, &moved).unwrap();
    fs::write(folder.join("code"), "1").unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = site.command("git", &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    command.env("PATH", format!("{}:{path}", folder.display()));
    assert_eq!(finish(&mut command).code, Some(1));
    assert_eq!(fs::read_to_string(folder.join("log")).unwrap(), "hook|run|pre-commit|\n");
}

/// `core.hooksPath` for every repository of a user: refused, and nothing is touched.
#[test]
fn a_folder_that_serves_other_repositories() {
    let site = Site::new(Tree::Main);
    let global = site.env.outside().join("global");
    fs::create_dir(&global).unwrap();
    write(&global.join("pre-commit"), "#!/bin/sh\n", 0o755);
    let before = listing(&global);
    let config = site.env.outside().join("gitconfig");
    fs::write(&config, format!("[core]\n\thooksPath = {}\n", global.display())).unwrap();
    let run = |args: &[&str]| finish(site.command(PROGRAM, args).env("GIT_CONFIG_GLOBAL", &config));
    snapshot!(run(&["hook", "install"]), @r#"
    exit: 2
    --- stdout
    --- stderr
    error: git runs the hooks of `[TEMP]/global` (core.hooksPath), which lies outside this repository and may serve others
    hint: add this line to its `pre-commit` by hand: elophanto hook run pre-commit "$@" </dev/null || [ $? -ne 1 ] || exit 1
          and to its `post-merge`: elophanto hook run post-merge "$@" </dev/null || :
    "#);
    snapshot!(run(&["hook", "status"]), @"
    exit: 1
    --- stdout
    pre-commit     missing, another hook is there
    post-merge     missing
    post-commit    missing (installed with --eager)
    post-checkout  missing (installed with --eager)
    post-rewrite   missing (installed with --eager)
    --- stderr
    note: git runs the hooks of `[TEMP]/global` (core.hooksPath), which lies outside this repository and may serve others
    ");
    assert_eq!(run(&["hook", "uninstall"]).code, Some(0));
    assert_eq!(listing(&global), before);
    assert!(!site.env.path(".git/hooks/pre-commit").exists());

    // The line to add by hand does what the block does.
    let line = output_line(&run(&["hook", "install"]).stderr(), "pre-commit` by hand: ");
    write(&global.join("pre-commit"), format!("#!/bin/sh\nset -eu\n{line}\n{BODY}"), 0o755);
    let path = site.program.parent().unwrap().display().to_string();
    let path = format!("{path}:{}", std::env::var("PATH").unwrap());
    for (code, committed) in [("0", Some(0)), ("2", Some(0)), ("signal", Some(0)), ("1", Some(1))] {
        site.ends(code);
        let mut command = site.command("git", &["commit", "--quiet", "--allow-empty", "-m", "x"]);
        command.env("GIT_CONFIG_GLOBAL", &config).env("PATH", &path);
        assert_eq!(finish(&mut command).code, committed, "{code}");
    }

    // A link is followed before it is judged.
    fs::remove_dir_all(site.env.path(".git/hooks")).unwrap();
    symlink(&global, site.env.path(".git/hooks")).unwrap();
    assert_eq!(site.run(&["hook", "install"]).code, Some(2));
}

fn output_line(text: &str, after: &str) -> String {
    let at = text.find(after).unwrap() + after.len();
    text[at..].lines().next().unwrap().to_owned()
}

#[test]
fn hooks_uninstalled_after_git_was_told_to_use_another_folder() {
    let site = Site::new(Tree::Main);
    let before = listing(&site.hooks());
    let own = site.hooks();
    site.install(&["--eager"]);
    site.git(&["config", "core.hooksPath", "kept/hooks"]);
    site.install(&[]);
    assert_eq!(site.json(&["uninstall"]).len(), 7);
    assert_eq!(listing(&own), before);
    assert!(!site.top.join("kept").exists());
}

#[test]
fn hooks_kept_in_the_main_work_tree() {
    let site = Site::new(Tree::Linked);
    let folder = site.env.path(".githooks");
    site.git(&["config", "core.hooksPath", folder.to_str().unwrap()]);
    assert_eq!(site.install(&[]).len(), 2);
    assert!(folder.join("pre-commit").is_file());
    assert_eq!(site.status()[0], "pre-commit installed");
    assert_eq!(site.json(&["uninstall"]).len(), 2);
    assert!(!folder.exists());
}

#[test]
fn hooks_edited_since() {
    let site = Site::new(Tree::Main);
    let path = site.hooks().join("pre-commit");
    // The user's script with our block: only the block goes.
    site.hook("#!/bin/sh\nexit 0\n", 0o755);
    site.install(&[]);
    let text = fs::read_to_string(&path).unwrap().replace("exit 0\n", "make lint\n");
    write(&path, text, 0o750);
    assert_eq!(site.install(&[])[0], "pre-commit unchanged same-file");
    site.json(&["uninstall"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "#!/bin/sh\nmake lint\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o750);
    // A file of ours that got lines of the user.
    fs::remove_file(&path).unwrap();
    site.install(&[]);
    let text = fs::read_to_string(&path).unwrap();
    write(&path, text + "make lint\n", 0o755);
    site.json(&["uninstall"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "#!/bin/sh\nmake lint\n");
    // The block itself.
    site.install(&[]);
    let good = listing(&site.hooks());
    let text = fs::read_to_string(&path).unwrap().replace("|| exit 1", "");
    write(&path, text, 0o755);
    assert_eq!(site.status()[0], "pre-commit altered same-file");
    assert_eq!(site.run(&["hook", "status"]).code, Some(1));
    assert_eq!(site.install(&[])[0], "pre-commit updated same-file");
    assert_eq!(listing(&site.hooks()), good);
}

/// Nothing is done where something would be lost, neither to this hook nor to the others.
#[test]
fn refusals() {
    let check = |args: &[&str], prepare: &dyn Fn(&Site)| {
        let site = Site::new(Tree::Main);
        prepare(&site);
        let before = listing(&site.hooks());
        let output = site.run(&[&["hook"], args].concat());
        assert_eq!(output.code, Some(2), "{output}");
        assert_eq!(listing(&site.hooks()), before);
        output.stderr()
    };
    snapshot!(check(&["install"], &|site| {
        site.hook("#!/usr/bin/perl\n", 0o755);
        fs::write(site.hooks().join("pre-commit.elophanto-saved"), "another").unwrap();
    }), @"
    error: `[TEMP]/repo/.git/hooks/pre-commit` would be moved to `[TEMP]/repo/.git/hooks/pre-commit.elophanto-saved`, which exists
    hint: look at the second, keep the one you need, then install again
    ");
    snapshot!(check(&["uninstall"], &|site| {
        site.hook("#!/usr/bin/perl\n", 0o755);
        site.install(&[]);
        let text = fs::read_to_string(site.hooks().join("pre-commit")).unwrap();
        fs::write(site.hooks().join("pre-commit"), text + "make lint\n").unwrap();
    }), @"
    error: `[TEMP]/repo/.git/hooks/pre-commit` was edited, and `[TEMP]/repo/.git/hooks/pre-commit.elophanto-saved` holds the hook that was there before
    hint: put the two together by hand, and remove our block
    ");
    snapshot!(check(&["install"], &|site| {
        site.hook("#!/bin/sh\n", 0o755);
        site.install(&[]);
        executable(&site.hooks().join("pre-commit"), 0o644);
    }), @"
    error: `[TEMP]/repo/.git/hooks/pre-commit` holds our block, but git or a shell would not run it
    hint: take the block out with `elophanto hook uninstall`, then install again
    ");
    snapshot!(check(&["install"], &|site| {
        site.hook("#!/bin/sh\n# >>> elophanto >>>\nexit 0\n", 0o755);
    }), @"
    error: [TEMP]/repo/.git/hooks/pre-commit:2: `# >>> elophanto >>>` without `# <<< elophanto <<<` after it; repair or remove the block by hand
    ");
    let site = Site::new(Tree::Main);
    fs::create_dir(site.hooks().join("post-merge")).unwrap();
    let output = site.run(&["hook", "install"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(!site.hooks().join("pre-commit").exists());
    assert_eq!(TestEnv::plain().run(&["hook", "install"]).code, Some(2));
    let env = TestEnv::plain();
    env.write(".elophanto/config.yaml", "");
    snapshot!(env.run(&["hook", "status"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/repo` is no git repository, so there is nothing that would run hooks
    hint: run `git init` first
    ");
}

/// What a stop between two steps leaves behind: the user's hook is always there under one of its
/// names, and the next run finishes.
#[test]
fn stopped_half_way() {
    let script = "#!/usr/bin/perl\n";
    for finish_with in ["install", "uninstall"] {
        for step in ["second name", "only name", "temporary"] {
            let site = Site::new(Tree::Main);
            site.hook(script, 0o751);
            let before = listing(&site.hooks());
            let path = site.hooks().join("pre-commit");
            let saved = site.hooks().join("pre-commit.elophanto-saved");
            match step {
                "second name" => fs::hard_link(&path, &saved).unwrap(),
                "only name" => fs::rename(&path, &saved).unwrap(),
                _ => fs::write(site.hooks().join(".tmp-elophanto-abcdef"), "#!/bin/s").unwrap(),
            }
            if finish_with == "install" {
                assert_eq!(site.install(&[])[0], "pre-commit installed saved", "{step}");
                assert_eq!(fs::read_to_string(&saved).unwrap(), script);
            }
            assert_eq!(site.run(&["hook", "uninstall"]).code, Some(0));
            assert_eq!(listing(&site.hooks()), before, "{step}, {finish_with}");
        }
    }
}

#[test]
fn many_at_once() {
    let site = Site::new(Tree::Main);
    site.hook("#!/usr/bin/perl\n", 0o755);
    let before = listing(&site.hooks());
    let program = site.program.to_str().unwrap();
    let runs: Vec<_> = (0..8)
        .map(|number| {
            let args: &[&str] = match number % 2 {
                0 => &["hook", "install", "--program", program],
                _ => &["hook", "uninstall"],
            };
            site.command(PROGRAM, args).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut run in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
    }
    site.install(&[]);
    assert_eq!(site.run(&["hook", "uninstall"]).code, Some(0));
    assert_eq!(listing(&site.hooks()), before);
}
