//! A conversation that was held before, as the updates of which it was made. Pure.

use std::collections::HashMap;

use agent_client_protocol::v1::schema::{
    ContentChunk, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};

use super::calls;
use elophanto_app::agent::ATTACHED;
use elophanto_base::visible::{exact_line, visible};
use elophanto_models::llm::Message;

/// What was said, the oldest first.
pub fn updates(messages: &[Message]) -> Vec<SessionUpdate> {
    // Models count their calls anew in each run.
    let mut ids: HashMap<&str, String> = HashMap::new();
    let mut all = Vec::new();
    let chunk = |text: &str| ContentChunk::new(visible(text).into());
    for message in messages {
        match message {
            Message::System(text) => all.push(SessionUpdate::AgentThoughtChunk(chunk(text))),
            // What went with a message was the editor's own.
            Message::User(text) if text.starts_with(ATTACHED) => {}
            Message::User(text) => all.push(SessionUpdate::UserMessageChunk(chunk(text))),
            Message::Image(image) => {
                all.push(SessionUpdate::UserMessageChunk(chunk(&image.text())));
            }
            Message::Assistant { text, tool_calls } => {
                if !text.trim().is_empty() {
                    all.push(SessionUpdate::AgentMessageChunk(chunk(text)));
                }
                for call in tool_calls {
                    let id = format!("{}-{}", all.len(), call.id);
                    let title = calls::title_of(&call.name, &call.arguments);
                    let shown = ToolCall::new(id.clone(), title)
                        .name(exact_line(&call.name))
                        .kind(calls::kind(&call.name, None));
                    ids.insert(&call.id, id);
                    all.push(SessionUpdate::ToolCall(shown));
                }
            }
            Message::Tool { id, text, failed, .. } => {
                let Some(id) = ids.remove(id.as_str()) else { continue };
                let status =
                    if *failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
                let fields =
                    ToolCallUpdateFields::new().status(status).content(vec![calls::result(text)]);
                all.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use elophanto_models::llm::ToolCall as Called;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_was_said_comes_again() {
        let call = |id: &str| Message::Assistant {
            text: String::new(),
            tool_calls: vec![Called {
                id: id.to_owned(),
                name: "file_read".to_owned(),
                arguments: json!({ "path": "a.md" }),
            }],
        };
        let result = |id: &str, failed| Message::Tool {
            id: id.to_owned(),
            name: "file_read".to_owned(),
            text: "# A".to_owned(),
            failed,
        };
        let said = [
            Message::user("look"),
            Message::user(format!("{ATTACHED}<quoted-1 origin=\"a\">x</quoted-1>")),
            call("c0"),
            result("c0", false),
            call("c0"),
            result("c0", true),
            result("unknown", false),
            Message::Assistant { text: "done".to_owned(), tool_calls: Vec::new() },
        ];
        let told: Vec<Value> =
            updates(&said).iter().map(|it| serde_json::to_value(it).unwrap()).collect();
        let kinds: Vec<_> = told
            .iter()
            .map(|it| {
                let status = it["status"].as_str().unwrap_or_default();
                format!("{} {status}", it["sessionUpdate"].as_str().unwrap())
            })
            .collect();
        let expected = [
            "user_message_chunk ",
            "tool_call ",
            "tool_call_update completed",
            "tool_call ",
            "tool_call_update failed",
            "agent_message_chunk ",
        ];
        assert_eq!(kinds, expected);
        assert_eq!(told[1]["title"], "file_read a.md");
        assert_ne!(told[1]["toolCallId"], told[3]["toolCallId"]);
        assert_eq!(told[3]["toolCallId"], told[4]["toolCallId"]);
    }
}
