//! Which lessons are offered as one: 100 labelled pairs, 50 that say the same in other words and 50 that
//! begin alike and say something else (`pairs/lessons.jsonl`), and how many of the 2,100 lessons of
//! `recall/` are offered, of which nobody wrote down what is the same.

use std::fmt::Write;

use elophanto_knowledge::memory::{
    Draft, Entry, EventType, Memory, paraphrases, parse_file, passage,
};
use elophanto_models::{Embedder, Role, bert::Bert, builtin::Builtin};
use jiff::Timestamp;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Share, folder, lines, text, truth};
use crate::env::snapshot;

#[test]
fn the_built_in_model() {
    snapshot!(table(&Builtin), @"
    dev: precision 0.917 (11/12) recall 0.440 (11/25) joined unasked 0.000 (0/25)
    test: precision 1.000 (8/8) recall 0.320 (8/25) joined unasked 0.040 (1/25)
    of 2100 lessons 88 pairs are offered
    ");
}

/// `cargo test --release labelled -- --ignored`.
#[test]
#[ignore = "takes minutes without optimisation"]
fn the_shipped_transformer() {
    snapshot!(table(Bert::minilm()), @"
    dev: precision 0.929 (13/14) recall 0.520 (13/25) joined unasked 0.000 (0/25)
    test: precision 1.000 (8/8) recall 0.320 (8/25) joined unasked 0.000 (0/25)
    of 2100 lessons 71 pairs are offered
    ");
}

/// What is offered of each part, and what recalling would join by itself.
fn table(model: &dyn Embedder) -> String {
    let mut table = String::new();
    let pairs = lines("pairs/lessons.jsonl");
    for part in ["dev", "test"] {
        let (mut precision, mut recall, mut joined) =
            (Share::default(), Share::default(), Share::default());
        for pair in pairs.iter().filter(|pair| pair["part"] == part) {
            let both = [lesson(&pair["b"], "b"), lesson(&pair["a"], "a")];
            let near = Near::of(model, &both);
            let is_offered = !near.offered(&both, model.near().same_lesson).is_empty();
            let is_same = truth(pair, "same");
            if is_offered {
                precision.count(is_same);
            }
            if is_same {
                recall.count(is_offered);
                let cosine = near.cosine(&both[0], &both[1]).unwrap();
                joined.count(cosine >= model.thresholds().near_duplicate);
            }
        }
        writeln!(table, "{part}: precision {precision} recall {recall} joined unasked {joined}")
            .unwrap();
    }
    let all = corpus();
    let near = Near::of(model, &all);
    let offered = near.offered(&all, model.near().same_lesson);
    writeln!(table, "of {} lessons {} pairs are offered", all.len(), offered.len()).unwrap();
    table
}

struct Near {
    vectors: FxHashMap<String, Vec<f32>>,
}

impl Near {
    fn of(model: &dyn Embedder, lessons: &[Memory]) -> Self {
        let texts: Vec<String> = lessons.iter().map(passage).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = model.embed(&texts, Role::Document).vectors;
        let ids = lessons.iter().map(|it| it.id.clone());
        Self { vectors: ids.zip(vectors.into_iter().map(Option::unwrap)).collect() }
    }

    fn cosine(&self, a: &Memory, b: &Memory) -> Option<f32> {
        let (a, b) = self.vectors.get(&a.id).zip(self.vectors.get(&b.id))?;
        Some(a.iter().zip(b).map(|(a, b)| a * b).sum())
    }

    fn offered(&self, lessons: &[Memory], least: f32) -> Vec<[String; 2]> {
        let found = paraphrases(lessons, least, &|a, b| self.cosine(a, b));
        found.into_iter().map(|it| it.lessons.map(|it| it.id)).collect()
    }
}

fn lesson(side: &Value, id: &str) -> Memory {
    let said = |key| text(side, key).to_owned();
    let draft = Draft {
        event_type: EventType::Error,
        context: said("context"),
        command: said("command"),
        lesson: said("lesson"),
        success_rate: None,
        tags: None,
        repo: "r".to_owned(),
        agent_id: String::new(),
        replaces: None,
    };
    Memory { id: id.to_owned(), ..draft.finish(Timestamp::UNIX_EPOCH).unwrap() }
}

/// All lessons of `recall/`.
fn corpus() -> Vec<Memory> {
    let mut all = Vec::new();
    for file in ["operations", "others", "python", "systems", "web"] {
        let bytes = std::fs::read(folder().join(format!("recall/{file}.jsonl"))).unwrap();
        let entries = parse_file(&bytes, file).entries.into_iter();
        all.extend(entries.filter_map(|(_, entry)| match entry {
            Entry::Memory(memory) => Some(memory),
            Entry::Retired(_) => None,
        }));
    }
    all
}
