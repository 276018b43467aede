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

/// Why a list of prices cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceParseError {
    #[error(
        "`{0}` is no price: write it like `openai/gpt-6=1.25/10`, in US dollars per million tokens read and written"
    )]
    Form(String),
    #[error("`{0}` has two prices")]
    Twice(String),
}

/// The table, and what the user's settings add to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    set: BTreeMap<ModelRef, Price>,
}

impl Prices {
    /// Reads `MODEL=INPUT/OUTPUT, ...`: models with their providers, US dollars per million tokens
    /// of prompts and of answers.
    ///
    /// # Errors
    /// With the first item that is no such thing.
    pub fn read(text: &str) -> Result<Self, PriceParseError> {
        let mut prices = Self::default();
        for item in text.split(',').map(str::trim) {
            let shown = || PriceParseError::Form(item.chars().take(80).collect());
            let (model, price) = item.rsplit_once('=').ok_or_else(shown)?;
            let (input, output) = price.split_once('/').ok_or_else(shown)?;
            let number = |text: &str| text.trim().parse::<f64>().map_err(|_| shown());
            let price = Price::per_million(number(input)?, number(output)?).ok_or_else(shown)?;
            let is_name =
                !model.contains(['=', ';']) && !model.trim().contains(char::is_whitespace);
            let model: ModelRef =
                model.trim().parse().ok().filter(|_| is_name).ok_or_else(shown)?;
            if prices.set.contains_key(&model) {
                return Err(PriceParseError::Twice(model.to_string()));
            }
            prices.set(model, price);
        }
        Ok(prices)
    }

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

/// Millionths of a US dollar: what the provider says, else what the price says, else unknown. A
/// provider that says nothing was due for what has a price may have charged somebody else's account.
pub(super) fn charged(usage: &Usage, price: Option<Price>) -> Option<u64> {
    let by_price = price.map(|price| price.of(usage.input, usage.output));
    usage.usd_micros.filter(|usd| *usd > 0 || by_price.is_none()).or(by_price)
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
    fn prices_are_read() {
        let prices = Prices::read("openai/gpt-6=1.25/10, x/a/b:14b = 0/0").unwrap();
        let of = |model: &str| prices.of(&model.parse().unwrap(), false);
        assert_eq!(
            of("openai/gpt-6").map(|price| price.of(1_000_000, 1_000_000)),
            Some(11_250_000)
        );
        assert_eq!(of("x/a/b:14b"), Some(Price::FREE));
        for text in [
            "", "openai/gpt-6", "openai/gpt-6=1", "openai/gpt-6=-1/2", "gpt-6=1/2", "a/b=x/2",
            "P/m=1/2;P/x=1/2", "a/b==1/2",
        ] {
            assert!(matches!(Prices::read(text), Err(PriceParseError::Form(_))), "{text}");
        }
        assert!(matches!(Prices::read("a/b=1/2,a/b=2/3"), Err(PriceParseError::Twice(_))));
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
        let free = Usage { usd_micros: Some(0), ..usage };
        assert_eq!(charged(&free, Price::per_million(1e6, 1e6)), Some(20_000_000));
        assert_eq!(charged(&free, None), Some(0));
    }
}
