//! `model list`: nobody is asked.

use std::fs;

use super::{keyed, ledger, settings, user};
use crate::{
    env::{TestEnv, finish, snapshot},
    fake::{
        Fake,
        chat::{Protocol, refuses},
    },
};

#[test]
fn what_holds_without_any_settings() {
    snapshot!(TestEnv::new().ok(&["model", "list"]), @"");
    // It needs no repository.
    let env = TestEnv::plain();
    let inside = TestEnv::new().ok(&["model", "list"]).to_string();
    assert_eq!(env.ok(&["model", "list"]).to_string(), inside);
    assert!(!env.outside().join("home/.local").exists(), "asking writes nothing");
}

#[test]
fn what_the_settings_name_and_why_not() {
    let fake = Fake::start(|_| refuses(503, "overloaded").header("retry-after", "0"));
    let env = TestEnv::with(&[("otters.md", "# Otters\n")]);
    let keyless = ("free", Protocol::Ollama, fake.url.as_str(), None);
    let with_key = ("paid", Protocol::OpenAi, fake.url.as_str(), Some("env:ONE_KEY"));
    let plain = ("plain", Protocol::OpenAi, "http://192.0.2.1/v1", None);
    let models = "paid/a, free/b, plain/c, nobody/d";
    let all = settings(models, &[keyless, with_key, plain]);
    let others: String = ["planning", "coding", "analysis", "review", "extraction", "summary"]
        .map(|task| format!("    {task}: [free/b]\n"))
        .concat();
    let embedder = "knowledge:\n  embedding_provider: openai\n  embedding_model: \
                    text-embedding-3-small\n";
    user(
        &env,
        &format!("{embedder}{}", all.replace("  providers:\n", &format!("{others}  providers:\n"))),
    );
    let models = env.outside().join("home/.local/share/elophanto/models");
    fs::create_dir_all(&models).unwrap();
    for name in ["mine.bin", "b.bin", "notes.txt", "no name\u{1b}.bin"] {
        fs::write(models.join(name), "").unwrap();
    }
    let run = |args: &[&str]| finish(&mut keyed(&env, args));
    let shown = |output: String| output.replace(&fake.url, "URL");
    snapshot!(shown(run(&["model", "list"]).to_string()), @"");
    snapshot!(shown(run(&["model", "list", "--json"]).stdout()), @"");
    assert_eq!(fake.requests().len(), 0);
    // A provider that failed twice rests.
    for _ in 0..2 {
        assert_eq!(run(&["model", "test", "--task", "coding"]).code, Some(2));
    }
    let listed = run(&["model", "list"]).stdout();
    assert!(listed.contains("free/b  its provider failed and is left alone until"), "{listed}");
    assert_eq!(ledger(&env).len(), 2);
}

#[test]
fn only_models_on_this_machine() {
    let env = TestEnv::new();
    user(&env, "llm:\n  local_only: true\n");
    let output = env.ok(&["model", "list"]).stdout();
    let coding = "\ncoding\n  openrouter/anthropic/claude-sonnet-4.5  it is not on this machine\n\
                  * ollama/qwen2.5-coder:14b  asked first\n";
    assert!(output.contains(coding), "{output}");
}
