//! Several processes at once, and processes that are killed.

use std::{
    collections::BTreeSet,
    fs,
    process::Child,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    env::{Output, TestEnv},
    incremental::Bench,
};

/// A note that shares no sentence with any other.
fn note(number: usize) -> String {
    let words = ["otter", "bear", "eel", "whale", "newt", "heron", "lynx", "toad", "wren", "moth"];
    let word = |at: usize| words[(number / 10_usize.pow(at as u32)) % 10];
    format!(
        "# Note {number}\n\nThe {} met the {} and the {} on day {number}.\n\n\
         ## Later\n\nNumber {number} went home with {} things.\n",
        word(0),
        word(1),
        word(2),
        number * 7
    )
}

/// What is looked at here is the view of the built-in model, that of others is like it.
fn many(count: usize) -> TestEnv {
    let env = TestEnv::new().builtin();
    for number in 0..count {
        env.write(format!("notes/{}/n{number}.md", number % 7), note(number));
    }
    env
}

fn assert_consistent(env: &TestEnv) {
    assert!(env.pending().len() <= 1, "{:?}", env.pending());
    let check = env.run(&["index", "--check"]);
    assert_eq!(check.code, Some(0), "{check}");
    // Fails on a chunk that is there twice or has no vector.
    let notes = Bench::chunks_of(env);
    let files: BTreeSet<&String> = notes.iter().map(|(path, _, _)| path).collect();
    assert_eq!(files.len() as u64, env.index(&[])["files"].as_u64().unwrap());
}

#[test]
fn eight_index_runs_at_once() {
    let env = many(120);
    let children: Vec<Child> = (0..8).map(|_| env.spawn(&["index", "--json"])).collect();
    let mut embedded = 0;
    let mut chunks = BTreeSet::new();
    for child in children {
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!(output.code, Some(0), "{output}");
        let summary = output.json().pop().unwrap();
        embedded += summary["embedded"].as_u64().unwrap();
        chunks.insert(summary["chunks"].as_u64().unwrap());
    }
    assert_eq!(chunks.len(), 1, "they disagree: {chunks:?}");
    assert_eq!(Some(&embedded), chunks.first(), "every passage was embedded once by one of them");
    assert_eq!(env.pending().len(), 1);
    assert_consistent(&env);
    let summary = env.index(&[]);
    assert_eq!((&summary["embedded"], &summary["pending"]), (&0.into(), &embedded.into()));
}

#[test]
fn searches_beside_a_running_index() {
    let env = many(400);
    env.ok(&["index"]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let indexer = scope.spawn(|| {
            let mut runs = 0;
            while !done.load(Ordering::Relaxed) {
                env.ok(&["index", "--full"]);
                runs += 1;
            }
            runs
        });
        let searchers: Vec<_> = (0..8)
            .map(|number| {
                let env = &env;
                scope.spawn(move || {
                    for round in 0..5 {
                        let word = format!("zyx{number}q{round}");
                        let path = format!("notes/edited/e{number}.md");
                        env.write(&path, format!("# Edited\n\nThis is the {word} edition.\n"));
                        assert_eq!(env.hits(&[&word, "--mode", "keyword"]), [path.as_str()]);
                    }
                })
            })
            .collect();
        let failed: Vec<_> =
            searchers.into_iter().filter_map(|search| search.join().err()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(indexer.join().unwrap() > 0);
        assert!(failed.is_empty(), "{} searchers failed", failed.len());
    });
    env.ok(&["index"]);
    assert_consistent(&env);
}

#[test]
fn an_index_killed_at_any_moment() {
    let env = many(200);
    // A fixed sequence of waits: what matters is that they fall into different steps of a run.
    for (round, wait) in [0, 3, 7, 12, 18, 25, 33, 42, 55, 70, 90, 120, 5, 20].iter().enumerate() {
        if round % 4 == 3 {
            env.remove(".git/elophanto");
        }
        let word = format!("zyx{round}q");
        for number in 0..40 {
            let number = round * 13 + number;
            let text = note(number).replace("went home", &format!("went {word} home"));
            env.write(format!("notes/{}/n{number}.md", number % 7), text);
        }
        let mut child = env.spawn(&["index", "--full"]);
        thread::sleep(Duration::from_millis(*wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let hits = env.hits(&[&word, "--mode", "keyword", "-n", "1000"]);
        let files: BTreeSet<&String> = hits.iter().collect();
        assert_eq!((hits.len(), files.len()), (40, 40), "after {wait} ms");
        if round % 5 == 4 {
            env.ok(&["index"]);
            assert_consistent(&env);
            env.commit("on the way");
        }
    }
    env.ok(&["index"]);
    assert_consistent(&env);
    let incremental = Bench::chunks_of(&env);
    env.remove(".git/elophanto");
    env.remove(".elophanto");
    env.ok(&["index"]);
    let rebuilt = Bench::chunks_of(&env);
    assert!(incremental == rebuilt, "the view differs from one that is built anew");
}

/// Runs a search that must end by itself although nobody releases the lock.
fn search_while_locked(env: &TestEnv, word: &str) -> Output {
    let mut child = env.spawn(&["search", "--json", "--mode", "keyword", word]);
    // It gives up after 50 ms. A minute is for the slowest of machines.
    let deadline = Instant::now() + Duration::from_secs(180);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the search waits for the lock");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_search_does_not_wait_for_a_lock() {
    for lock in ["write.lock", "index.lock"] {
        for indexed in [true, false] {
            let env = many(20);
            if indexed {
                env.ok(&["index"]);
            }
            fs::create_dir_all(env.view()).unwrap();
            let file = fs::File::create(env.view().join(lock)).unwrap();
            file.lock().unwrap();
            for word in ["quartz", "basalt"] {
                env.write("rock.md", format!("# Rock\n\nThis is {word}.\n"));
                let output = search_while_locked(&env, word);
                assert_eq!(output.code, Some(0), "{lock}\n{output}");
                assert_eq!(output.json()[0]["path"], "rock.md", "{lock}\n{output}");
            }
            drop(file);
            env.ok(&["index"]);
            assert_consistent(&env);
        }
    }
}

#[test]
fn a_search_beside_an_index_that_has_much_to_do() {
    let env = many(30);
    env.ok(&["index"]);
    let file = fs::File::create(env.view().join("index.lock")).unwrap();
    file.lock().unwrap();
    // More changed text than a search takes on itself while somebody else indexes.
    let filler = "Sand and gravel lie on the ground of the river. ".repeat(40);
    for number in 0..6 {
        let text: String =
            (0..900).map(|part| format!("## Part {part} of {number}\n\n{filler}\n\n")).collect();
        env.write(format!("large/l{number}.md"), text);
    }
    env.write("rock.md", "# Rock\n\nThis is quartz.\n");
    let output = search_while_locked(&env, "quartz");
    assert_eq!(output.json()[0]["path"], "rock.md", "what was edited last comes first");
    assert!(output.stderr().contains("not searched yet"), "{output}");
    assert!(output.json()[0]["stale"].as_u64().unwrap() > 0, "{output}");
}
