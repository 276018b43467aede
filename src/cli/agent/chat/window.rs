//! What a conversation takes of the model's window, and making that less.

use super::{
    super::super::{error::CliError, ui::Ui},
    Chat,
};
use elophanto_app::agent::context::{Context, WindowSource};
use elophanto_base::counted::counted;

/// How much of the model's window this conversation takes.
pub fn context(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let Context { window, answer, used, messages } = chat.prepared.context(&chat.session)?;
    let source = match window.source {
        WindowSource::Setting => "agent.context_tokens",
        WindowSource::Known => "known of the model",
        WindowSource::Assumed => {
            "not known of the model: llm.context_tokens, or set agent.context_tokens"
        }
    };
    let model = window.model.as_ref().map_or("no model".to_owned(), ToString::to_string);
    let left = window.tokens.saturating_sub(used.total() + answer);
    ui.line(format_args!(
        "{model}: {} tokens ({source})\ninstructions {}, tools {}, known {}, conversation {} ({}), \
         answer {answer}: about {left} left",
        window.tokens,
        used.instructions,
        used.tools,
        used.known,
        used.conversation,
        counted(messages, "message"),
    ))
}

/// Puts a summary in the place of what was said.
pub fn compact(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let done = chat.prepared.compact(&mut chat.session, chat.yes)?;
    chat.spent.add(&done.spent);
    ui.line(format_args!(
        "{} became a summary: about {} tokens instead of {}",
        counted(done.messages, "message"),
        done.tokens.1,
        done.tokens.0
    ))
}

/// Begins another conversation; this one is kept.
pub fn clear(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let before = std::mem::replace(&mut chat.session, chat.prepared.session(None)?);
    chat.begins_anew();
    ui.line(format_args!("session {}; {} is kept", chat.session.id, before.id))
}
