//! What somebody asks of the knowledge base in the middle of a conversation, whether or not a run goes
//! on. Each is a use case of its own; here is how it is said in a conversation.

use std::fmt::Write as _;

use crate::{
    Error, Reporter, Result, Workspace,
    config::format_duration,
    entities::{self, delete, find, nearest},
    interest::{PreferenceRequest, interests, note_preference, react},
    learn::{LearnRequest, Prompted, learn, prompts},
    learning::Learning,
    schedule::{Installed, Jobs},
    search::{SearchRequest, search},
    when::day,
};
use elophanto_base::{counted::counted, visible::escape_control_line};
use elophanto_index::search::{Hit, Level};
use elophanto_knowledge::interest::{Answered, PreferenceKind};

/// Hits of a search.
const MOST_HITS: usize = 5;
/// Bytes of what a hit says.
const MOST_SAID: usize = 240;
/// Interests and entities that are listed.
const MOST_LISTED: usize = 20;

/// See [`super::ChatCommand::Known`].
#[derive(Debug, Clone, PartialEq)]
pub enum KnowledgeCommand {
    /// Searches notes, facts and descriptions of files for this.
    Search(String),
    /// A topic; without one, what was asked for and what came of it.
    Learn(Option<String>),
    /// A like or dislike.
    Preference {
        /// Of what.
        topic: String,
        /// Which of both.
        preference: PreferenceKind,
        /// The user no longer says so.
        takes_back: bool,
    },
    /// What is known of an entity; without one, of which ones anything is.
    Memory {
        /// A number of the list, or a name.
        entity: Option<String>,
        /// Deletes its page.
        delete: bool,
    },
    /// What the user cares about, most first.
    Interests,
    /// What the user thinks of an answer or a notification.
    React {
        /// The id that was shown with it.
        id: String,
        /// Whether they liked it.
        positive: bool,
    },
    /// The jobs at intervals of this repository.
    Schedule,
}

/// What is answered, as Markdown without control characters.
///
/// # Errors
/// Those of the use case.
pub fn known(
    workspace: &Workspace,
    command: &KnowledgeCommand,
    reporter: &dyn Reporter,
) -> Result<String> {
    match command {
        KnowledgeCommand::Search(words) => found(workspace, words, reporter),
        KnowledgeCommand::Learn(None) => Ok(asked_for(&prompts(workspace, None))),
        KnowledgeCommand::Learn(Some(topic)) => queued(workspace, topic, reporter),
        KnowledgeCommand::Preference { topic, preference, takes_back } => {
            let request =
                PreferenceRequest { topic, preference: *preference, takes_back: *takes_back };
            let noted = note_preference(workspace, &request, reporter)?;
            let (word, topic) = (preference.word(), escape_control_line(&noted.topic));
            Ok(match (takes_back, noted.changed) {
                (true, true) => format!("took back that you {word} '{topic}'"),
                (true, false) => format!("you did not say that you {word} '{topic}'"),
                (false, false) => format!("you {word} '{topic}' already"),
                (false, true) => format!("noted that you {word} '{topic}'"),
            })
        }
        KnowledgeCommand::Memory { entity, delete } => {
            memory(workspace, entity.as_deref(), *delete, reporter)
        }
        KnowledgeCommand::Interests => Ok(cared_for(workspace, reporter)),
        KnowledgeCommand::React { id, positive } => match react(workspace, id, *positive, false)? {
            None => Err(Error::new(format_args!(
                "no notification or answer is called `{}`",
                escape_control_line(id)
            ))
            .hint("the id stands beside what you were told")),
            Some(reacted) if !positive && matches!(reacted.to, Answered::Notification) => {
                Ok("noted: nothing more is searched for about it".to_owned())
            }
            Some(_) => Ok("noted".to_owned()),
        },
        KnowledgeCommand::Schedule => {
            Ok(scheduled(workspace, reporter)?.unwrap_or_else(none_scheduled))
        }
    }
}

fn found(workspace: &Workspace, words: &str, reporter: &dyn Reporter) -> Result<String> {
    let request = SearchRequest {
        text: words.to_owned(),
        most: Some(MOST_HITS),
        awaited: true,
        ..SearchRequest::default()
    };
    let found = search(workspace, &request, reporter)?;
    let hits = &found.answer.hits;
    if hits.is_empty() {
        return Ok("nothing found".to_owned());
    }
    let mut text = String::new();
    if found.doubted(Level::Perhaps).is_some() {
        text.push_str("probably nothing here answers this; what is nearest:\n\n");
    }
    let lines: Vec<String> = (1..).zip(hits).map(|(number, hit)| line(number, hit)).collect();
    text.push_str(&lines.join("\n"));
    Ok(text)
}

fn line(number: usize, hit: &Hit) -> String {
    let said = hit.text.get(hit.snippet.clone()).unwrap_or_default();
    let said = elophanto_base::one_line::one_line(said, MOST_SAID);
    let path = escape_control_line(&hit.path.to_text());
    format!("{number}. `{path}:{}` {}", hit.line, escape_control_line(&said))
}

/// What was asked for, and what came of it, as the reference design prints it.
fn asked_for(all: &[Prompted]) -> String {
    if all.is_empty() {
        return "nothing was asked for yet: `/learn TOPIC`".to_owned();
    }
    let mut text = "Queued learning\n".to_owned();
    for prompt in all {
        let mark = match (prompt.is_done, prompt.entities.is_empty()) {
            (false, _) => "...",
            (true, false) => "✓",
            (true, true) => "- nothing",
        };
        let _ =
            write!(text, "\n{}) '{}' {mark}", prompt.number, escape_control_line(&prompt.prompt));
        for found in &prompt.entities {
            let _ =
                write!(text, "\n   - {} ({})", escape_control_line(&found.name), found.counted());
        }
    }
    text
}

fn queued(workspace: &Workspace, topic: &str, reporter: &dyn Reporter) -> Result<String> {
    let request = LearnRequest {
        topic: topic.to_owned(),
        material: None,
        background: true,
        unasked: false,
        yes: false,
    };
    let mut text = String::new();
    learn(
        workspace,
        request,
        &mut |begun| {
            let searches = counted(begun.searches, "search");
            let prompt = escape_control_line(&begun.prompt);
            text = format!("learning about '{prompt}': {searches} queued");
            Ok(())
        },
        reporter,
    )?;
    Ok(text)
}

fn memory(
    workspace: &Workspace,
    entity: Option<&str>,
    is_deleted: bool,
    reporter: &dyn Reporter,
) -> Result<String> {
    let learning = Learning::look(workspace);
    let mut snapshot = learning.snapshot(reporter);
    let Some(name) = entity else {
        let all = entities::list(&learning.store(), &snapshot);
        let line = |it: &entities::Listed<'_>| {
            let name = escape_control_line(it.name);
            format!("{}. {name} ({})", it.number, counted(it.facts, "fact"))
        };
        let mut lines: Vec<String> = all.iter().take(MOST_LISTED).map(line).collect();
        if all.is_empty() {
            lines.push("nothing is known yet: `/learn TOPIC`".to_owned());
        }
        if let Some(more @ 1..) = all.len().checked_sub(MOST_LISTED) {
            lines.push(format!("and {more} more"));
        }
        return Ok(lines.join("\n"));
    };
    let Some(found) = find(&snapshot, name).cloned() else {
        let error = Error::new(format_args!("nothing is known of `{}`", escape_control_line(name)));
        return Err(match nearest(&snapshot, name) {
            Some(near) => error.hint(format!("did you mean `{}`?", escape_control_line(near))),
            None => error.hint("`/memory` lists what is known"),
        });
    };
    let title = escape_control_line(&found.title);
    if is_deleted {
        delete(workspace, &mut snapshot, &found)?;
        return Ok(format!("removed {title} with {}", counted(found.facts.len(), "fact")));
    }
    let store = learning.store();
    let known = entities::of(&store, &found);
    let mut lines = vec![format!("{title} (`{}`)", escape_control_line(&known.path))];
    for fact in &known.facts {
        let from: Vec<String> =
            [fact.day(), fact.source].into_iter().flatten().map(escape_control_line).collect();
        let from = if from.is_empty() { String::new() } else { format!(" ({})", from.join(", ")) };
        lines.push(format!("- {}{from}", escape_control_line(fact.text)));
    }
    Ok(lines.join("\n"))
}

fn cared_for(workspace: &Workspace, reporter: &dyn Reporter) -> String {
    let ranked = interests(workspace, MOST_LISTED, reporter);
    if ranked.is_empty() {
        return "nothing yet: `/like` a topic, or `/learn` about one".to_owned();
    }
    let lines = (1..).zip(&ranked).map(|(number, ranked)| {
        let (of, name) = (&ranked.interest, escape_control_line(&ranked.name));
        let facts = counted(ranked.facts, "fact");
        format!("{number}. {name} {:+.2} ({facts}, {})", of.score, day(of.last.as_second()))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is said where nothing is done at intervals.
pub fn none_scheduled() -> String {
    "nothing is scheduled here".to_owned()
}

/// The jobs of a repository, one a line; `None` where there are none.
///
/// # Errors
/// When they cannot be listed.
pub fn scheduled(workspace: &Workspace, reporter: &dyn Reporter) -> Result<Option<String>> {
    let jobs = Jobs::of(&workspace.environment)?;
    let listing = jobs.list(Some(&workspace.repository.root))?;
    if let Some(cause) = &listing.unread {
        reporter.warn(cause);
    }
    if listing.jobs.is_empty() {
        return Ok(None);
    }
    let line = |Installed { job, .. }: &Installed| {
        let last = jobs.last(job).map(|run| format!("; last {}: {}", run.at, run.said));
        let text = format!(
            "{}, every {}: {}{}",
            job.name,
            format_duration(job.every),
            job.command.join(" "),
            last.unwrap_or_default()
        );
        escape_control_line(&text)
    };
    Ok(Some(listing.jobs.iter().map(line).collect::<Vec<_>>().join("\n")))
}
