//! Measuring how well search answers the questions of a test set: a folder with `corpus.jsonl`,
//! `queries.jsonl` and `qrels.tsv`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;

use crate::{
    Error,
    config::{Config, Origin},
    embedding::{embedders::Named, profiles},
    environment::Environment,
    search::request,
    settings::layers,
};
use elophanto_base::lexical::Analyzer;
use elophanto_index::{
    eval::{Corpus, DEPTH, EvalError, Judged, TestSet, Thresholds, thresholds},
    search::{Mode, Query, Request, Weights},
};
use elophanto_models::{Embedder, SearchThresholds, builtin::Builtin};
use elophanto_repo::locate;

/// A test set, and how it is searched.
pub struct Eval {
    pub set: TestSet,
    config: Config,
    analyzer: Analyzer,
    named: Named,
    profile: SearchThresholds,
}

/// How well one way of searching answers.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// `keyword`, `semantic` or `hybrid`.
    pub mode: &'static str,
    /// Share of meaning in the score.
    pub semantic_weight: f32,
    pub ndcg_at_10: f64,
    pub recall_at_20: f64,
    pub mrr_at_10: f64,
    pub questions: usize,
    /// Milliseconds that a query takes, to the hundredth.
    pub median_ms: f64,
    pub p95_ms: f64,
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
    ) -> Result<Self, Error> {
        let root = locate(folder).map_or_else(|_| folder.to_owned(), |found| found.root);
        let (config, _) = Config::load(&layers(&root, environment, flags)?)?;
        let set = read(dir)?;
        let analyzer = Analyzer::new(config.search.language.as_str());
        let named = Named::new(&config, &root, environment);
        if let Named::Missing(reason) = &named {
            return Err(Error::new(reason));
        }
        let profile = profiles::of(named.embedder().unwrap_or(&Builtin), environment);
        Ok(Self { set, config, analyzer, named, profile })
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
    pub fn thresholds(&self, other: &Path) -> Result<Thresholds, Error> {
        let (other, embedder) = (read(other)?, self.embedder());
        Ok(thresholds(&self.set, &other, &self.analyzer, embedder, |query| self.judged(query))?)
    }

    /// Keeps thresholds for every later search of the user's with the model.
    ///
    /// # Errors
    /// When there is no place for them.
    pub fn keep(&self, found: &Thresholds, environment: &Environment) -> Result<(), Error> {
        profiles::save(self.embedder(), &found.profile(&self.profile), environment)
    }

    /// What is believed of the hits for the set's own questions, and for those of other sets, which
    /// its documents do not answer.
    ///
    /// # Errors
    /// When one of the others cannot be read, or the model fails.
    pub fn judge(&self, others: &[PathBuf]) -> Result<Vec<Judged>, Error> {
        let (analyzer, embedder) = (&self.analyzer, self.embedder());
        let corpus = Corpus::build(&self.set, analyzer, embedder)?;
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
    pub fn measure(
        &self,
        shares: &[f32],
    ) -> Result<impl Iterator<Item = Result<Row, Error>>, Error> {
        let corpus = Corpus::build(&self.set, &self.analyzer, self.embedder())?;
        let mut runs = vec![("keyword", Mode::Keyword, 0.0), ("semantic", Mode::Semantic, 1.0)];
        let usual = [self.usual_share()];
        let shares = if shares.is_empty() { &usual } else { shares };
        runs.extend(shares.iter().map(|&share| ("hybrid", Mode::Hybrid, share)));
        Ok(runs.into_iter().map(move |(mode, by, share)| {
            let (analyzer, embedder) = (&self.analyzer, self.embedder());
            let measured = corpus.measure(&self.set, analyzer, embedder, |query| Request {
                belief: None,
                ..self.request(query, by, share)
            })?;
            let milliseconds = |time: Duration| (time.as_secs_f64() * 1e5).round() / 100.0;
            let quality = &measured.quality;
            Ok(Row {
                mode,
                semantic_weight: share,
                ndcg_at_10: quality.ndcg_at_10,
                recall_at_20: quality.recall_at_20,
                mrr_at_10: quality.mrr_at_10,
                questions: quality.questions,
                median_ms: milliseconds(measured.median),
                p95_ms: milliseconds(measured.p95),
            })
        }))
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
        Request {
            limit: DEPTH,
            mode,
            weights: Weights { semantic, recency: 0.0, recency_half_life_days: 0.0 },
            // Every document is judged on its own.
            collapse_similarity: f32::INFINITY,
            now: 0,
            ..request::of(&self.config, &self.profile, query)
        }
    }
}

fn read(dir: &Path) -> Result<TestSet, Error> {
    Ok(TestSet::read(dir).map_err(EvalError::from)?)
}
