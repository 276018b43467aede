//! The token that opens the door.

use std::{
    fmt::Write as _,
    sync::{PoisonError, RwLock},
};

use tokio_util::sync::CancellationToken;

/// A token of 256 random bits as 64 hex digits.
///
/// # Errors
/// The system gives no random bits.
pub fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::with_capacity(64), |mut token, byte| {
        let _ = write!(token, "{byte:02x}");
        token
    }))
}

/// A token that others are compared with. Holds its hash only.
pub struct Secret(blake3::Hash);

impl Secret {
    /// None: a client could not send it.
    pub fn new(token: &str) -> Option<Self> {
        let is_visible = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        is_visible.then(|| Self(blake3::hash(token.as_bytes())))
    }

    /// One of which only the hash is known.
    pub fn of_hash(hash: blake3::Hash) -> Self {
        Self(hash)
    }

    /// Whether `token` is the same, in a time that does not depend on where they differ: hashes are
    /// compared, and those in constant time.
    pub fn is(&self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == self.0
    }
}

/// The token that opens the door now; it may be changed while the door is open.
pub struct Key(RwLock<Held>);

struct Held {
    secret: Secret,
    /// Cancelled when another one takes its place.
    changed: CancellationToken,
}

impl Key {
    /// None: a client could not send it.
    pub fn new(token: &str) -> Option<Self> {
        let secret = Secret::new(token)?;
        Some(Self(RwLock::new(Held { secret, changed: CancellationToken::new() })))
    }

    /// Whether `token` opens: until when, if it does.
    pub fn opens(&self, token: &str) -> Option<CancellationToken> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.secret.is(token).then(|| held.changed.clone())
    }

    /// Puts another token in its place: the old one opens nothing from now on, and what it opened is
    /// told. `false`: a client could not send the new one, and the old one stays.
    pub fn change(&self, token: &str) -> bool {
        let Some(secret) = Secret::new(token) else { return false };
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before =
            std::mem::replace(&mut *held, Held { secret, changed: CancellationToken::new() });
        before.changed.cancel();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_changed() {
        let key = Key::new("a").unwrap();
        let opened = key.opens("a").unwrap();
        assert!(key.opens("b").is_none() && !key.change(" ") && !opened.is_cancelled());
        assert!(key.change("b") && opened.is_cancelled() && key.opens("a").is_none());
        assert!(key.opens("b").is_some_and(|until| !until.is_cancelled()));
    }

    #[test]
    fn tokens() {
        let (a, b) = (new_token().unwrap(), new_token().unwrap());
        assert_eq!((a.len(), a == b), (64, false));
        assert!(Secret::of_hash(blake3::hash(a.as_bytes())).is(&a));
        let secret = Secret::new(&a).unwrap();
        assert!(secret.is(&a) && !secret.is(&b) && !secret.is("") && !secret.is(&a[..63]));
        for unusable in ["", " ", "a b", "a\n", "\u{e9}"] {
            assert!(Secret::new(unusable).is_none(), "{unusable:?}");
        }
    }
}
