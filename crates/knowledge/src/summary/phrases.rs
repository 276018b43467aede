//! Which comments and strings were written for people.

use super::{prose::without_bullet, text::cut};

/// Whether a comment is prose: not code that was commented out, not a rule, not for a linter.
pub(super) fn is_prose(text: &str) -> bool {
    let text = without_bullet(text);
    let letters = text.chars().filter(|char| char.is_alphabetic() || *char == ' ').count();
    let all = text.chars().count();
    let code = text.starts_with("http")
        || text.ends_with([';', '{', '}', ',', '('])
        || ["=>", "->", "&&", "||", "==", "();", "):", ":=", " = ", "</"]
            .iter()
            .any(|mark| text.contains(mark))
        || [
            "eslint", "noqa", "nolint", "pragma", "type:", "ts-", "tslint", "prettier", "rustfmt",
            "clippy", "pylint", "mypy", "istanbul", "go:", "+build", "region", "endregion", "vim:",
            "-*-", "shellcheck", "@ts", "cspell", "yaml-language-server",
        ]
        .iter()
        .any(|mark| text.starts_with(mark));
    let spaces = text.matches(' ').count();
    !code && letters * 10 >= all * 7 && (spaces >= 2 || !text.is_ascii())
}

/// Whether a comment tells of rights, licences or generators only.
pub(super) fn is_boilerplate(text: &str) -> bool {
    let head = cut(text, 1_000).to_lowercase();
    [
        "copyright",
        "spdx-license",
        "licensed under",
        "all rights reserved",
        "permission is hereby granted",
        "(c) 20",
        "redistribution and use",
        "automatically generated",
        "@generated",
        "do not edit",
    ]
    .iter()
    .any(|mark| head.contains(mark))
}

/// Whether a string is a phrase for people: some words, hardly anything but letters.
pub(super) fn is_message(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|char| char.is_alphabetic() || *char == ' ').count();
    let wide = !text.is_ascii() && text.chars().count() > 5;
    (words >= 3 || wide) && letters * 5 >= text.chars().count() * 4 && !text.starts_with(' ')
}
