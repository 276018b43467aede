//! Which names a file imports or links to, read off its lines: rough, but cheap enough to be done
//! for every file, so that what many others lean on is described first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::state::Seen;
use elophanto_repo::NotePath;
use elophanto_text::outline::Family;

/// Names kept of one file.
const MOST_NAMES: usize = 256;
/// Text that is looked at, in bytes.
const MOST_BYTES: usize = 256 * 1024;
/// A line that imports begins with one of these.
const IMPORTS: &[&str] = &[
    "use ", "pub use ", "pub(crate) use ", "mod ", "pub mod ", "import ", "from ", "export ",
    "#include", "require", "source ", ". ", "const ", "ExecStart", "package ", "@import",
    "extern ",
];
/// Files that stand for their folder.
const FOLDER_STEMS: &[&str] = &["mod", "index", "__init__", "lib", "main"];

/// Hashes of the names that a text imports (source code) or links to (everything else).
pub fn names(family: Family, text: &str) -> Vec<u32> {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or_default();
    let mut found = FxHashSet::default();
    for line in text.lines() {
        let line = line.trim_start();
        let pieces: &str = match family {
            Family::Source => match IMPORTS.iter().any(|word| line.starts_with(word)) {
                true if line.starts_with("const ") && !line.contains("require(") => continue,
                true => line,
                false => continue,
            },
            Family::Documentation | Family::Configuration | Family::Services => {
                if !line.contains('/') && !line.contains("](") && !line.contains("[[") {
                    continue;
                }
                line
            }
        };
        for name in pieces.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '-')
        {
            if name.len() >= 3 && found.len() < MOST_NAMES {
                found.insert(hash(name));
            }
        }
    }
    let mut found: Vec<u32> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// How many files use each name.
pub struct Uses(FxHashMap<u32, u32>);

impl Uses {
    pub fn count(files: &[Seen]) -> Self {
        let mut counts = FxHashMap::default();
        for name in files.iter().flat_map(|file| &file.uses) {
            *counts.entry(*name).or_default() += 1;
        }
        Self(counts)
    }

    /// How many files use the name of this one.
    pub fn of(&self, path: &NotePath) -> u32 {
        let stem = path.stem();
        let folder = path.as_path().parent().and_then(|folder| folder.file_name());
        let name = match folder.and_then(|folder| folder.to_str()) {
            Some(folder) if FOLDER_STEMS.contains(&stem.as_str()) => folder.to_owned(),
            _ => stem,
        };
        self.0.get(&hash(&name)).copied().unwrap_or(0)
    }
}

fn hash(name: &str) -> u32 {
    twox_hash::XxHash3_64::oneshot(name.to_lowercase().as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, text: &str, name: &str, expected: bool) {
        assert_eq!(names(family, text).contains(&hash(name)), expected, "{text:?}: {name}");
    }

    #[test]
    fn names_of_imports_and_links() {
        check(Family::Source, "use elophanto_net::http::retry::Policy;\n", "retry", true);
        check(Family::Source, "from .models import User\n", "models", true);
        check(Family::Source, "const a = require('./api')\n", "api", true);
        check(Family::Source, "const RETRY: u32 = 3;\n", "retry", false);
        check(Family::Source, "let retry = 3;\n", "retry", false);
        check(Family::Documentation, "see [x](src/http/retry.rs)\n", "retry", true);
        check(Family::Documentation, "we retry twice\n", "retry", false);
    }

    #[test]
    fn a_module_file_stands_for_its_folder() {
        let seen = |path: &str, text: &str| Seen {
            path: path.into(),
            stat: elophanto_repo::FileStat::default(),
            recorded: 0,
            blob: elophanto_repo::BlobId::of(text.as_bytes()),
            verdict: super::super::state::Verdict::Text,
            uses: names(Family::Source, text),
        };
        let files = [
            seen("a.rs", "use elophanto_net::http::Client;\n"),
            seen("b.rs", "use elophanto_net::http;\n"),
        ];
        let uses = Uses::count(&files);
        assert_eq!(uses.of(&"src/http/mod.rs".into()), 2);
        assert_eq!(uses.of(&"src/http.rs".into()), 2);
        assert_eq!(uses.of(&"src/client.rs".into()), 1);
        assert_eq!(uses.of(&"src/other.rs".into()), 0);
    }
}
