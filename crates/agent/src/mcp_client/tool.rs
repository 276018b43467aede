//! A tool of a server behind the interface of all tools.

use std::{sync::Arc, time::Duration};

use rmcp::model::JsonObject;
use serde_json::Value;

use super::{answer, offer::Named, server::Server, session::CallError};
use crate::{Host, Intent, Output, Spec, Tool, ToolError, permissions::Action};
use elophanto_base::one_line::one_line;

/// Bytes of the arguments of one call.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;
/// Time for a server to say what it offers now.
const LIST: Duration = Duration::from_secs(10);

struct ServerTool {
    server: Arc<Server>,
    tool: Named,
}

pub(super) fn boxed(server: Arc<Server>, tool: Named) -> Box<dyn Tool> {
    Box::new(ServerTool { server, tool })
}

impl Tool for ServerTool {
    fn spec(&self) -> Spec {
        self.tool.spec.clone()
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let arguments = object(arguments)?;
        let text = serde_json::to_string_pretty(&arguments)
            .map_err(|cause| ToolError::Arguments(cause.to_string()))?;
        let Server { name, place, runs, .. } = &*self.server;
        let digest = blake3::hash(format!("{runs}\n{}", self.tool.hash).as_bytes()).to_hex();
        Ok(Intent {
            action: Action::Server { name: name.clone(), digest: digest.to_string() },
            shown: format!(
                "server `{name}` ({place})\ncalls `{}` with\n{text}",
                self.tool.own_name
            ),
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let arguments = object(arguments)?;
        host.alive()?;
        let (server, tool) = (&*self.server, &self.tool);
        let patience = host.patience();
        let failed = |cause| match cause {
            CallError::Arguments(why) => {
                ToolError::Arguments(one_line(&server.without_token(&why), 2_000))
            }
            CallError::Cancelled => ToolError::Cancelled,
            CallError::Failed(why) => server.failed(&one_line(&server.without_token(&why), 2_000)),
            CallError::TooSlow => {
                server.failed(&format!("no answer within {} s", patience.as_secs_f32()))
            }
            CallError::Gone => server.failed(&server.last_words()),
        };
        let is_cancelled = || host.is_cancelled();
        let (own_name, hash) = (&tool.own_name, &tool.hash);
        let is_offered = server
            .still_offers(own_name, hash, patience.min(LIST), &is_cancelled)
            .map_err(failed)?;
        if !is_offered {
            return Err(ToolError::Refused(format!(
                "server `{}` changed or withdrew `{}` after it was started: it has to be started again",
                server.name, tool.spec.name
            )));
        }
        let result = server.call(own_name, arguments, patience, &is_cancelled).map_err(failed)?;
        Ok(answer::output(&result, host.max_output(), |text| server.without_token(text)))
    }
}

fn object(arguments: &Value) -> Result<JsonObject, ToolError> {
    let wrong = |why: &str| Err(ToolError::Arguments(why.to_owned()));
    match arguments {
        Value::Object(map) if arguments.to_string().len() <= MAX_ARGUMENT_BYTES => Ok(map.clone()),
        Value::Object(_) => wrong("the arguments have more than 1,048,576 bytes"),
        Value::Null => Ok(JsonObject::new()),
        _ => wrong("the arguments are no object"),
    }
}
