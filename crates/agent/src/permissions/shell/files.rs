//! Paths that commands name: what writing, reading or running them would touch.

mod lists;

pub use lists::{finds_anything, lists_hidden, shows_content};

use super::{
    env::Env,
    walk::Walker,
    word::{ANY, STAR, Word},
};
use crate::permissions::{decide::goes_by, matching};

/// Devices that anybody may write.
const SINKS: &[&str] =
    &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full"];
/// Folders outside the work tree that anybody may write.
const SCRATCH: &[&str] = &["/tmp", "/var/tmp", "/private/tmp"];
/// Ends of files that no build runs.
const INERT: &[&str] =
    &[".txt", ".log", ".md", ".csv", ".tsv", ".out", ".tmp", ".html", ".xml", ".png", ".svg"];

impl Walker<'_> {
    /// Absolute forms of a path; `None` when it is not known where it leads.
    pub fn absolute(&self, pattern: &str, env: &Env) -> Option<Vec<String>> {
        // `/dev/fd` and much below `/proc` are links: `..` leads elsewhere than its name says.
        if pattern.contains("..") && (pattern.contains("/dev/") || pattern.contains("/proc")) {
            return None;
        }
        if pattern.starts_with('/') {
            return matching::absolute(pattern, "/").map(|path| vec![path]);
        }
        if env.folders.is_empty() {
            return None;
        }
        env.folders
            .iter()
            .map(|folder| matching::absolute(pattern, &folder.to_string_lossy()))
            .collect()
    }

    /// A file is written, moved, removed or its rights are changed.
    pub fn writes(&mut self, word: &Word, env: &Env) {
        let pattern = word.pattern();
        if word.literal().is_some_and(|text| SINKS.contains(&text.as_str())) {
            return;
        }
        if word.is_unknown() {
            self.found.unsure(format!("it is not known which file `{}` is", word.shown()));
        }
        let Some(paths) = self.absolute(&pattern, env) else {
            self.found.unsure(format!("it is not known where `{}` lies", word.shown()));
            return;
        };
        for path in paths {
            self.keep_off(&path, word, true);
            self.asks_for_others(&path, word);
            if path.starts_with("/dev/") || path.starts_with("/proc/") || path.starts_with("/sys/")
            {
                self.found.harm(format!("`{path}` is a device or a switch of the kernel"));
            } else if !self.is_inside(&path) {
                self.found.harm(format!("`{}` lies outside the work tree", word.shown()));
            }
            self.found.written.push(path);
        }
    }

    /// A folder is copied over another: what lies in it may be replaced.
    pub fn merges(&mut self, word: &Word, env: &Env) {
        for path in self.absolute(&word.pattern(), env).unwrap_or_default() {
            if let Some(hold) = self.place.protected.written(&path) {
                let entry = hold.entry;
                self.found.harm(format!("`{}` is protected by the entry `{entry}`", word.shown()));
            } else if let Some(entry) = self.place.protected.below(&path) {
                self.found.harm(format!("`{}` holds the protected `{entry}`", word.shown()));
            }
            self.asks_for_others(&path, word);
            self.found.written.push(path);
        }
    }

    fn is_in_tree(&self, path: &str) -> bool {
        let root = self.place.root.to_string_lossy();
        path.strip_prefix(root.as_ref())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// A builder that is sent elsewhere runs what another tree says.
    pub fn stays_inside(&mut self, program: &str, word: &Word, env: &Env) {
        let pattern = word.pattern();
        let outside = candidates(&pattern)
            .into_iter()
            .filter(|part| part.starts_with(['/', '.']))
            .any(|part| {
                let paths = self.absolute(part, env);
                paths.is_none_or(|paths| !paths.iter().all(|path| self.is_inside(path)))
            });
        if outside && !pattern.contains("://") {
            self.found.unsure(format!("`{program} {}` leads outside the work tree", word.shown()));
        }
    }

    /// The work tree, the home folder or one above gets other rights.
    pub fn guards_roots(&mut self, word: &Word, env: &Env) {
        for path in self.absolute(&word.pattern(), env).unwrap_or_default() {
            if self.covers_home(&path) {
                self.found.harm(format!(
                    "`{}` is or holds the home folder or the work tree",
                    word.shown()
                ));
            }
        }
    }

    fn is_inside(&self, path: &str) -> bool {
        let root = self.place.root.to_string_lossy();
        std::iter::once(root.as_ref()).chain(SCRATCH.iter().copied()).any(|folder| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// A folder goes away, moves, or is changed with everything in it.
    pub fn destroys(&mut self, word: &Word, env: &Env) {
        self.writes(word, env);
        for path in self.absolute(&word.pattern(), env).unwrap_or_default() {
            let parent = path.rsplit_once('/').and_then(|(parent, name)| {
                let all = !name.is_empty() && name.chars().all(|c| matches!(c, STAR | ANY | '.'));
                all.then_some(parent)
            });
            for covered in std::iter::once(path.as_str()).chain(parent) {
                if self.covers_home(covered) {
                    self.found.harm(format!(
                        "`{}` is or holds the home folder, the work tree or the whole system",
                        word.shown()
                    ));
                } else if let Some(entry) = self.place.protected.below(covered) {
                    self.found.deny(format!("`{}` holds the protected `{entry}`", word.shown()));
                }
            }
        }
    }

    /// The folder is `/`, a folder right below, the home folder, the work tree, or above those.
    fn covers_home(&self, path: &str) -> bool {
        let names = matching::names(path);
        let above = |other: &std::path::Path| {
            let other = matching::names(&other.to_string_lossy());
            names.len() <= other.len() && matching::fit(&names, &other) != matching::Fit::Apart
        };
        let shallow = names.len() <= 1 && !path.starts_with("/tmp/");
        shallow || above(self.place.home) || above(self.place.root)
    }

    /// A file is read.
    pub fn reads(&mut self, word: &Word, env: &Env) {
        let pattern = word.pattern();
        let Some(paths) = self.absolute(&pattern, env) else {
            if pattern.starts_with('/') {
                self.found.unsure(format!("it is not known where `{}` leads", word.shown()));
            }
            if !word.is_unknown() {
                self.keep_off(&format!("/{pattern}"), word, false);
            }
            return;
        };
        for path in paths {
            self.keep_off(&path, word, false);
            let plain = SINKS.contains(&path.as_str())
                || matches!(path.as_str(), "/dev/random" | "/dev/urandom" | "/dev/stdin")
                || path.starts_with("/dev/fd/");
            if path.starts_with("/dev/") && !plain {
                self.found.harm(format!("`{path}` is a device"));
            }
            self.found.read.push(path);
        }
    }

    /// A file is read or run as a program.
    pub fn runs(&mut self, word: &Word, env: &Env) {
        let Some(text) = word.literal() else {
            self.found.unsure(format!("it is not known which program `{}` is", word.shown()));
            return;
        };
        if text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/") {
            self.found.unsure(format!("what `{text}` brings is run as a program"));
        }
        self.reads(word, env);
        match self.absolute(&text, env) {
            Some(paths) => {
                if !paths.iter().all(|path| self.is_in_tree(path)) {
                    self.found.unsure(format!("`{text}` is a program outside the work tree"));
                }
                self.found.run.extend(paths);
            }
            None => self.found.run.push(text),
        }
    }

    /// What other programs execute is written only after a question.
    fn asks_for_others(&mut self, path: &str, word: &Word) {
        if let Some(who) = self.place.protected.run_by_others(path) {
            self.found.harm(goes_by(&word.shown(), who));
        }
    }

    fn keep_off(&mut self, path: &str, word: &Word, writes: bool) {
        let protected = self.place.protected;
        let hold = if writes { protected.written(path) } else { protected.read(path) };
        let Some(hold) = hold else { return };
        let (shown, entry) = (word.shown(), hold.entry);
        if hold.is_certain {
            self.found.deny(format!("`{shown}` is protected by the entry `{entry}`"));
        } else {
            self.found.harm(format!("`{shown}` may be what the entry `{entry}` protects"));
        }
    }

    /// Every path that an argument may name, also behind `=`, `:`, `,` or an option's letter. What a
    /// program does with it is not known: naming something protected is enough to ask.
    pub fn mentions(&mut self, word: &Word, env: &Env) {
        let pattern = word.pattern();
        for candidate in candidates(&pattern) {
            let Some(paths) = self.absolute(candidate, env).or_else(|| {
                matching::absolute(candidate, &self.place.root.to_string_lossy()).map(|p| vec![p])
            }) else {
                self.found.unsure(format!("it is not known where `{}` leads", word.shown()));
                continue;
            };
            for path in paths {
                if let Some(hold) = self.place.protected.read(&path) {
                    let entry = hold.entry;
                    let shown = word.shown();
                    if hold.is_certain && candidate == pattern {
                        self.found.deny(format!("`{shown}` is protected by the entry `{entry}`"));
                    } else {
                        self.found
                            .harm(format!("`{shown}` names what the entry `{entry}` protects"));
                    }
                } else if let Some(hold) = self.place.protected.written(&path) {
                    self.found.harm(format!(
                        "`{}` names what the entry `{}` protects",
                        word.shown(),
                        hold.entry
                    ));
                } else {
                    self.asks_for_others(&path, word);
                }
            }
        }
    }

    /// What is judged once all commands are known.
    pub fn conclude(&mut self) {
        let wrote: Vec<String> =
            self.found.written.iter().chain(&self.found.redirected).cloned().collect();
        for run in self.found.run.clone() {
            let made = self.found.unpacks
                || wrote.iter().any(|path| {
                    let (a, b) = (matching::names(path), matching::names(&run));
                    matching::fit(&b, &a) == matching::Fit::Inside
                        // A program that runs a whole folder runs what is written there.
                        || (matching::fit(&a, &b) == matching::Fit::Inside
                            && !INERT.iter().any(|end| path.ends_with(end)))
                });
            if made {
                self.found
                    .unsure(format!("`{run}` is run, and the line itself may have written it"));
            }
        }
        if !self.found.fed.is_empty() {
            self.fed_by_lists_of_files();
        }
        if self.found.links && !wrote.is_empty() {
            self.found.unsure("the line makes links and writes files, maybe through them");
        }
    }
}

/// Parts of an argument that may be paths, the whole first.
fn candidates(pattern: &str) -> Vec<&str> {
    let mut all = vec![pattern];
    for part in pattern.split(['=', ':', ',', '@', ' ', '\n', ';', '(', ')', '"', '\'']) {
        all.push(part);
        if let Some(option) = part.strip_prefix('-') {
            all.extend(option.get(1..));
        }
        all.push(part.trim_start_matches(['+', '!', '^', '>', '<', '|']));
    }
    all.retain(|part| !part.is_empty());
    all
}
