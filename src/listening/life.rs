//! The life of a server: asked whether it runs, started in the background unless it does, ended.

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use super::running::{Files, Running};
use elophanto_app::{Error, Result};
use elophanto_base::{lock, process, visible::escape_control_line};

/// How long a server may take to answer for the first time.
const START: Duration = Duration::from_secs(10);
/// How long a check of a running one may take.
const CHECK: Duration = Duration::from_millis(500);
/// How long a server may take to end.
const END: Duration = Duration::from_secs(10);
/// Hints of a server that does not start, as it gave them.
const MOST_HINTS: usize = 3;
/// How often is looked whether it has begun or ended.
const LOOKS: Duration = Duration::from_millis(20);

/// When the process is told to end.
#[cfg(unix)]
pub async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut ended), Ok(mut interrupted)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = ended.recv() => {}
        _ = interrupted.recv() => {}
    }
}

/// When Ctrl-C is pressed.
#[cfg(not(unix))]
pub async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// The server of these files, if it answers.
pub fn running(files: &Files) -> Option<Running> {
    let written = files.read().filter(|running| running.is_well(CHECK));
    written.or_else(|| files.at_socket(CHECK))
}

/// Makes sure that a server of these files runs; `programs` are the words that start one, tried in turn.
/// The server, and whether it was started.
///
/// # Errors
/// When none can be started.
pub fn ensure(folder: &Path, files: &Files, programs: &[Vec<String>]) -> Result<(Running, bool)> {
    // Of several that want one, the first starts it and the others find it.
    let _lock = lock::wait(&files.lock).map_err(|cause| files.unwritable(&cause))?;
    if let Some(running) = running(files) {
        return Ok((running, false));
    }
    let mut started = Err(Error::bug("there is no program to start"));
    for program in programs {
        started = start(program, folder, files);
        if started.is_ok() {
            break;
        }
    }
    Ok((started?, true))
}

/// Starts a server in the background and waits until it answers.
fn start(program: &[String], folder: &Path, files: &Files) -> Result<Running> {
    let mut started =
        process::detach(program, folder, Stdio::null(), Some(&files.log)).map_err(Error::new)?;
    let begun = Instant::now();
    while begun.elapsed() < START {
        let running = files.read().filter(|running| running.pid == started.id());
        if let Some(running) = running.filter(|running| running.is_well(CHECK)) {
            return Ok(running);
        }
        if started.has_ended() {
            break;
        }
        std::thread::sleep(LOOKS);
    }
    // One that nobody finds must not stay.
    started.stop();
    files.remove(started.id());
    let said = std::fs::read_to_string(&files.log).unwrap_or_default();
    let last = said.lines().find(|line| line.starts_with("error")).unwrap_or("it says nothing");
    let error =
        Error::new(format_args!("the server does not start: {}", escape_control_line(last)));
    let hints = said.lines().filter_map(|line| line.strip_prefix("hint: "));
    let error =
        hints.take(MOST_HINTS).fold(error, |error, hint| error.hint(escape_control_line(hint)));
    Err(error.hint(format!("its words are in `{}`", files.log.display())))
}

/// Ends the server of these files: the one that ran, if one did.
///
/// # Errors
/// When it does not end.
pub fn stop(files: &Files) -> Result<Option<Running>> {
    // Who makes sure of one meanwhile starts it after this.
    let _lock = lock::wait(&files.lock).map_err(|cause| files.unwritable(&cause))?;
    // It answers with its own number, so the number is nobody else's by now.
    let Some(running) = running(files) else { return Ok(None) };
    process::ask_to_end(running.pid)?;
    let begun = Instant::now();
    while running.is_well(CHECK) {
        if begun.elapsed() > END {
            return Err(Error::new(format_args!("the server {} does not end", running.pid))
                .hint("end it by hand: kill -9 with this number"));
        }
        std::thread::sleep(LOOKS);
    }
    files.remove(running.pid);
    Ok(Some(running))
}
