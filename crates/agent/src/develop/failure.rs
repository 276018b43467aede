//! What is left behind when all attempts failed: a note, and a question to the user.

use std::fmt::Write as _;

use serde_json::json;

use super::{MAX_ATTEMPTS, pipeline::Run};
use crate::{Output, ToolError, plugins::cut_middle};
use elophanto_base::{one_line::one_line, secrets, visible::visible};

const MAX_REASON_BYTES: usize = 2_000;

pub(super) fn give_up(run: &mut Run<'_>, reasons: &[String]) -> Result<Output, ToolError> {
    let last = reasons.last().map_or("", String::as_str);
    let first_line = one_line(last.lines().next().unwrap_or_default(), 300);
    let noted = match run.host.call("knowledge_write", note(run, reasons, &first_line)) {
        Ok(output) if !output.failed => {
            run.touched.extend(output.touched);
            "A failure note was written.".to_owned()
        }
        Ok(output) => format!("No failure note was written: {}", one_line(&output.text, 300)),
        Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
        Err(error) => format!("No failure note was written: {error}"),
    };
    run.host.alive()?;
    let name = &run.name;
    let question = format!(
        "The plugin `{name}` could not be developed in {MAX_ATTEMPTS} attempts. The last one \
         failed:\n  | {}\nIts files are in plugins/{name} and on the branch {}. How should the agent \
         go on?",
        visible(&first_line),
        run.branch.name
    );
    let options = ["go on without it", "stop the task"].map(str::to_owned);
    let said = match run.host.ask_user(&question, &options) {
        Some(said) => {
            format!("The user was asked how to go on and said: {}", one_line(&said, 1_000))
        }
        None => "Nobody was there to say how to go on.".to_owned(),
    };
    run.host.alive()?;
    let mut text = format!(
        "The plugin `{name}` is not deployed: {MAX_ATTEMPTS} attempts failed. {noted} {said}\n\
         What was wrong:\n"
    );
    for (number, reason) in (1..).zip(reasons) {
        let _ = writeln!(text, "{number}. {}", cut_middle(reason, MAX_REASON_BYTES));
    }
    Ok(run.output(text, true))
}

/// Arguments of `knowledge_write`: a failure with the sections of its form.
fn note(run: &Run<'_>, reasons: &[String], first_line: &str) -> serde_json::Value {
    let mut text = format!(
        "## What happened\n\nThe plugin `{}` was to be developed. {MAX_ATTEMPTS} attempts failed, \
         nothing was deployed. The goal:\n\n{}\n## Root cause\n\nNot known. The last attempt \
         failed: {first_line}\n\n## Lesson learned\n\nBefore it is tried again, say what the \
         attempts below did not know.\n\n## Attempts\n",
        run.name,
        indented(&run.goal),
    );
    for (number, reason) in (1..).zip(reasons) {
        let _ = write!(text, "\n{number}. The attempt ended with:\n\n");
        text.push_str(&indented(&cut_middle(reason, MAX_REASON_BYTES)));
    }
    let title = format!("Developing the plugin {}", run.name);
    json!({
        "kind": "failure",
        "title": title,
        "text": secrets::mask(&text).0,
        "tags": ["self-development", "plugin", run.name],
    })
}

/// As a block of code, whatever it holds.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("        {line}\n")).collect()
}
