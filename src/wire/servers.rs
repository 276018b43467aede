//! Servers of ours: that one runs or was stopped, its token, and the address of its page.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The MCP server of a repository.
#[derive(Serialize, JsonSchema)]
pub struct McpServerWire {
    pub url: String,
    pub pid: u32,
    pub running: bool,
    pub started: bool,
    pub version: &'static str,
}

/// A gateway.
#[derive(Serialize, JsonSchema)]
pub struct GatewayWire<'a> {
    pub url: String,
    /// Where MCP is served.
    pub mcp: String,
    /// Where programs of this user reach it.
    pub socket: Option<Cow<'a, str>>,
    pub pid: u32,
    pub running: bool,
    pub started: bool,
    pub version: &'static str,
}

/// A gateway, and what it says of itself, as it says it.
#[derive(Serialize, JsonSchema)]
pub struct GatewayStatusWire<'a> {
    #[serde(flatten)]
    pub gateway: GatewayWire<'a>,
    /// Names and roots.
    pub repositories: &'a Value,
    /// What the settings name and is not served: why, in words.
    pub missing: &'a Value,
    /// Clients that are connected.
    pub clients: &'a Value,
    /// Where something goes on or waits: whose, where, the run, messages behind it, approvals.
    pub conversations: &'a Value,
}

/// A server that was stopped.
#[derive(Serialize, JsonSchema)]
pub struct StoppedWire {
    /// Where it was reached.
    pub stopped: String,
    pub pid: u32,
}

/// Another token of the gateway.
#[derive(Serialize, JsonSchema)]
pub struct RotatedTokenWire {
    pub rotated: bool,
    /// Whether a gateway runs that takes it from now on.
    pub running: bool,
}

/// The address of the page.
#[derive(Serialize, JsonSchema)]
pub struct PageAddressWire<'a> {
    /// Good once, for a minute.
    pub url: &'a str,
    pub opened: bool,
}
