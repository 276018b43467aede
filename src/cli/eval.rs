//! `elophanto eval`

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;

use super::{Outcome, env, error::CliError, ui::Ui};
use elophanto_app::config::{self, Config, Origin};
use elophanto_app::{
    embedding::{embedders::Named, profiles},
    settings::layers,
};
use elophanto_base::lexical::Analyzer;
use elophanto_index::{
    eval::{AtLevel, Corpus, DEPTH, Judged, Measured, TestSet, Thresholds, parted, thresholds},
    search::{Filter, Listing, Mode, Query, Ranking, Request, Weights, lexical::Bm25},
};
use elophanto_models::{Embedder, Features, Profile, builtin::Builtin};
use elophanto_repo::locate;

/// Measure how well search answers your own questions
///
/// DIR holds `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv` (query,
/// document, grade). Prints nDCG@10, Recall@20 and MRR@10 for keywords, meaning and both, with
/// the time a query takes.
#[derive(clap::Args, Debug)]
pub struct EvalArgs {
    /// Folder of the test set
    dir: PathBuf,
    /// Share of meaning in the hybrid score, in place of `search.semantic_weight`; several, such as
    /// 0.4,0.5,0.6, are measured one by one
    #[arg(long, value_name = "SHARE", value_delimiter = ',')]
    semantic_weight: Vec<f32>,
    /// How scores are fused: weighted or additive
    #[arg(long)]
    ranking: Option<String>,
    /// Measure this model, as `knowledge.embedding_provider` names them
    #[arg(long)]
    model: Option<String>,
    /// Measure instead where the model's cosines part: chance from kinship, kinship from
    /// repetition; and from where on a search is sure to answer, or probably does not. What is
    /// chance shows against a set about something else
    #[arg(long, value_name = "OTHER-DIR")]
    thresholds: Option<PathBuf>,
    /// Measure instead how well a search tells questions of the set, which its documents answer, from
    /// those of other sets, which they do not
    #[arg(long, value_name = "OTHER-DIR", num_args = 1.., conflicts_with = "thresholds")]
    against: Vec<PathBuf>,
    /// Keep what was measured, for every search of yours with this model
    #[arg(long, requires = "thresholds")]
    save: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// One row of the table.
#[derive(Serialize)]
struct RowWire {
    mode: &'static str,
    semantic_weight: f32,
    ndcg_at_10: f64,
    recall_at_20: f64,
    mrr_at_10: f64,
    questions: usize,
    median_ms: f64,
    p95_ms: f64,
}

pub fn run(args: &EvalArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let flags = [
        ("search.ranking", args.ranking.clone()),
        ("knowledge.embedding_provider", args.model.clone()),
    ];
    let flags = flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let flags: Vec<(String, String)> = flags.collect();
    // Works anywhere; inside a knowledge base with its settings.
    let root = locate(Path::new(".")).map_or_else(|_| PathBuf::from("."), |found| found.root);
    let environment = env::environment();
    let layers = layers(&root, &environment, flags)?;
    let (config, _) = Config::load(&layers)?;
    let settings = &config.search;
    let set = TestSet::read(&args.dir).map_err(elophanto_index::eval::EvalError::from)?;
    let analyzer = Analyzer::new(settings.language.as_str());
    let named = Named::new(&config, &root, &environment);
    let embedder = match &named {
        Named::Missing(reason) => return Err(CliError::new(reason)),
        named => named.embedder().unwrap_or(&Builtin),
    };
    let profile = profiles::of(embedder, &environment);
    // What nobody set is what was measured for the model.
    let weight = match config.origin("search.semantic_weight") {
        None | Some(Origin::Default) => profile.semantic_weight,
        Some(_) => settings.semantic_weight as f32,
    };
    let judging = judging(settings, &profile, weight);
    if let Some(other) = &args.thresholds {
        let other = TestSet::read(other).map_err(elophanto_index::eval::EvalError::from)?;
        let found = thresholds(&set, &other, &analyzer, embedder, &judging)?;
        return tell_thresholds(&found, embedder, profile, args.save, ui);
    }
    let corpus = Corpus::build(&set, &analyzer, embedder)?;
    if !args.against.is_empty() {
        let mut judged = corpus.judge(&set, true, &analyzer, embedder, &judging)?;
        for other in &args.against {
            let other = TestSet::read(other).map_err(elophanto_index::eval::EvalError::from)?;
            judged.extend(corpus.judge(&other, false, &analyzer, embedder, &judging)?);
        }
        return tell_parted(&judged, ui);
    }
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
    let shares = if args.semantic_weight.is_empty() { &[weight] } else { &*args.semantic_weight };
    let mut runs = vec![("keyword", Mode::Keyword, 0.0), ("semantic", Mode::Semantic, 1.0)];
    runs.extend(shares.iter().map(|&share| ("hybrid", Mode::Hybrid, share)));
    for (name, mode, share) in runs {
        let measured = corpus.measure(&set, &analyzer, embedder, |query: &Query| {
            request(query, mode, share, settings, &profile)
        })?;
        print(name, share, &measured, ui)?;
    }
    ui.flush()?;
    Ok(Outcome::Done)
}

fn request<'q>(
    query: &'q Query,
    mode: Mode,
    semantic: f32,
    settings: &config::SearchConfig,
    profile: &Profile,
) -> Request<'q> {
    Request {
        query,
        like: None,
        limit: DEPTH,
        listing: Listing::Passages,
        mode,
        ranking: match settings.ranking {
            config::Ranking::Weighted => Ranking::Weighted,
            config::Ranking::Additive => Ranking::Additive,
        },
        weights: Weights { semantic, recency: 0.0, recency_half_life_days: 0.0 },
        bm25: Bm25::default(),
        fuzzy: settings.fuzzy,
        filter: Filter::default(),
        min_score: None,
        least_cosine: profile.nothing,
        // Every document is judged on its own.
        collapse_similarity: f32::INFINITY,
        belief: None,
        now: 0,
    }
}

/// Makes requests whose hits are judged.
fn judging<'s>(
    settings: &'s config::SearchConfig,
    profile: &'s Profile,
    semantic: f32,
) -> impl for<'q> Fn(&'q Query) -> Request<'q> + 's {
    move |query| Request {
        belief: Some(profile.belief),
        ..request(query, Mode::Hybrid, semantic, settings, profile)
    }
}

/// Measured thresholds, as `--json` prints them.
#[derive(Serialize)]
struct ThresholdsWire<'a> {
    model: &'a str,
    nothing: f32,
    nothing_loses: f64,
    relevant: f32,
    relevant_lets_in: f64,
    relevant_loses: f64,
    near_duplicate: f32,
    duplicate_mistakes: f64,
    duplicate_finds: f64,
    sure: f32,
    sure_of_own: f64,
    sure_of_others: f64,
    no_answer: f32,
    no_answer_to_own: f64,
    no_answer_to_others: f64,
}

fn tell_thresholds(
    found: &Thresholds,
    embedder: &dyn Embedder,
    profile: Profile,
    save: bool,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let model = embedder.fingerprint().as_str();
    let wire = ThresholdsWire {
        model,
        nothing: found.nothing,
        nothing_loses: found.nothing_loses,
        relevant: found.relevant,
        relevant_lets_in: found.relevant_lets_in,
        relevant_loses: found.relevant_loses,
        near_duplicate: found.near_duplicate,
        duplicate_mistakes: found.duplicate_mistakes,
        duplicate_finds: found.duplicate_finds,
        sure: found.sure,
        sure_of_own: found.sure_of_own,
        sure_of_others: found.sure_of_others,
        no_answer: found.no_answer,
        no_answer_to_own: found.no_answer_to_own,
        no_answer_to_others: found.no_answer_to_others,
    };
    let percent = |share: f64| share * 100.0;
    let text = format!(
        "`{model}`\n\
         nothing        {:.3}  loses {:.1} % of relevant texts without a word in common\n\
         relevant       {:.3}  lets in {:.1} % of others, loses {:.1} % of relevant ones\n\
         near_duplicate {:.3}  takes {:.1} % of others for copies, finds {:.1} % of \
         edited copies\n\
         sure           {:.3}  of {:.1} % of questions that are answered, of {:.1} % of others\n\
         no answer      {:.3}  to {:.1} % of questions that are answered, to {:.1} % of others",
        found.nothing,
        percent(found.nothing_loses),
        found.relevant,
        percent(found.relevant_lets_in),
        percent(found.relevant_loses),
        found.near_duplicate,
        percent(found.duplicate_mistakes),
        percent(found.duplicate_finds),
        found.sure,
        percent(found.sure_of_own),
        percent(found.sure_of_others),
        found.no_answer,
        percent(found.no_answer_to_own),
        percent(found.no_answer_to_others),
    );
    ui.emit(&wire, text)?;
    if save {
        profiles::save(embedder, &found.profile(&profile), &env::environment())?;
        ui.talk("kept: searches of yours with this model go by these from now on");
    }
    ui.flush()?;
    Ok(Outcome::Done)
}

/// One question of `--against`, as `--json` prints it.
#[derive(Serialize)]
struct JudgedWire {
    own: bool,
    level: &'static str,
    log_odds: f32,
    first: bool,
    among_five: bool,
    #[serde(flatten)]
    features: Features,
}

/// What `--against` measured, as `--json` prints it.
#[derive(Serialize)]
struct PartedWire {
    auc: f64,
    own: usize,
    others: usize,
    levels: Vec<LevelWire>,
}

#[derive(Serialize)]
struct LevelWire {
    level: &'static str,
    own: f64,
    others: f64,
    first: f64,
    among_five: f64,
}

fn tell_parted(judged: &[Judged], ui: &mut Ui) -> Result<Outcome, CliError> {
    if ui.json {
        for Judged { is_own, confidence, is_first, is_among_five } in judged {
            ui.json(&JudgedWire {
                own: *is_own,
                level: confidence.level.name(),
                log_odds: confidence.log_odds,
                first: *is_first,
                among_five: *is_among_five,
                features: confidence.features,
            })?;
        }
    }
    let found = parted(judged);
    let level = |at: &AtLevel| LevelWire {
        level: at.level.name(),
        own: at.own,
        others: at.others,
        first: at.first,
        among_five: at.among_five,
    };
    let wire = PartedWire {
        auc: found.auc,
        own: found.own,
        others: found.others,
        levels: found.levels.iter().map(level).collect(),
    };
    let mut text = format!(
        "{} questions of the set, {} of others: AUC {:.3}\n{:<16} {:>7} {:>7} {:>12} {:>10}",
        wire.own, wire.others, wire.auc, "", "own", "others", "first right", "among 5"
    );
    for LevelWire { level, own, others, first, among_five } in &wire.levels {
        let _ = write!(
            text,
            "\n{level:<16} {:>5.1} % {:>5.1} % {:>10.1} % {:>8.1} %",
            own * 100.0,
            others * 100.0,
            first * 100.0,
            among_five * 100.0
        );
    }
    ui.emit(&wire, text)?;
    ui.flush()?;
    Ok(Outcome::Done)
}

fn print(mode: &'static str, share: f32, measured: &Measured, ui: &mut Ui) -> Result<(), CliError> {
    let milliseconds = |time: Duration| (time.as_secs_f64() * 1e5).round() / 100.0;
    let quality = &measured.quality;
    let row = RowWire {
        mode,
        semantic_weight: share,
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
