//! What the user does in a conversation themself: a file put beside what they say, a line of a shell.
//!
//! Both go through the tools of the agent, so that what no tool reads or changes stays out of reach
//! and what a line changes can be taken back. The user asked for it, so nobody else is asked.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use ulid::Ulid;

use super::{Prepared, world::Surroundings};
use crate::{Error, Reporter};
use elophanto_agent::{
    Approver, Effects, Event, Given, Host, Intent, Output, Session, Tool, ToolError, World,
    permissions::{Action, Call, Decision},
};
use elophanto_base::{secrets::mask, visible::escape_control_line};

/// Bytes of a result.
const MOST_OUTPUT: usize = 16 * 1024;
pub(super) const READS: &str = "file_read";
const RUNS: &str = "shell_execute";

/// What came of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// What it said, for the conversation.
    pub given: Given,
    /// Its id, by which it is taken back.
    pub run: String,
    /// Relative to the root.
    pub changed: Vec<PathBuf>,
}

impl Prepared<'_> {
    /// Whether a path, as it was typed, names a file of the work tree.
    pub fn is_file(&self, path: &str) -> bool {
        let path = Path::new(path);
        let is_beneath = path.is_relative()
            && path.components().all(|part| {
                matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
            });
        is_beneath && self.workspace.repository.root.join(path).is_file()
    }

    /// A file of the work tree, as the agent would be given it; a picture is shown to the model, and may
    /// lie elsewhere.
    ///
    /// # Errors
    /// When no tool may read it, or it cannot be read.
    pub fn file(&self, path: &str, session: &Session) -> Result<Given, Error> {
        if self.is_image(path) {
            return Ok(Given::Image(self.image(Path::new(path), session)?));
        }
        let arguments = json!({ "path": path });
        let (tool, mut host) = (self.tool(READS)?, User::of(self, None));
        let Intent { action, .. } = tool.intent(&arguments, &host).map_err(failed)?;
        self.allows(READS, &*tool, action, session.is_tainted)?;
        let Output { text, .. } = tool.execute(&arguments, &mut host).map_err(failed)?;
        Ok(Given::Text { origin: format!("the file `{path}`"), text })
    }

    /// Runs a line in the sandbox, as a command of the agent runs; `approver` is told what happens.
    ///
    /// # Errors
    /// When it is not allowed to anybody here, or cannot be started.
    pub fn command(
        &self,
        line: &str,
        session: &Session,
        approver: &mut dyn Approver,
    ) -> Result<Ran, Error> {
        let tell: &dyn Reporter = &*self.reporter;
        self.workspace.put_aside_of_killed().iter().for_each(|line| tell.warn(line));
        let arguments = json!({ "command": line });
        let tool = self.tool(RUNS)?;
        let Intent { action, shown } =
            tool.intent(&arguments, &User::of(self, None)).map_err(failed)?;
        self.allows(RUNS, &*tool, action.clone(), session.is_tainted)?;
        let mut world = Surroundings::new(self, &[], None);
        let run = Ulid::new();
        world.begun(run);
        if let Err(reason) = world.before(&action, false) {
            // What was begun is ended, so that nothing takes it for cut off.
            let _ = world.finish();
            return Err(Error::new(format_args!(
                "not run: there can be no checkpoint to go back to: {reason}"
            )));
        }
        approver.tell(&Event::Calling { tool: RUNS, action: &action, shown: &shown, depth: 0 });
        self.cancelled.store(false, Ordering::Relaxed);
        let begun = Instant::now();
        let result = tool.execute(&arguments, &mut User::of(self, Some(&mut *approver)));
        self.cancelled.store(true, Ordering::Relaxed);
        let seconds = begun.elapsed().as_secs_f64();
        let Effects { changed, remarks } = world.after();
        for remark in &remarks {
            approver.tell(&Event::Warning(remark));
        }
        let uncovered = world.uncovered();
        let sealed = world.finish();
        for warning in uncovered.iter().chain(&world.warnings) {
            approver.tell(&Event::Warning(warning));
        }
        let (failed, text) = match result {
            Ok(output) => (output.failed, mask(&output.text).0.into_owned()),
            Err(error) => (true, error.to_string()),
        };
        approver.tell(&Event::Called { tool: RUNS, failed, text: &text, seconds, depth: 0 });
        if let Err(error) = sealed {
            tell.warn(error.message());
        }
        let origin = "what the command said that the user ran".to_owned();
        let given = Given::Text { origin, text: format!("$ {line}\n{text}") };
        Ok(Ran { given, run: run.to_string(), changed })
    }

    pub(super) fn tool(&self, name: &str) -> Result<std::sync::Arc<dyn Tool>, Error> {
        self.tools.get(name).ok_or_else(|| Error::new(format_args!("there is no tool `{name}`")))
    }

    /// What only asks, the user has asked for.
    pub(super) fn allows(
        &self,
        name: &str,
        tool: &dyn Tool,
        action: Action,
        is_tainted: bool,
    ) -> Result<(), Error> {
        let call = Call { tool: name, level: tool.spec().level, action };
        let is_fenced = self.fencing.is_there();
        let verdict = self.rights.borrow().decide(&call, is_tainted, true, is_fenced);
        match verdict.decision {
            Decision::Deny => Err(Error::new(format_args!(
                "not allowed: {}",
                escape_control_line(&verdict.reasons.join("; "))
            ))),
            Decision::Allow | Decision::Ask => Ok(()),
        }
    }
}

fn failed(error: ToolError) -> Error {
    Error::new(error)
}

/// The user at the place of a run.
struct User<'u> {
    root: &'u Path,
    patience: Duration,
    cancelled: &'u AtomicBool,
    /// Who is told what a program says.
    told: Option<&'u mut dyn Approver>,
}

impl<'u> User<'u> {
    fn of(prepared: &'u Prepared<'_>, told: Option<&'u mut dyn Approver>) -> Self {
        let workspace = prepared.workspace;
        Self {
            root: &workspace.repository.root,
            patience: workspace.config.agent.tool_timeout,
            cancelled: &prepared.cancelled,
            told,
        }
    }
}

const ALONE: &str = "there is no run that this is part of";

impl Host for User<'_> {
    fn root(&self) -> &Path {
        self.root
    }

    fn is_cancelled(&self) -> bool {
        // Set while none runs.
        self.told.is_some() && self.cancelled.load(Ordering::Relaxed)
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn max_output(&self) -> usize {
        MOST_OUTPUT
    }

    fn ask_user(&mut self, _: &str, _: &[String]) -> Option<String> {
        None
    }

    fn think(&mut self, _: &str, _: &str, _: &str) -> Result<String, ToolError> {
        Err(ToolError::Refused(ALONE.to_owned()))
    }

    fn call(&mut self, _: &str, _: Value) -> Result<Output, ToolError> {
        Err(ToolError::Refused(ALONE.to_owned()))
    }

    fn said(&mut self, text: &str) {
        if let Some(told) = &mut self.told {
            told.tell(&Event::Output { tool: RUNS, text: &mask(text).0, depth: 0 });
        }
    }

    fn sub_task(&mut self, _: &str, _: &[&str]) -> Result<String, ToolError> {
        Err(ToolError::Refused(ALONE.to_owned()))
    }
}
