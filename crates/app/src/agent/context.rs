//! How much of a conversation the model is told, and how much of its window that takes.

use jiff::Timestamp;

use super::{Models, Prepared, gathering};
use crate::{
    Error, Result,
    config::{Config, Protocol},
    keys::Asking,
    llm::LanguageModels,
};
pub use elophanto_agent::CompactedSession;
use elophanto_agent::{ContextUse, Session, compact_session, context_use};
use elophanto_models::llm::{ModelRef, Task, window};

/// Tokens without which a prompt says nothing of use.
const LEAST_PROMPT: u64 = 1_000;

/// What a model takes at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The model that makes the steps, if one is set up.
    pub model: Option<ModelRef>,
    /// Of prompt and answer together.
    pub tokens: u64,
    /// Who says so.
    pub source: WindowSource,
}

/// Who says how large the window of a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowSource {
    /// The user's `agent.context_tokens`.
    Setting,
    /// The table of known models.
    Known,
    /// Not known of the model: `llm.context_tokens`.
    Assumed,
}

impl Window {
    pub(super) fn of(config: &Config, model: Option<ModelRef>) -> Self {
        let assumed = config.llm.context_tokens as u64;
        let is_asked_for = |model: &ModelRef| {
            // A server of this kind runs a model with the window that the request names.
            let site = config.llm.providers.get(model.provider());
            site.is_some_and(|site| matches!(site.protocol, Protocol::Ollama))
        };
        let known = model.as_ref().filter(|model| !is_asked_for(model)).and_then(window);
        let (tokens, source) = match (config.agent.context_tokens as u64, known) {
            (0, Some(known)) => (known, WindowSource::Known),
            (0, None) => (assumed, WindowSource::Assumed),
            (set, _) => (set, WindowSource::Setting),
        };
        Self { model, tokens, source }
    }

    /// Whether a prompt has room in it.
    ///
    /// # Errors
    /// When what is kept for an answer leaves none, with the setting to change.
    pub(super) fn check(&self, config: &Config) -> Result<()> {
        let (all, answer) = (self.tokens, config.llm.max_tokens as u64);
        if self.prompt(config) >= LEAST_PROMPT {
            return Ok(());
        }
        let least = answer + LEAST_PROMPT;
        let (who, raise) = match self.source {
            WindowSource::Setting => (
                "`agent.context_tokens`",
                format!("raise `agent.context_tokens` to {least} or more"),
            ),
            WindowSource::Known => ("the model", "name a model that takes more".to_owned()),
            WindowSource::Assumed => {
                ("`llm.context_tokens`", format!("raise `llm.context_tokens` to {least} or more"))
            }
        };
        let said = format!(
            "no prompt fits: {who} allows {all} tokens, of which `llm.max_tokens` keeps {answer} for \
             the answer"
        );
        Err(Error::new(said).hint(format!("{raise}, or lower `llm.max_tokens`")))
    }

    /// Tokens that are left for a prompt.
    pub(super) fn prompt(&self, config: &Config) -> u64 {
        self.tokens.saturating_sub(config.llm.max_tokens as u64)
    }
}

/// What the next request of a conversation holds, in estimated tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Of the model that planning goes to first.
    pub window: Window,
    /// Of the window, kept for the answer.
    pub answer: u64,
    /// By what.
    pub used: ContextUse,
    /// Of the conversation.
    pub messages: usize,
}

impl Prepared<'_> {
    /// What the next request of a conversation would hold. Asks nobody.
    ///
    /// # Errors
    /// When a budget can't be understood.
    pub fn context(&self, session: &Session) -> Result<Context> {
        let config = &*self.config();
        let environment = &self.workspace.environment;
        let models =
            LanguageModels::open(config, environment, &[Task::Planning], "agent", Asking::Never)?;
        let first = models.plan(Task::Planning).candidates.into_iter().next();
        let window =
            Window::of(config, first.or_else(|| models.models(Task::Planning).first().cloned()));
        let id = session.id.to_string();
        // What the run before was told says it as well as another search would.
        let mut kept = self.known.borrow_mut();
        let known = kept.take().filter(|(of, _)| *of == id);
        let (_, gathered) = &*kept.insert(known.unwrap_or_else(|| {
            let protected = self.rights.borrow().protected.entries();
            let skills = self.store.discover().skills;
            let goal = session.goal.as_deref().unwrap_or_default();
            (id, gathering::gather(self.workspace, goal, &skills, protected))
        }));
        Ok(Context {
            used: context_use(session, gathered, &self.tools, self.mode()),
            answer: config.llm.max_tokens as u64,
            messages: session.messages.len(),
            window,
        })
    }

    /// Puts a summary by a model in the place of what was said in a conversation. `yes` agrees to what
    /// is sent to a model elsewhere.
    ///
    /// # Errors
    /// When there is nothing to make shorter, a run is in it, or no model gives a summary: the
    /// conversation is then as it was.
    pub fn compact(&self, session: &mut Session, yes: bool) -> Result<CompactedSession> {
        let config = self.config();
        let brain = Models::open(self.workspace, &config, yes, &*self.reporter)?;
        let window = brain.window();
        window.check(&config)?;
        let most = window.prompt(&config);
        Ok(compact_session(session, &self.sessions, &brain, most, Timestamp::now())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, Workspace, reporter::Silent};

    #[test]
    fn a_prompt_has_to_fit() {
        let check = |set: &str, answer: &str, expected: &str| {
            let home = tempfile::tempdir().unwrap();
            std::fs::create_dir(home.path().join(".elophanto")).unwrap();
            let variables = [("HOME".to_owned(), home.path().to_string_lossy().into_owned())];
            let environment = Environment::of_variables(variables);
            let flags = [("agent.context_tokens", set), ("llm.max_tokens", answer)];
            let flags = flags.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
            let workspace = Workspace::around(home.path(), environment, flags, &Silent).unwrap();
            let window = Window::of(&workspace.config, "nobody/knows-it".parse().ok());
            let said = window.check(&workspace.config).err();
            let said = said.map(|error| error.hint_text().unwrap_or_default().to_owned());
            assert_eq!(said.as_deref().unwrap_or("fits"), expected, "{set} {answer}");
        };
        check("9000", "8000", "fits");
        let raise = "raise `agent.context_tokens` to 9000 or more, or lower `llm.max_tokens`";
        check("8000", "8000", raise);
        check("4000", "8000", raise);
        check("0", "8000", "fits");
        let raise = "raise `llm.context_tokens` to 21000 or more, or lower `llm.max_tokens`";
        check("0", "20000", raise);
    }

    #[test]
    fn whose_word_counts_for_the_window() {
        let check = |set: &str, model: &str, expected: (u64, WindowSource)| {
            let home = tempfile::tempdir().unwrap();
            std::fs::create_dir(home.path().join(".elophanto")).unwrap();
            let variables = [("HOME".to_owned(), home.path().to_string_lossy().into_owned())];
            let environment = Environment::of_variables(variables);
            let flags = vec![("agent.context_tokens".to_owned(), set.to_owned())];
            let workspace = Workspace::around(home.path(), environment, flags, &Silent).unwrap();
            let found = Window::of(&workspace.config, model.parse().ok());
            assert_eq!((found.tokens, found.source), expected, "{set} {model}");
        };
        check("0", "openrouter/anthropic/claude-sonnet-4.5", (200_000, WindowSource::Known));
        check("50000", "openrouter/anthropic/claude-sonnet-4.5", (50_000, WindowSource::Setting));
        check("0", "openrouter/nobody/knows-it", (16_384, WindowSource::Assumed));
        // Whatever its name, it has the window that it is asked for.
        check("0", "ollama/gpt-oss:20b", (16_384, WindowSource::Assumed));
        check("32768", "ollama/gpt-oss:20b", (32_768, WindowSource::Setting));
    }
}
