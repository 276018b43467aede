//! `elophanto agent run`

pub mod around;

use std::{path::PathBuf, sync::Arc};

use super::work;
use crate::cli::{CliError, Outcome, Result, Ui, Workspace, workspace};
use crate::terminal::{json_lines::Wire, run::Terminal, signals::end_at_signals};
use around::AroundArgs;
use elophanto_app::{
    Reporter,
    agent::{self, Attachment, Finished, ModelRef, RunRequest, worktree::WorkTree},
    config::AgentMode,
};

/// Work on a task with tools, asking before it does harm
///
/// Plans, makes one call of a tool at a time, looks back, and writes down what became of it where
/// `agent.notes` says. What a run changed can be taken back: see `elophanto agent undo`.
/// Exits with 1 if the goal was not reached.
#[derive(clap::Args, Debug)]
pub struct RunArgs {
    /// What is to be done; `-` reads it from standard input
    #[arg(value_name = "GOAL", allow_hyphen_values = true)]
    goal: String,
    /// Go on in this session, by its id, the beginning of it, or its name
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// What runs without asking: ask (nothing), smart (what is safe) or full
    #[arg(long)]
    mode: Option<AgentMode>,
    /// Ask this model for everything, even if its provider has just failed
    #[arg(long, value_name = "P/M")]
    model: Option<ModelRef>,
    /// Calls of tools at most
    #[arg(long, value_name = "N")]
    max_steps: Option<usize>,
    /// What models may cost, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    #[command(flatten)]
    around: AroundArgs,
    /// Show the model this image beside the goal: PNG, JPEG, GIF or WebP, at most 3.7 MB
    #[arg(long = "image", value_name = "FILE")]
    images: Vec<PathBuf>,
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

pub fn run(args: &RunArgs, ui: &mut Ui) -> Result<Outcome> {
    let goal = goal(args, ui)?;
    agent::checked(&goal)?;
    args.around.check(args.json)?;
    let flags = work::flags(args.mode, args.max_steps, &args.budget);
    let workspace = workspace::open(flags.clone(), ui)?;
    let (workspace, mut tree) = args.around.work_tree(workspace, &goal, flags, ui)?;
    let mut aside = args.around.wants_stdout().then(|| ui.aside());
    let done = work(args, &goal, &workspace, &mut tree, (ui, aside.as_mut()));
    if let Some(tree) = tree {
        // Nothing was begun in it.
        match (tree.end(None), &done) {
            (Err(error), Err(_)) => ui.warn(error.message()),
            (ended, _) => drop(ended?),
        }
    }
    done
}

/// The run; `talk` is where all but a patch goes, if that is not where data goes.
fn work(
    args: &RunArgs,
    goal: &str,
    workspace: &Workspace,
    tree: &mut Option<WorkTree>,
    (ui, talk): (&mut Ui, Option<&mut Ui>),
) -> Result<Outcome> {
    let screen = work::screen(talk.as_deref().unwrap_or(ui));
    let reporter: Arc<dyn Reporter + Send + Sync> = match args.json {
        true => Arc::new(ui.beside()),
        false => Arc::new(screen.clone()),
    };
    let prepared = work::prepare(workspace, reporter)?;
    args.model.iter().try_for_each(|model| prepared.set_model(model.clone()))?;
    end_at_signals(prepared.cancelled())?;
    let root = workspace.repository.root.clone();
    let terminal = || Terminal::new(screen.clone(), root, prepared.cancelled());
    let mut terminal = (!args.json).then(terminal);
    let is_attended = terminal.as_ref().map_or(args.goal != "-", Terminal::is_attended);
    if args.plan && !is_attended {
        return Err(CliError::new("nobody can be asked about a plan here").hint(
            "leave out `--plan`, or use `--json` with the goal on the command line: answers are \
             read from standard input",
        ));
    }
    if terminal.is_some() && !is_attended {
        (&screen as &dyn Reporter).note(
            "nobody can be asked here: what needs an approval is refused (with `--json`, approvals \
             are read from standard input)",
        );
    }
    let mut session = prepared.session(args.session.as_deref())?;
    let given = args
        .images
        .iter()
        .map(|path| Ok(Attachment::Image(prepared.image(&std::path::absolute(path)?, &session)?)));
    let given = given.collect::<Result<_>>()?;
    let around = args.around.begin(&prepared, tree.take())?;
    let request = RunRequest {
        goal,
        yes: args.yes,
        is_attended,
        is_said: true,
        asks_plan: args.plan,
        branch: around.branch(),
        given,
        pasted: Vec::new(),
    };
    let finished = match &mut terminal {
        None => prepared.run(&request, &mut session, &mut Wire::new(ui, prepared.cancelled())),
        Some(terminal) => {
            let finished = prepared.run(&request, &mut session, terminal);
            screen.rest();
            finished.inspect(|finished| terminal.end(finished))
        }
    };
    let ended = args.around.end(&prepared, around, finished.as_ref().ok(), (ui, talk));
    match (ended, finished) {
        (Err(error), Err(first)) => {
            ui.warn(error.message());
            Err(first)
        }
        (ended, finished) => ended.and(Ok(outcome(&finished?))),
    }
}

/// A run that reached its goal is done; one that did not is an honest no.
pub fn outcome(finished: &Finished) -> Outcome {
    match finished.outcome {
        agent::Outcome::Done => Outcome::Done,
        _ => Outcome::Negative,
    }
}

fn goal(args: &RunArgs, ui: &Ui) -> Result<String> {
    if args.goal != "-" {
        return Ok(args.goal.clone());
    }
    let bytes = ui.input(MOST_GOAL)?.ok_or_else(|| {
        CliError::new("`-` reads the goal from standard input, which is a terminal")
            .hint("pipe it in, or give it in quotes")
    })?;
    String::from_utf8(bytes).map_err(|_| CliError::new("the goal on standard input is no UTF-8"))
}
