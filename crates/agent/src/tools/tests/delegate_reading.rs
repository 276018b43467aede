use serde_json::json;

use super::*;
use crate::ReaderEnd;

fn reading(end: ReaderEnd, answer: &str, sources: &[&str]) -> Reading {
    Reading {
        question: "Where do they swim?".to_owned(),
        end,
        answer: answer.to_owned(),
        sources: sources.iter().map(PathBuf::from).collect(),
        steps: 2,
        tokens: 1_234,
        budget: 9_000,
    }
}

#[test]
fn answers_come_with_how_they_came_about() {
    let mut tried = Try::new(&[]);
    tried.readings = vec![
        reading(ReaderEnd::Answered, "In rivers.", &["a.md", "src/b.rs"]),
        reading(ReaderEnd::Partly, "I got to a.md only.", &["a.md"]),
        reading(ReaderEnd::Failed, "no model answers", &[]),
    ];
    let questions = json!({ "questions": ["Where?", "When?", "Why?"] });
    let tool = DelegateReading::new(3);
    let shown = tried.intent(&tool, &questions).shown;
    assert!(shown.starts_with("3 readers read in this work tree"), "{shown}");
    assert!(shown.ends_with("\n1. Where?\n2. When?\n3. Why?"), "{shown}");
    let output = tried.call(&tool, questions).unwrap();
    assert!(output.is_untrusted && !output.failed);
    assert_eq!(
        output.text,
        "1. Where do they swim?\n[answered; 2 steps, 1234 tokens; read: a.md, src/b.rs]\nIn rivers.\n\n\
         2. Where do they swim?\n[only in part: its budget of 9000 tokens, or its steps, ended first; \
         2 steps, 1234 tokens; read: a.md]\nI got to a.md only.\n\n\
         3. Where do they swim?\n[failed; 2 steps, 1234 tokens]\nno model answers"
    );
    assert_eq!(tried.asked, ["Where?", "When?", "Why?"]);
}

#[test]
fn long_answers_are_cut_alike() {
    let mut tried = Try::new(&[]);
    tried.max = 4_000;
    tried.readings = vec![reading(ReaderEnd::Answered, &"word ".repeat(4_000), &[]); 2];
    let text = tried.good(&DelegateReading::new(3), json!({ "questions": ["a", "b"] }));
    assert_eq!(text.matches("bytes left out").count(), 2, "{text}");
    tried.readings = vec![reading(ReaderEnd::Failed, "no", &[])];
    let output = tried.call(&DelegateReading::new(3), json!({ "questions": ["a"] })).unwrap();
    assert!(output.failed);
}

#[test]
fn questions_that_are_none() {
    let mut tried = Try::new(&[]);
    let tool = DelegateReading::new(2);
    for (questions, words) in [
        (json!([]), "1 to 2 items"),
        (json!(["a", "b", "c"]), "1 to 2 items"),
        (json!([" "]), "1 to 4000 bytes"),
        (json!(["x".repeat(4_001)]), "1 to 4000 bytes"),
        (json!("a"), "to be a list"),
        (json!([1]), "list of strings"),
    ] {
        tried.refused(&tool, json!({ "questions": questions }), words);
    }
    assert!(tried.asked.is_empty());
}
