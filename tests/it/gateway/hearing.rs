//! What is said in conversations is read for facts and what people care about, unless they do not want that.

use serde_json::json;

use super::{Gate, bench, until};
use crate::{
    fake::{
        Answer, Fake,
        script::{Model, call, text},
    },
    gateway::runs::{obedient, once},
};

const SAID: &str = "I love the Gaggia Classic. The Gaggia Classic is an espresso machine made in Italy.\n\ntask sayc";

#[test]
fn what_is_said_is_known() {
    for wanted in [true, false] {
        let model = obedient();
        let env = bench(&model);
        env.write_settings(&format!("{}gateway.learn: {wanted}\n", model.settings()));
        let gate = Gate::open(&env);
        let mut talk = gate.greet();
        talk.say("chat", json!({ "content": SAID }));
        talk.event("task_complete");
        let page = env.path("knowledge/learned/entities/gaggia-classic.md");
        if wanted {
            until("it is read", || page.exists());
        }
        // The next one begins when what was said before it is read.
        talk.say("chat", json!({ "content": "task sayd" }));
        talk.event("task_complete");
        gate.end();
        assert_eq!(page.exists(), wanted);
        if wanted {
            let why = env.ok(&["interests", "--why", "Gaggia Classic"]).stdout();
            assert!(why.contains("+0.70  statement"), "{why}");
            // It is of the message, and can be taken back like everything else.
            let text = std::fs::read_to_string(&page).unwrap();
            assert!(text.contains("is an espresso machine") && text.contains("msg:"), "{text}");
        }
    }
}

/// What the agent finds on the web by itself tells more of what is known, and makes nothing known.
#[test]
fn what_the_agent_finds_is_added_to_what_is_known() {
    let found = "The Gaggia Classic has a housing of brushed steel. The Rancilio Silvia is an espresso \
                 machine made near Milan.";
    let service = Fake::start(move |request| {
        let url = format!("http://{}/machines", request.headers["host"]);
        let result = json!({ "title": "Espresso machines", "url": url, "content": found });
        Answer::json(200, &json!({ "results": [result] }))
    });
    let model = Model::start(json!({}), |seen, _| {
        let messages = seen.body["messages"].as_array().unwrap();
        match messages.last().map(|last| &last["role"]) {
            Some(role) if *role == "tool" => text("It is of steel."),
            _ => call("web_search", json!({ "query": "Gaggia Classic housing" })),
        }
    });
    let env = bench(&model);
    let own = format!("learn.sources: [searxng]\nlearn.searxng_url: \"{}\"\n", service.url);
    env.write_settings(&format!("{}{own}", model.settings()));
    let known = "The Gaggia Classic is an espresso machine made in Italy.";
    let learnt = env.run_with(&["learn", "Gaggia Classic", "--from", "-"], known.as_bytes());
    assert_eq!(learnt.code, Some(0), "{learnt}");
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", json!({ "content": "What is it made of?" }));
    let asked = talk.until("approval_request");
    talk.say("approval_response", once(&asked["data"]));
    talk.event("task_complete");
    let entities = env.path("knowledge/learned/entities");
    let read = |name: &str| std::fs::read_to_string(entities.join(name)).unwrap_or_default();
    until("it is read", || read("gaggia-classic.md").contains("brushed steel"));
    gate.end();
    assert!(read("gaggia-classic.md").contains("/machines"), "{}", read("gaggia-classic.md"));
    assert!(!entities.join("rancilio-silvia.md").exists());
}
