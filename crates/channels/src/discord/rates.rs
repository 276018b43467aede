//! How often Discord lets itself be asked: what it said of limits, route by route. Pure but for the clock,
//! which is handed in.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Routes that are remembered.
const MOST: usize = 1_000;

/// What an answer says of limits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limit {
    /// Under which name it is counted.
    pub bucket: Option<String>,
    /// What is left of it.
    pub remaining: Option<u64>,
    /// When all of it is there again.
    pub reset_after: Option<Duration>,
    /// It was too much.
    pub retry_after: Option<Duration>,
    /// Whatever is asked for.
    pub is_global: bool,
}

/// What is known of limits.
#[derive(Debug, Default)]
pub struct Rates {
    /// What a route counts towards.
    buckets: BTreeMap<String, String>,
    free_at: BTreeMap<String, Instant>,
    all_free_at: Option<Instant>,
}

impl Rates {
    /// How long not to ask for it yet.
    pub fn wait(&self, route: &str, now: Instant) -> Option<Duration> {
        let own = self.free_at.get(self.bucket(route)).copied();
        let left = own.max(self.all_free_at)?.saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }

    /// An answer said this.
    pub fn heard(&mut self, route: &str, limit: &Limit, now: Instant) {
        self.free_at.retain(|_, at| *at > now);
        if self.buckets.len() > MOST {
            self.buckets.clear();
        }
        if let Some(bucket) = &limit.bucket {
            // Of the same name in two conversations are two.
            let bucket = format!("{bucket} {}", major(route));
            self.buckets.insert(route.to_owned(), bucket);
        }
        let is_used_up = limit.remaining == Some(0);
        let wait = limit.retry_after.or(limit.reset_after.filter(|_| is_used_up));
        let Some(at) = wait.and_then(|wait| now.checked_add(wait)) else { return };
        match limit.is_global {
            true => self.all_free_at = self.all_free_at.max(Some(at)),
            false => {
                self.free_at.insert(self.bucket(route).to_owned(), at);
            }
        }
    }

    fn bucket<'a>(&'a self, route: &'a str) -> &'a str {
        self.buckets.get(route).map_or(route, String::as_str)
    }
}

/// What is asked for, without which message or command of it: limits are by this.
pub fn route(method: &str, path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let part = |(at, part): (usize, &str)| {
        let is_id = at > 1 && part.bytes().all(|byte| byte.is_ascii_digit());
        if is_id { ":id".to_owned() } else { part.to_owned() }
    };
    let parts: Vec<String> = path.split('/').enumerate().map(part).collect();
    format!("{method} {}", parts.join("/"))
}

/// The conversation of a route.
fn major(route: &str) -> &str {
    route.split(['/', ' ']).nth(2).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes() {
        assert_eq!(route("PATCH", "channels/1/messages/2"), "PATCH channels/1/messages/:id");
        assert_eq!(route("GET", "channels/1/messages?after=3"), "GET channels/1/messages");
        assert_eq!(major("PATCH channels/1/messages/:id"), "1");
    }

    #[test]
    fn limits_are_kept() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let mut rates = Rates::default();
        let [one, other] = ["POST channels/1/messages", "POST channels/2/messages"];
        let bucket = |remaining| Limit {
            bucket: Some("b".to_owned()),
            remaining: Some(remaining),
            reset_after: Some(second),
            ..Limit::default()
        };
        rates.heard(one, &bucket(1), now);
        assert_eq!(rates.wait(one, now), None);
        rates.heard(one, &bucket(0), now);
        assert_eq!(rates.wait(one, now), Some(second));
        // Another route of the same bucket, and the same bucket elsewhere.
        rates.heard("PATCH channels/1/messages/:id", &bucket(1), now);
        assert_eq!(rates.wait("PATCH channels/1/messages/:id", now), Some(second));
        assert_eq!(rates.wait(other, now), None);
        assert_eq!(rates.wait(one, now + second), None);
        let too_many =
            |is_global| Limit { retry_after: Some(second * 3), is_global, ..Limit::default() };
        rates.heard(other, &too_many(false), now);
        assert_eq!(rates.wait(other, now), Some(second * 3));
        assert_eq!(rates.wait("GET users/@me", now), None);
        rates.heard(other, &too_many(true), now);
        assert_eq!(rates.wait("GET users/@me", now), Some(second * 3));
    }
}
