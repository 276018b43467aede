use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::mcp::server::{Tool, arguments::schemas, check::check};
use crate::wire;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// What is passed on, or parts of what is said.
type Expected<'a> = Result<Value, &'a [&'a str]>;

#[track_caller]
fn check_case(tool: Tool, given: Value, expected: Expected) {
    match (check(tool, &map(given.clone())), expected) {
        (Ok(taken), Ok(expected)) => assert_eq!(Value::Object(taken), expected, "{given}"),
        (Err(said), Err(parts)) => {
            for part in parts {
                assert!(said.contains(part), "{part:?} is not in {said:?}");
            }
        }
        (result, _) => panic!("{given}: {result:?}"),
    }
}

#[test]
fn arguments_are_held_against_the_table() {
    let cases: &[(Tool, Value, Expected)] = &[
        (
            Tool::Search,
            json!({"query": "otters"}),
            Ok(json!({"query": "otters", "limit": 8, "max_tokens": 2000})),
        ),
        (
            Tool::Search,
            json!({"query": "x", "kind": "fact", "limit": 3.0, "scope": null, "max_tokens": 50}),
            Ok(json!({"query": "x", "kind": ["fact"], "limit": 3, "max_tokens": 50})),
        ),
        (Tool::Search, json!({}), Err(&["`query` is missing", "1 to 4096 characters"])),
        (Tool::Search, json!({"query": ""}), Err(&["`query` must be text of 1"])),
        (Tool::Search, json!({"query": "x".repeat(4097)}), Err(&["not a text of 4097 characters"])),
        (Tool::Search, json!({"qurey": "x"}), Err(&["did you mean `query`?", "is missing"])),
        (Tool::Search, json!({"query": "x", "max": 3}), Err(&["did you mean `max_tokens`?"])),
        (
            Tool::Search,
            json!({"query": "x", "limit": 51}),
            Err(&["`limit` must be a whole number from 1 to 50, not 51"]),
        ),
        (Tool::Search, json!({"query": "x", "limit": -1}), Err(&["not -1"])),
        (Tool::Search, json!({"query": "x", "limit": 1.5}), Err(&["not 1.5"])),
        (Tool::Search, json!({"query": "x", "limit": "8"}), Err(&["not \"8\""])),
        (Tool::Search, json!({"query": "x", "limit": 1e300}), Err(&["not 1e+300"])),
        (Tool::Search, json!({"query": "x", "kind": ["page"]}), Err(&["\"summary\", \"fact\""])),
        (Tool::Search, json!({"query": "x", "mode": "fast"}), Err(&["\"hybrid\", \"keyword\""])),
        (Tool::Search, json!({"query": {"a": 1}}), Err(&["not an object"])),
        (
            Tool::Search,
            json!({"text": "otters"}),
            Ok(json!({"query": "otters", "limit": 8, "max_tokens": 2000})),
        ),
        (Tool::Search, json!({"query": null, "text": "x"}), {
            Ok(json!({"query": "x", "limit": 8, "max_tokens": 2000}))
        }),
        (Tool::Search, json!({"query": "x", "text": "x"}), Err(&["another name of `query`"])),
        (Tool::Search, json!({"text": ""}), Err(&["`query` must be text of 1"])),
        (Tool::Learn, json!({"topic": "x", "text": "a", "content": "b"}), Err(&["another name"])),
        (Tool::Get, json!({"uri": "elophanto://note/a.md"}), {
            Ok(json!({"path": "elophanto://note/a.md", "max_tokens": 2000}))
        }),
        (Tool::Get, json!({"path": "./a/b.md:12"}), {
            Ok(json!({"path": "./a/b.md:12", "max_tokens": 2000}))
        }),
        (Tool::Get, json!({"path": "./../a"}), Err(&["relative to the root"])),
        (Tool::Get, json!({"path": "a/b.md", "lines": "10-40"}), {
            Ok(json!({"path": "a/b.md", "lines": "10-40", "max_tokens": 2000}))
        }),
        (Tool::Get, json!({"path": "a", "lines": "40-10"}), Err(&["`lines` must be"])),
        (Tool::Get, json!({"path": "a", "lines": "0"}), Err(&["`lines` must be"])),
        (Tool::Get, json!({"path": "../a"}), Err(&["relative to the root"])),
        (Tool::Get, json!({"path": "/etc/passwd"}), Err(&["relative to the root"])),
        (Tool::Get, json!({"path": "a/../../b"}), Err(&["relative to the root"])),
        (Tool::Get, json!({"path": "a\u{0}b"}), Err(&["relative to the root"])),
        (Tool::Recall, json!({"text": "x", "max_tokens": 4001}), Err(&["from 50 to 4000"])),
        (Tool::Recall, json!({"text": "x", "archived": true}), {
            Ok(json!({"text": "x", "archived": true, "limit": 5, "max_tokens": 500}))
        }),
        (Tool::Recall, json!({"text": "x", "archived": "yes"}), Err(&["true or false"])),
        (
            Tool::Remember,
            json!({"type": "error", "context": "c", "lesson": "l", "success_rate": "11/10"}),
            Err(&["`success_rate` must be"]),
        ),
        (
            Tool::Remember,
            json!({"type": "error", "context": "c", "lesson": "l", "tags": "npm"}),
            Ok(json!({
                "type": "error", "context": "c", "lesson": "l", "tags": ["npm"], "max_tokens": 2000,
            })),
        ),
        (Tool::Remember, json!({}), Err(&["`type` is missing", "`context`", "`lesson`"])),
        (Tool::WriteNote, json!({"title": "t", "text": "x"}), Err(&["`path` or `kind`"])),
        (Tool::Status, json!({"verbose\u{1b}[2J": 1}), Err(&["no argument `verbose[2J`"])),
        (Tool::Status, json!({}), Ok(json!({"max_tokens": 2000}))),
    ];
    for (tool, given, expected) in cases {
        check_case(*tool, given.clone(), expected.clone());
    }
}

#[test]
fn at_most_five_faults_are_told() {
    let given: Map<String, Value> = (0..100).map(|index| (format!("x{index}"), json!(1))).collect();
    let said = check(Tool::Search, &given).unwrap_err();
    assert_eq!(said.lines().count(), 5, "{said}");
}

/// Values of every kind, some of them right.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..60u64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "(note|error|a/b|\\.\\./a|7-9|9-7|3/4|hybrid|user)".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Whether the type of a tool's arguments takes what the schema lets through.
fn parsed(tool: Tool, taken: &Map<String, Value>) -> Result<(), String> {
    fn read<A: wire::Arguments>(taken: Value) -> Result<(), String> {
        serde_json::from_value::<A>(taken).map(drop).map_err(|cause| cause.to_string())
    }
    let taken = Value::Object(taken.clone());
    match tool {
        Tool::Search => read::<wire::SearchArguments>(taken),
        Tool::Get => read::<wire::GetArguments>(taken),
        Tool::Similar => read::<wire::SimilarArguments>(taken),
        Tool::Recall => read::<wire::RecallArguments>(taken),
        Tool::Remember => read::<wire::RememberArguments>(taken),
        Tool::Learn => read::<wire::LearnArguments>(taken),
        Tool::Questions => read::<wire::QuestionsArguments>(taken),
        Tool::Entity => read::<wire::EntityArguments>(taken),
        Tool::WriteNote => read::<wire::WriteNoteArguments>(taken),
        Tool::Status => read::<wire::StatusArguments>(taken),
    }
}

proptest! {
    #[test]
    fn what_is_passed_on_is_complete_and_stable(
        tool in 0..Tool::ALL.len(),
        values in proptest::collection::vec(value(), 10),
        odd in proptest::option::of((any::<String>(), value())),
    ) {
        let tool = Tool::ALL[tool];
        let schema = &schemas(tool).input;
        let names = schema["properties"].as_object().unwrap().keys();
        let given: Map<String, Value> = names.cloned().zip(values).chain(odd).collect();
        match check(tool, &given) {
            Err(said) => prop_assert!(!said.is_empty() && said.chars().count() < 5000),
            Ok(taken) => {
                for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
                    prop_assert!(taken.contains_key(name.as_str().unwrap()));
                }
                prop_assert!(taken.values().all(|value| !value.is_null()));
                prop_assert_eq!(parsed(tool, &taken), Ok(()));
                prop_assert_eq!(check(tool, &taken), Ok(taken.clone()));
            }
        }
    }
}
