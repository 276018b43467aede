//! Which repositories are served, and who is one person, as the settings say.

use std::path::{Path, PathBuf};

use crate::{Error, Result, environment::Environment, workspace::KnowledgeBase};
use elophanto_repo::locate;

/// A repository that conversations may be about.
#[derive(Clone)]
pub struct Served {
    /// What `/repo NAME` calls it: the name of its folder, made unique.
    pub name: String,
    /// Top of its work tree, absolute.
    pub root: PathBuf,
    /// By which it is opened, anew for each call.
    pub base: KnowledgeBase,
}

impl Served {
    /// What the settings say is served (`gateway.repositories`), each once; `around` is the repository
    /// around the current folder, which they call `.`. What is no repository now is told, in words.
    ///
    /// # Errors
    /// When none of them is one, or there is none around the current folder where they name no other.
    pub fn all(
        folders: &[PathBuf],
        around: Option<&Path>,
        environment: &Environment,
    ) -> Result<(Vec<Self>, Vec<String>)> {
        let mut roots: Vec<PathBuf> = Vec::new();
        let mut missing = Vec::new();
        for folder in folders {
            let root = match around {
                Some(around) if folder == Path::new(".") => Ok(around.to_owned()),
                _ => root(folder, environment),
            };
            match root {
                Ok(root) if roots.contains(&root) => {}
                Ok(root) => roots.push(root),
                Err(error) => missing.push(error),
            }
        }
        if roots.is_empty() && !missing.is_empty() {
            return Err(missing.swap_remove(0));
        }
        let missing = missing.iter().map(|error| error.message().to_owned()).collect();
        let names = names(&roots);
        let served = names.into_iter().zip(roots).map(|(name, root)| {
            let base = KnowledgeBase {
                folder: root.clone(),
                environment: environment.clone(),
                within: None,
            };
            Self { name, root, base }
        });
        Ok((served.collect(), missing))
    }
}

/// The repository that an item of the settings names: absolute, or below the user's home.
fn root(folder: &Path, environment: &Environment) -> Result<PathBuf> {
    if folder == Path::new(".") {
        return Err(Error::new("there is no repository around the current folder").hint(
            "go to one, or name in your own settings which are served: gateway.repositories",
        ));
    }
    let named = environment.with_home(&folder.to_string_lossy());
    let named = environment.home().map_or(named.clone(), |home| home.join(&named));
    let found = locate(&named).map(|repository| repository.root);
    found.map_err(|cause| {
        Error::new(format_args!("gateway.repositories names `{}`: {cause}", named.display()))
            .hint("name folders of repositories there: `.`, absolute, or from your home folder on")
    })
}

/// Who is one person: their identities, as `telegram:1`.
pub fn people(same: &[String]) -> Vec<Vec<String>> {
    same.iter().map(|one| one.split_whitespace().map(str::to_owned).collect()).collect()
}

/// Names for repositories: of their folders, made unique.
fn names(roots: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for root in roots {
        let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy());
        let mut unique = name.to_string();
        let mut number = 1;
        while names.contains(&unique) {
            number += 1;
            unique = format!("{name}-{number}");
        }
        names.push(unique);
    }
    names
}
