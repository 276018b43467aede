//! `elophanto usage`

use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible_line},
    workspace,
};
use elophanto_app::{
    llm::{budget, ledger_in},
    settings::Settings,
    when::moment,
};
use elophanto_models::llm::{self, Call, Ledger, Limits, Problem, Spent, Sum};

/// Damaged lines that are named one by one.
const MOST_PROBLEMS: usize = 10;

/// Say what asking models has cost
///
/// Every call is recorded in your own state folder: when, for what, which model, how many tokens
/// and how much money, never what was said. Shows this month unless told otherwise; days and
/// months are those of UTC. Exits with 1 if nothing was recorded in that time.
#[derive(clap::Args, Debug)]
pub struct UsageArgs {
    /// What to sum up
    #[arg(long, value_enum, default_value_t = ByArg::Task)]
    by: ByArg,
    /// Only calls since then: a date, a time, or a span such as 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only calls before then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ByArg {
    Task,
    Command,
    Model,
    Provider,
    Day,
}

impl ByArg {
    fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Command => "command",
            Self::Model => "model",
            Self::Provider => "provider",
            Self::Day => "day",
        }
    }
}

impl From<ByArg> for llm::By {
    fn from(by: ByArg) -> Self {
        match by {
            ByArg::Task => Self::Task,
            ByArg::Command => Self::Command,
            ByArg::Model => Self::Model,
            ByArg::Provider => Self::Provider,
            ByArg::Day => Self::Day,
        }
    }
}

/// A row of the table, and the total, as `--json` prints them.
#[derive(Serialize)]
struct SumWire<'a> {
    /// What was summed up by; `total` for all of it.
    by: &'a str,
    name: &'a str,
    calls: u64,
    failed: u64,
    input: u64,
    output: u64,
    /// Without the calls of unknown price.
    usd: f64,
    /// Calls of unknown price.
    unpriced: u64,
    ms: u64,
}

/// A budget, as `--json` prints it. What is not limited is `null`.
#[derive(Serialize)]
struct BudgetWire<'a> {
    budget: &'a str,
    limit: &'a str,
    left_usd: Option<f64>,
    left_tokens: Option<u64>,
    left_calls: Option<u64>,
}

pub fn run(args: &UsageArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let settings = workspace::settings(Vec::new(), ui)?;
    let now = Timestamp::now();
    let when = |text: &str| Ok::<_, CliError>(second(moment(text, now.as_second())?));
    let since = args.since.as_deref().map(when).transpose()?;
    let until = args.until.as_deref().map(when).transpose()?;
    let ledger = ledger().ok_or_else(no_folder)?;
    let since = since.unwrap_or_else(|| month_of(until.unwrap_or(now)));
    let (calls, problems) = ledger.read(since..until.unwrap_or(Timestamp::MAX))?;
    warn(&problems, ui);
    if calls.is_empty() {
        ui.talk(format_args!("no call of a model was recorded since {}", since.strftime("%F")));
    } else {
        table(&calls, args.by, ui)?;
    }
    budgets(&settings, &ledger, now, ui)?;
    Ok(if calls.is_empty() { Outcome::Negative } else { Outcome::Done })
}

fn table(calls: &[Call], by: ByArg, ui: &mut Ui) -> Result<(), CliError> {
    let sums = llm::sum(calls, by.into());
    let mut total = Sum::default();
    calls.iter().for_each(|call| total.add(call));
    let rows: Vec<(String, &Sum)> =
        sums.iter().map(|(name, sum)| (visible_line(name), sum)).collect();
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let width = widest.max(by.word().len()).max("total".len());
    if !ui.json {
        ui.line(format_args!(
            "{:<width$} {:>8} {:>12} {:>12}  money",
            by.word(),
            "calls",
            "input",
            "output"
        ))?;
    }
    for (name, sum) in rows {
        row(by.word(), &name, sum, width, ui)?;
    }
    row("total", "total", &total, width, ui)
}

fn row(by: &str, name: &str, sum: &Sum, width: usize, ui: &mut Ui) -> Result<(), CliError> {
    let Sum { calls, failed, unpriced, input, output, usd_micros, ms } = *sum;
    let usd = usd(usd_micros);
    let wire = SumWire { by, name, calls, failed, input, output, usd, unpriced, ms };
    let cost = cost(usd_micros, unpriced);
    ui.emit(&wire, format_args!("{name:<width$} {calls:>8} {input:>12} {output:>12}  {cost}"))
}

/// What is left of each budget that is set.
fn budgets(
    settings: &Settings,
    ledger: &Ledger,
    now: Timestamp,
    ui: &mut Ui,
) -> Result<(), CliError> {
    let config = &settings.config.llm;
    let budget = budget(config)?;
    let (month, day) =
        if budget.looks_back() { ledger.spent(now)? } else { <(Spent, Spent)>::default() };
    for (span, text, limits, spent) in [
        ("run", &config.budget_run, budget.run, Spent::default()),
        ("day", &config.budget_day, budget.day, day),
        ("month", &config.budget_month, budget.month, month),
    ] {
        if limits == Limits::default() {
            continue;
        }
        let left = |limit: Option<u64>, spent: u64| limit.map(|limit| limit.saturating_sub(spent));
        let micros = left(limits.usd_micros, spent.usd_micros);
        let wire = BudgetWire {
            budget: span,
            limit: text,
            left_usd: micros.map(usd),
            left_tokens: left(limits.tokens, spent.tokens),
            left_calls: left(limits.calls, spent.calls),
        };
        let parts = [
            micros.map(money),
            wire.left_tokens.map(|tokens| format!("{tokens} tokens")),
            wire.left_calls.map(|calls| format!("{calls} calls")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let parts = parts.join(", ");
        ui.emit(&wire, format_args!("budget of a {span}: {text}; left: {parts}"))?;
    }
    Ok(())
}

/// A damaged line costs itself only, but nobody should take a sum for whole that is not.
fn warn(problems: &[Problem], ui: &Ui) {
    for Problem { path, damage } in problems.iter().take(MOST_PROBLEMS) {
        ui.warn(format_args!("{}:{}: {}", path.display(), damage.line, damage.fault));
    }
    if problems.len() > MOST_PROBLEMS {
        ui.warn(format_args!("{} more damaged lines", problems.len() - MOST_PROBLEMS));
    }
}

fn ledger() -> Option<Ledger> {
    Some(ledger_in(&env::environment().state_folder()?))
}

fn no_folder() -> CliError {
    CliError::new("no folder for what was spent: neither XDG_STATE_HOME nor HOME is absolute")
        .hint("set HOME to your home folder")
}

/// US dollars.
pub fn usd(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// `$0.12`, with more digits where there would be too little to see.
pub fn money(micros: u64) -> String {
    match micros {
        0 | 100_000.. => format!("${:.2}", usd(micros)),
        100.. => format!("${:.4}", usd(micros)),
        _ => format!("${:.6}", usd(micros)),
    }
}

fn cost(micros: u64, unpriced: u64) -> String {
    let unknown = match unpriced {
        1 => "1 call of unknown price".to_owned(),
        more => format!("{more} calls of unknown price"),
    };
    match (micros, unpriced) {
        (micros, 0) => money(micros),
        (0, _) => unknown,
        (micros, _) => format!("{} + {unknown}", money(micros)),
    }
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
    fn money_is_shown_with_what_is_unknown() {
        for (micros, unpriced, expected) in [
            (0, 0, "$0.00"),
            (7, 0, "$0.000007"),
            (1_250, 0, "$0.0013"),
            (120_000, 3, "$0.12 + 3 calls of unknown price"),
            (0, 1, "1 call of unknown price"),
            (12_345_678, 0, "$12.35"),
        ] {
            assert_eq!(cost(micros, unpriced), expected);
        }
    }

    #[test]
    fn months_begin_in_utc() {
        let month = |text: &str| month_of(text.parse().unwrap()).to_string();
        assert_eq!(month("2026-11-21T10:00:00Z"), "2026-11-01T00:00:00Z");
        assert_eq!(month("2026-11-01T00:30:00+02:00"), "2026-10-01T00:00:00Z");
        assert_eq!(second(i64::MAX), Timestamp::MAX);
    }
}
