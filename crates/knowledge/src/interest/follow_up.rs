//! Whether a question goes on with the one before it.

use jiff::{SignedDuration, Timestamp};

use elophanto_base::one_line::one_line;

/// A question that comes later is a new beginning.
pub const FOLLOW_UP_WITHIN: SignedDuration = SignedDuration::from_mins(10);
/// Characters of a question by which two are told apart.
const COMPARED: usize = 2_000;
/// Sums that are kept at once, so that the processor adds several numbers in one step.
const LANES: usize = 16;

/// What was asked, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked<'a> {
    /// The question.
    pub text: &'a str,
    /// When it was asked.
    pub at: Timestamp,
    /// Of unit length.
    pub vector: &'a [f32],
}

/// Whether `now` asks more about what `previous` asked about: at most ten minutes later, with a
/// cosine of at least `threshold`, and in other words.
pub fn is_follow_up(previous: &Asked<'_>, now: &Asked<'_>, threshold: f32) -> bool {
    let later = now.at.duration_since(previous.at);
    !later.is_negative()
        && later <= FOLLOW_UP_WITHIN
        && cosine(previous.vector, now.vector).is_some_and(|like| like >= threshold)
        && gist(previous.text) != gist(now.text)
}

/// The cosine of two vectors of unit length; `None` if they cannot be compared.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    if a.is_empty() || a.len() != b.len() {
        return None;
    }
    let mut lanes = [0.0_f32; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    Some(lanes.iter().sum::<f32>() + rest)
}

/// A question without case and punctuation; as it is if it has nothing else.
fn gist(text: &str) -> String {
    let line = one_line(text, COMPARED).to_lowercase();
    let spaced: String =
        line.chars().map(|char| if char.is_alphanumeric() { char } else { ' ' }).collect();
    let gist = one_line(&spaced, COMPARED);
    if gist.is_empty() { line } else { gist }
}
