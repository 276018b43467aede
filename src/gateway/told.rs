//! A gateway, as programs are told of it.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::listening::running::Running;

/// A gateway, as `--json` prints it.
#[derive(Serialize)]
pub struct GatewayWire {
    /// Where conversations are held.
    pub url: String,
    /// Where MCP is served.
    pub mcp: String,
    /// Where programs of this user reach it.
    pub socket: Option<PathBuf>,
    pub pid: u32,
    pub running: bool,
    pub started: bool,
    pub version: &'static str,
}

impl GatewayWire {
    pub fn of(running: &Running, started: bool) -> Self {
        Self {
            url: running.base().replacen("http", "ws", 1) + "/gateway",
            mcp: running.url(),
            socket: running.socket.clone(),
            pid: running.pid,
            running: true,
            started,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// What `status --json` prints.
#[derive(Serialize)]
pub struct StatusWire {
    #[serde(flatten)]
    pub gateway: GatewayWire,
    /// Names and roots.
    pub repositories: Value,
    /// What the settings name and is not served: why, in words.
    pub missing: Value,
    /// Clients that are connected.
    clients: Value,
    /// Where something goes on or waits: whose, where, the run, messages behind it, approvals.
    pub conversations: Value,
}

impl StatusWire {
    /// By what the gateway says of its health, and of what goes on.
    pub fn of(running: &Running, health: &Value, goes_on: &Value) -> Self {
        Self {
            gateway: GatewayWire::of(running, false),
            repositories: health["repositories"].clone(),
            missing: health["missing"].clone(),
            clients: goes_on["clients"].clone(),
            conversations: goes_on["conversations"].clone(),
        }
    }
}
