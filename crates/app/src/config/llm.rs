//! Section `llm`: which language models are asked, and within which limits.

use std::collections::BTreeMap;
use std::time::Duration;

use super::ConfigError;
use super::keys::{KEYS, TASKS};
use super::providers::ProviderConfig;
use super::resolved::Resolved;

/// Section `llm`.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmConfig {
    /// Whether only models on this machine are asked.
    pub local_only: bool,
    /// Most tokens that one request may hold.
    pub context_tokens: usize,
    /// Most tokens of one answer.
    pub max_tokens: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// What one run may spend: `none`, or limits such as `0.50usd,20000tok,30calls`.
    pub budget_run: String,
    /// What one day may spend, in the same form.
    pub budget_day: String,
    /// What one month may spend, in the same form.
    pub budget_month: String,
    /// Models for each kind of task, as `provider/model`, the first choice first.
    pub tasks: BTreeMap<&'static str, Vec<String>>,
    /// Where models are reached, by name.
    pub providers: BTreeMap<String, ProviderConfig>,
}

impl LlmConfig {
    /// # Errors
    /// When a provider lacks its address.
    pub(super) fn from_resolved(resolved: &Resolved) -> Result<Self, ConfigError> {
        let tasks = KEYS
            .iter()
            .filter(|key| key.split().0 == TASKS)
            .map(|key| (key.split().1, resolved.list(key.name).to_vec()))
            .collect();
        Ok(Self {
            local_only: resolved.switch("llm.local_only"),
            context_tokens: resolved.size("llm.context_tokens"),
            max_tokens: resolved.size("llm.max_tokens"),
            timeout: resolved.span("llm.timeout"),
            budget_run: resolved.text("llm.budget.run"),
            budget_day: resolved.text("llm.budget.day"),
            budget_month: resolved.text("llm.budget.month"),
            tasks,
            providers: resolved.providers().resolve()?,
        })
    }
}
