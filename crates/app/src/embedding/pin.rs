//! Deciding which model a repository uses, and writing it down for everybody who shares it.

use std::path::Path;

use super::{embedders::of_tables, remote::Target};
use crate::config::{
    self, Config, ConfigFile, Origin, Provider, REPOSITORY_FILE, TrustEntry, TrustStore, Trusted,
    pin, value_in,
};
use crate::{
    Error, Result,
    environment::Environment,
    keys::{self, Asking},
    reporter::Reporter,
    settings::{is_in_conflict, layers},
    workspace::{Workspace, write_beneath},
};
use elophanto_base::mount_placeholder::is_placeholder;
use elophanto_index::{Report, vectors_held};
use elophanto_models::{Fingerprint, remote::parse};
use elophanto_repo::Repository;
use elophanto_tables::Lance;

const PROVIDER: &str = "knowledge.embedding_provider";
const MODEL: &str = "knowledge.embedding_model";
const DIMENSION: &str = "knowledge.embedding_dimension";
/// Chunks that `minilm` embeds in some ten seconds.
pub(crate) const MOST_UNWATCHED: usize = 1_000;

/// Chunks that there are.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// All of them.
    pub chunks: usize,
    /// Those without a vector.
    pub waiting: usize,
}

impl From<&Report> for Counted {
    fn from(report: &Report) -> Self {
        // Lessons come one by one: they are no reason to take a lesser model.
        Self { chunks: report.chunks - report.apart, waiting: report.waiting }
    }
}

/// Settings to be written down.
pub type Pins = Vec<(&'static str, String)>;

/// What is to be written down before a repository is indexed: what `auto` comes to here, and how
/// long the vectors of a model are that nobody has asked yet. Chunks are counted only if need be.
///
/// # Errors
/// When the user can't be asked, or an agreement can't be kept.
pub fn decide(
    workspace: &Workspace,
    report: &dyn Fn() -> Result<Counted>,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<Pins> {
    let provider = &workspace.config.knowledge.embedding_provider;
    if *provider == Provider::Auto {
        return if may_pin(workspace)? {
            resolve_auto(workspace, report, yes, reporter)
        } else {
            Ok(Vec::new())
        };
    }
    let Some(mut target) = Target::of_provider(provider, workspace) else {
        return Ok(Vec::new());
    };
    // One word is sent to learn how long the vectors are; nothing of the repository. Not even that
    // goes to another machine unasked.
    if target.dimension() != 0 {
        let other = if is_new(workspace, &target, report()?) && target.is_agreed() {
            target.other_dimension(Asking::Through(reporter))
        } else {
            None
        };
        return Ok(other.map(|length| (DIMENSION, length.to_string())).into_iter().collect());
    }
    if !target.is_allowed() {
        return Ok(Vec::new());
    }
    if !target.is_agreed() && !yes {
        let (host, model) = (target.host(), &target.model);
        let question = format!(
            "ask {host} with one word how long the vectors of `{model}` are? Nothing of this \
             repository is sent"
        );
        if !reporter.confirm(&question)? {
            return Ok(Vec::new());
        }
    }
    let model = target.model.clone();
    if let Err(cause) = target.settle(Asking::Through(reporter)) {
        reporter.note(format_args!("`{provider}` cannot be used: {cause}"));
        return Ok(Vec::new());
    }
    let mut pins = vec![(DIMENSION, target.dimension().to_string())];
    if target.model != model {
        reporter.note(format_args!("`{model}` is not there; `{}` is used", target.model));
        pins.push((MODEL, target.model));
    }
    Ok(pins)
}

/// Whether no chunk has a vector of the model yet, but the repository has some of another one, of
/// the length that the settings say: it may have been meant for that one.
fn is_new(workspace: &Workspace, target: &Target, counted: Counted) -> bool {
    let length = target.dimension();
    let is_remote = |name: &Fingerprint| {
        parse(name).is_some_and(|(model, found)| model != target.model && found == length)
    };
    counted.waiting > 0
        && counted.waiting == counted.chunks
        && vectors_held(&Lance, &workspace.repository).iter().any(|(name, _)| is_remote(name))
}

/// The model that the committed tables are of; without any, OpenRouter if there is a key and the
/// user agrees, else an Ollama that answers, else the best model that runs here.
fn resolve_auto(
    workspace: &Workspace,
    report: &dyn Fn() -> Result<Counted>,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<Pins> {
    let config = &workspace.config;
    if let Some((provider, _)) = of_tables(config, &workspace.repository, &workspace.environment) {
        return Ok(vec![(PROVIDER, provider.to_string())]);
    }
    let target = |at| Target::of_provider(&at, workspace);
    if let Some(target) = target(Provider::Openrouter)
        && target.is_allowed()
        && keys::find(&target.site, &workspace.environment, Asking::Through(reporter))
            .is_ok_and(|key| key.is_some())
    {
        let question = format!(
            "there is a key for {}: may text of this repository be sent there, to be embedded by \
             `{}`?",
            target.host(),
            target.model
        );
        if target.is_agreed() || yes || reporter.confirm(&question)? {
            target.agree()?;
            return Ok(vec![(PROVIDER, Provider::Openrouter.to_string())]);
        }
    }
    if let Some(mut target) = target(Provider::Ollama)
        && target.is_agreed()
        && target.answers()
    {
        let model = target.model.clone();
        if target.settle(Asking::Through(reporter)).is_ok() {
            let mut pins = vec![
                (PROVIDER, Provider::Ollama.to_string()),
                (DIMENSION, target.dimension().to_string()),
            ];
            if target.model != model {
                pins.push((MODEL, target.model));
            }
            return Ok(pins);
        }
    }
    let most = most_for_minilm(
        config.knowledge.minilm_chunks,
        reporter.is_watched() && !workspace.environment.is_ci(),
    );
    // None is as many as one: a limit of 0 never takes it.
    let local = if report()?.chunks.max(1) <= most { Provider::Minilm } else { Provider::Builtin };
    Ok(vec![(PROVIDER, local.to_string())])
}

/// Up to so many chunks `minilm` is taken: as the settings say where a person sees how far it is,
/// few where nobody does.
fn most_for_minilm(setting: usize, is_watched: bool) -> usize {
    if is_watched { setting } else { setting.min(MOST_UNWATCHED) }
}

/// Writes settings into the repository's file, and opens it anew. Where it can't be written, they
/// hold for this run.
///
/// # Errors
/// When the file can't be edited, or a setting is unusable.
pub(crate) fn write_down(
    workspace: Workspace,
    pins: Pins,
    reporter: &dyn Reporter,
) -> Result<Workspace> {
    if pins.is_empty() {
        return Ok(workspace);
    }
    let Workspace { repository, environment, .. } = workspace;
    let before = config_text(&repository)?;
    if is_in_conflict(&repository, &before)
        || is_placeholder(&repository.root.join(REPOSITORY_FILE))
    {
        // Whoever settles the conflict decides, and nobody writes there while a command of an agent
        // runs; this run goes on with what was found out.
        return Workspace::again(repository, environment, as_flags(pins));
    }
    let mut text = before.clone();
    for (key, value) in &pins {
        if let Some(edited) = pin(&text, key, value).map_err(Error::new)? {
            text = edited;
        }
    }
    let mut flags = Vec::new();
    let is_obeyed = obeys_all(&repository, &environment, &before);
    match write_beneath(&repository.root, Path::new(REPOSITORY_FILE), text.as_bytes()) {
        // What this very run decided needs no other word of the user.
        Ok(()) if is_obeyed => trust(&repository.root, &environment, &text, reporter),
        Ok(()) => flags = as_flags(pins),
        Err(cause) => {
            // A read-only checkout: the index can still be built.
            reporter.note(format_args!("the model could not be written down: {}", cause.message()));
            flags = as_flags(pins);
        }
    }
    Workspace::again(repository, environment, flags)
}

fn as_flags(pins: Pins) -> Vec<(String, String)> {
    pins.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Whether nothing that the file says so far waits for the user's trust.
fn obeys_all(repository: &Repository, environment: &Environment, text: &str) -> bool {
    let file = ConfigFile { path: REPOSITORY_FILE.into(), text: text.to_owned() };
    let trusted =
        layers(repository, environment, Vec::new()).is_ok_and(|it| it.trusted == Trusted::Yes);
    trusted || Config::guarded(&file).is_ok_and(|guarded| guarded.is_empty())
}

/// The file holds what the user was just asked: trusting it again would be asking twice.
fn trust(root: &Path, environment: &Environment, text: &str, reporter: &dyn Reporter) {
    let file = ConfigFile { path: REPOSITORY_FILE.into(), text: text.to_owned() };
    if Config::guarded(&file).is_ok_and(|guarded| guarded.is_empty()) {
        return;
    }
    let entry = TrustEntry {
        digest: config::digest(text.as_bytes()),
        file: REPOSITORY_FILE.to_owned(),
        since: jiff::Timestamp::now().to_string(),
        root: std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()),
    };
    let trusted =
        TrustStore::open_for(root, environment.variables()).and_then(|store| store.record(entry));
    if let Err(cause) = trusted {
        reporter.note(format_args!("the settings could not be trusted: {cause}"));
    }
}

/// Whether the repository's file leaves it open who embeds. One that names a model, though not
/// trusted, stays as it is; outside git nobody shares anything.
fn may_pin(workspace: &Workspace) -> Result<bool> {
    if workspace.repository.git_dir.is_none() {
        return Ok(false);
    }
    // A choice by variable or flag is for this run.
    let chosen = workspace.config.origin(PROVIDER);
    if matches!(chosen, Some(Origin::Variable(_) | Origin::Flag)) {
        return Ok(false);
    }
    let text = config_text(&workspace.repository)?;
    if is_in_conflict(&workspace.repository, &text) {
        return Ok(false);
    }
    let auto = config::Value::Text(Provider::Auto.to_string());
    let said = value_in(&text, PROVIDER).map_err(Error::new)?;
    Ok(said.is_none_or(|said| said == auto))
}

fn config_text(repository: &Repository) -> Result<String> {
    let file = config::read_repository_file(&repository.root)?;
    if file.is_none() {
        // What is committed there decides, and nothing is known of it.
        repository.refuse_left_out(Path::new(REPOSITORY_FILE))?;
    }
    Ok(file.map_or_else(String::new, |file| file.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minilm_is_for_many_chunks_only_where_a_person_waits() {
        for (setting, is_watched, most) in
            [(20_000, true, 20_000), (20_000, false, 1_000), (300, true, 300), (300, false, 300)]
        {
            assert_eq!(most_for_minilm(setting, is_watched), most);
        }
    }
}
