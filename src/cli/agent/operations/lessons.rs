//! Lessons: `recall` and `remember`.

use std::{collections::BTreeSet, path::Path, sync::PoisonError, time::Duration};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{super::super::error::CliError, Arguments, Held, workspace};
use crate::server::{Call, Reply};
use elophanto_app::memory::{
    Memories,
    reply::{Origin, fitting, shown},
};
use elophanto_knowledge::memory::{Draft, Question, Recalled, compact};
use elophanto_models::builtin::count_tokens;
use elophanto_repo::{Git, NotePath, Repository, head, is_tracked};

/// How long git may take to tell which commit a lesson came with.
const ORIGIN_PATIENCE: Duration = Duration::from_millis(200);

pub fn recall(arguments: &Arguments, call: &Call, held: &Held) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let memories = Memories::open(&workspace).keeping(&held.lessons);
    let event_type = arguments.text("type").and_then(|kind| kind.parse().ok());
    let question = Question {
        text: arguments.given("text"),
        repo: arguments.text("repo"),
        own: &memories.own,
        event_type,
        archived: arguments.is_set("archived"),
        limit: arguments.whole("limit").unwrap_or(5),
        now: Timestamp::now(),
    };
    let found = memories.recall(&question)?;
    let git = Git::of(&workspace.repository).map(|git| git.with_timeout(ORIGIN_PATIENCE));
    let origin = |recalled: &Recalled| {
        let path = memories.shown(recalled.path.as_path());
        let commit =
            git.as_ref().and_then(|git| commit_of(git, &workspace.repository, &path, held));
        Some(Origin { agent: recalled.memory.agent_id.clone(), commit })
    };
    let object = |lessons: &[Value]| match found.len() - lessons.len() {
        0 => json!({ "memories": lessons }),
        more => json!({ "memories": lessons, "cut": true, "more": more }),
    };
    let fits = |lessons: &[Value]| count_tokens(&object(lessons).to_string()) <= call.max_tokens();
    let structured = object(&fitting(&found, &memories, &origin, &fits));
    let text = match found.is_empty() {
        true => "Nothing is remembered about that.".to_owned(),
        // Room for the line that says what is quoted.
        false => {
            let room = call.max_tokens().saturating_sub(24);
            compact(&shown(&found, &memories.own), room, &count_tokens).text
        }
    };
    Ok(Reply::Found { text, structured })
}

/// The commit that brought a file; `None` while it is in none.
fn commit_of(git: &Git, repository: &Repository, path: &Path, held: &Held) -> Option<String> {
    let name = NotePath::from(path);
    let mut commits = held.commits.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(commit) = commits.known.get(&name) {
        return Some(commit.clone());
    }
    let head = head(git).ok()?;
    if commits.head != head {
        (commits.head, commits.without) = (head, BTreeSet::new());
    }
    if commits.without.contains(&name) {
        return None;
    }
    let is_there = is_tracked(repository, path).unwrap_or_default();
    let commit = if is_there { git.last_commit_of(&name).ok()? } else { None };
    match commit {
        Some(commit) => {
            commits.known.insert(name, commit.to_string());
            Some(commit.to_string())
        }
        None => {
            commits.without.insert(name);
            None
        }
    }
}

pub fn remember(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let memories = Memories::open(&workspace);
    let event_type = arguments.given("type").parse().map_err(CliError::new)?;
    let agent = call.client().map(str::to_owned);
    let draft = Draft {
        event_type,
        context: arguments.given("context").to_owned(),
        command: arguments.given("command").to_owned(),
        lesson: arguments.given("lesson").to_owned(),
        success_rate: arguments.text("success_rate").and_then(|rate| rate.parse().ok()),
        tags: arguments.texts("tags"),
        repo: arguments.text("repo").unwrap_or(&memories.own).to_owned(),
        agent_id: agent.unwrap_or_else(|| workspace.config.memory.agent_id.clone()),
        replaces: None,
    };
    let remembered = memories.remember(draft, Timestamp::now())?;
    let path = remembered.path.to_string_lossy().into_owned();
    let mut text = format!("Remembered as {} in {path}.", remembered.memory.id);
    if remembered.masked > 0 {
        text.push_str(&format!(" {} secrets in it were masked.", remembered.masked));
    }
    let structured = json!({
        "id": remembered.memory.id,
        "path": path,
        "tags": remembered.memory.tags,
        "masked": remembered.masked,
    });
    Ok(Reply::Found { text, structured })
}
