use std::path::{Path, PathBuf};

use super::*;

const ROOT: &str = "/home/user/project";
const HOME: &str = "/home/user";
const STRINGS: &str = include_str!("../../../../tests/bypass/strings.tsv");
const HARMLESS: &str = include_str!("../../../../tests/bypass/harmless.tsv");

fn protected(is_own: bool) -> Protected {
    let absolute = [
        "/home/user/.config/elophanto",
        "/home/user/.local/state/elophanto",
        "/opt/elophanto/bin/elophanto",
    ];
    Protected::new(Path::new(ROOT), absolute.iter().map(PathBuf::from).collect(), is_own)
}

fn shell(line: &str) -> Call<'_> {
    let action = Action::Shell { line: line.to_owned(), folder: ROOT.into(), network: false };
    Call { tool: "shell_execute", level: Level::Destructive, action }
}

fn given<'a>(mode: Mode, protected: &'a Protected, rules: &'a Rules) -> Circumstances<'a> {
    Circumstances {
        mode,
        tainted: false,
        fenced: true,
        attended: true,
        root: Path::new(ROOT),
        home: Path::new(HOME),
        protected,
        rules,
    }
}

fn unescaped(text: &str) -> String {
    let mut whole = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, char == '\\') {
            (_, true) => match chars.next() {
                Some('n') => whole.push('\n'),
                Some('t') => whole.push('\t'),
                Some('r') => whole.push('\r'),
                Some(other) => whole.push(other),
                None => {}
            },
            (other, _) => whole.push(other),
        }
    }
    whole
}

#[test]
fn no_bypass_runs_without_being_asked() {
    let (protected, rules) = (protected(true), Rules::default());
    let mut passed = Vec::new();
    let mut all = std::collections::BTreeSet::new();
    for row in STRINGS.lines() {
        let (effect, text) = row.split_once('\t').expect(row);
        let line = unescaped(text);
        assert!(all.insert(line.clone()), "twice: {text}");
        let call = shell(&line);
        let found = decide::examined(&call, &given(Mode::Full, &protected, &rules));
        for mode in [Mode::Ask, Mode::Smart, Mode::Full] {
            for bits in 0..8 {
                let at = Circumstances {
                    tainted: bits & 1 > 0,
                    fenced: bits & 2 > 0,
                    attended: bits & 4 > 0,
                    ..given(mode, &protected, &rules)
                };
                let verdict = decide::decided(&call, found.clone(), &at);
                if verdict.decision == Decision::Allow {
                    passed.push(format!("{effect}\t{text}\t{mode:?}"));
                    break;
                }
            }
        }
    }
    assert!(passed.is_empty(), "{} passed:\n{}", passed.len(), passed.join("\n"));
    assert!(all.len() >= 330, "{}", all.len());
}

#[test]
fn ordinary_lines_run() {
    let (protected, rules) = (protected(false), Rules::default());
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in HARMLESS.lines() {
        count += 1;
        let [smart, full, text] = row.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        for (mode, expected) in [(Mode::Smart, smart), (Mode::Full, full)] {
            let verdict = decide(&shell(&unescaped(text)), &given(mode, &protected, &rules));
            let got = format!("{:?}", verdict.decision).to_lowercase();
            if got != expected {
                wrong.push(format!("{text}\t{mode:?} {got}: {}", verdict.reasons.join("; ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "{count}");
}

#[test]
fn the_table_says_what_is_decided() {
    let (protected, rules) = (protected(false), Rules::default());
    let levels = [Level::Safe, Level::Moderate, Level::Destructive, Level::Critical];
    for (level, row) in levels.into_iter().zip(TABLE) {
        let look = Call { tool: "x", level, action: Action::Look };
        let write = Call {
            tool: "x",
            level,
            action: Action::Write { paths: vec![PathBuf::from(ROOT).join("a")] },
        };
        let reads = shell("ls");
        for (mode, cell) in
            [Mode::Ask, Mode::Smart, Mode::Full].into_iter().zip(row.into_iter().skip(1))
        {
            let at = given(mode, &protected, &rules);
            let runs = |call: &Call| decide(call, &at).decision == Decision::Allow;
            assert_eq!(runs(&look), cell.starts_with("runs"), "{level:?} {mode:?}");
            assert_eq!(runs(&write), cell == "runs", "{level:?} {mode:?}");
            if level == Level::Destructive {
                assert_eq!(runs(&reads), cell.contains("run"), "{mode:?}");
            }
        }
    }
    assert_eq!(table().lines().count(), 6);
}

#[test]
fn upper_layers_win() {
    let protected = protected(false);
    let allow =
        Rules::parse(b"tools: { shell_execute: allow, t: allow, p: allow }", Owner::User).unwrap();
    let deny = Rules::parse(b"tools: { shell_execute: deny }", Owner::User).unwrap();
    let none = Rules::default();
    let check = |call: &Call, at: Circumstances, expected: (Decision, Layer, bool)| {
        let verdict = decide(call, &at);
        assert_eq!((verdict.decision, verdict.layer, verdict.can_be_kept), expected, "{call:?}");
        assert!(!verdict.reasons.is_empty());
        for reason in &verdict.reasons {
            assert!(!reason.ends_with('.') && !reason.starts_with(char::is_uppercase), "{reason}");
        }
    };
    let full = |rules| given(Mode::Full, &protected, rules);
    use Decision::{Allow, Ask, Deny};
    check(&shell("cargo test"), full(&none), (Allow, Layer::Mode, false));
    check(&shell("cargo test"), given(Mode::Ask, &protected, &none), (Ask, Layer::Mode, true));
    check(
        &shell("cargo test"),
        given(Mode::Ask, &protected, &allow),
        (Allow, Layer::Override, false),
    );
    // What stays in the work tree is decided as ever, whatever was read.
    let tainted = |mode, rules| Circumstances { tainted: true, ..given(mode, &protected, rules) };
    for (mode, rules, expected) in [
        (Mode::Full, &none, (Allow, Layer::Mode, false)),
        (Mode::Smart, &none, (Ask, Layer::Mode, true)),
        (Mode::Smart, &allow, (Allow, Layer::Override, false)),
        (Mode::Full, &deny, (Deny, Layer::Override, false)),
    ] {
        check(&shell("cargo test"), tainted(mode, rules), expected);
    }
    check(
        &shell("cargo test"),
        Circumstances { fenced: false, ..tainted(Mode::Full, &allow) },
        (Ask, Layer::Taint, false),
    );
    check(
        &shell("cargo test"),
        Circumstances { fenced: false, ..full(&allow) },
        (Ask, Layer::Fence, true),
    );
    check(
        &shell("cargo test"),
        Circumstances { fenced: false, attended: false, ..full(&allow) },
        (Deny, Layer::Fence, false),
    );
    check(&shell("rm -rf ~"), full(&allow), (Ask, Layer::Blacklist, false));
    check(&shell("rm -rf ~"), full(&deny), (Deny, Layer::Override, false));
    check(&shell("echo x > .git/config"), full(&allow), (Deny, Layer::Protected, false));
    check(&shell("ls 'a"), full(&allow), (Ask, Layer::Blacklist, false));
    let action = Action::Program { name: "p".into(), digest: "1".into() };
    let program = Call { tool: "p", level: Level::Safe, action };
    check(&program, Circumstances { fenced: false, ..full(&none) }, (Ask, Layer::Fence, true));
    check(&program, full(&none), (Allow, Layer::Mode, false));
    check(&program, tainted(Mode::Full, &allow), (Ask, Layer::Taint, false));
    let server = |level| {
        let action = Action::Server { name: "s".into(), digest: "1".into() };
        Call { tool: "t1", level, action }
    };
    let trusts = Rules::parse(b"tools: { t1: allow }", Owner::User).unwrap();
    for mode in [Mode::Smart, Mode::Full] {
        let at = |rules| Circumstances { fenced: false, ..given(mode, &protected, rules) };
        check(&server(Level::Safe), at(&none), (Allow, Layer::Mode, false));
        check(&server(Level::Moderate), at(&none), (Ask, Layer::Fence, true));
        check(&server(Level::Destructive), at(&trusts), (Allow, Layer::Override, false));
        check(&server(Level::Critical), at(&trusts), (Ask, Layer::Blacklist, false));
        // Once for the session, where the user said that it is harmless, or allowed it.
        for (level, rules, can_be_kept) in [
            (Level::Safe, &none, true),
            (Level::Moderate, &none, false),
            (Level::Destructive, &none, false),
            (Level::Destructive, &trusts, true),
        ] {
            let at = Circumstances { tainted: true, ..at(rules) };
            check(&server(level), at, (Ask, Layer::Taint, can_be_kept));
        }
        let at = Circumstances { tainted: true, attended: false, ..at(&trusts) };
        check(&server(Level::Safe), at, (Deny, Layer::Taint, false));
    }
    check(&server(Level::Safe), given(Mode::Ask, &protected, &none), (Ask, Layer::Mode, true));
    check(&program, given(Mode::Smart, &protected, &none), (Ask, Layer::Mode, true));
    let read = |path: &str| Call {
        tool: "file_read",
        level: Level::Safe,
        action: Action::Read { paths: vec![path.into()] },
    };
    check(&read("/home/user/.ssh/id_rsa"), full(&none), (Deny, Layer::Protected, false));
    check(&read("/home/user/project/.git/config"), full(&none), (Allow, Layer::Mode, false));
    check(
        &read("/home/user/project/a"),
        Circumstances { tainted: true, ..given(Mode::Smart, &protected, &none) },
        (Allow, Layer::Mode, false),
    );
    let record =
        Call { tool: "t2", level: Level::Moderate, action: Action::Record { paths: Vec::new() } };
    let write = |path: &str| Call {
        tool: "file_write",
        level: Level::Destructive,
        action: Action::Write { paths: vec![path.into()] },
    };
    check(&write("/home/user/.bashrc"), full(&none), (Ask, Layer::Blacklist, false));
    check(&write("/etc/passwd"), full(&none), (Ask, Layer::Blacklist, false));
    check(&write("/home/user/project/a"), full(&none), (Allow, Layer::Mode, false));
    check(&write("/home/user/project/.git/a"), full(&none), (Deny, Layer::Protected, false));
    check(&record, given(Mode::Smart, &protected, &none), (Ask, Layer::Mode, true));
    let record = |path: &str| Call {
        tool: "t2",
        level: Level::Moderate,
        action: Action::Record { paths: vec![path.into()] },
    };
    let reach =
        Call { tool: "t", level: Level::Safe, action: Action::Reach { host: "a.test".into() } };
    let commit = Call { tool: "git_commit", level: Level::Moderate, action: Action::Commit };
    for (call, stays) in [
        (record("/home/user/project/knowledge/learned"), true),
        (record("/home/user/project/.elophanto/memory"), false),
        (record("/home/user/elsewhere"), false),
        (write("/home/user/project/a"), true),
        (write("/tmp/a"), false),
        (commit, true),
        (reach, false),
    ] {
        let expected = if stays { (Allow, Layer::Mode, false) } else { (Ask, Layer::Taint, false) };
        check(&call, tainted(Mode::Full, &none), expected);
    }
    for path in [".vscode/tasks.json", ".github/workflows/a.yml", ".mcp.json"] {
        let path = format!("/home/user/project/{path}");
        check(&write(&path), tainted(Mode::Full, &none), (Ask, Layer::Blacklist, false));
    }
    let mut online = shell("ls");
    online.action = Action::Shell { line: "ls".into(), folder: ROOT.into(), network: true };
    check(&online, full(&none), (Ask, Layer::Blacklist, false));
    let question = Call { tool: "ask_user", level: Level::Safe, action: Action::AskUser };
    check(&question, given(Mode::Ask, &protected, &none), (Allow, Layer::Mode, false));
}

#[test]
fn protected_paths_are_held_however_they_are_written() {
    let (own, other) = (protected(true), protected(false));
    let check = |protected: &Protected, path: &str, expected: Option<&str>| {
        assert_eq!(protected.holds(Path::new(path)), expected, "{path}");
    };
    check(&own, "/home/user/project/.git", Some(".git"));
    check(&own, "/home/user/project/.GIT/config", Some(".git"));
    check(&own, "/home/user/project/.git. /config", Some(".git"));
    check(&own, "/home/user/project/.g\u{200c}it/config", Some(".git"));
    check(&own, "/home/user/project/.git::$INDEX_ALLOCATION/config", Some(".git"));
    check(&own, "/home/user/project/GIT~1/config", Some(".git"));
    check(&own, "/home/user/project/vendor/x/.git", Some(".git"));
    check(&own, "/home/user/project/a/../.git", Some(".git"));
    check(&own, "/home/user/project/.gitignore", None);
    check(&own, "/home/user/project/.github/x.yml", None);
    check(
        &own,
        "/home/user/project/.elophanto/permissions.yaml",
        Some(".elophanto/permissions.yaml"),
    );
    check(
        &own,
        "/home/user/project/CRATES/agent/SRC/Permissions/mod.rs",
        Some("crates/agent/src/permissions"),
    );
    check(&other, "/home/user/project/crates/agent/src/permissions/mod.rs", None);
    check(&own, "/home/user/.config/elophanto/trust", Some("/home/user/.config/elophanto"));
    check(&own, "/opt/elophanto/bin/elophanto", Some("/opt/elophanto/bin/elophanto"));
    check(&own, "/home/user/.ssh/id_rsa", Some(".ssh"));
    check(&own, "/home/user/project/.env.local", Some(".env.*"));
    check(&own, "/home/user/project/.env.example", None);
    check(&own, "/home/user/project/src/main.rs", None);
    assert!(own.entries().iter().any(|entry| entry == "crates/net/src/vault"));
}

#[test]
fn commands_are_shown_as_they_run() {
    let check = |line: &str, expected: &[&str]| {
        let (protected, rules) = (protected(false), Rules::default());
        let verdict = decide(&shell(line), &given(Mode::Full, &protected, &rules));
        let shown: Vec<String> = verdict.commands.iter().map(|argv| argv.join(" ")).collect();
        assert_eq!(shown, expected, "{line}");
    };
    check("git status; rm -rf ~", &["git status", "rm -rf /home/user"]);
    check("a && b || c | d", &["a", "b", "c", "d"]);
    check("echo $(x \"y z\") `w`", &["x y z", "w", "echo \u{2026} \u{2026}"]);
    check("r''m {a,b} $'\\x41'", &["rm a b A"]);
    check("sh -c 'ls; pwd'", &["sh -c ls; pwd", "ls", "pwd"]);
    check("env A=b nice -n 5 ls", &["env A=b nice -n 5 ls", "nice -n 5 ls", "ls"]);
    check("for x in 1 2; do echo $x; done", &["echo 1", "echo 2"]);
    check("x=rm; $x a", &["rm a"]);
}

/// What leaves the repository, in every form that git has for it; and what else a model may want of
/// git.
#[test]
fn pushes_ask_in_every_mode() {
    let (protected, none) = (protected(false), Rules::default());
    let all = "commands:\n  - { run: [git, \"**\"], decision: allow }\n";
    let all = Rules::parse(all.as_bytes(), Owner::User).unwrap();
    for line in [
        "git push",
        "git push origin main",
        "git push -u origin HEAD",
        "git push --dry-run",
        "git push --tags origin",
        "git push ../mirror.git main",
        "git push /srv/repo.git main:refs/heads/x",
        "git -C . push",
        "git -C sub push origin main",
        "git --no-pager push",
        "/usr/bin/git push",
        "git send-pack /srv/repo.git main",
        "git http-push https://example.org/x main",
        "git -c alias.p=push p",
        "git -c remote.origin.pushurl=/srv/x push",
        "git p",
        "git ship origin main",
        "git subtree push --prefix a origin main",
        "git lfs push origin main",
        "git svn dcommit",
        "git remote set-url origin /srv/x && git push",
        "git remote set-url --push origin /srv/x",
        "git remote add other /srv/x",
        "git remote update",
        "git config remote.origin.pushurl /srv/x",
        "git config alias.p push",
        "git --git-dir=.git push",
        "git --work-tree=. push",
        "GIT_DIR=.git git push",
        "sh -c 'git push'",
        "env git push",
        "xargs git push < refs",
        "echo x | xargs git push origin",
        "x=push; git $x",
        "git pu''sh",
        "git submodule foreach git push",
        "git stash && git push",
    ] {
        for mode in [Mode::Ask, Mode::Smart, Mode::Full] {
            for rules in [&none, &all] {
                let verdict = decide(&shell(line), &given(mode, &protected, rules));
                assert_eq!(verdict.decision, Decision::Ask, "{line} {mode:?} {verdict:?}");
                let is_floor = verdict.layer == Layer::Blacklist && !verdict.can_be_kept;
                assert!(is_floor, "{line} {mode:?} {verdict:?}");
            }
        }
    }
    // In the sandbox git writes nothing there; what loses work asks all the same.
    let check = |line: &str, expected: Decision| {
        let verdict = decide(&shell(line), &given(Mode::Full, &protected, &none));
        assert_eq!(verdict.decision, expected, "{line} {verdict:?}");
    };
    for line in
        ["git stash", "git stash push -u", "git stash pop", "git branch x", "git switch -c x"]
    {
        check(line, Decision::Allow);
    }
    check("git worktree add ../x", Decision::Allow);
    for line in [
        "git stash drop",
        "git stash clear",
        "git stash create",
        "git branch -D x",
        "git branch -f main x",
        "git worktree remove ../x",
        "git worktree add -f ../x main",
        "git worktree prune",
        "git switch --discard-changes main",
        "git update-ref refs/heads/main x",
        "git symbolic-ref HEAD refs/heads/x",
    ] {
        check(line, Decision::Ask);
    }
}

#[test]
fn caps_ask() {
    let (protected, rules) = (protected(false), Rules::default());
    let deep = (0..40).fold("ls".to_owned(), |line, _| format!("echo $({line})"));
    let evals = (0..40).fold("ls".to_owned(), |line, _| format!("eval {line}"));
    for line in [
        format!("echo {}", "a".repeat(70_000)),
        "ls;".repeat(1_001),
        deep,
        "(".repeat(5_000),
        "{ ".repeat(3_000),
        "if ".repeat(3_000),
        "$(".repeat(5_000),
        "`".repeat(5_001),
        "\"".repeat(5_001),
        "a && ".repeat(900) + "b",
        "{a,b}".repeat(20),
        "for i in {1..50}; do for j in {1..50}; do ls; done; done".to_owned(),
        "foo env ".repeat(40) + "ls",
        "foo find . -exec ".repeat(40) + "ls",
        (0..12)
            .fold("rm -rf ~".to_owned(), |line, _| format!("foo {line:?} {line:?}"))
            .chars()
            .take(60_000)
            .collect(),
        "while :; do ".repeat(40) + "ls $x" + &"; done".repeat(40),
        "for a in *; do ".repeat(40) + "ls" + &"; done".repeat(40),
        "if a; then ".repeat(90) + "ls $x" + &"; fi".repeat(90),
        "ls \0".to_owned(),
        "ls\r".to_owned(),
        "l\u{455} x".to_owned(),
        "ls \u{a0}x".to_owned(),
        "ls <<A".to_owned(),
    ] {
        let verdict = decide(&shell(&line), &given(Mode::Full, &protected, &rules));
        assert_eq!(
            verdict.decision,
            Decision::Ask,
            "{}",
            line.chars().take(60).collect::<String>()
        );
        assert!(!verdict.can_be_kept);
    }
    let verdict = decide(&shell(&evals), &given(Mode::Full, &protected, &rules));
    assert_eq!(verdict.decision, Decision::Ask);
}

/// One word written in another way that bash reads the same.
fn disguised(word: &str, seeds: &[u8]) -> String {
    let mut whole = String::new();
    for (at, char) in word.chars().enumerate() {
        let seed = seeds.get(at % seeds.len().max(1)).copied().unwrap_or_default();
        match seed % 8 {
            0 => whole.push_str(&format!("'{char}'")),
            1 => whole.push_str(&format!("\"{char}\"")),
            2 if char.is_ascii_alphanumeric() || "/-.".contains(char) => {
                whole.push_str(&format!("\\{char}"))
            }
            3 => whole.push_str(&format!("$'\\x{:02x}'", u32::from(char))),
            4 => whole.push_str(&format!("$'\\{:03o}'", u32::from(char))),
            5 => whole.push_str(&format!("''{char}\"\"")),
            6 => whole.push_str(&format!("\\\n{char}")),
            _ => whole.push(char),
        }
    }
    whole
}

const HARMFUL: &[&[&str]] = &[
    &["rm", "-rf", "/home/user"],
    &["git", "push", "--force"],
    &["git", "push"],
    &["git", "reset", "--hard"],
    &["mkfs.ext4", "/dev/sda1"],
    &["cat", "/home/user/.ssh/id_rsa"],
    &["cp", "x", ".git/hooks/pre-commit"],
    &["sudo", "ls"],
    &["chmod", "-R", "777", "/"],
    &["dd", "if=/dev/zero", "of=/dev/sda"],
];
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("ls; ", ""),
    ("ls && ", " && ls"),
    ("(", ")"),
    ("{ ", "; }"),
    ("echo $(", ")"),
    ("echo \"$(", ")\""),
    ("if true; then ", "; fi"),
    ("for i in 1; do ", "; done"),
    ("ls | ", ""),
    ("env A=b ", ""),
    ("! ", ""),
    ("time ", ""),
    ("x=1; ", " # end"),
    ("cat <(", ")"),
    ("f() { ", "; }; f"),
    ("case a in a) ", ";; esac"),
    ("nohup ", " &"),
    ("while ", "; do break; done"),
    ("true || ", ""),
    ("A=b ", ""),
    ("eval ", ""),
    ("> /dev/null ", " 2>&1"),
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]
    #[test]
    fn no_disguise_helps(
        which in 0..HARMFUL.len(),
        seeds in proptest::collection::vec(0_u8..8, 1..24),
        outer in 0..AROUND.len(),
        inner in 0..AROUND.len(),
    ) {
        let words: Vec<String> = HARMFUL[which].iter().map(|word| disguised(word, &seeds)).collect();
        let ((a, d), (b, c)) = (AROUND[outer], AROUND[inner]);
        let line = format!("{a}{b}{}{c}{d}", words.join(" "));
        let (protected, rules) = (protected(false), Rules::default());
        let verdict = decide(&shell(&line), &given(Mode::Full, &protected, &rules));
        proptest::prop_assert_ne!(verdict.decision, Decision::Allow, "{}", line);
    }

    #[test]
    fn never_panics(line in r#"([a-z$(){}\[\]<>|&;`'"\\ \n=*?~#!@%^0-9./-]{0,60}|\PC{0,40})"#) {
        let (protected, rules) = (protected(false), Rules::default());
        decide(&shell(&line), &given(Mode::Full, &protected, &rules));
    }
}
