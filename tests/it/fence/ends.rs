//! However a program ends, or does not: the caller goes on, and nothing is left.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use elophanto_agent::sandbox::{Helper, Policy, Program, SandboxError, Stopped, run};

use super::world::{World, has_full, kinds};

/// Whether a process with this word in its command line is running.
fn runs(word: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let state = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word) && !state.contains(") Z ")
    })
}

#[test]
fn daemons_are_gone_afterwards() {
    for narrow in kinds() {
        let world = World::new(narrow);
        for (index, line) in [
            "sleep @ & echo left",
            "setsid sleep @ & echo left",
            "(setsid sh -c 'sleep @ & sleep @' &) ; echo left",
            "nohup sleep @ >/dev/null 2>&1 & echo left",
            "perl -MPOSIX -e 'fork and exit; setsid(); fork and exit; close STDOUT; close STDERR; exec \"sleep\", \"@\"'; sleep 0.1; echo left",
            "trap '' TERM HUP INT; (trap '' TERM HUP INT; exec sleep @) & echo left",
        ]
        .iter()
        .enumerate()
        {
            let word = format!("{}.{}{index}", 31 + u32::from(narrow), std::process::id());
            let ended = world.shell(&line.replace('@', &word));
            assert!(String::from_utf8_lossy(&ended.stdout).ends_with("left\n"), "{ended:?}");
            assert!(!runs(&word), "{narrow} {line}");
        }
    }
}

#[test]
fn time_is_limited() {
    for narrow in kinds() {
        for (index, line) in [
            "echo begun; sleep @",
            "echo begun; trap '' TERM HUP INT; while :; do sleep @; done",
            "echo begun; exec >/dev/null 2>&1; sleep @",
            "echo begun; setsid sleep @ || sleep @",
            "echo begun; kill -STOP $$; sleep @",
            "echo begun; while :; do :; done",
        ]
        .iter()
        .enumerate()
        {
            let mut world = World::new(narrow);
            world.policy.limits.time = Duration::from_millis(400);
            let word = format!("{}.{}{index}", 41 + u32::from(narrow), std::process::id());
            let ended = world.shell(&line.replace('@', &word));
            assert_eq!(ended.why, Some(Stopped::Time), "{narrow} {line}");
            assert_eq!(ended.code, None);
            assert_eq!(ended.stdout, b"begun\n", "{narrow} {line}");
            assert!(!runs(&word), "{narrow} {line}");
            assert!(!world.path("root/.gitmodules").exists());
        }
    }
}

#[test]
fn it_can_be_cancelled() {
    for narrow in kinds() {
        let world = World::new(narrow);
        let asked = Cell::new(0);
        let is_cancelled = || {
            asked.set(asked.get() + 1);
            asked.get() > 5
        };
        let argv = ["/bin/sleep", "60"].map(str::to_owned);
        let start = Instant::now();
        let (policy, environment) = (&world.policy, world.environment());
        let program =
            Program { argv: &argv, stdin: b"", environment: &environment, folder: &policy.root };
        let ended = run(&world.helper, policy, &program, &is_cancelled);
        assert_eq!(ended.unwrap().why, Some(Stopped::Cancelled));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn output_is_capped() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        world.policy.limits.output_bytes = 100_000;
        let ended = world.shell("head -c 1000000000 /dev/zero");
        assert_eq!(ended.why, Some(Stopped::Output), "{narrow}");
        assert_eq!((ended.stdout.len(), ended.cut), (100_000, true));
        let ended = world.shell("head -c 300000 /dev/zero; echo end >&2; exit 3");
        assert_eq!((ended.code, ended.stdout.len(), ended.cut), (Some(3), 100_000, true));
        assert_eq!(ended.stderr, b"end\n");
        let ended = world.shell("yes x >&2 & yes y");
        assert_eq!(ended.why, Some(Stopped::Output), "{narrow}");
    }
}

#[test]
fn memory_is_limited() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        world.policy.limits.memory_bytes = 150 * 1024 * 1024;
        let one = "perl -e '$x = \"a\" x 400_000_000; print \"had it\"'";
        let ended = world.shell(one);
        assert!(ended.stdout.is_empty() && ended.code != Some(0), "{narrow} {ended:?}");
        let many = "for i in 1 2 3 4; do perl -e '$x = \"a\" x 60_000_000; sleep 20' & done; wait";
        let ended = world.shell(many);
        assert_eq!(ended.why, Some(Stopped::Memory), "{narrow} {ended:?}");
        let few = "for i in 1 2 3 4; do perl -e '$x = \"a\" x 10_000_000; sleep 0.2' & done; wait";
        assert_eq!(world.shell(few).code, Some(0), "{narrow}");
    }
}

/// Each bomb goes out by itself, so that a sandbox that fails costs the machine little: at most a
/// few hundred processes, for a few seconds.
#[test]
fn fork_bombs_end() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        world.policy.limits.processes = 40;
        world.policy.limits.time = Duration::from_secs(3);
        let word = format!("fork-{}-{narrow}", std::process::id());
        for line in [
            "perl -e 'for (1..8) { fork } sleep 6' @",
            "perl -e 'for (1..8) { setpgrp; fork } sleep 6' @",
            "perl -MPOSIX -e 'for (1..8) { setsid(); fork } sleep 6' @ & sleep 6",
            "python3 -c 'import threading, time\nfor i in range(200): threading.Thread(target=time.sleep, args=(6,)).start()' @ || sleep 6",
            "perl -e 'for (1..200) { fork or do { sleep 6; exit } } sleep 6' @",
        ] {
            let ended = world.shell(&line.replace('@', &word));
            assert!(ended.why.is_some(), "{narrow} {line} {ended:?}");
            assert!(!runs(&word), "{narrow} {line}");
        }
    }
}

#[test]
fn files_are_limited() {
    for narrow in kinds() {
        let mut world = World::new(narrow);
        world.policy.limits.file_bytes = 1_000_000;
        let ended = world.shell("head -c 5000000 /dev/zero > docs/big; stat -c %s docs/big");
        assert_eq!(ended.stdout, b"1000000\n", "{narrow} {ended:?}");
    }
}

#[test]
fn input_and_signals_and_errors() {
    for narrow in kinds() {
        let world = World::new(narrow);
        let long = vec![b'x'; 3_000_000];
        let ended = world.argv(&["wc", "-c"], &long).unwrap();
        assert_eq!(ended.stdout, b"3000000\n", "{ended:?}");
        assert_eq!(world.argv(&["true"], &long).unwrap().code, Some(0));
        assert_eq!(world.argv(&["cat"], b"").unwrap().stdout, b"");
        assert_eq!(world.shell("kill -9 $$").signal, Some(9));
        assert_eq!(world.shell("kill -TERM $$").signal, Some(15));
        let none = world.argv(&["no-such-program"], b"");
        assert!(matches!(none, Err(SandboxError::Missing(_))), "{none:?}");
        let text = world.argv(&["./README.md"], b"");
        assert!(matches!(text, Err(SandboxError::Start { .. })), "{text:?}");
        assert!(matches!(world.argv(&[], b""), Err(SandboxError::Empty)));
        // What the helper prepared is put away whichever way it ends.
        assert!(!world.path("root/.gitmodules").exists());
    }
}

#[test]
fn several_at_once_protect_each_other() {
    for narrow in kinds() {
        let world = World::new(narrow);
        let missing = world.path("root/.elophanto/permissions.yaml");
        std::thread::scope(|scope| {
            for index in 0..6 {
                let (world, missing) = (&world, &missing);
                scope.spawn(move || {
                    for _ in 0..8 {
                        let pause = f64::from(index) * 0.01;
                        let line = format!("sleep {pause}; cp README.md .elophanto/permissions.yaml; rmdir .elophanto/permissions.yaml; mkdir .gitmodules/x; echo x > .gitmodules");
                        let ended = world.shell(&line);
                        assert_ne!(ended.code, Some(0), "{ended:?}");
                        assert!(!missing.is_file() && !missing.join("README.md").exists());
                    }
                });
            }
        });
        assert!(!missing.exists() && !world.path("root/.gitmodules").exists());
    }
}

#[test]
fn what_a_crash_left_behind_is_cleared_away() {
    use std::os::unix::fs::DirBuilderExt;
    if !has_full() {
        return;
    }
    let world = World::new(false);
    let missing = world.path("root/.elophanto/permissions.yaml");
    std::fs::DirBuilder::new().mode(0o511).create(&missing).unwrap();
    assert_eq!(world.shell("echo x > .elophanto/permissions.yaml/y; echo ok").stdout, b"ok\n");
    assert!(!missing.exists());
}

/// Not a test of its own: what the next one kills in the middle.
#[test]
#[ignore = "is run by another test"]
fn caller_that_is_killed() {
    let folder = std::fs::read_to_string("/proc/self/cmdline").unwrap();
    let word = folder.split('\0').find_map(|part| part.strip_prefix("word=")).unwrap().to_owned();
    let narrow = word.starts_with("51");
    let world = World::new(narrow);
    std::fs::write(format!("/var/tmp/fence-{word}"), world.base.to_str().unwrap()).unwrap();
    let _ = world.shell(&format!("setsid sleep {word} & sleep {word}"));
}

#[test]
fn nothing_outlives_the_caller() {
    for narrow in kinds() {
        let word = format!("{}.{}", if narrow { 51 } else { 50 }, std::process::id());
        let note = format!("/var/tmp/fence-{word}");
        let mut caller = std::process::Command::new("/proc/self/exe")
            .args(["--ignored", "fence::ends::caller_that_is_killed"])
            .arg("--skip")
            .arg(format!("word={word}"))
            .arg(format!("word={word}"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let patience = Instant::now() + Duration::from_secs(60);
        let sleeper = format!("sleep\0{word}\0");
        while !runs(&sleeper) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(runs(&sleeper), "{narrow}");
        let base = std::path::PathBuf::from(std::fs::read_to_string(&note).unwrap());
        caller.kill().unwrap();
        caller.wait().unwrap();
        while runs(&sleeper) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!runs(&sleeper), "{narrow}");
        std::thread::sleep(Duration::from_millis(200));
        assert!(!base.join("root/.gitmodules").exists(), "{narrow}");
        std::fs::remove_dir_all(base).unwrap();
        std::fs::remove_file(note).unwrap();
    }
}

/// A helper may be started long before there is a program to run.
#[test]
fn a_helper_waits_for_its_request_and_no_longer() {
    for narrow in kinds() {
        let world = World::new(narrow);
        let standby = world.helper.start().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        // What is protected by then counts.
        std::fs::create_dir(world.policy.root.join(".githooks")).unwrap();
        let policy =
            Policy { protected: vec![world.policy.root.join(".githooks")], ..world.policy.clone() };
        let line = ["sh", "-c", "cat; touch .githooks/x || echo refused"].map(str::to_owned);
        let (environment, folder) = (&world.environment(), &*world.policy.root);
        let program = Program { argv: &line, stdin: b"input\n", environment, folder };
        let ended = standby.run(&policy, &program, &|| false).unwrap();
        assert_eq!(String::from_utf8_lossy(&ended.stdout), "input\nrefused\n", "{narrow}");

        // Of whatever program: one that does not end by itself.
        let word = format!("{}.{}", 71 + u32::from(narrow), std::process::id());
        let helper = Helper { argv: vec!["sleep".to_owned(), word.clone()], narrow };
        let mut standby = helper.start().unwrap();
        assert!(standby.is_waiting() && runs(&word));
        drop(standby);
        assert!(!runs(&word));
        let mut standby = Helper { argv: vec!["true".to_owned()], narrow }.start().unwrap();
        while standby.is_waiting() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
