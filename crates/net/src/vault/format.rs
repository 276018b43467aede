//! The bytes of the file (pure). Version 1, numbers little endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `elovault` |
//! | 4 | version of this form: 1 |
//! | 16 | id of the data key, random; a keyring keeps the key under it |
//! | 4, 4, 4 | cost of Argon2id: KiB of memory, passes, lanes |
//! | 16 | salt of Argon2id |
//! | 24 | nonce of the next field |
//! | 48 | the data key, encrypted with the key from the passphrase; all that precedes the nonce is authenticated with it |
//! | 24 | nonce of the next field |
//! | any | the entries, encrypted with the data key; all that precedes the nonce is authenticated with them |
//! | 32 | BLAKE3 of all that precedes |
//!
//! Encryption is XChaCha20-Poly1305, tags stand at the end of what they guard. The last field
//! keeps nobody from changing the file: it tells damage from a wrong passphrase, and before the
//! key is computed.

use super::crypt::{Cost, KEY_BYTES, NONCE_BYTES, SALT_BYTES, TAG_BYTES};
use super::error::Refusal;

const MAGIC: &[u8; 8] = b"elovault";
const VERSION: u32 = 1;

const ID_BYTES: usize = 16;
const WRAPPED_BYTES: usize = KEY_BYTES + TAG_BYTES;
const CHECKSUM_BYTES: usize = 32;

/// Up to the nonce of the data key.
const PREFIX_BYTES: usize = MAGIC.len() + 4 + ID_BYTES + 12 + SALT_BYTES;
/// Up to the nonce of the entries.
const HEADER_BYTES: usize = PREFIX_BYTES + NONCE_BYTES + WRAPPED_BYTES;

/// Names a data key, and with it the vault until that gets another key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VaultId(pub(super) [u8; ID_BYTES]);

elophanto_base::shown_as_hex!(VaultId);

/// All that precedes the entries.
#[derive(Clone)]
pub struct Header {
    /// Authenticated with the entries.
    pub bytes: Vec<u8>,
    pub id: VaultId,
    pub cost: Cost,
    pub salt: [u8; SALT_BYTES],
    pub nonce: [u8; NONCE_BYTES],
    pub wrapped: Vec<u8>,
}

/// A file taken apart.
pub struct Parts<'a> {
    pub header: Header,
    pub nonce: [u8; NONCE_BYTES],
    pub sealed: &'a [u8],
}

impl Header {
    /// The first bytes, which are authenticated with the data key.
    pub fn prefix(id: VaultId, cost: Cost, salt: &[u8; SALT_BYTES]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&id.0);
        for number in [cost.memory_kib, cost.passes, cost.lanes] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(salt);
        bytes
    }

    /// What is authenticated with the data key.
    pub fn authenticated(&self) -> &[u8] {
        &self.bytes[..PREFIX_BYTES]
    }

    /// Puts the parts of a header together.
    pub fn new(
        id: VaultId,
        cost: Cost,
        salt: [u8; SALT_BYTES],
        nonce: [u8; NONCE_BYTES],
        wrapped: Vec<u8>,
    ) -> Self {
        let mut bytes = Self::prefix(id, cost, &salt);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&wrapped);
        Self { bytes, id, cost, salt, nonce, wrapped }
    }
}

/// The whole file.
pub fn assemble(header: &Header, nonce: &[u8; NONCE_BYTES], sealed: &[u8]) -> Vec<u8> {
    let length = HEADER_BYTES + NONCE_BYTES + sealed.len() + CHECKSUM_BYTES;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(&header.bytes);
    bytes.extend_from_slice(nonce);
    bytes.extend_from_slice(sealed);
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    bytes
}

/// Takes a file apart. Whether it is genuine, only its keys tell.
pub fn take_apart(bytes: &[u8]) -> Result<Parts<'_>, Refusal> {
    if !bytes.starts_with(MAGIC) {
        let cut_short = MAGIC.starts_with(bytes);
        return Err(if cut_short { Refusal::Damaged } else { Refusal::NotAVault });
    }
    let mut rest = &bytes[MAGIC.len()..];
    let version = number(&mut rest)?;
    if version > VERSION {
        return Err(Refusal::Newer(version));
    }
    let (body, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(Refusal::Damaged)?;
    if version != VERSION || blake3::hash(body).as_bytes() != checksum {
        return Err(Refusal::Damaged);
    }
    let (header, mut rest) = body.split_at_checked(HEADER_BYTES).ok_or(Refusal::Damaged)?;
    let header = read_header(header)?;
    let nonce = array(&mut rest)?;
    Ok(Parts { header, nonce, sealed: rest })
}

fn read_header(bytes: &[u8]) -> Result<Header, Refusal> {
    let mut rest = bytes.get(MAGIC.len() + 4..).ok_or(Refusal::Damaged)?;
    let id = VaultId(array(&mut rest)?);
    let cost = Cost {
        memory_kib: number(&mut rest)?,
        passes: number(&mut rest)?,
        lanes: number(&mut rest)?,
    };
    cost.check()?;
    let salt = array(&mut rest)?;
    let nonce = array(&mut rest)?;
    Ok(Header { bytes: bytes.to_owned(), id, cost, salt, nonce, wrapped: rest.to_owned() })
}

fn number(rest: &mut &[u8]) -> Result<u32, Refusal> {
    array(rest).map(u32::from_le_bytes)
}

fn array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Refusal> {
    let (array, tail) = rest.split_first_chunk().ok_or(Refusal::Damaged)?;
    *rest = tail;
    Ok(*array)
}
