//! `auto`: what it comes to, and that it is written down.

use std::time::Duration;

use super::*;
use crate::env::finish;

fn with_ollama(ollama: &Embeddings) -> TestEnv {
    let env = notes();
    env.write_settings(&providers(None, Some(ollama)));
    env
}

/// The settings that `index` wrote.
fn pinned(env: &TestEnv) -> Vec<String> {
    let config = config_of(env.root());
    let lines = config.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut set: Vec<String> = lines
        .filter(|line| line.contains("embedding_"))
        .map(|line| line.trim().to_owned())
        .collect();
    set.sort();
    set
}

#[test]
fn an_ollama_that_answers() {
    let ollama = Embeddings::ollama(DIMENSION, &["nomic-embed-text:latest"]);
    let env = with_ollama(&ollama);
    let output = env.ok(&["index"]);
    assert!(!output.stderr().contains("trust"), "{output}");
    let texts = ollama.texts();
    assert_eq!(texts.len(), CHUNKS + 1);
    let document = |text: &&String| text.starts_with("search_document: ");
    assert_eq!(texts.iter().filter(document).count(), CHUNKS);
    assert_eq!(pinned(&env), ["embedding_dimension: 256", "embedding_provider: ollama"]);
    // The next command obeys it, and says nothing of trust.
    let (hits, output) = by_meaning(&env, ".", "hold hands");
    assert_eq!((hits, output.stderr()), (vec!["otters.md".to_owned()], String::new()));
    assert_eq!(ollama.texts(), ["search_query: hold hands"]);
    assert_eq!(env.index(&[])["embedded"], 0);
    assert_eq!(ollama.fake.calls().len(), 0);
}

#[test]
fn the_second_model_where_the_first_is_missing() {
    let ollama = Embeddings::ollama(DIMENSION, &["llama3", "mxbai-embed-large"]);
    let env = with_ollama(&ollama);
    env.ok(&["index"]);
    let mut models: Vec<String> =
        ollama.take().iter().map(|call| call.body["model"].as_str().unwrap().to_owned()).collect();
    models.dedup();
    assert_eq!(models, ["mxbai-embed-large"]);
    assert_eq!(
        pinned(&env),
        [
            "embedding_dimension: 256",
            "embedding_model: mxbai-embed-large",
            "embedding_provider: ollama"
        ]
    );
    // The first one appears: nobody mixes the two.
    let both = Embeddings::ollama(DIMENSION, &["nomic-embed-text", "mxbai-embed-large"]);
    env.write_settings(&providers(None, Some(&both)));
    env.write("new.md", "# New\n\nA note that came later.\n");
    assert_eq!(env.index(&[])["embedded"], 1);
    assert!(both.take().iter().all(|call| call.body["model"] == "mxbai-embed-large"));
}

#[test]
fn an_ollama_without_a_model_for_it_or_too_slow() {
    let none = Embeddings::ollama(DIMENSION, &["llama3"]);
    let slow = Embeddings::ollama(DIMENSION, &["nomic-embed-text"]);
    slow.slow(Duration::from_millis(1_500));
    for ollama in [none, slow] {
        let env = with_ollama(&ollama);
        let output = env.ok(&["index"]);
        assert_eq!(ollama.texts(), [""; 0], "{output}");
        let set = pinned(&env);
        assert!(set.len() == 1 && !set[0].contains("ollama"), "{set:?}");
    }
}

#[test]
fn a_key_is_no_agreement() {
    let env = notes();
    let mut command = env.command(&["index"]);
    // Nobody listens there, and it is not this machine: any request would be an error.
    env.write_settings(
        "llm.providers: {openrouter: {base_url: \"https://192.0.2.1:9/v1\"}, \
         ollama: {base_url: \"http://127.0.0.1:1\"}}\n",
    );
    command.env("OPENROUTER_API_KEY", "sk-or-test");
    let output = finish(&mut command);
    assert_eq!(output.code, Some(0), "{output}");
    let set = pinned(&env);
    assert!(set.len() == 1 && !set[0].contains("openrouter"), "{set:?}");
    assert!(!output.to_string().contains("sk-or-test"));
    assert!(!env.outside().join("home/.config/elophanto/agreements").exists());
}

#[test]
fn nobody_agreed() {
    let env = notes();
    env.write_settings(
        "knowledge: {embedding_provider: openai, embedding_model: fake, \
         embedding_dimension: 256}\n\
         llm.providers.openai: {base_url: \"https://192.0.2.1:9/v1\"}\n",
    );
    let mut command = env.command(&["index", "--json"]);
    let output = finish(command.env("OPENAI_API_KEY", "sk-test"));
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.json().last().unwrap()["waiting"], CHUNKS);
    let notes = notes_of(&output);
    assert!(notes.len() == 1 && notes[0].contains("nothing was sent"), "{output}");
    let (hits, output) = by_meaning(&env, ".", "otters hold hands");
    assert_eq!(hits, ["otters.md"]);
    assert_eq!(notes_of(&output).len(), 1, "{output}");
    assert!(!env.outside().join("home/.config/elophanto/agreements").exists());
}

/// The length of the vectors would have to be asked: not even that, without a word of the user.
#[test]
fn nobody_agreed_and_the_length_is_unknown() {
    let env = notes();
    env.write_settings(
        "knowledge: {embedding_provider: openai, embedding_model: fake}\n\
         llm.providers.openai: {base_url: \"https://192.0.2.1:9/v1\"}\n",
    );
    let start = std::time::Instant::now();
    let mut command = env.command(&["index", "--json"]);
    let output = finish(command.env("OPENAI_API_KEY", "sk-test"));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(start.elapsed() < Duration::from_secs(9), "it tried to connect");
    assert_eq!(notes_of(&output).len(), 1, "{output}");
    assert!(!config_of(env.root()).contains("embedding_dimension: "));
}

#[test]
fn only_this_machine() {
    let env = notes();
    env.write_settings(
        "knowledge: {embedding_provider: openai, embedding_model: fake, \
         embedding_dimension: 256}\n\
         llm: {local_only: true, providers: {openai: {base_url: \"https://192.0.2.1:9/v1\"}}}\n",
    );
    let mut command = env.command(&["index", "--yes"]);
    let output = finish(command.env("OPENAI_API_KEY", "sk-test"));
    assert_eq!(output.code, Some(0), "{output}");
    let notes = notes_of(&output);
    assert!(notes.len() == 1 && notes[0].contains("llm.local_only"), "{output}");
    assert!(!env.outside().join("home/.config/elophanto/agreements").exists());
    assert_eq!(env.tables(), [""; 0]);
}

#[test]
fn what_waits_for_trust_is_not_trusted_along() {
    let ollama = Embeddings::ollama(DIMENSION, &["nomic-embed-text"]);
    let env = with_ollama(&ollama);
    env.write(".elophanto/config.yaml", "llm.providers.openai.base_url: \"https://192.0.2.1/\"\n");
    let output = env.ok(&["index"]);
    // Everything went as decided, in this run.
    assert_eq!(ollama.texts().len(), CHUNKS + 1, "{output}");
    assert_eq!(output.stderr().matches("not trusted").count(), 1, "{output}");
    let said = env.ok(&["search", "--mode", "keyword", "otters"]).stderr();
    assert!(said.contains("not trusted"), "{said}");
    let store = env.outside().join("home/.config/elophanto/trust");
    assert!(!store.exists(), "nobody was asked");
}

#[test]
fn init_decides_as_index_does() {
    let ollama = Embeddings::ollama(DIMENSION, &["nomic-embed-text"]);
    let env = with_ollama(&ollama);
    let output = env.ok(&["init"]);
    assert_eq!(pinned(&env), ["embedding_dimension: 256", "embedding_provider: ollama"]);
    assert_eq!(ollama.texts(), ["dimension"], "{output}");
    let output = env.ok(&["index"]);
    assert!(!output.stderr().contains("trust"), "{output}");
    assert_eq!(ollama.texts().len(), CHUNKS, "the first pages say nothing yet");
    let again = env.ok(&["init"]);
    assert_eq!(again.stdout(), "already a knowledge base, nothing to do\n");
    assert_eq!(ollama.fake.calls().len(), 0);

    // A key alone is no agreement, `--yes` is one.
    for (args, provider) in [(&["init"][..], "minilm"), (&["init", "--yes"], "openrouter")] {
        let env = notes();
        let mut command = env.command(args);
        let output = finish(command.env("OPENROUTER_API_KEY", "sk-or-test"));
        assert_eq!(output.code, Some(0), "{output}");
        let expected = format!("embedding_provider: {provider}");
        assert!(pinned(&env).contains(&expected), "{:?}", pinned(&env));
        assert!(!env.run(&["doctor"]).stderr().contains("not trusted"));
    }
}
