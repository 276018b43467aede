//! Servers whose store or folder is away for a while.

use std::{fs, thread, time::Duration};

use elophanto_net::fake_store::{FakeStore, Fault};
use serde_json::{Value, json};

use super::{BUCKET, OTTERS, fold, keyed, place, publish, remember, repository, with_keys};
use crate::mcp::House;

/// Past the time for which a view is taken for what is there.
const LATER: Duration = Duration::from_millis(5_500);

fn served(given: &Value) -> (&str, &Value) {
    (given["content"][0]["text"].as_str().unwrap_or_default(), &given["structuredContent"])
}

#[test]
fn who_asks_while_the_store_is_away_is_answered_and_told() {
    let store = FakeStore::new();
    let env = repository("knowledge/otters.md", OTTERS);
    remember(&env, "npm ci failed with EACCES", "own the npm cache folder");
    for args in
        [&["publish", BUCKET, "--as", "r", "--memory", "--yes"][..], &["publish", "--fold", BUCKET]]
    {
        let done = with_keys(&env, &store, args);
        assert_eq!(done.code, Some(0), "{done}");
    }
    let args = ["agent", "mcp", "serve", "--in", BUCKET, "--http", "127.0.0.1:0"];
    let house = House::begun(&env, &mut keyed(&env, &store, &args));
    let session = house.session();
    let questions = [
        ("search", json!({"query": "how do otters sleep"}), "hits", "hold hands"),
        ("recall", json!({"text": "npm ci failed with EACCES"}), "memories", "npm cache folder"),
    ];
    let ask = |is_away: bool| {
        for (tool, given, list, says) in &questions {
            let found = house.call(&session, tool, given.clone());
            let (text, structured) = served(&found);
            assert!(structured[list][0].to_string().contains(says), "{tool}: {found}");
            let said = structured["said"][0].as_str().unwrap_or_default();
            assert_eq!(said.contains("older state"), is_away, "{tool}: {found}");
            assert_eq!(text.contains(&format!("Note: {said}")) && text.contains(says), is_away);
        }
    };
    ask(false);
    store.faults(|_| Some(Fault::Cut));
    thread::sleep(LATER);
    ask(true);
}

/// Nothing of a folder is kept elsewhere: what is asked meanwhile waits for it, and nothing is done in vain.
#[test]
fn a_folder_that_is_away_is_not_called_damaged_or_none() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    publish(&env, "acme/sea", &address);
    fold(&env, &address);
    let args = ["agent", "mcp", "serve", "--in", &address, "--http", "127.0.0.1:0"];
    let house = House::begun(&env, &mut env.command(&args));
    let session = house.session();
    let search = || house.call(&session, "search", json!({"query": "how do otters sleep"}));
    let is_found = |found: &Value| served(found).1["hits"][0]["line"].is_number();
    let found = search();
    assert!(is_found(&found), "{found}");
    let (kb, moved) = (env.outside().join("kb"), env.outside().join("moved"));
    fs::rename(&kb, &moved).unwrap();
    for pause in [Duration::ZERO, LATER] {
        thread::sleep(pause);
        let refused = search();
        let text = served(&refused).0;
        assert!(refused["isError"] == true && text.contains("cannot be reached"), "{refused}");
        assert!(text.contains("mounted") && !text.contains("publish"), "{refused}");
    }
    fs::rename(&moved, &kb).unwrap();
    let found = search();
    assert!(is_found(&found), "{found}");
}
