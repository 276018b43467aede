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
    config::{Agreements, Protocol},
    http::probe,
    llm::{Message, ModelRef, Task, is_loopback},
    scan::investigate::Asked,
};

/// A server on this machine answers within this time, or is not there.
const PROBE: Duration = Duration::from_millis(300);
/// After so many failures in a row nothing more is sent.
const MOST_FAILURES: usize = 4;

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
    failures: usize,
    /// Whether a better model than those that may be asked here is set up and agreed to.
    is_lesser: bool,
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
        let mut summariser = Self { desk: None, failures: 0, is_lesser: false, ui };
        if reach == Reach::Nothing {
            return Ok(summariser);
        }
        let config = &workspace.config;
        let asking = if reach == Reach::Agreed { Asking::Through(ui) } else { Asking::Never };
        let all = Desk::open(config, &[Task::Summary], "scan", asking)?;
        let mut kept: Vec<ModelRef> = Vec::new();
        for model in all.plan(Task::Summary).candidates {
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
        if self.failures >= MOST_FAILURES {
            return Asked::Stop(format!(
                "the model failed {MOST_FAILURES} times in a row; nothing more was sent"
            ));
        }
        let request = desk.request(vec![Message::user(prompt)]);
        match desk.ask(Task::Summary, &request, None, self.ui) {
            Ok(answer) => {
                self.failures = 0;
                Asked::Said { text: answer.reply.text, model: answer.model.to_string() }
            }
            Err(failure) if failure.over_budget => Asked::Stop(failure.error.message().to_owned()),
            Err(failure) => {
                self.failures += 1;
                Asked::Failed(failure.error.message().to_owned())
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
