//! `elophanto agent run`

use std::{path::PathBuf, sync::Arc};

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, exact_line},
        workspace,
    },
    work::{self, end_at_signals, terminal::Terminal, wire::Wire},
};
use elophanto_app::{
    Reporter,
    agent::{
        self, End, Finished, Given, RunRequest,
        branch::{Branched, PullRequest},
    },
    config::AgentMode,
    shell::quoted,
};
use elophanto_base::counted::counted;

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
    /// Work on a new branch of this name, and commit there what the run changes
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Show the model this image beside the goal: PNG, JPEG, GIF or WebP, at most 5 MB (repeatable)
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
        .map(|path| Ok(Given::Image(prepared.image(&std::path::absolute(path)?, &session)?)));
    let given = given.collect::<Result<_, CliError>>()?;
    let branch = args.branch.as_deref().map(|name| prepared.branch(name)).transpose()?;
    let request = RunRequest {
        goal: &goal,
        yes: args.yes,
        is_attended,
        asks_plan: args.plan,
        branch: branch.as_ref(),
        given,
    };
    let finished = match &mut terminal {
        None => prepared.run(&request, &mut session, &mut Wire::new(ui, prepared.cancelled())),
        Some(terminal) => {
            let finished = prepared.run(&request, &mut session, terminal);
            screen.rest();
            finished.inspect(|finished| terminal.end(finished))
        }
    };
    if let Some(branch) = branch {
        let name = branch.name().to_owned();
        let branched = prepared.end_branch(branch, finished.as_ref().ok())?;
        tell(&name, branched, ui)?;
        if let Some(finished) = finished.as_ref().ok().filter(|it| it.end != End::Answered) {
            let files = finished.touched.len();
            if files > 0 {
                ui.warn(format_args!(
                    "what the run changed is not committed, as it gave no answer ({}): `elophanto \
                     agent undo {}` takes it back",
                    counted(files, "file"),
                    finished.run
                ));
            }
        }
    }
    Ok(outcome(&finished?))
}

/// Says what is on the branch of a run.
fn tell(name: &str, branched: Branched, ui: &mut Ui) -> Result<(), CliError> {
    let pull_request = match branched {
        Branched::Kept(pull_request) => pull_request,
        Branched::Gone => {
            ui.talk("nothing was committed: the branch is gone, and HEAD is where it was");
            return Ok(());
        }
        Branched::Moved => {
            ui.warn(format_args!(
                "`{}`, or where it began, is not as the run left it: nothing was moved back, see \
                 `git status` and `git branch`",
                exact_line(name)
            ));
            return Ok(());
        }
    };
    let PullRequest { branch, base, title, body } = &pull_request;
    let range = format!("{base}...{branch}");
    ui.talk(format_args!(
        "you are on {} now, and nothing was pushed: `git diff {}` shows it, `git switch {}` goes \
         back; for a pull request:",
        quoted(branch),
        quoted(&range),
        quoted(base)
    ));
    let text = format!("# {title}\n\n{body}");
    ui.emit(&PullRequestWire { kind: "pull_request", pull_request: &pull_request }, text)
}

/// As one of the lines of `--json`.
#[derive(serde::Serialize)]
struct PullRequestWire<'p> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    pull_request: &'p PullRequest,
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
