//! Searching: files with their best places, what their scores are made of, and how sure it is.

use maud::{Markup, PreEscaped, html};

use super::{
    Asked, Opener, Page, Tab, address::Site, charts, elsewhere::elsewhere, frame,
    search_form::form, words,
};
use crate::wire::{
    ConfidenceWire, Told,
    page::{FoundFileWire, PlaceWire, SearchWire},
};
use elophanto_app::{
    Result,
    reading::Catalogue,
    reporter::Silent,
    search::{Found, SearchRequest, search_in},
    workspace::Workspace,
};
use elophanto_base::counted::counted;
use elophanto_index::{
    Kind,
    drift::Drift,
    search::{Confidence, Hit, Level, Listing},
};
use elophanto_text::{html::Mark, markdown::Scope};

/// Files on a page, and pages.
const ON_EACH: usize = 10;
const MOST_PAGES: usize = 10;
/// Places of each.
const PLACES: usize = 3;

pub fn page(asked: &Asked) -> Result<Page> {
    let text = asked.query.get("q").unwrap_or_default();
    if text.trim().is_empty() {
        let nothing = SearchWire { page: 1, ..SearchWire::default() };
        return asked.page(Tab::Search, "Search", &nothing, || html! {
            h1 { "Search" }
            (form(asked, text))
            div #hits aria-live="polite" { p { "Give a few words, or a question. Words in double quotes stand together; a word with a dash before it is left out." } }
        });
    }
    let page = asked.query.page().min(MOST_PAGES);
    let everywhere = asked.query.get("everywhere").is_some() && asked.library.caches.len() > 1;
    let limit = page * ON_EACH + 1;
    let found = found(asked, &open(asked, limit)?, &asked.catalogue, limit)?;
    let drifted = if asked.query.get("live").is_some() {
        Vec::new()
    } else {
        found.drifted(&asked.workspace)
    };
    let (shown, more) = on_page(&found, page);
    let said = sureness(found.answer.confidence, &found);
    let told = Told { found: &found, drifted: &drifted, explain: true };
    let others = if everywhere { elsewhere(asked) } else { Vec::new() };
    let twin = SearchWire {
        query: text,
        confidence: found.answer.confidence.map(ConfidenceWire::from),
        said: &said,
        page,
        more,
        files: shown
            .iter()
            .map(|places| wire((&asked.site, &asked.opener), &told, places))
            .collect(),
        others: others.iter().map(|it| it.wire(asked)).collect(),
    };
    asked.page(Tab::Search, format!("{text} - search"), &twin, || html! {
        h1 { "Search" }
        (form(asked, text))
        div #hits aria-live="polite" {
            p.said { (said) @if !everywhere { " " a href=(format!("{}?{}", asked.site.page("answer"), asked.query.with("page", None))) { "Answer from these" } } }
            @for (typed, terms) in &found.answer.corrections {
                p.quiet { (words::line(typed)) " occurs nowhere: " (words::line(&terms.join(", "))) " was searched for." }
            }
            @if found.stale > 0 { p.quiet { (found.stale) " changed notes are not searched yet." } }
            @for excluded in &found.answer.query.excluded {
                p.quiet { "Left out: what holds " (words::line(&excluded.typed)) "." }
            }
            @if everywhere { p.repository { (words::line(&asked.name)) } }
            (files((&asked.site, &asked.opener), &told, &shown))
            @if !everywhere { (paging(asked, page, more)) }
            @for other in &others { (other.shown(asked)) }
        }
    })
}

/// Searching where pages are files: the browser does it, in a small index.
pub fn exported(asked: &Asked) -> Result<Page> {
    asked.page(Tab::Search, "Search", &(), || html! {
        h1 { "Search" }
        noscript { p.warn { "Searching here needs script. All notes stand under Notes." } }
        form.search role="search" aria-label="Search the notes" action="search.html" method="get" {
            label for="words" { "Words" }
            span.row {
                input #words type="search" name="q" autocomplete="off" spellcheck="false" data-index="search-index.json";
                button type="submit" { "Search" }
            }
        }
        div #hits aria-live="polite" {}
    })
}

/// The workspace with as many hits as are needed.
fn open(asked: &Asked, limit: usize) -> Result<Workspace> {
    asked.cache.open(flags(asked, limit))
}

pub fn flags(asked: &Asked, limit: usize) -> Vec<(String, String)> {
    let mut flags = vec![("search.limit".to_owned(), limit.to_string())];
    let mode =
        asked.query.get("mode").filter(|mode| ["hybrid", "keyword", "semantic"].contains(mode));
    flags.extend(mode.map(|mode| ("search.mode".to_owned(), mode.to_owned())));
    // What is typed is no search yet.
    if asked.query.get("live").is_some() {
        flags.push(("interest.count_searches".to_owned(), "false".to_owned()));
    }
    flags
}

/// Changes are read beside: what is searched is at most a moment old.
pub fn found(
    asked: &Asked,
    workspace: &Workspace,
    catalogue: &Catalogue,
    limit: usize,
) -> Result<Found> {
    search_in(workspace, &request(asked, limit), Some(&catalogue.searched), &Silent)
}

pub fn request(asked: &Asked, limit: usize) -> SearchRequest {
    let query = &asked.query;
    let kinds = query.all("kind").iter().filter_map(|name| kind(name)).collect();
    let scope = |name: &String| name.parse::<Scope>().ok();
    let text = |name: &str| query.get(name).map(str::to_owned);
    SearchRequest {
        text: query.get("q").unwrap_or_default().to_owned(),
        kinds,
        scopes: query.all("scope").iter().filter_map(scope).collect(),
        tags: query.all("tag"),
        paths: query.all("path"),
        since: text("since"),
        until: text("until"),
        at: text("at"),
        author: text("author"),
        most: Some(limit),
        listing: Listing::Files { places: PLACES },
        // What is typed has to be there at once.
        awaited: query.get("live").is_none(),
        ..SearchRequest::default()
    }
}

fn kind(name: &str) -> Option<Kind> {
    Kind::SEARCHED.into_iter().find(|kind| kind.name() == name)
}

/// The hits of a page, by file; and whether there is another page.
pub fn on_page(found: &Found, page: usize) -> (Vec<Vec<&Hit>>, bool) {
    let mut files: Vec<Vec<&Hit>> = Vec::new();
    for hit in &found.answer.hits {
        match files.iter_mut().find(|places| places.first().is_some_and(|it| it.file == hit.file)) {
            Some(places) => places.push(hit),
            None => files.push(vec![hit]),
        }
    }
    let more = files.len() > page * ON_EACH && page < MOST_PAGES;
    let shown = files.into_iter().skip((page - 1) * ON_EACH).take(ON_EACH);
    (shown.collect(), more)
}

/// How sure it is that the hits answer, in words.
pub fn sureness(confidence: Option<Confidence>, found: &Found) -> String {
    let looked = words::number(found.answer.searched.0);
    let Some(confidence) = confidence.filter(|_| !found.answer.hits.is_empty()) else {
        return match found.answer.hits.is_empty() {
            true => format!("Nothing was found in {looked} files."),
            false => format!("Found in {looked} files."),
        };
    };
    let percent = (confidence.probability() * 100.0).round();
    match confidence.level {
        Level::Sure => format!("The first of these most likely answers it ({percent} %)."),
        Level::Perhaps => format!("One of these may answer it ({percent} %)."),
        Level::Nothing => format!("Probably nothing here answers it ({percent} %). The nearest:"),
    }
}

/// The address that opens a hit at its best sentence; none for what is no note.
pub fn place(site: &Site, hit: &Hit) -> Option<String> {
    if hit.kind == Kind::Summary {
        return None;
    }
    let mark = mark_of(hit);
    Some(site.marked(&hit.path.to_text(), mark))
}

fn mark_of(hit: &Hit) -> Mark {
    let place = |offset: usize| {
        let before = hit.text.get(..offset).unwrap_or_default();
        let column = before.rfind('\n').map_or(offset, |at| offset - at - 1);
        (hit.line_at(offset), column)
    };
    let (start, end) = (place(hit.snippet.start), place(hit.snippet.end));
    match hit.snippet.is_empty() {
        true => Mark::line(hit.line),
        false => Mark { start: (start.0, start.1 + 1), end: (end.0, end.1.max(1)) },
    }
}

pub fn wire<'a>(
    (site, opener): (&Site, &Opener),
    told: &Told<'a>,
    places: &[&'a Hit],
) -> FoundFileWire<'a> {
    let first = places.first();
    let shown = |hit: &&'a Hit| PlaceWire {
        hit: told.hit(hit, None),
        address: place(site, hit),
        editor: in_editor(opener, hit),
    };
    FoundFileWire {
        path: first.map(|hit| hit.path.to_text()).unwrap_or_default(),
        title: first.map_or("", |hit| &hit.title),
        kind: first.map_or("", |hit| hit.kind.name()),
        places: places.iter().map(shown).collect(),
    }
}

fn in_editor(opener: &Opener, hit: &Hit) -> Option<String> {
    opener.address(&hit.path.to_text(), hit.line_at(hit.snippet.start))
}

pub fn files((site, opener): (&Site, &Opener), told: &Told, files: &[Vec<&Hit>]) -> Markup {
    html! {
        ol.hits data-list {
            @for places in files {
                @if let Some(first) = places.first() {
                    li.file {
                        (heading(site, first, told.drift(first)))
                        @for hit in places { (one(site, opener, hit)) }
                    }
                }
            }
        }
    }
}

fn heading(site: &Site, hit: &Hit, drift: Option<&Drift>) -> Markup {
    let path = hit.path.to_text();
    html! {
        h2 {
            @match place(site, hit) {
                Some(address) => { a href=(address) { (words::line(&hit.title)) } }
                None => { (words::line(&hit.title)) }
            }
        }
        p.quiet {
            bdi { (words::line(&path)) } ", " (words::day(hit.changed))
            @if hit.kind != Kind::Note { " " span.badge { (if hit.kind == Kind::Fact { "entity" } else { "description of a file" }) } }
            @if let Some(state) = crate::wire::state(hit) { " " span.badge { (state) } }
            @if let Some(drift) = drift { " " span.badge.warn { "drifted: " (counted(drift.total, "commit")) " to what it covers" } }
            @if let Some(note) = hit.contradicted_by() { " " span.badge.warn { "your note says otherwise: " (words::line(note)) } }
        }
    }
}

fn one(site: &Site, opener: &Opener, hit: &Hit) -> Markup {
    let score = &hit.score;
    let parts = [
        ("words", score.keyword_part),
        ("meaning", score.semantic_part),
        ("recency", score.recency_part),
        ("closer", score.words_part + score.window_part + score.whole_part + score.excerpt_part),
    ];
    let mut made = parts.map(|(name, part)| format!("{name} {part:.2}")).join(", ");
    if score.source_part != 0.0 {
        made.push_str(&format!(", kind of file {:+.2}", score.source_part));
    }
    let says = format!("of the score {:.2}: {made}", score.total);
    html! {
        div.hit {
            @if let Some(section) = hit.section.last() { p.section { (words::line(section)) } }
            @match place(site, hit) {
                Some(address) => { a.passage href=(address) { (passage(hit)) } }
                None => { p.passage { (passage(hit)) } }
            }
            details.why {
                summary { "line " (hit.line) ", score " (format!("{:.2}", score.total)) }
                @if let Some(address) = in_editor(opener, hit) { p { a href=(address) { "Open in your editor" } } }
                (charts::shares(&parts, &says))
                p.quiet {
                    "Made of: " (made) " (closer: words, sentences and passages looked at again). BM25 " (format!("{:.1}", score.keyword)) ", cosine " (format!("{:.2}", score.cosine)) "."
                    @if hit.similar > 0 { " " (hit.similar) " passages that say nearly the same are not shown." }
                }
            }
        }
    }
}

/// The sentence that is shown, with the words that were looked for.
pub fn passage(hit: &Hit) -> Markup {
    let (start, end) = (hit.snippet.start, hit.snippet.end);
    let mut at = start;
    let within = hit.matches.iter().filter(|it| it.start >= start && it.end <= end);
    let mut out = PreEscaped(String::new());
    for word in within {
        let before = hit.text.get(at..word.start).unwrap_or_default();
        let found = hit.text.get(word.clone()).unwrap_or_default();
        out.0.push_str(&html! { (words::text(before)) b { (words::text(found)) } }.into_string());
        at = word.end;
    }
    let rest = hit.text.get(at..end).unwrap_or_default();
    out.0.push_str(&html! { (words::text(rest)) }.into_string());
    out
}

fn paging(asked: &Asked, page: usize, more: bool) -> Markup {
    let to = |page: usize| {
        format!(
            "{}?{}",
            asked.site.page("search"),
            asked.query.with("page", Some(&page.to_string()))
        )
    };
    frame::paging(to, page, None, more)
}
