//! `elophanto model test`

use std::{ops::ControlFlow, path::Path, time::Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible, visible_line},
    usage::{money, usd},
    workspace,
};
use elophanto_app::{
    embedding::embedders::Named,
    keys::Asking,
    llm::{Desk, Failure},
    settings::Settings,
};
use elophanto_models::{
    Embedder, Role,
    llm::{Answer, Delta, Message, Request, Schema, Task, Tool, ToolChoice},
};

/// Most tokens of an answer: it is short, but some models think before they say it.
const MOST_TOKENS: u32 = 1_024;

const TEXTS: [&str; 2] =
    ["Otters hold hands while they sleep.", "Sea otters do not drift apart at night."];

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

/// An answer, as `--json` prints it.
#[derive(Serialize)]
struct AnswerWire {
    ok: bool,
    task: &'static str,
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallWire>,
    input: u64,
    output: u64,
    /// `null` where the price is not known.
    usd: Option<f64>,
    ms: u128,
    attempts: u32,
}

#[derive(Serialize)]
struct CallWire {
    name: String,
    arguments: Value,
}

/// That there is no answer, as `--json` prints it.
#[derive(Serialize)]
struct FailureWire<'a> {
    ok: bool,
    task: &'a str,
    error: &'a str,
    tried: Vec<TriedWire>,
}

#[derive(Serialize)]
struct TriedWire {
    model: String,
    reason: String,
}

/// What came of `--embed`, as `--json` prints it.
#[derive(Serialize)]
struct EmbedWire {
    ok: bool,
    task: &'static str,
    model: String,
    dimension: usize,
    cosine: f32,
    ms: u128,
}

pub fn run(args: &TestArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let budget = args.budget.iter().map(|limits| ("llm.budget.run".to_owned(), limits.clone()));
    let settings = workspace::settings(budget.collect(), ui)?;
    if args.embed {
        return embed(&settings, ui);
    }
    let desk = Desk::open(
        &settings.config,
        &env::environment(),
        &[args.task],
        "model",
        Asking::Through(ui),
    )?;
    let request = question(args, &desk);
    let start = Instant::now();
    let (answer, streamed) = match ask(args, &desk, &request, ui)? {
        Ok(answered) => answered,
        Err(Failure { error, tried, .. }) => {
            if ui.json {
                let tried = tried
                    .into_iter()
                    .map(|(model, reason)| TriedWire { model: model.to_string(), reason });
                let (task, tried) = (args.task.name(), tried.collect());
                ui.json(&FailureWire { ok: false, task, error: error.message(), tried })?;
                ui.flush()?;
            }
            return Err(error);
        }
    };
    show(args, answer, streamed, start.elapsed().as_millis(), ui)
}

/// What is asked.
fn question(args: &TestArgs, desk: &Desk<'_>) -> Request {
    let text = if args.tools {
        "How many words has the sentence \"Otters hold hands\"? Call the tool to find out."
    } else if args.schema {
        "In which language is the sentence \"Otters hold hands\", and how many words has it?"
    } else {
        "Say hello to an otter, in one short sentence."
    };
    let mut request = desk.request(vec![Message::user(text)]);
    request.max_tokens = request.max_tokens.min(MOST_TOKENS);
    if args.tools {
        let tool = Tool {
            name: "count_words".to_owned(),
            description: "Counts the words of a text.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"],
                "additionalProperties": false,
            }),
        };
        request.tools = vec![tool].into();
        // What is tried is the way there and back, not whether the model thinks of it.
        request.tool_choice = ToolChoice::Named("count_words".to_owned());
    }
    if args.schema {
        let schema = json!({
            "type": "object",
            "properties": { "language": { "type": "string" }, "words": { "type": "integer" } },
            "required": ["language", "words"],
            "additionalProperties": false,
        });
        request.schema = Some(Schema { name: "sentence".to_owned(), schema });
    }
    request
}

/// The answer, and whether it was printed as it was made.
///
/// # Errors
/// When stdout is closed meanwhile.
fn ask(
    args: &TestArgs,
    desk: &Desk<'_>,
    request: &Request,
    ui: &mut Ui,
) -> Result<Result<(Answer, bool), Failure>, CliError> {
    // Notes go to stderr, by a Ui of their own while this one receives the answer.
    let talk = Ui::new(ui.json, true);
    if !args.stream {
        return Ok(desk.ask(args.task, request, None, &talk).map(|answer| (answer, false)));
    }
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
    let answered = desk.ask(args.task, request, Some(&mut sink), &talk);
    if let Some(cause) = broken {
        return Err(cause);
    }
    if streamed {
        ui.line("")?;
    }
    Ok(answered.map(|answer| (answer, streamed)))
}

fn show(
    args: &TestArgs,
    answer: Answer,
    streamed: bool,
    ms: u128,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let Answer { reply, model, usd_micros, .. } = answer;
    let called = !reply.tool_calls.is_empty();
    let calls = reply.tool_calls.into_iter();
    let wire = AnswerWire {
        ok: called || !args.tools,
        task: args.task.name(),
        model: model.to_string(),
        text: (reply.value.is_none() && !called).then_some(reply.text),
        value: reply.value,
        tool_calls: calls
            .map(|call| CallWire { name: call.name, arguments: call.arguments })
            .collect(),
        input: reply.usage.input,
        output: reply.usage.output,
        usd: usd_micros.map(usd),
        ms,
        attempts: reply.attempts,
    };
    let outcome = if wire.ok { Outcome::Done } else { Outcome::Negative };
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
        ui.line(visible_line(&text))?;
    }
    if !wire.ok {
        ui.talk("it called no tool");
    }
    let price = usd_micros.map_or_else(|| "at an unknown price".to_owned(), money);
    let AnswerWire { input, output, attempts, .. } = wire;
    let tries = if attempts > 1 { format!(", {attempts} attempts") } else { String::new() };
    ui.line(visible_line(&format!(
        "{model}: {input} tokens in, {output} out, {price}, {:.2} seconds{tries}",
        ms as f64 / 1e3
    )))?;
    Ok(outcome)
}

fn embed(settings: &Settings, ui: &mut Ui) -> Result<Outcome, CliError> {
    let root = settings.root.as_deref().unwrap_or(Path::new("."));
    let named = Named::new(&settings.config, root, &env::environment());
    let start = Instant::now();
    let (embedder, embedded) = match &named {
        Named::Here(embedder) => (&**embedder, embedder.embed(&TEXTS, Role::Document)),
        Named::There(remote) => {
            let embedded = remote.try_out(&TEXTS, ui);
            remote.record_usage("model", ui);
            (&**remote as &dyn Embedder, embedded)
        }
        Named::Missing(reason) => {
            return Err(CliError::new(reason)
                .hint("see `elophanto model list`; `elophanto index` finds out what is missing"));
        }
    };
    let ms = start.elapsed().as_millis();
    let (one, two) = match (embedded.vectors.as_slice(), embedded.failure) {
        ([Some(one), Some(two)], _) => (one, two),
        (_, failure) => {
            let cause = failure.map_or_else(|| "no vector came".to_owned(), |it| it.to_string());
            return Err(CliError::new(visible_line(&cause))
                .hint("see `elophanto model list` for its address and key"));
        }
    };
    let wire = EmbedWire {
        ok: true,
        task: "embedding",
        model: embedder.fingerprint().to_string(),
        dimension: one.len(),
        cosine: one.iter().zip(two).map(|(one, two)| one * two).sum(),
        ms,
    };
    let text = format!(
        "{}: {} components, cosine {:.3} of two sentences alike, {:.2} seconds",
        wire.model,
        wire.dimension,
        wire.cosine,
        ms as f64 / 1e3
    );
    ui.emit(&wire, visible_line(&text))?;
    Ok(Outcome::Done)
}
