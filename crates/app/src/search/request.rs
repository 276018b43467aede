//! A search as the settings want it, to be narrowed by whoever asks.

use crate::{
    config::{self, Config, Origin},
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::search::{
    Filter, Listing, Mode, Query, Ranking, Request, Weights, lexical::Bm25,
};
use elophanto_models::SearchThresholds;

/// Everything, by the settings of the repository and the figures of its model.
pub fn usual<'a>(workspace: &Workspace, query: &'a Query) -> Request<'a> {
    of(&workspace.config, &workspace.models.thresholds(), query)
}

/// Everything, by some settings and the figures of a model.
pub fn of<'a>(config: &Config, thresholds: &SearchThresholds, query: &'a Query) -> Request<'a> {
    let settings = &config.search;
    // What nobody set is what was measured for the model.
    let is_set = |key| config.origin(key).is_some_and(|by| *by != Origin::Default);
    let measured = |key, set: f64, measured: f32| if is_set(key) { set as f32 } else { measured };
    Request {
        query,
        like: None,
        limit: settings.limit,
        listing: Listing::Passages,
        mode: match settings.mode {
            config::Mode::Hybrid => Mode::Hybrid,
            config::Mode::Keyword => Mode::Keyword,
            config::Mode::Semantic => Mode::Semantic,
        },
        ranking: match settings.ranking {
            config::Ranking::Weighted => Ranking::Weighted,
            config::Ranking::Additive => Ranking::Additive,
        },
        weights: Weights {
            semantic: measured(
                "search.semantic_weight",
                settings.semantic_weight,
                thresholds.semantic_weight,
            ),
            recency: settings.recency_weight as f32,
            recency_half_life_days: settings.recency_half_life.as_secs_f32() / 86_400.0,
        },
        bm25: Bm25::default(),
        fuzzy: settings.fuzzy,
        filter: Filter::default(),
        min_score: None,
        least_cosine: thresholds.nothing,
        collapse_similarity: measured(
            "search.collapse_similarity",
            settings.collapse_similarity,
            thresholds.near_duplicate,
        ),
        second_look: None,
        belief: Some(thresholds.belief),
        now: now_nanoseconds() / 1_000_000_000,
    }
}
