//! Whether somebody may do what they do: the one place that decides, for messages, edits, buttons,
//! reactions and commands alike. Pure.

use super::registry::{Person, Registry};
use elophanto_channels::{Inbound, What};

/// What is to be made of what came.
#[derive(Debug, PartialEq)]
pub enum Admission<'r> {
    /// Somebody who may, in a conversation that nobody else sees.
    Own(&'r Person),
    /// The same in a place where others are: told what notes say, and nothing else.
    Among(&'r Person),
    /// Somebody who writes to the bot and is not known.
    Stranger,
    Nobody,
}

/// Who somebody is says the platform, by the number of their account.
pub fn admit<'r>(registry: &'r Registry, inbound: &Inbound, groups: bool) -> Admission<'r> {
    let Some(sender) = inbound.sender.as_ref().filter(|sender| !sender.is_bot) else {
        return Admission::Nobody;
    };
    let is_said_to_us = match &inbound.what {
        What::Said(said) => inbound.is_private || said.is_to_us,
        _ => false,
    };
    match registry.person(&sender.id) {
        Some(person) if inbound.is_private => Admission::Own(person),
        Some(person) if groups && is_said_to_us => Admission::Among(person),
        None if inbound.is_private && is_said_to_us => Admission::Stranger,
        _ => Admission::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use elophanto_channels::{Bot, Place, Posted, Said, Sender};

    #[test]
    fn one_check_for_all() {
        let place = Place { chat: "1".to_owned(), thread: None };
        let mut registry = Registry::new(Bot { id: "7".to_owned(), name: "b".to_owned() });
        registry.people.push(Person {
            id: "1".to_owned(),
            name: "Ada".to_owned(),
            home: place.clone(),
            approves: true,
            since: Timestamp::UNIX_EPOCH,
        });
        let posted = Posted { place: place.clone(), message: "5".to_owned() };
        let said = |is_to_us| What::Said(Said { is_to_us, ..Said::default() });
        let pressed =
            || What::Pressed { press: "p".to_owned(), posted: posted.clone(), data: String::new() };
        let reacted = || What::Reacted { posted: posted.clone(), sign: None };
        for (id, is_bot, is_private, groups, what, expected) in [
            ("1", false, true, false, said(false), "own"),
            ("1", false, true, false, What::Edited, "own"),
            ("1", false, true, false, pressed(), "own"),
            ("1", false, true, false, reacted(), "own"),
            // A stranger, also one of the same name: told something for a message, and nothing else.
            ("2", false, true, false, said(false), "stranger"),
            ("2", false, true, true, What::Edited, "nobody"),
            ("2", false, true, true, pressed(), "nobody"),
            ("2", false, true, true, reacted(), "nobody"),
            // Bots are nobody, whoever they say they are.
            ("1", true, true, true, said(true), "nobody"),
            ("2", true, true, true, said(true), "nobody"),
            // Groups: off, then on, and only when the bot is spoken to by somebody known.
            ("1", false, false, false, said(true), "nobody"),
            ("1", false, false, true, said(false), "nobody"),
            ("1", false, false, true, said(true), "among"),
            ("2", false, false, true, said(true), "nobody"),
            ("1", false, false, true, What::Edited, "nobody"),
            ("1", false, false, true, pressed(), "nobody"),
            ("1", false, false, true, reacted(), "nobody"),
        ] {
            let sender = Sender { id: id.to_owned(), name: "Ada".to_owned(), is_bot };
            let inbound =
                Inbound { number: 1, sender: Some(sender), place: place.clone(), is_private, what };
            let found = match admit(&registry, &inbound, groups) {
                Admission::Own(_) => "own",
                Admission::Among(_) => "among",
                Admission::Stranger => "stranger",
                Admission::Nobody => "nobody",
            };
            assert_eq!(found, expected, "{inbound:?}, groups: {groups}");
        }
        let nobody = Inbound { number: 1, sender: None, place, is_private: true, what: said(true) };
        assert_eq!(admit(&registry, &nobody, true), Admission::Nobody);
    }
}
