//! `elophanto model`: which models are used, and whether they answer.

mod list;
mod test;

use std::{fs, process::Command};

use crate::{
    env::{Output, TestEnv, finish},
    fake::{Fake, chat::Protocol},
};

/// What no output and no file of ours may hold.
pub const KEY: &str = "sk-test-0123456789abcdef";

/// Writes the user's own settings.
pub fn user(env: &TestEnv, settings: &str) {
    let file = env.outside().join("home/.config/elophanto/config.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, settings).unwrap();
}

/// Settings with models for simple work, and providers as name, protocol, address and key.
pub fn settings(models: &str, providers: &[(&str, Protocol, &str, Option<&str>)]) -> String {
    let mut text = format!("llm:\n  tasks:\n    simple: [{models}]\n  providers:\n");
    for (name, protocol, url, key) in providers {
        let word = protocol.word();
        text.push_str(&format!("    {name}:\n      protocol: {word}\n      base_url: {url}\n"));
        if let Some(key) = key {
            text.push_str(&format!("      key: {key}\n"));
        }
    }
    text
}

/// One provider `one` with the model `m1`, and its key in the variable ONE_KEY.
pub fn one(fake: &Fake, protocol: Protocol) -> TestEnv {
    let env = TestEnv::new();
    let provider = ("one", protocol, fake.url.as_str(), Some("env:ONE_KEY"));
    user(&env, &settings("one/m1", &[provider]));
    env
}

/// The program with the key in its variable.
pub fn keyed(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(args);
    command.env("ONE_KEY", KEY);
    command
}

/// Runs `model test` with the key; neither what it says nor what it keeps may hold that.
pub fn ask(env: &TestEnv, args: &[&str]) -> Output {
    let output = finish(&mut keyed(env, &[&["model", "test"], args].concat()));
    says_no_key(env, &output);
    output
}

pub fn says_no_key(env: &TestEnv, output: &Output) {
    assert!(!output.to_string().contains(KEY), "{output}");
    for entry in walkdir::WalkDir::new(env.outside().join("home")) {
        let path = entry.unwrap().into_path();
        if path.is_file() {
            let kept = fs::read(&path).unwrap();
            assert!(!String::from_utf8_lossy(&kept).contains(KEY), "{}", path.display());
        }
    }
}

/// What the ledger holds, a line for each call.
pub fn ledger(env: &TestEnv) -> Vec<serde_json::Value> {
    let folder = env.outside().join("home/.local/state/elophanto/usage");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let texts = entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let texts: Vec<String> = texts.collect();
    texts
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
