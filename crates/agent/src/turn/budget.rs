//! What a run may still use, and what it has used. Pure.

use crate::{Cost, Spent};
use elophanto_models::llm::Usage;

/// Calls of tools in a run, those that tools make included: a tool that calls itself ends here.
const MAX_CALLS: u32 = 2_000;

/// Shared by a task and all that are nested in it.
#[derive(Debug)]
pub(super) struct Allowance {
    pub(super) max_steps: u32,
    pub(super) steps: u32,
    calls: u32,
    pub(super) spent: Spent,
}

impl Allowance {
    pub(super) fn new(max_steps: u32) -> Self {
        Self { max_steps, steps: 0, calls: 0, spent: Spent::default() }
    }

    /// One more step of the model; `false` if all are used up.
    pub(super) fn step(&mut self) -> bool {
        let left = self.steps < self.max_steps;
        self.steps += u32::from(left);
        left
    }

    /// Steps that are not used yet.
    pub(super) fn left(&self) -> u32 {
        self.max_steps.saturating_sub(self.steps)
    }

    /// One more call of a tool; `false` if all are used up.
    pub(super) fn call(&mut self) -> bool {
        let left = self.calls < MAX_CALLS;
        self.calls += u32::from(left);
        left
    }

    /// Counts as the ledger does.
    pub(super) fn spend(&mut self, cost: &Cost) {
        let Usage { input, output, calls, .. } = cost.usage;
        let spent = &mut self.spent;
        spent.input_tokens = spent.input_tokens.saturating_add(input);
        spent.output_tokens = spent.output_tokens.saturating_add(output);
        spent.calls = spent.calls.saturating_add(calls.max(1));
        match cost.usd_micros {
            Some(usd) => spent.usd_micros = spent.usd_micros.saturating_add(usd),
            None => spent.unpriced = spent.unpriced.saturating_add(1),
        }
    }
}
