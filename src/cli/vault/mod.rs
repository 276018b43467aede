//! `elophanto vault`

mod entries;
mod renew;
mod set;

use super::{Outcome, error::Result, ui::Ui};
use entries::{GetArgs, ListArgs, RemoveArgs};
use renew::{LockArgs, RotateArgs};
use set::SetArgs;

/// Keep API keys and other secrets, encrypted, out of every repository
///
/// The vault is one file in your own data folder. Its passphrase is asked for at the terminal, or
/// read from a descriptor; neither it nor a secret is ever taken from an argument or a variable,
/// where other programs could read it. Whoever loses the passphrase loses the secrets.
///
/// Wherever the settings want a key, write `vault:NAME`.
#[derive(clap::Args, Debug)]
pub struct VaultArgs {
    #[command(subcommand)]
    command: VaultCommand,
}

#[derive(clap::Subcommand, Debug)]
enum VaultCommand {
    Set(SetArgs),
    Get(GetArgs),
    List(ListArgs),
    Remove(RemoveArgs),
    Rotate(RotateArgs),
    Lock(LockArgs),
}

pub fn run(args: &VaultArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.command {
        VaultCommand::Set(args) => set::run(args, ui),
        VaultCommand::Get(args) => entries::get(args, ui),
        VaultCommand::List(args) => entries::list(args, ui),
        VaultCommand::Remove(args) => entries::remove(args, ui),
        VaultCommand::Rotate(args) => renew::rotate(args, ui),
        VaultCommand::Lock(_) => renew::lock(ui),
    }
}
