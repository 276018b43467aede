//! The same tests over all protocols, against servers on loopback.

use std::{ops::ControlFlow, time::Duration};

use serde_json::{Value, json};

use super::{fake_tests::*, *};

fn request() -> Request {
    Request {
        model: "m".into(),
        messages: vec![Message::system("Be brief."), Message::user("Straße?")],
        max_tokens: 100,
        ..Request::default()
    }
}

fn with_tools() -> Request {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let (name, description) = ("weather".to_owned(), "The weather.".to_owned());
    Request { tools: vec![Tool { name, description, parameters }].into(), ..request() }
}

fn with_schema() -> Request {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" } },
        "required": ["n"],
        "additionalProperties": false,
    });
    Request { schema: Some(Schema { name: "form".into(), schema }), ..request() }
}

/// Asks once for a whole answer and once for a stream, cut into small packets.
fn both(kind: Kind, request: &Request, said: Said<'_>, check: impl Fn(Result<Reply, LlmError>)) {
    let fake = Fake::new([whole(kind, said)]);
    check(fake.provider(kind).complete(request));
    assert_eq!(fake.calls(), 1);

    let fake = Fake::new([packets(kind, &events(kind, said), 7)]);
    let mut streamed = String::new();
    let reply = fake.provider(kind).stream(request, &mut |delta| {
        match delta {
            Delta::Text(text) => streamed.push_str(&text),
            Delta::ToolCall { name } => assert_eq!(name, "weather"),
            Delta::Restart => streamed.clear(),
            Delta::Waiting => {}
        }
        ControlFlow::Continue(())
    });
    if let Ok(reply) = &reply {
        assert_eq!(streamed, reply.text);
    }
    check(reply);
    assert_eq!(fake.calls(), 1);
}

#[test]
fn a_plain_answer() {
    for kind in KINDS {
        both(kind, &request(), said("Grüße, 🦦!"), |reply| {
            let reply = reply.unwrap();
            assert_eq!((reply.text.as_str(), reply.model.as_str()), ("Grüße, 🦦!", "m-1"));
            assert_eq!((reply.stop, reply.attempts), (StopReason::End, 1));
            let Usage { input, output, cached, calls, .. } = reply.usage;
            let cache = if kind == Kind::Ollama { 0 } else { 5 };
            assert_eq!((input, output, cached, calls), (20, 7, cache, 1));
            assert_eq!((reply.value, reply.tool_calls), (None, vec![]));
        });
    }
}

#[test]
fn what_is_sent() {
    for kind in KINDS {
        let fake = Fake::new([whole(kind, said("x"))]);
        fake.provider(kind).complete(&request()).unwrap();
        let (path, key) = match kind {
            Kind::OpenAi => ("/v1/chat/completions", "Bearer sk-test-key"),
            Kind::Anthropic => ("/v1/messages", "sk-test-key"),
            Kind::Ollama => ("/api/chat", "Bearer sk-test-key"),
        };
        fake.last(|seen| {
            assert_eq!((seen.path.as_str(), seen.key.as_deref()), (path, Some(key)));
            let version = (kind == Kind::Anthropic).then_some("2023-06-01");
            assert_eq!(seen.version.as_deref(), version);
            assert_eq!(seen.body["model"], "m");
            if kind == Kind::Ollama {
                assert_eq!(seen.body["options"]["num_ctx"], 8_192);
                assert_eq!(seen.body["options"]["num_predict"], 100);
            } else {
                assert_eq!(seen.body["max_tokens"], 100);
            }
        });
    }
}

#[test]
fn a_tool_is_called() {
    for kind in KINDS {
        let call = Some(("weather", r#"{"city":"Köln"}"#));
        both(kind, &with_tools(), Said { call, ..said("") }, |reply| {
            let reply = reply.unwrap();
            assert_eq!(reply.stop, StopReason::ToolCalls);
            let [call] = &reply.tool_calls[..] else { panic!("{kind:?}: {reply:?}") };
            assert_eq!(
                (call.name.as_str(), &call.arguments),
                ("weather", &json!({ "city": "Köln" }))
            );
            // Ollama gives no ids.
            assert_eq!(call.id, if kind == Kind::Ollama { "call_2_0" } else { "call_1" });
        });
    }
}

#[test]
fn arguments_that_are_not_json_are_kept() {
    for kind in KINDS {
        let call = Some(("weather", r#"{"city":"#));
        both(kind, &with_tools(), Said { call, ..said("") }, |reply| match reply.unwrap_err() {
            LlmError::Arguments { tool, raw, usage, .. } => {
                // A whole answer of Anthropic's is JSON throughout.
                assert!(raw == r#"{"city":"# || raw == r#""{\"city\":""#, "{kind:?}: {raw}");
                assert_eq!((tool.as_str(), usage.output), ("weather", 7));
            }
            error => panic!("{kind:?}: {error}"),
        });
    }
}

/// As llama.cpp's Python server does.
#[test]
fn a_server_that_knows_only_the_older_form_of_schemas() {
    let says = "response_format.type: Input should be 'text' or 'json_object'";
    let answer = answered(r#"{"n": 3}"#);
    let fake = Fake::new([error(Kind::OpenAi, 400, says), whole(Kind::OpenAi, answer)]);
    let reply = fake.provider(Kind::OpenAi).complete(&with_schema()).unwrap();
    assert_eq!(reply.value, Some(json!({ "n": 3 })));
    assert_eq!(fake.calls(), 2);
    fake.last(|seen| {
        let format = &seen.body["response_format"];
        assert_eq!((&format["type"], format["schema"].is_object()), (&json!("json_object"), true));
    });
}

/// A proxy whose own request failed may say that all went well.
#[test]
fn an_empty_answer_is_none() {
    for kind in [Kind::OpenAi, Kind::Ollama] {
        let fake = Fake::new([whole(kind, answered(""))]);
        let error = fake.provider(kind).complete(&request()).unwrap_err();
        assert!(error.to_string().contains("the answer is empty"), "{kind:?}: {error}");
    }
}

#[test]
fn an_answer_to_a_schema() {
    for kind in KINDS {
        both(kind, &with_schema(), answered(r#"{"n": 3}"#), |reply| {
            let reply = reply.unwrap();
            assert_eq!((reply.value, reply.stop), (Some(json!({ "n": 3 })), StopReason::End));
            assert_eq!(reply.tool_calls, []);
        });
        for text in ["```json\n{\"n\": 3}\n```", "Here you are: {\"n\":3}. Anything else?"] {
            let request = Request { tools: with_tools().tools, ..with_schema() };
            both(kind, &request, said(text), |reply| {
                assert_eq!(reply.unwrap().value, Some(json!({ "n": 3 })));
            });
        }
    }
}

#[test]
fn a_wrong_answer_is_repaired_once() {
    for kind in KINDS {
        let wrong = || whole(kind, answered(r#"{"n": "three"}"#));
        let fake = Fake::new([wrong(), whole(kind, answered(r#"{"n": 3}"#))]);
        let reply = fake.provider(kind).complete(&with_schema()).unwrap();
        assert_eq!((reply.value, fake.calls()), (Some(json!({ "n": 3 })), 2));
        assert_eq!((reply.usage.input, reply.usage.calls, reply.attempts), (40, 2, 2));
        let messages = fake.last(|seen| seen.body["messages"].to_string());
        assert!(messages.contains("/n: string instead of"), "{messages}");

        let fake = Fake::new([wrong()]);
        match fake.provider(kind).complete(&with_schema()).unwrap_err() {
            LlmError::Schema { schema, reason, raw, usage } => {
                assert_eq!((schema.as_str(), fake.calls(), usage.calls), ("form", 2, 2));
                assert!(reason.starts_with("/n: ") && raw.contains("three"), "{reason} {raw}");
            }
            error => panic!("{kind:?}: {error}"),
        }

        let fake = Fake::new([wrong()]);
        let once = Request { repairs: 0, ..with_schema() };
        assert!(matches!(fake.provider(kind).complete(&once), Err(LlmError::Schema { .. })));
        assert_eq!(fake.calls(), 1);
    }
}

#[test]
fn a_repaired_stream_begins_again() {
    for kind in KINDS {
        let stream = |text| packets(kind, &events(kind, answered(text)), 50);
        let fake = Fake::new([stream(r#"{"m": 1}"#), stream(r#"{"n": 3}"#)]);
        let (mut text, mut restarts) = (String::new(), 0);
        let reply = fake.provider(kind).stream(&with_schema(), &mut |delta| {
            match delta {
                Delta::Text(piece) => text.push_str(&piece),
                Delta::Restart => {
                    restarts += 1;
                    text.clear();
                }
                Delta::ToolCall { .. } => panic!("{kind:?}"),
                Delta::Waiting => {}
            }
            ControlFlow::Continue(())
        });
        assert_eq!((reply.unwrap().value, text.as_str()), (Some(json!({ "n": 3 })), r#"{"n": 3}"#));
        assert_eq!(restarts, 1);
    }
}

#[test]
fn an_answer_is_cut_off_at_the_cap() {
    for kind in KINDS {
        both(kind, &request(), Said { is_cut: true, ..said("Once upon") }, |reply| {
            assert_eq!(reply.unwrap().stop, StopReason::Length);
        });
        // To ask again would end in the same way.
        both(kind, &with_schema(), Said { is_cut: true, ..said("{\"n\":") }, |reply| {
            match reply.unwrap_err() {
                LlmError::Schema { reason, .. } => assert!(reason.contains("cut off"), "{reason}"),
                error => panic!("{kind:?}: {error}"),
            }
        });
    }
}

#[test]
fn whoever_listens_may_stop() {
    for kind in KINDS {
        let fake = Fake::new([packets(kind, &events(kind, said("one two three")), 1_000)]);
        let mut pieces = 0;
        let reply = fake.provider(kind).stream(&request(), &mut |_| {
            pieces += 1;
            ControlFlow::Break(())
        });
        let reply = reply.unwrap();
        assert_eq!((reply.stop, pieces), (StopReason::Cancelled, 1));
        assert!(reply.usage.input > 0 && "one two three".starts_with(&reply.text));
    }
}

/// `expected`: the error's kind; `calls`: how often the server was asked.
fn fails(kind: Kind, sent: Sent, expected: &str, calls: usize) {
    let fake = Fake::new([sent.clone()]);
    let error = fake.provider(kind).complete(&request()).unwrap_err();
    assert_eq!((error.kind(), fake.calls()), (expected, calls), "{kind:?}: {error}");
    assert!(!format!("{error:?}").contains("sk-test-key"), "{error}");
    let fake = Fake::new([sent]);
    let error = fake.provider(kind).stream(&request(), &mut |_| ControlFlow::Continue(()));
    assert_eq!((error.unwrap_err().kind(), fake.calls()), (expected, calls), "{kind:?}, streamed");
}

#[test]
fn refusals_are_told_apart() {
    for kind in KINDS {
        let error = |status, message| error(kind, status, message);
        fails(kind, error(401, "wrong key sk-test-key"), "unauthorized", 1);
        fails(kind, error(402, "pay"), "no-credit", 1);
        fails(kind, error(404, "model \"m\" not found, try pulling it first"), "model-missing", 1);
        fails(kind, error(404, "no such page"), "rejected", 1);
        fails(
            kind,
            error(400, "This model's maximum context length is 8192 tokens"),
            "context-too-long",
            1,
        );
        fails(kind, error(400, "prompt is too long: 300000 tokens"), "context-too-long", 1);
        fails(kind, error(400, "temperature must be below 2"), "rejected", 1);
        fails(kind, error(500, "oops"), "server", 2);
        fails(kind, error(503, "busy"), "overloaded", 2);
        fails(kind, error(529, "Overloaded"), "overloaded", 2);
        fails(kind, error(429, "slow down"), "rate-limited", 2);
        fails(kind, error(200, "upstream is gone"), "server", 1);
    }
}

#[test]
fn replies_that_are_none() {
    for kind in KINDS {
        let json = |body: Value| Sent::json(200, &body);
        fails(kind, json(json!({})), "bad-reply", 1);
        fails(kind, json(json!({ "choices": [], "content": null })), "bad-reply", 1);
        fails(kind, json(json!([1])), "bad-reply", 1);
        let page = Sent { headers: vec![("content-type", "text/html".into())], ..json(json!(0)) };
        fails(kind, page, "bad-reply", 1);
        let text = Sent { packets: vec![b"not json".to_vec()], ..json(json!(0)) };
        fails(kind, text, "bad-reply", 1);
    }
}

#[test]
fn a_rate_limit_is_waited_for_or_told() {
    for kind in KINDS {
        let busy = |wait: &str| error(kind, 429, "slow down").header("retry-after", wait);
        let fake = Fake::new([busy("0"), whole(kind, said("ok"))]);
        let reply = fake.provider(kind).complete(&request()).unwrap();
        assert_eq!((reply.attempts, fake.calls()), (2, 2));

        let fake = Fake::new([busy("3600")]);
        let error = fake.provider(kind).complete(&request()).unwrap_err();
        let hour = Some(Duration::from_secs(3600));
        assert_eq!(error.blame(), Blame::Provider { retry_after: hour });
        assert_eq!(fake.calls(), 1);
    }
}

#[test]
fn a_server_that_recovers() {
    for kind in KINDS {
        let fake = Fake::new([error(kind, 500, "oops"), whole(kind, said("ok"))]);
        let provider = fake.provider(kind);
        let reply = provider.complete(&request()).unwrap();
        assert_eq!((reply.text.as_str(), reply.attempts, provider.requests_sent()), ("ok", 2, 2));
    }
}

#[test]
fn a_stream_that_breaks_off() {
    for kind in KINDS {
        let all = events(kind, said("one two three"));
        for events in 3..all.len() {
            for breaks in [false, true] {
                let end = all[..events].concat();
                // What says that the answer is whole may have been among them.
                let whole = match kind {
                    Kind::OpenAi => end.contains("\"finish_reason\":\"stop\""),
                    Kind::Anthropic => end.contains("message_stop"),
                    Kind::Ollama => end.contains("\"done\":true"),
                };
                if whole {
                    continue;
                }
                let sent = Sent { breaks, ..packets(kind, &all[..events], 1_000) };
                let fake = Fake::new([sent]);
                let reply =
                    fake.provider(kind).stream(&request(), &mut |_| ControlFlow::Continue(()));
                let error = reply.unwrap_err();
                assert!(error.usage().input > 0);
                assert_eq!(
                    (error.kind(), fake.calls()),
                    ("truncated", 1),
                    "{kind:?} {events} {error}"
                );
            }
        }
    }
}

#[test]
fn an_error_in_the_middle_of_a_stream() {
    for kind in KINDS {
        let mut all = events(kind, said("one two three"));
        all.truncate(3);
        all.push(match kind {
            Kind::OpenAi => {
                "data: {\"error\":{\"code\":502,\"message\":\"gone\"},\"choices\":[]}\n\n".into()
            }
            Kind::Anthropic => "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\
                \"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
                .into(),
            Kind::Ollama => "{\"error\":\"llama runner process has terminated\"}\n".into(),
        });
        let fake = Fake::new([packets(kind, &all, 9)]);
        let reply = fake.provider(kind).stream(&request(), &mut |_| ControlFlow::Continue(()));
        let expected = if kind == Kind::Anthropic { "overloaded" } else { "server" };
        assert_eq!(reply.unwrap_err().kind(), expected);
    }
}

#[test]
fn a_server_that_does_not_stream_is_fine() {
    for kind in KINDS {
        let call = Some(("weather", r#"{"city":"Köln"}"#));
        let fake = Fake::new([whole(kind, Said { call, ..said("Well.") })]);
        let reply = fake.provider(kind).stream(&with_tools(), &mut |_| ControlFlow::Continue(()));
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Well.", 1), "{kind:?}");
    }
}

#[test]
fn nobody_there() {
    for kind in KINDS {
        let fake = Fake::new([whole(kind, said("x"))]);
        let provider = Fake::new([]).provider(kind);
        drop(fake);
        let mut settings = Settings::known("ollama").unwrap();
        (settings.kind, settings.base_url) = (kind, "http://127.0.0.1:9".parse().unwrap());
        settings.patience.attempts = 1;
        let error = Provider::new(settings).unwrap().complete(&request()).unwrap_err();
        assert_eq!(error.kind(), "network");
        let huge = Request { messages: vec![Message::user("x".repeat(33 << 20))], ..request() };
        let error = provider.complete(&huge).unwrap_err();
        let expected = if kind == Kind::Ollama { "context-too-long" } else { "too-large" };
        assert_eq!(error.kind(), expected);
    }
}

#[test]
fn a_key_does_not_travel_in_the_clear() {
    let mut settings = Settings::known("openai").unwrap();
    settings.base_url = "http://api.example.com/v1".parse().unwrap();
    settings.key = Some(secrecy::SecretString::from("sk-test-key"));
    assert!(matches!(Provider::new(settings), Err(LlmError::Endpoint { .. })));
}
