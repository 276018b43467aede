//! A gateway, as programs are told of it.

use serde_json::{Value, json};

use crate::listening::running::Running;

/// Where its conversations are held.
pub fn address(running: &Running) -> String {
    running.base().replacen("http", "ws", 1) + "/gateway"
}

/// A gateway, as `--json` prints it.
pub fn gateway(running: &Running, started: bool) -> Value {
    json!({
        "url": address(running),
        // Where MCP is served.
        "mcp": running.url(),
        // Where programs of this user reach it.
        "socket": running.socket.as_ref().map(|socket| socket.to_string_lossy()),
        "pid": running.pid,
        "running": true,
        "started": started,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// What `status --json` prints, by what the gateway says of its health, and of what goes on.
pub fn status(running: &Running, health: &Value, goes_on: &Value) -> Value {
    let mut wire = gateway(running, false);
    // Names and roots; what the settings name and is not served: why, in words.
    for key in ["repositories", "missing"] {
        wire[key] = health[key].clone();
    }
    // Clients that are connected; where something goes on or waits: whose, where, the run, messages
    // behind it, approvals.
    for key in ["clients", "conversations"] {
        wire[key] = goes_on[key].clone();
    }
    wire
}
