//! Paths and trees that are meant to lead tools astray.

use std::os::unix::ffi::OsStringExt;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::tools::contents::hash_of;

/// A call of each file tool with this path.
fn calls(path: &str) -> Vec<(Box<dyn Tool>, Value)> {
    let edits = json!([{ "old": "outside", "new": "x" }]);
    vec![
        (Box::new(FileRead::default()), json!({ "path": path })),
        (Box::new(FileList::default()), json!({ "path": path })),
        (Box::new(FileSearch::new(Arc::new(|_| false))), json!({ "pattern": "o", "path": path })),
        (Box::new(FileWrite::default()), json!({ "path": path, "text": "x" })),
        (
            Box::new(FileWrite::default()),
            json!({ "path": path, "text": "x", "expected": hash_of(b"outside\n") }),
        ),
        (Box::new(FileEdit::default()), json!({ "path": path, "edits": edits })),
        (Box::new(FileMove::default()), json!({ "from": path, "to": "moved" })),
        (Box::new(FileMove::default()), json!({ "from": "mine", "to": path })),
        (Box::new(FileDelete::default()), json!({ "path": path, "recursive": true })),
        (
            Box::new(ShellExecute::new(
                Box::new(|_, _| Ok(ShellOutcome { code: Some(0), ..Default::default() })),
                Arc::new(|_| false),
            )),
            json!({ "command": "true", "folder": path }),
        ),
    ]
}

#[test]
fn nothing_leads_out() {
    let mut tried = Try::new(&[("mine", "mine")]);
    let above = tried.root().parent().unwrap().to_owned();
    tried.link("..", "up");
    tried.link(above.join("outside.txt"), "file-link");
    tried.link("loop", "loop");
    tried.link("up/root/../outside.txt", "winding");
    let absolute = above.join("outside.txt");
    for path in [
        "../outside.txt",
        "up/outside.txt",
        "mine/../../outside.txt",
        "up/new",
        "up/new/deep",
        "/etc/passwd",
        "/",
        "..",
        "loop/x",
        "winding/x",
        "a\0b",
        ".git",
        ".git/config",
        ".GIT/hooks/pre-commit",
        "sub/.git/config",
        ".git./config",
        ".g\u{200c}it/config",
        "\\x2e\\x2e/outside.txt",
        "\\x2egit/config",
        absolute.to_str().unwrap(),
    ] {
        for (tool, arguments) in calls(path) {
            let said = tried.call(&*tool, arguments.clone());
            assert!(said.is_err(), "{} {arguments}: {said:?}", tool.spec().name);
        }
        tried.outside_is_untouched();
    }
    assert_eq!(tried.text("mine"), "mine");
    // A link at the end: followed nowhere but where it is the link itself that goes.
    for (tool, arguments) in calls("file-link").into_iter().take(6) {
        assert!(tried.call(&*tool, arguments).is_err());
    }
    tried.good(&FileMove::default(), json!({ "from": "file-link", "to": "renamed" }));
    tried.good(&FileDelete::default(), json!({ "path": "renamed" }));
    tried.good(&FileDelete::default(), json!({ "path": "up" }));
    tried.good(&FileDelete::default(), json!({ "path": "loop" }));
    tried.outside_is_untouched();
}

#[test]
fn no_pipe_and_no_device_is_opened() {
    let mut tried = Try::new(&[("mine", "x")]);
    let made = Command::new("mkfifo").arg(tried.root().join("pipe")).status().unwrap();
    assert!(made.success());
    tried.link("/dev/zero", "zero");
    for path in ["pipe", "zero"] {
        for (tool, arguments) in calls(path).into_iter().take(6) {
            let said = tried.call(&*tool, arguments.clone());
            assert!(said.is_err(), "{} {arguments}: {said:?}", tool.spec().name);
        }
    }
    // Nor by looking around, not even for what is ignored.
    tried.link("../pipe", "trap");
    fs::create_dir(tried.root().join("sub")).unwrap();
    tried.link("../pipe", "sub/.gitignore");
    let listed = tried.good(&FileList::default(), json!({}));
    assert!(listed.contains("pipe (no regular file)\n"), "{listed}");
    assert!(listed.contains("zero (link)\n"), "{listed}");
    tried.good(&FileSearch::new(Arc::new(|_| false)), json!({ "pattern": "x" }));
    tried.good(&FileDelete::default(), json!({ "path": "pipe" }));
}

#[test]
fn names_of_all_kinds() {
    let mut tried = Try::new(&[]);
    let long = "n".repeat(255);
    let names: Vec<Vec<u8>> = [
        &b"line\nfeed"[..],
        b"tab\tquote\"",
        b"-rf",
        b":(glob)*",
        b"\xff\xfe",
        b"back\\x41slash",
        "bidi\u{202e}".as_bytes(),
        long.as_bytes(),
    ]
    .iter()
    .map(|name| name.to_vec())
    .collect();
    for name in &names {
        fs::write(tried.root().join(std::ffi::OsString::from_vec(name.clone())), "text\n").unwrap();
    }
    let listed = tried.good(&FileList::default(), json!({}));
    assert_eq!(listed.lines().count(), names.len(), "{listed}");
    assert!(listed.contains("line\\x0afeed 5\n"), "{listed}");
    // As they are shown they can be named.
    for line in listed.lines() {
        let shown = line.strip_suffix(" 5").unwrap();
        let read = tried.good(&FileRead::default(), json!({ "path": shown }));
        assert!(read.ends_with("\n\ntext\n"), "{read}");
        let edits = json!([{ "old": "text", "new": "words" }]);
        tried.good(&FileEdit::default(), json!({ "path": shown, "edits": edits }));
    }
    for name in names {
        let path = tried.root().join(std::ffi::OsString::from_vec(name));
        assert_eq!(fs::read(&path).unwrap(), b"words\n");
    }
    let too_long = json!({ "path": "n".repeat(256), "text": "x" });
    assert!(tried.call(&FileWrite::default(), too_long).is_err());
}

#[test]
fn a_folder_swapped_for_a_link_between_intent_and_execute() {
    let mut tried = Try::new(&[]);
    let above = tried.root().parent().unwrap().to_owned();
    for number in 0..6 {
        let folder = format!("folder{number}");
        tried.write(&format!("{folder}/outside.txt"), "outside\n");
        let path = format!("{folder}/outside.txt");
        let Some((tool, arguments)) = calls(&path).into_iter().nth([0, 4, 5, 6, 8, 3][number])
        else {
            continue;
        };
        // The last writes a new file.
        let arguments = match number {
            5 => json!({ "path": format!("{folder}/new"), "text": "x" }),
            _ => arguments,
        };
        tried.intent(&*tool, &arguments);
        fs::remove_dir_all(tried.root().join(&folder)).unwrap();
        tried.link(&above, &folder);
        let said = tool.execute(&arguments, &mut tried);
        assert!(said.is_err(), "{arguments}: {said:?}");
        tried.outside_is_untouched();
    }
}

#[test]
fn a_folder_swapped_all_the_time() {
    let mut tried = Try::new(&[("real/file", "inside\n")]);
    let root = tried.root().to_owned();
    let above = root.parent().unwrap().to_owned();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    std::os::unix::fs::symlink(&above, root.join("other")).unwrap();
    let swapper = {
        let (root, stop) = (root.clone(), stop.clone());
        std::thread::spawn(move || {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for (from, to) in
                    [("real", "away"), ("other", "real"), ("real", "other"), ("away", "real")]
                {
                    let _ = fs::rename(root.join(from), root.join(to));
                }
            }
        })
    };
    let (write, read, delete) = (FileWrite::default(), FileRead::default(), FileDelete::default());
    for number in 0..3_000 {
        let path = format!("real/new{number}");
        let _ = tried.call(&write, json!({ "path": path, "text": "x" }));
        let _ = tried.call(&delete, json!({ "path": path }));
        let _ = tried.call(&delete, json!({ "path": "real/outside.txt" }));
        if let Ok(output) = tried.call(&read, json!({ "path": "real/outside.txt" })) {
            assert!(!output.text.contains("outside\n"), "{}", output.text);
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    swapper.join().unwrap();
    tried.outside_is_untouched();
}

/// JSON that is nearly what some tool wants.
fn any_arguments() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>().prop_map(Value::from),
        "(\\.|/|a|\\\\x2[ef]|~|-|\\*){0,6}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!("a")),
        Just(json!(["a"])),
        Just(json!([{ "old": "a", "new": "b", "all": true }])),
    ];
    let names = prop::sample::subsequence(
        vec![
            "path", "text", "expected", "from", "to", "numbers", "glob", "globs", "depth", "all",
            "max", "pattern", "literal", "context", "edits", "recursive", "paths", "message",
            "staged", "summary", "command", "folder", "url", "query", "question", "options",
            "prompt",
        ],
        0..5,
    );
    (names, prop::collection::vec(text, 5)).prop_map(|(names, values)| {
        Value::Object(names.into_iter().map(str::to_owned).zip(values).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_arguments_break_a_tool(arguments in any_arguments()) {
        let mut tried = Try::new(&[("a", "a\n")]);
        let required: Vec<Box<dyn Tool>> = super::all(lone_repository());
        for tool in &required {
            // What is missing is filled in, so that more than the first check is reached.
            let mut arguments = arguments.clone();
            for name in tool.spec().input["required"].as_array().unwrap() {
                let object = arguments.as_object_mut().unwrap();
                object.entry(name.as_str().unwrap()).or_insert(json!("a"));
            }
            let spec = tool.spec();
            let known = spec.input["properties"].as_object().unwrap();
            arguments.as_object_mut().unwrap().retain(|name, _| known.contains_key(name));
            if let Ok(output) = tried.call(&**tool, arguments) {
                prop_assert!(output.text.len() <= tried.max);
            }
        }
        tried.outside_is_untouched();
    }
}

/// A repository that no test changes.
fn lone_repository() -> Arc<Git> {
    static LONE: std::sync::OnceLock<(TempDir, Arc<Git>)> = std::sync::OnceLock::new();
    LONE.get_or_init(|| {
        let tried = Try::git(&[]);
        let repository = tried.repository();
        (tried._folder, repository)
    })
    .1
    .clone()
}
