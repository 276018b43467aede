//! Skills end to end: real folders, real git repositories by path.

mod bundle;
mod discovery;
mod goals;
mod hostile;
mod hubs;
mod installs;
mod places;
mod sources;
mod warned;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::*;
use elophanto_base::process::{self, Environment};

/// A folder with everything that lies outside.
pub(super) struct Desk {
    root: tempfile::TempDir,
    environment: Environment,
    hub: Option<String>,
}

impl Desk {
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"].join(":");
        let home = root.path().join("home");
        fs::create_dir_all(&home).unwrap();
        let environment =
            [("PATH".to_owned(), path), ("HOME".to_owned(), home.to_str().unwrap().to_owned())]
                .into();
        Self { root, environment, hub: None }
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A skill's folder.
    pub(super) fn skill(&self, folder: &str, description: &str) -> PathBuf {
        let name = folder.rsplit('/').next().unwrap();
        self.write(&format!("{folder}/SKILL.md"), skill_text(name, description));
        self.at(folder)
    }

    pub(super) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let mut argv =
            vec!["git".to_owned(), "-C".to_owned(), self.at(folder).to_str().unwrap().to_owned()];
        argv.extend(arguments.iter().map(|&word| word.to_owned()));
        let mut environment = self.environment.clone();
        for who in ["AUTHOR", "COMMITTER"] {
            environment.insert(format!("GIT_{who}_NAME"), "T".to_owned());
            environment.insert(format!("GIT_{who}_EMAIL"), "t@example.org".to_owned());
        }
        let output =
            process::run(&argv, b"", &environment, Duration::from_secs(30), 1 << 20).unwrap();
        assert!(output.is_success(), "{argv:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits all that lies in a folder, and brings it into a bare repository beside it; the
    /// address of that and the commit.
    pub(super) fn publish(&self, folder: &str) -> (String, String) {
        let bare = format!("{folder}.git");
        if !self.at(&bare).exists() {
            fs::create_dir_all(self.at(&bare)).unwrap();
            self.git(folder, &["init", "--quiet", "--initial-branch=main"]);
            self.git(&bare, &["init", "--quiet", "--bare", "--initial-branch=main"]);
        }
        self.git(folder, &["add", "--all", "--force"]);
        self.git(folder, &["commit", "--quiet", "--allow-empty", "-m", "change"]);
        self.git(folder, &["push", "--quiet", self.at(&bare).to_str().unwrap(), "+main:main"]);
        (format!("file://{}", self.at(&bare).display()), self.git(folder, &["rev-parse", "HEAD"]))
    }

    pub(super) fn places(&self) -> Places {
        Places {
            user: Some(self.at("user")),
            repository: Some(self.at("repo")),
            installed: self.installed(),
        }
    }

    pub(super) fn installed(&self) -> PathBuf {
        self.at("data/skills")
    }

    pub(super) fn cache(&self) -> PathBuf {
        self.at("cache")
    }

    pub(super) fn plan(&self, source: &str) -> Result<Plan> {
        let (environment, cache) = (&self.environment, &self.cache());
        let outside = Outside { environment, cache, hub: self.hub.as_deref() };
        plan_install(&Source::parse(source)?, &self.installed(), &outside)
    }

    pub(super) fn plan_update(&self, name: &str) -> Result<Plan> {
        let (environment, cache) = (&self.environment, &self.cache());
        let outside = Outside { environment, cache, hub: self.hub.as_deref() };
        plan_update(name, &self.installed(), &outside)
    }

    /// Plans, agrees and installs.
    pub(super) fn install(&self, source: &str) -> Result<Plan> {
        let plan = self.plan(source)?;
        install(&plan, &plan.tree, &self.installed())?;
        Ok(plan)
    }

    pub(super) fn discover(&self) -> Discovered {
        discover(&self.places())
    }

    /// The skill that is used under a name.
    pub(super) fn used(&self, name: &str) -> Option<Skill> {
        self.discover().skills.into_iter().find(|skill| skill.name == name)
    }
}

pub(super) fn skill_text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nOne\nTwo\n")
}

/// The names of what lies in a folder, sorted, without those that begin with a dot.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let Ok(listed) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        listed.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}
