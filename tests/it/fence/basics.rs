//! What works in a sandbox, and how programs end.

use elophanto::fence::{Kind, probe};

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
