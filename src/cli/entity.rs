//! `elophanto entity`

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, escape_control_line},
    workspace,
};
use elophanto_app::{
    entities::{self, delete, find, nearest},
    learning::Learning,
};
use elophanto_base::counted::counted;
use elophanto_knowledge::learn::entity_store::{EntitySnapshot, EntityStore};
use elophanto_text::entity::Entity;

/// Show what is known: all entities with their facts counted, or one with its facts
///
/// An entity is shown by its number in the list, or by a name.
#[derive(clap::Args, Debug)]
pub struct EntityArgs {
    /// A number of the list, or a name
    name: Option<String>,
    /// Remove it with all that is known of it; it does not come back by itself
    #[arg(long, requires = "name")]
    delete: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A deletion, as `--json` prints it.
#[derive(Serialize)]
struct DeletedWire<'a> {
    entity: &'a str,
    name: &'a str,
    facts: usize,
}

pub fn run(args: &EntityArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let learning = Learning::look(&workspace);
    let store = learning.store();
    let mut snapshot = learning.snapshot(ui);
    let Some(name) = &args.name else { return list(&store, &snapshot, ui) };
    let Some(found) = find(&snapshot, name).cloned() else {
        let near = nearest(&snapshot, name).map(escape_control_line);
        let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        ui.talk(format_args!("nothing is known of `{}`{meant}", escape_control_line(name)));
        return Ok(Outcome::Negative);
    };
    if !args.delete {
        return show(&store, &found, ui);
    }
    delete(&workspace, &mut snapshot, &found)?;
    let wire = DeletedWire { entity: &found.slug, name: &found.title, facts: found.facts.len() };
    let facts = counted(wire.facts, "fact");
    ui.emit(&wire, format_args!("removed {} with {facts}", escape_control_line(&found.title)))?;
    if !found.notes.is_empty() {
        ui.note(format_args!(
            "what people wrote on its page stays: {}",
            escape_control_line(&store.path(&found.slug).to_text())
        ));
    }
    Ok(Outcome::Done)
}

fn list(store: &EntityStore, snapshot: &EntitySnapshot, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = entities::list(store, snapshot);
    for listed in &all {
        let (name, facts) = (escape_control_line(listed.name), counted(listed.facts, "fact"));
        ui.emit(listed, format_args!("{}. {name} ({facts})", listed.number))?;
    }
    if all.is_empty() {
        return Ok(ui.nothing("nothing is known yet: `elophanto learn \"a topic\"`"));
    }
    Ok(Outcome::Done)
}

fn show(store: &EntityStore, entity: &Entity, ui: &mut Ui) -> Result<Outcome, CliError> {
    let wire = entities::of(store, entity);
    let mut lines = vec![format!(
        "{}  ({})",
        escape_control_line(&entity.title),
        escape_control_line(&wire.path)
    )];
    for (what, names) in [("also known as", wire.aliases), ("tags:", wire.tags)] {
        let names: Vec<String> = names.iter().map(|name| escape_control_line(name)).collect();
        if !names.is_empty() {
            lines.push(format!("  {what} {}", names.join(", ")));
        }
    }
    for note in &wire.notes {
        lines.push(format!("  * {}", escape_control_line(note.text)));
    }
    for fact in &wire.facts {
        let date = fact.learned_at.as_deref().and_then(|at| at.get(..10)).unwrap_or_default();
        let from = [Some(date).filter(|date| !date.is_empty()), fact.source];
        let from: Vec<String> = from.into_iter().flatten().map(escape_control_line).collect();
        lines.push(format!("  - {}", escape_control_line(fact.text)));
        if !from.is_empty() {
            lines.push(format!("      {}", from.join("  ")));
        }
        if let Some(note) = fact.against {
            lines.push(format!("      ! your note says otherwise: {}", escape_control_line(note)));
        }
    }
    ui.emit(&wire, lines.join("\n"))?;
    Ok(Outcome::Done)
}
