//! Bots of the user's on platforms of others: who may write to them, and who would like to. They are let in
//! in a terminal alone.

use maud::{Markup, html};

use super::{Asked, words};
use crate::wire::channels::BotWire;
use elophanto_app::{
    Error,
    channels::{Bots, Listed},
};

/// # Errors
/// When what is known of one cannot be read.
pub fn listed(asked: &Asked) -> Result<Vec<Listed>, Error> {
    asked.library.bots.as_ref().map_or(Ok(Vec::new()), Bots::list)
}

pub fn shown(bots: &Result<Vec<BotWire>, &Error>) -> Markup {
    html! {
        section aria-labelledby="channels" {
            h2 #channels { "Channels" }
            @match bots {
                Err(error) => { p { "It cannot be told: " (words::line(error.message())) "." } }
                Ok(bots) if bots.is_empty() => { p { "None. In a terminal, " code.copy { "elophanto channel add telegram" } " lets you write to the agent from there." } }
                Ok(bots) => { @for bot in bots { (one(bot)) } }
            }
        }
    }
}

fn one(bot: &BotWire) -> Markup {
    html! {
        h3 { (bot.channel) ": " bdi { (words::line(bot.name)) } }
        @if bot.people.is_empty() { p { "Nobody may write to it." } }
        ul.plain {
            @for person in &bot.people {
                li { bdi { (words::line(person.name)) } span.quiet { " (" (words::line(person.id)) ")" } " writes to it" @if person.approves { " and answers approvals" } "." }
            }
            @for person in &bot.waiting {
                li { bdi { (words::line(person.name)) } span.quiet { " (" (words::line(person.id)) ")" } " " span.badge { "would like to" } }
            }
        }
        @if !bot.waiting.is_empty() {
            p { "Whoever should write to it tells you the code that the bot told them. Let them in in a terminal: " code.copy { "elophanto channel pair CODE" } }
        }
    }
}
