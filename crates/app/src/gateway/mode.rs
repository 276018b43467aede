//! What runs without asking, as a channel may set it: narrower than it is, never wider.

use super::Identity;
pub use crate::agent::modes::{held, name, of_name};
use crate::{
    Error, Result,
    agent::{
        Mode,
        modes::{self, to_widen, width},
    },
};

/// Whether somebody may set a mode: narrower than the present one; whoever this machine knows as its
/// user also back, as far as the settings go.
///
/// # Errors
/// When they may not.
pub fn check(who: &Identity, wanted: Mode, now: Mode, settings: Mode) -> Result<()> {
    if who.scopes.admin {
        return modes::check(wanted, settings);
    }
    if width(wanted) <= width(now) {
        return Ok(());
    }
    let text = "a channel may only narrow what runs without asking, which is";
    Err(Error::new(format_args!("{text} {}", name(now))).hint(to_widen(wanted)))
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
    }
}
