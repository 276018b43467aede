//! A conversation that survives restarts: what was said, what the user approved for its length.
//! Pure.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ulid::Ulid;
use uuid::Uuid;

use crate::permissions::{Action, Call, Layer, Level, Verdict};
use elophanto_models::llm::Message;

/// Messages that a session of a channel keeps at most, a summary of older ones included.
pub const MAX_MESSAGES: usize = 20;
/// The same of any session.
pub(crate) const MOST_MESSAGES: usize = 10_000;
const MAX_RULES: usize = 200;

/// Something the user approved for the rest of a session, as it stands in the session's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Exactly this command in this folder, whichever line it is part of.
    Command { tool: String, folder: PathBuf, argv: Vec<String> },
    /// Writing, moving or removing this file with this tool.
    File { tool: String, path: PathBuf },
    /// This tool with this host.
    Host { tool: String, host: String },
    /// This tool, as long as what it does is of one kind: `read`, `record`, `program NAME DIGEST`, ...
    Tool { tool: String, action: String },
    /// Writing, moving or removing any file of this work tree.
    Edits { root: PathBuf },
}

/// One conversation with one user over one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// By which it goes on.
    pub id: Uuid,
    /// Where the user is: `terminal`, ...
    pub channel: String,
    /// As the channel knows them.
    pub user: String,
    /// The work tree that it is about, once there was a run: what was said of it goes nowhere else.
    pub root: Option<String>,
    /// What the user calls it.
    pub name: Option<String>,
    /// What the user wanted last, on one line.
    pub goal: Option<String>,
    /// As many as the model takes, in channels at most [`MAX_MESSAGES`]; every call of a tool has its
    /// result.
    pub messages: Vec<Message>,
    /// The run that is in it, or that was when its process was ended.
    pub under_way: Option<Ulid>,
    /// Whether untrusted text ever was in it.
    pub is_tainted: bool,
    /// What the user allowed until it ends.
    pub rules: Vec<Rule>,
    /// When it began.
    pub created: Timestamp,
    /// When it was saved last.
    pub updated: Timestamp,
    /// How often it was saved.
    pub revision: u64,
}

impl Session {
    /// Begins one, with nothing said.
    pub fn new(channel: &str, user: &str, now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4(),
            channel: channel.to_owned(),
            user: user.to_owned(),
            root: None,
            name: None,
            goal: None,
            messages: Vec::new(),
            under_way: None,
            is_tainted: false,
            rules: Vec::new(),
            created: now,
            updated: now,
            revision: 0,
        }
    }

    /// Whether the user has approved such a call for this session: of a shell line each command.
    pub fn allows(&self, call: &Call<'_>, verdict: &Verdict) -> bool {
        let allows_edits =
            |rule: &Rule| matches!(rule, Rule::Edits { root } if is_edit(call, verdict, root));
        if self.rules.iter().any(allows_edits) {
            return true;
        }
        let wanted = rules_for(call, verdict);
        !wanted.is_empty() && wanted.iter().all(|rule| self.rules.contains(rule))
    }

    /// Keeps an approval for the rest of the session; `false` if such a call is always asked for.
    pub fn keep(&mut self, call: &Call<'_>, verdict: &Verdict) -> bool {
        let rules = rules_for(call, verdict);
        let new: Vec<_> = rules.into_iter().filter(|rule| !self.rules.contains(rule)).collect();
        if self.rules.len() + new.len() > MAX_RULES {
            return false;
        }
        self.rules.extend(new);
        self.allows(call, verdict)
    }
}

impl Session {
    /// Keeps an approval of all edits in a work tree for the rest of the session; `false` if such a
    /// call is always asked for.
    pub fn keep_edits(&mut self, call: &Call<'_>, verdict: &Verdict, root: &Path) -> bool {
        let is_edit = is_edit(call, verdict, root);
        let rule = Rule::Edits { root: root.to_owned() };
        if is_edit && !self.rules.contains(&rule) && self.rules.len() < MAX_RULES {
            self.rules.push(rule);
        }
        is_edit && self.allows(call, verdict)
    }
}

/// Whether a call only edits files of this work tree, and nothing but the mode asks before it: what
/// is protected, steers other programs or has a rule of its own is none.
pub fn is_edit(call: &Call<'_>, verdict: &Verdict, root: &Path) -> bool {
    let Action::Write { paths } = &call.action else { return false };
    let inside = paths.iter().all(|path| path.starts_with(root));
    verdict.layer == Layer::Mode && verdict.can_be_kept && inside && !paths.is_empty()
}

/// What must be approved so that a call is; nothing if it cannot be kept.
fn rules_for(call: &Call<'_>, verdict: &Verdict) -> Vec<Rule> {
    if !verdict.can_be_kept || call.level == Level::Critical {
        return Vec::new();
    }
    let tool = call.tool.to_owned();
    match &call.action {
        Action::Shell { folder, .. } => {
            let of = |argv: &Vec<String>| Rule::Command {
                tool: tool.clone(),
                folder: folder.clone(),
                argv: argv.clone(),
            };
            verdict.commands.iter().map(of).collect()
        }
        Action::Write { paths } => {
            let of = |path: &PathBuf| Rule::File { tool: tool.clone(), path: path.clone() };
            paths.iter().map(of).collect()
        }
        Action::Reach { host } => vec![Rule::Host { tool, host: host.clone() }],
        action => {
            // What was said before text from outside came in was not said of that.
            let action = kind(action).map(|kind| match verdict.layer {
                Layer::Taint => format!("{kind}, with text from outside"),
                _ => kind,
            });
            action.map(|action| Rule::Tool { tool, action }).into_iter().collect()
        }
    }
}

/// The kind of what a tool does; `None` if an approval of it is never kept.
fn kind(action: &Action) -> Option<String> {
    let name = match action {
        Action::Look => "look",
        Action::Read { .. } => "read",
        Action::Model => "model",
        Action::Record { .. } => "record",
        Action::Commit => "commit",
        Action::AskUser => "ask_user",
        Action::Program { name, digest } => return Some(format!("program {name} {digest}")),
        Action::Server { name, digest } => return Some(format!("server {name} {digest}")),
        Action::Shell { .. } | Action::Write { .. } | Action::Reach { .. } | Action::Develop => {
            return None;
        }
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::{Decision, Layer};

    fn verdict(commands: &[&[&str]], can_be_kept: bool) -> Verdict {
        let words = |argv: &&[&str]| argv.iter().map(|word| (*word).to_owned()).collect();
        let commands = commands.iter().map(words).collect();
        let reasons = Vec::new();
        Verdict {
            decision: Decision::Ask,
            layer: Layer::Mode,
            reasons,
            can_be_kept,
            commands,
            is_unanswered: false,
        }
    }

    fn shell(line: &str) -> Call<'static> {
        let action =
            Action::Shell { line: line.to_owned(), folder: PathBuf::from("/r"), network: false };
        Call { tool: "shell_execute", level: Level::Destructive, action }
    }

    #[test]
    fn each_command_must_be_approved() {
        let mut session = Session::new("terminal", "ada", Timestamp::UNIX_EPOCH);
        let test: &[&str] = &["cargo", "test"];
        assert!(session.keep(&shell("cargo test"), &verdict(&[test], true)));
        for (commands, can_be_kept, expected) in [
            (&[test][..], true, true),
            (&[test, test][..], true, true),
            (&[test, &["rm", "x"]][..], true, false),
            (&[&["cargo", "test", "--release"][..]][..], true, false),
            (&[test][..], false, false),
            (&[][..], true, false),
        ] {
            let found = session.allows(&shell("x"), &verdict(commands, can_be_kept));
            assert_eq!(found, expected, "{commands:?}");
        }
    }

    #[test]
    fn an_answer_before_text_from_outside_came_in_is_none_about_it() {
        let mut session = Session::new("terminal", "ada", Timestamp::UNIX_EPOCH);
        let action = Action::Server { name: "s".to_owned(), digest: "1".to_owned() };
        let call = Call { tool: "s_read", level: Level::Safe, action };
        let (before, after) =
            (verdict(&[], true), Verdict { layer: Layer::Taint, ..verdict(&[], true) });
        assert!(session.keep(&call, &before) && !session.allows(&call, &after));
        assert!(session.keep(&call, &after) && session.allows(&call, &after));
        let other = Call { tool: "s_send", ..call };
        assert!(!session.allows(&other, &after));
    }

    /// A server or a plugin that took the place of one that was approved is another one, and what an
    /// older version kept by the name alone approves of neither.
    #[test]
    fn an_answer_is_about_what_runs_and_not_about_its_name() {
        let of = |action| Call { tool: "s_read", level: Level::Moderate, action };
        let server = |name: &str, digest: &str| {
            of(Action::Server { name: name.to_owned(), digest: digest.to_owned() })
        };
        let program =
            |digest: &str| of(Action::Program { name: "s".to_owned(), digest: digest.to_owned() });
        let verdict = verdict(&[], true);
        for (approved, asked, expected) in [
            (server("s", "1"), server("s", "1"), true),
            (server("s", "1"), server("s", "2"), false),
            (server("s", "1"), server("t", "1"), false),
            (program("1"), program("1"), true),
            (program("1"), program("2"), false),
            (program("1"), server("s", "1"), false),
        ] {
            let mut session = Session::new("terminal", "ada", Timestamp::UNIX_EPOCH);
            let old = |action: &str| Rule::Tool { tool: "s_read".into(), action: action.into() };
            session.rules = vec![old("server s"), old("program s")];
            assert!(!session.allows(&approved, &verdict), "{approved:?}");
            assert!(session.keep(&approved, &verdict));
            assert_eq!(session.allows(&asked, &verdict), expected, "{approved:?} {asked:?}");
        }
    }

    #[test]
    fn what_is_never_kept() {
        let mut session = Session::new("terminal", "ada", Timestamp::UNIX_EPOCH);
        let of = |level, action| Call { tool: "t", level, action };
        let reach = |host: &str| Action::Reach { host: host.to_owned() };
        for (call, kept, expected) in [
            (of(Level::Critical, Action::Record { paths: Vec::new() }), true, false),
            (of(Level::Destructive, Action::Develop), true, false),
            (of(Level::Moderate, Action::Record { paths: Vec::new() }), false, false),
            (of(Level::Moderate, reach("a.test")), true, true),
            (of(Level::Moderate, Action::Record { paths: Vec::new() }), true, true),
        ] {
            assert_eq!(session.keep(&call, &verdict(&[], kept)), expected, "{call:?}");
        }
        let write = Action::Write { paths: Vec::new() };
        for other in [of(Level::Moderate, reach("b.test")), of(Level::Moderate, write)] {
            assert!(!session.allows(&other, &verdict(&[], true)), "{other:?}");
        }
        let mut elsewhere = shell("cargo test");
        assert!(session.keep(&elsewhere, &verdict(&[&["cargo", "test"]], true)));
        elsewhere.action =
            Action::Shell { line: "cargo test".into(), folder: "/other".into(), network: false };
        assert!(!session.allows(&elsewhere, &verdict(&[&["cargo", "test"]], true)));
    }
}
