//! `learn`, `entity`, `like` and their kin: what becomes of what is read, what stays away once it was
//! taken out, and what git carries of it.

mod forms;
mod hand;
mod hostile;
mod interest;
mod kept;
mod model;
mod otherwise;
mod search;
mod together;
mod undo;

use std::fs;

use serde_json::Value;

use crate::{
    bad_inputs::bounded,
    env::{Output, TestEnv},
};

/// Where the pages lie.
const PAGES: &str = "knowledge/learned/entities";

/// Two things with four facts between them.
const SPEAKER: &str = "# KEF LS50 Meta\n\n\
    The KEF LS50 Meta is a bookshelf speaker made by KEF. The KEF LS50 Meta uses Metamaterial \
    Absorption Technology to absorb sound behind the tweeter. It weighs 7.8 kg.\n\n\
    KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.\n";

/// Compares a whole output with an inline snapshot: ids and days are not the same twice.
macro_rules! told {
    ($output:expr, @$expected:literal) => {{
        let mut filters = crate::env::FILTERS.to_vec();
        filters.push((r"\b01[0-9A-HJKMNP-TV-Z]{24}\b", "[ID]"));
        filters.push((r"\bc:[0-9a-f]{16}\b", "c:[CREATED]"));
        filters.push((r"\b20\d\d-\d\d-\d\d\b", "[DAY]"));
        insta::with_settings!({ filters => filters }, { insta::assert_snapshot!($output, @$expected) })
    }};
}
pub(crate) use told;

/// Hands a text over, and expects that something comes of it.
fn learn(env: &TestEnv, topic: &str, text: &str) -> Output {
    let output = read(env, &[topic], text);
    assert_eq!(output.code, Some(0), "{topic}\n{output}");
    output
}

/// `learn --from -` with more arguments.
fn read(env: &TestEnv, args: &[&str], text: &str) -> Output {
    let output = env.run_with(&[&["learn", "--from", "-"], args].concat(), text.as_bytes());
    assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
    assert!(!output.stderr().contains("panicked"), "{output}");
    output
}

/// `NAME (FACTS)` of all entities, by name.
fn entities(env: &TestEnv) -> Vec<String> {
    let row = |row: &Value| format!("{} ({})", row["name"].as_str().unwrap(), row["facts"]);
    let mut rows: Vec<String> = env.json(&["entity", "--json"]).iter().map(row).collect();
    rows.sort();
    rows
}

/// An entity, with its facts.
fn entity(env: &TestEnv, name: &str) -> Value {
    let mut found = env.json(&["entity", "--json", name]);
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found.remove(0)
}

/// What is known of an entity, sorted.
fn facts(env: &TestEnv, name: &str) -> Vec<String> {
    let entity = entity(env, name);
    let facts = entity["facts"].as_array().unwrap().iter();
    let mut facts: Vec<String> = facts.map(|it| it["text"].as_str().unwrap().to_owned()).collect();
    facts.sort();
    facts
}

fn page(slug: &str) -> String {
    format!("{PAGES}/{slug}.md")
}

/// The bytes of all pages, by name.
fn pages(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    let mut files = env.files();
    files.retain(|(path, _)| path.starts_with(PAGES));
    let name = |path: std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.into_iter().map(|(path, bytes)| (name(path), bytes)).collect()
}

/// The records of one kind, those that git carries and those that stay here; a line that is none
/// fails the test.
fn records(env: &TestEnv, kind: &str) -> Vec<Value> {
    [".elophanto/journal", ".git/elophanto/journal"]
        .iter()
        .flat_map(|folder| walkdir::WalkDir::new(env.path(folder)).sort_by_file_name())
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .flat_map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
        })
        .filter(|record| record["kind"] == kind)
        .collect()
}

/// Everything that git would carry.
fn carried(env: &TestEnv) -> String {
    let files = env.files().into_iter();
    files.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

/// The last prompt, as `learn --json` lists it.
fn last_prompt(env: &TestEnv) -> Value {
    env.json(&["learn", "--json"]).pop().unwrap()
}

/// Runs the program, which must end in an orderly way.
fn tried(env: &TestEnv, args: &[&str]) -> Output {
    bounded(&mut env.command(args))
}
