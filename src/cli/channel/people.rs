//! Who may write to a bot: `elophanto channel pair`, `approve` and `leave-out`

use super::bots;
use crate::cli::{Outcome, Result, Ui, one_of};
use crate::wire::channels::ChangedWire;
use elophanto_app::{channels::Platform, shell::quoted};

/// Let somebody in who wrote to a bot, by the code that it told them
///
/// A code is good for an hour, and once.
#[derive(clap::Args, Debug)]
pub struct PairArgs {
    /// The code
    code: String,
    /// Let them answer approvals too
    #[arg(long)]
    approve: bool,
}

/// Have somebody who may write answer approvals too
#[derive(clap::Args, Debug)]
pub struct ApproveArgs {
    /// The platform
    #[arg(value_parser = one_of(&Platform::ALL, Platform::name))]
    platform: Platform,
    /// Their number: `channel list` says it
    id: String,
    /// Have them answer approvals no more
    #[arg(long)]
    no_more: bool,
}

/// Let somebody in no more
#[derive(clap::Args, Debug)]
pub struct LeaveOutArgs {
    /// The platform
    #[arg(value_parser = one_of(&Platform::ALL, Platform::name))]
    platform: Platform,
    /// Their number: `channel list` says it
    id: String,
}

pub fn pair(args: &PairArgs, ui: &mut Ui) -> Result<Outcome> {
    let (platform, person) = bots(ui)?.0.pair(&args.code, args.approve)?;
    let channel = platform.name();
    let approves = if person.approves { ", and answers approvals" } else { "" };
    let text = format!("{} ({channel} {}) may write to you{approves}", person.name, person.id);
    ui.emit(&ChangedWire::of(platform, &person, true), text)?;
    if !person.approves {
        ui.note(format_args!(
            "what would need an approval is not done for them: `elophanto channel approve {channel} {}` \
             lets them answer too",
            quoted(&person.id)
        ));
    }
    Ok(Outcome::Done)
}

pub fn approve(args: &ApproveArgs, ui: &mut Ui) -> Result<Outcome> {
    let platform = args.platform;
    let person = bots(ui)?.0.approve(platform, &args.id, !args.no_more)?;
    let text = match person.approves {
        true => format!("{} answers approvals", person.name),
        false => format!("{} answers approvals no more", person.name),
    };
    ui.done(&ChangedWire::of(platform, &person, true), text)
}

pub fn leave_out(args: &LeaveOutArgs, ui: &mut Ui) -> Result<Outcome> {
    let platform = args.platform;
    let person = bots(ui)?.0.leave_out(platform, &args.id)?;
    let text = format!("{} may write no more", person.name);
    ui.done(&ChangedWire::of(platform, &person, false), text)
}
