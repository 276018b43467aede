//! The commands in groups, as the help of the program lists them.

use std::fmt::Write as _;

use clap::Command;

/// Where each command stands. What stands nowhere is listed last.
const GROUPS: &[(&str, &[&str])] = &[
    ("Every day", &["index", "scan", "search", "learn", "enrich", "clean", "agent", "page"]),
    (
        "Knowledge",
        &[
            "entity", "like", "unlike", "dislike", "undislike", "interests", "react", "graph",
            "changelog",
        ],
    ),
    ("Agents, chats and editors", &["gateway", "channel", "editor", "lsp", "acp"]),
    ("Git", &["init", "hook", "trust", "publish"]),
    (
        "Upkeep",
        &["doctor", "schedule", "model", "vault", "usage", "eval", "completions", "man", "help"],
    ),
];

/// The same program, whose help lists its commands in groups. All of them must be put together.
pub fn grouped(command: Command) -> Command {
    let styles = command.get_styles().clone();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let known: Vec<&Command> = command.get_subcommands().filter(|it| !it.is_hide_set()).collect();
    let width = known.iter().map(|it| it.get_name().len()).max().unwrap_or_default();
    let placed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let rest: Vec<&str> = known.iter().map(|it| it.get_name()).filter(|it| !placed(it)).collect();
    let mut list = String::new();
    for (heading, names) in GROUPS.iter().copied().chain([("Other", rest.as_slice())]) {
        let listed = names.iter().filter_map(|name| known.iter().find(|it| it.get_name() == *name));
        let lines: String = listed.fold(String::new(), |mut lines, it| {
            let about = it.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(lines, "  {literal}{:width$}{literal:#}  {about}", it.get_name());
            lines
        });
        if !lines.is_empty() {
            let _ = write!(list, "{header}{heading}:{header:#}\n{lines}\n");
        }
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_group() {
        let mut command = <super::super::Cli as clap::CommandFactory>::command();
        command.build();
        let help = grouped(command).render_long_help().to_string();
        assert!(!help.contains("Other:"), "{help}");
    }
}
