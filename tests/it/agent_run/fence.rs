//! Programs in the sandbox, seen from the product.

use std::{fs, time::Duration};

use serde_json::json;

use super::Bench;
use crate::fake::script::{Model, Turn, call, shell, text};

fn bench(turns: Vec<Turn>) -> Bench {
    let turns = turns.into_iter().chain([text("Done.")]).collect();
    let bench = Bench::with(Model::script(turns), &[("a.txt", "a\n")]);
    bench.env.write(".env", "KEY=TOPSECRET\n");
    for path in [".ssh/id_ed25519", ".aws/credentials", "Documents/diary.txt"] {
        let path = bench.home(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "TOPSECRET\n").unwrap();
    }
    bench
}

/// Whether programs are shut in on this machine.
fn is_fenced() -> bool {
    let bench = bench(vec![shell("echo fine")]);
    let told = bench.run("Go", &["--mode", "full"], "no");
    told.asked().is_empty() && told.ran().len() == 1
}

#[test]
fn commands_stay_inside() {
    if !is_fenced() {
        return;
    }
    let bench = bench(vec![
        shell("echo in > inside.txt && cat inside.txt"),
        shell("python3 -c \"open('../out1','w')\"; echo x > $(echo ../out2)"),
        shell(
            "f=../home/.s''sh/id_ed25519; cat $f; cat $HOME/.aws/cred*; cat ~/Documents/diary.txt",
        ),
        shell("env; ps aux; cat /proc/1/environ"),
        // Where the line does not say what is read, only the sandbox knows.
        shell("d=$(printf '%s' hss. | rev); cat ~/$d/* $(printf '%s' vne. | rev)"),
    ]);
    let mut command = bench.command("Go", &["--mode", "full"]);
    command.env("MY_API_KEY", "TOPSECRET");
    let told = super::drive(&mut command, |_| Some("once".to_owned()));
    assert_eq!(told.ran().len(), 3, "{}", told.output);
    assert_eq!(bench.env.read("inside.txt"), b"in\n");
    assert!(
        !bench.env.outside().join("out1").exists() && !bench.env.outside().join("out2").exists()
    );
    assert!(!told.output.stdout().contains("TOPSECRET"), "{}", told.output);
}

/// What only reads is held to it, so there is nothing to take back.
#[test]
fn lines_that_only_read_cannot_write() {
    if !is_fenced() {
        return;
    }
    let looks = "test -w . && echo writable; test -w a.txt && echo writable; echo looked";
    let bench = bench(vec![
        shell(looks),
        shell("git status --porcelain && git log --format=%s && cat a.txt"),
        shell(&format!("touch b.txt; {looks}")),
    ]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    let stdout = |at: usize| told.results()[at].split("--- stdout\n").nth(1).unwrap().to_owned();
    assert_eq!(stdout(0), "looked\n", "{}", told.output);
    assert!(stdout(1).contains("First\n") && stdout(1).ends_with("First\na\n"), "{}", told.output);
    assert_eq!(stdout(2), "writable\nwritable\nlooked\n", "{}", told.output);
    assert_eq!(told.ended()["files"], json!(["b.txt"]), "{}", told.output);
}

#[test]
fn a_linked_work_tree_reads_its_repository_and_no_more() {
    if !is_fenced() {
        return;
    }
    let bench = bench(vec![
        shell("git log --format=%s && git status --porcelain"),
        shell(
            "d=$(git rev-parse --git-common-dir); echo evil > $d/config; echo evil > $d/../a.txt",
        ),
        call("file_write", json!({ "path": "b.txt", "text": "b\n" })),
        call("git_commit", json!({ "message": "Add b", "paths": ["b.txt"] })),
    ]);
    bench.env.git(&["worktree", "add", "--quiet", "../linked"]);
    let config = bench.env.read(".git/config");
    let linked = bench.env.outside().join("linked");
    let mut command = bench.command("Go", &["--mode", "full"]);
    let told = super::drive(command.current_dir(&linked), |_| Some("once".to_owned()));
    told.done();
    assert!(told.results()[0].contains("exit code 0\n--- stdout\nFirst"), "{}", told.output);
    assert_eq!((bench.env.read(".git/config"), bench.env.read("a.txt")), (config, b"a\n".to_vec()));
    assert!(linked.join("b.txt").exists());
    let mut undo = bench.env.command(&["agent", "undo"]);
    let undone = crate::env::finish(undo.current_dir(&linked));
    assert_eq!(undone.code, Some(0), "{undone}");
    assert!(!linked.join("b.txt").exists());
}

#[test]
fn commands_open_no_connection() {
    if !is_fenced() {
        return;
    }
    let open = "import socket\ntry:\n s=socket.create_connection(('127.0.0.1', PORT), 2); print('connected')\n\
                except OSError as e: print('refused', e)";
    let model = Model::start(json!({}), move |seen, number| {
        let host = seen.headers["host"].clone();
        let port = host.rsplit(':').next().unwrap().to_owned();
        match number {
            0 => shell(&format!("python3 -c \"{}\"", open.replace("PORT", &port))),
            1 => shell(&format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected")),
            2 => call("shell_execute", json!({ "command": "echo connected", "network": true })),
            _ => text("Done."),
        }
    });
    let bench = Bench::new(model);
    let told = bench.run("Go", &["--mode", "full"], "once");
    assert_eq!(told.ran().len(), 3, "{}", told.output);
    assert!(told.results().iter().all(|text| !text.contains("connected")), "{}", told.output);
    assert!(told.results()[2].contains("agent.network"), "{}", told.output);
}

#[test]
fn what_hangs_is_ended() {
    let bench = bench(vec![
        call("shell_execute", json!({ "command": "echo begun; sleep 100", "timeout_s": 1 })),
        shell("cat"),
    ]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert!(told.results()[0].contains("out of time"), "{}", told.output);
    assert!(told.results()[0].contains("begun"), "{}", told.output);
    // Standard input is empty, so nothing waits for it.
    assert!(told.results()[1].contains("exit code 0"), "{}", told.output);
}

#[test]
fn what_floods_is_cut() {
    let bench = bench(vec![shell("yes 0123456789 | head -c 100000000"), shell("yes")]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    assert_eq!(told.ran().len(), 2, "{}", told.output);
    assert!(told.output.stdout.len() < 1 << 20, "{} bytes", told.output.stdout.len());
    assert!(bench.model.prompts().iter().all(|prompt| prompt.len() < 200_000));
}

#[test]
fn daemons_are_gone_afterwards() {
    if !is_fenced() {
        return;
    }
    let daemon = "(setsid sh -c 'trap \"\" HUP TERM INT; while :; do echo x >> tick; sleep 0.05; done' \
                  > /dev/null 2>&1 &); sleep 0.4";
    let bench = bench(vec![shell(daemon), shell("wc -c < tick")]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    let size = || fs::metadata(bench.env.path("tick")).unwrap().len();
    let before = size();
    assert!(before > 0);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(size(), before);
}

#[test]
fn memory_is_limited() {
    if !is_fenced() {
        return;
    }
    let bench = bench(vec![shell("python3 -c \"x = 'a' * (1 << 30); print('had it')\"")])
        .set("agent.tool_memory: 209715200\n");
    let told = bench.run("Go", &["--mode", "full"], "once");
    assert!(told.results().iter().all(|text| !text.contains("had it")), "{}", told.output);
    assert_eq!(told.all("called")[0]["failed"], true, "{}", told.output);
}
