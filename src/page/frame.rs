//! What stands around each page: its head, the way to the others, the box to search in.

use maud::{DOCTYPE, Markup, html};

use super::{Asked, address::Site, words};
use elophanto_app::Error;

/// The parts of the page that are always in reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Start,
    Search,
    Fleet,
    Notes,
    Entities,
    Graph,
    Questions,
    Memory,
    Chat,
    Runs,
    Status,
}

impl Tab {
    const ALL: [(Self, &'static str, &'static str); 10] = [
        (Self::Search, "search", "Search"),
        (Self::Fleet, "fleet", "Fleet"),
        (Self::Notes, "notes", "Notes"),
        (Self::Entities, "entities", "Entities"),
        (Self::Graph, "graph", "Graph"),
        (Self::Questions, "questions", "Questions"),
        (Self::Memory, "memory", "Memory"),
        (Self::Chat, "chat", "Chat"),
        (Self::Runs, "runs", "Runs"),
        (Self::Status, "status", "Status"),
    ];

    /// Of exported pages there are these only.
    fn is_exported(self) -> bool {
        matches!(self, Self::Search | Self::Notes | Self::Entities | Self::Graph)
    }
}

/// A whole page.
pub fn page(asked: &Asked, tab: Tab, title: &str, body: &Markup) -> Markup {
    let site = &asked.site;
    let typed = asked.query.get("q").unwrap_or_default();
    let is_there = |tab: Tab| match tab {
        Tab::Fleet => asked.library.fleet.is_some() && !site.is_export,
        _ => !site.is_export || tab.is_exported(),
    };
    let tabs = Tab::ALL.iter().filter(|(tab, ..)| is_there(*tab));
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(site, &format!("{} - {}", words::line(title), asked.name), tab == Tab::Chat))
            body data-site=(site.to("")) data-number=(asked.number) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(site.page("")) aria-current=[(tab == Tab::Start).then_some("page")] { (words::line(&asked.name)) }
                    (switcher(asked))
                    form.find role="search" action=(site.page("search")) method="get" {
                        label.away for="q" { "Search the knowledge base" }
                        input #q type="search" name="q" value=(typed) placeholder="Search" autocomplete="off" spellcheck="false" enterkeyhint="search";
                        button type="submit" { "Search" }
                    }
                    nav aria-label="Parts" {
                        ul {
                            @for (known, page, name) in tabs {
                                li { a href=(site.page(page)) aria-current=[(*known == tab).then_some("page")] { (name) } }
                            }
                        }
                    }
                }
                main #main tabindex="-1" { (body) }
                footer {
                    p {
                        "elophanto " (env!("CARGO_PKG_VERSION"))
                        @if let Some(commit) = &asked.at { ". As of commit " code { (commit.short()) } "." }
                        @if !site.is_export { ". Keys: " kbd { "/" } " searches, " kbd { "j" } " and " kbd { "k" } " go down and up a list, " kbd { "Enter" } " opens, " kbd { "?" } " explains." }
                    }
                }
            }
        }
    }
}

/// The other knowledge bases.
fn switcher(asked: &Asked) -> Markup {
    html! {
        @if asked.others.len() > 1 {
            details.switch {
                summary { "Repositories" }
                ul {
                    @for name in &asked.others {
                        @let there = Site { name: name.clone(), ..asked.site.clone() };
                        li { a href=(there.page("")) aria-current=[(*name == asked.name).then_some("true")] { (words::line(name)) } }
                    }
                }
            }
        }
    }
}

fn head(site: &Site, title: &str, is_chat: bool) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            @if site.is_export { (super::export::policy()) }
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { (title) }
            link rel="icon" href=(site.asset("icon.svg")) type="image/svg+xml";
            link rel="stylesheet" href=(site.asset("page.css"));
            script type="module" src=(site.asset("page.js")) {}
            @if is_chat { script type="module" src=(site.asset("chat.js")) {} }
        }
    }
}

/// A page for whoever may not come in yet: what to do.
pub fn closed(root: &str) -> Markup {
    let site = Site { root: root.to_owned(), name: String::new(), is_export: false };
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&site, "elophanto", false))
            body.closed data-enter=(site.to("session")) {
                main #main {
                    h1 { "Not open" }
                    p #why role="status" { "This browser may not come in, or not any more." }
                    p { "In a terminal, run" }
                    pre tabindex="0" { code { "elophanto page" } }
                    p { "It opens this page again, for twelve hours. Where there is no desktop, " code { "elophanto page --print" } " prints the address." }
                }
            }
        }
    }
}

/// What went wrong where there is nothing to show around it.
pub fn bare(site: &Site, error: &Error) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(site, "elophanto", false))
            body { main #main { (refusal(error)) p { a href=(site.root) { "To the top" } } } }
        }
    }
}

/// What went wrong, and what helps.
pub fn refusal(error: &Error) -> Markup {
    html! {
        h1 { "That is not to be had" }
        p { (words::text(error.message())) "." }
        @if !error.hints().is_empty() {
            ul { @for hint in error.hints() { li { (words::text(hint)) } } }
        }
    }
}

/// A table that may be wider than the page: what its columns are called, and its body.
pub fn table(label: &str, class: Option<&str>, columns: &[&str], body: &Markup) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(label) {
            table class=[class] {
                thead { tr { @for name in columns { th scope="col" { (name) } } } }
                (body)
            }
        }
    }
}

/// The file of a page of an exported list.
pub fn file_of(first: &str, page: usize) -> String {
    match (page, first.strip_suffix(".html")) {
        (2.., Some(name)) => format!("{name}-{page}.html"),
        _ => first.to_owned(),
    }
}

/// The way through a list of pages, if there is more than one.
pub fn pager(asked: &Asked, address: &str, total: usize, on_each: usize) -> Markup {
    let pages = total.div_ceil(on_each.max(1)).max(1);
    let page = asked.query.page().min(pages);
    let to = |page: usize| {
        if asked.site.is_export {
            return file_of(address, page);
        }
        let number = page.to_string();
        format!("{address}?{}", asked.query.with("page", (page > 1).then_some(number.as_str())))
    };
    paging(to, page, Some(pages), page < pages)
}

/// Where the pages before and after this one are, of so many if that is known; nothing where it is the only
/// one.
pub fn paging(
    to: impl Fn(usize) -> String,
    page: usize,
    of: Option<usize>,
    has_more: bool,
) -> Markup {
    html! {
        @if page > 1 || has_more {
            nav.pager aria-label="Pages" {
                @if page > 1 { a rel="prev" href=(to(page - 1)) { "\u{2190} Before" } }
                span { "Page " (page) @if let Some(of) = of { " of " (of) } }
                @if has_more { a rel="next" href=(to(page + 1)) { "Next \u{2192}" } }
            }
        }
    }
}
