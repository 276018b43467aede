//! Hundreds of ways to change what is protected: all of it is the same afterwards.

use super::world::{World, has_full, kinds};

/// Targets, relative to the root: existing, not existing, files, folders, deep and shallow, and
/// outside.
const TARGETS: &[&str] = &[
    ".git/config",
    ".git/hooks/post-commit",
    ".elophanto/config.yaml",
    ".elophanto/permissions.yaml",
    ".gitmodules",
    "src/permissions/mod.rs",
    "deep/a/b/held",
    "not/yet/there",
    "../outside/file",
    "../home/.profile",
];

/// `@` is the target, `%` its folder.
const ATTACKS: &[&str] = &[
    "echo x > @",
    "echo x >> @",
    "echo x | tee -a @",
    "mkdir -p %; echo x > @",
    "rm -rf @; echo x > @",
    "rm -rf %; mkdir -p %; echo x > @",
    "mv % moved; mkdir -p %; echo x > @",
    "echo x > docs/n; mv -f docs/n @",
    "cp -f README.md @",
    "cp --remove-destination README.md @",
    "ln -sf ../README.md @",
    "ln -f @ docs/hard; echo x >> docs/hard",
    "ln -s $PWD/@ docs/soft; echo x >> docs/soft",
    "ln -s $PWD/% docs/folder; echo x > docs/folder/new",
    "echo x > /proc/self/root$PWD/@",
    "echo x > /proc/1/root$PWD/@",
    "echo x > /proc/self/cwd/@",
    "echo x > /proc/1/cwd/@",
    "chmod -R 777 %",
    "chmod 000 @",
    "touch @",
    "truncate -s 0 @",
    "truncate -s 9 @",
    "dd if=/dev/zero of=@ bs=1 count=9 conv=notrunc",
    "sed -i s/a/b/ @",
    "mkdir -p @",
    "mkfifo @",
    "exec 3<@; echo x > /proc/self/fd/3",
    "exec 3<>@; echo x >&3",
    "mount -t tmpfs none % ; echo x > @",
    "mount -o remount,rw,bind %; echo x > @",
    "mount -o remount,rw /; umount %; umount -l %; umount -l $PWD; echo x > @",
    "unshare -Urm sh -c 'umount -l %; mount -o remount,rw %; echo x > @'",
    "unshare -Urm sh -c 'mount -t tmpfs n /mnt; mount --bind $PWD /mnt; echo x > /mnt/@'",
    "nsenter -t 1 -m sh -c 'echo x > @'",
    "chroot . sh -c 'echo x > /@'; chroot /proc/1/root sh -c \"echo x > $PWD/@\"",
    "cd %; echo x > ../docs/q; mv ../docs/q $(basename @)",
    "perl -e 'rename(\"docs/a.md\", \"@\"); unlink(\"@\"); link(\"README.md\", \"@\")'",
    "perl -e 'open(F, \"+<\", \"@\") and print F \"x\"; utime(0, 0, \"@\"); chown(1, 1, \"@\")'",
    "perl -e 'syscall(316, -100, \"docs\", -100, \"%\", 2); syscall(82, \"%\", \"gone\")'",
    "perl -e '$s = 0x40000000; syscall($s + 82, \"%\", \"gone\"); syscall($s + 87, \"@\")'",
    "setfattr -n user.x -v y @; chattr +i @",
    "git config core.hooksPath x; git init -q; git config -f @ a.b c",
    "(sleep 0.05; echo x > @) & setsid sh -c 'sleep 0.05; echo x > @' & sleep 0.1",
    "tar cf - README.md | tar xf - -C % --overwrite",
    "find . -exec chmod 700 {} +; find . -delete; mkdir -p %; echo x > @",
    "cd ..; mv root root2; mkdir -p root; mkdir -p root/%; echo x > root/@",
    "rmdir %; rmdir @; mv -T docs %",
];

fn attack(narrow: bool) {
    if !kinds().contains(&narrow) {
        return;
    }
    let mut count = 0;
    for (number, attack) in ATTACKS.iter().enumerate() {
        let world = World::new(narrow);
        let before = world.protected();
        // Every other one: each attack, and each target, has many.
        for target in TARGETS.iter().skip(number % 2).step_by(2) {
            let folder = target.rsplit_once('/').map_or(".", |(folder, _)| folder);
            // The root itself is not protected, only what is in it.
            let line = attack.replace('@', target).replace('%', folder);
            let _ = world.shell(&line);
            count += 1;
            let after = world.protected();
            assert!(before == after, "{line}\n{before:#?}\n{after:#?}");
        }
    }
    assert!(count >= 200);
}

#[test]
fn protected_files_stay_as_they_are_in_full() {
    attack(false);
}

#[test]
fn protected_files_stay_as_they_are_in_narrow() {
    attack(true);
}

#[test]
fn links_to_what_is_protected_are_not_replaced() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        let root = world.policy.root.clone();
        std::fs::write(root.join("docs/rules.yaml"), "held\n").unwrap();
        std::os::unix::fs::symlink("../docs/rules.yaml", root.join("src/rules.yaml")).unwrap();
        std::os::unix::fs::symlink("docs", root.join("papers")).unwrap();
        world.policy.protected = vec![root.join("src/rules.yaml"), root.join("papers/none/at/all")];
        for line in [
            "echo x > src/rules.yaml",
            "echo x > docs/rules.yaml",
            "rm -f src/rules.yaml; echo x > src/rules.yaml",
            "mv src other; mkdir src; echo x > src/rules.yaml",
            "mv docs other; mkdir docs; echo x > docs/rules.yaml",
            "ln -sfn /dev/null src/rules.yaml; rm papers; mkdir -p papers/none/at/all",
            "mkdir -p docs/none/at/all",
        ] {
            let _ = world.shell(line);
            let said = std::fs::read_to_string(root.join("src/rules.yaml")).unwrap();
            assert_eq!(said, "held\n", "{narrow} {line}");
            assert!(!root.join("papers/none").exists(), "{narrow} {line}");
            assert!(root.join("papers").is_symlink(), "{narrow} {line}");
        }
        let ended = world.shell("echo changed > src/lib.rs && cat src/lib.rs");
        assert_eq!(ended.stdout, b"changed\n", "{ended:?}");
    }
}

/// The attacks are real: where nothing is protected most of them change something.
#[test]
fn what_is_not_protected_is_changed() {
    if !has_full() {
        return;
    }
    let mut working = 0;
    for attack in ATTACKS {
        let mut world = World::new(false);
        let protected = std::mem::take(&mut world.policy.protected);
        world.policy.protected = protected.clone();
        let before = world.protected();
        let is_changed = TARGETS.iter().filter(|target| !target.starts_with("..")).any(|target| {
            let folder = target.rsplit_once('/').map_or(".", |(folder, _)| folder);
            world.policy.protected.clear();
            let _ = world.shell(&attack.replace('@', target).replace('%', folder));
            world.policy.protected.clone_from(&protected);
            world.protected() != before
        });
        working += usize::from(is_changed);
    }
    assert!(working >= 30, "{working} of {}", ATTACKS.len());
}

#[test]
fn protection_within_protection_loosens_nothing() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        let root = world.policy.root.clone();
        std::fs::remove_dir_all(root.join(".git/hooks")).unwrap();
        std::fs::create_dir_all(root.join(".git/deep/er")).unwrap();
        std::fs::write(root.join(".git/deep/er/file"), "held").unwrap();
        std::os::unix::fs::symlink("../docs", root.join(".git/hooks")).unwrap();
        for name in [".git/hooks", ".git/deep/er/file", ".git/none/here", ".git/deep/none"] {
            world.policy.protected.push(root.join(name));
        }
        let before = world.protected();
        for line in [
            "echo x > .git/config",
            "echo x > .git/new",
            "echo x > .git/deep/new; echo x > .git/deep/er/new",
            "rm -rf .git; mv .git gone; mkdir -p .git/none/here .git/deep/none",
            "ln -sfn ../src .git/hooks; echo x > .git/hooks/post-commit; echo x > docs/post-commit",
        ] {
            let _ = world.shell(line);
            assert!(before == world.protected(), "{narrow} {line}");
        }
    }
}
