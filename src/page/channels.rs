//! Bots of the user's on platforms of others: who may write to them, and who would like to. They are let in
//! in a terminal alone.

use maud::{Markup, html};

use super::{Asked, words};
use crate::wire::channels::BotWire;
use elophanto_app::{
    Error,
    channels::{Bots, Listed},
};

/// Those that are set up, and why one cannot be told.
pub fn listed(asked: &Asked) -> (Vec<Listed>, Vec<Error>) {
    asked.library.bots.as_ref().map_or_else(Default::default, Bots::list)
}

pub fn shown(bots: &[BotWire], untold: &[Error]) -> Markup {
    html! {
        section aria-labelledby="channels" {
            h2 #channels { "Channels" }
            @for error in untold {
                p.warn { (words::line(error.message())) }
                @for hint in error.hints() { p.quiet { (words::line(hint)) } }
            }
            @if bots.is_empty() && untold.is_empty() { p { "None. In a terminal, " code.copy { "elophanto channel add telegram" } " lets you write to the agent from there." } }
            @for bot in bots { (one(bot)) }
        }
    }
}

fn one(bot: &BotWire) -> Markup {
    html! {
        h3 { (bot.channel) ": " bdi { (words::line(bot.name)) } }
        @if bot.people.is_empty() { p { "Nobody may write to it." } }
        ul.plain {
            @for person in &bot.people {
                li { q { bdi { (words::line(person.name)) } } span.quiet { " (" (words::line(person.id)) ")" } " writes to it" @if person.approves { " and answers approvals" } "." }
            }
            @for person in &bot.waiting {
                li { q { bdi { (words::line(person.name)) } } span.quiet { " (" (words::line(person.id)) ")" } " " span.badge { "would like to" } }
            }
        }
        @if !bot.waiting.is_empty() {
            p { "Whoever should write to it tells you the code that the bot told them. Let them in in a terminal: " code.copy { "elophanto channel pair CODE" } }
        }
    }
}
