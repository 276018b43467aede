//! All services against the same fake servers.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;

use super::{Brave, Finding, Provider, ProviderError, Searxng, Tavily, read_pages};
use elophanto_net::{
    http::fake::{Fake, answer},
    web::{Fetcher, Policy},
};

const KEY: &str = "sk-do-not-show";

/// One service: how to make it, and its answer with results of these titles, addresses and texts.
struct Service {
    make: fn(Url) -> Box<dyn Provider>,
    answer: fn(&[[&str; 3]]) -> Value,
}

fn services() -> [Service; 3] {
    fn key() -> SecretString {
        SecretString::from(KEY)
    }
    fn results(all: &[[&str; 3]], text: &str) -> Value {
        let result =
            |[title, url, words]: &[&str; 3]| json!({ "title": title, "url": url, text: words });
        all.iter().map(result).collect()
    }
    [
        Service {
            make: |url| Box::new(Searxng::new(url).unwrap()),
            answer: |all| json!({ "query": "x", "results": results(all, "content") }),
        },
        Service {
            make: |url| Box::new(Brave::new(url, key()).unwrap()),
            answer: |all| json!({ "query": {}, "web": { "results": results(all, "description") } }),
        },
        Service {
            make: |url| Box::new(Tavily::new(url, key()).unwrap()),
            answer: |all| json!({ "results": results(all, "content") }),
        },
    ]
}

/// What `service` makes of an answer. No error may show the key.
fn search(service: &Service, fake: &Fake, limit: usize) -> Result<Vec<Finding>, ProviderError> {
    let found = (service.make)(fake.url.clone()).search("barn owls", limit);
    if let Err(error) = &found {
        let shown = format!("{error} {error:?} {:?}", error.hint());
        assert!(!shown.contains(KEY), "{shown}");
    }
    found
}

/// The error that these answers end in, the same for all services.
#[track_caller]
fn check_error(status: u16, body: &str, expected: &str) {
    for service in services() {
        let fake = Fake::script(vec![answer(status, &[], body)]);
        let error = search(&service, &fake, 5).unwrap_err();
        let host = format!("127.0.0.1:{}", fake.url.port().unwrap());
        let name = (service.make)(fake.url.clone()).name().to_owned();
        assert_eq!(error.to_string().replace(&host, "HOST"), expected, "{name}");
    }
}

#[test]
fn results_are_found() {
    for service in services() {
        let body = (service.answer)(&[
            ["Barn owl", "https://a.org/owl", "Owls hunt at night."],
            ["Bad", "javascript:alert(1)", "Not kept."],
            ["Bad", "https://me:secret@a.org/", "Not kept."],
            ["", "https://a.org/empty", " "],
            ["", "http://127.0.0.1/x", "No\u{202e} title."],
            ["Last", "https://a.org/last", ""],
        ]);
        let fake = Fake::script(vec![answer(200, &[], body.to_string())]);
        let found = search(&service, &fake, 5).unwrap();
        let finding = |title: Option<&str>, url: &str, text: &str| Finding {
            title: title.map(str::to_owned),
            url: Some(url.to_owned()),
            text: text.to_owned(),
            ..Finding::default()
        };
        let expected = [
            finding(Some("Barn owl"), "https://a.org/owl", "Owls hunt at night."),
            finding(None, "http://127.0.0.1/x", "No title."),
            finding(Some("Last"), "https://a.org/last", ""),
        ];
        assert_eq!(found, expected);
        assert_eq!(search(&service, &fake, 1).unwrap(), expected[..1]);
        assert_eq!(search(&service, &fake, 0).unwrap(), []);
        assert_eq!(fake.calls(), 2);
        let error = (service.make)(fake.url.clone()).search(" \n", 5).unwrap_err();
        assert_eq!(error, ProviderError::EmptyQuery);
    }
}

#[test]
fn none_is_an_answer() {
    for service in services() {
        let body = (service.answer)(&[]).to_string();
        let fake = Fake::script(vec![answer(200, &[], body)]);
        assert_eq!(search(&service, &fake, 5).unwrap(), []);
    }
    let fake =
        Fake::script(vec![answer(200, &[], r#"{"type":"search","query":{"original":"x"}}"#)]);
    let [_, brave, _] = services();
    assert_eq!(search(&brave, &fake, 5).unwrap(), []);
}

#[test]
fn other_answers_are_errors() {
    let prose = "`HOST` answered 200 with text: I found many owls. instead of JSON";
    check_error(200, "I found many owls.", prose);
    check_error(200, "", "`HOST` answered 200 with nothing instead of JSON");
    let page = "`HOST` answered 200 with a web page titled \"Hi\" instead of JSON";
    check_error(200, "<!doctype html><title>Hi</title>", page);
    let shape = "the answer of `HOST` holds no list of results";
    for body in [r#"{"items":[]}"#, "[]", "7", r#"{"results":"none","web":{"results":{}}}"#] {
        check_error(200, body, shape);
    }
    check_error(401, r#"{"detail":"no"}"#, "`HOST` refuses access (401): no");
    let large = format!("{{\"results\":[\"{}\"]}}", "x".repeat(10 << 20));
    check_error(200, &large, "the answer of `HOST` is larger than 8388608 bytes");
}

#[test]
fn odd_results_are_left_out() {
    for service in services() {
        let mut body = (service.answer)(&[["T", "https://a.org/", "Words."]]);
        let results = match body.pointer_mut("/web/results") {
            Some(results) => results,
            None => body.pointer_mut("/results").unwrap(),
        };
        for odd in [json!(null), json!(7), json!("x"), json!([]), json!({}), json!({ "url": 7 })] {
            results.as_array_mut().unwrap().insert(0, odd);
        }
        let fake = Fake::script(vec![answer(200, &[], body.to_string())]);
        assert_eq!(search(&service, &fake, 5).unwrap().len(), 1);
    }
}

#[test]
fn limits_are_told() {
    for service in services() {
        let fake = Fake::script(vec![answer(429, &[("retry-after", "3600")], "{}")]);
        let error = search(&service, &fake, 5).unwrap_err();
        let ProviderError::Http(elophanto_net::http::HttpError::RateLimited { wait, .. }) = error
        else {
            panic!("{error}")
        };
        assert_eq!((wait, fake.calls()), (Some(Duration::from_secs(3600)), 1));
    }
}

#[test]
fn a_server_without_json_is_told() {
    let [searxng, brave, _] = services();
    let fake = Fake::script(vec![answer(403, &[], "Forbidden")]);
    let error = search(&searxng, &fake, 5).unwrap_err();
    assert!(matches!(error, ProviderError::JsonDisabled { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("search.formats")));
    let error = search(&brave, &fake, 5).unwrap_err();
    assert!(matches!(error, ProviderError::Http(_)), "{error}");
}

#[test]
fn what_is_sent() {
    let echo = || {
        Fake::new(|call| async move {
            let header = |name| call.headers.get(name).and_then(|value| value.to_str().ok());
            let shown = format!(
                "{} {} {:?} {:?} {}",
                call.method,
                call.path,
                header("x-subscription-token"),
                header("authorization"),
                call.body,
            );
            let results = json!([{ "title": shown, "url": "https://a.org" }]);
            axum::Json(json!({ "results": results, "web": { "results": results } }))
        })
    };
    let expected = [
        "GET /search?q=barn+owls&format=json None None null".to_owned(),
        format!(
            "GET /web/search?q=barn+owls&count=5&text_decorations=false Some(\"{KEY}\") None null"
        ),
        format!(
            "POST /search None Some(\"Bearer {KEY}\") {}",
            json!({
                "query": "barn owls", "max_results": 5, "search_depth": "basic",
                "include_answer": false, "include_raw_content": false,
            })
        ),
    ];
    for (service, expected) in services().iter().zip(expected) {
        let found = search(service, &echo(), 5).unwrap();
        assert_eq!(found[0].title.as_deref().unwrap(), expected);
    }
    // A path of the server is kept, and what could end a query is escaped.
    let fake = echo();
    let searxng = Searxng::new(fake.url.join("/sx/").unwrap()).unwrap();
    let found = searxng.search("a&b=c#d\ne ü", 5).unwrap();
    let path = "GET /sx/search?q=a%26b%3Dc%23d+e+%C3%BC&format=json";
    assert!(found[0].title.as_deref().unwrap().starts_with(path), "{found:?}");
}

#[test]
fn snippets_of_brave_are_markup() {
    let body = json!({ "web": { "results": [{
        "title": "Owls &amp; <strong>mice</strong>",
        "url": "https://a.org",
        "description": "It&#x27;s a <strong>Vec&lt;T&gt;</strong><script>x</script>.",
        "extra_snippets": ["One.", 7, "Two &quot;more&quot;."],
        "thumbnail": { "src": "https://i.org/x.png" },
    }] } });
    let fake = Fake::script(vec![answer(200, &[], body.to_string())]);
    let [_, brave, _] = services();
    let found = search(&brave, &fake, 5).unwrap().remove(0);
    assert_eq!(found.title.as_deref(), Some("Owls & mice"));
    assert_eq!(found.text, "It's a Vec<T>.\n\nOne.\n\nTwo \"more\".");
    assert_eq!(found.image.as_deref(), Some("https://i.org/x.png"));
}

#[test]
fn keys_do_not_travel_open() {
    let url = Url::parse("http://search.example.org/").unwrap();
    assert!(Brave::new(url.clone(), SecretString::from(KEY)).is_err());
    assert!(Tavily::new(url.clone(), SecretString::from(KEY)).is_err());
    assert!(Searxng::new(url).is_err());
    for base in [Brave::BASE_URL, Tavily::BASE_URL] {
        let brave = Brave::new(Url::parse(base).unwrap(), SecretString::from(KEY)).unwrap();
        assert!(!format!("{brave:?}").contains(KEY));
    }
}

#[test]
fn pages_replace_snippets() {
    let server = Fake::new(|call| async move {
        let html = ("content-type", "text/html");
        match call.path.as_str() {
            "/owl" => ([html], "<title>Owl</title><p>The whole page. <a href='x'>More</a></p>"),
            "/plain.md" => ([("content-type", "text/plain")], "# Mouse\n\nText."),
            "/image" => ([("content-type", "image/png")], "x"),
            _ => ([html], ""),
        }
    });
    let finding = |path: &str| Finding {
        title: Some("Old".to_owned()),
        url: Some(server.url.join(path).unwrap().into()),
        text: "Snippet.".to_owned(),
        ..Finding::default()
    };
    let mut given: Vec<Finding> =
        ["/owl", "/owl#part", "/image", "/plain.md", "/empty", "/owl?late"].map(finding).into();
    given.insert(0, Finding { text: "No address.".to_owned(), ..Finding::default() });
    let policy = Policy { allow_private: true, ..Policy::default() };
    let found = read_pages(given.clone(), &Fetcher::new(policy).unwrap(), 4);
    let link = server.url.join("/x").unwrap();
    let expected = Finding {
        title: Some("Owl".to_owned()),
        text: format!("The whole page. [More]({link})\n"),
        full: true,
        ..given[1].clone()
    };
    assert_eq!(found[0], given[0]);
    assert_eq!(found[1], expected);
    assert_eq!(found[2..4], given[2..4]);
    assert_eq!(found[4].title.as_deref(), Some("Mouse"));
    assert_eq!(found[5..], given[5..]);
    assert_eq!(server.calls(), 4);
    // Addresses that services name may be private.
    let closed = Fetcher::new(Policy::default()).unwrap();
    assert_eq!(read_pages(given.clone(), &closed, 10), given);
    assert_eq!(server.calls(), 4);
}
