//! `elophanto enrich`

use std::time::Duration;

use super::{
    Outcome, Result, Ui, Workspace, escape_control_line, flags, scan::interval, workspace,
};
use elophanto_app::enrich::enrich;
use elophanto_base::counted::counted;

/// Find out more about what you care about
///
/// Works off what waits first: searches that were queued, and what was found and not read yet. Then
/// searches for what is worth it most: what you care about, know little of, and have not looked at
/// for long. It only adds facts to what is known, never a new entity.
#[derive(clap::Args, Debug)]
pub struct EnrichArgs {
    /// One round (the default)
    #[arg(long, conflicts_with = "every")]
    once: bool,
    /// Go on at intervals, such as 10m; without a value every `enrich.every`
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "")]
    every: Option<String>,
    /// What one round may spend on a language model, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Send what is read to the model of the settings, and remember that this may be done
    #[arg(long, short)]
    yes: bool,
}

pub fn run(args: &EnrichArgs, ui: &mut Ui) -> Result<Outcome> {
    let open = |ui: &Ui| workspace::open(flags([("llm.budget.run", args.budget.clone())]), ui);
    let workspace = open(ui)?;
    let interval = interval(args.every.as_deref(), workspace.config.enrich.every)?;
    let Some(interval) = interval else { return once(&workspace, args.yes, ui) };
    loop {
        // Opened anew: a program of the settings may have changed since it was trusted. What goes wrong now
        // may go right the next time.
        if let Err(cause) = open(ui).and_then(|workspace| once(&workspace, args.yes, ui)) {
            if cause.broken_pipe {
                return Err(cause);
            }
            ui.warn(cause.message());
        }
        ui.flush()?;
        std::thread::sleep(interval.max(Duration::from_millis(100)));
    }
}

fn once(workspace: &Workspace, yes: bool, ui: &mut Ui) -> Result<Outcome> {
    let round = enrich(workspace, yes, ui)?;
    if round.queued + round.searches + round.processed == 0 {
        ui.emit(&round, "nothing to do")?;
        return Ok(Outcome::Negative);
    }
    let about = match (&round.entity, round.mode) {
        (Some(name), Some(mode)) => {
            let (searches, name) = (counted(round.searches, "search"), escape_control_line(name));
            format!(", {searches} about {name} ({mode})")
        }
        _ => String::new(),
    };
    let queued = counted(round.queued, "queued search");
    let read = counted(round.processed, "response");
    ui.done(&round, format_args!("{queued} made{about}, {read} read"))
}
