//! What works in a sandbox, and how programs end.

use std::path::PathBuf;

use elophanto_agent::sandbox::{Kind, probe};
use walkdir::WalkDir;

use super::world::{World, can_unshare, helper, kinds};

#[test]
fn the_strength_is_what_the_kernel_gives() {
    let full = probe(&helper(false));
    assert!(full == Kind::Full || !can_unshare(), "{full:?}");
    if full == Kind::Full {
        assert_eq!(probe(&helper(true)), Kind::Narrow);
    }
}

#[test]
fn ordinary_work_is_done() {
    for narrow in kinds() {
        let world = World::new(narrow);
        for (line, code, stdout) in [
            ("echo hello", 0, "hello\n"),
            ("exit 7", 7, ""),
            ("cat README.md", 0, "# Read me\n"),
            ("cat .git/config", 0, "[core]\n"),
            ("echo x > docs/new.md && cat docs/new.md", 0, "x\n"),
            ("mv docs/new.md docs/newer.md && rm docs/newer.md && ls docs", 0, "a.md\n"),
            ("echo more >> README.md; tail -n 1 README.md", 0, "more\n"),
            ("echo x > $TMPDIR/y && cat $TMPDIR/y && rm $TMPDIR/y", 0, "x\n"),
            ("t=$(mktemp) && echo hi > $t && cat $t", 0, "hi\n"),
            ("echo a | tr a b | cat > /dev/null; echo $?", 0, "0\n"),
            ("bash -c \"cat <(echo x)\"", 0, "x\n"),
            ("mkdir -p docs/a/b && rmdir docs/a/b && rmdir docs/a && echo ok", 0, "ok\n"),
            ("umask; ulimit -c; pwd -P | sed 's,.*/,,'", 0, "0022\n0\nroot\n"),
            ("git --version | cut -d' ' -f1", 0, "git\n"),
            ("sleep 0.2 & wait; echo done", 0, "done\n"),
        ] {
            let ended = world.shell(line);
            let said = String::from_utf8_lossy(&ended.stdout);
            let stderr = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(
                (ended.code, &*said),
                (Some(code), stdout),
                "{narrow} {line}: {stderr} {ended:?}"
            );
        }
    }
}

/// The whole work tree may be protected: then a program reads it, has its temporary folder, and
/// changes nothing.
#[test]
fn a_protected_work_tree_is_only_read() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        world.policy.protected = vec![world.policy.root.clone()];
        let before = contents(&world);
        for (line, works) in [
            ("cat README.md docs/a.md .git/config > /dev/null && ls -R > /dev/null", true),
            ("echo y > $TMPDIR/y && cat $TMPDIR/y", true),
            ("echo x > new.txt", false),
            ("echo x >> README.md", false),
            ("rm docs/a.md", false),
            ("mv docs docs2", false),
            ("mkdir docs/new", false),
            ("ln -s /etc/passwd docs/link", false),
            ("truncate -s 0 README.md", false),
            ("cat .env", false),
            ("echo x > ../outside/file", false),
        ] {
            let ended = world.shell(line);
            assert_eq!(ended.is_success(), works, "{narrow} {line}: {ended:?}");
        }
        assert_eq!(contents(&world), before, "{narrow}");
    }
}

/// Every entry of the work tree and what is outside of it, with what it holds.
fn contents(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = ["root", "outside", "home"].map(|name| world.path(name));
    let entries = folders.into_iter().flat_map(|folder| WalkDir::new(folder).sort_by_file_name());
    let entries = entries.map(|entry| entry.unwrap().into_path());
    entries.map(|path| (path.clone(), std::fs::read(path).unwrap_or_default())).collect()
}
