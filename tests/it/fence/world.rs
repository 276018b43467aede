//! A work tree with protected paths and key material, and a fence around it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use elophanto_agent::sandbox::{
    Ended, Helper, Kind, Limits, Policy, Program, SandboxError, environment, probe, run,
};
use tempfile::TempDir;

use crate::env::PROGRAM;

/// What a program must never find.
pub const KEY: &str = "top-secret-key-material";

pub struct World {
    _folder: TempDir,
    pub base: PathBuf,
    pub policy: Policy,
    pub helper: Helper,
}

pub fn helper(narrow: bool) -> Helper {
    Helper { argv: [PROGRAM, "agent", "fenced"].map(str::to_owned).into(), narrow }
}

/// What of both strengths (narrow or not) the kernel of this machine has; the tests of what it has
/// not pass without a word.
pub fn kinds() -> Vec<bool> {
    match probe(&helper(false)) {
        Kind::Full => vec![false, true],
        Kind::Narrow => vec![true],
        Kind::Absent(_) => Vec::new(),
    }
}

/// Whether the full sandbox is to be had.
pub fn has_full() -> bool {
    kinds().contains(&false)
}

/// Whether the system lets a program have namespaces of its own.
pub fn can_unshare() -> bool {
    let tried = std::process::Command::new("unshare").args(["-Urnmp", "--fork", "true"]).output();
    tried.is_ok_and(|output| output.status.success())
}

impl World {
    pub fn new(narrow: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("fence").tempdir_in("/var/tmp").unwrap();
        let base = folder.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for name in [
            "root/.git/hooks", "root/.elophanto", "root/src/permissions", "root/docs", "home/.ssh",
            "home/.cargo/bin", "temporary", "outside", "root/deep/a/b",
        ] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for (name, text) in [
            ("root/.git/config", "[core]\n"),
            ("root/.git/hooks/pre-commit", "#!/bin/sh\n"),
            ("root/.elophanto/config.yaml", "a: b\n"),
            ("root/src/permissions/mod.rs", "// rules\n"),
            ("root/src/lib.rs", "// lib\n"),
            ("root/docs/a.md", "# A\n"),
            ("root/README.md", "# Read me\n"),
            ("root/deep/a/b/held", "held\n"),
            ("outside/file", "outside\n"),
            ("home/.profile", "true\n"),
        ] {
            fs::write(at(name), text).unwrap();
        }
        for name in
            ["root/.env", "home/.ssh/id_ed25519", "home/.cargo/credentials.toml", "outside/key"]
        {
            fs::write(at(name), KEY).unwrap();
        }
        let policy = Policy {
            root: at("root"),
            protected: [
                "root/.git",
                "root/.elophanto/config.yaml",
                "root/.elophanto/permissions.yaml",
                "root/.gitmodules",
                "root/src/permissions",
                "root/deep/a/b/held",
                "root/not/yet/there",
            ]
            .map(at)
            .to_vec(),
            write: Vec::new(),
            read: Vec::new(),
            hidden: vec![at("root/.env"), at("home/.ssh")],
            covered: Vec::new(),
            temporary: at("temporary"),
            network: false,
            home: at("home"),
            limits: Limits { time: Duration::from_secs(20), ..Limits::default() },
        };
        Self { _folder: folder, base, policy, helper: helper(narrow) }
    }

    pub fn environment(&self) -> BTreeMap<String, String> {
        environment("/usr/bin:/bin", &self.policy.home, &self.policy.temporary, None)
    }

    pub fn argv(&self, argv: &[&str], stdin: &[u8]) -> Result<Ended, SandboxError> {
        let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        let program = Program {
            argv: &argv,
            stdin,
            environment: &self.environment(),
            folder: &self.policy.root,
        };
        run(&self.helper, &self.policy, &program, &|| false)
    }

    /// Runs a line of shell in the root.
    pub fn shell(&self, line: &str) -> Ended {
        self.argv(&["/bin/sh", "-c", line], b"").unwrap_or_else(|cause| panic!("{line}: {cause}"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    /// Every protected path and everything outside, with kind, permissions and content.
    pub fn protected(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        for path in self.policy.protected.iter().chain(&[
            self.path("outside"),
            self.path("home"),
            self.path("root/.env"),
        ]) {
            describe(path, &mut found);
        }
        found
    }
}

fn describe(path: &Path, found: &mut BTreeMap<PathBuf, String>) {
    use std::os::unix::fs::MetadataExt;
    let Ok(data) = fs::symlink_metadata(path) else {
        found.insert(path.to_owned(), "absent".to_owned());
        return;
    };
    let content = if data.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
    found.insert(path.to_owned(), format!("{:o} {} {content:?}", data.mode(), data.nlink()));
    if data.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten() {
            describe(&entry.unwrap().path(), found);
        }
    }
}
