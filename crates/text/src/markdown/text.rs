//! Text on one line of Markdown, and taken back from it.

use elophanto_base::visible::is_deceptive;

/// Not what steers a terminal, turns the direction of writing round or hides.
pub fn is_shown(char: char) -> bool {
    !char.is_control() && !is_deceptive(char)
}

/// White space collapsed to single spaces, what is not shown left out, at most so many characters
/// long: what is longer ends in `…`.
pub fn on_one_line(text: &str, limit: usize, is_shown: fn(char) -> bool) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let mut gap = length > 0;
        for char in word.chars().filter(|char| is_shown(*char)) {
            if std::mem::take(&mut gap) {
                line.push(' ');
                length += 1;
            }
            line.push(char);
            length += 1;
        }
        if length > limit {
            let kept: String = line.chars().take(limit.saturating_sub(1)).collect();
            return format!("{}…", kept.trim_end());
        }
    }
    line
}

/// Plain text with a backslash in front of each character that would be markup where it stands:
/// `marks` is told its place, the character before it, itself and the one behind it. `ends` stand
/// before the first and behind the last. Undone by [`unescape`].
pub fn escape(
    text: &str,
    ends: (char, char),
    marks: impl Fn(usize, char, char, char) -> bool,
) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ends.0;
    for (at, char) in text.char_indices() {
        let next = text[at + char.len_utf8()..].chars().next().unwrap_or(ends.1);
        if marks(at, before, char, next) {
            escaped.push('\\');
        }
        escaped.push(char);
        before = char;
    }
    escaped
}

/// A heading without the attributes that some renderers take behind it: `{#id}`, `{: .class}`.
pub fn without_attributes(heading: &str) -> &str {
    let inner = heading.trim_end().strip_suffix('}');
    let Some((text, attributes)) = inner.and_then(|inner| inner.rsplit_once('{')) else {
        return heading;
    };
    let (text, first) = (text.trim_end(), attributes.trim_start_matches(':').trim_start());
    if first.starts_with(['#', '.']) && !text.is_empty() { text } else { heading }
}

/// Takes the backslashes in front of punctuation away.
pub fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match chars.next_if(|next| char == '\\' && next.is_ascii_punctuation()) {
            Some(escaped) => plain.push(escaped),
            None => plain.push(char),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_no_part_of_a_heading() {
        for (heading, expected) in [
            ("Java clients {#java-clients}", "Java clients"),
            ("Java clients { #java .wide }", "Java clients"),
            ("Java clients {: .wide}", "Java clients"),
            ("Sets such as {a, b}", "Sets such as {a, b}"),
            ("{#alone}", "{#alone}"),
            ("No end {#", "No end {#"),
            ("}", "}"),
            ("", ""),
        ] {
            assert_eq!(without_attributes(heading), expected, "{heading}");
        }
    }
}
