//! What template languages leave in Markdown: `{{< note >}}`, `{% raw %}`, `{{Glossary("x")}}`,
//! `{#id}`, `:::tip`. What they would show stays, the rest goes; lines stay lines.

use std::borrow::Cow;

/// Most bytes between the marks of a template.
const MAX_TEMPLATE: usize = 400;

/// The text without templates. The number of lines stays.
pub(super) fn without_templates(text: &str) -> Cow<'_, str> {
    if !text.contains(['{', ':', '[']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        if bare.starts_with(":::") {
            // Blank, so that what stands inside is a paragraph of its own.
            kept.push_str(&line[line.trim_end_matches(['\r', '\n']).len()..]);
            continue;
        }
        push_line(line, &mut kept);
    }
    Cow::Owned(kept)
}

fn push_line(line: &str, kept: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['{', '[']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        match template(from) {
            Some((shown, after)) => {
                kept.push_str(shown);
                rest = after;
            }
            None => {
                kept.push_str(&from[..1]);
                rest = &from[1..];
            }
        }
    }
    kept.push_str(rest);
}

/// What a template shows, and what follows it.
fn template(from: &str) -> Option<(&str, &str)> {
    let head = &from[..from.floor_char_boundary(MAX_TEMPLATE)];
    for (open, close) in [("{{<", ">}}"), ("{{%", "%}}"), ("{{", "}}"), ("{%", "%}")] {
        if let Some(inner) = head.strip_prefix(open) {
            let end = inner.find(close)?;
            let shown = if open == "{%" { "" } else { shown(&inner[..end]) };
            return Some((shown, &from[open.len() + end + close.len()..]));
        }
    }
    for open in ["{#", "{:", "{."] {
        if let Some(inner) = head.strip_prefix(open) {
            let end = inner.find('}')?;
            return Some(("", &from[open.len() + end + 1..]));
        }
    }
    // A footnote's mark, and what forges begin a callout with.
    for open in ["[^", "[!"] {
        if let Some(inner) = head.strip_prefix(open) {
            let end = inner.find(']')?;
            let word = &inner[..end];
            let plain = !word.is_empty()
                && word.chars().all(|char| char.is_alphanumeric() || char == '-' || char == '_');
            let target = inner[end + 1..].starts_with(['(', '[']);
            return (plain && !target).then_some(("", &from[open.len() + end + 1..]));
        }
    }
    None
}

/// `text="Pods"` of a shortcode, or the last word in quotes of a macro call that begins with a
/// capital: `{{Glossary("dom", "DOM")}}`.
fn shown(inner: &str) -> &str {
    if let Some((_, after)) = inner.split_once("text=\"") {
        return after.split('"').next().unwrap_or_default();
    }
    let inner = inner.trim();
    let call = inner.split_once('(').filter(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let Some((name, arguments)) = call else { return "" };
    let links = ["glossary", "xref", "link"].iter().any(|part| name.to_lowercase().contains(part));
    if !links {
        return "";
    }
    let mut quoted =
        arguments.split(['"', '\'']).skip(1).step_by(2).filter(|part| !part.is_empty());
    let first = quoted.next().unwrap_or_default();
    quoted.next().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_show_their_text() {
        let check = |text: &str, expected: &str| assert_eq!(without_templates(text), expected);
        check("A {{< tip text=\"Pod\" id=\"pod\" >}} is.", "A Pod is.");
        check("{{Glossary(\"dom\", \"DOM\")}} and {{domxref('Node')}}", "DOM and Node");
        check("{{AvailableSidebar}}a{% raw %}b", "ab");
        check("# T {#t}\n:::tip\nx\n:::\n", "# T \n\nx\n\n");
        check("a[^1] [!NOTE] [x](y) {a} {", "a  [x](y) {a} {");
        check("{{ never closed", "{{ never closed");
    }
}
