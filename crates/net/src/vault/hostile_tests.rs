//! Files that were cut, damaged, exchanged or made to do harm.

use std::fs;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::time::{Duration, Instant};

use super::tests::{Home, PASSPHRASE, name};
use super::*;

/// Where the fields of a file lie, see `format`.
const VERSION: usize = 8;
const COST: usize = 28;
const HEADER: usize = 128;
const CHECKSUM: usize = 32;

/// A vault with one entry, as bytes.
fn sound() -> (Home, Vec<u8>, DataKey) {
    let home = Home::new();
    let mut vault = home.create();
    vault.set(&name("a"), Kind::ApiKey, "the value".into()).unwrap();
    let bytes = fs::read(home.path()).unwrap();
    (home, bytes, vault.data_key().clone())
}

/// Puts other bytes in its place, and says why they are refused, by passphrase and by key.
fn refusals(home: &Home, key: &DataKey, bytes: &[u8]) -> [Refusal; 2] {
    fs::write(home.path(), bytes).unwrap();
    [Unlock::Passphrase(PASSPHRASE.into()), Unlock::DataKey(key.clone())].map(|unlock| {
        match Vault::open(&home.path(), &unlock) {
            Err(VaultError::Refused { why, path }) => {
                assert_eq!(path, home.path());
                why
            }
            other => panic!("{other:?}"),
        }
    })
}

/// With the checksum that its writer would give it.
fn forged(bytes: &[u8], edit: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len() - CHECKSUM].to_vec();
    edit(&mut bytes);
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    bytes
}

#[test]
fn a_wrong_passphrase_is_called_one() {
    let (home, _, _) = sound();
    for text in ["Hold hands", "hold hands ", "hold hand", "", "x"] {
        let refused = home.open_with(text).unwrap_err();
        assert!(matches!(refused, VaultError::Refused { why: Refusal::WrongPassphrase, .. }));
        assert!(text.len() < 8 || !refused.to_string().contains(text), "{refused}");
    }
    home.open();
}

#[test]
fn cut_short_anywhere_it_is_refused() {
    let (home, bytes, key) = sound();
    for length in 0..bytes.len() {
        let said = refusals(&home, &key, &bytes[..length]);
        assert_eq!(said, [Refusal::Damaged, Refusal::Damaged], "{length}");
    }
    let more = [&bytes[..], b"\0"].concat();
    assert_eq!(refusals(&home, &key, &more), [Refusal::Damaged, Refusal::Damaged]);
    fs::write(home.path(), &bytes).unwrap();
    home.open();
}

#[test]
fn a_flipped_bit_is_noticed_before_any_key_is_computed() {
    let (home, bytes, key) = sound();
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1 << (at % 8);
        let expected = match at {
            0..VERSION => Refusal::NotAVault,
            VERSION..12 => Refusal::Newer(u32::from_le_bytes(other[8..12].try_into().unwrap())),
            _ => Refusal::Damaged,
        };
        // Version 0 never was.
        let expected = if at == VERSION { Refusal::Damaged } else { expected };
        let said = refusals(&home, &key, &other);
        assert_eq!(said, [expected.clone(), expected], "{at}");
    }
}

#[test]
fn a_forged_bit_opens_nothing() {
    let (home, bytes, key) = sound();
    for at in VERSION..bytes.len() - CHECKSUM {
        // Others of the cost would only make the test slow, or are refused for that.
        if (COST..COST + 12).contains(&at) && !(COST + 4..COST + 5).contains(&at) {
            continue;
        }
        let other = forged(&bytes, |bytes| bytes[at] ^= if at == COST + 4 { 2 } else { 0x10 });
        let [by_passphrase, by_key] = refusals(&home, &key, &other);
        match at {
            VERSION..12 => assert!(matches!(by_passphrase, Refusal::Newer(_)), "{at}"),
            12..HEADER => assert_eq!(by_passphrase, Refusal::WrongPassphrase, "{at}"),
            _ => assert_eq!(by_passphrase, Refusal::Damaged, "{at}"),
        }
        assert!(at < 12 || by_key == Refusal::WrongKey, "{at}");
    }
}

#[test]
fn parts_of_two_vaults_do_not_make_one() {
    let (home, bytes, key) = sound();
    let (_, other, _) = sound();
    // The same passphrase opens both.
    let mixed = forged(&bytes, |bytes| bytes[..HEADER].copy_from_slice(&other[..HEADER]));
    assert_eq!(refusals(&home, &key, &mixed), [Refusal::Damaged, Refusal::WrongKey]);
    let mixed = forged(&other, |other| other[..HEADER].copy_from_slice(&bytes[..HEADER]));
    assert_eq!(refusals(&home, &key, &mixed), [Refusal::Damaged, Refusal::WrongKey]);
}

#[test]
fn a_newer_version_is_named() {
    let (home, bytes, key) = sound();
    let newer = forged(&bytes, |bytes| bytes[VERSION] = 2);
    assert_eq!(refusals(&home, &key, &newer), [Refusal::Newer(2), Refusal::Newer(2)]);
    // Whatever else may be different in it.
    let short = [b"elovault".as_slice(), &[3, 0, 0, 0]].concat();
    assert_eq!(refusals(&home, &key, &short), [Refusal::Newer(3), Refusal::Newer(3)]);
    let said = home.open_with(PASSPHRASE).unwrap_err().to_string();
    assert!(said.contains("newer version"), "{said}");
}

#[test]
fn other_content_is_no_vault() {
    let (home, _, key) = sound();
    for bytes in [&b"# Otters\n"[..], b"elovaulT12345678", &[0; 4096], b"\x7fELF"] {
        assert_eq!(refusals(&home, &key, bytes), [Refusal::NotAVault, Refusal::NotAVault]);
    }
}

#[test]
fn a_file_cannot_demand_the_whole_machine() {
    let (home, bytes, key) = sound();
    let demand = |memory_kib: u32, passes: u32, lanes: u32| {
        let bytes = forged(&bytes, |bytes| {
            for (at, number) in [memory_kib, passes, lanes].into_iter().enumerate() {
                bytes[COST + 4 * at..][..4].copy_from_slice(&number.to_le_bytes());
            }
        });
        let start = Instant::now();
        let [said, by_key] = refusals(&home, &key, &bytes);
        assert!(start.elapsed() < Duration::from_secs(1), "{memory_kib} {passes} {lanes}");
        assert_eq!(said, by_key);
        said
    };
    for (memory_kib, passes, lanes) in [
        (u32::MAX, 1, 1),
        (1 << 30, 3, 1),
        ((1 << 20) + 1, 1, 1),
        (1 << 20, 5, 1),
        (64 << 10, u32::MAX, 1),
        (8, u32::MAX, 1),
        (8, 1 << 11, 1),
        (64 << 10, 3, u32::MAX),
        (64 << 10, 3, 17),
        (u32::MAX, u32::MAX, u32::MAX),
    ] {
        let expected = Refusal::Costly(Cost { memory_kib, passes, lanes });
        assert_eq!(demand(memory_kib, passes, lanes), expected);
    }
    // Less than Argon2 knows.
    for (memory_kib, passes, lanes) in [(0, 1, 1), (7, 1, 1), (8, 0, 1), (8, 1, 0), (8, 1, 2)] {
        assert_eq!(demand(memory_kib, passes, lanes), Refusal::Damaged);
    }
    // Nor does this program write what it would refuse.
    let too_much = Cost { memory_kib: 2 << 20, ..Cost::DEFAULT };
    let fresh = Home::new();
    assert!(Vault::create(&fresh.path(), &PASSPHRASE.into(), too_much).is_err());
    assert!(!Vault::exists(&fresh.path()));
}

#[test]
fn too_large_a_file_is_not_read() {
    let (home, bytes, _) = sound();
    let file = fs::File::options().write(true).mode(0o600).open(home.path()).unwrap();
    file.set_len(MAX_VAULT_BYTES + 1).unwrap();
    let refused = home.open_with(PASSPHRASE).unwrap_err();
    assert!(matches!(refused, VaultError::TooLarge { cap: MAX_VAULT_BYTES, .. }));
    fs::write(home.path(), bytes).unwrap();
    assert_eq!(fs::metadata(home.path()).unwrap().permissions().mode() & 0o777, 0o600);
    home.open();
}

#[test]
fn damage_while_it_is_open_is_not_written_over() {
    let (home, bytes, _) = sound();
    let mut vault = home.open();
    fs::write(home.path(), &bytes[..bytes.len() - 1]).unwrap();
    let refused = vault.set(&name("b"), Kind::ApiKey, "two".into());
    assert!(matches!(refused, Err(VaultError::Refused { why: Refusal::Damaged, .. })));
    assert!(vault.rotate(&"other words".into(), Cost::LEAST).is_err());
    assert_eq!(fs::read(home.path()).unwrap(), &bytes[..bytes.len() - 1]);
    fs::write(home.path(), bytes).unwrap();
    assert_eq!(home.open().entries().count(), 1);
}
