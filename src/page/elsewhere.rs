//! What the other repositories of a gateway say to the same search.

use std::sync::Arc;

use maud::{Markup, html};

use super::{
    Asked, Opener,
    search::{files, flags, found, on_page, sureness, wire},
    words,
};
use crate::wire::{Told, page::ElsewhereWire};
use elophanto_app::{Result, reading::ReadingCache, search::Found};

/// Repositories that are searched at once show fewer files.
const ON_EACH_OF_MANY: usize = 5;

/// What another repository says.
pub struct Elsewhere {
    name: String,
    found: Result<(Opener, Found)>,
}

impl Elsewhere {
    pub fn wire<'w>(&'w self, asked: &Asked) -> ElsewhereWire<'w> {
        let files = self.found.as_ref().map(|(opener, found)| {
            let told = Told { found, drifted: &[], explain: true };
            let site = asked.site_of(&self.name);
            let shown = on_page(found, 1).0;
            shown.iter().map(|places| wire((&site, opener), &told, places)).collect()
        });
        ElsewhereWire {
            repository: &self.name,
            error: files.as_ref().err().map(|error| error.message()),
            files: files.unwrap_or_default(),
        }
    }

    pub fn shown(&self, asked: &Asked) -> Markup {
        let site = asked.site_of(&self.name);
        html! {
            p.repository { (words::line(&self.name)) }
            @match &self.found {
                Ok((opener, found)) => {
                    p.said { (sureness(found.answer.confidence, found)) }
                    (files((&site, opener), &Told { found, drifted: &[], explain: true }, &on_page(found, 1).0))
                }
                Err(error) => { p.warn { "It cannot be searched: " (words::line(error.message())) "." } }
            }
        }
    }
}

/// The hits of the other repositories, each by itself: their scores are not to be compared.
pub fn elsewhere(asked: &Asked) -> Vec<Elsewhere> {
    let others = asked.library.caches.iter().filter(|(name, _)| *name != asked.name);
    let look = |cache: &Arc<ReadingCache>| {
        let workspace = cache.open(flags(asked, ON_EACH_OF_MANY))?;
        let catalogue = cache.catalogue(&workspace)?;
        let found = found(asked, &workspace, &catalogue, ON_EACH_OF_MANY)?;
        Ok((Opener::of(&workspace), found))
    };
    others.map(|(name, cache)| Elsewhere { name: name.clone(), found: look(cache) }).collect()
}
