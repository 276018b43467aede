//! The files of a skill: reading a folder without leaving it, and the hash of all of them.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

use super::{Origin, Result, Skill, SkillError, name};
use elophanto_base::{beneath::Folder, platform, regular, visible::is_deceptive};

/// Files of one skill.
pub const MAX_FILES: usize = 200;
/// Bytes of all of them.
pub const MAX_BYTES: u64 = 5 << 20;

/// The file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// Folders inside each other.
const MAX_DEPTH: usize = 8;
/// Bytes of a path.
const MAX_PATH: usize = 400;
/// Entries of folders that are looked at, what is passed over included.
const MAX_ENTRIES: usize = 2_000;

/// A regular file, relative to its skill's folder, with `/` between names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub path: String,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// A path that is not taken along, and what it is.
pub(super) type Skipped = (String, &'static str);

/// All regular files below a folder, sorted by path. Links and special files are passed over and
/// named; `.git` is passed over.
pub(super) fn read_folder(folder: &Path) -> Result<(Vec<Content>, Vec<Skipped>)> {
    let (mut contents, mut skipped, mut left) = (Vec::new(), Vec::new(), MAX_BYTES);
    let mut entries = 0;
    let mut open = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((place, prefix, depth)) = open.pop() {
        let listed = fs::read_dir(&place).map_err(|cause| SkillError::io(&place, cause))?;
        for entry in listed {
            let entry = entry.map_err(|cause| SkillError::io(&place, cause))?;
            entries += 1;
            if entries > MAX_ENTRIES {
                return Err(too_many(folder));
            }
            let kind = entry.file_type().map_err(|cause| SkillError::io(&entry.path(), cause))?;
            let file_name = entry.file_name();
            let path = format!("{prefix}{}", file_name.to_string_lossy());
            if file_name == ".git" {
                continue;
            }
            if kind.is_symlink() {
                skipped.push((path, "a symbolic link"));
            } else if kind.is_dir() {
                if depth + 1 >= MAX_DEPTH {
                    return Err(refused(&path, "too deep"));
                }
                open.push((entry.path(), format!("{path}/"), depth + 1));
            } else if kind.is_file() {
                if file_name.to_str().is_none() {
                    return Err(refused(&path, "not UTF-8"));
                }
                check_path(&path)?;
                if contents.len() >= MAX_FILES {
                    return Err(too_many(folder));
                }
                let (bytes, executable) = read_capped(&entry.path(), left)?;
                left = left.saturating_sub(bytes.len() as u64);
                contents.push(Content { path, bytes, executable });
            } else {
                skipped.push((path, "no regular file"));
            }
        }
    }
    contents.sort_by(|a, b| a.path.cmp(&b.path));
    skipped.sort();
    check_collisions(contents.iter().map(|content| content.path.as_str()))?;
    Ok((contents, skipped))
}

/// The bytes of one regular file that is no link, and whether it may be run.
pub(super) fn read_capped(path: &Path, max: u64) -> Result<(Vec<u8>, bool)> {
    // What was replaced by a link or a pipe since it was listed is neither followed nor waited for.
    let (folder, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
    whole(Folder::open(folder).and_then(|folder| folder.read(Path::new(name))), path, max)
}

/// The same of an absolute path that has no links: none that was put there since is followed.
pub(super) fn read_resolved(path: &Path, max: u64) -> Result<(Vec<u8>, bool)> {
    whole(Folder::open(Path::new("/")).and_then(|root| root.read(path)), path, max)
}

fn whole(opened: io::Result<(File, Metadata)>, path: &Path, max: u64) -> Result<(Vec<u8>, bool)> {
    let failed = |cause| SkillError::io(path, cause);
    let (file, stat) = opened.map_err(failed)?;
    let Some(bytes) = regular::read_capped(file, max).map_err(failed)? else {
        let what = name::shown(&path.to_string_lossy());
        return Err(SkillError::TooLarge { what, max, unit: "bytes" });
    };
    Ok((bytes, platform::is_executable(&stat)))
}

/// Whether a relative path may be written below a skill's folder on every system.
pub(super) fn check_path(path: &str) -> Result<()> {
    let part_is_odd = |part: &str| -> Option<&'static str> {
        if part.is_empty() || part == "." || part == ".." {
            Some("it does not stay below its folder")
        } else if part.eq_ignore_ascii_case(".git") || part.to_ascii_lowercase().starts_with("git~")
        {
            Some("git keeps that name for itself")
        } else if part.len() > 255 {
            Some("a part has more than 255 bytes")
        } else if part.ends_with(['.', ' ']) || part.starts_with([' ', '-']) {
            Some("a part begins or ends with a dot, blank or hyphen")
        } else if name::is_device(part) {
            Some("some systems keep that name for a device")
        } else {
            None
        }
    };
    let hides = |c: char| c.is_control() || is_deceptive(c) || "\\:*?\"<>|".contains(c);
    let why = if path.len() > MAX_PATH {
        "it has more than 400 bytes"
    } else if path.split('/').count() > MAX_DEPTH {
        "too deep"
    } else if path.chars().any(hides) {
        "it holds a character that hides, steers or separates"
    } else if let Some(why) = path.split('/').find_map(part_is_odd) {
        why
    } else {
        return Ok(());
    };
    Err(refused(path, why))
}

fn refused(path: &str, why: &'static str) -> SkillError {
    SkillError::FileName { shown: name::shown(path), why }
}

/// Refuses two paths that some systems take for one, or a file where another needs a folder.
pub(super) fn check_collisions<'a>(paths: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut folded: Vec<(String, &str)> =
        paths.map(|path| (path.to_lowercase().replace('/', "\0"), path)).collect();
    folded.sort();
    for pair in folded.windows(2) {
        if let [(first, _), (second, path)] = pair
            && second
                .strip_prefix(first.as_str())
                .is_some_and(|r| r.is_empty() || r.starts_with('\0'))
        {
            return Err(refused(path, "another file has that name on some systems"));
        }
    }
    Ok(())
}

/// Hash of files sorted by path: of their paths and bytes, not of their modes.
pub(super) fn tree_hash(contents: &[Content]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("elophanto skill tree 1");
    for content in contents {
        for part in [content.path.as_bytes(), &content.bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    format!("blake3:{}", hasher.finalize().to_hex())
}

/// The text of a file of a skill: `SKILL.md` or one of [`Skill::files`]. An installed skill is
/// held against its hash once more.
///
/// # Errors
/// When it has no such file, or the file cannot be read, has more than `max` bytes, or is not what
/// was installed.
pub fn read_file(skill: &Skill, path: &Path, max: u64) -> Result<Vec<u8>> {
    let missing = || SkillError::io(path, std::io::ErrorKind::NotFound.into());
    let known = path == Path::new(SKILL_FILE) || skill.files.iter().any(|(file, _)| file == path);
    if !known {
        return Err(missing());
    }
    let Some(folder) = &skill.folder else {
        return Ok(skill.body.clone().into_bytes());
    };
    if let Origin::Installed { tree, .. } = &skill.origin {
        let is_folder = fs::symlink_metadata(folder).is_ok_and(|stat| stat.is_dir());
        let (contents, skipped) = read_folder(folder)?;
        if !is_folder || !skipped.is_empty() || tree_hash(&contents) != *tree {
            return Err(SkillError::Tampered(skill.name.clone()));
        }
        let found = contents.into_iter().find(|content| Path::new(&content.path) == path);
        let bytes = found.ok_or_else(missing)?.bytes;
        if bytes.len() as u64 > max {
            let what = name::shown(&path.to_string_lossy());
            return Err(SkillError::TooLarge { what, max, unit: "bytes" });
        }
        return Ok(bytes);
    }
    // A folder on the way may have become a link since the files were listed.
    let inside = folder.join(path).canonicalize().map_err(|cause| SkillError::io(path, cause))?;
    let base = folder.canonicalize().map_err(|cause| SkillError::io(folder, cause))?;
    if !inside.starts_with(&base) {
        return Err(missing());
    }
    Ok(read_resolved(&inside, max)?.0)
}

fn too_many(folder: &Path) -> SkillError {
    let what = name::shown(&folder.to_string_lossy());
    SkillError::TooLarge { what, max: MAX_FILES as u64, unit: "files" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(path: &str, allowed: bool) {
        assert_eq!(check_path(path).is_ok(), allowed, "{path:?}");
    }

    #[test]
    fn paths() {
        for path in ["SKILL.md", "scripts/run.sh", "references/über.md", ".hidden", "a/b/c/d"] {
            check(path, true);
        }
        for path in [
            "", "/etc/passwd", "../x", "a/../b", "a//b", "./a", ".git/hooks/x", "a/.GIT/x",
            "GIT~1/x", "a\\b", "C:x", "con", "a/NUL.txt", "a\nb", "a\u{202e}b", "a.", "a ", "-rf",
            "a/-x", "a\0", "1/2/3/4/5/6/7/8/9",
        ] {
            check(path, false);
        }
        check(&"a".repeat(256), false);
        check(&format!("{0}/{0}/{0}", "a".repeat(200)), false);
    }

    #[test]
    fn collisions() {
        let check = |paths: &[&str], allowed: bool| {
            assert_eq!(check_collisions(paths.iter().copied()).is_ok(), allowed, "{paths:?}");
        };
        check(&["a", "b", "a.b", "ab/c"], true);
        check(&["a", "A"], false);
        check(&["a", "a/b"], false);
        check(&["a", "a-b", "a/b"], false);
        check(&["É", "é"], false);
    }

    proptest! {
        #[test]
        fn one_hash_one_tree(
            a in prop::collection::btree_map("[ab/]{1,3}", "[ab]{0,3}", 0..4),
            b in prop::collection::btree_map("[ab/]{1,3}", "[ab]{0,3}", 0..4),
        ) {
            let contents = |files: &std::collections::BTreeMap<String, String>| -> Vec<Content> {
                let content = |(path, text): (&String, &String)| Content {
                    path: path.clone(),
                    bytes: text.clone().into_bytes(),
                    executable: false,
                };
                files.iter().map(content).collect()
            };
            prop_assert_eq!(tree_hash(&contents(&a)) == tree_hash(&contents(&b)), a == b);
        }
    }
}
