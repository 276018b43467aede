//! What the user cares about, and what shows it.

use schemars::JsonSchema;
use serde::Serialize;

use elophanto_app::interest::{Act, Ranked};

/// An entity that the user cares about.
#[derive(Serialize, JsonSchema)]
pub struct InterestWire<'a> {
    entity: &'a str,
    name: &'a str,
    score: f64,
    facts: usize,
    last_activity: String,
    trend: &'a [f64],
}

impl<'a> From<&'a Ranked> for InterestWire<'a> {
    fn from(Ranked { entity, name, facts, interest }: &'a Ranked) -> Self {
        Self {
            entity,
            name,
            score: (interest.score * 1_000.0).round() / 1_000.0,
            facts: *facts,
            last_activity: format!("{:.0}", interest.last),
            trend: &interest.trend,
        }
    }
}

/// Something that the user did.
#[derive(Serialize, JsonSchema)]
pub struct ActWire<'a> {
    entity: &'a str,
    at: String,
    what: &'a str,
    /// When it was new; negative for what speaks against it.
    counts: f64,
}

impl<'a> ActWire<'a> {
    /// Of something that counts for an entity.
    pub fn of(entity: &'a str, Act { at, what, counts }: &'a Act) -> Self {
        Self { entity, at: format!("{at:.0}"), what, counts: *counts }
    }
}
