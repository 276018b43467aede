//! Servers of others that the user adds: looked at, agreed to, kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    path,
};

use serde::Serialize;

use crate::{
    Environment, Error,
    agent::servers::{self, Kept, level, start},
    reporter::Reporter,
    shell,
};
use elophanto_agent::{
    level_name,
    mcp_client::{Entry, Started},
};
use elophanto_base::counted::counted;
use elophanto_base::visible::escape_control_line;

/// A server to add.
#[derive(Debug, Clone, Default)]
pub struct AddRequest {
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Names of the variables it gets.
    pub environment: Vec<String>,
    /// `TOOL=LEVEL` each.
    pub levels: Vec<String>,
    /// Start it, and use what it offers from now on.
    pub trust: bool,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Server {
    pub name: String,
    pub command: Vec<String>,
    pub environment: Vec<String>,
    pub levels: BTreeMap<String, String>,
    /// Whether it is started for a run.
    pub trusted: bool,
    /// Hash of what it offered when it was looked at.
    pub offers: Option<String>,
    /// What it offers; only where it was started to be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Offered>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Whether anything was written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Offered {
    pub name: String,
    pub level: &'static str,
    pub description: String,
}

impl Server {
    fn of(name: &str, kept: &Kept) -> Result<Self, Error> {
        Ok(Self {
            name: name.to_owned(),
            command: kept.command.clone(),
            environment: kept.environment.clone(),
            levels: kept.levels.clone(),
            trusted: kept.entry(name)?.trusted,
            offers: kept.offers.clone(),
            tools: None,
            problems: Vec::new(),
            done: None,
        })
    }

    /// Its command as a shell would want it.
    pub fn quoted(&self) -> String {
        self.command.iter().map(|word| shell::quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// What to look at: its command, what it gets, what it offers.
    pub fn lines(&self) -> Vec<String> {
        let environment = match self.environment.is_empty() {
            true => "no variables".to_owned(),
            false => self.environment.join(", "),
        };
        let mut lines =
            vec![format!("server {}: {}", self.name, self.quoted()), format!("gets {environment}")];
        if let Some(tools) = &self.tools {
            lines.push(format!("offers {}:", counted(tools.len(), "tool")));
            lines.extend(tools.iter().map(|Offered { name, level, description }| {
                format!("  {name} ({level}) {description}")
            }));
            lines.extend(self.problems.iter().map(|problem| format!("look at: {problem}")));
        }
        lines.iter().map(|line| escape_control_line(line)).collect()
    }

    /// Starts it, asks what it offers, and ends it.
    fn look(&mut self, entry: &Entry, environment: &Environment) -> Result<(), Error> {
        let Started { servers, tools, mut offers, problems } =
            start(std::slice::from_ref(entry), &BTreeSet::new(), environment)?;
        let offered = |spec: &elophanto_agent::Spec| Offered {
            name: spec.name.clone(),
            level: level_name(spec.level),
            description: spec.description.clone(),
        };
        let tools = tools.iter().map(|tool| offered(tool.spec())).collect();
        drop(servers);
        let Some(offers) = offers.remove(&entry.name) else {
            let why = problems.into_iter().next();
            return Err(Error::new(why.unwrap_or_else(|| "it does not start".to_owned())).hint(
                "try the command by hand; it runs in your home folder, with the variables that \
                 `--env` names and no others",
            ));
        };
        (self.offers, self.tools, self.problems) = (Some(offers), Some(tools), problems);
        Ok(())
    }
}

/// Adds a server, and looks at what it offers if the user trusts it; whether it replaces another.
///
/// # Errors
/// When it is not in the right form, does not start, or cannot be kept.
pub fn add(request: AddRequest, environment: &Environment) -> Result<(Server, bool), Error> {
    let AddRequest { name, mut command, environment: mut variables, levels, trust } = request;
    let levels = levels_of(&levels)?;
    variables.sort();
    variables.dedup();
    // A path is what it is here, wherever a run happens.
    if let Some(program) = command.first_mut().filter(|program| program.contains('/')) {
        *program = path::absolute(&*program)?.to_string_lossy().into_owned();
    }
    let has_variables = !variables.is_empty();
    let mut kept = Kept { command, environment: variables, levels, agreed: None, offers: None };
    let mut entry = kept.entry(&name)?;
    entry.trusted = true;
    entry.check().map_err(|cause| {
        let names = "--env takes names of variables; their values stay where they are";
        let error = Error::new(cause);
        if has_variables { error.hint(names) } else { error }
    })?;
    let mut server = Server { done: Some(true), ..Server::of(&name, &kept)? };
    if trust {
        server.look(&entry, environment)?;
        server.trusted = true;
        (kept.agreed, kept.offers) = (Some(entry.fingerprint()), server.offers.clone());
    }
    let former = servers::change(environment, |all| Ok(all.insert(name, kept)))?;
    Ok((server, former.is_some()))
}

/// The servers that were added.
///
/// # Errors
/// When what is kept of them cannot be understood.
pub fn list(environment: &Environment) -> Result<Vec<Server>, Error> {
    servers::read(environment)?.iter().map(|(name, kept)| Server::of(name, kept)).collect()
}

/// Starts a server once and uses what it offers from now on. Unless `yes` agrees, its command and its
/// tools are shown and asked for; `None` if there is no such server, or nobody agreed.
///
/// # Errors
/// When it does not start, was changed meanwhile, or cannot be kept.
pub fn trust(
    name: &str,
    yes: bool,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Option<Server>, Error> {
    let Some(before) = servers::read(environment)?.remove(name) else {
        reporter.talk(format_args!("no server `{name}` was added"));
        return Ok(None);
    };
    let mut server = Server { done: Some(true), ..Server::of(name, &before)? };
    let is_known = server.trusted;
    let mut entry = before.entry(name)?;
    entry.trusted = true;
    entry.check().map_err(Error::new)?;
    let is_agreed = |server: &Server, question| -> Result<bool, Error> {
        server.lines().iter().for_each(|line| reporter.talk(line));
        let is_agreed = reporter.confirm(question)?;
        if !is_agreed {
            reporter.talk("nothing was changed; --yes trusts it without asking");
        }
        Ok(is_agreed)
    };
    if !yes && !is_known && !is_agreed(&server, "Start it to see what it offers?")? {
        return Ok(None);
    }
    server.look(&entry, environment)?;
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

/// Removes a server; whether there was one.
///
/// # Errors
/// When that cannot be kept.
pub fn remove(name: &str, environment: &Environment) -> Result<bool, Error> {
    Ok(servers::change(environment, |all| Ok(all.remove(name)))?.is_some())
}

/// `TOOL=LEVEL` each: the name of a tool may hold `=`, a level does not.
fn levels_of(given: &[String]) -> Result<BTreeMap<String, String>, Error> {
    let one = |text: &String| {
        let Some((tool, word)) = text.rsplit_once('=').filter(|(tool, _)| !tool.is_empty()) else {
            return Err(Error::new(format_args!(
                "`{}` is no TOOL=LEVEL",
                escape_control_line(text)
            ))
            .hint("such as --level read_file=safe"));
        };
        level(word)?;
        Ok((tool.to_owned(), word.to_owned()))
    };
    given.iter().map(one).collect()
}
