//! `elophanto vault`: secrets stay in one encrypted file of the user, and go in and out by
//! descriptors only.

use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::env::{Output, PROGRAM, TestEnv, finish, snapshot};

pub const PASSPHRASE: &str = "otters hold hands";
const VALUE: &str = "sk-or-v1-0123456789abcdef";

/// The program with the passphrase as descriptor 3.
pub fn with_passphrase(env: &TestEnv, passphrase: &str, args: &[&str]) -> Command {
    // Written once, as several programs may read it at the same time.
    let file = env.outside().join("passphrase");
    if passphrase != PASSPHRASE || !file.exists() {
        outside(env, "passphrase", passphrase);
    }
    shell(env, r#"file=$1 program=$2; shift 2; exec "$program" "$@" 3<"$file""#, &file, args)
}

fn shell(env: &TestEnv, script: &str, file: &Path, args: &[&str]) -> Command {
    let mut command = env.sealed("sh");
    command.args(["-c", script, "sh"]).arg(file).arg(PROGRAM).args(args);
    command.env("ELOPHANTO_VAULT_FD", "3");
    command
}

/// Runs with the right passphrase.
fn vault(env: &TestEnv, args: &[&str]) -> Output {
    finish(&mut with_passphrase(env, PASSPHRASE, &[&["vault"], args].concat()))
}

/// Keeps a value that stands on standard input.
pub fn set(env: &TestEnv, name: &str, value: &str) -> Output {
    let mut command = with_passphrase(env, PASSPHRASE, &["vault", "set", name]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // It may end without reading any of it.
    let _ = child.stdin.take().unwrap().write_all(value.as_bytes());
    child.wait_with_output().unwrap().into()
}

fn outside(env: &TestEnv, name: &str, text: &str) -> PathBuf {
    let path = env.outside().join(name);
    // As a whole: another program may read it at this very moment.
    let mut whole = tempfile::NamedTempFile::new_in(env.outside()).unwrap();
    whole.write_all(text.as_bytes()).unwrap();
    whole.persist(&path).unwrap();
    path
}

/// The file of the vault.
fn place(env: &TestEnv) -> PathBuf {
    env.outside().join("home/.local/share/elophanto/vault")
}

fn filled() -> TestEnv {
    let env = TestEnv::with(&[("otters.md", "# Otters\n")]);
    let output = set(&env, "openrouter", VALUE);
    assert_eq!(output.code, Some(0), "{output}");
    env
}

/// Neither of the secrets.
fn says_no_secret(output: &Output) {
    let said = output.to_string();
    assert!(!said.contains("sk-or") && !said.contains(PASSPHRASE), "{said}");
}

#[test]
fn keeps_lists_gives_and_forgets() {
    let env = TestEnv::with(&[("otters.md", "# Otters\n")]);
    env.commit("otters");
    assert_eq!(
        vault(&env, &["list"]).to_string(),
        "exit: 1\n--- stdout\n--- stderr\nnothing is in the vault: `elophanto vault set NAME`\n"
    );
    assert!(!env.outside().join("home/.local").exists(), "asking writes nothing");
    snapshot!(set(&env, "openrouter", &format!("{VALUE}\n")), @"
    exit: 0
    --- stdout
    --- stderr
    kept `openrouter`
    ");
    let value = outside(&env, "value", "two\nlines\n");
    let args = ["vault", "set", "mail", "--kind", "password", "--value-fd", "4", "--json"];
    let script = r#"file=$1 program=$2; shift 2; exec "$program" "$@" 3<"${file%value}passphrase" 4<"$file""#;
    snapshot!(finish(&mut shell(&env, script, &value, &args)), @r#"
    exit: 0
    --- stdout
    {"name":"mail","kind":"password","replaced":false}
    --- stderr
    "#);
    snapshot!(vault(&env, &["list"]), @"
    exit: 0
    --- stdout
    mail        password
    openrouter  api-key
    --- stderr
    ");
    snapshot!(vault(&env, &["list", "--json"]), @r#"
    exit: 0
    --- stdout
    {"name":"mail","kind":"password","created":"[TIME]","last_used":null}
    {"name":"openrouter","kind":"api-key","created":"[TIME]","last_used":null}
    --- stderr
    "#);
    assert_eq!(vault(&env, &["get", "openrouter"]).stdout(), format!("{VALUE}\n"));
    assert_eq!(vault(&env, &["get", "mail"]).stdout(), "two\nlines\n");
    snapshot!(vault(&env, &["get", "mail", "--json"]), @r#"
    exit: 0
    --- stdout
    {"name":"mail","kind":"password","value":"two\nlines"}
    --- stderr
    "#);
    let listed = vault(&env, &["list", "--json"]).json();
    assert!(listed.iter().all(|line| line["last_used"].is_string()), "{listed:?}");
    snapshot!(vault(&env, &["remove", "mail"]), @"
    exit: 0
    --- stdout
    --- stderr
    removed `mail`
    ");
    for command in ["remove", "get"] {
        let absent = vault(&env, &[command, "mail"]);
        let expected = "exit: 1\n--- stdout\n--- stderr\nthe vault has no entry `mail`\n";
        assert_eq!(absent.to_string(), expected);
    }
    assert_eq!(env.git(&["status", "--porcelain"]), "", "the repository is never written");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&place(&env)), mode(place(&env).parent().unwrap())), (0o600, 0o700));
}

#[test]
fn what_is_not_asked_for_shows_no_value() {
    let env = filled();
    let replaced = set(&env, "openrouter", VALUE);
    assert_eq!(replaced.stderr(), "replaced `openrouter`\n");
    says_no_secret(&replaced);
    for args in [&["list"][..], &["list", "--json"], &["remove", "x"], &["get", "x"], &["lock"]] {
        says_no_secret(&vault(&env, args));
    }
    let bytes = fs::read(place(&env)).unwrap();
    for text in [VALUE, PASSPHRASE, "openrouter"] {
        assert!(!bytes.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
    }
}

#[test]
fn a_secret_is_never_an_argument() {
    let env = filled();
    snapshot!(vault(&env, &["set", "openrouter", VALUE]), @"
    exit: 2
    --- stdout
    --- stderr
    error: a value is not taken as an argument
    hint: other programs and the history of your shell can read arguments: take this value for known to others; give a new one when asked, on standard input, or with `--value-fd`
    ");
    for args in [
        &["set", "openrouter", VALUE][..],
        &["set", "a", "b", VALUE],
        &["set", "openrouter=sk-or-v1-1"],
        &["get", "sk-or-v1/1"],
        &["set", "openrouter", "--value", VALUE],
        &["set", "openrouter", "--value-fd", VALUE],
        &["list", "--passphrase", PASSPHRASE],
        &["list", "--passphrase-fd", PASSPHRASE],
    ] {
        let refused = vault(&env, args);
        assert_eq!(refused.code, Some(2), "{refused}");
        says_no_secret(&refused);
    }
    let mut mistaken = env.command(&["vault", "list"]);
    let refused = finish(mistaken.env("ELOPHANTO_VAULT_FD", PASSPHRASE));
    assert_eq!(refused.code, Some(2), "{refused}");
    says_no_secret(&refused);
}

/// What the kernel shows of the program to others while it holds both secrets.
#[test]
#[cfg(target_os = "linux")]
fn neither_secret_is_seen_from_outside() {
    let env = filled();
    let mut command = with_passphrase(&env, PASSPHRASE, &["vault", "set", "other"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(VALUE.as_bytes()).unwrap();
    // It waits for the end of the value; by then the passphrase has been read.
    let shown = |name: &str| fs::read(format!("/proc/{}/{name}", child.id())).unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
    let file = format!("/proc/{}/fd/3", child.id());
    let held = || fs::read_link(&file).is_ok_and(|file| file.ends_with("passphrase"));
    let is_ours = || shown("cmdline").starts_with(PROGRAM.as_bytes());
    while (!is_ours() || held()) && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(!held(), "the descriptor is closed once it has been read");
    for name in ["cmdline", "environ"] {
        let bytes = shown(name);
        assert!(!bytes.is_empty());
        for text in [VALUE, PASSPHRASE] {
            assert!(!bytes.windows(text.len()).any(|window| window == text.as_bytes()), "{name}");
        }
    }
    drop(stdin);
    let output = Output::from(child.wait_with_output().unwrap());
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_wrong_passphrase_or_none() {
    let env = filled();
    let before = fs::read(place(&env)).unwrap();
    let wrong = finish(&mut with_passphrase(&env, "otters hold paws", &["vault", "list"]));
    snapshot!(wrong, @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.local/share/elophanto/vault` was not opened: the passphrase is wrong
    hint: try again with the right one
    ");
    snapshot!(env.run(&["vault", "list"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: a secret is needed, and there is no terminal to ask for it
    hint: hand the passphrase over with `--passphrase-fd 3 3<FILE`, or name the descriptor in ELOPHANTO_VAULT_FD; a value with `--value-fd`
    ");
    for (number, expected) in
        [("123", "is not open"), ("1", "is an output"), ("-1", "is no descriptor")]
    {
        let argument = format!("--passphrase-fd={number}");
        let refused = env.run(&["vault", "list", &argument]);
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr().contains(expected), "{refused}");
    }
    for text in ["", "\n", "a\0b"] {
        let refused = finish(&mut with_passphrase(&env, text, &["vault", "list"]));
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr().contains("the passphrase "), "{refused}");
    }
    assert_eq!(fs::read(place(&env)).unwrap(), before);
    // A new one has to be long enough.
    fs::remove_file(place(&env)).unwrap();
    let short = finish(&mut with_passphrase(&env, "short", &["vault", "set", "a", "--value-fd=0"]));
    assert!(short.stderr().contains("shorter than 8 characters"), "{short}");
    assert!(!place(&env).exists());
}

#[test]
fn passphrase_and_value_on_standard_input() {
    let env = filled();
    let listed = env.run_with(&["vault", "list", "--passphrase-fd", "0"], PASSPHRASE.as_bytes());
    assert_eq!(listed.stdout(), "openrouter  api-key\n", "{listed}");
    let args = ["vault", "set", "a", "--passphrase-fd", "0"];
    let both = env.run_with(&args, PASSPHRASE.as_bytes());
    assert_eq!(both.code, Some(2), "{both}");
    assert!(both.stderr().contains("cannot both come from standard input"), "{both}");
    says_no_secret(&both);
    let twice = vault(&env, &["set", "a", "--value-fd", "3"]);
    assert!(twice.stderr().contains("named twice"), "{twice}");
    let empty = set(&env, "a", "");
    assert!(empty.stderr().contains("the value is empty"), "{empty}");
    assert_eq!(vault(&env, &["list"]).stdout(), "openrouter  api-key\n");
}

#[test]
fn damaged_files_are_refused() {
    let env = filled();
    let sound = fs::read(place(&env)).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(place(&env), bytes).unwrap();
        let get = vault(&env, &["get", "openrouter"]);
        assert_eq!((get.code, get.stdout().as_str()), (Some(2), ""), "{get}");
        let set = set(&env, "other", "value");
        assert_eq!(set.code, Some(2), "{set}");
        assert_eq!(fs::read(place(&env)).unwrap(), bytes, "it is left as it is");
        says_no_secret(&get);
        get
    };
    for length in [0, 4, 12, 60, 128, sound.len() / 2, sound.len() - 1] {
        assert!(refused(&sound[..length]).stderr().contains("damaged or cut short"), "{length}");
    }
    for at in [13, 40, 60, 90, 140, sound.len() / 2, sound.len() - 1] {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        assert!(refused(&bytes).stderr().contains("damaged or cut short"), "{at}");
    }
    let mut newer = sound.clone();
    newer[8] = 2;
    snapshot!(refused(&newer), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.local/share/elophanto/vault` was written by a newer version of this program (its format is 2)
    hint: install the newest version of elophanto
    ");
    fs::write(place(&env), &sound).unwrap();
    assert_eq!(vault(&env, &["get", "openrouter"]).stdout(), format!("{VALUE}\n"));
}

#[test]
fn a_file_that_others_may_read_is_refused() {
    let env = filled();
    fs::set_permissions(place(&env), fs::Permissions::from_mode(0o644)).unwrap();
    snapshot!(vault(&env, &["get", "openrouter"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.local/share/elophanto/vault` may be read or written by others than its owner (mode 644)
    hint: take the rights away: `chmod 600 [TEMP]/home/.local/share/elophanto/vault`; if others may have read it, give it a new passphrase with `elophanto vault rotate`
    ");
    fs::set_permissions(place(&env), fs::Permissions::from_mode(0o600)).unwrap();
    let moved = place(&env).with_file_name("moved");
    fs::rename(place(&env), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, place(&env)).unwrap();
    let refused = vault(&env, &["get", "openrouter"]);
    assert!(refused.stderr().contains("vault` is a link"), "{refused}");
}

#[test]
fn a_new_passphrase() {
    let env = filled();
    let new = outside(&env, "new", "bears hold nothing\n");
    let script =
        r#"file=$1 program=$2; shift 2; exec "$program" "$@" 3<"${file%new}passphrase" 4<"$file""#;
    let args = ["vault", "rotate", "--new-passphrase-fd", "4"];
    snapshot!(finish(&mut shell(&env, script, &new, &args)), @"
    exit: 0
    --- stdout
    --- stderr
    1 secret encrypted anew; older copies of the vault still open with the old passphrase
    ");
    assert_eq!(vault(&env, &["list"]).code, Some(2));
    let opened = finish(&mut with_passphrase(&env, "bears hold nothing", &["vault", "list"]));
    assert_eq!(opened.stdout(), "openrouter  api-key\n");
    let none = TestEnv::new();
    let missing = vault(&none, &["rotate"]);
    assert_eq!(missing.code, Some(2), "{missing}");
    assert!(missing.stderr().contains("no vault at"), "{missing}");
}

#[test]
fn two_programs_at_once_lose_nothing() {
    let env = TestEnv::new();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let env = &env;
            scope.spawn(move || {
                let output = set(env, &format!("name-{number}"), &format!("value {number}"));
                assert_eq!(output.code, Some(0), "{output}");
            });
        }
    });
    assert_eq!(vault(&env, &["list"]).stdout().lines().count(), 4);
    for number in 0..4 {
        let got = vault(&env, &["get", &format!("name-{number}")]);
        assert_eq!(got.stdout(), format!("value {number}\n"));
    }
}

#[test]
fn the_keyring_is_told_to_forget() {
    let env = filled();
    snapshot!(vault(&env, &["lock"]), @"
    exit: 1
    --- stdout
    --- stderr
    no key was kept
    ");
    // Where the system has a keyring, nobody is asked after this.
    let remembered = vault(&env, &["list", "--remember"]);
    assert_eq!(remembered.stdout(), "openrouter  api-key\n", "{remembered}");
    if remembered.stderr().contains("the key is not remembered") {
        return;
    }
    assert_eq!(env.run(&["vault", "list"]).stdout(), "openrouter  api-key\n");
    assert_eq!(env.run(&["vault", "lock", "--json"]).stdout(), "{\"forgotten\":true}\n");
    assert_eq!(env.run(&["vault", "list"]).code, Some(2));
}
