//! What came of looking after a knowledge base: its index, its hooks, its jobs, what is trusted, and how
//! well search answers.

use std::borrow::Cow;

use serde::Serialize;

use elophanto_app::{
    config::{digest, format_duration},
    hooks::{Foreign, HookName, Standing},
    pages::{Page, Trust},
    schedule::{Backend, GatewayUnit, Installed},
};
use elophanto_index::{
    check::Gaps,
    eval::{Judged, Thresholds},
    search::Level,
};
use elophanto_models::Features;

/// What a check of the index found.
#[derive(Serialize)]
pub struct CheckedWire<'a> {
    pub ok: bool,
    #[serde(flatten)]
    pub gaps: &'a Gaps,
}

/// What was tidied up, or would be.
#[derive(Serialize)]
pub struct TidiedWire<T> {
    pub dry_run: bool,
    #[serde(flatten)]
    pub done: T,
}

/// How a hook of git stands.
#[derive(Serialize)]
pub struct HookWire {
    hook: &'static str,
    path: String,
    state: &'static str,
    default: bool,
    foreign: Option<&'static str>,
    program: Option<String>,
    pub program_exists: bool,
}

impl HookWire {
    /// Of a hook, and where it lies.
    pub fn of(name: HookName, path: String, standing: &Standing) -> Self {
        let program = standing.program.as_ref();
        Self {
            hook: name.as_str(),
            path,
            state: standing.state.name(),
            default: name.is_default(),
            foreign: standing.foreign.map(Foreign::name),
            program: program.map(|program| program.display().to_string()),
            program_exists: program.is_some_and(|program| program.is_file()),
        }
    }
}

/// A job.
#[derive(Serialize)]
pub struct JobWire<'a> {
    name: &'a str,
    pub every: String,
    command: Vec<&'a str>,
    folder: String,
    /// `systemd`, `cron` or `gateway`.
    pub by: &'static str,
    pub last: Option<String>,
}

impl<'a> JobWire<'a> {
    /// Of a job, and what its last run did.
    pub fn of(Installed { backend, job }: &'a Installed, last: Option<String>) -> Self {
        Self {
            name: &job.name,
            every: format_duration(job.every),
            command: job.command.iter().map(String::as_str).collect(),
            folder: job.folder.display().to_string(),
            by: backend.name(),
            last,
        }
    }
}

impl From<&GatewayUnit> for JobWire<'static> {
    fn from(unit: &GatewayUnit) -> Self {
        Self {
            name: "gateway",
            every: "login".to_owned(),
            command: vec!["gateway"],
            folder: unit.folder.display().to_string(),
            by: Backend::Systemd.name(),
            last: None,
        }
    }
}

/// A page that needs trust.
#[derive(Serialize)]
pub struct TrustPageWire<'a> {
    page: Cow<'a, str>,
    pub lines: usize,
    /// The user trusted something else that it said.
    pub changed: bool,
    /// Hash of what it says.
    digest: String,
    /// Where it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
}

impl<'a> TrustPageWire<'a> {
    pub fn of(page: &'a Page, is_shown: bool) -> Self {
        let text = String::from_utf8_lossy(&page.bytes);
        Self {
            page: page.path.to_string_lossy(),
            lines: text.lines().count(),
            changed: page.trust == Trust::Changed,
            digest: digest(&page.bytes),
            text: is_shown.then_some(text),
        }
    }
}

/// Measured thresholds.
#[derive(Serialize)]
pub struct ThresholdsWire<'a> {
    pub model: &'a str,
    #[serde(flatten)]
    pub found: &'a Thresholds,
}

/// A question, and what was believed of its hits.
#[derive(Serialize)]
pub struct JudgedWire {
    own: bool,
    level: Level,
    log_odds: f32,
    first: bool,
    among_five: bool,
    #[serde(flatten)]
    features: Features,
}

impl From<&Judged> for JudgedWire {
    fn from(Judged { is_own, confidence, is_first, is_among_five }: &Judged) -> Self {
        Self {
            own: *is_own,
            level: confidence.level,
            log_odds: confidence.log_odds,
            first: *is_first,
            among_five: *is_among_five,
            features: confidence.features,
        }
    }
}
