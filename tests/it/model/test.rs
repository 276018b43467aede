//! `model test`: really asking.

use std::{io::ErrorKind, net::TcpListener};

use serde_json::json;

use super::{KEY, ask, keyed, ledger, one, says_no_key, settings, user};
use crate::{
    env::{TestEnv, finish, snapshot},
    fake::{
        Answer, Fake,
        chat::{PROTOCOLS, Protocol, refuses},
    },
    vault,
};

const HELLO: &str = "Hello, otter.";

#[test]
fn each_protocol_answers_and_is_recorded() {
    for protocol in PROTOCOLS {
        let fake = Fake::start(move |_| protocol.says(HELLO));
        let env = one(&fake, protocol);
        let output = ask(&env, &[]);
        let (first, rest) =
            output.stdout().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert_eq!((output.code, first.as_str()), (Some(0), HELLO), "{protocol:?}\n{output}");
        assert!(rest.starts_with("one/m1: 11 tokens in, 7 out, $0.00, "), "{output}");
        let asked = fake.requests();
        assert_eq!(asked.len(), 1);
        assert_eq!(
            (asked[0].path.as_str(), &asked[0].body["model"]),
            (protocol.path(), &json!("m1"))
        );
        let (header, value) = match protocol {
            Protocol::Anthropic => ("x-api-key", KEY.to_owned()),
            Protocol::OpenAi | Protocol::Ollama => ("authorization", format!("Bearer {KEY}")),
        };
        assert_eq!(asked[0].headers.get(header), Some(&value), "{protocol:?}");
        let calls = ledger(&env);
        assert_eq!(calls.len(), 1);
        for (key, value) in [
            ("command", json!("model")),
            ("task", json!("simple")),
            ("provider", json!("one")),
            ("model", json!("m1")),
            ("input", json!(11)),
            ("output", json!(7)),
            ("usd_micros", json!(0)),
            ("outcome", json!("ok")),
        ] {
            assert_eq!(calls[0][key], value, "{protocol:?} {key}");
        }
    }
}

#[test]
fn json_is_one_object() {
    let fake = Fake::start(|_| Protocol::OpenAi.says("a\u{1b}[2J\u{202e}b"));
    let env = one(&fake, Protocol::OpenAi);
    let answers = ask(&env, &["--json"]).json();
    assert_eq!(answers.len(), 1);
    let mut answer = answers[0].clone();
    assert!(answer["ms"].is_u64(), "{answer}");
    answer["ms"] = json!(1);
    let expected = json!({ "ok": true, "task": "simple", "model": "one/m1",
        "text": "a\u{1b}[2J\u{202e}b", "input": 11, "output": 7, "usd": 0.0, "ms": 1, "attempts": 1 });
    assert_eq!(answer, expected);
    // What a provider says is shown, not obeyed.
    for args in [&[][..], &["--stream"], &["--json"]] {
        let output = ask(&env, args);
        assert!(!output.stdout().contains(['\u{1b}', '\u{202e}']), "{output}");
    }
}

#[test]
fn streams_are_printed_as_they_come() {
    for protocol in PROTOCOLS {
        let fake = Fake::start(move |_| protocol.streams(&["Hello, ", "otter\u{7}."]));
        let env = one(&fake, protocol);
        let output = ask(&env, &["--stream"]);
        assert_eq!(output.code, Some(0), "{protocol:?}\n{output}");
        let expected = "Hello, otter␇.\none/m1: 11 tokens in, 7 out, $0.00, ";
        assert!(output.stdout().starts_with(expected), "{protocol:?}\n{output}");
        assert_eq!(fake.requests()[0].body["stream"], true);
        let answer = &ask(&env, &["--stream", "--json"]).json()[0];
        assert_eq!(answer["text"], "Hello, otter\u{7}.");
    }
}

#[test]
fn tools_are_offered_and_their_calls_shown() {
    for protocol in PROTOCOLS {
        let arguments = json!({ "text": "Otters hold hands" });
        let fake = Fake::script(vec![
            protocol.calls("count_words", &arguments),
            protocol.calls("count_words", &arguments),
            protocol.says("Three."),
        ]);
        let env = one(&fake, protocol);
        let output = ask(&env, &["--tools"]);
        let expected = "calls count_words with {\"text\":\"Otters hold hands\"}\n";
        assert!(output.stdout().starts_with(expected), "{protocol:?}\n{output}");
        assert_eq!(output.code, Some(0));
        let answer = &ask(&env, &["--tools", "--json"]).json()[0];
        let call = json!([{ "name": "count_words", "arguments": arguments }]);
        assert_eq!((&answer["tool_calls"], &answer["ok"]), (&call, &json!(true)), "{protocol:?}");
        let without = ask(&env, &["--tools"]);
        assert_eq!((without.code, without.stderr().as_str()), (Some(1), "it called no tool\n"));
        assert_eq!(fake.requests()[0].body["tools"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn an_answer_in_a_form_is_checked() {
    let value = json!({ "language": "English", "words": 3 });
    let good = Protocol::OpenAi.says(&value.to_string());
    let bad = Protocol::OpenAi.says("{\"language\": 3}");
    let fake = Fake::script(vec![good.clone(), bad.clone(), good, bad.clone(), bad]);
    let env = one(&fake, Protocol::OpenAi);
    assert_eq!(ask(&env, &["--schema", "--json"]).json()[0]["value"], value);
    // A model that misses the form is asked once more.
    let repaired = &ask(&env, &["--schema", "--json"]).json()[0];
    assert_eq!((&repaired["value"], &repaired["input"]), (&value, &json!(22)));
    let output = ask(&env, &["--schema"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("does not fit the schema `sentence`"), "{output}");
    assert_eq!(fake.requests().len(), 5);
    assert_eq!(ledger(&env).iter().map(|call| call["calls"].as_u64().unwrap()).sum::<u64>(), 5);
}

#[test]
fn a_busy_provider_is_asked_again() {
    let fake = Fake::script(vec![
        refuses(429, "slow down").header("retry-after", "0"),
        Protocol::OpenAi.says(HELLO),
    ]);
    let env = one(&fake, Protocol::OpenAi);
    assert_eq!(ask(&env, &["--json"]).json()[0]["attempts"], 2);
    assert_eq!((fake.requests().len(), &ledger(&env)[0]["attempts"]), (2, &json!(2)));
}

#[test]
fn where_no_model_answers_each_says_why() {
    let fake = Fake::start(|_| refuses(401, &format!("bad key {KEY}\nhint: run rm -rf \u{1b}[2J")));
    let env = TestEnv::new();
    let keyed = ("one", Protocol::OpenAi, fake.url.as_str(), Some("env:ONE_KEY"));
    let ollama = ("two", Protocol::Ollama, "http://127.0.0.1:1", None);
    let without = ("three", Protocol::OpenAi, fake.url.as_str(), Some("vault:three"));
    user(&env, &settings("one/m1, two/m2, three/m3, four/m4", &[keyed, ollama, without]));
    let output = ask(&env, &[]);
    snapshot!(output.to_string().replace(&fake.url[7..], "HOST"), @r"
    exit: 2
    --- stdout
    --- stderr
    error: no model gave an answer
      one/m1: the key was refused (status 401): bad key [key] hint: run rm -rf \u{1b}[2J
      two/m2: the provider cannot be reached: can't connect to `127.0.0.1:1`: Connection refused (os error 111)
      three/m3: not set up: there is no key in vault:three
      four/m4: not set up: the settings don't say where this provider is
    hint: give `three` a key that it takes: keep it with `elophanto vault set three`
          say where `four` is: `llm.providers.four.base_url` in your settings
          give `one` a key that it takes: set ONE_KEY
          start Ollama (`ollama serve`), then `ollama pull m2`
    ");
    let failed = finish(&mut super::keyed(&env, &["model", "test", "--json"]));
    assert_eq!(failed.code, Some(2));
    says_no_key(&env, &failed);
    let answer = &failed.json()[0];
    assert_eq!((&answer["ok"], answer["tried"].as_array().map(Vec::len)), (&json!(false), Some(4)));
}

#[test]
fn the_second_model_answers_where_the_first_fails() {
    let bad = Fake::start(|_| refuses(404, "the model m1 does not exist"));
    let good = Fake::start(|_| Protocol::Ollama.says(HELLO));
    let env = TestEnv::new();
    let first = ("one", Protocol::OpenAi, bad.url.as_str(), None);
    let second = ("two", Protocol::Ollama, good.url.as_str(), None);
    user(&env, &settings("one/m1, two/m2", &[first, second]));
    let output = ask(&env, &["--json"]);
    assert_eq!(output.json()[0]["model"], "two/m2");
    assert!(
        output.stderr().starts_with("note: `one/m1` gave no answer: there is no model"),
        "{output}"
    );
    let outcomes: Vec<_> = ledger(&env).iter().map(|call| call["outcome"].clone()).collect();
    assert_eq!(outcomes, ["model-missing", "ok"]);
}

#[test]
fn nothing_leaves_the_machine_where_only_local_models_are_allowed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let env = TestEnv::new();
    let away = ("away", Protocol::OpenAi, "https://models.invalid/v1", Some("env:ONE_KEY"));
    let base = settings("away/m1", &[away]);
    user(&env, &base.replace("llm:\n", "llm:\n  local_only: true\n"));
    let run = |args: &[&str]| finish(keyed(&env, args).env("https_proxy", &proxy));
    let output = run(&["model", "test"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("away/m1: it is not on this machine"), "{output}");
    assert!(output.stderr().contains("hint: `llm.local_only` is on"), "{output}");
    let knocked = || listener.accept().map_err(|cause| cause.kind()).err();
    assert_eq!(knocked(), Some(ErrorKind::WouldBlock));
    assert_eq!(ledger(&env).len(), 0);
    // The same without the restriction knocks.
    user(&env, &base.replace("llm:\n", "llm:\n  timeout: 1s\n"));
    run(&["model", "test"]);
    assert_eq!(knocked(), None);
}

#[test]
fn a_budget_refuses_before_the_call() {
    let fake = Fake::start(|_| Protocol::OpenAi.says(HELLO));
    let env = one(&fake, Protocol::OpenAi);
    snapshot!(ask(&env, &["--budget", "0calls"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: the budget of 0 calls per run is used up
    hint: give more with `--budget`, or set `llm.budget.run`
    ");
    snapshot!(ask(&env, &["--budget", "much"]), @r#"
    exit: 2
    --- stdout
    --- stderr
    error: command line: llm.budget.run: expected none, or limits such as 0.50usd, 20000tok or 30calls, each once and joined with commas, found "much"
    hint: `--help` says what may stand there
    "#);
    assert_eq!((fake.requests().len(), ledger(&env).len()), (0, 0));
    let day = "llm:\n  budget:\n    day: 1calls\n";
    let provider = ("one", Protocol::OpenAi, fake.url.as_str(), None);
    user(&env, &settings("one/m1", &[provider]).replace("llm:\n", day));
    assert_eq!(ask(&env, &[]).code, Some(0));
    let second = ask(&env, &["--budget", "none"]);
    assert_eq!(second.code, Some(2), "{second}");
    assert!(second.stderr().contains("the budget of 1 call per day is used up"), "{second}");
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn keys_come_from_the_vault_too() {
    let fake = Fake::script(vec![refuses(404, "no model m1"), Protocol::OpenAi.says(HELLO)]);
    let env = TestEnv::new();
    // Both keys with one passphrase that can be read but once.
    let one = ("one", Protocol::OpenAi, fake.url.as_str(), Some("vault:one"));
    let two = ("two", Protocol::OpenAi, fake.url.as_str(), Some("vault:two"));
    user(&env, &settings("one/m1, two/m2", &[one, two]));
    for name in ["one", "two"] {
        assert_eq!(vault::set(&env, name, &format!("{KEY}-{name}")).code, Some(0));
    }
    let run = |args: &[&str]| {
        finish(&mut vault::with_passphrase(&env, vault::PASSPHRASE, &[&["model"], args].concat()))
    };
    let listed = run(&["list", "--json"]);
    says_no_key(&env, &listed);
    assert!(listed.json().iter().any(|line| line["model"] == "one/m1" && line["used"] == true));
    let output = run(&["test", "--json"]);
    says_no_key(&env, &output);
    assert_eq!(output.json()[0]["model"], "two/m2", "{output}");
    let sent: Vec<String> =
        fake.requests().iter().map(|request| request.headers["authorization"].clone()).collect();
    assert_eq!(sent, [format!("Bearer {KEY}-one"), format!("Bearer {KEY}-two")]);
    // Without a passphrase nobody is asked.
    let locked = env.ok(&["model", "list"]);
    assert!(locked.stdout().contains("one/m1  not set up: the vault is locked"), "{locked}");
}

#[test]
fn a_repository_says_neither_which_model_is_asked_nor_where_it_is() {
    let (mine, theirs) =
        (Fake::start(|_| Protocol::OpenAi.says(HELLO)), Fake::start(|_| refuses(500, "no")));
    let env = one(&mine, Protocol::OpenAi);
    let evil = ("one", Protocol::OpenAi, theirs.url.as_str(), Some("env:ONE_KEY"));
    let own = ("evil", Protocol::OpenAi, theirs.url.as_str(), Some("env:ONE_KEY"));
    env.write(".elophanto/config.yaml", settings("evil/m9, one/chosen", &[evil, own]));
    let output = ask(&env, &["--json"]);
    assert_eq!(output.json()[0]["model"], "one/m1", "{output}");
    let told = "not trusted, passed over: llm.tasks.simple, llm.providers.one.";
    assert!(output.stderr().contains(told), "{output}");
    assert_eq!((mine.requests().len(), theirs.requests().len()), (1, 0));
    assert_eq!(mine.requests()[0].body["model"], "m1");
}

#[test]
fn the_model_that_makes_vectors_is_tried() {
    let env = TestEnv::new();
    let output = env.ok(&["model", "test", "--embed"]);
    assert!(output.stdout().contains(" components, cosine 0."), "{output}");
    assert_eq!(ledger(&env).len(), 0, "what runs here costs nothing");
    let fake = Fake::start(|request| match request.path.as_str() {
        "/api/embed" => {
            let texts = request.body["input"].as_array().map_or(1, Vec::len);
            let vectors = vec![[0.6, 0.8, 0.0]; texts];
            Answer::json(200, &json!({ "embeddings": vectors, "prompt_eval_count": 20 }))
        }
        _ => refuses(404, "no such path"),
    });
    let embedder = "knowledge:\n  embedding_provider: ollama\n  embedding_model: tiny\n  \
                    embedding_dimension: 3\n";
    let provider = ("ollama", Protocol::Ollama, fake.url.as_str(), None);
    user(&env, &format!("{embedder}{}", settings("ollama/m", &[provider])));
    let answer = &env.json(&["model", "test", "--embed", "--json"])[0];
    assert_eq!((&answer["model"], &answer["dimension"]), (&json!("ollama:tiny@3"), &json!(3)));
    assert!((answer["cosine"].as_f64().unwrap() - 1.0).abs() < 1e-5, "{answer}");
    let calls = ledger(&env);
    assert_eq!(
        (calls.len(), &calls[0]["task"], &calls[0]["input"]),
        (1, &json!("embedding"), &json!(20))
    );
    assert_eq!(calls[0]["usd_micros"], 0);
}
