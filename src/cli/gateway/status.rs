//! `elophanto gateway status` and `stop`

use std::time::Duration;

use axum::http::Method;
use serde_json::Value;

use elophanto_app::Error;
use elophanto_base::one_line::one_line;

use crate::cli::{NoArgs, Outcome, Result, Ui, env, exact_line};
use crate::{
    gateway::{files::GatewayFiles, told},
    listening::{life, own},
    wire::servers::StoppedWire,
};

/// Bytes of what a run is about.
const MOST_GOAL: usize = 200;
/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Say whether your gateway runs, where, and what it serves
#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    /// Print the token alone
    #[arg(long)]
    token: bool,
}

pub fn run(args: &StatusArgs, ui: &mut Ui) -> Result<Outcome> {
    let files = GatewayFiles::of(&env::environment())?;
    let Some(running) = files.running() else {
        return Ok(none(&files, "; start one with `elophanto gateway --ensure`", ui));
    };
    if args.token {
        if running.token.is_empty() {
            return Err(Error::new(
                "what the gateway wrote down of itself cannot be read any more",
            )
            .hint("`elophanto gateway token rotate` writes it anew, with another token"));
        }
        ui.line(&running.token)?;
        return Ok(Outcome::Done);
    }
    let health = own::ask(&files.socket, Method::GET, "/health", PATIENCE)?.1;
    let goes_on = own::ask(&files.socket, Method::GET, "/standings", PATIENCE)?.1;
    let wire = told::status(&running, &health, &goes_on);
    let mut text = format!("{}, process {}", told::address(&running), running.pid);
    for repository in wire.repositories.as_array().into_iter().flatten() {
        let of = |key: &str| exact_line(repository[key].as_str().unwrap_or_default());
        text.push_str(&format!("\n{}  {}", of("name"), of("root")));
    }
    for missing in wire.missing.as_array().into_iter().flatten() {
        let missing = exact_line(missing.as_str().unwrap_or_default());
        text.push_str(&format!("\nnot served: {missing}"));
    }
    for conversation in wire.conversations.as_array().into_iter().flatten() {
        text.push_str(&standing(conversation));
    }
    ui.done(&wire, text)
}

/// What goes on in a conversation, and what waits for whom.
fn standing(conversation: &Value) -> String {
    let of = |key: &str| exact_line(conversation[key].as_str().unwrap_or_default());
    let mut text = format!("\n{} in {}: ", of("person"), of("repository"));
    text.push_str(&match conversation["running"].as_str() {
        Some(goal) => format!("a run goes on: {}", exact_line(&one_line(goal, MOST_GOAL))),
        None => "no run goes on".to_owned(),
    });
    match conversation["queued"].as_u64() {
        None | Some(0) => {}
        Some(queued) => text.push_str(&format!("; {queued} behind it")),
    }
    for waiting in conversation["waiting"].as_array().into_iter().flatten() {
        let what = exact_line(waiting.as_str().unwrap_or_default());
        text.push_str(&format!("\n  waits for an answer: {what}"));
    }
    text
}

pub fn stop(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let files = GatewayFiles::of(&env::environment())?;
    let Some(running) = life::stop(&files.server)? else { return Ok(none(&files, "", ui)) };
    files.wait_until_ended()?;
    let wire = StoppedWire { stopped: told::address(&running), pid: running.pid };
    ui.done(&wire, format_args!("stopped: {}", wire.stopped))
}

/// That there is none, or one that does not answer.
fn none(files: &GatewayFiles, hint: &str, ui: &Ui) -> Outcome {
    match files.silent() {
        Some(pid) => ui.talk(format_args!(
            "a gateway of yours, process {pid}, does not answer: it is stopped (`kill -CONT {pid}` \
             lets it go on), or very busy"
        )),
        None => ui.talk(format_args!("no gateway runs{hint}")),
    }
    Outcome::Negative
}
