//! `elophanto agent chat`

use std::fs;

use rustyline::{DefaultEditor, error::ReadlineError};

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, escape_control_line},
        workspace,
    },
    runs,
    undo::{self, UndoArgs},
    work::{self, end_at_signals, terminal::Terminal},
};
use elophanto_agent::Which;
use elophanto_app::{
    agent::{
        Mode, Prepared, RunRequest, Session,
        context::{Context, WindowSource},
        state_folder,
    },
    config::AgentMode,
};
use elophanto_base::counted::counted;

/// Lines of what was typed that are kept.
const HISTORY: &str = "history";
/// Runs that `/tasks` shows.
const MOST_TASKS: usize = 20;

const HELP: &str = "\
/status    session, mode, what is known of the sandbox
/tasks     runs of this session and questions that wait for an answer
/budget    what this session's models cost so far, and the limits
/mode M    ask, smart or full
/context   how much of the model's window this conversation takes
/compact   put a summary in the place of what was said
/clear     begin another conversation; this one is kept
/sessions  conversations that can go on: elophanto agent chat --session ID
/undo [R]  take back what the last run, or run R, changed
/help      this
/quit      leave (also Ctrl-D); Ctrl-C ends the run that goes on";

/// Talk with the agent
///
/// A line is a task, or the next message of this conversation; lines that begin with `/` are
/// commands (`/help`). What it wants to do is shown and asked for here. The conversation survives a
/// restart: --session goes on with it.
#[derive(clap::Args, Debug)]
pub struct ChatArgs {
    /// Go on in this session, by its id or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// What runs without asking: ask (nothing), smart (what is safe) or full
    #[arg(long)]
    mode: Option<AgentMode>,
    /// What models may cost in each run, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Agree to what is sent to a model elsewhere
    #[arg(long)]
    yes: bool,
}

/// What the models of this conversation cost since it was opened here.
#[derive(Default)]
struct Spent {
    tokens: u64,
    usd_micros: u64,
    runs: usize,
}

impl Spent {
    fn add(&mut self, spent: &elophanto_agent::Spent) {
        self.tokens += spent.input_tokens + spent.output_tokens;
        self.usd_micros += spent.usd_micros;
    }
}

pub fn run(args: &ChatArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(work::flags(args.mode, None, &args.budget), ui)?;
    let prepared = work::prepare(&workspace, ui.beside())?;
    end_at_signals(prepared.cancelled())?;
    let mut session = prepared.session(args.session.as_deref())?;
    ui.talk(format_args!("session {} (`/help` says what else there is)", session.id));
    let mut editor = DefaultEditor::new().map_err(CliError::new)?;
    let history = state_folder(&workspace.environment).ok().map(|folder| folder.join(HISTORY));
    if let Some(history) = &history {
        // The first time there is none.
        let _ = editor.load_history(history);
    }
    let mut spent = Spent::default();
    loop {
        let line = match editor.readline("› ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(cause) => return Err(CliError::new(cause)),
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // What looks like a secret is not kept.
        if elophanto_base::secrets::scan(line).is_empty() {
            let _ = editor.add_history_entry(line);
        }
        match line.strip_prefix('/') {
            Some("quit" | "exit" | "q") => break,
            Some(command) => {
                let talk = Talk { prepared: &prepared, session: &mut session, spent: &mut spent };
                if let Err(error) = obey(command, talk, args.yes, ui) {
                    super::super::ui::report(&error);
                }
            }
            None => {
                let mut terminal = Terminal::new(ui, prepared.cancelled());
                let is_attended = terminal.is_attended();
                let request = RunRequest { goal: line, yes: args.yes, is_attended, branch: None };
                match prepared.run(&request, &mut session, &mut terminal) {
                    Ok(finished) => {
                        spent.add(&finished.spent);
                        spent.runs += 1;
                        terminal.end(&finished);
                    }
                    Err(error) => super::super::ui::report(&error),
                }
            }
        }
        ui.flush()?;
    }
    if let Some(history) = &history {
        let folder = history.parent().map_or(Ok(()), fs::create_dir_all);
        let _ = folder.map(|()| editor.save_history(history));
    }
    Ok(Outcome::Done)
}

/// What commands of the conversation are about.
struct Talk<'t, 'a> {
    prepared: &'t Prepared<'a>,
    session: &'t mut Session,
    spent: &'t mut Spent,
}

/// Commands that take nothing behind them.
const BARE: [&str; 8] =
    ["help", "status", "tasks", "budget", "sessions", "context", "compact", "clear"];

/// A command of the conversation.
fn obey(command: &str, talk: Talk, yes: bool, ui: &mut Ui) -> Result<(), CliError> {
    let Talk { prepared, session, spent } = talk;
    let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
    let rest = rest.trim();
    if !rest.is_empty() && BARE.contains(&name) {
        let error = CliError::new(format_args!("`/{name}` takes nothing behind it"));
        return Err(match name {
            "budget" => error.hint(
                "the limit of a run is --budget, or llm.budget.run in your settings: leave, and \
                 go on with --session",
            ),
            _ => error,
        });
    }
    match name {
        "help" => ui.line(HELP),
        "status" => ui.line(status(prepared, session)),
        "tasks" => tasks(session, ui),
        "budget" => ui.line(budget(prepared, spent)),
        "mode" => mode(rest, prepared, ui),
        "context" => ui.line(context(&prepared.context(session)?)),
        "compact" => {
            let done = prepared.compact(session, yes)?;
            spent.add(&done.spent);
            ui.line(format_args!(
                "{} became a summary: about {} tokens instead of {}",
                counted(done.messages, "message"),
                done.tokens.1,
                done.tokens.0
            ))
        }
        "clear" => {
            let before = std::mem::replace(session, prepared.session(None)?);
            ui.line(format_args!("session {}; {} is kept", session.id, before.id))
        }
        "sessions" => {
            let args = runs::SessionsArgs::here();
            runs::list_sessions(&args, ui).map(drop)
        }
        "undo" => {
            let args = UndoArgs::of(Some(rest).filter(|rest| !rest.is_empty()));
            undo::run(&args, ui).map(drop)
        }
        other => Err(CliError::new(format_args!(
            "there is no command `/{}`",
            escape_control_line(other)
        ))
        .hint("`/help` lists them")),
    }
}

fn status(prepared: &Prepared, session: &Session) -> String {
    let tainted = if session.is_tainted {
        "text from outside is in it: what reaches beyond this work tree asks"
    } else {
        "nothing from outside is in it"
    };
    format!(
        "session {}: {}, {tainted}\nmode {}\n{}\n{}",
        session.id,
        counted(session.messages.len(), "message"),
        mode_name(prepared.mode()),
        prepared.fence(),
        counted(prepared.tools.len(), "tool"),
    )
}

fn context(context: &Context) -> String {
    let Context { window, answer, used, messages } = context;
    let source = match window.source {
        WindowSource::Setting => "agent.context_tokens",
        WindowSource::Known => "known of the model",
        WindowSource::Assumed => {
            "not known of the model: llm.context_tokens, or set agent.context_tokens"
        }
    };
    let model = window.model.as_ref().map_or("no model".to_owned(), ToString::to_string);
    let left = window.tokens.saturating_sub(used.total() + answer);
    format!(
        "{model}: {} tokens ({source})\ninstructions {}, tools {}, known {}, conversation {} ({}), answer \
         {answer}: about {left} left",
        window.tokens,
        used.instructions,
        used.tools,
        used.known,
        used.conversation,
        counted(*messages, "message"),
    )
}

fn tasks(session: &Session, ui: &mut Ui) -> Result<(), CliError> {
    let (lines, _) = runs::trails()?.list(Which::Session(session.id), MOST_TASKS)?;
    for line in &lines {
        let goal: String = line.goal.chars().take(70).collect();
        // No run goes on in a session while its user types.
        let outcome = line.outcome.as_deref().unwrap_or("cut off");
        ui.line(format_args!("{}  {outcome:<9}  {}", line.run, escape_control_line(&goal)))?;
        for question in &line.open_questions {
            ui.line(format_args!("    not answered: {}", escape_control_line(question)))?;
        }
    }
    if lines.is_empty() { ui.line("no run yet") } else { Ok(()) }
}

fn budget(prepared: &Prepared, spent: &Spent) -> String {
    let limits = &prepared.workspace.config.llm;
    format!(
        "{} here: {}, ${:.4}\nlimits: run {}, day {}, month {}",
        counted(spent.runs, "run"),
        counted(spent.tokens, "token"),
        spent.usd_micros as f64 / 1e6,
        limits.budget.run,
        limits.budget.day,
        limits.budget.month,
    )
}

fn mode(wanted: &str, prepared: &Prepared, ui: &mut Ui) -> Result<(), CliError> {
    if !wanted.is_empty() {
        let mode: AgentMode = wanted.parse().map_err(CliError::new)?;
        prepared.set_mode(mode.into());
    }
    ui.line(format_args!("mode {}", mode_name(prepared.mode())))
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Ask => "ask",
        Mode::Smart => "smart",
        Mode::Full => "full",
    }
}
