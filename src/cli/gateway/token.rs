//! `elophanto gateway token`

use std::time::Duration;

use axum::http::Method;

use crate::cli::{Json, NoArgs, Outcome, Result, Ui, commands, env};
use crate::{
    gateway::files::GatewayFiles,
    listening::{own, token::new_token},
    wire::servers::RotatedTokenWire,
};
use elophanto_app::Error;

/// How long the gateway may take to take another one.
const PATIENCE: Duration = Duration::from_secs(5);

commands! {
    /// The token by which programs come in
    struct TokenArgs(args, ui);
    /// Put another token in the place of the one there is
    ///
    /// The old one opens nothing from now on, and what it opened is closed. The new one is kept for
    /// every start of the gateway; `gateway status --token` prints it.
    Rotate(Json<NoArgs>) => rotate(args, ui);
}

fn rotate(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let files = GatewayFiles::of(&env::environment())?;
    let is_running = files.running().is_some();
    if is_running {
        let (status, said) = own::ask(&files.socket, Method::POST, "/token", PATIENCE)?;
        if status != 200 {
            let why = said["error"].as_str().unwrap_or("it says nothing").to_owned();
            return Err(Error::new(format_args!("the gateway takes no other token: {why}")));
        }
    } else {
        if let Some(pid) = files.silent() {
            return Err(Error::new(format_args!(
                "a gateway of yours, process {pid}, does not answer: it would go on with the old token"
            ))
            .hint(format!("`kill -CONT {pid}` lets it go on, `kill {pid}` ends it")));
        }
        files.prepare()?;
        files.write_token(&new_token().map_err(Error::new)?)?;
    }
    let text = match is_running {
        true => {
            "another token holds now, and what the old one opened is closed: `elophanto gateway status \
             --token` prints it"
        }
        false => "another token holds from the next start of the gateway on",
    };
    ui.done(&RotatedTokenWire { rotated: true, running: is_running }, text)
}
