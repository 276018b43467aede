//! What a server answered, as text for a model. Pure.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::Output;
use elophanto_base::counted::counted;
use elophanto_base::one_line::one_line;

/// Blocks of one answer.
const MAX_BLOCKS: usize = 1_000;

/// The output of a call: its text without what `hide` takes out, at most `max` bytes, cut in its
/// middle.
pub(super) fn output(result: &CallToolResult, max: usize, hide: impl Fn(&str) -> String) -> Output {
    let mut parts: Vec<String> = result.content.iter().take(MAX_BLOCKS).map(part).collect();
    if result.content.len() > MAX_BLOCKS {
        let more = counted(result.content.len() - MAX_BLOCKS, "more part");
        parts.push(format!("({more})"));
    }
    if parts.iter().all(|part| part.trim().is_empty())
        && let Some(value) = &result.structured_content
    {
        parts = vec![serde_json::to_string_pretty(value).unwrap_or_default()];
    }
    let mut text = cut(&hide(&parts.join("\n")), max);
    if text.trim().is_empty() {
        text = "(no text)".to_owned();
    }
    Output { text, failed: result.is_error == Some(true), ..Output::default() }
}

fn part(block: &ContentBlock) -> String {
    let binary = |what: &str, kind: &str, encoded: usize| {
        format!("({what}, {}, about {} bytes, not shown)", one_line(kind, 100), encoded / 4 * 3)
    };
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => binary("image", &image.mime_type, image.data.len()),
        ContentBlock::Audio(audio) => binary("audio", &audio.mime_type, audio.data.len()),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("{}:\n{text}", one_line(uri, 500))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.as_deref().unwrap_or("unknown");
                format!("{}: {}", one_line(uri, 500), binary("file", kind, blob.len()))
            }
            _ => "(something of an unknown kind)".to_owned(),
        },
        ContentBlock::ResourceLink(link) => {
            format!("({}: {})", one_line(&link.name, 200), one_line(&link.uri, 500))
        }
        _ => "(something of an unknown kind)".to_owned(),
    }
}

/// A text of at most `max` bytes: without its middle if it is longer, and how much that was.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mark = |bytes: usize| format!("\n... {bytes} bytes left out ...\n");
    let room = max.saturating_sub(mark(text.len()).len());
    let head = text.floor_char_boundary(room / 2);
    let tail = text.ceil_char_boundary(text.len() - room / 2);
    let (start, end) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    let marked = format!("{start}{}{end}", mark(tail - head));
    if marked.len() <= max {
        marked
    } else {
        text.get(..text.floor_char_boundary(max)).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cuts() {
        let check = |text: &str, max: usize, expected: &str| assert_eq!(cut(text, max), expected);
        check("short", 5, "short");
        check(&"a".repeat(100), 40, "aaaaaa\n... 88 bytes left out ...\naaaaaa");
        check("äöü", 3, "ä");
        check("abc", 0, "");
    }

    proptest! {
        #[test]
        fn never_longer(text in "\\PC{0,200}", max in 0_usize..150) {
            prop_assert!(cut(&text, max).len() <= max);
        }
    }
}
