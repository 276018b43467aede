//! Conversations with the agent, and what was said in them, as they are printed.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use elophanto_app::agent::Session;
use elophanto_models::llm::{Message, ToolCall};

/// A conversation, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct SessionWire<'a> {
    session: String,
    channel: &'a str,
    user: &'a str,
    /// The work tree; `null` before the first run.
    root: Option<&'a str>,
    /// What the user calls it.
    name: Option<&'a str>,
    goal: Option<&'a str>,
    messages: usize,
    tainted: bool,
    rules: usize,
    created: String,
    updated: String,
}

impl<'a> From<&'a Session> for SessionWire<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            session: session.id.to_string(),
            channel: &session.channel,
            user: &session.user,
            root: session.root.as_deref(),
            name: session.name.as_deref(),
            goal: session.goal.as_deref(),
            messages: session.messages.len(),
            tainted: session.is_tainted,
            rules: session.rules.len(),
            created: session.created.to_string(),
            updated: session.updated.to_string(),
        }
    }
}

/// What was said, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct MessageWire<'a> {
    pub role: &'static str,
    pub text: Cow<'a, str>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallWire<'a>>,
    /// Of a result.
    #[serde(flatten)]
    pub result_of: Option<ResultWire<'a>>,
}

/// Which call a result is of.
#[derive(Serialize, JsonSchema)]
pub struct ResultWire<'a> {
    pub id: &'a str,
    pub tool: &'a str,
    pub failed: bool,
}

/// A call of a tool.
#[derive(Serialize, JsonSchema)]
pub struct CallWire<'a> {
    pub id: &'a str,
    pub tool: &'a str,
    pub arguments: &'a Value,
}

impl<'a> MessageWire<'a> {
    /// Of a message.
    pub fn of(message: &'a Message) -> Self {
        let (role, text, calls, result_of) = match message {
            Message::System(text) => ("system", text.into(), Vec::new(), None),
            Message::User(text) => ("user", text.into(), Vec::new(), None),
            Message::Image(image) => ("user", image.text().into(), Vec::new(), None),
            Message::Assistant { text, tool_calls } => {
                ("agent", text.into(), tool_calls.iter().map(CallWire::of).collect(), None)
            }
            Message::Tool { id, name, text, failed } => (
                "tool",
                text.into(),
                Vec::new(),
                Some(ResultWire { id, tool: name, failed: *failed }),
            ),
        };
        Self { role, text, calls, result_of }
    }
}

impl<'a> CallWire<'a> {
    fn of(call: &'a ToolCall) -> Self {
        Self { id: &call.id, tool: &call.name, arguments: &call.arguments }
    }
}
