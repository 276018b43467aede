//! One server: its process or its address, its conversation, its end. Blocking on the outside.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::{CallToolResult, JsonObject},
    service::Peer,
    transport::{
        IntoTransport, StreamableHttpClientTransport, common::client_side_sse::FixedInterval,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::{runtime::Handle, sync::oneshot};

use super::{
    At, Entry, Surroundings, child,
    http::Http,
    meter::{Allowance, Metered},
    offer::Offered,
    session::{self, CallError, Client, Service},
};
use crate::ToolError;
use elophanto_base::{mutex::lock, one_line::one_line};
use elophanto_net::remote::Remote;

/// Bytes a server may say until its tools are known.
const AT_START: u64 = 64 << 20;
/// Bytes it may say from one call to the next.
const PER_CALL: u64 = 32 << 20;
/// How often somebody who waits looks at whether the user ended the run.
const LOOK: Duration = Duration::from_millis(20);
/// Time to end after the pipe was closed, and again after being told to.
const GRACE: Duration = Duration::from_millis(300);

/// How often a stream that broke off is taken up again, and how long after.
const AGAIN: (usize, Duration) = (2, Duration::from_millis(500));

/// A server that was started, or is asked at its address.
pub(super) struct Server {
    pub name: String,
    /// Its command or its address, for people.
    pub place: String,
    /// A hash of what runs, or of what is asked.
    pub runs: String,
    handle: Handle,
    peer: Peer<RoleClient>,
    allowance: Arc<Allowance>,
    /// It said that it offers something else now.
    changed: Arc<AtomicBool>,
    /// What it offers since it said so; `None` while it never did.
    offers: Mutex<Option<BTreeMap<String, String>>>,
    open: Mutex<Option<(Service, Way)>>,
}

/// How a server is reached.
enum Way {
    Child(Box<child::Running>),
    Address(Http),
}

/// Why there is no server.
pub(super) struct Failure {
    /// On one line, safe to show.
    pub why: String,
    /// It said that the user has to sign in.
    pub wants_sign_in: bool,
}

/// Starts a server, or goes to where it is, and asks for its tools.
pub(super) fn start(
    entry: &Entry,
    surroundings: &Surroundings,
    handle: &Handle,
) -> Result<(Arc<Server>, Offered), Failure> {
    let allowance = Arc::new(Allowance::default());
    allowance.grant(AT_START);
    let changed = Arc::new(AtomicBool::new(false));
    let client = Client { changed: Arc::clone(&changed) };
    let patience = surroundings.patience;
    let failure = |why: String| Failure { why: one_line(&why, 700), wants_sign_in: false };
    let (way, greeted) = match &entry.at {
        At::Program { command, environment } => {
            let (running, stdout, stdin) = {
                let _inside = handle.enter();
                child::spawn(command, environment, surroundings).map_err(failure)?
            };
            let reader = Metered { reader: stdout, allowance: Arc::clone(&allowance) };
            (Way::Child(Box::new(running)), greet(handle, client, (reader, stdin), patience))
        }
        At::Address { url, realm, .. } => {
            let remote = Remote::new(url, *realm).map_err(|cause| failure(cause.to_string()))?;
            let credentials = surroundings.credentials.get(&entry.name).cloned();
            let http = Http::new(remote, Arc::clone(&allowance), credentials);
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            let mut again = FixedInterval::default();
            (again.max_times, again.duration) = (Some(AGAIN.0), AGAIN.1);
            config.retry_config = Arc::new(again);
            let transport = {
                let _inside = handle.enter();
                StreamableHttpClientTransport::with_client(http.clone(), config)
            };
            (Way::Address(http), greet(handle, client, transport, patience))
        }
    };
    match greeted {
        Ok((service, offered)) => {
            allowance.grant(PER_CALL);
            let server = Server {
                name: entry.name.clone(),
                place: entry.shown(),
                runs: entry.fingerprint(),
                handle: handle.clone(),
                peer: service.peer().clone(),
                allowance,
                changed,
                offers: Mutex::new(None),
                open: Mutex::new(Some((service, way))),
            };
            Ok((Arc::new(server), offered))
        }
        Err(why) => {
            let flooded = if allowance.is_exceeded() { "it said too much; " } else { "" };
            match way {
                Way::Child(running) => {
                    // What it says about its work may come a moment later.
                    let said = match quiet(handle, *running, Duration::from_millis(50)) {
                        Some((running, _)) => {
                            let said = running.said();
                            kill(handle, running);
                            said
                        }
                        None => String::new(),
                    };
                    let said = if said.is_empty() { said } else { format!(" (it said: {said})") };
                    Err(failure(format!("{flooded}{}{said}", one_line(&why, 300))))
                }
                Way::Address(http) => {
                    let said = http.said();
                    let why = if said.is_empty() { http.without_token(&why) } else { said };
                    let wants_sign_in = http.wants_sign_in();
                    Err(Failure { why: one_line(&why, 700), wants_sign_in })
                }
            }
        }
    }
}

/// Greets a server and asks for its tools.
fn greet<T, E, A>(
    handle: &Handle,
    client: Client,
    transport: T,
    patience: Duration,
) -> Result<(Service, Offered), String>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let greeted = wait(handle, async move {
        let opened = async {
            let service = session::greet(client, transport).await?;
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
    greeted.unwrap_or_else(|| Err("it cannot be waited for".to_owned()))
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
        match &*lock(&self.open) {
            None => return Err(CallError::Gone),
            // What went wrong before is not why this call fails.
            Some((_, Way::Address(http))) => http.forget(),
            Some((_, Way::Child(_))) => {}
        }
        self.allowance.grant(PER_CALL);
        let (cancel, cancelled) = oneshot::channel();
        let peer = self.peer.clone();
        let call = session::call(peer, own_name.to_owned(), arguments, patience, cancelled);
        self.wait_for(is_cancelled, Some(cancel), call).map_err(|cause| match cause {
            CallError::Failed(_) if self.allowance.is_exceeded() => CallError::Gone,
            cause => cause,
        })
    }

    /// Whether it still offers a tool as it did at the start, as far as it says.
    pub(super) fn still_offers(
        &self,
        own_name: &str,
        hash: &str,
        patience: Duration,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<bool, CallError> {
        let mut offers = lock(&self.offers);
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
        let open = lock(&self.open);
        match open.as_ref().map(|(_, way)| way) {
            Some(Way::Child(running)) if !running.said().is_empty() => {
                format!("it ended (it said: {})", running.said())
            }
            Some(Way::Address(http)) if !http.said().is_empty() => http.said(),
            Some(Way::Address(_)) => "the connection broke off".to_owned(),
            _ => "it ended".to_owned(),
        }
    }

    /// A text of the server without the token that it was sent.
    pub(super) fn without_token(&self, text: &str) -> String {
        let open = lock(&self.open);
        match open.as_ref().map(|(_, way)| way) {
            Some(Way::Address(http)) => http.without_token(text),
            _ => text.to_owned(),
        }
    }

    /// Ends its session, and a program with all of its process group.
    pub(super) fn end(&self) {
        let open = lock(&self.open).take();
        let Some((mut service, way)) = open else { return };
        // Closing its pipe is how a program is asked to end.
        let _ = wait(&self.handle, async move {
            let _ = service.close_with_timeout(GRACE).await;
        });
        if let Way::Child(running) = way {
            kill(&self.handle, *running);
        }
    }
}

/// Ends a process whose pipes are closed, gently at first, and its group for certain.
fn kill(handle: &Handle, running: child::Running) {
    let Some((mut running, is_quiet)) = quiet(handle, running, GRACE) else { return };
    if !is_quiet {
        running.end_group(false);
        match quiet(handle, running, GRACE) {
            Some((waited, _)) => running = waited,
            None => return,
        }
    }
    // Somebody in the group may have closed all its streams.
    running.end_group(true);
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
