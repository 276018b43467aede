//! What every command needs: the repository, its settings, the tools they name.

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Error, Result,
    config::{CommitIndex, Config, PatternsConfig, REPOSITORY_FILE, ScanConfig},
    embedding::{
        Models,
        background::{self, Background},
        embedders::Named,
    },
    environment::Environment,
    fleet::Reader,
    init,
    on_commit::Along,
    reporter::{Reporter, Silent},
    settings,
};
use elophanto_agent::{
    git_guard::{Around, put_aside_of_killed},
    permissions,
};
use elophanto_base::{
    counted::{agreeing, counted},
    lexical::Analyzer,
    visible::escape_control_line,
};
use elophanto_index::{
    Context, Options, Progress, Refreshed, refresh, search::run::SearchContext, source::Notes,
};
use elophanto_knowledge::{
    corpus, learn,
    memory::Lessons,
    scan::{Reach, Wanted, documents::Summaries},
};
use elophanto_models::{
    Pace,
    builtin::{Builtin, count_tokens},
};
use elophanto_repo::{
    Finder, Git, LocateError, NotePath, Repository, Selection, Version, locate,
    record_store::RecordStore, watch,
};
use elophanto_tables::Lance;
use elophanto_text::chunk::Limits;

/// An opened knowledge base.
pub struct Workspace {
    /// Where it lies, and its git directory if it has one.
    pub repository: Repository,
    /// As it was handed in.
    pub environment: Environment,
    /// The settings, each with who said so.
    pub config: Config,
    /// Makes words of texts, as `search.language` says.
    pub analyzer: Analyzer,
    /// Makes vectors: the model of the settings, or what stands in for it.
    pub models: Models,
    selection: Selection,
    summaries: Summaries,
    limits: Limits,
    lessons: Lessons,
    count: Box<dyn Fn(&str) -> usize + Sync>,
    background: OnceCell<Background>,
}

impl Workspace {
    /// Finds the knowledge base around a folder and reads its settings; `flags` are settings for
    /// this call.
    ///
    /// # Errors
    /// When there is none, or a setting is unusable.
    pub fn around(
        folder: &Path,
        environment: Environment,
        flags: Vec<(String, String)>,
        reporter: &dyn Reporter,
    ) -> Result<Self> {
        Self::at(locate(folder)?, environment, flags, reporter)
    }

    /// The same, or, where there is none, the user's own settings and no notes: enough to ask a fleet.
    ///
    /// # Errors
    /// When a repository is damaged, or a setting is unusable.
    pub fn anywhere(
        folder: &Path,
        environment: Environment,
        flags: Vec<(String, String)>,
        reporter: &dyn Reporter,
    ) -> Result<Self> {
        let repository = match locate(folder) {
            Err(LocateError::Nowhere { .. }) => {
                let root = environment.cache_folder().unwrap_or_else(|| folder.to_owned());
                Repository { root: root.join("nowhere"), git_dir: None, common_dir: None }
            }
            found => found?,
        };
        Self::at(repository, environment, flags, reporter)
    }

    /// The knowledge base of a known repository.
    ///
    /// # Errors
    /// When a setting is unusable.
    pub fn at(
        repository: Repository,
        environment: Environment,
        flags: Vec<(String, String)>,
        reporter: &dyn Reporter,
    ) -> Result<Self> {
        let workspace = Self::build(repository, environment, flags, reporter)?;
        workspace.bring_back(reporter);
        Ok(workspace)
    }

    /// Puts back what agents remembered that went with a commit which was given up.
    fn bring_back(&self, reporter: &dyn Reporter) {
        let Some(along) = Along::of(&self.repository) else { return };
        match along.bring_back(&self.repository) {
            Ok(0) => {}
            Ok(files) => reporter.note(format_args!(
                "{} of what was remembered went with a commit that was given up, and {} back",
                counted(files, "file"),
                agreeing(files, "is", "are")
            )),
            Err(cause) => reporter.note(format_args!(
                "what was remembered and went with a commit that was given up cannot be put \
                 back: {cause}"
            )),
        }
    }

    /// Puts aside what runs of the agent left that were killed in the middle of a command: git
    /// directories, files that steer other programs. Says what.
    pub fn put_aside_of_killed(&self) -> Vec<String> {
        let patience = self.config.agent.tool_timeout;
        self.with_git(&|around| put_aside_of_killed(&self.repository, patience, around))
    }

    /// What the user starts git with here.
    pub(crate) fn with_git<T>(&self, look: &dyn Fn(&Around<'_>) -> T) -> T {
        let home = self.environment.home().unwrap_or_else(|| PathBuf::from("/"));
        let variable = |name: &str| self.environment.granted([name]).remove(name);
        look(&Around { root: &self.repository.root, home: &home, variable: &variable })
    }

    /// The same, when what is wrong with the settings was said before.
    ///
    /// # Errors
    /// When a setting is unusable.
    pub fn again(
        repository: Repository,
        environment: Environment,
        flags: Vec<(String, String)>,
    ) -> Result<Self> {
        Self::build(repository, environment, flags, &Silent)
    }

    fn build(
        repository: Repository,
        environment: Environment,
        flags: Vec<(String, String)>,
        reporter: &dyn Reporter,
    ) -> Result<Self> {
        refuse_links_out(&repository)?;
        let layers = settings::layers(&repository, &environment, flags)?;
        let (mut config, warnings) = Config::load(&layers)?;
        for warning in warnings {
            reporter.warn(warning);
        }
        let finder = Finder::new(&repository.root);
        let own = config.knowledge.write_root.clone();
        let is_other = |at: &Path| at.file_name().is_some() && finder.is_other(at);
        let is_passed_over =
            config.is_of_repository("knowledge.write_root") && own.ancestors().any(is_other);
        if is_passed_over {
            config.pass_over_write_root(layers)?;
        }
        let (selection, mut left_out) = selection(&repository, &config, &finder);
        if is_passed_over && !left_out.contains(&own) {
            left_out.push(own);
        }
        for root in left_out {
            reporter.warn(format_args!(
                "{REPOSITORY_FILE}: `{}` is hidden, ignored or another repository, and passed over; only \
                 your own settings may name it", escape_control_line(&root.to_string_lossy())
            ));
        }
        let summaries = Summaries(wanted(&config, &selection));
        let chunk = &config.knowledge.chunk;
        let limits = Limits {
            max_tokens: chunk.max_tokens,
            min_tokens: chunk.min_tokens,
            min_split_tokens: chunk.min_split_tokens,
        };
        let analyzer = Analyzer::new(config.search.language.as_str());
        let models =
            Models::new(Named::new(&config, &repository, &environment), environment.clone());
        let count = Box::new(count_tokens);
        let shared = shared_memory(&repository, &config, &environment);
        let lessons = Lessons::new(&repository, shared.as_deref());
        let background = OnceCell::new();
        Ok(Self {
            repository,
            environment,
            config,
            analyzer,
            models,
            selection,
            summaries,
            limits,
            lessons,
            count,
            background,
        })
    }

    /// What a refresh works on.
    pub fn context(&self) -> Context<'_> {
        Context {
            repository: &self.repository,
            selection: &self.selection,
            write_root: &self.config.knowledge.write_root,
            limits: &self.limits,
            max_file_bytes: self.config.knowledge.max_file_bytes,
            analyzer: &self.analyzer,
            embedder: self.models.active(),
            tables: &Lance,
            count_tokens: &*self.count,
            now: &now_nanoseconds,
            summaries: Some(&self.summaries),
            lessons: Some(&self.lessons),
            unwritten: |text, document| {
                init::unfilled(text, document).into_iter().map(|section| section.range).collect()
            },
        }
    }

    /// What a search works with.
    pub fn tools(&self) -> SearchContext<'_> {
        SearchContext {
            analyzer: &self.analyzer,
            embedder: self.models.active(),
            sentence_embedder: &Builtin,
        }
    }

    /// Where what agents remember lies.
    pub fn lessons(&self) -> &Lessons {
        &self.lessons
    }

    /// Whether vectors of the active model go into git: not those of a stand-in, and of a model
    /// that makes a thousand a second only if that is wanted.
    pub(crate) fn commits_vectors(&self) -> bool {
        let wanted = match self.config.index.commit {
            CommitIndex::Never => false,
            CommitIndex::Slow => self.models.active().pace() != Pace::Instant,
            CommitIndex::Always => true,
        };
        wanted && self.models.is_named()
    }

    /// Leaves what waits to a process in the background; says who is at it.
    pub fn background(&self) -> Background {
        *self.background.get_or_init(|| background::start(self))
    }

    /// Brings the view up to date.
    ///
    /// # Errors
    /// When a configured root does not exist.
    pub fn refresh(&self, options: Options) -> Result<Refreshed> {
        Ok(corpus::sound(options, |options| refresh(&self.context(), &Notes, options))?)
    }

    /// Brings everything that can be searched up to date.
    ///
    /// # Errors
    /// When a configured root does not exist.
    pub fn refresh_all(&self, options: Options) -> Result<Refreshed> {
        Ok(corpus::refresh(&self.context(), options)?)
    }

    /// Brings everything of which git carries vectors up to date.
    ///
    /// # Errors
    /// When a configured root does not exist.
    pub(crate) fn refresh_indexed(&self, options: Options) -> Result<Refreshed> {
        Ok(corpus::refresh_indexed(&self.context(), options)?)
    }

    /// Brings notes and pages of entities up to date.
    ///
    /// # Errors
    /// When a configured root does not exist.
    pub(crate) fn refresh_pages(&self, options: Options) -> Result<Refreshed> {
        Ok(corpus::refresh_pages(&self.context(), options)?)
    }

    /// Everything that can be searched of a version that git holds.
    ///
    /// # Errors
    /// When git cannot list it.
    pub fn version(&self, git: &Git, version: &Version, progress: Progress) -> Result<Refreshed> {
        Ok(corpus::of_version(&self.context(), git, version, progress)?)
    }

    /// The lessons of agents of a version that git holds; none where git does not carry them.
    ///
    /// # Errors
    /// When git cannot list it.
    pub(crate) fn lessons_of(
        &self,
        git: &Git,
        version: &Version,
        progress: Progress,
    ) -> Result<Refreshed> {
        let context = self.context();
        Ok(elophanto_index::version::version(&context, &self.lessons, git, version, progress)?)
    }

    /// Which files the settings want described.
    pub fn wanted(&self) -> &Wanted {
        &self.summaries.0
    }

    /// Where descriptions of files lie.
    pub fn summaries(&self) -> &Summaries {
        &self.summaries
    }

    /// Which files records of the journal may speak of.
    pub fn reach(&self) -> Reach<'_> {
        Reach::new(&self.repository.root, self.wanted())
    }

    /// Where questions and summaries are written down.
    pub fn record_store(&self) -> RecordStore<'_> {
        RecordStore::new(&self.repository, self.config.journal.share)
    }

    /// The path of a note as the user typed it, relative to the root.
    pub fn note_path(&self, typed: &Path) -> NotePath {
        let absolute = std::path::absolute(typed).unwrap_or_else(|_| typed.to_owned());
        let folder = absolute.parent().and_then(|parent| parent.canonicalize().ok());
        let absolute = match (folder, absolute.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            // `..` and the like name a folder without its name.
            (_, None) => absolute.canonicalize().unwrap_or(absolute),
            _ => absolute,
        };
        NotePath::from(absolute.strip_prefix(&self.repository.root).unwrap_or(typed))
    }
}

/// Where a knowledge base is, for whoever outlives what was opened of it.
#[derive(Clone)]
pub struct KnowledgeBase {
    /// Any folder in it.
    pub folder: PathBuf,
    /// With what it is opened.
    pub environment: Environment,
    /// The fleet that is asked in its place.
    pub within: Option<Reader>,
}

impl KnowledgeBase {
    /// Where that one is.
    pub fn of(workspace: &Workspace) -> Self {
        let folder = workspace.repository.root.clone();
        Self { folder, environment: workspace.environment.clone(), within: None }
    }

    /// Opens it as it is now; `flags` are settings for this call. What is wrong with the others was
    /// said before.
    ///
    /// # Errors
    /// When there is none any more, or a setting is unusable.
    pub fn open(&self, flags: Vec<(String, String)>) -> Result<Workspace> {
        let (folder, environment) = (&self.folder, self.environment.clone());
        match self.within {
            None => Workspace::around(folder, environment, flags, &Silent),
            Some(_) => Workspace::anywhere(folder, environment, flags, &Silent),
        }
    }
}

/// Nanoseconds since 1970.
pub(crate) fn now_nanoseconds() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

/// Writes a file below the root as a whole or not at all; the file keeps its rights.
///
/// # Errors
/// When it cannot be written, or a link would lead the writing elsewhere.
pub(crate) fn write_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<()> {
    let _telling = locate(root).ok().map(|repository| watch::tell(&repository, path, Some(bytes)));
    Ok(elophanto_repo::write_beneath(root, path, bytes)?)
}

/// A repository that was cloned must not make us write into, or remove from, another folder.
///
/// # Errors
/// When a folder of ours leads out of the repository.
pub fn refuse_links_out(repository: &Repository) -> Result<()> {
    for folder in [
        ".elophanto", ".elophanto/index", ".elophanto/words", ".elophanto/journal",
        ".elophanto/cache", ".elophanto/cache/view",
    ] {
        let path = repository.root.join(folder);
        if fs::canonicalize(path).is_ok_and(|path| !path.starts_with(&repository.root)) {
            return Err(Error::new(format_args!("`{folder}` leads out of the repository"))
                .hint("replace the link with a folder of its own, then run this again"));
        }
    }
    // An archive may bring a whole git directory along. Ours in it is never a link.
    let local = BTreeSet::from([&repository.git_dir, &repository.common_dir]);
    for folder in local.into_iter().flatten().map(|folder| folder.join("elophanto")) {
        let inside = fs::read_dir(&folder).into_iter().flatten().flatten();
        for folder in inside.map(|entry| entry.path()).chain([folder]) {
            if fs::symlink_metadata(&folder).is_ok_and(|kind| kind.is_symlink()) {
                return Err(Error::new(format_args!("`{}` is a link", folder.display()))
                    .hint("remove the link; what belongs there is made anew"));
            }
        }
    }
    Ok(())
}

/// The configured roots, and what the repository's settings name that the walk would not come by; our own
/// notes are always searched.
fn selection(
    repository: &Repository,
    config: &Config,
    finder: &Finder,
) -> (Selection, Vec<PathBuf>) {
    let mut roots = config.knowledge.roots.clone();
    let own = &config.knowledge.write_root;
    let covered = roots.iter().any(|root| root == Path::new(".") || own.starts_with(root));
    if !covered && repository.root.join(own).is_dir() {
        roots.push(PathBuf::from(own));
    }
    let is_found = |root: &PathBuf| {
        let by = if root == own { "knowledge.write_root" } else { "knowledge.roots" };
        // A link that leads out is refused where it is read.
        let real = repository.root.join(root).canonicalize().ok();
        let below = real.as_ref().and_then(|real| real.strip_prefix(&repository.root).ok());
        let below = below.filter(|below| !below.as_os_str().is_empty());
        !config.is_of_repository(by) || below.is_none_or(|below| finder.finds(below))
    };
    let (roots, mut left_out): (Vec<PathBuf>, Vec<PathBuf>) = roots.into_iter().partition(is_found);
    // A scan passes these over by itself.
    let is_inside = |real: PathBuf| real.starts_with(&repository.root);
    let scanned = config.scan.paths.iter().filter(|path| {
        config.is_of_repository("scan.paths")
            && **path != Path::new(".")
            // Nobody says what lies behind a link that leads out.
            && repository.root.join(path).canonicalize().is_ok_and(is_inside)
            && !finder.finds(path)
    });
    left_out.extend(scanned.cloned());
    left_out.sort();
    left_out.dedup();
    let apart = learn::entity_store::folder(own);
    let extensions = config.knowledge.extensions.clone();
    (Selection { roots, extensions, apart, is_key: permissions::is_key }, left_out)
}

fn wanted(config: &Config, notes: &Selection) -> Wanted {
    let ScanConfig { paths, patterns, skip, .. } = config.scan.clone();
    let PatternsConfig { documentation, configuration, services, source } = patterns;
    let own = [("scan.paths", &paths), ("knowledge.roots", &config.knowledge.roots)];
    let own = own.into_iter().filter(|(key, _)| !config.is_of_repository(key));
    let named = own.flat_map(|(_, places)| places).filter(|place| **place != Path::new("."));
    let (named, notes) = (named.cloned().collect(), notes.clone());
    let patterns = [documentation, configuration, services, source];
    Wanted { paths, named, patterns, skip, notes }
}

/// The folder of what agents remember, if git does not carry it with the repository.
fn shared_memory(
    repository: &Repository,
    config: &Config,
    environment: &Environment,
) -> Option<PathBuf> {
    let named = config.memory.folder.as_ref().map(|folder| {
        let home = || environment.variables().get("HOME").map(PathBuf::from);
        let named = match folder.strip_prefix("~") {
            Ok(below) => home().map_or_else(|| folder.clone(), |home| home.join(below)),
            Err(_) => repository.root.join(folder),
        };
        // One folder has one view, however it is named; a link is the user's own.
        fs::canonicalize(&named).unwrap_or(named)
    });
    // What is not shared stays with this clone.
    named.or_else(|| (!config.journal.share).then(|| repository.local_dir().join("memory")))
}
