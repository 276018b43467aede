//! One call of a tool from the request to the result: arguments checked, progress told, the answer
//! cut to its budget.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResult, ContentBlock, ProgressNotificationParam,
        ProgressToken,
    },
    service::{Peer, RequestContext},
};
use serde_json::{Value, json};

use super::{
    Call, Reply, Shared, Tool,
    arguments::schemas,
    budget::{self, Count, Fitted},
    call::{Progress, Step},
    check,
    tool::TOKENS,
};
use elophanto_base::{one_line::one_line, schema, visible::escape_control_line};

/// A client that does not take a notice within this time is told no more of its call.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result of a call. What the agent can repair is a result too, one that says it is an error.
///
/// # Errors
/// There is no such tool.
pub async fn call(
    shared: &Arc<Shared>,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let tool = Tool::named(&request.name).filter(|tool| shared.operations.tools.contains(tool));
    let tool = tool.ok_or_else(|| unknown_tool(&request.name, shared.operations.tools))?;
    let count = shared.operations.count_tokens;
    let arguments = match check::check(tool, &request.arguments.unwrap_or_default()) {
        Ok(arguments) => arguments,
        Err(faults) => return Ok(fault(&faults, TOKENS, count)),
    };
    let max = Tool::max_tokens(&arguments);
    let (progress, mut steps) = Progress::channel();
    let mut listener = context.meta.get_progress_token();
    let call = Call {
        token: context.ct.child_token(),
        max_tokens: max,
        client: context.client_info().map(|client| one_line(&client.name, 100)),
        progress: listener.is_some().then(|| Arc::new(progress)),
    };
    let operations = Arc::clone(shared);
    let mut running = std::pin::pin!(shared.gate.run(call.token.clone(), move || {
        let reply = (operations.operations.call)(tool, &arguments, &call);
        answer(tool, reply, max, count)
    }));
    let result = loop {
        tokio::select! {
            biased;
            result = &mut running => break result,
            Some(step) = steps.recv() => listener = tell(&context.peer, listener, step).await,
        }
    };
    Ok(result.unwrap_or_else(|denied| fault(&denied.to_string(), max, count)))
}

/// What the client gets of a reply, within the budget.
fn answer(tool: Tool, reply: Reply, max: usize, count: Count) -> CallToolResult {
    let (text, items, structured) = match reply.shown() {
        Reply::Found { text, items, structured } => (text, items, structured),
        Reply::Refused { reason, hint } => {
            let hint = hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
            return fault(&format!("{reason}{hint}"), max, count);
        }
    };
    let form = &schemas(tool).output;
    let misfit = structured.is_object().then(|| schema::check(form, &structured).err()).flatten();
    let is_quoted = tool.quotes(&structured);
    let (None, Value::Object(structured)) = (&misfit, structured) else {
        let tool = tool.name();
        let place = misfit.as_deref().unwrap_or("it is no object");
        return fault(&format!("`{tool}` gave an answer of another form: {place}"), max, count);
    };
    let text = text + &items.concat();
    let is_quoted = is_quoted && !text.is_empty();
    let Fitted { object, left } = budget::structured(structured, form, max, count);
    // Some clients hand on the one, some the other: what one tells, the other has, but for the first item, of
    // which there is always something.
    let left: usize = items.iter().skip(1).rev().take(left).map(String::len).sum();
    let text = budget::text(&text, is_quoted, text.len() - left, max, count);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(Value::Object(object));
    result
}

fn fault(text: &str, max: usize, count: Count) -> CallToolResult {
    let text = budget::text(text, false, text.len(), max, count);
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Sends one step to the client. Returns whom to send the next one to: nobody, if this one could
/// not be sent.
async fn tell(
    peer: &Peer<RoleServer>,
    listener: Option<ProgressToken>,
    step: Step,
) -> Option<ProgressToken> {
    let token = listener?;
    let mut notice = ProgressNotificationParam::new(token.clone(), step.done as f64);
    notice.total = Some(step.all as f64);
    notice.message = Some(escape_control_line(&step.message)).filter(|message| !message.is_empty());
    let sent = tokio::time::timeout(PATIENCE, peer.notify_progress(notice)).await;
    matches!(sent, Ok(Ok(()))).then_some(token)
}

fn unknown_tool(name: &str, tools: &[Tool]) -> ErrorData {
    let close = check::closest_tool(name, tools).map(|close| format!("; did you mean `{close}`?"));
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    let data = json!({ "tools": names });
    let name = escape_control_line(&one_line(name, 60));
    let message = format!("there is no tool `{name}`{}", close.unwrap_or_default());
    ErrorData::invalid_params(message, Some(data))
}
