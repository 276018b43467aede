//! Asking one model after the other until one answers, within the budget, and recording it.

use std::{
    collections::BTreeMap,
    io,
    ops::ControlFlow,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use ulid::Ulid;

use super::{
    Llm,
    budget::{Budget, Estimate, OverBudget, Spent, Totals},
    error::{Blame, LlmError, Result},
    health::{Health, HealthFile, Outcome},
    image::Images,
    ledger::{Call, Ledger, LedgerError},
    model_ref::ModelRef,
    price::{Price, Prices, charged},
    provider::{Provider, Settings},
    router::{Constraints, Note, Plan, Site, Why, plan},
    routes::{Routes, Task},
    types::{Delta, Reply, Request, StopReason, Usage},
};
use elophanto_net::address::is_loopback;

/// What receives an answer as it is made.
pub type Sink<'a> = &'a mut dyn FnMut(Delta) -> ControlFlow<()>;

/// A provider that is set up.
pub struct Member {
    pub llm: Box<dyn Llm>,
    pub site: Site,
}

impl Member {
    /// From a provider's settings; its address says whether it is on this machine. Opens no
    /// connection.
    ///
    /// # Errors
    /// As [`Provider::new`].
    pub fn new(settings: Settings) -> Result<Self> {
        let site = Site { is_loopback: is_loopback(&settings.base_url) };
        Ok(Self { llm: Box::new(Provider::new(settings)?), site })
    }
}

/// What a router is told once.
pub struct Running {
    pub routes: Routes,
    pub prices: Prices,
    pub budget: Budget,
    /// Nothing may leave this machine.
    pub local_only: bool,
    /// The user has just named the model by hand: it is asked whether its provider failed or not.
    pub insists: bool,
    /// Which models are shown pictures.
    pub images: Images,
    /// The command that is running, for the ledger.
    pub command: String,
    /// Where calls are recorded. Without it, days and months start at nothing.
    pub ledger: Option<Ledger>,
    /// Where processes share which providers fail.
    pub health: Option<HealthFile>,
    pub clock: fn() -> Timestamp,
}

impl Default for Running {
    fn default() -> Self {
        Self {
            routes: Routes::default(),
            prices: Prices::default(),
            budget: Budget::default(),
            local_only: false,
            insists: false,
            images: Images::default(),
            command: String::new(),
            ledger: None,
            health: None,
            clock: Timestamp::now,
        }
    }
}

/// Gives work to models.
pub struct Router {
    members: BTreeMap<String, Member>,
    running: Running,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    health: Health,
    run: Spent,
    /// What the ledger should hold and does not.
    unrecorded: Spent,
    /// What calls may take that are being made now, by other threads too.
    held: Spent,
    coder: Option<ModelRef>,
}

/// A reply, and how it came about.
#[derive(Debug)]
pub struct Answer {
    pub reply: Reply,
    pub model: ModelRef,
    /// Millionths of a US dollar. `None`: unknown.
    pub usd_micros: Option<u64>,
    pub note: Option<Note>,
    /// Models that were asked before and failed.
    pub failed: Vec<(ModelRef, LlmError)>,
    /// What those cost.
    pub lost: Vec<Cost>,
    /// A limit that this call has broken against all estimates.
    pub overdrawn: Option<OverBudget>,
    /// The answer is here, but what it cost could not be recorded, or what failed.
    pub unrecorded: Vec<Unrecorded>,
}

/// What a call cost that gave nothing to go on with, as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub model: ModelRef,
    pub usage: Usage,
    /// Millionths of a US dollar. `None`: unknown.
    pub usd_micros: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum Unrecorded {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("which providers fail cannot be kept: {0}")]
    Health(#[from] io::Error),
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("no model for {task} can be asked{}", reasons(rejected))]
    NoModel { task: Task, rejected: Vec<(ModelRef, Why)> },
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    #[error("no model for {task} gave an answer{}", reasons(failed))]
    Failed { task: Task, failed: Vec<(ModelRef, LlmError)>, lost: Vec<Cost> },
    /// What has been spent is unknown, and a limit depends on it.
    #[error("what has been spent cannot be read: {0}")]
    Ledger(#[from] LedgerError),
}

impl Router {
    pub fn new(members: BTreeMap<String, Member>, running: Running) -> Self {
        let health = running.health.as_ref().map(HealthFile::load).unwrap_or_default();
        let state = Mutex::new(State { health, ..State::default() });
        Self { members, running, state }
    }

    /// From now on, a kind of work goes to these models only.
    pub fn restrict(&mut self, task: Task, models: Vec<ModelRef>) {
        self.running.routes.set(task, models);
    }

    /// What has been spent by this router.
    pub fn spent(&self) -> Spent {
        self.state().run
    }

    /// Models that a kind of work would go to now, and that are not asked all the same: money is
    /// limited, and what they cost is not known.
    pub fn unpriced(&self, task: Task) -> Vec<ModelRef> {
        if !self.running.budget.limits_money() {
            return Vec::new();
        }
        let is_unpriced = |model: &ModelRef| {
            let site = self.members.get(model.provider()).map(|member| member.site);
            let is_local = site.is_some_and(|site| site.is_local(model));
            self.running.prices.of(model, is_local).is_none()
        };
        let candidates = self.plan(task).candidates;
        candidates.into_iter().filter(is_unpriced).collect()
    }

    /// Which models a kind of work would go to now.
    pub fn plan(&self, task: Task) -> Plan {
        let state = self.state();
        let sites = self.members.iter().map(|(name, member)| (name.clone(), member.site));
        let constraints = Constraints {
            local_only: self.running.local_only,
            sites: sites.collect(),
            coder: state.coder.clone(),
            now: (self.running.clock)(),
        };
        let sound = Health::default();
        let health = if self.running.insists { &sound } else { &state.health };
        plan(task, &self.running.routes, health, &constraints)
    }

    /// Asks the models for `task` in turn. `request.model` is overwritten. Without a `sink` the
    /// answer comes as a whole.
    ///
    /// # Errors
    /// When no model may be asked, none answers, or the budget allows no call.
    ///
    /// # Panics
    /// Inside asynchronous code.
    pub fn run(
        &self,
        task: Task,
        request: &Request,
        mut sink: Option<Sink<'_>>,
    ) -> Result<Answer, RunError> {
        let Plan { candidates, rejected, note } = self.plan(task);
        if candidates.is_empty() {
            return Err(RunError::NoModel { task, rejected });
        }
        let (mut failed, mut unrecorded, mut refused) = (Vec::new(), Vec::new(), None);
        let mut lost = Vec::new();
        let mut begun = false;
        for model in candidates {
            let Some(member) = self.members.get(model.provider()) else { continue };
            let price = self.running.prices.of(&model, member.site.is_local(&model));
            let mut asked = Request { model: model.model().to_owned(), ..request.clone() };
            if asked.shows_images() && !self.running.images.reach(&model) {
                failed.push((model, LlmError::NoImages));
                continue;
            }
            let held = match self.hold(&mut asked, price) {
                Ok(held) => held,
                Err(RunError::OverBudget(over)) => {
                    // Another model may be cheaper.
                    refused.get_or_insert(over);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if std::mem::take(&mut begun)
                && let Some(sink) = &mut sink
                && sink(Delta::Restart).is_break()
            {
                break;
            }
            let started = (self.running.clock)();
            let clock = Instant::now();
            let sent = member.llm.requests_sent();
            let result = match &mut sink {
                Some(sink) => member.llm.stream(&asked, &mut |delta| {
                    begun |= delta != Delta::Waiting;
                    sink(delta)
                }),
                None => member.llm.complete(&asked),
            };
            // Requests of another thread may be among them.
            let sent = member.llm.requests_sent().saturating_sub(sent);
            let done = Done { task, model: &model, price, started, took: clock.elapsed(), sent };
            unrecorded.extend(self.record(&done, &result));
            drop(held);
            match result {
                Ok(reply) => {
                    if task == Task::Coding {
                        self.state().coder = Some(model.clone());
                    }
                    let usd_micros = charged(&reply.usage, price);
                    let totals = self.totals().ok();
                    let overdrawn =
                        totals.and_then(|totals| self.running.budget.overdrawn(&totals));
                    return Ok(Answer {
                        reply,
                        model,
                        usd_micros,
                        note,
                        failed,
                        lost,
                        overdrawn,
                        unrecorded,
                    });
                }
                Err(error) => {
                    let usage = error.usage();
                    let usd_micros = cost_of(&usage, price);
                    lost.push(Cost { model: model.clone(), usage, usd_micros });
                    failed.push((model, error));
                }
            }
        }
        match refused {
            Some(over) if failed.is_empty() => Err(over.into()),
            _ => Err(RunError::Failed { task, failed, lost }),
        }
    }

    /// Whether this model is shown pictures.
    pub fn shows_images(&self, model: &ModelRef) -> bool {
        self.running.images.reach(model)
    }

    /// Tokens that the budget still allows. `None`: there is no such limit, or it is not known what was
    /// spent.
    pub fn tokens_left(&self) -> Option<u64> {
        self.running.budget.tokens_left(&self.totals().ok()?)
    }

    /// Checks the budget, and holds what the call may take until it is recorded: calls of other threads
    /// find it spent. Where there is no room for a second try at a schema, there is none.
    fn hold(&self, request: &mut Request, price: Option<Price>) -> Result<Held<'_>, RunError> {
        let mut state = self.state();
        let totals = self.totals_of(&state)?.plus(state.held);
        let (input, output) = (request.estimated_input(), u64::from(request.max_tokens));
        let estimate = |input: u64, output: u64, calls| Estimate {
            usd_micros: price.map(|price| price.of(input, output)),
            tokens: input.saturating_add(output),
            calls,
        };
        self.running.budget.check(&totals, &estimate(input, output, 1))?;
        // The second prompt is the first one, the answer to it, and the schema once more.
        let both = estimate(input.saturating_mul(3).saturating_add(output), output * 2, 2);
        if request.schema.is_some() && self.running.budget.check(&totals, &both).is_err() {
            request.repairs = 0;
        }
        let is_repaired = request.schema.is_some() && request.repairs > 0;
        let Estimate { usd_micros, tokens, calls } =
            if is_repaired { both } else { estimate(input, output, 1) };
        let spent = Spent { usd_micros: usd_micros.unwrap_or(0), tokens, calls };
        state.held = state.held.plus(spent);
        drop(state);
        Ok(Held { router: self, spent })
    }

    fn totals(&self) -> Result<Totals, LedgerError> {
        self.totals_of(&self.state())
    }

    fn totals_of(&self, state: &State) -> Result<Totals, LedgerError> {
        let (run, unrecorded) = (state.run, state.unrecorded);
        let (month, day) = match &self.running.ledger {
            Some(ledger) if self.running.budget.looks_back() => {
                ledger.spent((self.running.clock)())?
            }
            _ => (Spent::default(), Spent::default()),
        };
        Ok(Totals { run, day: day.plus(unrecorded), month: month.plus(unrecorded) })
    }

    /// Ledger, health and what this run has spent. What fails here does not undo the call.
    fn record(&self, done: &Done<'_>, result: &Result<Reply>) -> Vec<Unrecorded> {
        let usage = match result {
            Ok(reply) => reply.usage,
            Err(error) => error.usage(),
        };
        let call = done.call(&self.running.command, usage, result);
        let mut failures = Vec::new();
        let written = match &self.running.ledger {
            Some(ledger) => match ledger.append(&call) {
                Ok(()) => true,
                Err(error) => {
                    failures.push(error.into());
                    false
                }
            },
            None => false,
        };
        let provider = done.model.provider();
        let outcome = match result {
            Ok(_) => Some(Outcome::Success),
            Err(error) => match error.blame() {
                Blame::Provider { retry_after } => Some(Outcome::Failure { retry_after }),
                Blame::Unreachable => Some(Outcome::Unreachable),
                Blame::Request => None,
            },
        };
        let mut state = self.state();
        state.run = state.run.plus(call.spent());
        if !written {
            state.unrecorded = state.unrecorded.plus(call.spent());
        }
        if let Some(outcome) = outcome {
            let now = (self.running.clock)();
            let shared = self.running.health.as_ref();
            match shared.map(|file| file.record(provider, outcome, now)) {
                Some(Ok(health)) => state.health = health,
                Some(Err(error)) => {
                    failures.push(error.into());
                    state.health.record(provider, outcome, now);
                }
                None => state.health.record(provider, outcome, now),
            }
        }
        failures
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is made in one step, so a thread that panicked left nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a call that is being made may take.
struct Held<'r> {
    router: &'r Router,
    spent: Spent,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut state = self.router.state();
        state.held = state.held.minus(self.spent);
    }
}

/// A call that has been made.
struct Done<'a> {
    task: Task,
    model: &'a ModelRef,
    price: Option<Price>,
    started: Timestamp,
    took: Duration,
    sent: u64,
}

impl Done<'_> {
    fn call(&self, command: &str, usage: Usage, result: &Result<Reply>) -> Call {
        let outcome = match result {
            Ok(reply) if reply.stop == StopReason::Cancelled => "cancelled",
            Ok(_) => "ok",
            Err(error) => error.kind(),
        };
        let attempts = match result {
            Ok(reply) => u64::from(reply.attempts).max(1),
            Err(_) => self.sent,
        };
        Call {
            id: Ulid::new(),
            time: self.started,
            command: command.to_owned(),
            task: self.task.name().to_owned(),
            provider: self.model.provider().to_owned(),
            model: self.model.model().to_owned(),
            input: usage.input,
            output: usage.output,
            usd_micros: cost_of(&usage, self.price),
            ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            attempts,
            calls: u64::from(usage.calls.max(1)),
            outcome: outcome.to_owned(),
        }
    }
}

/// A call that generated nothing costs nothing.
fn cost_of(usage: &Usage, price: Option<Price>) -> Option<u64> {
    if usage.calls == 0 { Some(0) } else { charged(usage, price) }
}

fn reasons<E: std::fmt::Display>(all: &[(ModelRef, E)]) -> String {
    let lines = all.iter().map(|(model, reason)| format!("; `{model}`: {reason}"));
    lines.collect::<String>().replacen("; ", ": ", 1)
}
