//! Running other programs: those that keep the time, and our own when its time has come.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use super::Call;

/// How often we look whether a program is done.
const LOOK: Duration = Duration::from_millis(10);
/// Of what it says, in bytes.
const MOST_OUTPUT: u64 = 4 * 1024 * 1024;

/// Runs a program with nothing to read, for as long as it takes.
///
/// # Errors
/// When it cannot be started.
pub fn finish(program: &Path, arguments: &[impl AsRef<OsStr>]) -> io::Result<Output> {
    Command::new(program).args(arguments).stdin(Stdio::null()).output()
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
    let read = |from: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read to its end is what was said until then.
            let _ = from.map(|from| from.take(MOST_OUTPUT).read_to_end(&mut bytes));
            bytes
        })
    };
    let out = read(stdout.map(|from| Box::new(from) as Box<dyn Read + Send>));
    let err = read(stderr.map(|from| Box::new(from) as Box<dyn Read + Send>));
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
    let join = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: join(out), stderr: join(err) })
}
