//! The token that opens the door.

use std::fmt::Write as _;

use super::super::ServeError;

/// A token of 256 random bits as 64 hex digits.
///
/// # Errors
/// The system gives no random bits.
pub fn new_token() -> Result<String, ServeError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| ServeError::Random(error.to_string()))?;
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

    /// Whether `token` is the same, in a time that does not depend on where they differ: hashes are
    /// compared, and those in constant time.
    pub fn is(&self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let (a, b) = (new_token().unwrap(), new_token().unwrap());
        assert_eq!((a.len(), a == b), (64, false));
        let secret = Secret::new(&a).unwrap();
        assert!(secret.is(&a) && !secret.is(&b) && !secret.is("") && !secret.is(&a[..63]));
        for unusable in ["", " ", "a b", "a\n", "\u{e9}"] {
            assert!(Secret::new(unusable).is_none(), "{unusable:?}");
        }
    }
}
