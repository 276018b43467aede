//! A course of numbers drawn on one line.

/// Numbers that are drawn: of more, the last.
pub const MAX_SPARK: usize = 120;

const BLOCKS: &[char] = &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: &[char] = &['_', '.', '-', '=', '#'];

/// What a course is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Eight blocks of growing height.
    Blocks,
    /// `_.-=#`, for terminals and logs that know nothing else.
    Ascii,
}

/// One character per number. Heights reach from the lowest number to the highest, zero always
/// between them, so that small changes of a large number look small. What is no number lies lowest.
pub fn spark(values: &[f64], signs: Signs) -> String {
    let signs = match signs {
        Signs::Blocks => BLOCKS,
        Signs::Ascii => ASCII,
    };
    let shown = values.get(values.len().saturating_sub(MAX_SPARK)..).unwrap_or(values);
    let finite = || shown.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(0.0, f64::min);
    // Halves, so that the span of the largest numbers is still a number.
    let span = finite().fold(0.0, f64::max) / 2.0 - low / 2.0;
    let steps = signs.len().saturating_sub(1);
    let height = |value: f64| {
        let part = (value / 2.0 - low / 2.0) / span;
        // NaN becomes 0 by this cast, and what is too much the most.
        let step = (part * steps as f64).round() as usize;
        signs.get(step.min(steps)).copied().unwrap_or(' ')
    };
    shown.iter().copied().map(height).collect()
}
