//! What Telegram takes for HTML: a few tags, closed in their order, and nothing that looks like one.

const TAGS: [&str; 17] = [
    "b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "span", "tg-spoiler", "a", "code",
    "pre", "blockquote", "tg-emoji", "tg-time",
];

/// What is seen of it.
pub fn seen(html: &str) -> Result<String, String> {
    let mut seen = String::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(char) = rest.chars().next() {
        let at = html.len() - rest.len();
        match char {
            '<' => {
                let end =
                    rest.find('>').ok_or(format!("Unclosed start tag at byte offset {at}"))?;
                let inside = &rest[1..end];
                rest = &rest[end + 1..];
                if let Some(name) = inside.strip_prefix('/') {
                    match open.pop() {
                        Some(last) if last == name.trim() => {}
                        last => {
                            return Err(format!(
                                "Unmatched end tag at byte offset {at}, expected \"{last:?}\", found \"{name}\""
                            ));
                        }
                    }
                } else {
                    let name = inside.split_whitespace().next().unwrap_or_default().to_lowercase();
                    if !TAGS.contains(&name.as_str()) {
                        return Err(format!(
                            "Unsupported start tag \"{name}\" at byte offset {at}"
                        ));
                    }
                    open.push(name);
                }
            }
            '&' => {
                let end = rest.find(';').filter(|end| *end <= 10);
                let entity = end.map(|end| &rest[1..end]);
                let number = |text: &str| {
                    let (digits, radix) = match text.strip_prefix("#x") {
                        Some(hex) => (hex, 16),
                        None => (text.strip_prefix('#')?, 10),
                    };
                    char::from_u32(u32::from_str_radix(digits, radix).ok()?)
                };
                let known = match entity {
                    Some("lt") => Some('<'),
                    Some("gt") => Some('>'),
                    Some("amp") => Some('&'),
                    Some("quot") => Some('"'),
                    Some(other) => number(other),
                    None => None,
                };
                match (known, end) {
                    (Some(char), Some(end)) => {
                        seen.push(char);
                        rest = &rest[end + 1..];
                    }
                    // As Telegram does, what is no entity is left as it is.
                    _ => {
                        seen.push('&');
                        rest = &rest[1..];
                    }
                }
            }
            char => {
                seen.push(char);
                rest = &rest[char.len_utf8()..];
            }
        }
    }
    match open.pop() {
        None => Ok(seen),
        Some(tag) => Err(format!("Can't find end tag corresponding to start tag \"{tag}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup() {
        for (html, expected) in [
            ("a &lt;b&gt; &amp; &#65;&#x42;", Some("a <b> & AB")),
            ("<b>a<i>b</i></b>", Some("ab")),
            ("<a href=\"x\">y</a>", Some("y")),
            ("a & b &unknown; c", Some("a & b &unknown; c")),
            ("<b>a", None),
            ("<b>a</i>", None),
            ("a</b>", None),
            ("<div>a</div>", None),
            ("1 < 2", None),
            ("<otter>", None),
        ] {
            assert_eq!(seen(html).ok().as_deref(), expected, "{html}");
        }
    }
}
