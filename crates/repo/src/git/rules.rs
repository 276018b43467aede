//! What rules of the repository do to a file: hidden by one, `git add` passes over it without a
//! word; by attributes it is merged in a way of its own.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::{super::NotePath, Git, GitError};

/// A file or folder that git does not track and does not see, and the rule that hides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// A folder, with a `/` at its end, if all of it is hidden.
    pub path: NotePath,
    /// As git says it: file, line and pattern.
    pub rule: String,
}

impl Git {
    /// The value of an attribute for a path (relative to the root), which need not exist; `None` if
    /// nobody has said it.
    pub fn attribute(&self, path: &Path, name: &str) -> Option<String> {
        let path = path.to_str()?;
        let told = self.run(&["check-attr", "-z", name, "--", path]).ok()?;
        let value = String::from_utf8_lossy(told.split(|&byte| byte == 0).nth(2)?).into_owned();
        (value != "unspecified").then_some(value)
    }

    /// Which of these paths, relative to the root, an ignore rule hides; they need not exist. What is
    /// tracked is never hidden.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn ignored(&self, paths: &[&NotePath]) -> Result<FxHashSet<NotePath>, GitError> {
        if paths.is_empty() {
            return Ok(FxHashSet::default());
        }
        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(path.as_bytes());
            input.push(0);
        }
        let told = match self.run_with(&["check-ignore", "-z", "--stdin"], &input) {
            // None of them.
            Err(GitError::Failed { code: Some(1), .. }) => Vec::new(),
            told => told?,
        };
        let paths = told.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(NotePath::new).collect())
    }

    /// What is hidden of these files and folders, which are relative to the root.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn hidden(&self, places: &[&Path]) -> Result<Vec<Hidden>, GitError> {
        let mut arguments: Vec<String> =
            ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--"]
                .map(str::to_owned)
                .into();
        let literally = |place: &&Path| format!(":(top,literal){}", place.display());
        arguments.extend(places.iter().map(literally));
        let hidden = self.run(&arguments)?;
        if hidden.is_empty() {
            return Ok(Vec::new());
        }
        let told = self.run_with(&["check-ignore", "--verbose", "-z", "--stdin"], &hidden)?;
        let fields: Vec<&[u8]> = told.split(|&byte| byte == 0).collect();
        let (found, _) = fields.as_chunks::<4>();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let hidden = |[file, line, pattern, path]: &[&[u8]; 4]| {
            let file = text(file);
            let below = Path::new(&file).strip_prefix(&self.root).unwrap_or(Path::new(&file));
            let rule = format!("{}:{}: {}", below.display(), text(line), text(pattern));
            Hidden { path: NotePath::new(*path), rule }
        };
        Ok(found.iter().map(hidden).collect())
    }
}
