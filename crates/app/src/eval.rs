//! Measuring how well search answers the questions of a test set: a folder with `corpus.jsonl`,
//! `queries.jsonl` and `qrels.tsv`, or what the commits of a repository say they did to its notes.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    time::Duration,
};

use schemars::JsonSchema;
use serde::Serialize;
use tempfile::{TempDir, tempdir};

use crate::{
    Error, Result,
    config::{Config, Origin, SecondLook as Setting},
    embedding::{embedders::Named, profiles},
    environment::Environment,
    reporter::{Reporter, Silent},
    search::request,
    settings::Settings,
    workspace::Workspace,
};
use elophanto_base::lexical::Analyzer;
use elophanto_index::{
    Kind, Options,
    eval::{
        Answered, Corpus, DEPTH, EvalError, Judged, Paired, TestSet, Thresholds, interval, paired,
        questions, thresholds,
    },
    search::{Filter, Listing, Mode, Query, Request, SecondLook, Weights},
};
use elophanto_models::{Embedder, Pace, SearchThresholds, bert::Bert, builtin::Builtin};
use elophanto_repo::{Git, GitError};

/// Commits that questions are made of, the newest ones.
const COMMITS: usize = 2_000;

/// A test set, and how it is searched.
pub struct Eval {
    /// The documents, the questions, and which documents answer each.
    pub set: TestSet,
    config: Config,
    analyzer: Analyzer,
    named: Named,
    profile: SearchThresholds,
    corpus: OnceCell<Corpus>,
    /// What is searched are notes in passages, not documents as a whole.
    is_of_notes: bool,
    /// For what a second look reads, which several questions find.
    kept: Option<TempDir>,
}

/// How well one way of searching answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Row {
    /// `keyword`, `semantic` or `hybrid`.
    pub mode: &'static str,
    /// Share of meaning in the score.
    pub semantic_weight: f32,
    /// Normalised discounted cumulative gain of the first ten, 0 to 1: the mean of the questions.
    pub ndcg_at_10: f64,
    /// Within what the former lies with 95 %, were the questions others of their kind.
    pub ndcg_low: f64,
    /// The upper end.
    pub ndcg_high: f64,
    /// Share of the answering documents that are among the first twenty.
    pub recall_at_20: f64,
    /// Mean of one divided by the place of the first one that answers, 0 beyond the tenth.
    pub mrr_at_10: f64,
    /// How many were asked.
    pub questions: usize,
    /// Milliseconds that a query takes, to the hundredth.
    pub median_ms: f64,
    /// Milliseconds within which 95 % of the queries end.
    pub p95_ms: f64,
}

/// One way of searching: how well it answers, and each question in the order of the set.
pub struct Run {
    /// In figures.
    pub row: Row,
    /// What was found for each.
    pub answers: Vec<Answered>,
}

impl Run {
    /// This way of searching against another one.
    pub fn against(&self, other: &Self) -> Paired {
        let figures = |run: &Self| run.answers.iter().map(|it| it.ndcg_at_10).collect::<Vec<f64>>();
        paired(&figures(self), &figures(other))
    }
}

impl Eval {
    /// Reads the set in `dir`. It is searched with the settings of the knowledge base around `folder`
    /// if there is one, else with the user's own; `flags` are settings for this call.
    ///
    /// # Errors
    /// When a setting is unusable, the set cannot be read, or this machine lacks the model.
    pub fn open(
        dir: &Path,
        folder: &Path,
        environment: &Environment,
        flags: Vec<(String, String)>,
    ) -> Result<Self> {
        let settings = Settings::around(folder, environment, flags, &Silent)?;
        let named = settings.model(environment);
        let eval = Self::of(settings.config, named, environment)?;
        Ok(Self { set: read(dir)?, ..eval })
    }

    /// What asks nothing yet.
    fn of(config: Config, named: Named, environment: &Environment) -> Result<Self> {
        if let Named::Missing(reason) = &named {
            return Err(Error::new(reason));
        }
        Ok(Self {
            set: TestSet::default(),
            analyzer: Analyzer::new(config.search.language.as_str()),
            profile: profiles::of(named.embedder().unwrap_or(&Builtin), environment),
            config,
            named,
            corpus: OnceCell::new(),
            is_of_notes: false,
            kept: tempdir().ok(),
        })
    }

    /// Takes the notes of the knowledge base around `folder`, as its index holds them, and asks for
    /// those that its commits touched by what they say they did.
    ///
    /// # Errors
    /// When there is no such knowledge base or history, or the notes are not indexed with the model.
    pub fn of_history(
        folder: &Path,
        environment: &Environment,
        flags: Vec<(String, String)>,
        reporter: &dyn Reporter,
    ) -> Result<Self> {
        let workspace = Workspace::around(folder, environment.clone(), flags, reporter)?;
        let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
        let config = workspace.config.clone();
        let named = Named::new(&config, &workspace.repository, environment);
        let eval = Self::of(config, named, environment)?;
        let progress = reporter.progress("notes");
        let update = |done, all| progress.update(done, all);
        let options = Options { full: false, patience: None, progress: &update };
        let refreshed = workspace.refresh(options)?;
        drop(progress);
        let waiting = refreshed.report.waiting;
        if waiting > 0 {
            let model = workspace.models.active().fingerprint();
            return Err(Error::new(format_args!("{waiting} passages wait for `{model}`"))
                .hint("run `elophanto index` with this model first"));
        }
        let snapshot = refreshed.snapshot;
        let is_there =
            |path: &_| snapshot.files.binary_search_by(|file| file.path.cmp(path)).is_ok();
        let questions = questions(&git.touching(COMMITS)?, is_there);
        if questions.is_empty() {
            return Err(Error::new("no commit says what it did to a note that is still here")
                .hint(
                    "subjects of three words or more count, of commits that touch up to five notes",
                ));
        }
        let set = TestSet { questions, ..TestSet::default() };
        Ok(Self { set, corpus: OnceCell::from(Corpus::of(snapshot)), is_of_notes: true, ..eval })
    }

    fn corpus(&self) -> Result<&Corpus> {
        if let Some(corpus) = self.corpus.get() {
            return Ok(corpus);
        }
        let corpus = Corpus::build(&self.set, &self.analyzer, self.embedder())?;
        Ok(self.corpus.get_or_init(|| corpus))
    }

    fn embedder(&self) -> &dyn Embedder {
        self.named.embedder().unwrap_or(&Builtin)
    }

    /// Fingerprint of the model that is measured.
    pub fn model(&self) -> &str {
        self.embedder().fingerprint().as_str()
    }

    /// Where the model's cosines part; `other` holds a set about something else.
    ///
    /// # Errors
    /// When the other set cannot be read, or the model fails.
    pub fn thresholds(&self, other: &Path) -> Result<Thresholds> {
        let (other, embedder) = (read(other)?, self.embedder());
        Ok(thresholds(&self.set, &other, &self.analyzer, embedder, |query| self.judged(query))?)
    }

    /// Keeps thresholds for every later search of the user's with the model.
    ///
    /// # Errors
    /// When there is no place for them.
    pub fn keep(&self, found: &Thresholds, environment: &Environment) -> Result<()> {
        profiles::save(self.embedder(), &found.profile(&self.profile), environment)
    }

    /// What is believed of the hits for the set's own questions, and for those of other sets, which
    /// its documents do not answer.
    ///
    /// # Errors
    /// When one of the others cannot be read, or the model fails.
    pub fn judge(&self, others: &[PathBuf]) -> Result<Vec<Judged>> {
        let (analyzer, embedder) = (&self.analyzer, self.embedder());
        let corpus = self.corpus()?;
        let judge = |set: &_, is_own| {
            corpus.judge(set, is_own, analyzer, embedder, |query| self.judged(query))
        };
        let mut judged = judge(&self.set, true)?;
        for other in others {
            judged.extend(judge(&read(other)?, false)?);
        }
        Ok(judged)
    }

    /// Measures keywords, meaning, and both with each of some shares of meaning, in place of that of
    /// the settings.
    ///
    /// # Errors
    /// When the model fails.
    pub fn measure(&self, shares: &[f32]) -> Result<impl Iterator<Item = Result<Run>>> {
        let mut runs = vec![("keyword", Mode::Keyword, 0.0), ("semantic", Mode::Semantic, 1.0)];
        let usual = [self.usual_share()];
        let shares = if shares.is_empty() { &usual } else { shares };
        runs.extend(shares.iter().map(|&share| ("hybrid", Mode::Hybrid, share)));
        self.corpus()?;
        Ok(runs.into_iter().map(move |(mode, by, share)| self.run(mode, by, share)))
    }

    /// Measures both together, as the settings have it.
    ///
    /// # Errors
    /// When the model fails.
    pub fn hybrid(&self) -> Result<Run> {
        self.run("hybrid", Mode::Hybrid, self.usual_share())
    }

    fn run(&self, mode: &'static str, by: Mode, share: f32) -> Result<Run> {
        let (analyzer, embedder) = (&self.analyzer, self.embedder());
        let measured = self.corpus()?.measure(&self.set, analyzer, embedder, |query| Request {
            belief: None,
            ..self.request(query, by, share)
        })?;
        let milliseconds = |time: Duration| (time.as_secs_f64() * 1e5).round() / 100.0;
        let (quality, answers) = (&measured.quality, measured.answers);
        let gains: Vec<f64> = answers.iter().map(|answer| answer.ndcg_at_10).collect();
        let (ndcg_low, ndcg_high) = interval(&gains);
        let row = Row {
            mode,
            semantic_weight: share,
            ndcg_at_10: quality.ndcg_at_10,
            ndcg_low,
            ndcg_high,
            recall_at_20: quality.recall_at_20,
            mrr_at_10: quality.mrr_at_10,
            questions: quality.questions,
            median_ms: milliseconds(measured.median),
            p95_ms: milliseconds(measured.p95),
        };
        Ok(Run { row, answers })
    }

    /// What nobody set is what was measured for the model.
    fn usual_share(&self) -> f32 {
        match self.config.origin("search.semantic_weight") {
            None | Some(Origin::Default) => self.profile.semantic_weight,
            Some(_) => self.config.search.semantic_weight as f32,
        }
    }

    /// A request whose hits are judged.
    fn judged<'q>(&self, query: &'q Query) -> Request<'q> {
        self.request(query, Mode::Hybrid, self.usual_share())
    }

    fn request<'q>(&self, query: &'q Query, mode: Mode, semantic: f32) -> Request<'q> {
        // What is measured does not depend on how busy the machine is: all, or not at all.
        let is_wanted = self.config.search.second_look == Setting::Always
            && self.embedder().pace() == Pace::Instant;
        let second_look = is_wanted.then(|| SecondLook {
            embedder: Bert::minilm(),
            vectors: self.kept.as_ref().map(|kept| kept.path().to_owned()),
            budget: None,
        });
        let usual = request::of(&self.config, &self.profile, query);
        let (listing, filter) = match self.is_of_notes {
            // A note is found by its best passage.
            true => (
                Listing::Files { places: 1 },
                Filter { kinds: vec![Kind::Note], ..Filter::default() },
            ),
            false => (usual.listing, Filter::default()),
        };
        Request {
            limit: DEPTH,
            listing,
            filter,
            second_look,
            mode,
            weights: Weights { semantic, recency: 0.0, recency_half_life_days: 0.0 },
            // Every document is judged on its own.
            collapse_similarity: f32::INFINITY,
            now: 0,
            ..usual
        }
    }
}

fn read(dir: &Path) -> Result<TestSet> {
    Ok(TestSet::read(dir).map_err(EvalError::from)?)
}
