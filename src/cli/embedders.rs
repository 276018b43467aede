//! From settings to an embedder, and what `auto` comes to.

use std::path::{Path, PathBuf};

use super::{
    env,
    model_list::local_models,
    remote::{Remote, Target},
    workspace::Workspace,
};
use crate::{
    config::{Config, Provider},
    embed::{Embedder, Fingerprint, bert::Bert, builtin::Builtin, remote::parse},
};

/// The model that the settings name.
pub enum Named {
    /// It runs in this process.
    Here(Box<dyn Embedder>),
    /// It is asked at an address.
    There(Box<Remote>),
    /// This machine does not have it, and why.
    Missing(String),
}

impl Named {
    /// Asks nobody. As long as nothing is decided (`auto`), it is the built-in model: only `init`
    /// and `index` decide.
    pub fn new(config: &Config, root: &Path) -> Self {
        let provider = &config.knowledge.embedding_provider;
        match provider {
            Provider::Auto | Provider::Builtin => Self::Here(Box::new(Builtin)),
            Provider::Minilm => Self::Here(Box::new(Bert::minilm())),
            Provider::Local(name) => match local(name) {
                Ok(model) => Self::Here(Box::new(model)),
                Err(reason) => Self::Missing(reason),
            },
            Provider::Openrouter | Provider::Openai | Provider::Ollama => {
                let target = Target::of(config, root.to_owned());
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

    /// It, if this machine has it.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        match self {
            Self::Here(embedder) => Some(&**embedder),
            Self::There(remote) => Some(&**remote),
            Self::Missing(_) => None,
        }
    }
}

/// Folder of the models that the user added.
pub fn model_folder() -> Option<PathBuf> {
    Some(env::data_folder(&env::variables())?.join("models"))
}

/// A model that the user added.
///
/// # Errors
/// Why this machine does not have it.
pub fn local(name: &str) -> Result<Bert, String> {
    let absent =
        || format!("this machine does not have the model `{name}` (`elophanto model add`)");
    let path = model_folder().ok_or_else(absent)?.join(format!("{name}.bin"));
    if !path.exists() {
        return Err(absent());
    }
    Bert::open(&path).map_err(|cause| cause.to_string())
}

/// The embedder of that fingerprint, if this machine has it and it costs nobody anything.
pub fn by_name(fingerprint: &Fingerprint, workspace: &Workspace) -> Option<Box<dyn Embedder>> {
    let minilm = Bert::minilm();
    if minilm.fingerprint() == fingerprint {
        return Some(Box::new(minilm));
    }
    let names = local_models();
    let mut added = names.iter().filter_map(|name| local(name.strip_prefix(Provider::LOCAL)?).ok());
    if let Some(model) = added.find(|model| model.fingerprint() == fingerprint) {
        return Some(Box::new(model));
    }
    // The settings may name another model by now, at the same server.
    let (model, dimension) = parse(fingerprint)?;
    let remote = [Provider::Openrouter, Provider::Openai, Provider::Ollama].iter().find_map(|at| {
        let target = Target::at(at, &workspace.config, workspace.repository.root.clone())?;
        let remote = Remote::new(target.with(&model, dimension)).ok()?;
        (remote.fingerprint() == fingerprint && remote.target.is_agreed()).then_some(remote)
    });
    remote.map(|remote| Box::new(remote) as Box<dyn Embedder>)
}
