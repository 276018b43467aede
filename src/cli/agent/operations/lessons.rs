//! Lessons: `recall` and `remember`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{super::super::error::CliError, Arguments};
use crate::server::{Call, Reply};
use elophanto_app::memory::{
    Memories,
    reply::{fitting, shown},
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::memory::{Draft, Question, compact};
use elophanto_models::builtin::count_tokens;

pub fn recall(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = arguments.workspace()?;
    let memories = Memories::open(&workspace).keeping(&arguments.context.kept);
    let event_type = arguments.text("type").and_then(|kind| kind.parse().ok());
    let question = Question {
        repo: arguments.text("repo"),
        event_type,
        archived: arguments.is_set("archived"),
        ..memories.question(arguments.given("text"), arguments.whole("limit").unwrap_or(5))
    };
    let found = memories.recall(&question)?;
    let origin = memories.origins(&arguments.context.kept);
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

pub fn remember(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = arguments.workspace()?;
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
        let (secrets, were) =
            (counted(remembered.masked, "secret"), agreeing(remembered.masked, "was", "were"));
        text.push_str(&format!(" {secrets} in it {were} masked."));
    }
    let structured = json!({
        "id": remembered.memory.id,
        "path": path,
        "tags": remembered.memory.tags,
        "masked": remembered.masked,
    });
    Ok(Reply::Found { text, structured })
}
