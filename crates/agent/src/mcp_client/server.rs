//! One server: its process, its conversation, its end. Blocking on the outside.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::{CallToolResult, JsonObject},
    service::Peer,
};
use tokio::{runtime::Handle, sync::oneshot};

use super::{
    Entry, Surroundings, child,
    meter::{Allowance, Metered},
    offer::Offered,
    session::{self, CallError, Client, Service},
};
use crate::ToolError;
use elophanto_base::one_line::one_line;

/// Bytes a server may say until its tools are known.
const AT_START: u64 = 64 << 20;
/// Bytes it may say from one call to the next.
const PER_CALL: u64 = 32 << 20;
/// How often somebody who waits looks at whether the user ended the run.
const LOOK: Duration = Duration::from_millis(20);
/// Time to end after the pipe was closed, and again after being told to.
const GRACE: Duration = Duration::from_millis(300);

/// A server that was started.
pub(super) struct Server {
    pub name: String,
    /// Its command, for people.
    pub command: String,
    handle: Handle,
    peer: Peer<RoleClient>,
    allowance: Arc<Allowance>,
    /// It said that it offers something else now.
    changed: Arc<AtomicBool>,
    /// What it offers since it said so; `None` while it never did.
    offers: Mutex<Option<BTreeMap<String, String>>>,
    open: Mutex<Option<(Service, child::Running)>>,
}

/// Starts a server and asks for its tools.
pub(super) fn start(
    entry: &Entry,
    surroundings: &Surroundings,
    handle: &Handle,
) -> Result<(Arc<Server>, Offered), String> {
    let (running, stdout, stdin) = {
        let _inside = handle.enter();
        child::spawn(entry, surroundings)?
    };
    let allowance = Arc::new(Allowance::default());
    allowance.grant(AT_START);
    let changed = Arc::new(AtomicBool::new(false));
    let client = Client { changed: Arc::clone(&changed) };
    let reader = Metered { reader: stdout, allowance: Arc::clone(&allowance) };
    let patience = surroundings.patience;
    let greeted = wait(handle, async move {
        let opened = async {
            let service = session::greet(client, reader, stdin).await?;
            let offered = session::list(service.peer()).await?;
            Ok((service, offered))
        };
        let too_slow =
            || format!("it did not say within {} s what it offers", patience.as_secs_f32());
        tokio::time::timeout(patience, opened)
            .await
            .map_err(|_| too_slow())
            .and_then(|opened| opened)
    });
    let greeted = greeted.unwrap_or_else(|| Err("it cannot be waited for".to_owned()));
    match greeted {
        Ok((service, offered)) => {
            allowance.grant(PER_CALL);
            let server = Server {
                name: entry.name.clone(),
                command: entry.shown(),
                handle: handle.clone(),
                peer: service.peer().clone(),
                allowance,
                changed,
                offers: Mutex::new(None),
                open: Mutex::new(Some((service, running))),
            };
            Ok((Arc::new(server), offered))
        }
        Err(why) => {
            // What it says about its work may come a moment later.
            let said = match quiet(handle, running, Duration::from_millis(50)) {
                Some((running, _)) => {
                    let said = running.said();
                    kill(handle, running);
                    said
                }
                None => String::new(),
            };
            let flooded = if allowance.is_exceeded() { "it said too much; " } else { "" };
            let said = if said.is_empty() { said } else { format!(" (it said: {said})") };
            Err(format!("{flooded}{}{said}", one_line(&why, 300)))
        }
    }
}

impl Server {
    /// Calls a tool by the server's own name and waits, until `is_cancelled` says so.
    pub(super) fn call(
        &self,
        own_name: &str,
        arguments: JsonObject,
        patience: Duration,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<CallToolResult, CallError> {
        if self.open.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return Err(CallError::Gone);
        }
        self.allowance.grant(PER_CALL);
        let (cancel, cancelled) = oneshot::channel();
        let peer = self.peer.clone();
        let call = session::call(peer, own_name.to_owned(), arguments, patience, cancelled);
        self.wait_for(is_cancelled, Some(cancel), call)
    }

    /// Whether it still offers a tool as it did at the start, as far as it says.
    pub(super) fn still_offers(
        &self,
        own_name: &str,
        hash: &str,
        patience: Duration,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<bool, CallError> {
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.changed.swap(false, Ordering::Relaxed) {
            self.allowance.grant(PER_CALL);
            let peer = self.peer.clone();
            let asked = self.wait_for(is_cancelled, None, async move {
                match tokio::time::timeout(patience, session::hashes(&peer)).await {
                    Ok(asked) => asked.map_err(|why| CallError::Failed(one_line(&why, 300))),
                    Err(_) => Err(CallError::TooSlow),
                }
            });
            match asked {
                Ok(now) => *offers = Some(now),
                Err(cause) => {
                    // To be asked again.
                    self.changed.store(true, Ordering::Relaxed);
                    return Err(cause);
                }
            }
        }
        Ok(offers.as_ref().is_none_or(|now| now.get(own_name).is_some_and(|now| now == hash)))
    }

    /// Runs something in the runtime and waits for it. When the user ends the run, `cancel` is
    /// dropped, so that the work ends by itself; without one it is left behind.
    fn wait_for<T: Send + 'static>(
        &self,
        is_cancelled: &dyn Fn() -> bool,
        mut cancel: Option<oneshot::Sender<()>>,
        work: impl Future<Output = Result<T, CallError>> + Send + 'static,
    ) -> Result<T, CallError> {
        let is_told = cancel.is_some();
        let (sender, receiver) = mpsc::channel();
        self.handle.spawn(async move {
            let _ = sender.send(work.await);
        });
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(result) => return result,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(CallError::Gone),
                Err(mpsc::RecvTimeoutError::Timeout) if is_cancelled() => {
                    if !is_told {
                        return Err(CallError::Cancelled);
                    }
                    drop(cancel.take());
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// An error of a tool that names the server.
    pub(super) fn failed(&self, why: &str) -> ToolError {
        ToolError::Failed(format!("server `{}`: {why}", self.name))
    }

    /// Why it is gone, as far as that is known.
    pub(super) fn last_words(&self) -> String {
        if self.allowance.is_exceeded() {
            return "it said too much".to_owned();
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.as_ref().map(|(_, running)| running.said()) {
            Some(said) if !said.is_empty() => format!("it ended (it said: {said})"),
            _ => "it ended".to_owned(),
        }
    }

    /// Ends it and all of its process group.
    pub(super) fn end(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((mut service, running)) = open else { return };
        // Closing its pipe is how a server is asked to end.
        let _ = wait(&self.handle, async move {
            let _ = service.close_with_timeout(GRACE).await;
        });
        kill(&self.handle, running);
    }
}

/// Ends a process whose pipes are closed, gently at first, and its group for certain.
fn kill(handle: &Handle, running: child::Running) {
    let Some((mut running, is_quiet)) = quiet(handle, running, GRACE) else { return };
    if !is_quiet {
        running.signal("TERM");
        match quiet(handle, running, GRACE) {
            Some((waited, _)) => running = waited,
            None => return,
        }
    }
    // Somebody in the group may have closed all its streams.
    running.signal("KILL");
    let _ = wait(handle, running.reap());
}

/// Waits until a group writes nothing any more, and whether it came to that. If the runtime is
/// gone, so is the child.
fn quiet(
    handle: &Handle,
    mut running: child::Running,
    patience: Duration,
) -> Option<(child::Running, bool)> {
    wait(handle, async move {
        let is_quiet = running.is_quiet_within(patience).await;
        (running, is_quiet)
    })
}

/// Runs something in the runtime and waits for it; `None` if the runtime is gone.
fn wait<T: Send + 'static>(
    handle: &Handle,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    handle.spawn(async move {
        let _ = sender.send(work.await);
    });
    receiver.recv().ok()
}
