//! `elophanto acp`

use super::{Outcome, env, error::Result};
use crate::acp;

/// Be the agent of your editor, over standard input and output
///
/// The agent of `elophanto agent chat` in editors that speak the Agent Client Protocol, such as Zed,
/// JetBrains and Neovim: plans, calls and diffs as they come, approvals in between, conversations that go
/// on later. Your editor starts it: editors/README.md says what to write where.
#[derive(clap::Args, Debug)]
pub struct AcpArgs {}

/// Serves until the editor goes.
///
/// # Errors
/// When no thread can be started, or nobody spoke the protocol.
pub fn run(_: &AcpArgs) -> Result<Outcome> {
    acp::serve_stdio(env::environment())?;
    Ok(Outcome::Done)
}
