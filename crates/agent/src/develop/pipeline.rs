//! The stages in their order.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{
    Branch, Ended, Event, MAX_ATTEMPTS, MAX_DESIGN_BYTES, Parts, Stage, State,
    attempt::attempt,
    deploy, failure,
    prompts::{self, DESIGNER, Known},
};
use crate::{
    Host, Output, ToolError,
    plugins::{MAX_PAGE_BYTES, cut_middle, text_at, upsert},
};
use elophanto_base::{one_line::one_line, secrets};

/// Characters of an event's detail.
const MAX_DETAIL_CHARS: usize = 1_000;
/// Bytes of what research is taken into account.
const MAX_RESEARCH_BYTES: usize = 24 << 10;

/// The work on one plugin.
pub(super) struct Run<'a> {
    pub parts: &'a Parts,
    pub host: &'a mut dyn Host,
    pub name: String,
    pub goal: String,
    pub branch: Branch,
    pub attempt: usize,
    /// The stage that has begun and not ended.
    pub open: Option<Stage>,
    pub touched: Vec<PathBuf>,
    pub commits: Vec<String>,
}

impl Run<'_> {
    /// # Errors
    /// When the user has ended the run.
    pub fn begin(&mut self, stage: Stage, detail: &str) -> Result<(), ToolError> {
        self.host.alive()?;
        self.event(stage, State::Begun, detail);
        Ok(())
    }

    pub fn done(&mut self, stage: Stage, detail: &str) {
        self.event(stage, State::Done, detail);
    }

    /// Gives the reason back.
    pub fn failed(&mut self, stage: Stage, reason: String) -> String {
        self.event(stage, State::Failed, &reason);
        reason
    }

    fn event(&mut self, stage: Stage, state: State, detail: &str) {
        self.open = (state == State::Begun).then_some(stage);
        let detail = one_line(&secrets::mask(detail).0, MAX_DETAIL_CHARS);
        let (plugin, attempt) = (self.name.clone(), self.attempt);
        (self.parts.events)(&Event { plugin, stage, attempt, state, detail }, self.host);
    }

    /// # Errors
    /// When git can't: what was not committed would be lost with the next attempt.
    pub fn commit(&mut self, paths: &[PathBuf], message: &str) -> Result<(), ToolError> {
        let made = self.parts.branching.commit(&self.branch, paths, message);
        self.commits.extend(made.map_err(ToolError::Failed)?);
        Ok(())
    }

    /// Writes a note of ours.
    pub fn write(&mut self, path: &Path, text: &str) -> Result<(), String> {
        (self.parts.write)(path, text)?;
        self.touched.push(path.to_owned());
        Ok(())
    }

    /// The result, with what was done on the way.
    pub fn output(&mut self, text: String, failed: bool) -> Output {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort();
        touched.dedup();
        let text = cut_middle(&text, self.host.max_output());
        let commits = std::mem::take(&mut self.commits);
        Output { text, failed, touched, commits, ..Output::default() }
    }
}

/// All stages; the branch is finished however they end.
pub(super) fn develop(
    parts: &Parts,
    host: &mut dyn Host,
    name: String,
    goal: String,
) -> Result<Output, ToolError> {
    let branch = parts.branching.begin(&name).map_err(ToolError::Failed)?;
    let (touched, commits) = (Vec::new(), Vec::new());
    let mut run = Run { parts, host, name, goal, branch, attempt: 0, open: None, touched, commits };
    let (result, ended) = match stages(&mut run) {
        Ok((output, ended)) => (Ok(output), ended),
        Err(ToolError::Cancelled) => (Err(ToolError::Cancelled), Ended::Cancelled),
        Err(error) => (Err(error), Ended::Failed),
    };
    if let (Err(error), Some(stage)) = (&result, run.open) {
        run.failed(stage, error.to_string());
    }
    let finished = parts.branching.finish(&run.branch, ended);
    match (result, finished) {
        (Ok(mut output), Err(reason)) => {
            output.text.push_str(&format!("\nThe branch could not be finished: {reason}"));
            Ok(output)
        }
        (result, _) => result,
    }
}

fn stages(run: &mut Run<'_>) -> Result<(Output, Ended), ToolError> {
    let (research, conventions) = research(run)?;
    let (name, goal, nonce) = (run.name.clone(), run.goal.clone(), (run.parts.nonce)());
    let known = Known {
        nonce: &nonce,
        name: &name,
        goal: &goal,
        research: &research,
        conventions: &conventions,
        design: "",
    };
    let design = design(run, &known)?;
    let known = Known { design: &design, ..known };
    let mut reasons = Vec::new();
    for number in 1..=MAX_ATTEMPTS {
        run.attempt = number;
        match attempt(run, &known, &reasons)? {
            Ok(ready) => {
                run.attempt = 0;
                return deploy::deploy(run, &ready);
            }
            Err(reason) => reasons.push(reason),
        }
    }
    run.attempt = 0;
    let output = failure::give_up(run, &reasons)?;
    Ok((output, Ended::Failed))
}

/// What the knowledge base has about the goal, and the project's conventions. Work goes on without
/// what can't be had.
fn research(run: &mut Run<'_>) -> Result<(String, String), ToolError> {
    run.begin(Stage::Research, "")?;
    let conventions = run.parts.write_root.join("system/conventions.md");
    let mut found = [String::new(), String::new()];
    let mut missing = Vec::new();
    let calls = [
        ("knowledge_search", json!({"query": run.goal})),
        ("file_read", json!({"path": conventions})),
    ];
    for (text, (tool, arguments)) in found.iter_mut().zip(calls) {
        match run.host.call(tool, arguments) {
            Ok(output) if !output.failed => *text = cut_middle(&output.text, MAX_RESEARCH_BYTES),
            Ok(output) => missing.push(format!("{tool}: {}", one_line(&output.text, 200))),
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => missing.push(format!("{tool}: {error}")),
        }
        run.host.alive()?;
    }
    if missing.is_empty() {
        run.done(Stage::Research, "");
    } else {
        run.failed(Stage::Research, missing.join("; "));
    }
    let [research, conventions] = found;
    Ok((research, conventions))
}

/// The design, which is also a note. Its words are a model's, so its scope is `learned`.
fn design(run: &mut Run<'_>, known: &Known<'_>) -> Result<String, ToolError> {
    run.begin(Stage::Design, "")?;
    let said = run.host.think("planning", &prompts::system(DESIGNER), &prompts::design(known))?;
    run.host.alive()?;
    if said.trim().is_empty() {
        let reason = "the model gave no design".to_owned();
        return Err(ToolError::Failed(run.failed(Stage::Design, reason)));
    }
    let design = cut_middle(said.trim(), MAX_DESIGN_BYTES);
    let path = design_page(&run.parts.write_root, &run.name);
    write_design(run, &path, &design)
        .map_err(|reason| ToolError::Failed(run.failed(Stage::Design, reason)))?;
    run.commit(std::slice::from_ref(&path), &format!("plugins/{}: design", run.name))?;
    run.done(Stage::Design, &path.display().to_string());
    Ok(design)
}

fn write_design(run: &mut Run<'_>, path: &Path, design: &str) -> Result<(), String> {
    let existing = text_at(run.host.root(), path, MAX_PAGE_BYTES).map_err(|it| it.to_string())?;
    let page = design_note(run, design, existing.as_deref())
        .map_err(|cause| format!("`{}`: {cause}", path.display()))?;
    page.map_or(Ok(()), |page| run.write(path, &page))
}

/// Where the design of a plugin lies, relative to the root.
fn design_page(write_root: &Path, name: &str) -> PathBuf {
    let write_root = write_root.strip_prefix(".").unwrap_or(write_root);
    write_root.join("system/designs").join(format!("plugin-{}.md", name.replace('_', "-")))
}

fn design_note(
    run: &Run<'_>,
    design: &str,
    existing: Option<&str>,
) -> Result<Option<String>, crate::plugins::BlockError> {
    let now = (run.parts.now)();
    let now = jiff::Timestamp::from_second(now.as_second()).unwrap_or(now);
    let name = &run.name;
    let front = format!(
        "---\ntitle: \"Design of the plugin {name}\"\ncreated: {now}\nupdated: {now}\n\
         tags: [design, plugin, {name}]\nscope: learned\ncovers: [plugins/{name}]\n---\n\n\
         # Design of the plugin {name}\n"
    );
    let goal: String = run.goal.lines().map(|line| format!("> {line}\n")).collect();
    let body = format!("## Goal\n\n{goal}\n{design}");
    let page = existing.filter(|page| !page.trim().is_empty()).unwrap_or(&front);
    upsert(page, "design", &secrets::mask(&body).0)
}
