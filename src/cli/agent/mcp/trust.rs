//! `elophanto agent mcp trust`

use super::{
    super::super::{Outcome, error::CliError, ui::Ui},
    add::show,
    kept,
    look::{self, lines},
};

/// Start a server once, look at what it offers, and use that in runs from now on
///
/// Shows its command first and asks before it is started; then shows its tools and asks before they
/// are used.
#[derive(clap::Args, Debug)]
pub struct TrustArgs {
    /// Its name
    name: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let name = args.name.as_str();
    let Some(mut kept) = kept::read()?.remove(name) else {
        ui.talk(format_args!("no server `{name}` was added"));
        return Ok(Outcome::Negative);
    };
    let mut entry = kept.entry(name)?;
    let is_known = entry.trusted;
    entry.trusted = true;
    entry.check().map_err(CliError::new)?;
    if !args.yes && !is_known {
        for line in lines(name, &kept, None) {
            ui.talk(line);
        }
        if !ui.confirm("Start it to see what it offers?")? {
            return no(ui);
        }
    }
    let looked = look::look(&entry)?;
    let is_same = is_known && kept.offers.as_ref() == Some(&looked.offers);
    let before = kept.clone();
    kept.agreed = Some(entry.fingerprint());
    kept.offers = Some(looked.offers.clone());
    if !args.yes && !is_same {
        for line in lines(name, &kept, Some(&looked)) {
            ui.talk(line);
        }
        if !ui.confirm("Use these tools?")? {
            return no(ui);
        }
    }
    let done = kept::change(|servers| match servers.get_mut(name) {
        // Somebody else changed it while it was looked at.
        Some(now) if *now == before => {
            now.clone_from(&kept);
            Ok(true)
        }
        _ => Ok(false),
    })?;
    if !done {
        return Err(CliError::new(format_args!("server `{name}` was changed in the meantime"))
            .hint("run it again and look at what is shown"));
    }
    show(name, &kept, Some(&looked), Some(true), ui)?;
    Ok(Outcome::Done)
}

fn no(ui: &Ui) -> Result<Outcome, CliError> {
    ui.talk("nothing was changed; --yes trusts it without asking");
    Ok(Outcome::Negative)
}
