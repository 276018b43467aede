//! `elophanto acp`, whole: the real program as an editor starts it, real git, the real sandbox, and a
//! model that follows a script.

mod approving;
mod bad;
mod choosing;
mod going_on;
mod hello;
mod running;
mod session;

use serde_json::json;

use crate::{
    env::TestEnv,
    fake::script::{Model, Turn, text},
};

/// A model that calls this, once for each thing that is said, and then says that it is done.
fn obedient(call: Turn) -> Model {
    Model::start(json!({}), move |seen, _| {
        let messages = seen.body["messages"].as_array().unwrap().iter();
        match messages.last().is_some_and(|message| message["role"] == "tool") {
            true => text("Done."),
            false => call.clone(),
        }
    })
}

/// A repository with one commit, whose user has a scripted model, and more settings.
fn bench(model: &Model, more: &str) -> TestEnv {
    let env = TestEnv::with(&[("README.md", "# Otters\n\nThey swim.\n"), ("a b.md", "# A b\n")]);
    env.write_settings(&format!("{}{more}", model.settings()));
    env.commit("First");
    env
}
