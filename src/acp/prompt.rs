//! What a user sends: text, files that it names, texts and pictures that go with it. Reads nothing.

use std::path::Path;

use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource, ResourceLink};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use url::Url;
use uuid::Uuid;

use elophanto_app::{
    Error, Result,
    agent::{Attachment, images::handed_over},
};
use elophanto_base::visible::escape_control_line;

#[derive(Debug, Default, PartialEq)]
pub struct Said {
    pub text: String,
    /// Files of the work tree, or lines of them (`a.rs:10-40`), by their paths from the root.
    pub files: Vec<String>,
    pub given: Vec<Attachment>,
}

/// What a prompt says; files are told from other addresses by what the top of the work tree is called.
///
/// # Errors
/// When it is empty, or something goes with it that the agent does not take.
pub fn read(blocks: Vec<ContentBlock>, tops: &[&Path]) -> Result<Said> {
    let mut said = Said::default();
    for block in blocks {
        match block {
            ContentBlock::Text(text) => said.text.push_str(&text.text),
            ContentBlock::ResourceLink(link) => said.link(&link, tops),
            ContentBlock::Image(image) => {
                let name = image.uri.as_deref().map_or_else(|| "image".to_owned(), named);
                said.image(&name, &image.data)?;
            }
            ContentBlock::Resource(resource) => match resource.resource {
                EmbeddedResourceResource::TextResourceContents(text) => {
                    let name = place(&text.uri, tops).unwrap_or(text.uri);
                    said.text.push_str(&format!("`{}`", escape_control_line(&name)));
                    let origin = format!("`{name}`, as the editor has it");
                    said.given.push(Attachment::Text { origin, text: text.text });
                }
                EmbeddedResourceResource::BlobResourceContents(blob) => {
                    said.image(&named(&blob.uri), &blob.blob)?;
                }
                _ => return Err(not_taken("a resource of another kind")),
            },
            ContentBlock::Audio(_) => return Err(not_taken("audio")),
            _ => return Err(not_taken("content of another kind")),
        }
    }
    match said.text.trim().is_empty() && said.given.is_empty() {
        true => Err(Error::new("the prompt is empty").hint("say what is to be done")),
        false => Ok(said),
    }
}

impl Said {
    fn link(&mut self, link: &ResourceLink, tops: &[&Path]) {
        match place(&link.uri, tops) {
            Some(place) => {
                self.text.push_str(&format!("`{}`", escape_control_line(&place)));
                self.files.push(place);
            }
            None => self.text.push_str(&format!("[{}]({})", link.name, link.uri)),
        }
    }

    fn image(&mut self, name: &str, data: &str) -> Result<()> {
        let bytes = STANDARD.decode(data).map_err(|cause| {
            Error::new(format_args!("`{}` is no base64: {cause}", escape_control_line(name)))
        })?;
        self.given.push(handed_over(Uuid::new_v4(), name, &bytes)?);
        Ok(())
    }
}

fn not_taken(what: &str) -> Error {
    Error::new(format_args!("{what} is not taken"))
        .hint("text, links, texts of files, and PNG, JPEG, GIF or WebP pictures are")
}

/// The file of the work tree that an address names, with the lines behind a `#L10:40`.
fn place(uri: &str, tops: &[&Path]) -> Option<String> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    let path = url.to_file_path().ok()?;
    let path = tops.iter().find_map(|top| path.strip_prefix(top).ok())?;
    let path = path.to_str().filter(|path| !path.is_empty())?;
    let lines = url.fragment().and_then(|fragment| {
        let digits = fragment.strip_prefix('L')?;
        let (from, to) = digits.split_once([':', '-']).unwrap_or((digits, digits));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.trim_start_matches('L').parse().ok()?);
        Some(format!(":{from}-{to}"))
    });
    Some(format!("{path}{}", lines.unwrap_or_default()))
}

/// The last part of an address.
fn named(uri: &str) -> String {
    uri.rsplit('/').find(|part| !part.is_empty()).unwrap_or("image").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(blocks: Value) -> Result<Said> {
        read(serde_json::from_value(blocks).unwrap(), &[Path::new("/r")])
    }

    #[test]
    fn text_stands_where_it_stood() {
        let said = said(json!([
            { "type": "text", "text": "compare " },
            { "type": "resource_link", "name": "a", "uri": "file:///r/a%20b.rs#L3:7" },
            { "type": "text", "text": " with " },
            { "type": "resource", "resource": { "uri": "file:///r/c.md", "text": "# C" } },
            { "type": "text", "text": " and " },
            { "type": "resource_link", "name": "there", "uri": "https://example.org/x" },
        ]))
        .unwrap();
        assert_eq!(
            said.text,
            "compare `a b.rs:3-7` with `c.md` and [there](https://example.org/x)"
        );
        assert_eq!(said.files, ["a b.rs:3-7"]);
        let origin = "`c.md`, as the editor has it".to_owned();
        assert_eq!(said.given, [Attachment::Text { origin, text: "# C".to_owned() }]);
    }

    #[test]
    fn places() {
        for (uri, expected) in [
            ("file:///r/a.md", Some("a.md")),
            ("file:///r/a.md#L10", Some("a.md:10-10")),
            ("file:///r/a.md#L10-L12", Some("a.md:10-12")),
            ("file:///r/a.md#heading", Some("a.md")),
            ("file:///r/../etc/passwd", None),
            ("file:///r", None),
            ("file:///link/a.md", Some("a.md")),
            ("file:///link", None),
            ("file:///rest/a.md", None),
            ("https://r/a.md", None),
            ("a.md", None),
        ] {
            let tops = ["/link", "/r"].map(Path::new);
            assert_eq!(place(uri, &tops).as_deref(), expected, "{uri}");
        }
    }

    #[test]
    fn what_is_not_taken_is_said() {
        for (block, expected) in [
            (json!([]), "the prompt is empty"),
            (json!([{ "type": "text", "text": " \n" }]), "the prompt is empty"),
            (json!([{ "type": "audio", "data": "", "mimeType": "audio/wav" }]), "audio"),
            (json!([{ "type": "image", "data": "%", "mimeType": "image/png" }]), "base64"),
            (json!([{ "type": "image", "data": "AAAA", "mimeType": "image/png" }]), ""),
            (json!([{ "type": "resource", "resource": { "uri": "x:y", "blob": "AAAA" } }]), ""),
        ] {
            let error = said(block.clone()).unwrap_err();
            assert!(error.message().contains(expected), "{block}: {}", error.message());
        }
    }
}
