//! What asking models has cost, and what is left of the budgets.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::{
    Error, Result,
    config::LlmConfig,
    environment::Environment,
    llm::{budget, ledger_in},
    when::moment,
};
use elophanto_models::llm::{self, By, Ledger, Limits, Problem, Spent, Sum};

/// Which calls to sum up, and how.
pub struct UsageRequest<'a> {
    /// What calls are summed up by.
    pub by: By,
    /// Only calls from then on, and before then: dates, times or time spans ago. Else those of the
    /// month.
    pub since: Option<&'a str>,
    /// See [`since`](Self::since).
    pub until: Option<&'a str>,
}

/// What calls of models have cost.
pub struct Usage {
    /// From when on.
    pub since: Timestamp,
    /// By name; none if nothing was recorded.
    pub sums: BTreeMap<String, Sum>,
    /// All of them together.
    pub total: Sum,
    /// Damaged lines: each costs itself only.
    pub problems: Vec<Problem>,
}

/// A budget that is set, and what is left of it; `None` of what is not limited.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Left<'a> {
    /// `run`, `day` or `month`.
    pub budget: &'static str,
    /// As the settings have it.
    pub limit: &'a str,
    /// Millionths of a US dollar.
    #[serde(rename = "left_usd", serialize_with = "dollars")]
    #[schemars(with = "Option<f64>")]
    pub usd_micros: Option<u64>,
    /// Read and written.
    #[serde(rename = "left_tokens")]
    pub tokens: Option<u64>,
    /// Of models.
    #[serde(rename = "left_calls")]
    pub calls: Option<u64>,
}

fn dollars<S: Serializer>(micros: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
    micros.map(usd).serialize(to)
}

/// US dollars.
pub fn usd(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// Sums up what is recorded.
///
/// # Errors
/// When a time cannot be understood, or the ledger cannot be read.
pub fn usage(environment: &Environment, wanted: &UsageRequest, now: Timestamp) -> Result<Usage> {
    let when = |text: &str| Ok::<_, Error>(second(moment(text, now.as_second())?));
    let since = wanted.since.map(when).transpose()?;
    let until = wanted.until.map(when).transpose()?;
    let since = since.unwrap_or_else(|| month_of(until.unwrap_or(now)));
    let (calls, problems) = ledger(environment)?.read(since..until.unwrap_or(Timestamp::MAX))?;
    let mut total = Sum::default();
    calls.iter().for_each(|call| total.add(call));
    Ok(Usage { since, sums: llm::sum(&calls, wanted.by), total, problems })
}

/// What is left of each budget that is set.
///
/// # Errors
/// When a limit cannot be understood, or the ledger cannot be read.
pub fn budgets<'a>(
    environment: &Environment,
    config: &'a LlmConfig,
    now: Timestamp,
) -> Result<Vec<Left<'a>>> {
    let budget = budget(config)?;
    let (month, day) =
        if budget.looks_back() { ledger(environment)?.spent(now)? } else { Default::default() };
    let spans = [
        ("run", &config.budget.run, budget.run, Spent::default()),
        ("day", &config.budget.day, budget.day, day),
        ("month", &config.budget.month, budget.month, month),
    ];
    let left = |limit: Option<u64>, spent: u64| limit.map(|limit| limit.saturating_sub(spent));
    let set = spans.into_iter().filter(|(.., limits, _)| *limits != Limits::default());
    Ok(set
        .map(|(budget, limit, limits, spent)| Left {
            budget,
            limit,
            usd_micros: left(limits.usd_micros, spent.usd_micros),
            tokens: left(limits.tokens, spent.tokens),
            calls: left(limits.calls, spent.calls),
        })
        .collect())
}

fn ledger(environment: &Environment) -> Result<Ledger> {
    environment.state_folder().as_deref().map(ledger_in).ok_or_else(|| {
        Error::new("no folder for what was spent: neither XDG_STATE_HOME nor HOME is absolute")
            .hint("set HOME to your home folder")
    })
}

/// The first moment of its month, in UTC.
fn month_of(time: Timestamp) -> Timestamp {
    let time = time.to_zoned(TimeZone::UTC);
    let first = time.first_of_month().and_then(|first| first.start_of_day());
    first.map_or(Timestamp::MIN, |first| first.timestamp())
}

/// What lies further away than there is time is as good as its end.
fn second(second: i64) -> Timestamp {
    let end = if second < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_second(second).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_in_utc() {
        let month = |text: &str| month_of(text.parse().unwrap()).to_string();
        assert_eq!(month("2026-11-21T10:00:00Z"), "2026-11-01T00:00:00Z");
        assert_eq!(month("2026-11-01T00:30:00+02:00"), "2026-10-01T00:00:00Z");
        assert_eq!(second(i64::MAX), Timestamp::MAX);
    }
}
