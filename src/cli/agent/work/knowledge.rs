//! The knowledge base as tools of the agent: each does what the MCP server's tool does.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::{
    super::{
        error::CliError,
        ui::printed_json,
        workspace::{KnowledgeBase, Workspace},
    },
    operations::operations,
};
use crate::server::{self, Call, Operations, Reply};
use elophanto_agent::{
    Host, Intent, Output, Source, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_app::{
    index::{self, IndexRequest},
    reporter::{Reporter, Silent},
};
use elophanto_knowledge::memory;

/// Tokens of an answer, if the call does not say.
const TOKENS: usize = 2_000;
/// Where notes of a kind and pages of entities lie.
const LEARNED: &str = "knowledge/learned";
/// What a call that asks the configured sources reaches, for rules about hosts.
const SOURCES: &str = "learn.sources";

/// All of them; `reporter` is warned and asked for what models need.
pub fn tools(
    workspace: &Workspace,
    reporter: Arc<dyn Reporter + Send + Sync>,
) -> Vec<Box<dyn Tool>> {
    let base = KnowledgeBase::of(workspace);
    let operations = Arc::new(operations(base.clone(), reporter));
    let of = |name: &str, level, operation: server::Tool, is_untrusted| -> Box<dyn Tool> {
        let spec = Spec {
            name: name.to_owned(),
            description: operation.description().to_owned(),
            input: Value::Object(operation.schema()),
            level,
            source: Source::BuiltIn,
            is_untrusted,
        };
        Box::new(Knowledge { spec, operation, operations: Arc::clone(&operations) })
    };
    vec![
        of("knowledge_search", Level::Safe, server::Tool::Search, true),
        of("knowledge_write", Level::Moderate, server::Tool::WriteNote, false),
        Box::new(Index { spec: index_spec(), base }),
        of("memory_recall", Level::Safe, server::Tool::Recall, true),
        of("memory_remember", Level::Moderate, server::Tool::Remember, false),
        of("learn", Level::Moderate, server::Tool::Learn, true),
        of("questions", Level::Safe, server::Tool::Questions, true),
    ]
}

/// A tool of the server.
struct Knowledge {
    spec: Spec,
    operation: server::Tool,
    operations: Arc<Operations>,
}

impl Tool for Knowledge {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let given = self.checked(arguments)?;
        let record = |path: &str| Action::Record { paths: vec![host.root().join(path)] };
        let action = match self.operation {
            server::Tool::WriteNote => {
                record(given.get("path").and_then(Value::as_str).unwrap_or(LEARNED))
            }
            server::Tool::Remember => record(memory::FOLDER),
            // With a text nothing is asked anywhere.
            server::Tool::Learn if given.contains_key("text") => record(LEARNED),
            server::Tool::Learn => Action::Reach { host: SOURCES.to_owned() },
            _ => Action::Look,
        };
        Ok(Intent { action, shown: shown(&given) })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let given = self.checked(arguments)?;
        let most = given.get("max_tokens").and_then(Value::as_u64);
        let call = Call::alone(most.map_or(TOKENS, |most| most as usize));
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        match (self.operations.call)(self.operation, &given, &call).shown() {
            Reply::Found { text, structured } => {
                let path = structured.get("path").and_then(Value::as_str);
                let is_written = self.operation == server::Tool::WriteNote;
                let touched = path.filter(|_| is_written).map(Into::into);
                Ok(Output { text, touched: touched.into_iter().collect(), ..Output::default() })
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
    spec: Spec,
    base: KnowledgeBase,
}

fn index_spec() -> Spec {
    Spec {
        name: "knowledge_index".to_owned(),
        description: "Bring the index up to date after notes changed, with what the next commit \
                      carries of it. Searching does not need it: a search sees changed notes by \
                      itself."
            .to_owned(),
        input: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        level: Level::Moderate,
        source: Source::BuiltIn,
        is_untrusted: false,
    }
}

impl Tool for Index {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, _arguments: &Value, _host: &dyn Host) -> Result<Intent, ToolError> {
        Ok(Intent {
            action: Action::Record { paths: Vec::new() },
            shown: "elophanto index".to_owned(),
        })
    }

    fn execute(&self, _arguments: &Value, _host: &mut dyn Host) -> Result<Output, ToolError> {
        let failed = |cause: CliError| ToolError::Failed(cause.message().to_owned());
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
