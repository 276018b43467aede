//! `agent mcp serve --ensure`: one server, found by all, healed when its file is stale.

use std::{fs, process::Command};

use serde_json::{Value, json};

use super::{address_of, harbour, is_alive, running, seen, signal, state, state_files, until};
use crate::env::{PROGRAM, TestEnv, finish};

const ENSURE: [&str; 5] = ["agent", "mcp", "serve", "--ensure", "--json"];

/// Ends what it started, also when the test fails.
struct Ended<'a>(&'a TestEnv);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        for file in state_files(self.0, "json") {
            let running = fs::read(file).ok().and_then(|it| serde_json::from_slice(&it).ok());
            let running: Value = running.unwrap_or_default();
            if running["pid"].is_u64() {
                signal(&running["pid"], libc::SIGKILL);
            }
        }
    }
}

#[test]
fn eight_at_once_start_one() {
    let env = harbour();
    let _ended = Ended(&env);
    let children: Vec<_> = (0..8).map(|_| env.spawn(&ENSURE)).collect();
    let outputs: Vec<crate::env::Output> =
        children.into_iter().map(|child| child.wait_with_output().unwrap().into()).collect();
    let said: Vec<Value> = outputs
        .iter()
        .map(|output| {
            assert_eq!((output.code, output.stderr()), (Some(0), String::new()), "{output}");
            output.json().remove(0)
        })
        .collect();
    assert!(
        said.iter().all(|it| it["url"] == said[0]["url"] && it["pid"] == said[0]["pid"]),
        "{said:?}"
    );
    assert_eq!(said.iter().filter(|it| it["started"] == true).count(), 1);
    assert_eq!(running(&env)["pid"], said[0]["pid"]);
    // It answers, and its log and its line on stdout keep its token to themselves.
    let token = running(&env)["token"].as_str().unwrap().to_owned();
    let log = fs::read_to_string(&state_files(&env, "log")[0]).unwrap();
    assert!(!log.contains(&token) && !said[0].to_string().contains(&token), "{log}");
    signal(&said[0]["pid"], libc::SIGTERM);
    until("its file goes with it", || state_files(&env, "json").is_empty());
    seen!(env.run(&["agent", "mcp", "status"]), @"
    exit: 1
    --- stdout
    --- stderr
    no server runs; start one with `elophanto agent mcp serve --ensure`
    ");
}

#[test]
fn stop_ends_the_one_of_this_repository() {
    let env = harbour();
    let _ended = Ended(&env);
    let stop = ["agent", "mcp", "stop"];
    seen!(env.run(&stop), @"
    exit: 1
    --- stdout
    --- stderr
    no server runs
    ");
    let started = env.json(&ENSURE).remove(0);
    let other = harbour();
    assert_eq!(other.run(&stop).code, Some(1), "that of another repository is not touched");
    assert!(is_alive(&started["pid"]));
    let stopped = env.json(&["agent", "mcp", "stop", "--json"]).remove(0);
    assert_eq!((&stopped["pid"], &stopped["stopped"]), (&started["pid"], &started["url"]));
    until("it is gone", || !is_alive(&started["pid"]));
    assert!(state_files(&env, "json").is_empty());
    assert_eq!(env.run(&stop).code, Some(1));
}

#[test]
fn whatever_the_file_says_there_is_a_server_afterwards() {
    let env = harbour();
    let _ended = Ended(&env);
    let ensure = || env.json(&ENSURE).remove(0);
    let first = ensure();
    let again = ensure();
    assert_eq!((&again["url"], &again["started"]), (&first["url"], &json!(false)));
    let file = state_files(&env, "json").remove(0);
    let good = running(&env);
    let with = |key: &str, value: Value| {
        let mut changed = good.clone();
        changed[key] = value;
        changed.to_string()
    };
    // What is written there does not fit the server that runs.
    let mut pids = vec![first["pid"].clone()];
    for text in [
        "{\"pid\":".to_owned(),
        String::new(),
        "\0\0\0\0".to_owned(),
        with("token", json!("wrong")),
        with("address", json!("127.0.0.1:2")),
        with("address", json!("nonsense")),
        with("root", json!("/elsewhere")),
        with("pid", json!(1)),
    ] {
        fs::write(&file, &text).unwrap();
        assert_eq!(env.run(&["agent", "mcp", "status"]).code, Some(1), "{text}");
        let healed = ensure();
        assert_eq!(healed["started"], true, "{text}");
        assert_eq!(env.run(&["agent", "mcp", "status"]).code, Some(0), "{text}");
        pids.push(healed["pid"].clone());
    }
    // A process that died without a word.
    signal(&running(&env)["pid"], libc::SIGKILL);
    let healed = ensure();
    assert_eq!(healed["started"], true);
    // A server that ends leaves the file of another one alone.
    signal(&first["pid"], libc::SIGTERM);
    until("the first one ends", || !is_alive(&first["pid"]));
    assert_eq!(running(&env)["pid"], healed["pid"]);
    for pid in &pids {
        signal(pid, libc::SIGKILL);
    }
}

#[test]
fn another_repository_has_a_server_of_its_own() {
    let env = harbour();
    let _ended = Ended(&env);
    fs::create_dir(env.path("other")).unwrap();
    finish(env.sealed("git").args(["init", "--quiet"]).current_dir(env.path("other")));
    let one = env.json(&ENSURE).remove(0);
    let two = env.run_in("other", &ENSURE).json().remove(0);
    assert_ne!(one["url"], two["url"]);
    assert_ne!(one["pid"], two["pid"]);
    assert_eq!(env.json(&ENSURE)[0]["url"], one["url"]);
    assert_eq!(env.run_in("other", &ENSURE).json()[0]["url"], two["url"]);
    // In a folder of the repository, too.
    assert_eq!(env.run_in("docs", &ENSURE).json()[0]["url"], one["url"]);
    assert_eq!(state_files(&env, "json").len(), 2);
}

/// A server that listens everywhere is asked for at this machine, and one that cannot be is no
/// process that nobody knows of.
#[test]
fn an_address_that_is_none() {
    let env = harbour();
    let _ended = Ended(&env);
    let started = env.json(&["agent", "mcp", "serve", "--ensure", "--json", "--http", "0.0.0.0:0"]);
    let address = address_of(started[0]["url"].as_str().unwrap());
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    assert_eq!(env.json(&ENSURE)[0]["url"], started[0]["url"]);
    signal(&started[0]["pid"], libc::SIGINT);
    until("its file goes with it", || state_files(&env, "json").is_empty());
    let output = env.run(&["agent", "mcp", "serve", "--ensure", "--http", "203.0.113.7:1"]);
    seen!(output, @"
    exit: 2
    --- stdout
    --- stderr
    error: the server does not start: error: cannot listen at 203.0.113.7:1: Cannot assign requested address (os error 99)
    hint: give an address of this machine, such as --http [ADDRESS]
    hint: its words are in `[TEMP]/home/.local/state/elophanto/mcp/[HASH].log`
    ");
    assert!(state_files(&env, "json").is_empty());
}

#[test]
fn a_state_folder_that_cannot_be_written_to() {
    let env = harbour();
    fs::create_dir_all(state(&env).parent().unwrap()).unwrap();
    fs::write(state(&env), "no folder").unwrap();
    seen!(env.run(&["agent", "mcp", "serve", "--ensure"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.local/state/elophanto/mcp` cannot be written to: File exists (os error 17)
    hint: servers of the user are written down there; it must be a folder of yours
    ");
    seen!(env.run(&["agent", "mcp", "serve", "--http", "127.0.0.1:0"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.local/state/elophanto/mcp` cannot be written to: File exists (os error 17)
    hint: servers of the user are written down there; it must be a folder of yours
    ");
    assert_eq!(env.run(&["agent", "mcp", "status"]).code, Some(1));
    fs::remove_file(state(&env)).unwrap();
    let mut command: Command = env.sealed("bash");
    command.args([
        "-c",
        "ulimit -f 0; exec \"$0\" agent mcp serve --ensure --http 127.0.0.1:0",
        PROGRAM,
    ]);
    let output = finish(&mut command);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().starts_with("error: the server does not start"), "{output}");
    assert!(state_files(&env, "json").is_empty());
}
