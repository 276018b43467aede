//! The language model for a purpose, if there is one that may be asked.
//!
//! Text of a repository goes to a model on this machine, or to one at an address that the user
//! agreed to for this repository; where there is none, what can be done without one is done.

use std::time::Duration;

use super::{LanguageModels, may_send};
use crate::{
    Result,
    config::{Agreements, Origin, Protocol},
    keys::Asking,
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_models::llm::{Asked, Message, ModelRef, Task, Why};
use elophanto_net::{address::is_loopback, http::probe};

/// A server on this machine answers within this time, or is not there.
const PROBE: Duration = Duration::from_millis(300);

/// Which models may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that the user agreed to, wherever they are.
    Agreed,
    /// Those on this machine only, and nothing at all if the settings name another one first: its
    /// work is not to be replaced by lesser one.
    Free,
    /// None.
    Nothing,
}

/// What a model is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Purpose {
    /// By which the settings choose the model.
    pub task: Task,
    /// The command that asks, for the ledger.
    pub command: &'static str,
    /// What is sent, as in "send ... to HOST?".
    pub sent: &'static str,
    /// What is done where no model is asked.
    pub without: &'static str,
}

impl Purpose {
    /// Describing files.
    pub(crate) const DESCRIBE: Self = Self {
        task: Task::Summary,
        command: "scan",
        sent: "the text of files of this repository",
        without: "files are described in their own words",
    };
    /// Finding entities and facts in what was read.
    pub(crate) const EXTRACT: Self = Self {
        task: Task::Extraction,
        command: "learn",
        sent: "what is read, files of this repository among it,",
        without: "facts are taken from the text as it stands",
    };
    /// Answering from notes and facts.
    pub const ANSWER: Self = Self {
        task: Task::Analysis,
        command: "search",
        sent: "notes and facts that bear on the question",
        without: "the answer is made of their own sentences",
    };
    /// Working on a task; each kind of work is a purpose of its own.
    pub(crate) const WORK: Self = Self {
        task: Task::Planning,
        command: "agent",
        sent: "the task, and the notes, files and results of tools that it needs,",
        without: "nothing is done",
    };
}

/// A model to ask, or the reason why there is none.
pub struct Asker<'a> {
    purpose: Purpose,
    models: Option<LanguageModels<'a>>,
    /// Why the last call failed.
    last: Option<String>,
    /// Whether a better model than those that may be asked here is set up and agreed to.
    is_lesser: bool,
    /// Whether nobody has named the models.
    is_default: bool,
    reporter: &'a dyn Reporter,
}

impl<'a> Asker<'a> {
    /// Looks for models that the settings name for the purpose. `yes` agrees to what is asked about.
    ///
    /// # Errors
    /// When a budget can't be understood, or an agreement can't be written down.
    pub fn open(
        workspace: &'a Workspace,
        purpose: Purpose,
        reach: Reach,
        yes: bool,
        reporter: &'a dyn Reporter,
    ) -> Result<Self> {
        let Purpose { task, command, .. } = purpose;
        let origin = workspace.config.origin(&format!("llm.tasks.{}", task.name()));
        let is_default = origin.is_none_or(|origin| *origin == Origin::Default);
        let mut asker =
            Self { purpose, models: None, last: None, is_lesser: false, is_default, reporter };
        if reach == Reach::Nothing {
            return Ok(asker);
        }
        let config = &workspace.config;
        let asking = if reach == Reach::Agreed { Asking::Through(reporter) } else { Asking::Never };
        let all = LanguageModels::open(config, &workspace.environment, &[task], command, asking)?;
        let Askable { kept, is_lesser } = askable(workspace, &all, purpose, reach, yes, reporter)?;
        asker.is_lesser = is_lesser;
        if !kept.is_empty() {
            let keep = |model: &ModelRef| kept.contains(model);
            asker.models = Some(all.only(task, &keep));
        }
        Ok(asker)
    }

    /// Whether files may be described again now, as well as a model that is set up would do it.
    pub fn is_free(&self) -> bool {
        !self.is_lesser
    }

    /// Whether there is a model to ask.
    pub fn is_there(&self) -> bool {
        self.models.is_some()
    }

    /// Asks once.
    pub fn ask(&mut self, prompt: &str) -> Asked {
        let Some(models) = &self.models else { return Asked::NoModel };
        let plan = models.plan(self.purpose.task);
        if plan.candidates.is_empty()
            && let Some((model, why)) = plan.rejected.first()
        {
            let last = self.last.as_ref().map(|last| format!(" (it said: {last})"));
            return Asked::Stop(format!(
                "`{model}`: {}{}",
                models.reason(model, why),
                last.unwrap_or_default()
            ));
        }
        let request = models.request(vec![Message::user(prompt)]);
        match models.ask(self.purpose.task, &request, None, self.reporter) {
            Ok(answer) => Asked::Said { text: answer.reply.text, model: answer.model.to_string() },
            Err(failure) if failure.over_budget => Asked::Stop(failure.error.message().to_owned()),
            // Nobody has set up what the defaults name.
            Err(failure) if failure.no_such_model && self.is_default => {
                self.reporter.note(format_args!(
                    "{}; {}",
                    failure.error.message(),
                    self.purpose.without
                ));
                self.models = None;
                Asked::NoModel
            }
            Err(failure) => {
                let reason = failure.tried.last().map(|(_, reason)| reason.clone());
                let reason = reason.unwrap_or_else(|| failure.error.message().to_owned());
                self.last = Some(reason.clone());
                Asked::Failed(reason)
            }
        }
    }
}

/// Models that may be asked.
#[derive(Default)]
pub struct Askable {
    /// Best first.
    pub kept: Vec<ModelRef>,
    /// Whether a better one is set up and agreed to than those that may be asked here.
    pub is_lesser: bool,
}

/// Of the models that the settings name for a purpose, those that may be asked.
///
/// # Errors
/// When the user's agreement can't be asked for or written down.
pub(crate) fn askable(
    workspace: &Workspace,
    models: &LanguageModels,
    purpose: Purpose,
    reach: Reach,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<Askable> {
    let mut found = Askable::default();
    // One that rests after failures is set up all the same: nothing lesser takes its place.
    let plan = models.plan(purpose.task);
    let resting = plan.rejected.into_iter().filter(|(_, why)| matches!(why, Why::Resting { .. }));
    for model in plan.candidates.into_iter().chain(resting.map(|(model, _)| model)) {
        let Some(site) = models.site(&model) else { continue };
        // An Ollama here passes what is sent to such a model on.
        if is_loopback(&site.base_url) && !model.is_remote_tag() {
            // Ollama is named by the defaults; most machines do not have it.
            let silent = site.protocol == Protocol::Ollama && !probe(&site.base_url, PROBE);
            if !silent {
                found.kept.push(model);
            }
            continue;
        }
        let host = site.base_url.host_str().unwrap_or_default().to_owned();
        if reach == Reach::Free {
            let root = &workspace.repository.root;
            found.is_lesser |= found.kept.is_empty()
                && may_send(root, &host, model.model(), &workspace.environment);
            continue;
        }
        if agreed(workspace, purpose, &host, &model, yes, reporter)? {
            found.kept.push(model);
        }
    }
    Ok(found)
}

/// Whether text of this repository may be sent to a model elsewhere.
fn agreed(
    workspace: &Workspace,
    purpose: Purpose,
    host: &str,
    model: &ModelRef,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<bool> {
    let root = &workspace.repository.root;
    if may_send(root, host, model.model(), &workspace.environment) {
        return Ok(true);
    }
    let question = format!("send {} to {host} for `{model}`?", purpose.sent);
    if !yes && !reporter.confirm(&question)? {
        reporter.note(format_args!(
            "nothing is sent to {host}: `--yes` allows it once and for all; {}",
            purpose.without
        ));
        return Ok(false);
    }
    let agreements = Agreements::open_for(root, workspace.environment.variables())?;
    agreements.agree(root, host, model.model(), &jiff::Timestamp::now().to_string())?;
    Ok(true)
}
