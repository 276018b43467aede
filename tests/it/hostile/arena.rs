//! Where a hostile repository is met: with canaries, a decoy, a listener, and everything outside
//! of the repository under watch.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::{
    bad_inputs::bounded,
    env::{Output, TestEnv, finish},
};

/// The longest that harm is waited for.
const WAITS: Duration = Duration::from_secs(60);

pub struct Arena {
    pub env: TestEnv,
    listener: TcpListener,
}

/// What lies outside of the repository: kind and mode of each entry, and content or target.
pub type Surroundings = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Arena {
    /// A harmless repository with a history, notes and an index. Beside it lie another repository
    /// (`decoy`), a folder of private notes, a test set, and the folder of the canaries.
    pub fn new() -> Self {
        let env = TestEnv::with(&[
            ("otters.md", "# Otters\n\nThey hold hands.\n"),
            ("docs/bears.md", "# Bears\n\nThey sleep in winter and hold nothing.\n"),
            ("knowledge/user/seals.md", "# Seals\n\nThey have no hands.\n"),
        ]);
        env.commit("first");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let arena = Self { env, listener };
        for folder in ["canary", "private", "set", "decoy", "tmp"] {
            fs::create_dir(arena.outside(folder)).unwrap();
        }
        let put = |path: &str, text: &str| fs::write(arena.outside(path), text).unwrap();
        put("private/secret.md", "# Secret\n\nHold hands with the marmot's password.\n");
        put("set/corpus.jsonl", "{\"id\":\"1\",\"title\":\"Otters\",\"text\":\"Hold hands.\"}\n");
        put("set/queries.jsonl", "{\"id\":\"q\",\"text\":\"otters\"}\n");
        put("set/qrels.tsv", "q\t1\t1\n");
        put("decoy/note.md", "# Decoy\n\nHold hands with a decoy.\n");
        for args in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["add", "--all"],
            &["commit", "--quiet", "-m", "decoy"],
        ] {
            let output = finish(arena.env.sealed("git").args(["-C", "../decoy"]).args(args));
            assert_eq!(output.code, Some(0), "{output}");
        }
        arena
    }

    /// A path outside of the repository.
    pub fn outside(&self, path: &str) -> PathBuf {
        self.env.outside().join(path)
    }

    /// The same as text.
    pub fn outside_text(&self, path: &str) -> String {
        self.outside(path).to_str().unwrap().to_owned()
    }

    /// A program in the repository that betrays itself when it is run.
    pub fn trap(&self, name: &str) -> String {
        let path = format!("traps/{name}");
        self.trap_at(&path, name);
        self.env.path(path).to_str().unwrap().to_owned()
    }

    /// The same at a path of one's own.
    pub fn trap_at(&self, path: &str, name: &str) {
        let canary = self.outside("canary").join(name);
        self.env.write(path, format!("#!/bin/sh\n: > '{}'\n", canary.display()));
        fs::set_permissions(self.env.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Sets git's configuration of the repository.
    pub fn set(&self, key: &str, value: &str) {
        self.env.git(&["config", "--add", key, value]);
    }

    /// Appends to a file.
    pub fn append(&self, path: &str, text: &str) {
        let file = fs::File::options().append(true).create(true).open(self.env.path(path));
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Notes as in a work tree in use: one changed (with its old size, so that git has to read
    /// it), one new. A kind may have made that impossible.
    pub fn settle(&self) {
        let note = self.env.path("otters.md");
        if note.is_file() && self.env.path(".git").exists() {
            fs::write(note, "# Otters\n\nThey hold bands.\n").unwrap();
        }
        let _ = fs::write(self.env.path("new.md"), "# New\n\nA new note on hands.\n");
    }

    /// The listener's port: the address that everything hostile reports to.
    pub fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    /// Whether somebody knocked since the last time.
    pub fn visited(&self) -> bool {
        self.listener.accept().is_ok()
    }

    /// Programs that were run.
    pub fn tripped(&self) -> Vec<String> {
        let inside = walkdir::WalkDir::new(self.env.root()).into_iter().filter_map(Result::ok);
        let inside = inside.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let outside = fs::read_dir(self.outside("canary")).unwrap();
        let outside = outside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        inside.filter(|name| name.starts_with("canary-")).chain(outside).collect()
    }

    /// Everything outside of the repository and of the home folder.
    pub fn surroundings(&self) -> Surroundings {
        let own = [self.env.root().to_owned(), self.outside("home"), self.outside("canary")];
        let entries = walkdir::WalkDir::new(self.env.outside()).into_iter();
        entries
            .filter_entry(|entry| !own.iter().any(|path| path == entry.path()))
            .map(|entry| {
                let path = entry.unwrap().into_path();
                let kind = fs::symlink_metadata(&path).unwrap();
                let content = match kind.file_type() {
                    kind if kind.is_symlink() => {
                        fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                    }
                    kind if kind.is_file() => fs::read(&path).unwrap(),
                    _ => Vec::new(),
                };
                (path, (kind.mode(), content))
            })
            .collect()
    }

    /// The program under test in a folder of the repository, every road outwards leading to the
    /// listener.
    pub fn command(&self, folder: &str, args: &[&str], env: &[(&str, String)]) -> Command {
        let mut command = self.env.command(args);
        command.current_dir(self.env.path(folder)).env("TMPDIR", self.outside("tmp"));
        let proxy = format!("http://127.0.0.1:{}", self.port());
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, &proxy);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        command
    }

    /// Runs the program; it must neither hang, nor die, nor panic.
    pub fn run(&self, folder: &str, args: &[&str], env: &[(&str, String)]) -> Output {
        bounded(&mut self.command(folder, args, env))
    }

    /// Runs a line of shell unprotected until it ends or has done its harm, and says whether it
    /// has.
    pub fn unprotected(
        &self,
        line: &str,
        env: &[(&str, String)],
        harmed: impl Fn() -> bool,
    ) -> bool {
        let mut command = self.env.sealed("sh");
        command.args(["-c", line]).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        for (name, value) in env {
            command.env(name, value);
        }
        let mut child = command.spawn().unwrap();
        let deadline = Instant::now() + WAITS;
        let harm = loop {
            let ended = child.try_wait().unwrap().is_some() || Instant::now() > deadline;
            let harm = harmed();
            if harm || ended {
                break harm;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        // SAFETY: only sends a signal, to the group of a child that this very function started.
        unsafe { libc::kill(-child.id().cast_signed(), libc::SIGKILL) };
        let _ = child.wait();
        harm
    }
}

/// Whether a program can be run here.
pub fn has(program: &str) -> bool {
    let mut command = Command::new("sh");
    let found = command.args(["-c", &format!("command -v {program}")]).stdout(Stdio::null());
    found.status().is_ok_and(|status| status.success())
}
