//! What waits for the model is made by searches and, beyond a moment, by one process in the
//! background.

use std::time::{Duration, Instant};

use super::*;

/// Longer takes only what hangs.
const HANGS: Duration = Duration::from_secs(600);

/// A repository in which more waits than a search makes in a moment.
fn behind() -> TestEnv {
    let env = with_notes(2);
    env.ok(&["index"]);
    for number in 2..400 {
        let text = format!("{}{}", note(number), format!("Line {number} of many. ").repeat(20));
        env.write(format!("notes/{number:04}.md"), text);
    }
    env
}

fn search(env: &TestEnv, variables: &[(&str, &str)]) -> Output {
    let mut command = env.command(&["search", "when do glaciers sleep"]);
    command.env("ELOPHANTO_INDEX_BACKGROUND", "true").envs(variables.iter().copied());
    let output = finish(&mut command);
    assert_eq!(output.code, Some(0), "{output}");
    output
}

/// Processes that fill the vectors of this repository.
fn fillers(env: &TestEnv) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse() else { continue };
        let told = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_ours = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == env.root());
        if is_ours && told.ends_with(b"index\0--fill\0") {
            found.push(id);
        }
    }
    found
}

fn wait_for_the_end(env: &TestEnv) {
    let start = Instant::now();
    while !fillers(env).is_empty() {
        assert!(start.elapsed() < HANGS, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn one_process_makes_the_rest_and_ends() {
    let env = behind();
    let first = search(&env, &[]);
    let said = notes_of(&first);
    assert_eq!(said.len(), 1, "{first}");
    assert!(said[0].contains("chunks wait") && said[0].contains("in the background"), "{first}");
    let ids = fillers(&env);
    assert_eq!(ids.len(), 1, "it runs on, and `search` has ended with both its outputs closed");
    // As nice as can be, and in a group of its own.
    let stat = fs::read_to_string(format!("/proc/{}/stat", ids[0])).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    assert_eq!((fields[2], fields[16]), (ids[0].to_string().as_str(), "19"), "{stat}");
    // It is said once, and no second one is started.
    let second = search(&env, &[]);
    assert_eq!(notes_of(&second), [""; 0], "{second}");
    assert!(fillers(&env).iter().all(|id| ids.contains(id)));
    wait_for_the_end(&env);
    let third = search(&env, &[]);
    assert_eq!((notes_of(&third).len(), fillers(&env).len()), (0, 0), "{third}");
    let summary = env.index(&[]);
    assert_eq!((&summary["embedded"], &summary["waiting"]), (&0.into(), &0.into()), "{summary}");
}

#[test]
#[cfg(target_os = "linux")]
fn none_in_ci_and_none_where_it_is_not_wanted() {
    let env = behind();
    for variables in [&[("CI", "true")][..], &[("ELOPHANTO_INDEX_BACKGROUND", "false")]] {
        let output = search(&env, variables);
        assert!(output.stderr().contains("until `elophanto index` has made them"), "{output}");
        assert_eq!(fillers(&env).len(), 0, "{variables:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn it_gives_way_to_index_and_outlives_the_repository() {
    let env = behind();
    search(&env, &[]);
    assert_eq!(fillers(&env).len(), 1);
    // Nobody waits for it: `index` does the work itself, and the process ends.
    assert_eq!(env.index(&[])["waiting"], 0);
    wait_for_the_end(&env);

    let env = behind();
    search(&env, &[]);
    let ids = fillers(&env);
    assert_eq!(ids.len(), 1);
    env.rename("../repo", "../moved");
    let start = Instant::now();
    let lives = |id: &u32| Path::new(&format!("/proc/{id}/cwd")).read_link().is_ok();
    while ids.iter().any(lives) {
        assert!(start.elapsed() < HANGS, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!env.root().exists(), "it made the repository anew");
}

/// Without the background too: searches make what waits, a moment each.
#[test]
fn searches_alone_make_a_dozen() {
    let env = with_notes(4);
    env.ok(&["index"]);
    for number in 4..16 {
        env.write(format!("notes/{number:04}.md"), note(number));
    }
    for _ in 0..12 {
        env.ok(&["search", "when do glaciers sleep"]);
    }
    assert_eq!(env.index(&[])["embedded"], 0);
    // So does `learn`.
    env.write("a.txt", "The KEF LS50 Meta is a bookshelf speaker made by KEF.\n");
    env.ok(&["learn", "kef ls50", "--from", "a.txt"]);
    assert_eq!(env.index(&[])["embedded"], 0);
}
