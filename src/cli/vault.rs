//! `elophanto vault`

use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    secret_input::{self, Descriptor},
    ui::{Ui, visible},
    unlock::{self, Entrance, UnlockArgs},
};
use elophanto_net::vault::{Kind, Name, Vault, VaultError, check_value};

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

/// Keep a secret under a name, in place of what the name held before
///
/// The value is asked for at the terminal, or read from standard input to its end when that is
/// not a terminal; one line feed at its end is no part of it. The first secret makes the vault:
/// its passphrase is then chosen.
#[derive(clap::Args, Debug)]
pub struct SetArgs {
    /// 1 to 64 letters, digits, dots, underscores and hyphens, such as openrouter
    name: String,
    /// Refused: see [`set`].
    #[arg(hide = true)]
    value: Vec<String>,
    /// What sort of secret it is
    #[arg(long, value_enum, default_value_t = KindArg::ApiKey)]
    kind: KindArg,
    /// Read the value from descriptor N
    #[arg(long, value_name = "N")]
    value_fd: Option<String>,
    #[command(flatten)]
    unlock: UnlockArgs,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

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
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// List names and kinds of all secrets, never their values
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    unlock: UnlockArgs,
    /// Print JSON Lines, with when each was set and last used
    #[arg(long)]
    json: bool,
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
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

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
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// Have the keyring of this system forget the key that `--remember` gave it
///
/// Exits with 1 if it kept none.
#[derive(clap::Args, Debug)]
pub struct LockArgs {
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum KindArg {
    ApiKey,
    Oauth,
    Password,
}

/// What `set` did, as `--json` prints it.
#[derive(Serialize)]
struct SetWire<'a> {
    name: &'a str,
    kind: &'a str,
    replaced: bool,
}

/// A secret, as `get --json` prints it.
#[derive(Serialize)]
struct SecretWire<'a> {
    name: &'a str,
    kind: &'a str,
    value: &'a str,
}

/// A secret without its value, as `list --json` prints it.
#[derive(Serialize)]
struct ListedWire<'a> {
    name: &'a str,
    kind: &'a str,
    created: String,
    last_used: Option<String>,
}

/// What `remove` did, as `--json` prints it.
#[derive(Serialize)]
struct RemovedWire<'a> {
    name: &'a str,
    removed: bool,
}

/// What `rotate` did, as `--json` prints it.
#[derive(Serialize)]
struct RotatedWire {
    rotated: usize,
}

/// What `lock` did, as `--json` prints it.
#[derive(Serialize)]
struct LockedWire {
    forgotten: bool,
}

impl VaultArgs {
    /// Whether stdout is JSON.
    pub fn is_json(&self) -> bool {
        match &self.command {
            VaultCommand::Set(args) => args.json,
            VaultCommand::Get(args) => args.json,
            VaultCommand::List(args) => args.json,
            VaultCommand::Remove(args) => args.json,
            VaultCommand::Rotate(args) => args.json,
            VaultCommand::Lock(args) => args.json,
        }
    }
}

pub fn run(args: &VaultArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    match &args.command {
        VaultCommand::Set(args) => set(args, ui),
        VaultCommand::Get(args) => get(args, ui),
        VaultCommand::List(args) => list(args, ui),
        VaultCommand::Remove(args) => remove(args, ui),
        VaultCommand::Rotate(args) => rotate(args, ui),
        VaultCommand::Lock(args) => lock(args, ui),
    }
}

fn set(args: &SetArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if !args.value.is_empty() {
        return Err(CliError::new("a value is not taken as an argument").hint(
            "other programs and the history of your shell can read arguments: take this value for \
             known to others; give a new one when asked, on standard input, or with `--value-fd`",
        ));
    }
    let name: Name = args.name.parse()?;
    let mut entrance = args.unlock.entrance()?;
    let descriptor = value_descriptor(args, &entrance)?;
    // Nobody types a value before the way in is open.
    let place = match entrance.open(ui)? {
        Some(vault) => Place::Open(vault),
        None => Place::New(entrance.new_passphrase()?),
    };
    let value = match descriptor {
        Some(descriptor) => descriptor.value()?,
        None => secret_input::ask_value(&format!("Value of {name}: "))?,
    };
    // A value that can't be kept is no reason to make a vault.
    check_value(&value).map_err(VaultError::from)?;
    let mut vault = match place {
        Place::Open(vault) => vault,
        Place::New(passphrase) => entrance.create(passphrase, ui)?,
    };
    let kind = Kind::from(args.kind);
    let replaced = vault.set(&name, kind, value)?;
    let done = if replaced { "replaced" } else { "kept" };
    let wire = SetWire { name: name.as_str(), kind: kind.as_str(), replaced };
    if ui.json {
        ui.json(&wire)?;
    } else {
        ui.talk(format_args!("{done} `{name}`"));
    }
    Ok(Outcome::Done)
}

/// Where a secret goes.
enum Place {
    Open(Vault),
    /// To be made with this passphrase.
    New(SecretString),
}

/// Where the value comes from, if it is not asked for.
fn value_descriptor(args: &SetArgs, entrance: &Entrance) -> Result<Option<Descriptor>, CliError> {
    let descriptor = match &args.value_fd {
        Some(text) => Descriptor::named("--value-fd", text)?,
        None if secret_input::stdin_is_terminal() => return Ok(None),
        None => Descriptor::stdin()?,
    };
    if descriptor.is_stdin() && entrance.uses_stdin() {
        return Err(CliError::new("passphrase and value cannot both come from standard input")
            .hint("hand one over by another descriptor: `--passphrase-fd 3 3<FILE`"));
    }
    Ok(Some(descriptor))
}

fn get(args: &GetArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let name: Name = args.name.parse()?;
    if ui.is_terminal() && !args.show {
        return Err(CliError::new("a secret is not printed on a terminal")
            .hint("hand it to a program by a pipe, or see it with `--show`"));
    }
    let vault = args.unlock.entrance()?.open(ui)?;
    let Some(entry) = vault.and_then(|mut vault| vault.get(&name)) else {
        return absent(&name, ui);
    };
    let value = entry.value.expose_secret();
    if ui.json {
        let kind = entry.kind.as_str();
        ui.json(&SecretWire { name: name.as_str(), kind, value })?;
    } else if ui.is_terminal() {
        ui.line(visible(value))?;
    } else {
        ui.line(value)?;
    }
    Ok(Outcome::Done)
}

fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let Some(vault) = args.unlock.entrance()?.open(ui)? else { return Ok(Outcome::Done) };
    let width = vault.entries().map(|(name, _)| name.as_str().len()).max().unwrap_or_default();
    for (name, entry) in vault.entries() {
        let time = |time: jiff::Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let wire = ListedWire {
            name: name.as_str(),
            kind: entry.kind.as_str(),
            created: time(entry.created),
            last_used: entry.last_used.map(time),
        };
        ui.emit(&wire, format_args!("{name:width$}  {}", wire.kind))?;
    }
    Ok(Outcome::Done)
}

fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let name: Name = args.name.parse()?;
    let removed = match args.unlock.entrance()?.open(ui)? {
        Some(mut vault) => vault.remove(&name)?,
        None => false,
    };
    if ui.json {
        ui.json(&RemovedWire { name: name.as_str(), removed })?;
    } else if !removed {
        return absent(&name, ui);
    } else {
        ui.talk(format_args!("removed `{name}`"));
    }
    Ok(if removed { Outcome::Done } else { Outcome::Negative })
}

fn rotate(args: &RotateArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut entrance = args.unlock.entrance()?;
    let new = args.new_passphrase_fd.as_deref();
    let descriptor = new.map(|text| Descriptor::named("--new-passphrase-fd", text)).transpose()?;
    if descriptor.as_ref().is_some_and(Descriptor::is_stdin) && entrance.uses_stdin() {
        return Err(CliError::new("both passphrases cannot come from standard input")
            .hint("hand one over by another descriptor: `--passphrase-fd 3 3<FILE`"));
    }
    let Some(mut vault) = entrance.open(ui)? else {
        return Err(VaultError::Missing { path: entrance.path().to_owned() }.into());
    };
    let passphrase: SecretString = entrance.choose(descriptor)?;
    entrance.rotate(&mut vault, &passphrase, ui)?;
    let rotated = vault.entries().count();
    if ui.json {
        ui.json(&RotatedWire { rotated })?;
    } else {
        ui.talk(format_args!(
            "{rotated} secrets encrypted anew; older copies of the vault still open with the old \
             passphrase"
        ));
    }
    Ok(Outcome::Done)
}

fn lock(_: &LockArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let forgotten = unlock::lock()?;
    if ui.json {
        ui.json(&LockedWire { forgotten })?;
    } else {
        ui.talk(if forgotten { "the key is forgotten" } else { "no key was kept" });
    }
    Ok(if forgotten { Outcome::Done } else { Outcome::Negative })
}

fn absent(name: &Name, ui: &Ui) -> Result<Outcome, CliError> {
    ui.talk(format_args!("the vault has no entry `{name}`"));
    Ok(Outcome::Negative)
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::ApiKey => Self::ApiKey,
            KindArg::Oauth => Self::OAuth,
            KindArg::Password => Self::Password,
        }
    }
}
