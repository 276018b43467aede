//! What somebody who is asked to install a skill should look at. Pure; a help to the eye, no proof
//! that what it does not name is harmless.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    files::{Content, SKILL_FILE, Skipped},
    front::Front,
    name,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::is_deceptive;

/// Warnings of one plan; how many more there are is said in the last one.
pub(super) const MAX_WARNINGS: usize = 60;
/// Bytes from which a file is named as large.
const LARGE: usize = 512 << 10;
/// Endings of programs in text form.
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "py", "rb", "pl", "js", "mjs", "cjs", "ts", "ps1", "bat", "cmd",
    "lua", "php", "applescript", "command", "awk",
];
/// Languages of code blocks that are commands.
const SHELLS: &[&str] =
    &["sh", "bash", "shell", "zsh", "console", "terminal", "powershell", "ps1", "cmd"];
/// What a text says, in lower case, when it wants something done with more power than a skill has.
const PUSHY: &[&str] = &[
    "ignore previous", "ignore all previous", "ignore the above", "ignore your", "disregard",
    "do not tell the user", "don't tell the user", "without asking", "without confirmation",
    "never mention", "system prompt", "override your", "full auto", "mode full", "auto-approve",
    "skip the approval",
];
/// What a command looks like that runs what it fetches, or takes more rights.
const RISKY: &[&str] = &[
    "sudo ", "chmod +x", "eval ", "base64 -d", "base64 --decode", "rm -rf", "npx ", "uvx ",
    "pip install", "npm install", "curl ", "wget ", "| sh", "|sh", "| bash", "|bash",
    "invoke-expression", "iex(", "osascript",
];

/// What kind of thing is warned of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concern {
    /// A program in text form.
    Script,
    /// A file that may be run where it comes from; the copy may not.
    Executable,
    /// A file that is no text.
    Binary,
    /// The text has somebody run commands.
    Commands,
    /// The text claims power over whoever reads it.
    Pushy,
    /// Characters or comments that are not seen when it is read.
    Hidden,
    /// An address outside.
    Link,
    /// A link, submodule or special file, which is not copied.
    Skipped,
    /// Only a pointer of Git LFS: its content is not fetched.
    Pointer,
    /// A large file.
    Large,
    /// It asks for tools to be allowed, which nothing here does.
    AllowedTools,
    /// Something odd in its form.
    Form,
    /// What is installed was changed by hand, and would be replaced.
    Tampered,
    /// It would come from another place than what is installed.
    Moved,
    /// There were more warnings.
    More,
}

/// Something to look at before agreeing. Its texts are safe to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Warning {
    #[serde(skip)]
    pub concern: Concern,
    /// The file it is about, relative to the skill; empty if it is about all.
    pub path: String,
    pub said: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.said)
        } else {
            write!(f, "{}: {}", self.path, self.said)
        }
    }
}

pub(super) fn warning(concern: Concern, path: &str, said: impl Into<String>) -> Warning {
    Warning { concern, path: name::shown(path), said: said.into() }
}

/// All that is noticed in the files of a skill, by concern and path.
pub(super) fn find(front: &Front, contents: &[Content], skipped: &[Skipped]) -> Vec<Warning> {
    let mut found: Vec<Warning> = contents.iter().flat_map(of_file).collect();
    found.extend(skipped.iter().map(|(path, what)| {
        warning(Concern::Skipped, path, format!("{what}, which is not copied"))
    }));
    found.extend(front.allowed_tools.iter().map(|tools| {
        let said = format!("asks for these tools to be allowed, which is not done: {tools}");
        warning(Concern::AllowedTools, SKILL_FILE, said)
    }));
    found
        .extend(front.problems.iter().map(|said| warning(Concern::Form, SKILL_FILE, said.clone())));
    found.sort_by(|a, b| (a.concern, &a.path).cmp(&(b.concern, &b.path)));
    found.dedup();
    if found.len() > MAX_WARNINGS {
        let more = format!("and {} more to look at", found.len() - MAX_WARNINGS);
        found.truncate(MAX_WARNINGS);
        found.push(warning(Concern::More, "", more));
    }
    found
}

fn of_file(content: &Content) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut add = |concern, said: String| found.push(warning(concern, &content.path, said));
    let size = content.bytes.len();
    if size >= LARGE {
        add(Concern::Large, format!("{} KiB", size / 1_024));
    }
    if content.executable {
        add(Concern::Executable, "may be run where it comes from; the copy may not".to_owned());
    }
    let ending =
        content.path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    if SCRIPTS.contains(&ending.as_str()) || content.bytes.starts_with(b"#!") {
        add(Concern::Script, "a script".to_owned());
    }
    if content.bytes.starts_with(b"version https://git-lfs") {
        add(Concern::Pointer, "a pointer of Git LFS, without its content".to_owned());
    }
    let text = match std::str::from_utf8(&content.bytes) {
        Ok(text) if !text.contains('\0') => text,
        _ => {
            add(Concern::Binary, format!("no text, {size} bytes"));
            return found;
        }
    };
    let hidden =
        text.chars().filter(|&c| is_deceptive(c) || (c.is_control() && !"\r\n\t".contains(c)));
    let hidden = hidden.count();
    if hidden > usize::from(text.starts_with('\u{feff}')) {
        add(
            Concern::Hidden,
            format!(
                "{} that cannot be seen or {} the direction of reading",
                counted(hidden, "character"),
                agreeing(hidden, "turns", "turn")
            ),
        );
    }
    if text.contains("<!--") {
        add(Concern::Hidden, "comments that are not seen when it is rendered".to_owned());
    }
    let folded = text.to_lowercase();
    if let Some(said) = first_of(&folded, PUSHY) {
        add(Concern::Pushy, format!("says `{said}`"));
    }
    let fenced = text.lines().any(|line| {
        let line = line.trim_start();
        let language = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"));
        language
            .is_some_and(|language| SHELLS.contains(&language.trim().to_ascii_lowercase().as_str()))
    });
    match first_of(&folded, RISKY) {
        Some(said) => add(Concern::Commands, format!("has commands such as `{}`", said.trim())),
        None if fenced => add(Concern::Commands, "has commands to run".to_owned()),
        None => {}
    }
    let mut links: Vec<&str> =
        folded.match_indices("://").filter_map(|(at, _)| host(&folded, at)).collect();
    links.sort_unstable();
    links.dedup();
    if !links.is_empty() {
        let more = if links.len() > 8 { ", ..." } else { "" };
        links.truncate(8);
        add(Concern::Link, format!("leads to {}{more}", name::shown(&links.join(", "))));
    }
    found
}

fn first_of<'a>(text: &str, said: &[&'a str]) -> Option<&'a str> {
    said.iter().find(|said| text.contains(**said)).copied()
}

/// The host of an address whose `://` is at `at`.
fn host(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at + 3..)?;
    let end =
        rest.find(|c: char| !(c.is_alphanumeric() || ".-_:@[]%".contains(c))).unwrap_or(rest.len());
    let host = rest.get(..end)?.trim_end_matches(['.', ':']);
    (!host.is_empty() && host.len() < 256).then_some(host)
}
