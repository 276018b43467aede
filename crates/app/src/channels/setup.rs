//! Setting bots up, and letting people in: on this machine, never from a channel.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use secrecy::SecretString;

use super::{
    ChannelSettings, Platform, below,
    kept::Kept,
    registry::{Person, Registry, RegistryFile},
    token, unusable,
};
use crate::{Environment, Error, Reporter, Result, keys::Asking};
use elophanto_base::visible::escape_control_line;
use elophanto_channels::{Bot, ChannelError, What};

/// How long is waited for somebody to write to a bot.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Bots of the user's.
pub struct Bots {
    folder: PathBuf,
    settings: ChannelSettings,
    environment: Environment,
}

/// A bot that is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUp {
    /// As its platform calls it.
    pub bot: Bot,
    /// People who were let in to this very bot before.
    pub people: usize,
}

/// A bot, and who may write to it.
pub struct Listed {
    /// Where it is.
    pub platform: Platform,
    /// What is known of it.
    pub registry: Registry,
}

/// Somebody who wrote to a bot that is set up just now, and was told a code.
pub struct Met {
    /// As they call themselves.
    pub name: String,
    /// By which the platform knows them.
    pub id: String,
}

/// Who waits for the first person to write to a bot that is set up just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// Nobody: people were let in to it before.
    Known,
    /// Whoever sets it up, by [`Bots::meet`]: the code is typed there.
    Here,
    /// The gateway, now or when it runs: one program at a time listens to a bot.
    ByGateway,
}

impl First {
    /// `people` were let in before; `can_ask` says whether somebody sits there who can type a code.
    pub fn of(people: usize, gateway_runs: bool, can_ask: bool) -> Self {
        match (people, gateway_runs) {
            (1.., _) => Self::Known,
            (0, false) if can_ask => Self::Here,
            _ => Self::ByGateway,
        }
    }
}

impl Bots {
    /// `folder` is that of the gateway.
    pub fn new(folder: &Path, settings: ChannelSettings, environment: Environment) -> Self {
        Self { folder: below(folder), settings, environment }
    }

    fn registry(&self, platform: Platform) -> RegistryFile {
        RegistryFile::of(&self.folder, platform.name())
    }

    /// Whose token this is, as the platform says.
    ///
    /// # Errors
    /// When it is taken for none, or nobody answers.
    pub fn try_token(&self, platform: Platform, token: &SecretString) -> Result<Bot> {
        let nobody = Bot { id: String::new(), name: String::new() };
        let bot = platform.adapter(&self.settings, token, nobody).and_then(|it| it.bot());
        bot.map_err(|cause| unusable(platform, &cause))
    }

    /// Sets a bot up. Who was let in to another one is not to this.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn set_up(&self, platform: Platform, bot: Bot) -> Result<SetUp> {
        let file = self.registry(platform);
        let known = file.read().ok().flatten().filter(|known| known.bot.id == bot.id);
        let people = known.as_ref().map_or(0, |known| known.people.len());
        match known {
            Some(_) => file.change(|registry| {
                registry.bot.clone_from(&bot);
                Ok(())
            })?,
            None => {
                Kept::remove(&self.folder, platform.name())?;
                file.put(&Registry::new(bot.clone()))?;
            }
        }
        Ok(SetUp { bot, people })
    }

    /// Those that are set up, and why one cannot be read. Who knocked too long ago is not among those who
    /// wait.
    pub fn list(&self) -> (Vec<Listed>, Vec<Error>) {
        let (mut all, mut unread) = (Vec::new(), Vec::new());
        for platform in Platform::ALL {
            match self.registry(platform).read() {
                Ok(None) => {}
                Ok(Some(mut registry)) => {
                    registry.forget(Timestamp::now());
                    all.push(Listed { platform, registry });
                }
                Err(error) => unread.push(error),
            }
        }
        (all, unread)
    }

    /// Takes a bot away; nobody may write to it any more. Whether there was one.
    ///
    /// # Errors
    /// When it cannot be taken away.
    pub fn remove(&self, platform: Platform) -> Result<bool> {
        let was_there = self.registry(platform).remove()?;
        Kept::remove(&self.folder, platform.name())?;
        Ok(was_there)
    }

    /// Asks the platform who the bot is, with the token that is kept.
    ///
    /// # Errors
    /// When there is no bot or no token, or the platform does not take it.
    pub fn test(&self, platform: Platform, reporter: &dyn Reporter) -> Result<Bot> {
        let known = self.known(platform)?;
        let token = token(platform, &self.environment, Asking::Through(reporter))?;
        let bot = self.try_token(platform, &token)?;
        if bot.id != known.bot.id {
            return Err(Error::new(format_args!(
                "the token is that of another bot, `{}`",
                escape_control_line(&bot.name)
            ))
            .hint(format!("`elophanto channel add {}` sets it up", platform.name())));
        }
        Ok(bot)
    }

    fn known(&self, platform: Platform) -> Result<Registry> {
        self.registry(platform).read()?.ok_or_else(|| {
            Error::new(format_args!("no bot of {} is set up", platform.name()))
                .hint(format!("`elophanto channel add {}` sets one up", platform.name()))
        })
    }

    /// Lets somebody in by the code that a bot told them; with `approves`, they also answer approvals.
    ///
    /// # Errors
    /// When nobody waits with this code.
    pub fn pair(&self, code: &str, approves: bool) -> Result<(Platform, Person)> {
        let wanted = code.trim().to_ascii_uppercase();
        let (listed, unread) = self.list();
        let has_it = |it: &&Listed| it.registry.knocked.iter().any(|one| one.code == wanted);
        let Some(platform) = listed.iter().find(has_it).or(listed.first()).map(|it| it.platform)
        else {
            let none = || {
                Error::new("no bot is set up").hint("`elophanto channel add telegram` sets one up")
            };
            return Err(unread.into_iter().next().unwrap_or_else(none));
        };
        let confirm =
            |registry: &mut Registry| registry.confirm(&wanted, approves, Timestamp::now());
        Ok((platform, self.registry(platform).change(confirm)?))
    }

    /// Has somebody answer approvals, or no more.
    ///
    /// # Errors
    /// When they are not among those who may write.
    pub fn approve(&self, platform: Platform, id: &str, approves: bool) -> Result<Person> {
        self.known(platform)?;
        self.registry(platform).change(|registry| {
            let person = registry.people.iter_mut().find(|person| person.id == id);
            let person = person.ok_or_else(|| unknown(id))?;
            person.approves = approves;
            Ok(person.clone())
        })
    }

    /// Lets somebody in no more.
    ///
    /// # Errors
    /// When they are not among those who may write.
    pub fn leave_out(&self, platform: Platform, id: &str) -> Result<Person> {
        self.known(platform)?;
        self.registry(platform).change(|registry| {
            let at = registry.people.iter().position(|person| person.id == id);
            Ok(registry.people.remove(at.ok_or_else(|| unknown(id))?))
        })
    }

    /// Waits for somebody to write to a bot that is set up just now, and tells them their code there.
    /// Nobody else may listen meanwhile. `None` when nobody does within ten minutes.
    ///
    /// # Errors
    /// When the platform does not let us listen, or it cannot be written down.
    pub fn meet(&self, platform: Platform, token: &SecretString) -> Result<Option<Met>> {
        let registry = self.registry(platform);
        let failed = |cause: &ChannelError| unusable(platform, cause);
        let bot = self.known(platform)?.bot;
        let adapter =
            platform.adapter(&self.settings, token, bot).map_err(|cause| failed(&cause))?;
        let mut kept = Kept::open(&self.folder, platform.name())?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            for inbound in adapter.next(kept.read).map_err(|cause| failed(&cause))? {
                kept.read = Some(inbound.number);
                // It is nobody's task later.
                kept.save()?;
                let is_said = matches!(inbound.what, What::Said(_)) && inbound.is_private;
                let Some(sender) = inbound.sender.filter(|it| is_said && !it.is_bot) else {
                    continue;
                };
                let told = registry.change(|registry| {
                    Ok(registry.knock(&sender, &inbound.place, Timestamp::now()))
                })?;
                for text in told.iter().flat_map(|text| adapter.parts(text)) {
                    adapter
                        .post(&inbound.place, None, &text, &[])
                        .map_err(|cause| failed(&cause))?;
                }
                if self.known(platform)?.knocked.iter().any(|it| it.id == sender.id) {
                    let name = escape_control_line(&sender.name);
                    return Ok(Some(Met { name, id: sender.id }));
                }
            }
        }
        Ok(None)
    }
}

fn unknown(id: &str) -> Error {
    Error::new(format_args!("`{}` is nobody who may write", escape_control_line(id)))
        .hint("`elophanto channel list` says who may: give their number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_the_first_person() {
        for (people, gateway_runs, can_ask, expected) in [
            (1, false, true, First::Known),
            (2, true, false, First::Known),
            (0, false, true, First::Here),
            (0, true, true, First::ByGateway),
            (0, false, false, First::ByGateway),
        ] {
            assert_eq!(First::of(people, gateway_runs, can_ask), expected);
        }
    }
}
