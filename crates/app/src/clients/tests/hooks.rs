//! Our hooks beside those of the user.

use super::*;

const START: &str =
    "{ \"type\": \"command\", \"command\": \"/usr/bin/elophanto agent hook session-start\" }";
const STOP: &str = "{ \"type\": \"command\", \"command\": \"/usr/bin/elophanto agent hook stop\" }";

fn check(before: &str, expected: &str) {
    let path = Path::new("/p/.claude/settings.json");
    let disk = Disk::with(path, before);
    disk.apply(disk.hooks(Scope::Project).unwrap());
    let expected = expected.replace("START", START).replace("STOP", STOP);
    assert_eq!(disk.read(path).unwrap().unwrap(), expected);
}

#[test]
fn merges() {
    check(
        "{}",
        "{\n  \"hooks\": { \"SessionStart\": [ { \"hooks\": [ START ] } ], \"Stop\": [ { \"hooks\": [ STOP ] } ] }\n}",
    );
    check(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#,
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}, { "hooks": [ STOP ] }], "SessionStart": [ { "hooks": [ START ] } ]}}"#,
    );
    // After a move, the commands name the new place; what the user did to the group stays.
    check(
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "y"}, {"timeout": 5, "command": "'/a b/e' agent hook stop"}]}], "SessionStart": [{"matcher": "startup", "hooks": [{"command": "e agent hook session-start"}]}]}}"#,
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "y"}, {"timeout": 5, "command": "/usr/bin/elophanto agent hook stop"}]}], "SessionStart": [{"matcher": "startup", "hooks": [{"command": "/usr/bin/elophanto agent hook session-start"}]}]}}"#,
    );
}

#[test]
fn paths_with_blanks_are_quoted() {
    let disk = Disk::default();
    let read = |path: &Path| disk.read(path);
    let changes = super::super::hooks(Scope::User, &places(), "/a b/it's", &read).unwrap();
    let [change] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(change.path, Path::new("/h/.claude/settings.json"));
    let settings: serde_json::Value = serde_json::from_str(change.after.as_ref().unwrap()).unwrap();
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let words = ["/a b/it's", "agent", "hook", "stop"].map(str::to_owned);
    assert_eq!(shlex::split(command).unwrap(), words);
}

#[test]
fn removes_all_of_ours_and_nothing_else() {
    let path = Path::new("/p/.claude/settings.json");
    let check = |before: &str, expected: &str| {
        let disk = Disk::with(path, before);
        disk.apply(disk.remove(Client::ClaudeCode, Scope::Project).unwrap());
        assert_eq!(disk.read(path).unwrap().unwrap(), expected);
    };
    check(
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "a agent hook stop"}, {"command": "x"}]}, {"hooks": [{"command": "y"}, {"command": "b agent hook stop"}]}]}}"#,
        r#"{"hooks": {"Stop": [{"hooks": [ {"command": "x"}]}, {"hooks": [{"command": "y"}]}]}}"#,
    );
    for before in [
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "reagent hook stop"}]}]}}"#,
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "agent hook stop"}]}]}}"#,
        r#"{"hooks": {"Stop": [1, {"hooks": 2}, {"hooks": [3, {"command": 4}]}]}}"#,
        r#"{"hooks": {"Stop": 1}}"#,
    ] {
        check(before, before);
    }
}

#[test]
fn refuses_other_types() {
    let path = Path::new("/p/.claude/settings.json");
    let check = |before: &str, expected: &str| {
        let error = Disk::with(path, before).hooks(Scope::Project).unwrap_err().to_string();
        assert!(error.starts_with(&format!("`/p/.claude/settings.json`:{expected}; ")), "{error}");
    };
    check("{\n\"hooks\": []}", "2: `hooks` is no object");
    check("{\"hooks\": {\n\"Stop\": {}}}", "2: `hooks.Stop` is no array");
    check("{\"hooks\": {\n\"SessionStart\": {}}}", "2: `hooks.SessionStart` is no array");
}
