//! `elophanto model list`

use std::path::Path;

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible_line},
    workspace,
};
use elophanto_app::config::Provider;
use elophanto_app::{
    embedding::{
        embedders::{Named, local_models},
        remote::Remote,
    },
    keys::{self, Asking},
    llm::Desk,
    settings::Settings,
};
use elophanto_models::{Embedder, Pace, bert::Bert, builtin::Builtin, llm::Task};

const PROVIDER: &str = "knowledge.embedding_provider";

/// Show which models are used for what, and why others are not
///
/// First the model that turns this repository's text into vectors and others that could, then the
/// language models for each kind of task, in the order in which they are asked. Nobody is asked
/// anything, no passphrase either, and nothing is sent.
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A model that makes vectors, as `--json` prints it.
#[derive(Serialize)]
struct EmbedderWire {
    /// As the settings name it.
    embedder: String,
    /// Who said so, where it is the one in use.
    origin: Option<String>,
    in_use: bool,
    /// Identifies its vectors, where that is known.
    fingerprint: Option<String>,
    dimension: Option<usize>,
    pace: Option<&'static str>,
    /// Whether it can be asked.
    ready: bool,
    reason: String,
}

/// A language model for a kind of task, as `--json` prints it.
#[derive(Serialize)]
struct ModelWire<'a> {
    task: &'a str,
    model: String,
    /// Whether it would be asked.
    used: bool,
    reason: String,
}

/// What is out of the ordinary with a kind of task, as `--json` prints it.
#[derive(Serialize)]
struct NoteWire<'a> {
    task: &'a str,
    note: String,
}

pub fn run(_: &ListArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let settings = workspace::settings(Vec::new(), ui)?;
    embedders(&settings, ui)?;
    let desk =
        Desk::open(&settings.config, &env::environment(), &Task::ALL, "model", Asking::Never)?;
    for task in Task::ALL {
        models(&desk, task, ui)?;
    }
    Ok(Outcome::Done)
}

fn embedders(settings: &Settings, ui: &mut Ui) -> Result<(), CliError> {
    if !ui.json {
        ui.line("text to vectors")?;
    }
    let mut wires = vec![in_use(settings)];
    if wires.iter().all(|wire| wire.fingerprint.as_deref() != Some(Builtin.fingerprint().as_str()))
    {
        wires.push(here(Provider::Builtin.to_string(), &Builtin));
    }
    let minilm = Bert::minilm();
    if wires.iter().all(|wire| wire.fingerprint.as_deref() != Some(minilm.fingerprint().as_str())) {
        wires.push(here(Provider::Minilm.to_string(), minilm));
    }
    let named = wires.first().map(|wire| wire.embedder.clone()).unwrap_or_default();
    wires.extend(
        local_models(&env::environment()).into_iter().filter(|model| *model != named).map(
            |embedder| {
                let reason = "this machine has it".to_owned();
                let (fingerprint, dimension, pace) = (None, None, None);
                let (origin, in_use, ready) = (None, false, true);
                EmbedderWire {
                    embedder,
                    origin,
                    in_use,
                    fingerprint,
                    dimension,
                    pace,
                    ready,
                    reason,
                }
            },
        ),
    );
    for wire in wires {
        let mark = if wire.in_use { '*' } else { ' ' };
        let mut text = format!("{mark} {}", wire.embedder);
        if let Some(fingerprint) = &wire.fingerprint {
            text.push_str(&format!("  {fingerprint}"));
        }
        if let Some(dimension) = wire.dimension {
            text.push_str(&format!("  {dimension} components"));
        }
        if let Some(pace) = wire.pace {
            text.push_str(&format!("  {pace}"));
        }
        let mut text = visible_line(&text);
        if let Some(origin) = &wire.origin {
            text.push_str(&format!("\n    set by  {}", visible_line(origin)));
        }
        let can = if wire.ready { "ready  " } else { "not now" };
        text.push_str(&format!("\n    {can} {}", visible_line(&wire.reason)));
        ui.emit(&wire, text)?;
    }
    Ok(())
}

/// The model that the settings name.
fn in_use(settings: &Settings) -> EmbedderWire {
    let config = &settings.config;
    let provider = &config.knowledge.embedding_provider;
    let root = settings.root.as_deref().unwrap_or(Path::new("."));
    let mut wire = match Named::new(config, root, &env::environment()) {
        Named::Here(embedder) => here(provider.to_string(), &*embedder),
        Named::There(remote) => there(provider.to_string(), &remote, settings.root.is_some()),
        Named::Missing(reason) => EmbedderWire {
            embedder: provider.to_string(),
            origin: None,
            in_use: true,
            fingerprint: None,
            dimension: None,
            pace: None,
            ready: false,
            reason,
        },
    };
    if *provider == Provider::Auto {
        wire.reason = match wire.fingerprint == Some(Builtin.fingerprint().to_string()) {
            true => "`elophanto index` decides; until then the built-in model",
            false => "`elophanto index` decides; until then the model of the committed vectors",
        }
        .to_owned();
    }
    wire.origin = config.origin(PROVIDER).map(ToString::to_string);
    wire.in_use = true;
    wire
}

fn here(embedder: String, model: &dyn Embedder) -> EmbedderWire {
    EmbedderWire {
        embedder,
        origin: None,
        in_use: false,
        fingerprint: Some(model.fingerprint().to_string()),
        dimension: Some(model.dimension()),
        pace: Some(pace(model.pace())),
        ready: true,
        reason: "runs in this program".to_owned(),
    }
}

fn there(embedder: String, remote: &Remote, in_repository: bool) -> EmbedderWire {
    let target = &remote.target;
    let place = match target.is_local() {
        true => format!("on this machine at {}", target.host()),
        false => format!("at {}", target.host()),
    };
    let agreed = target.is_agreed() || !in_repository;
    let (ready, reason) = match keys::find(&target.site, &env::environment(), Asking::Never) {
        Err(cause) => (false, format!("{place}: {cause}")),
        Ok(_) if !agreed => (
            false,
            format!("{place}: nobody has agreed to send text there; `elophanto index` asks"),
        ),
        Ok(Some(_)) => (true, format!("{place}, with a key")),
        Ok(None) => (true, format!("{place}, without a key")),
    };
    EmbedderWire { ready, reason, ..here(embedder, remote) }
}

fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Instant => "instant",
        Pace::Slow => "slow",
        Pace::Remote => "remote",
    }
}

fn models(desk: &Desk<'_>, task: Task, ui: &mut Ui) -> Result<(), CliError> {
    let plan = desk.plan(task);
    if !ui.json {
        ui.line(format_args!("\n{task}"))?;
    }
    // In the order of the settings; a review may borrow a model that they name for other work.
    let mut models: Vec<_> = desk.models(task).to_vec();
    models
        .extend(plan.candidates.iter().filter(|model| !desk.models(task).contains(model)).cloned());
    if models.is_empty() && !ui.json {
        ui.line("    the settings name no model for this")?;
    }
    for model in models {
        let used = plan.candidates.contains(&model);
        let reason = match plan.rejected.iter().find(|(rejected, _)| *rejected == model) {
            Some((_, why)) => desk.reason(&model, why),
            None if plan.candidates.first() == Some(&model) => "asked first".to_owned(),
            None => "asked if those before it fail".to_owned(),
        };
        let mark = if used { '*' } else { ' ' };
        let text = visible_line(&format!("{mark} {model}  {reason}"));
        ui.emit(&ModelWire { task: task.name(), model: model.to_string(), used, reason }, text)?;
    }
    if let Some(note) = &plan.note {
        let text = format!("    {}", visible_line(&note.to_string()));
        ui.emit(&NoteWire { task: task.name(), note: note.to_string() }, text)?;
    }
    Ok(())
}
