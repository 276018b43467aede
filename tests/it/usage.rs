//! `elophanto usage`: what asking models has cost.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::{
    env::{TestEnv, snapshot},
    fake::{
        Fake,
        chat::{Protocol, refuses},
    },
    model::{ask, one, settings, user},
};

fn folder(env: &TestEnv) -> PathBuf {
    env.outside().join("home/.local/state/elophanto/usage")
}

/// A line of the ledger.
fn call(number: u32, time: &str, task: &str, model: &str, usd_micros: Option<u64>) -> String {
    let call = json!({ "id": format!("01ARZ3NDEKTSV4RRFFQ69G5F{number:02}"), "time": time,
        "command": "enrich", "task": task, "provider": "one", "model": model, "input": 100,
        "output": 10, "usd_micros": usd_micros, "ms": 5, "attempts": 1, "calls": 1,
        "outcome": "ok" });
    format!("{call}\n")
}

fn filled() -> TestEnv {
    let env = TestEnv::new();
    fs::create_dir_all(folder(&env)).unwrap();
    let calls = [
        call(1, "2026-01-02T10:00:00Z", "simple", "m1", Some(120_000)),
        call(2, "2026-01-02T11:00:00Z", "simple", "m2", None),
        call(3, "2026-01-03T00:00:00Z", "review\u{1b}[2J", "m1", Some(7)),
    ];
    fs::write(folder(&env).join("2026-01.jsonl"), calls.concat()).unwrap();
    env
}

#[test]
fn sums_are_those_of_the_calls() {
    let fake = Fake::start(|request| match request.number {
        3 => refuses(401, "bad key"),
        _ => Protocol::OpenAi.says("Hello."),
    });
    let env = one(&fake, Protocol::OpenAi);
    for _ in 0..4 {
        ask(&env, &[]);
    }
    let lines = env.json(&["usage", "--json"]);
    let mut total = lines.last().unwrap().clone();
    total["ms"] = json!(0);
    let expected = json!({ "by": "total", "name": "total", "calls": 4, "failed": 1, "input": 33,
        "output": 21, "usd": 0.0, "unpriced": 0, "ms": 0 });
    assert_eq!(total, expected);
    snapshot!(env.ok(&["usage", "--by", "model"]), @"
    exit: 0
    --- stdout
    model     calls        input       output  money
    one/m1        4           33           21  $0.00
    total         4           33           21  $0.00
    --- stderr
    ");
}

#[test]
fn what_is_unknown_is_said() {
    let env = filled();
    let since = ["usage", "--since", "2026-01-01T00:00:00Z", "--until", "2026-02-01T00:00:00Z"];
    snapshot!(env.ok(&since), @"
    exit: 0
    --- stdout
    task          calls        input       output  money
    review␛[2J        1          100           10  $0.000007
    simple            2          200           20  $0.12 + 1 call of unknown price
    total             3          300           30  $0.12 + 1 call of unknown price
    --- stderr
    ");
    snapshot!(env.ok(&[&since[..], &["--by", "day", "--json"]].concat()), @r#"
    exit: 0
    --- stdout
    {"by":"day","name":"2026-01-02","calls":2,"failed":0,"input":200,"output":20,"usd":0.12,"unpriced":1,"ms":10}
    {"by":"day","name":"2026-01-03","calls":1,"failed":0,"input":100,"output":10,"usd":7e-6,"unpriced":0,"ms":5}
    {"by":"total","name":"total","calls":3,"failed":0,"input":300,"output":30,"usd":0.120007,"unpriced":1,"ms":15}
    --- stderr
    "#);
    let earlier = ["usage", "--by", "model", "--until", "2026-01-02T11:00:00Z"];
    snapshot!(env.ok(&earlier), @"
    exit: 0
    --- stdout
    model     calls        input       output  money
    one/m1        1          100           10  $0.12
    total         1          100           10  $0.12
    --- stderr
    ");
    snapshot!(env.run(&["usage", "--since", "whenever"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `whenever` is no date and no time span
    hint: give 2026-05-01, 2026-05-01T12:00, a span such as 3d, or '2 weeks ago'
    ");
}

#[test]
fn nothing_is_an_honest_no() {
    let env = TestEnv::plain();
    let output = env.run(&["usage"]);
    assert_eq!((output.code, output.stdout().as_str()), (Some(1), ""), "{output}");
    assert!(output.stderr().starts_with("no call of a model was recorded since "), "{output}");
    assert!(!env.outside().join("home/.local").exists(), "asking writes nothing");
}

#[test]
fn damage_is_named_by_its_line() {
    let env = filled();
    let path = folder(&env).join("2026-01.jsonl");
    let kept = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{{\"id\":3}}\n{kept}{{\"id\":\"01")).unwrap();
    let output = env.ok(&["usage", "--since", "2026-01-01T00:00:00Z"]);
    let stderr = output.stderr();
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert!(lines[0].contains("2026-01.jsonl:1: not a record of this log"), "{output}");
    assert!(lines[1].contains("2026-01.jsonl:5: the last record is cut off"), "{output}");
    assert!(output.stdout().contains("total"), "{output}");
}

#[test]
fn budgets_show_what_is_left() {
    let fake = Fake::start(|_| Protocol::OpenAi.says("Hello."));
    let env = TestEnv::new();
    let provider = ("one", Protocol::OpenAi, fake.url.as_str(), None);
    let budget = "llm:\n  budget:\n    run: 5calls\n    day: 0.50usd,5000tok\n    month: 3calls\n";
    user(&env, &settings("one/m1", &[provider]).replace("llm:\n", budget));
    ask(&env, &[]);
    let lines = env.json(&["usage", "--json"]);
    assert_eq!(
        lines[lines.len() - 3..],
        [
            json!({ "budget": "run", "limit": "5calls", "left_usd": null, "left_tokens": null,
            "left_calls": 5 }),
            json!({ "budget": "day", "limit": "0.50usd,5000tok", "left_usd": 0.5,
            "left_tokens": 4982, "left_calls": null }),
            json!({ "budget": "month", "limit": "3calls", "left_usd": null, "left_tokens": null,
            "left_calls": 2 }),
        ]
    );
    let text = env.ok(&["usage"]).stdout();
    assert!(
        text.contains("budget of a day: 0.50usd,5000tok; left: $0.50, 4982 tokens\n"),
        "{text}"
    );
}
