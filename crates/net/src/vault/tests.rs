//! Round trips, changes by several at once, rights of the file.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use proptest::prelude::*;
use secrecy::{ExposeSecret as _, SecretString};

use super::*;

pub(super) const PASSPHRASE: &str = "hold hands";

/// A folder with a place for a vault.
pub(super) struct Home(tempfile::TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("share/elophanto/vault")
    }

    pub(super) fn create(&self) -> Vault {
        Vault::create(&self.path(), &PASSPHRASE.into(), Cost::LEAST).unwrap()
    }

    pub(super) fn open_with(&self, passphrase: &str) -> Result<Vault> {
        Vault::open(&self.path(), &Unlock::Passphrase(passphrase.into()))
    }

    pub(super) fn open(&self) -> Vault {
        self.open_with(PASSPHRASE).unwrap()
    }
}

pub(super) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// Names, kinds and values.
fn content(vault: &Vault) -> Vec<(String, Kind, String)> {
    let line = |(name, entry): (&Name, &Entry)| {
        (name.to_string(), entry.kind, entry.value.expose_secret().to_owned())
    };
    vault.entries().map(line).collect()
}

fn value(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.value.expose_secret().to_owned())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_a_killed_writer_left_is_removed() {
    let home = Home::new();
    drop(home.create());
    let left = home.path().with_file_name(".tmp-vault-Xy12Zz");
    let names = || fs::read_dir(left.parent().unwrap()).unwrap().count();
    let before = names();
    fs::write(&left, "half of what is sealed").unwrap();
    chmod(&left, 0o600);
    // What is not as a writer of ours makes it stays.
    let others =
        [".tmp-vault-notes.txt", ".tmp-vault-abcdef"].map(|name| left.with_file_name(name));
    others.iter().for_each(|path| fs::write(path, "mine").unwrap());
    chmod(&others[1], 0o644);
    // Somebody may still be writing it.
    let lock = super::file::lock(&home.path()).unwrap();
    home.open();
    assert!(left.exists());
    drop(lock);
    home.open();
    assert_eq!((left.exists(), names()), (false, before + 2));
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn keeps_replaces_and_forgets() {
    let home = Home::new();
    assert!(!Vault::exists(&home.path()));
    let mut vault = home.create();
    assert!(Vault::exists(&home.path()));
    assert!(!vault.set(&name("b"), Kind::Password, "one".into()).unwrap());
    assert!(!vault.set(&name("a"), Kind::OAuth, "two\nlines ö".into()).unwrap());
    assert!(vault.set(&name("b"), Kind::ApiKey, "three".into()).unwrap());
    let expected = [
        ("a".to_owned(), Kind::OAuth, "two\nlines ö".to_owned()),
        ("b".to_owned(), Kind::ApiKey, "three".to_owned()),
    ];
    assert_eq!(content(&vault), expected);
    let mut again = home.open();
    assert_eq!(content(&again), expected);
    assert_eq!(value(again.get(&name("b"))).unwrap(), "three");
    assert!(again.get(&name("c")).is_none());
    assert!(again.remove(&name("b")).unwrap());
    assert!(!again.remove(&name("b")).unwrap());
    assert_eq!(content(&home.open()), expected[..1]);
    // What cannot be kept changes nothing.
    let refused = again.set(&name("a"), Kind::OAuth, "".into());
    assert!(matches!(refused, Err(VaultError::Value(BadValue::Empty))));
    assert_eq!(content(&home.open()), expected[..1]);
    let second = Vault::create(&home.path(), &PASSPHRASE.into(), Cost::LEAST);
    assert!(matches!(second, Err(VaultError::Exists { .. })));
    assert_eq!(content(&home.open()), expected[..1]);
}

#[test]
fn the_file_shows_neither_names_nor_values() {
    let home = Home::new();
    let mut vault = home.create();
    let empty = fs::metadata(home.path()).unwrap().len();
    vault.set(&name("openrouter-work"), Kind::ApiKey, "sk-or-v1-0123456789".into()).unwrap();
    let bytes = fs::read(home.path()).unwrap();
    for text in ["openrouter", "sk-or", "0123456", PASSPHRASE] {
        let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!found, "{text}");
    }
    assert_eq!(bytes.len() as u64, empty, "its size says nothing of small secrets");
    let shown = format!("{vault:?} {:?}", vault.get(&name("openrouter-work")));
    assert!(!shown.contains("sk-or"), "{shown}");
    let unlock = Unlock::Passphrase(PASSPHRASE.into());
    assert!(!format!("{unlock:?}").contains(PASSPHRASE));
    // Nothing is encrypted twice alike.
    vault.set(&name("openrouter-work"), Kind::ApiKey, "sk-or-v1-0123456789".into()).unwrap();
    let later = fs::read(home.path()).unwrap();
    let same = bytes[128..].iter().zip(&later[128..]).filter(|(a, b)| a == b).count();
    assert!(same < bytes.len() / 16, "{same}");
}

#[test]
fn opens_with_what_a_keyring_keeps() {
    let home = Home::new();
    let keyring = MemoryKeyring::default();
    let mut vault = home.create();
    vault.set(&name("a"), Kind::ApiKey, "one".into()).unwrap();
    keyring.store(vault.key_id(), vault.data_key()).unwrap();
    let key = keyring.load(Vault::id(&home.path()).unwrap()).unwrap().unwrap();
    let mut vault = Vault::open(&home.path(), &Unlock::DataKey(key)).unwrap();
    assert_eq!(value(vault.get(&name("a"))).unwrap(), "one");
    vault.set(&name("b"), Kind::ApiKey, "two".into()).unwrap();
    assert_eq!(home.open().entries().count(), 2, "the passphrase still opens it");
    let other = Unlock::DataKey(DataKey::from_bytes(&[1; 32]).unwrap());
    let refused = Vault::open(&home.path(), &other).unwrap_err();
    assert!(matches!(refused, VaultError::Refused { why: Refusal::WrongKey, .. }));
}

#[test]
fn a_new_passphrase_shuts_the_old_one_out() {
    let home = Home::new();
    let mut vault = home.create();
    vault.set(&name("a"), Kind::ApiKey, "one".into()).unwrap();
    let mut elsewhere = home.open();
    let old_key = Unlock::DataKey(vault.data_key().clone());
    let old_id = vault.key_id();
    let before = fs::read(home.path()).unwrap();
    let cost = Cost { passes: 2, ..Cost::LEAST };
    vault.rotate(&"other words".into(), cost).unwrap();
    assert_ne!(vault.key_id(), old_id);
    let refused = home.open_with(PASSPHRASE).unwrap_err();
    assert!(matches!(refused, VaultError::Refused { why: Refusal::WrongPassphrase, .. }));
    assert!(Vault::open(&home.path(), &old_key).is_err());
    assert_eq!(content(&home.open_with("other words").unwrap()), content(&vault));
    assert_eq!(home.open_with("other words").unwrap().cost(), cost);
    // Who had it open can still read what was read, but writes nothing over it.
    assert_eq!(value(elsewhere.get(&name("a"))).unwrap(), "one");
    let refused = elsewhere.set(&name("b"), Kind::ApiKey, "two".into());
    assert!(matches!(refused, Err(VaultError::Rekeyed { .. })));
    vault.set(&name("c"), Kind::ApiKey, "three".into()).unwrap();
    assert_eq!(home.open_with("other words").unwrap().entries().count(), 2);
    let after = fs::read(home.path()).unwrap();
    assert!(!after.windows(32).any(|window| before.windows(32).any(|old| old == window)));
}

#[test]
fn use_is_written_down_if_it_can_be() {
    let home = Home::new();
    let start = Timestamp::now();
    home.create().set(&name("a"), Kind::ApiKey, "one".into()).unwrap();
    let last_used = || home.open().entries().next().unwrap().1.last_used;
    assert_eq!(last_used(), None);
    assert!(home.open().get(&name("a")).unwrap().last_used.is_some());
    let used = last_used().unwrap();
    assert!(used.as_second() >= start.as_second());
    // Soon again: not worth a write.
    let before = fs::read(home.path()).unwrap();
    assert!(home.open().get(&name("a")).is_some());
    assert_eq!(fs::read(home.path()).unwrap(), before);
    // A new value was never used. Somebody who writes at this moment is not waited for.
    home.open().set(&name("a"), Kind::ApiKey, "two".into()).unwrap();
    let held = file::lock(&home.path()).unwrap();
    assert_eq!(value(home.open().get(&name("a"))).unwrap(), "two");
    drop(held);
    assert_eq!(last_used(), None);
    // Nor does a vault that is gone keep anybody from what was read.
    let mut vault = home.open();
    fs::remove_dir_all(home.path().parent().unwrap()).unwrap();
    assert_eq!(value(vault.get(&name("a"))).unwrap(), "two");
}

#[test]
fn several_at_once_lose_nothing() {
    const WRITERS: usize = 8;
    const EACH: usize = 6;
    let home = Home::new();
    home.create();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let home = &home;
            scope.spawn(move || {
                // Opened before the others have written.
                let mut vault = home.open();
                for number in 0..EACH {
                    let name = name(&format!("{writer}-{number}"));
                    vault.set(&name, Kind::ApiKey, format!("{writer} {number}").into()).unwrap();
                    assert!(vault.get(&name).is_some());
                }
                vault.remove(&name(&format!("{writer}-0"))).unwrap();
            });
        }
        // Readers never see half a file.
        scope.spawn(|| (0..40).for_each(|_| drop(home.open())));
    });
    let vault = home.open();
    assert_eq!(vault.entries().count(), WRITERS * (EACH - 1));
    for (name, entry) in vault.entries() {
        assert_eq!(entry.value.expose_secret(), name.as_str().replace('-', " "));
    }
    let names: Vec<_> = fs::read_dir(home.path().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "the vault and its lock: {names:?}");
}

#[test]
fn made_once_by_several_at_once() {
    let home = Home::new();
    let made = std::thread::scope(|scope| {
        let make = || Vault::create(&home.path(), &PASSPHRASE.into(), Cost::LEAST).is_ok();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        threads.into_iter().map(|t| usize::from(t.join().unwrap())).sum::<usize>()
    });
    assert_eq!(made, 1);
    home.open();
}

#[test]
fn nobody_else_may_read_or_write_it() {
    let home = Home::new();
    let mut vault = home.create();
    vault.set(&name("a"), Kind::ApiKey, "one".into()).unwrap();
    let folder = home.path().parent().unwrap().to_owned();
    assert_eq!((mode(&home.path()), mode(&folder)), (0o600, 0o700));
    assert_eq!(mode(&folder.join("vault.lock")), 0o600);
    for bits in [0o640, 0o604, 0o620, 0o602, 0o610, 0o666, 0o644] {
        chmod(&home.path(), bits);
        let refused = home.open_with(PASSPHRASE).unwrap_err();
        assert!(matches!(refused, VaultError::Exposed { mode, .. } if mode == bits));
        assert!(refused.to_string().contains(&format!("mode {bits:03o}")), "{refused}");
        assert!(matches!(Vault::id(&home.path()), Err(VaultError::Exposed { .. })));
        let refused = vault.set(&name("b"), Kind::ApiKey, "two".into());
        assert!(matches!(refused, Err(VaultError::Exposed { .. })));
    }
    chmod(&home.path(), 0o600);
    for bits in [0o770, 0o707, 0o777] {
        chmod(&folder, bits);
        assert!(matches!(home.open_with(PASSPHRASE), Err(VaultError::SharedFolder { .. })));
    }
    fs::remove_file(home.path()).unwrap();
    let made = Vault::create(&home.path(), &PASSPHRASE.into(), Cost::LEAST);
    assert!(matches!(made, Err(VaultError::SharedFolder { .. })));
    // That others see the names of its files does no harm.
    chmod(&folder, 0o755);
    home.create();
    home.open();
}

#[test]
fn what_is_no_file_is_refused() {
    let home = Home::new();
    assert!(matches!(home.open_with(PASSPHRASE), Err(VaultError::Missing { .. })));
    let mut vault = home.create();
    let real = home.path().with_file_name("real");
    fs::rename(home.path(), &real).unwrap();
    assert!(matches!(home.open_with(PASSPHRASE), Err(VaultError::Missing { .. })));
    for target in [real.as_path(), Path::new("/dev/zero"), Path::new("nowhere")] {
        symlink(target, home.path()).unwrap();
        assert!(Vault::exists(&home.path()));
        assert!(matches!(home.open_with(PASSPHRASE), Err(VaultError::Link { .. })));
        let refused = vault.set(&name("a"), Kind::ApiKey, "one".into());
        assert!(matches!(refused, Err(VaultError::Link { .. })));
        let made = Vault::create(&home.path(), &PASSPHRASE.into(), Cost::LEAST);
        assert!(matches!(made, Err(VaultError::Exists { .. })));
        fs::remove_file(home.path()).unwrap();
    }
    fs::create_dir(home.path()).unwrap();
    assert!(matches!(home.open_with(PASSPHRASE), Err(VaultError::NoFile { .. })));
    fs::remove_dir(home.path()).unwrap();
    let pipe = std::ffi::CString::new(home.path().to_str().unwrap()).unwrap();
    // SAFETY: the path is a C string that outlives the call.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    assert!(matches!(home.open_with(PASSPHRASE), Err(VaultError::NoFile { .. })), "no hang");
    // Nor is a lock that leads elsewhere.
    fs::remove_file(home.path()).unwrap();
    fs::rename(&real, home.path()).unwrap();
    let lock = home.path().with_file_name("vault.lock");
    fs::remove_file(&lock).unwrap();
    symlink(home.0.path().join("elsewhere"), &lock).unwrap();
    let refused = vault.set(&name("a"), Kind::ApiKey, "one".into());
    assert!(matches!(refused, Err(VaultError::Write { .. })));
    assert!(!home.0.path().join("elsewhere").exists());
}

#[test]
fn a_full_vault_says_so() {
    let home = Home::new();
    let mut vault = home.create();
    let long: SecretString = "x".repeat(MAX_VALUE_BYTES).into();
    let kept = (0..20)
        .take_while(|number| {
            let set = vault.set(&name(&number.to_string()), Kind::Password, long.clone());
            assert!(matches!(set, Ok(false) | Err(VaultError::Full)));
            set.is_ok()
        })
        .count();
    assert_eq!(kept, 15);
    assert_eq!((home.open().entries().count(), vault.entries().count()), (kept, kept));
}

fn any_entry() -> impl Strategy<Value = (String, u8, String)> {
    ("[A-Za-z0-9._-]{1,64}", 0..3_u8, "[^\0]{1,200}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_comes_back(
        kept in proptest::collection::vec(any_entry(), 0..12),
        passphrase in "[^\0\r\n]{8,40}",
    ) {
        let home = Home::new();
        let passphrase = SecretString::from(passphrase);
        let mut vault = Vault::create(&home.path(), &passphrase, Cost::LEAST).unwrap();
        let mut expected = std::collections::BTreeMap::new();
        for (text, kind, secret) in kept {
            let kind = [Kind::ApiKey, Kind::OAuth, Kind::Password][usize::from(kind)];
            let replaced = vault.set(&name(&text), kind, secret.as_str().into()).unwrap();
            prop_assert_eq!(replaced, expected.insert(text, (kind, secret)).is_some());
        }
        let opened = Vault::open(&home.path(), &Unlock::Passphrase(passphrase)).unwrap();
        let expected: Vec<_> =
            expected.into_iter().map(|(name, (kind, value))| (name, kind, value)).collect();
        prop_assert_eq!(content(&opened), expected.clone());
        prop_assert_eq!(content(&vault), expected);
    }
}
