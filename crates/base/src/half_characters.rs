//! JSON in which a text holds half of a character, as editors written in JavaScript send it. Pure.

/// JSON in which halves of characters (`\ud83d` without its other half) are replacement characters.
pub fn mended(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let unit = |escape: &str| {
            let digits = escape.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match unit(escape) {
            Some(0xd800..=0xdbff)
                if matches!(escape.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) =>
            {
                out.push_str(&escape[..12]);
                12
            }
            Some(0xd800..=0xdfff) => {
                out.push('\u{fffd}');
                6
            }
            _ => {
                // Two characters at least: what is escaped may be another backslash.
                let end = escape.char_indices().nth(2).map_or(escape.len(), |it| it.0);
                out.push_str(&escape[..end]);
                end
            }
        };
        rest = &escape[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_replacement_characters() {
        for (json, expected) in [
            (r#""x\ud83dy""#, "\"x\u{fffd}y\""),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83e\udd80\udc00""#, "\"\\ud83e\\udd80\u{fffd}\""),
            (r#""\n\u00e4""#, r#""\n\u00e4""#),
            ("\\", "\\"),
        ] {
            assert_eq!(mended(json), expected, "{json}");
        }
    }
}
