//! `elophanto learn`

mod setup;

use super::{
    CliError, Json, Outcome, Result, Ui, Workspace, escape_control_line, flags, workspace,
};
use crate::wire::UndoneWire;
use elophanto_app::learn::{
    FoundEntity, LearnRequest, Learnt, Material, Prompted, ReadMaterial, Started, handed, learn,
    looks_in_notes_alone, note, prompts, put_back, undo,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_text::reading::INPUT_CAP;

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
    /// With `--from -`: where that is from, as facts will say: an address or a name
    #[arg(long, value_name = "URL|NAME", requires = "from")]
    source: Option<String>,
    /// Note something you said, and what it tells: a file, or `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["topic", "background"])]
    message: Option<String>,
    /// Set up where the web is searched: asks for what it takes, tries it, and writes your own
    /// settings
    #[arg(long, value_name = "SERVICE", num_args = 0..=1, conflicts_with_all = ["topic", "message"])]
    setup: Option<Option<setup::ServiceArg>>,
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
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Take back every fact that a search, a prompt or a message brought; no source brings it again,
    /// unless it is put back with --back
    Undo(Json<UndoArgs>),
}

#[derive(clap::Args, Debug)]
struct UndoArgs {
    /// The number of a prompt in the list, or the id of a search, a prompt or a message
    id: String,
    /// Put back what was taken back
    #[arg(long)]
    back: bool,
}

pub fn run(args: &LearnArgs, ui: &mut Ui) -> Result<Outcome> {
    if let Some(service) = args.setup {
        return setup::run(service, ui);
    }
    let workspace = workspace::open(flags([("llm.budget.run", args.budget.clone())]), ui)?;
    if let Some(Action::Undo(args)) = &args.action {
        return match args.back {
            true => again(&workspace, &args.id, ui),
            false => take_back(&workspace, &args.id, ui),
        };
    }
    if let Some(from) = &args.message {
        return message(&workspace, from, args.yes, ui);
    }
    let Some(topic) = &args.topic else { return queue(&workspace, ui) };
    let (from, source, beside) = (args.from.as_deref(), args.source.as_deref(), ui.beside());
    if source.is_some() && from != Some("-") {
        return Err(CliError::new("--source names what comes on standard input")
            .hint("give it with `--from -`: a file and an address are their own source"));
    }
    let request = LearnRequest {
        topic: topic.clone(),
        material: from.map(|from| -> ReadMaterial {
            Box::new(|| material(&workspace, from, source, &beside))
        }),
        background: args.background,
        unasked: args.unasked,
        yes: args.yes,
    };
    let learnt =
        learn(&workspace, request, &mut |begun| started(begun, args.background, ui), &beside)?;
    let Some(prompt) = &learnt.prompt else { return Ok(Outcome::Negative) };
    show(prompt, ui)?;
    if prompt.is_done && prompt.entities.is_empty() {
        return Ok(nothing(&workspace, &learnt, from.is_some(), ui));
    }
    if from == Some("-") && source.is_none() && !prompt.entities.is_empty() {
        ui.note(
            "these facts have no source: `--from - --source URL|NAME` says where they are from",
        );
    }
    if from.is_none() && !prompt.entities.is_empty() && looks_in_notes_alone(&workspace) {
        ui.note(
            "these facts are from your own notes: `learn` looks nowhere else before `elophanto learn --setup`",
        );
    }
    Ok(if learnt.all_made { Outcome::Done } else { Outcome::Negative })
}

/// Says that nothing was learnt, and what to do.
fn nothing(workspace: &Workspace, learnt: &Learnt, is_given: bool, ui: &Ui) -> Outcome {
    let is_alone = looks_in_notes_alone(workspace);
    if is_given || !(is_alone || learnt.is_unknown()) {
        return ui.nothing("nothing new was found that is worth keeping");
    }
    if is_alone {
        ui.talk("your notes say nothing new about it, and `learn` looks nowhere else");
        return ui.nothing(
            "`elophanto learn --setup` sets up a search of the web; --from FILE or URL hands over what is \
             to be read",
        );
    }
    let sources = workspace.config.learn.sources.iter().map(|source| source.as_str());
    ui.talk(format_args!(
        "nothing is to be found about it where was looked: {}",
        sources.collect::<Vec<_>>().join(", ")
    ));
    ui.nothing(
        "hand over what is to be read with --from FILE or URL, or name where else to look in \
         `learn.sources`",
    )
}

/// Says what has begun.
fn started(begun: &Started, background: bool, ui: &mut Ui) -> Result<()> {
    if ui.json {
        ui.json(begun)?;
        return ui.flush();
    }
    let prompt = escape_control_line(&begun.prompt);
    let searches = counted(begun.searches, "search");
    ui.talk(match (begun.is_given, background) {
        (true, _) => format!("reading about '{prompt}'"),
        (false, true) => format!("learning about '{prompt}': {searches} queued"),
        (false, false) => format!("learning about '{prompt}': {searches}"),
    });
    Ok(())
}

/// Notes what the user said, and what it tells.
fn message(workspace: &Workspace, from: &str, yes: bool, ui: &mut Ui) -> Result<Outcome> {
    let bytes = bytes_of(workspace, from, MAX_MESSAGE, ui)?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if text.is_empty() {
        return Err(CliError::new("the message is empty").hint("write what you want to say"));
    }
    let noted = note(workspace, &text, yes, ui)?;
    let text = match noted.facts {
        0 => format!("noted {}", noted.id),
        _ => format!("noted {}\n{}", noted.id, lines(&noted.entities)),
    };
    ui.done(&noted, text)
}

fn take_back(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome> {
    let Some((own, undone)) = undo(workspace, id)? else {
        return Ok(ui.nothing(format_args!(
            "no search, prompt or message is called `{}`; `elophanto learn --json` lists them",
            escape_control_line(id)
        )));
    };
    let names: Vec<String> = undone.entities.iter().map(|name| escape_control_line(name)).collect();
    let mut facts = counted(undone.facts, "fact");
    if undone.confirmed > 0 {
        let stay = agreeing(undone.confirmed, "stays", "stay");
        facts.push_str(&format!("; {} {stay} by other sources", undone.confirmed));
    }
    let gone = match names.is_empty() {
        true => String::new(),
        false => format!(" and {}", names.join(", ")),
    };
    let off = if undone.called_off == 0 { "" } else { ", and what was still to come" };
    ui.emit(&UndoneWire::of(id, &undone), format_args!("took back {facts}{gone}{off}"))?;
    if undone.facts > 0 {
        ui.note(format_args!(
            "no source brings this again; `elophanto learn undo {} --back` puts it back",
            escape_control_line(&own)
        ));
    }
    let is_nothing = undone.facts + undone.confirmed + undone.called_off == 0;
    Ok(if is_nothing { Outcome::Negative } else { Outcome::Done })
}

/// Puts back what was taken back.
fn again(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome> {
    let Some(back) = put_back(workspace, id)? else {
        return Ok(
            ui.nothing(format_args!("nothing of `{}` was taken back", escape_control_line(id)))
        );
    };
    let names: Vec<String> = back.entities.iter().map(|name| escape_control_line(name)).collect();
    let there = match names.is_empty() {
        true => String::new(),
        false => format!(" and {}", names.join(", ")),
    };
    let text = format!("put back {}{there}", counted(back.facts, "fact"));
    ui.done(&UndoneWire::put_back(id, &back), text)
}

/// What is to be read instead of searching.
fn material(workspace: &Workspace, from: &str, source: Option<&str>, ui: &Ui) -> Result<Material> {
    if from.starts_with("http://") || from.starts_with("https://") {
        return Ok(Material::Address(from.to_owned()));
    }
    let bytes = bytes_of(workspace, from, INPUT_CAP as u64, ui)?;
    if let Some(source) = source {
        return Ok(Material::Sourced { bytes, source: source.to_owned() });
    }
    Ok(Material::Bytes { bytes, name: (from != "-").then(|| from.to_owned()) })
}

/// A file, or standard input.
fn bytes_of(workspace: &Workspace, from: &str, most: u64, ui: &Ui) -> Result<Vec<u8>> {
    let bytes = match from {
        "-" => ui.input(most)?.ok_or_else(|| {
            CliError::new("`-` reads standard input, which is a terminal")
                .hint("pipe it in, or give a file")
        })?,
        _ => handed(workspace, from, most)?,
    };
    if bytes.len() as u64 > most {
        return Err(CliError::new(format_args!("there are more than {most} bytes to read"))
            .hint("hand over a part of it"));
    }
    Ok(bytes)
}

/// What was asked for, and what came of it.
fn queue(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome> {
    let all = prompts(workspace, None);
    for prompt in &all {
        show(prompt, ui)?;
    }
    Ok(ui.listed(all.is_empty(), "nothing was asked for yet: `elophanto learn \"a topic\"`"))
}

fn show(prompt: &Prompted, ui: &mut Ui) -> Result<()> {
    let mark = match (prompt.is_done, prompt.entities.is_empty()) {
        (false, _) => "...",
        (true, false) => "✓",
        (true, true) => "- nothing",
    };
    let mut text = format!("{}) '{}' {mark}", prompt.number, escape_control_line(&prompt.prompt));
    if !prompt.entities.is_empty() {
        text.push_str(&format!("\n{}", lines(&prompt.entities)));
    }
    ui.emit(prompt, text)
}

fn lines(entities: &[FoundEntity]) -> String {
    let line = |entity: &FoundEntity| {
        format!("   - {} ({})", escape_control_line(&entity.name), entity.counted())
    };
    entities.iter().map(line).collect::<Vec<_>>().join("\n")
}
