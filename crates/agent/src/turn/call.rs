//! One call of a tool: checked, decided, approved, made, written down.

use std::{path::PathBuf, time::Duration};

use serde_json::Value;

use super::{
    Run,
    frame::Frame,
    loops::Allowed,
    permit::Permit,
    record::{Record, SHELL, in_words},
};
use crate::{
    Effects, End, Event, Intent, Output, Tool, ToolError, Toolbox,
    clean::clean,
    permissions::{Action, Call, Level},
};
use elophanto_base::{one_line::one_line, schema};

/// Tools that call tools that call tools: at most so many.
const NESTING: usize = 8;
/// Bytes of a call's arguments.
const ARGUMENTS_CAP: usize = 4 * 1024 * 1024;
/// Names that a wrong one is answered with if none is near.
const NAMES: usize = 30;
/// Arguments that there are none of, named in one answer.
const UNKNOWN: usize = 5;

/// What is to be called.
pub(super) struct Asked<'c> {
    pub(super) tool: &'c str,
    pub(super) arguments: Value,
}

/// What came of it.
pub(super) struct Made {
    /// For the model: masked, cut, quoted if it comes from outside.
    pub(super) text: String,
    /// The same without the quote.
    pub(super) plain: String,
    pub(super) failed: bool,
    pub(super) how: How,
    /// As the tool gave it back.
    pub(super) output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Ran,
    /// There is no such tool, or it does not take these arguments.
    Wrong,
    Refused,
    Failed,
}

impl Run<'_, '_> {
    /// A call that the model asked for, unless it goes in circles.
    pub(super) fn make(&mut self, frame: &mut Frame<'_>, asked: &Asked<'_>) -> Result<Made, End> {
        let made = match frame.loops.allows(asked.tool, &asked.arguments) {
            Allowed::Yes => self.call(frame.tools, asked)?,
            Allowed::Block => {
                let text = "this call gave the same result three times, so it was not made again. \
                            Do something else, or give the final answer and say what is in the way";
                return Ok(self.unmade(asked, How::Refused, text, Record::default()));
            }
            Allowed::End => {
                let text = "the same call again and again: the run ends";
                self.unmade(asked, How::Refused, text, Record::default());
                return Err(End::Loop { tool: one_line(asked.tool, 64) });
            }
        };
        frame.calls += u32::from(made.how == How::Ran);
        let changed = !made.output.touched.is_empty() || !made.output.commits.is_empty();
        let mut made = made;
        if frame.loops.made(asked.tool, &asked.arguments, &made.text, changed) {
            made.text.push_str(
                "\n[loop] This is the third time that this call has this result. It is not made \
                 again as it is: change the approach.",
            );
            let name = one_line(asked.tool, 64);
            self.warn(format!("`{name}` gave the same result three times"));
        }
        Ok(made)
    }

    /// Any call: the one way in which tools are reached.
    pub(super) fn call(&mut self, tools: &Toolbox, asked: &Asked<'_>) -> Result<Made, End> {
        self.go_on()?;
        let wrong =
            |run: &mut Self, text: &str, record| run.unmade(asked, How::Wrong, text, record);
        let Some(tool) = tools.get(asked.tool) else {
            return Ok(wrong(self, &no_tool(tools, asked.tool), Record::default()));
        };
        let tool = &*tool;
        let spec = tool.spec();
        // What cannot even be begun was to change something all the same; a command may only look.
        let writes = spec.level >= Level::Destructive && spec.name != SHELL;
        let mut record = Record { level: spec.level.name(), writes, ..Record::default() };
        if !self.allowance.call() || self.current.len() >= NESTING {
            let text = "too many calls, or too deep in each other";
            return Ok(self.unmade(asked, How::Refused, text, record));
        }
        if let Err(text) = checked(&spec.input, &asked.arguments) {
            return Ok(wrong(self, &text, record));
        }
        self.current.push(spec.name.clone());
        let intent = tool.intent(&asked.arguments, self);
        self.current.pop();
        let Intent { action, shown } = match intent {
            Ok(intent) => intent,
            Err(error) => return self.failed(tool, asked, error, spec.is_untrusted, record),
        };
        record.action = in_words(&action);
        record.has_effect = action.writes_or_reaches();
        record.writes =
            matches!(action, Action::Write { .. } | Action::Record { .. } | Action::Commit);
        let call = Call { tool: &spec.name, level: spec.level, action };
        let permit = self.permit(&call, &shown, &asked.arguments);
        self.go_on()?;
        let Permit { verdict, approved, refusal } = permit;
        (record.verdict, record.approved) = (Some(verdict), approved);
        if let Some(text) = refusal {
            return Ok(self.unmade(asked, How::Refused, &text, record));
        }
        self.worked_on.extend(places(&call.action));
        if record.has_effect {
            self.about_to(&spec.name, &asked.arguments)?;
        }
        // Nobody looked at it, and whoever wrote the text from outside may have.
        // A server may change anything: whoever lets it does so knowing that.
        let is_unseen = record.has_effect
            && self.session.is_tainted
            && ["mode", "session"].contains(&approved)
            && !matches!(call.action, Action::Server { .. });
        if let Err(reason) = self.agent.world.before(&call.action, is_unseen) {
            let text = format!("not made: there can be no checkpoint to go back to: {reason}");
            return Ok(self.unmade(asked, How::Failed, &text, record));
        }
        let lost = if is_unseen { self.agent.world.beyond_undo() } else { Vec::new() };
        if !lost.is_empty() {
            // What the user does while they think is none of the run's.
            self.close_unmade();
            let permit = self.beyond_undo(lost, &call, &shown, &asked.arguments);
            let Permit { verdict, approved, refusal } = permit;
            (record.verdict, record.approved) = (Some(verdict), approved);
            if let Some(text) = refusal {
                return Ok(self.unmade(asked, How::Refused, &text, record));
            }
            self.go_on()?;
            if let Err(reason) = self.agent.world.before(&call.action, false) {
                let text = format!("not made: there can be no checkpoint to go back to: {reason}");
                return Ok(self.unmade(asked, How::Failed, &text, record));
            }
        }
        self.execute(tool, asked, (&call.action, &shown), record)
    }

    /// A call that was announced is not made.
    fn close_unmade(&mut self) {
        for remark in self.agent.world.after().remarks {
            self.warn(remark);
        }
    }

    fn execute(
        &mut self,
        tool: &dyn Tool,
        asked: &Asked<'_>,
        (action, shown): (&Action, &str),
        mut record: Record,
    ) -> Result<Made, End> {
        let (name, depth) = (tool.spec().name, self.depth);
        self.approver.tell(&Event::Calling { tool: &name, action, shown, depth });
        let (begun, outside) = ((self.agent.now)(), self.outside);
        self.current.push(name);
        let result = tool.execute(&asked.arguments, self);
        self.current.pop();
        record.made = true;
        record.seconds = (self.agent.now)().duration_since(begun).as_secs_f64().max(0.0);
        let Effects { changed, remarks } = self.agent.world.after();
        record.touched = changed;
        for remark in &remarks {
            self.warn(remark.clone());
        }
        // What a tool was told by others, it may pass on.
        let is_outside = tool.spec().is_untrusted || self.outside > outside;
        let mut output = match result {
            Ok(output) => with_remarks(output, &remarks),
            Err(error) => {
                return self.failed(tool, asked, error, is_outside, record);
            }
        };
        let is_outside = is_outside || output.is_untrusted;
        record.touched.extend(output.touched.iter().cloned());
        record.touched.sort();
        record.touched.dedup();
        output.touched.clone_from(&record.touched);
        self.worked_on.extend_from_slice(&record.touched);
        let (plain, text, is_outside) = self.for_model(tool, &output.text, is_outside);
        let how = How::Ran;
        let made = Made { text, plain, failed: output.failed, how, output };
        self.written(asked, &made, record);
        if is_outside {
            self.taint(&tool.spec().name);
        }
        Ok(made)
    }

    /// A tool's error, before it ran or after.
    fn failed(
        &mut self,
        tool: &dyn Tool,
        asked: &Asked<'_>,
        error: ToolError,
        is_outside: bool,
        record: Record,
    ) -> Result<Made, End> {
        let how = match &error {
            ToolError::Arguments(_) => How::Wrong,
            ToolError::Refused(_) => How::Refused,
            ToolError::Failed(_) | ToolError::Cancelled => How::Failed,
        };
        // It may repeat what it read.
        let (plain, text, is_outside) = self.for_model(tool, &error.to_string(), is_outside);
        let touched = record.touched.clone();
        let output = Output { text: error.to_string(), failed: true, touched, ..Output::default() };
        if !record.made {
            let (tool, reason, depth) = (&*one_line(asked.tool, 64), &*plain, self.depth);
            self.approver.tell(&Event::Unmade { tool, reason, depth });
        }
        let made = Made { text, plain, failed: true, how, output };
        self.written(asked, &made, record);
        if is_outside {
            self.taint(&tool.spec().name);
        }
        self.go_on()?;
        Ok(made)
    }

    /// A call that was not made, for reasons of our own.
    fn unmade(&mut self, asked: &Asked<'_>, how: How, text: &str, record: Record) -> Made {
        let text = clean(text, self.agent.settings.max_output);
        let name = one_line(asked.tool, 64);
        let depth = self.depth;
        self.approver.tell(&Event::Unmade { tool: &name, reason: &text, depth });
        let output = Output { text: text.clone(), failed: true, ..Output::default() };
        let made = Made { plain: text.clone(), text, failed: true, how, output };
        self.written(asked, &made, record);
        made
    }

    /// Text without and with its quote, and whether it comes from outside.
    fn for_model(&self, tool: &dyn Tool, text: &str, is_outside: bool) -> (String, String, bool) {
        let text = clean(text, self.agent.settings.max_output);
        if !is_outside || text.trim().is_empty() {
            return (text.clone(), text, false);
        }
        let quoted = self.quote.wrap(&format!("result of {}", tool.spec().name), &text);
        (text, quoted, true)
    }

    pub(super) fn patience_now(&self) -> Duration {
        let settings = &self.agent.settings;
        let own = self.current.last().and_then(|name| settings.patience_of.get(name));
        own.copied().unwrap_or(settings.patience)
    }
}

/// Files and folders of the work tree that a call names.
fn places(action: &Action) -> Vec<PathBuf> {
    match action {
        Action::Read { paths } | Action::Write { paths } => paths.clone(),
        Action::Shell { folder, .. } => vec![folder.clone()],
        _ => Vec::new(),
    }
}

/// The model is told too, as part of what the tool says: file names in it are from outside.
fn with_remarks(mut output: Output, remarks: &[String]) -> Output {
    if !remarks.is_empty() {
        output.is_untrusted = true;
        output.text = format!("{}\n\n{}", output.text.trim_end(), remarks.join("\n"));
    }
    output
}

fn no_tool(tools: &Toolbox, name: &str) -> String {
    let near = tools.near(name);
    let name = one_line(name, 64);
    if near.is_empty() {
        let names: Vec<_> = tools.specs().take(NAMES).map(|spec| spec.name).collect();
        let more = match tools.len().saturating_sub(names.len()) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!("there is no tool `{name}`; there are: {}{more}", names.join(", "))
    } else {
        format!("there is no tool `{name}`; near it: {}", near.join(", "))
    }
}

fn checked(input: &Value, arguments: &Value) -> Result<(), String> {
    if !arguments.is_object() {
        return Err("the arguments are no JSON object".to_owned());
    }
    // Texts alone can be large, so counting them is enough.
    if size(arguments) > ARGUMENTS_CAP {
        return Err(format!("the arguments are over the cap of {ARGUMENTS_CAP} bytes"));
    }
    schema::check(input, arguments).map_err(|reason| {
        let reason = reason.strip_prefix("the answer: ").unwrap_or(&reason);
        let unknown = unknown(input, arguments);
        match (unknown.is_empty(), reason.ends_with("is not allowed")) {
            (true, _) => format!("wrong arguments: {reason}"),
            (false, true) => format!("wrong arguments: {unknown}"),
            (false, false) => format!("wrong arguments: {reason}; {unknown}"),
        }
    })
}

/// Arguments that a tool does not have, each with the nearest that it has, and all that it has.
fn unknown(input: &Value, arguments: &Value) -> String {
    let (Some(known), Some(given)) = (input["properties"].as_object(), arguments.as_object())
    else {
        return String::new();
    };
    let is_closed = input["additionalProperties"] == false;
    let strange = given.keys().filter(|name| is_closed && !known.contains_key(*name));
    let told: Vec<String> = strange
        .take(UNKNOWN)
        .map(|name| {
            let name = one_line(name, 60);
            let near = |known: &&String| strsim::jaro_winkler(&name, known);
            let nearest = known.keys().max_by(|one, two| near(one).total_cmp(&near(two)));
            let nearest = nearest.filter(|nearest| near(nearest) >= 0.7);
            let meant = nearest.map_or(String::new(), |it| format!(", did you mean `{it}`?"));
            format!("there is no argument `{name}`{meant}")
        })
        .collect();
    if told.is_empty() {
        return String::new();
    }
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    format!("{} (it takes {})", told.join("; "), known.join(", "))
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum(),
        Value::Object(fields) => fields.iter().map(|(name, one)| name.len() + size(one) + 1).sum(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_arguments_are_named_with_what_was_meant() {
        let input = json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "from": { "type": "integer" } },
            "required": ["path"],
            "additionalProperties": false,
        });
        let takes = "(it takes path, from)";
        for (arguments, expected) in [
            (json!({ "path": "a" }), String::new()),
            (
                json!({ "pth": "a" }),
                format!(
                    "`path` is missing; there is no argument `pth`, did you mean `path`? {takes}"
                ),
            ),
            (
                json!({ "path": "a", "x": 1, "form": 2 }),
                format!(
                    "there is no argument `x`; there is no argument `form`, did you mean `from`? {takes}"
                ),
            ),
            (json!({ "path": 1 }), "/path: number instead of \"string\"".to_owned()),
        ] {
            let found = checked(&input, &arguments).err().unwrap_or_default();
            let found = found.strip_prefix("wrong arguments: ").unwrap_or(&found);
            assert_eq!(found, expected, "{arguments}");
        }
        // What may have others does not miss any.
        let open = json!({ "type": "object", "properties": { "path": {} } });
        assert_eq!(checked(&open, &json!({ "pth": 1 })), Ok(()));
    }
}
