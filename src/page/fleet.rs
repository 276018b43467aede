//! Searching a fleet of repositories: what each hit says, and in which state of which repository.

use maud::{Markup, html};

use super::{
    Asked, Page, Tab,
    search::{flags, passage, request, sureness},
    words,
};
use crate::wire::{Told, fleet::HeadWire, page::FleetWire};
use elophanto_app::{
    Error, Result,
    fleet::{Head, Reader},
    reporter::Heard,
    search::{Found, SearchRequest, search},
};
use elophanto_base::counted::counted;
use elophanto_index::search::{Hit, Listing};

/// Hits on the page.
const MOST: usize = 20;
/// Repositories that are listed where nothing is asked yet.
const MOST_LISTED: usize = 200;
/// Letters of a commit.
const SHORT: usize = 10;

pub fn page(asked: &Asked) -> Result<Page> {
    let Some(reader) = &asked.library.fleet else {
        return Err(Error::new("this gateway knows of no fleet")
            .hint("start it with the address of one: `elophanto gateway --in URL`"));
    };
    let text = asked.query.get("q").unwrap_or_default();
    if text.trim().is_empty() {
        return overview(asked, reader);
    }
    let workspace = asked.cache.open(flags(asked, MOST))?;
    let repositories = asked.query.all("repository");
    let wanted = SearchRequest {
        within: Some(reader.clone().among(repositories)),
        listing: Listing::Passages,
        ..request(asked, MOST)
    };
    let heard = Heard::default();
    let found = search(&workspace, &wanted, &heard)?;
    let said = heard.all();
    let sureness = sureness(found.answer.confidence, &found);
    let told = Told { found: &found, drifted: &[], explain: true };
    let twin = FleetWire {
        fleet: &reader.address(),
        query: text,
        said: &said,
        hits: found.answer.hits.iter().map(|hit| told.hit(hit, None)).collect(),
        repositories: Vec::new(),
    };
    asked.page(Tab::Fleet, format!("{text} - fleet"), &twin, || {
        html! {
            h1 { "Fleet" }
            (form(asked, reader, text))
            div #hits {
                p.said { (sureness) }
                @for line in &said { p.warn { (words::line(line)) } }
                (hits(&found))
            }
        }
    })
}

/// What there is to ask.
fn overview(asked: &Asked, reader: &Reader) -> Result<Page> {
    let heard = Heard::default();
    let heads = reader.heads(&heard)?;
    let said = heard.all();
    let (address, total) = (reader.address(), heads.len());
    let twin = FleetWire {
        fleet: &address,
        query: "",
        said: &said,
        hits: Vec::new(),
        repositories: heads.iter().map(HeadWire::from).collect(),
    };
    asked.page(Tab::Fleet, "Fleet", &twin, || {
        html! {
            h1 { "Fleet" }
            (form(asked, reader, ""))
            p { (counted(total, "repository")) ", as they were published." }
            @for line in &said { p.warn { (words::line(line)) } }
            @if total > MOST_LISTED { p.quiet { "The first " (MOST_LISTED) ":" } }
            ul { @for head in heads.iter().take(MOST_LISTED) { li { (listed(head)) } } }
        }
    })
}

fn listed(head: &Head) -> Markup {
    let chunks = usize::try_from(head.chunks).unwrap_or(usize::MAX);
    html! {
        bdi { (words::line(&head.repository)) } " "
        span.quiet { "at " code { (short(&head.commit)) } " of " (words::day(Some(head.time))) ", " (counted(chunks, "passage")) }
    }
}

fn form(asked: &Asked, reader: &Reader, text: &str) -> Markup {
    let query = &asked.query;
    let value = |name: &str| query.get(name).unwrap_or_default().to_owned();
    let fields = [
        ("repository", "Repository", "its name, or the end of it"),
        ("path", "Path", "docs/**"),
        ("since", "Changed since", "2w or 2026-05-01"),
        ("at", "As it was", "3d or 2026-05-01"),
    ];
    let is_narrowed = fields.iter().any(|(name, ..)| query.get(name).is_some());
    html! {
        form.search role="search" aria-label="Search the fleet" action=(asked.site.page("fleet")) method="get" {
            label for="words" { "Words or a question, asked of " (words::line(&reader.address())) }
            span.row {
                input #words type="search" name="q" value=(text) autocomplete="off" spellcheck="false";
                button type="submit" { "Search" }
            }
            details open[is_narrowed] {
                summary { "Filters" }
                div.filters {
                    @for (name, label, example) in fields { label { (label) input name=(name) value=(value(name)) placeholder=(example); } }
                }
            }
        }
    }
}

fn hits(found: &Found) -> Markup {
    html! {
        ol.hits data-list { @for hit in &found.answer.hits { li.file { (one(found, hit)) } } }
    }
}

fn one(found: &Found, hit: &Hit) -> Markup {
    let source = found.source(hit);
    let path = source.map_or_else(|| hit.path.to_text(), |source| source.path.clone());
    html! {
        h2 { (words::line(&hit.title)) }
        p.quiet {
            @if let Some(source) = source {
                bdi { (words::line(&source.repository)) } " at " code { (short(&source.commit)) } " of " (words::day(Some(source.as_of))) ": "
            }
            bdi { (words::line(&path)) } ", line " (hit.line)
        }
        div.hit {
            @if let Some(section) = hit.section.last() { p.section { (words::line(section)) } }
            p.passage { (passage(hit)) }
        }
    }
}

/// A commit from outside, as people write it.
fn short(commit: &str) -> String {
    words::line(commit.get(..SHORT).unwrap_or(commit))
}
