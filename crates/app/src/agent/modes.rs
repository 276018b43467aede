//! What runs without asking, as somebody may set it who is not at a terminal of this machine: never more
//! than the settings say. Reads nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Mode;
use crate::{Error, Result, config::AgentMode};

/// How much runs without asking: the more, the higher.
pub fn width(mode: Mode) -> usize {
    Mode::ALL.iter().position(|it| *it == mode).unwrap_or_default()
}

/// What runs without asking where somebody narrowed it: never more than the settings say by now.
pub fn held(kept: Option<Mode>, settings: Mode) -> Mode {
    kept.filter(|kept| width(*kept) < width(settings)).unwrap_or(settings)
}

/// What runs without asking, which any thread may set while another one decides by it.
#[derive(Debug)]
pub struct Shared(AtomicUsize);

impl Shared {
    /// Begins with this mode.
    pub fn new(mode: Mode) -> Self {
        Self(AtomicUsize::new(width(mode)))
    }

    /// The mode that decides now.
    pub fn get(&self) -> Mode {
        Mode::ALL.get(self.0.load(Ordering::SeqCst)).copied().unwrap_or(Mode::Ask)
    }

    /// Changes it, from the next call on.
    pub fn set(&self, mode: Mode) {
        self.0.store(width(mode), Ordering::SeqCst);
    }
}

/// As settings write it.
pub fn name(mode: Mode) -> String {
    mode.to_string()
}

/// The mode that settings write so; `None` if there is none.
pub fn of_name(name: &str) -> Option<Mode> {
    name.parse::<AgentMode>().ok().map(Mode::from)
}

/// Whether the user of this machine may set a mode: as far as the settings go.
///
/// # Errors
/// When they say less.
pub fn check(wanted: Mode, settings: Mode) -> Result<()> {
    match width(wanted) <= width(settings) {
        true => Ok(()),
        false => Err(Error::new(format_args!("the settings say {} at most", name(settings)))
            .hint(to_widen(wanted))),
    }
}

/// How a mode is allowed that is not.
pub(crate) fn to_widen(wanted: Mode) -> String {
    format!("on this machine: `agent.mode: {}` in your settings", name(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_the_settings_say() {
        assert_eq!(of_name(&name(Mode::Full)), Some(Mode::Full));
        for (kept, settings, expected) in [
            (None, Mode::Smart, Mode::Smart),
            (Some(Mode::Ask), Mode::Full, Mode::Ask),
            (Some(Mode::Full), Mode::Ask, Mode::Ask),
            (Some(Mode::Full), Mode::Full, Mode::Full),
        ] {
            assert_eq!(held(kept, settings), expected, "{kept:?} {settings:?}");
        }
        for (wanted, settings, expected) in [
            (Mode::Smart, Mode::Smart, true),
            (Mode::Ask, Mode::Smart, true),
            (Mode::Full, Mode::Smart, false),
        ] {
            assert_eq!(check(wanted, settings).is_ok(), expected, "{wanted:?} {settings:?}");
        }
    }

    #[test]
    fn what_is_set_is_what_is_read() {
        let shared = Shared::new(Mode::Full);
        assert_eq!(shared.get(), Mode::Full);
        for mode in Mode::ALL {
            shared.set(mode);
            assert_eq!(shared.get(), mode);
        }
    }
}
