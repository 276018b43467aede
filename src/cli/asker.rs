//! The language model that summarises, if there is one that may be asked.
//!
//! Text of a repository goes to a model on this machine, or to one at an address that the user
//! agreed to for this repository; where there is none, files are described in their own words.

use std::time::Duration;

use super::{
    error::CliError,
    keys::Asking,
    llm::{Desk, may_send},
    ui::Ui,
    workspace::Workspace,
};
use crate::{
    config::{Agreements, Origin, Protocol},
    http::probe,
    llm::{Message, ModelRef, Task, Why, is_loopback},
    scan::investigate::Asked,
};

/// A server on this machine answers within this time, or is not there.
const PROBE: Duration = Duration::from_millis(300);

/// Which models may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that the user agreed to, wherever they are.
    Agreed,
    /// Those on this machine only, and nothing at all if the settings name another one first: its
    /// summaries are not to be replaced by lesser ones.
    Free,
    /// None.
    Nothing,
}

/// A model to ask, or the reason why there is none.
pub struct Summariser<'a> {
    desk: Option<Desk<'a>>,
    /// Why the last call failed.
    last: Option<String>,
    /// Whether a better model than those that may be asked here is set up and agreed to.
    is_lesser: bool,
    /// Whether nobody has named the models.
    is_default: bool,
    ui: &'a Ui,
}

impl<'a> Summariser<'a> {
    /// Looks for models that the settings name for summaries. `yes` agrees to what is asked about.
    ///
    /// # Errors
    /// When a budget can't be understood, or an agreement can't be written down.
    pub fn open(
        workspace: &'a Workspace,
        reach: Reach,
        yes: bool,
        ui: &'a Ui,
    ) -> Result<Self, CliError> {
        let origin = workspace.config.origin("llm.tasks.summary");
        let is_default = origin.is_none_or(|origin| *origin == Origin::Default);
        let mut summariser = Self { desk: None, last: None, is_lesser: false, is_default, ui };
        if reach == Reach::Nothing {
            return Ok(summariser);
        }
        let config = &workspace.config;
        let asking = if reach == Reach::Agreed { Asking::Through(ui) } else { Asking::Never };
        let all = Desk::open(config, &[Task::Summary], "scan", asking)?;
        let mut kept: Vec<ModelRef> = Vec::new();
        // One that rests after failures is set up all the same: nothing lesser takes its place.
        let plan = all.plan(Task::Summary);
        let resting =
            plan.rejected.into_iter().filter(|(_, why)| matches!(why, Why::Resting { .. }));
        for model in plan.candidates.into_iter().chain(resting.map(|(model, _)| model)) {
            let Some(site) = all.site(&model) else { continue };
            if is_loopback(&site.base_url) {
                // Ollama is named by the defaults; most machines do not have it.
                let silent = site.protocol == Protocol::Ollama && !probe(&site.base_url, PROBE);
                if !silent {
                    kept.push(model);
                }
                continue;
            }
            let host = site.base_url.host_str().unwrap_or_default().to_owned();
            if reach == Reach::Free {
                let root = &workspace.repository.root;
                summariser.is_lesser |= kept.is_empty() && may_send(root, &host, model.model());
                continue;
            }
            if agreed(workspace, &host, &model, yes, ui)? {
                kept.push(model);
            }
        }
        if !kept.is_empty() {
            let keep = |model: &ModelRef| kept.contains(model);
            summariser.desk = Some(all.only(Task::Summary, &keep));
        }
        Ok(summariser)
    }

    /// Whether files may be described again now, as well as a model that is set up would do it.
    pub fn is_free(&self) -> bool {
        !self.is_lesser
    }

    /// Asks once.
    pub fn ask(&mut self, prompt: &str, _again: bool) -> Asked {
        let Some(desk) = &self.desk else { return Asked::NoModel };
        let plan = desk.plan(Task::Summary);
        if plan.candidates.is_empty()
            && let Some((model, why)) = plan.rejected.first()
        {
            let last = self.last.as_ref().map(|last| format!(" (it said: {last})"));
            return Asked::Stop(format!(
                "`{model}`: {}{}",
                desk.reason(model, why),
                last.unwrap_or_default()
            ));
        }
        let request = desk.request(vec![Message::user(prompt)]);
        match desk.ask(Task::Summary, &request, None, self.ui) {
            Ok(answer) => Asked::Said { text: answer.reply.text, model: answer.model.to_string() },
            Err(failure) if failure.over_budget => Asked::Stop(failure.error.message().to_owned()),
            // Nobody has set up what the defaults name.
            Err(failure) if failure.no_such_model && self.is_default => {
                self.ui.note(format_args!(
                    "{}; files are described in their own words",
                    failure.error.message()
                ));
                self.desk = None;
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

/// Whether text of this repository may be sent to a model elsewhere.
fn agreed(
    workspace: &Workspace,
    host: &str,
    model: &ModelRef,
    yes: bool,
    ui: &Ui,
) -> Result<bool, CliError> {
    let root = &workspace.repository.root;
    if may_send(root, host, model.model()) {
        return Ok(true);
    }
    let question = format!("send the text of files of this repository to {host} for `{model}`?");
    if !yes && !ui.confirm(&question)? {
        ui.note(format_args!(
            "nothing is sent to {host}: `--yes` allows it once and for all; files are described in \
             their own words"
        ));
        return Ok(false);
    }
    let agreements = Agreements::open_for(root, &super::env::variables())?;
    agreements.agree(root, host, model.model(), &jiff::Timestamp::now().to_string())?;
    Ok(true)
}
