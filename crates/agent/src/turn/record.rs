//! A call as it is written down.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    Run,
    call::{Asked, How, Made},
    facts::Did,
};
use crate::{
    End, Event,
    clean::{brief_json, clean, cut_middle},
    permissions::{Action, Verdict},
    trail::{EntryKind, some_commits, some_paths},
};
use elophanto_base::one_line::one_line;

/// Bytes of a result, and of one text in the arguments, in a trail.
const TRAIL_CAPS: (usize, usize) = (16 * 1024, 4 * 1024);
/// Bytes of all arguments in a trail.
const TRAIL_ARGUMENTS: usize = 64 * 1024;
const REASONS: usize = 20;
/// The tool that runs a line of a shell.
pub(super) const SHELL: &str = "shell_execute";

/// What is known of a call when it is written down.
#[derive(Default)]
pub(super) struct Record {
    pub(super) level: &'static str,
    pub(super) action: String,
    pub(super) verdict: Option<Verdict>,
    pub(super) approved: &'static str,
    pub(super) made: bool,
    pub(super) has_effect: bool,
    /// It writes files, records or a commit, by what it says.
    pub(super) writes: bool,
    pub(super) seconds: f64,
    pub(super) touched: Vec<PathBuf>,
}

impl Run<'_, '_> {
    /// What is about to happen must be on disk before it does.
    pub(super) fn about_to(&mut self, tool: &str, arguments: &Value) -> Result<(), End> {
        let arguments = arguments_for_trail(arguments);
        self.note(EntryKind::Calling { tool: tool.to_owned(), arguments });
        self.trail.flush().map_err(|error| End::Trail { message: error.to_string() })
    }

    /// Into the trail and the facts.
    pub(super) fn written(&mut self, asked: &Asked<'_>, made: &Made, record: Record) {
        let name = one_line(asked.tool, 64);
        let Made { failed, how, output, plain, .. } = made;
        let (decision, layer, reasons) = match &record.verdict {
            Some(Verdict { decision, layer, reasons, .. }) => (
                format!("{decision:?}").to_lowercase(),
                format!("{layer:?}").to_lowercase(),
                reasons,
            ),
            None => (String::new(), String::new(), &Vec::new()),
        };
        let result = cut_middle(plain, TRAIL_CAPS.0);
        if record.made {
            let (text, depth, seconds) = (result.as_str(), self.depth, record.seconds);
            let (tool, failed) = (name.as_str(), *failed);
            self.approver.tell(&Event::Called { tool, failed, text, seconds, depth });
        }
        self.facts.take(&record.touched, &output.commits);
        self.facts.made += usize::from(record.made);
        self.facts.effects += usize::from(record.made && record.has_effect);
        self.facts.unrun += usize::from(!record.made && asked.tool == SHELL);
        let has_run = record.made && *how == How::Ran;
        self.facts.has_written |= record.writes && has_run;
        match has_run {
            true => drop(self.facts.unwritten.remove(&name)),
            false if record.writes => drop(self.facts.unwritten.insert(name.clone())),
            false => {}
        }
        self.facts.is_unchecked |= !record.touched.is_empty();
        if let Some(line) = asked.arguments["command"].as_str()
            && record.made
            && asked.tool == SHELL
        {
            self.facts.ran(line, *failed);
        }
        self.facts.push(Did {
            line: did_line(&name, &asked.arguments, made, &result),
            failed: *failed,
            // What nobody was there to allow is missing; what somebody refused is not wanted.
            // What could not be made is missing too.
            has_effect: record.has_effect
                && (record.made || record.approved == "nobody" || *how == How::Failed),
        });
        self.note(EntryKind::Call {
            tool: name,
            arguments: arguments_for_trail(&asked.arguments),
            level: record.level.to_owned(),
            action: record.action,
            decision,
            layer,
            reasons: reasons.iter().take(REASONS).map(|reason| clean(reason, 1_000)).collect(),
            approved: record.approved.to_owned(),
            made: record.made,
            failed: *failed || *how != How::Ran,
            result,
            seconds: record.seconds,
            touched: some_paths(&record.touched),
            commits: some_commits(&output.commits),
        });
    }
}

fn arguments_for_trail(arguments: &Value) -> Value {
    brief_json(arguments, TRAIL_CAPS.1, TRAIL_ARGUMENTS)
}

fn did_line(name: &str, arguments: &Value, made: &Made, result: &str) -> String {
    let arguments = one_line(&brief_json(arguments, 80, 400).to_string(), 160);
    let how = match (made.how, made.failed) {
        (How::Ran, false) => "ok".to_owned(),
        (How::Ran | How::Failed, _) => {
            format!("failed: {}", one_line(&cut_middle(result, 400), 160))
        }
        (How::Wrong, _) => "wrong call".to_owned(),
        (How::Refused, _) => "not allowed".to_owned(),
    };
    format!("{name} {arguments}: {how}")
}

/// An action in words, for trails.
pub(super) fn in_words(action: &Action) -> String {
    let paths = |paths: &[PathBuf]| {
        let shown = paths.iter().take(20).map(|path| path.display().to_string());
        clean(&shown.collect::<Vec<_>>().join(", "), 2_000)
    };
    match action {
        Action::Look => "looks".to_owned(),
        Action::Read { paths: read } => format!("reads {}", paths(read)),
        Action::Write { paths: written } => format!("writes {}", paths(written)),
        Action::Shell { line, folder, network } => {
            let network = if *network { " with the network" } else { "" };
            format!("runs in {}{network}: {}", folder.display(), clean(line, 4_000))
        }
        Action::Reach { host } => format!("reaches {}", one_line(host, 300)),
        Action::Model => "asks a model".to_owned(),
        Action::Record { paths: at } if at.is_empty() => "records".to_owned(),
        Action::Record { paths: at } => format!("records in {}", paths(at)),
        Action::Commit => "commits".to_owned(),
        Action::Program { name, .. } => format!("runs the program {}", one_line(name, 100)),
        Action::Server { name, .. } => format!("asks the server {}", one_line(name, 100)),
        Action::Develop => "develops".to_owned(),
        Action::AskUser => "asks the user".to_owned(),
    }
}
