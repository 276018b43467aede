//! What goes on by itself once text from outside is in the conversation, and what does not.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Bench, Running};
use crate::fake::script::{Model, Turn, call, shell, text};

/// A run that has read a file before it does anything else. `make.sh` is a program whose line does
/// not say what it changes.
fn bench(turns: Vec<Turn>, script: &str) -> Bench {
    let read = call("file_read", json!({ "path": "README.md" }));
    let turns = [read].into_iter().chain(turns).chain([text("Done.")]).collect();
    let bench = Bench::with(Model::script(turns), &[("README.md", "# Otters\n\nThey swim.\n")]);
    bench.env.write(".github/workflows/ci.yml", "on: push\n");
    bench.env.write("tools/.mcp.json", "{}\n");
    bench.env.write("make.sh", script);
    bench.env.git(&["add", "-A"]);
    bench.env.git(&["commit", "-qm", "What others go by"]);
    bench
}

fn write(path: &str) -> Turn {
    call("file_write", json!({ "path": path, "text": "x\n" }))
}

#[test]
fn full_goes_on_with_nobody_there_and_is_taken_back() {
    let bench = bench(
        vec![
            write("docs/new.md"),
            call(
                "file_edit",
                json!({ "path": "README.md",
            "edits": [{ "old": "swim", "new": "float" }] }),
            ),
            shell("sh make.sh"),
            call("git_commit", json!({ "message": "Otters float", "paths": ["README.md"] })),
            call("web_fetch", json!({ "url": "http://127.0.0.1:9/" })),
            write("../outside.md"),
        ],
        "echo built > built.txt; rm tools/.mcp.json; echo x >> .github/workflows/ci.yml\n",
    );
    let (before, head) = (bench.env.files(), bench.env.git(&["rev-parse", "HEAD"]));
    let mut command = bench.env.command(&["agent", "run", "write about otters", "--mode", "full"]);
    let told = command.stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(bench.env.path("docs/new.md").exists(), "{told}");
    assert!(!bench.env.outside().join("outside.md").exists());
    assert!(told.contains("nobody is there"), "{told}");
    assert_eq!(bench.env.read("built.txt"), b"built\n");
    // The command did not say that it changes them.
    assert_eq!(bench.env.read("tools/.mcp.json"), b"{}\n");
    assert_eq!(bench.env.read(".github/workflows/ci.yml"), b"on: push\n");
    bench.env.ok(&["agent", "undo"]);
    assert_eq!(bench.env.git(&["rev-parse", "HEAD"]), head);
    let of_user = |files: Vec<(PathBuf, Vec<u8>)>| -> Vec<(PathBuf, Vec<u8>)> {
        let own =
            |path: &Path| path.starts_with("knowledge/learned") || path.starts_with(".elophanto");
        files.into_iter().filter(|(path, _)| !own(path)).collect()
    };
    assert!(of_user(bench.env.files()) == of_user(before), "{told}");
}

#[test]
fn what_would_steer_other_programs_is_put_aside() {
    let script = "mkdir -p .vscode sub c\necho run > .vscode/tasks.json\necho x > sub/.mcp.json\n\
                  chmod 100 .vscode\necho evil > c/config.toml\nln -s c .cargo\n\
                  echo more >> .elophanto/memory/repo/old.jsonl\necho y > CLAUDE.md\n\
                  echo fine > fine.txt\nmv .github gone\nmv tools/.mcp.json away.json\n";
    let bench = bench(vec![shell("sh make.sh")], script);
    bench.env.write(".elophanto/memory/repo/old.jsonl", "");
    // What a link of the user's leads to is held in its place, and nothing beside it.
    bench.env.write("docs/agents.md", "Be kind.\n");
    std::os::unix::fs::symlink("docs/agents.md", bench.env.path("CLAUDE.md")).unwrap();
    bench.env.git(&["add", "-A"]);
    bench.env.git(&["commit", "-qm", "More"]);
    let told = bench.run("Go", &["--mode", "full"], "no");
    assert_eq!(told.ran(), ["file_read", "shell_execute"], "{}", told.output);
    assert_eq!(bench.env.read("fine.txt"), b"fine\n");
    assert_eq!(bench.env.read("docs/agents.md"), b"Be kind.\n");
    assert_eq!(bench.env.read(".elophanto/memory/repo/old.jsonl"), b"");
    assert!(!bench.env.path(".cargo").is_symlink(), "{}", told.output);
    for path in [".vscode/tasks.json", "sub/.mcp.json"] {
        assert!(!bench.env.path(path).exists(), "{path} {}", told.output);
        assert!(told.output.stdout().contains(path), "{path} {}", told.output);
    }
    assert_eq!(bench.env.read(".github/workflows/ci.yml"), b"on: push\n");
    assert_eq!(bench.env.read("tools/.mcp.json"), b"{}\n");
    // Nothing is deleted.
    let aside = bench.env.path(".git/elophanto/aside");
    let kept = walkdir::WalkDir::new(aside).into_iter().filter_map(Result::ok);
    let kept: Vec<Vec<u8>> = kept.filter_map(|entry| fs::read(entry.path()).ok()).collect();
    assert!(kept.contains(&b"run\n".to_vec()) && kept.contains(&b"x\n".to_vec()));
}

#[test]
fn what_no_undo_brings_back_asks() {
    let told = removes(&["data", "target"]);
    assert_eq!(told.ran(), ["file_read"], "{}", told.output);
    let asked = told.all("approval_request");
    assert_eq!(asked.len(), 1, "{}", told.output);
    let reasons = asked[0]["reasons"].to_string();
    assert!(reasons.contains("`data`") && !reasons.contains("`target`"), "{reasons}");
    let told = removes(&["target"]);
    assert_eq!(told.ran(), ["file_read", "shell_execute"], "{}", told.output);
}

/// A run that removes these folders, which hold more than a checkpoint covers.
fn removes(folders: &[&str]) -> super::Told {
    let script = format!("rm -rf {}\n", folders.join(" "));
    let bench = bench(vec![shell("sh make.sh")], &script);
    bench.env.write(".gitignore", "data\ntarget\n");
    bench.env.git(&["add", ".gitignore"]);
    bench.env.git(&["commit", "-qm", "Ignore"]);
    for folder in folders {
        let folder = bench.env.path(folder);
        fs::create_dir(&folder).unwrap();
        // More bytes than are kept of what is ignored, without any on disk.
        for number in 0..9 {
            let file = fs::File::create(folder.join(number.to_string())).unwrap();
            file.set_len(60 << 20).unwrap();
        }
    }
    bench.run("Go", &["--mode", "full"], "no")
}

#[test]
fn a_tool_that_no_undo_follows_asks() {
    let bench = bench(
        vec![
            call("file_delete", json!({ "path": "large.bin" })),
            write(".elophanto/memory/repo/new.jsonl"),
            call("file_move", json!({ "from": "linked", "to": ".cargo" })),
            call(
                "file_edit",
                json!({ "path": "docs/agents.md",
                "edits": [{ "old": "kind", "new": "evil" }] }),
            ),
        ],
        "",
    );
    let large = fs::File::create(bench.env.path("large.bin")).unwrap();
    large.set_len(64 * 1024 * 1024 + 1).unwrap();
    std::os::unix::fs::symlink("docs", bench.env.path("linked")).unwrap();
    bench.env.write("docs/agents.md", "Be kind.\n");
    std::os::unix::fs::symlink("docs/agents.md", bench.env.path("CLAUDE.md")).unwrap();
    let told = bench.run("Go", &["--mode", "full"], "no");
    let asked = ["file_delete", "file_write", "file_move", "file_edit"];
    assert_eq!(told.asked(), asked, "{}", told.output);
    assert_eq!(told.ran(), ["file_read"], "{}", told.output);
    assert!(bench.env.path("large.bin").exists());
}

#[test]
fn edits_are_approved_for_a_session() {
    let bench = bench(
        vec![
            write("a.md"),
            write("b.md"),
            call("file_delete", json!({ "path": "a.md" })),
            write(".github/workflows/more.yml"),
            shell("touch c.md"),
        ],
        "",
    );
    let told = bench.run_with("Go", &["--mode", "smart"], |request| {
        Some(if request["can_be_edits"] == true { "edits" } else { "no" }.to_owned())
    });
    assert_eq!(told.asked(), ["file_write", "file_write", "shell_execute"], "{}", told.output);
    let made = ["file_read", "file_write", "file_write", "file_delete"];
    assert_eq!(told.ran(), made, "{}", told.output);
    assert!(bench.env.path("b.md").exists() && !bench.env.path("a.md").exists());
}

#[test]
fn what_git_goes_by_is_held() {
    let script = "echo 'touch ../ran' > tools/hook.sh\necho '[core]' > git.inc\n\
                  echo 'touch ../ran' >> tools/lint.sh\necho '[core] fsmonitor = x' >> settings\n\
                  rm more.inc; echo '[core]' > more.inc\nmv tools gone\nmkdir -p late\n\
                  echo '[core]' > late/new.inc\necho x >> copy.sh\nrm CLAUDE.md; echo x > CLAUDE.md\n\
                  echo fine > fine.txt\necho more >> outside.txt\n";
    let edit = json!({ "path": "tools/lint.sh", "edits": [{ "old": "lint", "new": "evil" }] });
    let away = json!({ "from": "tools", "to": "elsewhere" });
    let bench =
        bench(vec![shell("sh make.sh"), call("file_edit", edit), call("file_move", away)], script);
    let env = &bench.env;
    for name in ["hook", "lint"] {
        env.write(format!("tools/{name}.sh"), "echo lint\n");
    }
    let link = std::os::unix::fs::symlink::<&str, PathBuf>;
    env.write("git.inc", "[alias]\n");
    env.write("plain.inc", "[alias]\n");
    link("plain.inc", env.path("more.inc")).unwrap();
    env.write("docs/agents.md", "Be kind.\n");
    link("docs/agents.md", env.path("CLAUDE.md")).unwrap();
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "Tools"]);
    for path in ["../git.inc", "../more.inc", "../late/new.inc"] {
        env.git(&["config", "--add", "include.path", path]);
    }
    let hooks = env.path(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    link("../../tools/hook.sh", hooks.join("pre-push")).unwrap();
    let hook = "#!/bin/sh\nexec \"$ROOT/tools/lint.sh\" \"$1\"\n";
    fs::write(hooks.join("commit-msg"), hook).unwrap();
    // The same files by other names, one of them that of git's own settings.
    fs::hard_link(env.path(".git/config"), env.path("settings")).unwrap();
    fs::hard_link(env.path("tools/lint.sh"), env.path("copy.sh")).unwrap();
    let outside = env.outside().join("outside.txt");
    fs::write(&outside, "mine\n").unwrap();
    fs::hard_link(&outside, env.path("outside.txt")).unwrap();
    let settings = env.read(".git/config");
    let told = bench.run("Go", &["--mode", "full"], "no");
    assert_eq!(told.ran(), ["file_read", "shell_execute"], "{}", told.output);
    assert_eq!(told.asked(), ["file_edit", "file_move"], "{}", told.output);
    let reasons = told.all("approval_request")[0]["reasons"].to_string();
    assert!(reasons.contains("hooks/commit-msg"), "{reasons}");
    assert_eq!(env.read("fine.txt"), b"fine\n");
    for path in ["tools/hook.sh", "tools/lint.sh", "copy.sh"] {
        assert_eq!(env.read(path), b"echo lint\n", "{path} {}", told.output);
    }
    assert_eq!(env.read("git.inc"), b"[alias]\n");
    // A link that was replaced is one again.
    for (path, to) in [("more.inc", "plain.inc"), ("CLAUDE.md", "docs/agents.md")] {
        assert_eq!(fs::read_link(env.path(path)).unwrap(), Path::new(to), "{}", told.output);
    }
    assert!(!env.path("late/new.inc").exists(), "{}", told.output);
    assert_eq!(env.read(".git/config"), settings);
    assert_eq!(fs::read(outside).unwrap(), b"mine\n");
    assert!(!env.outside().join("ran").exists());
}

#[test]
fn what_a_hook_names_is_held_before_it_is_there() {
    let bench = bench(
        vec![shell("sh make.sh"), write(".hooks.local")],
        "echo x > .hooks.local; echo x > a.md\n",
    );
    let hooks = bench.env.path(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let hook = "#!/bin/sh\n[ -f .hooks.local ] && . ./.hooks.local\nexit 0\n";
    fs::write(hooks.join("pre-commit"), hook).unwrap();
    let told = bench.run("Go", &["--mode", "full"], "no");
    assert_eq!(told.asked(), ["file_write"], "{}", told.output);
    let reasons = told.all("approval_request")[0]["reasons"].to_string();
    assert!(reasons.contains("hooks/pre-commit"), "{reasons}");
    assert!(!bench.env.path(".hooks.local").exists(), "{}", told.output);
    assert_eq!(bench.env.read("a.md"), b"x\n");
}

#[test]
fn what_git_runs_and_nobody_can_follow_asks() {
    for (key, value) in [
        ("core.fsmonitor", "sh tools/watch.sh"),
        ("filter.x.clean", "make -s clean-text"),
        ("diff.external", "$HOME/dotfiles/x"),
        ("core.pager", "python3 -m pager"),
    ] {
        let bench = bench(vec![shell("sh make.sh"), write("a.md")], "echo x > x.txt\n");
        bench.env.git(&["config", key, value]);
        let told = bench.run("Go", &["--mode", "full"], "no");
        assert_eq!(told.ran(), ["file_read"], "{}", told.output);
        assert_eq!(told.asked(), ["shell_execute", "file_write"], "{}", told.output);
        let reasons = told.all("approval_request")[0]["reasons"].to_string();
        assert!(reasons.contains(key) && !reasons.contains(value), "{reasons}");
    }
    // What is of the system and is handed nothing of the work tree does not.
    let bench = bench(vec![shell("sh make.sh")], "echo x > x.txt\n");
    bench.env.git(&["config", "core.pager", "less -R"]);
    bench.env.git(&["config", "credential.helper", "store"]);
    let told = bench.run("Go", &["--mode", "full"], "no");
    assert_eq!(told.ran(), ["file_read", "shell_execute"], "{}", told.output);
}

/// Who approves what git runs approves just that and is not asked again, in no later run either; what
/// it names is held all the same.
#[test]
fn what_git_runs_is_approved_once() {
    let script = "echo evil > tools/page.sh\necho fine > fine.txt\n";
    let read = || call("file_read", json!({ "path": "README.md" }));
    let bench = bench(
        vec![
            write("a.md"),
            shell("sh make.sh"),
            text("Done."),
            read(),
            write("b.md"),
            text("Done."),
            read(),
            write("c.md"),
        ],
        script,
    );
    bench.env.write("tools/page.sh", "less\n");
    bench.env.git(&["config", "core.pager", "sh tools/page.sh"]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    assert_eq!(told.asked(), ["file_write"], "{}", told.output);
    assert_eq!(told.ran(), ["file_read", "file_write", "shell_execute"], "{}", told.output);
    assert_eq!(bench.env.read("fine.txt"), b"fine\n");
    assert_eq!(bench.env.read("tools/page.sh"), b"less\n", "{}", told.output);
    let told = bench.run("Go", &["--mode", "full"], "no");
    assert_eq!(told.ran(), ["file_read", "file_write"], "{}", told.output);
    bench.env.git(&["config", "core.pager", "sh tools/page.sh -x"]);
    let told = bench.run("Go", &["--mode", "full"], "no");
    assert_eq!(told.asked(), ["file_write"], "{}", told.output);
    assert!(!bench.env.path("c.md").exists());
}

/// A folder of the work tree in which programs are looked for is none where git is looked for, and no
/// command puts anything into it.
#[test]
fn no_git_of_the_work_tree_is_run() {
    let script =
        "printf 'x' > bin/less\nmkdir -p late\nprintf 'x' > late/git\necho fine > fine.txt\n";
    let bench = bench(vec![shell("sh make.sh"), call("git_status", json!({}))], script);
    let planted = "#!/bin/sh\ntouch ../ran ran\n";
    bench.env.write("bin/git", planted);
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(bench.env.path("bin/git"), rights).unwrap();
    let mut command = bench.command("Go", &["--mode", "full"]);
    let folders = ["bin", "late"].map(|name| bench.env.path(name).display().to_string());
    command.env("PATH", format!("{}:/usr/bin:/bin", folders.join(":")));
    let told = super::drive(&mut command, |_| Some("once".to_owned()));
    assert_eq!(told.ran(), ["file_read", "shell_execute", "git_status"], "{}", told.output);
    assert!(!bench.env.outside().join("ran").exists() && !bench.env.path("ran").exists());
    assert_eq!(bench.env.read("fine.txt"), b"fine\n");
    assert!(!bench.env.path("bin/less").exists(), "{}", told.output);
    assert!(!bench.env.path("late/git").exists(), "{}", told.output);
}

#[test]
fn what_a_killed_run_left_is_put_aside_by_whoever_comes_next() {
    let script = "mkdir .vscode\necho run > .vscode/tasks.json\necho x > ready\nsleep 60\n";
    let bench = bench(vec![shell("sh make.sh")], script);
    let running = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    let begun = Instant::now();
    while !bench.env.path("ready").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the command never ran");
        thread::sleep(Duration::from_millis(20));
    }
    running.signal(libc::SIGKILL);
    running.finish(|_| None);
    // What the sandbox does is over once it sees that nobody waits for it.
    thread::sleep(Duration::from_secs(1));
    assert!(bench.env.path(".vscode/tasks.json").exists());
    let told = bench.env.run(&["search", "otters"]);
    assert!(!bench.env.path(".vscode/tasks.json").exists(), "{told}");
    assert!(told.stderr().contains("a run was killed before"), "{told}");
    assert!(told.stderr().contains("`.vscode/tasks.json` would steer"), "{told}");
    assert_eq!(bench.env.read("tools/.mcp.json"), b"{}\n");
    assert_eq!(bench.env.read("ready"), b"x\n");
    assert!(!bench.env.run(&["search", "otters"]).stderr().contains("killed"));
}

/// A note that shares a word with the goal by chance is no text from outside that a run begins with; one
/// that answers is.
#[test]
fn notes_near_by_chance_are_not_gathered() {
    let note = "# Lunch\n\nThe kitchen is open from noon to two, and the cook leaves at three.\n";
    for (goal, is_told) in
        [("Open the settings of the server", false), ("When is the kitchen open?", true)]
    {
        let bench = Bench::with(Model::script(vec![text("Yes.")]), &[("README.md", note)]);
        let told = bench.run(goal, &["--mode", "full"], "no");
        assert_eq!(told.all("tainted").len(), usize::from(is_told), "{}", told.output);
        assert_eq!(bench.model.prompts()[0].contains("from noon to two"), is_told, "{goal}");
    }
}

/// What an older lesson says comes with the answer to a new one that says otherwise.
#[test]
fn a_lesson_that_shows_another_taints() {
    let lesson = |port: u16| {
        let lesson = format!("The staging API listens on port {port}");
        call("memory_remember", json!({ "type": "pattern", "context": "API", "lesson": lesson }))
    };
    for (ports, is_told) in [(&[8080][..], false), (&[8080, 9090], true)] {
        let turns = ports.iter().map(|port| lesson(*port)).chain([text("Done.")]).collect();
        let told = Bench::new(Model::script(turns)).run("note the port", &[], "once");
        assert_eq!(told.done().ran().len(), ports.len(), "{}", told.output);
        assert_eq!(told.all("tainted").len(), usize::from(is_told), "{}", told.output);
    }
}
