//! `git_log`: commits.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, spec},
    cut::cut,
    git_calls::{answer, intent, patient, places, revision, text, told, with_places},
    paths::Place,
};
use crate::{Host, Intent, Output, Spec, Tool, ToolError, permissions::Level};
use elophanto_repo::{Git, head};

/// Commits unless told otherwise, and at most.
const USUAL: u64 = 20;
const MOST: u64 = 500;

/// What is said of a commit: with all of its message, or with the first line.
const WHOLE: &str = "%H %ad %an%n%w(0,4,4)%B%w(0,0,0)";
const SUBJECT: &str = "%H %ad %an: %s";

/// Asks git for commits.
pub struct GitLog {
    git: Arc<Git>,
}

impl GitLog {
    pub fn new(git: Arc<Git>) -> Self {
        Self { git }
    }
}

impl Tool for GitLog {
    fn spec(&self) -> Spec {
        spec(
            "git_log",
            Level::Safe,
            true,
            "Commits, newest first: id, date, author, subject; with `messages` whole messages, with \
             `files` what each changed. See changes with git_diff, from `ID~1` to `ID`.",
            json!({
                "from": { "type": "string",
                    "description": "where to begin: a commit, branch or tag; HEAD if left out" },
                "paths": { "type": "array", "items": { "type": "string" },
                    "description": "only commits that changed these" },
                "max": { "type": "integer", "minimum": 1, "maximum": MOST,
                    "description": "20 if left out" },
                "messages": { "type": "boolean" },
                "files": { "type": "boolean" },
            }),
            &[],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let asked = self.asked(arguments, host)?;
        Ok(intent(&asked.options, &asked.places, host))
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let asked = self.asked(arguments, host)?;
        if !asked.has_commits {
            return Ok(Output { text: "there is no commit yet\n".to_owned(), ..Output::default() });
        }
        let said = answer(&asked.git, host, &with_places(&asked.options, &asked.places))?;
        let text = match text(&said) {
            empty if empty.is_empty() => "no commit changed that\n".to_owned(),
            text => text,
        };
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}

struct Asked {
    git: Git,
    options: Vec<String>,
    places: Vec<Place>,
    has_commits: bool,
}

impl GitLog {
    fn asked(&self, arguments: &Value, host: &dyn Host) -> Result<Asked, ToolError> {
        let read = Arguments::of(&self.spec(), arguments)?;
        let places = places(&read, host)?;
        let max = read.number("max", 1, MOST)?.unwrap_or(USUAL);
        let git = patient(&self.git, host);
        let from = match revision(&git, &read, "from")? {
            Some(commit) => Some(commit),
            None => head(&git).map_err(told)?,
        };
        let mut options: Vec<String> =
            ["log", "--no-color", "--no-decorate", "--date=iso-strict"].map(str::to_owned).to_vec();
        options.push(format!("--max-count={max}"));
        let format = if read.flag("messages")? { WHOLE } else { SUBJECT };
        options.push(format!("--format={format}"));
        if read.flag("files")? {
            options.extend(["--name-status", "--ignore-submodules=dirty"].map(str::to_owned));
        }
        options.extend(from.map(|from| from.to_string()));
        Ok(Asked { git, options, places, has_commits: from.is_some() })
    }
}
