//! Which models are used for what, and why others are not. Nobody is asked anything, and nothing is
//! sent; whether anything listens is tried on this machine alone.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Result,
    config::Provider,
    embedding::{
        embedders::{Named, local_models},
        remote::Remote,
    },
    environment::Environment,
    keys::{self, Asking},
    llm::LanguageModels,
    settings::Settings,
};
use elophanto_models::{
    Embedder, Pace,
    bert::Bert,
    builtin::Builtin,
    llm::{ModelRef, Task},
};
use elophanto_net::{address::is_loopback, http::listens};

/// Who listens on this machine takes a connection within this time.
const PROBE: Duration = Duration::from_millis(300);
const PROVIDER: &str = "knowledge.embedding_provider";

/// A model that makes vectors.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ListedEmbedder {
    /// As the settings name it.
    pub embedder: String,
    /// Who said so, where it is the one in use.
    pub origin: Option<String>,
    /// Whether it is the one that is asked.
    pub in_use: bool,
    /// Identifies its vectors, where that is known.
    pub fingerprint: Option<String>,
    /// Components of a vector, where that is known.
    pub dimension: Option<usize>,
    /// How long vectors take; `None` where that is not known.
    pub pace: Option<&'static str>,
    /// Whether it can be asked.
    pub ready: bool,
    /// Why it can be asked, or cannot.
    pub reason: String,
}

/// A kind of task, and the language models that it may go to.
#[derive(Debug, Clone)]
pub struct ListedTask {
    /// The kind of task.
    pub task: Task,
    /// In the order of the settings.
    pub models: Vec<ListedModel>,
    /// What is out of the ordinary with this kind of task.
    pub note: Option<String>,
}

/// A language model for a kind of task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedModel {
    /// The name of the kind.
    pub task: &'static str,
    /// `provider/model`.
    pub model: String,
    /// Whether it would be asked, and may answer.
    pub used: bool,
    /// Why it is used, or is not.
    pub reason: String,
}

/// The model that the settings name to make vectors, first, and others that this machine has.
pub fn embedders(settings: &Settings, environment: &Environment) -> Vec<ListedEmbedder> {
    let in_use = in_use(settings, environment);
    let named = in_use.embedder.clone();
    let mut listed = vec![in_use];
    let own: [(Provider, &dyn Embedder); 2] =
        [(Provider::Builtin, &Builtin), (Provider::Minilm, Bert::minilm())];
    for (provider, model) in own {
        let fingerprint = model.fingerprint().as_str();
        if listed.iter().all(|listed| listed.fingerprint.as_deref() != Some(fingerprint)) {
            listed.push(here(provider.to_string(), model));
        }
    }
    let others = local_models(environment).into_iter().filter(|model| *model != named);
    listed.extend(others.map(|embedder| ListedEmbedder {
        embedder,
        ready: true,
        reason: "this machine has it".to_owned(),
        ..ListedEmbedder::default()
    }));
    listed
}

/// The model that the settings name.
fn in_use(settings: &Settings, environment: &Environment) -> ListedEmbedder {
    let config = &settings.config;
    let provider = &config.knowledge.embedding_provider;
    let embedder = provider.to_string();
    let mut listed = match settings.model(environment) {
        Named::Here(model) => here(embedder, &*model),
        Named::Plain(reason) => ListedEmbedder { reason, ..here(embedder, &Builtin) },
        Named::There(remote) => {
            there(embedder, &remote, settings.repository.is_some(), environment)
        }
        Named::Missing(reason) => ListedEmbedder { embedder, reason, ..ListedEmbedder::default() },
    };
    if *provider == Provider::Auto {
        listed.reason = match listed.fingerprint.as_deref() == Some(Builtin.fingerprint().as_str())
        {
            true => "`elophanto index` decides; until then the built-in model",
            false => "`elophanto index` decides; until then the model of the committed vectors",
        }
        .to_owned();
    }
    let origin = config.origin(PROVIDER).map(ToString::to_string);
    ListedEmbedder { origin, in_use: true, ..listed }
}

fn here(embedder: String, model: &dyn Embedder) -> ListedEmbedder {
    ListedEmbedder {
        embedder,
        fingerprint: Some(model.fingerprint().to_string()),
        dimension: Some(model.dimension()),
        pace: Some(match model.pace() {
            Pace::Instant => "instant",
            Pace::Slow => "slow",
            Pace::Remote => "remote",
        }),
        ready: true,
        reason: "runs in this program".to_owned(),
        ..ListedEmbedder::default()
    }
}

fn there(
    embedder: String,
    remote: &Remote,
    in_repository: bool,
    environment: &Environment,
) -> ListedEmbedder {
    let target = &remote.target;
    let place = match target.is_local() {
        true => format!("on this machine at {}", target.host()),
        false => format!("at {}", target.host()),
    };
    let agreed = target.is_agreed() || !in_repository;
    let (ready, reason) = match keys::find(&target.site, environment, Asking::Never) {
        Err(cause) => (false, format!("{place}: {cause}")),
        Ok(_) if !agreed => (
            false,
            format!("{place}: nobody has agreed to send text there; `elophanto index` asks"),
        ),
        Ok(_) if target.is_local() && !listens(&target.site.base_url, PROBE) => {
            (false, format!("{place}: nothing listens there"))
        }
        Ok(Some(_)) => (true, format!("{place}, with a key")),
        Ok(None) => (true, format!("{place}, without a key")),
    };
    ListedEmbedder { ready, reason, ..here(embedder, remote) }
}

/// The language models for each kind of task.
///
/// # Errors
/// When a budget can't be understood.
pub fn language_models(settings: &Settings, environment: &Environment) -> Result<Vec<ListedTask>> {
    let models =
        LanguageModels::open(&settings.config, environment, &Task::ALL, "model", Asking::Never)?;
    let providers = settings.config.llm.providers.iter();
    let silent = providers
        .filter(|(_, site)| is_loopback(&site.base_url) && !listens(&site.base_url, PROBE));
    let silent = silent.map(|(name, site)| (name.as_str(), site.base_url.authority())).collect();
    Ok(Task::ALL.into_iter().map(|task| of_task(&models, task, &silent)).collect())
}

/// `silent` are the providers on this machine that nobody would reach, with where they should be.
fn of_task(models: &LanguageModels<'_>, task: Task, silent: &BTreeMap<&str, &str>) -> ListedTask {
    let plan = models.plan(task);
    let is_there = |model: &&ModelRef| !silent.contains_key(model.provider());
    let first = plan.candidates.iter().find(is_there);
    let named = models.models(task);
    // A review may borrow a model that the settings name for other work.
    let borrowed = plan.candidates.iter().filter(|model| !named.contains(model));
    let models = named.iter().chain(borrowed).map(|model| ListedModel {
        task: task.name(),
        model: model.to_string(),
        used: is_there(&model) && plan.candidates.contains(model),
        reason: match (
            plan.rejected.iter().find(|(rejected, _)| rejected == model),
            silent.get(model.provider()),
        ) {
            (Some((_, why)), _) => models.reason(model, why),
            (None, Some(place)) => format!("not reachable: nothing listens at {place}"),
            (None, None) if first == Some(model) => "asked first".to_owned(),
            (None, None) => "asked if those before it fail".to_owned(),
        },
    });
    ListedTask { task, models: models.collect(), note: plan.note.as_ref().map(ToString::to_string) }
}
