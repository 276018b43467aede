//! The float arithmetic between the matrix products: softmax, GELU, layer norm, quantising.
//!
//! Owns formulas, knows no model. Every function is written so that the same bits come out on
//! every machine: plain multiplications and additions (never fused), sums in sixteen lanes that
//! are added up in a fixed order, polynomials instead of the system's `exp` and `erf`. The bodies
//! are always inlined; `kernels` compiles them once for each instruction set.

/// Lanes of a sum.
pub const LANES: usize = 16;

/// The smallest power that [`exp`] tells from zero.
const LOWEST: f32 = -87.0;
/// 1.5 * 2^23: adding and subtracting it rounds to the nearest whole number.
const ROUND: f32 = 12_582_912.0;

/// e^x for x <= 0, relative error below 2e-7; what it is at -87 for anything lower and for NaN, 1
/// for anything higher.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // x = n ln 2 + r, |r| <= ln 2 / 2; ln 2 in two parts (Cody and Waite).
    let x = if x > LOWEST { x } else { LOWEST };
    let x = if x < 0.0 { x } else { 0.0 };
    let n = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - n * 0.693_359_4) - n * -2.121_944_4e-4;
    // Cephes, `expf`.
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    let value = p * (r * r) + r + 1.0;
    // SAFETY: n is a whole number from -126 to 0.
    let exponent = unsafe { n.to_int_unchecked::<i32>() };
    value * f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The error function, absolute error below 4e-7: a rational function on [-4, 4] (the one in
/// Eigen).
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let x = if x > 4.0 { 4.0 } else { x };
    let x = if x < -4.0 { -4.0 } else { x };
    let z = x * x;
    let mut p = -2.726_142_4e-10;
    p = p * z + 2.770_681_6e-8;
    p = p * z + -2.101_024e-6;
    p = p * z + -5.692_506_4e-5;
    p = p * z + -7.349_906_3e-4;
    p = p * z + -2.954_6e-3;
    p = p * z + -1.609_603_3e-2;
    let mut q = -1.456_607_2e-5;
    q = q * z + -2.133_740_5e-4;
    q = q * z + -1.682_827e-3;
    q = q * z + -7.373_329_3e-3;
    q = q * z + -1.426_473_9e-2;
    x * p / q
}

/// The activation between the two halves of a feed-forward layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x Φ(x), Hendrycks and Gimpel 2016.
    Gelu,
    /// Its approximation by tanh.
    GeluTanh,
    Relu,
}

/// Applies the activation to each component.
#[inline(always)]
pub fn activate(values: &mut [f32], activation: Activation) {
    match activation {
        Activation::Gelu => values.iter_mut().for_each(|x| {
            *x = *x * 0.5 * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
        }),
        Activation::GeluTanh => values.iter_mut().for_each(|x| {
            let inner = *x * 0.797_884_6 * (1.0 + 0.044_715 * *x * *x);
            // tanh(u) = sign(u) (1 - e) / (1 + e) with e = exp(-2 |u|).
            let e = exp(-2.0 * inner.abs());
            let tanh = ((1.0 - e) / (1.0 + e)).copysign(inner);
            *x = *x * 0.5 * (1.0 + tanh);
        }),
        Activation::Relu => {
            values.iter_mut().for_each(|x| *x = if *x > 0.0 { *x } else { 0.0 });
        }
    }
}

/// Folds `f` over all components: sixteen lanes, then 8 + 8, 4 + 4, 2 + 2, 1 + 1.
#[inline(always)]
fn reduce(
    values: &[f32],
    start: f32,
    f: impl Fn(f32, f32) -> f32,
    g: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, tail) = values.as_chunks::<LANES>();
    for chunk in chunks {
        lanes = std::array::from_fn(|lane| f(lanes[lane], chunk[lane]));
    }
    for (lane, value) in lanes.iter_mut().zip(tail) {
        *lane = f(*lane, *value);
    }
    let eight: [f32; 8] = std::array::from_fn(|lane| g(lanes[lane], lanes[lane + 8]));
    let four: [f32; 4] = std::array::from_fn(|lane| g(eight[lane], eight[lane + 4]));
    g(g(four[0], four[2]), g(four[1], four[3]))
}

/// The sum of `f` over all components.
#[inline(always)]
fn sum(values: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    reduce(values, 0.0, |sum, x| sum + f(x), |a, b| a + b)
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The larger of two; NaN counts as nothing if it comes second.
#[inline(always)]
pub fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// The smallest and the largest component; NaN counts as nothing.
#[inline(always)]
fn range(values: &[f32]) -> (f32, f32) {
    // Two passes: the compiler makes good code of each, and none of both together.
    let low = reduce(values, f32::INFINITY, smaller, smaller);
    (low, reduce(values, f32::NEG_INFINITY, larger, larger))
}

/// `x = norm(x + added) * gain + bias` with mean 0 and variance 1 (layer norm, Ba et al. 2016).
#[inline(always)]
pub fn add_and_norm(x: &mut [f32], added: &[f32], gain: &[f32], bias: &[f32], epsilon: f32) {
    for (x, added) in x.iter_mut().zip(added) {
        *x += *added;
    }
    norm(x, gain, bias, epsilon);
}

/// Layer norm in place.
#[inline(always)]
pub fn norm(x: &mut [f32], gain: &[f32], bias: &[f32], epsilon: f32) {
    let count = x.len() as f32;
    let mean = sum(x, |x| x) / count;
    let variance = sum(x, |x| (x - mean) * (x - mean)) / count;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((x, gain), bias) in x.iter_mut().zip(gain).zip(bias) {
        *x = (*x - mean) * factor * *gain + *bias;
    }
}

/// How a row of floats is written in bytes: value = `low + step * byte`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    pub low: f32,
    pub step: f32,
}

/// Rounds a row to 256 steps between its extremes. What is not finite becomes some byte, never a
/// panic.
#[inline(always)]
pub fn quantise(values: &[f32], bytes: &mut [u8]) -> Scale {
    let (low, high) = range(values);
    let step = (high - low) / 255.0;
    let inverse = if step > 0.0 { 1.0 / step } else { 0.0 };
    for (byte, value) in bytes.iter_mut().zip(values) {
        let scaled = (*value - low) * inverse + 0.5;
        let scaled = if scaled < 255.0 { scaled } else { 255.0 };
        let scaled = if scaled > 0.0 { scaled } else { 0.0 };
        // SAFETY: from 0 to 255; comparisons with NaN are false, which gives 255.
        *byte = unsafe { scaled.to_int_unchecked::<i32>() } as u8;
    }
    Scale { low, step }
}

/// As [`quantise`], to 65,536 steps: the upper bytes, then the lower bytes.
#[inline(always)]
pub fn quantise_finely(values: &[f32], upper: &mut [u8], lower: &mut [u8]) -> Scale {
    let (low, high) = range(values);
    let step = (high - low) / 65_535.0;
    let inverse = if step > 0.0 { 1.0 / step } else { 0.0 };
    for ((upper, lower), value) in upper.iter_mut().zip(lower).zip(values) {
        let scaled = (*value - low) * inverse + 0.5;
        let scaled = if scaled < 65_535.0 { scaled } else { 65_535.0 };
        let scaled = if scaled > 0.0 { scaled } else { 0.0 };
        // SAFETY: from 0 to 65,535; comparisons with NaN are false, which gives 65,535.
        let whole = unsafe { scaled.to_int_unchecked::<i32>() };
        (*upper, *lower) = ((whole >> 8) as u8, whole as u8);
    }
    Scale { low, step }
}

/// What a block of floats must be multiplied with so that the largest becomes `largest`.
#[inline(always)]
pub fn factor(most: f32, largest: f32) -> f32 {
    if most > 0.0 && most.is_finite() { largest / most } else { 0.0 }
}

/// `value * factor`, rounded to the nearest whole number within `±limit`.
#[inline(always)]
pub fn to_i16(value: f32, factor: f32, limit: f32) -> i16 {
    let scaled = value * factor;
    let scaled = if scaled < limit { scaled } else { limit };
    let scaled = if scaled > -limit { scaled } else { -limit };
    // SAFETY: within ±limit, which callers keep below 2^15; ROUND keeps that.
    (unsafe { ((scaled + ROUND) - ROUND).to_int_unchecked::<i32>() }) as i16
}

/// The largest weight of [`softmax`]. Weights of a row add up to little more than this.
pub const CERTAIN: f32 = 32_767.0;

/// Turns a row of whole-numbered scores, each worth `step`, into weights that add up to about
/// [`CERTAIN`]; returns what they add up to. `room` is scratch of the row's length.
#[inline(always)]
pub fn softmax(scores: &[i32], step: f32, weights: &mut [i16], room: &mut [f32]) -> i32 {
    let most = scores.iter().copied().fold(i32::MIN, i32::max);
    for (value, score) in room.iter_mut().zip(scores) {
        *value = exp((score.wrapping_sub(most)) as f32 * step);
    }
    let total = sum(room, |x| x);
    let factor = CERTAIN / total;
    let mut sum = 0;
    for (weight, value) in weights.iter_mut().zip(room.iter()) {
        *weight = to_i16(*value, factor, CERTAIN);
        sum += i32::from(*weight);
    }
    sum
}

/// Scales to unit length; leaves zero as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = sum(vector, |x| x * x).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Taylor series in double precision.
    fn erf_exactly(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    }

    #[test]
    fn exp_and_erf_are_as_accurate_as_they_say() {
        for step in 0..=40_000 {
            let x = step as f32 / 40_000.0 * -86.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) - exact).abs() <= 2e-7 * exact, "exp {x}");
            let x = step as f32 / 40_000.0 * 9.0 - 4.5;
            let error = (f64::from(erf(x)) - erf_exactly(f64::from(x))).abs();
            assert!(error < 4e-7, "erf {x} is off by {error}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e30) < 1e-37);
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn activations_are_what_their_names_say() {
        let check = |activation, x: f32, expected: f32| {
            let mut values = [x];
            activate(&mut values, activation);
            assert!(
                (values[0] - expected).abs() < 1e-6 * x.abs().max(1.0),
                "{activation:?} {x}: {}",
                values[0]
            );
        };
        check(Activation::Gelu, 1.0, 0.841_344_7);
        check(Activation::Gelu, -2.0, -0.045_500_26);
        check(Activation::Gelu, 30.0, 30.0);
        check(Activation::GeluTanh, 1.0, 0.841_192);
        check(Activation::GeluTanh, -2.0, -0.045_402_3);
        check(Activation::Relu, -2.0, 0.0);
        check(Activation::Relu, 2.0, 2.0);
    }

    #[test]
    fn not_a_number_does_no_harm() {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
            let mut bytes = [0; 20];
            let mut values = [1.0; 20];
            values[7] = value;
            quantise(&values, &mut bytes);
            quantise(&[value; 20], &mut bytes);
            quantise_finely(&values, &mut bytes, &mut [0; 20]);
            to_i16(value, factor(value, 100.0), 100.0);
            to_i16(value, 1.0, 100.0);
            exp(value);
            erf(value);
        }
    }

    proptest! {
        #[test]
        fn a_quantised_row_is_half_a_step_off_at_most(
            values in proptest::collection::vec(-100.0f32..100.0, 1..80)
        ) {
            let mut bytes = vec![0; values.len()];
            let scale = quantise(&values, &mut bytes);
            for (byte, value) in bytes.iter().zip(&values) {
                let back = scale.low + scale.step * f32::from(*byte);
                prop_assert!((back - value).abs() <= scale.step * 0.501 + 1e-5);
            }
        }

        #[test]
        fn finely_means_two_bytes(values in proptest::collection::vec(-100.0f32..100.0, 1..80)) {
            let (mut upper, mut lower) = (vec![0; values.len()], vec![0; values.len()]);
            let scale = quantise_finely(&values, &mut upper, &mut lower);
            for ((upper, lower), value) in upper.iter().zip(&lower).zip(&values) {
                let whole = f32::from(*upper) * 256.0 + f32::from(*lower);
                let back = scale.low + scale.step * whole;
                prop_assert!((back - value).abs() <= scale.step * 0.6 + 3e-5);
            }
        }

        #[test]
        fn softmax_weights_add_up(scores in proptest::collection::vec(-9_000i32..9_000, 1..600)) {
            let mut weights = vec![0; scores.len()];
            let mut room = vec![0.0; scores.len()];
            let sum = softmax(&scores, 1e-3, &mut weights, &mut room);
            prop_assert!((f64::from(sum) - 32_767.0).abs() <= scores.len() as f64 / 2.0 + 1.0);
            prop_assert!(weights.iter().all(|weight| *weight >= 0));
            let best = scores.iter().enumerate().max_by_key(|(_, score)| **score).unwrap().0;
            prop_assert_eq!(weights.iter().max(), Some(&weights[best]));
        }
    }
}
