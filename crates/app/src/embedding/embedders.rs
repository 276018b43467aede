//! From settings to an embedder, and what `auto` comes to.

use std::path::{Path, PathBuf};

use super::{
    own_words,
    remote::{Remote, Target},
};
use crate::{
    config::{Config, Origin, Provider},
    environment::Environment,
    workspace::Workspace,
};
use elophanto_index::vectors_held;
use elophanto_models::{
    Embedder, Fingerprint,
    bert::Bert,
    builtin::{Builtin, Tuned},
    remote::parse,
};
use elophanto_repo::Repository;
use elophanto_tables::Lance;

const PROVIDER: &str = "knowledge.embedding_provider";

/// The model that the settings name.
pub enum Named {
    /// It runs in this process.
    Here(Box<dyn Embedder>),
    /// It is asked at an address.
    There(Box<Remote>),
    /// The built-in one without the repository's table of words, and why.
    Plain(String),
    /// This machine does not have it, and why.
    Missing(String),
}

impl Named {
    /// Asks nobody. As long as nothing is decided (`auto`), it is the model that the committed
    /// tables are of, else the built-in one: only `init` and `index` decide.
    pub fn new(config: &Config, repository: &Repository, environment: &Environment) -> Self {
        let root = &repository.root;
        let provider = &config.knowledge.embedding_provider;
        match provider {
            Provider::Auto => match of_tables(config, repository, environment) {
                Some((provider, model)) if provider != Provider::Builtin => Self::Here(model),
                _ => Self::builtin(root),
            },
            Provider::Builtin => Self::builtin(root),
            Provider::Minilm => Self::Here(Box::new(Bert::minilm())),
            Provider::Local(name) => match local(name, environment) {
                Ok(model) => Self::Here(Box::new(model)),
                Err(reason) => Self::Missing(reason),
            },
            Provider::Openrouter | Provider::Openai | Provider::Ollama => {
                let target = Target::at(provider, config, root.clone(), environment);
                if target.as_ref().is_some_and(|target| !target.is_allowed()) {
                    return Self::Missing(format!(
                        "`llm.local_only` forbids `{provider}`, which is on another machine"
                    ));
                }
                match target.map(Remote::new) {
                    Some(Ok(remote)) => Self::There(Box::new(remote)),
                    Some(Err(reason)) => Self::Missing(reason),
                    None => Self::Missing(format!("nothing is said of where `{provider}` is")),
                }
            }
        }
    }

    /// With the repository's own words, if there is a table of them.
    fn builtin(root: &Path) -> Self {
        match own_words::builtin(root) {
            (_, Some(reason)) => Self::Plain(reason),
            (model, None) => Self::Here(model),
        }
    }

    /// It, if this machine has it.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        match self {
            Self::Here(embedder) => Some(&**embedder),
            Self::There(remote) => Some(&**remote),
            Self::Plain(_) => Some(&Builtin),
            Self::Missing(_) => None,
        }
    }
}

/// Folder of the models that the user added.
pub(crate) fn model_folder(environment: &Environment) -> Option<PathBuf> {
    Some(environment.data_folder()?.join("models"))
}

/// The models that the user added, as the settings name them.
pub fn local_models(environment: &Environment) -> Vec<String> {
    let Some(folder) = model_folder(environment) else { return Vec::new() };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let name = format!("{}{}", Provider::LOCAL, name.strip_suffix(".bin")?);
            // What the settings could not name is none.
            matches!(name.parse(), Ok(Provider::Local(_))).then_some(name)
        })
        .collect();
    names.sort_unstable();
    names
}

/// A model that the user added.
///
/// # Errors
/// Why this machine does not have it.
pub fn local(name: &str, environment: &Environment) -> Result<Bert, String> {
    let absent =
        || format!("this machine does not have the model `{name}` (`elophanto model add`)");
    let path = model_folder(environment).ok_or_else(absent)?.join(format!("{name}.bin"));
    if !path.exists() {
        return Err(absent());
    }
    Bert::open(&path).map_err(|cause| cause.to_string())
}

/// The model of which the committed tables hold most vectors, if it runs here. Where the
/// repository's file leaves it open on purpose, the tables say nothing.
pub(crate) fn of_tables(
    config: &Config,
    repository: &Repository,
    environment: &Environment,
) -> Option<(Provider, Box<dyn Embedder>)> {
    if matches!(config.origin(PROVIDER), Some(Origin::Repository { .. })) {
        return None;
    }
    let held = vectors_held(&Lance, repository);
    let (fingerprint, _) = held.iter().max_by_key(|(_, vectors)| *vectors)?;
    if Tuned::is_of(fingerprint) {
        return Some((Provider::Builtin, own_words::builtin(&repository.root).0));
    }
    here(fingerprint, environment)
}

/// The model of that fingerprint, if it runs here.
fn here(
    fingerprint: &Fingerprint,
    environment: &Environment,
) -> Option<(Provider, Box<dyn Embedder>)> {
    if Builtin.fingerprint() == fingerprint {
        return Some((Provider::Builtin, Box::new(Builtin)));
    }
    let minilm = Bert::minilm();
    if minilm.fingerprint() == fingerprint {
        return Some((Provider::Minilm, Box::new(minilm)));
    }
    local_models(environment).iter().find_map(|name| {
        let name = name.strip_prefix(Provider::LOCAL)?;
        let model =
            local(name, environment).ok().filter(|model| model.fingerprint() == fingerprint)?;
        Some((Provider::Local(name.to_owned()), Box::new(model) as Box<dyn Embedder>))
    })
}

/// The embedder of that fingerprint, if this machine has it and it costs nobody anything.
pub fn by_name(fingerprint: &Fingerprint, workspace: &Workspace) -> Option<Box<dyn Embedder>> {
    if let Some((_, model)) = here(fingerprint, &workspace.environment) {
        return Some(model);
    }
    if Tuned::is_of(fingerprint) {
        let (model, _) = own_words::builtin(&workspace.repository.root);
        return (model.fingerprint() == fingerprint).then_some(model);
    }
    // The settings may name another model by now, at the same server.
    let (model, dimension) = parse(fingerprint)?;
    let remote = [Provider::Openrouter, Provider::Openai, Provider::Ollama].iter().find_map(|at| {
        let target = Target::of_provider(at, workspace)?;
        let remote = Remote::new(target.with(&model, dimension)).ok()?;
        (remote.fingerprint() == fingerprint && remote.target.is_agreed()).then_some(remote)
    });
    remote.map(|remote| Box::new(remote) as Box<dyn Embedder>)
}
