//! `elophanto agent hub`

use std::path::PathBuf;

use crate::cli::{Json, Outcome, Result, Ui, commands, escape_control_line, workspace};
use crate::wire::EntryWire;
use elophanto_agent::skills::{self, hub};
use elophanto_app::{agent::skill_store::SkillStore, skills as app};
use elophanto_base::counted::counted;

commands! {
    /// The hub: skills to choose from, where your own settings say (`agent.hub`)
    ///
    /// It is part of the program unless you name a folder or the address of a git repository.
    struct HubArgs(args, ui);
    Search(Json<SearchArgs>) => search(args, ui);
    Publish(Json<PublishArgs>) => publish(args, ui);
}

/// Search the skills of the hub; all of them without QUERY
///
/// Of a git repository the newest commit is fetched first. `elophanto agent skill install hub:NAME` shows one and asks.
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
}

/// Make a folder of skills a hub: write the list of all that lie below it to `index.json`
///
/// Each skill is checked as if it were installed; if one is not in order, nothing is written. For
/// others to use it, commit and push the folder, or let them read it where it is.
#[derive(clap::Args, Debug)]
struct PublishArgs {
    /// The folder, such as the top of a git repository
    #[arg(default_value = ".")]
    folder: PathBuf,
}

fn publish(args: &PublishArgs, ui: &mut Ui) -> Result<Outcome> {
    let published = app::publish(&args.folder)?;
    for (name, warning) in &published.warnings {
        ui.note(format_args!("`{name}`: {warning}"));
    }
    for entry in &published.entries {
        let text = format!("{}  {}", entry.name, entry.path);
        ui.emit(entry, escape_control_line(&text))?;
    }
    let count = counted(published.entries.len(), "skill");
    let index = args.folder.join("index.json");
    match published.changed {
        true => ui.talk(format_args!("`{}` lists {count}", index.display())),
        false => ui.talk(format_args!("`{}` lists {count} already", index.display())),
    }
    Ok(Outcome::Done)
}

fn search(args: &SearchArgs, ui: &mut Ui) -> Result<Outcome> {
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
    Ok(ui.listed(
        found.is_empty(),
        format_args!("nothing found among {}", counted(hub.entries.len(), "skill")),
    ))
}
