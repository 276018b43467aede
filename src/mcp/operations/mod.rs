//! What the MCP server can do: each tool is the use case that the command of the same name is.

mod knowledge;
mod lessons;
mod notes;
mod search;

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

use crate::{
    mcp::server::{Call, Follower, Operations, Reply, Tool},
    wire::Arguments,
};
use elophanto_app::{
    Error, Result, Workspace,
    memory::Kept,
    reporter::{Progress, Reporter, Silent, Tone},
    workspace::KnowledgeBase,
};
use elophanto_index::Options;
use elophanto_models::builtin::count_tokens;

/// How long an answer waits for another process that writes the view.
const PATIENCE: Duration = Duration::from_millis(50);

/// What operations work with.
struct OperationContext {
    base: KnowledgeBase,
    reporter: Arc<dyn Reporter + Send + Sync>,
    /// The index of lessons, from call to call.
    kept: Kept,
}

/// The operations on a knowledge base; whoever runs the server or the agent is warned and asked
/// through `reporter`.
pub fn operations(base: KnowledgeBase, reporter: Arc<dyn Reporter + Send + Sync>) -> Operations {
    let (list, read) = (base.clone(), base.clone());
    // What lies elsewhere is searched and recalled, and nothing of it is read as a whole or written.
    let tools: &[Tool] = match base.within {
        Some(_) => &[Tool::Search, Tool::Recall],
        None => &Tool::ALL,
    };
    let context = OperationContext { base, reporter, kept: Kept::default() };
    Operations {
        call: Box::new(move |tool, given, call| {
            answer(tool, given, &context, call).unwrap_or_else(|error| Reply::Refused {
                reason: error.message().to_owned(),
                hint: (!error.hints().is_empty()).then(|| error.hints().join("\n")),
            })
        }),
        notes: Box::new(move |after, limit| match list.within {
            None => notes::list(&list, after, limit).map_err(said),
            Some(_) => Ok(Vec::new()),
        }),
        read: Box::new(move |path| match read.within {
            None => notes::read(&read, path).map_err(said),
            Some(_) => Ok(None),
        }),
        count_tokens,
        tools,
    }
}

fn said(error: Error) -> String {
    error.message().to_owned()
}

/// Whoever runs the server or the agent, who is warned and asked and told nothing else, and whoever
/// called, who is told how far the call is.
struct OnBehalf<'a> {
    reporter: &'a dyn Reporter,
    call: &'a Call,
}

/// How far one of the steps of a call is.
struct Following(Follower, &'static str);

impl Progress for Following {
    fn update(&self, done: usize, all: usize) {
        self.0.tell(done, all, self.1);
    }
}

impl Reporter for OnBehalf<'_> {
    fn tell(&self, tone: Tone, text: &str) {
        if tone == Tone::Warning {
            self.reporter.warn(text);
        }
    }

    fn confirm(&self, question: &str) -> std::io::Result<bool> {
        self.reporter.confirm(question)
    }

    fn is_gone(&self) -> bool {
        self.call.is_cancelled()
    }

    fn progress(&self, what: &'static str) -> Box<dyn Progress> {
        match self.call.follower() {
            Some(follower) => Box::new(Following(follower, what)),
            None => Silent.progress(what),
        }
    }
}

impl OperationContext {
    /// The knowledge base, without a word about its settings: they were said when the server began.
    fn workspace(&self) -> Result<Workspace> {
        self.base.open(Vec::new())
    }

    fn reporter<'a>(&'a self, call: &'a Call) -> OnBehalf<'a> {
        OnBehalf { reporter: &*self.reporter, call }
    }
}

fn answer(
    tool: Tool,
    given: &Map<String, Value>,
    on: &OperationContext,
    call: &Call,
) -> Result<Reply> {
    let is_here = on.base.within.is_none();
    if is_here
        && call.is_followed()
        && !matches!(tool, Tool::Remember | Tool::Learn | Tool::WriteNote)
    {
        read_first(on, call)?;
    }
    match tool {
        Tool::Search => search::search(arguments(given)?, on, call),
        Tool::Similar => search::similar(arguments(given)?, on, call),
        Tool::Get => notes::get(arguments(given)?, on, call),
        Tool::Recall => lessons::recall(arguments(given)?, on, call),
        Tool::Remember => lessons::remember(arguments(given)?, on, call),
        Tool::Learn => knowledge::learn(arguments(given)?, on, call),
        Tool::Questions => knowledge::questions(arguments(given)?, on),
        Tool::Entity => knowledge::entity(arguments(given)?, on),
        Tool::WriteNote => notes::write_note(arguments(given)?, on, call),
        Tool::Status => knowledge::status(arguments(given)?, on),
    }
}

/// Arguments that were checked against the schema of their type.
fn arguments<A: Arguments>(given: &Map<String, Value>) -> Result<A> {
    serde_json::from_value(Value::Object(given.clone())).map_err(Error::new)
}

/// What a tool with these arguments answers: as JSON says it, for a score is as short there as it is
/// printed.
fn found<A: Arguments>(text: String, answer: &A::Answer<'_>) -> Result<Reply> {
    listed::<A>(text, Vec::new(), answer)
}

/// The same of a list, with the texts of its items.
fn listed<A: Arguments>(text: String, items: Vec<String>, answer: &A::Answer<'_>) -> Result<Reply> {
    let json = serde_json::to_string(answer).map_err(Error::new)?;
    let structured = serde_json::from_str(&json).map_err(Error::new)?;
    Ok(Reply::Found { text, items, structured })
}

/// What else there is to say to who called, in words.
fn in_words(said: &[String]) -> String {
    said.iter().map(|said| format!("Note: {said}\n\n")).collect()
}

/// The same with that before it, and beside what is structured: clients hand on the one or the other.
fn saying(said: &[String], mut reply: Reply) -> Reply {
    if let Reply::Found { text, structured: Value::Object(structured), .. } = &mut reply
        && !said.is_empty()
    {
        text.insert_str(0, &in_words(said));
        structured.insert("said".to_owned(), json!(said));
    }
    reply
}

/// Reads what changed before the tool itself would, and says how far it is.
fn read_first(on: &OperationContext, call: &Call) -> Result<()> {
    let reading = on.reporter(call).progress("notes");
    let progress = |done, all| reading.update(done, all);
    let options = Options { full: false, patience: Some(PATIENCE), progress: &progress };
    on.workspace()?.refresh_all(options)?;
    Ok(())
}
