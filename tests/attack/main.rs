//! Attacks on the program as users have it: kills, damaged files, hostile settings, bombs, races.
//!
//! They try at random for as long as they are given, and print what they tried and what broke;
//! each failure names the seed and the round that show it again. Not part of `cargo test`.
//!
//! `fleet` ends when so many processes were killed.
//!
//! `cargo bench --bench attack [-- [--seconds N] [--seed N] [--kills N] [NAME...]]`

#![expect(clippy::print_stdout, reason = "a program for developers")]
#![expect(clippy::exit, reason = "a program for developers")]

mod bombs;
mod bounded;
mod damage;
#[path = "../it/env.rs"]
#[expect(dead_code, unused_imports, unused_macros, reason = "the end-to-end tests use the rest")]
mod env;
mod fleet;
mod kills;
#[cfg(target_os = "linux")]
mod races;
mod settings;

use std::time::{Duration, Instant};

/// How long all attacks together go on unless `--seconds` says otherwise.
const SECONDS: u64 = 300;
/// Kills of who publishes and folds unless `--kills` says otherwise.
const KILLS: u64 = 200;

/// What an attack has at hand: chance, an end, and what it saw so far.
pub struct Attack {
    pub chance: fastrand::Rng,
    until: Instant,
    /// Kills that `fleet` ends after, whatever the time.
    pub kills: u64,
    /// Rounds begun.
    pub rounds: u64,
    /// What broke, one line each.
    pub broken: Vec<String>,
    /// The longest command and the most memory of one.
    pub longest: Duration,
    pub most_bytes: u64,
}

impl Attack {
    /// Whether there is time for one more round.
    pub fn goes_on(&mut self) -> bool {
        let goes_on = Instant::now() < self.until;
        self.rounds += u64::from(goes_on);
        goes_on
    }

    /// Notes that something broke.
    pub fn broke(&mut self, what: impl AsRef<str>) {
        let line = format!("round {}: {}", self.rounds, what.as_ref());
        println!("  BROKEN {line}");
        self.broken.push(line);
    }

    /// Notes that something broke unless it holds.
    pub fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broke(what());
        }
    }
}

/// A name and what goes on under it.
type Named = (&'static str, fn(&mut Attack));

const ATTACKS: &[Named] = &[
    ("kills", kills::run),
    ("damage", damage::run),
    ("settings", settings::run),
    ("bombs", bombs::run),
    #[cfg(target_os = "linux")]
    ("races", races::run),
    ("fleet", fleet::run),
];

fn main() {
    let mut seconds = SECONDS;
    let mut kills = KILLS;
    let mut seed = fastrand::u64(..);
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            // What cargo hands to every bench.
            "--bench" => {}
            "--seconds" | "--seed" | "--kills" => match (argument.as_str(), number()) {
                ("--seconds", Some(given)) => seconds = given,
                ("--seed", Some(given)) => seed = given,
                ("--kills", Some(given)) => kills = given,
                _ => usage(&format!("{argument} takes a number")),
            },
            name if ATTACKS.iter().any(|(known, _)| *known == name) => names.push(name.to_owned()),
            other => usage(&format!("`{other}` is no attack")),
        }
    }
    let chosen: Vec<_> = ATTACKS
        .iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|wanted| wanted == name))
        .collect();
    let each = Duration::from_secs(seconds) / u32::try_from(chosen.len()).unwrap_or(1);
    println!("seed {seed}, {seconds} s");
    let mut broken = 0;
    for (name, run) in chosen {
        let mut attack = Attack {
            chance: fastrand::Rng::with_seed(seed),
            until: Instant::now() + each,
            kills,
            rounds: 0,
            broken: Vec::new(),
            longest: Duration::ZERO,
            most_bytes: 0,
        };
        println!("{name}");
        run(&mut attack);
        println!(
            "  {} rounds, {} broken, longest command {:.1} s, most memory {} MB",
            attack.rounds,
            attack.broken.len(),
            attack.longest.as_secs_f64(),
            attack.most_bytes / 1_000_000
        );
        broken += attack.broken.len();
    }
    if broken > 0 {
        std::process::exit(1);
    }
}

fn usage(wrong: &str) -> ! {
    let names: Vec<_> = ATTACKS.iter().map(|(name, _)| *name).collect();
    println!(
        "{wrong}\nusage: attack [--seconds N] [--seed N] [--kills N] [{}]...",
        names.join("|")
    );
    std::process::exit(2);
}
