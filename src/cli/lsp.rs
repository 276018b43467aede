//! `elophanto lsp` and `acp`: programs that an editor starts.

use super::{Outcome, Result, env};
use crate::{acp, lsp};

/// Serve an editor, over standard input and output
///
/// A language server for Markdown and, read-only, for source files: what is wrong while you write, what
/// is known of what stands under the cursor, where links lead and who leads here. Your editor starts it:
/// `elophanto editor install` sets that up.
#[derive(clap::Args, Debug)]
pub struct LspArgs {
    /// What some editors add; nothing else is spoken
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves until the editor goes. One that goes without taking its leave is an honest no, as the protocol
/// has it.
///
/// # Errors
/// When no thread can be started.
pub fn run(_: &LspArgs) -> Result<Outcome> {
    let folder = std::path::absolute(".")?;
    let is_done = lsp::serve_stdio(folder, env::environment())?;
    Ok(if is_done { Outcome::Done } else { Outcome::Negative })
}

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
pub fn acp(_: &AcpArgs) -> Result<Outcome> {
    acp::serve_stdio(env::environment())?;
    Ok(Outcome::Done)
}
