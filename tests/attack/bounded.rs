//! A command that is run to its end, or ended, with what it cost.

#![expect(clippy::zombie_processes, reason = "`wait4` waits, and says what the child used")]

use std::{
    io::Read,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Attack, env::Output};

/// No command here has a reason to take this long.
const HANGS: Duration = Duration::from_secs(60);
/// No command here has a reason to hold this much.
pub const MOST_BYTES: u64 = 600_000_000;

impl Attack {
    /// Runs a command to its end. What hangs, dies of a signal, panics or takes too much memory
    /// is noted as broken.
    pub fn bounded(&mut self, command: &mut Command) -> Output {
        let shown = shown(command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let reading = |pipe: Option<Box<dyn Read + Send>>| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(mut pipe) = pipe {
                    let _ = pipe.read_to_end(&mut bytes);
                }
                bytes
            })
        };
        let stdout = reading(child.stdout.take().map(|pipe| Box::new(pipe) as _));
        let stderr = reading(child.stderr.take().map(|pipe| Box::new(pipe) as _));
        let id = child.id().cast_signed();
        let (status, bytes, hung) = wait(id, began + HANGS);
        let output = Output {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            stdout: stdout.join().unwrap_or_default(),
            stderr: stderr.join().unwrap_or_default(),
        };
        self.longest = self.longest.max(began.elapsed());
        self.most_bytes = self.most_bytes.max(bytes);
        if hung {
            self.broke(format!("hangs: {shown}"));
        } else if output.code.is_none() {
            self.broke(format!("died of signal {}: {shown}", libc::WTERMSIG(status)));
        }
        if output.stderr().contains("panicked at") {
            self.broke(format!("panicked: {shown}\n{}", output.stderr()));
        }
        self.expect(bytes <= MOST_BYTES, || format!("{} MB: {shown}", bytes / 1_000_000));
        output
    }
}

/// Waits for a child, and kills it once its time is over: its status, the most bytes it held, and
/// whether it was killed.
fn wait(id: i32, until: Instant) -> (i32, u64, bool) {
    let mut status = 0;
    let mut hung = false;
    // SAFETY: a structure of plain numbers, which the kernel fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: waits for a child of ours that nobody else waits for.
        let ended = unsafe { libc::wait4(id, &raw mut status, libc::WNOHANG, &raw mut usage) };
        if ended != 0 {
            let kib = u64::try_from(usage.ru_maxrss).unwrap_or(0);
            return (status, kib * 1024, hung);
        }
        if Instant::now() > until && !hung {
            hung = true;
            // SAFETY: only sends a signal, to a child that has not been waited for.
            unsafe { libc::kill(id, libc::SIGKILL) };
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn shown(command: &Command) -> String {
    let arguments: Vec<_> = command.get_args().map(|part| part.to_string_lossy()).collect();
    arguments.join(" ")
}
