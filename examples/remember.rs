//! Writes a lesson down and recalls what was learnt about something, in a knowledge base of its own:
//! `cargo run --example remember`

#![allow(clippy::print_stdout)]

use elophanto::{
    Environment, Silent, Workspace,
    memory::{Draft, EventType, Memories, Question},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join(".elophanto"))?;
    let workspace = Workspace::around(folder.path(), Environment::offline(), Vec::new(), &Silent)?;
    let memories = Memories::open(&workspace);
    let now = jiff::Timestamp::now();
    let lesson = |context: &str, lesson: &str| Draft {
        event_type: EventType::Error,
        context: context.to_owned(),
        command: "cargo test".to_owned(),
        lesson: lesson.to_owned(),
        success_rate: None,
        tags: None,
        repo: memories.own.clone(),
        agent_id: "example".to_owned(),
        replaces: None,
    };
    memories.remember(lesson("a test hangs", "Give it a timeout of its own"), now)?;
    memories.remember(lesson("the disk is full", "Remove the old target folder"), now)?;
    let question = Question {
        text: "one of the tests never ends",
        repo: None,
        own: &memories.own,
        event_type: None,
        archived: false,
        limit: 1,
        now,
    };
    for recalled in memories.recall(&question)? {
        println!("{}: {}", recalled.memory.context, recalled.memory.lesson);
    }
    Ok(())
}
