//! `elophanto vault set`

use crate::cli::{CliError, Descriptor, Outcome, Result, Ui, UnlockArgs, one_of, secret_input};
use crate::wire::vault::KeptSecretWire;
use elophanto_net::vault::{Kind, Name};

/// Keep a secret under a name, in place of what the name held before
///
/// The value is asked for at the terminal, or read from standard input to its end when that is
/// not a terminal; one line feed at its end is no part of it. The first secret makes the vault:
/// its passphrase is then chosen.
#[derive(clap::Args, Debug)]
pub struct SetArgs {
    /// 1 to 64 letters, digits, dots, underscores and hyphens, such as openrouter
    name: String,
    /// Refused: see [`run`].
    #[arg(hide = true)]
    value: Vec<String>,
    /// What sort of secret it is
    #[arg(long, value_parser = one_of(&Kind::ALL, Kind::as_str), default_value_t = Kind::ApiKey)]
    kind: Kind,
    /// Read the value from descriptor N
    #[arg(long, value_name = "N")]
    value_fd: Option<String>,
    #[command(flatten)]
    unlock: UnlockArgs,
}

pub fn run(args: &SetArgs, ui: &mut Ui) -> Result<Outcome> {
    if !args.value.is_empty() {
        return Err(CliError::new("a value is not taken as an argument").hint(
            "other programs and the history of your shell can read arguments: take this value for \
             known to others; give a new one when asked, on standard input, or with `--value-fd`",
        ));
    }
    let name: Name = args.name.parse()?;
    let passphrase = args.unlock.descriptor()?;
    let descriptor = value_descriptor(args, passphrase.as_ref())?;
    let value = || match descriptor {
        Some(descriptor) => descriptor.value(),
        None => secret_input::ask_value(&format!("Value of {name}: ")),
    };
    let kind = args.kind;
    let replaced = args.unlock.entrance(passphrase)?.set(&name, kind, value, ui)?;
    if ui.json {
        ui.json(&KeptSecretWire { name: name.as_str(), kind: kind.as_str(), replaced })?;
    } else {
        ui.talk(format_args!("{} `{name}`", if replaced { "replaced" } else { "kept" }));
    }
    Ok(Outcome::Done)
}

/// Where the value comes from, if it is not asked for.
fn value_descriptor(args: &SetArgs, passphrase: Option<&Descriptor>) -> Result<Option<Descriptor>> {
    let descriptor = match &args.value_fd {
        Some(text) => Descriptor::named("--value-fd", text)?,
        None if secret_input::stdin_is_terminal() => return Ok(None),
        None => Descriptor::stdin()?,
    };
    if descriptor.is_stdin() && passphrase.is_some_and(Descriptor::is_stdin) {
        return Err(CliError::new("passphrase and value cannot both come from standard input")
            .hint("hand one over by another descriptor: `--passphrase-fd 3 3<FILE`"));
    }
    Ok(Some(descriptor))
}
