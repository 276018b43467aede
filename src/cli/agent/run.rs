//! `elophanto agent run`

use std::sync::Arc;

use super::{
    super::{Outcome, error::CliError, ui::Ui, workspace},
    work::{self, end_at_signals, terminal::Terminal, wire::Wire},
};
use elophanto_app::{
    Reporter,
    agent::{self, Finished, RunRequest},
    config::AgentMode,
};

/// Work on a task with tools, asking before it does harm
///
/// Plans, makes one call of a tool at a time, looks back after each, and writes a summary to
/// `knowledge/learned/tasks/`. What a run changed can be taken back: see `elophanto agent undo`.
/// Exits with 1 if the goal was not reached.
#[derive(clap::Args, Debug)]
pub struct RunArgs {
    /// What is to be done; `-` reads it from standard input
    #[arg(value_name = "GOAL", allow_hyphen_values = true)]
    goal: String,
    /// Go on in this session, by its id or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// What runs without asking: ask (nothing), smart (what is safe) or full
    #[arg(long)]
    mode: Option<AgentMode>,
    /// Calls of tools at most
    #[arg(long, value_name = "N")]
    max_steps: Option<usize>,
    /// What models may cost, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Ask about the plan before work begins: yes, no, or what is to be different
    #[arg(long)]
    plan: bool,
    /// Agree to what is sent to a model elsewhere
    #[arg(long)]
    yes: bool,
    /// Print JSON Lines; approvals are answered on standard input: {"id": 1, "answer": "once"}
    ///
    /// Other answers are session, rule and no; a question is answered by {"id": 1, "text": "..."}.
    #[arg(long)]
    pub json: bool,
}

/// Bytes of a goal on standard input.
const MOST_GOAL: u64 = 64 * 1024;

pub fn run(args: &RunArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let goal = goal(args, ui)?;
    agent::checked(&goal)?;
    let workspace = workspace::open(work::flags(args.mode, args.max_steps, &args.budget), ui)?;
    let screen = work::screen(ui);
    let reporter: Arc<dyn Reporter + Send + Sync> = match args.json {
        true => Arc::new(ui.beside()),
        false => Arc::new(screen.clone()),
    };
    let prepared = work::prepare(&workspace, reporter)?;
    end_at_signals(prepared.cancelled())?;
    let is_attended = args.goal != "-";
    let (goal, yes, asks_plan) = (goal.as_str(), args.yes, args.plan);
    let mut request = RunRequest { goal, yes, is_attended, asks_plan, given: Vec::new() };
    if args.json {
        let mut session = prepared.session(args.session.as_deref())?;
        let mut wire = Wire::new(ui, prepared.cancelled());
        return Ok(outcome(&prepared.run(&request, &mut session, &mut wire)?));
    }
    let root = workspace.repository.root.clone();
    let mut terminal = Terminal::new(screen.clone(), root, prepared.cancelled());
    request.is_attended = terminal.is_attended();
    if !request.is_attended {
        if args.plan {
            return Err(CliError::new("nobody can be asked about a plan here").hint(
                "leave out `--plan`, or use `--json`, where answers are read from standard input",
            ));
        }
        (&screen as &dyn Reporter).note(
            "nobody can be asked here: what needs an approval is refused (with `--json`, approvals \
             are read from standard input)",
        );
    }
    let mut session = prepared.session(args.session.as_deref())?;
    let finished = prepared.run(&request, &mut session, &mut terminal);
    screen.rest();
    let finished = finished?;
    terminal.end(&finished);
    Ok(outcome(&finished))
}

/// A run that reached its goal is done; one that did not is an honest no.
pub fn outcome(finished: &Finished) -> Outcome {
    match finished.outcome {
        agent::Outcome::Done => Outcome::Done,
        _ => Outcome::Negative,
    }
}

fn goal(args: &RunArgs, ui: &Ui) -> Result<String, CliError> {
    if args.goal != "-" {
        return Ok(args.goal.clone());
    }
    let bytes = ui.input(MOST_GOAL)?.ok_or_else(|| {
        CliError::new("`-` reads the goal from standard input, which is a terminal")
            .hint("pipe it in, or give it in quotes")
    })?;
    String::from_utf8(bytes).map_err(|_| CliError::new("the goal on standard input is no UTF-8"))
}
