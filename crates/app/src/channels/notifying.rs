//! Discoveries told on a channel: to people who were let in and answer approvals, who are the user or
//! speak for them. Whichever process found something out says it; which message it is stands in a log that the
//! gateway looks into when somebody reacts.

use std::{path::Path, thread::sleep};

use serde::{Deserialize, Serialize};

use super::{
    ChannelSettings, Platform, again, below, kept::is_same, registry::RegistryFile, token,
    told::escape,
};
use crate::{
    Environment, Reporter, Result,
    config::Config,
    gateway::{self, Channel},
    keys::Asking,
};
use elophanto_base::{
    image::{self, Bare},
    jsonl::{self, Caps, Log},
};
use elophanto_channels::{ChannelAdapter, ChannelError, Place, Posted};
use elophanto_knowledge::notify::{Message, Sink, SinkError};
use elophanto_net::web::{Fetcher, Policy};

const CAPS: Caps = Caps { line_bytes: 4 << 10, file_bytes: 4 << 20, faults: 100 };
/// Messages of which it is known what they tell; a log with more is begun anew.
const MOST: usize = 5_000;
/// Bytes of a picture.
const MOST_PICTURE: usize = 5 << 20;

/// A message of ours that tells a discovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    posted: Posted,
    /// What a reaction to it is to.
    id: String,
}

/// Tells discoveries on a channel.
pub struct ChannelSink {
    adapter: Box<dyn ChannelAdapter>,
    homes: Vec<Place>,
    log: Log,
    /// What fetches pictures; `None` where this machine cannot make secure connections.
    pages: Option<Fetcher>,
}

/// The way to people on a channel; `None` where no bot is set up, or nobody is to be told.
///
/// # Errors
/// When what is kept of the bot cannot be read, or it has no token.
pub fn sink(
    platform: Platform,
    config: &Config,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Option<ChannelSink>> {
    let Some(folder) = environment.state_folder() else { return Ok(None) };
    let folder = below(&folder.join(gateway::FOLDER));
    if !folder.is_dir() {
        return Ok(None);
    }
    let Some(registry) = RegistryFile::of(&folder, platform.name()).read()? else {
        return Ok(None);
    };
    let told = registry.people.iter().filter(|person| person.approves);
    let homes: Vec<Place> = told.map(|person| person.home.clone()).collect();
    if homes.is_empty() {
        return Ok(None);
    }
    let token = token(platform, environment, Asking::Through(reporter))?;
    let settings = ChannelSettings::of(config)?;
    let adapter = platform
        .adapter(&settings, &token, registry.bot)
        .map_err(|cause| super::unusable(platform, &cause))?;
    let policy = Policy {
        allow_private: config.learn.private_pages,
        max_bytes: MOST_PICTURE,
        ..Policy::default()
    };
    let (log, pages) = (log(&folder, platform.channel()), Fetcher::new(policy).ok());
    Ok(Some(ChannelSink { adapter, homes, log, pages }))
}

fn log(folder: &Path, channel: Channel) -> Log {
    Log::new(folder.join(format!("{}-told.jsonl", channel.name()))).with_caps(CAPS)
}

impl Sink for ChannelSink {
    fn send(&self, message: &Message) -> Result<(), SinkError> {
        let facts: Vec<String> = message.facts.iter().map(|fact| escape(fact)).collect();
        let mut text = format!("**{}**\n", escape(&message.headline()));
        facts.iter().for_each(|fact| text.push_str(&format!("\n- {fact}")));
        if message.more > 0 {
            text.push_str(&format!("\n- and {} more", message.more));
        }
        let picture = message.image.as_deref().and_then(|address| self.picture(address));
        if let Some(image) = message.image.as_ref().filter(|_| picture.is_none()) {
            text.push_str(&format!("\n\n{image}"));
        }
        let mut failed = None;
        for home in &self.homes {
            let said = self.adapter.parts(&text);
            let post = |part| again(sleep, || self.adapter.post(home, None, part, &[]));
            let said = said.iter().map(post);
            let shown = picture.iter().map(|(name, bytes)| {
                again(sleep, || self.adapter.post_file(home, None, name, bytes))
            });
            for done in said.chain(shown) {
                match done {
                    Ok(posted) => {
                        let told = Told { posted, id: message.id.clone() };
                        // What cannot be noted cannot be reacted to, and is told all the same.
                        let _ = self.log.append(&told);
                    }
                    // Whoever left is told nothing.
                    Err(ChannelError::Gone(_)) => break,
                    Err(cause) => failed = Some(SinkError::Channel(cause.to_string())),
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

impl ChannelSink {
    /// The picture that a page names: fetched as pages are, a picture by its bytes, without what is written
    /// beside it. `None` if it is none, too large or not to be had.
    fn picture(&self, address: &str) -> Option<(String, Vec<u8>)> {
        let fetched = self.pages.as_ref()?.get_picture(address).ok()?;
        let Bare { format, bytes, .. } = image::bare(&fetched.bytes).ok()?;
        let fits = bytes.len() <= self.adapter.limits().file;
        fits.then(|| (format!("picture.{}", format.name().to_lowercase()), bytes))
    }
}

/// What a message of ours tells, by the id to react to.
pub fn told(folder: &Path, channel: Channel, posted: &Posted) -> Option<String> {
    let log = log(folder, channel);
    let read = jsonl::read::<Told>(log.path(), &CAPS);
    let all: Vec<Told> = read.ok()?.into_records().collect();
    let found =
        all.iter().rev().find(|told| is_same(&told.posted, posted)).map(|told| told.id.clone());
    if all.len() > MOST {
        // Nobody reacts to what was told so long ago.
        let _ = std::fs::remove_file(log.path());
    }
    found
}
