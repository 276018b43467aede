use serde_json::json;
use url::Url;

use super::*;
use crate::permissions::Action;

fn tool() -> WebFetch {
    WebFetch::new(Box::new(|url, may_ask, _| {
        assert!(may_ask("EXAMPLE.org") && !may_ask("evil.test"));
        Ok(Page {
            url: url.clone(),
            title: Some("A\u{202e} title\n".into()),
            markdown: "# Text\n".repeat(2_000),
        })
    }))
}

#[test]
fn a_page() {
    let mut tried = Try::new(&[]);
    let arguments = json!({ "url": "https://Example.org./a?b=c#d" });
    let intent = tried.intent(&tool(), &arguments);
    assert_eq!(intent.action, Action::Reach { host: "example.org".into() });
    assert!(intent.shown.starts_with("GET https://example.org"), "{}", intent.shown);
    tried.max = 1_000;
    let text = tried.good(&tool(), json!({ "url": "https://example.org/a" }));
    assert!(text.starts_with("https://example.org/a\nA title\n\n# Text\n"), "{text}");
    let broken = WebFetch::new(Box::new(|_: &Url, _, _| Err("not found".into())));
    tried.refused(&broken, json!({ "url": "https://example.org" }), "not found");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[]);
    for (url, words) in [
        ("", "relative URL"),
        ("example.org", "relative URL"),
        ("file:///etc/passwd", "https://"),
        ("ext::sh -c x", "https://"),
        ("javascript:alert(1)", "https://"),
        ("https://ada:word@example.org", "name or password"),
        ("https://", "empty host"),
        ("https://exa mple.org", "`url`"),
        (&*format!("https://example.org/{}", "x".repeat(3_000)), "over the limit"),
    ] {
        tried.refused(&tool(), json!({ "url": url }), words);
    }
    tried.cancelled.set(true);
    tried.refused(&tool(), json!({ "url": "https://example.org" }), "cancelled");
}
