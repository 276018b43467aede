//! Who may write to a bot of the user's: people by the numbers of their accounts, who of them answers
//! approvals, who has knocked. A file of the user's own, which the terminal changes and the gateway reads.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Result};
use elophanto_base::{
    lock,
    one_line::one_line,
    regular::if_there,
    visible::escape_control_line,
    whole::{PRIVATE, Synced, write_whole},
};
use elophanto_channels::{Bot, Place, Sender};

/// How long a code can be confirmed, and how often a stranger is told anything.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Codes that can be confirmed at once.
const MOST_CODES: usize = 3;
/// Strangers that are told something within an hour.
const MOST_STRANGERS: usize = 1_000;
/// Characters of a code, none of which looks like another.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE: usize = 8;
/// Bytes of the file.
const MOST_BYTES: u64 = 4 << 20;
/// Whoever changes it takes some milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// Characters of a name that is shown.
const MOST_NAME: usize = 60;

/// What is known of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    /// The account of the bot itself.
    pub bot: Bot,
    /// Who may write, in the order in which they were let in.
    #[serde(default)]
    pub people: Vec<Person>,
    /// Who would like to, the newest last.
    #[serde(default)]
    pub knocked: Vec<Knocked>,
    /// When a stranger was told something last, by their number.
    #[serde(default)]
    told: BTreeMap<String, Timestamp>,
}

/// Somebody who may write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// By which the platform knows them.
    pub id: String,
    /// As they called themselves: to be recognised by the user, and nothing else.
    pub name: String,
    /// Where they alone are told something.
    pub home: Place,
    /// Whether they answer approvals.
    pub approves: bool,
    /// When they were let in.
    pub since: Timestamp,
}

/// Somebody who would like to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knocked {
    /// What the user types to let them in.
    pub code: String,
    /// By which the platform knows them.
    pub id: String,
    /// As they call themselves; anybody may call themselves so.
    pub name: String,
    /// Where they alone are told something.
    pub home: Place,
    /// When they wrote.
    pub at: Timestamp,
}

impl Registry {
    /// Of a bot that nobody may write to yet.
    pub fn new(bot: Bot) -> Self {
        Self { bot, people: Vec::new(), knocked: Vec::new(), told: BTreeMap::new() }
    }

    /// Who may write under this id.
    pub fn person(&self, id: &str) -> Option<&Person> {
        self.people.iter().find(|person| person.id == id)
    }

    /// A stranger has written: what they are told, if anything.
    pub fn knock(&mut self, sender: &Sender, home: &Place, now: Timestamp) -> Option<String> {
        self.forget(now);
        if self.told.contains_key(&sender.id) || self.told.len() >= MOST_STRANGERS {
            return None;
        }
        self.told.insert(sender.id.clone(), now);
        if self.knocked.len() >= MOST_CODES {
            return Some("This bot is private, and others wait already to be let in.".to_owned());
        }
        let code = new_code();
        self.knocked.push(Knocked {
            code: code.clone(),
            id: sender.id.clone(),
            name: escape_control_line(&one_line(&sender.name, MOST_NAME)),
            home: home.clone(),
            at: now,
        });
        Some(format!(
            "This bot is private. If it is yours, let yourself in on your machine within an hour: \
             elophanto channel pair {code}"
        ))
    }

    /// Lets somebody in by their code.
    ///
    /// # Errors
    /// When nobody has this code, or not any more.
    pub fn confirm(&mut self, code: &str, approves: bool, now: Timestamp) -> Result<Person> {
        self.forget(now);
        let code = code.trim().to_ascii_uppercase();
        let at = self.knocked.iter().position(|knocked| knocked.code == code).ok_or_else(|| {
            Error::new("nobody waits with this code").hint(
                "a code is good for an hour, and once: have them write to the bot again, which says \
                 another one an hour after the last",
            )
        })?;
        let Knocked { id, name, home, .. } = self.knocked.remove(at);
        self.told.remove(&id);
        self.people.retain(|person| person.id != id);
        let person = Person { id, name, home, approves, since: now };
        self.people.push(person.clone());
        Ok(person)
    }

    pub(super) fn forget(&mut self, now: Timestamp) {
        // A clock that was set back makes nobody wait for ever.
        let is_new = |at: &Timestamp| {
            let ago = now.duration_since(*at);
            ago < HOUR && ago > -HOUR
        };
        self.knocked.retain(|knocked| is_new(&knocked.at));
        self.told.retain(|_, at| is_new(at));
    }
}

/// A code that nobody can guess: 40 bits.
fn new_code() -> String {
    let random = Uuid::new_v4().into_bytes();
    // Two of the sixteen hold the version.
    let bytes = random[..6].iter().chain(&random[9..]);
    bytes.take(CODE).map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect()
}

/// Where registries lie.
#[derive(Debug, Clone)]
pub struct RegistryFile {
    path: PathBuf,
    lock: PathBuf,
}

impl RegistryFile {
    /// That of a channel, in the folder of the gateway's channels.
    pub fn of(folder: &Path, channel: &str) -> Self {
        Self {
            path: folder.join(format!("{channel}.json")),
            lock: folder.join(format!("{channel}.lock")),
        }
    }

    /// `None` where no bot was set up.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<Option<Registry>> {
        let hint = "`elophanto channel remove` and `elophanto channel add` begin anew";
        super::read(&self.path, MOST_BYTES, hint)
    }

    /// Changes it, on disk once this returns, while nobody else does.
    ///
    /// # Errors
    /// When there is none, what is to be done fails, or it cannot be written.
    pub fn change<T>(&self, change: impl FnOnce(&mut Registry) -> Result<T>) -> Result<T> {
        let _held = self.hold()?;
        let mut registry = self.read()?.ok_or_else(|| {
            Error::new("no bot is set up there").hint("`elophanto channel add` sets one up")
        })?;
        let before = registry.clone();
        let changed = change(&mut registry)?;
        if registry != before {
            self.write(&registry)?;
        }
        Ok(changed)
    }

    /// Puts this in its place.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, registry: &Registry) -> Result<()> {
        let _held = self.hold()?;
        self.write(registry)
    }

    /// Takes it away; whether there was one.
    ///
    /// # Errors
    /// When it cannot be taken away.
    pub fn remove(&self) -> Result<bool> {
        let _held = self.hold()?;
        Ok(if_there(std::fs::remove_file(&self.path))
            .map_err(|cause| self.unwritable(&cause))?
            .is_some())
    }

    fn hold(&self) -> Result<lock::Lock> {
        let lock = lock::try_for(&self.lock, PATIENCE).map_err(|cause| self.unwritable(&cause))?;
        lock.ok_or_else(|| self.unwritable(&"another program is at it"))
    }

    fn write(&self, registry: &Registry) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(registry).map_err(Error::new)?;
        write_whole(&self.path, &bytes, PRIVATE, Synced::ContentAndName)
            .map_err(|cause| self.unwritable(&cause))
    }

    fn unwritable(&self, cause: &dyn std::fmt::Display) -> Error {
        Error::new(format_args!("`{}` cannot be written: {cause}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(id: &str) -> Sender {
        Sender { id: id.to_owned(), name: "Ada".to_owned(), is_bot: false }
    }

    fn home(id: &str) -> Place {
        Place { chat: id.to_owned(), thread: None }
    }

    #[test]
    fn strangers_and_codes() {
        let mut registry = Registry::new(Bot { id: "7".to_owned(), name: "b".to_owned() });
        let begin: Timestamp = "2026-11-26T12:00:00Z".parse().unwrap();
        let after = |minutes| begin + SignedDuration::from_mins(minutes);
        let mut knock = |id: &str, at| registry.knock(&sender(id), &home(id), at);
        assert!(knock("1", begin).unwrap().contains("elophanto channel pair"));
        // One line an hour.
        assert_eq!(knock("1", after(59)), None);
        // Three wait at most: the fourth is told no code.
        assert!(knock("2", after(1)).is_some() && knock("3", after(1)).is_some());
        assert!(!knock("4", after(2)).unwrap().contains("channel pair"));
        assert!(knock("1", after(60)).unwrap().contains("channel pair"));
        let codes: Vec<String> = registry.knocked.iter().map(|it| it.code.clone()).collect();
        assert_eq!(codes.len(), 3);
        for code in &codes {
            assert!(code.len() == 8 && !code.contains(['0', 'O', '1', 'I']), "{code}");
        }
        assert!(registry.confirm("AAAAAAAA", false, after(60)).is_err());
        let person = registry.confirm(&codes[0].to_lowercase(), false, after(60)).unwrap();
        assert_eq!((person.id.as_str(), person.approves), ("2", false));
        // Once, and within the hour.
        assert!(registry.confirm(&codes[0], false, after(60)).is_err());
        assert!(registry.confirm(&codes[1], false, after(61)).is_err());
        assert!(registry.person("2").is_some() && registry.person("3").is_none());
    }

    #[test]
    fn names_are_harmless_and_no_key() {
        let mut registry = Registry::new(Bot { id: "7".to_owned(), name: "b".to_owned() });
        let evil = Sender { name: "Ada\n\u{1b}[2J\u{202e}".to_owned(), ..sender("1") };
        let now = Timestamp::UNIX_EPOCH;
        registry.knock(&evil, &home("1"), now);
        assert_eq!(registry.knocked[0].name, "Ada [2J");
        registry.knock(&sender("2"), &home("2"), now);
        let code = registry.knocked[1].code.clone();
        registry.confirm(&code, true, now).unwrap();
        assert!(registry.person("1").is_none() && registry.person("Ada").is_none());
    }

    #[test]
    fn on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let file = RegistryFile::of(folder.path(), "telegram");
        assert_eq!(file.read().unwrap(), None);
        assert!(file.change(|_| Ok(())).is_err());
        let registry = Registry::new(Bot { id: "7".to_owned(), name: "b".to_owned() });
        file.put(&registry).unwrap();
        file.change(|registry| {
            registry.knock(&sender("1"), &home("1"), Timestamp::now());
            Ok(())
        })
        .unwrap();
        assert_eq!(file.read().unwrap().unwrap().knocked.len(), 1);
        std::fs::write(folder.path().join("telegram.json"), "{").unwrap();
        assert!(file.read().is_err());
        assert!(file.remove().unwrap() && !file.remove().unwrap());
    }
}
