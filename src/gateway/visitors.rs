//! People who look at pages of ours: a ticket that is good once becomes a cookie. Kept in memory, as
//! hashes only. Pure: the time and the secrets come in.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use blake3::Hash;
use tokio_util::sync::CancellationToken;

/// How long a ticket is good.
const TICKET: Duration = Duration::from_secs(60);
/// How long a cookie is good.
const COOKIE: Duration = Duration::from_hours(12);
/// Tickets that are not used yet, and cookies; of more, the oldest goes.
const MOST: usize = 64;

/// Tickets and cookies.
#[derive(Default)]
pub struct Visitors {
    tickets: VecDeque<(Hash, Instant)>,
    cookies: VecDeque<(Hash, Instant, CancellationToken)>,
}

impl Visitors {
    /// From now on this ticket may be exchanged, once.
    pub fn issued(&mut self, ticket: &str, now: Instant) {
        self.forget(now);
        if self.tickets.len() >= MOST {
            self.tickets.pop_front();
        }
        self.tickets.push_back((hash(ticket), now));
    }

    /// Takes a ticket for a cookie. Whether there is such a ticket.
    pub fn exchanged(&mut self, ticket: &str, cookie: &str, now: Instant) -> bool {
        self.forget(now);
        let wanted = hash(ticket);
        // Hashes are compared in constant time.
        let Some(at) = self.tickets.iter().position(|(known, _)| *known == wanted) else {
            return false;
        };
        self.tickets.remove(at);
        if self.cookies.len() >= MOST
            && let Some((_, _, until)) = self.cookies.pop_front()
        {
            until.cancel();
        }
        self.cookies.push_back((hash(cookie), now, CancellationToken::new()));
        true
    }

    /// Until when the bearer of a cookie may go on; `None` if there is no such cookie.
    pub fn until(&mut self, cookie: &str, now: Instant) -> Option<CancellationToken> {
        self.forget(now);
        let wanted = hash(cookie);
        let known = self.cookies.iter().find(|(known, _, _)| *known == wanted)?;
        Some(known.2.clone())
    }

    /// Everybody has to come in anew.
    pub fn clear(&mut self) {
        self.tickets.clear();
        self.cookies.drain(..).for_each(|(_, _, until)| until.cancel());
    }

    fn forget(&mut self, now: Instant) {
        let is_old = |since: Instant, most| now.saturating_duration_since(since) >= most;
        self.tickets.retain(|(_, since)| !is_old(*since, TICKET));
        self.cookies.retain(|(_, since, until)| {
            let goes = is_old(*since, COOKIE);
            if goes {
                until.cancel();
            }
            !goes
        });
    }
}

fn hash(secret: &str) -> Hash {
    blake3::hash(secret.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_once_and_for_a_minute() {
        let (mut visitors, start) = (Visitors::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        visitors.issued("a", at(0));
        visitors.issued("b", at(10));
        assert!(!visitors.exchanged("c", "x", at(11)));
        assert!(visitors.exchanged("a", "x", at(59)));
        assert!(!visitors.exchanged("a", "y", at(59)));
        assert!(!visitors.exchanged("b", "y", at(70)));
        assert!(visitors.until("y", at(70)).is_none());
        assert!(visitors.until("x", at(70)).is_some_and(|until| !until.is_cancelled()));
        let until = visitors.until("x", at(59 + COOKIE.as_secs() - 1)).unwrap();
        assert!(visitors.until("x", at(59 + COOKIE.as_secs())).is_none() && until.is_cancelled());
    }

    #[test]
    fn so_many_at_once() {
        let (mut visitors, now) = (Visitors::default(), Instant::now());
        for index in 0..=MOST {
            visitors.issued(&index.to_string(), now);
        }
        assert!(!visitors.exchanged("0", "x", now));
        assert!(visitors.exchanged("1", "first", now));
        let until = visitors.until("first", now).unwrap();
        for index in 0..MOST {
            visitors.issued("t", now);
            assert!(visitors.exchanged("t", &index.to_string(), now));
        }
        assert!(until.is_cancelled() && visitors.until("first", now).is_none());
        visitors.issued("t", now);
        visitors.clear();
        assert!(visitors.until("3", now).is_none() && !visitors.exchanged("t", "x", now));
    }
}
