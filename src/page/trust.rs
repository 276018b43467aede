//! What of this repository waits for the user's trust. It is shown here with the command that gives it:
//! trust is given in a terminal alone, for no text that came over a wire widens what may be done.

use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Asked, words};
use elophanto_app::{
    Result,
    config::REPOSITORY_FILE,
    pages::{Page, Trust},
    trust::Untrusted,
};

/// Pages that are named one by one.
const MOST: usize = 20;

/// What waits for trust.
#[derive(Serialize, JsonSchema)]
pub struct Waiting {
    settings: Vec<SettingWire>,
    pages: Vec<PageWire>,
}

#[derive(Serialize, JsonSchema)]
struct SettingWire {
    line: usize,
    key: String,
    value: String,
}

#[derive(Serialize, JsonSchema)]
struct PageWire {
    page: String,
    /// The user trusted something else that it said.
    changed: bool,
}

/// Looked at anew each time: it is a matter of what lies there now.
///
/// # Errors
/// When the settings of the repository are in conflict, or the user's trust cannot be read.
pub fn waiting(asked: &Asked) -> Result<Waiting> {
    let untrusted =
        Untrusted::around(&asked.workspace.repository.root, &asked.library.environment)?;
    let is_trusted = untrusted.settings.is_empty() || untrusted.is_trusted()?;
    let settings = untrusted.settings.iter().filter(|_| !is_trusted);
    let is_waiting = |page: &Page| page.trust != Trust::Given;
    let pages = untrusted.pages()?.all().into_iter().filter(is_waiting);
    Ok(Waiting {
        settings: settings
            .map(|it| SettingWire {
                line: it.line,
                key: it.name.to_string(),
                value: it.value.clone(),
            })
            .collect(),
        pages: pages
            .map(|it| PageWire {
                page: it.path.to_string_lossy().into_owned(),
                changed: it.trust == Trust::Changed,
            })
            .collect(),
    })
}

pub fn shown(asked: &Asked, waiting: &Result<Waiting>) -> Markup {
    html! {
        section aria-labelledby="trust" {
            h2 #trust { "What waits for your trust" }
            @match waiting {
                Err(error) => { p { "It cannot be told: " (words::line(error.message())) "." } }
                Ok(waiting) => {
                    @if waiting.settings.is_empty() && waiting.pages.is_empty() { p { "Nothing." } }
                    @if !waiting.settings.is_empty() {
                        p { "These settings of " code { (REPOSITORY_FILE) } " do not hold until you trust them:" }
                        ul { @for it in &waiting.settings { li { "line " (it.line) ": " code { (words::line(&it.key)) ": " (words::line(&it.value)) } } } }
                        p { "Read and trust them in a terminal: " code.copy { "elophanto trust" } }
                    }
                    @if !waiting.pages.is_empty() {
                        p { "Agents are shown these pages, and do not obey them until you trust what they say:" }
                        ul {
                            @for it in waiting.pages.iter().take(MOST) {
                                li {
                                    @match asked.catalogue.find(&it.page) {
                                        Some(_) => { a href=(asked.site.note(&it.page)) { (words::line(&it.page)) } }
                                        None => { (words::line(&it.page)) }
                                    }
                                    @if it.changed { " " span.badge { "says something else than what you trusted" } }
                                }
                            }
                        }
                        @if waiting.pages.len() > MOST { p.quiet { "The first " (MOST) " of " (words::number(waiting.pages.len())) "." } }
                        p { "Read and trust them in a terminal: " code.copy { "elophanto trust --pages" } }
                    }
                }
            }
        }
    }
}
