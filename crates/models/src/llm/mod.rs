//! Language models, whoever runs them.
//!
//! Owns the three wire protocols, what an answer must look like to count, which model is asked for
//! what kind of work, when a provider is left alone for a while, what may be spent, and the ledger
//! of what was. It refuses to know what is asked and why, where settings and keys come from, and
//! how anything is shown. Neither a prompt nor an answer nor a key is ever written by it.
//!
//! The protocols are written by hand because `genai` was found wanting: its newest version (0.7.2)
//! sends no `num_ctx` and drops the schema of an answer for Ollama, and brings reqwest 0.13 beside
//! our 0.12; the last one on 0.12 (0.4.4) speaks to Ollama through `/v1`, which ignores `num_ctx`.
//! Neither caps a reply or tells what OpenRouter charged.
//!
//! Calls block. They must not be made from inside asynchronous code.

use std::ops::ControlFlow;

mod anthropic;
mod ask;
mod budget;
mod error;
mod health;
mod image;
mod ledger;
mod model_ref;
mod ollama;
mod openai;
mod price;
mod provider;
mod router;
mod routes;
mod run;
pub mod schema;
mod types;
mod window;
mod wire;

#[cfg(test)]
mod fake_tests;
#[cfg(test)]
mod image_tests;
#[cfg(test)]
mod protocol_tests;
#[cfg(test)]
mod router_tests;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod wire_tests;

pub use ask::{Ask, Asked, EXTRACTIVE};
pub use budget::{Budget, BudgetParseError, Estimate, Limits, OverBudget, Span, Spent, Totals};
pub use error::{Blame, LlmError, Result};
pub use health::{Health, HealthFile, Outcome};
pub use image::{Format, Image, Images, Size};
pub use ledger::{By, Call, Ledger, LedgerError, Problem, Sum, sum};
pub use model_ref::{ModelRef, ModelRefError};
pub use price::{Price, PriceParseError, Prices};
pub use provider::{Kind, Provider, Settings, patience};
pub use router::{Constraints, Note, Plan, Site, Why, plan};
pub use routes::{Routes, Task, UnknownTask};
pub use run::{Answer, Cost, Member, Router, RunError, Running, Sink, Unrecorded};
pub use types::{
    Delta, Message, Reply, Request, Schema, StopReason, Tool, ToolCall, ToolChoice, Tools, Usage,
    estimated,
};
pub use window::window;

/// A model that can be asked.
pub trait Llm: Send + Sync {
    /// The whole answer at once.
    ///
    /// # Errors
    /// When there is no answer, or none that fits the request's schema.
    fn complete(&self, request: &Request) -> Result<Reply>;

    /// The answer as it is made, and once more as a whole. `sink` ends it by breaking; it is called
    /// in between, from inside asynchronous code, so it must not ask a model itself.
    ///
    /// # Errors
    /// As [`Llm::complete`]. What was handed over until then is no answer.
    fn stream(
        &self,
        request: &Request,
        sink: &mut dyn FnMut(Delta) -> ControlFlow<()>,
    ) -> Result<Reply>;

    /// Requests sent so far, those included that failed and were repeated.
    fn requests_sent(&self) -> u64 {
        0
    }
}
