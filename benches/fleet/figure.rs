//! How a figure is shown: median, 95 of 100 and longest, and what is aimed at.

use std::time::Duration;

/// What is aimed at, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub enum Aim {
    Median(u64),
    P95(u64),
}

/// Prints a figure.
pub fn say(name: &str, times: &[Duration], aim: Option<Aim>) {
    let mut times = times.to_vec();
    times.sort();
    let milliseconds = |share: f64| {
        let index = (times.len() as f64 * share) as usize;
        times[index.min(times.len() - 1)].as_secs_f64() * 1e3
    };
    let (median, p95, most) = (milliseconds(0.5), milliseconds(0.95), milliseconds(1.0));
    let aim = match aim {
        None => String::new(),
        Some(Aim::Median(aim)) => format!("  median of {aim}: {}", held(median, aim)),
        Some(Aim::P95(aim)) => format!("  p95 of {aim}: {}", held(p95, aim)),
    };
    println!("{name:<44} {median:>9.1} {p95:>9.1} {most:>9.1} ms  ({}){aim}", times.len());
}

fn held(found: f64, aim: u64) -> &'static str {
    if found <= aim as f64 { "held" } else { "MISSED" }
}
