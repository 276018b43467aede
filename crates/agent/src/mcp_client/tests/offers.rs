//! What servers offer, under our names.

use super::*;

fn names(started: &Started) -> Vec<String> {
    started.tools.iter().map(|tool| tool.spec().name).collect()
}

#[test]
fn names_levels_and_schemas() {
    let mut bench = Bench::new();
    bench.taken.insert("file_read".to_owned());
    let mut entry = bench.entry("file", &["odd-tools"]);
    entry.levels = [("read.file".to_owned(), Level::Safe), ("gone".to_owned(), Level::Safe)].into();
    let started = bench.start(&[entry]);
    let long = format!("file_{}", "x".repeat(59));
    assert_eq!(
        names(&started),
        ["file_read_file", "file_bare", "file_read_2", "file_read_file_2", "file_schema", &long],
        "none has the name of a tool that is built in"
    );
    for tool in &started.tools {
        let spec = tool.spec();
        let level = if spec.name == "file_read_file_2" { Level::Safe } else { Level::Destructive };
        assert_eq!(spec.level, level, "{}", spec.name);
        assert!(spec.name.len() <= 64 && spec.is_untrusted && spec.input["type"] == "object");
        assert!(
            spec.description.starts_with("[from the external server `file`] "),
            "{}",
            spec.description
        );
        assert!(spec.description.chars().count() <= MAX_DESCRIPTION + 50);
    }
    let schema =
        started.tools.iter().find(|tool| tool.spec().name == "file_schema").unwrap().spec();
    assert!(schema.description.starts_with("[from the external server `file`] ab cddd"));
    let expected = json!({"type": "string", "description": "xy z", "default": "\u{202e}"});
    assert_eq!(schema.input["properties"]["a"], expected);
    assert_eq!(
        started.problems,
        [
            "server `file`: its tool `array` is left out: its arguments are no object",
            "server `file`: its tool `huge` is left out: its schema is too long",
            "server `file`: it offers `read.file` twice",
            "server `file`: its tool `yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy` is left out: its name is too long",
            "server `file`: its tool `日本` is left out: its name has no letter or digit",
            "server `file`: the level of `gone` is for no tool it has",
        ]
    );
}

#[test]
fn two_servers_never_share_a_name() {
    let bench = Bench::new();
    // `a` + `b_echo` does not occur, but two of one name do not start twice.
    let started =
        bench.start(&[bench.entry("a", &[]), bench.entry("a", &[]), bench.entry("b", &[])]);
    assert_eq!(started.problems, ["there are two servers named `a`"]);
    let mut all = names(&started);
    assert_eq!(all.len(), 42);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 42);
    // The same offer has the same hash.
    assert_eq!(started.offers["a"], started.offers["b"]);
    assert!(started.offers["a"].starts_with("blake3:"));
}

#[test]
fn too_many_tools() {
    let bench = Bench::new();
    let started = bench.start(&[bench.entry("many", &["many"]), bench.entry("pages", &["pages"])]);
    assert_eq!(started.tools.len(), MAX_TOOLS + 50);
    assert_eq!(
        started.problems,
        [
            "server `many`: it offers more than 128 tools, of which the first are used",
            "server `pages`: it offers more than 128 tools, of which the first are used",
        ]
    );
}

#[test]
fn those_that_do_not_start() {
    let mut bench = Bench::new();
    bench.patience = Duration::from_millis(1_500);
    let untrusted = Entry { trusted: false, ..bench.entry("untrusted", &[]) };
    let started = bench.start(&[
        untrusted,
        Entry { trusted: true, ..Entry::new("missing", vec!["no-such-program".to_owned()]) },
        Entry { trusted: true, ..Entry::new("folder", vec!["/".to_owned()]) },
        Entry { trusted: true, ..Entry::new("silent", vec!["true".to_owned()]) },
        bench.entry("mute", &["mute"]),
        bench.entry("exit", &["exit"]),
        bench.entry("badjson", &["bad-json"]),
        bench.entry("babble", &["babble"]),
        bench.entry("good", &[]),
    ]);
    let said = |name: &str| {
        let own: Vec<&String> = started
            .problems
            .iter()
            .filter(|said| said.contains(&format!("server `{name}`")))
            .collect();
        assert_eq!(own.len(), 1, "{name}: {:?}", started.problems);
        own[0].clone()
    };
    assert!(said("untrusted").ends_with("is not trusted, so it is not started"));
    assert!(said("missing").ends_with("there is no such program in `PATH`"));
    assert!(said("folder").contains("it cannot be run"));
    assert!(said("mute").contains("it did not say within 1.5 s what it offers"));
    assert!(said("exit").contains("(it said: no configuration)"), "{}", said("exit"));
    assert!(said("badjson").contains("server"));
    assert!(said("babble").contains("server"));
    said("silent");
    assert_eq!(started.problems.len(), 8);
    assert!(names(&started).iter().all(|name| name.starts_with("good_")));
    assert_eq!(started.said("good_echo", "x"), "x");
}
