//! What people wrote in comments: without marks, without licences, without directives to tools.

/// At most so many bytes from the start, ending on a character boundary.
pub(super) fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// On one line, with single spaces, at most so many bytes.
pub(super) fn collapse(text: &str, max: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if line.len() + gap + word.len() > max {
            let rest = max.saturating_sub(line.len() + gap);
            // A word is only cut where it is all there is.
            if line.is_empty() {
                line.push_str(head(word, rest));
            }
            break;
        }
        line.push_str(&" "[..gap]);
        line.push_str(word);
    }
    line
}

/// A comment of any language here, without its marks. Line breaks and inner indentation stay.
pub(super) fn unmarked(comment: &str) -> String {
    let comment = comment.trim();
    let inner = comment.strip_prefix("/*").map(|rest| rest.trim_start_matches(['*', '!']));
    let text = match inner {
        Some(rest) => {
            let rest = rest.strip_suffix('/').unwrap_or(rest);
            let lines = rest.lines().map(|line| {
                let line = line.trim();
                let bare = line.trim_start_matches('*');
                // One space belongs to the mark.
                bare.strip_prefix(' ').unwrap_or(bare).trim_end_matches('*').trim_end()
            });
            joined(lines)
        }
        None => joined(comment.lines().map(unmarked_line)),
    };
    text.trim_matches('\n').trim_end().to_owned()
}

fn unmarked_line(line: &str) -> &str {
    let line = line.trim();
    let bare = match line.strip_prefix("//") {
        Some(rest) => rest.trim_start_matches(['/', '!']),
        None if line.starts_with("--") => {
            let rest = line.trim_start_matches('-');
            // `-- | Counts.` in Haskell.
            rest.strip_prefix(" |").unwrap_or(rest)
        }
        None => {
            let rest = line.trim_start_matches(['#', ';', '%']);
            // `#' Counts.` in R.
            rest.strip_prefix('\'').filter(|_| line.starts_with('#')).unwrap_or(rest)
        }
    };
    // Rules that frame a comment say nothing.
    if !bare.is_empty() && bare.chars().all(|c| "-=*#/~_ ".contains(c)) {
        return "";
    }
    bare.strip_prefix(' ').unwrap_or(bare).trim_end()
}

fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut text = String::new();
    for line in lines.filter(|line| !is_directive(line)) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// For a tool, not for people.
fn is_directive(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "eslint", "prettier-", "jshint", "jslint", "tslint", "clang-format", "@ts-", "@flow",
        "@jsx", "go:", "+build", "nolint", "NOLINT", "-*-", "vim:", "vi:", "shellcheck ",
        "pylint:", "flake8", "type: ", "noqa", "coding:", "istanbul ", "sourceMappingURL",
        "$schema", "frozen_string_literal:", "encoding:", "typed:", "rubocop:", "luacheck:",
        "credo:", "swiftlint:", "swift-tools-version", "ktlint", "phpcs:", "ignore_for_file:",
        "@dart", "# LANGUAGE", "# OPTIONS_GHC", "warn_indent:",
    ];
    let line = line.trim_start_matches(['!', ' ']);
    STARTS.iter().any(|start| line.starts_with(start)) || line.starts_with("/usr/bin/env")
}

/// Speaks of rights and not of the program.
pub(super) fn is_licence(comment: &str) -> bool {
    const WORDS: &[&str] = &[
        "copyright (c)",
        "copyright ©",
        "spdx-license-identifier",
        "all rights reserved",
        "licensed under",
        "permission is hereby granted",
        "license, version",
        "mozilla public license",
        "general public license",
        "bsd-style license",
        "without warranties",
        "without any warranty",
        "@license",
        "dedicated to the public domain",
        "source code is governed by",
    ];
    let start = head(comment, 2_000).to_lowercase();
    WORDS.iter().any(|word| start.contains(word))
        || start.trim_start().strip_prefix("copyright").is_some_and(|rest| {
            rest.starts_with([' ', ':']) && rest.bytes().any(|byte| byte.is_ascii_digit())
        })
}

/// A docstring's text without the indentation that all its lines but the first share.
pub(super) fn dedented(text: &str) -> String {
    let width = |line: &str| line.len() - line.trim_start().len();
    let rest = || text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let common = rest().map(width).min().unwrap_or(0);
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or_default().trim().to_owned();
    for line in lines {
        out.push('\n');
        // White space of several bytes may lie across the cut.
        out.push_str(line.get(common..).unwrap_or_else(|| line.trim_start()).trim_end());
    }
    out.trim().to_owned()
}
