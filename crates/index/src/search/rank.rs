//! From component scores to an order. Pure: no files, no clock.

/// Which signals are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Hybrid,
    Keyword,
    Semantic,
}

/// How signals become one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranking {
    /// Min-max of each signal over the candidates, weighted and added.
    #[default]
    Weighted,
    /// The additive score of the reference design: cosine, a boost for exact words, recency.
    Additive,
}

/// Weights of the signals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Share of the cosine; keywords get the rest.
    pub semantic: f32,
    pub recency: f32,
    /// Days after which the recency term is halved.
    pub recency_half_life_days: f32,
}

/// What is known of one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// BM25; 0 if no term occurs.
    pub keyword: f32,
    /// Cosine with the query.
    pub cosine: f32,
    /// Days since the last change; negative is taken as 0, infinite is unknown.
    pub age_days: f32,
    /// How well it has proven itself, from 0 to 1.
    pub proven: f32,
}

/// How words and cosine are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As they come.
    Plain,
    /// From 0 for the least to 1 for the most of all candidates.
    Span,
    /// In standard deviations from the mean of all candidates.
    Deviations,
}

/// How much each signal adds to a total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blend {
    /// Of keywords and cosine.
    pub scale: Scale,
    pub keyword: f32,
    pub proven: f32,
    pub others: Weights,
}

/// A score and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// By which hits are ordered: from 0 to about 1, where a second look may add to it.
    pub total: f32,
    /// BM25 as it came.
    pub keyword: f32,
    /// Cosine as it came.
    pub cosine: f32,
    /// Share of the keywords in the total.
    pub keyword_part: f32,
    /// Share of the cosine in the total.
    pub semantic_part: f32,
    /// Share of the recency in the total.
    pub recency_part: f32,
    /// What a closer look adds for words of the question that the passage meets.
    pub words_part: f32,
    /// The same for its best few sentences.
    pub window_part: f32,
    /// What a second look adds for the whole passage, by a slower model.
    pub whole_part: f32,
    /// The same for its best excerpt.
    pub excerpt_part: f32,
    /// What being a test takes from that of a described file, and being a list of changes or in another language
    /// than the question from that of a note.
    pub source_part: f32,
}

impl Score {
    /// Makes the total and each of its parts smaller or larger.
    pub fn scale(&mut self, by: f32) {
        for part in [
            &mut self.total, &mut self.keyword_part, &mut self.semantic_part,
            &mut self.recency_part, &mut self.words_part, &mut self.window_part,
            &mut self.whole_part, &mut self.excerpt_part, &mut self.source_part,
        ] {
            *part *= by;
        }
    }
}

/// Candidates per signal.
pub const CANDIDATES: usize = 100;
/// Candidates of the additive ranking.
const ADDITIVE_CANDIDATES: usize = 20;
/// Boost of the additive ranking when every word of the query occurs.
const EXACT_BOOST: f32 = 0.3;

/// Scores candidates, best first; indexes are those of `signals`.
///
/// `words` says which share of the query's words a candidate holds (additive ranking only).
pub fn rank(
    signals: &[Signals],
    words: &[f32],
    mode: Mode,
    ranking: Ranking,
    weights: &Weights,
) -> Vec<(usize, Score)> {
    let mut scored = match ranking {
        Ranking::Weighted => weighted(signals, mode, weights),
        Ranking::Additive => additive(signals, words, mode, weights),
    };
    // Ties keep the order of the candidates, which is the order of the files.
    scored.sort_by(|a, b| b.1.total.total_cmp(&a.1.total).then(a.0.cmp(&b.0)));
    scored
}

/// `2^(-age / half-life)`: 1 for now, never more, so that dates in the future gain nothing.
pub fn recency(age_days: f32, half_life_days: f32) -> f32 {
    if half_life_days <= 0.0 || !age_days.is_finite() {
        return 0.0;
    }
    (-age_days.max(0.0) / half_life_days).exp2()
}

/// The score of each candidate.
pub fn blend(signals: &[Signals], by: &Blend) -> Vec<Score> {
    let Weights { semantic, recency: recent, recency_half_life_days: half_life } = by.others;
    let keywords = by.scale.of(signals.iter().map(|signal| signal.keyword).collect());
    let cosines = by.scale.of(signals.iter().map(|signal| signal.cosine).collect());
    let score = |((signal, keyword), cosine): ((&Signals, f32), f32)| {
        let (keyword_part, semantic_part) = (by.keyword * keyword, semantic * cosine);
        let recency_part = recent * recency(signal.age_days, half_life);
        Score {
            total: keyword_part + semantic_part + by.proven * signal.proven + recency_part,
            keyword: signal.keyword,
            cosine: signal.cosine,
            keyword_part,
            semantic_part,
            recency_part,
            ..Score::default()
        }
    };
    signals.iter().zip(keywords).zip(cosines).map(score).collect()
}

fn weighted(signals: &[Signals], mode: Mode, weights: &Weights) -> Vec<(usize, Score)> {
    let semantic = match mode {
        Mode::Hybrid => weights.semantic.clamp(0.0, 1.0),
        Mode::Keyword => 0.0,
        Mode::Semantic => 1.0,
    };
    let others = Weights { semantic, ..*weights };
    let by = Blend { scale: Scale::Span, keyword: 1.0 - semantic, proven: 0.0, others };
    blend(signals, &by).into_iter().enumerate().collect()
}

fn additive(
    signals: &[Signals],
    words: &[f32],
    mode: Mode,
    weights: &Weights,
) -> Vec<(usize, Score)> {
    let mut order: Vec<usize> = (0..signals.len()).collect();
    let first = |index: &usize| match mode {
        Mode::Keyword => signals[*index].keyword,
        Mode::Hybrid | Mode::Semantic => signals[*index].cosine,
    };
    order.sort_by(|a, b| first(b).total_cmp(&first(a)).then(a.cmp(b)));
    order.truncate(ADDITIVE_CANDIDATES);
    let others = Weights { semantic: 1.0, ..*weights };
    let by = Blend { scale: Scale::Plain, keyword: EXACT_BOOST, proven: 0.0, others };
    let used = |&index: &usize| {
        let share = words.get(index).copied().unwrap_or(0.0);
        Signals {
            keyword: if mode == Mode::Semantic { 0.0 } else { share },
            cosine: if mode == Mode::Keyword { 0.0 } else { signals[index].cosine },
            ..signals[index]
        }
    };
    let scores = blend(&order.iter().map(used).collect::<Vec<_>>(), &by);
    let as_they_came = |(index, score): (usize, Score)| {
        let Signals { keyword, cosine, .. } = signals[index];
        (index, Score { keyword, cosine, ..score })
    };
    order.into_iter().zip(scores).map(as_they_came).collect()
}

impl Scale {
    fn of(self, values: Vec<f32>) -> Vec<f32> {
        match self {
            Self::Plain => values,
            Self::Span => {
                let span = Span::of(values.iter().copied());
                values.into_iter().map(|value| span.place(value)).collect()
            }
            Self::Deviations => deviations(&values),
        }
    }
}

/// Values less their mean, in standard deviations; zeros if all are the same.
fn deviations(values: &[f32]) -> Vec<f32> {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    // What rounding leaves of a difference is none.
    let inverse = if variance > 1e-12 { variance.sqrt().recip() } else { 0.0 };
    values.iter().map(|value| (value - mean) * inverse).collect()
}

/// Smallest and largest value of a signal.
pub struct Span {
    low: f32,
    high: f32,
}

impl Span {
    pub fn of(values: impl Iterator<Item = f32>) -> Self {
        let start = Self { low: f32::INFINITY, high: f32::NEG_INFINITY };
        values.fold(start, |span, value| Self {
            low: span.low.min(value),
            high: span.high.max(value),
        })
    }

    /// As wide as this at least, downwards from the largest value.
    pub fn at_least(self, width: f32) -> Self {
        Self { low: self.low.min(self.high - width), ..self }
    }

    /// Where a value lies between the two, from 0 to 1. A single candidate lies at the top,
    /// unless its signal is nothing.
    pub fn place(&self, value: f32) -> f32 {
        let width = self.high - self.low;
        if width > 0.0 { (value - self.low) / width } else { f32::from(u8::from(value > 0.0)) }
    }
}

/// Indexes of the `count` largest values above zero (0: of all), best first; of equal ones the lower
/// index. Given indexes ascend.
pub fn top(values: impl Iterator<Item = (usize, f32)>, count: usize) -> Vec<usize> {
    /// What is kept beside the best before the rest is dropped.
    const ROOM: usize = 1024;
    let better = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut best: Vec<(usize, f32)> = Vec::new();
    // What comes later has to be better than the worst that is kept.
    let mut least = 0.0;
    for (index, value) in values {
        if value > least {
            best.push((index, value));
        }
        if count > 0 && best.len() >= count.saturating_add(ROOM) {
            let (_, worst, _) = best.select_nth_unstable_by(count - 1, better);
            least = worst.1;
            best.truncate(count);
        }
    }
    best.sort_unstable_by(better);
    if count > 0 {
        best.truncate(count);
    }
    best.into_iter().map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WEIGHTS: Weights = Weights { semantic: 0.4, recency: 0.02, recency_half_life_days: 90.0 };

    fn check(signals: &[(f32, f32, f32)], mode: Mode, ranking: Ranking, expected: &[usize]) {
        let signals: Vec<Signals> = signals
            .iter()
            .map(|&(keyword, cosine, age_days)| Signals { keyword, cosine, age_days, proven: 0.0 })
            .collect();
        let words = vec![0.0; signals.len()];
        let order: Vec<usize> =
            rank(&signals, &words, mode, ranking, &WEIGHTS).into_iter().map(|hit| hit.0).collect();
        assert_eq!(order, expected);
    }

    proptest! {
        #[test]
        fn top_is_what_sorting_says(
            values in proptest::collection::vec(-3i8..20, 0..4000),
            count in 0usize..50,
        ) {
            let values: Vec<f32> = values.into_iter().map(f32::from).collect();
            let mut sorted: Vec<usize> =
                (0..values.len()).filter(|&index| values[index] > 0.0).collect();
            sorted.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
            if count > 0 {
                sorted.truncate(count);
            }
            prop_assert_eq!(top(values.into_iter().enumerate(), count), sorted);
        }
    }

    #[test]
    fn orders() {
        let both = [(5.0, 0.2, 0.0), (1.0, 0.9, 0.0), (4.0, 0.8, 0.0)];
        check(&both, Mode::Hybrid, Ranking::Weighted, &[2, 0, 1]);
        check(&both, Mode::Keyword, Ranking::Weighted, &[0, 2, 1]);
        check(&both, Mode::Semantic, Ranking::Weighted, &[1, 2, 0]);
        check(&both, Mode::Hybrid, Ranking::Additive, &[1, 2, 0]);
        // Of equals the newer comes first; a date in the future is not newer than now.
        let ages = [500.0, 1.0, f32::INFINITY, 0.0, -3e6].map(|age_days| (1.0, 0.5, age_days));
        check(&ages, Mode::Hybrid, Ranking::Weighted, &[3, 4, 1, 0, 2]);
        check(&[], Mode::Hybrid, Ranking::Weighted, &[]);
    }

    #[test]
    fn recency_never_outweighs_a_better_match() {
        check(&[(5.0, 0.9, 9e9), (1.0, 0.2, 0.0)], Mode::Hybrid, Ranking::Weighted, &[0, 1]);
        assert_eq!(recency(f32::NAN, 90.0), 0.0);
        assert_eq!(recency(-1e30, 90.0), 1.0);
    }

    #[test]
    fn top_picks_the_best_above_zero() {
        let values = [0.0, 3.0, -1.0, 5.0, 3.0];
        assert_eq!(top(values.iter().copied().enumerate(), 2), [3, 1]);
        assert_eq!(top(values.iter().copied().enumerate(), 9), [3, 1, 4]);
        assert_eq!(top(values.iter().copied().enumerate(), 0), [3, 1, 4]);
    }
}
