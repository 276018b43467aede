//! One call of a tool: checked, decided, approved, made, written down.

use std::time::Duration;

use serde_json::Value;

use super::{Run, facts::Did, frame::Frame, loops::Allowed, permit::Permit};
use crate::{
    agent::{
        End, Event, Intent, Output, Tool, ToolError, Toolbox,
        clean::{brief_json, clean, cut_middle},
        toolbox::level_name,
        trail::{Kind, some_commits, some_paths},
    },
    llm::schema,
    one_line::one_line,
    permissions::{Action, Call, Verdict},
};

/// Tools that call tools that call tools: at most so many.
const NESTING: usize = 8;
/// Bytes of a result, and of one text in the arguments, in a trail.
const TRAIL_CAPS: (usize, usize) = (16 * 1024, 4 * 1024);
/// Bytes of all arguments in a trail.
const TRAIL_ARGUMENTS: usize = 64 * 1024;
/// Bytes of a call's arguments.
const ARGUMENTS_CAP: usize = 4 * 1024 * 1024;
const REASONS: usize = 20;
/// Names that a wrong one is answered with if none is near.
const NAMES: usize = 30;

/// What is to be called.
pub(super) struct Asked<'c> {
    pub(super) tool: &'c str,
    pub(super) arguments: Value,
}

/// What came of it.
pub(super) struct Made {
    /// For the model: masked, cut, quoted if it comes from outside.
    pub(super) text: String,
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

/// What is known of a call when it is written down.
#[derive(Default)]
struct Record {
    level: &'static str,
    action: String,
    verdict: Option<Verdict>,
    approved: &'static str,
    made: bool,
    has_effect: bool,
    seconds: f64,
    touched: Vec<std::path::PathBuf>,
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
        let spec = tool.spec();
        let mut record = Record { level: level_name(spec.level), ..Record::default() };
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
        let call = Call { tool: &spec.name, level: spec.level, action };
        let permit = self.permit(&call, &shown, &asked.arguments);
        self.go_on()?;
        let Permit { verdict, approved, refusal } = permit;
        (record.verdict, record.approved) = (Some(verdict), approved);
        if let Some(text) = refusal {
            return Ok(self.unmade(asked, How::Refused, &text, record));
        }
        if record.has_effect {
            let arguments = arguments_for_trail(&asked.arguments);
            self.note(Kind::Calling { tool: spec.name.clone(), arguments });
            self.flush()?;
        }
        if let Err(reason) = self.agent.world.before(&call.action) {
            let text = format!("not made: there can be no checkpoint to go back to: {reason}");
            return Ok(self.unmade(asked, How::Failed, &text, record));
        }
        self.execute(tool, asked, &shown, record)
    }

    fn execute(
        &mut self,
        tool: &dyn Tool,
        asked: &Asked<'_>,
        shown: &str,
        mut record: Record,
    ) -> Result<Made, End> {
        let (name, depth) = (tool.spec().name.clone(), self.depth);
        self.approver.tell(&Event::Calling { tool: &name, shown, depth });
        let (begun, outside) = ((self.agent.now)(), self.outside);
        self.current.push(name);
        let result = tool.execute(&asked.arguments, self);
        self.current.pop();
        record.made = true;
        record.seconds = (self.agent.now)().duration_since(begun).as_secs_f64().max(0.0);
        record.touched = self.agent.world.after();
        // What a tool was told by others, it may pass on.
        let is_outside = tool.spec().is_untrusted || self.outside > outside;
        let mut output = match result {
            Ok(output) => output,
            Err(error) => {
                return self.failed(tool, asked, error, is_outside, record);
            }
        };
        record.touched.extend(output.touched.iter().cloned());
        record.touched.sort();
        record.touched.dedup();
        output.touched.clone_from(&record.touched);
        let text = self.for_model(tool, &output.text, is_outside);
        let how = How::Ran;
        let made = Made { text, failed: output.failed, how, output };
        self.written(asked, &made, record);
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
        let text = self.for_model(tool, &error.to_string(), is_outside);
        let touched = record.touched.clone();
        let output = Output { text: error.to_string(), failed: true, touched, ..Output::default() };
        let made = Made { text, failed: true, how, output };
        self.written(asked, &made, record);
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
        let made = Made { text, failed: true, how, output };
        self.written(asked, &made, record);
        made
    }

    fn for_model(&mut self, tool: &dyn Tool, text: &str, is_outside: bool) -> String {
        let text = clean(text, self.agent.settings.max_output);
        if !is_outside || text.trim().is_empty() {
            return text;
        }
        let name = &tool.spec().name;
        self.taint(name);
        self.quote.wrap(&format!("result of {name}"), &text)
    }

    /// Into the trail and the facts.
    fn written(&mut self, asked: &Asked<'_>, made: &Made, record: Record) {
        let name = one_line(asked.tool, 64);
        let Made { failed, how, output, .. } = made;
        let (decision, layer, reasons) = match &record.verdict {
            Some(Verdict { decision, layer, reasons, .. }) => (
                format!("{decision:?}").to_lowercase(),
                format!("{layer:?}").to_lowercase(),
                reasons,
            ),
            None => (String::new(), String::new(), &Vec::new()),
        };
        let result = clean(&output.text, TRAIL_CAPS.0);
        if record.made {
            let (text, depth, seconds) = (result.as_str(), self.depth, record.seconds);
            let (tool, failed) = (name.as_str(), *failed);
            self.approver.tell(&Event::Called { tool, failed, text, seconds, depth });
        }
        self.facts.take(&record.touched, &output.commits);
        self.facts.push(Did {
            line: did_line(&name, &asked.arguments, made, &result),
            failed: *failed,
            has_effect: record.has_effect && record.made,
        });
        self.note(Kind::Call {
            tool: name,
            arguments: arguments_for_trail(&asked.arguments),
            level: record.level.to_owned(),
            action: record.action,
            decision,
            layer,
            reasons: reasons.iter().take(REASONS).map(|reason| clean(reason, 1_000)).collect(),
            approved: record.approved.to_owned(),
            made: record.made,
            failed: *failed || *how != How::Ran,
            result,
            seconds: record.seconds,
            touched: some_paths(&record.touched),
            commits: some_commits(&output.commits),
        });
    }

    /// What happens must be written down before more does.
    pub(super) fn flush(&mut self) -> Result<(), End> {
        self.trail.flush().map_err(|error| End::Trail { message: error.to_string() })
    }

    pub(super) fn patience_now(&self) -> Duration {
        let settings = &self.agent.settings;
        let own = self.current.last().and_then(|name| settings.patience_of.get(name));
        own.copied().unwrap_or(settings.patience)
    }
}

fn no_tool(tools: &Toolbox, name: &str) -> String {
    let near = tools.near(name);
    let name = one_line(name, 64);
    if near.is_empty() {
        let names: Vec<_> = tools.specs().take(NAMES).map(|spec| spec.name.as_str()).collect();
        format!("there is no tool `{name}`; there are: {}", names.join(", "))
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
        format!("wrong arguments: {reason}")
    })
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum(),
        Value::Object(fields) => fields.iter().map(|(name, one)| name.len() + size(one) + 1).sum(),
        _ => 8,
    }
}

fn arguments_for_trail(arguments: &Value) -> Value {
    brief_json(arguments, TRAIL_CAPS.1, TRAIL_ARGUMENTS)
}

fn did_line(name: &str, arguments: &Value, made: &Made, result: &str) -> String {
    let arguments = one_line(&brief_json(arguments, 80, 400).to_string(), 160);
    let how = match (made.how, made.failed) {
        (How::Ran, false) => "ok".to_owned(),
        (How::Ran | How::Failed, _) => {
            format!("failed: {}", one_line(&cut_middle(result, 400), 160))
        }
        (How::Wrong, _) => "wrong call".to_owned(),
        (How::Refused, _) => "not allowed".to_owned(),
    };
    format!("{name} {arguments}: {how}")
}

/// An action in words, for trails.
fn in_words(action: &Action) -> String {
    let paths = |paths: &[std::path::PathBuf]| {
        let shown = paths.iter().take(20).map(|path| path.display().to_string());
        clean(&shown.collect::<Vec<_>>().join(", "), 2_000)
    };
    match action {
        Action::Look => "looks".to_owned(),
        Action::Read { paths: read } => format!("reads {}", paths(read)),
        Action::Write { paths: written } => format!("writes {}", paths(written)),
        Action::Shell { line, folder } => {
            format!("runs in {}: {}", folder.display(), clean(line, 4_000))
        }
        Action::Reach { host } => format!("reaches {}", one_line(host, 300)),
        Action::Model => "asks a model".to_owned(),
        Action::Record => "records".to_owned(),
        Action::Commit => "commits".to_owned(),
        Action::Program { name } => format!("runs the program {}", one_line(name, 100)),
        Action::Develop => "develops".to_owned(),
        Action::AskUser => "asks the user".to_owned(),
    }
}
