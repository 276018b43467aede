//! `elophanto entity`

use super::{Outcome, Result, Ui, escape_control_line, workspace};
use crate::wire::RemovedEntityWire;
use elophanto_app::{
    entities::{self, FoundIn, Happened, KnownFact, delete, find, found_in, history, nearest},
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
    /// Show when each fact was found out, and what was changed, taken out or put back
    #[arg(long, requires = "name", conflicts_with = "delete")]
    history: bool,
    /// Show what a fact was found in, and the passage marked: its number in the list, or its id
    #[arg(long, value_name = "FACT", requires = "name", conflicts_with_all = ["delete", "history"])]
    source: Option<String>,
}

pub fn run(args: &EntityArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let learning = Learning::look(&workspace);
    let store = learning.store();
    let mut snapshot = learning.snapshot(ui);
    let Some(name) = &args.name else { return list(&store, &snapshot, ui) };
    if let Some(fact) = &args.source {
        match found_in(&store, &snapshot, name, fact) {
            Ok(found) => found.iter().try_for_each(|it| ui.emit(it, found_text(it)))?,
            Err(cause) => {
                return Ok(ui.nothing(escape_control_line(&cause.to_string())));
            }
        }
        return Ok(Outcome::Done);
    }
    if args.history {
        let all = history(&store, &snapshot, name);
        for happened in &all {
            ui.emit(happened, line(happened))?;
        }
        if !all.is_empty() {
            return Ok(Outcome::Done);
        }
    }
    let Some(found) = find(&snapshot, name).cloned() else {
        let near = nearest(&snapshot, name).map(escape_control_line);
        let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Ok(
            ui.nothing(format_args!("nothing is known of `{}`{meant}", escape_control_line(name)))
        );
    };
    if !args.delete {
        return show(&store, &found, ui);
    }
    delete(&workspace, &mut snapshot, &found)?;
    let facts = counted(found.facts.len(), "fact");
    let text = format!("removed {} with {facts}", escape_control_line(&found.title));
    ui.emit(&RemovedEntityWire::from(&found), text)?;
    if !found.notes.is_empty() {
        ui.note(format_args!(
            "what people wrote on its page stays: {}",
            escape_control_line(&store.path(&found.slug).to_text())
        ));
    }
    Ok(Outcome::Done)
}

fn list(store: &EntityStore, snapshot: &EntitySnapshot, ui: &mut Ui) -> Result<Outcome> {
    let all = entities::list(store, snapshot);
    for listed in &all {
        let (name, facts) = (escape_control_line(listed.name), counted(listed.facts, "fact"));
        ui.emit(listed, format_args!("{}. {name} ({facts})", listed.number))?;
    }
    Ok(ui.listed(all.is_empty(), "nothing is known yet: `elophanto learn \"a topic\"`"))
}

fn show(store: &EntityStore, entity: &Entity, ui: &mut Ui) -> Result<Outcome> {
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
    // `--source` takes a fact by its number.
    let mut number = 0;
    for group in wire.groups() {
        let indent = if group.len() > 1 { "  " } else { "" };
        if group.len() > 1 {
            let facts = counted(group.len(), "fact");
            lines.push(format!("  ! {facts} say otherwise of the same, the newest first:"));
        }
        for fact in group {
            number += 1;
            lines.extend(told(number, fact).into_iter().map(|line| format!("{indent}{line}")));
        }
    }
    ui.done(&wire, lines.join("\n"))
}

/// A fact with its number, and below it when and where it was found out.
fn told(number: usize, fact: &KnownFact) -> Vec<String> {
    let count = fact.sources().map(|count| format!("  ({})", counted(count, "source")));
    let text = escape_control_line(fact.text);
    let mut lines = vec![format!("  {number}. {text}{}", count.unwrap_or_default())];
    let first = (fact.day(), fact.source.or(fact.edited.then_some("changed by hand")));
    let also = fact.also.iter().map(|also| (also.day(), Some(also.source)));
    for (day, source) in std::iter::once(first).chain(also) {
        let from: Vec<String> =
            [day, source].into_iter().flatten().map(escape_control_line).collect();
        if !from.is_empty() {
            lines.push(format!("      {}", from.join("  ")));
        }
    }
    if let Some(note) = fact.against {
        lines.push(format!("      ! your note says otherwise: {}", escape_control_line(note)));
    }
    lines
}

/// Something that happened, on one line.
fn line(happened: &Happened) -> String {
    let Happened { at, what, text, source, now } = happened;
    let day = at.as_deref().and_then(|at| at.get(..16)).unwrap_or("at some time").replace('T', " ");
    let text = if text.is_empty() { "(not kept)" } else { text };
    let now = now.as_ref().map(|now| format!(" -> {now}")).unwrap_or_default();
    let source = source.as_ref().map(|source| format!("  ({source})")).unwrap_or_default();
    format!("{day}  {what:<8}  {}", escape_control_line(&format!("{text}{now}{source}")))
}

/// What a fact was found in, with the passage marked by `>`.
fn found_text(found: &FoundIn) -> String {
    let mut lines = vec![escape_control_line(&found.source)];
    let mut tell = |what: &str, said: Option<&str>| {
        lines.extend(said.map(|said| format!("  {what}: {}", escape_control_line(said))));
    };
    tell("title", found.title.as_deref());
    tell("author", found.author.as_deref());
    tell("published", found.published.as_deref());
    tell("read", found.read_at.as_deref());
    tell("text", found.text_hash.as_deref());
    if let Some(passage) = &found.passage {
        let [[first, last], [from, to]] = [passage.lines, passage.characters];
        let of =
            if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        lines.push(format!("  {of}, characters {from}-{to}"));
        let around = |line: &String| format!("    {}", escape_control_line(line));
        lines.extend(passage.before.iter().map(around));
        lines.extend(passage.text.lines().map(|line| format!("  > {}", escape_control_line(line))));
        lines.extend(passage.behind.iter().map(around));
    }
    lines.extend(found.missing.map(|missing| format!("  {missing}")));
    lines.join("\n")
}
