//! The knowledge base as tools of the agent: each does what the MCP server's tool does.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    operations::operations,
    server::{self, Call, Operations, Reply},
};
use crate::wire::printed_json;
use elophanto_app::{
    Error, Workspace,
    agent::{
        Host, Intent, Output, Source, Spec, Tool, ToolError,
        knowledge::{CallTarget, KnowledgeTool},
    },
    index::{self, IndexRequest},
    reporter::{Reporter, Silent},
    workspace::KnowledgeBase,
};

/// All of them; `reporter` is warned and asked for what models need.
pub fn tools(
    workspace: &Workspace,
    reporter: Arc<dyn Reporter + Send + Sync>,
) -> Vec<Box<dyn Tool>> {
    let base = KnowledgeBase::of(workspace);
    let operations = Arc::new(operations(base.clone(), reporter));
    let made = |tool: KnowledgeTool| -> Box<dyn Tool> {
        let operation = match tool {
            KnowledgeTool::Index => {
                return Box::new(Index { base: base.clone() });
            }
            KnowledgeTool::Search => server::Tool::Search,
            KnowledgeTool::Write => server::Tool::WriteNote,
            KnowledgeTool::Recall => server::Tool::Recall,
            KnowledgeTool::Remember => server::Tool::Remember,
            KnowledgeTool::Learn => server::Tool::Learn,
            KnowledgeTool::Questions => server::Tool::Questions,
        };
        Box::new(Knowledge { tool, operation, operations: Arc::clone(&operations) })
    };
    KnowledgeTool::ALL.map(made).into()
}

fn spec(tool: KnowledgeTool, description: &str, input: Value) -> Spec {
    let (name, level, is_untrusted) = tool.row();
    let (name, description) = (name.to_owned(), description.to_owned());
    Spec { name, description, input, level, source: Source::BuiltIn, is_untrusted }
}

/// A tool of the server.
struct Knowledge {
    tool: KnowledgeTool,
    operation: server::Tool,
    operations: Arc<Operations>,
}

impl Tool for Knowledge {
    fn spec(&self) -> Spec {
        let Self { tool, operation, .. } = self;
        spec(*tool, operation.description(), Value::Object(operation.schema()))
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let given = self.checked(arguments)?;
        let path = given.get("path").and_then(Value::as_str);
        let touching = CallTarget { path, has_text: given.contains_key("text") };
        let action = self.tool.action(touching, host.root());
        Ok(Intent { action, shown: shown(&given) })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let given = self.checked(arguments)?;
        let call = Call::alone(server::Tool::max_tokens(&given));
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        match (self.operations.call)(self.operation, &given, &call).shown() {
            Reply::Found { text, items, structured } => {
                let text = text + &items.concat();
                let path = structured.get("path").and_then(Value::as_str);
                let touched = path.filter(|_| self.tool == KnowledgeTool::Write).map(Into::into);
                let touched = touched.into_iter().collect();
                let is_untrusted = self.operation.quotes(&structured);
                Ok(Output { text, touched, is_untrusted, ..Output::default() })
            }
            Reply::Refused { reason, hint } => Err(ToolError::Failed(match hint {
                Some(hint) => format!("{reason}; {hint}"),
                None => reason,
            })),
        }
    }
}

impl Knowledge {
    fn checked(&self, arguments: &Value) -> Result<Map<String, Value>, ToolError> {
        let empty = Map::new();
        let given = arguments.as_object().unwrap_or(&empty);
        self.operation.checked(given).map_err(ToolError::Arguments)
    }
}

/// Bringing the index up to date, its vectors for the next commit included.
struct Index {
    base: KnowledgeBase,
}

impl Tool for Index {
    fn spec(&self) -> Spec {
        let description = "Bring the index up to date after notes changed, with what the next commit \
                           carries of it. Searching does not need it: a search sees changed notes by \
                           itself.";
        let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
        spec(KnowledgeTool::Index, description, input)
    }

    fn intent(&self, _arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let action = KnowledgeTool::Index.action(CallTarget::default(), host.root());
        Ok(Intent { action, shown: "elophanto index".to_owned() })
    }

    fn execute(&self, _arguments: &Value, _host: &mut dyn Host) -> Result<Output, ToolError> {
        let failed = |cause: Error| ToolError::Failed(cause.message().to_owned());
        let workspace = self.base.open(Vec::new()).map_err(failed)?;
        let (_, indexed) =
            index::first(workspace, IndexRequest::default(), &Silent).map_err(failed)?;
        let text = printed_json(&indexed.summary()).map_err(failed)?;
        Ok(Output { text, ..Output::default() })
    }
}

/// The arguments for people, one a line.
fn shown(arguments: &Map<String, Value>) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: {text}\n"),
        other => format!("{name}: {other}\n"),
    };
    arguments.iter().map(line).collect()
}
