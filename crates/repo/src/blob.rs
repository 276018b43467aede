//! Git blob ids: the name of a file's content.

/// The id git gives to these bytes as a blob (SHA-1 of `blob <length>\0<bytes>`).
///
/// Computed over the bytes as they lie in the work tree, without filters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId([u8; 20]);

impl BlobId {
    /// Bytes of an id.
    pub const LENGTH: usize = 20;

    /// Hashes file content.
    pub fn of(bytes: &[u8]) -> Self {
        // libgit2 fails here only for an object type that cannot be hashed, which a blob is not;
        // the all-zero id names no content and is therefore always read again.
        git2::Oid::hash_object(git2::ObjectType::Blob, bytes)
            .ok()
            .and_then(|oid| oid.as_bytes().try_into().ok())
            .map_or(Self([0; 20]), Self)
    }

    /// Takes an id that was written down.
    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// Reads what its [`Display`](std::fmt::Display) writes; `None` for anything else.
    pub fn from_hex(digits: &str) -> Option<Self> {
        let bytes = digits.as_bytes();
        if bytes.len() != 2 * Self::LENGTH {
            return None;
        }
        let mut id = [0; Self::LENGTH];
        for (byte, pair) in id.iter_mut().zip(bytes.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self(id))
    }

    /// The raw id.
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

elophanto_base::shown_as_hex!(BlobId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_what_git_hash_object_prints() {
        let hex = "ce013625030ba8dba906f756967f9e9ca394464a";
        assert_eq!(BlobId::of(b"hello\n").to_string(), hex);
        assert_eq!(BlobId::from_hex(hex), Some(BlobId::of(b"hello\n")));
        for text in ["", "ce01", &hex.replace('c', "x"), &hex.replace("ce", "\u{e9}")] {
            assert_eq!(BlobId::from_hex(text), None, "{text}");
        }
    }
}
