//! Texts of a form that a schema does not say whole, by the `format` that the fields bear.

/// A form of texts.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    pub name: &'static str,
    /// What fits, for whoever wrote what does not.
    pub wanted: &'static str,
    pub fits: fn(&str) -> bool,
}

/// All of them.
pub const FORMS: [Form; 3] = [
    Form {
        name: "path",
        wanted: "a path of at most 1024 characters, relative to the root, with `/` and without `..`",
        fits: is_below_root,
    },
    Form {
        name: "lines",
        wanted: "line numbers such as \"10-40\" or \"7\"",
        fits: |text| lines(text).is_some(),
    },
    Form { name: "rate", wanted: "successes of attempts such as \"9/10\"", fits: is_rate },
];

/// Whether a path is relative, written with `/`, and cannot lead out of the folder it starts from.
pub fn is_below_root(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

/// The first and the last line of one line number, or of two as `10-40`.
pub fn lines(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (positive(first, 9)?, positive(last, 9)?);
    (first <= last).then_some((first, last))
}

fn is_rate(text: &str) -> bool {
    let Some((part, all)) = text.split_once('/') else { return false };
    matches!((number(part, 6), positive(all, 6)), (Some(part), Some(all)) if part <= all)
}

fn positive(digits: &str, most: usize) -> Option<usize> {
    number(digits, most).filter(|_| !digits.starts_with('0'))
}

fn number(digits: &str, most: usize) -> Option<usize> {
    let is_number =
        (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}
