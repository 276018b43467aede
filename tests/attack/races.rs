//! A folder that changes place with a link to a private folder, all the time: nothing of the
//! private folder is read into the view, and nothing is written into it.

use std::{
    ffi::CString,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use crate::{Attack, env::TestEnv};

/// Stands in every file of the private folder.
const WORD: &str = "xylotomous";

pub fn run(attack: &mut Attack) {
    let env = TestEnv::new();
    env.write(".elophanto/config.yaml", "knowledge.extensions: [md, yml]\n");
    for number in 0..20 {
        env.write(format!("docs/n{number}.md"), format!("# N{number}\n\nThe heron waits.\n"));
        env.write(format!("docs/n{number}.yml"), "heron: waits\n");
    }
    env.write("knowledge/learned/entities/heron.md", "# Heron\n");
    let private = env.outside().join("private");
    fs::create_dir_all(private.join("deep")).expect("a folder can be made");
    for number in 0..20 {
        for ending in ["md", "yml"] {
            let text = format!("# Key {number}\n\ntoken: {WORD}\n");
            fs::write(private.join(format!("n{number}.{ending}")), text).expect("a file");
        }
    }
    let before = listing(&private);
    let pairs = ["docs", "knowledge/learned/entities", ".elophanto/memory", ".elophanto/journal"];
    for folder in pairs {
        fs::create_dir_all(env.path(folder)).expect("a folder can be made");
        symlink(&private, env.path(other(folder))).expect("a link can be made");
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for folder in pairs {
            let (a, b) = (env.path(folder), env.path(other(folder)));
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    exchange(&a, &b);
                }
            });
        }
        while attack.goes_on() {
            let round = attack.rounds;
            let topic = format!("Qy{round} lamp");
            env.write(
                "lamp.txt",
                format!("The **{topic}** is a lamp that weighs {round} grams.\n"),
            );
            let lesson = format!("lesson {round}");
            let remember = ["agent", "remember", "--type", "error", "--context", "c", "--lesson"];
            match round % 3 {
                0 => drop(attack.bounded(&mut env.command(&["search", "--json", WORD]))),
                1 => {
                    drop(attack.bounded(&mut env.command(&["learn", &topic, "--from", "lamp.txt"])))
                }
                _ => drop(attack.bounded(&mut env.command(&[&remember[..], &[&lesson]].concat()))),
            }
            let written = listing(&private);
            attack.expect(written == before, || format!("written outside: {written:?}"));
            if round.is_multiple_of(10) {
                let read = holds(&env.path(".git/elophanto"));
                attack.expect(!read, || "what lies outside is in the view".to_owned());
            }
            if !attack.broken.is_empty() {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

fn other(folder: &str) -> String {
    format!("{folder}-link")
}

/// Has two entries change places, in one step.
fn exchange(a: &Path, b: &Path) {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).expect("no NUL in a path");
    let (a, b) = (name(a), name(b));
    // SAFETY: both names end in NUL and outlive the call.
    unsafe {
        libc::renameat2(
            libc::AT_FDCWD,
            a.as_ptr(),
            libc::AT_FDCWD,
            b.as_ptr(),
            libc::RENAME_EXCHANGE,
        );
    }
}

fn listing(folder: &Path) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    entries.map(|entry| entry.path().display().to_string()).collect()
}

/// Whether the word stands in any file below the folder.
fn holds(folder: &Path) -> bool {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten();
    let mut files = files.filter(|entry| entry.file_type().is_file());
    files.any(|entry| {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        memchr::memmem::find(&bytes, WORD.as_bytes()).is_some()
    })
}
