//! What counts as near for a model: as measured here by `eval --thresholds --save`, else as it came.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Error, Result, environment::Environment};
use elophanto_base::regular;
use elophanto_models::{Belief, Embedder, Pace, SearchThresholds};

/// Largest file of thresholds, in bytes.
const MAX_BYTES: u64 = 4_096;

/// Measured thresholds, as they are kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    model: String,
    semantic_weight: f32,
    nothing: f32,
    relevant: f32,
    near_duplicate: f32,
    /// Of [`Belief`]; files of earlier versions lack them.
    #[serde(default)]
    sure: Option<f32>,
    #[serde(default)]
    no_answer: Option<f32>,
}

/// The thresholds of a model. The built-in one is never looked up: its own are good.
pub fn of(embedder: &dyn Embedder, environment: &Environment) -> SearchThresholds {
    if embedder.pace() == Pace::Instant {
        return embedder.thresholds();
    }
    read(embedder, environment).unwrap_or_else(|| embedder.thresholds())
}

/// Keeps thresholds for every later search with the model.
///
/// # Errors
/// When there is no place for them.
pub fn save(
    embedder: &dyn Embedder,
    profile: &SearchThresholds,
    environment: &Environment,
) -> Result<()> {
    let SearchThresholds { semantic_weight, nothing, relevant, near_duplicate, belief, .. } =
        *profile;
    let model = embedder.fingerprint().to_string();
    let (sure, no_answer) = (Some(belief.sure), Some(belief.nothing));
    let kept = Kept { model, semantic_weight, nothing, relevant, near_duplicate, sure, no_answer };
    let path = file(embedder, environment).ok_or_else(|| {
        Error::new("no folder to keep thresholds in").hint("set HOME to your home folder")
    })?;
    let bytes = serde_json::to_vec_pretty(&kept).map_err(Error::new)?;
    Ok(elophanto_index::store::write_whole(&path, &bytes)?)
}

/// What cannot be read, or is out of range, counts as not measured.
fn read(embedder: &dyn Embedder, environment: &Environment) -> Option<SearchThresholds> {
    let path = file(embedder, environment)?;
    let kept: Kept = serde_json::from_slice(&regular::read(&path, MAX_BYTES).ok()?).ok()?;
    let Kept { model, semantic_weight, nothing, relevant, near_duplicate, sure, no_answer } = kept;
    let SearchThresholds { belief: own, lessons, .. } = embedder.thresholds();
    let belief =
        Belief { sure: sure.unwrap_or(own.sure), nothing: no_answer.unwrap_or(own.nothing), ..own };
    let share = |value: f32| (0.0..=1.0).contains(&value);
    let cosine = |value: f32| (-1.0..=1.0).contains(&value);
    let sound = model == embedder.fingerprint().as_str()
        && share(semantic_weight)
        && [nothing, relevant, near_duplicate].into_iter().all(cosine)
        && belief.nothing <= belief.sure;
    sound.then_some(SearchThresholds {
        semantic_weight,
        nothing,
        relevant,
        near_duplicate,
        belief,
        lessons,
    })
}

fn file(embedder: &dyn Embedder, environment: &Environment) -> Option<PathBuf> {
    let name = blake3::hash(embedder.fingerprint().as_str().as_bytes()).to_hex();
    let folder = environment.data_folder()?.join("thresholds");
    Some(folder.join(format!("{}.json", &name[..16])))
}
