//! `elophanto eval`

use std::{path::PathBuf, time::Duration};

use serde::Serialize;

use super::{Outcome, env, error::CliError, ui::Ui};
use crate::{
    config::{Config, Layers},
    embed::builtin::Builtin,
    eval::{Corpus, DEPTH, Measured, TestSet},
    lexical::Analyzer,
    repo::locate,
    search::{Filter, Mode, Query, Ranking, Request, Weights, lexical::Bm25},
};

/// Measure how well search answers your own questions
///
/// DIR holds `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv` (query,
/// document, grade). Prints nDCG@10, Recall@20 and MRR@10 for keywords, meaning and both, with
/// the time a query takes.
#[derive(clap::Args, Debug)]
pub struct EvalArgs {
    /// Folder of the test set
    dir: PathBuf,
    /// Share of meaning in the hybrid score, in place of `search.semantic_weight`
    #[arg(long, value_name = "SHARE")]
    semantic_weight: Option<f32>,
    /// How scores are fused: weighted or additive
    #[arg(long)]
    ranking: Option<String>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// One row of the table.
#[derive(Serialize)]
struct RowWire {
    mode: &'static str,
    ndcg_at_10: f64,
    recall_at_20: f64,
    mrr_at_10: f64,
    questions: usize,
    median_ms: f64,
    p95_ms: f64,
}

pub fn run(args: &EvalArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let flags = args.ranking.iter().map(|ranking| ("search.ranking".to_owned(), ranking.clone()));
    let flags: Vec<(String, String)> = flags.collect();
    // Works anywhere; inside a knowledge base with its settings.
    let layers = match locate(std::path::Path::new(".")) {
        Ok(repository) => Layers::read(&repository.root, env::variables(), flags)?,
        Err(_) => Layers { variables: env::variables(), flags, ..Layers::default() },
    };
    let (config, _) = Config::load(&layers)?;
    let settings = &config.search;
    let set = TestSet::read(&args.dir).map_err(crate::eval::EvalError::from)?;
    let analyzer = Analyzer::new(settings.language.as_str());
    let embedder = Builtin::new();
    let corpus = Corpus::build(&set, &analyzer, &embedder)?;
    if !ui.json {
        ui.line(format_args!(
            "{} documents, {} questions\n{:<9} {:>8} {:>10} {:>8} {:>10} {:>8}",
            set.documents.len(),
            set.questions.len(),
            "mode",
            "nDCG@10",
            "Recall@20",
            "MRR@10",
            "median ms",
            "p95 ms"
        ))?;
    }
    let modes =
        [("keyword", Mode::Keyword), ("semantic", Mode::Semantic), ("hybrid", Mode::Hybrid)];
    for (name, mode) in modes {
        let measured = corpus.measure(&set, &analyzer, &embedder, |query: &Query| Request {
            query,
            like: None,
            limit: DEPTH,
            mode,
            ranking: match settings.ranking {
                crate::config::Ranking::Weighted => Ranking::Weighted,
                crate::config::Ranking::Additive => Ranking::Additive,
            },
            weights: Weights {
                semantic: args.semantic_weight.unwrap_or(settings.semantic_weight as f32),
                recency: 0.0,
                recency_half_life_days: 0.0,
            },
            bm25: Bm25::default(),
            fuzzy: settings.fuzzy,
            filter: Filter::default(),
            min_score: None,
            // Every document is judged on its own.
            collapse_similarity: f32::INFINITY,
            now: 0,
        })?;
        print(name, &measured, ui)?;
    }
    ui.flush()?;
    Ok(Outcome::Done)
}

fn print(mode: &'static str, measured: &Measured, ui: &mut Ui) -> Result<(), CliError> {
    let milliseconds = |time: Duration| (time.as_secs_f64() * 1e5).round() / 100.0;
    let quality = &measured.quality;
    let row = RowWire {
        mode,
        ndcg_at_10: quality.ndcg_at_10,
        recall_at_20: quality.recall_at_20,
        mrr_at_10: quality.mrr_at_10,
        questions: quality.questions,
        median_ms: milliseconds(measured.median),
        p95_ms: milliseconds(measured.p95),
    };
    let text = format!(
        "{mode:<9} {:>8.3} {:>10.3} {:>8.3} {:>10.2} {:>8.2}",
        row.ndcg_at_10, row.recall_at_20, row.mrr_at_10, row.median_ms, row.p95_ms
    );
    ui.emit(&row, text)
}
