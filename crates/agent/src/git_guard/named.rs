//! Files of the work tree that git itself goes by, because the user's settings or hooks name them.
//!
//! A command in the sandbox can change neither settings nor hooks, but what they name it can: the
//! next `git status` of the user would run that, outside of the sandbox.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use elophanto_repo::{Git, GitError};

/// Last parts of names of settings whose value is a line of a shell, or the name of a program.
const PROGRAMS: [&str; 29] = [
    "alternaterefscommand",
    "askpass",
    "cccmd",
    "clean",
    "cmd",
    "command",
    "defaultkeycommand",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "headercmd",
    "helper",
    "packobjectshook",
    "pager",
    "process",
    "program",
    "receivepack",
    "sendmailcmd",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "tunnel",
    "update",
    "uploadpack",
    "vcs",
];
/// Whole sections of them.
const PROGRAM_SECTIONS: [&str; 2] = ["alias", "pager"];
/// Last parts of names of settings whose value is the path of a file or folder git obeys.
const FILES: [&str; 9] = [
    "allowedsignersfile",
    "attributesfile",
    "cookiefile",
    "hookspath",
    "path",
    "revocationfile",
    "sslcainfo",
    "sslcapath",
    "templatedir",
];
/// Settings that git goes by only where the user asks for just that.
const ASKED_FOR: [&str; 6] = ["alias", "browser", "difftool", "guitool", "man", "mergetool"];
/// Programs whose work other files say, which no line names.
const RUNNERS: [&str; 30] = [
    "bazel", "bun", "bundle", "cargo", "cd", "deno", "direnv", "docker", "eval", "find", "go",
    "gradle", "just", "make", "mise", "mvn", "ninja", "npm", "npx", "pnpm", "poetry", "rake",
    "source", "task", "tox", "uv", "uvx", "xargs", "yarn", "pipenv",
];
/// Ends of names of programs that an interpreter is given.
const SCRIPTS: [&str; 13] =
    ["bash", "cjs", "fish", "js", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "zsh"];
/// What lies in a git directory and that git obeys, if a link stands in its place.
const OBEYED: [&str; 5] = ["config", "config.worktree", "hooks", "info/attributes", "commondir"];
/// What stands between the words of a line of a shell.
const BETWEEN: &[char] = &[
    ' ', '\t', '\n', '\r', '"', '\'', '`', ';', '|', '&', '(', ')', '{', '}', '<', '>', '=', '$',
    ',', ':', '\\', '!',
];
/// Bytes of a hook that are read.
const MOST_OF_A_HOOK: u64 = 256 * 1024;
/// How the name of a hook ends that git does not run.
const SAMPLE: &str = "sample";

/// What git goes by in the work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Files and folders of the work tree, absolute, whether or not they are there, and what names
    /// each: a setting (`core.fsmonitor`), or a file of the git directory (`hooks/pre-commit`).
    pub paths: BTreeMap<PathBuf, String>,
    /// Settings by which git runs what cannot be told from its line, with that line.
    pub unclear: Vec<String>,
}

impl Named {
    /// Looks at all settings and hooks that git has for the work tree at `root`, which is canonical.
    ///
    /// # Errors
    /// When git cannot say its settings.
    pub fn look(git: &Git, root: &Path, home: &Path) -> Result<Self, GitError> {
        let listed = git.run(&["config", "--list", "--includes", "--show-origin", "-z"])?;
        let listed = String::from_utf8_lossy(&listed);
        let mut named = Self::default();
        let mut hooks = git.common_dir().join("hooks");
        let mut fields = listed.split('\0');
        while let (Some(origin), Some(setting)) = (fields.next(), fields.next()) {
            // Settings given along with a call are ours.
            let Some(file) = origin.strip_prefix("file:") else { continue };
            let (key, value) = setting.split_once('\n').unwrap_or((setting, ""));
            let at = At { root, home, settings: &root.join(file) };
            named.setting(&at, key, value);
            if key == "core.hookspath" {
                hooks = at.resolved(value, root);
            }
        }
        for folder in [git.git_dir(), git.common_dir()] {
            for name in OBEYED {
                named.link(root, &folder.join(name), name);
            }
        }
        named.hooks(root, home, &hooks);
        Ok(named)
    }

    /// What names this path, or a folder around it.
    pub fn why(&self, path: &Path) -> Option<&str> {
        path.ancestors().find_map(|path| self.paths.get(path)).map(String::as_str)
    }

    fn setting(&mut self, at: &At<'_>, key: &str, value: &str) {
        self.holds(at.root, at.settings.to_owned(), key);
        let section = key.split_once('.').map_or("", |(section, _)| section);
        let last = key.rsplit_once('.').map_or("", |(_, last)| last);
        if FILES.contains(&last) {
            // What is included is looked for beside the file that includes it, other files at the
            // top of the work tree.
            let includes = section == "include" || section == "includeif";
            let beside = at.settings.parent().filter(|_| includes).unwrap_or(at.root);
            let path = at.resolved(value, beside);
            self.holds(at.root, path, key);
        }
        let section_runs = PROGRAM_SECTIONS.contains(&section);
        // An alias is a command of git, unless it begins so.
        let is_program = section_runs && (section != "alias" || value.starts_with('!'));
        if !is_program && !PROGRAMS.contains(&last) || section_runs && !is_program {
            return;
        }
        let mut runs_others = false;
        for word in value.split(BETWEEN).filter(|word| !word.is_empty()) {
            let path = at.resolved(word, at.root);
            // After `$(git rev-parse --show-toplevel)`.
            let below = at.root.join(word.trim_start_matches('/'));
            let is_there = |path: &Path| path.symlink_metadata().is_ok() && !path.is_dir();
            if is_there(&path) || word.contains('/') && !path.is_dir() {
                self.holds(at.root, path, key);
            }
            if is_there(&below) {
                self.holds(at.root, below, key);
            }
            let program = Path::new(word).file_name().unwrap_or_default();
            runs_others |= RUNNERS.iter().any(|name| program == *name);
        }
        if runs_others && !ASKED_FOR.contains(&section) {
            self.unclear.push(format!("{key}={value}"));
        }
    }

    fn hooks(&mut self, root: &Path, home: &Path, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for hook in entries.map(|entry| entry.path()) {
            if hook.extension().is_some_and(|end| end == SAMPLE) {
                continue;
            }
            let name = hook.file_name().unwrap_or_default().to_string_lossy();
            let by = format!("hooks/{name}");
            self.link(root, &hook, &by);
            let mut text = Vec::new();
            let read =
                File::open(&hook).and_then(|file| file.take(MOST_OF_A_HOOK).read_to_end(&mut text));
            if !hook.is_file() || read.is_err() {
                continue;
            }
            let at = At { root, home, settings: &hook };
            for word in String::from_utf8_lossy(&text).split(BETWEEN) {
                let word = word.trim_start_matches("./");
                let path = at.resolved(word, root);
                let below = root.join(word.trim_start_matches('/'));
                for path in [path, below].into_iter().filter(|path| is_run(path)) {
                    self.holds(root, path, &by);
                }
            }
        }
    }

    /// Where a link leads in whose place git looks for a file.
    fn link(&mut self, root: &Path, path: &Path, by: &str) {
        if let Ok(to) = fs::read_link(path) {
            let to = path.parent().unwrap_or(root).join(to);
            self.holds(root, to, by);
        }
    }

    /// Holds a path, if it lies in the work tree and is not git's own, and what it leads to.
    fn holds(&mut self, root: &Path, path: PathBuf, by: &str) {
        let path = plain(&path);
        let led_to = path.canonicalize().ok();
        for path in [Some(path), led_to].into_iter().flatten() {
            let below = path.strip_prefix(root).unwrap_or(Path::new(""));
            if below != Path::new("") && !below.starts_with(".git") {
                self.paths.entry(path).or_insert_with(|| by.to_owned());
            }
        }
    }
}

/// Where a setting is looked at.
struct At<'a> {
    root: &'a Path,
    home: &'a Path,
    /// The file that it stands in.
    settings: &'a Path,
}

impl At<'_> {
    /// A path as git understands it, relative ones from `beside`.
    fn resolved(&self, path: &str, beside: &Path) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(below) => self.home.join(below),
            None => beside.join(path),
        }
    }
}

/// Whether a file is one that programs run.
fn is_run(path: &Path) -> bool {
    let ends = |end: &&str| path.extension().is_some_and(|it| it == *end);
    fs::metadata(path).is_ok_and(|found| {
        found.is_file()
            && (found.permissions().mode() & 0o111 != 0 || SCRIPTS.iter().any(|end| ends(&end)))
    })
}

/// A path without `.` and `..`, as it is spelled.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(settings: &[(&str, &str)]) -> (Vec<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("tools")).unwrap();
        for name in ["tools/fs.sh", "plain.txt", "main"] {
            fs::write(root.join(name), "x\n").unwrap();
        }
        let mut named = Named::default();
        let file = root.join(".git/config");
        let at = At { root: &root, home: Path::new("/home/u"), settings: &file };
        for (key, value) in settings {
            named.setting(&at, key, value);
        }
        let below = |path: &PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
        (named.paths.keys().map(below).collect(), named.unclear.len())
    }

    #[test]
    fn what_a_setting_names() {
        for (key, value, expected) in [
            ("core.fsmonitor", "tools/fs.sh", &["tools/fs.sh"][..]),
            ("core.fsmonitor", "./tools/../tools/fs.sh --all", &["tools/fs.sh"]),
            ("core.fsmonitor", "sh tools/new.sh", &["tools/new.sh"]),
            (
                "core.fsmonitor",
                "sh '$(git rev-parse --show-toplevel)/tools/fs.sh'",
                &["tools/fs.sh"],
            ),
            ("core.fsmonitor", "true", &[]),
            ("core.fsmonitor", "/usr/bin/watch", &[]),
            ("filter.x.clean", "python tools/fs.sh %f", &["tools/fs.sh"]),
            ("filter.lfs.process", "git-lfs filter-process", &[]),
            ("diff.png.textconv", "exif", &[]),
            ("core.editor", "vim", &[]),
            ("pager.log", "tools/fs.sh", &["tools/fs.sh"]),
            ("alias.x", "!tools/fs.sh", &["tools/fs.sh"]),
            ("alias.x", "log tools/fs.sh", &[]),
            ("branch.main.merge", "refs/heads/main", &[]),
            ("user.name", "main", &[]),
            ("include.path", "../plain.txt", &["plain.txt"]),
            ("includeif.gitdir:~/a/.path", "../new.inc", &["new.inc"]),
            ("include.path", "~/.gitconfig.d/more", &[]),
            ("core.hookspath", "tools", &["tools"]),
            ("core.hookspath", "/dev/null", &[]),
            ("core.attributesfile", "plain.txt", &["plain.txt"]),
            ("credential.helper", "!tools/fs.sh", &["tools/fs.sh"]),
            ("credential.helper", "store", &[]),
        ] {
            assert_eq!(named(&[(key, value)]).0, expected, "{key}={value}");
        }
    }

    #[test]
    fn what_cannot_be_told() {
        for (key, value, expected) in [
            ("core.fsmonitor", "make -s watch", 1),
            ("filter.x.smudge", "/usr/bin/npm run smudge", 1),
            ("core.pager", "cd tools && ./fs.sh", 1),
            ("core.pager", "less -R", 0),
            ("alias.t", "!make test", 0),
            ("mergetool.x.cmd", "npx merge $MERGED", 0),
            ("user.name", "make", 0),
        ] {
            assert_eq!(named(&[(key, value)]).1, expected, "{key}={value}");
        }
    }
}
