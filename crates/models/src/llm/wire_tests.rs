//! What is sent and understood, by tables, without a server.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    anthropic::Anthropic,
    ollama::Ollama,
    openai::{Dialect, OpenAi},
    wire::{Draft, Protocol},
    *,
};

const PLAIN: OpenAi = OpenAi { dialect: Dialect::Plain };

fn talk() -> Request {
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "weather".into(),
        arguments: json!({ "city": "Köln" }),
    };
    let result = |id: &str, failed| Message::Tool {
        id: id.into(),
        name: "weather".into(),
        text: "rain".into(),
        failed,
    };
    Request {
        model: "m".into(),
        messages: vec![
            Message::system("one"),
            Message::user("hello"),
            Message::Assistant { text: String::new(), tool_calls: vec![call("a"), call("b")] },
            result("a", false),
            result("b", true),
            Message::user("and now?"),
            Message::system("two"),
        ],
        tools: vec![Tool {
            name: "weather".into(),
            description: "The weather.".into(),
            parameters: json!({ "type": "object" }),
        }]
        .into(),
        max_tokens: 9,
        temperature: Some(0.2),
        stop: vec!["END".into()],
        ..Request::default()
    }
}

pub fn form(schema: Value) -> Schema {
    Schema { name: "form".into(), schema }
}

pub fn closed() -> Schema {
    form(json!({
        "type": "object",
        "properties": { "n": { "type": "integer" } },
        "required": ["n"],
        "additionalProperties": false,
    }))
}

#[test]
fn openai_is_sent() {
    let body = PLAIN.encode(&talk(), true).unwrap();
    let call = |id: &str| {
        let function = json!({ "name": "weather", "arguments": "{\"city\":\"Köln\"}" });
        json!({ "id": id, "type": "function", "function": function })
    };
    let tool = json!({ "name": "weather", "description": "The weather.",
        "parameters": { "type": "object" } });
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "one" },
            { "role": "user", "content": "hello" },
            { "role": "assistant", "tool_calls": [call("a"), call("b")] },
            { "role": "tool", "tool_call_id": "a", "content": "rain" },
            { "role": "tool", "tool_call_id": "b", "content": "rain" },
            { "role": "user", "content": "and now?" },
            { "role": "system", "content": "two" },
        ],
        "tools": [{ "type": "function", "function": tool }],
        "tool_choice": "auto",
        "max_tokens": 9,
        "temperature": 0.2,
        "stop": ["END"],
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    assert_eq!(body, expected);
}

#[test]
fn dialects_of_openai() {
    for (host, dialect) in [
        ("api.openai.com", Dialect::OpenAi),
        ("openai.com", Dialect::OpenAi),
        ("notopenai.com", Dialect::Plain),
        ("openrouter.ai", Dialect::OpenRouter),
        ("openrouter.ai.evil.test", Dialect::Plain),
        ("127.0.0.1", Dialect::Plain),
    ] {
        assert_eq!(Dialect::of_host(host), dialect, "{host}");
    }
    let request = Request { schema: Some(closed()), ..Request::default() };
    let body = OpenAi { dialect: Dialect::OpenAi }.encode(&request, false).unwrap();
    assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(4096), &Value::Null));
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    let body = OpenAi { dialect: Dialect::OpenRouter }.encode(&request, false).unwrap();
    assert_eq!(body["usage"], json!({ "include": true }));
    let open = form(json!({ "type": "object", "properties": { "n": {} } }));
    let request = Request { schema: Some(open), ..Request::default() };
    let body = PLAIN.encode(&request, false).unwrap();
    assert_eq!(body["response_format"]["json_schema"]["strict"], false);
}

#[test]
fn anthropic_is_sent() {
    let body = Anthropic.encode(&talk(), false).unwrap();
    let call = |id: &str| {
        let input = json!({ "city": "Köln" });
        json!({ "type": "tool_use", "id": id, "name": "weather", "input": input })
    };
    let expected = json!({
        "model": "m",
        "system": "one\n\ntwo",
        "messages": [
            { "role": "user", "content": [{ "type": "text", "text": "hello" }] },
            { "role": "assistant", "content": [call("a"), call("b")] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": "rain" },
                { "type": "tool_result", "tool_use_id": "b", "content": "rain", "is_error": true },
                { "type": "text", "text": "and now?" },
            ] },
        ],
        "tools": [{ "name": "weather", "description": "The weather.",
            "input_schema": { "type": "object" } }],
        "tool_choice": { "type": "auto" },
        "max_tokens": 9,
        "temperature": 0.2,
        "stop_sequences": ["END"],
    });
    assert_eq!(body, expected);
}

/// The tools, the instructions and what was said last are marked, so that all before them is kept.
#[test]
fn what_is_continued_is_marked() {
    let marks = |value: &Value| value.to_string().matches("cache_control").count();
    let mark = json!({ "type": "ephemeral" });
    let request = Request { is_continued: true, schema: Some(closed()), ..talk() };
    let body = Anthropic.encode(&request, false).unwrap();
    assert_eq!(body["tools"][0]["cache_control"], mark);
    // The form of an answer changes from one request to the next.
    assert_eq!((&body["tools"][1]["name"], marks(&body["tools"][1])), (&json!("form"), 0));
    let system = json!([{ "type": "text", "text": "one\n\ntwo", "cache_control": mark }]);
    assert_eq!(body["system"], system);
    let last = body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"].as_array().unwrap().last().unwrap()["cache_control"], mark);
    assert_eq!(marks(&body), 3);
    let plain = Request { is_continued: false, ..request.clone() };
    assert_eq!(marks(&Anthropic.encode(&plain, false).unwrap()), 0);

    let through = OpenAi { dialect: Dialect::OpenRouter };
    for (model, expected) in [("anthropic/claude-sonnet-4.5", 2), ("google/gemini-2.5-flash", 0)] {
        let request = Request { model: model.to_owned(), ..request.clone() };
        let body = through.encode(&request, false).unwrap();
        assert_eq!(marks(&body), expected, "{model}");
        let said = |body: &Value| body["messages"].as_array().unwrap().len();
        assert_eq!(said(&body), said(&PLAIN.encode(&request, false).unwrap()));
        assert_eq!(marks(&PLAIN.encode(&request, false).unwrap()), 0);
    }
}

#[test]
fn choices_of_tools() {
    let check = |choice: ToolChoice, schema: Option<Schema>, expected: [Value; 2]| {
        let request = Request { tool_choice: choice, schema, ..talk() };
        let of = |protocol: &dyn Protocol| {
            protocol.encode(&request, false).unwrap()["tool_choice"].clone()
        };
        assert_eq!([of(&PLAIN), of(&Anthropic)], expected);
    };
    let named = || ToolChoice::Named("weather".into());
    let function = json!({ "type": "function", "function": { "name": "weather" } });
    check(ToolChoice::None, None, [json!("none"), json!({ "type": "none" })]);
    check(ToolChoice::Required, None, [json!("required"), json!({ "type": "any" })]);
    check(named(), None, [function, json!({ "type": "tool", "name": "weather" })]);
    check(ToolChoice::Auto, Some(closed()), [json!("auto"), json!({ "type": "any" })]);
    let forced = json!({ "type": "tool", "name": "form" });
    check(ToolChoice::None, Some(closed()), [json!("none"), forced]);
}

#[test]
fn ollama_is_sent() {
    let body = Ollama.encode(&talk(), true).unwrap();
    let call = json!({ "function": { "name": "weather", "arguments": { "city": "Köln" } } });
    let result = json!({ "role": "tool", "tool_name": "weather", "content": "rain" });
    assert_eq!(body["messages"][2]["tool_calls"], json!([call, call]));
    assert_eq!(body["messages"][3], result);
    let options = json!({ "num_ctx": 8192, "num_predict": 9, "temperature": 0.2, "stop": ["END"] });
    assert_eq!((&body["options"], &body["stream"]), (&options, &json!(true)));
    assert_eq!(body["truncate"], false);

    // A format would keep the model from calling a tool.
    let request = Request { schema: Some(closed()), ..talk() };
    let body = Ollama.encode(&request, false).unwrap();
    assert_eq!((&body["format"], body["tools"].as_array().unwrap().len()), (&Value::Null, 1));
    assert!(body["messages"][7]["content"].as_str().unwrap().contains("JSON schema"));
    let request = Request { tool_choice: ToolChoice::None, ..request };
    let body = Ollama.encode(&request, false).unwrap();
    assert_eq!((&body["format"], &body["tools"]), (&closed().schema, &Value::Null));
}

#[test]
fn ollama_is_told_its_context() {
    let check = |characters: usize, max_tokens, context_tokens, expected: Option<u64>| {
        let messages = vec![Message::user("x".repeat(characters))];
        let request = Request { messages, max_tokens, context_tokens, ..Request::default() };
        let body = Ollama.encode(&request, false);
        let found = body.ok().map(|body| body["options"]["num_ctx"].as_u64().unwrap());
        assert_eq!(found, expected, "{characters} {max_tokens} {context_tokens:?}");
    };
    check(10, 100, None, Some(8_192));
    check(32_000, 1_000, None, Some(16_384));
    check(500_000, 4_096, None, Some(131_072));
    check(600_000, 4_096, None, None);
    check(10, 100, Some(2_048), Some(2_048));
    check(10_000, 100, Some(2_048), None);
}

fn read(protocol: &dyn Protocol, pieces: &[Value]) -> Result<Reply, LlmError> {
    let (request, mut draft) = (Request::default(), Draft::default());
    for piece in pieces {
        protocol.piece(&request, piece, &mut draft)?;
    }
    draft.finish(&request, 1)
}

fn openai_calls(calls: &[Value]) -> String {
    let pieces: Vec<_> = calls
        .iter()
        .map(|call| json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }))
        .collect();
    match read(&PLAIN, &pieces) {
        Ok(reply) => reply
            .tool_calls
            .iter()
            .map(|call| format!("{} {} {}", call.id, call.name, call.arguments))
            .collect::<Vec<_>>()
            .join("; "),
        Err(error) => error.kind().to_owned(),
    }
}

#[test]
fn fragments_of_calls_find_together() {
    let function =
        |name: Option<&str>, arguments: &str| json!({ "name": name, "arguments": arguments });
    let check = |calls: &[Value], expected: &str| assert_eq!(openai_calls(calls), expected);
    check(
        &[
            json!({ "index": 0, "id": "a", "function": function(Some("f"), "") }),
            json!({ "index": 1, "id": "b", "function": function(Some("g"), "{\"x\":") }),
            json!({ "index": 0, "function": function(None, "{}") }),
            json!({ "index": 1, "function": function(None, "1}") }),
        ],
        "a f {}; b g {\"x\":1}",
    );
    // Servers that give no numbers.
    check(
        &[
            json!({ "id": "a", "function": function(Some("f"), "{\"x\":") }),
            json!({ "function": function(None, "1}") }),
            json!({ "id": "b", "function": function(Some("g"), "{}") }),
        ],
        "a f {\"x\":1}; b g {}",
    );
    // Nor ids; arguments as a value, as nothing, as null.
    check(
        &[
            json!({ "function": { "name": "f", "arguments": { "x": 1 } } }),
            json!({ "function": { "name": "f" } }),
            json!({ "function": function(Some("g"), "null") }),
        ],
        "call_0_0 f {\"x\":1}; call_0_1 f {}; call_0_2 g {}",
    );
    check(&[json!({ "function": function(Some("f"), "[1]") })], "arguments");
    check(&[json!({ "function": function(Some("f"), "{\"x\":") })], "arguments");
    check(&[json!({ "index": 0, "function": function(None, "{}") })], "bad-reply");
    let many: Vec<_> =
        (0..200).map(|n| json!({ "index": n, "function": function(Some("f"), "{}") })).collect();
    check(&many, "too-large");
}

#[test]
fn what_is_endless_is_cut_off() {
    let text = "x".repeat(3 << 20);
    let piece = json!({ "choices": [{ "delta": { "content": text } }] });
    assert!(read(&PLAIN, std::slice::from_ref(&piece)).is_ok());
    assert_eq!(read(&PLAIN, &[piece.clone(), piece]).unwrap_err().kind(), "too-large");
    let function = json!({ "name": "f", "arguments": "x".repeat(2 << 20) });
    assert_eq!(openai_calls(&[json!({ "id": "a", "function": function })]), "too-large");
}

#[test]
fn odd_answers_of_openai() {
    let check = |choice: Value, text: &str, stop: StopReason| {
        let reply = read(&PLAIN, &[json!({ "choices": [choice] })]).unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), (text, stop));
    };
    let parts = json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]);
    check(json!({ "message": { "content": parts } }), "ab", StopReason::End);
    let refused =
        json!({ "message": { "content": null, "refusal": "No." }, "finish_reason": "stop" });
    check(refused, "No.", StopReason::Refused);
    let filtered = json!({ "message": { "content": "" }, "finish_reason": "content_filter" });
    check(filtered, "", StopReason::Refused);
    let odd = json!({ "message": { "content": "x" }, "finish_reason": "eos" });
    check(odd, "x", StopReason::Other("eos".into()));
    let error =
        json!({ "error": { "code": 502, "message": "gone" }, "message": { "content": "" } });
    assert_eq!(read(&PLAIN, &[json!({ "choices": [error] })]).unwrap_err().kind(), "server");
}

#[test]
fn what_openrouter_charges_is_taken() {
    for (cost, expected) in [
        (json!(0.00012345), Some(124)),
        (json!(0), Some(0)),
        (Value::Null, None),
        (json!(-1.0), None),
        (json!(1e300), None),
    ] {
        let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "cost": cost });
        let choices = json!([{ "message": { "content": "x" } }]);
        let reply = read(&PLAIN, &[json!({ "choices": choices, "usage": usage })]).unwrap();
        assert_eq!(reply.usage.usd_micros, expected, "{cost}");
    }
}

pub fn any_json() -> impl Strategy<Value = Value> {
    let words = [
        "choices", "delta", "message", "content", "tool_calls", "function", "name", "arguments",
        "type", "text", "message_start", "content_block_start", "content_block", "index", "usage",
        "tool_use", "done", "error", "model", "finish_reason", "input", "stop_reason",
        "message_delta",
    ];
    let word = prop::sample::select(words.to_vec());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 6, move |inner| {
        let fields =
            prop::collection::btree_map(word.clone().prop_map(str::to_owned), inner.clone(), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn nothing_a_server_says_is_fatal(pieces in prop::collection::vec(any_json(), 0..5)) {
        for protocol in [&PLAIN as &dyn Protocol, &Anthropic, &Ollama] {
            let _ = read(protocol, &pieces);
            for piece in &pieces {
                let mut draft = Draft::default();
                let _ = protocol.whole(&Request::default(), piece, &mut draft);
                let _ = wire::inner_error(piece, "m");
            }
        }
    }
}
