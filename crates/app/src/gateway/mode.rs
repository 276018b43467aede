//! What runs without asking, as a channel may set it: narrower than it is, never wider.

use super::Identity;
use crate::{Error, agent::Mode, config::AgentMode};

/// How much runs without asking: the more, the higher.
fn width(mode: Mode) -> u8 {
    match mode {
        Mode::Ask => 0,
        Mode::Smart => 1,
        Mode::Full => 2,
    }
}

/// What runs without asking where somebody narrowed it: never more than the settings say by now.
pub fn held(kept: Option<Mode>, settings: Mode) -> Mode {
    kept.filter(|kept| width(*kept) < width(settings)).unwrap_or(settings)
}

/// As settings write it.
pub fn name(mode: Mode) -> String {
    AgentMode::from(mode).to_string()
}

pub fn of_name(name: &str) -> Option<Mode> {
    name.parse::<AgentMode>().ok().map(Mode::from)
}

/// Whether somebody may set a mode: narrower than the present one; whoever this machine knows as its
/// user also back, as far as the settings go.
///
/// # Errors
/// When they may not.
pub fn check(who: &Identity, wanted: Mode, now: Mode, settings: Mode) -> Result<(), Error> {
    let most = if who.scopes.admin { settings } else { now };
    if width(wanted) <= width(most) {
        return Ok(());
    }
    let hint = format!("on this machine: `agent.mode: {}` in your settings", name(wanted));
    let error = match who.scopes.admin {
        true => Error::new(format_args!("the settings say {} at most", name(settings))),
        false => Error::new(format_args!(
            "a channel may only narrow what runs without asking, which is {}",
            name(now)
        )),
    };
    Err(error.hint(hint))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Channel, Scopes},
        *,
    };

    #[test]
    fn only_narrower() {
        let who = |admin| Identity {
            channel: Channel::Telegram,
            user: "1".to_owned(),
            scopes: Scopes { admin, ..Scopes::default() },
        };
        for (admin, wanted, now, settings, expected) in [
            (false, Mode::Ask, Mode::Smart, Mode::Full, true),
            (false, Mode::Smart, Mode::Smart, Mode::Full, true),
            (false, Mode::Full, Mode::Smart, Mode::Full, false),
            (false, Mode::Smart, Mode::Ask, Mode::Smart, false),
            (true, Mode::Smart, Mode::Ask, Mode::Smart, true),
            (true, Mode::Full, Mode::Ask, Mode::Smart, false),
        ] {
            let found = check(&who(admin), wanted, now, settings).is_ok();
            assert_eq!(found, expected, "{admin} {wanted:?} {now:?} {settings:?}");
        }
        assert_eq!(of_name(&name(Mode::Full)), Some(Mode::Full));
        for (kept, settings, expected) in [
            (None, Mode::Smart, Mode::Smart),
            (Some(Mode::Ask), Mode::Full, Mode::Ask),
            (Some(Mode::Full), Mode::Ask, Mode::Ask),
            (Some(Mode::Full), Mode::Full, Mode::Full),
        ] {
            assert_eq!(held(kept, settings), expected, "{kept:?} {settings:?}");
        }
    }
}
