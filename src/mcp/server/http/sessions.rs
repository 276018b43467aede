//! Sessions of clients that began with `initialize`. Few clients end theirs, so only so many are
//! kept: the one unused for the longest time goes first.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use rmcp::transport::streamable_http_server::{
    SessionManager, session::local::LocalSessionManager,
};

/// The header that names a session.
pub const HEADER: &str = "mcp-session-id";
/// How long an unused session is kept if there is room.
pub const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// Sessions at once.
const MAX: usize = 256;

/// When each session was used last.
#[derive(Default)]
pub struct Sessions {
    used: BTreeMap<String, Instant>,
}

impl Sessions {
    /// A request of session `id`. Returns the session to close, if there are too many now.
    /// `is_open`: there is such a session, and it goes on.
    pub fn used(&mut self, id: &str, is_open: bool, now: Instant) -> Option<String> {
        if !is_open {
            self.used.remove(id);
            return None;
        }
        self.used.insert(id.to_owned(), now);
        if self.used.len() <= MAX {
            return None;
        }
        let oldest = self.used.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone())?;
        self.used.remove(&oldest);
        Some(oldest)
    }
}

/// Ends a session: its streams close, its calls are cancelled.
pub async fn close(manager: &LocalSessionManager, id: &str) {
    // Fails only if the session ended by itself meanwhile.
    let _ = manager.close_session(&id.into()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_unused_for_longest_goes_first() {
        let (mut sessions, start) = (Sessions::default(), Instant::now());
        let at = |seconds: usize| start + Duration::from_secs(seconds as u64);
        for index in 0..MAX {
            assert_eq!(sessions.used(&index.to_string(), true, at(index)), None);
        }
        assert_eq!(sessions.used("0", true, at(MAX)), None);
        assert_eq!(sessions.used("new", true, at(MAX)), Some("1".to_owned()));
        assert_eq!(sessions.used("2", false, at(MAX)), None);
        assert_eq!(sessions.used("newer", true, at(MAX)), None);
    }
}
