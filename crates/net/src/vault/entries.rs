//! What a vault holds, and its bytes before they are encrypted (pure).
//!
//! Number of entries, then for each: length and bytes of its name, kind, when its value was set and
//! last used in seconds, length and bytes of its value. Zeros fill up to a multiple of
//! [`PADDING`], so that the size of the file says little of what it holds.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::error::{BadValue, Result, VaultError};

/// Longest name.
pub const MAX_NAME_CHARS: usize = 64;
/// Longest value: a long private key fits.
pub const MAX_VALUE_BYTES: usize = 64 << 10;
/// Most entries.
pub const MAX_ENTRIES: usize = 1_000;

const PADDING: usize = 1 << 10;
/// Stands for a value that was never used.
const NEVER: i64 = i64::MIN;

/// Name of an entry: 1 to 64 letters, digits, dots, underscores and hyphens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = VaultError;

    /// # Errors
    /// [`VaultError::Name`], which does not repeat the text.
    fn from_str(text: &str) -> Result<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let sound = (1..=MAX_NAME_CHARS).contains(&text.len()) && text.bytes().all(allowed);
        if sound { Ok(Self(text.to_owned())) } else { Err(VaultError::Name) }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

elophanto_base::named! {
    /// What sort of secret an entry is.
    pub enum Kind, as_str {
        ApiKey = "api-key",
        OAuth = "oauth",
        Password = "password",
    }
}

impl Kind {
    fn to_byte(self) -> u8 {
        match self {
            Self::ApiKey => 1,
            Self::OAuth => 2,
            Self::Password => 3,
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.to_byte() == byte)
    }
}

/// A secret and what is known of it. Its value is wiped when dropped, never shown.
#[derive(Debug, Clone)]
pub struct Entry {
    pub kind: Kind,
    pub value: SecretString,
    /// When this value was set.
    pub created: Timestamp,
    /// When it was last handed out.
    pub last_used: Option<Timestamp>,
}

/// All entries by their names.
pub type Entries = BTreeMap<Name, Entry>;

/// Whether a vault can keep it.
pub fn check_value(value: &SecretString) -> Result<(), BadValue> {
    let value = value.expose_secret();
    match value.len() {
        0 => Err(BadValue::Empty),
        length if length > MAX_VALUE_BYTES => Err(BadValue::TooLong),
        _ if value.contains('\0') => Err(BadValue::Nul),
        _ => Ok(()),
    }
}

/// The bytes of all entries, with room for `more` bytes, so that they are never moved.
pub fn encode(entries: &Entries, more: usize) -> Zeroizing<Vec<u8>> {
    let fixed = |(name, entry): (&Name, &Entry)| {
        1 + name.0.len() + 1 + 8 + 8 + 4 + entry.value.expose_secret().len()
    };
    let length = (4 + entries.iter().map(fixed).sum::<usize>()).next_multiple_of(PADDING);
    let mut bytes = Zeroizing::new(Vec::with_capacity(length + more));
    bytes.extend_from_slice(&count(entries.len()));
    for (name, entry) in entries {
        let value = entry.value.expose_secret().as_bytes();
        // Names have at most 64 bytes.
        bytes.push(name.0.len() as u8);
        bytes.extend_from_slice(name.0.as_bytes());
        bytes.push(entry.kind.to_byte());
        for time in [entry.created.as_second(), entry.last_used.map_or(NEVER, |t| t.as_second())] {
            bytes.extend_from_slice(&time.to_le_bytes());
        }
        bytes.extend_from_slice(&count(value.len()));
        bytes.extend_from_slice(value);
    }
    bytes.resize(length, 0);
    bytes
}

/// Entries from their bytes; `None` if these are not what [`encode`] makes.
pub fn decode(bytes: &[u8]) -> Option<Entries> {
    let mut rest = bytes;
    let mut entries = Entries::new();
    let number = u32::from_le_bytes(array(&mut rest)?) as usize;
    if number > MAX_ENTRIES {
        return None;
    }
    for _ in 0..number {
        let [length] = array(&mut rest)?;
        let name = text(&mut rest, usize::from(length))?.parse().ok()?;
        let [kind] = array(&mut rest)?;
        let kind = Kind::from_byte(kind)?;
        let created = Timestamp::from_second(i64::from_le_bytes(array(&mut rest)?)).ok()?;
        let last_used = match i64::from_le_bytes(array(&mut rest)?) {
            NEVER => None,
            second => Some(Timestamp::from_second(second).ok()?),
        };
        let length = u32::from_le_bytes(array(&mut rest)?) as usize;
        let value = SecretString::from(text(&mut rest, length)?);
        check_value(&value).ok()?;
        entries.insert(name, Entry { kind, value, created, last_used });
    }
    let sound = entries.len() == number && rest.iter().all(|&byte| byte == 0);
    sound.then_some(entries)
}

fn count(number: usize) -> [u8; 4] {
    // Values and entries are capped far below.
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

fn text<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a str> {
    let (text, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    std::str::from_utf8(text).ok()
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (array, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let long = "a".repeat(MAX_NAME_CHARS);
        for name in ["a", "OpenRouter", "a.b_c-d", "-", "..", "0", &long] {
            assert_eq!(name.parse::<Name>().unwrap().as_str(), name);
        }
        let too_long = format!("{long}a");
        for text in ["", " ", "a b", "a/b", "ä", "a\n", "a\0", "name=sk-123", &too_long] {
            let error = text.parse::<Name>().unwrap_err();
            assert!(matches!(error, VaultError::Name));
            assert!(!error.to_string().contains("sk-123"));
        }
    }

    #[test]
    fn values() {
        let check = |text: &str| check_value(&text.into());
        assert_eq!(check("x"), Ok(()));
        assert_eq!(check("two\nlines\n"), Ok(()));
        assert_eq!(check(""), Err(BadValue::Empty));
        assert_eq!(check("a\0b"), Err(BadValue::Nul));
        assert_eq!(check(&"x".repeat(MAX_VALUE_BYTES)), Ok(()));
        assert_eq!(check(&"x".repeat(MAX_VALUE_BYTES + 1)), Err(BadValue::TooLong));
    }

    #[test]
    fn bytes_that_no_entries_make() {
        let entry = Entry {
            kind: Kind::OAuth,
            value: "v".into(),
            created: Timestamp::UNIX_EPOCH,
            last_used: None,
        };
        let entries = Entries::from([("a".parse().unwrap(), entry)]);
        let bytes = encode(&entries, 16);
        assert_eq!((bytes.len(), bytes.capacity()), (PADDING, PADDING + 16));
        assert_eq!(decode(&bytes).unwrap().len(), 1);
        let length = 4 + 1 + 1 + 1 + 16 + 4 + 1;
        assert!(decode(&bytes[..length]).is_some());
        for cut in 0..length {
            assert!(decode(&bytes[..cut]).is_none(), "{cut}");
        }
        // More entries than there are, no such kind, a far time, an unused byte that says something.
        for (at, byte) in [(0, 2), (6, 9), (14, 0x7f), (length, 1)] {
            let mut other = bytes.to_vec();
            other[at] = byte;
            assert!(decode(&other).is_none(), "{at}");
        }
        assert!(decode(&u32::MAX.to_le_bytes()).is_none());
    }
}
