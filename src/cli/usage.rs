//! `elophanto usage`

use std::path::Path;

use jiff::Timestamp;

use super::{Outcome, Result, Ui, env, escape_control_line, one_of};
use crate::wire::UsageWire;
pub use elophanto_app::usage::usd;
use elophanto_app::{
    settings::Settings,
    usage::{Left, Usage, UsageRequest, budgets, usage},
};
use elophanto_base::counted::counted;
use elophanto_models::llm::{By, Problem, Sum};

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
    #[arg(long, value_parser = one_of(&By::ALL, By::name), default_value_t = By::Task)]
    by: By,
    /// Only calls since then: a date, a time, or a span such as 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only calls before then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
}

pub fn run(args: &UsageArgs, ui: &mut Ui) -> Result<Outcome> {
    let environment = env::environment();
    let settings = Settings::around(Path::new("."), &environment, Vec::new(), ui)?;
    let (since, until) = (args.since.as_deref(), args.until.as_deref());
    let now = Timestamp::now();
    let used = usage(&environment, &UsageRequest { by: args.by, since, until }, now)?;
    warn(&used.problems, ui);
    let is_empty = used.sums.is_empty();
    if is_empty {
        let since = used.since.strftime("%F");
        ui.talk(format_args!("no call of a model was recorded since {since}"));
    } else {
        table(&used, args.by, ui)?;
    }
    for left in budgets(&environment, &settings.config.llm, now)? {
        say_left(&left, ui)?;
    }
    Ok(if is_empty { Outcome::Negative } else { Outcome::Done })
}

fn table(used: &Usage, by: By, ui: &mut Ui) -> Result<()> {
    let rows: Vec<(String, &Sum)> =
        used.sums.iter().map(|(name, sum)| (escape_control_line(name), sum)).collect();
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let width = widest.max(by.name().len()).max("total".len());
    if !ui.json {
        ui.line(format_args!(
            "{:<width$} {:>8} {:>12} {:>12}  money",
            by.name(),
            "calls",
            "input",
            "output"
        ))?;
    }
    for (name, sum) in rows {
        row(by.name(), &name, sum, width, ui)?;
    }
    row("total", "total", &used.total, width, ui)
}

fn row(by: &str, name: &str, sum: &Sum, width: usize, ui: &mut Ui) -> Result<()> {
    let Sum { calls, unpriced, input, output, usd_micros, .. } = *sum;
    let cost = cost(usd_micros, unpriced);
    let text = format!("{name:<width$} {calls:>8} {input:>12} {output:>12}  {cost}");
    ui.emit(&UsageWire::of(by, name, sum), text)
}

fn say_left(left: &Left, ui: &mut Ui) -> Result<()> {
    let Left { budget, limit, usd_micros, tokens, calls } = *left;
    let parts = [
        usd_micros.map(money),
        tokens.map(|tokens| counted(tokens, "token")),
        calls.map(|calls| counted(calls, "call")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let parts = parts.join(", ");
    ui.emit(left, format_args!("budget of a {budget}: {limit}; left: {parts}"))
}

/// A damaged line costs itself only, but nobody should take a sum for whole that is not.
fn warn(problems: &[Problem], ui: &Ui) {
    for Problem { path, damage } in problems.iter().take(MOST_PROBLEMS) {
        ui.warn(format_args!("{}:{}: {}", path.display(), damage.line, damage.fault));
    }
    if problems.len() > MOST_PROBLEMS {
        ui.warn(counted(problems.len() - MOST_PROBLEMS, "more damaged line"));
    }
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
    let unknown = format!("{} of unknown price", counted(unpriced, "call"));
    match (micros, unpriced) {
        (micros, 0) => money(micros),
        (0, _) => unknown,
        (micros, _) => format!("{} + {unknown}", money(micros)),
    }
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
}
