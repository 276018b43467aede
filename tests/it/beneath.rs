//! Nothing outside of the work tree is read or written, whatever links lie in it, and whoever puts
//! one there while a command is at work.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::env::TestEnv;

/// A word that stands only outside of the work tree.
const WORD: &str = "xylocopavault";
/// How often each command meets the swap.
const ROUNDS: usize = 20;

/// Runs something while a folder of the work tree and a link to the folder `private`, which lies
/// outside, change places in a loop. The folder is itself in the end.
fn while_swapped<T>(env: &TestEnv, folder: &str, act: impl FnOnce() -> T) -> T {
    let folder = env.path(folder);
    let other = folder.with_file_name("swapped");
    symlink(env.outside().join("private"), &other).unwrap();
    let ended = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let done = act();
        ended.store(true, Ordering::Relaxed);
        swapping.join().unwrap();
        done
    });
    if folder.is_symlink() {
        renameat_with(CWD, &folder, CWD, &other, RenameFlags::EXCHANGE).unwrap();
    }
    fs::remove_file(&other).unwrap();
    done
}

/// Files below a folder that hold some bytes.
fn holding(folder: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path());
    files.filter(|path| memchr::memmem::find(&fs::read(path).unwrap(), bytes).is_some()).collect()
}

/// The private folder as it is, name by name.
fn private(env: &TestEnv) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = walkdir::WalkDir::new(env.outside().join("private")).sort_by_file_name();
    let entries = entries.into_iter().map(|entry| entry.unwrap().into_path());
    entries.map(|path| (path.clone(), fs::read(&path).unwrap_or_default())).collect()
}

/// A work tree with notes in `docs`, and a private folder whose files have the same names.
fn house() -> TestEnv {
    let env =
        TestEnv::with(&[("docs/hosts.yml", "kingfisher: river\n"), ("docs/a.md", "# Heron\n")]);
    env.write(".elophanto/config.yaml", "knowledge.extensions: [md, yml]\n");
    let private = env.outside().join("private");
    fs::create_dir(&private).unwrap();
    for name in ["hosts.yml", "a.md"] {
        fs::write(private.join(name), format!("# Token\n\n{WORD}\n")).unwrap();
    }
    env
}

fn remember(lesson: &str) -> [&str; 8] {
    ["agent", "remember", "--type", "error", "--context", "c", "--lesson", lesson]
}

#[test]
fn a_search_never_reads_what_a_swapped_folder_leads_to() {
    let env = house();
    while_swapped(&env, "docs", || {
        for _ in 0..ROUNDS {
            assert_ne!(env.run(&["search", WORD]).code, Some(0));
        }
    });
    assert_eq!(holding(&env.path(".git/elophanto"), WORD.as_bytes()), [] as [PathBuf; 0]);
    assert!(!env.hits(&["kingfisher"]).is_empty());
}

#[test]
fn nothing_is_written_to_where_a_swapped_folder_leads() {
    let env = house();
    env.run_with(&["learn", "Otter", "--from", "-"], b"# Otter\n\nAn otter sleeps afloat.\n");
    env.ok(&remember("Run just ci first"));
    let before = private(&env);
    let folders = [
        "knowledge/learned/entities",
        ".elophanto/journal",
        ".elophanto/memory",
        ".elophanto/index",
    ];
    for folder in folders.into_iter().filter(|folder| env.path(folder).is_dir()) {
        while_swapped(&env, folder, || {
            for round in 0..ROUNDS / 4 {
                let topic = format!("Heron{round} lamp");
                let text = format!("# {topic}\n\n{topic} is a lamp that stands in a river.\n");
                env.run_with(&["learn", &topic, "--from", "-"], text.as_bytes());
                env.run(&remember(&format!("Lesson {round}")));
                env.run(&["index"]);
            }
        });
        assert_eq!(private(&env), before, "{folder}");
    }
}

/// What each command that writes says to a link in its way, be it one that stays in the work tree.
#[test]
fn a_link_of_the_users_own_is_refused_where_something_is_to_be_written() {
    let commands: &[(&str, &[&str])] = &[
        ("knowledge/learned", &["learn", "Otter", "--from", "-"]),
        ("knowledge/learned", &["agent", "note", "task", "Title"]),
        (".elophanto/memory", &remember("Run just ci first")),
        (".elophanto/index", &["index"]),
        (".elophanto/skills", &["agent", "skill", "new", "otters", "--description", "x"]),
        (".vscode", &["agent", "install", "vscode", "--project", "--yes"]),
        ("knowledge", &["init"]),
    ];
    for (link, args) in commands {
        for target in ["within", "../private"] {
            let env = house();
            fs::create_dir(env.path("within")).unwrap();
            let link = env.path(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            let target = match target {
                "within" => env.path("within"),
                _ => env.outside().join("private"),
            };
            symlink(&target, &link).unwrap();
            let before = private(&env);
            let output = env.run_with(args, b"# Otter\n\nAn otter sleeps afloat.\n");
            let said = format!("{args:?} {}\n{output}", target.display());
            assert_eq!(output.code, Some(2), "{said}");
            assert!(output.stderr().contains("link"), "{said}");
            assert_eq!(private(&env), before, "{said}");
            assert_eq!(fs::read_dir(env.path("within")).unwrap().count(), 0, "{said}");
        }
    }
}

#[test]
fn files_named_as_keys_are_no_notes() {
    let env = house();
    env.write(".elophanto/config.yaml", "knowledge.extensions: [md, yml, pem, env, key]\n");
    for name in ["server.pem", "prod.env", "host_rsa.key", "plain.yml", "id_rsa.md"] {
        env.write(format!("docs/{name}"), format!("The kingfisher waits for {name}.\n"));
    }
    let hits: BTreeSet<String> = env.hits(&["kingfisher waits", "-n", "20"]).into_iter().collect();
    let expected = ["docs/hosts.yml", "docs/id_rsa.md", "docs/plain.yml"].map(str::to_owned);
    assert_eq!(hits, BTreeSet::from(expected));
}
