//! `elophanto agent mcp add`, `list` and `remove`

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    super::super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible_line},
    },
    kept::{self, Kept},
    look::{self, Looked, ServerWire, quoted},
};
use elophanto_agent::mcp_client::USUAL_ENVIRONMENT;

/// Add a server of somebody else, whose tools the agent may use
///
/// It is a program that runs as you, outside of the sandbox, with the variables that --env names
/// and no others, in your home folder. Nothing is started before you trust it: --trust starts it
/// once to see what it offers. When it offers something else later, its tools are left out until
/// you say so again. What is kept lies beside your own settings, never in a repository.
#[derive(clap::Args, Debug)]
pub struct AddArgs {
    /// What to call it: up to 24 small letters, digits and `_`; its tools are named NAME_TOOL
    name: String,
    /// A variable of the environment that it gets, such as PATH; may be repeated
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// The level of a tool, by the server's own name of it; may be repeated
    ///
    /// Levels are safe, moderate, destructive and critical. A tool that is not named is
    /// destructive.
    #[arg(long, value_name = "TOOL=LEVEL")]
    level: Vec<String>,
    /// Start it, look at what it offers, and use that in runs from now on
    #[arg(long)]
    trust: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments; no shell sees them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// List the servers that were added
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Remove a server
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    name: String,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct RemovedWire<'a> {
    removed: &'a str,
}

pub fn run(args: &AddArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut kept = Kept {
        command: args.command.clone(),
        environment: args.env.clone(),
        levels: levels(&args.level)?,
        agreed: None,
        offers: None,
    };
    kept.environment.sort();
    kept.environment.dedup();
    // A path is what it is here, wherever a run happens.
    if let Some(program) = kept.command.first_mut().filter(|program| program.contains('/')) {
        *program = std::path::absolute(&*program)?.to_string_lossy().into_owned();
    }
    let mut entry = kept.entry(&args.name)?;
    entry.trusted = true;
    entry.check().map_err(|cause| {
        let names = "--env takes names of variables; their values stay where they are";
        let error = CliError::new(cause);
        if args.env.is_empty() { error } else { error.hint(names) }
    })?;
    let looked = if args.trust { Some(look::look(&entry)?) } else { None };
    if let Some(Looked { offers, .. }) = &looked {
        kept.agreed = Some(entry.fingerprint());
        kept.offers = Some(offers.clone());
    }
    let former = kept::change(|servers| Ok(servers.insert(args.name.clone(), kept.clone())))?;
    show(&args.name, &kept, looked.as_ref(), Some(true), ui)?;
    if former.is_some() {
        ui.talk(format_args!("this replaces the former server `{}`", args.name));
    }
    if kept.environment.is_empty() {
        let usual = USUAL_ENVIRONMENT.join(", ");
        ui.talk(format_args!("it gets no variables; many programs need some of {usual}: --env"));
    }
    if !args.trust {
        ui.talk(format_args!(
            "it is not started before you trust it: elophanto agent mcp trust {}",
            args.name
        ));
    }
    Ok(Outcome::Done)
}

pub fn list(_args: &ListArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let servers = kept::read()?;
    for (name, kept) in &servers {
        let trusted = kept.entry(name)?.trusted;
        let words: Vec<String> = kept.command.iter().map(|word| quoted(word)).collect();
        let state = if trusted { "trusted" } else { "not trusted" };
        let text = visible_line(&format!("{name}  {state}  {}", words.join(" ")));
        ui.emit(&wire(name, kept, trusted, None, None), text)?;
    }
    if servers.is_empty() {
        ui.talk("no server was added");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if kept::change(|servers| Ok(servers.remove(&args.name)))?.is_none() {
        ui.talk(format_args!("no server `{}` was added", args.name));
        return Ok(Outcome::Negative);
    }
    ui.emit(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))?;
    Ok(Outcome::Done)
}

/// A server on standard output.
///
/// # Errors
/// When nobody reads it.
pub fn show(
    name: &str,
    kept: &Kept,
    looked: Option<&Looked>,
    done: Option<bool>,
    ui: &mut Ui,
) -> Result<(), CliError> {
    if ui.json {
        return ui.json(&wire(name, kept, kept.entry(name)?.trusted, looked, done));
    }
    for line in look::lines(name, kept, looked) {
        ui.line(line)?;
    }
    ui.flush()
}

fn wire<'a>(
    name: &'a str,
    kept: &'a Kept,
    trusted: bool,
    looked: Option<&'a Looked>,
    done: Option<bool>,
) -> ServerWire<'a> {
    ServerWire {
        name,
        command: &kept.command,
        environment: &kept.environment,
        levels: &kept.levels,
        trusted,
        offers: kept.offers.as_deref(),
        tools: looked.map(|looked| looked.tools.as_slice()),
        problems: looked.map_or(&[], |looked| looked.problems.as_slice()),
        done,
    }
}

/// `TOOL=LEVEL` each: the name of a tool may hold `=`, a level does not.
fn levels(given: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let mut levels = BTreeMap::new();
    for text in given {
        let Some((tool, word)) = text.rsplit_once('=').filter(|(tool, _)| !tool.is_empty()) else {
            return Err(CliError::new(format_args!("`{}` is no TOOL=LEVEL", visible_line(text)))
                .hint("such as --level read_file=safe"));
        };
        kept::level(word)?;
        levels.insert(tool.to_owned(), word.to_owned());
    }
    Ok(levels)
}
