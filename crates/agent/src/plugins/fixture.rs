//! What the tests of plugins stand on: a work tree with plugins, and a runner without a fence.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use super::*;
use elophanto_base::process::{self, Environment, ProcessError};

pub(crate) const PROGRAM: &str = "#!/usr/bin/python3\nimport json, sys\n\
    given = json.load(sys.stdin)\n\
    json.dump({'text': given['arguments'].get('word', '').upper()}, sys.stdout)\n";
pub(crate) const TESTS: &str = "import json, subprocess, sys\n\
    said = subprocess.run([sys.executable, 'plugin.py'], input=json.dumps({'arguments': {'word': \
    'ab'}, 'secrets': {}}), capture_output=True, text=True, check=True).stdout\n\
    assert json.loads(said) == {'text': 'AB'}, said\nprint('1 passed')\n";
pub(crate) const SCHEMA: &str = r#"{"description": "Puts a word into capitals", "level": "safe",
    "input": {"type": "object", "properties": {"word": {"type": "string"}}}}"#;
pub(crate) const README: &str = "# Capitals\n\nPuts a word into capitals.\n";

pub(crate) fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("plugin.py", PROGRAM),
        ("test_plugin.py", TESTS),
        ("schema.json", SCHEMA),
        ("README.md", README),
    ]
}

/// What a runner was asked, as text: command line, folder, input.
pub(crate) type Seen = Arc<Mutex<Vec<(Vec<String>, PathBuf, String)>>>;

pub(crate) struct World {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
    pub copies: PathBuf,
    pub lock: PathBuf,
    pub runtime: Arc<Runtime>,
    pub seen: Seen,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (root, copies) = (top.join("root"), top.join("copies"));
        fs::create_dir_all(root.join("plugins")).unwrap();
        let seen = Seen::default();
        let runtime = Arc::new(Runtime {
            runner: runner(Arc::clone(&seen)),
            secrets: Box::new(|names| {
                names
                    .iter()
                    .map(|name| match name.as_str() {
                        "none" => Err("the vault has no secret `none`".to_owned()),
                        name => Ok((name.to_owned(), format!("hunter2 \"{name}\"").into())),
                    })
                    .collect()
            }),
            copies: copies.clone(),
        });
        Self { lock: top.join("lock"), _folder: folder, root, copies, runtime, seen }
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let is_program = path.file_stem().is_some_and(|stem| stem == "plugin");
        if is_program {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    pub(crate) fn plugin(&self, name: &str, changed: &[(&str, &str)]) {
        for (path, text) in files().iter().chain(changed) {
            self.write(&format!("plugins/{name}/{path}"), text);
        }
    }

    pub(crate) fn test(&self, name: &str, time: Duration) -> TestReport {
        test(&examine(&self.root, name, &[]).unwrap(), &self.runtime, time, &|| false)
    }

    pub(crate) fn deploy(&self, name: &str) -> Result<Entry, PluginError> {
        let plugin = examine(&self.root, name, &[]).unwrap();
        let report = self.test(name, Duration::from_secs(20));
        self.deploy_as(&plugin, &report)
    }

    pub(crate) fn deploy_as(
        &self,
        plugin: &Plugin,
        report: &TestReport,
    ) -> Result<Entry, PluginError> {
        let now = "2026-01-02T03:04:05.678Z".parse().unwrap();
        let write = |path: &Path, text: &str| {
            fs::write(self.root.join(path), text).map_err(|error| error.to_string())
        };
        deploy(&self.root, plugin, report, &self.lock, now, &write)
    }

    pub(crate) fn load(&self, agreed: bool) -> Loaded {
        load(&Loading {
            root: &self.root,
            built_in: &["file_read"],
            agreed: &|_, _| agreed,
            runtime: &self.runtime,
        })
    }
}

fn runner(seen: Seen) -> Box<Runner> {
    Box::new(move |request| {
        let input = String::from_utf8_lossy(request.stdin).into_owned();
        seen.lock().unwrap().push((request.argv.clone(), request.folder.clone(), input));
        let mut argv: Vec<String> =
            ["sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh"].map(str::to_owned).to_vec();
        argv.push(request.folder.display().to_string());
        argv.extend(request.argv.iter().cloned());
        let environment = Environment::from([
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ]);
        let ended =
            process::run(&argv, request.stdin, &environment, request.time, request.max_output);
        match ended {
            Ok(ended) => Ok(RunEnded {
                code: ended.code,
                stdout: ended.stdout,
                stderr: ended.stderr,
                cut: ended.cut,
                stopped: None,
            }),
            Err(ProcessError::TooSlow { .. }) => {
                Ok(RunEnded { stopped: Some("it took too long".to_owned()), ..RunEnded::default() })
            }
            Err(error) => Err(error.to_string()),
        }
    })
}
