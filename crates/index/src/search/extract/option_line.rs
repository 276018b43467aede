//! A line of a program's help, or of code with a comment, as a statement.

use super::{FEWEST_ANNOUNCING, MOST_CHARACTERS};
use elophanto_text::markdown::on_one_line;

/// A line on which a program's help explains an option, as `--limit N` and what that does, with two spaces
/// between, or code with what a comment behind it says.
pub(super) fn option_line(raw: &str) -> Option<String> {
    let line = raw.trim();
    let begins = line.trim_start_matches('-').starts_with(char::is_alphanumeric);
    let of_help = || line.split_once("  ").filter(|_| line.starts_with('-'));
    let commented = line.split_once(" # ").or_else(of_help).filter(|_| begins);
    let (option, said) = commented.map(|(option, said)| (option.trim_end(), said))?;
    // `"fix # of items"` is one text.
    let is_cut = ['"', '\''].iter().any(|quote| option.matches(*quote).count() % 2 == 1);
    let is_said = said.split_whitespace().count() >= FEWEST_ANNOUNCING && !option.contains('`');
    (is_said && !is_cut)
        .then(|| format!("`{option}`: {}", on_one_line(said.trim(), MOST_CHARACTERS, |_| true)))
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
            (
                "limit = \"1h\"  # optional, default is 1h",
                Some("`limit = \"1h\"`: optional, default is 1h"),
            ),
            ("# a comment # of many words", None),
            ("limit = 5  # hours", None),
            ("commit -m \"fix # of items in it\"", None),
            ("commit -m 'fix' # it is of items", Some("`commit -m 'fix'`: it is of items")),
            ("- a list   of three words", None),
            ("tool --limit 5   and so on here", None),
        ] {
            assert_eq!(option_line(line).as_deref(), expected, "{line}");
        }
    }
}
