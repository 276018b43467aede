mod running;

use std::{fs, os::unix::fs::symlink, path::Path, time::Duration};

use serde_json::{Value, json};

use super::{fixture::*, *};
use crate::{
    Host, Output, Source, ToolError,
    permissions::{Action, Level},
};

struct Caller {
    root: std::path::PathBuf,
    patience: Duration,
    is_cancelled: bool,
}

impl Host for Caller {
    fn root(&self) -> &Path {
        &self.root
    }
    fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }
    fn patience(&self) -> Duration {
        self.patience
    }
    fn max_output(&self) -> usize {
        4_000
    }
    fn ask_user(&mut self, _: &str, _: &[String]) -> Option<String> {
        None
    }
    fn think(&mut self, _: &str, _: &str, _: &str) -> Result<String, ToolError> {
        Err(ToolError::Failed("no model".to_owned()))
    }
    fn call(&mut self, _: &str, _: Value) -> Result<Output, ToolError> {
        Err(ToolError::Failed("no tools".to_owned()))
    }
    fn sub_task(&mut self, _: &str, _: &[&str]) -> Result<String, ToolError> {
        Err(ToolError::Failed("no tasks".to_owned()))
    }
}

fn caller(world: &World) -> Caller {
    Caller { root: world.root.clone(), patience: Duration::from_secs(20), is_cancelled: false }
}

#[track_caller]
fn check_problem(loaded: &Loaded, name: &str, part: &str) {
    assert!(loaded.tools.iter().all(|tool| tool.spec().name != name), "{name} is a tool");
    let found = loaded.problems.iter().find(|problem| problem.name == name);
    let reason = found.map_or("no problem", |problem| &problem.reason);
    assert!(reason.contains(part), "{name}: {reason}");
}

#[test]
fn only_what_was_deployed_and_agreed_to_is_a_tool() {
    let world = World::new();
    assert!(world.load(true).tools.is_empty());
    world.plugin("capitals", &[]);
    check_problem(&world.load(true), "capitals", "not deployed");
    let entry = world.deploy("capitals").unwrap();
    assert_eq!(entry.level, Level::Destructive, "a program is never safe");
    assert_eq!(entry.deployed.to_string(), "2026-01-02T03:04:05Z");
    check_problem(&world.load(false), "capitals", "not agreed to here");
    let loaded = world.load(true);
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.tools.len(), 1);
    let tool = &loaded.tools[0];
    let intent = tool.intent(&json!({"word": "x"}), &caller(&world)).unwrap();
    assert!(intent.shown.contains("plugins/capitals/plugin.py"), "{}", intent.shown);
    let Action::Program { name, digest } = intent.action else { panic!("{intent:?}") };
    assert_eq!((&*name, &tool.spec().source), ("capitals", &Source::Plugin { hash: digest }));

    let output = tool.execute(&json!({"word": "otter"}), &mut caller(&world)).unwrap();
    assert_eq!((output.text.as_str(), output.failed), ("OTTER", false));
    assert!(matches!(
        tool.execute(&json!({"word": 1}), &mut caller(&world)),
        Err(ToolError::Arguments(_))
    ));
    let mut cancelled = caller(&world);
    cancelled.is_cancelled = true;
    assert!(matches!(tool.execute(&json!({}), &mut cancelled), Err(ToolError::Cancelled)));

    // What its tests or people leave behind changes nothing.
    world.write("plugins/capitals/__pycache__/plugin.cpython-311.pyc", "x");
    assert_eq!(world.load(true).tools.len(), 1);
    // Anything else does, at the next call and at the next start.
    world.write("plugins/capitals/lib.py", "");
    let refused = tool.execute(&json!({}), &mut caller(&world)).unwrap_err().to_string();
    assert!(refused.contains("changed since it was deployed"), "{refused}");
    let again = "`elophanto agent plugin deploy capitals` looks at it again";
    check_problem(&world.load(true), "capitals", again);
    fs::remove_dir_all(world.root.join("plugins/capitals")).unwrap();
    check_problem(&world.load(true), "capitals", "missing");
    assert!(fs::read_dir(&world.copies).unwrap().next().is_none(), "copies are left");
}

#[test]
fn hostile_folders_are_problems_of_their_own() {
    let world = World::new();
    for name in ["-rf", "con", "Capitals", "a b", "file_read", "x\u{202e}y\n"] {
        world.plugin(name, &[]);
    }
    world.plugin("good", &[]);
    world.deploy("good").unwrap();
    symlink(world.root.join("plugins/good"), world.root.join("plugins/link")).unwrap();
    let loaded = world.load(true);
    assert_eq!(loaded.tools.len(), 1);
    for name in ["-rf", "con", "Capitals", "a b", "file_read", "xy"] {
        check_problem(&loaded, name, "name");
    }
    check_problem(&loaded, "link", "not deployed");
    assert!(matches!(examine(&world.root, "link", &[]), Err(PluginError::File { .. })));
    assert!(matches!(examine(&world.root, "../good", &[]), Err(PluginError::Name(_))));
    // All of `plugins` somewhere else.
    fs::rename(world.root.join("plugins"), world.copies.with_file_name("other")).unwrap();
    symlink(world.copies.with_file_name("other"), world.root.join("plugins")).unwrap();
    let loaded = world.load(true);
    assert!(loaded.tools.is_empty());
    check_problem(&loaded, "", "a link");
    assert!(examine(&world.root, "good", &[]).is_err());
    fs::remove_file(world.root.join("plugins")).unwrap();
    fs::rename(world.copies.with_file_name("other"), world.root.join("plugins")).unwrap();
    world.write("plugins/manifest.json", "<<<<<<< ours\n");
    let loaded = world.load(true);
    assert!(loaded.tools.is_empty());
    check_problem(&loaded, "", "no list of plugins");
    let error = world.deploy("good").unwrap_err().to_string();
    assert!(error.contains("no list"), "{error}");
}

#[track_caller]
fn check_form(change: impl Fn(&World), expected: &str) {
    let world = World::new();
    world.plugin("p", &[]);
    change(&world);
    let error = examine(&world.root, "p", &[]).unwrap_err().to_string();
    assert!(error.contains(expected), "{expected}: {error}");
}

#[test]
fn folders_out_of_form() {
    let gone = |path: &'static str| {
        move |world: &World| fs::remove_file(world.root.join("plugins/p").join(path)).unwrap()
    };
    check_form(gone("plugin.py"), "`plugin`: missing");
    check_form(gone("test_plugin.py"), "`test_plugin`: missing");
    check_form(gone("README.md"), "`README.md`: missing");
    check_form(gone("schema.json"), "`schema.json`: missing");
    check_form(|world| world.write("plugins/p/plugin.sh", ""), "more than one");
    check_form(|world| world.write("plugins/p/schema.json", "{}"), "description");
    check_form(|world| world.write("plugins/p/README.md", b"\xff"), "not UTF-8");
    check_form(|world| world.write("plugins/p/.env", ""), "not a plain path");
    check_form(|world| world.write("plugins/p/a\nb", ""), "not a plain path");
    check_form(|world| symlink("/etc/passwd", world.root.join("plugins/p/x")).unwrap(), "neither");
    check_form(|world| symlink("/etc", world.root.join("plugins/p/lib")).unwrap(), "neither");
    check_form(
        |world| {
            let path = world.root.join("plugins/p/plugin.py");
            fs::remove_file(&path).unwrap();
            fs::write(&path, PROGRAM).unwrap();
        },
        "not executable",
    );
    check_form(
        |world| (0..100).for_each(|n| world.write(&format!("plugins/p/f{n}"), "")),
        "cap of 100 files",
    );
    check_form(|world| world.write("plugins/p/big", vec![0; 1 << 20]), "cap of 1048576 bytes");
    check_form(|world| world.write("plugins/p/1/2/3/4/5/6/7/8/9", ""), "not a plain path");
    check_form(
        |world| (0..2_001).for_each(|n| world.write(&format!("plugins/p/__pycache__{n}/x"), "")),
        "cap",
    );
    check_form(
        |world| {
            let path = world.root.join("plugins/p/pipe");
            let argv = ["mkfifo", path.to_str().unwrap()].map(str::to_owned);
            let path = elophanto_base::process::Environment::from([(
                "PATH".into(),
                "/usr/bin:/bin".into(),
            )]);
            elophanto_base::process::run(&argv, b"", &path, Duration::from_secs(9), 9).unwrap();
        },
        "neither a file nor a folder",
    );
}

#[test]
fn what_was_tested_is_what_is_deployed() {
    let world = World::new();
    world.plugin("p", &[]);
    let (plugin, report) =
        (examine(&world.root, "p", &[]).unwrap(), world.test("p", Duration::from_secs(20)));
    world.write("plugins/p/lib.py", "x");
    let changed = world.deploy_as(&plugin, &report);
    assert!(matches!(changed, Err(PluginError::Changed { .. })), "{changed:?}");
    let plugin = examine(&world.root, "p", &[]).unwrap();
    let untested = world.deploy_as(&plugin, &report);
    assert!(matches!(untested, Err(PluginError::Untested { .. })), "{untested:?}");
    assert!(!world.root.join(MANIFEST).exists());
}

#[test]
fn pages_of_plugins() {
    let at = |second: u32| format!("2026-01-02T03:04:{second:02}Z").parse().unwrap();
    let note = readme_note("# A \"b\"\n\nText.\n", "p", None, at(1)).unwrap().unwrap();
    assert_eq!(
        note,
        "---\ntitle: \"A \\\"b\\\"\"\ncreated: 2026-01-02T03:04:01Z\n\
         updated: 2026-01-02T03:04:01Z\ntags: [plugin, p]\nscope: plugin\n---\n\n\
         <!-- >>> elophanto plugin >>> -->\n\n# A \"b\"\n\nText.\n\n\
         <!-- <<< elophanto plugin <<< -->\n"
    );
    assert_eq!(readme_note("# A \"b\"\n\nText.\n", "p", Some(&note), at(2)), Ok(None));
    let mine = format!("{note}\nMine.\n");
    let newer = readme_note("New.", "p", Some(&mine), at(2)).unwrap().unwrap();
    assert!(newer.contains("\nupdated: 2026-01-02T03:04:02Z\n") && newer.ends_with("\nMine.\n"));
    assert!(newer.contains("\ncreated: 2026-01-02T03:04:01Z\n") && !newer.contains("Text."));

    let world = World::new();
    for name in ["p", "q", "r"] {
        world.plugin(name, &[]);
    }
    world.deploy("p").unwrap();
    world.deploy("q").unwrap();
    world.write("plugins/q/README.md", b"\xff");
    let mut written = Vec::new();
    let mirrored = mirror(&world.root, Path::new("knowledge"), at(1), &mut |path, text| {
        written.push(path.to_owned());
        world.write(path.to_str().unwrap(), text);
        Ok(())
    });
    assert_eq!(mirrored.changed, [Path::new("knowledge/plugins/p.md")]);
    assert_eq!(written, mirrored.changed);
    assert_eq!(mirrored.problems.len(), 1, "{:?}", mirrored.problems);
    let again = mirror(&world.root, Path::new("knowledge"), at(2), &mut |_, _| Ok(()));
    assert!(again.changed.is_empty(), "{again:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        failure_persistence: None, cases: 64, ..Default::default()
    })]
    #[test]
    fn pages_keep_what_people_wrote(
        readmes in proptest::collection::vec("(\\PC|\n|\r|\t|\u{0}|# |---\n|<!-- <<< elophanto plugin <<< -->\n){0,12}", 2),
        mine in "[a-z#\n -]{0,20}",
    ) {
        let now = "2026-01-02T03:04:05Z".parse().unwrap();
        let page = readme_note(&readmes[0], "p", None, now).unwrap().unwrap();
        let page = format!("{page}{mine}");
        let next = readme_note(&readmes[1], "p", Some(&page), now).unwrap().unwrap_or(page);
        proptest::prop_assert!(next.ends_with(&mine));
        proptest::prop_assert_eq!(readme_note(&readmes[1], "p", Some(&next), now), Ok(None));
    }
}
