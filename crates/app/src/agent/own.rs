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
use crate::{Error, Reporter, Result};
use elophanto_agent::{
    Approver, Attachment, Effects, Event, Host, Intent, Output, Session, Tool, ToolError, World,
    permissions::{Action, Call, Decision},
    tools::part_shown,
};
use elophanto_base::{secrets::mask, visible::escape_control_line};

/// Bytes of a result.
const MOST_OUTPUT: usize = 16 * 1024;
/// The same of a file that the user names: less than what is kept of what they add.
const MOST_FILE: usize = 40 * 1024;
pub(super) const READS: &str = "file_read";
const RUNS: &str = "shell_execute";

/// A file beside what the user says.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// What goes along: its text or the picture.
    pub given: Attachment,
    /// Without lines.
    pub path: String,
    /// First line, last line, and how many there are, if not all that was asked for is there.
    pub part: Option<(usize, usize, usize)>,
}

/// What came of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// What it said, for the conversation.
    pub given: Attachment,
    /// Its id, by which it is taken back.
    pub run: String,
    /// Relative to the root.
    pub changed: Vec<PathBuf>,
}

impl Prepared<'_> {
    /// Whether this, as it was typed, names a file of the work tree, or lines of one: `a.rs`,
    /// `a.rs:10-40`.
    pub fn is_file(&self, named: &str) -> bool {
        self.is_path(named) || in_file(named).is_some_and(|(path, ..)| self.is_path(path))
    }

    fn is_path(&self, path: &str) -> bool {
        let path = Path::new(path);
        let is_beneath = path.is_relative()
            && path.components().all(|part| {
                matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
            });
        is_beneath && self.workspace.repository.root.join(path).is_file()
    }

    /// A file of the work tree, or lines of it, as the agent would be given it; a picture is shown to the
    /// model, and may lie elsewhere.
    ///
    /// # Errors
    /// When no tool may read it, or it cannot be read.
    pub fn file(&self, named: &str, session: &Session) -> Result<Named> {
        if self.is_image(named) {
            let given = Attachment::Image(self.image(Path::new(named), session)?);
            return Ok(Named { given, path: named.to_owned(), part: None });
        }
        let lines = if self.is_path(named) { None } else { in_file(named) };
        if let Some((path, from, Some(to))) = lines
            && to < from
        {
            let shown = escape_control_line(path);
            return Err(Error::new(format_args!(
                "there are no lines {from}-{to} of `{shown}`: the last comes before the first"
            ))
            .hint(format!("`{shown}:{to}-{from}` names them")));
        }
        let arguments = match lines {
            None => json!({ "path": named }),
            Some((path, from, None)) => json!({ "path": path, "from": from }),
            Some((path, from, Some(to))) => json!({ "path": path, "from": from, "to": to }),
        };
        let (tool, mut host) = (self.tool(READS)?, User::of(self, None));
        host.max_output = MOST_FILE;
        let Intent { action, .. } = tool.intent(&arguments, &host).map_err(failed)?;
        self.allows(READS, &*tool, action, session.is_tainted)?;
        let Output { text, .. } = tool.execute(&arguments, &mut host).map_err(failed)?;
        let part = part_shown(&text);
        let path = lines.map_or(named, |(path, ..)| path).to_owned();
        let given = Attachment::Text { origin: format!("the file `{named}`"), text };
        Ok(Named { given, path, part })
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
    ) -> Result<Ran> {
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
        self.cancelled.store(false, Ordering::Relaxed);
        // Whoever is told may want it to end.
        approver.tell(&Event::Calling { tool: RUNS, action: &action, shown: &shown, depth: 0 });
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
        let given = Attachment::Text { origin, text: format!("$ {line}\n{text}") };
        Ok(Ran { given, run: run.to_string(), changed })
    }

    pub(super) fn tool(&self, name: &str) -> Result<std::sync::Arc<dyn Tool>> {
        self.tools.get(name).ok_or_else(|| Error::new(format_args!("there is no tool `{name}`")))
    }

    /// What only asks, the user has asked for.
    pub(super) fn allows(
        &self,
        name: &str,
        tool: &dyn Tool,
        action: Action,
        is_tainted: bool,
    ) -> Result<()> {
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

/// Path, first and last line of `PATH:10-40`, `PATH:10-` (to the end) or `PATH:10`.
fn in_file(named: &str) -> Option<(&str, usize, Option<usize>)> {
    let (path, lines) = named.rsplit_once(':')?;
    let (from, to) = match lines.split_once('-') {
        None => (lines.parse().ok()?, Some(lines.parse().ok()?)),
        Some((from, "")) => (from.parse().ok()?, None),
        Some((from, to)) => (from.parse().ok()?, Some(to.parse().ok()?)),
    };
    Some((path, from, to))
}

fn failed(error: ToolError) -> Error {
    Error::new(error)
}

/// The user at the place of a run.
struct User<'u> {
    root: &'u Path,
    patience: Duration,
    cancelled: &'u AtomicBool,
    /// Bytes of a result.
    max_output: usize,
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
            max_output: MOST_OUTPUT,
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
        self.max_output
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_file() {
        for (named, expected) in [
            ("a.rs", None),
            ("a.rs:10-40", Some(("a.rs", 10, Some(40)))),
            ("a.rs:10-", Some(("a.rs", 10, None))),
            ("a.rs:10", Some(("a.rs", 10, Some(10)))),
            ("a:b:7", Some(("a:b", 7, Some(7)))),
            ("a.rs:", None),
            ("a.rs:x", None),
            ("a.rs:1-2-3", None),
            ("https://example.org", None),
        ] {
            assert_eq!(in_file(named), expected, "{named}");
        }
    }
}
