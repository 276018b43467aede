//! The name of a plugin that nobody named. Pure.

use crate::plugins::check_name;

const MAX_MADE_BYTES: usize = 40;
/// Words of a goal that say nothing about what the plugin does.
const LEFT_OUT: &[&str] = &[
    "a", "an", "and", "agent", "build", "can", "create", "develop", "for", "from", "in", "make",
    "me", "new", "of", "on", "please", "plugin", "skill", "that", "the", "to", "tool", "which",
    "with", "write",
];

/// A name made of the goal's words that is free; `None` if they make none.
pub(super) fn made(
    goal: &str,
    built_in: &[&str],
    is_taken: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let mut name = String::new();
    for word in goal.split(|char: char| !char.is_ascii_alphanumeric()) {
        let word = word.to_ascii_lowercase();
        if word.is_empty() || LEFT_OUT.contains(&word.as_str()) {
            continue;
        }
        if name.is_empty() {
            if word.starts_with(|char: char| char.is_ascii_digit()) {
                name.push_str("do_");
            }
        } else {
            name.push('_');
        }
        name.push_str(&word);
        if name.len() >= MAX_MADE_BYTES {
            break;
        }
    }
    name.truncate(MAX_MADE_BYTES);
    let name = name.trim_end_matches('_');
    let numbered = (2..100).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| check_name(name, built_in).is_ok() && !is_taken(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(goal: &str, expected: Option<&str>) {
        let found = made(goal, &["shell_execute"], &|name| name == "taken");
        assert_eq!(found.as_deref(), expected, "{goal:?}");
    }

    #[test]
    fn names() {
        check("Create a Gmail reader", Some("gmail_reader"));
        check("count the WORDS, please", Some("count_words"));
        check("3d plots", Some("do_3d_plots"));
        check("shell_execute", Some("shell_execute_2"));
        check("taken", Some("taken_2"));
        check("con", Some("con_2"));
        check("../../bin/x", Some("bin_x"));
        check("make me a tool", None);
        check("数える", None);
        check("", None);
        check(&"x".repeat(5_000), Some(&"x".repeat(40)));
    }
}
