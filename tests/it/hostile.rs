//! Hostile repositories: every subcommand in each of them, and no program of theirs is run, nobody
//! is called, and nothing outside is written.

mod agent;
mod arena;
mod argv;
mod editor;
mod kinds;
mod records;

use std::{fs, process::Command};

use elophanto_repo::{Git, locate};

use crate::env::{Output, finish};
use arena::{Arena, has};
use kinds::{Kind, OURS, PLACES, REMOTES, SETTINGS, SPEAKING};

/// A built repository with its state of war.
fn arena(kind: &Kind) -> Arena {
    let arena = Arena::new();
    (kind.build)(&arena);
    arena.settle();
    assert_eq!(arena.tripped(), [""; 0], "{}: built with a bang", kind.name);
    arena
}

/// Expects that nothing happened that must not.
fn check(kind: &Kind, arena: &Arena, before: &arena::Surroundings, what: &str) {
    let name = kind.name;
    assert_eq!(arena.tripped(), [""; 0], "{name}: {what} ran a program");
    assert!(!arena.visited(), "{name}: {what} called somebody");
    let after = arena.surroundings();
    let may = |path: &std::path::Path| {
        kind.may_write.iter().any(|allowed| path.starts_with(arena.outside(allowed)))
    };
    // A folder in which something was made is changed itself, but says nothing here.
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path) && !may(path))
        .collect();
    assert!(changed.is_empty(), "{name}: {what} wrote {changed:?}");
}

fn hold(kind: &Kind) {
    let arena = arena(kind);
    let variables = (kind.variables)(&arena);
    let before = arena.surroundings();
    let run = |folder: &str, args: &[&str]| {
        let output = arena.run(folder, args, &variables);
        check(kind, &arena, &before, &format!("{args:?} in {folder:?}"));
        output
    };
    for folder in kind.folders {
        for args in argv::all() {
            let output = run(folder, &args);
            if let Some(says) = kind.says
                && matches!(args[0], "search" | "doctor" | "index")
            {
                says_once(kind, &output, says);
            }
        }
    }
    // The same, where libgit2 gives up and the git program answers.
    if arena.env.path(".git/config").is_file() && !arena.env.path(".git").is_symlink() {
        let text = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = other\n";
        arena.append(".git/config", text);
        for args in argv::SHORT {
            run("", args);
        }
        wrapped(kind, &arena, &before);
    }
}

fn says_once(kind: &Kind, output: &Output, says: &str) {
    let lines = output.stderr();
    let warnings = lines.lines().filter(|line| line.contains("trust")).count();
    assert!(warnings == 1 && lines.contains(says), "{}\n{output}", kind.name);
}

/// What we may ask of git, now or soon, asked through our wrapper. Answers may be refusals.
fn wrapped(kind: &Kind, arena: &Arena, before: &arena::Surroundings) {
    let Ok(repository) = locate(arena.env.root()) else { return };
    let git = Git::of(&repository).unwrap();
    let blob = git.run_with(&["hash-object", "-w", "--stdin"], b"a blob\n").unwrap_or_default();
    let blob = String::from_utf8(blob).unwrap();
    let entry = format!("100644,{},traps/blob", blob.trim());
    let asked: &[&[&str]] = &[
        &["ls-files", "-z", "--stage"],
        &["ls-tree", "-r", "-z", "HEAD"],
        &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
        &["rev-list", "--objects", "--all"],
        &["log", "--name-only", "-z", "--no-renames", "--format=%H %ct"],
        &["log", "-p", "-m"],
        &["show", "HEAD"],
        &["blame", "--porcelain", "HEAD", "--", "otters.md"],
        &["diff-tree", "-r", "-p", "--root", "HEAD"],
        &["diff-index", "-p", "--cached", "HEAD"],
        &["cat-file", "-p", "HEAD:docs/bears.md"],
        &["for-each-ref"],
        &["merge-base", "HEAD", "HEAD"],
        &["update-index", "--add", "--cacheinfo", &entry],
        &["write-tree"],
        &["commit-tree", "-m", "x", "HEAD^{tree}"],
        &["update-ref", "refs/elophanto/x", "HEAD"],
        &["update-ref", "-d", "refs/elophanto/x"],
    ];
    for args in asked {
        let _ = git.run(args);
        check(kind, arena, before, &format!("git {args:?}"));
    }
    let _ = git.run_with(&["cat-file", "--batch"], b"HEAD:docs/bears.md\nHEAD\n");
    check(kind, arena, before, "git cat-file --batch");
}

/// The corpus is worth something only if it does harm where nothing protects against it.
fn bite(kind: &Kind) {
    for line in kind.bites {
        if !line.split_whitespace().next().is_some_and(has) {
            continue;
        }
        let arena = arena(kind);
        let before = arena.surroundings();
        let harmed =
            || !arena.tripped().is_empty() || arena.visited() || arena.surroundings() != before;
        let harm = arena.unprotected(line, &(kind.variables)(&arena), harmed);
        assert!(harm, "{}: `{line}` does no harm", kind.name);
    }
}

#[test]
fn hostile_settings_of_git() {
    SETTINGS.iter().for_each(hold);
}

#[test]
fn hostile_remotes() {
    REMOTES.iter().for_each(hold);
}

#[test]
fn hostile_places() {
    PLACES.iter().for_each(hold);
}

#[test]
fn hostile_files_of_ours() {
    OURS.iter().for_each(hold);
}

#[test]
fn the_corpus_bites() {
    let kinds = || [SETTINGS, REMOTES, PLACES, OURS].into_iter().flatten();
    let biting = kinds().filter(|kind| !kind.bites.is_empty()).count();
    assert!(kinds().count() >= 60 && biting >= 35, "{} kinds, {biting} bite", kinds().count());
    kinds().for_each(bite);
}

/// The listener sees only what comes its way; the kernel sees every attempt.
#[test]
fn nobody_is_called() {
    if !has("strace") {
        return;
    }
    for name in ["partial clone, missing objects fetched over the network", SPEAKING] {
        let kind = [REMOTES, OURS].into_iter().flatten().find(|kind| kind.name == name).unwrap();
        let arena = arena(kind);
        let mut reaching_out = arena.env.sealed("git");
        reaching_out.args(["ls-remote", "git://127.0.0.1:1/x"]);
        if attempts(&arena, &reaching_out).is_empty() {
            // Tracing is forbidden here: nothing can be learnt.
            return;
        }
        for args in argv::all() {
            let seen = attempts(&arena, &arena.command("", &args, &[]));
            assert_eq!(seen, [""; 0], "{name}: {args:?}");
        }
    }
}

/// Calls by which a program would reach another machine, its children's included.
fn attempts(arena: &Arena, command: &Command) -> Vec<String> {
    let trace = arena.outside("tmp/trace");
    let mut strace = arena.env.sealed("strace");
    strace.args(["-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o"]).arg(&trace);
    strace.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        strace.env(name, value.unwrap_or_default());
    }
    finish(&mut strace);
    let text = fs::read_to_string(&trace).unwrap_or_default();
    // `index` may look for an Ollama where the user's own settings say that it is.
    let ollama = r#"sin_port=htons(2), sin_addr=inet_addr("127.0.0.1")"#;
    let reaching = |line: &&str| line.contains("AF_INET") && !line.contains(ollama);
    text.lines().filter(reaching).map(ToOwned::to_owned).collect()
}
