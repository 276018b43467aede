//! What the belief in an answer is worth: a set's own questions, which have one among its documents,
//! against the questions of other sets, which have none.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Corpus, EvalError, TestSet};
use crate::search::{Confidence, Level, Query, Request, run::SearchContext};
use elophanto_base::lexical::Analyzer;
use elophanto_models::{Embedder, builtin::Builtin};

/// Files among which the right one is looked for.
const FEW: usize = 5;

/// A question and what was believed of its hits.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// A question of the set itself.
    pub is_own: bool,
    pub confidence: Confidence,
    /// Whether the first hit is relevant.
    pub is_first: bool,
    /// Whether one of the first five is.
    pub is_among_five: bool,
}

/// How well belief parts questions with an answer from those without.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Parted {
    /// Chance that a question of the set is believed more than another (area under the ROC curve).
    pub auc: f64,
    pub own: usize,
    pub others: usize,
    /// The surest first.
    pub levels: Vec<AtLevel>,
}

/// What is said at one level. Shares are from 0 to 1, those of nothing 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct AtLevel {
    pub level: Level,
    /// Share of the set's own questions, and of the others.
    pub own: f64,
    pub others: f64,
    /// Of the own ones: share with the right file first, and among five.
    pub first: f64,
    pub among_five: f64,
}

impl Corpus {
    /// Asks the questions of a set about these documents; hits are right only if `is_own`. What finds
    /// nothing is left out: nobody takes it for an answer.
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn judge(
        &self,
        set: &TestSet,
        is_own: bool,
        analyzer: &Analyzer,
        embedder: &dyn Embedder,
        request: impl for<'a> Fn(&'a Query) -> Request<'a>,
    ) -> Result<Vec<Judged>, EvalError> {
        let tools = SearchContext { analyzer, embedder, sentence_embedder: &Builtin };
        let mut judged = Vec::new();
        for question in &set.questions {
            let query = Query::plain(&question.text, analyzer);
            let request = Request { limit: FEW, ..request(&query) };
            let answer = crate::search::search(&self.snapshot, &request, &tools)?;
            let is_right = |hit: &crate::search::Hit| {
                let grade = question.relevant.get(&hit.path.to_text());
                is_own && grade.is_some_and(|grade| *grade > 0.0)
            };
            judged.extend(answer.confidence.map(|confidence| Judged {
                is_own,
                confidence,
                is_first: answer.hits.first().is_some_and(is_right),
                is_among_five: answer.hits.iter().any(is_right),
            }));
        }
        Ok(judged)
    }
}

/// Sums up what was believed.
pub fn parted(judged: &[Judged]) -> Parted {
    let (own, others): (Vec<&Judged>, Vec<&Judged>) = judged.iter().partition(|it| it.is_own);
    let share = |part: usize, all: usize| if all > 0 { part as f64 / all as f64 } else { 0.0 };
    let at = |level: Level| {
        let of = |all: &[&Judged]| all.iter().filter(|it| it.confidence.level == level).count();
        let right = |is_right: fn(&Judged) -> bool| {
            own.iter().filter(|it| it.confidence.level == level && is_right(it)).count()
        };
        AtLevel {
            level,
            own: share(of(&own), own.len()),
            others: share(of(&others), others.len()),
            first: share(right(|it| it.is_first), of(&own)),
            among_five: share(right(|it| it.is_among_five), of(&own)),
        }
    };
    let odds = |all: &[&Judged]| all.iter().map(|it| it.confidence.log_odds).collect::<Vec<_>>();
    Parted {
        auc: auc(&odds(&own), odds(&others)),
        own: own.len(),
        others: others.len(),
        levels: Level::ALL.into_iter().map(at).collect(),
    }
}

/// Share of pairs of which the first value is the greater one; of equal ones half (Mann and Whitney
/// 1947). 0.5 for nothing.
fn auc(own: &[f32], mut others: Vec<f32>) -> f64 {
    let pairs = own.len() * others.len();
    if pairs == 0 {
        return 0.5;
    }
    others.sort_by(f32::total_cmp);
    let below = |value: &f32| {
        let less = others.partition_point(|other| other < value);
        let not_more = others.partition_point(|other| other <= value);
        (less + not_more) as f64 / 2.0
    };
    own.iter().map(below).sum::<f64>() / pairs as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::belief::Confidence;
    use elophanto_models::{Belief, Features};

    fn judged(is_own: bool, log_odds: f32, is_first: bool) -> Judged {
        let belief = Belief { bias: log_odds, sure: 1.0, nothing: -1.0, ..Belief::STATIC };
        let confidence = Confidence::of(Features::default(), 1.0, &belief);
        Judged { is_own, confidence, is_first, is_among_five: true }
    }

    #[test]
    fn curves() {
        for (own, others, expected) in [
            (&[2.0, 3.0][..], &[0.0, 1.0][..], 1.0),
            (&[0.0, 1.0], &[2.0, 3.0], 0.0),
            (&[1.0, 1.0], &[1.0], 0.5),
            (&[0.0, 2.0], &[1.0], 0.5),
            (&[1.0, 2.0], &[1.0, 0.0], 0.875),
            (&[], &[1.0], 0.5),
        ] {
            assert_eq!(auc(own, others.to_vec()), expected, "{own:?} {others:?}");
        }
    }

    #[test]
    fn levels_are_counted() {
        let all = [
            judged(true, 2.0, true),
            judged(true, 1.5, false),
            judged(true, 0.0, true),
            judged(true, -2.0, false),
            judged(false, 0.5, false),
            judged(false, -3.0, false),
        ];
        let found = parted(&all);
        assert_eq!((found.own, found.others, found.auc), (4, 2, 0.75));
        let level = |level, own, others, first, among_five| AtLevel {
            level,
            own,
            others,
            first,
            among_five,
        };
        assert_eq!(
            found.levels,
            [
                level(Level::Sure, 0.5, 0.0, 0.5, 1.0),
                level(Level::Perhaps, 0.25, 0.5, 1.0, 1.0),
                level(Level::Nothing, 0.25, 0.5, 0.0, 1.0),
            ]
        );
        let nothing = parted(&[]);
        assert_eq!((nothing.own, nothing.levels[0].first), (0, 0.0));
    }
}
