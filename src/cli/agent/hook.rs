//! `elophanto agent hook`: what an agent's program runs when a session begins and ends.

use std::path::Path;

use crate::cli::{Outcome, Result, Ui, env};
use elophanto_app::clients::session::{begun, ending};

/// Most bytes that a program says to its hook.
const MOST_INPUT: u64 = 1024 * 1024;

/// What an agent's program runs by itself; see `agent install --hooks`
#[derive(clap::Args, Debug)]
pub struct HookArgs {
    #[command(subcommand)]
    event: HookEvent,
}

#[derive(clap::Subcommand, Debug)]
enum HookEvent {
    /// A session begins: say what was learnt here lately
    SessionStart,
    /// The agent is about to stop: remind it of what is worth remembering
    Stop,
}

pub fn run(args: &HookArgs, ui: &mut Ui) -> Result<Outcome> {
    let said = ui.input(MOST_INPUT)?.unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let output = match args.event {
        HookEvent::SessionStart => begun(&said, Path::new("."), env::environment()),
        HookEvent::Stop => ending(&said),
    };
    if let Some(output) = output {
        ui.line(output)?;
    }
    Ok(Outcome::Done)
}
