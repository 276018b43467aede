//! What all services share: the client, the query, and taking an answer apart.

use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::{Finding, MOST_FINDINGS, ProviderError, QUERY_CAP};
use elophanto_net::{
    address::host_of_web,
    http::{Auth, Client, Endpoint, HttpError, Patience, Reply},
};
use elophanto_text::reading;

/// Most bytes of an answer.
const BODY_CAP: usize = 8 << 20;

/// Most characters of a title.
const TITLE_CAP: usize = 300;

/// Most bytes of what a service shows of a page.
const TEXT_CAP: usize = 32 << 10;

/// Bytes of an address.
const ADDRESS_CAP: usize = 2048;

/// Results looked at to find as many as are wanted.
const MOST_RESULTS: usize = 200;

/// A search is waited for: one more try, and a short one.
const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(5),
    request: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    total: Duration::from_secs(20),
    attempts: 2,
};

/// A client for a service.
///
/// # Errors
/// As [`Client::new`].
pub(super) fn client(base_url: Url, auth: Auth) -> Result<Client, ProviderError> {
    Ok(Client::with_body_cap(Endpoint::new(base_url, auth), PATIENCE, BODY_CAP)?)
}

/// One line of at most [`QUERY_CAP`] characters.
///
/// # Errors
/// [`ProviderError::EmptyQuery`].
pub(super) fn query(query: &str) -> Result<String, ProviderError> {
    let mut line = String::new();
    let mut left = QUERY_CAP;
    for word in query.split(|c: char| c.is_whitespace() || c.is_control()) {
        let length = word.chars().count();
        let space = usize::from(!line.is_empty());
        if length == 0 {
            continue;
        }
        if length + space > left {
            if line.is_empty() {
                line.extend(word.chars().take(left));
            }
            break;
        }
        if space == 1 {
            line.push(' ');
        }
        line.push_str(word);
        left -= length + space;
    }
    if line.is_empty() { Err(ProviderError::EmptyQuery) } else { Ok(line) }
}

/// As many as are asked for of the service.
pub(super) fn count(limit: usize) -> usize {
    limit.min(MOST_FINDINGS)
}

/// `path?name=value&...`.
pub(super) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs);
    format!("{path}?{}", query.finish())
}

/// Answers in which the service says there is an error come as one.
pub(super) fn get(client: &Client, path: &str) -> Result<Reply, HttpError> {
    elophanto_net::http::block_on(client.get(path))
}

/// The findings among `results`: those without an address of the web or without any words are left
/// out.
pub(super) fn findings(
    results: &[Value],
    limit: usize,
    finding: impl Fn(&Value) -> Finding,
) -> Vec<Finding> {
    let all = results.iter().take(MOST_RESULTS).filter(|result| result.is_object());
    let read = all.filter_map(|result| {
        let found = finding(result);
        let url = found.url.as_deref().and_then(address)?;
        let image = found.image.as_deref().and_then(address);
        let title = found.title.and_then(|title| reading::clean_line(&title, TITLE_CAP));
        let text = reading::clean(&found.text, TEXT_CAP);
        let has_words = title.is_some() || !text.is_empty();
        has_words.then_some(Finding {
            title,
            url: Some(url),
            text,
            image,
            full: found.full,
            byline: found.byline,
        })
    });
    read.take(limit).collect()
}

/// A text field of a result.
pub(super) fn text(result: &Value, pointer: &str) -> Option<String> {
    let text = result.pointer(pointer)?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// `written` if it is an address of the web without credentials, in normal form.
fn address(written: &str) -> Option<String> {
    if written.len() > ADDRESS_CAP {
        return None;
    }
    let url = Url::parse(written.trim()).ok()?;
    (host_of_web(&url).is_ok() && url.as_str().len() <= ADDRESS_CAP).then(|| url.into())
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn queries_are_one_line() {
        #[track_caller]
        fn check(given: &str, expected: &str) {
            assert_eq!(query(given).unwrap_or_else(|error| error.to_string()), expected);
        }
        check("  what is\r\n an \0 owl? ", "what is an owl?");
        check("", "the query is empty");
        check(" \n\u{1b} ", "the query is empty");
        check(&"ü".repeat(500), &"ü".repeat(400));
        check(&format!("{} {}", "a".repeat(390), "b".repeat(20)), &"a".repeat(390));
        let exact = format!("{} {}", "a".repeat(390), "b".repeat(9));
        check(&exact, &exact);
    }

    #[test]
    fn addresses_are_of_the_web() {
        #[track_caller]
        fn check(given: &str, expected: Option<&str>) {
            assert_eq!(address(given).as_deref(), expected, "{given}");
        }
        check(" https://a.org/x?y#z ", Some("https://a.org/x?y#z"));
        check("http://1.1/", Some("http://1.0.0.1/"));
        for url in ["", "a.org", "ftp://a.org", "javascript:x", "file:///x", "https://u:p@a.org/"] {
            check(url, None);
        }
        check(&format!("https://a.org/{}", "x".repeat(3000)), None);
    }
}
