//! A gateway, as programs are told of it.

use serde_json::Value;

use crate::{
    listening::running::Running,
    wire::servers::{GatewayStatusWire, GatewayWire},
};

/// Where its conversations are held.
pub fn address(running: &Running) -> String {
    running.base().replacen("http", "ws", 1) + "/gateway"
}

/// A gateway, as `--json` prints it.
pub fn gateway(running: &Running, started: bool) -> GatewayWire<'_> {
    GatewayWire {
        url: address(running),
        mcp: running.url(),
        socket: running.socket.as_ref().map(|socket| socket.to_string_lossy()),
        pid: running.pid,
        running: true,
        started,
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// What `status --json` prints, by what the gateway says of its health, and of what goes on.
pub fn status<'a>(
    running: &'a Running,
    health: &'a Value,
    goes_on: &'a Value,
) -> GatewayStatusWire<'a> {
    GatewayStatusWire {
        gateway: gateway(running, false),
        repositories: &health["repositories"],
        missing: &health["missing"],
        clients: &goes_on["clients"],
        conversations: &goes_on["conversations"],
    }
}
