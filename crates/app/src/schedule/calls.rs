//! What `systemctl` and `crontab` are asked, and what their answers mean.

use std::{fmt, io, process::Output};

use super::{MAX_FILE_BYTES, ScheduleError};

/// Most characters of what a program said that an error repeats.
const MAX_SAID: usize = 400;

/// A program that is to be run: without a shell, with a time limit, in the locale `C`, and with
/// the user's environment, by which `systemctl` finds the user's systemd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `systemctl` or `crontab`.
    pub program: &'static str,
    /// Without the program's name.
    pub arguments: Vec<String>,
    /// What it reads on its standard input.
    pub input: Vec<u8>,
}

/// As it would be typed.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program, self.arguments.join(" "))
    }
}

/// Runs a program and waits for it.
pub(super) type Run<'a> = &'a dyn Fn(&Call) -> io::Result<Output>;

/// What is known of the crontab.
pub(super) enum Crontab {
    Text(Vec<u8>),
    /// There is no such program here.
    Absent,
    Unread(ScheduleError),
}

impl Crontab {
    pub(super) fn read(run: Run<'_>) -> Self {
        let call = call("crontab", &["-l"], Vec::new());
        let output = match run(&call) {
            Ok(output) => output,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Self::Absent,
            Err(source) => {
                return Self::Unread(ScheduleError::NotRun { call: call.to_string(), source });
            }
        };
        if output.stdout.len() > MAX_FILE_BYTES {
            let (what, cap) = ("the crontab".to_owned(), MAX_FILE_BYTES);
            return Self::Unread(ScheduleError::TooMuch { what, cap, unit: "bytes" });
        }
        // A crontab taken for an empty one would be overwritten: of failures, only this one counts
        // as empty.
        let is_none = output.stdout.is_empty() && says_there_is_none(&output.stderr);
        if output.status.success() || is_none {
            return Self::Text(output.stdout);
        }
        Self::Unread(failed(&call, &output))
    }
}

/// Puts a crontab in place of the user's.
pub(super) fn install(run: Run<'_>, crontab: Vec<u8>) -> Result<(), ScheduleError> {
    ask(run, &call("crontab", &["-"], crontab))
}

/// Whether the user's systemd answers.
pub(super) fn probe(run: Run<'_>) -> Result<(), ScheduleError> {
    systemctl(run, &["show", "--property=Version"])
}

/// Makes systemd read its files anew.
pub(super) fn reload(run: Run<'_>) -> Result<(), ScheduleError> {
    systemctl(run, &["daemon-reload"])
}

/// Starts a timer or a service, now and whenever the user's systemd starts. One that runs with
/// another interval, or by another file, has to be started `anew`.
pub(super) fn enable(run: Run<'_>, unit: &str, anew: bool) -> Result<(), ScheduleError> {
    reload(run)?;
    systemctl(run, &["enable", "--now", unit])?;
    if anew { systemctl(run, &["restart", unit]) } else { Ok(()) }
}

/// Stops a timer or a service, for good.
pub(super) fn disable(run: Run<'_>, unit: &str) -> Result<(), ScheduleError> {
    systemctl(run, &["disable", "--now", unit])
}

fn systemctl(run: Run<'_>, arguments: &[&str]) -> Result<(), ScheduleError> {
    ask(run, &call("systemctl", &[&["--user"], arguments].concat(), Vec::new()))
}

fn call(program: &'static str, arguments: &[&str], input: Vec<u8>) -> Call {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    Call { program, arguments, input }
}

fn ask(run: Run<'_>, call: &Call) -> Result<(), ScheduleError> {
    match run(call) {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(failed(call, &output)),
        Err(cause) => Err(ScheduleError::NotRun { call: call.to_string(), source: cause }),
    }
}

fn failed(call: &Call, output: &Output) -> ScheduleError {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = match said.trim() {
        "" => output.status.to_string(),
        said => said.chars().take(MAX_SAID).collect(),
    };
    ScheduleError::Failed { call: call.to_string(), said }
}

/// Vixie's cron and those that come from it, then busybox.
fn says_there_is_none(stderr: &[u8]) -> bool {
    let said = String::from_utf8_lossy(stderr);
    said.contains("no crontab for")
        || said.contains("can't open") && said.contains("No such file or directory")
}
