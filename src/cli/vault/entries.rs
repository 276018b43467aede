//! `elophanto vault get`, `list` and `remove`

use secrecy::ExposeSecret as _;

use crate::cli::{CliError, Outcome, Result, Ui, UnlockArgs, visible};
use crate::wire::vault::{ListedSecretWire, RemovedSecretWire, SecretWire};
use elophanto_app::keys::Asking;
use elophanto_net::vault::Name;

/// Print a secret
///
/// Not on a terminal, where it would stay to be seen, unless `--show` is given. Exits with 1 if
/// there is none with that name.
#[derive(clap::Args, Debug)]
pub struct GetArgs {
    /// Name of the secret
    name: String,
    /// Print it on a terminal too
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    unlock: UnlockArgs,
}

/// List names and kinds of all secrets, never their values
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    unlock: UnlockArgs,
    /// Print JSON Lines, with when each was set and last used
    #[arg(long)]
    pub json: bool,
}

/// Forget a secret
///
/// Exits with 1 if there is none with that name.
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Name of the secret
    name: String,
    #[command(flatten)]
    unlock: UnlockArgs,
}

pub fn get(args: &GetArgs, ui: &mut Ui) -> Result<Outcome> {
    let name: Name = args.name.parse()?;
    if ui.is_terminal() && !args.show {
        return Err(CliError::new("a secret is not printed on a terminal")
            .hint("hand it to a program by a pipe, or see it with `--show`"));
    }
    let vault = args.unlock.open(Asking::Through(ui))?;
    let Some(entry) = vault.and_then(|mut vault| vault.get(&name)) else {
        return absent(&name, ui);
    };
    let value = entry.value.expose_secret();
    if ui.json {
        ui.json(&SecretWire { name: name.as_str(), kind: entry.kind.as_str(), value })?;
    } else if ui.is_terminal() {
        ui.line(visible(value))?;
    } else {
        ui.line(value)?;
    }
    Ok(Outcome::Done)
}

pub fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome> {
    let nothing = "nothing is in the vault: `elophanto vault set NAME`";
    let Some(vault) = args.unlock.open(Asking::Through(ui))? else {
        return Ok(ui.nothing(nothing));
    };
    let width = vault.entries().map(|(name, _)| name.as_str().len()).max().unwrap_or_default();
    for (name, entry) in vault.entries() {
        let time = |time: jiff::Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let wire = ListedSecretWire {
            name: name.as_str(),
            kind: entry.kind.as_str(),
            created: time(entry.created),
            last_used: entry.last_used.map(time),
        };
        ui.emit(&wire, format_args!("{name:width$}  {}", entry.kind))?;
    }
    Ok(if width == 0 { ui.nothing(nothing) } else { Outcome::Done })
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome> {
    let name: Name = args.name.parse()?;
    let removed = match args.unlock.open(Asking::Through(ui))? {
        Some(mut vault) => vault.remove(&name)?,
        None => false,
    };
    if ui.json {
        ui.json(&RemovedSecretWire { name: name.as_str(), removed })?;
    } else if !removed {
        return absent(&name, ui);
    } else {
        ui.talk(format_args!("removed `{name}`"));
    }
    Ok(if removed { Outcome::Done } else { Outcome::Negative })
}

fn absent(name: &Name, ui: &Ui) -> Result<Outcome> {
    Ok(ui.nothing(format_args!("the vault has no entry `{name}`")))
}
