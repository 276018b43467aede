//! A line of a program's help as a statement.

use super::{FEWEST_ANNOUNCING, MOST_CHARACTERS};
use elophanto_text::markdown::on_one_line;

/// A line on which a program's help explains an option, as `--limit N` and what that does, with two spaces
/// between.
pub(super) fn option_line(raw: &str) -> Option<String> {
    let line = raw.trim();
    let is_option = line.trim_start_matches('-').starts_with(char::is_alphanumeric);
    let (option, said) = line.split_once("  ").filter(|_| line.starts_with('-') && is_option)?;
    let is_said = said.split_whitespace().count() >= FEWEST_ANNOUNCING && !option.contains('`');
    is_said.then(|| format!("`{option}`: {}", on_one_line(said.trim(), MOST_CHARACTERS, |_| true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_say_what_they_do() {
        for (line, expected) in [
            (
                "  --limit N   Keep at most N of them (default 5)",
                Some("`--limit N`: Keep at most N of them (default 5)"),
            ),
            ("-q, --quiet  Say nothing at all", Some("`-q, --quiet`: Say nothing at all")),
            ("--limit N", None),
            ("- a list   of three words", None),
            ("tool --limit 5   and so on here", None),
        ] {
            assert_eq!(option_line(line).as_deref(), expected, "{line}");
        }
    }
}
