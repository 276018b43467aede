//! Bots of the user's, and who may write to them.

use schemars::JsonSchema;
use serde::Serialize;

use elophanto_app::channels::{Listed, Person, Platform, Registry};

/// A bot.
#[derive(Serialize, JsonSchema)]
pub struct BotWire<'a> {
    pub channel: &'static str,
    /// Its number, and what people call it.
    pub id: &'a str,
    pub name: &'a str,
    pub people: Vec<PersonWire<'a>>,
    /// Who would like to write, without their codes.
    pub waiting: Vec<WaitingWire<'a>>,
}

/// Somebody who may write.
#[derive(Serialize, JsonSchema)]
pub struct PersonWire<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub approves: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct WaitingWire<'a> {
    pub id: &'a str,
    pub name: &'a str,
}

impl<'a> From<&'a Listed> for BotWire<'a> {
    fn from(Listed { platform, registry }: &'a Listed) -> Self {
        let Registry { bot, people, knocked, .. } = registry;
        Self {
            channel: platform.name(),
            id: &bot.id,
            name: &bot.name,
            people: people.iter().map(PersonWire::from).collect(),
            waiting: knocked.iter().map(|it| WaitingWire { id: &it.id, name: &it.name }).collect(),
        }
    }
}

impl<'a> From<&'a Person> for PersonWire<'a> {
    fn from(person: &'a Person) -> Self {
        Self { id: &person.id, name: &person.name, approves: person.approves }
    }
}

/// Somebody of whom something changed.
#[derive(Serialize, JsonSchema)]
pub struct ChangedWire<'a> {
    pub channel: &'static str,
    #[serde(flatten)]
    person: PersonWire<'a>,
    may_write: bool,
}

impl<'a> ChangedWire<'a> {
    pub fn of(platform: Platform, person: &'a Person, may_write: bool) -> Self {
        Self { channel: platform.name(), person: person.into(), may_write }
    }
}

/// A bot that was set up.
#[derive(Serialize, JsonSchema)]
pub struct NewBotWire<'a> {
    pub channel: &'static str,
    pub id: &'a str,
    pub name: &'a str,
    /// Who was let in to it before.
    pub people: usize,
    /// Whether the token was put into the vault: not where a variable holds it.
    pub kept: bool,
}

/// Whether there was a bot to be taken away.
#[derive(Serialize, JsonSchema)]
pub struct RemovedBotWire {
    pub channel: &'static str,
    pub removed: bool,
}
