//! All entities, those of which most is known first, and what the user cares about.

use maud::html;

use super::{Asked, Page, Tab, charts, frame::pager, words};
use elophanto_app::{
    Result, entities,
    interest::{self, Ranked},
    learning::Learning,
    reporter::Silent,
};
use elophanto_base::counted::counted;
use elophanto_index::Kind;

/// Entities on a page, and interests that are shown.
pub const ON_EACH: usize = 100;
const INTERESTS: usize = 10;

pub fn page(asked: &Asked) -> Result<Page> {
    if asked.at.is_some() {
        return past(asked);
    }
    let learning = Learning::look(&asked.workspace);
    let store = learning.store();
    let all = entities::list(&store, asked.known());
    let first = (asked.query.page() - 1) * ON_EACH;
    let shown: Vec<_> = all.iter().skip(first).take(ON_EACH).collect();
    asked.page(Tab::Entities, "Entities", &shown, || {
        let interests = match asked.site.is_export {
            true => Vec::new(),
            false => interest::interests(&asked.workspace, INTERESTS, &Silent),
        };
        html! {
            h1 { "Entities" }
            @if all.is_empty() {
                p { "Nothing is known of anything yet. In a terminal, " code { "elophanto learn TOPIC" } " looks something up and keeps what it finds as facts with their sources." }
            }
            @if all.len() > 1 && !asked.site.is_export {
                p.actions { a href=(asked.site.page("merges")) { "Entities that may be one" } }
            }
            @if !interests.is_empty() { (cares(asked, &interests)) }
            @if !all.is_empty() {
                section aria-labelledby="all" {
                    h2 #all { "All " (words::number(all.len())) }
                    ol.notes data-list {
                        @for it in &shown {
                            li { a href=(asked.site.entity(it.entity)) { (words::line(it.name)) } span.quiet { " " (counted(it.facts, "fact")) } }
                        }
                    }
                }
            }
            (pager(asked, &asked.site.page("entities"), all.len(), ON_EACH))
        }
    })
}

/// The pages of entities as a revision holds them.
fn past(asked: &Asked) -> Result<Page> {
    let all = asked.catalogue.entries.iter().filter(|it| it.kind == Kind::Fact);
    let first = (asked.query.page() - 1) * ON_EACH;
    let all: Vec<_> = all.collect();
    asked.page(Tab::Entities, "Entities", &(), || html! {
        h1 { "Entities" }
        @if all.is_empty() { p { "None yet." } }
        (super::notes::list(asked, all.get(first..(first + ON_EACH).min(all.len())).unwrap_or_default()))
        (pager(asked, &asked.site.page("entities"), all.len(), ON_EACH))
    })
}

fn cares(asked: &Asked, interests: &[Ranked]) -> maud::Markup {
    html! {
        section aria-labelledby="interests" {
            h2 #interests { "What you care about" }
            (super::frame::table("Interests", None, &["What", "Score", "Eight weeks", "Last", "Facts"], &html! {
                tbody {
                    @for it in interests {
                        tr {
                            td { a href=(asked.site.entity(&it.entity)) { (words::line(&it.name)) } }
                            td.number { (format!("{:+.2}", it.interest.score)) }
                            td { (charts::curve(&it.interest.trend, &trend(&it.interest.trend))) }
                            td { (words::day(Some(it.interest.last.as_second()))) }
                            td.number { (it.facts) }
                        }
                    }
                }
            }))
        }
    }
}

/// A course of scores in words.
pub fn trend(values: &[f64]) -> String {
    let said: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
    format!("score by week: {}", said.join(", "))
}
