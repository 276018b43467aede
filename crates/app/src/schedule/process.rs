//! Running other programs: those that keep the time, and our own when its time has come.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    path::Path,
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::Call;
use elophanto_base::process;

/// How often we look whether a program is done.
const LOOK: Duration = Duration::from_millis(10);
/// The same of a job.
const LOOK_AT_JOB: Duration = Duration::from_millis(50);
/// How long a job may go on that somebody else has told to end.
const TOLD: Duration = Duration::from_secs(10);
/// Of what it says, in bytes.
const MOST_OUTPUT: u64 = 4 * 1024 * 1024;

/// Runs a program with nothing to read, for as long as it takes. Once `ended` is set, whoever set it has
/// told the program as well, as who ends a group does; one that goes on for long is told by us.
///
/// # Errors
/// When it cannot be started.
pub fn finish(
    program: &Path,
    arguments: &[impl AsRef<OsStr>],
    ended: &AtomicBool,
) -> io::Result<Output> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (out, err) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let mut told: Option<Instant> = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if ended.load(Ordering::Relaxed) {
            let since = told.get_or_insert_with(Instant::now);
            if since.elapsed() >= TOLD {
                // It may have ended just now.
                let _ = process::ask_to_end(child.id());
                told = Some(Instant::now());
            }
        }
        std::thread::sleep(LOOK_AT_JOB);
    };
    Ok(Output { status, stdout: join(out), stderr: join(err) })
}

/// Runs a program to its end, or ends it when it takes too long.
///
/// # Errors
/// When it cannot be started, or did not end in time.
pub fn call(call: &Call, patience: Duration) -> io::Result<Output> {
    let mut child = Command::new(call.program)
        .args(&call.arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (out, err) = (listen(stdout), listen(stderr));
    let input = call.input.clone();
    // A program that does not read what it is given says so by its exit code.
    std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let deadline = Instant::now() + patience;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long"));
        }
        std::thread::sleep(LOOK);
    };
    Ok(Output { status, stdout: join(out), stderr: join(err) })
}

fn listen(from: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read to its end is what was said until then; the rest is nobody's, and stops
        // whoever says it at nothing.
        let _ = from.map(|mut from| {
            let read = from.by_ref().take(MOST_OUTPUT).read_to_end(&mut bytes);
            read.and_then(|_| io::copy(&mut from, &mut io::sink()))
        });
        bytes
    })
}

fn join(thread: JoinHandle<Vec<u8>>) -> Vec<u8> {
    thread.join().unwrap_or_default()
}
