//! One gateway of a user: begun, found, ended; never at another port, never twice.

use std::{fs, net::TcpListener};

use serde_json::{Value, json};

use super::{Gate, plain, running, seen, state};
use crate::env::TestEnv;

/// Ends what it started, also when the test fails.
struct Ended<'e>(&'e TestEnv);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let Some(pid) = running(self.0)["pid"].as_i64() else { return };
        // One that has ended may have left its number to any other process.
        let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let home = self.0.outside().to_string_lossy().into_owned();
        if String::from_utf8_lossy(&variables).contains(&home) {
            // SAFETY: only sends a signal.
            unsafe { libc::kill(pid.try_into().unwrap(), libc::SIGKILL) };
        }
    }
}

#[test]
fn started_found_and_ended() {
    let env = plain();
    let _ended = Ended(&env);
    seen!(env.run(&["gateway", "status"]), @r"
    exit: 1
    --- stdout
    --- stderr
    no gateway runs; start one with `elophanto gateway --ensure`
    ");
    let ensure = ["gateway", "--ensure", "--port", "0", "--json"];
    let started = env.json(&ensure).remove(0);
    let found = env.json(&ensure).remove(0);
    assert_eq!((&started["started"], &found["started"]), (&json!(true), &json!(false)));
    assert_eq!((&started["pid"], &started["url"]), (&found["pid"], &found["url"]));
    let status = env.json(&["gateway", "status", "--json"]).remove(0);
    assert_eq!(status["repositories"], json!([{ "name": "repo", "root": env.root() }]));
    seen!(env.run(&["gateway", "status"]), @"
    exit: 0
    --- stdout
    ws://[ADDRESS]/gateway, process [PID]
    repo  [TEMP]/repo
    --- stderr
    ");
    let token = env.ok(&["gateway", "status", "--token"]).stdout();
    assert_eq!(token.trim(), running(&env)["token"].as_str().unwrap());
    // A second one says so.
    seen!(env.run(&["gateway", "--port", "0"]), @"
    exit: 1
    --- stdout
    --- stderr
    error: a gateway of yours runs already: process [PID], at [ADDRESS], for `[TEMP]/repo`
    hint: `elophanto gateway stop` ends it; one gateway serves several repositories: gateway.repositories
    ");
    seen!(env.run(&["gateway", "stop"]), @"
    exit: 0
    --- stdout
    stopped: ws://[ADDRESS]/gateway
    --- stderr
    ");
    assert!(!state(&env, "gateway.json").exists() && !state(&env, "gateway.sock").exists());
    seen!(env.run(&["gateway", "stop"]), @"
    exit: 1
    --- stdout
    --- stderr
    no gateway runs
    ");
    let log = fs::read_to_string(state(&env, "gateway.log")).unwrap();
    assert!(!log.contains(token.trim()) && !log.contains("panicked"), "{log}");
    // What a killed one left is in nobody's way.
    let gate = Gate::open(&env);
    gate.signal(libc::SIGKILL);
    drop(gate);
    assert!(state(&env, "gateway.sock").exists());
    Gate::open(&env).greet();
}

#[test]
fn eight_at_once_start_one() {
    let env = plain();
    let _ended = Ended(&env);
    let ensure = ["gateway", "--ensure", "--port", "0", "--json"];
    let children: Vec<_> = (0..8).map(|_| env.spawn(&ensure)).collect();
    let said: Vec<Value> = children
        .into_iter()
        .map(|child| crate::env::Output::from(child.wait_with_output().unwrap()).json().remove(0))
        .collect();
    assert!(said.iter().all(|it| it["pid"] == said[0]["pid"]), "{said:?}");
    assert_eq!(said.iter().filter(|it| it["started"] == true).count(), 1);
}

#[test]
fn a_port_that_is_taken() {
    let env = plain();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = env.run(&["gateway", "--port", &port]);
    let said = output.stderr();
    assert_eq!(output.code, Some(2), "{output}");
    let who = format!("process {}, listens there", std::process::id());
    assert!(said.contains("Address already in use") && said.contains(&who), "{said}");
    assert!(!state(&env, "gateway.json").exists());
    let ensured = env.run(&["gateway", "--ensure", "--port", &port]);
    assert_eq!(ensured.code, Some(2), "{ensured}");
    let said = ensured.stderr();
    assert!(said.contains("the server does not start: error: cannot listen"), "{said}");
    assert!(said.contains(&who), "{said}");
}

#[test]
fn another_machine_needs_a_token() {
    let env = plain();
    seen!(env.run(&["gateway", "--host", "0.0.0.0", "--port", "0"]), @"
    exit: 2
    --- stdout
    --- stderr
    warning: what is said there can be read on the way: put TLS (wss) in front
    error: 0.0.0.0 is not this machine alone, and no token is set
    hint: `elophanto gateway token rotate` sets one
    hint: what is said there can be read on the way: put TLS (wss) in front
    ");
    seen!(env.run(&["gateway", "token", "rotate"]), @"
    exit: 0
    --- stdout
    another token holds from the next start of the gateway on
    --- stderr
    ");
    let kept = fs::read_to_string(state(&env, "token")).unwrap();
    let gate = Gate::with(&env, &["--host", "0.0.0.0", "--port", "0"]);
    assert_eq!(gate.token, kept);
    let bearing = [("authorization", gate.bearer())];
    assert!(gate.try_enter(&[("authorization", &bearing[0].1)]).is_ok());
    assert_eq!(gate.upgrade("/gateway", &[("Host", "0.0.0.0")]).status, 403);
    drop(gate);
    fs::write(state(&env, "token"), "not a token").unwrap();
    let output = env.run(&["gateway", "--port", "0"]);
    assert!(output.stderr().contains("is of no use") && output.code == Some(2), "{output}");
}

/// The old token opens nothing, and what it opened is closed; the user's own socket is not.
#[test]
fn the_token_is_changed() {
    let env = plain();
    let gate = Gate::open(&env);
    let (mut before, mut own) = (gate.enter(&[]), gate.greet());
    before.hello();
    seen!(env.run(&["gateway", "token", "rotate"]), @"
    exit: 0
    --- stdout
    another token holds now, and what the old one opened is closed: `elophanto gateway status --token` prints it
    --- stderr
    ");
    assert_eq!(before.closed(), 1008);
    assert_eq!(gate.try_enter(&[("authorization", &gate.bearer())]).err(), Some(401));
    let token = env.ok(&["gateway", "status", "--token"]).stdout();
    assert!(token.trim() != gate.token && token.trim().len() == 64);
    let bearer = format!("Bearer {}", token.trim());
    gate.try_enter(&[("authorization", &bearer)]).unwrap().hello();
    own.say("command", json!({ "name": "status" }));
    own.until("response");
    drop(gate);
    // It outlives the gateway.
    assert_eq!(Gate::open(&env).token, token.trim());
}

/// Whoever sits at the port of a gateway that is gone learns nothing.
#[test]
fn a_squatter_learns_no_token() {
    let env = plain();
    let gate = Gate::open(&env);
    let (port, token) = (gate.port, gate.token.clone());
    gate.signal(libc::SIGKILL);
    drop(gate);
    let squatter = TcpListener::bind(("127.0.0.1", port)).unwrap();
    squatter.set_nonblocking(true).unwrap();
    assert_eq!(running(&env)["token"], token.as_str());
    assert_eq!(env.run(&["gateway", "status"]).code, Some(1));
    assert_eq!(env.run(&["gateway", "stop"]).code, Some(1));
    assert_eq!(env.run(&["gateway", "connect", "--json"]).code, Some(2));
    let begun = env.run(&["gateway", "--port", &port.to_string()]);
    assert_eq!(begun.code, Some(2), "{begun}");
    assert!(squatter.accept().is_err(), "somebody came to the squatter");
}

/// Several repositories are served where the user says so, and no others.
#[test]
fn which_repositories_are_served() {
    let env = plain();
    let folder = |name: &str| {
        let folder = env.outside().join(name);
        fs::create_dir(&folder).unwrap();
        let made = env.sealed("git").arg("init").current_dir(&folder).output().unwrap();
        assert!(made.status.success());
        folder
    };
    let (other, third) = (folder("other"), folder("third"));
    env.write_settings(&format!("gateway.repositories: [., \"{}\"]\n", other.display()));
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    assert_eq!(talk.heard[0]["data"]["repositories"], json!(["repo", "other"]));
    talk.say("command", json!({ "name": "repo", "args": "other" }));
    talk.find(|it| it["type"] == "status" && it["data"]["repository"] == "other");
    let ensured = env.run_in(&third, &["gateway", "--ensure"]);
    assert_eq!(ensured.code, Some(0), "{ensured}");
    assert!(ensured.stderr().contains("does not serve this repository"), "{ensured}");
    drop(gate);
    env.write_settings("gateway.repositories: [/nowhere]\n");
    let output = env.run(&["gateway", "--port", "0"]);
    assert!(output.code == Some(2) && output.stderr().contains("/nowhere"), "{output}");
    // One that is gone keeps the others from nobody.
    env.write_settings("gateway.repositories: [/nowhere, .]\n");
    let gate = Gate::open(&env);
    assert_eq!(gate.greet().heard[0]["data"]["repositories"], json!(["repo"]));
    let status = env.ok(&["gateway", "status"]).stdout();
    assert!(status.contains("\nnot served: gateway.repositories names `/nowhere`: "), "{status}");
    let said = gate.end();
    assert!(said.contains("/nowhere") && said.contains("is not served until"), "{said}");
}

/// What it wrote down of itself is damaged: it is still found and ended, and a command writes it anew.
#[test]
fn what_it_wrote_down_is_damaged() {
    let env = plain();
    let gate = Gate::open(&env);
    let file = state(&env, "gateway.json");
    for damage in ["", "{", "[]"] {
        fs::write(&file, damage).unwrap();
        let status = env.ok(&["gateway", "status"]).stdout();
        assert!(status.contains(&format!("process {}", gate.child.id())), "{status}");
        let refused = env.run(&["gateway", "status", "--token"]);
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr().contains("`elophanto gateway token rotate`"), "{refused}");
        env.ok(&["gateway", "token", "rotate"]);
        let token = env.ok(&["gateway", "status", "--token"]).stdout();
        gate.try_enter(&[("authorization", &format!("Bearer {}", token.trim()))]).unwrap().hello();
    }
    fs::write(&file, "{").unwrap();
    let second = env.run(&["gateway", "--port", "0"]);
    assert_eq!(second.code, Some(1), "{second}");
    env.ok(&["gateway", "stop"]);
    assert!(!file.exists() && !state(&env, "gateway.sock").exists());
}
