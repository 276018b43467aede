//! `elophanto agent chat`

mod answers;
mod through;

use std::sync::{Arc, atomic::AtomicBool};

use super::work;
use crate::cli::{Outcome, Result, Ui, Workspace, report, workspace};
use crate::{
    gateway::files::{GatewayFiles, Reached},
    terminal::{
        input::{Input, Typed},
        run::Terminal,
        screen::Screen,
        signals::end_at_signals,
    },
};
use answers::{choice, show};
use elophanto_app::{
    Reporter,
    agent::{
        ModelRef,
        chat::{COMMANDS, Chat, ChatAnswer, ChatCommand, ChatOptions, Line},
        state_folder,
    },
    config::AgentMode,
};
use elophanto_base::counted::counted;

/// Talk with the agent
///
/// A line is a task, or the next message of this conversation; lines that begin with `/` are
/// commands (`/help`), one that begins with `!` is run by the shell in the sandbox, and `@path` puts
/// a file beside what is said. What it wants to do is shown and asked for here. The conversation
/// survives a restart: --session goes on with it. Where a gateway of yours serves this repository, the
/// conversation is held there.
#[derive(clap::Args, Debug)]
pub struct ChatArgs {
    /// Go on in this session, by its id, the beginning of it, or its name
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// What runs without asking: ask (nothing), smart (what is safe) or full
    #[arg(long)]
    mode: Option<AgentMode>,
    /// Ask this model for everything, even if its provider has just failed
    #[arg(long, value_name = "P/M")]
    model: Option<ModelRef>,
    /// What models may cost in each run, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Ask about each plan before work begins: yes, no, or what is to be different
    #[arg(long)]
    plan: bool,
    /// Agree to what is sent to a model elsewhere
    #[arg(long)]
    yes: bool,
    /// Work alone, though a gateway of yours serves this repository; any other option does so too
    #[arg(long)]
    no_gateway: bool,
}

pub fn run(args: &ChatArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(work::flags(args.mode, None, &args.budget), ui)?;
    let screen = work::screen(ui);
    if let Some(reached) = args.reach(&workspace) {
        return through(&reached, &workspace, screen, ui);
    }
    let prepared = work::prepare(&workspace, Arc::new(screen.clone()))?;
    args.model.iter().try_for_each(|model| prepared.set_model(model.clone()))?;
    end_at_signals(prepared.cancelled())?;
    let root = workspace.repository.root.clone();
    let mut terminal = Terminal::new(screen, root, prepared.cancelled()).in_chat();
    let is_attended = terminal.is_attended();
    let options =
        ChatOptions { yes: args.yes, asks_plan: args.plan, is_attended, keeps_here: false };
    let mut chat = Chat::open(&prepared, args.session.as_deref(), options)?;
    ui.talk(format_args!("session {} (`/help` says what else there is)", chat.session().id));
    let mut input = input(&workspace)?;
    loop {
        input.typed_ahead(&terminal.take_typed_ahead());
        let line = match input.read()? {
            Typed::Line(line) => line,
            Typed::Nothing => continue,
            Typed::End => break,
        };
        match obey(&line, &mut chat, &mut terminal, ui) {
            Ok(Next::Line) => {}
            Ok(Next::End) => break,
            Err(error) => report(&error),
        }
        ui.flush()?;
    }
    input.keep();
    Ok(Outcome::Done)
}

impl ChatArgs {
    /// The gateway to talk through: one that serves this repository, unless something is asked for that
    /// holds for a conversation of this process.
    fn reach(&self, workspace: &Workspace) -> Option<Reached> {
        let Self { session, mode, model, budget, plan, yes, no_gateway } = self;
        let is_alone = *plan || *yes || *no_gateway;
        if is_alone || session.is_some() || mode.is_some() || model.is_some() || budget.is_some() {
            return None;
        }
        GatewayFiles::of(&workspace.environment).ok()?.reach(&workspace.repository.root)
    }
}

/// The same conversation, held by the gateway.
fn through(
    reached: &Reached,
    workspace: &Workspace,
    screen: Screen,
    ui: &mut Ui,
) -> Result<Outcome> {
    let cancelled = Arc::new(AtomicBool::new(true));
    end_at_signals(&cancelled)?;
    let root = workspace.repository.root.clone();
    let mut terminal = Terminal::new(screen, root, &cancelled).in_chat();
    let mut input = input(workspace)?;
    through::talk(reached, &mut input, &mut terminal, &cancelled, ui)?;
    input.keep();
    Ok(Outcome::Done)
}

fn input(workspace: &Workspace) -> Result<Input> {
    let folder = state_folder(&workspace.environment).ok();
    let names = COMMANDS.iter().map(|command| command.name).collect();
    Input::new(folder.as_deref(), names)
}

/// What comes behind a line.
enum Next {
    Line,
    End,
}

fn obey(line: &str, chat: &mut Chat<'_>, terminal: &mut Terminal, ui: &mut Ui) -> Result<Next> {
    match Line::parse(line)? {
        Line::Message(text) => {
            let finished = chat.say(text, terminal);
            terminal.screen.rest();
            terminal.end(&finished?);
        }
        Line::Shell(line) => {
            let ran = chat.shell(line, terminal);
            terminal.screen.rest();
            let ran = ran?;
            if !ran.changed.is_empty() {
                let files = counted(ran.changed.len(), "file");
                (&terminal.screen as &dyn Reporter)
                    .talk(format_args!("{files} changed: `/undo {}` takes it back", ran.run));
            }
        }
        Line::Command(command) => match chat.obey(command, ui)? {
            ChatAnswer::Quit => return Ok(Next::End),
            ChatAnswer::Choose(sessions) => {
                if sessions.is_empty() {
                    ui.talk("there is no other conversation here");
                }
                let id = choice(&sessions, terminal);
                if let Some(id) = id {
                    show(&chat.obey(ChatCommand::Resume(Some(id)), ui)?, ui)?;
                }
            }
            answer => show(&answer, ui)?,
        },
    }
    Ok(Next::Line)
}
