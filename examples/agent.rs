//! Has the agent work on a task in the repository around here. It may look at everything; what would
//! write, reach out or run a command is shown and refused, and its summary lies below
//! `knowledge/learned/tasks` afterwards:
//! `cargo run --example agent -- what is tested here, and what is not`

#![allow(clippy::print_stdout)]

use std::{path::Path, sync::Arc};

use elophanto::{
    Environment, Error, Silent, Workspace,
    agent::{Answer, Approval, Approver, Door, Event, RunRequest, prepare},
    knowledge_tools,
};

/// Agrees to what only looks.
struct Onlooker;

impl Approver for Onlooker {
    fn approve(&mut self, request: &Approval) -> Answer {
        if !request.action.writes_or_reaches() {
            return Answer::Once;
        }
        println!("refused: {} {}", request.tool, request.shown);
        Answer::No(Some("look only, and say what you would do".to_owned()))
    }

    fn ask(&mut self, question: &str, _options: &[String]) -> Option<String> {
        println!("not answered: {question}");
        None
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { plan, .. } => println!("plan: {}", plan.steps.join("; ")),
            Event::Calling { tool, shown, .. } => println!("{tool}: {shown}"),
            Event::Unmade { tool, reason, .. } => println!("{tool} was not run: {reason}"),
            _ => {}
        }
    }
}

fn main() -> Result<(), Error> {
    let goal = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    // Keys of models are read from the variables that the settings name.
    let environment = Environment::of_variables(std::env::vars());
    let workspace = Workspace::around(Path::new("."), environment, Vec::new(), &Silent)?;
    let tools = knowledge_tools(&workspace, Arc::new(Silent));
    let agent = prepare(&workspace, Door { tools, ..Door::default() })?;
    let mut session = agent.session(None)?;
    // Agrees that what is looked at goes to the model that the settings name.
    let request = RunRequest { goal: &goal, yes: true, is_attended: true, ..RunRequest::default() };
    let finished = agent.run(&request, &mut session, &mut Onlooker)?;
    println!("\n{}\n{}: {}", finished.answer, finished.outcome.name(), finished.reason());
    for note in &finished.notes {
        println!("written: {}", note.display());
    }
    Ok(())
}
