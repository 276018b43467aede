//! Agents wait for an answer, so what they ask about is looked at a second time.

use serde_json::json;

use super::{House, Session, VERSION};
use crate::second_look::{WORDS, looked_at, notes, until_all_are_looked_at};

#[test]
fn what_agents_ask_about_is_looked_at_again() {
    let env = notes();
    let mut command = env.command(&["agent", "mcp", "serve"]);
    let mut session = Session::connect(command.env("ELOPHANTO_SEARCH_SECOND_LOOK", "auto"));
    session.hello(VERSION, "tester");
    // A place resembles others by its vector: there is no question to read it for.
    session.found("similar", json!({"path": "notes/n1.md"}));
    assert_eq!(looked_at(&env), 0);
    until_all_are_looked_at(&env, || {
        session.found("search", json!({"query": WORDS}));
    });
}

#[test]
fn whoever_wants_none_gets_none() {
    let env = notes();
    let house = House::open(&env);
    let session = house.session();
    for _ in 0..3 {
        let result = house.call(&session, "search", json!({"query": WORDS}));
        assert!(!result["structuredContent"]["hits"].as_array().unwrap().is_empty(), "{result}");
    }
    assert_eq!(looked_at(&env), 0, "the tests' settings want none");
}
