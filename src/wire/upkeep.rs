//! What came of looking after a knowledge base: its index, its hooks, its jobs, and how well search
//! answers.

use schemars::JsonSchema;
use serde::Serialize;

use elophanto_app::{
    config::{Resolution, format_duration},
    hooks::{Change, Foreign, HookName, Standing},
    init::InitAction,
    on_commit::Secret,
    schedule::{Backend, GatewayUnit, Installed},
};
use elophanto_index::{
    Problem,
    check::Gaps,
    eval::{Answered, Judged, Question, Thresholds},
    search::Level,
    verify::{Forged, Unchecked},
};
use elophanto_models::Features;

/// What a check of the index found.
#[derive(Serialize, JsonSchema)]
pub struct CheckedWire<'a> {
    pub ok: bool,
    #[serde(flatten)]
    pub gaps: &'a Gaps,
}

/// A file that is left out of the index, and where and why.
#[derive(Serialize, JsonSchema)]
pub struct SkippedWire<'a> {
    skipped: String,
    line: Option<u32>,
    reason: &'a str,
}

impl<'a> From<&'a Problem> for SkippedWire<'a> {
    fn from(Problem { path, line, reason }: &'a Problem) -> Self {
        Self { skipped: path.to_text(), line: *line, reason }
    }
}

/// A text whose committed vector is not what the model makes of it.
#[derive(Serialize, JsonSchema)]
pub struct ForgedWire {
    forged: String,
    line: usize,
}

impl From<&Forged> for ForgedWire {
    fn from(Forged { path, line }: &Forged) -> Self {
        Self { forged: path.to_text(), line: *line }
    }
}

/// A table with vectors that cannot be held to any text.
#[derive(Serialize, JsonSchema)]
pub struct UncheckedWire<'a> {
    unchecked: &'a str,
    vectors: usize,
    /// That is said to have made them, if it is not the one in use.
    model: Option<&'a str>,
}

impl<'a> From<&'a Unchecked> for UncheckedWire<'a> {
    fn from(Unchecked { table, vectors, model }: &'a Unchecked) -> Self {
        Self { unchecked: table, vectors: *vectors, model: model.as_deref() }
    }
}

/// A file that `init` wrote, or a part of it.
#[derive(Serialize, JsonSchema)]
pub struct InitWire<'a> {
    pub path: &'a str,
    pub action: &'static str,
}

impl<'a> InitWire<'a> {
    pub fn of(path: &'a str, action: &InitAction) -> Self {
        let action = match action {
            InitAction::Create => "created",
            InitAction::Block => "managed block written",
            InitAction::Settings(_) => "settings written",
        };
        Self { path, action }
    }
}

/// A setting, and who said so.
#[derive(Serialize, JsonSchema)]
pub struct SettingWire<'a> {
    setting: &'a str,
    value: &'a str,
    origin: String,
}

impl<'a> From<&'a Resolution<'a>> for SettingWire<'a> {
    fn from(Resolution { key, value, origin }: &'a Resolution<'a>) -> Self {
        Self { setting: key, value, origin: origin.to_string() }
    }
}

/// A command that sets an editor up.
#[derive(Serialize, JsonSchema)]
pub struct CommandWire<'a> {
    command: &'a [String],
    change: &'static str,
    /// Whether it was run: nobody may have agreed.
    done: bool,
}

impl<'a> CommandWire<'a> {
    pub fn of(command: &'a [String], done: bool) -> Self {
        Self { command, change: "run", done }
    }
}

/// What was removed: its name, or its files.
#[derive(Serialize, JsonSchema)]
pub struct RemovedWire<T> {
    pub removed: T,
}

/// What was forgotten, or whether it was.
#[derive(Serialize, JsonSchema)]
pub struct ForgottenWire<T> {
    pub forgotten: T,
}

/// What was tidied up, or would be.
#[derive(Serialize, JsonSchema)]
pub struct TidiedWire<T> {
    pub dry_run: bool,
    #[serde(flatten)]
    pub done: T,
}

/// How a hook of git stands.
#[derive(Serialize, JsonSchema)]
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

/// What was done to a hook of git.
#[derive(Serialize, JsonSchema)]
pub struct HookChangeWire {
    hook: &'static str,
    path: String,
    action: &'static str,
    foreign: Option<&'static str>,
}

impl HookChangeWire {
    /// Of a hook, where it lies, and how it stands now.
    pub fn of(name: HookName, path: String, change: Change, standing: &Standing) -> Self {
        let foreign = standing.foreign.map(Foreign::name);
        Self { hook: name.as_str(), path, action: change.name(), foreign }
    }
}

/// What looks like a secret in what is to be committed.
#[derive(Serialize, JsonSchema)]
pub struct StagedSecretWire<'a> {
    path: String,
    line: usize,
    column: usize,
    kind: &'static str,
    /// What an allow list names it by.
    hash: &'a str,
}

impl<'a> From<&'a Secret> for StagedSecretWire<'a> {
    fn from(Secret { path, finding }: &'a Secret) -> Self {
        Self {
            path: path.to_text(),
            line: finding.line,
            column: finding.column,
            kind: finding.kind,
            hash: &finding.hash,
        }
    }
}

/// A job.
#[derive(Serialize, JsonSchema)]
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

/// Measured thresholds.
#[derive(Serialize, JsonSchema)]
pub struct ThresholdsWire<'a> {
    pub model: &'a str,
    #[serde(flatten)]
    pub found: &'a Thresholds,
}

/// A question, and what was believed of its hits.
#[derive(Serialize, JsonSchema)]
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

/// A question, and what two ways of searching found for it.
#[derive(Serialize, JsonSchema)]
pub struct RankedWire<'a> {
    id: &'a str,
    text: &'a str,
    rankings: [RankingWire<'a>; 2],
}

#[derive(Serialize, JsonSchema)]
struct RankingWire<'a> {
    by: &'static str,
    ndcg_at_10: f64,
    /// Best first.
    found: Vec<GradedWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct GradedWire<'a> {
    id: &'a str,
    grade: f64,
}

impl<'a> RankedWire<'a> {
    /// Of a question, and the names of both ways.
    pub fn of(question: &'a Question, answers: [(&'static str, &'a Answered); 2]) -> Self {
        let rankings = answers.map(|(by, answer)| RankingWire {
            by,
            ndcg_at_10: answer.ndcg_at_10,
            found: answer
                .found
                .iter()
                .map(|(id, grade)| GradedWire { id, grade: *grade })
                .collect(),
        });
        Self { id: &question.id, text: &question.text, rankings }
    }
}
