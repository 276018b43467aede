//! What tests in other languages ask for.

use serde_json::{Value, json};

use super::{socket::Order, state::Shared};

/// Does what is called so; what came of it.
pub fn called(shared: &Shared, name: &str, body: &[u8]) -> Value {
    let given: Value = serde_json::from_slice(body).unwrap_or_default();
    let number = |key: &str| given[key].as_u64().unwrap_or_default();
    let text = |key: &str| given[key].as_str().unwrap_or_default();
    match name {
        "say" => json!(shared.message(number("user"), json!({ "content": text("text") }))),
        "file" => {
            let file = shared.attach(text("name"), text("text").as_bytes());
            json!(shared.message(number("user"), json!({ "attachments": [file] })))
        }
        "press" => json!(shared.press(number("user"), text("message"), text("label"))),
        "command" => {
            json!(shared.command(number("user"), text("name"), text("words"), Value::Null))
        }
        "react" => {
            shared.react(number("user"), text("message"), text("emoji"));
            Value::Null
        }
        "answered" => {
            let state = shared.state();
            json!(state.interactions.get(text("token")).map(|it| (it.is_acknowledged, &it.said)))
        }
        "limit" => {
            let mut state = shared.state();
            (state.limited, state.is_global) = (1, given["global"] == true);
            Value::Null
        }
        "cut" => {
            shared.control(Order::Cut);
            Value::Null
        }
        "close" => {
            shared.control(Order::Close(u16::try_from(number("code")).unwrap_or(1000)));
            Value::Null
        }
        "reconnect" => {
            shared.control(Order::Reconnect);
            Value::Null
        }
        "forget" => {
            shared.state().sessions.clear();
            Value::Null
        }
        "deaf" => {
            shared.state().is_deaf = given["is"] == true;
            Value::Null
        }
        "heartbeat" => {
            shared.state().heartbeat = std::time::Duration::from_millis(number("ms"));
            Value::Null
        }
        "sessions" => {
            let state = shared.state();
            json!([state.identified, state.resumed])
        }
        "sent" => serde_json::to_value(&shared.state().sent).unwrap_or_default(),
        _ => json!("no such control"),
    }
}
