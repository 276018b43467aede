//! `llm_call`: a question to a language model, apart from the conversation.

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, bad, spec},
    cut::cut,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};

/// Bytes of a prompt at most.
const MOST_OF_A_PROMPT: usize = 200_000;
/// The kind of work unless told otherwise.
const USUAL_TASK: &str = "simple";

/// Asks a language model.
pub struct LlmCall;

struct Question<'a> {
    task: &'a str,
    system: &'a str,
    prompt: &'a str,
}

impl LlmCall {
    fn question<'a>(&self, arguments: &'a Value) -> Result<Question<'a>, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let prompt = arguments.text("prompt")?;
        let system = arguments.optional_text("system")?.unwrap_or_default();
        let task = arguments.optional_text("task")?.unwrap_or(USUAL_TASK);
        if prompt.trim().is_empty() || prompt.len() + system.len() > MOST_OF_A_PROMPT {
            return Err(bad(format!("`prompt` is to have 1 to {MOST_OF_A_PROMPT} bytes")));
        }
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_' || byte == b'-';
        if task.is_empty() || task.len() > 40 || !task.bytes().all(is_letter) {
            return Err(bad("`task` is to be a word such as simple, coding, review or planning"));
        }
        Ok(Question { task, system, prompt })
    }
}

impl Tool for LlmCall {
    fn spec(&self) -> Spec {
        spec(
            "llm_call",
            Level::Safe,
            false,
            "Ask a language model something that needs no tool, such as to summarize or classify a \
             text. It knows only what you write here. At most 200,000 bytes.",
            json!({
                "prompt": { "type": "string" },
                "system": { "type": "string", "description": "what it is to be" },
                "task": { "type": "string",
                    "description": "kind of work: simple (if left out), coding, review, planning" },
            }),
            &["prompt"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let question = self.question(arguments)?;
        let shown = match question.system {
            "" => format!("ask a model ({}): {}", question.task, question.prompt),
            system => format!("ask a model ({}): {system}\n\n{}", question.task, question.prompt),
        };
        Ok(Intent { action: Action::Model, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let question = self.question(arguments)?;
        host.alive()?;
        let answer = host.think(question.task, question.system, question.prompt)?;
        Ok(Output { text: cut(&answer, host.max_output()), ..Output::default() })
    }
}
