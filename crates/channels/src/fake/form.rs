//! Parameters of a call, in each of the ways in which the Bot API takes them; an answer that breaks off.

use std::collections::BTreeMap;

use axum::body::{Body, Bytes};
use serde_json::{Map, Value};

/// Parameters, and files by the name of their field.
#[derive(Debug, Default)]
pub struct Given {
    pub values: Map<String, Value>,
    pub files: BTreeMap<String, (String, Vec<u8>)>,
}

/// Reads a query and a body of this type.
pub fn read(query: &str, kind: &str, body: &[u8]) -> Option<Given> {
    let mut given = Given::default();
    encoded(query.as_bytes(), &mut given.values);
    if body.is_empty() {
        return Some(given);
    }
    if kind.starts_with("application/json") {
        let Value::Object(values) = serde_json::from_slice(body).ok()? else { return None };
        given.values.extend(values);
    } else if let Some(boundary) = kind.strip_prefix("multipart/form-data") {
        let boundary = boundary.split("boundary=").nth(1)?.split(';').next()?.trim_matches('"');
        parts(boundary, body, &mut given)?;
    } else {
        encoded(body, &mut given.values);
    }
    Some(given)
}

fn encoded(bytes: &[u8], values: &mut Map<String, Value>) {
    for (name, value) in url::form_urlencoded::parse(bytes) {
        values.insert(name.into_owned(), typed(&value));
    }
}

/// Lists and objects are written as JSON; what looks like a number is taken for one where it is used.
fn typed(text: &str) -> Value {
    match text.starts_with(['{', '[']) {
        true => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        false => text.into(),
    }
}

fn parts(boundary: &str, body: &[u8], given: &mut Given) -> Option<()> {
    let mark = format!("--{boundary}");
    let mut rest = body;
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|it| it == what);
    rest = &rest[find(rest, mark.as_bytes())? + mark.len()..];
    while !rest.starts_with(b"--") {
        let end = find(rest, mark.as_bytes())?;
        let part = rest.get(2..end.checked_sub(2)?)?;
        rest = &rest[end + mark.len()..];
        let head = find(part, b"\r\n\r\n")?;
        let (head, bytes) =
            (String::from_utf8_lossy(&part[..head]).into_owned(), &part[head + 4..]);
        // `name="a b"`, or without the quotes.
        let given_as = |key: &str| {
            let at = [format!("; {key}="), format!(";{key}=")];
            let from = at.iter().find_map(|mark| Some(head.find(mark)? + mark.len()))?;
            let value = &head[from..];
            let end = value
                .strip_prefix('"')
                .map_or_else(|| value.split([';', '\r']).next(), |value| value.split('"').next());
            end.map(str::to_owned)
        };
        let name = given_as("name")?;
        match given_as("filename") {
            Some(file) => drop(given.files.insert(name, (file, bytes.to_vec()))),
            None => {
                drop(given.values.insert(name, typed(&String::from_utf8_lossy(bytes))));
            }
        }
    }
    Some(())
}

/// The body of an answer that breaks off.
pub fn broken() -> Body {
    let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    Body::from_stream(futures::stream::iter([Err::<Bytes, _>(reset)]))
}
