//! `elophanto channel add`

use secrecy::{ExposeSecret, SecretString};

use super::bots;
use crate::cli::{Descriptor, Outcome, Result, Ui, UnlockArgs, env, one_of, secret_input};
use crate::wire::channels::NewBotWire;
use elophanto_app::{
    Error,
    channels::{Bot, Bots, First, Platform, SetUp},
};
use elophanto_base::visible::escape_control_line;
use elophanto_net::vault::{Kind, Name};

/// Set a bot up: its token is asked for, tried, and kept in the vault
///
/// The token is asked for at the terminal, or read from standard input to its end when that is not a
/// terminal. At a terminal, the first person is let in by the code that the bot tells them.
#[derive(clap::Args, Debug)]
pub struct AddArgs {
    /// The platform
    #[arg(value_parser = one_of(&Platform::ALL, Platform::name))]
    platform: Platform,
    /// Read the token from descriptor N
    #[arg(long, value_name = "N")]
    token_fd: Option<String>,
    #[command(flatten)]
    unlock: UnlockArgs,
}

/// What is to be done at the platform first.
fn steps(platform: Platform) -> &'static str {
    match platform {
        Platform::Telegram => {
            "At Telegram:\n\
             1. write to @BotFather: https://t.me/BotFather\n\
             2. send /newbot, and answer how it is to be called\n\
             3. copy the token that it says: 123456:ABC..."
        }
        Platform::Discord => {
            "At Discord:\n\
             1. open https://discord.com/developers/applications, `New Application`, and name it\n\
             2. `Bot`: no privileged intent is needed, leave all three off\n\
             3. `Bot`, `Reset Token`: copy the token that it says: MTIz....GhIjKl.mNoPq...\n\
             Where to let it in, so that you share a server with it and may write to it, is said next."
        }
        Platform::Slack => {
            "At Slack:\n\
             1. open https://api.slack.com/apps?new_app=1, choose `From a manifest`, and paste this:\n\
             \n\
             display_information: {name: elophanto}\n\
             features:\n  \
               app_home: {messages_tab_enabled: true, messages_tab_read_only_enabled: false}\n  \
               bot_user: {display_name: elophanto, always_online: true}\n  \
               slash_commands: [{command: /elophanto, description: Ask the agent, usage_hint: status}]\n\
             oauth_config: {scopes: {bot: [app_mentions:read, chat:write, commands, files:read, \
             files:write, im:history, reactions:read]}}\n\
             settings:\n  \
               event_subscriptions: {bot_events: [app_mention, message.im, reaction_added]}\n  \
               interactivity: {is_enabled: true}\n  \
               socket_mode_enabled: true\n\
             \n\
             2. `Install App` shows the token of the bot: xoxb-...\n\
             3. `Basic Information`, `App-Level Tokens`: make one with connections:write: xapp-...\n\
             Both are asked for, with a blank between."
        }
    }
}

fn address(platform: Platform, bot: &Bot) -> String {
    let name = escape_control_line(&bot.name);
    match platform {
        Platform::Telegram => format!("https://t.me/{name}"),
        Platform::Discord => format!("https://discord.com/users/{}", escape_control_line(&bot.id)),
        Platform::Slack => format!("under Apps in Slack: {name}"),
    }
}

/// What is to be done at the platform once the bot is known, before anybody can write to it.
fn invitation(platform: Platform, bot: &Bot) -> Option<String> {
    let link = "https://discord.com/oauth2/authorize?scope=bot+applications.commands&permissions=0";
    (platform == Platform::Discord).then(|| {
        format!(
            "let it into a server of yours, or nobody finds it: {link}&client_id={}",
            escape_control_line(&bot.id)
        )
    })
}

pub fn run(args: &AddArgs, ui: &mut Ui) -> Result<Outcome> {
    let platform = args.platform;
    let (bots, files) = bots(ui)?;
    files.prepare()?;
    let passphrase = args.unlock.descriptor()?;
    let of_variable = env::environment().secrets().variable(platform.variable());
    let of_variable = of_variable.filter(|token| !token.expose_secret().is_empty());
    let token = match &of_variable {
        Some(token) => token.clone(),
        None => asked_for(args, platform, ui)?,
    };
    let bot = bots.try_token(platform, &token)?;
    if of_variable.is_none() {
        let name: Name = platform.name().parse()?;
        let value = || Ok(token.clone());
        args.unlock.entrance(passphrase)?.set(&name, Kind::ApiKey, value, ui)?;
    }
    let SetUp { bot, people } = bots.set_up(platform, bot)?;
    let name = escape_control_line(&bot.name);
    let (channel, kept) = (platform.name(), of_variable.is_none());
    let wire = NewBotWire { channel, id: &bot.id, name: &bot.name, people, kept };
    ui.emit(&wire, format_args!("{channel} knows your bot as {name}"))?;
    ui.flush()?;
    if let Some(invitation) = invitation(platform, &bot) {
        ui.note(invitation);
    }
    let address = address(platform, &bot);
    match First::of(people, files.running().is_some(), ui.can_ask()) {
        First::Known => ui.note("who was let in to it before still is: `elophanto channel list`"),
        First::Here => first_person(&bots, platform, &token, &address, ui)?,
        First::ByGateway => {
            ui.note(format_args!("write to it ({address}), and it says how you let yourself in"));
        }
    }
    match files.running() {
        Some(_) => {
            ui.note("`elophanto gateway stop`, then start it again: it listens there from then on")
        }
        None => ui.note("`elophanto gateway` listens there while it runs"),
    }
    Ok(Outcome::Done)
}

fn asked_for(args: &AddArgs, platform: Platform, ui: &Ui) -> Result<SecretString> {
    let descriptor = match &args.token_fd {
        Some(text) => Descriptor::named("--token-fd", text)?,
        None if secret_input::stdin_is_terminal() => {
            ui.talk(steps(platform));
            return secret_input::ask_value("The token: ");
        }
        None => Descriptor::stdin()?,
    };
    let token = descriptor.value()?;
    if token.expose_secret().trim().is_empty() {
        return Err(Error::new("no token was given").hint(format!(
            "run it at a terminal, which asks for it; or hand it over: `elophanto channel add {} <FILE`, \
             or in {}",
            platform.name(),
            platform.variable()
        )));
    }
    Ok(token)
}

/// Lets the first person in: whoever types here the code that the bot told them.
fn first_person(
    bots: &Bots,
    platform: Platform,
    token: &SecretString,
    address: &str,
    ui: &Ui,
) -> Result<()> {
    ui.talk(format_args!("Write to it now, from your own account ({address})"));
    let Some(met) = bots.meet(platform, token)? else {
        ui.note("nobody wrote to it: do so while your gateway runs, and it says how you let yourself in");
        return Ok(());
    };
    ui.talk(format_args!("{} (number {}) wrote to it, and was told a code.", met.name, met.id));
    let code = secret_input::ask_value("The code that you see there: ")?;
    let approves = ui.confirm("May they also answer what the agent asks before it acts?")?;
    let (_, person) = bots.pair(code.expose_secret(), approves)?;
    ui.talk(format_args!("{} may write to you.", person.name));
    Ok(())
}
