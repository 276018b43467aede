//! Any text as a block of code in Markdown. Pure.

/// The text inside a fence longer than any in it; `language` may be empty.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_hold() {
        assert_eq!(fenced("", "a"), "```\na\n```");
        assert_eq!(fenced("text", "a ```` b\n"), "`````text\na ```` b\n`````");
    }
}
