//! `git_diff`: what differs between versions.

use std::{fmt::Write as _, path::PathBuf, sync::Arc};

use serde_json::{Value, json};

use super::{
    OutOfReach,
    arguments::{Arguments, bad, spec},
    cut::cut,
    git_calls::{answer, excluded, intent, patient, places, revision, text, with_places},
    paths::Place,
};
use crate::{Host, Intent, Output, Spec, Tool, ToolError, permissions::Level};
use elophanto_base::{
    counted::{agreeing, counted},
    platform,
    secrets::{KeyLines, may_be_of_key},
};
use elophanto_repo::Git;

/// What git is always told. A submodule's own settings could name programs.
const OPTIONS: &[&str] = &[
    "diff",
    "--no-color",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-O/dev/null",
];
/// Shows all lines of each file.
const WHOLE_FILES: &str = "--unified=1000000";
/// Files that can be left out of one answer.
const MOST_LEFT_OUT: usize = 1_000;

/// Asks git what differs.
pub struct GitDiff {
    git: Arc<Git>,
    out_of_reach: OutOfReach,
}

impl GitDiff {
    /// Files that `out_of_reach` names, by absolute path, are left out.
    pub fn new(git: Arc<Git>, out_of_reach: OutOfReach) -> Self {
        Self { git, out_of_reach }
    }
}

impl Tool for GitDiff {
    fn spec(&self) -> Spec {
        spec(
            "git_diff",
            Level::Safe,
            true,
            "A unified diff: of the work tree against what is staged (nothing given), of what is \
             staged against the last commit (`staged`), of the work tree against `from`, or between \
             the commits `from` and `to`. A long one is cut: name paths, or see `summary` first.",
            json!({
                "staged": { "type": "boolean" },
                "from": { "type": "string", "description": "a commit, branch or tag" },
                "to": { "type": "string", "description": "a commit, branch or tag" },
                "paths": { "type": "array", "items": { "type": "string" },
                    "description": "only these; all if left out" },
                "summary": { "type": "boolean", "description": "only paths and counts of lines" },
                "context": { "type": "integer", "minimum": 0, "maximum": 50,
                    "description": "lines around a change; 3 if left out" },
            }),
            &[],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let asked = self.asked(arguments, host)?;
        Ok(intent(&asked.options, &asked.places, host))
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let Asked { git, options, places } = self.asked(arguments, host)?;
        let left_out = self.left_out(&git, host, &options, &places)?;
        let ask = |options: &[String]| {
            let mut asked = with_places(options, &places);
            asked.extend(left_out.iter().map(|path| excluded(path)));
            answer(&git, host, &asked)
        };
        let said = ask(&options)?;
        let mut text = match text(&said) {
            empty if empty.is_empty() => "no difference\n".to_owned(),
            text => text,
        };
        if text.lines().any(may_be_of_key) {
            // The line that a key begins with may not be among those around a change.
            let whole = [&options[..], &[WHOLE_FILES.to_owned()]].concat();
            let (whole, _) = ask(&whole)?;
            text = KeyLines::of(&String::from_utf8_lossy(&whole)).hide(&text).into_owned();
        }
        if !left_out.is_empty() {
            let (files, them) =
                (counted(left_out.len(), "file"), agreeing(left_out.len(), "it", "them"));
            let _ = writeln!(text, "[{files} left out: no tool reads {them}]");
        }
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}

struct Asked {
    git: Git,
    options: Vec<String>,
    places: Vec<Place>,
}

impl GitDiff {
    fn asked(&self, arguments: &Value, host: &dyn Host) -> Result<Asked, ToolError> {
        let read = Arguments::of(&self.spec(), arguments)?;
        let places = places(&read, host)?;
        let git = patient(&self.git, host);
        let staged = read.flag("staged")?;
        let (from, to) = (revision(&git, &read, "from")?, revision(&git, &read, "to")?);
        if from.is_none() && to.is_some() {
            return Err(bad("`to` goes with `from`"));
        }
        if staged && to.is_some() {
            return Err(bad("`staged` and `to` exclude each other"));
        }
        let context = format!("--unified={}", read.number("context", 0, 50)?.unwrap_or(3));
        let mut options: Vec<String> = OPTIONS.iter().map(ToString::to_string).collect();
        options.push(context);
        if read.flag("summary")? {
            options.push("--stat=160".to_owned());
        }
        if staged {
            options.push("--cached".to_owned());
        }
        options.extend([from, to].iter().flatten().map(ToString::to_string));
        Ok(Asked { git, options, places })
    }

    /// Files that differ and that no tool reads.
    fn left_out(
        &self,
        git: &Git,
        host: &dyn Host,
        options: &[String],
        places: &[Place],
    ) -> Result<Vec<PathBuf>, ToolError> {
        let names = ["--name-only", "-z", "--no-renames"].map(str::to_owned);
        let asked = with_places(&[options, &names].concat(), places);
        let (said, whole) = answer(git, host, &asked)?;
        let paths = said.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        let mut paths: Vec<PathBuf> = paths.map(|path| platform::path(path).to_owned()).collect();
        paths.retain(|path| (self.out_of_reach)(&host.root().join(path)));
        if !whole || paths.len() > MOST_LEFT_OUT {
            return Err(ToolError::Refused("too many files differ: name paths".into()));
        }
        Ok(paths)
    }
}
