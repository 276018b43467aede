//! What a note would say, to be shown as it would read. Nothing is written.

use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

use super::{
    Asked,
    body::{Shown, draft},
    words,
};
use elophanto_app::{Error, Result, notes::MOST_BYTES};
use elophanto_repo::NotePath;
use elophanto_text::markdown;

/// An act that only shows.
#[derive(Debug, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Preview {
    Preview { path: String, text: String },
}

impl Preview {
    /// A page of nothing but the note.
    ///
    /// # Errors
    /// When there is no such note, or its text is too long to be saved here.
    pub fn made(&self, asked: &Asked) -> Result<Markup> {
        let Self::Preview { path, text } = self;
        if asked.catalogue.find(path).is_none() {
            return Err(asked.no_note(path));
        }
        if text.len() as u64 > MOST_BYTES {
            return Err(Error::new(format_args!("a note has at most {MOST_BYTES} bytes here"))
                .hint("edit larger ones with an editor"));
        }
        let document = markdown::parse(text);
        let said = document.as_ref().ok().and_then(|it| it.title().map(str::to_owned));
        let title = said.unwrap_or_else(|| NotePath::from(path.as_str()).stem());
        let document = document.as_ref().ok();
        let shown = Shown { path, title: &title, text, document, unreadable: None };
        Ok(html! {
            (DOCTYPE)
            title { "As it would read" }
            div { h2 { (words::line(&title)) } (draft(asked, &shown)) }
        })
    }
}
