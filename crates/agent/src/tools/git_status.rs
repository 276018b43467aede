//! `git_status`: what has changed since the last commit.

use std::{fmt::Write as _, sync::Arc};

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, spec},
    cut::{cut, text_of},
    git_calls::{answer, patient, places, read_paths, with_places},
    paths::shown,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::platform;
use elophanto_repo::Git;

/// Asks git what has changed.
pub struct GitStatus {
    git: Arc<Git>,
}

impl GitStatus {
    pub fn new(git: Arc<Git>) -> Self {
        Self { git }
    }
}

impl Tool for GitStatus {
    fn spec(&self) -> Spec {
        spec(
            "git_status",
            Level::Safe,
            true,
            "The branch, and files that differ from the last commit. Before each path two letters: \
             what is staged, what is not; M changed, A added, D removed, R renamed, U in conflict, \
             `?` not tracked, `.` nothing.",
            json!({
                "paths": { "type": "array", "items": { "type": "string" },
                    "description": "only these; all if left out" },
            }),
            &[],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let places = places(&Arguments::of(&self.spec(), arguments)?, host)?;
        let paths = read_paths(&places, host);
        Ok(Intent { action: Action::Read { paths }, shown: "git status".to_owned() })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let places = places(&Arguments::of(&self.spec(), arguments)?, host)?;
        let options = [
            "status",
            "--porcelain=v2",
            "-z",
            "--branch",
            "--untracked-files=normal",
            // Git would run with a submodule's own settings in it.
            "--ignore-submodules=dirty",
        ];
        let git = patient(&self.git, host);
        let (bytes, whole) = answer(&git, host, &with_places(&options, &places))?;
        let mut text = summary(&bytes);
        if !whole {
            text.push_str("[the rest was not read: name paths]\n");
        }
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}

/// Porcelain v2 in short lines.
fn summary(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut changes = 0;
    let mut records = bytes.split(|&byte| byte == 0);
    while let Some(record) = records.next() {
        // How many fields come before the path.
        let fields = match record.first() {
            Some(b'#') => {
                let line = text_of(record);
                if let Some(branch) = line.strip_prefix("# branch.head ") {
                    let _ = writeln!(text, "branch {branch}");
                } else if let Some(upstream) = line.strip_prefix("# branch.upstream ") {
                    let _ = writeln!(text, "upstream {upstream}");
                } else if let Some(ahead) = line.strip_prefix("# branch.ab ") {
                    let _ = writeln!(text, "ahead and behind: {ahead}");
                }
                continue;
            }
            Some(b'?') => 1,
            Some(b'1') => 8,
            Some(b'2') => 9,
            Some(b'u') => 10,
            _ => continue,
        };
        changes += 1;
        let mut parts = record.splitn(fields + 1, |&byte| byte == b' ');
        let kind = parts.next().unwrap_or_default();
        let letters = match kind {
            b"?" => "??".to_owned(),
            _ => text_of(parts.next().unwrap_or_default()),
        };
        let path = |bytes: &[u8]| shown(platform::path(bytes));
        let _ = write!(text, "{letters} {}", path(parts.last().unwrap_or_default()));
        if kind == b"2" {
            let _ = write!(text, " (was {})", path(records.next().unwrap_or_default()));
        }
        text.push('\n');
    }
    if changes == 0 {
        text.push_str("nothing has changed\n");
    }
    text
}
