//! Other users, other systems: the helper is started by programs that change what it finds.

use std::{
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::Command,
};

use elophanto_agent::sandbox::{Helper, Kind, probe};

use super::world::{World, has_full, helper, kinds};
use crate::env::PROGRAM;

const NOBODY: u32 = 65_534;

/// A helper that these words start.
fn started_by(words: &[&str], narrow: bool) -> Helper {
    let own = helper(narrow);
    let argv = words.iter().map(|&word| word.to_owned()).chain(own.argv).collect();
    Helper { argv, ..own }
}

fn can(words: &[&str]) -> bool {
    let (first, rest) = words.split_first().unwrap();
    Command::new(first).args(rest).arg("/bin/true").status().is_ok_and(|status| status.success())
}

fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

const AS_NOBODY: &[&str] =
    &["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const NO_NAMESPACES: &[&str] = &[
    "/usr/bin/unshare",
    "-Ur",
    "/bin/sh",
    "-c",
    "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"",
    "sh",
];
const NO_CAPABILITIES: &[&str] =
    &["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"];

#[test]
fn it_works_for_an_ordinary_user() {
    if !can(AS_NOBODY) {
        return;
    }
    for narrow in kinds() {
        let mut world = World::new(narrow);
        // Where the program lies the user may not look.
        let program = world.path("elophanto");
        if std::fs::hard_link(PROGRAM, &program).is_err() {
            return;
        }
        world.helper = started_by(AS_NOBODY, narrow);
        for word in &mut world.helper.argv {
            if word == PROGRAM {
                *word = program.to_str().unwrap().to_owned();
            }
        }
        for name in ["root", "home", "temporary", "outside"] {
            give_away(&world.path(name));
        }
        std::fs::set_permissions(&world.base, PermissionsExt::from_mode(0o755)).unwrap();
        let folder = world.path("root/.elophanto");
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o555)).unwrap();
        let expected = if narrow { Kind::Narrow } else { Kind::Full };
        assert_eq!(probe(&world.helper), expected);
        let before = world.protected();
        for line in [
            "echo x > docs/a.md && id -u && rm docs/a.md",
            "echo x > .gitmodules",
            "mkdir -p .elophanto; echo x > .elophanto/permissions.yaml",
            "mv .git gone; mv .elophanto gone; rm -rf deep; rm -rf src",
            "chmod -R 777 .git; echo x > .git/config",
            "chmod 777 .elophanto; echo x > .elophanto/permissions.yaml",
        ] {
            let ended = world.shell(line);
            assert!(before == world.protected(), "{narrow} {line} {ended:?}");
            if line.contains("id -u") {
                assert_eq!(ended.stdout, b"65534\n", "{narrow} {ended:?}");
            }
        }
        world.policy.limits.processes = 40;
        let line = "i=0; while [ $i -lt 100 ]; do sleep 2 & i=$((i+1)); done; echo all";
        let ended = world.shell(line);
        assert!(!ended.stdout.ends_with(b"all\n") || ended.why.is_some(), "{narrow} {ended:?}");
        let ended = world.shell("cat .env; cat /etc/shadow; cat ../outside/key");
        assert!(ended.stdout.is_empty());
    }
}

#[test]
fn without_user_namespaces_it_is_full_for_an_administrator_and_narrow_for_others() {
    if !can(NO_NAMESPACES) || !has_full() {
        return;
    }
    let mut world = World::new(false);
    world.helper = started_by(NO_NAMESPACES, false);
    let before = world.protected();
    assert_eq!(probe(&world.helper), Kind::Full);
    let ended =
        world.shell("echo x > .git/config; echo x > .gitmodules; echo x > docs/y && echo ok");
    assert_eq!(ended.stdout, b"ok\n", "{ended:?}");
    assert!(before == world.protected());

    let words = [NO_NAMESPACES, NO_CAPABILITIES].concat();
    world.helper = started_by(&words, false);
    assert_eq!(probe(&world.helper), Kind::Narrow);
    let refused = world.argv(&["true"], b"");
    assert!(refused.is_err(), "{refused:?}");
    world.helper.narrow = true;
    let ended =
        world.shell("echo x > .git/config; echo x > .gitmodules; echo x > docs/y && echo ok");
    assert_eq!(ended.stdout, b"ok\n", "{ended:?}");
    assert!(before == world.protected());
}

#[test]
fn a_bad_helper_is_an_error() {
    for argv in [vec![], vec!["/no/such/helper"], vec!["/bin/true"], vec!["/bin/echo", "{}"]] {
        let mut world = World::new(false);
        world.helper.argv = argv.iter().map(|&word| word.to_owned()).collect();
        assert!(matches!(probe(&world.helper), Kind::Absent(_)));
        assert!(world.argv(&["true"], b"").is_err());
    }
}
