//! `elophanto learn`

use std::{
    cell::{LazyCell, OnceCell},
    collections::BTreeMap,
    io::Read,
    path::Path,
};

use jiff::Timestamp;
use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{self, Workspace},
};
use elophanto_app::{
    learning::{Learning, Telling, now},
    llm::asker::{Asker, Purpose, Reach},
};
use elophanto_knowledge::{
    extract::MAX_DOCUMENT_BYTES,
    learn::{
        log::{Log, Work},
        plan::{self, Topic},
        record::{MESSAGE, Message, Prompt, Status, Trigger},
        responses::Finding,
        run,
        shelf::Shelf,
        sources::Source,
        undo::undo,
        writer::known_writer,
    },
};
use elophanto_models::llm::Asked;
use elophanto_repo::{Git, journal::Place};
use elophanto_text::reading::{self, Hint, INPUT_CAP};

/// Largest message, in bytes.
const MAX_MESSAGE: u64 = 256 * 1024;

/// Learn about a topic: search for it, read what is found, keep facts with their source
///
/// Facts go to `knowledge/learned/entities/`, one page for each thing that is known of and one line
/// for each fact, with the source that says so. Without a topic, shows what was asked for and what
/// came of it. Where to look is `learn.sources`; or hand over what is to be read with --from.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct LearnArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// What to learn about
    topic: Option<String>,
    /// Read this instead of searching: a file, an address, or `-` for standard input
    #[arg(long, value_name = "FILE|URL", requires = "topic")]
    from: Option<String>,
    /// Note something you said, and what it tells: a file, or `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["topic", "background"])]
    message: Option<String>,
    /// Only put it into the queue, which `enrich` works off
    #[arg(long, requires = "topic")]
    background: bool,
    /// Nobody asked for this: add facts to what is known, and nothing else
    #[arg(long, requires = "topic")]
    unasked: bool,
    /// What one run may spend on a language model, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Send what is read to the model of the settings, and remember that this may be done
    #[arg(long, short)]
    yes: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Take back every fact that a search, a prompt or a message brought
    Undo(UndoArgs),
}

#[derive(clap::Args, Debug)]
struct UndoArgs {
    /// The id of a search, a prompt or a message
    id: String,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// A prompt and what came of it, as `--json` prints it.
#[derive(Serialize)]
struct PromptWire<'a> {
    number: usize,
    id: &'a str,
    prompt: &'a str,
    status: &'static str,
    searches_remaining: usize,
    created_at: String,
    /// The address in git's settings if it was asked here, else the id of the clone.
    user: String,
    searches: Vec<SearchWire<'a>>,
    entities: Vec<EntityWire<'a>>,
}

#[derive(Serialize)]
struct SearchWire<'a> {
    id: &'a str,
    query: &'a str,
    trigger: &'a str,
    urls: &'a [String],
    queued: bool,
    extracted: bool,
}

#[derive(Serialize)]
struct EntityWire<'a> {
    entity: &'a str,
    name: &'a str,
    facts: usize,
}

/// The beginning of a run, as `--json` prints it.
#[derive(Serialize)]
struct StartedWire<'a> {
    event: &'static str,
    id: &'a str,
    prompt: &'a str,
    searches: usize,
}

/// What was taken back, as `--json` prints it.
#[derive(Serialize)]
struct UndoneWire<'a> {
    id: &'a str,
    facts: usize,
    entities: &'a [String],
}

impl LearnArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        self.json || matches!(&self.action, Some(Action::Undo(args)) if args.json)
    }
}

pub fn run(args: &LearnArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let flags = args.budget.iter().map(|text| ("llm.budget.run".to_owned(), text.clone()));
    let workspace = workspace::open(flags.collect(), ui)?;
    if args.topic.is_none() && args.message.is_none() && args.action.is_none() {
        return queue(&workspace, ui);
    }
    let learning = Learning::open(&workspace)?;
    if !args.unasked {
        learning.acted();
    }
    if let Some(Action::Undo(args)) = &args.action {
        return take_back(&learning, &args.id, ui);
    }
    if let Some(from) = &args.message {
        return message(&learning, from, args.yes, ui);
    }
    let topic = Topic::new(args.topic.as_deref().unwrap_or_default()).map_err(|cause| {
        CliError::new(cause)
            .hint("give a few words, such as `elophanto learn \"espresso machines\"`")
    })?;
    let trigger = if args.unasked { Trigger::Enrichment } else { Trigger::LearnCommand };
    // Before anything is written down: what cannot be read is not asked for.
    let given = args.from.as_deref().map(|from| material(&learning, from, ui)).transpose()?;
    let telling = learning.telling(ui)?;
    let notes = OnceCell::new();
    let ask = |query: &str| match notes.get() {
        Some(notes) => learning.ask_notes(notes, query),
        None => Vec::new(),
    };
    let (is_given, user) = (given.is_some(), learning.user.as_str());
    let sources = match !is_given && !args.background {
        true => learning.sources(&ask, ui)?,
        false => Vec::new(),
    };
    // While the searches are made, no `enrich` takes them for left behind.
    let _turn = if sources.is_empty() { None } else { run::turn_if_free(&learning.desk) };
    let (prompt, searches) = match given {
        Some(found) => {
            let asked = run::given(&learning.desk, topic.as_str(), found, trigger, user, now())?;
            (asked.0, vec![asked.1])
        }
        None => {
            let queries = queries(&learning, &topic, args, ui)?;
            run::ask_for(&learning.desk, topic.as_str(), &queries, trigger, user, now())?
        }
    };
    let acknowledged = StartedWire {
        event: "started",
        id: &prompt.id,
        prompt: &prompt.prompt_text,
        searches: searches.len(),
    };
    let word = if searches.len() == 1 { "search" } else { "searches" };
    if ui.json {
        ui.json(&acknowledged)?;
        ui.flush()?;
    } else {
        let shown = visible_line(&prompt.prompt_text);
        let doing = if is_given { "reading about" } else { "learning about" };
        let rest = match (is_given, args.background) {
            (true, _) => String::new(),
            (false, true) => format!(": {} {word} queued", searches.len()),
            (false, false) => format!(": {} {word}", searches.len()),
        };
        ui.talk(format_args!("{doing} '{shown}'{rest}"));
    }
    let mut all_made = true;
    if !is_given && !args.background {
        let _ = notes.set(learning.notes()?);
        all_made = look(&learning, &prompt, &sources, ui)?;
    }
    if args.background {
        return show(&workspace, Some(&prompt.id), ui);
    }
    extract(&learning, &telling, Some(&prompt.id), args.yes, ui)?;
    let shown = show(&workspace, Some(&prompt.id), ui)?;
    Ok(if all_made { shown } else { Outcome::Negative })
}

/// The searches for a topic: a model's plan where one may be asked, else by rule.
fn queries(
    learning: &Learning,
    topic: &Topic,
    args: &LearnArgs,
    ui: &Ui,
) -> Result<Vec<String>, CliError> {
    let most = learning.workspace.config.learn.queries;
    let by_rule = plan::plan(topic, most);
    if args.background {
        // Nobody waits for a model then.
        return Ok(by_rule);
    }
    let talk = Ui::new(ui.json, true);
    let mut model =
        Asker::open(learning.workspace, Purpose::EXTRACT, Reach::Agreed, args.yes, &talk)?;
    if !model.is_there() {
        return Ok(by_rule);
    }
    Ok(match model.ask(&plan::prompt(topic)) {
        Asked::Said { text, .. } => plan::accept(&text, topic).unwrap_or(by_rule),
        Asked::NoModel | Asked::Failed(_) | Asked::Stop(_) => by_rule,
    })
}

/// Makes the searches of a prompt, one after the other; says whether all could be made.
fn look(
    learning: &Learning,
    prompt: &Prompt,
    sources: &[Box<dyn Source + '_>],
    ui: &Ui,
) -> Result<bool, CliError> {
    let log = Log::read(&learning.desk.journal, now());
    let searches = log.searches_of(&prompt.id);
    let mut prompt = prompt.clone();
    let mut left = searches.len();
    let mut warned: Vec<String> = Vec::new();
    for search in searches {
        let made = run::make(&learning.desk, log.place(&search.id), search, sources, &now)?;
        // Of four searches each fails in the same way.
        for (source, cause) in &made.failed {
            let text = format!("{source}: {cause}");
            if !warned.contains(&text) {
                ui.warn(visible_line(&text));
                warned.push(text);
            }
        }
        if made.search.queued {
            let waiting =
                if left == 1 { "1 search waits" } else { &format!("{left} searches wait") };
            ui.note(format_args!(
                "{waiting}: `elophanto enrich --once` goes on when the sources answer"
            ));
            return Ok(false);
        }
        left -= 1;
        prompt = run::advance(&learning.desk, &prompt, left, now())?;
    }
    Ok(true)
}

/// Processes what was found for a prompt, or all that waits, and tells what was discovered.
pub fn extract(
    learning: &Learning,
    telling: &Telling,
    only: Option<&str>,
    yes: bool,
    ui: &Ui,
) -> Result<usize, CliError> {
    let notes = learning.notes()?;
    let log = Log::read(&learning.desk.journal, now());
    for problem in &log.problems {
        ui.note(visible_line(problem));
    }
    let is_wanted = |work: &Work| match (only, work) {
        (None, _) => true,
        (Some(id), Work::Search(search)) => search.learn_prompt_id.as_deref() == Some(id),
        (Some(id), Work::Message(message)) => message.id == id,
    };
    let work: Vec<Work> = log.unprocessed().into_iter().filter(is_wanted).collect();
    let outcome = learning.process(&work, &log, &notes, yes, ui)?;
    learning.tell(&outcome.discovered, telling, ui)?;
    if let Some((name, other)) = outcome.hints.first() {
        ui.note(format_args!(
            "`{}` may be `{}`: `elophanto clean review` compares them",
            visible_line(name),
            visible_line(other)
        ));
    }
    if !outcome.discovered.is_empty() {
        // Cut, embedded and inverted now, so that no search has to wait for it.
        learning.notes()?;
    }
    Ok(outcome.processed)
}

/// Notes what the user said, and what it tells.
fn message(learning: &Learning, from: &str, yes: bool, ui: &mut Ui) -> Result<Outcome, CliError> {
    let bytes = bytes_of(from, MAX_MESSAGE, ui)?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if text.is_empty() {
        return Err(CliError::new("the message is empty").hint("write what you want to say"));
    }
    let telling = learning.telling(ui)?;
    let record = Message {
        kind: MESSAGE.to_owned(),
        id: ulid::Ulid::new().to_string(),
        at: now(),
        user: learning.user.clone(),
        text: elophanto_base::secrets::mask(&text).0.into_owned(),
    };
    learning.desk.write(Place::Local, &[&record])?;
    extract(learning, &telling, Some(&record.id), yes, ui)?;
    let log = Log::read(&learning.desk.journal, now());
    let shelf = learning.shelves().read(now());
    let found = found_by(&shelf, |line| line.message.as_deref() == Some(record.id.as_str()));
    let wire = MessageWire { id: &record.id, entities: wires(&shelf, &found) };
    let done = log.extractions.get(&record.id).map_or(0, |done| done.facts_added);
    let lines = lines(&wire.entities);
    let text = match done {
        0 => format!("noted {}", record.id),
        _ => format!("noted {}\n{lines}", record.id),
    };
    ui.emit(&wire, text)?;
    Ok(Outcome::Done)
}

/// A message and what came of it, as `--json` prints it.
#[derive(Serialize)]
struct MessageWire<'a> {
    id: &'a str,
    entities: Vec<EntityWire<'a>>,
}

fn take_back(learning: &Learning, id: &str, ui: &mut Ui) -> Result<Outcome, CliError> {
    let shelves = learning.shelves();
    let mut shelf = shelves.read(now());
    let log = Log::read(&learning.desk.journal, now());
    let Some(undone) = undo(&shelves, &mut shelf, &log, id, &learning.meaning(), now())? else {
        ui.talk(format_args!(
            "no search, prompt or message is called `{}`; `elophanto learn --json` lists them",
            visible_line(id)
        ));
        return Ok(Outcome::Negative);
    };
    let wire = UndoneWire { id, facts: undone.facts, entities: &undone.entities };
    let names: Vec<String> = undone.entities.iter().map(|name| visible_line(name)).collect();
    let word = if undone.facts == 1 { "fact" } else { "facts" };
    let gone = match names.is_empty() {
        true => String::new(),
        false => format!(" and {}", names.join(", ")),
    };
    let off = match undone.called_off {
        0 => String::new(),
        _ => ", and what was still to come".to_owned(),
    };
    ui.emit(&wire, format_args!("took back {} {word}{gone}{off}", undone.facts))?;
    let is_nothing = undone.facts == 0 && undone.called_off == 0;
    Ok(if is_nothing { Outcome::Negative } else { Outcome::Done })
}

/// What is to be read instead of searching.
fn material(learning: &Learning, from: &str, ui: &Ui) -> Result<Finding, CliError> {
    let finding = finding(learning, from, ui)?;
    if finding.text.len() > MAX_DOCUMENT_BYTES {
        ui.note(format_args!("only the first {MAX_DOCUMENT_BYTES} bytes of the text are read"));
    }
    Ok(finding)
}

fn finding(learning: &Learning, from: &str, ui: &Ui) -> Result<Finding, CliError> {
    if from.starts_with("http://") || from.starts_with("https://") {
        let fetched = learning.fetcher()?.get(from).map_err(|cause| {
            let hint = cause.hint();
            let error = CliError::new(cause);
            match hint {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })?;
        let hint = Hint { media_type: Some(&fetched.media_type), name: Some(fetched.url.path()) };
        let options =
            reading::Options { base: Some(fetched.url.clone()), ..reading::Options::default() };
        let read = reading::read_with(&fetched.bytes, hint, &options).map_err(unreadable)?;
        let url = Some(fetched.url.to_string());
        return Ok(Finding { title: read.title, url, text: read.text, image: read.image });
    }
    let bytes = bytes_of(from, INPUT_CAP as u64, ui)?;
    let name = (from != "-").then_some(from);
    let read = reading::read(&bytes, Hint { media_type: None, name }).map_err(unreadable)?;
    let url = match name {
        None => None,
        Some(name) => {
            let path = learning.workspace.note_path(Path::new(name));
            // Where files lie on this machine is nobody else's business.
            if path.as_path().is_absolute() || path.as_path().starts_with("..") {
                let name = path.as_path().file_name().unwrap_or_default().to_string_lossy();
                Some(format!("file:{name}"))
            } else {
                Some(path.to_text())
            }
        }
    };
    Ok(Finding { title: read.title, url, text: read.text, image: read.image })
}

fn unreadable(cause: reading::ReadError) -> CliError {
    CliError::new(cause).hint("give Markdown, text, HTML, or a PDF that holds text")
}

/// A file, or standard input.
fn bytes_of(from: &str, most: u64, ui: &Ui) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    if from == "-" {
        bytes = ui.input(most)?.ok_or_else(|| {
            CliError::new("`-` reads standard input, which is a terminal")
                .hint("pipe it in, or give a file")
        })?;
    } else {
        let failed = |cause: std::io::Error| {
            CliError::new(format_args!("`{}` cannot be read: {cause}", visible_line(from)))
                .hint("give a file, an address that begins with https://, or `-`")
        };
        let metadata = std::fs::metadata(from).map_err(failed)?;
        if !metadata.is_file() {
            return Err(CliError::new(format_args!("`{}` is no file", visible_line(from)))
                .hint("give a file, an address that begins with https://, or `-`"));
        }
        let file = std::fs::File::open(from).map_err(failed)?;
        file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() as u64 > most {
        return Err(CliError::new(format_args!("there are more than {most} bytes to read"))
            .hint("hand over a part of it"));
    }
    Ok(bytes)
}

/// What was asked for, and what came of it.
fn queue(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome, CliError> {
    show(workspace, None, ui)
}

/// All prompts, or one, in the order in which they were asked.
fn show(workspace: &Workspace, only: Option<&str>, ui: &mut Ui) -> Result<Outcome, CliError> {
    let desk = workspace.desk();
    let log = Log::read(&desk.journal, now());
    let learning_root = &workspace.config.knowledge.write_root;
    let shelves =
        elophanto_knowledge::learn::shelf::Shelves { desk: &desk, write_root: learning_root };
    let shelf = shelves.read(now());
    // Whoever works in this clone is known to git, others by the id of theirs.
    let own = LazyCell::new(|| known_writer(&desk));
    let address = LazyCell::new(|| address(workspace));
    let who = |id: &str| {
        let known = if own.as_deref() == Some(id) { address.clone() } else { None };
        known.unwrap_or_else(|| id.to_owned())
    };
    let mut shown = 0;
    for (number, prompt) in (1..).zip(log.in_order()) {
        if only.is_some_and(|id| id != prompt.id) {
            continue;
        }
        shown += 1;
        let searches = log.searches_of(&prompt.id);
        let is_its = |line: &elophanto_text::entity::Line| {
            let search = line.search.as_deref();
            searches.iter().any(|own| Some(own.id.as_str()) == search)
        };
        let found = found_by(&shelf, is_its);
        let is_done = log.is_done(prompt);
        let wire = PromptWire {
            number,
            id: &prompt.id,
            prompt: &prompt.prompt_text,
            status: match prompt.status {
                Status::Active => "active",
                Status::Completed => "completed",
            },
            searches_remaining: prompt.searches_remaining,
            created_at: time(prompt.created_at),
            user: who(&prompt.user),
            searches: searches
                .iter()
                .map(|search| SearchWire {
                    id: &search.id,
                    query: &search.query,
                    trigger: &search.trigger,
                    urls: &search.urls,
                    queued: search.queued,
                    extracted: log.extractions.contains_key(&search.id),
                })
                .collect(),
            entities: wires(&shelf, &found),
        };
        let mark = if is_done { "✓" } else { "..." };
        let mut text = format!("{number}) '{}' {mark}", visible_line(&prompt.prompt_text));
        let entities = lines(&wire.entities);
        if !entities.is_empty() {
            text.push('\n');
            text.push_str(&entities);
        }
        ui.emit(&wire, text)?;
        if only.is_some() && is_done && wire.entities.is_empty() {
            ui.talk("nothing new was found that is worth keeping");
            return Ok(Outcome::Negative);
        }
    }
    if shown == 0 {
        ui.talk("nothing was asked for yet: `elophanto learn \"a topic\"`");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

/// The address of whoever works in this clone, as git has it.
fn address(workspace: &Workspace) -> Option<String> {
    let git = Git::of(&workspace.repository)?;
    let output = git.run(&["config", "--get", "user.email"]).ok()?;
    let address = String::from_utf8_lossy(&output).trim().to_owned();
    (!address.is_empty()).then_some(address)
}

/// How many facts that count each entity has of lines like this, by slug.
fn found_by(
    shelf: &Shelf,
    is_wanted: impl Fn(&elophanto_text::entity::Line) -> bool,
) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for entity in shelf.entities.iter() {
        let facts = entity.facts.iter().filter(|fact| {
            is_wanted(&fact.line) || fact.also.iter().any(|(_, line)| is_wanted(line))
        });
        let count = facts.count();
        if count > 0 {
            found.insert(entity.slug.clone(), count);
        }
    }
    found
}

fn wires<'a>(shelf: &'a Shelf, found: &BTreeMap<String, usize>) -> Vec<EntityWire<'a>> {
    let mut wires: Vec<EntityWire> = found
        .iter()
        .filter_map(|(slug, &facts)| {
            let entity = shelf.entities.by_slug(slug)?;
            Some(EntityWire { entity: &entity.slug, name: &entity.title, facts })
        })
        .collect();
    wires.sort_by(|a, b| b.facts.cmp(&a.facts).then_with(|| a.name.cmp(b.name)));
    wires
}

fn lines(entities: &[EntityWire]) -> String {
    let line = |entity: &EntityWire| {
        let word = if entity.facts == 1 { "fact" } else { "facts" };
        format!("   - {} ({} {word})", visible_line(entity.name), entity.facts)
    };
    entities.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn time(at: Timestamp) -> String {
    format!("{at:.0}")
}
