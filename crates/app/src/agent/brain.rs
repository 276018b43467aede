//! The models that the settings name, as the loop of an agent asks them.

use std::ops::ControlFlow;

use super::context::Window;
use crate::{
    Error, Reporter, Result, Workspace,
    config::Config,
    keys::Asking,
    llm::{
        Failure, LanguageModels,
        asker::{Purpose, Reach, askable},
    },
};
use elophanto_agent::{Brain, BrainError, BrainErrorKind, Cost, Thought};
use elophanto_models::llm::{self, Delta, LlmError, ModelRef, Request, Sink, Task};

/// Kinds of work that a run may give to models.
pub const WORK: [Task; 6] =
    [Task::Planning, Task::Coding, Task::Analysis, Task::Simple, Task::Review, Task::Summary];

/// Models that may be asked about this repository.
pub struct Models<'a> {
    models: LanguageModels<'a>,
    config: &'a Config,
    reporter: &'a (dyn Reporter + Send + Sync),
}

impl<'a> Models<'a> {
    /// Asks the user, where they have not agreed yet, whether text of the repository may be sent
    /// away; `yes` agrees.
    ///
    /// # Errors
    /// When no model may be asked to plan.
    pub fn open(
        workspace: &'a Workspace,
        config: &'a Config,
        yes: bool,
        reporter: &'a (dyn Reporter + Send + Sync),
    ) -> Result<Self> {
        let mut models = LanguageModels::open(
            config,
            &workspace.environment,
            &WORK,
            "agent",
            Asking::Through(reporter),
        )?;
        for task in WORK {
            let purpose = Purpose { task, ..Purpose::WORK };
            let kept = askable(workspace, &models, purpose, Reach::Agreed, yes, reporter)?.kept;
            if kept.is_empty() && task == Task::Planning {
                return Err(nobody(&models));
            }
            models = models.only(task, &|model| kept.contains(model));
        }
        models.hold_to_money(Task::Planning, reporter)?;
        Ok(Self { models, config, reporter })
    }

    /// How much the model takes that makes the steps.
    pub fn window(&self) -> Window {
        let first = self.models.plan(Task::Planning).candidates.into_iter().next();
        Window::of(self.config, first)
    }

    /// The first model that is named for the steps and may be asked, be it one that rests after
    /// failures.
    pub fn named(&self) -> Option<&ModelRef> {
        self.models.models(Task::Planning).first()
    }

    /// Whether a model may make the steps that takes pictures; others are then passed over while there
    /// are any.
    pub fn takes_images(&self) -> bool {
        let named = self.models.models(Task::Planning);
        named.iter().any(|model| self.models.shows_images(model))
    }

    /// Who does work of a kind that no model is named for.
    fn task_for(&self, task: Task) -> Task {
        if self.models.models(task).is_empty() { Task::Planning } else { task }
    }
}

impl Brain for Models<'_> {
    fn ask(
        &self,
        task: Task,
        request: &Request,
        sink: Option<Sink<'_>>,
    ) -> Result<Thought, BrainError> {
        let caps = self.models.request(Vec::new());
        let request = Request {
            max_tokens: request.max_tokens.min(caps.max_tokens),
            // Of a model that is run with the window that it is asked for.
            context_tokens: match self.config.agent.context_tokens {
                0 => caps.context_tokens,
                tokens => u32::try_from(tokens).ok(),
            },
            ..request.clone()
        };
        let task = self.task_for(task);
        let mut silent = |_: Delta| ControlFlow::Continue(());
        let sink = sink.unwrap_or(&mut silent);
        match self.models.ask(task, &request, Some(sink), self.reporter) {
            Ok(answer) => Ok(Thought {
                reply: answer.reply,
                model: answer.model.to_string(),
                usd_micros: answer.usd_micros,
                lost: answer.lost.into_iter().map(cost).collect(),
            }),
            Err(failure) => Err(error_of(*failure)),
        }
    }

    fn tokens_left(&self) -> Option<u64> {
        self.models.tokens_left()
    }
}

fn error_of(failure: Failure) -> BrainError {
    let kind = match failure.last.map(|last| *last) {
        _ if failure.over_budget => BrainErrorKind::OverBudget,
        None => BrainErrorKind::NoModel,
        Some(LlmError::ContextTooLong { .. }) => BrainErrorKind::TooLong,
        Some(LlmError::Arguments { raw, .. } | LlmError::Schema { raw, .. }) => {
            BrainErrorKind::Malformed { raw }
        }
        Some(LlmError::Rejected { .. } | LlmError::NoImages) => BrainErrorKind::Refused,
        Some(LlmError::ModelMissing { .. } | LlmError::Unauthorized { .. }) => {
            BrainErrorKind::NoModel
        }
        Some(_) => BrainErrorKind::Unreachable,
    };
    BrainError {
        message: failure.error.message().to_owned(),
        hint: failure.error.hint_text().map(str::to_owned),
        kind,
        lost: failure.lost.into_iter().map(cost).collect(),
    }
}

fn cost(lost: llm::Cost) -> Cost {
    let llm::Cost { model, usage, usd_micros } = lost;
    Cost { model: model.to_string(), usage, usd_micros }
}

/// Why there is no model to plan with.
fn nobody(models: &LanguageModels) -> Error {
    let plan = models.plan(Task::Planning);
    let why = plan
        .rejected
        .first()
        .map(|(model, why)| format!(": `{model}` is {}", models.reason(model, why)));
    Error::new(format_args!("no language model may be asked{}", why.unwrap_or_default())).hint(
        "name one in `llm.tasks.planning`, keep its key with `elophanto vault set`, or start \
         Ollama; `elophanto model test` says what answers",
    )
}
