//! A model behind an address, asked only when it has to be and only if the user agreed.

use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use ulid::Ulid;

use crate::{
    Result,
    config::{Agreements, Config, KnowledgeConfig, Protocol, Provider, ProviderConfig},
    environment::Environment,
    keys::{self, Asking},
    llm::{ledger_in, may_send},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_models::{
    EmbedError, Embedded, Embedder, Fingerprint, Pace, Role,
    llm::Call,
    remote::{self, Limits, Ollama, OpenAi, RemoteError, Size, Usage, known},
};
use elophanto_net::{
    address::is_loopback,
    http::{Client, Patience},
};

/// How long an Ollama may take to say that it is there.
const PROBE: Duration = Duration::from_millis(300);

/// Which model is meant, before anybody is asked.
#[derive(Debug, Clone)]
pub struct Target {
    /// Name of the provider in the settings.
    pub provider: String,
    /// Where it is asked, and with which key.
    pub site: ProviderConfig,
    /// As that provider calls it.
    pub model: String,
    /// What Ollama is asked for where it does not have the model.
    fallback: Option<String>,
    /// Components of a vector as the settings say; 0 is whatever the model gives.
    dimension: usize,
    /// Whether only models on this machine may be asked.
    local_only: bool,
    root: PathBuf,
    environment: Environment,
}

/// What takes texts to the model.
trait Service: Embedder {
    fn usage(&self) -> Usage;
}

impl Service for OpenAi {
    fn usage(&self) -> Usage {
        Self::usage(self)
    }
}

impl Service for Ollama {
    fn usage(&self) -> Usage {
        Self::usage(self)
    }
}

/// An embedder that connects when it is first asked for a vector.
pub struct Remote {
    /// Whom it connects to.
    pub target: Target,
    fingerprint: Fingerprint,
    dimension: usize,
    service: OnceLock<Result<Box<dyn Service>, String>>,
    /// What of its usage was taken before.
    taken: Mutex<Usage>,
}

impl Target {
    /// The remote model that the settings of a workspace have for a provider.
    pub(crate) fn of_provider(provider: &Provider, workspace: &Workspace) -> Option<Self> {
        let root = workspace.repository.root.clone();
        Self::at(provider, &workspace.config, root, &workspace.environment)
    }

    /// The same by settings alone; `None` if the model runs here.
    pub fn at(
        provider: &Provider,
        config: &Config,
        root: PathBuf,
        environment: &Environment,
    ) -> Option<Self> {
        let KnowledgeConfig {
            embedding_model,
            embedding_openrouter_model,
            embedding_fallback,
            embedding_dimension,
            ..
        } = &config.knowledge;
        let (model, fallback) = match provider {
            Provider::Openrouter => (embedding_openrouter_model, None),
            Provider::Openai => (embedding_model, None),
            Provider::Ollama => (embedding_model, Some(embedding_fallback.clone())),
            Provider::Auto | Provider::Builtin | Provider::Minilm | Provider::Local(_) => {
                return None;
            }
        };
        let provider = provider.to_string();
        let site = config.llm.providers.get(&provider)?.clone();
        let (model, dimension) = (model.clone(), *embedding_dimension);
        let local_only = config.llm.local_only;
        let environment = environment.clone();
        Some(Self { provider, site, model, fallback, dimension, local_only, root, environment })
    }

    /// Another model at the same place.
    pub fn with(self, model: &str, dimension: usize) -> Self {
        Self { model: model.to_owned(), fallback: None, dimension, ..self }
    }

    /// The machine that the texts are sent to.
    pub fn host(&self) -> String {
        let url = &self.site.base_url;
        let host = url.host_str().unwrap_or_default();
        url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether the texts stay on this machine.
    pub(crate) fn is_local(&self) -> bool {
        is_loopback(&self.site.base_url)
    }

    /// Whether the settings let anybody ask it, agreed or not.
    pub(crate) fn is_allowed(&self) -> bool {
        self.is_local() || !self.local_only
    }

    /// Whether the user has said that this repository's text may be sent there.
    pub fn is_agreed(&self) -> bool {
        let agreed = || may_send(&self.root, &self.host(), &self.model, &self.environment);
        self.is_local() || (self.is_allowed() && agreed())
    }

    /// Remembers that text of the repository may be sent there.
    ///
    /// # Errors
    /// When that cannot be written down: then nothing is sent.
    pub fn agree(&self) -> Result<()> {
        let agreements = Agreements::open_for(&self.root, self.environment.variables())?;
        let now = jiff::Timestamp::now().to_string();
        agreements.agree(&self.root, &self.host(), &self.model, &now)?;
        Ok(())
    }

    /// US dollars for so many tokens, where the price is known.
    pub fn price(&self, tokens: usize) -> Option<f64> {
        if self.is_local() {
            return Some(0.0);
        }
        Some(known(&self.model)?.price? * tokens as f64 / 1e6)
    }

    /// Whether an Ollama answers there at once.
    pub fn answers(&self) -> bool {
        elophanto_net::http::probe(&self.site.base_url, PROBE)
    }

    /// The model that is there, and the length of its vectors, both to be written down.
    ///
    /// # Errors
    /// When it can't be asked, or does not give vectors.
    pub fn settle(&mut self, asking: Asking) -> Result<(), String> {
        let told = |cause: RemoteError| cause.to_string();
        if self.site.protocol == Protocol::Ollama {
            let client = self.client(asking)?;
            let fallback = self.fallback.take();
            self.model =
                remote::resolve(&client, &self.model, fallback.as_deref()).map_err(told)?;
        }
        if self.size() == Size::Native {
            self.dimension = self.connect(Size::Native, asking)?.dimension();
        }
        Ok(())
    }

    /// The length of its vectors if it is not what the settings say, as it may be when they name
    /// another model than before; asks the model.
    pub(crate) fn other_dimension(&self, asking: Asking) -> Option<usize> {
        let mut fresh = self.clone().with(&self.model, 0);
        if fresh.size() != Size::Native {
            return None;
        }
        fresh.settle(asking).ok()?;
        Some(fresh.dimension).filter(|dimension| *dimension != self.dimension)
    }

    /// The length of its vectors as far as it is known; 0 is unknown.
    pub fn dimension(&self) -> usize {
        match self.size() {
            Size::Native => 0,
            Size::Stored(dimension) | Size::Shortened(dimension) => dimension,
        }
    }

    /// What to ask for. Only a model that is known to give more is asked for fewer components:
    /// for any other the setting says what it gives.
    fn size(&self) -> Size {
        let native = match self.site.protocol {
            // What Ollama serves under a name may be anything.
            Protocol::Ollama => None,
            Protocol::Openai | Protocol::Anthropic => known(&self.model),
        };
        match (self.dimension, native.map(|model| model.dimension)) {
            (0, None) => Size::Native,
            (0, Some(native)) => Size::Stored(native),
            (wanted, Some(native)) if wanted < native => Size::Shortened(wanted),
            (wanted, _) => Size::Stored(wanted),
        }
    }

    fn client(&self, asking: Asking) -> Result<Client, String> {
        let key = keys::find(&self.site, &self.environment, asking)?;
        let endpoint = keys::endpoint(&self.site, key);
        Client::new(endpoint, Patience::default()).map_err(|cause| cause.to_string())
    }

    fn connect(&self, size: Size, asking: Asking) -> Result<Box<dyn Service>, String> {
        let (model, limits) = (self.model.as_str(), Limits::default());
        let told = |cause: RemoteError| cause.to_string();
        let client = self.client(asking)?;
        let word = match self.provider.as_str() {
            "openrouter" => remote::Provider::OpenRouter,
            _ => remote::Provider::OpenAi,
        };
        Ok(match self.site.protocol {
            Protocol::Ollama => Box::new(Ollama::new(client, model, size, limits).map_err(told)?),
            Protocol::Openai => {
                Box::new(OpenAi::new(client, word, model, size, limits).map_err(told)?)
            }
            Protocol::Anthropic => return Err("Anthropic's protocol has no embeddings".to_owned()),
        })
    }
}

impl Remote {
    /// Asks nobody.
    ///
    /// # Errors
    /// When the length of its vectors is not known: `index` finds it out.
    pub fn new(target: Target) -> Result<Self, String> {
        let dimension = target.dimension();
        if dimension == 0 {
            let (provider, model) = (&target.provider, &target.model);
            return Err(format!(
                "nobody has asked `{provider}` yet how long the vectors of `{model}` are"
            ));
        }
        let word = match target.site.protocol {
            Protocol::Ollama => "ollama",
            Protocol::Openai | Protocol::Anthropic if target.provider == "openrouter" => {
                "openrouter"
            }
            Protocol::Openai | Protocol::Anthropic => "openai",
        };
        let fingerprint = remote::fingerprint(word, &target.model, dimension);
        let (service, taken) = (OnceLock::new(), Mutex::default());
        Ok(Self { target, fingerprint, dimension, service, taken })
    }

    /// What was asked since this was called last, if anything was.
    pub(crate) fn take_usage(&self) -> Option<Usage> {
        let all = self.service.get()?.as_ref().ok()?.usage();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *taken, all);
        let new = Usage {
            calls: all.calls.saturating_sub(before.calls),
            attempts: all.attempts.saturating_sub(before.attempts),
            tokens: all.tokens.saturating_sub(before.tokens),
            cut: all.cut.saturating_sub(before.cut),
        };
        (new != Usage::default()).then_some(new)
    }

    /// Records what embedding has cost since the last time. That it can't be recorded is a note.
    pub(crate) fn record_usage(&self, command: &str, reporter: &dyn Reporter) {
        let Some(usage) = self.take_usage() else { return };
        // A server that does not count tokens leaves the price open.
        let tokens = usize::try_from(usage.tokens).unwrap_or(usize::MAX);
        let price = self.target.price(tokens).filter(|_| tokens > 0 || self.target.is_local());
        let call = Call {
            id: Ulid::new(),
            time: Timestamp::now(),
            command: command.to_owned(),
            task: "embedding".to_owned(),
            provider: self.target.provider.clone(),
            model: self.target.model.clone(),
            input: usage.tokens,
            output: 0,
            usd_micros: price.map(|usd| (usd * 1e6).ceil() as u64),
            ms: 0,
            attempts: usage.attempts,
            calls: usage.calls,
            outcome: "ok".to_owned(),
        };
        let state = self.target.environment.state_folder();
        match state.map(|folder| ledger_in(&folder).append(&call)) {
            Some(Ok(())) => {}
            Some(Err(cause)) => {
                reporter.note(format_args!("what was asked is not recorded: {cause}"))
            }
            None => reporter.note("what was asked is not recorded: there is no folder for it"),
        }
    }

    /// Finds the key, asking for the passphrase of the vault if need be. Without this, nobody is
    /// asked. That it fails is told by whoever then wants a vector.
    pub fn unlock(&self, reporter: &dyn Reporter) {
        let _ = self.service(Asking::Through(reporter));
    }

    /// Embeds texts of this program's own. Nobody needs to have agreed to that: nothing of a
    /// repository is in them.
    pub(crate) fn try_out(&self, texts: &[&str], reporter: &dyn Reporter) -> Embedded {
        self.embed_by(self.connected(Asking::Through(reporter)), texts, Role::Document)
    }

    /// The service, if text of the repository may be sent to it.
    fn service(&self, asking: Asking) -> Result<&dyn Service, EmbedError> {
        if !self.target.is_agreed() {
            let host = self.target.host();
            let cause =
                format!("nobody has agreed yet that text of this repository is sent to {host}");
            return Err(EmbedError::new(&self.fingerprint, cause));
        }
        self.connected(asking)
    }

    fn connected(&self, asking: Asking) -> Result<&dyn Service, EmbedError> {
        let connect = || self.target.connect(self.target.size(), asking);
        match self.service.get_or_init(connect) {
            Ok(service) => Ok(&**service),
            Err(cause) => Err(EmbedError::new(&self.fingerprint, cause.clone())),
        }
    }

    fn embed_by(
        &self,
        service: Result<&dyn Service, EmbedError>,
        texts: &[&str],
        role: Role,
    ) -> Embedded {
        match service {
            Ok(service) => service.embed(texts, role),
            Err(failure) => Embedded { vectors: vec![None; texts.len()], failure: Some(failure) },
        }
    }
}

impl Embedder for Remote {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    /// Remote even on this machine: it is another program, and may be anything.
    fn pace(&self) -> Pace {
        Pace::Remote
    }

    fn embed(&self, texts: &[&str], role: Role) -> Embedded {
        self.embed_by(self.service(Asking::Never), texts, role)
    }
}
