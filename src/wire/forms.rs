//! Texts of a form that a schema does not say whole, by the `format` that the fields bear.

use elophanto_text::place::{is_below_root, lines, number, place, positive};

/// A form of texts.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    pub name: &'static str,
    /// What fits, for whoever wrote what does not.
    pub wanted: &'static str,
    pub fits: fn(&str) -> bool,
}

/// All of them.
pub const FORMS: [Form; 4] = [
    Form {
        name: "path",
        wanted: "a path of at most 1024 characters, relative to the root, with `/` and without `..`",
        fits: is_below_root,
    },
    Form {
        name: "place",
        wanted: "a path of at most 1024 characters, relative to the root, with `/` and without `..`, or \
                 the URI of a note; a line may follow, as docs/a.md:12",
        fits: |text| place(text).is_some(),
    },
    Form {
        name: "lines",
        wanted: "line numbers such as \"10-40\" or \"7\"",
        fits: |text| lines(text).is_some(),
    },
    Form { name: "rate", wanted: "successes of attempts such as \"9/10\"", fits: is_rate },
];

fn is_rate(text: &str) -> bool {
    let Some((part, all)) = text.split_once('/') else { return false };
    matches!((number(part, 6), positive(all, 6)), (Some(part), Some(all)) if part <= all)
}
