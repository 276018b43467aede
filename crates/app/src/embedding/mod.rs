//! Which model makes the vectors here, and which stands in where it can't.
//!
//! The settings name one model per repository, so that a team never mixes them. A machine that
//! can't reach it, or has it not yet at work on every note, still answers: with the vectors of
//! another model that the repository holds, else with those of the built-in one.

pub mod background;
pub mod embedders;
pub mod own_words;
pub mod pin;
pub mod profiles;
pub mod remote;

use std::cell::{Cell, OnceCell, RefCell};

use crate::{environment::Environment, workspace::Workspace};

use background::Background;
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::{Report, vectors_held};
use elophanto_models::{EmbedError, Embedder, Pace, SearchThresholds, builtin::Builtin};
use elophanto_tables::Lance;
use embedders::Named;
use remote::Remote;

/// A model answers by itself while no more than this share of the chunks waits for its vector.
const MOST_WAITING: f64 = 0.05;
/// So few don't matter either, unless they are more than half of all.
const FEW_WAITING: usize = 16;
const UNTIL_INDEXED: &str = "until `elophanto index` has made them";

/// The model of the repository and its stand-ins.
pub struct Models {
    named: Named,
    /// Another model of which the repository holds vectors.
    other: OnceCell<Option<Box<dyn Embedder>>>,
    active: Cell<Active>,
    reasons: RefCell<Vec<String>>,
    environment: Environment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Active {
    Named,
    Other,
    Builtin,
}

impl Models {
    /// Begins with the model that the settings name, if this machine has it.
    pub fn new(named: Named, environment: Environment) -> Self {
        let (active, reasons) = match &named {
            Named::Here(_) | Named::There(_) => (Active::Named, Vec::new()),
            Named::Plain(reason) => (Active::Named, vec![reason.clone()]),
            Named::Missing(reason) => {
                let instead = Builtin.fingerprint();
                (Active::Builtin, vec![format!("{reason}; `{instead}` stands in for it")])
            }
        };
        Self {
            named,
            other: OnceCell::new(),
            active: Cell::new(active),
            reasons: RefCell::new(reasons),
            environment,
        }
    }

    /// The model whose vectors are looked at now.
    pub fn active(&self) -> &dyn Embedder {
        let chosen = match self.active.get() {
            Active::Named => self.named.embedder(),
            Active::Other => self.other.get().and_then(Option::as_deref),
            Active::Builtin => None,
        };
        chosen.unwrap_or(&Builtin)
    }

    /// Whether the active model is the one that the settings name: only its vectors may be
    /// committed.
    pub(crate) fn is_named(&self) -> bool {
        self.active.get() == Active::Named
    }

    /// What counts as near for the active model.
    pub fn thresholds(&self) -> SearchThresholds {
        profiles::of(self.active(), &self.environment)
    }

    /// The active model, if it is asked at an address.
    pub fn remote(&self) -> Option<&Remote> {
        match &self.named {
            Named::There(remote) if self.is_named() => Some(remote),
            Named::Here(_) | Named::There(_) | Named::Plain(_) | Named::Missing(_) => None,
        }
    }

    /// Why others stand in; empty while none does.
    pub fn reasons(&self) -> Vec<String> {
        self.reasons.borrow().clone()
    }

    /// Whether so much waits for the active model that another one now stands in for it. `is_now`:
    /// these are the notes of the work tree, which `index` looks at.
    pub(crate) fn is_behind(&self, report: &Report, is_now: bool, workspace: &Workspace) -> bool {
        let share = (report.chunks as f64 * MOST_WAITING) as usize;
        let most = share.max(FEW_WAITING.min(report.chunks / 2));
        if report.waiting <= most || self.active().pace() == Pace::Instant {
            return false;
        }
        let (waiting, chunks) = (report.waiting, counted(report.chunks, "chunk"));
        let wait = agreeing(waiting, "waits", "wait");
        let reason = format!("{waiting} of {chunks} {wait} for `{}`", self.active_name());
        let slow = self.active().pace() == Pace::Slow;
        let until = match is_now {
            true if slow => match workspace.background() {
                // It was said when that began.
                Background::AtWork => return self.step_down(None, workspace),
                Background::Started => "until they are made, in the background",
                Background::Nobody => UNTIL_INDEXED,
            },
            true => UNTIL_INDEXED,
            false => "for that version",
        };
        self.step_down(Some((reason, until)), workspace)
    }

    /// Whether another model stands in now that the active one could not embed the query.
    pub(crate) fn cannot_answer(&self, cause: &EmbedError, workspace: &Workspace) -> bool {
        self.step_down(Some((cause.to_string(), "for now")), workspace)
    }

    fn active_name(&self) -> String {
        self.active().fingerprint().to_string()
    }

    /// Takes the next best model, unless the last one is reached; `said` is why and for how long.
    fn step_down(&self, said: Option<(String, &str)>, workspace: &Workspace) -> bool {
        let next = match self.active.get() {
            Active::Builtin => return false,
            Active::Named if self.other(workspace).is_some() => Active::Other,
            Active::Named | Active::Other => Active::Builtin,
        };
        self.active.set(next);
        if let Some((reason, how_long)) = said {
            let instead = self.active_name();
            self.reasons.borrow_mut().push(format!("{reason}; `{instead}` answers {how_long}"));
        }
        true
    }

    /// The model with most vectors in the committed tables, of those that this machine has.
    fn other(&self, workspace: &Workspace) -> Option<&dyn Embedder> {
        let find = || {
            let named = self.named.embedder()?.fingerprint();
            let mut held = vectors_held(&Lance, &workspace.repository);
            held.retain(|(fingerprint, _)| {
                fingerprint != named && fingerprint != Builtin.fingerprint()
            });
            held.sort_by_key(|(_, vectors)| std::cmp::Reverse(*vectors));
            held.iter().find_map(|(fingerprint, _)| embedders::by_name(fingerprint, workspace))
        };
        self.other.get_or_init(find).as_deref()
    }
}
