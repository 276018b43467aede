//! `elophanto channel`

mod add;
mod people;

use super::{Json, NoArgs, Outcome, Result, Ui, commands, env, one_of, workspace};
use crate::{
    gateway::files::GatewayFiles,
    wire::channels::{BotWire, PersonWire, RemovedBotWire},
};
use elophanto_app::{
    channels::{Bots, ChannelSettings, Platform},
    settings::Settings,
};
use elophanto_base::visible::escape_control_line;

commands! {
    /// Let people write to the agent on platforms such as Telegram, by a bot of yours
    ///
    /// Your gateway is at work there while it runs. Nobody may write to a bot whom you have not let in, on
    /// this machine.
    struct ChannelArgs(args, ui);
    Add(Json<add::AddArgs>) => add::run(args, ui);
    /// Say which bots there are, who may write to them, and who would like to
    List(Json<NoArgs>) => list(args, ui);
    /// Take a bot away: nobody may write to it any more
    ///
    /// Its token stays in the vault: `elophanto vault remove NAME` takes it away, and the platform makes it
    /// invalid.
    Remove(Json<OneArgs>) => remove(args.platform, ui);
    /// Ask the platform who the bot is, with the token that is kept
    Test(Json<OneArgs>) => test(args.platform, ui);
    Pair(Json<people::PairArgs>) => people::pair(args, ui);
    Approve(Json<people::ApproveArgs>) => people::approve(args, ui);
    LeaveOut(Json<people::LeaveOutArgs>) => people::leave_out(args, ui);
}

#[derive(clap::Args, Debug)]
struct OneArgs {
    /// The platform
    #[arg(value_parser = one_of(&Platform::ALL, Platform::name))]
    platform: Platform,
}

/// Bots of the user, and the files of their gateway.
fn bots(ui: &Ui) -> Result<(Bots, GatewayFiles)> {
    let Settings { config, .. } = workspace::settings(Vec::new(), ui)?;
    let files = GatewayFiles::of(&env::environment())?;
    let settings = ChannelSettings::of(&config)?;
    Ok((Bots::new(&files.folder, settings, env::environment()), files))
}

fn list(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let (listed, unread) = bots(ui)?.0.list();
    let mut unread = unread.into_iter();
    for error in unread.by_ref().take(if listed.is_empty() { 0 } else { usize::MAX }) {
        let hints = error.hints().join("; ");
        ui.warn(format_args!("{} ({hints})", error.message()));
    }
    if let Some(error) = unread.next() {
        return Err(error);
    }
    for it in &listed {
        let wire = BotWire::from(it);
        let mut text = format!("{}: {}", wire.channel, escape_control_line(wire.name));
        for person in &wire.people {
            let approves = if person.approves { ", answers approvals" } else { "" };
            text.push_str(&format!("\n  {} {}{approves}", person.id, person.name));
        }
        for one in &wire.waiting {
            text.push_str(&format!("\n  {} {} waits with a code", one.id, one.name));
        }
        ui.emit(&wire, text)?;
    }
    Ok(ui.listed(listed.is_empty(), "no bot is set up: `elophanto channel add telegram`"))
}

fn remove(platform: Platform, ui: &mut Ui) -> Result<Outcome> {
    let (bots, files) = bots(ui)?;
    let (channel, removed) = (platform.name(), bots.remove(platform)?);
    let text = match removed {
        true => format!("nobody writes to your bot of {channel} any more"),
        false => format!("there is no bot of {channel}"),
    };
    ui.emit(&RemovedBotWire { channel, removed }, text)?;
    if removed && files.running().is_some() {
        ui.note(
            "your gateway goes on asking there until `elophanto gateway stop`; it lets nobody in",
        );
    }
    Ok(if removed { Outcome::Done } else { Outcome::Negative })
}

fn test(platform: Platform, ui: &mut Ui) -> Result<Outcome> {
    let (bots, files) = bots(ui)?;
    let bot = bots.test(platform, ui)?;
    let (listed, _) = bots.list();
    let registry = listed.iter().find(|it| it.platform == platform).map(|it| &it.registry);
    let people =
        registry.map_or_else(Vec::new, |it| it.people.iter().map(PersonWire::from).collect());
    let (channel, name) = (platform.name(), escape_control_line(&bot.name));
    let text = format!("{channel} knows your bot as {name}");
    let is_alone = people.is_empty();
    let wire = BotWire { channel, id: &bot.id, name: &bot.name, people, waiting: Vec::new() };
    ui.emit(&wire, text)?;
    if is_alone {
        ui.note("nobody may write to it yet: write to it, and it says how you let yourself in");
    }
    if files.running().is_none() {
        ui.note("your gateway does not run, so nobody listens there: `elophanto gateway`");
    }
    Ok(Outcome::Done)
}
