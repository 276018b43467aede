//! What may be spent: money, tokens and calls, in a run, a day and a month. Pure.

use std::str::FromStr;

use elophanto_base::counted::{agreeing, counted};

/// What has been spent. Calls whose price is unknown add nothing to the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Millionths of a US dollar.
    pub usd_micros: u64,
    /// Of prompts and answers together.
    pub tokens: u64,
    pub calls: u64,
}

impl Spent {
    pub fn plus(self, other: Self) -> Self {
        Self {
            usd_micros: self.usd_micros.saturating_add(other.usd_micros),
            tokens: self.tokens.saturating_add(other.tokens),
            calls: self.calls.saturating_add(other.calls),
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            usd_micros: self.usd_micros.saturating_sub(other.usd_micros),
            tokens: self.tokens.saturating_sub(other.tokens),
            calls: self.calls.saturating_sub(other.calls),
        }
    }
}

/// What a call may come to at most. Unlike what was spent, the price may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    pub usd_micros: Option<u64>,
    pub tokens: u64,
    pub calls: u64,
}

/// Written `0.50usd,20000tok,30calls`: any of the three, each at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    pub usd_micros: Option<u64>,
    pub tokens: Option<u64>,
    pub calls: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BudgetParseError {
    #[error("a budget is empty: write it like `0.50usd`, `20000tok` or `30calls`")]
    Empty,
    #[error("`{0}` has no unit: write `usd`, `tok` or `calls` behind the number")]
    Unit(String),
    #[error("`{0}` does not begin with a number")]
    Number(String),
    #[error("`{0}` is not a whole number of tokens or calls")]
    NotWhole(String),
    #[error("`{0}` is more than can be counted")]
    TooMuch(String),
    #[error("`{0}` is given twice")]
    Twice(&'static str),
}

impl FromStr for Limits {
    type Err = BudgetParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut limits = Self::default();
        for part in text.split(',').map(str::trim) {
            let shown = || part.chars().take(40).collect::<String>();
            if part.is_empty() {
                return Err(BudgetParseError::Empty);
            }
            let digits = |char: char| char.is_ascii_digit() || matches!(char, '.' | '_');
            let end = part.find(|char| !digits(char)).unwrap_or(part.len());
            let (number, unit) = part.split_at(end);
            let number = number.replace('_', "");
            if number.is_empty() {
                return Err(BudgetParseError::Number(shown()));
            }
            let (slot, name, value) = match unit.trim() {
                "usd" => {
                    let usd: f64 = number.parse().map_err(|_| BudgetParseError::Number(shown()))?;
                    if usd > 1e9 {
                        return Err(BudgetParseError::TooMuch(shown()));
                    }
                    (&mut limits.usd_micros, "usd", (usd * 1e6).round() as u64)
                }
                "tok" => (&mut limits.tokens, "tok", whole(&number, shown)?),
                "calls" => (&mut limits.calls, "calls", whole(&number, shown)?),
                _ => return Err(BudgetParseError::Unit(shown())),
            };
            if slot.replace(value).is_some() {
                return Err(BudgetParseError::Twice(name));
            }
        }
        Ok(limits)
    }
}

fn whole(number: &str, shown: impl Fn() -> String) -> Result<u64, BudgetParseError> {
    if number.contains('.') {
        return Err(BudgetParseError::NotWhole(shown()));
    }
    number.parse().map_err(|_| BudgetParseError::TooMuch(shown()))
}

elophanto_base::named! {
    /// The time a limit is for. Days and months are those of UTC.
    pub enum Span, as_str {
        Run = "run",
        Day = "day",
        Month = "month",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    pub run: Limits,
    pub day: Limits,
    pub month: Limits,
}

/// What has been spent in each span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub run: Spent,
    pub day: Spent,
    pub month: Spent,
}

impl Totals {
    /// The same with what was spent since.
    pub(super) fn plus(self, spent: Spent) -> Self {
        let Self { run, day, month } = self;
        Self { run: run.plus(spent), day: day.plus(spent), month: month.plus(spent) }
    }
}

/// Why a call is not made, or what it has overdrawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    #[error(
        "the budget of {} per {span} does not allow a call of up to {}: {} are spent",
        usd(*limit), usd(*wanted), usd(*spent)
    )]
    Usd { span: Span, limit: u64, spent: u64, wanted: u64 },
    #[error(
        "the budget of {} per {span} does not allow a call of up to {wanted}: {spent} {} spent",
        counted(*limit, "token"), agreeing(*spent, "is", "are")
    )]
    Tokens { span: Span, limit: u64, spent: u64, wanted: u64 },
    #[error("the budget of {} per {span} is used up", counted(*limit, "call"))]
    Calls { span: Span, limit: u64, spent: u64, wanted: u64 },
    #[error("the budget of {} per {span} allows no call of unknown price", usd(*limit))]
    UnknownPrice { span: Span, limit: u64 },
}

impl Budget {
    /// Whether anything but the run itself is limited.
    pub fn looks_back(&self) -> bool {
        [self.day, self.month].iter().any(|limits| *limits != Limits::default())
    }

    /// Whether there is a limit to the money.
    pub fn limits_money(&self) -> bool {
        [self.run, self.day, self.month].iter().any(|limits| limits.usd_micros.is_some())
    }

    /// Whether a call may be made.
    ///
    /// # Errors
    /// With the first limit it might break. Where money is limited, that includes every call whose
    /// price is not known.
    pub fn check(&self, spent: &Totals, wanted: &Estimate) -> Result<(), OverBudget> {
        let Estimate { usd_micros, tokens, calls } = *wanted;
        self.spans(spent).into_iter().try_for_each(|(span, limits, spent)| {
            let over = |limit: Option<u64>, spent: u64, wanted: u64| {
                limit.filter(|limit| spent.saturating_add(wanted) > *limit)
            };
            if let Some(limit) = over(limits.calls, spent.calls, calls) {
                return Err(OverBudget::Calls { span, limit, spent: spent.calls, wanted: calls });
            }
            if let Some(limit) = over(limits.tokens, spent.tokens, tokens) {
                let (spent, wanted) = (spent.tokens, tokens);
                return Err(OverBudget::Tokens { span, limit, spent, wanted });
            }
            match (limits.usd_micros, usd_micros) {
                (Some(limit), None) => Err(OverBudget::UnknownPrice { span, limit }),
                (limit, Some(wanted)) => match over(limit, spent.usd_micros, wanted) {
                    Some(limit) => {
                        let spent = spent.usd_micros;
                        Err(OverBudget::Usd { span, limit, spent, wanted })
                    }
                    None => Ok(()),
                },
                (None, None) => Ok(()),
            }
        })
    }

    /// Tokens that no limit forbids yet. `None`: they are not limited.
    pub fn tokens_left(&self, spent: &Totals) -> Option<u64> {
        let left = |(_, limits, spent): (Span, Limits, Spent)| {
            Some(limits.tokens?.saturating_sub(spent.tokens))
        };
        self.spans(spent).into_iter().filter_map(left).min()
    }

    /// The first limit that has been broken: an estimate was too low.
    pub fn overdrawn(&self, spent: &Totals) -> Option<OverBudget> {
        self.check(spent, &Estimate { usd_micros: Some(0), tokens: 0, calls: 0 }).err()
    }

    fn spans(&self, spent: &Totals) -> [(Span, Limits, Spent); 3] {
        [
            (Span::Run, self.run, spent.run),
            (Span::Day, self.day, spent.day),
            (Span::Month, self.month, spent.month),
        ]
    }
}

/// `0.50 USD`, with more digits where there is something to see.
fn usd(micros: u64) -> String {
    let (whole, part) = (micros / 1_000_000, format!("{:06}", micros % 1_000_000));
    let (cents, rest) = part.split_at(2);
    format!("{whole}.{cents}{} USD", rest.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let check = |text: &str, usd_micros, tokens, calls| {
            assert_eq!(text.parse(), Ok(Limits { usd_micros, tokens, calls }), "{text}");
        };
        check("0.50usd", Some(500_000), None, None);
        check("2usd, 20_000tok ,30calls", Some(2_000_000), Some(20_000), Some(30));
        check("0calls", None, None, Some(0));
        check(".1 usd", Some(100_000), None, None);
    }

    #[test]
    fn what_is_no_limit_says_why() {
        let check = |text: &str, expected| assert_eq!(text.parse::<Limits>(), Err(expected));
        check("", BudgetParseError::Empty);
        check("1usd,", BudgetParseError::Empty);
        check("20000", BudgetParseError::Unit("20000".into()));
        check("5eur", BudgetParseError::Unit("5eur".into()));
        check("usd", BudgetParseError::Number("usd".into()));
        check("-1usd", BudgetParseError::Number("-1usd".into()));
        check("1.2.3usd", BudgetParseError::Number("1.2.3usd".into()));
        check("1.5tok", BudgetParseError::NotWhole("1.5tok".into()));
        check(
            "99999999999999999999tok",
            BudgetParseError::TooMuch("99999999999999999999tok".into()),
        );
        check("1usd,2usd", BudgetParseError::Twice("usd"));
    }

    #[test]
    fn calls_are_refused_before_they_break_a_limit() {
        let check =
            |limits: &str, spent: (u64, u64, u64), wanted: (Option<u64>, u64), says: &str| {
                let (usd_micros, tokens, calls) = spent;
                let day = Spent { usd_micros, tokens, calls };
                let budget = Budget { day: limits.parse().unwrap(), ..Budget::default() };
                let wanted = Estimate { usd_micros: wanted.0, tokens: wanted.1, calls: 1 };
                let found = budget.check(&Totals { day, ..Totals::default() }, &wanted);
                assert_eq!(found.err().map(|over| over.to_string()).unwrap_or_default(), says);
            };
        check("30calls", (0, 0, 29), (None, 0), "");
        check("30calls", (0, 0, 30), (None, 0), "the budget of 30 calls per day is used up");
        check("100tok", (0, 60, 0), (None, 40), "");
        check(
            "100tok",
            (0, 60, 0),
            (None, 41),
            "the budget of 100 tokens per day does not allow a call of up to 41: 60 are spent",
        );
        check("0.5usd", (400_000, 0, 0), (Some(100_000), 0), "");
        check(
            "0.5usd",
            (400_000, 0, 0),
            (Some(100_001), 0),
            "the budget of 0.50 USD per day does not allow a call of up to 0.100001 USD: \
             0.40 USD are spent",
        );
        check(
            "0.5usd",
            (0, 0, 0),
            (None, 0),
            "the budget of 0.50 USD per day allows no call of unknown price",
        );
        check("0.5usd", (0, 0, 0), (Some(0), u64::MAX), "");
    }

    #[test]
    fn an_estimate_that_was_too_low_is_noticed_afterwards() {
        let run: Limits = "100tok".parse().unwrap();
        let budget = Budget { run, ..Budget::default() };
        let spent =
            |tokens| Totals { run: Spent { tokens, ..Spent::default() }, ..Totals::default() };
        assert_eq!(budget.overdrawn(&spent(100)), None);
        assert!(budget.overdrawn(&spent(101)).is_some());
        assert!(!budget.looks_back());
    }
}
