//! A real repository for self-development, whose branch is made by plumbing.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;

use super::{
    super::{Branch, Branching, Ended, Event, Parts, SelfDevelop, State},
    scripted::Scripted,
};
use crate::{
    Output, Spec, Tool, ToolError,
    plugins::{MANIFEST, fixture::World},
};
use elophanto_base::process::{self, Environment};

/// What happened, for tests to look at.
#[derive(Default)]
pub(super) struct Seen {
    pub events: Vec<Event>,
    pub agreed: Vec<(String, String)>,
    pub changelog: Vec<String>,
    pub tools: Vec<Box<dyn Tool>>,
    pub ended: Vec<Ended>,
}

pub(super) struct Scene {
    pub world: World,
    pub seen: Arc<Mutex<Seen>>,
    pub tool: SelfDevelop,
}

impl Scene {
    pub(super) fn new() -> Self {
        let world = World::new();
        let root = world.root.clone();
        git(&root, None, &["init", "--quiet", "--initial-branch=main"]);
        world.write("knowledge/system/conventions.md", "Tests print what they checked.\n");
        world.write("knowledge/system/capabilities.md", "# Capabilities\n\nMine.\n");
        world.write("staged.txt", "one\n");
        git(&root, None, &["add", "--", "knowledge"]);
        git(&root, None, &["commit", "--quiet", "-m", "start"]);
        git(&root, None, &["add", "--", "staged.txt"]);

        let seen = Arc::new(Mutex::new(Seen::default()));
        let note = |seen: &Arc<Mutex<Seen>>| Arc::clone(seen);
        let (events, agreed, log, tools, ended) =
            (note(&seen), note(&seen), note(&seen), note(&seen), note(&seen));
        let base = root.clone();
        let parts = Parts {
            runtime: Arc::clone(&world.runtime),
            built_in: vec!["file_read".to_owned()],
            write_root: "knowledge".into(),
            write: Box::new(move |path, text| {
                let path = base.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).map_err(|error| error.to_string())
            }),
            lock: world.lock.clone(),
            branching: Box::new(Plumbing { root, seen: ended }),
            tools: Box::new(Vec::<Spec>::new),
            agree: Box::new(move |name, hash| {
                agreed.lock().unwrap().agreed.push((name.to_owned(), hash.to_owned()));
                Ok(())
            }),
            deployed: Box::new(move |tool| tools.lock().unwrap().tools.push(tool)),
            changelog: Box::new(move |entry| {
                log.lock().unwrap().changelog.push(entry.to_owned());
                Ok(Vec::new())
            }),
            events: Box::new(move |event, _| events.lock().unwrap().events.push(event.clone())),
            now: Box::new(|| "2026-01-02T03:04:05Z".parse().unwrap()),
            nonce: Box::new(|| "nonce".to_owned()),
        };
        Self { world, seen, tool: SelfDevelop::new(parts) }
    }

    pub(super) fn run(&self, host: &mut Scripted) -> Result<Output, ToolError> {
        self.tool.execute(&json!({"goal": "Put a word into capitals", "name": "capitals"}), host)
    }

    /// Stages that were done or failed: `1 test failed`.
    pub(super) fn stages(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let ended = seen.events.iter().filter(|event| event.state != State::Begun);
        ended
            .map(|event| {
                let state = if event.state == State::Done { "done" } else { "failed" };
                format!("{} {} {state}", event.attempt, event.stage.as_str())
            })
            .collect()
    }

    /// Each stage that begins ends before the next.
    #[track_caller]
    pub(super) fn check_events(&self) {
        let seen = self.seen.lock().unwrap();
        for pair in seen.events.chunks(2) {
            let [begun, ended] = pair else { panic!("{pair:?}") };
            assert_eq!((begun.stage, begun.state), (ended.stage, State::Begun), "{pair:?}");
            assert_ne!(ended.state, State::Begun, "{pair:?}");
        }
    }

    /// That nothing is deployed, in any sense.
    #[track_caller]
    pub(super) fn check_nothing_deployed(&self, ended: Ended) {
        self.check_events();
        let seen = self.seen.lock().unwrap();
        assert!(!self.world.root.join(MANIFEST).exists(), "a manifest");
        assert!(seen.agreed.is_empty() && seen.tools.is_empty() && seen.changelog.is_empty());
        assert_eq!(seen.ended, [ended]);
        assert!(self.world.load(true).tools.is_empty());
        drop(seen);
        self.check_user_undisturbed();
    }

    /// HEAD, the index and the user's files are what they were.
    #[track_caller]
    pub(super) fn check_user_undisturbed(&self) {
        assert_eq!(self.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
        assert_eq!(self.git(&["log", "--format=%s"]), "start\n");
        assert_eq!(self.git(&["diff", "--cached", "--name-status"]), "A\tstaged.txt\n");
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        git(&self.world.root, None, arguments)
    }
}

/// A branch made by plumbing with a temporary index.
struct Plumbing {
    root: PathBuf,
    seen: Arc<Mutex<Seen>>,
}

impl Branching for Plumbing {
    fn begin(&self, plugin: &str) -> Result<Branch, String> {
        let name = format!("elophanto/develop/{plugin}");
        let reference = format!("refs/heads/{name}");
        if git(&self.root, None, &["for-each-ref", &reference]).is_empty() {
            git(&self.root, None, &["update-ref", &reference, "HEAD", ""]);
        }
        Ok(Branch { name })
    }

    fn commit(
        &self,
        branch: &Branch,
        paths: &[PathBuf],
        message: &str,
    ) -> Result<Option<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let run = |arguments: &[&str]| git(&self.root, Some(&index), arguments).trim().to_owned();
        let reference = format!("refs/heads/{}", branch.name);
        let parent = run(&["rev-parse", &reference]);
        run(&["read-tree", &parent]);
        for path in paths {
            run(&["add", "--all", "--force", "--", path.to_str().unwrap()]);
        }
        let tree = run(&["write-tree"]);
        if tree == run(&["rev-parse", &format!("{parent}^{{tree}}")]) {
            return Ok(None);
        }
        let commit = run(&["commit-tree", "-p", &parent, "-m", message, &tree]);
        run(&["update-ref", &reference, &commit, &parent]);
        Ok(Some(commit))
    }

    fn finish(&self, _: &Branch, ended: Ended) -> Result<(), String> {
        self.seen.lock().unwrap().ended.push(ended);
        Ok(())
    }
}

#[track_caller]
fn git(root: &Path, index: Option<&Path>, arguments: &[&str]) -> String {
    let mut environment: Environment = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/nonexistent"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    if let Some(index) = index {
        environment.insert("GIT_INDEX_FILE".to_owned(), index.display().to_string());
    }
    let mut argv = vec!["git".to_owned(), "-C".to_owned(), root.display().to_string()];
    argv.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    let ended = process::run(&argv, b"", &environment, Duration::from_secs(20), 1 << 20).unwrap();
    assert!(ended.is_success(), "{argv:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap()
}
