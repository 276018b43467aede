//! Which models are tried for a kind of work, and why others are not. Pure.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    health::Health,
    model_ref::ModelRef,
    routes::{Routes, Task},
};

/// Where a provider is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// What is sent there stays on this machine.
    pub is_loopback: bool,
}

impl Site {
    /// Whether a model runs on this machine, as far as can be told: a server here may pass requests
    /// on, and only Ollama's names for such models say so.
    pub fn is_local(self, model: &ModelRef) -> bool {
        self.is_loopback && !model.is_remote_tag()
    }
}

/// What holds at the moment of planning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    /// Nothing may leave this machine.
    pub local_only: bool,
    /// Providers that are set up, by name.
    pub sites: BTreeMap<String, Site>,
    /// The model that wrote what is reviewed. Without it, the one that coding would go to first.
    pub coder: Option<ModelRef>,
    pub now: Timestamp,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Models to try, best first.
    pub candidates: Vec<ModelRef>,
    /// Models that the routes name and that are not tried.
    pub rejected: Vec<(ModelRef, Why)>,
    /// What is out of the ordinary.
    pub note: Option<Note>,
}

/// Why a model is not tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    #[error("its provider is not set up")]
    NotSetUp,
    #[error("it is not on this machine")]
    NotLocal,
    #[error("its provider failed and is left alone until {until}")]
    Resting { until: Timestamp },
    #[error("it wrote what is to be reviewed")]
    WroteIt,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// No other model is there.
    #[error("`{0}` reviews its own work: there is no other model")]
    ReviewsItself(ModelRef),
    /// The routes name none for review that can be tried.
    #[error("`{0}` reviews, which the routes name for other work")]
    Borrowed(ModelRef),
}

/// Plans a kind of work.
pub fn plan(task: Task, routes: &Routes, health: &Health, constraints: &Constraints) -> Plan {
    let mut plan = Plan::default();
    for model in routes.of(task) {
        let known = plan.candidates.contains(model)
            || plan.rejected.iter().any(|(rejected, _)| rejected == model);
        if known {
            continue;
        }
        match obstacle(model, health, constraints) {
            Some(why) => plan.rejected.push((model.clone(), why)),
            None => plan.candidates.push(model.clone()),
        }
    }
    if task == Task::Review {
        another_than_the_coder(&mut plan, routes, health, constraints);
    }
    plan
}

fn obstacle(model: &ModelRef, health: &Health, constraints: &Constraints) -> Option<Why> {
    let Some(site) = constraints.sites.get(model.provider()) else { return Some(Why::NotSetUp) };
    if constraints.local_only && !site.is_local(model) {
        return Some(Why::NotLocal);
    }
    let resting = health.resting_until(model.provider(), constraints.now);
    resting.map(|until| Why::Resting { until })
}

/// Nobody sees their own mistakes: whoever wrote it reviews it only where nobody else can.
fn another_than_the_coder(
    plan: &mut Plan,
    routes: &Routes,
    health: &Health,
    constraints: &Constraints,
) {
    let usable = |model: &&ModelRef| obstacle(model, health, constraints).is_none();
    let first = || routes.of(Task::Coding).iter().find(usable).cloned();
    let Some(coder) = constraints.coder.clone().or_else(first) else { return };
    let named = std::mem::take(&mut plan.candidates);
    let (own, others): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|model| model.is_same_model(&coder));
    plan.candidates = others;
    if plan.candidates.is_empty() {
        let all = Task::ALL.into_iter().flat_map(|task| routes.of(task));
        let other = all.filter(usable).find(|model| !model.is_same_model(&coder));
        if let Some(other) = other {
            plan.candidates.push(other.clone());
            plan.note = Some(Note::Borrowed(other.clone()));
        } else {
            // Only itself: as the routes for review name it, or as the coder it is.
            plan.candidates = own;
            if plan.candidates.is_empty() && usable(&&coder) {
                plan.candidates.push(coder);
            }
            plan.note = plan.candidates.first().cloned().map(Note::ReviewsItself);
            return;
        }
    }
    plan.rejected.extend(own.into_iter().map(|model| (model, Why::WroteIt)));
}
