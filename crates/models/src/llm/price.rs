//! What calls cost, where that is known.
//!
//! A wrong price is worse than none, so a model must be named in the table, by its whole name; a
//! newer one of the same family is unknown until somebody adds it or the user's settings do. Prices
//! are list prices for ordinary calls; tokens read from a cache count in full, surcharges for very
//! long prompts are left out. What a provider says a call cost always comes before the table.

use std::collections::BTreeMap;

use super::{model_ref::ModelRef, types::Usage};

/// What tokens cost, in billionths of a US dollar each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    input: u64,
    output: u64,
}

impl Price {
    pub const FREE: Self = Self { input: 0, output: 0 };

    /// From US dollars per million tokens. `None` for what is no price: below 0, over a million.
    #[cfg(test)]
    pub fn per_million(input: f64, output: f64) -> Option<Self> {
        let valid = |usd: f64| (0.0..=1e6).contains(&usd);
        let nanos = |usd: f64| (usd * 1000.0).ceil() as u64;
        (valid(input) && valid(output)).then(|| Self { input: nanos(input), output: nanos(output) })
    }

    /// Millionths of a US dollar, rounded up.
    pub fn of(self, input: u64, output: u64) -> u64 {
        let nanos =
            input.saturating_mul(self.input).saturating_add(output.saturating_mul(self.output));
        nanos.div_ceil(1000)
    }
}

/// Family, input and output in thousandths of a US dollar per million tokens, which is what a token
/// costs in billionths.
const TABLE: &[(&str, u64, u64)] = &[
    ("claude-3-5-haiku", 800, 4_000),
    ("claude-3-7-sonnet", 3_000, 15_000),
    ("claude-haiku-4-5", 1_000, 5_000),
    ("claude-opus-4", 15_000, 75_000),
    ("claude-opus-4-1", 15_000, 75_000),
    ("claude-opus-4-5", 5_000, 25_000),
    ("claude-sonnet-4", 3_000, 15_000),
    ("claude-sonnet-4-5", 3_000, 15_000),
    ("gemini-2-5-flash", 300, 2_500),
    ("gemini-2-5-flash-lite", 100, 400),
    ("gemini-2-5-pro", 1_250, 10_000),
    ("gpt-4-1", 2_000, 8_000),
    ("gpt-4-1-mini", 400, 1_600),
    ("gpt-4-1-nano", 100, 400),
    ("gpt-4o", 2_500, 10_000),
    ("gpt-4o-mini", 150, 600),
    ("gpt-5", 1_250, 10_000),
    ("gpt-5-mini", 250, 2_000),
    ("gpt-5-nano", 50, 400),
];

/// The table, and what the user's settings add to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    set: BTreeMap<ModelRef, Price>,
}

impl Prices {
    /// Adds or replaces the price of a model.
    pub fn set(&mut self, model: ModelRef, price: Price) {
        self.set.insert(model, price);
    }

    /// `is_local`: it runs on this machine.
    pub fn of(&self, model: &ModelRef, is_local: bool) -> Option<Price> {
        if let Some(price) = self.set.get(model) {
            return Some(*price);
        }
        if is_local {
            return Some(Price::FREE);
        }
        let family = model.family();
        let row = TABLE.iter().find(|(name, ..)| *name == family);
        row.map(|&(_, input, output)| Price { input, output })
    }
}

/// Millionths of a US dollar: what the provider says, else what the price says, else unknown.
pub(super) fn charged(usage: &Usage, price: Option<Price>) -> Option<u64> {
    usage.usd_micros.or_else(|| price.map(|price| price.of(usage.input, usage.output)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_found_by_whole_names() {
        let check = |model: &str, local, expected: Option<u64>| {
            let price = Prices::default().of(&model.parse().unwrap(), local);
            assert_eq!(price.map(|price| price.of(1_000_000, 1_000_000)), expected, "{model}");
        };
        check("anthropic/claude-sonnet-4-5-20250929", false, Some(18_000_000));
        check("openrouter/anthropic/claude-sonnet-4.5", false, Some(18_000_000));
        check("openai/gpt-5-nano", false, Some(450_000));
        check("openai/gpt-5.1", false, None);
        check("openai/gpt-50", false, None);
        check("ollama/qwen2.5-coder:14b", true, Some(0));
        check("ollama/qwen2.5-coder:14b", false, None);
        assert!(TABLE.is_sorted_by_key(|(name, ..)| name));
    }

    #[test]
    fn small_calls_round_up_and_huge_ones_do_not_overflow() {
        let price = Price::per_million(0.05, 0.4).unwrap();
        assert_eq!((price.of(1, 0), price.of(0, 0), price.of(20, 0)), (1, 0, 1));
        assert!(price.of(u64::MAX, u64::MAX) > 1_000_000);
        assert_eq!(Price::per_million(-1.0, 0.0), None);
        assert_eq!(Price::per_million(f64::NAN, 0.0), None);
    }

    #[test]
    fn what_the_provider_says_comes_first() {
        let usage = Usage { input: 10, output: 10, usd_micros: Some(7), ..Usage::default() };
        assert_eq!(charged(&usage, Some(Price::FREE)), Some(7));
        let usage = Usage { usd_micros: None, ..usage };
        assert_eq!(charged(&usage, Some(Price::FREE)), Some(0));
        assert_eq!(charged(&usage, None), None);
    }
}
