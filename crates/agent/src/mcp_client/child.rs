//! The process of a server: started in a group of its own, and ended with all that is in it.

use std::{
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::AsyncReadExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::{Surroundings, entry};
use elophanto_base::{mutex::lock, one_line::one_line, platform};

/// Bytes kept of what a server says about its work.
const MAX_SAID: usize = 4_096;
/// Bytes that are read of it at all.
const MAX_READ: usize = 256 << 20;

/// A server's process.
pub(super) struct Running {
    /// Its number, which is that of its group, cannot be given to another process while this
    /// stands and was not waited for.
    child: Child,
    said: Arc<Mutex<Vec<u8>>>,
    /// Ends when nobody holds the stream any longer: when all of the group have ended.
    drained: tokio::task::JoinHandle<()>,
}

/// Starts a program with the variables of these names. Must be called inside a runtime.
pub(super) fn spawn(
    command: &[String],
    variables: &[String],
    surroundings: &Surroundings,
) -> Result<(Running, ChildStdout, ChildStdin), String> {
    let program = entry::program(command, surroundings.environment)
        .ok_or_else(|| "there is no such program in `PATH`".to_owned())?;
    let mut child = Command::new(program);
    child
        .args(command.iter().skip(1))
        .current_dir(surroundings.folder)
        .env_clear()
        .envs(entry::granted(variables, surroundings.environment))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    platform::own_group(child.as_std_mut());
    let mut child = child.spawn().map_err(|cause| format!("it cannot be run: {cause}"))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err("it has no pipes".to_owned());
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let drained = tokio::spawn(drain(stderr, Arc::clone(&said)));
    Ok((Running { child, said, drained }, stdout, stdin))
}

impl Running {
    /// The end of what it said about its work, on one line; empty if nothing.
    pub(super) fn said(&self) -> String {
        let said = lock(&self.said);
        let text = String::from_utf8_lossy(&said);
        let tail: Vec<char> = text.trim().chars().rev().take(300).collect();
        one_line(&tail.into_iter().rev().collect::<String>(), 300)
    }

    /// Waits until all of its group have closed what they write to; `false` when that takes longer.
    pub(super) async fn is_quiet_within(&mut self, patience: Duration) -> bool {
        self.drained.is_finished()
            || tokio::time::timeout(patience, &mut self.drained).await.is_ok()
    }

    /// Asks its group to end, or ends it.
    pub(super) fn end_group(&self, at_once: bool) {
        if let Some(leader) = self.child.id() {
            platform::end_group(leader, at_once);
        }
    }

    /// Lets go of its number. The group must have been killed before.
    pub(super) async fn reap(mut self) {
        let _ = self.child.start_kill();
        let _ = tokio::time::timeout(Duration::from_secs(2), self.child.wait()).await;
    }
}

async fn drain(mut stream: ChildStderr, said: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; 8_192];
    let mut read = 0_usize;
    while let Ok(count) = stream.read(&mut chunk).await {
        read += count;
        if count == 0 || read > MAX_READ {
            return;
        }
        let mut said = lock(&said);
        said.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let over = said.len().saturating_sub(MAX_SAID);
        said.drain(..over);
    }
}
