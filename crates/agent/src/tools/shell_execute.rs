//! `shell_execute`: a line for a shell.

use std::{
    fmt::Write as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    OutOfReach,
    approved::Approved,
    arguments::{Arguments, bad, spec},
    contents::key_lines,
    cut::{cut, text_of},
    paths::{Last, place},
    said::Said,
    withheld::without_keys,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
    sandbox::Attend,
};
use elophanto_base::{beneath::Kind, secrets::KeyLines};

/// Bytes of a line at most.
const MOST_OF_A_LINE: usize = 64 << 10;
/// Seconds a program may ask for; the host's patience holds in any case.
const MOST_SECONDS: u64 = 3_600;
/// Words of a line that are looked at for names of files.
const MOST_NAMED: usize = 64;
/// Bytes kept for what is said about the output.
const HEAD_BYTES: usize = 500;

/// What is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellRequest {
    /// For `sh -c`, as it is.
    pub line: String,
    /// Absolute, beneath the root.
    pub folder: PathBuf,
    pub timeout: Duration,
    /// Whether it may open connections.
    pub network: bool,
    /// Bytes of stdout, and of stderr, worth keeping.
    pub max_output: usize,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellOutcome {
    /// `None` if it was ended by a signal, or stopped.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Bytes that were not kept.
    pub stdout_missing: u64,
    pub stderr_missing: u64,
    /// Stopped as it took too long.
    pub timed_out: bool,
    /// Stopped as the user ended the run.
    pub cancelled: bool,
    /// What else there is to say, such as that it was stopped for its output.
    pub note: Option<String>,
}

/// Runs a line; tells the closure often what it says, and stops it when that says so. Errors in
/// words: it could not be started.
pub type Runner =
    Box<dyn Fn(&ShellRequest, Attend<'_>) -> Result<ShellOutcome, String> + Send + Sync>;

/// Runs programs.
pub struct ShellExecute {
    approved: Approved,
    runner: Runner,
    out_of_reach: OutOfReach,
}

impl ShellExecute {
    /// What git's history says of files that `out_of_reach` names, by absolute path, is left out.
    pub fn new(runner: Runner, out_of_reach: OutOfReach) -> Self {
        Self { approved: Approved::default(), runner, out_of_reach }
    }

    fn request(&self, arguments: &Value, host: &dyn Host) -> Result<ShellRequest, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let line = arguments.text("command")?;
        if line.trim().is_empty() {
            return Err(bad("`command` is empty"));
        }
        if line.len() > MOST_OF_A_LINE {
            return Err(bad(format!("`command` is over the limit of {MOST_OF_A_LINE} bytes")));
        }
        if line.contains('\0') {
            return Err(bad("`command` has a NUL character in it"));
        }
        let path = arguments.optional_text("folder")?.unwrap_or(".");
        let folder = place(host.root(), path, Last::Followed)?;
        if folder.kind != Some(Kind::Folder) {
            return Err(bad(format!("`{}` is no folder", folder.shown())));
        }
        let seconds = arguments.number("timeout_s", 1, MOST_SECONDS)?.map(Duration::from_secs);
        Ok(ShellRequest {
            line: line.to_owned(),
            folder: folder.absolute,
            timeout: seconds.unwrap_or(host.patience()).min(host.patience()),
            network: arguments.flag("network")?,
            max_output: host.max_output(),
        })
    }
}

/// What the effect of a line depends on.
fn state(request: &ShellRequest) -> Vec<u8> {
    let mut state = request.folder.as_os_str().as_encoded_bytes().to_vec();
    state.extend_from_slice(&[0, u8::from(request.network)]);
    state.extend_from_slice(request.line.as_bytes());
    state
}

impl Tool for ShellExecute {
    fn spec(&self) -> Spec {
        spec(
            "shell_execute",
            Level::Destructive,
            true,
            "Run one line in a POSIX shell and give back its exit code, stdout and stderr. Nobody \
             answers its prompts. It can write only inside the work tree. No network unless \
             `network` is set. For reading, searching and editing files use the file tools.",
            json!({
                "command": { "type": "string", "description": "the line" },
                "folder": { "type": "string",
                    "description": "where it runs, beneath the root; the root if left out" },
                "timeout_s": { "type": "integer", "minimum": 1, "maximum": MOST_SECONDS },
                "network": { "type": "boolean", "description": "it may open connections" },
            }),
            &["command"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let request = self.request(arguments, host)?;
        self.approved.remember(host.root(), arguments, &state(&request));
        let network = if request.network { "with network" } else { "no network" };
        // The line comes last: nothing in it can pass for what is said about it.
        let shown = format!(
            "in {}, {network}, at most {} s:\n{}",
            super::paths::shown(&request.folder),
            request.timeout.as_secs(),
            request.line
        );
        Ok(Intent {
            action: Action::Shell {
                line: request.line,
                folder: request.folder,
                network: request.network,
            },
            shown,
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let request = self.request(arguments, host)?;
        self.approved.check(host.root(), arguments, &state(&request))?;
        host.alive()?;
        let root = host.root().to_owned();
        let is_key = |path: &str| (self.out_of_reach)(&root.join(path));
        let keys = keys_of_named(&request, &root);
        let (mut stdout, mut stderr) = (Said::default(), Said::default());
        let mut attend = |out: &[u8], err: &[u8]| {
            let said = stdout.take(out, &is_key) + &stderr.take(err, &is_key);
            if !said.is_empty() {
                host.said(&keys.hide(&said));
            }
            match host.is_cancelled() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let outcome = (self.runner)(&request, &mut attend).map_err(ToolError::Failed)?;
        let rest = stdout.end(&is_key) + &stderr.end(&is_key);
        if !rest.is_empty() {
            host.said(&keys.hide(&rest));
        }
        if outcome.cancelled {
            return Err(ToolError::Cancelled);
        }
        Ok(Output {
            failed: outcome.code != Some(0) || outcome.timed_out,
            text: told(&request, &outcome, host.max_output(), &is_key, &keys),
            ..Output::default()
        })
    }
}

/// The lines of private keys in the files that a line names, of which it may show a piece (`sed -n
/// 4,9p FILE`, `git show HEAD:FILE`).
fn keys_of_named(request: &ShellRequest, root: &Path) -> KeyLines {
    let ends = |char: char| char.is_whitespace() || "'\"`;|&<>()=:,".contains(char);
    let words = request.line.split(ends).filter(|word| !word.is_empty());
    let named = words.take(MOST_NAMED).filter_map(|word| {
        let path = request.folder.join(word);
        place(root, path.to_str()?, Last::Followed).ok()
    });
    let files = named.filter(|place| place.kind == Some(Kind::File));
    files.map(|place| key_lines(root, &place.relative)).collect()
}

fn told(
    request: &ShellRequest,
    outcome: &ShellOutcome,
    max: usize,
    is_key: &dyn Fn(&str) -> bool,
    keys: &KeyLines,
) -> String {
    let mut text = match outcome.code {
        Some(code) => format!("exit code {code}\n"),
        None if outcome.timed_out => {
            format!("stopped after {} s: out of time\n", request.timeout.as_secs())
        }
        None => "ended by a signal\n".to_owned(),
    };
    if let Some(note) = &outcome.note {
        let _ = writeln!(text, "{note}");
    }
    // What one of both leaves is the other's.
    let room = max.saturating_sub(HEAD_BYTES.min(max / 4) + text.len());
    let stderr_room =
        outcome.stderr.len().min((room / 2).max(room.saturating_sub(outcome.stdout.len())));
    let shown = |bytes: &[u8]| keys.hide(&without_keys(&text_of(bytes), is_key)).into_owned();
    let (stdout, stderr) = (shown(&outcome.stdout), shown(&outcome.stderr));
    stream(&mut text, "stdout", &stdout, outcome.stdout_missing, room - stderr_room);
    stream(&mut text, "stderr", &stderr, outcome.stderr_missing, stderr_room);
    cut(&text, max)
}

fn stream(text: &mut String, name: &str, said: &str, missing: u64, room: usize) {
    if said.is_empty() && missing == 0 {
        return;
    }
    let _ = writeln!(text, "--- {name}");
    text.push_str(&cut(said, room));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if missing > 0 {
        let _ = writeln!(text, "[{missing} bytes of {name} were not kept]");
    }
}
