//! Whoever talks to the agent waits for an answer: what they search for is looked at a second time.

use serde_json::json;

use super::Gate;
use crate::second_look::{WORDS, looked_at, notes, until_all_are_looked_at};

#[test]
fn what_is_searched_for_in_a_conversation_is_looked_at_again() {
    for (setting, is_wanted) in [("never", false), ("auto", true)] {
        let env = notes();
        let mut command = env.command(&["gateway", "--json", "--port", "0"]);
        command.env("ELOPHANTO_SEARCH_SECOND_LOOK", setting);
        let gate = Gate::start(&env, command);
        let mut talk = gate.greet();
        let mut ask = || {
            let id = talk.say("command", json!({"name": "search", "args": WORDS}));
            let told =
                talk.find(|it| it["data"]["reply_to"] == id.as_str() && it["type"] == "response");
            assert!(told.to_string().contains("notes/n"), "{told}");
        };
        if is_wanted {
            until_all_are_looked_at(&env, ask);
        } else {
            ask();
            assert_eq!(looked_at(&env), 0);
        }
    }
}
