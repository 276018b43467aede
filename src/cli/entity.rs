//! `elophanto entity`

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible_line},
    workspace,
};
use elophanto_app::learning::{Learning, now};
use elophanto_knowledge::learn::{
    shelf::{Shelf, Shelves},
    undo::delete,
};
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

/// An entity of the list, as `--json` prints it.
#[derive(Serialize)]
struct RowWire<'a> {
    number: usize,
    entity: &'a str,
    name: &'a str,
    path: String,
    facts: usize,
}

/// An entity, as `--json` prints it.
#[derive(Serialize)]
struct EntityWire<'a> {
    entity: &'a str,
    name: &'a str,
    path: String,
    aliases: &'a [String],
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    facts: Vec<FactWire<'a>>,
    notes: Vec<NoteWire<'a>>,
}

#[derive(Serialize)]
struct FactWire<'a> {
    id: &'a str,
    text: &'a str,
    path: String,
    line: usize,
    source: Option<&'a str>,
    search: Option<&'a str>,
    message: Option<&'a str>,
    learned_at: Option<String>,
    /// The user's note that says otherwise.
    against: Option<&'a str>,
}

#[derive(Serialize)]
struct NoteWire<'a> {
    text: &'a str,
    path: String,
    line: usize,
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
    let desk = workspace.desk();
    let shelves = Shelves { desk: &desk, write_root: &workspace.config.knowledge.write_root };
    let mut shelf = shelves.read(now());
    for warning in shelf.warnings() {
        ui.note(visible_line(&warning));
    }
    let Some(name) = &args.name else { return list(&shelves, &shelf, ui) };
    let Some(found) = find(&shelf, name).cloned() else {
        let near = nearest(&shelf, name).map(visible_line);
        let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        ui.talk(format_args!("nothing is known of `{}`{meant}", visible_line(name)));
        return Ok(Outcome::Negative);
    };
    if !args.delete {
        return show(&shelves, &found, ui);
    }
    let learning = Learning::open(&workspace)?;
    learning.acted();
    delete(&shelves, &mut shelf, &found.slug, now())?;
    let facts = found.facts.len();
    let word = if facts == 1 { "fact" } else { "facts" };
    ui.emit(
        &DeletedWire { entity: &found.slug, name: &found.title, facts },
        format_args!("removed {} with {facts} {word}", visible_line(&found.title)),
    )?;
    if !found.notes.is_empty() {
        ui.note(format_args!(
            "what people wrote on its page stays: {}",
            visible_line(&shelves.path(&found.slug).to_text())
        ));
    }
    Ok(Outcome::Done)
}

/// In the order of the list: what most is known of comes first.
fn in_order(shelf: &Shelf) -> Vec<&Entity> {
    let mut all: Vec<&Entity> = shelf.entities.iter().collect();
    all.sort_by(|a, b| b.facts.len().cmp(&a.facts.len()).then_with(|| a.identity.cmp(&b.identity)));
    all
}

fn find<'a>(shelf: &'a Shelf, name: &str) -> Option<&'a Entity> {
    let by_number = || {
        let number: usize = name.parse().ok()?;
        in_order(shelf).get(number.checked_sub(1)?).copied()
    };
    let by_slug =
        || shelf.sheets.contains_key(name).then(|| shelf.entities.by_slug(name)).flatten();
    // A name that is a number is a name first.
    shelf.entities.find(name).or_else(by_slug).or_else(by_number)
}

fn nearest<'a>(shelf: &'a Shelf, name: &str) -> Option<&'a str> {
    const ENOUGH: f64 = 0.7;
    let wanted = elophanto_text::entity::identity(name);
    let names = shelf.entities.iter().map(|entity| entity.title.as_str());
    let scored = names
        .map(|name| (strsim::jaro_winkler(&wanted, &elophanto_text::entity::identity(name)), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (best.0 >= ENOUGH).then_some(best.1)
}

fn list(shelves: &Shelves, shelf: &Shelf, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = in_order(shelf);
    for (number, entity) in (1..).zip(&all) {
        let facts = entity.facts.len();
        let path = shelves.path(&entity.slug).to_text();
        let word = if facts == 1 { "fact" } else { "facts" };
        let text = format!("{number}. {} ({facts} {word})", visible_line(&entity.title));
        let (slug, name) = (&entity.slug, &entity.title);
        ui.emit(&RowWire { number, entity: slug, name, path, facts }, text)?;
    }
    if all.is_empty() {
        ui.talk("nothing is known yet: `elophanto learn \"a topic\"`");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

fn show(shelves: &Shelves, entity: &Entity, ui: &mut Ui) -> Result<Outcome, CliError> {
    let path = |slug: &str| shelves.path(slug).to_text();
    let wire = EntityWire {
        entity: &entity.slug,
        name: &entity.title,
        path: path(&entity.slug),
        aliases: &entity.aliases,
        tags: &entity.tags,
        created: entity.created.map(|at| format!("{at:.0}")),
        facts: entity
            .facts
            .iter()
            .map(|fact| FactWire {
                id: &fact.line.id,
                text: &fact.line.text,
                path: path(&fact.slug),
                line: fact.line.number,
                source: fact.line.source.as_deref(),
                search: fact.line.search.as_deref(),
                message: fact.line.message.as_deref(),
                learned_at: fact.line.at.map(|at| format!("{at:.0}")),
                against: fact.line.against.as_deref(),
            })
            .collect(),
        notes: entity
            .notes
            .iter()
            .map(|note| NoteWire { text: &note.text, path: path(&note.slug), line: note.number })
            .collect(),
    };
    let mut lines =
        vec![format!("{}  ({})", visible_line(&entity.title), visible_line(&wire.path))];
    if !entity.aliases.is_empty() {
        let names: Vec<String> = entity.aliases.iter().map(|name| visible_line(name)).collect();
        lines.push(format!("  also known as {}", names.join(", ")));
    }
    if !entity.tags.is_empty() {
        let tags: Vec<String> = entity.tags.iter().map(|tag| visible_line(tag)).collect();
        lines.push(format!("  tags: {}", tags.join(", ")));
    }
    for note in &wire.notes {
        lines.push(format!("  * {}", visible_line(note.text)));
    }
    for fact in &wire.facts {
        let date = fact.learned_at.as_deref().and_then(|at| at.get(..10)).unwrap_or_default();
        let from = [Some(date).filter(|date| !date.is_empty()), fact.source];
        let from: Vec<String> = from.into_iter().flatten().map(visible_line).collect();
        lines.push(format!("  - {}", visible_line(fact.text)));
        if !from.is_empty() {
            lines.push(format!("      {}", from.join("  ")));
        }
        if let Some(note) = fact.against {
            lines.push(format!("      ! your note says otherwise: {}", visible_line(note)));
        }
    }
    ui.emit(&wire, lines.join("\n"))?;
    Ok(Outcome::Done)
}
