//! Notes left behind: what a note `covers:` changed in commits after the note's own last change.
//!
//! Owns the question to git, which is asked once for each HEAD. A pattern is data from a note: it never becomes an option, magic of
//! its own, or a way out of the repository. When the note changed is `index`'s knowledge; how a
//! drift is told is the caller's.

use std::{
    ffi::OsString,
    time::{Duration, Instant},
};

use globset::{Glob, GlobBuilder};
use rayon::prelude::*;

use crate::{
    Snapshot,
    store::{self, Malformed, manifest::Place, segment::Attributes},
};
use elophanto_repo::{
    CommitId, Git, GitError, NotePath,
    history::{Age, Made},
};

/// Commits of a drift that are named.
pub const NAMED: usize = 5;
/// Patterns of one note that are looked at.
const MOST_PATTERNS: usize = 100;
/// A longer pattern names nothing, in bytes.
const MOST_PATTERN_BYTES: usize = 4 * 1024;
/// This much of a line of the log is kept, in bytes.
const MOST_LINE_BYTES: usize = 512;

/// A note whose sources changed after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    pub path: NotePath,
    /// The note's own last change, in seconds since 1970.
    pub since: i64,
    /// Commits that touched what it covers.
    pub total: usize,
    /// The newest [`NAMED`] of them, newest first.
    pub commits: Vec<Later>,
}

/// A commit that touched what a note covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Later {
    pub id: CommitId,
    /// Committer's time in seconds since 1970.
    pub time: i64,
    /// First line of its message, as it was written.
    pub subject: String,
}

/// What git tells of the commits after one that touched some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The newest [`NAMED`] of them, newest first.
    pub commits: Vec<Later>,
    pub total: usize,
}

/// Which notes have drifted.
#[derive(Debug, Default)]
pub struct Drifts {
    /// In the order of the paths that were asked about.
    pub found: Vec<Drift>,
    /// Notes of which git could not tell.
    pub untold: Vec<(NotePath, GitError)>,
}

/// Which of the notes at these paths have drifted, as far as git tells within `patience`. A note
/// that is not committed as it lies there has just been looked after; one whose age is unknown
/// cannot be judged.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn drifted<'p>(
    git: &Git,
    snapshot: &Snapshot,
    paths: impl IntoIterator<Item = &'p NotePath>,
    patience: Duration,
) -> Result<Drifts, Malformed> {
    let Some(head) = snapshot.history.head else { return Ok(Drifts::default()) };
    let mut asked = Vec::new();
    for path in paths {
        let Ok(index) = snapshot.files.binary_search_by(|file| file.path.cmp(path)) else {
            continue;
        };
        let file = &snapshot.files[index];
        let Place::Document { segment, document } = file.place else { continue };
        let part = snapshot.parts.get(segment as usize).ok_or(Malformed)?;
        let attributes = part.loaded.segment.document(document as usize)?.attributes;
        let Attributes::Note { covers } = attributes else { continue };
        if !covers.is_empty()
            && let Age::Committed(made) = snapshot.history.age(path, &file.blob)
        {
            let wanted = pathspecs(&covers, path);
            if made.commit != head && !wanted.is_empty() {
                asked.push((path, made, wanted));
            }
        }
    }
    if asked.is_empty() {
        return Ok(Drifts::default());
    }
    let file = git.git_dir().join("elophanto/drift");
    let mut answers = store::drift::load(&file, &snapshot.history);
    let deadline = Instant::now() + patience;
    let told: Vec<_> = asked
        .into_par_iter()
        .map(|(path, made, wanted)| {
            let key = (made.commit, key(&wanted));
            if let Some(known) = answers.get(&key) {
                return (path, made, key, Ok(known.clone()));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let told = later(&git.clone().with_timeout(left), made, head, &wanted);
            (path, made, key, told)
        })
        .collect();
    let mut drifts = Drifts::default();
    let mut is_new = false;
    for (path, made, key, told) in told {
        let path = path.clone();
        match told {
            Ok(told) => {
                is_new |= answers.insert(key, told.clone()).is_none();
                let Told { commits, total } = told;
                if total > 0 {
                    drifts.found.push(Drift { path, since: made.time, total, commits });
                }
            }
            Err(cause) => drifts.untold.push((path, cause)),
        }
    }
    if is_new {
        // Where nothing can be written, git is asked the next time too.
        let _ = store::drift::save(&file, &snapshot.history, &answers);
    }
    Ok(drifts)
}

/// By what it is remembered which files were asked about.
fn key(pathspecs: &[OsString]) -> Vec<u8> {
    pathspecs.iter().flat_map(|it| it.as_encoded_bytes().iter().chain(&[0])).copied().collect()
}

/// The commits after `made` that touched the paths.
fn later(git: &Git, made: Made, head: CommitId, pathspecs: &[OsString]) -> Result<Told, GitError> {
    let range = format!("{}..{head}", made.commit);
    let mut arguments: Vec<OsString> = [
        "log",
        "-z",
        "--no-color",
        "--no-notes",
        "--no-follow",
        "--no-ext-diff",
        "--no-textconv",
        "--encoding=UTF-8",
        "--format=%H %ct %s",
        range.as_str(),
        "--",
    ]
    .map(OsString::from)
    .into();
    arguments.extend_from_slice(pathspecs);
    let (mut commits, mut total) = (Vec::new(), 0);
    let mut line: Vec<u8> = Vec::new();
    let mut odd = false;
    git.stream(&arguments, b"", &mut |bytes| {
        for piece in bytes.split_inclusive(|&byte| byte == 0) {
            let (text, ends) = match piece {
                [text @ .., 0] => (text, true),
                text => (text, false),
            };
            let room = MOST_LINE_BYTES.saturating_sub(line.len()).min(text.len());
            line.extend_from_slice(&text[..room]);
            if ends {
                total += 1;
                if commits.len() < NAMED {
                    match parse(&line) {
                        Some(commit) => commits.push(commit),
                        None => odd = true,
                    }
                }
                line.clear();
            }
        }
        !odd
    })?;
    if odd {
        return Err(GitError::Odd("an odd line in `git log`".to_owned()));
    }
    Ok(Told { commits, total })
}

/// `<id> <time> <subject>`
fn parse(line: &[u8]) -> Option<Later> {
    let mut words = line.splitn(3, |&byte| byte == b' ');
    let id = CommitId::from_hex(words.next()?)?;
    let time = std::str::from_utf8(words.next()?).ok()?.parse().unwrap_or_default();
    Some(Later { id, time, subject: String::from_utf8_lossy(words.next()?).into_owned() })
}

/// What is asked of git for the patterns of the note at `path`: each as a pattern from the top,
/// and what lies below it, but neither the note itself nor our own files. Empty if no pattern can
/// name anything.
fn pathspecs(covers: &[&str], path: &NotePath) -> Vec<OsString> {
    let mut specs: Vec<OsString> = Vec::new();
    for pattern in covers.iter().take(MOST_PATTERNS).filter_map(|pattern| plain(pattern)) {
        specs.push(format!(":(top,glob){pattern}").into());
        specs.push(format!(":(top,glob){pattern}/**").into());
    }
    if !specs.is_empty() {
        specs.push(":(top,exclude,literal).elophanto".into());
        let mut note = OsString::from(":(top,exclude,literal)");
        note.push(path.as_path());
        specs.push(note);
    }
    specs
}

/// What matches the paths of files that a pattern names, as git takes it: `*` and `?` stop at `/`, and
/// braces are letters. None if the pattern can name nothing in the repository.
pub fn globs(pattern: &str) -> Vec<Glob> {
    let Some(pattern) = plain(pattern) else { return Vec::new() };
    let mut letters = String::with_capacity(pattern.len());
    let (mut is_escaped, mut is_class) = (false, false);
    for char in pattern.chars() {
        if matches!(char, '{' | '}') && !is_escaped && !is_class {
            letters.push('\\');
        }
        is_class = if is_escaped { is_class } else { char == '[' || is_class && char != ']' };
        is_escaped = char == '\\' && !is_escaped;
        letters.push(char);
    }
    let glob = |text: &str| GlobBuilder::new(text).literal_separator(true).build().ok();
    [glob(&letters), glob(&format!("{letters}/**"))].into_iter().flatten().collect()
}

/// A pattern relative to the top; `None` if it cannot name anything in the repository.
fn plain(pattern: &str) -> Option<String> {
    if pattern.is_empty() || pattern.len() > MOST_PATTERN_BYTES || pattern.contains('\0') {
        return None;
    }
    let parts: Vec<&str> =
        pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    match parts[..] {
        [] => Some("**".to_owned()),
        _ if parts.contains(&"..") => None,
        // It would escape what is put behind it.
        [.., last] if last.chars().rev().take_while(|&char| char == '\\').count() % 2 == 1 => None,
        _ => Some(parts.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_data() {
        for (pattern, expected) in [
            ("src/*.rs", Some("src/*.rs")),
            ("src/", Some("src")),
            ("./src//a", Some("src/a")),
            ("/src", Some("src")),
            (".", Some("**")),
            ("/", Some("**")),
            ("-rf", Some("-rf")),
            (":(exclude)src", Some(":(exclude)src")),
            (":!src", Some(":!src")),
            ("..hidden", Some("..hidden")),
            ("", None),
            ("../x", None),
            ("src/../../x", None),
            ("a\0b", None),
            ("src\\", None),
            ("src\\\\", Some("src\\\\")),
        ] {
            assert_eq!(plain(pattern).as_deref(), expected, "{pattern:?}");
        }
        assert_eq!(plain(&"x".repeat(MOST_PATTERN_BYTES + 1)), None);
    }

    #[test]
    fn files_are_matched_as_git_does() {
        for (pattern, path, expected) in [
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/**/*.rs", "src/b/c/a.rs", true),
            ("./src//b/", "src/b/a.rs", true),
            ("/", "a/b", true),
            ("s?c", "s/c", false),
            ("a{b,c}", "ab", false),
            ("a{b,c}", "a{b,c}", true),
            ("a\\{b", "a{b", true),
            ("[{]b", "{b", true),
            ("../src", "src/a", false),
            ("", "a", false),
        ] {
            let is_match = globs(pattern).iter().any(|it| it.compile_matcher().is_match(path));
            assert_eq!(is_match, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn the_note_itself_is_left_out() {
        let shown = |covers: &[&str]| {
            let specs = pathspecs(covers, &"docs/:(glob).md".into());
            specs.iter().map(|spec| spec.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(&["../x"]), "");
        assert_eq!(
            shown(&["docs", "../x"]),
            ":(top,glob)docs :(top,glob)docs/** :(top,exclude,literal).elophanto \
             :(top,exclude,literal)docs/:(glob).md"
        );
    }

    #[test]
    fn lines_of_the_log() {
        let id = "1".repeat(40);
        let check = |line: String, expected: Option<(i64, &str)>| {
            let found = parse(line.as_bytes());
            let found = found.as_ref().map(|commit| (commit.time, commit.subject.as_str()));
            assert_eq!(found, expected, "{line}");
        };
        check(format!("{id} 12 a b"), Some((12, "a b")));
        check(format!("{id} 12 "), Some((12, "")));
        check(format!("{id}  a"), Some((0, "a")));
        check("x 12 a".to_owned(), None);
    }
}
