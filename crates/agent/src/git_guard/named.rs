//! Files of the work tree that git itself goes by, because the user's settings or hooks name them.
//!
//! A command in the sandbox can change neither settings nor hooks, but what they name it can: the
//! next `git status` of the user would run that, outside of the sandbox. Files that git reads are
//! held, and so is what a line names that git runs. What its program loads beside that nobody can
//! tell, so the user is asked about every line that is not one of usual set-ups, once: whoever
//! approves a line approves just that.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File},
    io::Read,
    path::{Component, Path, PathBuf},
};

use walkdir::WalkDir;

use super::view::LARGE;
use elophanto_base::platform::is_executable;
use elophanto_repo::{Git, GitError};

/// Last parts of names of settings whose value is a line of a shell, or the name of a program.
const PROGRAMS: [&str; 31] = [
    "alternaterefscommand", "askpass", "cccmd", "clean", "cmd", "command", "defaultkeycommand",
    "difffilter", "driver", "editor", "external", "fsmonitor", "gitproxy", "headercmd", "helper",
    "packobjectshook", "pager", "process", "program", "receivepack", "recentobjectshook",
    "sendmailcmd", "smtpserver", "smudge", "sshcommand", "textconv", "tocmd", "tunnel", "update",
    "uploadpack", "vcs",
];
/// The section whose names people choose, and whose values are programs all the same.
const PAGER: &str = "pager";
/// Last parts of names of settings whose value is the path of a file or folder git obeys.
const FILES: [&str; 9] = [
    "allowedsignersfile", "attributesfile", "cookiefile", "hookspath", "path", "revocationfile",
    "sslcainfo", "sslcapath", "templatedir",
];
/// Settings that git goes by only where the user asks for just that.
const ASKED_FOR: [&str; 6] = ["alias", "browser", "difftool", "guitool", "man", "mergetool"];
/// Values of a setting for a program that name none, those of `submodule.*.update` among them.
const NONE: [&str; 14] = [
    "", "true", "false", "yes", "no", "on", "off", "1", "0", "cat", "checkout", "rebase", "merge",
    "none",
];
/// Lines that usual set-ups have, whole. What a few of them go by in a work tree (`.lfsconfig`,
/// `.dir-locals.el`) is kept from commands as all that other programs go by.
const USUAL: [&str; 36] = [
    "cache",
    "code --wait",
    "code -w",
    "delta",
    "emacs",
    "emacs -nw",
    "emacsclient",
    "gh auth git-credential",
    "git-lfs clean -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
    "gpg",
    "gpg2",
    "hx",
    "less",
    "less -F",
    "less -FR",
    "less -FRX",
    "less -FX",
    "less -R",
    "less -RFX",
    "less -XFR",
    "libsecret",
    "manager",
    "micro",
    "more",
    "nano",
    "nvim",
    "osxkeychain",
    "ssh",
    "ssh-keygen",
    "store",
    "vi",
    "vim",
];
/// Variables in which a program is named that git runs.
const VARIABLES: [&str; 13] = [
    "EDITOR", "GIT_ASKPASS", "GIT_EDITOR", // A folder of programs.
    "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR",
    "GIT_SSH", "GIT_SSH_COMMAND", "PAGER", "SSH_ASKPASS", "VISUAL",
];
/// Hooks that run where the user only looks.
const LOOKING: [&str; 2] = ["post-index-change", "reference-transaction"];
/// Ends of names of programs that an interpreter is given.
const SCRIPTS: [&str; 13] =
    ["bash", "cjs", "fish", "js", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "zsh"];
/// What lies in a git directory and that git obeys, if a link stands in its place.
const OBEYED: [&str; 5] = ["config", "config.worktree", "hooks", "info/attributes", "commondir"];
/// What stands between the words of a hook, and of a line of a shell.
const BETWEEN: &[char] = &[
    ' ', '\t', '\n', '\r', '"', '\'', '`', ';', '|', '&', '(', ')', '{', '}', '<', '>', '=', '$',
    ',', ':', '\\', '!',
];
/// Bytes of a hook, and of a file of settings of another repository, that are read.
const MOST_BYTES: u64 = 256 * 1024;
/// Files and folders that are looked at for settings of submodules.
const MOST_ENTRIES: usize = 20_000;
/// Links that a path leads through at most.
const MOST_LINKS: usize = 40;
/// How the name of a hook ends that git does not run.
const SAMPLE: &str = "sample";

/// Where git is started by the user.
pub struct Around<'a> {
    /// Canonical root of the work tree.
    pub root: &'a Path,
    pub home: &'a Path,
    /// Variables of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// What git goes by in the work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Files, folders and links of the work tree, absolute, whether or not they are there, and what
    /// names each: a setting (`include.path`), or a file of the git directory (`hooks/pre-commit`).
    pub paths: BTreeMap<PathBuf, String>,
    /// What runs by itself, and may go by files that cannot be told.
    pub runs: Vec<Runs>,
}

/// Something that git runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// A setting, a variable or a hook, without its value, which may hold a credential.
    pub by: String,
    /// The line or the text of the hook; `None` where nobody can say what runs, so that it is never
    /// approved for longer than a call.
    pub line: Option<String>,
}

impl Named {
    /// Looks at all settings and hooks that git has for a work tree.
    ///
    /// # Errors
    /// When git cannot say its settings.
    pub fn look(git: &Git, around: &Around<'_>) -> Result<Self, GitError> {
        let listed = git.run(&["config", "--list", "--includes", "--show-origin", "-z"])?;
        let listed = String::from_utf8_lossy(&listed);
        let mut named = Self::default();
        let root = around.root;
        let mut hooks = git.common_dir().join("hooks");
        let mut fields = listed.split('\0');
        while let (Some(origin), Some(setting)) = (fields.next(), fields.next()) {
            // Settings given along with a call are ours.
            let Some(file) = origin.strip_prefix("file:") else { continue };
            let (key, value) = setting.split_once('\n').unwrap_or((setting, ""));
            named.setting(around, &root.join(file), key, value);
            if key == "core.hookspath" {
                hooks = around.resolved(value, root);
            }
        }
        named.usual_files(around);
        named.environment(around);
        for folder in [git.git_dir(), git.common_dir()] {
            for name in OBEYED {
                named.holds(root, &folder.join(name), name);
            }
        }
        named.holds(root, &hooks, "core.hooksPath");
        named.hooks(around, &hooks);
        named.others(git, around);
        Ok(named)
    }

    /// What names this path, a folder around it, or something below it.
    pub fn why(&self, path: &Path) -> Option<&str> {
        let above = path.ancestors().find_map(|path| self.paths.get(path));
        let below = || self.paths.iter().find(|(named, _)| named.starts_with(path));
        above.or_else(|| below().map(|(_, by)| by)).map(String::as_str)
    }

    fn setting(&mut self, around: &Around<'_>, file: &Path, key: &str, value: &str) {
        self.holds(around.root, file, key);
        let section = key.split_once('.').map_or("", |(section, _)| section);
        let last = key.rsplit_once('.').map_or("", |(_, last)| last);
        if FILES.contains(&last) {
            // What is included is looked for beside the file that includes it, other files at the
            // top of the work tree.
            let includes = section == "include" || section == "includeif";
            let beside = file.parent().filter(|_| includes).unwrap_or(around.root);
            if value.starts_with('~') && !value.starts_with("~/") {
                self.runs.push(Runs { by: key.to_owned(), line: None });
            }
            self.holds(around.root, &around.resolved(value, beside), key);
        }
        let is_program = PROGRAMS.contains(&last) || section == PAGER;
        if is_program && !ASKED_FOR.contains(&section) {
            self.program(around, key, value);
        }
    }

    /// A line that git runs, by itself or with what the user asks of it.
    fn program(&mut self, around: &Around<'_>, by: &str, line: &str) {
        if around.is_usual(line) {
            return;
        }
        self.words(around, by, line, true);
        // A name with blanks stands between quotes.
        for quoted in line.split(['"', '\'']).skip(1).step_by(2).filter(|it| it.contains('/')) {
            self.holds(around.root, &around.resolved(quoted, around.root), by);
        }
        self.runs.push(Runs { by: by.to_owned(), line: Some(line.to_owned()) });
    }

    /// Holds the files of the work tree that a text names, those that are not there yet as well;
    /// `is_line`: what its words name on `PATH` too.
    fn words(&mut self, around: &Around<'_>, by: &str, text: &str, is_line: bool) {
        let root = around.root;
        for word in text.split(BETWEEN) {
            let path = around.resolved(word, root);
            let program = || around.found(word).filter(|_| is_line && !word.is_empty());
            let is_path = word.contains('/') || is_script(&path);
            let named = is_path.then(|| path.clone()).or_else(program);
            named.iter().for_each(|path| self.holds(root, path, by));
            for path in [path].into_iter().chain(below(root, word)) {
                if path.is_file() && (word.contains('/') || is_run(&path)) {
                    self.holds(root, &path, by);
                }
            }
        }
    }

    /// Files that git reads where they are there.
    fn usual_files(&mut self, around: &Around<'_>) {
        let config = (around.variable)("XDG_CONFIG_HOME").filter(|path| path.starts_with('/'));
        let config = config.map_or_else(|| around.home.join(".config"), PathBuf::from).join("git");
        let mut files =
            vec![around.home.join(".gitconfig"), config.join("config"), config.join("attributes")];
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
            files.extend((around.variable)(name).map(PathBuf::from));
        }
        for file in files {
            self.holds(around.root, &file, "git's settings");
        }
    }

    fn environment(&mut self, around: &Around<'_>) {
        let path = (around.variable)("PATH").filter(|path| !path.is_empty());
        for folder in path.iter().flat_map(|path| path.split(':')) {
            match Path::new(folder) {
                // What lies in it is run by its name, git itself first of all.
                folder if folder.is_absolute() => self.holds(around.root, folder, "PATH"),
                _ => self.runs.push(Runs { by: "PATH".to_owned(), line: None }),
            }
        }
        for name in VARIABLES {
            self.program(around, name, &(around.variable)(name).unwrap_or_default());
        }
        let count = (around.variable)("GIT_CONFIG_COUNT").and_then(|it| it.parse::<usize>().ok());
        for number in 0..count.unwrap_or_default().min(1_000) {
            let of = |what| (around.variable)(&format!("GIT_CONFIG_{what}_{number}"));
            let key = of("KEY").unwrap_or_default().to_lowercase();
            self.setting(around, around.home, &key, &of("VALUE").unwrap_or_default());
        }
    }

    fn hooks(&mut self, around: &Around<'_>, folder: &Path) {
        let root = around.root;
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for hook in entries.map(|entry| entry.path()) {
            if hook.extension().is_some_and(|end| end == SAMPLE) {
                continue;
            }
            let name = hook.file_name().unwrap_or_default().to_string_lossy();
            let by = format!("hooks/{name}");
            self.holds(root, &hook, &by);
            let text = read(&hook);
            self.words(around, &by, &text, false);
            if LOOKING.contains(&&*name) {
                self.runs.push(Runs { by, line: Some(text) });
            }
        }
    }

    /// What the settings of submodules and of other work trees run: git asks them for their state
    /// along with this one. Which folder a path there begins at is not looked into.
    fn others(&mut self, git: &Git, around: &Around<'_>) {
        let common = git.common_dir();
        for name in ["modules", "worktrees"] {
            let is_small = |it: &walkdir::DirEntry| {
                !LARGE.iter().any(|name| *name != "hooks" && it.file_name() == *name)
            };
            let walk = WalkDir::new(common.join(name)).into_iter().filter_entry(is_small);
            for entry in walk.take(MOST_ENTRIES).filter_map(Result::ok) {
                let (name, path) = (entry.file_name().to_string_lossy(), entry.path());
                let by = path.strip_prefix(common).unwrap_or(path).display().to_string();
                if LOOKING.contains(&&*name) {
                    self.runs.push(Runs { by, line: Some(read(path)) });
                    continue;
                }
                if !name.starts_with("config") || !entry.file_type().is_file() {
                    continue;
                }
                let file = path.as_os_str();
                let arguments = ["config", "--file"].map(OsStr::new).into_iter();
                let arguments = arguments.chain([file]).chain(["--list", "-z"].map(OsStr::new));
                let Ok(listed) = git.run(&arguments.collect::<Vec<_>>()) else {
                    self.runs.push(Runs { by, line: Some(read(path)) });
                    continue;
                };
                for setting in String::from_utf8_lossy(&listed).split('\0') {
                    let (key, value) = setting.split_once('\n').unwrap_or((setting, ""));
                    let by = format!("{key} of {by}");
                    let last = key.rsplit_once('.').map_or("", |(_, last)| last);
                    if FILES.contains(&last) {
                        self.words(around, &by, value, true);
                        self.runs.push(Runs { by, line: Some(value.to_owned()) });
                    } else if PROGRAMS.contains(&last) || key.starts_with("pager.") {
                        self.program(around, &by, value);
                    }
                }
            }
        }
    }

    /// Holds what a path leads through and to, as far as it lies in the work tree and is not git's.
    fn holds(&mut self, root: &Path, path: &Path, by: &str) {
        for path in steps(path) {
            let below = path.strip_prefix(root).unwrap_or(Path::new(""));
            if below != Path::new("") && !below.starts_with(".git") {
                self.paths.entry(path).or_insert_with(|| by.to_owned());
            }
        }
    }
}

impl Around<'_> {
    /// A path as git understands it, relative ones from `beside`.
    fn resolved(&self, path: &str, beside: &Path) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(below) => self.home.join(below),
            None => beside.join(path),
        }
    }

    /// Whether a line is one of usual set-ups, and its program is none of the work tree.
    fn is_usual(&self, line: &str) -> bool {
        let line = line.trim();
        if NONE.contains(&line) {
            return true;
        }
        let line = line.strip_prefix('!').unwrap_or(line);
        let (program, rest) = line.split_once(' ').unwrap_or((line, ""));
        let name = program.rsplit('/').next().unwrap_or_default();
        let is_outside = match program.contains('/') {
            true => program.starts_with('/') && !self.is_inside(Path::new(program)),
            // A helper may be named without what all of their names begin with. One that is not
            // found is git's own, or nothing at all.
            false => [name.to_owned(), format!("git-credential-{name}")]
                .iter()
                .all(|name| self.found(name).is_none_or(|path| !self.is_inside(&path))),
        };
        is_outside && USUAL.contains(&format!("{name} {rest}").trim_end())
    }

    /// Whether a path leads into the work tree, or through it.
    fn is_inside(&self, path: &Path) -> bool {
        steps(path).iter().any(|path| path.starts_with(self.root))
    }

    /// The program of this name. One in the work tree is held, so that what is not there stays away.
    fn found(&self, program: &str) -> Option<PathBuf> {
        let folders = (self.variable)("PATH").unwrap_or_default();
        let mut paths = folders.split(':').map(|folder| Path::new(folder).join(program));
        paths.find(|path| path.symlink_metadata().is_ok())
    }
}

/// The paths of the work tree that a word may mean behind a variable or a folder.
fn below<'w>(root: &'w Path, word: &'w str) -> impl Iterator<Item = PathBuf> + 'w {
    word.match_indices('/').filter_map(move |(at, _)| {
        let rest = word.get(at + 1..).filter(|rest| !rest.is_empty())?;
        Some(root.join(rest.trim_start_matches("../")))
    })
}

/// The text of a small file; nothing of what is none.
fn read(path: &Path) -> String {
    let mut text = Vec::new();
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    let file = is_file.then(|| File::open(path).ok()).flatten();
    let _ = file.map(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

/// Whether a file is one that programs run.
fn is_run(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|found| found.is_file() && (is_executable(&found) || is_script(path)))
}

/// Whether a path ends as programs do that an interpreter is given.
fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|end| SCRIPTS.iter().any(|known| end == *known))
}

/// An absolute path, the links on its way, and where it leads in the end, whether or not that is
/// there: each without `.` and `..`.
fn steps(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead: Vec<PathBuf> = parts(path);
    let mut at = PathBuf::from("/");
    while let Some(part) = ahead.pop() {
        match part.components().next() {
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::Normal(name)) => {
                let next = at.join(name);
                match fs::read_link(&next) {
                    Ok(to) if found.len() < MOST_LINKS => {
                        found.push(next);
                        if to.is_absolute() {
                            at = PathBuf::from("/");
                        }
                        ahead.extend(parts(&to));
                    }
                    _ => at = next,
                }
            }
            _ => {}
        }
    }
    found.push(at);
    found
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(settings: &[(&str, &str)]) -> (Vec<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        let bin = root.with_file_name("bin");
        fs::create_dir_all(root.join("tools")).unwrap();
        fs::create_dir_all(&bin).unwrap();
        for name in ["tools/fs.sh", "plain.txt", "main"] {
            fs::write(root.join(name), "x\n").unwrap();
        }
        std::os::unix::fs::symlink(root.join("tools/fs.sh"), bin.join("mydiff")).unwrap();
        std::os::unix::fs::symlink("plain.txt", root.join("link.txt")).unwrap();
        std::os::unix::fs::symlink(&root, root.with_file_name("dots")).unwrap();
        let mut named = Named::default();
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let variable = |name: &str| (name == "PATH").then(|| path.clone());
        let home = root.with_file_name("home");
        let around = Around { root: &root, home: &home, variable: &variable };
        for (key, value) in settings {
            named.setting(&around, &root.join(".git/config"), key, value);
        }
        let below = |path: &PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
        (named.paths.keys().map(below).collect(), named.runs.len())
    }

    #[test]
    fn files_that_settings_name() {
        for (key, value, expected) in [
            ("include.path", "../plain.txt", &["plain.txt"][..]),
            ("include.path", "../link.txt", &["link.txt", "plain.txt"]),
            ("include.path", "../../dots/new.inc", &["new.inc"]),
            ("includeif.gitdir:~/a/.path", "../new.inc", &["new.inc"]),
            ("include.path", "~/.gitconfig.d/more", &[]),
            ("core.hookspath", "tools", &["tools"]),
            ("core.hookspath", "/dev/null", &[]),
            ("core.attributesfile", "plain.txt", &["plain.txt"]),
            // What is run, be it approved or not.
            ("core.fsmonitor", "sh tools/fs.sh -x", &["tools/fs.sh"]),
            (
                "core.fsmonitor",
                "sh $HOME/repo/tools/fs.sh",
                &["HOME/repo/tools/fs.sh", "tools/fs.sh"],
            ),
            ("core.fsmonitor", "./tools/new.sh", &["tools/new.sh"]),
            ("core.fsmonitor", "\"my tools/fs.sh\" -x", &["my tools/fs.sh", "tools/fs.sh"]),
            ("diff.external", "nice mydiff -x", &["tools/fs.sh"]),
            ("branch.main.merge", "refs/heads/main", &[]),
            ("user.name", "main", &[]),
        ] {
            assert_eq!(named(&[(key, value)]).0, expected, "{key}={value}");
        }
    }

    #[test]
    fn what_is_asked_about() {
        for (key, value, expected) in [
            ("core.fsmonitor", "true", 0),
            ("core.fsmonitor", "/usr/bin/watch", 1),
            ("core.fsmonitor", "tools/fs.sh", 1),
            ("core.fsmonitor", "./tools/new.sh", 1),
            ("core.fsmonitor", "sh tools/fs.sh", 1),
            ("core.fsmonitor", "sh '$(git rev-parse --show-toplevel)/tools/fs.sh'", 1),
            ("core.fsmonitor", "\"my tools/fs.sh\"", 1),
            ("core.fsmonitor", "$HOME/repo/tools/fs.sh", 1),
            ("core.fsmonitor", "main", 1),
            ("core.fsmonitor", "A=1 watch", 1),
            ("filter.f.clean", "nice python3 -m fmt", 1),
            ("filter.f.clean", "git fmt", 1),
            ("filter.git-crypt.clean", "\"git-crypt\" clean", 1),
            ("core.fsmonitor", "watch --with main", 1),
            ("core.fsmonitor", "make -s watch", 1),
            ("filter.x.smudge", "/usr/bin/npm run smudge", 1),
            ("filter.nbstripout.clean", "/usr/bin/python3 -m nbstripout", 1),
            ("filter.x.clean", "/usr/bin/python3.11 -c pass", 1),
            ("filter.lfs.process", "git-lfs filter-process", 0),
            ("filter.lfs.clean", "git-lfs clean -- %f", 0),
            ("diff.external", "mydiff", 1),
            ("diff.png.textconv", "exif", 1),
            ("core.editor", "vim", 0),
            ("core.editor", "code --wait", 0),
            ("core.pager", "cd tools && ./fs.sh", 1),
            ("core.pager", "less -R", 0),
            ("core.pager", "/usr/bin/less -R", 0),
            ("core.pager", "less -kmain", 1),
            ("core.pager", "tools/less", 1),
            ("core.pager", "less | tee main", 1),
            ("core.editor", "'/mnt/c/Program Files/x/x.exe' -w", 1),
            ("submodule.a.update", "checkout", 0),
            ("submodule.a.update", "!sh tools/fs.sh", 1),
            ("core.pager", "delta --config=tools/fs.sh", 1),
            ("pager.log", "tools/fs.sh", 1),
            ("merge.x.driver", "mergiraf merge --git %O %A %B -p %P", 1),
            ("core.sshcommand", "ssh -i ~/.ssh/id", 1),
            ("credential.helper", "!/usr/bin/gh auth git-credential", 0),
            ("credential.helper", "!tools/fs.sh", 1),
            ("credential.helper", "store", 0),
            ("credential.helper", "cache --timeout=3600", 1),
            ("alias.t", "!make test", 0),
            ("mergetool.x.cmd", "npx merge $MERGED", 0),
            ("user.name", "make", 0),
            ("include.path", "~root/x", 1),
        ] {
            assert_eq!(named(&[(key, value)]).1, expected, "{key}={value}");
        }
    }
}
