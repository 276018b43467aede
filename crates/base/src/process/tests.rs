use std::time::Duration;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn path() -> Environment {
    Environment::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())])
}

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

/// `expected`: exit code, stdout, stderr.
#[track_caller]
fn check(script: &str, stdin: &[u8], expected: (i32, &str, &str)) {
    let found = run(&shell(script), stdin, &path(), PATIENCE, 1_000).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&found.stdout), text(&found.stderr));
    assert_eq!((found.code, &*out, &*err), (Some(expected.0), expected.1, expected.2));
    assert_eq!((found.is_success(), found.cut), (expected.0 == 0, false));
}

#[test]
fn programs_read_say_and_end() {
    check("cat; echo b >&2; exit 3", b"a", (3, "a", "b\n"));
    check("true", &vec![b'x'; 1 << 20], (0, "", ""));
    check("head -c 1; echo", &vec![b'x'; 1 << 20], (0, "x\n", ""));
    check("cat | wc -c | tr -d ' '", &vec![b'x'; 1 << 20], (0, "1048576\n", ""));
}

#[test]
fn nothing_is_inherited() {
    let mut environment = path();
    environment.insert("GIVEN".to_owned(), "a b".to_owned());
    let output = run(&["env".to_owned()], b"", &environment, PATIENCE, 10_000).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "GIVEN=a b\nPATH=/usr/bin:/bin\n");
}

#[test]
fn arguments_are_not_read_by_a_shell() {
    let argv = ["printf", "%s|", "$HOME", "a b", "; ls", "*"].map(str::to_owned);
    let output = run(&argv, b"", &path(), PATIENCE, 100).unwrap();
    assert_eq!(output.stdout, b"$HOME|a b|; ls|*|");
}

#[test]
fn output_is_capped_and_the_rest_read() {
    let output = run(&shell("yes | head -c 1000000; echo end >&2"), b"", &path(), PATIENCE, 10);
    let output = output.unwrap();
    assert_eq!((output.stdout.len(), output.stderr.len(), output.cut), (10, 4, true));
    assert!(output.is_success());
    let output = run(&shell("printf 1234567890"), b"", &path(), PATIENCE, 10).unwrap();
    assert!(!output.cut);
}

#[test]
fn signals_are_told() {
    let output = run(&shell("kill -s KILL $$"), b"", &path(), PATIENCE, 10).unwrap();
    assert_eq!((output.code, output.signal, output.is_success()), (None, Some(9), false));
}

#[test]
fn what_cannot_be_run_is_told() {
    let check = |argv: &[&str], expected: &str| {
        let argv: Vec<String> = argv.iter().map(ToString::to_string).collect();
        let error = run(&argv, b"", &path(), PATIENCE, 10).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("private"));
    };
    check(&[], "the command is empty");
    check(&["", "private"], "the command is empty");
    check(&["no-such-program", "private"], "there is no program `no-such-program`");
    check(&["/no/such", "private"], "there is no program `/no/such`");
    check(&["/", "private"], "`/` cannot be run");
    check(&["true", "private\0"], "`true` cannot be run");
    check(&["true", &"private".repeat(20_000)], "too long arguments");
}

/// Whether a process that has not been waited for is still at work.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}

#[test]
#[cfg(target_os = "linux")]
fn who_is_too_slow_is_ended_with_all_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let (file, ready) = (folder.path().join("pids"), Duration::from_secs(2));
    // One that does not listen, one in the background, and one that has let go of the output.
    for script in [
        "trap '' TERM; echo $$ >FILE; sleep 600 & echo $! >>FILE; wait; sleep 600",
        "sleep 600 & echo $! >FILE",
        "exec >&- 2>&-; echo $$ >FILE; exec sleep 600",
    ] {
        let script = script.replace("FILE", &file.display().to_string());
        let error = run(&shell(&script), b"", &path(), ready, 10).unwrap_err();
        assert!(matches!(error, ProcessError::TooSlow { .. }), "{error}");
        assert_eq!(error.to_string(), "`sh` did not end within 2 s");
        let pids = std::fs::read_to_string(&file).unwrap();
        assert!(!pids.is_empty());
        std::fs::remove_file(&file).unwrap();
        for pid in pids.lines() {
            // The kernel may take a moment.
            let gone = (0..200).any(|_| {
                std::thread::sleep(Duration::from_millis(5));
                !is_alive(pid)
            });
            assert!(gone, "{pid} is alive after {script}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_programs_that_led_here_are_told() {
    let all: Vec<_> = callers().collect();
    assert!(!all.is_empty() && all.iter().all(|words| !words[0].is_empty()), "{all:?}");
}

#[test]
fn a_log_begins_anew_and_no_pipe_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let [log, pipe] = ["log", "pipe"].map(|name| folder.path().join(name));
    let started =
        |log: &Path| detach(&shell("echo now"), log.parent().unwrap(), Stdio::null(), Some(log));
    std::fs::write(&log, "what was said before").unwrap();
    let mut program = started(&log).unwrap();
    while !program.has_ended() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "now\n");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (done, seen) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(started(&pipe).is_err()));
    assert_eq!(seen.recv_timeout(PATIENCE), Ok(true));
}
