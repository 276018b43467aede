//! The form of a record: one JSON object with a header at the level of its own fields.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error},
};
use serde_json::value::RawValue;

use super::Place;

/// A record of any kind, as it was read.
#[derive(Debug, Clone)]
pub struct Record {
    pub kind: String,
    pub id: String,
    /// A year that a [`Timestamp`] cannot hold becomes the first or the last that it can.
    pub at: Timestamp,
    /// The record no longer counts, unless another of its id does.
    pub retired: bool,
    /// Where it was found; [`Place::Shared`] for what git holds.
    pub place: Place,
    /// The whole object, header included.
    pub body: Box<RawValue>,
}

impl Record {
    /// What its kind says.
    ///
    /// # Errors
    /// When the object is none of that kind.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.body.get())
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let body = Box::<RawValue>::deserialize(deserializer)?;
        let header = Header::of(&body).map_err(D::Error::custom)?;
        let Header { kind, id, at, retired } = header;
        let (kind, id) = (kind.into_owned(), id.into_owned());
        Ok(Self { kind, id, at, retired, place: Place::Shared, body })
    }
}

/// A record to be written. The fields of its body must not bear the names of the header.
#[derive(Debug, Clone, Serialize)]
pub struct Draft<'a, T> {
    pub kind: &'a str,
    pub id: &'a str,
    /// Written in UTC, with milliseconds.
    #[serde(serialize_with = "in_milliseconds")]
    pub at: Timestamp,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
    #[serde(flatten)]
    pub body: &'a T,
}

/// What is looked at without the rest of the object.
#[derive(Debug, Deserialize)]
pub(super) struct Header<'a> {
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(deserialize_with = "any_year")]
    pub at: Timestamp,
    #[serde(default)]
    pub retired: bool,
}

impl<'a> Header<'a> {
    /// Fails on what is no object, and where a field of the header is missing or there twice.
    pub(super) fn of(body: &'a RawValue) -> Result<Self, serde_json::Error> {
        let object = body.get();
        // An array would pass for a struct.
        if !object.starts_with('{') {
            return Err(Error::custom("it is no object"));
        }
        serde_json::from_str(object)
    }
}

fn in_milliseconds<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{at:.3}"))
}

fn any_year<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    text.parse().or_else(|error| beyond(&text).ok_or(error)).map_err(D::Error::custom)
}

/// The first or last moment there is, for a time before or after it. A clock that was that wrong
/// must not cost the record.
fn beyond(text: &str) -> Option<Timestamp> {
    let (sign, rest) = match text.split_at_checked(1) {
        Some((sign @ ("-" | "+"), rest)) => (sign, rest),
        _ => ("", text),
    };
    let (year, rest) = rest.split_once('-')?;
    let time = |byte: u8| byte.is_ascii_digit() || b"-:.TtZz+".contains(&byte);
    let is_time = text.len() <= 64 && rest.len() >= 5 && rest.bytes().all(time);
    let is_year = !year.is_empty() && year.bytes().all(|byte| byte.is_ascii_digit());
    let late = year.trim_start_matches('0').len() > 4 || year == "9999";
    match sign {
        _ if !(is_time && is_year) => None,
        "-" => Some(Timestamp::MIN),
        _ => late.then_some(Timestamp::MAX),
    }
}

/// Whether a time can be true: neither before there was such a record, nor more than a day ahead of
/// the clock.
pub fn is_credible(at: Timestamp, now: Timestamp) -> bool {
    const EARLIEST: Timestamp = Timestamp::constant(631_152_000, 0); // 1990-01-01
    at >= EARLIEST && at.duration_since(now) <= SignedDuration::from_hours(24)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// `expected`: kind, id, time, and whether it is retired; or a part of what is wrong.
    fn check(object: &str, expected: Result<&str, &str>) {
        let found = serde_json::from_str::<Record>(object);
        match (&found, expected) {
            (Ok(Record { kind, id, at, retired, body, .. }), Ok(expected)) => {
                assert_eq!(format!("{kind} {id} {at:.3} {retired}"), expected);
                assert_eq!(body.get(), object);
            }
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            _ => panic!("{object}: {found:?}"),
        }
    }

    /// `expected`: the time that is read.
    fn check_at(at: &str, expected: Option<&str>) {
        let object = json!({ "kind": "k", "id": "1", "at": at }).to_string();
        let found = serde_json::from_str::<Record>(&object).map(|record| record.at.to_string());
        assert_eq!(found.ok().as_deref(), expected, "{at}");
    }

    #[test]
    fn headers() {
        let at = "2026-11-21T22:00:00.5Z";
        check(
            &format!(r#"{{"kind":"k","id":"1","at":"{at}","x":[1]}}"#),
            Ok("k 1 2026-11-21T22:00:00.500Z false"),
        );
        check(
            &format!(
                r#"{{"x":{{"kind":1}},"retired":true,"at":"{at}","id":"\n","kind":"\u006b"}}"#
            ),
            Ok("k \n 2026-11-21T22:00:00.500Z true"),
        );
        check(
            &format!(r#"{{"kind":"k","id":"1","at":"{at}","retired":true}}"#),
            Ok("k 1 2026-11-21T22:00:00.500Z true"),
        );
        check(
            &format!(r#"{{"kind":"k","id":"1","at":"{at}","x":{{"retired":1}},"retired":true}}"#),
            Ok("k 1 2026-11-21T22:00:00.500Z true"),
        );
        check(
            &format!(r#"{{"kind":"k\"","id":"1","at":"{at}","x":{{"retired":true}}}}"#),
            Ok("k\" 1 2026-11-21T22:00:00.500Z false"),
        );
        check(&format!(r#"{{"id":"1","at":"{at}"}}"#), Err("missing field `kind`"));
        check(&format!(r#"{{"kind":"k","at":"{at}"}}"#), Err("missing field `id`"));
        check(r#"{"kind":"k","id":"1"}"#, Err("missing field `at`"));
        check(r#"{"kind":"k","id":"1","at":5}"#, Err("invalid type"));
        check(&format!(r#"{{"kind":"k","id":1,"at":"{at}"}}"#), Err("invalid type"));
        check(&format!(r#"{{"kind":"k","kind":"k","id":"1","at":"{at}"}}"#), Err("duplicate"));
        check(&format!(r#"{{"kind":"k","id":"1","at":"{at}","retired":1}}"#), Err("invalid type"));
        check(&format!(r#"["k","1","{at}",false]"#), Err("no object"));
    }

    #[test]
    fn times_of_any_year() {
        let (first, last) = (Timestamp::MIN.to_string(), Timestamp::MAX.to_string());
        check_at("2026-11-21T22:00:00.123Z", Some("2026-11-21T22:00:00.123Z"));
        check_at("2026-11-21T22:00:00+02:00", Some("2026-11-21T20:00:00Z"));
        check_at("9999-12-31T23:59:59Z", Some(&last));
        check_at("+010000-01-01T00:00:00Z", Some(&last));
        check_at("12026-01-01T00:00:00Z", Some(&last));
        check_at("-000001-01-01T00:00:00Z", Some("-000001-01-01T00:00:00Z"));
        check_at("-0001-12-31T00:00:00Z", Some(&first));
        check_at("-1-12-31T00:00:00Z", Some(&first));
        check_at("-99999-12-31T00:00:00Z", Some(&first));
        for at in ["", "-", "yesterday", "2026-11-21", "2026-13-45T00:00:00Z", "9999", "-1", "é-1"]
        {
            check_at(at, None);
        }
        check_at("9999-what", None);
        check_at(&format!("1{}-01-01T00:00:00Z", "0".repeat(64)), None);
    }

    #[test]
    fn a_draft_is_read_back() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Question {
            text: String,
        }
        let question = Question { text: "Wo?\n🦦".to_owned() };
        let at = "2026-11-21T22:00:00.1239Z".parse().unwrap();
        let mut draft = Draft { kind: "question", id: "q1", at, retired: false, body: &question };
        let written = serde_json::to_string(&draft).unwrap();
        let expected =
            r#"{"kind":"question","id":"q1","at":"2026-11-21T22:00:00.123Z","text":"Wo?\n🦦"}"#;
        assert_eq!(written, expected);
        let record: Record = serde_json::from_str(&written).unwrap();
        assert_eq!(record.parse::<Question>().unwrap(), question);
        assert!(record.parse::<Vec<u8>>().is_err() && !record.retired);
        draft.retired = true;
        let retired: Value = serde_json::to_value(&draft).unwrap();
        assert_eq!(retired["retired"], json!(true));
    }

    #[test]
    fn credible_times() {
        let now: Timestamp = "2026-11-21T22:00:00Z".parse().unwrap();
        for (at, expected) in [
            ("2026-11-21T22:00:00Z", true),
            ("2026-11-22T22:00:00Z", true),
            ("2026-11-22T22:00:00.001Z", false),
            ("1990-01-01T00:00:00Z", true),
            ("1989-12-31T23:59:59Z", false),
        ] {
            assert_eq!(is_credible(at.parse().unwrap(), now), expected, "{at}");
        }
        assert!(!is_credible(Timestamp::MAX, Timestamp::MIN));
        assert!(!is_credible(Timestamp::MIN, Timestamp::MAX));
    }
}
