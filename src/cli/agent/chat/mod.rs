//! `elophanto agent chat`

mod commands;
mod conversation;
mod input;
mod mention;
mod window;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, escape_control_line, report},
        workspace,
    },
    work::{self, end_at_signals, terminal::Terminal},
};
use elophanto_app::{
    Reporter,
    agent::{Given, Prepared, Ran, RunRequest, Session, state_folder},
    config::AgentMode,
};
use elophanto_base::counted::counted;
use input::{Input, Typed};

/// Talk with the agent
///
/// A line is a task, or the next message of this conversation; lines that begin with `/` are
/// commands (`/help`), one that begins with `!` is run by the shell in the sandbox, and `@path` puts
/// a file beside what is said. What it wants to do is shown and asked for here. The conversation
/// survives a restart: --session goes on with it.
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
    /// Ask about each plan before work begins: yes, no, or what is to be different
    #[arg(long)]
    plan: bool,
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

/// A conversation at this terminal.
struct Chat<'a> {
    prepared: &'a Prepared<'a>,
    session: Session,
    terminal: Terminal,
    yes: bool,
    asks_plan: bool,
    spent: Spent,
    /// What commands of the user said, for the next message.
    given: Vec<Given>,
    /// Ids of those commands.
    ran: Vec<String>,
}

pub fn run(args: &ChatArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(work::flags(args.mode, None, &args.budget), ui)?;
    let screen = work::screen(ui);
    let prepared = work::prepare(&workspace, std::sync::Arc::new(screen.clone()))?;
    end_at_signals(prepared.cancelled())?;
    let root = workspace.repository.root.clone();
    let mut chat = Chat {
        session: prepared.session(args.session.as_deref())?,
        terminal: Terminal::new(screen, root, prepared.cancelled()).in_chat(),
        prepared: &prepared,
        yes: args.yes,
        asks_plan: args.plan,
        spent: Spent::default(),
        given: Vec::new(),
        ran: Vec::new(),
    };
    ui.talk(format_args!("session {} (`/help` says what else there is)", chat.session.id));
    let folder = state_folder(&workspace.environment).ok();
    let mut input = Input::new(folder.as_deref())?;
    loop {
        let line = match input.read()? {
            Typed::Line(line) => line,
            Typed::Nothing => continue,
            Typed::End => break,
        };
        if let Some(command) = line.strip_prefix('/') {
            if commands::is_end(command) {
                break;
            }
            commands::obey(command, &mut chat, ui).unwrap_or_else(|error| report(&error));
        } else if let Some(line) = line.strip_prefix('!') {
            chat.command(line).unwrap_or_else(|error| report(&error));
        } else {
            chat.say(&line).unwrap_or_else(|error| report(&error));
        }
        ui.flush()?;
    }
    input.keep();
    Ok(Outcome::Done)
}

impl Chat<'_> {
    /// Forgets what belongs to the conversation before.
    fn begins_anew(&mut self) {
        self.given.clear();
        self.ran.clear();
        self.terminal.todo = Vec::new();
    }

    /// A message, and the run that it begins.
    fn say(&mut self, line: &str) -> Result<(), CliError> {
        let screen = self.terminal.screen.clone();
        let mut given = self.given.clone();
        let pasted = mention::pasted(line).into_iter().filter(|path| self.prepared.is_image(path));
        for path in pasted {
            given.push(self.prepared.file(&path, &self.session)?);
        }
        for path in mention::mentions(line) {
            if self.prepared.is_file(&path) || self.prepared.is_image(&path) {
                given.push(self.prepared.file(&path, &self.session)?);
            } else {
                (&screen as &dyn Reporter).note(format_args!(
                    "`@{}` is no file of this work tree: it is sent as it is written",
                    escape_control_line(&path)
                ));
            }
        }
        let request = RunRequest {
            goal: line,
            yes: self.yes,
            is_attended: self.terminal.is_attended(),
            asks_plan: self.asks_plan,
            branch: None,
            given,
        };
        let finished = self.prepared.run(&request, &mut self.session, &mut self.terminal);
        screen.rest();
        let finished = finished?;
        // They are in the conversation now.
        self.given.clear();
        self.spent.add(&finished.spent);
        self.spent.runs += 1;
        self.terminal.end(&finished);
        Ok(())
    }

    /// A line of the user's own for the shell.
    fn command(&mut self, line: &str) -> Result<(), CliError> {
        let ran = self.prepared.command(line.trim(), &self.session, &mut self.terminal);
        let screen = self.terminal.screen.clone();
        screen.rest();
        let Ran { given, run, changed } = ran?;
        self.given.push(given);
        if !changed.is_empty() {
            let files = counted(changed.len(), "file");
            (&screen as &dyn Reporter)
                .talk(format_args!("{files} changed: `/undo {run}` takes it back"));
        }
        self.ran.push(run);
        Ok(())
    }
}
