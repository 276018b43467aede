//! What runs without asking, as the modes of a session. Pure.

use agent_client_protocol::v1::schema::{SessionMode, SessionModeState};

use super::turn::Turn;
use elophanto_app::agent::{Mode, modes};

/// The mode of a conversation, and those that its settings allow.
pub fn state(turn: &Turn) -> SessionModeState {
    let most = modes::width(turn.most());
    let allowed = Mode::ALL.into_iter().filter(|mode| modes::width(*mode) <= most);
    SessionModeState::new(modes::name(turn.mode()), allowed.map(mode).collect())
}

fn mode(mode: Mode) -> SessionMode {
    let (name, about) = match mode {
        Mode::Ask => ("Ask", "every call asks"),
        Mode::Smart => ("Smart", "what is listed as safe runs; the rest asks"),
        Mode::Full => ("Full", "everything runs but for what asks in every mode"),
    };
    SessionMode::new(modes::name(mode), name).description(about.to_owned())
}
