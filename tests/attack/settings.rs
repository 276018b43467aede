//! Settings that a hostile repository brings: no program of theirs runs, nobody is called, nothing
//! is written outside, and each command ends in order.

use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt};

use crate::{Attack, env::TestEnv};

/// Keys that take something a stranger should not say.
const KEYS: &[&str] = &[
    "knowledge.root",
    "knowledge.extensions",
    "knowledge.max_file_bytes",
    "knowledge.embedding_provider",
    "knowledge.minilm_chunks",
    "learn.sources",
    "learn.command",
    "notify.sinks",
    "notify.command",
    "notify.webhook",
    "llm.providers.openai.base_url",
    "llm.providers.openai.key",
    "llm.providers.ollama.base_url",
    "llm.budget.run",
    "journal.share",
    "memory.folder",
    "memory.repo",
    "agent.mode",
    "agent.hub",
    "agent.tool_timeout",
    "index.commit",
    "changelog.enabled",
    "search.recency",
    "git",
    "no_such_key",
    "\"\\x6clm.prov\\u0069ders.openai.base_url\"",
];

const COMMANDS: &[&[&str]] = &[
    &["search", "heron"],
    &["index"],
    &["doctor"],
    &["scan", "--investigate"],
    &["learn", "Heron", "--from", "notes/a.md"],
    &["enrich"],
    &["agent", "remember", "--type", "error", "--context", "c", "--lesson", "l"],
    &["agent", "recall", "heron"],
    &["hook", "run", "pre-commit"],
    &["like", "heron"],
];

pub fn run(attack: &mut Attack) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
    listener.set_nonblocking(true).expect("a listener");
    let port = listener.local_addr().expect("an address").port();
    while attack.goes_on() {
        let env = TestEnv::with(&[("notes/a.md", "# Heron\n\nThe heron waits at the pond.\n")]);
        let canary = env.outside().join("canary");
        let program = env.outside().join("program.sh");
        let script = format!("#!/bin/sh\necho ran >> {}\n", canary.display());
        fs::write(&program, script).expect("a file can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("rights");
        env.git(&["add", "--all"]);
        let yaml = settings(attack, &env, port);
        for file in [".elophanto/config.yaml", ".elophanto/permissions.yaml"] {
            if attack.chance.u8(0..4) > 0 {
                env.write(file, &yaml);
            }
        }
        let outside = listing(&env);
        for command in COMMANDS {
            let output = attack.bounded(&mut env.command(command));
            let ended = matches!(output.code, Some(0..=2));
            attack.expect(ended, || format!("{command:?} {output}\n{yaml}"));
        }
        attack.expect(!canary.exists(), || format!("a program ran\n{yaml}"));
        attack.expect(listener.accept().is_err(), || format!("somebody was called\n{yaml}"));
        let after = listing(&env);
        attack.expect(after == outside, || format!("wrote outside: {after:?}\n{yaml}"));
    }
}

fn settings(attack: &mut Attack, env: &TestEnv, port: u16) -> String {
    let chance = &mut attack.chance;
    let outside = env.outside().display();
    let mut yaml = String::new();
    for _ in 0..chance.u8(1..6) {
        let key = KEYS[chance.usize(0..KEYS.len())];
        let value = match chance.u8(0..12) {
            0 => format!("{outside}/program.sh"),
            1 => format!("[\"{outside}/program.sh\", \"{{query}}\"]"),
            2 => format!("http://127.0.0.1:{port}/"),
            3 => format!("[{{kind: webhook, url: \"http://127.0.0.1:{port}/\"}}]"),
            4 => format!("[{{kind: command, command: [\"{outside}/program.sh\"]}}]"),
            5 => "../../..".to_owned(),
            6 => outside.to_string(),
            7 => "[md, yml, env, pem, \"\", \"../x\"]".to_owned(),
            8 => "full".to_owned(),
            9 => ["-1", "1e400", "18446744073709551616", ".nan", "~", "0"][chance.usize(0..6)]
                .to_owned(),
            10 => format!("{}x{}", "[".repeat(2_000), "]".repeat(2_000)),
            _ => "&a [*a, *a]".to_owned(),
        };
        yaml.push_str(&format!("{key}: {value}\n"));
    }
    yaml
}

/// What lies beside the repository, but for the home folder, in which the program keeps its own.
fn listing(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.outside()).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "home");
    names.sort();
    names
}
