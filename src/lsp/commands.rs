//! Commands of our own, on somebody's word. What writes does what the command of that name does at a
//! terminal, and no more.

use lsp_types::{ExecuteCommandParams, MessageType, Position, Range, Uri};
use serde::Deserialize;
use serde_json::Value;

use super::{asked::Asked, client::Telling, positions::count, uris::uri_of};
use elophanto_app::{
    Error, Result,
    editor::{at_commit, learn, like, past_of, remember},
    when::day,
};
use elophanto_base::{one_line::one_line, visible::visible};

pub const OPEN: &str = "elophanto.open";
pub const REFERENCES: &str = "elophanto.references";
pub const REMEMBER: &str = "elophanto.remember";
pub const LEARN: &str = "elophanto.learn";
pub const LIKE: &str = "elophanto.like";
pub const AT_COMMIT: &str = "elophanto.openAtCommit";

/// All of them.
pub const NAMES: [&str; 6] = [OPEN, REFERENCES, REMEMBER, LEARN, LIKE, AT_COMMIT];

/// Things that somebody is to choose from.
const MOST_CHOICES: usize = 12;
/// Characters of one.
const MOST_CHOICE: usize = 70;

/// Where something is to be done.
#[derive(Debug, Deserialize)]
struct Place {
    uri: Uri,
    #[serde(default)]
    line: u32,
    range: Option<Range>,
}

/// A command that is to be run.
pub struct Command {
    name: &'static str,
    place: Place,
}

impl Command {
    /// The command that is meant.
    ///
    /// # Errors
    /// In words, when it is none of ours, or not said where.
    pub fn of(params: &ExecuteCommandParams) -> Result<Self, String> {
        let known = NAMES.into_iter().find(|name| *name == params.command);
        let name = known.ok_or_else(|| {
            format!("there is no command `{}`; there are {}", params.command, NAMES.join(", "))
        })?;
        let place = params.arguments.first().cloned().unwrap_or(Value::Null);
        let place = serde_json::from_value(place)
            .map_err(|cause| format!("`{name}` takes an object with a `uri`: {cause}"))?;
        Ok(Self { name, place })
    }

    pub fn uri(&self) -> &Uri {
        &self.place.uri
    }

    /// Does it.
    ///
    /// # Errors
    /// Those of the use case.
    pub fn run(&self, asked: &Asked) -> Result<Value> {
        let (buffer, client) = (&asked.buffer, &asked.client);
        let at = Position::new(self.place.line, 0);
        let range = self.place.range.unwrap_or(Range::new(at, at));
        let bytes = asked.encoding.bytes(buffer, range);
        let workspace = asked.editor().workspace()?;
        let telling = Telling(client);
        let said = match self.name {
            OPEN => {
                client.open(asked.uri.clone(), range);
                return Ok(Value::Null);
            }
            REFERENCES => {
                references(asked, &workspace, asked.encoding.offset(buffer, at))?;
                return Ok(Value::Null);
            }
            AT_COMMIT => {
                commits(asked, &workspace)?;
                return Ok(Value::Null);
            }
            REMEMBER => remember(&workspace, buffer, bytes)?,
            LEARN => learn(&workspace, buffer, bytes, &telling)?,
            _ => like(&workspace, buffer, bytes, &telling)?,
        };
        client.show(MessageType::INFO, visible(&said));
        Ok(Value::String(said))
    }
}

/// Has somebody choose from what refers to a place, and opens it.
fn references(asked: &Asked, workspace: &elophanto_app::Workspace, offset: usize) -> Result<()> {
    let spots = asked.resolver(workspace)?.references(&asked.buffer, offset);
    let mut places = Vec::new();
    for spot in spots.iter().take(MOST_CHOICES) {
        let Some(location) = asked.location(spot) else { continue };
        let title = format!("{}:{}", visible(&spot.path), spot.line + 1);
        places.push((one_line(&title, MOST_CHOICE), location));
    }
    let client = std::sync::Arc::clone(&asked.client);
    let titles = places.iter().map(|(title, _)| title.clone()).collect();
    let open = move |chosen: &str| {
        if let Some((_, location)) = places.iter().find(|(title, _)| title == chosen) {
            client.open(location.uri.clone(), location.range);
        }
    };
    asked.client.choose(format!("{} refer here", spots.len()), titles, open);
    Ok(())
}

/// Has somebody choose a commit of a note, and opens the note as it was.
fn commits(asked: &Asked, workspace: &elophanto_app::Workspace) -> Result<()> {
    let path = asked.buffer.path.clone();
    let past = past_of(workspace, &path);
    if let Some(why) = past.untold {
        return Err(Error::new(format_args!("its commits cannot be told: {why}")));
    }
    if past.commits.is_empty() {
        return Err(Error::new("it is not committed yet").hint("git commit it first"));
    }
    let choice = |commit: &elophanto_repo::Touched| {
        let id = commit.commit.to_string();
        let title = format!("{} {} {}", &id[..10.min(id.len())], day(commit.time), commit.subject);
        (one_line(&title, MOST_CHOICE), commit.commit)
    };
    let choices: Vec<_> = past.commits.iter().take(MOST_CHOICES).map(choice).collect();
    let titles = choices.iter().map(|(title, _)| title.clone()).collect();
    let client = std::sync::Arc::clone(&asked.client);
    let editor = std::sync::Arc::clone(&asked.folder.editor);
    let open = move |chosen: &str| {
        let Some((_, commit)) = choices.iter().find(|(title, _)| title == chosen) else { return };
        let written =
            editor.workspace().and_then(|workspace| at_commit(&editor, &workspace, &path, commit));
        match written {
            Ok(file) => {
                let start = Position::new(count(0), 0);
                if let Some(uri) = uri_of(&file) {
                    client.open(uri, Range::new(start, start));
                }
            }
            Err(error) => client.show(MessageType::ERROR, super::asked::told(&error)),
        }
    };
    asked.client.choose("Open as it was at".to_owned(), titles, open);
    Ok(())
}
