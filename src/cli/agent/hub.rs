//! `elophanto agent hub`

use serde::Serialize;

use super::super::{
    Outcome,
    error::CliError,
    ui::{Ui, escape_control_line},
    workspace,
};
use elophanto_agent::skills::{self, hub};
use elophanto_app::agent::skill_store::SkillStore;
use elophanto_base::counted::counted;

/// The hub: a git repository of skills that your own settings name (`agent.hub`)
#[derive(clap::Args, Debug)]
pub struct HubArgs {
    #[command(subcommand)]
    command: HubCommand,
}

#[derive(clap::Subcommand, Debug)]
enum HubCommand {
    Search(SearchArgs),
}

/// Search the skills of the hub; all of them without QUERY
///
/// Fetches its newest commit first. `elophanto agent skill install hub:NAME` shows one and asks.
#[derive(clap::Args, Debug)]
struct SearchArgs {
    /// What the skill should be good for
    query: Option<String>,
    /// Search the copy that was fetched last, and open no connection
    #[arg(long)]
    offline: bool,
    /// Most entries to print
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

impl HubArgs {
    pub fn is_json(&self) -> bool {
        let HubCommand::Search(args) = &self.command;
        args.json
    }
}

/// An entry of the hub, as `--json` prints it.
#[derive(Serialize)]
struct EntryWire<'a> {
    #[serde(flatten)]
    entry: &'a hub::Entry,
    hub: &'a str,
    installed: bool,
}

pub fn run(args: &HubArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let HubCommand::Search(args) = &args.command;
    let store = SkillStore::of(&workspace::open(Vec::new(), ui)?)?;
    let hub = if args.offline { store.kept_hub()? } else { store.fetched_hub()? };
    for problem in &hub.problems {
        ui.note(format_args!("not taken from the hub: {problem}"));
    }
    let installed = skills::installed(&store.places.installed)?;
    let found = hub::search(&hub, args.query.as_deref().unwrap_or_default(), args.limit);
    for entry in &found {
        let is_here =
            installed.get(&entry.name).is_some_and(|locked| locked.hub.as_ref() == Some(&hub.url));
        let mark = if is_here { " (installed)" } else { "" };
        let wire = EntryWire { entry, hub: &hub.url, installed: is_here };
        let text = format!("hub:{}{mark}  {}", entry.name, entry.description);
        ui.emit(&wire, escape_control_line(&text))?;
    }
    if found.is_empty() {
        ui.talk(format_args!("nothing found among {}", counted(hub.entries.len(), "skill")));
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}
