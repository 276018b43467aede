//! From settings to language models that can be asked, and why others can't.

pub mod asker;
pub mod failure;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::{
    Error, Result,
    config::{Agreements, Config, Images, LlmConfig, Protocol, ProviderConfig},
    environment::Environment,
    keys::{self, Asking},
    reporter::Reporter,
};
use elophanto_models::llm::{
    self, Answer, Budget, Cost, HealthFile, Kind, Ledger, Limits, LlmError, Member, Message,
    ModelRef, Plan, Prices, Request, Router, RunError, Running, Settings, Sink, Task, Why,
    patience,
};
use elophanto_net::{address::is_loopback, http::Patience};

/// Name of the folder, below the one of the state, that holds the ledger.
const LEDGER: &str = "usage";
/// Name of the file, beside that, which says which providers fail.
const HEALTH: &str = "health.json";

/// A router and what it was made from.
pub struct LanguageModels<'a> {
    router: Router,
    config: &'a LlmConfig,
    routes: BTreeMap<Task, Vec<ModelRef>>,
    /// Why providers that the settings name for some work can't be asked.
    missing: BTreeMap<String, Missing>,
}

/// Why a provider can't be asked.
#[derive(Debug, Clone)]
pub enum Missing {
    /// The settings don't say where it is.
    Unknown,
    /// There is no key, or the vault does not open.
    Key(String),
    /// Its address can't be used.
    Address(String),
}

/// Why no model gave an answer.
pub struct Failure {
    /// What the user is told.
    pub error: Error,
    /// Each model that the settings name, and what came of it.
    pub tried: Vec<(ModelRef, String)>,
    /// Whether the budget, and no model, stood in the way.
    pub over_budget: bool,
    /// Whether the servers are there, but none has the model.
    pub no_such_model: bool,
    /// What the last one that was asked said.
    pub last: Option<Box<LlmError>>,
    /// What those cost that were asked.
    pub lost: Vec<Cost>,
}

impl<'a> LanguageModels<'a> {
    /// Looks for the keys of those providers only that these kinds of work may go to.
    ///
    /// # Errors
    /// When a budget or a price can't be understood.
    pub fn open(
        config: &'a Config,
        environment: &Environment,
        tasks: &[Task],
        command: &str,
        asking: Asking,
    ) -> Result<Self> {
        let insists = config.is_chosen;
        let config = &config.llm;
        let routes = routes(config);
        let (mut members, mut missing) = (BTreeMap::new(), BTreeMap::new());
        for name in wanted(&routes, tasks) {
            match member(config, environment, name, asking) {
                Ok(member) => drop(members.insert(name.to_owned(), member)),
                Err(reason) => drop(missing.insert(name.to_owned(), reason)),
            }
        }
        let state = environment.state_folder();
        let mut all = elophanto_models::llm::Routes::none();
        for (task, models) in &routes {
            all.set(*task, models.clone());
        }
        let running = Running {
            routes: all,
            prices: prices(config)?,
            budget: budget(config)?,
            local_only: config.local_only,
            insists,
            images: match config.images {
                Images::Auto => llm::Images::Known,
                Images::Always => llm::Images::All,
                Images::Never => llm::Images::None,
            },
            command: command.to_owned(),
            ledger: state.as_deref().map(ledger_in),
            health: state.map(|folder| HealthFile::new(folder.join(HEALTH))),
            ..Running::default()
        };
        Ok(Self { router: Router::new(members, running), config, routes, missing })
    }

    /// Models that the settings name for a kind of work, best first.
    pub fn models(&self, task: Task) -> &[ModelRef] {
        self.routes.get(&task).map(Vec::as_slice).unwrap_or_default()
    }

    /// Which models a kind of work would go to now.
    pub fn plan(&self, task: Task) -> Plan {
        self.router.plan(task)
    }

    /// Whether a model is shown pictures.
    pub(crate) fn shows_images(&self, model: &ModelRef) -> bool {
        self.router.shows_images(model)
    }

    /// Tokens that the budget still allows. `None`: they are not limited.
    pub(crate) fn tokens_left(&self) -> Option<u64> {
        self.router.tokens_left()
    }

    /// Says which models are not asked as money is limited and their price is not known.
    ///
    /// # Errors
    /// When no model is left for a kind of work.
    pub(crate) fn hold_to_money(&self, task: Task, reporter: &dyn Reporter) -> Result<()> {
        let unpriced = self.router.unpriced(task);
        let others = self.plan(task).candidates.len() - unpriced.len();
        let Some(first) = unpriced.first() else { return Ok(()) };
        let said = format!("the price of `{first}` is not known, so no limit of money can hold it");
        let set = failure::set_a_price(first);
        if others == 0 {
            return Err(Error::new(said).hint(set));
        }
        reporter.note(format_args!("{said}, and it is not asked: {set}"));
        Ok(())
    }

    /// The same with only these models for a kind of work.
    pub fn only(mut self, task: Task, keep: &dyn Fn(&ModelRef) -> bool) -> Self {
        let models: Vec<ModelRef> =
            self.models(task).iter().filter(|model| keep(model)).cloned().collect();
        self.router.restrict(task, models.clone());
        self.routes.insert(task, models);
        self
    }

    /// A request within the caps of the settings.
    pub fn request(&self, messages: Vec<Message>) -> Request {
        let capped = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        Request {
            messages,
            max_tokens: capped(self.config.max_tokens),
            context_tokens: Some(capped(self.config.context_tokens)),
            ..Request::default()
        }
    }

    /// Asks the models for this kind of work in turn. What is out of the ordinary becomes a note.
    ///
    /// # Errors
    /// When none answers, with what came of each.
    pub fn ask(
        &self,
        task: Task,
        request: &Request,
        sink: Option<Sink<'_>>,
        reporter: &dyn Reporter,
    ) -> Result<Answer, Box<Failure>> {
        let before = self.plan(task).rejected;
        let answer = self
            .router
            .run(task, request, sink)
            .map_err(|cause| Box::new(self.failure(task, before, cause)))?;
        for (model, cause) in &answer.failed {
            reporter.note(format_args!("`{model}` gave no answer: {cause}"));
        }
        if let Some(note) = &answer.note {
            reporter.note(note);
        }
        if let Some(over) = &answer.overdrawn {
            reporter.warn(format_args!("more was spent than estimated: {over}"));
        }
        for cause in &answer.unrecorded {
            reporter.note(cause);
        }
        Ok(answer)
    }

    /// Why a model is not asked, with the reason why its provider is not set up.
    pub fn reason(&self, model: &ModelRef, why: &Why) -> String {
        match (why, self.missing.get(model.provider())) {
            (Why::NotSetUp, Some(missing)) => format!("not set up: {}", missing.text()),
            (why, _) => why.to_string(),
        }
    }

    /// The settings of a model's provider.
    pub fn site(&self, model: &ModelRef) -> Option<&ProviderConfig> {
        self.config.providers.get(model.provider())
    }

    /// Why a provider can't be asked, if it can't.
    pub fn missing(&self, model: &ModelRef) -> Option<&Missing> {
        self.missing.get(model.provider())
    }

    fn failure(&self, task: Task, before: Vec<(ModelRef, Why)>, cause: RunError) -> Failure {
        let mut tried = Vec::new();
        let mut hints = Vec::new();
        for (model, why) in &before {
            tried.push((model.clone(), self.reason(model, why)));
            hints.extend(failure::hint_for_why(self, model, why));
        }
        let stopped = |error: Error, tried| {
            let (last, lost) = (None, Vec::new());
            Failure { error, tried, over_budget: true, no_such_model: false, last, lost }
        };
        let (mut failed, lost) = match cause {
            RunError::Failed { failed, lost, .. } => (failed, lost),
            RunError::NoModel { .. } => (Vec::new(), Vec::new()),
            RunError::OverBudget(over) => {
                return stopped(Error::new(&over).hint(failure::raise(&over)), tried);
            }
            RunError::Ledger(cause) => return stopped(cause.into(), tried),
        };
        for (model, cause) in &failed {
            tried.push((model.clone(), cause.to_string()));
            hints.extend(failure::hint_for_error(self, model, cause));
        }
        // In the order of the settings.
        let place = |model: &ModelRef| self.models(task).iter().position(|it| it == model);
        tried.sort_by_key(|(model, _)| place(model));
        let missing = |cause: &LlmError| matches!(cause, LlmError::ModelMissing { .. });
        let no_such_model = !failed.is_empty() && failed.iter().all(|(_, cause)| missing(cause));
        let error = failure::gather(&tried, hints);
        let last = failed.pop().map(|(_, cause)| Box::new(cause));
        Failure { error, tried, over_budget: false, no_such_model, last, lost }
    }
}

impl Missing {
    /// What there is to say about it.
    pub fn text(&self) -> &str {
        match self {
            Self::Unknown => "the settings don't say where this provider is",
            Self::Key(reason) | Self::Address(reason) => reason,
        }
    }
}

/// Whether the user has agreed that text of this repository is sent to this model on this machine.
/// Agreements are kept for each repository, machine and model.
///
/// Who is about to send text that comes from a repository, and that the user did not hand over by
/// the very command that runs, has to ask here first; and if nobody agreed, to ask the user, or to
/// leave it. What stays on this machine needs no agreement, nor does a text of our own.
pub(crate) fn may_send(root: &Path, host: &str, model: &str, environment: &Environment) -> bool {
    Agreements::open_for(root, environment.variables())
        .is_ok_and(|agreements| agreements.agreed(root, host, model))
}

/// Where calls are recorded, below the folder of the state.
pub(crate) fn ledger_in(state: &Path) -> Ledger {
    Ledger::new(state.join(LEDGER))
}

/// What the settings allow to be spent.
///
/// # Errors
/// When a limit can't be understood.
pub fn budget(config: &LlmConfig) -> Result<Budget> {
    Ok(Budget {
        run: limits("run", &config.budget.run)?,
        day: limits("day", &config.budget.day)?,
        month: limits("month", &config.budget.month)?,
    })
}

/// What models cost by the table and the settings.
fn prices(config: &LlmConfig) -> Result<Prices> {
    let Some(text) = &config.prices else { return Ok(Prices::default()) };
    Prices::read(text).map_err(|cause| Error::new(format_args!("llm.prices: {cause}")))
}

fn limits(span: &str, text: &str) -> Result<Limits> {
    if text == "none" {
        return Ok(Limits::default());
    }
    text.parse().map_err(|cause| {
        Error::new(format_args!("llm.budget.{span}: {cause}"))
            .hint("write it like `0.50usd,20000tok,30calls`, or `none`")
    })
}

fn routes(config: &LlmConfig) -> BTreeMap<Task, Vec<ModelRef>> {
    Task::ALL.into_iter().map(|task| (task, models_for(config, task))).collect()
}

/// Models that the settings name for a kind of work, best first.
pub(crate) fn models_for(config: &LlmConfig, task: Task) -> Vec<ModelRef> {
    let named = match task {
        Task::Planning => &config.tasks.planning,
        Task::Coding => &config.tasks.coding,
        Task::Analysis => &config.tasks.analysis,
        Task::Simple => &config.tasks.simple,
        Task::Review => &config.tasks.review,
        Task::Extraction => &config.tasks.extraction,
        Task::Summary => &config.tasks.summary,
    };
    // The settings have checked the form of each.
    named.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Providers that these kinds of work may go to.
fn wanted<'a>(routes: &'a BTreeMap<Task, Vec<ModelRef>>, tasks: &[Task]) -> BTreeSet<&'a str> {
    // A review goes to another model than the one that codes, be it one of other work.
    let all = tasks.contains(&Task::Review);
    let routes = routes.iter().filter(|(task, _)| all || tasks.contains(task));
    routes.flat_map(|(_, models)| models).map(ModelRef::provider).collect()
}

fn member(
    config: &LlmConfig,
    environment: &Environment,
    name: &str,
    asking: Asking,
) -> Result<Member, Missing> {
    let site = config.providers.get(name).ok_or(Missing::Unknown)?;
    let allowed = !config.local_only || is_loopback(&site.base_url);
    // What is never asked needs no key. The router knows that it is not here.
    let key =
        if allowed { keys::find(site, environment, asking).map_err(Missing::Key)? } else { None };
    let settings = Settings {
        kind: match site.protocol {
            Protocol::Openai => Kind::OpenAi,
            Protocol::Anthropic => Kind::Anthropic,
            Protocol::Ollama => Kind::Ollama,
        },
        base_url: site.base_url.clone(),
        key,
        patience: within(config),
    };
    Member::new(settings).map_err(|cause| Missing::Address(cause.to_string()))
}

/// How long to wait: the timeout of the settings holds for each attempt, and a few of them are
/// made.
fn within(config: &LlmConfig) -> Patience {
    let usual = patience();
    let request = config.timeout;
    Patience {
        connect: usual.connect.min(request),
        request,
        idle: usual.idle.min(request),
        total: request.saturating_mul(3),
        ..usual
    }
}
