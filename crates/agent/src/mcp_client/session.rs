//! The conversation with one server: greeting, list of tools, calls. Runs inside the runtime.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientConfig, ErrorCode,
        Implementation, JsonObject, PaginatedRequestParams, ServerResult,
    },
    service::{
        ClientInitializeError, NotificationContext, Peer, PeerRequestOptions, RunningService,
        ServiceError, serve_client,
    },
    transport::IntoTransport,
};
use tokio::sync::oneshot;

use super::offer::{self, MAX_TOOLS, Offered};

/// Pages of a list of tools.
const MAX_PAGES: usize = 50;

/// What we are to a server: no model, no folders, nobody to ask. It hears that the tools changed.
pub(super) struct Client {
    pub changed: Arc<AtomicBool>,
}

impl ClientHandler for Client {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Relaxed);
    }

    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("elophanto", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(Default::default(), us)
    }
}

pub(super) type Service = RunningService<RoleClient, Client>;

/// Why a call brought no result.
#[derive(Debug)]
pub(super) enum CallError {
    /// The server says that the arguments do not fit.
    Arguments(String),
    Failed(String),
    TooSlow,
    Cancelled,
    /// The server is gone.
    Gone,
}

/// Greets a server.
pub(super) async fn greet<T, E, A>(client: Client, transport: T) -> Result<Service, String>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let said = |cause| match cause {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => "it ended before it answered".to_owned(),
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            "its first answer is none to `initialize`".to_owned()
        }
        cause => cause.to_string(),
    };
    serve_client(client, transport).await.map_err(said)
}

/// What a server offers, at most one tool more than are used.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<Offered, String> {
    let mut offered = Offered::default();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(params)).await.map_err(|cause| cause.to_string())?;
        offered.tools.extend(page.tools.into_iter().take(MAX_TOOLS + 1 - offered.tools.len()));
        cursor = page.next_cursor;
        if offered.tools.len() > MAX_TOOLS {
            offered.tools.truncate(MAX_TOOLS);
            return Ok(Offered { is_cut: true, ..offered });
        }
        if cursor.is_none() {
            return Ok(offered);
        }
    }
    Ok(Offered { is_cut: true, ..offered })
}

/// Hashes of what a server offers now, by its own names.
pub(super) async fn hashes(peer: &Peer<RoleClient>) -> Result<BTreeMap<String, String>, String> {
    let offered = list(peer).await?;
    Ok(offered.tools.iter().map(|tool| (tool.name.to_string(), offer::hash(tool))).collect())
}

/// Calls a tool, until `cancelled` is sent, dropped, or the time is over; the server is told of
/// both.
pub(super) async fn call(
    peer: Peer<RoleClient>,
    name: String,
    arguments: JsonObject,
    patience: Duration,
    cancelled: oneshot::Receiver<()>,
) -> Result<CallToolResult, CallError> {
    let params = CallToolRequestParams::new(name).with_arguments(arguments);
    let request = CallToolRequest::new(params);
    let sent = async {
        peer.send_cancellable_request(request.into(), PeerRequestOptions::no_options()).await
    };
    // A server that reads nothing blocks the pipe.
    let mut handle = match tokio::time::timeout(patience, sent).await {
        Ok(sent) => sent.map_err(error)?,
        Err(_) => return Err(CallError::TooSlow),
    };
    let ended = tokio::select! {
        answer = &mut handle.rx => match answer {
            Ok(Ok(ServerResult::CallToolResult(result))) => {
                // What it said before the answer has a task of its own: that comes first.
                tokio::task::yield_now().await;
                return Ok(result);
            }
            Ok(Ok(_)) => {
                return Err(CallError::Failed("it gave no result of a call".to_owned()));
            }
            Ok(Err(cause)) => return Err(error(cause)),
            Err(_) => return Err(CallError::Gone),
        },
        () = tokio::time::sleep(patience) => CallError::TooSlow,
        _ = cancelled => CallError::Cancelled,
    };
    let told = handle.cancel(Some("the user or the time limit ended the call".to_owned()));
    let _ = tokio::time::timeout(Duration::from_millis(200), told).await;
    Err(ended)
}

fn error(cause: ServiceError) -> CallError {
    match cause {
        ServiceError::McpError(said) if said.code == ErrorCode::INVALID_PARAMS => {
            CallError::Arguments(said.message.into_owned())
        }
        ServiceError::McpError(said) => CallError::Failed(said.message.into_owned()),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => CallError::Gone,
        ServiceError::Timeout { .. } => CallError::TooSlow,
        other => CallError::Failed(other.to_string()),
    }
}
