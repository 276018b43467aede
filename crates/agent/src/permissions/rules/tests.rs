use std::path::Path;

use super::*;
use crate::permissions::{Circumstances, Layer, Level, Mode, Protected, Verdict, decide};

const USER: &str = "\
# mine
tools:
  shell_execute: ask
  web_fetch: deny   # never
commands:
  - { run: [cargo, test, \"**\"], decision: allow }
  - { run: [npm, run, \"*\"], decision: allow }
  - { run: [cargo, publish, \"**\"], decision: deny }
paths:
  - { write: \"docs/**\", decision: allow }
  - { read: \"private/**\", decision: deny }
hosts:
  - { host: \"*.example.org\", decision: deny }
  - { host: api.test, decision: allow }
";

fn rules(text: &str) -> Rules {
    Rules::parse(text.as_bytes(), Owner::User).expect(text)
}

fn verdict(rules: &Rules, call: &Call, mode: Mode) -> Verdict {
    let (root, home) = (Path::new("/r"), Path::new("/home/u"));
    let protected = Protected::new(root, Vec::new(), false);
    decide(
        call,
        &Circumstances {
            mode,
            tainted: false,
            fenced: true,
            attended: true,
            root,
            home,
            protected: &protected,
            rules,
        },
    )
}

fn line(rules: &Rules, line: &str, expected: (Decision, Layer)) {
    let action = Action::Shell { line: line.to_owned(), folder: "/r".into(), network: false };
    let call = Call { tool: "shell", level: Level::Destructive, action };
    let verdict = verdict(rules, &call, Mode::Ask);
    assert_eq!((verdict.decision, verdict.layer), expected, "{line}: {:?}", verdict.reasons);
}

#[test]
fn a_line_is_allowed_if_all_of_it_is() {
    let rules = rules(USER);
    let allowed = (Decision::Allow, Layer::Override);
    let asked = (Decision::Ask, Layer::Mode);
    line(&rules, "cargo test", allowed);
    line(&rules, "cargo test -p core && npm run lint", allowed);
    line(&rules, "npm run lint now", asked);
    line(&rules, "cargo test; ls", asked);
    line(&rules, "cargo test > out.txt", asked);
    line(&rules, "cargo test > docs/out.txt", allowed);
    line(&rules, "cargo test; cargo publish", (Decision::Deny, Layer::Override));
    line(&rules, "cargo test; rm -rf ~", (Decision::Ask, Layer::Blacklist));
    line(&rules, "cargo test > .git/x", (Decision::Deny, Layer::Protected));
    line(&rules, "cargo test $X", (Decision::Ask, Layer::Blacklist));
    line(&rules, "cargo test $(rm -rf ~)", (Decision::Ask, Layer::Blacklist));
    line(&rules, "PATH=/tmp cargo test", (Decision::Ask, Layer::Blacklist));
}

#[test]
fn other_actions_have_rules_too() {
    let rules = rules(USER);
    let check = |tool: &str, action: Action, mode: Mode, expected: Decision| {
        let call = Call { tool, level: Level::Safe, action: action.clone() };
        assert_eq!(verdict(&rules, &call, mode).decision, expected, "{tool} {action:?}");
    };
    let write = |path: &str| Action::Write { paths: vec![path.into()] };
    check("file_write", write("/r/docs/a.md"), Mode::Ask, Decision::Allow);
    check("file_write", write("/r/src/a.rs"), Mode::Ask, Decision::Ask);
    check("file_write", write("/r/docs/.git/x"), Mode::Full, Decision::Deny);
    check("file_write", write("/x/docs/a.md"), Mode::Ask, Decision::Ask);
    check(
        "file_read",
        Action::Read { paths: vec!["/r/private/a".into()] },
        Mode::Full,
        Decision::Deny,
    );
    check("web_fetch", Action::Reach { host: "x.test".into() }, Mode::Full, Decision::Deny);
    check("fetch", Action::Reach { host: "a.EXAMPLE.org.".into() }, Mode::Full, Decision::Deny);
    check("fetch", Action::Reach { host: "api.test".into() }, Mode::Ask, Decision::Allow);
    let call = "shell_execute";
    check(
        call,
        Action::Shell { line: "ls".into(), folder: "/r".into(), network: false },
        Mode::Full,
        Decision::Ask,
    );
}

#[test]
fn a_repository_narrows_only() {
    let repository = Rules::parse(USER.as_bytes(), Owner::Repository).unwrap();
    assert_eq!(repository.ignored.len(), 4, "{:?}", repository.ignored);
    let all = Rules::joined(Rules::default(), rules(USER));
    assert_eq!(all.ignored.len(), 4);
    line(&all, "cargo test", (Decision::Ask, Layer::Mode));
    line(&all, "cargo publish", (Decision::Deny, Layer::Override));
    let widened = Rules::joined(rules("tools: { a: deny }"), rules("tools: { a: allow }"));
    let call = Call { tool: "a", level: Level::Safe, action: Action::Look };
    assert_eq!(verdict(&widened, &call, Mode::Full).decision, Decision::Deny);
}

#[test]
fn refuses_what_it_does_not_know() {
    let check = |text: &str, expected: &str| {
        let error = Rules::parse(text.as_bytes(), Owner::User).expect_err(text);
        assert_eq!(error.to_string(), expected);
    };
    check("tool: { a: ask }", "line 1: unknown key `tool`");
    check("tools:\n  a: maybe", "line 2: `a` must be `ask`, `allow` or `deny`");
    check("commands:\n  - { run: ls, decision: ask }", "line 2: `run` must be a list");
    check(
        "commands:\n  - { run: [\"**\"], decision: allow }",
        "line 2: `run` must be a list of words, `**` last at most",
    );
    check("commands:\n  - { run: [ls] }", "line 2: `decision` must be there");
    check(
        "paths:\n  - { write: \"a[\", decision: ask }",
        "line 2: `write` is no pattern: unclosed character class; missing ']'",
    );
    check("hosts:\n  - { host: x, decision: ask, why: y }", "line 2: unknown key `why`");
    check("tools: [a]", "line 1: `tools` must be a mapping");
    assert_eq!(Rules::parse(&[0xff], Owner::User).expect_err("bytes"), RulesError::NotText);
}

#[test]
fn an_answer_becomes_a_line() {
    let command =
        |words: &[&str]| Rule::Command { run: words.iter().map(|w| (*w).to_owned()).collect() };
    let check = |text: &str, rule: Rule, expected: &str| {
        let changed = add_rule(text, &rule).expect(text);
        assert_eq!(changed, expected);
    };
    let line = "  - { run: [\"cargo\", \"build\"], decision: allow }\n";
    check("", command(&["cargo", "build"]), &format!("commands:\n{line}"));
    check(
        "# mine\ntools:\n  a: ask # why\n",
        command(&["cargo", "build"]),
        &format!("# mine\ntools:\n  a: ask # why\ncommands:\n{line}"),
    );
    check(
        USER,
        command(&["cargo", "build"]),
        &USER.replace("commands:\n", &format!("commands:\n{line}")),
    );
    check(
        "commands:\n- { run: [a], decision: ask }\n",
        command(&["b"]),
        "commands:\n- { run: [\"b\"], decision: allow }\n- { run: [a], decision: ask }\n",
    );
    check(
        "tools:\r\n  a: ask\r\n",
        Rule::Tool { name: "b".into() },
        "tools:\r\n  \"b\": allow\r\n  a: ask\r\n",
    );
    check(
        "",
        Rule::Host { host: "x.test".into() },
        "hosts:\n  - { host: \"x.test\", decision: allow }\n",
    );
    assert!(add_rule("commands: []\n", &command(&["a"])).is_err());
    assert!(add_rule("nonsense: 1", &command(&["a"])).is_err());
    let again = rules(&rules(USER).to_yaml());
    assert_eq!(again.to_yaml(), rules(USER).to_yaml());
    let hostile = command(&["a\"] }\ntools: {x: allow}", "b\\", "\u{1}"]);
    let text = add_rule("", &hostile).unwrap();
    assert_eq!(rules(&text).commands.len(), 1);
    assert!(rules(&text).tools.is_empty());
}

#[test]
fn only_plain_calls_become_rules() {
    let check = |text: &str, expected: Option<&[&str]>| {
        let action = Action::Shell { line: text.to_owned(), folder: "/r".into(), network: false };
        let call = Call { tool: "shell_execute", level: Level::Destructive, action };
        let verdict = verdict(&Rules::default(), &call, Mode::Ask);
        let rule = rule_for(&call, &verdict);
        let run = expected
            .map(|words| Rule::Command { run: words.iter().map(|w| (*w).to_owned()).collect() });
        assert_eq!(rule, run, "{text}");
        if let Some(rule) = rule {
            let rules = rules(&add_rule("", &rule).unwrap());
            assert_eq!(super::tests::verdict(&rules, &call, Mode::Ask).decision, Decision::Allow);
        }
    };
    check("cargo build", Some(&["cargo", "build"]));
    check("cargo build 'a b'", Some(&["cargo", "build", "a b"]));
    check("cargo build; ls", None);
    check("ls *.rs", None);
    check("git push -f", None);
    check("rm -rf ~", None);
    check("echo '**'", None);
    let action =
        Action::Shell { line: "cargo build".to_owned(), folder: "/r".into(), network: false };
    let call = Call { tool: "shell_execute", level: Level::Destructive, action };
    let verdict = Verdict { layer: Layer::Fence, ..verdict(&Rules::default(), &call, Mode::Ask) };
    assert!(verdict.can_be_kept);
    assert_eq!(rule_for(&call, &verdict), None, "asked again all the same");
}

#[test]
fn what_is_denied_is_denied_under_any_name() {
    let rules = rules(
        "commands:
  - { run: [touch, \"**\"], decision: deny }
  - { run: [git, pull, \"**\"], decision: ask }
  - { run: [cargo, test], decision: allow }
paths:
  - { write: \"docs/**\", decision: deny }
",
    );
    let check = |text: &str, expected: Option<Decision>| {
        let action = Action::Shell { line: text.to_owned(), folder: "/r".into(), network: false };
        let call = Call { tool: "shell_execute", level: Level::Destructive, action };
        let verdict = verdict(&rules, &call, Mode::Full);
        let ruled = (verdict.layer == Layer::Override).then_some(verdict.decision);
        assert_eq!(ruled, expected, "{text}: {verdict:?}");
    };
    for line in [
        "touch a", "/usr/bin/touch a", "cp a docs/b", "cp a docs/", "cd docs && cp ../a b",
        "mv docs elsewhere", "rm docs/a", "rm -rf docs", "tee docs/a < b", "mkdir docs/new",
        "sed -i s/a/b/ docs/a", "echo x > docs/a",
    ] {
        check(line, Some(Decision::Deny));
    }
    for line in ["git pull", "git -C . pull", "/usr/bin/git --no-pager pull origin main"] {
        check(line, Some(Decision::Ask));
    }
    check("cargo test", Some(Decision::Allow));
    // A program of that name elsewhere is another one.
    check("./cargo test", None);
    check("cp docs/a b", None);
}

#[test]
fn what_a_rule_denies_it_denies_however_it_is_written() {
    let deny = |what: &str| {
        Rules::parse(format!("paths: [{{ {what}, decision: deny }}]").as_bytes(), Owner::User)
            .unwrap()
    };
    let root = Path::new("/home/ada/notes");
    let says = |rules: &Rules, path: &str, writes| {
        rules
            .paths
            .iter()
            .filter(|rule| rule.writes == writes)
            .find_map(|it| it.says(&root.join(path), root))
    };
    for glob in ["docs", "docs/", "./docs/**", "/docs/**", "docs/**", "/home/ada/notes/docs"] {
        let rules = deny(&format!("write: {glob:?}"));
        for path in ["docs/api.md", "docs/deep/api.md", "docs"] {
            assert_eq!(says(&rules, path, true), Some(Decision::Deny), "{glob} {path}");
        }
        for path in ["README.md", "documents/a.md"] {
            assert_eq!(says(&rules, path, true), None, "{glob} {path}");
        }
        assert_eq!(says(&rules, "docs/api.md", false), None, "{glob}");
    }
    let names = deny("write: \"*.md\"");
    assert_eq!(says(&names, "docs/deep/api.md", true), Some(Decision::Deny));
    // What holds such a file is asked about.
    let file = deny("read: docs/api.md");
    assert_eq!(says(&file, "docs", false), Some(Decision::Ask));
    assert_eq!(says(&file, "docs/other.md", false), None);
    assert_eq!(says(&file, "", false), Some(Decision::Ask));
    // What is allowed is no more than what is written.
    let allow = Rules::parse(b"paths: [{ write: docs, decision: allow }]", Owner::User).unwrap();
    assert_eq!(says(&allow, "docs", true), Some(Decision::Allow));
    assert_eq!(says(&allow, "docs/api.md", true), None);
    let host = b"hosts: [{ host: 'https://example.org', decision: deny }]";
    assert!(matches!(Rules::parse(host, Owner::User), Err(RulesError::Form { .. })));
}

/// Git shows contents by other names than those of files.
#[test]
fn what_git_shows_is_read() {
    let rules = rules("paths: [{ read: \"private/**\", decision: deny }]");
    let check = |text: &str, expected: Option<Decision>| {
        let action =
            Action::Shell { line: text.to_owned(), folder: "/r/docs".into(), network: false };
        let call = Call { tool: "shell_execute", level: Level::Destructive, action };
        let verdict = verdict(&rules, &call, Mode::Full);
        let ruled = (verdict.layer == Layer::Override).then_some(verdict.decision);
        assert_eq!(ruled, expected, "{text}: {verdict:?}");
    };
    for line in [
        "git blame ../private/k.md",
        "git -C .. blame private/k.md",
        "git grep salary -- ../private",
        "git log -p -- ../private/k.md",
        "git log --oneline --patch -- ../private/k.md",
        "git log -L1,2:private/k.md",
        "git diff HEAD~1 HEAD -- ../private/k.md",
        "git diff HEAD:private/k.md HEAD:docs/a.md",
        "git show HEAD:private/k.md",
        "git show :private/k.md",
        "git show :0:private/k.md",
        "git cat-file blob HEAD:private/k.md",
        "git cat-file -p HEAD:private/k.md | head",
        "git archive HEAD ../private | tar -xO",
    ] {
        check(line, Some(Decision::Deny));
    }
    for line in [
        "git show",
        "git show HEAD~1",
        "git diff",
        "git log -p",
        "git stash show -p",
        "git grep salary",
        "git grep salary -- ':(top)private'",
        "git show HEAD:docs/a.md HEAD~1",
        "git cat-file --batch",
    ] {
        check(line, Some(Decision::Ask));
    }
    for line in [
        "git status",
        "git log --oneline -n 3",
        "git log -- a.md",
        "git blame a.md",
        "git show HEAD:docs/a.md",
        "git diff HEAD -- a.md",
        "git grep salary -- a.md",
        "git commit -m private",
    ] {
        check(line, None);
    }
}

#[test]
fn what_is_recorded_is_written() {
    let rules = rules(
        "paths:
  - { write: \"knowledge/**\", decision: deny }
  - { write: \"notes/*.md\", decision: allow }
  - { write: \".elophanto/memory/x\", decision: ask }
",
    );
    let says = |path: &str| {
        let action = Action::Record { paths: vec![Path::new("/r").join(path)] };
        let call = Call { tool: "knowledge_write", level: Level::Moderate, action };
        rules.decision(&call, None, Path::new("/r"))
    };
    assert_eq!(says("knowledge/learned/a.md"), Some(Decision::Deny));
    assert_eq!(says("knowledge/learned"), Some(Decision::Deny));
    assert_eq!(says(".elophanto/memory"), Some(Decision::Ask));
    assert_eq!(says("notes/a.md"), None);
}

/// A word more does not lead around a rule.
#[test]
fn a_denied_command_is_denied_with_more_words() {
    let rules = |run: &str| {
        let text = format!("commands: [{{ run: {run}, decision: deny }}]");
        Rules::parse(text.as_bytes(), Owner::User).unwrap()
    };
    let argv = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (run, line, denied) in [
        ("[rm]", "rm -rf docs", true),
        ("[/bin/rm, \"**\"]", "rm docs", true),
        ("[git, push]", "git -C . push origin main", true),
        ("[git, push]", "git pull", false),
        ("[rm]", "rmdir docs", false),
    ] {
        let is_denied = rules(run).command(&argv(line)) == Some(Decision::Deny);
        assert_eq!(is_denied, denied, "{run} {line}");
    }
    let allow = Rules::parse(b"commands: [{ run: [ls], decision: allow }]", Owner::User).unwrap();
    assert_eq!(allow.command(&argv("ls -l")), None);
}
