//! The user's own rules, and those of a repository, which can only narrow.
//!
//! Owns the form of the two files, how they are joined, and which rule fits a call. It refuses to
//! know where the files lie.

use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};

use super::{Action, Call, Decision, matching, shell::Findings};

mod edit;
mod parse;

pub use edit::{Rule, add_rule, rule_for};

/// Rules of one file.
pub(super) const MAX_RULES: usize = 2_000;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user's own: it may widen.
    User,
    /// The repository's: it may narrow.
    Repository,
}

/// Why a file of rules was refused. Lines are 1-based.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    #[error("the rules are not UTF-8")]
    NotText,
    #[error(transparent)]
    Yaml(#[from] elophanto_base::yaml::YamlError),
    #[error("line {line}: unknown key `{key}`")]
    UnknownKey { line: usize, key: String },
    #[error("line {line}: `{key}` must be {expected}")]
    Form { line: usize, key: String, expected: &'static str },
    #[error("line {line}: `{key}` is no pattern: {reason}")]
    Pattern { line: usize, key: String, reason: String },
    #[error("more than {MAX_RULES} rules")]
    TooMany,
    #[error("the rules can't be changed without touching the rest of the file")]
    NotEditable,
}

/// What the files say.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(super) tools: Vec<(String, Decision)>,
    pub(super) commands: Vec<(Vec<String>, Decision)>,
    pub(super) paths: Vec<PathRule>,
    pub(super) hosts: Vec<(String, GlobMatcher, Decision)>,
    /// What a repository's file wanted to allow, as text: it counts for nothing.
    pub ignored: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct PathRule {
    /// Relative to the root, or absolute.
    pub glob: String,
    matcher: GlobSet,
    /// The folders and the file that it names before its first wildcard.
    begins: PathBuf,
    /// It is about writing, not about reading.
    pub writes: bool,
    pub decision: Decision,
}

impl PathRule {
    /// What allows holds as it is written. What asks or denies holds for everything below what it
    /// names as well, and a name alone wherever it stands, as in `.gitignore`.
    pub fn new(glob: &str, writes: bool, decision: Decision) -> Result<Self, globset::Error> {
        let plain = glob.strip_prefix("./").unwrap_or(glob);
        let plain = match plain.strip_suffix('/') {
            Some(folder) => format!("{folder}/**"),
            None => plain.to_owned(),
        };
        // From the root of the work tree, unless that leads to the work tree by itself.
        let relative = plain.trim_start_matches('/').to_owned();
        let mut globs = vec![relative.clone(), plain.clone()];
        if decision != Decision::Allow {
            globs.extend([format!("{relative}/**"), format!("{plain}/**")]);
            if !plain.contains('/') {
                globs.extend([format!("**/{plain}"), format!("**/{plain}/**")]);
            }
        }
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            set.add(self::glob(&glob)?);
        }
        let is_open = |name: &&str| name.contains(['*', '?', '[', '{', '\\']);
        let begins = relative.split('/').take_while(|name| !is_open(name)).collect();
        Ok(Self { glob: glob.to_owned(), matcher: set.build()?, begins, writes, decision })
    }

    /// What it says of a path in the work tree. If that may be a folder with something in it that
    /// the rule keeps from being touched, somebody is to be asked.
    fn says(&self, path: &Path, root: &Path) -> Option<Decision> {
        let inside = path.strip_prefix(root).ok()?;
        // Of `docs/*` the folder is known.
        let is_known = |part: &Component| !matching::is_open(&part.as_os_str().to_string_lossy());
        let known: PathBuf = inside.components().take_while(is_known).collect();
        let is_strict = self.decision != Decision::Allow;
        // A rule for all that is in a folder is one for the folder.
        let is_meant = self.matcher.is_match(inside)
            || self.matcher.is_match(path)
            || is_strict && self.matcher.is_match(inside.join("any"));
        if is_meant {
            return Some(self.decision);
        }
        let holds = is_strict && self.begins.starts_with(&known);
        holds.then_some(Decision::Ask)
    }
}

fn glob(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).build()
}

pub(super) fn matcher(text: &str) -> Result<GlobMatcher, globset::Error> {
    glob(text).map(|glob| glob.compile_matcher())
}

impl Rules {
    /// Reads a file of rules.
    ///
    /// # Errors
    /// [`RulesError`] names the line and the key.
    pub fn parse(text: &[u8], owner: Owner) -> Result<Self, RulesError> {
        parse::parse(text, owner)
    }

    /// Both files. Of the repository's, what allows is ignored, whoever parsed it.
    pub fn joined(user: Self, repository: Self) -> Self {
        let mut all = user;
        let repository = repository.narrowed();
        all.tools.extend(repository.tools);
        all.commands.extend(repository.commands);
        all.paths.extend(repository.paths);
        all.hosts.extend(repository.hosts);
        all.ignored.extend(repository.ignored);
        all
    }

    fn narrowed(mut self) -> Self {
        let allows = |decision: &Decision| *decision == Decision::Allow;
        for (tool, _) in self.tools.extract_if(.., |(_, d)| allows(d)) {
            self.ignored.push(format!("tool {tool}"));
        }
        for (run, _) in self.commands.extract_if(.., |(_, d)| allows(d)) {
            self.ignored.push(format!("command {}", run.join(" ")));
        }
        for rule in self.paths.extract_if(.., |rule| allows(&rule.decision)) {
            self.ignored.push(format!("path {}", rule.glob));
        }
        for (host, ..) in self.hosts.extract_if(.., |(_, _, d)| allows(d)) {
            self.ignored.push(format!("host {host}"));
        }
        self
    }

    /// Tools that have a rule of their own, by name.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|(tool, _)| tool.as_str())
    }

    /// These rules and one more.
    #[must_use]
    pub fn with_rule(mut self, rule: &Rule, decision: Decision) -> Self {
        match rule {
            Rule::Tool { name } => self.tools.push((name.clone(), decision)),
            Rule::Command { run } => self.commands.push((run.clone(), decision)),
            Rule::Write { glob } => {
                if let Ok(rule) = PathRule::new(glob, true, decision) {
                    self.paths.push(rule);
                }
            }
            Rule::Host { host } => {
                if let Ok(matcher) = matcher(host) {
                    self.hosts.push((host.clone(), matcher, decision));
                }
            }
        }
        self
    }

    /// The decision of the rules that fit: the strictest. `None` when none fits.
    pub(super) fn decision(
        &self,
        call: &Call,
        found: Option<&Findings>,
        root: &Path,
    ) -> Option<Decision> {
        let tool = self.tools.iter().filter(|(name, _)| name == call.tool).map(|(_, d)| *d).max();
        let pattern = match (&call.action, found) {
            (Action::Shell { .. }, Some(found)) => self.line(found, root),
            (Action::Write { paths }, _) => every(paths.iter().map(|p| self.path(p, root, true))),
            (Action::Read { paths }, _) => every(paths.iter().map(|p| self.path(p, root, false))),
            (Action::Reach { host }, _) => self.host(host),
            // What a rule lets others write is no reason to let it be recorded.
            (Action::Record { paths }, _) => {
                let says = paths.iter().filter_map(|path| self.path(path, root, true));
                says.filter(|says| *says != Decision::Allow).max()
            }
            _ => None,
        };
        // A rule for a pattern that allows does not lift one that asks before the whole tool.
        tool.into_iter().chain(pattern).max()
    }

    /// A line is allowed if every command and every file it writes is.
    fn line(&self, found: &Findings, root: &Path) -> Option<Decision> {
        let commands = found.commands.iter().map(|argv| self.command(argv));
        let files = found.redirected.iter().map(|path| self.path(Path::new(path), root, true));
        // What commands say that they write or read is no reason to let them.
        let narrows = |path: &String, writes| {
            self.path(Path::new(path), root, writes).filter(|says| *says != Decision::Allow)
        };
        let written = found.written.iter().filter_map(|path| narrows(path, true));
        let read = found.read.iter().filter_map(|path| narrows(path, false));
        every(commands.chain(files)).into_iter().chain(written).chain(read).max()
    }

    /// What a rule allows, it allows as it is written; what it asks before or denies, under any name
    /// that the program has, and with more words behind.
    fn command(&self, argv: &[String]) -> Option<Decision> {
        let plain = plain(argv);
        let says = |(run, decision): &(Vec<String>, Decision)| {
            let begins = |argv: &[String]| {
                let run = self::plain(run);
                let run = run.strip_suffix(&["**".to_owned()][..]).unwrap_or(&run);
                argv.len() >= run.len() && words_fit(run, argv)
            };
            let is_strict = *decision != Decision::Allow;
            let is_meant = fits(run, argv) || is_strict && (begins(argv) || begins(&plain));
            is_meant.then_some(*decision)
        };
        self.commands.iter().filter_map(says).max()
    }

    fn path(&self, path: &Path, root: &Path, writes: bool) -> Option<Decision> {
        let rules = self.paths.iter().filter(|rule| rule.writes == writes);
        rules.filter_map(|rule| rule.says(path, root)).max()
    }

    fn host(&self, host: &str) -> Option<Decision> {
        let host = host.trim_end_matches('.').to_lowercase();
        self.hosts.iter().filter(|(_, glob, _)| glob.is_match(&host)).map(|(_, _, d)| *d).max()
    }
}

/// The strictest; allowed only if every one is.
fn every(decisions: impl Iterator<Item = Option<Decision>>) -> Option<Decision> {
    let all: Vec<Option<Decision>> = decisions.collect();
    let strictest = all.iter().copied().flatten().max()?;
    if strictest == Decision::Allow && all.contains(&None) { None } else { Some(strictest) }
}

/// A command without the folder of its program, and of git without what comes before its verb.
fn plain(argv: &[String]) -> Vec<String> {
    /// Options of git itself that take a word of their own.
    const WITH_VALUE: [&str; 6] =
        ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];
    let Some((program, arguments)) = argv.split_first() else { return Vec::new() };
    let program = program.rsplit('/').next().unwrap_or(program);
    let mut arguments = arguments;
    while program == "git"
        && let Some((option, rest)) = arguments.split_first()
        && option.starts_with('-')
    {
        let skipped = usize::from(WITH_VALUE.contains(&option.as_str()));
        arguments = rest.get(skipped..).unwrap_or_default();
    }
    std::iter::once(program.to_owned()).chain(arguments.iter().cloned()).collect()
}

/// `*` is one word, `**` at the end the rest.
fn fits(run: &[String], argv: &[String]) -> bool {
    if let Some((last, head)) = run.split_last()
        && last == "**"
    {
        return argv.len() >= head.len() && words_fit(head, argv);
    }
    run.len() == argv.len() && words_fit(run, argv)
}

fn words_fit(run: &[String], argv: &[String]) -> bool {
    run.iter().zip(argv).all(|(wanted, word)| wanted == "*" || wanted == word)
}

#[cfg(test)]
mod tests;
