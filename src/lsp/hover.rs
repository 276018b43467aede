//! What is known of what stands under the cursor.

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::asked::Asked;
use elophanto_app::{
    Result,
    editor::{Card, KnownFactShown, Mention, hover as known_of},
};
use elophanto_base::{counted::counted, visible::visible};

pub fn hover(asked: &Asked, params: HoverParams) -> Result<Option<Hover>> {
    let position = params.text_document_position_params.position;
    let offset = asked.encoding.offset(&asked.buffer, position);
    let workspace = asked.editor().workspace()?;
    let Some(found) = known_of(&asked.resolver(&workspace)?, &asked.buffer, offset)? else {
        return Ok(None);
    };
    let page = Page { is_markdown: asked.client.reads_markdown() };
    let cards: Vec<String> = found.cards.iter().map(|card| page.card(asked, card)).collect();
    Ok(Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: if page.is_markdown { MarkupKind::Markdown } else { MarkupKind::PlainText },
            value: cards.join(if page.is_markdown { "\n\n---\n\n" } else { "\n\n" }),
        }),
        range: Some(asked.range(&found.range)),
    }))
}

/// What is shown is text from outside: none of it becomes markup, a link or a picture.
struct Page {
    is_markdown: bool,
}

impl Page {
    /// Text as it stands.
    fn plain(&self, text: &str) -> String {
        let text = visible(text).replace(['\n', '\r'], " ");
        if !self.is_markdown {
            return text;
        }
        let mut out = String::with_capacity(text.len() + 8);
        for char in text.chars() {
            if char.is_ascii_punctuation() && !",'/:;?%=".contains(char) {
                out.push('\\');
            }
            out.push(char);
        }
        // What looks like an address becomes no link.
        out.replace("://", ":\\/\\/")
    }

    fn strong(&self, text: &str) -> String {
        if self.is_markdown { format!("**{}**", self.plain(text)) } else { self.plain(text) }
    }

    fn item(&self, text: &str) -> String {
        format!("\n- {text}")
    }

    /// The path of a note, which leads there.
    fn path(&self, asked: &Asked, path: &str, line: usize) -> String {
        let shown = self.plain(path);
        match asked.uri_of(path).filter(|_| self.is_markdown) {
            Some(uri) if line > 1 => format!("[{shown}:{line}]({}#L{line})", uri.as_str()),
            Some(uri) => format!("[{shown}]({})", uri.as_str()),
            None => format!("{shown}:{line}"),
        }
    }

    fn card(&self, asked: &Asked, card: &Card) -> String {
        match card {
            Card::Note { path, title, lines, changed, committed, drifted } => {
                let mut out = format!("{}\n\n{}", self.strong(title), self.path(asked, path, 1));
                if let Some(day) = changed {
                    out.push_str(&format!(", {day}"));
                }
                if let Some((author, commit)) = committed {
                    out.push_str(&format!(", {} {commit}", self.plain(author)));
                }
                if let Some((commits, day)) = drifted {
                    let commits = counted(*commits, "commit");
                    out.push_str(&format!(
                        "\n\ndrifted: {commits} touched what it covers since {day}"
                    ));
                }
                for line in lines {
                    out.push_str(&format!("\n\n{}", self.plain(line)));
                }
                out
            }
            Card::Missing { target, near } => {
                let mut out = format!("{} leads nowhere", self.strong(target));
                for path in near {
                    out.push_str(&self.item(&self.path(asked, path, 1)));
                }
                out
            }
            Card::File { path, description, notes } => {
                let mut out = self.path(asked, path, 1);
                if let Some((text, holds)) = description {
                    let doubt = if *holds { "" } else { " (the file has changed since)" };
                    out.push_str(&format!("\n\n{}{doubt}", self.plain(text)));
                }
                notes.iter().for_each(|note| out.push_str(&self.mention(asked, note)));
                out
            }
            Card::Entity { name, page, facts, more } => {
                let mut out = format!("{}\n\n{}\n", self.strong(name), self.path(asked, page, 1));
                facts.iter().for_each(|fact| out.push_str(&self.fact(fact)));
                if *more > 0 {
                    out.push_str(&self.item(&format!("{more} more")));
                }
                out
            }
            Card::Said { word, notes } => {
                let mut out = format!("Notes say of {}\n", self.strong(word));
                notes.iter().for_each(|note| out.push_str(&self.mention(asked, note)));
                out
            }
        }
    }

    fn mention(&self, asked: &Asked, mention: &Mention) -> String {
        let Mention { path, line, title, text } = mention;
        let place = self.path(asked, path, *line);
        self.item(&format!("{place} {}: {}", self.plain(title), self.plain(text)))
    }

    fn fact(&self, fact: &KnownFactShown) -> String {
        let mut origin: Vec<String> = Vec::new();
        origin.extend(fact.source.iter().map(|source| self.plain(source)));
        origin.extend(fact.day.clone());
        origin.push(match &fact.committed {
            Some((author, commit)) => format!("{} {commit}", self.plain(author)),
            None => "not committed".to_owned(),
        });
        let mut out = self.item(&format!("{} ({})", self.plain(&fact.text), origin.join(", ")));
        for doubt in &fact.doubts {
            out.push_str(&format!("; {}", self.plain(doubt)));
        }
        out
    }
}
