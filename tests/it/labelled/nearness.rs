//! From which cosine on texts are near, for each purpose and model: chosen on the part `dev` of the
//! labels, measured on `test`.

use elophanto_knowledge::{
    duplicates::reader,
    interest::{Asked, is_follow_up},
    learn::{
        decide::{Candidate, DecisionContext, Refusal, Stated, decide},
        entity_store::EntitySnapshot,
        meaning::{Meaning, text_of},
        novel::is_same,
        record::Trigger,
    },
};
use elophanto_models::{Embedder, LearnThresholds, Role, bert::Bert, builtin::Builtin, dot};
use jiff::Timestamp;
use serde_json::Value;

use super::{Share, lines, text, texts, truth};
use crate::env::snapshot;

/// Above every cosine: so, whatever the vectors say.
const ALWAYS: f32 = 2.0;
/// Below every cosine.
const NEVER: f32 = -2.0;

/// A labelled pair, and the highest threshold at which the product says yes.
struct Scored {
    is_dev: bool,
    is_so: bool,
    score: f32,
}

/// The highest threshold at which the product says yes.
type Judge = fn(&Value, &mut Meaning) -> f32;

/// What a threshold is for, and how it is chosen.
struct Purpose {
    name: &'static str,
    file: &'static str,
    label: &'static str,
    judge: Judge,
    chosen: Choice,
    product: fn(&LearnThresholds) -> f32,
}

/// Which threshold is the best on the part `dev`, in hundredths.
#[derive(Clone, Copy)]
enum Choice {
    /// Of the highest F measure; below 1 the exponent prefers precision. The highest of equals.
    F(f64),
    /// The lowest from which on precision is at least 0.8 while recall is at least 0.3; if there is
    /// none, as `F(0.5)`.
    Sure,
    /// The lowest from which on nothing is wrong.
    Faultless,
}

const PURPOSES: [Purpose; 4] = [
    Purpose {
        name: "relevant",
        file: "relevance",
        label: "relevant",
        judge: relevant,
        chosen: Choice::F(1.0),
        product: |near| near.relevant,
    },
    Purpose {
        name: "same_fact",
        file: "facts",
        label: "same",
        judge: same_fact,
        chosen: Choice::Faultless,
        product: |near| near.same_fact,
    },
    Purpose {
        name: "covers",
        file: "topics",
        label: "covers",
        judge: covers,
        chosen: Choice::Sure,
        product: |near| near.covers,
    },
    Purpose {
        name: "follow_up",
        file: "follow_ups",
        label: "follow_up",
        judge: follow_up,
        chosen: Choice::Sure,
        product: |near| near.follow_up,
    },
];

#[test]
fn the_built_in_model() {
    snapshot!(table(&Builtin), @"
    relevant    0.16: dev precision 0.629 (22/35) recall 0.846 (22/26) test precision 0.833 (35/42) recall 0.875 (35/40)
    same_fact   0.71: dev precision 1.000 (37/37) recall 0.804 (37/46) test precision 1.000 (43/43) recall 0.796 (43/54)
    covers      0.37: dev precision 0.731 (19/26) recall 0.559 (19/34) test precision 0.667 (20/30) recall 0.488 (20/41)
    follow_up   0.59: dev precision 0.800 (12/15) recall 0.324 (12/37) test precision 0.846 (11/13) recall 0.250 (11/44)
    ");
}

/// A fact is told to be against a note where both give another value for the same, which no cosine tells.
#[test]
fn facts_against_notes() {
    let (mut right, mut found) = (Share::default(), Share::default());
    let read = reader(&[]);
    for pair in lines("pairs/contradictions.jsonl") {
        let is_so = truth(&pair, "contradicts");
        let is_told = read(text(&pair, "note")).is_otherwise(&read(text(&pair, "fact")));
        if is_told {
            right.count(is_so);
        }
        if is_so {
            found.count(is_told);
        }
    }
    snapshot!(format!("precision {right} recall {found}"), @"precision 1.000 (1/1) recall 0.027 (1/37)");
}

/// `cargo test --release labelled -- --ignored`.
#[test]
#[ignore = "takes minutes without optimisation"]
fn the_shipped_transformer() {
    snapshot!(table(Bert::minilm()), @"
    relevant    0.17: dev precision 0.595 (25/42) recall 0.962 (25/26) test precision 0.709 (39/55) recall 0.975 (39/40)
    same_fact   0.75: dev precision 1.000 (33/33) recall 0.717 (33/46) test precision 0.952 (40/42) recall 0.741 (40/54)
    covers      0.41: dev precision 0.714 (20/28) recall 0.588 (20/34) test precision 0.700 (28/40) recall 0.683 (28/41)
    follow_up   0.47: dev precision 0.812 (13/16) recall 0.351 (13/37) test precision 0.941 (16/17) recall 0.364 (16/44)
    ");
}

/// The threshold of each purpose with its precision and recall; it must be the one that is chosen.
fn table(model: &dyn Embedder) -> String {
    let mut meaning = Meaning::new(model);
    let near = model.near();
    let mut table = String::new();
    for purpose in PURPOSES {
        let all = purpose.scored(&mut meaning);
        let (dev, test): (Vec<Scored>, Vec<Scored>) = all.into_iter().partition(|it| it.is_dev);
        let threshold = (purpose.product)(&near);
        let best = purpose.chosen.of(&dev);
        let ([p, r], [tp, tr]) = (figures(&dev, threshold), figures(&test, threshold));
        table.push_str(&format!(
            "{:<11} {threshold:.2}: dev precision {p:<13} recall {r:<13} \
             test precision {tp:<13} recall {tr}\n",
            purpose.name
        ));
        assert_eq!(threshold, best, "{}\n{table}{}", purpose.name, curve(&dev, &test));
    }
    table
}

/// For whoever has to choose anew.
fn curve(dev: &[Scored], test: &[Scored]) -> String {
    let line = |hundredth: i32| {
        let threshold = hundredth as f32 / 100.0;
        let ([p, r], [tp, tr]) = (figures(dev, threshold), figures(test, threshold));
        format!("  {threshold:.2}: dev {p:<13} {r:<13} test {tp:<13} {tr}\n")
    };
    (0..100).step_by(5).map(line).collect()
}

/// Precision and recall.
fn figures(scored: &[Scored], threshold: f32) -> [Share; 2] {
    let (mut precision, mut recall) = (Share::default(), Share::default());
    for Scored { is_so, score, .. } in scored {
        if *score >= threshold {
            precision.count(*is_so);
        }
        if *is_so {
            recall.count(*score >= threshold);
        }
    }
    [precision, recall]
}

impl Choice {
    fn of(self, dev: &[Scored]) -> f32 {
        let thresholds = || (-10..100).map(|hundredth| hundredth as f32 / 100.0);
        let at = |threshold| figures(dev, threshold);
        match self {
            Self::F(beta) => {
                let value = |threshold: f32| {
                    let [precision, recall] = at(threshold).map(Share::value);
                    let weight = beta * beta;
                    let sum = weight * precision + recall;
                    if sum > 0.0 { (1.0 + weight) * precision * recall / sum } else { 0.0 }
                };
                thresholds().max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap()
            }
            Self::Sure => {
                let is_sure = |threshold: &f32| {
                    let [precision, recall] = at(*threshold).map(Share::value);
                    precision >= 0.8 && recall >= 0.3
                };
                thresholds().find(is_sure).unwrap_or_else(|| Self::F(0.5).of(dev))
            }
            Self::Faultless => {
                let has_fault = |threshold: f32| at(threshold)[0].part < at(threshold)[0].all;
                let last = thresholds().filter(|threshold| has_fault(*threshold)).count();
                thresholds().nth(last).unwrap()
            }
        }
    }
}

impl Purpose {
    fn scored(&self, meaning: &mut Meaning) -> Vec<Scored> {
        lines(&format!("pairs/{}.jsonl", self.file))
            .iter()
            .map(|pair| Scored {
                is_dev: pair["part"] == "dev",
                is_so: truth(pair, self.label),
                score: (self.judge)(pair, meaning),
            })
            .collect()
    }
}

fn relevant(pair: &Value, meaning: &mut Meaning) -> f32 {
    let (name, facts, topic) = (text(pair, "name"), texts(pair, "facts"), text(pair, "topic"));
    let stated = |fact: &&str| Stated { text: (*fact).to_owned(), source: None };
    let candidate = Candidate {
        name: name.to_owned(),
        aliases: Vec::new(),
        facts: facts.iter().map(stated).collect(),
        is_of_notes: false,
        is_about: true,
    };
    meaning.near.relevant = ALWAYS;
    let context = DecisionContext { snapshot: &EntitySnapshot::default(), meaning };
    let decision = decide(&context, Trigger::LearnCommand, topic, vec![candidate]);
    match decision.refused.first() {
        None => ALWAYS,
        Some((_, Refusal::NotRelevant)) => {
            meaning.answered(topic, std::iter::once(name).chain(facts))
        }
        Some(_) => NEVER,
    }
}

fn same_fact(pair: &Value, meaning: &mut Meaning) -> f32 {
    let (a, b) = (text(pair, "a"), text(pair, "b"));
    let mut says = |threshold| {
        meaning.near.same_fact = threshold;
        is_same(meaning, a, b)
    };
    match (says(ALWAYS), says(NEVER)) {
        (true, _) => ALWAYS,
        (_, true) => meaning.cosine(a, b).unwrap(),
        _ => NEVER,
    }
}

fn covers(pair: &Value, meaning: &mut Meaning) -> f32 {
    let entity = &pair["entity"];
    let whole = text_of(text(entity, "name"), texts(entity, "facts").into_iter());
    let topic = meaning.vector(text(pair, "topic"), Role::Query).unwrap();
    dot(&topic, &meaning.vector(&whole, Role::Document).unwrap())
}

fn follow_up(pair: &Value, meaning: &mut Meaning) -> f32 {
    let (first, second) = (text(pair, "first"), text(pair, "second"));
    let vector = |text| meaning.vector(text, Role::Query).unwrap_or_default();
    let (before, after) = (vector(first), vector(second));
    let at = Timestamp::UNIX_EPOCH;
    let one = Asked { text: first, at, vector: &before };
    let other = Asked { text: second, at, vector: &after };
    if is_follow_up(&one, &other, NEVER) { dot(&before, &after) } else { NEVER }
}
