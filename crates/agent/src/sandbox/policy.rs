//! What a program may do, as data, and the environment that it is given.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// What a program may do. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The work tree: read and written, but for what is protected.
    pub root: PathBuf,
    /// Files and folders that are not written, with all below them, whether they exist or not.
    /// One that does not exist cannot be created: an empty folder stands in its place while the
    /// program runs. Files cross the border of the folders that hold one only by being copied.
    pub protected: Vec<PathBuf>,
    /// Further folders that are written. What is protected stays so in them, and above them.
    pub write: Vec<PathBuf>,
    /// Further files and folders that are read. One that does not exist is passed over.
    pub read: Vec<PathBuf>,
    /// Files and folders that are not read although they lie in a tree that is, such as key
    /// material. Those that do not exist, or hold the work tree, are passed over.
    pub hidden: Vec<PathBuf>,
    /// Existing files that are read as other files say: each with the file that stands for it. In a
    /// narrow sandbox they are not read at all.
    pub covered: Vec<(PathBuf, PathBuf)>,
    /// An existing folder for temporary files, private to this user. It is `/tmp` as well, unless
    /// something that the program needs lies below `/tmp`.
    pub temporary: PathBuf,
    /// Whether the network may be used: IP only, never sockets of other programs on this machine.
    pub network: bool,
    /// The user's home. Of it only the folders of toolchains are read.
    pub home: PathBuf,
    pub limits: Limits,
}

/// What a program may use up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Bytes that are kept of each output stream.
    pub output_bytes: usize,
    /// Bytes of memory, of one process and of all together.
    pub memory_bytes: u64,
    /// Processes and threads at one time.
    pub processes: u64,
    /// Bytes of any file that it writes.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(120),
            output_bytes: 1024 * 1024,
            memory_bytes: 4 * 1024 * 1024 * 1024,
            processes: 512,
            file_bytes: 1024 * 1024 * 1024,
        }
    }
}

/// The whole environment of a program: where programs are, and settings that keep them from asking
/// questions or from failing on files that they may not read. No secrets, no sockets of agents.
pub fn environment(
    path: &str,
    home: &Path,
    temporary: &Path,
    language: Option<&str>,
) -> BTreeMap<String, String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    [
        ("PATH", path.to_owned()),
        ("HOME", text(home)),
        ("TMPDIR", text(temporary)),
        ("LANG", language.unwrap_or("C.UTF-8").to_owned()),
        ("TERM", "dumb".to_owned()),
        ("NO_COLOR", "1".to_owned()),
        ("PAGER", "cat".to_owned()),
        ("GIT_PAGER", "cat".to_owned()),
        // The user's own file cannot be read in the sandbox, which git takes for an error.
        ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ("GIT_EDITOR", "false".to_owned()),
        ("GIT_OPTIONAL_LOCKS", "0".to_owned()),
        ("GIT_TERMINAL_PROMPT", "0".to_owned()),
        ("DEBIAN_FRONTEND", "noninteractive".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::environment;

    #[test]
    fn an_environment_is_small_and_clean() {
        let given = environment("/bin", Path::new("/home/a"), Path::new("/t"), Some("de_DE.UTF-8"));
        for (name, value) in
            [("PATH", "/bin"), ("HOME", "/home/a"), ("TMPDIR", "/t"), ("LANG", "de_DE.UTF-8")]
        {
            assert_eq!(given.get(name).map(String::as_str), Some(value));
        }
        assert!(!given.keys().any(|name| name.contains("SSH") || name.contains("TOKEN")));
    }
}
