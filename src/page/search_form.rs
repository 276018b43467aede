//! The box to search in, with its filters.

use maud::{Markup, html};

use super::Asked;

/// With what was asked.
pub fn form(asked: &Asked, text: &str) -> Markup {
    let query = &asked.query;
    let value = |name: &str| query.get(name).unwrap_or_default().to_owned();
    let is = |name: &str, wanted: &str| query.all(name).iter().any(|it| it == wanted);
    let is_narrowed = ["kind", "scope", "tag", "path", "since", "author", "at", "mode"]
        .iter()
        .any(|name| query.get(name).is_some());
    html! {
        form.search role="search" aria-label="Search with filters" action=(asked.site.page("search")) method="get" {
            label for="words" { "Words or a question" }
            span.row {
                input #words type="search" name="q" value=(text) autocomplete="off" spellcheck="false" data-live-search;
                button type="submit" { "Search" }
            }
            @if asked.others.len() > 1 {
                label.check { input type="checkbox" name="everywhere" value="1" checked[query.get("everywhere").is_some()]; " In all repositories" }
            }
            details open[is_narrowed] {
                summary { "Filters" }
                div.filters {
                    label { "Kind"
                        select name="kind" {
                            option value="" { "all" }
                            @for (kind, name) in [("note", "notes"), ("fact", "entities"), ("summary", "descriptions of files")] {
                                option value=(kind) selected[is("kind", kind)] { (name) }
                            }
                        }
                    }
                    label { "Scope"
                        select name="scope" {
                            option value="" { "all" }
                            @for scope in ["system", "user", "learned", "plugin"] { option value=(scope) selected[is("scope", scope)] { (scope) } }
                        }
                    }
                    label { "Search by"
                        select name="mode" {
                            option value="" { "words and meaning" }
                            option value="keyword" selected[is("mode", "keyword")] { "words" }
                            option value="semantic" selected[is("mode", "semantic")] { "meaning" }
                        }
                    }
                    label { "Tag" input name="tag" value=(value("tag")); }
                    label { "Path" input name="path" value=(value("path")) placeholder="docs/**"; }
                    label { "Changed since" input name="since" value=(value("since")) placeholder="2w or 2026-05-01"; }
                    label { "Author" input name="author" value=(value("author")); }
                    label { "As of" input name="at" value=(value("at")) placeholder="a commit, tag or date"; }
                }
            }
        }
    }
}
