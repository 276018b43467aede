//! `elophanto model test`

use std::ops::ControlFlow;

use crate::cli::{
    Outcome, Result, Ui, env, escape_control_line, flags, usage::money, visible, workspace,
};
use crate::wire::{TriedEmbedderWire, TriedWire, UnansweredWire};
use elophanto_app::{
    llm::Failure,
    models::trial::{self, Tried, TriedEmbedder, Wanted},
};
use elophanto_models::llm::{Delta, Sink, Task};

/// Ask a model something small, to see that it answers
///
/// Really sends a short fixed text, which may cost a fraction of a cent; nothing of a repository.
/// Exits with 2 if no model answers, and says of each one why. With `--tools` exits with 1 if the
/// model answers without calling the tool.
#[derive(clap::Args, Debug)]
pub struct TestArgs {
    /// Ask the models for this kind of task: planning, coding, analysis, simple, review,
    /// extraction or summary
    #[arg(long, default_value_t = Task::Simple)]
    task: Task,
    /// Print the answer as it is made
    #[arg(long)]
    stream: bool,
    /// Offer a harmless tool and show how the model calls it
    #[arg(long, conflicts_with = "schema")]
    tools: bool,
    /// Want an answer in a given form
    #[arg(long)]
    schema: bool,
    /// Try the model that makes this repository's vectors, and no other
    #[arg(long, conflicts_with_all = ["task", "stream", "tools", "schema", "budget"])]
    embed: bool,
    /// Spend no more than this, in place of `llm.budget.run`: 0.50usd,20000tok,30calls or none
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &TestArgs, ui: &mut Ui) -> Result<Outcome> {
    let settings = workspace::settings(flags([("llm.budget.run", args.budget.clone())]), ui)?;
    let environment = env::environment();
    if args.embed {
        return show_embedder(trial::embed(&settings, &environment, ui)?, ui);
    }
    let wanted = match (args.tools, args.schema) {
        (true, _) => Wanted::Call,
        (false, true) => Wanted::Value,
        (false, false) => Wanted::Text,
    };
    // Notes go to stderr, by a Ui of their own while this one receives the answer.
    let talk = ui.beside();
    let (mut broken, mut streamed) = (None, false);
    let shown = !ui.json;
    let mut sink = |delta: Delta| {
        if !shown {
            return ControlFlow::Continue(());
        }
        let written = match delta {
            Delta::Text(text) => {
                streamed = true;
                ui.raw(visible(&text).as_bytes())
            }
            Delta::ToolCall { .. } | Delta::Waiting => Ok(()),
            Delta::Restart => ui.raw(b"\n(it begins again)\n"),
        };
        match written.and_then(|()| ui.flush()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(cause) => {
                broken = Some(cause);
                ControlFlow::Break(())
            }
        }
    };
    let sink = args.stream.then_some(&mut sink as Sink);
    let asked = trial::ask(&settings, &environment, args.task, wanted, sink, &talk)?;
    if let Some(cause) = broken {
        return Err(cause);
    }
    if streamed {
        ui.line("")?;
    }
    match asked {
        Ok(tried) => show(args, tried, streamed, ui),
        Err(failure) => refuse(args, *failure, ui),
    }
}

/// Says of each model why it gave no answer.
fn refuse(args: &TestArgs, failure: Failure, ui: &mut Ui) -> Result<Outcome> {
    if ui.json {
        ui.json(&UnansweredWire::of(args.task, &failure))?;
        ui.flush()?;
    }
    Err(failure.error)
}

fn show(args: &TestArgs, tried: Tried, streamed: bool, ui: &mut Ui) -> Result<Outcome> {
    let price = tried.answer.usd_micros.map_or_else(|| "at an unknown price".to_owned(), money);
    let wire = TriedWire::of(args.task, tried);
    let TriedWire { ok, ref model, input, output, attempts, ms, .. } = wire;
    let outcome = if ok { Outcome::Done } else { Outcome::Negative };
    if ui.json {
        ui.json(&wire)?;
        return Ok(outcome);
    }
    if let Some(text) = wire.text.as_ref().filter(|_| !streamed) {
        ui.line(visible(text.trim()))?;
    }
    if let Some(value) = wire.value.as_ref().filter(|_| !streamed) {
        ui.line(visible(&value.to_string()))?;
    }
    for call in &wire.tool_calls {
        let text = format!("calls {} with {}", call.name, call.arguments);
        ui.line(escape_control_line(&text))?;
    }
    if !ok {
        ui.talk("it called no tool");
    }
    let tries = if attempts > 1 { format!(", {attempts} attempts") } else { String::new() };
    ui.line(escape_control_line(&format!(
        "{model}: {input} tokens in, {output} out, {price}, {:.2} seconds{tries}",
        ms as f64 / 1e3
    )))?;
    Ok(outcome)
}

fn show_embedder(tried: TriedEmbedder, ui: &mut Ui) -> Result<Outcome> {
    let TriedEmbedder { model, dimension, cosine, ms } = &tried;
    let text = format!(
        "{model}: {dimension} components, cosine {cosine:.3} of two sentences alike, \
         {:.2} seconds",
        *ms as f64 / 1e3
    );
    ui.done(&TriedEmbedderWire::from(tried), escape_control_line(&text))
}
