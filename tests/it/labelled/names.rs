//! Names that must and must not pass for names, and which entities are one.

use elophanto_knowledge::{
    duplicates::{Candidate, Thresholds, Verdict, pairs},
    extract::name::structural,
    learn::meaning::{Meaning, text_of},
};
use elophanto_models::Role;
use serde_json::Value;

use super::{Share, lines, text, texts, truth};
use crate::env::snapshot;

#[test]
fn structural_rules_reject_what_is_no_name_and_nothing_else() {
    let (accepted, rejected) = (lines("accepted.jsonl"), lines("rejected.jsonl"));
    let passes = |line: &&Value| structural(text(line, "name")).is_ok();
    let falsely_rejected: Vec<&Value> = accepted.iter().filter(|line| !passes(line)).collect();
    let falsely_accepted: Vec<&Value> = rejected.iter().filter(passes).collect();
    assert!(falsely_rejected.is_empty(), "{falsely_rejected:?}");
    assert!(falsely_accepted.is_empty(), "{falsely_accepted:?}");
    assert_eq!((accepted.len(), rejected.len()), (673, 225));
}

/// An entity of a pair, as it is compared.
struct Side<'a> {
    name: &'a str,
    facts: Vec<&'a str>,
    vector: Option<Vec<f32>>,
}

impl<'a> Side<'a> {
    fn of(value: &'a Value, meaning: &Meaning) -> Self {
        let (name, facts) = (text(value, "name"), texts(value, "facts"));
        let whole = text_of(name, facts.iter().copied());
        Self { name, vector: meaning.vector(&whole, Role::Document), facts }
    }

    fn candidate<'s>(&'s self, slug: &'s str) -> Candidate<'s> {
        let Self { name, facts, vector } = self;
        Candidate { slug, name, aliases: &[], facts, vector: vector.as_deref() }
    }
}

#[test]
fn duplicates_are_found_and_no_two_things_are_taken_for_one() {
    let meaning = Meaning::builtin();
    let labels = lines("pairs/entities.jsonl");
    let mut shown = String::new();
    let mut all = Share::default();
    for part in ["dev", "test"] {
        let (mut certain, mut recall, mut looked_at) =
            (Share::default(), Share::default(), Share::default());
        for label in labels.iter().filter(|label| label["part"] == part) {
            let sides = [&label["a"], &label["b"]].map(|side| Side::of(side, &meaning));
            let candidates = [sides[0].candidate("a"), sides[1].candidate("b")];
            let found = pairs(&candidates, &Thresholds::default());
            let verdict = found.first().map(|proposal| proposal.verdict);
            let same = truth(label, "same");
            if verdict == Some(Verdict::Certain) {
                assert!(same, "falsely merged: {label}");
                certain.count(same);
            }
            if same {
                recall.count(verdict == Some(Verdict::Certain));
                looked_at.count(verdict.is_some());
                all.count(verdict == Some(Verdict::Certain));
            }
        }
        shown.push_str(&format!(
            "{part}: certain: precision {certain}, recall {recall}; proposed: recall {looked_at}\n"
        ));
    }
    assert!(all.value() >= 0.7, "{all}");
    snapshot!(shown, @"
    dev: certain: precision 1.000 (96/96), recall 0.865 (96/111); proposed: recall 0.991 (110/111)
    test: certain: precision 1.000 (43/43), recall 0.672 (43/64); proposed: recall 0.938 (60/64)
    ");
}

/// All at once, as a knowledge base has them: entities that no label put together meet as well.
#[test]
fn duplicates_among_all_entities_of_the_labels() {
    let meaning = Meaning::builtin();
    let labels = lines("pairs/entities.jsonl");
    let mut sides: Vec<(String, Side)> = Vec::new();
    let key = |value: &Value| value.to_string();
    for value in labels.iter().flat_map(|label| [&label["a"], &label["b"]]) {
        if !sides.iter().any(|(known, _)| *known == key(value)) {
            sides.push((key(value), Side::of(value, &meaning)));
        }
    }
    let candidates: Vec<Candidate> =
        sides.iter().map(|(slug, side)| side.candidate(slug)).collect();
    let found = pairs(&candidates, &Thresholds::default());
    let label_of = |a: &str, b: &str| {
        let label = labels.iter().find(|label| {
            let (one, other) = (key(&label["a"]), key(&label["b"]));
            (one == a && other == b) || (one == b && other == a)
        });
        label.map(|label| truth(label, "same"))
    };
    let (mut labelled, mut others) = (Share::default(), Vec::new());
    for pair in found.iter().filter(|pair| pair.verdict == Verdict::Certain) {
        let (a, b) = (&candidates[pair.a], &candidates[pair.b]);
        match label_of(a.slug, b.slug) {
            Some(same) => labelled.count(same),
            None if a.name == b.name => {}
            None => others.push(format!("{} = {} ({:?})", a.name, b.name, pair.reason)),
        }
    }
    assert_eq!(labelled.part, labelled.all, "a false merge");
    others.sort();
    others.dedup();
    snapshot!(
        format!("{} entities; labelled {labelled}\n{}", sides.len(), others.join("\n")),
        @"
        727 entities; labelled 1.000 (132/132)
        AWS = Amazon Web Services (Acronym)
        Ansible-core = Ansible Core (SameName)
        Apple = Apple Inc. (LegalForm)
        Apple Inc. = Apple (LegalForm)
        Chrome = Google Chrome (Vendor)
        EuroPython 2025 = EuroPython (Edition)
        ICML = International Conference on Machine Learning (Acronym)
        International Conference on Machine Learning Technologies (ICMLT) = International Conference on Machine Learning Technologies (Bracket)
        MAT = Metamaterial Absorption Technology (MAT) (Bracket)
        NLP = Natural Language Processing (Acronym)
        NextJS = Next.js (SameName)
        PSP = PlayStation Portable (Acronym)
        RustConf 2025 = RustConf (Edition)
        Vault = Hashicorp Vault (Vendor)
        the Rust programming language = Rust (GenericWord)
        "
    );
}
