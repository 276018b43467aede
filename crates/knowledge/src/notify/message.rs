//! What is said about one entity.

use url::Url;

use elophanto_base::counted::counted;
use elophanto_base::one_line::one_line;
use elophanto_net::address::host_of_web;

/// Facts that are listed; the others are counted.
pub const MAX_SHOWN_FACTS: usize = 15;
/// Characters of a fact.
pub const MAX_FACT_CHARS: usize = 300;

/// Characters of a name.
const NAME_CHARS: usize = 120;
/// Bytes of the address of a picture.
const IMAGE_BYTES: usize = 2_000;

/// A message to a user. No text in it has a line break, a control character, or one that turns the
/// direction of reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What a reaction to it calls it by. Whoever writes down what was sent gives it.
    pub id: String,
    /// Slug of what it is about.
    pub entity: String,
    /// As people write it.
    pub name: String,
    /// The user has not been told of it before.
    pub is_new: bool,
    /// At most [`MAX_SHOWN_FACTS`].
    pub facts: Vec<String>,
    /// How many facts are not listed.
    pub more: usize,
    /// Address of a picture, with http or https.
    pub image: Option<String>,
}

impl Message {
    /// The first line.
    pub fn headline(&self) -> String {
        let Self { name, .. } = self;
        if self.is_new {
            let count = self.facts.len().saturating_add(self.more);
            let facts = counted(count, "fact");
            format!("I just discovered {name} and learned {facts} about it")
        } else {
            format!("I just learned some new stuff about {name}...")
        }
    }

    /// The facts, one a line, and how many there are besides.
    pub fn list(&self) -> String {
        let mut lines: Vec<String> = self.facts.iter().map(|fact| format!("- {fact}")).collect();
        if self.more > 0 {
            lines.push(format!("and {} more", self.more));
        }
        lines.join("\n")
    }

    /// All of it as plain text: headline, list and the address of the picture.
    pub fn text(&self) -> String {
        let mut parts = vec![self.headline(), self.list()];
        parts.extend(self.image.clone());
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }
}

/// A name fit to be shown; the slug if it shows nothing.
pub(super) fn shown_name(name: &str, slug: &str) -> String {
    let name = one_line(name, NAME_CHARS);
    if name.is_empty() { one_line(slug, NAME_CHARS) } else { name }
}

/// A fact fit to be shown. May be empty.
pub(super) fn shown_fact(text: &str) -> String {
    one_line(text, MAX_FACT_CHARS)
}

/// The address of a picture, if it is one of the web that holds no password.
pub(super) fn shown_image(address: &str) -> Option<String> {
    if address.len() > IMAGE_BYTES {
        return None;
    }
    let url = Url::parse(address).ok()?;
    (host_of_web(&url).is_ok() && url.as_str().len() <= IMAGE_BYTES).then(|| url.into())
}
