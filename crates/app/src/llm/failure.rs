//! What to do when no language model answers.

use super::{LanguageModels, Missing};
use crate::{
    Error,
    config::{KeyRef, Protocol, ProviderConfig},
};
use elophanto_base::{shell::quoted, visible::escape_control_line};
use elophanto_models::llm::{LlmError, ModelRef, OverBudget, Span, Why};

/// One failure of all that was tried. What providers said stays on one line each.
pub fn gather(tried: &[(ModelRef, String)], hints: Vec<String>) -> Error {
    let mut message = match tried {
        [] => "the settings name no model for this".to_owned(),
        _ => "no model gave an answer".to_owned(),
    };
    for (model, reason) in tried {
        message.push_str(&format!("\n  {}: {}", model, escape_control_line(reason)));
    }
    let mut said: Vec<String> = Vec::new();
    for hint in hints {
        if !said.contains(&hint) {
            said.push(hint);
        }
    }
    let error = Error::new(message);
    if said.is_empty() { error } else { error.hint(said.join("\n      ")) }
}

/// What would let a model be asked that was not.
pub(crate) fn hint_for_why(
    models: &LanguageModels<'_>,
    model: &ModelRef,
    why: &Why,
) -> Option<String> {
    let name = model.provider();
    match why {
        Why::NotSetUp => Some(match models.missing(model)? {
            Missing::Unknown => {
                format!("say where `{name}` is: `llm.providers.{name}.base_url` in your settings")
            }
            Missing::Key(_) => set_a_key(name, models.site(model)?),
            Missing::Address(_) => {
                format!("correct `llm.providers.{name}.base_url` in your settings")
            }
        }),
        Why::NotLocal => {
            Some("`llm.local_only` is on: name a model on this machine, or turn it off".to_owned())
        }
        Why::Resting { .. } => Some(
            "wait, or name another model; the agent asks one at once that `--model` or `/model` names"
                .to_owned(),
        ),
        Why::WroteIt => None,
    }
}

/// What would let a model answer that failed.
pub(crate) fn hint_for_error(
    models: &LanguageModels<'_>,
    model: &ModelRef,
    cause: &LlmError,
) -> Option<String> {
    let site = models.site(model)?;
    let (name, is_ollama) = (model.provider(), site.protocol == Protocol::Ollama);
    Some(match cause {
        LlmError::Unauthorized { .. } => set_a_key(name, site),
        LlmError::NoCredit { .. } => {
            format!("add credit to the account at `{name}`, or name a model of another provider")
        }
        LlmError::ModelMissing { .. } if is_ollama => {
            format!("fetch it: `ollama pull {}`", quoted(model.model()))
        }
        LlmError::ModelMissing { .. } => {
            format!("name a model that `{name}` has, in `llm.tasks`")
        }
        LlmError::Network { .. } if is_ollama => {
            format!("start Ollama (`ollama serve`), then `ollama pull {}`", quoted(model.model()))
        }
        LlmError::Network { .. } => {
            format!("check the network and `llm.providers.{name}.base_url`")
        }
        LlmError::Endpoint { .. } | LlmError::BadReply { .. } => {
            format!("check `base_url` and `protocol` of `llm.providers.{name}`")
        }
        LlmError::RateLimited { .. } | LlmError::Overloaded { .. } | LlmError::Server { .. } => {
            "try again later, or name another model".to_owned()
        }
        LlmError::ContextTooLong { .. } => "raise `llm.context_tokens`, or ask less".to_owned(),
        LlmError::Schema { .. } | LlmError::Arguments { .. } | LlmError::Truncated { .. } => {
            "name a larger model".to_owned()
        }
        LlmError::NoImages => {
            "name a model that takes images, or set `llm.images: always` if this one does"
                .to_owned()
        }
        LlmError::Rejected { .. } | LlmError::BadSchema { .. } | LlmError::TooLarge { .. } => {
            return None;
        }
    })
}

/// What to do about a model whose price is not known.
pub(crate) fn set_a_price(model: &ModelRef) -> String {
    format!(
        "set what it costs in your settings, in US dollars per million tokens read and written: \
         `llm.prices: \"{model}=1.25/10\"`; or limit tokens or calls instead: `200000tok,30calls`"
    )
}

/// What to do about a limit.
pub fn raise(over: &OverBudget) -> String {
    let span = match over {
        OverBudget::Usd { span, .. }
        | OverBudget::Tokens { span, .. }
        | OverBudget::Calls { span, .. }
        | OverBudget::UnknownPrice { span, .. } => *span,
    };
    match span {
        Span::Run => "give more with `--budget`, or set `llm.budget.run`".to_owned(),
        Span::Day | Span::Month => {
            format!("wait, or raise `llm.budget.{span}`; `elophanto usage` shows what was spent")
        }
    }
}

fn set_a_key(name: &str, site: &ProviderConfig) -> String {
    let ways: Vec<String> = site
        .keys
        .iter()
        .map(|key| match key {
            KeyRef::Env(variable) => format!("set {variable}"),
            KeyRef::Vault(entry) => format!("keep it with `elophanto vault set {}`", quoted(entry)),
        })
        .collect();
    match ways.as_slice() {
        [] => format!("say where its key is: `llm.providers.{name}.key` in your settings"),
        ways => format!("give `{name}` a key that it takes: {}", ways.join(", or ")),
    }
}
