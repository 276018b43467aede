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
    snapshot!(TestEnv::new().ok(&["model", "list"]), @"
    exit: 0
    --- stdout
    text to vectors
    * auto  builtin-050f3555526564e5-256  256 components  instant
        set by  default
        ready   `elophanto index` decides; until then the built-in model
      minilm  minilm-f48bf19823840ce7-384  384 components  slow
        ready   runs in this program

    planning
      openrouter/anthropic/claude-sonnet-4.5  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2

    coding
      openrouter/anthropic/claude-sonnet-4.5  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2

    analysis
      openrouter/google/gemini-2.5-flash  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2

    simple
      openrouter/google/gemini-2.5-flash-lite  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2

    review
      openrouter/google/gemini-2.5-pro  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/deepseek-r1:14b  not reachable: nothing listens at 127.0.0.1:2

    extraction
      openrouter/google/gemini-2.5-flash  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2

    summary
      openrouter/google/gemini-2.5-flash  not set up: there is no key in env:OPENROUTER_API_KEY or vault:openrouter
      ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2
    --- stderr
    ");
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
    snapshot!(shown(run(&["model", "list"]).to_string()), @"
    exit: 0
    --- stdout
    text to vectors
    * openai  openai:text-embedding-3-small@1536  1536 components  remote
        set by  [TEMP]/home/.config/elophanto/config.yaml:2
        not now at api.openai.com: there is no key in env:OPENAI_API_KEY or vault:openai
      builtin  builtin-050f3555526564e5-256  256 components  instant
        ready   runs in this program
      minilm  minilm-f48bf19823840ce7-384  384 components  slow
        ready   runs in this program
      local:b
        ready   this machine has it
      local:mine
        ready   this machine has it

    planning
    * free/b  asked first

    coding
    * free/b  asked first

    analysis
    * free/b  asked first

    simple
    * paid/a  asked first
    * free/b  asked if those before it fail
      plain/c  not set up: the provider's address or key cannot be used: `192.0.2.1` is reached over http, which would show what is sent to everybody on the way
      nobody/d  not set up: the settings don't say where this provider is

    review
      free/b  it wrote what is to be reviewed
    * paid/a  asked first
        `paid/a` reviews, which the routes name for other work

    extraction
    * free/b  asked first

    summary
    * free/b  asked first
    --- stderr
    ");
    snapshot!(shown(run(&["model", "list", "--json"]).stdout()), @r#"
    {"embedder":"openai","origin":"[TEMP]/home/.config/elophanto/config.yaml:2","in_use":true,"fingerprint":"openai:text-embedding-3-small@1536","dimension":1536,"pace":"remote","ready":false,"reason":"at api.openai.com: there is no key in env:OPENAI_API_KEY or vault:openai"}
    {"embedder":"builtin","origin":null,"in_use":false,"fingerprint":"builtin-050f3555526564e5-256","dimension":256,"pace":"instant","ready":true,"reason":"runs in this program"}
    {"embedder":"minilm","origin":null,"in_use":false,"fingerprint":"minilm-f48bf19823840ce7-384","dimension":384,"pace":"slow","ready":true,"reason":"runs in this program"}
    {"embedder":"local:b","origin":null,"in_use":false,"fingerprint":null,"dimension":null,"pace":null,"ready":true,"reason":"this machine has it"}
    {"embedder":"local:mine","origin":null,"in_use":false,"fingerprint":null,"dimension":null,"pace":null,"ready":true,"reason":"this machine has it"}
    {"task":"planning","model":"free/b","used":true,"reason":"asked first"}
    {"task":"coding","model":"free/b","used":true,"reason":"asked first"}
    {"task":"analysis","model":"free/b","used":true,"reason":"asked first"}
    {"task":"simple","model":"paid/a","used":true,"reason":"asked first"}
    {"task":"simple","model":"free/b","used":true,"reason":"asked if those before it fail"}
    {"task":"simple","model":"plain/c","used":false,"reason":"not set up: the provider's address or key cannot be used: `192.0.2.1` is reached over http, which would show what is sent to everybody on the way"}
    {"task":"simple","model":"nobody/d","used":false,"reason":"not set up: the settings don't say where this provider is"}
    {"task":"review","model":"free/b","used":false,"reason":"it wrote what is to be reviewed"}
    {"task":"review","model":"paid/a","used":true,"reason":"asked first"}
    {"task":"review","note":"`paid/a` reviews, which the routes name for other work"}
    {"task":"extraction","model":"free/b","used":true,"reason":"asked first"}
    {"task":"summary","model":"free/b","used":true,"reason":"asked first"}
    "#);
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
    let nobody = "llm.providers.ollama.base_url: http://127.0.0.1:2\n";
    user(&env, &format!("llm.local_only: true\n{nobody}"));
    let output = env.ok(&["model", "list"]).stdout();
    let coding = "\ncoding\n  openrouter/anthropic/claude-sonnet-4.5  it is not on this machine\n\
                  \x20 ollama/qwen2.5-coder:14b  not reachable: nothing listens at 127.0.0.1:2\n";
    assert!(output.contains(coding), "{output}");
}
