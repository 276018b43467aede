//! `elophanto agent mcp stop`

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{
    super::super::{Outcome, env, error::CliError, ui::Ui},
    serve::{CHECK, home},
};
use crate::mcp::running::Files;
use elophanto_base::process;
use elophanto_index::store::lock;

/// How long a server may take to end.
const END: Duration = Duration::from_secs(10);

/// Stop the HTTP server of this repository
///
/// It ends what it is at and goes. Exits with 1 if none runs.
#[derive(clap::Args, Debug)]
pub struct StopArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct StoppedWire {
    stopped: String,
    pid: u32,
}

pub fn run(_args: &StopArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let (root, _) = home(ui)?;
    let files = Files::of(&root, &env::environment())?;
    // Who makes sure of one meanwhile starts it after this.
    let _lock = lock::wait(&files.lock).map_err(|cause| files.unwritable(&cause))?;
    // It answers with its own number, so the number is nobody else's by now.
    let Some(running) = files.read().filter(|running| running.is_well(CHECK)) else {
        ui.talk("no server runs");
        return Ok(Outcome::Negative);
    };
    process::ask_to_end(running.pid)?;
    let begun = Instant::now();
    while running.is_well(CHECK) {
        if begun.elapsed() > END {
            return Err(CliError::new(format_args!("the server {} does not end", running.pid))
                .hint("end it by hand: kill -9 with this number"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    files.remove(&running);
    let wire = StoppedWire { stopped: running.url(), pid: running.pid };
    ui.emit(&wire, format_args!("stopped: {}", running.url()))?;
    Ok(Outcome::Done)
}
