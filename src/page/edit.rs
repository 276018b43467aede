//! A note as it stands, to be written over.

use maud::html;
use serde_json::json;

use super::{Asked, Page, Tab, notes::crumbs, words};
use elophanto_app::Result;

pub fn page(asked: &Asked, path: &str) -> Result<Page> {
    let Some(note) = asked.note(path)? else {
        return Ok(asked.missing(Tab::Notes, &asked.no_note(path)));
    };
    let name = note.path.to_text();
    let twin = json!({ "path": name, "hash": note.hash, "text": note.text });
    let (look, edit) = (
        json!({ "act": "look", "path": name, "hash": note.hash }).to_string(),
        json!({ "act": "edit", "path": name, "hash": note.hash }).to_string(),
    );
    let preview = json!({ "act": "preview", "path": name }).to_string();
    asked.page(Tab::Notes, format!("Edit {}", note.title), &twin, || {
        html! {
            (crumbs(asked, name.rsplit_once('/').map_or("", |it| it.0)))
            h1 { "Edit " a href=(asked.site.note(&name)) { (words::line(&note.title)) } }
            noscript { p.warn { "Editing here needs script. The note lies at " code { (words::line(&name)) } "." } }
            form.edit data-form=(look) data-then=(edit) data-preview=(preview) data-back=(asked.site.note(&name)) hidden {
                label for="text" { "Markdown" }
                textarea #text name="text" rows="24" spellcheck="true" { "\n" (note.text) }
                p.row {
                    button type="submit" { "Show what changes" }
                    button type="button" data-save hidden { "Save" }
                    span role="status" {}
                }
                div.looks hidden {
                    section aria-labelledby="changes" { h2 #changes { "What changes" } pre.diff tabindex="0" {} }
                    section aria-labelledby="reads" { h2 #reads { "As it would read" } div.prose.preview tabindex="0" dir="auto" {} }
                }
            }
        }
    })
}
