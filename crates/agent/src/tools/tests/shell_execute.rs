use serde_json::json;

use super::*;
use crate::{permissions::Action, sandbox::Attend};

fn ends(outcome: ShellOutcome) -> ShellExecute {
    ShellExecute::new(Box::new(move |_, _| Ok(outcome.clone())), Arc::new(|_| false))
}

#[test]
fn outcomes() {
    let mut tried = Try::new(&[("sub/a", "x")]);
    let outcome = |code| ShellOutcome { code, ..ShellOutcome::default() };
    let arguments = json!({ "command": "x" });
    let good = ShellOutcome {
        stdout: b"out\xff\n".to_vec(),
        stderr: b"err".to_vec(),
        stderr_missing: 7,
        ..outcome(Some(0))
    };
    assert_eq!(
        tried.good(&ends(good), arguments.clone()),
        "exit code 0\n--- stdout\nout\\xff\n--- stderr\nerr\n[7 bytes of stderr were not kept]\n"
    );
    for (outcome, words) in [
        (outcome(Some(3)), "exit code 3\n"),
        (outcome(None), "ended by a signal\n"),
        (ShellOutcome { timed_out: true, ..outcome(None) }, "stopped after 30 s"),
        (ShellOutcome { note: Some("too much".into()), ..outcome(None) }, "too much\n"),
    ] {
        let output = tried.call(&ends(outcome), arguments.clone()).unwrap();
        assert!(output.failed && output.text.contains(words), "{}", output.text);
    }
    let stopped = ShellOutcome { cancelled: true, ..outcome(None) };
    tried.refused(&ends(stopped), arguments.clone(), "cancelled");
    let broken =
        ShellExecute::new(Box::new(|_, _| Err("no fence here".into())), Arc::new(|_| false));
    tried.refused(&broken, arguments, "no fence here");
}

#[test]
fn what_is_shown_is_what_runs() {
    let mut tried = Try::new(&[("sub/a", "x")]);
    let ran = Arc::new(std::sync::Mutex::new(None));
    let seen = ran.clone();
    let run = move |request: &ShellRequest, _: Attend<'_>| {
        *seen.lock().unwrap() = Some(request.clone());
        Ok(ShellOutcome { code: Some(0), ..ShellOutcome::default() })
    };
    let tool = ShellExecute::new(Box::new(run), Arc::new(|_| false));
    let line = "printf '%s' \"$HOME\"  # \u{202e}";
    let arguments = json!({ "command": line, "folder": "sub", "timeout_s": 5, "network": true });
    let intent = tried.intent(&tool, &arguments);
    let folder = tried.root().join("sub");
    assert_eq!(
        intent.shown,
        format!("in {}, with network, at most 5 s:\n{line}", folder.display())
    );
    assert_eq!(
        intent.action,
        Action::Shell { line: line.to_owned(), folder: folder.clone(), network: true }
    );
    tool.execute(&arguments, &mut tried).unwrap();
    let request = ran.lock().unwrap().take().unwrap();
    assert_eq!((request.line, request.folder), (line.to_owned(), folder.clone()));
    assert!(request.network && request.timeout == Duration::from_secs(5));
    // Elsewhere by now: it does not run.
    tried.intent(&tool, &arguments);
    fs::rename(&folder, tried.root().join("other")).unwrap();
    tried.link("other", "sub");
    assert!(tool.execute(&arguments, &mut tried).is_err());
    assert!(ran.lock().unwrap().is_none());
}

#[test]
fn what_it_says_is_told_as_it_says_it() {
    let mut tried = Try::new(&[]);
    let run = |_: &ShellRequest, attend: Attend<'_>| {
        let _ = attend(b"one\ntw", b"");
        let _ = attend(b"o\n", b"diff --git a/.env b/.env\n+K=v\n");
        Ok(ShellOutcome { code: Some(0), ..ShellOutcome::default() })
    };
    let tool = ShellExecute::new(Box::new(run), Arc::new(|path| path.ends_with(".env")));
    tried.call(&tool, json!({ "command": "x" })).unwrap();
    let left_out = "diff --git a/.env b/.env\n[left out: no tool reads this file]\n";
    assert_eq!(tried.said, ["one\n".to_owned(), format!("two\n{left_out}")]);
}

#[test]
fn long_output_is_cut_fairly() {
    let mut tried = Try::new(&[]);
    tried.max = 2_000;
    let both = ShellOutcome {
        code: Some(0),
        stdout: vec![b'o'; 1 << 20],
        stderr: vec![b'e'; 1 << 20],
        ..ShellOutcome::default()
    };
    let text = tried.good(&ends(both), json!({ "command": "x" }));
    let count = |letter: &str| text.matches(letter).count();
    assert!(count("oo") > 300 && count("ee") > 300, "{text}");
    assert_eq!(count("bytes left out"), 2);
    let one = ShellOutcome { stdout: vec![b'o'; 1_400], ..ShellOutcome::default() };
    let text = tried.call(&ends(one), json!({ "command": "x" })).unwrap().text;
    assert!(!text.contains("left out"));
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("a", "x")]);
    let tool = ends(ShellOutcome::default());
    for (arguments, words) in [
        (json!({}), "missing"),
        (json!({ "command": " " }), "empty"),
        (json!({ "command": "a\0b" }), "NUL"),
        (json!({ "command": "x".repeat(70_000) }), "over the limit"),
        (json!({ "command": "x", "folder": "a" }), "no folder"),
        (json!({ "command": "x", "folder": "none" }), "no folder"),
        (json!({ "command": "x", "timeout_s": 0 }), "from 1 to 3600"),
        (json!({ "command": ["x"] }), "is to be a string"),
    ] {
        tried.refused(&tool, arguments, words);
    }
    tried.cancelled.set(true);
    tried.refused(&tool, json!({ "command": "x" }), "cancelled");
}

/// Of a file that a line names no piece of a key is shown, live or at the end, nor of an output that
/// is cut in the midst of one; of a block that is no key, everything is.
#[test]
fn a_piece_of_a_key_is_masked() {
    for (label, is_secret) in [("PRIVATE KEY", true), ("CERTIFICATE", false)] {
        let (note, key) = note_with_key(label);
        let mut tried = Try::new(&[("docs/a.md", &*note)]);
        let piece = format!("{}\n{}\n", key[1], key[2]);
        for line in ["sed -n 6,7p docs/a.md", "cat <docs/a.md|tail -3", "git show 'HEAD:docs/a.md'"]
        {
            let bytes = piece.clone().into_bytes();
            let run = move |_: &ShellRequest, attend: Attend<'_>| {
                let _ = attend(&bytes, b"");
                Ok(ShellOutcome { code: Some(0), stdout: bytes.clone(), ..Default::default() })
            };
            let tool = ShellExecute::new(Box::new(run), Arc::new(|_| false));
            let shown = tried.good(&tool, json!({ "command": line }));
            for shown in [shown, tried.said.concat()] {
                assert_eq!(shown.contains(key[1]), !is_secret, "{line}: {shown}");
            }
            tried.said.clear();
        }
        // What is left of a long output ends in the second half of a key.
        let long = format!("{}{note}", "Otters hold hands.\n".repeat(400));
        let outcome =
            ShellOutcome { code: Some(0), stdout: long.into_bytes(), ..Default::default() };
        tried.max = 900;
        let shown = tried.good(&ends(outcome), json!({ "command": "make" }));
        assert!(shown.contains("left out") && shown.contains("All of it."), "{shown}");
        assert_eq!(shown.contains(key[3]), !is_secret, "{shown}");
    }
}
