//! What programs and tests of plugins say, and what becomes of it.

use super::*;

/// Long where a program ends by itself, however busy the machine is.
fn patience(program: &str) -> Duration {
    Duration::from_millis(if program.contains("sleep") { 1_500 } else { 60_000 })
}

/// The text of an answer and whether it failed.
#[track_caller]
fn check_run(program: &str, schema: &str, expected: (&str, bool)) {
    let world = World::new();
    let schema = if schema.is_empty() { SCHEMA } else { schema };
    world.plugin("p", &[("plugin.py", program), ("schema.json", schema)]);
    let plugin = examine(&world.root, "p", &[]).unwrap();
    let tool = PluginTool::new(world.root.clone(), &plugin, world.runtime.clone());
    let mut host = caller(&world);
    host.patience = patience(program);
    use crate::Tool;
    let (text, failed) = match tool.execute(&json!({}), &mut host) {
        Ok(output) => (output.text, output.failed),
        Err(error) => (error.to_string(), true),
    };
    assert!(text.contains(expected.0) && failed == expected.1, "{program}: {text:?} {failed}");
    assert!(text.len() < 5_000, "{}", text.len());
}

#[test]
fn answers() {
    check_run("#!/bin/sh\necho '{\"text\": \"x\"}'", "", ("x", false));
    check_run("#!/bin/sh\necho '{\"a\": [1]}'", "", (r#"{"a":[1]}"#, false));
    check_run("#!/bin/sh\npwd | sed 's/.*/{\"text\": \"&\"}/'", "", ("/root", false));
    check_run("#!/bin/sh\necho '{\"error\": \"no luck\"}'", "", ("no luck", true));
    check_run("#!/bin/sh\necho '{\"text\": \"x\"}'; exit 3", "", ("exit code 3", true));
    check_run("#!/bin/sh\necho why >&2; exit 1", "", ("exit code 1\nwhy", true));
    check_run("#!/bin/sh\nkill -9 $$", "", ("ended by a signal", true));
    check_run("#!/bin/sh\necho hello", "", ("one JSON object", true));
    check_run("#!/bin/sh\necho '{} {}'", "", ("one JSON object", true));
    check_run("#!/bin/sh\ntrue", "", ("one JSON object", true));
    check_run("#!/bin/sh\nsleep 60", "", ("took too long", true));
    check_run("#!/bin/sh\nhead -c 1000000000 /dev/zero", "", ("more than the cap", true));
    check_run("#!/bin/sh\nprintf '{\"text\": \"%050000d\"}' 1", "", ("bytes left out", false));
    check_run("#!python3\n", "", ("no absolute path", true));
    check_run("#!/nowhere/sh\n", "", ("exit code 127", true));
    let output = r#"{"description": "x", "output": {"type": "object", "required": ["n"]}}"#;
    check_run("#!/bin/sh\necho '{\"text\": \"x\"}'", output, ("does not fit its schema", true));
    let secret = r#"{"description": "x", "secrets": ["none"]}"#;
    check_run("#!/bin/sh\necho '{\"text\": \"x\"}'", secret, ("no secret `none`", true));
}

#[test]
fn secrets_come_by_standard_input_alone_and_do_not_come_back() {
    let world = World::new();
    let program = "#!/usr/bin/python3\nimport json, os, sys\ngiven = sys.stdin.read()\n\
        secret = json.loads(given)['secrets']['key']\n\
        around = json.dumps([sys.argv, dict(os.environ)])\n\
        print(json.dumps({'text': 'got ' + secret, 'around': secret in around, secret: [secret]}))\n\
        print(secret, file=sys.stderr)\n";
    let schema = r#"{"description": "x", "secrets": ["key"]}"#;
    let tests = "#!/bin/sh\necho 1 passed";
    let changed = [("plugin.py", program), ("schema.json", schema), ("test_plugin.py", tests)];
    world.plugin("p", &changed);
    world.deploy("p").unwrap();
    assert!(world.seen.lock().unwrap().iter().all(|(.., input)| !input.contains("hunter2")));
    world.seen.lock().unwrap().clear();
    let tool = world.load(true).tools.remove(0);
    let shown = tool.intent(&json!({}), &caller(&world)).unwrap().shown;
    assert!(shown.contains("secrets it is given: key") && !shown.contains("hunter2"), "{shown}");
    let output = tool.execute(&json!({}), &mut caller(&world)).unwrap();
    assert_eq!(
        output.text,
        "got [secret key]\n{\"[secret key]\":[\"[secret key]\"],\"around\":false}"
    );
    let seen = world.seen.lock().unwrap();
    let (argv, folder, input) = &seen[0];
    assert!(!format!("{argv:?}{folder:?}").contains("hunter2"));
    assert_eq!(input, "{\"arguments\":{},\"secrets\":{\"key\":\"hunter2 \\\"key\\\"\"}}\n");
    assert_eq!(folder, &world.root);
}

#[track_caller]
fn check_test(tests: &str, expected: Result<&str, &str>) {
    let world = World::new();
    world.plugin("p", &[("test_plugin.py", tests)]);
    let report = world.test("p", patience(tests));
    match expected {
        Ok(part) => {
            assert!(report.passed() && report.output().contains(part), "{tests}: {report:?}");
        }
        Err(part) => {
            assert!(!report.passed() && report.reason().contains(part), "{tests}: {report:?}");
            let plugin = examine(&world.root, "p", &[]).unwrap();
            let refused = world.deploy_as(&plugin, &report);
            assert!(matches!(refused, Err(PluginError::Untested { .. })), "{refused:?}");
        }
    }
}

#[test]
fn tests_have_to_run_and_pass() {
    check_test(TESTS, Ok("1 passed"));
    check_test("#!/bin/sh\necho ok >&2", Ok("ok"));
    check_test(
        "#!/bin/sh\nls | tr '\\n' ' '",
        Ok("README.md plugin.py schema.json test_plugin.py"),
    );
    let itself = "#!/bin/sh\necho '{\"arguments\": {\"word\": \"ab\"}}' | ./plugin.py";
    check_test(itself, Ok("\"AB\""));
    check_test("", Err("printed nothing"));
    check_test("#!/bin/sh\necho ' '", Err("printed nothing"));
    check_test("#!/bin/sh\necho x; exit 1", Err("exit code 1"));
    check_test("#!/bin/sh\necho x; kill -9 $$", Err("signal"));
    check_test("#!/bin/sh\necho x; sleep 60", Err("too long"));
    check_test("#!/bin/sh\nhead -c 1000000000 /dev/zero", Err("more than is kept"));
    check_test("import unittest\nunittest.main()", Err("test"));
    check_test("#!/bin/sh\necho '=== no tests ran in 0.01s ==='", Err("ran nothing"));
    check_test("assert False", Err("exit code 1"));
    check_test("#!/bin/sh\necho x > plugin.py; echo ok", Ok("ok"));
}
