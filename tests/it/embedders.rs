//! Models of one's choice, end to end: what is sent to whom, and what an answer is worth where
//! nobody answers. Every server is a fake on this machine, which needs no agreement.

use std::path::{Path, PathBuf};

use crate::{
    env::{Output, TestEnv},
    fake::embeddings::{Embeddings, Trouble},
};

mod auto;
mod change;
mod failures;
mod readers;
mod repositories;
mod sent;
mod team;

const DIMENSION: usize = 256;
/// Notes of one chunk each.
const SMALL: usize = 22;
/// Chunks of all notes together.
const CHUNKS: usize = SMALL + 2;

/// A repository with notes, and a server that the user's own settings name as `openai`.
struct Site {
    env: TestEnv,
    server: Embeddings,
}

impl Site {
    /// Nothing is indexed or committed yet.
    fn new() -> Self {
        let server = Embeddings::start(DIMENSION);
        let env = notes();
        env.write_attributes();
        env.write_settings(&settings(&server, "fake"));
        Self { env, server }
    }

    /// Everything is indexed and committed, and forgotten by the server.
    fn indexed() -> Self {
        let site = Self::new();
        assert_eq!(site.env.index(&[])["embedded"], CHUNKS);
        site.env.commit("indexed");
        site.server.take();
        site
    }
}

/// Notes about otters, bears, and much else; nothing is committed.
fn notes() -> TestEnv {
    let env = TestEnv::new();
    env.write("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n");
    env.write("bears.md", "# Bears\n\nBears sleep in caves all winter long.\n");
    for number in 2..SMALL {
        let text = format!("# Page {number}\n\nNothing but filler, piece {number}.\n");
        env.write(format!("filler/{number}.md"), text);
    }
    env.write("long.md", long("first", "second"));
    env
}

/// A note of two chunks, each with a word of its own.
fn long(first: &str, second: &str) -> String {
    let words = |word: &str| format!("{word} {}", "many words make one section ".repeat(24));
    format!("# Long\n\n## One\n\n{}\n\n## Two\n\n{}\n", words(first), words(second))
}

/// Settings of a user who has a model at an OpenAI-compatible server.
fn settings(server: &Embeddings, model: &str) -> String {
    format!(
        "knowledge: {{embedding_provider: openai, embedding_model: {model}}}\n{}",
        providers(Some(server), None)
    )
}

/// Where providers are; those that are left out are nowhere.
fn providers(openai: Option<&Embeddings>, ollama: Option<&Embeddings>) -> String {
    let url = |server: Option<&Embeddings>| {
        server.map_or_else(|| "http://127.0.0.1:1".to_owned(), |server| server.fake.url())
    };
    let (openai, ollama) = (url(openai), url(ollama));
    format!(
        "llm:\n  providers:\n    openai: {{base_url: \"{openai}/v1\"}}\n    \
         ollama: {{base_url: \"{ollama}\"}}\n"
    )
}

/// Lines on stderr that are notes.
fn notes_of(output: &Output) -> Vec<String> {
    output.stderr().lines().filter(|line| line.starts_with("note: ")).map(str::to_owned).collect()
}

/// The paths of a search by meaning alone, and what else it said.
fn by_meaning(env: &TestEnv, folder: impl AsRef<Path>, query: &str) -> (Vec<String>, Output) {
    let args = ["search", "--json", "--mode", "semantic", "-n", "1", query];
    let output = env.run_in(folder, &args);
    assert!(matches!(output.code, Some(0)), "{output}");
    let path = |hit: &serde_json::Value| hit["path"].as_str().unwrap().to_owned();
    (output.json().iter().map(path).collect(), output)
}

/// A clone beside the repository, with everything that is committed.
fn clone(env: &TestEnv) -> PathBuf {
    env.git(&["clone", "--quiet", ".", "../clone"]);
    env.outside().join("clone")
}

/// The summary of `index --json` in another folder.
fn index_in(env: &TestEnv, folder: impl AsRef<Path>, args: &[&str]) -> serde_json::Value {
    let output = env.run_in(folder, &[&["index", "--json"], args].concat());
    assert_eq!(output.code, Some(0), "{output}");
    output.json().last().cloned().unwrap()
}

/// Everything below the folder of tables.
fn tables_of(root: &Path) -> Vec<String> {
    let Ok(found) = std::fs::read_dir(root.join(".elophanto/index")) else { return Vec::new() };
    let mut names: Vec<String> =
        found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn config_of(root: &Path) -> String {
    std::fs::read_to_string(root.join(".elophanto/config.yaml")).unwrap_or_default()
}
