//! Servers of others that the user adds: looked at, agreed to, kept, signed in at.

mod add;
mod sign_in;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Environment, Error, Result,
    agent::{
        credentials,
        servers::{self, Kept, start},
    },
    keys::Asking,
    reporter::Reporter,
    shell,
};
use elophanto_agent::mcp_client::{Entry, Started};
use elophanto_base::counted::counted;
use elophanto_base::visible::escape_control_line;

pub use add::{AddRequest, Added, add};
pub use sign_in::{LoginRequest, login, logout};

/// A server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Server {
    /// What it is called here.
    pub name: String,
    /// Empty for one that runs already.
    pub command: Vec<String>,
    /// Names of the variables that it gets.
    pub environment: Vec<String>,
    /// Where one that runs already is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether that may be on a private network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Where the token for it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether the user signed in there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub signed_in: bool,
    /// How much harm its tools may do, by their names, where the user says so.
    pub levels: BTreeMap<String, String>,
    /// Whether it is started for a run.
    pub trusted: bool,
    /// Hash of what it offered when it was looked at.
    pub offers: Option<String>,
    /// What it offers; only where it was started to be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Offered>>,
    /// Why something that it offers is no tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Whether anything was written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Offered {
    /// As the server calls it.
    pub name: String,
    /// `safe`, `moderate`, `destructive` or `critical`.
    pub level: &'static str,
    /// In the server's words.
    pub description: String,
}

impl Server {
    fn of(name: &str, kept: &Kept) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            command: kept.command.clone(),
            environment: kept.environment.clone(),
            url: kept.url.clone(),
            private: kept.private,
            key: kept.key.clone(),
            signed_in: kept.signed_in,
            levels: kept.levels.clone(),
            trusted: kept.entry(name)?.trusted,
            offers: kept.offers.clone(),
            tools: None,
            problems: Vec::new(),
            done: None,
        })
    }

    /// Its address, or its command as a shell would want it.
    pub fn place(&self) -> String {
        match &self.url {
            Some(url) => url.clone(),
            None => {
                self.command.iter().map(|word| shell::quoted(word)).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// What it is given.
    fn gets(&self) -> String {
        match (&self.url, &self.key) {
            (None, _) if self.environment.is_empty() => "no variables".to_owned(),
            (None, _) => self.environment.join(", "),
            (Some(_), Some(key)) => format!("the token in {key}"),
            (Some(_), None) if self.signed_in => "the token of your sign-in".to_owned(),
            (Some(_), None) => "no token".to_owned(),
        }
    }

    /// What to look at: its command or address, what it gets, what it offers.
    pub fn lines(&self) -> Vec<String> {
        let (name, place, gets) = (&self.name, self.place(), self.gets());
        let mut lines = vec![format!("server {name}: {place}"), format!("gets {gets}")];
        if self.private {
            lines.push("may be on a private network".to_owned());
        }
        if let Some(tools) = &self.tools {
            lines.push(format!("offers {}:", counted(tools.len(), "tool")));
            lines.extend(tools.iter().map(|Offered { name, level, description }| {
                format!("  {name} ({level}) {description}")
            }));
            lines.extend(self.problems.iter().map(|problem| format!("look at: {problem}")));
        }
        lines.iter().map(|line| escape_control_line(line)).collect()
    }

    /// Starts it or goes to where it is, asks what it offers, and ends it; `false` if it wants the
    /// user to sign in first.
    fn look(
        &mut self,
        entry: &Entry,
        kept: &Kept,
        environment: &Environment,
        reporter: &dyn Reporter,
    ) -> Result<bool> {
        let (credentials, missing) =
            credentials::of([(&entry.name, kept)], environment, Asking::Through(reporter));
        if let Some(why) = missing.into_values().next() {
            return Err(Error::new(why)
                .hint("--key takes env:NAME or vault:NAME, and the token has to be there"));
        }
        let Started { servers, tools, mut offers, problems, want_sign_in } =
            start(std::slice::from_ref(entry), &BTreeSet::new(), &credentials, environment)?;
        let offered = |spec: &elophanto_agent::Spec| Offered {
            name: spec.name.clone(),
            level: spec.level.name(),
            description: spec.description.clone(),
        };
        let tools = tools.iter().map(|tool| offered(&tool.spec())).collect();
        drop(servers);
        if want_sign_in.contains(&entry.name) && kept.key.is_none() {
            return Ok(false);
        }
        let Some(offers) = offers.remove(&entry.name) else {
            let why = problems.into_iter().next();
            let error = Error::new(why.unwrap_or_else(|| "it does not start".to_owned()));
            return Err(match (&self.url, &self.key) {
                (None, _) => error.hint(
                    "try the command by hand; it runs in your home folder, with the variables that \
                     `--env` names and no others",
                ),
                (Some(_), Some(key)) => error.hint(format!("check the address, and the token in {key}")),
                (Some(_), None) => error.hint(
                    "check the address, path included; what is on a private network needs --private, and \
                     what wants a token needs --key env:NAME or --key vault:NAME, or \
                     `elophanto agent mcp login`",
                ),
            });
        };
        (self.offers, self.tools, self.problems) = (Some(offers), Some(tools), problems);
        Ok(true)
    }
}

/// The servers that were added.
///
/// # Errors
/// When what is kept of them cannot be understood.
pub fn list(environment: &Environment) -> Result<Vec<Server>> {
    servers::read(environment)?.iter().map(|(name, kept)| Server::of(name, kept)).collect()
}

/// Looks at a server once and uses what it offers from now on. Unless `yes` agrees, its command or address
/// and its tools are shown and asked for; `None` if nobody agreed.
///
/// # Errors
/// When there is no such server, it does not start, was changed meanwhile, or cannot be kept.
pub fn trust(
    name: &str,
    yes: bool,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Option<Server>> {
    let Some(before) = servers::read(environment)?.remove(name) else {
        return Err(unknown(name));
    };
    let mut server = Server { done: Some(true), ..Server::of(name, &before)? };
    let is_known = server.trusted;
    let mut entry = before.entry(name)?;
    entry.trusted = true;
    entry.check().map_err(Error::new)?;
    let is_agreed = |server: &Server, question| -> Result<bool> {
        server.lines().iter().for_each(|line| reporter.talk(line));
        let is_agreed = reporter.confirm(question)?;
        if !is_agreed {
            reporter.talk("nothing was changed; --yes trusts it without asking");
        }
        Ok(is_agreed)
    };
    let question = match &server.url {
        None => "Start it to see what it offers?",
        Some(_) => "Ask it what it offers?",
    };
    if !yes && !is_known && !is_agreed(&server, question)? {
        return Ok(None);
    }
    if !server.look(&entry, &before, environment, reporter)? {
        return Err(Error::new(format_args!("server `{name}` wants you to sign in"))
            .hint(format!("elophanto agent mcp login {name}")));
    }
    server.trusted = true;
    let is_same = is_known && before.offers == server.offers;
    if !yes && !is_same && !is_agreed(&server, "Use these tools?")? {
        return Ok(None);
    }
    let done = servers::change(environment, |all| match all.get_mut(name) {
        Some(now) if *now == before => {
            (now.agreed, now.offers) = (Some(entry.fingerprint()), server.offers.clone());
            Ok(true)
        }
        // Somebody else changed it while it was looked at.
        _ => Ok(false),
    })?;
    if !done {
        return Err(Error::new(format_args!("server `{name}` was changed in the meantime"))
            .hint("run it again and look at what is shown"));
    }
    Ok(Some(server))
}

/// Removes a server; what it was. What it granted when the user signed in stays in the vault:
/// [`logout`] forgets that.
///
/// # Errors
/// When there is no such server, or that cannot be kept.
pub fn remove(name: &str, environment: &Environment) -> Result<Server> {
    let removed = servers::change(environment, |all| Ok(all.remove(name)))?;
    Server::of(name, &removed.ok_or_else(|| unknown(name))?)
}

fn unknown(name: &str) -> Error {
    Error::unknown("server", name, "agent mcp list")
}
