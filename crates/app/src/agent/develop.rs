//! `self_develop` with all that it is made with here.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::{Timestamp, tz::TimeZone};
use ulid::Ulid;

use super::{
    develop_branch::Plumbing,
    plugins::{PluginContext, agree},
};
use crate::{Workspace, workspace::KnowledgeBase};
use elophanto_agent::{
    Inlet,
    develop::{Event, Parts, SelfDevelop, State},
};
use elophanto_repo::{Git, write_beneath};
use elophanto_text::changelog::{self, Entry};

/// The tool; a plugin that it makes comes in by the inlet.
pub fn tool(
    workspace: &Workspace,
    git: &Git,
    bench: &PluginContext,
    built_in: &[&str],
    inlet: Inlet,
) -> SelfDevelop {
    let base = KnowledgeBase::of(workspace);
    let write_root = workspace.config.knowledge.write_root.clone();
    let has_changelog = workspace.config.changelog.enabled;
    let (to, of, notes) = (base.clone(), base.clone(), write_root.clone());
    let new = inlet.clone();
    SelfDevelop::new(Parts {
        runtime: Arc::clone(&bench.tests),
        built_in: built_in.iter().map(|&name| name.to_owned()).collect(),
        write_root,
        write: Box::new(move |path, text| {
            write_beneath(&to.folder, path, text.as_bytes()).map_err(|cause| cause.to_string())
        }),
        lock: bench.lock().to_owned(),
        branching: Box::new(Plumbing::new(git)),
        tools: Box::new(move || inlet.specs()),
        agree: Box::new(move |name, hash| {
            agree(&of.folder, &of.environment, name, hash)
                .map_err(|error| error.message().to_owned())
        }),
        deployed: Box::new(move |tool| {
            // A name that is taken was refused long before.
            let _ = new.put(tool);
        }),
        changelog: Box::new(move |line| match has_changelog {
            true => entry(&base, &notes, line),
            false => Ok(Vec::new()),
        }),
        events: Box::new(|event, host| host.report(&said(event))),
        now: Box::new(Timestamp::now),
        nonce: Box::new(|| Ulid::new().to_string()),
    })
}

fn said(event: &Event) -> String {
    let Event { plugin, stage, attempt, state, detail } = event;
    let state = match state {
        State::Begun => "begun",
        State::Done => "done",
        State::Failed => "failed",
    };
    let attempt = match attempt {
        0 => String::new(),
        number => format!(", attempt {number}"),
    };
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    format!("{plugin}: {} {state}{attempt}{detail}", stage.as_str())
}

/// A file for the entry.
fn entry(base: &KnowledgeBase, write_root: &Path, line: &str) -> Result<Vec<PathBuf>, String> {
    let date = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let detail = line.trim_start_matches("- ").to_owned();
    let title = detail.split(':').next().unwrap_or_default().replace('`', "");
    let entry =
        Entry { kind: Some("plugin".to_owned()), details: vec![detail], ..Entry::new(date, title) };
    let path = changelog::folder(write_root).join(changelog::file_name(date, Ulid::new()));
    write_beneath(&base.folder, &path, entry.render().as_bytes())
        .map_err(|cause| cause.to_string())?;
    Ok(vec![path])
}
