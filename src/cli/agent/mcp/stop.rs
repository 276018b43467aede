//! `elophanto agent mcp stop`

use serde_json::json;

use super::{
    super::super::{Outcome, env, error::Result, ui::Ui},
    serve::home,
};
use crate::{listening::life, mcp::serving};

/// Stop the HTTP server of this repository
///
/// It ends what it is at and goes. Exits with 1 if none runs.
#[derive(clap::Args, Debug)]
pub struct StopArgs {}

pub fn run(_args: &StopArgs, ui: &mut Ui) -> Result<Outcome> {
    let (root, _) = home(ui)?;
    let files = serving::files(&root, &env::environment())?;
    let Some(running) = life::stop(&files)? else {
        ui.talk("no server runs");
        return Ok(Outcome::Negative);
    };
    let wire = json!({ "stopped": running.url(), "pid": running.pid });
    ui.emit(&wire, format_args!("stopped: {}", running.url()))?;
    Ok(Outcome::Done)
}
