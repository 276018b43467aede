//! Git repositories elsewhere, read through git's objects: nothing is checked out.
//!
//! The one place here that calls git. `repo::Git` asks the repository that is worked in and
//! forbids every protocol; this speaks with another repository, so it starts from no environment
//! at all, allows the one protocol of the address, and runs no hook, filter or submodule.

use std::{path::Path, time::Duration};

use super::{MAX_BYTES, Result, SkillError, Source, files::Content, files::Skipped, name, source};
use elophanto_base::process::{self, Environment};

/// Time to fetch a repository.
const FETCH: Duration = Duration::from_secs(120);
/// Time of a question to a repository on this disk.
const ASK: Duration = Duration::from_secs(20);
/// Bytes of a list of files.
const MAX_LIST: usize = 32 << 20;
/// Largest file git may write, in units of 512 bytes (some shells count 1,024): a pack, half a
/// gigabyte at most.
const MAX_PACK_BLOCKS: &str = "524288";
/// The name under which the fetched commit is kept.
const REFERENCE: &str = "refs/elophanto/fetched";

/// Settings that win over those of files: each names a program or has git do more than was asked.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.askPass", ""),
    ("protocol.ext.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.writeCommitGraph", "false"),
    // One pack, whose size the limit on files holds, and large files not in memory at once.
    ("fetch.unpackLimit", "1"),
    ("core.bigFileThreshold", "16m"),
    ("transfer.bundleURI", "false"),
    ("http.followRedirects", "initial"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub path: String,
    pub id: String,
    pub size: u64,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Regular,
    Executable,
    Link,
    Submodule,
}

/// Fetches the newest commit of a repository's main branch into a bare repository of our own,
/// which is made if it is not there; the commit's id.
pub(super) fn fetch(url: &str, bare: &Path, environment: &Environment) -> Result<String> {
    source::check_url(url).map_err(|why| SkillError::Source { shown: name::shown(url), why })?;
    let failed = |said: String| SkillError::Git { url: name::shown(url), said };
    let environment = surroundings(environment, Source::protocol(url));
    if !bare.join("HEAD").is_file() {
        let arguments = ["init", "--bare", "--quiet", "--template="];
        git(bare, &arguments, b"", &environment, ASK, 1 << 12).map_err(failed)?;
    }
    let refspec = format!("+HEAD:{REFERENCE}");
    let arguments = [
        "fetch",
        "--quiet",
        "--depth=1",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--",
        url,
        &refspec,
    ];
    git(bare, &arguments, b"", &environment, FETCH, 1 << 16).map_err(failed)?;
    let arguments =
        ["rev-parse", "--verify", "--end-of-options", &format!("{REFERENCE}^{{commit}}")];
    let said = git(bare, &arguments, b"", &environment, ASK, 1 << 12).map_err(failed)?;
    let commit = String::from_utf8_lossy(&said).trim().to_owned();
    if is_id(&commit) { Ok(commit) } else { Err(failed("git names no commit".to_owned())) }
}

/// All files of a commit, below `folder` if one is given; paths are relative to the repository.
pub(super) fn list(
    bare: &Path,
    commit: &str,
    folder: Option<&str>,
    environment: &Environment,
) -> Result<Vec<Listed>> {
    let failed = |said: String| SkillError::Git { url: name::shown(&bare.to_string_lossy()), said };
    if !is_id(commit) {
        return Err(failed("no commit is named".to_owned()));
    }
    let environment = surroundings(environment, "none");
    let below = folder.map(|folder| format!("{folder}/"));
    let mut arguments = vec!["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
    if let Some(below) = &below {
        arguments.extend(["--", below]);
    }
    let said = git(bare, &arguments, b"", &environment, ASK, MAX_LIST).map_err(failed)?;
    let mut listed = Vec::new();
    for line in said.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let odd = || failed("git's list of files cannot be read".to_owned());
        let at = line.iter().position(|&byte| byte == b'\t').ok_or_else(odd)?;
        let (head, path) = line.split_at(at);
        let head = std::str::from_utf8(head).map_err(|_| odd())?;
        let mut words = head.split_ascii_whitespace();
        let (mode, _, id, size) =
            (words.next().unwrap_or_default(), words.next(), words.next(), words.next());
        let kind = match mode {
            "100755" => Kind::Executable,
            "120000" => Kind::Link,
            "160000" => Kind::Submodule,
            _ => Kind::Regular,
        };
        // A name that is no UTF-8 keeps its marks and is refused where it matters.
        let path = String::from_utf8_lossy(path.get(1..).unwrap_or_default()).into_owned();
        let size = size.and_then(|size| size.parse().ok()).unwrap_or(0);
        listed.push(Listed { path, id: id.unwrap_or_default().to_owned(), size, kind });
    }
    Ok(listed)
}

/// The bytes of files that [`list`] named, in that order.
pub(super) fn read(
    bare: &Path,
    listed: &[&Listed],
    max: u64,
    environment: &Environment,
) -> Result<Vec<Vec<u8>>> {
    let failed = |said: String| SkillError::Git { url: name::shown(&bare.to_string_lossy()), said };
    let total = listed.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if total > max {
        let what = "the skill".to_owned();
        return Err(SkillError::TooLarge { what, max, unit: "bytes" });
    }
    let environment = surroundings(environment, "none");
    let input: String = listed.iter().map(|file| format!("{}\n", file.id)).collect();
    let room =
        usize::try_from(total).unwrap_or(usize::MAX).saturating_add(200 * (listed.len() + 1));
    let said = git(bare, &["cat-file", "--batch"], input.as_bytes(), &environment, ASK, room)
        .map_err(failed)?;
    let mut rest = said.as_slice();
    let mut contents = Vec::with_capacity(listed.len());
    for file in listed {
        let odd = || failed("git's answer cannot be read".to_owned());
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(odd)?;
        let head = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
        let size = usize::try_from(file.size).map_err(|_| odd())?;
        if head != format!("{} blob {size}", file.id) {
            return Err(odd());
        }
        contents.push(rest.get(end + 1..end + 1 + size).ok_or_else(odd)?.to_vec());
        rest = rest.get(end + 2 + size..).unwrap_or_default();
    }
    Ok(contents)
}

/// The files of a skill in a commit, paths relative to its folder (empty for the whole
/// repository), and what was passed over.
pub(super) fn contents(
    bare: &Path,
    commit: &str,
    folder: &str,
    environment: &Environment,
) -> Result<(Vec<Content>, Vec<Skipped>)> {
    let below = (!folder.is_empty()).then_some(folder);
    let listed = list(bare, commit, below, environment)?;
    let prefix = below.map(|folder| format!("{folder}/")).unwrap_or_default();
    let (mut taken, mut skipped) = (Vec::new(), Vec::new());
    for file in &listed {
        let Some(path) = file.path.strip_prefix(&prefix) else { continue };
        match file.kind {
            Kind::Link => skipped.push((path.to_owned(), "a symbolic link")),
            Kind::Submodule => skipped.push((path.to_owned(), "a submodule")),
            Kind::Regular | Kind::Executable => {
                super::files::check_path(path)?;
                taken.push((path.to_owned(), file));
            }
        }
        if taken.len() > super::MAX_FILES || skipped.len() > super::MAX_FILES {
            let max = super::MAX_FILES as u64;
            return Err(SkillError::TooLarge { what: name::shown(folder), max, unit: "files" });
        }
    }
    let files: Vec<&Listed> = taken.iter().map(|(_, file)| *file).collect();
    let bytes = read(bare, &files, MAX_BYTES, environment)?;
    let mut contents: Vec<Content> = taken
        .into_iter()
        .zip(bytes)
        .map(|((path, file), bytes)| Content {
            path,
            bytes,
            executable: file.kind == Kind::Executable,
        })
        .collect();
    contents.sort_by(|a, b| a.path.cmp(&b.path));
    super::files::check_collisions(contents.iter().map(|content| content.path.as_str()))?;
    Ok((contents, skipped))
}

/// Stdout of git in a bare repository, or what it complained of.
fn git(
    bare: &Path,
    arguments: &[&str],
    stdin: &[u8],
    environment: &Environment,
    patience: Duration,
    max: usize,
) -> Result<Vec<u8>, String> {
    let bare = bare.to_str().ok_or("the path of the cache is not UTF-8")?;
    // A shell sets the limit on what git writes, and becomes git; what is named stays arguments.
    let limited = "ulimit -f \"$1\" && shift && exec git \"$@\"";
    let mut argv: Vec<String> =
        ["/bin/sh", "-c", limited, "sh", MAX_PACK_BLOCKS].map(str::to_owned).to_vec();
    match arguments {
        ["init", rest @ ..] => {
            argv.push("init".to_owned());
            argv.extend(rest.iter().map(|&word| word.to_owned()));
            argv.extend(["--".to_owned(), bare.to_owned()]);
        }
        _ => {
            argv.push(format!("--git-dir={bare}"));
            argv.extend(arguments.iter().map(|&word| word.to_owned()));
        }
    }
    let output = process::run(&argv, stdin, environment, patience, max)
        .map_err(|cause| cause.to_string())?;
    if !output.is_success() {
        let said = name::shown(&String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "));
        let ended = || match (output.code, output.signal) {
            (Some(code), _) => format!("git ended with {code}"),
            (None, signal) => format!("git was ended by signal {}", signal.unwrap_or_default()),
        };
        return Err(if said.is_empty() { ended() } else { said });
    }
    if output.stdout.len() >= max {
        return Err("git's answer is too long".to_owned());
    }
    Ok(output.stdout)
}

/// The whole environment of git: what the caller hands on, without what would steer git or holds
/// a key by custom, and what makes it ask nobody.
fn surroundings(given: &Environment, protocol: &str) -> Environment {
    let steers = |name: &str| {
        name.starts_with("GIT_") || name.ends_with("_API_KEY") || name == "SSH_ASKPASS"
    };
    let mut environment: Environment = given
        .iter()
        .filter(|(name, _)| !steers(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut set = |name: &str, value: &str| environment.insert(name.to_owned(), value.to_owned());
    for (name, value) in [
        ("GIT_ALLOW_PROTOCOL", protocol),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ASKPASS", ""),
        ("SSH_ASKPASS_REQUIRE", "never"),
        (
            "GIT_SSH_COMMAND",
            "ssh -oBatchMode=yes -oClearAllForwardings=yes -oPermitLocalCommand=no",
        ),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_LFS_SKIP_SMUDGE", "1"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("LC_ALL", "C"),
    ] {
        set(name, value);
    }
    set("GIT_CONFIG_COUNT", &SETTINGS.len().to_string());
    for (number, (key, value)) in SETTINGS.iter().enumerate() {
        set(&format!("GIT_CONFIG_KEY_{number}"), key);
        set(&format!("GIT_CONFIG_VALUE_{number}"), value);
    }
    environment
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
