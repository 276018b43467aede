//! What is said in conversations is read for facts and what people care about, unless they do not want that.

use serde_json::json;

use super::{Gate, bench, until};
use crate::gateway::runs::obedient;

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
