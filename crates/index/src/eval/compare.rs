//! How far figures may be trusted: intervals by bootstrap, and a paired test of two ways of
//! searching. Pure, and the same at each run. Sources: Efron 1979 (bootstrap, percentiles);
//! Smucker, Allan and Carterette 2007 (randomisation test for retrieval).

use schemars::JsonSchema;
use serde::Serialize;

/// Samples that are drawn.
const SAMPLES: usize = 10_000;
/// Of the generator: the same figures give the same interval.
const SEED: u64 = 0x1905;

/// Two ways of searching, question by question: the second less the first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Paired {
    /// Mean difference, and within what it lies with 95 %.
    pub difference: f64,
    pub low: f64,
    pub high: f64,
    /// How often chance alone would make as large a difference.
    pub p: f64,
    /// Questions that the second answers better, and worse.
    pub better: usize,
    pub worse: usize,
}

/// Within what the mean of such values lies with 95 %; zeros for none.
pub fn interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut draw = || values.iter().map(|_| values[random.usize(..values.len())]).sum::<f64>();
    let mut means: Vec<f64> = (0..SAMPLES).map(|_| draw() / values.len() as f64).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((SAMPLES as f64 * share) as usize).min(SAMPLES - 1)];
    (at(0.025), at(0.975))
}

/// Compares the figures of the same questions.
pub fn paired(first: &[f64], second: &[f64]) -> Paired {
    /// What rounding leaves of a difference is none.
    const NOTHING: f64 = 1e-9;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
    let sum: f64 = differences.iter().sum();
    let (low, high) = interval(&differences);
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut chance = || {
        let sign = |value: &f64| if random.bool() { *value } else { -*value };
        differences.iter().map(sign).sum::<f64>()
    };
    let as_large = (0..SAMPLES).filter(|_| chance().abs() >= sum.abs() - NOTHING).count();
    let count = |is: fn(f64) -> bool| differences.iter().filter(|it| is(**it)).count();
    Paired {
        difference: sum / differences.len().max(1) as f64,
        low,
        high,
        // What was seen is one of the possible draws.
        p: (as_large + 1) as f64 / (SAMPLES + 1) as f64,
        better: count(|it| it > NOTHING),
        worse: count(|it| it < -NOTHING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_told_from_a_difference() {
        let first: Vec<f64> = (0..60).map(|n| f64::from(n % 7) / 10.0).collect();
        let better: Vec<f64> = first.iter().map(|x| x + 0.1).collect();
        let found = paired(&first, &better);
        assert!((found.difference - 0.1).abs() < 1e-9 && found.p < 0.001, "{found:?}");
        assert_eq!((found.better, found.worse), (60, 0));
        // As much to one side as to the other.
        let other: Vec<f64> =
            first.iter().enumerate().map(|(n, x)| x + [0.1, -0.1][n % 2]).collect();
        let found = paired(&first, &other);
        assert!(found.p > 0.9 && found.low < 0.0 && found.high > 0.0, "{found:?}");
        assert_eq!((found.better, found.worse), (30, 30));
        let same = paired(&first, &first);
        assert_eq!((same.difference, same.p, same.better), (0.0, 1.0, 0));
        assert_eq!(paired(&[], &[]).difference, 0.0);
    }

    #[test]
    fn the_mean_lies_within() {
        // 100 throws of a coin: a standard error of 0.05.
        let coins: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
        let (low, high) = interval(&coins);
        assert!((low - 0.40).abs() < 0.02 && (high - 0.60).abs() < 0.02, "{low} {high}");
        assert_eq!(interval(&coins), (low, high), "the same at each run");
        assert_eq!(interval(&[0.3; 9]).0, interval(&[0.3; 9]).1);
        assert_eq!(interval(&[]), (0.0, 0.0));
    }
}
