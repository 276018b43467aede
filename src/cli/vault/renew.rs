//! `elophanto vault rotate` and `lock`

use crate::cli::{CliError, Descriptor, NoArgs, Outcome, Result, Ui, UnlockArgs, env};
use crate::wire::{upkeep::ForgottenWire, vault::RotatedWire};
use elophanto_app::vault;
use elophanto_base::counted::counted;

/// Choose a new passphrase and encrypt everything anew
///
/// Older copies of the vault, in backups say, still open with the old passphrase.
#[derive(clap::Args, Debug)]
pub struct RotateArgs {
    /// Read the new passphrase from descriptor N: its first line
    #[arg(long, value_name = "N")]
    new_passphrase_fd: Option<String>,
    #[command(flatten)]
    unlock: UnlockArgs,
}

pub fn rotate(args: &RotateArgs, ui: &mut Ui) -> Result<Outcome> {
    let old = args.unlock.descriptor()?;
    let new = args.new_passphrase_fd.as_deref();
    let new = new.map(|text| Descriptor::named("--new-passphrase-fd", text)).transpose()?;
    let is_stdin = |given: &Option<Descriptor>| given.as_ref().is_some_and(Descriptor::is_stdin);
    if is_stdin(&old) && is_stdin(&new) {
        return Err(CliError::new("both passphrases cannot come from standard input")
            .hint("hand one over by another descriptor: `--passphrase-fd 3 3<FILE`"));
    }
    let new = new.map(Descriptor::into_passphrase);
    let rotated = args.unlock.entrance(old)?.rotate(new, ui)?;
    if ui.json {
        ui.json(&RotatedWire { rotated })?;
    } else {
        ui.talk(format_args!(
            "{} encrypted anew; older copies of the vault still open with the old passphrase",
            counted(rotated, "secret")
        ));
    }
    Ok(Outcome::Done)
}

pub fn lock(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let forgotten = vault::lock(&env::environment())?;
    if ui.json {
        ui.json(&ForgottenWire { forgotten })?;
    } else {
        ui.talk(if forgotten { "the key is forgotten" } else { "no key was kept" });
    }
    Ok(if forgotten { Outcome::Done } else { Outcome::Negative })
}
