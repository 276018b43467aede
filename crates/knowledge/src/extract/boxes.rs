//! What documentation sets in boxes, made Markdown: `!!! warning`, `::: tip`, `> [!NOTE]`, `WARNING:`; and what a
//! manual says of an option below it. Lines stay lines.

use std::borrow::Cow;

/// Blanks that the text of a box stands behind.
const MARGIN: &str = "    ";

/// The text with what stands in boxes as paragraphs, below their titles.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    let is_box = |line: &str| titled(line).is_some() || fence(line).is_some() || is_noted(line);
    let is_telling = |line: &str| is_box(line) || label(line).is_some() || option(line).is_some();
    if !text.lines().any(is_telling) {
        return Cow::Borrowed(text);
    }
    let (front, body) = text.split_at(front_matter(text));
    let mut kept = front.to_owned();
    let (mut is_within, mut is_fenced, mut is_quoted, mut is_code) = (false, false, false, false);
    let mut lines = body.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_end();
        is_within &= bare.is_empty() || line.starts_with(MARGIN);
        is_quoted &= line.starts_with('>');
        is_code ^= opens_code(bare.trim_start());
        let next = lines.peek().copied().unwrap_or_default();
        let said = match (titled(bare), fence(bare), option(bare)) {
            _ if is_code && is_within => Cow::Borrowed(bare.strip_prefix(MARGIN).unwrap_or(bare)),
            _ if is_code => Cow::Borrowed(bare),
            (Some(title), ..) => {
                is_within = true;
                Cow::Owned(strong(title))
            }
            (_, Some(title), _) => {
                is_fenced = true;
                Cow::Owned(strong(title))
            }
            (_, _, Some(option)) if next.starts_with('\t') => Cow::Owned(format!("- `{option}`:")),
            _ if is_fenced && bare == ":::" => {
                is_fenced = false;
                Cow::Borrowed("")
            }
            _ if is_noted(bare) => {
                is_quoted = true;
                Cow::Borrowed("")
            }
            _ if is_within => Cow::Borrowed(bare.strip_prefix(MARGIN).unwrap_or(bare)),
            _ if is_quoted => Cow::Borrowed(bare.trim_start_matches('>').trim_start()),
            _ => Cow::Borrowed(label(bare).unwrap_or(bare)),
        };
        kept.push_str(&said);
        kept.push_str(&line[bare.len()..]);
    }
    Cow::Owned(kept)
}

/// Bytes of the front matter that a text begins with.
fn front_matter(text: &str) -> usize {
    let inner = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    inner.map_or(0, |(inner, _)| "---\n".len() + inner.len() + "\n---\n".len())
}

/// Whether a line begins or ends a block of code, and does not do both.
fn opens_code(line: &str) -> bool {
    ["```", "~~~"]
        .iter()
        .any(|fence| line.strip_prefix(fence).is_some_and(|rest| !rest.contains(fence)))
}

/// The title of `!!! warning "Title"` and `??? note`, which may have none.
fn titled(line: &str) -> Option<&str> {
    let folded = || line.strip_prefix("???")?.split_once(' ').map(|(_, rest)| rest);
    let rest = line.strip_prefix("!!! ").or_else(folded)?;
    let kind = rest.split(' ').next().unwrap_or_default();
    let is_kind = !kind.is_empty() && kind.bytes().all(|it| it.is_ascii_lowercase());
    is_kind.then(|| rest.split('"').nth(1).unwrap_or_default())
}

/// The title of `::: tip Title`.
fn fence(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(":::")?.trim_start();
    let (kind, title) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_kind = !kind.is_empty() && kind.bytes().all(|it| it.is_ascii_lowercase());
    is_kind.then(|| title.trim())
}

/// `> [!NOTE]`
fn is_noted(line: &str) -> bool {
    let kind = line.strip_prefix('>').map(str::trim).and_then(|it| it.strip_prefix("[!"));
    kind.and_then(|it| it.strip_suffix(']'))
        .is_some_and(|kind| !kind.is_empty() && kind.bytes().all(|it| it.is_ascii_uppercase()))
}

/// What stands behind `WARNING: `.
fn label(line: &str) -> Option<&str> {
    let (kind, said) = line.split_once(": ")?;
    matches!(kind, "CAUTION" | "IMPORTANT" | "NOTE" | "TIP" | "WARNING").then_some(said)
}

/// `*-C* <path>`, alone on a line, as manuals are written.
fn option(line: &str) -> Option<String> {
    let (name, rest) = line.strip_prefix('*')?.split_once('*')?;
    let is_name = !name.is_empty() && !name.starts_with([' ', '*']);
    let is_plain =
        rest.is_empty() || rest.starts_with([' ', ',']) && rest.contains(['<', '*', '_']);
    (is_name && is_plain).then(|| format!("{name}{}", rest.replace('*', "")))
}

/// A title on a line of its own.
fn strong(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("**{title}**  ") }
}

#[cfg(test)]
mod tests {
    use super::as_markdown;

    #[test]
    fn boxes_are_paragraphs() {
        for (text, expected) in [
            (
                "!!! warning \"Old\"\n    It is old.\n\n    Two.\nOut\n",
                "**Old**  \nIt is old.\n\nTwo.\nOut\n",
            ),
            ("??? note\n    It is.\n", "\nIt is.\n"),
            ("::: tip Be quick\nIt is.\n:::\n", "**Be quick**  \nIt is.\n\n"),
            ("> [!NOTE]\n> It is.\n\n> said\n", "\nIt is.\n\n> said\n"),
            ("WARNING: It is.\nNote: x\n", "It is.\nNote: x\n"),
            ("*-C* <path>\n\tThe file.\n*so*\nx\n", "- `-C <path>`:\n\tThe file.\n*so*\nx\n"),
            ("```\n!!! note\n    x\n```\n", "```\n!!! note\n    x\n```\n"),
            ("Wow!!! note\n", "Wow!!! note\n"),
            ("!!! info inline end \"Old\"\n    It is.\n", "**Old**  \nIt is.\n"),
            ("Limits\n::::::\n\nNOTE: x\n", "Limits\n::::::\n\nx\n"),
            ("---\nNOTE: draft\n---\nNOTE: x\n", "---\nNOTE: draft\n---\nx\n"),
            ("```sh foo```\nNOTE: x\n", "```sh foo```\nx\n"),
        ] {
            assert_eq!(as_markdown(text), expected, "{text}");
        }
    }
}
