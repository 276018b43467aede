//! What the MCP server can do: each tool is the use case that the command of the same name is.

mod knowledge;
mod lessons;
mod notes;
mod search;

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::{
    error::CliError,
    workspace::{KnowledgeBase, Workspace},
};
use crate::server::{Call, Operations, Reply, Tool};
use elophanto_app::memory::{Kept, Memories};
use elophanto_app::notes::Notes;
use elophanto_app::reporter::{Progress, Reporter, Silent, Tone};
use elophanto_base::counted::{agreeing, counted};
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
    let context = OperationContext { base, reporter, kept: Kept::default() };
    Operations {
        call: Box::new(move |tool, given, call| {
            answer(tool, &Arguments { named: given, context: &context }, call).unwrap_or_else(
                |error| Reply::Refused {
                    reason: error.message().to_owned(),
                    hint: (!error.hints().is_empty()).then(|| error.hints().join("\n")),
                },
            )
        }),
        notes: Box::new(move |after, limit| notes::list(&list, after, limit).map_err(said)),
        read: Box::new(move |path| notes::read(&read, path).map_err(said)),
        count_tokens,
    }
}

fn said(error: CliError) -> String {
    error.message().to_owned()
}

/// As JSON says it: a score is as short there as it is printed.
///
/// # Errors
/// When it cannot be written as JSON.
fn value<T: Serialize + ?Sized>(wire: &T) -> Result<Value, CliError> {
    let text = serde_json::to_string(wire).map_err(CliError::new)?;
    serde_json::from_str(&text).map_err(CliError::new)
}

/// Whoever runs the server or the agent: warned and asked, told nothing else.
struct OnBehalf<'a>(&'a dyn Reporter);

impl Reporter for OnBehalf<'_> {
    fn tell(&self, tone: Tone, text: &str) {
        if tone == Tone::Warning {
            self.0.warn(text);
        }
    }

    fn confirm(&self, question: &str) -> std::io::Result<bool> {
        self.0.confirm(question)
    }

    fn is_watched(&self) -> bool {
        false
    }

    fn progress(&self, what: &'static str) -> Box<dyn Progress> {
        Silent.progress(what)
    }
}

/// Arguments that were checked against the tool's schema.
struct Arguments<'a> {
    named: &'a Map<String, Value>,
    context: &'a OperationContext,
}

impl Arguments<'_> {
    /// The knowledge base, without a word about its settings: they were said when the server began.
    fn workspace(&self) -> Result<Workspace, CliError> {
        self.context.base.open(Vec::new())
    }

    fn reporter(&self) -> OnBehalf<'_> {
        OnBehalf(&*self.context.reporter)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.named.get(name).and_then(Value::as_str)
    }

    fn given(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    fn whole(&self, name: &str) -> Option<usize> {
        self.named.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok())
    }

    fn is_set(&self, name: &str) -> bool {
        self.named.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let items = self.named.get(name)?.as_array()?;
        Some(items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect())
    }
}

fn answer(tool: Tool, arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    if call.is_followed() && !matches!(tool, Tool::Remember | Tool::Learn | Tool::WriteNote) {
        read_first(arguments, call)?;
    }
    match tool {
        Tool::Search => search::search(arguments, call),
        Tool::Similar => search::similar(arguments, call),
        Tool::Get => notes::get(arguments, call),
        Tool::Recall => lessons::recall(arguments, call),
        Tool::Remember => lessons::remember(arguments, call),
        Tool::Learn => knowledge::learn(arguments),
        Tool::Questions => knowledge::questions(arguments),
        Tool::Entity => knowledge::entity(arguments),
        Tool::WriteNote => notes::write_note(arguments),
        Tool::Status => status(arguments),
    }
}

/// Reads what changed before the tool itself would, and says how far it is.
fn read_first(arguments: &Arguments, call: &Call) -> Result<(), CliError> {
    let progress = |done, all| call.progress(done, Some(all), "reading notes");
    let options = Options { full: false, patience: Some(PATIENCE), progress: &progress };
    arguments.workspace()?.refresh_all(options)?;
    Ok(())
}

fn status(arguments: &Arguments) -> Result<Reply, CliError> {
    let workspace = arguments.workspace()?;
    let notes = Notes::open(&workspace)?;
    let memories = Memories::open(&workspace);
    let remembered = memories.refreshed(false)?;
    let report = &notes.known.report;
    let root = workspace.repository.root.file_name().unwrap_or_default().to_string_lossy();
    let structured = json!({
        "repository": root,
        "memory_repository": memories.own,
        "version": env!("CARGO_PKG_VERSION"),
        "model": workspace.models.active().fingerprint().to_string(),
        "documents": report.files,
        "chunks": report.chunks,
        "waiting": report.waiting,
        "stale": report.stale,
        "lessons": remembered.report.chunks,
    });
    let text = format!(
        "{root}: {} in {}, {} of them {} for a vector; {} remembered; model {}; elophanto {}",
        counted(report.files, "document"),
        counted(report.chunks, "chunk"),
        report.waiting,
        agreeing(report.waiting, "waits", "wait"),
        counted(remembered.report.chunks, "lesson"),
        workspace.models.active().fingerprint(),
        env!("CARGO_PKG_VERSION"),
    );
    Ok(Reply::Found { text, structured })
}
