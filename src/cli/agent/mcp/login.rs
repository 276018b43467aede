//! `elophanto agent mcp login` and `logout`

use super::add::show;
use crate::cli::{Outcome, Result, Ui, UnlockArgs, env};
use crate::wire::upkeep::ForgottenWire;
use elophanto_app::mcp::{self, LoginRequest};

/// Sign in at a server that wants it
///
/// Says which address to open in a browser on this machine, waits until you have signed in there,
/// and keeps what the server grants in the vault: it is sent to that server and nowhere else, and
/// renewed by itself.
#[derive(clap::Args, Debug)]
pub struct LoginArgs {
    /// Its name
    name: String,
    /// The name you got for this program, where programs cannot introduce themselves
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    #[command(flatten)]
    unlock: UnlockArgs,
}

/// Forget what a server granted when you signed in
#[derive(clap::Args, Debug)]
pub struct LogoutArgs {
    /// Its name
    name: String,
    #[command(flatten)]
    unlock: UnlockArgs,
}

pub fn login(args: &LoginArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut entrance = args.unlock.entrance(args.unlock.descriptor()?)?;
    let (name, client_id) = (args.name.clone(), args.client_id.clone());
    let request = LoginRequest { name, client_id };
    let server = mcp::login(&request, &mut entrance, &env::environment(), ui)?;
    show(&server, ui)?;
    if !server.trusted {
        ui.talk(format_args!(
            "signed in; to see what it offers: elophanto agent mcp trust {}",
            server.name
        ));
    }
    Ok(Outcome::Done)
}

pub fn logout(args: &LogoutArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut entrance = args.unlock.entrance(args.unlock.descriptor()?)?;
    if !mcp::logout(&args.name, &mut entrance, &env::environment(), ui)? {
        return Ok(ui.nothing(format_args!("nothing of `{}` is kept", args.name)));
    }
    ui.done(&ForgottenWire { forgotten: &args.name }, format_args!("forgotten: {}", args.name))
}
