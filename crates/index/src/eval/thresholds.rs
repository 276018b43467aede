//! Where a model's cosines part: chance from kinship, kinship from repetition.
//!
//! Samples of a test set are embedded: questions with documents judged relevant, the same questions
//! with documents drawn at random, with documents about something else, and documents with edited
//! copies of themselves. What is about something else comes from a second set: within one, all
//! documents may well be about the same matter. What is believed of the hits is sampled the same way:
//! of questions of the set, asked of some of its documents, and of those of the second. All drawing is by a fixed generator, so that a second
//! run gives the same figures.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Corpus, EvalError, TestSet, set::Question};
use crate::{
    note,
    search::{Query, Request},
};
use elophanto_base::lexical::Analyzer;
use elophanto_models::{Belief, Embedded, Embedder, Role, SearchThresholds, dot};

/// Questions and documents that are looked at.
const SAMPLE: usize = 300;
/// Documents drawn at random for each question.
const DRAWN: usize = 20;
/// Of pairs about different matters, so many lie below the threshold of chance.
const CHANCE: f64 = 0.95;
/// Of pairs of different documents, so many of the nearest ones are not taken for the same.
const DIFFERENT: f64 = 0.99;
/// Of questions without an answer, so many lie below the threshold of being sure; of those with one,
/// as many above that of nothing.
const BELIEVED: f64 = 0.95;
/// One word in so many is left out of an edited copy.
const EDITED: usize = 20;

/// Measured thresholds, and how often they err on the sample.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct Thresholds {
    /// See [`SearchThresholds::nothing`].
    pub nothing: f32,
    /// Share of relevant documents below it: lost where no word helps.
    pub nothing_loses: f64,
    /// See [`SearchThresholds::relevant`].
    pub relevant: f32,
    /// Share of random documents at or above it.
    pub relevant_lets_in: f64,
    /// Share of relevant documents below it.
    pub relevant_loses: f64,
    /// See [`SearchThresholds::near_duplicate`].
    pub near_duplicate: f32,
    /// Share of documents whose nearest other document is at or above it.
    pub duplicate_mistakes: f64,
    /// Share of edited copies at or above it.
    pub duplicate_finds: f64,
    /// See [`Belief::sure`].
    pub sure: f32,
    /// Shares of questions with and without an answer from there on.
    pub sure_of_own: f64,
    pub sure_of_others: f64,
    /// See [`Belief::nothing`].
    pub no_answer: f32,
    /// Shares of questions with and without an answer below.
    pub no_answer_to_own: f64,
    pub no_answer_to_others: f64,
}

impl Thresholds {
    /// As a profile, with the weights of another: they are not measured here.
    pub fn profile(&self, weights: &SearchThresholds) -> SearchThresholds {
        let Self { nothing, relevant, near_duplicate, sure, no_answer, .. } = *self;
        let belief = Belief { sure, nothing: no_answer, ..weights.belief };
        SearchThresholds { nothing, relevant, near_duplicate, belief, ..*weights }
    }
}

/// Measures a model on a set, against a set about something else. `request` makes the request for a
/// query whose hits are judged.
///
/// # Errors
/// When the embedder fails.
pub fn thresholds(
    set: &TestSet,
    foreign: &TestSet,
    analyzer: &Analyzer,
    embedder: &dyn Embedder,
    request: impl for<'a> Fn(&'a Query) -> Request<'a>,
) -> Result<Thresholds, EvalError> {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let questions: Vec<_> = spread(&set.questions, SAMPLE).collect();
    let documents: Vec<_> = spread(&set.documents, SAMPLE * 4).collect();
    let text = |document: &super::set::Document| {
        note::passage(
            (!document.title.is_empty()).then_some(document.title.as_str()),
            &[],
            &document.text,
        )
    };
    let asked: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    let asked = embed(embedder, &asked, Role::Query)?;
    let texts: Vec<String> = documents.iter().map(|document| text(document)).collect();
    let vectors = embed_all(embedder, &texts)?;

    let strange: Vec<String> = spread(&foreign.documents, SAMPLE).map(text).collect();
    let strange = embed_all(embedder, &strange)?;
    let chance = asked.iter().flat_map(|a| strange.iter().map(|b| dot(a, b))).collect();
    let mut related = Vec::new();
    let mut random = Vec::new();
    for (question, vector) in questions.iter().zip(&asked) {
        let judged = set.documents.iter().filter(|document| {
            question.relevant.get(&document.id).is_some_and(|&grade| grade > 0.0)
        });
        let judged: Vec<String> = judged.take(5).map(text).collect();
        related.extend(embed_all(embedder, &judged)?.iter().map(|other| dot(vector, other)));
        for _ in 0..DRAWN.min(documents.len()) {
            let number = draw.below(documents.len());
            if !question.relevant.contains_key(&documents[number].id) {
                random.push(dot(vector, &vectors[number]));
            }
        }
    }
    let sample = vectors.len().min(SAMPLE);
    let copies: Vec<String> = texts[..sample].iter().map(|text| edited(text)).collect();
    let copies = embed_all(embedder, &copies)?;
    let repeated: Vec<f32> = copies.iter().zip(&vectors).map(|(a, b)| dot(a, b)).collect();
    let nearest = (0..sample).map(|number| {
        let others = (0..vectors.len()).filter(|&other| texts[other] != texts[number]);
        others.map(|other| dot(&vectors[number], &vectors[other])).fold(-1.0, f32::max)
    });
    let cosines = part(chance, related, random, nearest.collect(), repeated);
    let own = sample_of(set, &set.questions);
    let others = sample_of(set, &foreign.questions);
    let corpus = Corpus::build(&own, analyzer, embedder)?;
    let believed = |set: &TestSet, is_own| {
        let judged = corpus.judge(set, is_own, analyzer, embedder, &request)?;
        Ok::<_, EvalError>(judged.iter().map(|it| it.confidence.log_odds).collect())
    };
    let (own, others) = (believed(&own, true)?, believed(&others, false)?);
    Ok(part_beliefs(own, others, cosines))
}

/// Some of these questions, and of the documents of the set some and all that answer them.
fn sample_of(set: &TestSet, questions: &[Question]) -> TestSet {
    let questions: Vec<Question> = spread(questions, SAMPLE).cloned().collect();
    let some: FxHashSet<&str> =
        spread(&set.documents, SAMPLE * 4).map(|document| document.id.as_str()).collect();
    let is_relevant = |id: &str| {
        questions.iter().any(|question| question.relevant.get(id).is_some_and(|grade| *grade > 0.0))
    };
    let documents = set.documents.iter();
    let documents =
        documents.filter(|document| some.contains(&*document.id) || is_relevant(&document.id));
    let documents = documents.cloned().collect();
    TestSet { documents, questions, unknown_documents: 0, unknown_questions: 0 }
}

/// Adds where beliefs part, of questions with an answer and of others.
fn part_beliefs(mut own: Vec<f32>, mut others: Vec<f32>, cosines: Thresholds) -> Thresholds {
    own.sort_by(f32::total_cmp);
    others.sort_by(f32::total_cmp);
    let sure = quantile(&others, BELIEVED);
    // What is sure is not nothing.
    let no_answer = quantile(&own, 1.0 - BELIEVED).min(sure);
    Thresholds {
        sure,
        sure_of_own: share_from(&own, sure),
        sure_of_others: share_from(&others, sure),
        no_answer,
        no_answer_to_own: 1.0 - share_from(&own, no_answer),
        no_answer_to_others: 1.0 - share_from(&others, no_answer),
        ..cosines
    }
}

/// The thresholds that part these samples of cosines.
fn part(
    mut chance: Vec<f32>,
    mut related: Vec<f32>,
    mut random: Vec<f32>,
    mut nearest: Vec<f32>,
    mut repeated: Vec<f32>,
) -> Thresholds {
    for sample in [&mut chance, &mut related, &mut random, &mut nearest, &mut repeated] {
        sample.sort_by(f32::total_cmp);
    }
    let nothing = quantile(&chance, CHANCE);
    // Where as many relevant documents are lost as random ones are let in, or fewer of both.
    let relevant = related
        .iter()
        .chain(&random)
        .copied()
        .max_by(|&a, &b| {
            let value = |at| share_from(&related, at) - share_from(&random, at);
            value(a).total_cmp(&value(b)).then(b.total_cmp(&a))
        })
        .unwrap_or_default();
    let apart = quantile(&nearest, DIFFERENT);
    // Where different documents are nearer than edits, take only what is all but the same.
    let near_duplicate = apart.max(quantile(&repeated, 0.05)).min(0.995);
    Thresholds {
        nothing,
        nothing_loses: 1.0 - share_from(&related, nothing),
        relevant,
        relevant_lets_in: share_from(&random, relevant),
        relevant_loses: 1.0 - share_from(&related, relevant),
        near_duplicate,
        duplicate_mistakes: share_from(&nearest, near_duplicate),
        duplicate_finds: share_from(&repeated, near_duplicate),
        ..Thresholds::default()
    }
}

/// Value below which this share of a sorted sample lies.
fn quantile(sorted: &[f32], share: f64) -> f32 {
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

/// Share of a sorted sample at or above a value.
fn share_from(sorted: &[f32], value: f32) -> f64 {
    let below = sorted.partition_point(|&other| other < value);
    (sorted.len() - below) as f64 / sorted.len().max(1) as f64
}

/// So many items, evenly spread.
fn spread<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(most).max(1))
}

/// A copy as somebody would edit it: every so many words one is left out.
fn edited(text: &str) -> String {
    let words = text.split_whitespace().enumerate();
    let kept = words.filter(|(number, _)| number % EDITED != EDITED / 2).map(|(_, word)| word);
    kept.collect::<Vec<_>>().join(" ")
}

fn embed(embedder: &dyn Embedder, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>, EvalError> {
    let Embedded { vectors, failure } = embedder.embed(texts, role);
    match failure {
        Some(failure) => Err(failure.into()),
        None => Ok(vectors.into_iter().map(Option::unwrap_or_default).collect()),
    }
}

fn embed_all(embedder: &dyn Embedder, texts: &[String]) -> Result<Vec<Vec<f32>>, EvalError> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    embed(embedder, &texts, Role::Document)
}

/// The generator xorshift64* (Marsaglia 2003, Vigna 2016).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
        (number >> 33) as usize % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn samples_that_lie_apart_are_parted() {
        let random: Vec<f32> = (0..100).map(|n| n as f32 / 500.0).collect();
        let related: Vec<f32> = (0..100).map(|n| 0.4 + n as f32 / 500.0).collect();
        let nearest: Vec<f32> = (0..100).map(|n| 0.5 + n as f32 / 400.0).collect();
        let repeated: Vec<f32> = (0..100).map(|n| 0.9 + n as f32 / 1000.0).collect();
        let found = part(random.clone(), related, random, nearest, repeated);
        close(found.nothing.into(), 0.19);
        close(found.relevant.into(), 0.4);
        close(found.near_duplicate.into(), 0.905);
        close(found.relevant_lets_in, 0.0);
        close(found.relevant_loses, 0.0);
        close(found.duplicate_mistakes, 0.0);
        close(found.duplicate_finds, 0.95);
    }

    #[test]
    fn samples_that_overlap_give_the_least_errors() {
        let random = vec![0.1, 0.2, 0.3, 0.45, 0.6];
        let related = vec![0.25, 0.5, 0.7, 0.8];
        let found = part(Vec::new(), related, random, vec![0.999], vec![0.9]);
        close(found.relevant.into(), 0.5);
        close(found.relevant_lets_in, 0.2);
        close(found.relevant_loses, 0.25);
        // Never so high that nothing could be the same.
        close(found.near_duplicate.into(), 0.995);
    }

    #[test]
    fn nothing_to_measure_is_no_panic() {
        let found = part(Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        close(found.relevant.into(), 0.0);
        close(found.relevant_loses, 1.0);
    }

    #[test]
    fn beliefs_are_parted_where_few_err() {
        let others: Vec<f32> = (0..100).map(|n| n as f32 / 50.0 - 2.0).collect();
        let own: Vec<f32> = (0..100).map(|n| n as f32 / 50.0 - 1.0).collect();
        let found = part_beliefs(own, others, Thresholds::default());
        close(found.sure.into(), f64::from(-0.1f32));
        close(found.sure_of_others, 0.05);
        close(found.sure_of_own, 0.55);
        close(found.no_answer.into(), f64::from(-0.9f32));
        close(found.no_answer_to_own, 0.05);
        close(found.no_answer_to_others, 0.55);
        // Where nothing can be told apart, nothing is below what is sure.
        let found = part_beliefs(vec![5.0; 9], vec![1.0; 9], Thresholds::default());
        assert!(found.no_answer <= found.sure);
        let found = part_beliefs(Vec::new(), Vec::new(), Thresholds::default());
        close(found.sure_of_own, 0.0);
    }

    #[test]
    fn a_copy_lacks_a_word_in_twenty() {
        let text = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join("  ");
        let copy = edited(&text);
        assert_eq!(copy.split(' ').count(), 38);
        assert!(!copy.contains(" 10 ") && copy.contains(" 11 "));
    }
}
