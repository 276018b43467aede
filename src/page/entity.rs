//! An entity: what is known of it, where each fact comes from, how much the user cares and why.

use maud::{Markup, html};
use serde_json::json;

use super::{Asked, Page, Tab, acts, charts, entities::trend, words};
use elophanto_app::{
    Error, Result, entities,
    entities::{Known, KnownFact},
    interest::{Why, why},
    learning::Learning,
};
use elophanto_base::counted::counted;
use elophanto_knowledge::interest::PreferenceKind;

pub fn page(asked: &Asked, name: &str) -> Result<Page> {
    let learning = Learning::look(&asked.workspace);
    let (store, snapshot) = (learning.store(), asked.known());
    let Some(entity) = entities::by_name(snapshot, name) else {
        let error = Error::new(format_args!("nothing is known of `{}`", words::line(name)));
        let error = match entities::nearest(snapshot, name) {
            Some(near) => error.hint(format!("there is `{}`", words::line(near))),
            None => error.hint("the entities that there are stand under Entities"),
        };
        return Ok(asked.missing(Tab::Entities, &error));
    };
    let known = entities::of(&store, entity);
    asked.page(Tab::Entities, known.name, &known, || {
        let cares = (!asked.site.is_export).then(|| why(&asked.workspace, known.entity));
        html! {
            article.entity data-entity=(known.entity) data-topic=(known.name) {
                h1 { (words::line(known.name)) }
                p.meta {
                    a href=(asked.site.note(&known.path)) { "Its page" } ", " (counted(known.facts.len(), "fact"))
                    @if !known.aliases.is_empty() { ", also called " (words::line(&known.aliases.join(", "))) }
                    @for tag in known.tags { " " span.badge { (words::line(tag)) } }
                }
                @if let Some(cares) = &cares {
                    @let button = |label, act: &str| acts::button(label, &json!({ "act": act, "topic": known.name }), false);
                    @match cares.preference {
                        Some(PreferenceKind::Like) => { (acts::buttons(&[button("You like it: take that back", "unlike")])) }
                        Some(PreferenceKind::Dislike) => { (acts::buttons(&[button("You dislike it: take that back", "undislike")])) }
                        None => { (acts::buttons(&[button("Like", "like"), button("Dislike", "dislike")])) }
                    }
                    (interest(cares))
                }
                section aria-labelledby="facts" {
                    h2 #facts { "Facts" }
                    @if known.facts.is_empty() { p { "None yet." } }
                    ol.facts data-list { @for group in known.groups() { (together(asked, group)) } }
                }
                (notes(asked, &known))
            }
        }
    })
}

/// A fact, or those that say otherwise of the same in one place, the newest first.
fn together(asked: &Asked, group: &[KnownFact]) -> Markup {
    html! {
        @match group {
            [fact] => (one(asked, fact)),
            facts => li {
                p.warn { (counted(facts.len(), "fact")) " say otherwise of the same, the newest first:" }
                ol { @for fact in facts { (one(asked, fact)) } }
            }
        }
    }
}

/// A fact with the chain that leads to where it comes from.
fn one(asked: &Asked, fact: &KnownFact) -> Markup {
    html! {
        li {
            p { (words::text(fact.text)) @if let Some(count) = fact.sources() { " " span.badge { (counted(count, "source")) } } }
            @if let Some(note) = fact.against { p.warn { "Your note says otherwise: " (words::line(note)) } }
            ul.chain aria-label="Where it comes from" {
                @match fact.source.filter(|it| !it.is_empty()) {
                    Some(source) => { li { (origin(asked, source)) } }
                    None if fact.edited => { li { "changed by hand: its source did not say so" } }
                    None => { li { "from what somebody handed over, without a name" } }
                }
                @for also in &fact.also { li { "also " (origin(asked, also.source)) @if let Some(at) = &also.learned_at { ", " (words::line(at)) } } }
                @if let Some(search) = fact.search.filter(|_| !fact.edited) { li { "found by the search " code { (words::line(search)) } } }
                @if let Some(message) = fact.message { li { "said in the message " code { (words::line(message)) } } }
                @if let Some(day) = &fact.published { li { "published " (words::line(day)) } }
                @if let Some(at) = &fact.learned_at { li { "learnt " (words::line(at)) } }
                li { a href=(asked.site.marked(&fact.path, fact.line)) { (words::line(&fact.path)) ":" (fact.line) } }
            }
        }
    }
}

fn origin(asked: &Asked, source: &str) -> Markup {
    html! {
        @if is_address(source) { "from " a href=(source) rel="noreferrer nofollow" { (words::line(source)) } }
        @else if asked.catalogue.find(source).is_some() { "from the note " a href=(asked.site.note(source)) { (words::line(source)) } }
        @else { "from " (words::line(source)) }
    }
}

fn is_address(source: &str) -> bool {
    source.starts_with("https://") || source.starts_with("http://")
}

fn notes(asked: &Asked, known: &Known) -> Markup {
    html! {
        @if !known.notes.is_empty() {
            section aria-labelledby="own" {
                h2 #own { "What people wrote on its page" }
                ul {
                    @for note in &known.notes {
                        li { (words::text(note.text)) " " a href=(asked.site.marked(&note.path, note.line)) { "line " (note.line) } }
                    }
                }
            }
        }
    }
}

fn interest(why: &Why) -> Markup {
    html! {
        section aria-labelledby="interest" {
            h2 #interest { "How much you care" }
            @match &why.interest {
                Some(interest) => {
                    p { "Score " (format!("{:+.2}", interest.score)) ", last " (words::day(Some(interest.last.as_second()))) ". " (charts::curve(&interest.trend, &trend(&interest.trend))) }
                }
                None => { p.quiet { "You had nothing to do with it yet." } }
            }
            @if !why.acts.is_empty() {
                details {
                    summary { "Why" }
                    ul {
                        @for act in &why.acts {
                            li { (words::day(Some(act.at.as_second()))) ": " (act.what) ", counts " (format!("{:+.2}", act.counts)) }
                        }
                    }
                    p.quiet { "Each counts half after thirty days." }
                }
            }
        }
    }
}
