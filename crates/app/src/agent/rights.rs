//! What the agent may do here: the user's rules and the repository's, and what is out of its reach.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::modes::Shared;
use crate::{
    Error, Result, Workspace,
    config::{AgentMode, has_conflict_marks},
    hooks,
    pages::folders,
};
use elophanto_agent::{
    permissions::{
        Call, Circumstances, Mode, Owner, Protected, Rules, Verdict, add_rule, core, decide,
        rule_for,
    },
    tools::OutOfReach,
};
use elophanto_base::mount_placeholder::is_placeholder;
use elophanto_index::store::lock;
use elophanto_repo::{Git, NotePath, Repository, Side, read_if_there, read_note, write_beneath};

/// Both files are called so.
const FILE: &str = "permissions.yaml";
/// Bytes of one.
const MOST_FILE: u64 = 256 * 1024;
/// The name of the package, which marks the product's own repository.
const PACKAGE: &str = "elophanto";

/// What decides about calls.
pub struct Rights {
    root: PathBuf,
    /// The user's home; `/` where it is not known.
    pub home: PathBuf,
    /// What runs without asking.
    pub mode: Arc<Shared>,
    /// What no call may write, whoever approves.
    pub protected: Arc<Protected>,
    /// The same as paths, whether they exist or not: what no program writes.
    pub paths: Vec<PathBuf>,
    own: Rules,
    repository: Rules,
    rules: Rules,
    /// The user's own file; `None` where they have no home.
    file: Option<PathBuf>,
}

impl Rights {
    /// Reads both files.
    ///
    /// # Errors
    /// When one cannot be understood: nothing is decided by half of the rules.
    pub fn open(workspace: &Workspace) -> Result<Self> {
        let environment = &workspace.environment;
        let root = workspace.repository.root.clone();
        let home = environment.home().unwrap_or_else(|| PathBuf::from("/"));
        let folder = environment.config_home().map(|folder| folder.join("elophanto"));
        let file = folder.map(|folder| folder.join(FILE));
        let own = match &file {
            Some(file) => parsed(read(file)?, Owner::User, file)?,
            None => Rules::default(),
        };
        let theirs = root.join(".elophanto").join(FILE);
        let repository = of_repository(&workspace.repository, &theirs)?;
        let rules = Rules::joined(own.clone(), repository.clone());
        let is_own = is_own(&workspace.repository);
        let outside = outside(workspace);
        let mut paths: Vec<PathBuf> =
            core(is_own).into_iter().map(|path| root.join(path)).collect();
        paths.push(root.join(".git"));
        // What the agent obeys, it does not write.
        let pages = folders(&workspace.config.knowledge.write_root);
        paths.extend(pages.iter().map(|folder| root.join(folder)));
        paths.extend(outside.iter().cloned());
        let protected = Protected::new(&root, outside, is_own).and(&root, &pages);
        let protected = Arc::new(protected);
        let mode = Arc::new(Shared::new(workspace.config.agent.mode.into()));
        Ok(Self { root, home, mode, protected, paths, own, repository, rules, file })
    }

    /// Reads both files anew; what runs without asking stays as it was set.
    ///
    /// # Errors
    /// When one cannot be understood: nothing is decided by half of the rules, nor by older ones.
    pub fn look_again(&mut self, workspace: &Workspace) -> Result<()> {
        let mode = Arc::clone(&self.mode);
        *self = Self { mode, ..Self::open(workspace)? };
        Ok(())
    }

    /// Which files no tool reads.
    pub fn out_of_reach(&self) -> OutOfReach {
        let protected = Arc::clone(&self.protected);
        Arc::new(move |path: &Path| protected.holds_key(path).is_some())
    }

    /// Tools that a rule names.
    pub fn tools(&self) -> BTreeSet<&str> {
        self.rules.tools().collect()
    }

    /// What the repository's file would have allowed, and may not.
    pub fn ignored(&self) -> &[String] {
        &self.rules.ignored
    }

    /// Whether a call may run.
    pub fn decide(&self, call: &Call, tainted: bool, attended: bool, fenced: bool) -> Verdict {
        let circumstances = Circumstances {
            mode: self.mode.get(),
            tainted,
            fenced,
            attended,
            root: &self.root,
            home: &self.home,
            protected: &self.protected,
            rules: &self.rules,
        };
        decide(call, &circumstances)
    }

    /// Adds what the user approved to their own file.
    ///
    /// # Errors
    /// When such a call is always asked for, or the file cannot be written.
    pub fn keep(&mut self, call: &Call, verdict: &Verdict) -> Result<()> {
        let Some(rule) = rule_for(call, verdict) else {
            return Err(Error::new("no single rule allows just this, so it holds this once"));
        };
        let Some(file) = self.file.clone() else {
            return Err(Error::new("there is no folder for your settings"));
        };
        let folder = file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let _lock = lock::wait(&folder.join("permissions.lock"))?;
        let before = String::from_utf8_lossy(&read(&file)?.unwrap_or_default()).into_owned();
        let text = add_rule(&before, &rule).map_err(Error::new)?;
        self.own = parsed(Some(text.clone().into_bytes()), Owner::User, &file)?;
        let folder = folder.canonicalize()?;
        write_beneath(&folder, Path::new(FILE), text.as_bytes())?;
        self.rules = Rules::joined(self.own.clone(), self.repository.clone());
        Ok(())
    }
}

impl From<AgentMode> for Mode {
    fn from(mode: AgentMode) -> Self {
        match mode {
            AgentMode::Ask => Self::Ask,
            AgentMode::Smart => Self::Smart,
            AgentMode::Full => Self::Full,
        }
    }
}

/// What no tool touches, besides what lies in the work tree: our own state, the user's settings,
/// the folder of hooks, this program.
fn outside(workspace: &Workspace) -> Vec<PathBuf> {
    let (repository, environment) = (&workspace.repository, &workspace.environment);
    let ours = |folder: Option<PathBuf>| folder.map(|folder| folder.join("elophanto"));
    let mut paths: Vec<PathBuf> = [
        ours(environment.config_home()),
        environment.data_folder(),
        environment.state_folder(),
        environment.program().map(Path::to_owned),
        repository.git_dir.clone(),
        repository.common_dir.clone(),
        hooks::effective(repository).ok().map(|folder| folder.path),
    ]
    .into_iter()
    .flatten()
    .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Whether this is the repository of the program itself.
fn is_own(repository: &Repository) -> bool {
    let path = NotePath::from(Path::new("Cargo.toml"));
    let manifest = read_note(&repository.root, &path, MOST_FILE);
    manifest.is_ok_and(|(bytes, _)| {
        String::from_utf8_lossy(&bytes).contains(&format!("name = \"{PACKAGE}\""))
    })
}

fn read(file: &Path) -> Result<Option<Vec<u8>>> {
    let failed = |cause: &dyn std::fmt::Display| {
        Error::new(format_args!("`{}` cannot be read: {cause}", file.display()))
    };
    match fs::metadata(file) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(failed(&cause)),
        Ok(found) if !found.is_file() || found.len() > MOST_FILE => {
            return Err(failed(&"it is no file of a few lines"));
        }
        Ok(_) => {}
    }
    fs::read(file).map(Some).map_err(|cause| failed(&cause))
}

/// The rules of the repository. While its file is in conflict those of both sides hold: they can
/// only narrow, so nothing is allowed that either side forbids.
fn of_repository(repository: &Repository, file: &Path) -> Result<Rules> {
    let bytes = read_in(repository)?;
    let is_marked = |bytes: &Vec<u8>| has_conflict_marks(&String::from_utf8_lossy(bytes));
    if bytes.as_ref().is_some_and(is_marked)
        && let Some(git) = Git::of(repository)
    {
        let path = Path::new(".elophanto").join(FILE);
        let sides = [Side::Ours, Side::Theirs].map(|side| git.side(&path, side));
        if sides.iter().any(Option::is_some) {
            return sides.into_iter().try_fold(Rules::default(), |rules, side| {
                Ok(Rules::joined(rules, parsed(side, Owner::Repository, file)?))
            });
        }
    }
    parsed(bytes, Owner::Repository, file)
}

fn read_in(repository: &Repository) -> Result<Option<Vec<u8>>> {
    let path = Path::new(".elophanto").join(FILE);
    match read_if_there(&repository.root, &NotePath::from(path.as_path()), MOST_FILE) {
        Ok(bytes) => Ok(bytes),
        Err(_) if is_placeholder(&repository.root.join(&path)) => Ok(None),
        Err(cause) => Err(Error::new(format_args!("`{}`: {cause}", path.display()))),
    }
}

fn parsed(bytes: Option<Vec<u8>>, owner: Owner, file: &Path) -> Result<Rules> {
    let Some(bytes) = bytes else { return Ok(Rules::default()) };
    Rules::parse(&bytes, owner).map_err(|cause| {
        Error::new(format_args!("`{}`: {cause}", file.display()))
            .hint("`elophanto agent tools` names the tools; the forms of rules are in the README")
    })
}
