use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The same in another way: in floats, with nothing shared between passages.
fn naive(query: &str, passages: &[String]) -> Option<Vec<f32>> {
    let pieces = |text: &str| {
        let mut ids = Vec::new();
        wordpiece::token_ids(text, &mut ids);
        ids.into_iter().filter(|&id| id > UNKNOWN).collect::<BTreeSet<u32>>()
    };
    let unit = |id: &u32| {
        let (scale, codes) = table::row(*id);
        let row: Vec<f64> =
            codes.iter().map(|&code| f64::from(code.cast_signed()) * f64::from(scale)).collect();
        let length = row.iter().map(|value| value * value).sum::<f64>().sqrt();
        row.into_iter().map(|value| value / length).collect::<Vec<f64>>()
    };
    let held: Vec<BTreeSet<u32>> = passages.iter().map(|text| pieces(text)).collect();
    let asked = pieces(query);
    let score = |held_here: &BTreeSet<u32>| {
        let (mut sum, mut whole) = (0.0, 0.0);
        for id in &asked {
            let holders = held.iter().filter(|it| it.contains(id)).count() as f64;
            let weight = ((held.len() as f64 - holders + 0.5) / (holders + 0.5)).ln_1p();
            let cosine = |other| unit(id).iter().zip(unit(other)).map(|(a, b)| a * b).sum::<f64>();
            let best = held_here.iter().map(cosine).reduce(f64::max);
            sum += weight * best.unwrap_or(0.0);
            whole += weight;
        }
        (sum / whole) as f32
    };
    (!asked.is_empty()).then(|| held.iter().map(score).collect())
}

fn agree(query: &str, passages: &[String]) {
    match (late_interaction(query, passages), naive(query, passages)) {
        (None, None) => {}
        (Some(got), Some(expected)) => {
            assert_eq!(got.len(), expected.len());
            for (got, expected) in got.iter().zip(expected) {
                assert!((got - expected).abs() < 1e-4, "{query:?}: {got} {expected}");
            }
        }
        (got, expected) => panic!("{query:?}: {got:?} {expected:?}"),
    }
}

/// Passages, best first.
fn check(query: &str, passages: &[&str], expected: &[usize]) {
    let scores = late_interaction(query, passages).unwrap();
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    assert_eq!(order, expected, "{query}: {scores:?}");
    agree(query, &passages.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
}

#[test]
fn orders() {
    check(
        "npm cache",
        &["the weather in May", "own the npm cache", "a store of packages"],
        &[1, 2, 0],
    );
    // Nearly the same word meets a word better than none does.
    check("broken build", &["wild otters", "the build is failing", "broken build"], &[2, 1, 0]);
    // What most passages hold says less than what few hold.
    let postgres = ["postgres backups", "postgres indexes", "mysql locks", "postgres joins"];
    check("postgres locks", &postgres, &[2, 0, 1, 3]);
}

#[test]
fn every_word_met_is_one_and_nothing_known_is_nothing() {
    let scores = |query: &str, passages: &[&str]| late_interaction(query, passages);
    let whole = scores("own the cache", &["cache: own THE own", "", "\u{65e5}\u{672c}"]).unwrap();
    assert!((whole[0] - 1.0).abs() < 1e-5 && whole[1..] == [0.0, 0.0], "{whole:?}");
    for query in ["", " \n", "\u{65e5}\u{672c}", "\u{0}", &"x".repeat(65)] {
        assert_eq!(scores(query, &["own the cache"]), None, "{query:?}");
    }
    assert_eq!(scores("cache", &[]), Some(Vec::new()));
}

#[test]
fn only_so_many_words_of_a_question_count() {
    let mut ids = BTreeSet::new();
    let words = "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9";
    let marks = "! # $ % & ( ) * + , - . / : ; < = > ? @ [ ] ^ _ { | } ~";
    let full = format!("{words} {marks}");
    known(&full, |id| {
        ids.insert(id);
        ControlFlow::Continue(())
    });
    assert_eq!(ids.len(), MAX_ASKED);
    let passages = ["otters sleep", "a store"];
    let scores = late_interaction(&full, &passages);
    assert_eq!(late_interaction(&format!("{full} otters sleep"), &passages), scores);
    assert_ne!(late_interaction(&format!("otters {full}"), &passages), scores);
}

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "(npm|cache|owner|postgres|lock|EACCES|the|of|build|broken|retry)",
        1 => "[a-z]{1,6}",
        1 => "\\PC{0,4}",
    ];
    proptest::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn equals_what_floats_say(query in text(), passages in proptest::collection::vec(text(), 0..6)) {
        agree(&query, &passages);
        for score in late_interaction(&query, &passages).into_iter().flatten() {
            prop_assert!((-1.0001..=1.0001).contains(&score));
        }
    }

    /// A piece of a word depends on the word alone, so words may stand anywhere.
    #[test]
    fn order_and_repetition_do_not_matter(
        query in text(),
        passages in proptest::collection::vec(text(), 1..6),
    ) {
        let turned = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            words.iter().rev().chain(&words).copied().collect::<Vec<_>>().join(" ")
        };
        let others: Vec<String> = passages.iter().rev().map(|text| turned(text)).collect();
        let scores = late_interaction(&query, &passages);
        let turned = late_interaction(&turned(&query), &others);
        prop_assert_eq!(scores.is_some(), turned.is_some());
        let turned = turned.into_iter().flatten().rev();
        for (score, turned) in scores.into_iter().flatten().zip(turned) {
            prop_assert!((score - turned).abs() < 1e-5);
        }
    }
}
