//! Channels: people write to the agent on platforms of others, by a bot of the user's own, or at the terminal
//! of the gateway. Each is a client of the gateway, which it is told by the platform alone who writes.
//!
//! Nobody may unless the user said so on this machine. What was taken is not lost, whenever the process
//! ends or the platform does not answer, and is not done twice.

mod admit;
mod asking;
mod hall;
mod kept;
mod lines;
mod notifying;
mod registry;
mod running;
mod sending;
mod setup;
mod told;

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::Receiver},
    time::Duration,
};

use jiff::Timestamp;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use url::Url;

use crate::{
    Environment, Error, Reporter, Result,
    config::Config,
    gateway::{Channel, Gateway},
    keys::{self, Asking},
};
use elophanto_base::regular::{careful, if_there, read_capped};
pub use elophanto_channels::Bot;
use elophanto_channels::{
    ChannelAdapter, ChannelError, DISCORD, Discord, SLACK, Slack, TELEGRAM, Telegram, Terminal,
};
use kept::Kept;
pub use notifying::sink;
use registry::RegistryFile;
pub use registry::{Knocked, Person, Registry};
use running::RunningChannel;
pub use setup::{Bots, First, Listed, Met, SetUp};

/// A platform that bots can be set up at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Asked in long polls, over its Bot API.
    Telegram,
    /// Spoken to over its gateway and its HTTP API.
    Discord,
    /// Spoken to over Socket Mode and its Web API.
    Slack,
}

impl Platform {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Telegram, Self::Discord, Self::Slack];

    /// As the settings and commands write it.
    pub fn name(self) -> &'static str {
        self.channel().name()
    }

    fn channel(self) -> Channel {
        match self {
            Self::Telegram => Channel::Telegram,
            Self::Discord => Channel::Discord,
            Self::Slack => Channel::Slack,
        }
    }

    /// The variable that may hold the token, which comes before the vault.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Telegram => "TELEGRAM_BOT_TOKEN",
            Self::Discord => "DISCORD_BOT_TOKEN",
            Self::Slack => "SLACK_TOKENS",
        }
    }

    fn adapter(
        self,
        settings: &ChannelSettings,
        token: &SecretString,
        bot: Bot,
    ) -> Result<Box<dyn ChannelAdapter>, ChannelError> {
        match self {
            Self::Telegram => Ok(Box::new(Telegram::new(&settings.telegram, token, bot)?)),
            Self::Discord => {
                Ok(Box::new(Discord::new(&settings.discord, token, bot, settings.groups)?))
            }
            Self::Slack => Ok(Box::new(Slack::new(&settings.slack, token, bot)?)),
        }
    }
}

/// What the settings say of channels.
#[derive(Debug, Clone)]
pub struct ChannelSettings {
    /// Whether mentions in groups are answered, from the notes.
    pub groups: bool,
    /// Where the Bot API is.
    pub telegram: Url,
    /// Where Discord's HTTP API is.
    pub discord: Url,
    /// Where Slack's Web API is.
    pub slack: Url,
}

impl ChannelSettings {
    /// # Errors
    /// When an address is none.
    pub fn of(config: &Config) -> Result<Self> {
        let settings = &config.gateway;
        let address = |name: &str, given: &Option<String>, usual: &str| {
            Url::parse(given.as_deref().unwrap_or(usual)).map_err(|cause| {
                Error::new(format_args!("gateway.{name} is no address: {cause}"))
                    .hint(format!("leave it out, or write one such as {usual}"))
            })
        };
        Ok(Self {
            groups: settings.groups,
            telegram: address("telegram_url", &settings.telegram_url, TELEGRAM)?,
            discord: address("discord_url", &settings.discord_url, DISCORD)?,
            slack: address("slack_url", &settings.slack_url, SLACK)?,
        })
    }
}

/// What channels are opened with.
pub struct ChannelOptions {
    /// What holds the conversations.
    pub gateway: Arc<Gateway>,
    /// That of the gateway: what is kept lies below it.
    pub folder: PathBuf,
    /// Which bots there are, and how each speaks.
    pub settings: ChannelSettings,
    /// Where their tokens come from.
    pub environment: Environment,
    /// Told what goes wrong with a bot.
    pub reporter: Arc<dyn Reporter + Send + Sync>,
}

/// Somebody who talks at the terminal of the gateway: the user of this machine.
pub struct Here {
    user: String,
    most: usize,
    typed: Box<dyn FnOnce() -> Receiver<Option<String>> + Send>,
    out: Box<dyn Write + Send>,
}

impl Here {
    /// `typed` begins to read lines, of those that are no text nothing; called once nobody is asked for
    /// anything there any more. A line of `most` bytes or more is not taken. `user` is the name under which
    /// programs of the user's talk with the gateway, whose conversations are the same.
    pub fn new(
        user: String,
        most: usize,
        typed: Box<dyn FnOnce() -> Receiver<Option<String>> + Send>,
        out: Box<dyn Write + Send>,
    ) -> Self {
        Self { user, most, typed, out }
    }

    /// # Errors
    /// When what is kept cannot be read or written.
    fn open(self, folder: &Path, options: &ChannelOptions) -> Result<Arc<RunningChannel>> {
        let channel = Channel::Cli;
        let kept = Kept::open(folder, channel.name())?;
        let typed = (self.typed)();
        let terminal =
            Terminal::new(self.user.clone(), typed, self.most, self.out, kept.last_number());
        let bot = terminal.bot().map_err(Error::new)?;
        let registry = RegistryFile::of(folder, channel.name());
        let mut known = Registry::new(bot.clone());
        known.people.push(Person {
            name: self.user.clone(),
            home: terminal.place(),
            id: self.user,
            approves: true,
            since: Timestamp::now(),
        });
        registry.put(&known)?;
        let running =
            RunningChannel::new(channel, Box::new(terminal), registry, bot, kept, options);
        running.seat_people(true)?;
        Ok(running)
    }
}

/// Channels at work. Dropping it ends them.
pub struct Channels(Vec<Arc<RunningChannel>>);

impl Channels {
    /// Opens those that were set up; their people are clients of the gateway from now on. What one cannot
    /// be opened for is told, and the others are. `here` talks at the terminal of the process.
    pub fn open(options: &ChannelOptions, here: Option<Here>) -> Self {
        let reporter: &dyn Reporter = &*options.reporter;
        let folder = below(&options.folder);
        let bots = Platform::ALL.map(|it| (it.channel(), open(it, &folder, options)));
        let here = here.map(|here| (Channel::Cli, here.open(&folder, options).map(Some)));
        let mut all_running = Vec::new();
        for (channel, opened) in bots.into_iter().chain(here) {
            match opened {
                Ok(running) => all_running.extend(running),
                Err(error) => {
                    let hints = error.hints().join("; ");
                    let hints = if hints.is_empty() { hints } else { format!(" ({hints})") };
                    reporter.warn(format_args!("{}: {}{hints}", channel.name(), error.message()));
                }
            }
        }
        Self(all_running)
    }

    /// Takes up what was not answered, then listens and speaks.
    ///
    /// # Errors
    /// When there is no room for more threads.
    pub fn begin(&self) -> Result<()> {
        self.0.iter().try_for_each(RunningChannel::begin)
    }
}

impl Drop for Channels {
    fn drop(&mut self) {
        self.0.iter().for_each(|running| running.end());
    }
}

/// Does what the platform may not take just now, a few times, with a pause between.
fn again<T>(
    pause: impl Fn(Duration),
    act: impl Fn() -> Result<T, ChannelError>,
) -> Result<T, ChannelError> {
    const TRIES: usize = 3;
    const MOST_PAUSE: Duration = Duration::from_secs(10);
    for _ in 1..TRIES {
        match act() {
            Err(ChannelError::Later { wait, .. }) => {
                pause(wait.unwrap_or(Duration::from_secs(1)).min(MOST_PAUSE));
            }
            done => return done,
        }
    }
    act()
}

/// What lies in a file of ours; `None` if there is none. `hint` says how to begin anew.
fn read<T: DeserializeOwned>(path: &Path, most: u64, hint: &str) -> Result<Option<T>> {
    let broken = |cause: &dyn std::fmt::Display| {
        Error::new(format_args!("`{}` cannot be read: {cause}", path.display())).hint(hint)
    };
    let Some(file) = if_there(careful().read(true).open(path)).map_err(|cause| broken(&cause))?
    else {
        return Ok(None);
    };
    let bytes = read_capped(file, most).map_err(|cause| broken(&cause))?;
    let bytes = bytes.ok_or_else(|| broken(&"it is too large"))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|cause| broken(&cause))
}

/// Where what is kept of channels lies.
fn below(folder: &Path) -> PathBuf {
    folder.join("channels")
}

fn open(
    platform: Platform,
    folder: &Path,
    options: &ChannelOptions,
) -> Result<Option<Arc<RunningChannel>>> {
    let registry = RegistryFile::of(folder, platform.name());
    let Some(known) = registry.read()? else {
        options.gateway.leave_out(platform.channel(), &|_| false);
        return Ok(None);
    };
    // Whatever keeps the bot from being opened.
    options.gateway.leave_out(platform.channel(), &|user| known.person(user).is_some());
    let asking = Asking::Through(&*options.reporter);
    let token = token(platform, &options.environment, asking)?;
    let adapter = platform
        .adapter(&options.settings, &token, known.bot.clone())
        .map_err(|cause| unusable(platform, &cause))?;
    let kept = Kept::open(folder, platform.name())?;
    let running =
        RunningChannel::new(platform.channel(), adapter, registry, known.bot, kept, options);
    running.seat_people(true)?;
    Ok(Some(running))
}

/// The token of a bot.
fn token(platform: Platform, environment: &Environment, asking: Asking) -> Result<SecretString> {
    let name = platform.name();
    let found = keys::named(name, platform.variable(), environment, asking).map_err(|cause| {
        Error::new(cause).hint(format!(
            "where nobody can be asked, name a descriptor with the passphrase in ELOPHANTO_VAULT_FD, or \
             the token in {}",
            platform.variable()
        ))
    })?;
    found.ok_or_else(|| {
        Error::new(format_args!(
            "the bot has no token in the vault (`{name}`) nor in {}",
            platform.variable()
        ))
        .hint(format!("`elophanto channel add {name}` asks for it"))
    })
}

fn unusable(platform: Platform, cause: &ChannelError) -> Error {
    let error = Error::new(format_args!("{}: {cause}", platform.name()));
    match cause {
        ChannelError::Token(_) => error.hint(format!(
            "take another token from the platform: `elophanto channel add {}`",
            platform.name()
        )),
        ChannelError::Busy(_) => error.hint("end the other program, or take another bot"),
        ChannelError::Later { .. } => error.hint("try again when the network is there"),
        _ => error,
    }
}
