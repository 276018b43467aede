//! Keys and ciphers: Argon2id from a passphrase to a key, XChaCha20-Poly1305 from a key to bytes
//! that nobody reads or changes unseen.

use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use chacha20poly1305::{AeadInPlace as _, KeyInit as _, Tag, XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::{Zeroize as _, Zeroizing};

use super::error::{Refusal, Result, VaultError};

pub const KEY_BYTES: usize = 32;
pub const NONCE_BYTES: usize = 24;
pub const SALT_BYTES: usize = 16;
pub const TAG_BYTES: usize = 16;

/// Most memory that a vault may ask for: 1 GiB.
pub const MAX_MEMORY_KIB: u32 = 1 << 20;
/// Most memory over all passes, which stands for time: 4 GiB, a few seconds.
pub const MAX_WORK_KIB: u64 = 4 << 20;
/// Most lanes that a vault may ask for.
pub const MAX_LANES: u32 = 16;

/// What it takes to compute the key from a passphrase, in memory and time. Stored in the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub memory_kib: u32,
    pub passes: u32,
    pub lanes: u32,
}

impl Cost {
    /// What users get: 64 MiB, three passes.
    pub const DEFAULT: Self = Self { memory_kib: 64 << 10, passes: 3, lanes: 1 };

    /// The least that Argon2 knows. For tests only: it guards nothing.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };

    /// Whether it is within what Argon2 knows and a machine can bear.
    pub fn check(self) -> Result<(), Refusal> {
        let work = u64::from(self.memory_kib) * u64::from(self.passes);
        let bearable = self.memory_kib <= MAX_MEMORY_KIB
            && work <= MAX_WORK_KIB
            && self.lanes <= MAX_LANES
            // A pass over little memory costs more than the memory says.
            && u64::from(self.passes) <= 1 << 10;
        if !bearable {
            return Err(Refusal::Costly(self));
        }
        self.params().map(drop)
    }

    fn params(self) -> Result<Params, Refusal> {
        Params::new(self.memory_kib, self.passes, self.lanes, Some(KEY_BYTES))
            .map_err(|_| Refusal::Damaged)
    }
}

/// The key that the entries are encrypted with. Wiped when dropped, never shown.
#[derive(Clone)]
pub struct DataKey(Zeroizing<[u8; KEY_BYTES]>);

impl DataKey {
    /// A new one.
    pub fn random() -> Result<Self> {
        let mut key = Self(Zeroizing::new([0; KEY_BYTES]));
        fill(&mut key.0[..])?;
        Ok(key)
    }

    /// The one with these bytes; `None` if there are too many or too few.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut key = Self(Zeroizing::new([0; KEY_BYTES]));
        if bytes.len() != KEY_BYTES {
            return None;
        }
        key.0.copy_from_slice(bytes);
        Some(key)
    }

    /// Its bytes, for a place that keeps keys.
    pub fn expose(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    /// The key that a passphrase makes with this salt.
    pub fn derive(passphrase: &SecretString, salt: &[u8; SALT_BYTES], cost: Cost) -> Result<Self> {
        let unknown = |cause: &dyn fmt::Display| VaultError::Resources(cause.to_string());
        let params = cost.params().map_err(|cause| unknown(&cause))?;
        let mut memory: Vec<Block> = Vec::new();
        memory.try_reserve_exact(params.block_count()).map_err(|cause| unknown(&cause))?;
        memory.resize(params.block_count(), Block::default());
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut key = Self(Zeroizing::new([0; KEY_BYTES]));
        let passphrase = passphrase.expose_secret().as_bytes();
        let done =
            argon.hash_password_into_with_memory(passphrase, salt, &mut key.0[..], &mut memory);
        for block in &mut memory {
            block.zeroize();
        }
        done.map_err(|cause| unknown(&cause))?;
        Ok(key)
    }

    /// Encrypts the bytes where they stand and appends the tag. `header` is not encrypted, but
    /// nothing opens what is sealed here without the very same.
    pub fn seal(
        &self,
        nonce: &[u8; NONCE_BYTES],
        header: &[u8],
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let nonce = XNonce::from_slice(nonce);
        let tag = self
            .cipher()
            .encrypt_in_place_detached(nonce, header, bytes)
            .map_err(|_| VaultError::Full)?;
        bytes.extend_from_slice(&tag);
        Ok(())
    }

    /// The bytes that were sealed; `None` if anything of them, the nonce or the header differs.
    /// The tag is checked before anything is decrypted.
    pub fn unseal(
        &self,
        nonce: &[u8; NONCE_BYTES],
        header: &[u8],
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let (sealed, tag) = sealed.split_last_chunk::<TAG_BYTES>()?;
        let mut bytes = Zeroizing::new(sealed.to_owned());
        self.cipher()
            .decrypt_in_place_detached(
                XNonce::from_slice(nonce),
                header,
                &mut bytes,
                Tag::from_slice(tag),
            )
            .ok()?;
        Some(bytes)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(self.0.as_slice().into())
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(..)")
    }
}

/// Random bytes of the system.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|cause| VaultError::Resources(cause.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_key_nonce_and_header_open() {
        let key = DataKey::random().unwrap();
        let nonce = random().unwrap();
        let mut sealed = b"otters".to_vec();
        key.seal(&nonce, b"header", &mut sealed).unwrap();
        assert_eq!(sealed.len(), 6 + TAG_BYTES);
        assert_eq!(&key.unseal(&nonce, b"header", &sealed).unwrap()[..], b"otters");
        assert!(key.unseal(&nonce, b"Header", &sealed).is_none());
        assert!(key.unseal(&random().unwrap(), b"header", &sealed).is_none());
        assert!(DataKey::random().unwrap().unseal(&nonce, b"header", &sealed).is_none());
        assert!(key.unseal(&nonce, b"header", &sealed[1..]).is_none());
        assert!(key.unseal(&nonce, b"header", &[]).is_none());
    }

    #[test]
    fn the_passphrase_salt_and_cost_make_the_key() {
        let derive = |text: &str, salt: u8, passes| {
            let cost = Cost { passes, ..Cost::LEAST };
            *DataKey::derive(&text.into(), &[salt; SALT_BYTES], cost).unwrap().expose()
        };
        let one = derive("a", 1, 1);
        assert_eq!(one, derive("a", 1, 1));
        assert_ne!(one, derive("b", 1, 1));
        assert_ne!(one, derive("a", 2, 1));
        assert_ne!(one, derive("a", 1, 2));
    }

    #[test]
    fn nothing_is_shown() {
        let key = DataKey::from_bytes(&[7; KEY_BYTES]).unwrap();
        assert_eq!(format!("{key:?}"), "DataKey(..)");
        assert!(DataKey::from_bytes(&[7; 31]).is_none());
    }

    #[test]
    fn the_default_is_within_the_caps() {
        assert_eq!(Cost::DEFAULT.check(), Ok(()));
        assert_eq!(Cost::LEAST.check(), Ok(()));
        const { assert!(Cost::DEFAULT.memory_kib >= 64 << 10 && Cost::DEFAULT.passes >= 3) };
    }
}
