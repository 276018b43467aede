//! `elophanto gateway connect`

use crate::cli::{Outcome, Result, Ui, env};
use crate::{
    gateway::{
        bridge::{MOST_LINE, bridge},
        files::GatewayFiles,
    },
    terminal::json_lines::lines,
};
use elophanto_app::Error;

/// Talk with your gateway in JSON Lines: one message a line, both ways
///
/// The hello is said here. At the end of standard input it goes once everything that was said is
/// answered.
#[derive(clap::Args, Debug)]
pub struct ConnectArgs {
    /// Speak JSON Lines; there is no other way yet
    #[arg(long, required = true)]
    pub json: bool,
}

pub fn run(_args: &ConnectArgs, ui: &mut Ui) -> Result<Outcome> {
    let files = GatewayFiles::of(&env::environment())?;
    if files.running().is_none() {
        return Err(Error::new("no gateway runs").hint("`elophanto gateway --ensure` starts one"));
    }
    bridge(&files.socket, lines(MOST_LINE), &mut |message| {
        ui.line(message)?;
        ui.flush()
    })?;
    Ok(Outcome::Done)
}
