//! What is run in each hostile repository: every subcommand, in the forms that go different ways.

use crate::env::TestEnv;

/// Subcommands and their arguments, in the order in which they are run: reading ones first, then
/// those that write, `trust` last because it changes what the others obey.
///
/// A folder `../set` with a test set lies beside each repository.
pub const ARGV: &[(&str, &[&[&str]])] = &[
    (
        "search",
        &[
            &["hands"],
            &["--json", "--explain", "--full", "\"hold hands\" -bears"],
            &["--like", "otters.md:3", "--format", "vimgrep"],
            &["--mode", "keyword", "--since", "2020-01-01", "--path", "**/*.md", "hands"],
            &["--no-refresh", "--format", "markdown", "--max-tokens", "100", "hands"],
            &["--at", "HEAD", "--blame", "hands"],
            &["--changed-since", "HEAD", "--author", "a", "hands"],
            &["--answer", "do otters hold hands"],
        ],
    ),
    ("graph", &[&[], &["otters.md", "--json"], &["--format", "mermaid"]]),
    (
        "scan",
        &[
            &["--list"],
            &["--indexed"],
            &[],
            &["--json", "-n", "3"],
            &["--investigate", "--all", "--json"],
            &["--list", "--state", "answered"],
            &["--show", "unindexed-"],
            &["--dismiss", "none"],
        ],
    ),
    (
        "learn",
        &[
            &[],
            &["--json"],
            &["otters", "--from", "otters.md", "--json"],
            &["otters hold hands"],
            &["sea otters", "--background"],
            &["otters", "--unasked", "--from", "otters.md"],
            &["--message", "otters.md"],
            &["undo", "none"],
        ],
    ),
    ("entity", &[&[], &["--json"], &["otters"], &["1"], &["none", "--delete"]]),
    ("like", &[&["otters"]]),
    ("dislike", &[&["bears", "--json"]]),
    ("interests", &[&[], &["--json"], &["--ascii"]]),
    ("react", &[&["none", "-"]]),
    ("enrich", &[&[], &["--once", "--json"]]),
    ("unlike", &[&["otters"]]),
    ("undislike", &[&["bears"]]),
    (
        "agent",
        &[
            &["recall", "otters"],
            &["recall", "--json"],
            &["memory", "list", "--json"],
            &["memory", "stats"],
            &["memory", "patterns"],
            &["memory", "export"],
            &["mcp", "status"],
            &["mcp", "serve"],
            &["hook", "session-start"],
            &["install", "claude-code", "--project", "--dry-run"],
            &["remember", "--type", "error", "--context", "otters", "--lesson", "hold hands"],
            &["memory", "archive", "--json"],
            &["note", "failure", "otters let go", "--section", "Root cause=bears"],
            &["run", "count the otters", "--mode", "full"],
            &["run", "count the otters", "--json"],
            &["chat"],
            &["undo"],
            &["runs", "--json"],
            &["sessions"],
            &["tools", "--json"],
            &["runs", "show", "last"],
            &["plugin", "list"],
            &["plugin", "deploy", "none"],
            &["plugin", "remove", "none"],
            &["skill", "list"],
            &["skill", "show", "writing-a-note"],
            &["skill", "new", "otters", "--description", "Counting otters"],
            &["skill", "install", "./.elophanto/skills/otters", "--yes"],
            &["skill", "update"],
            &["skill", "remove", "none"],
            &["hub", "search", "otters"],
            &["mcp", "list"],
            &["mcp", "add", "otters", "--", "/bin/false"],
            &["mcp", "trust", "none"],
            &["mcp", "remove", "none"],
        ],
    ),
    ("schedule", &[&["print", "a", "--", "scan"], &["list"]]),
    ("doctor", &[&["--settings", "--json"]]),
    ("eval", &[&["../set"]]),
    ("vault", &[&["list"], &["get", "none"]]),
    (
        "model",
        &[
            &["list"],
            &["list", "--json"],
            &["test", "--embed"],
            &["tune", "--dry-run", "--budget", "1"],
            &["tune", "--remove"],
        ],
    ),
    ("gateway", &[&["status"], &["status", "--json"], &["stop"], &["connect", "--json"]]),
    (
        "channel",
        &[
            &["list"],
            &["list", "--json"],
            &["test", "telegram"],
            &["pair", "none"],
            &["approve", "telegram", "none"],
            &["leave-out", "telegram", "none"],
            &["remove", "telegram"],
        ],
    ),
    ("page", &[&["--export", "page-of-notes"]]),
    ("publish", &[&["--dry-run", "--as", "hostile/notes", "file:///nowhere-of-elophanto/kb"]]),
    // What an editor asks of it is in `editor.rs`; here it ends with its input.
    ("lsp", &[&[]]),
    ("acp", &[&[]]),
    (
        "editor",
        &[&["install", "helix", "--yes", "--json"], &["install", "helix", "--remove", "--yes"]],
    ),
    ("usage", &[&[], &["--by", "day", "--json"]]),
    ("completions", &[&["bash"]]),
    ("man", &[&["search"]]),
    ("help", &[&["search"]]),
    ("changelog", &[&[], &["--write"]]),
    (
        "index",
        &[
            &["--check"],
            &[],
            &["--full", "--json", "otters.md"],
            &["--check", "--verify", "--json"],
            &["--stage"],
            &["--resolve"],
        ],
    ),
    (
        "hook",
        &[
            &["status"],
            &["install", "--eager"],
            &["run", "pre-commit"],
            &["run", "post-merge"],
            &["uninstall"],
        ],
    ),
    (
        "clean",
        &[
            &["--index", "--dry-run", "--compact"],
            &["--index"],
            &[],
            &["--dry-run", "--json"],
            &["--apply"],
            &["review", "--json"],
            &["undo", "none"],
        ],
    ),
    ("init", &[&["--root", "docs"], &[]]),
    ("trust", &[&["--list"], &["--revoke"], &["--json"]]),
];

/// The few that ask git, or bring the index up to date.
pub const SHORT: &[&[&str]] = &[
    &["index", "--check"],
    &["index"],
    &["search", "hands"],
    &["doctor"],
    &["hook", "run", "pre-commit"],
];

/// Every argument vector of the table.
pub fn all() -> impl Iterator<Item = Vec<&'static str>> {
    ARGV.iter().flat_map(|(subcommand, forms)| {
        forms.iter().map(move |form| [&[*subcommand][..], *form].concat())
    })
}

/// The subcommands that `--help` lists.
fn subcommands() -> Vec<String> {
    let help = TestEnv::plain().ok(&["--help"]).stdout();
    let lines = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    lines
        .take_while(|line| *line != "Options:")
        // A description that runs on to the next line is indented further.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(ToOwned::to_owned)
        .collect()
}

#[test]
fn every_subcommand_is_run() {
    let listed = subcommands();
    assert!(listed.len() >= 9 && listed.iter().any(|name| name == "search"), "{listed:?}");
    let tabled: Vec<&str> = ARGV.iter().map(|(name, _)| *name).collect();
    for name in &listed {
        let row = ARGV.iter().find(|(tabled, _)| tabled == name);
        assert!(
            row.is_some_and(|(_, forms)| !forms.is_empty()),
            "`{name}` stands in no row of ARGV: say how hostile repositories are to meet it"
        );
    }
    for name in tabled {
        assert!(listed.iter().any(|listed| listed == name), "there is no subcommand `{name}`");
    }
}

/// A form that is refused at the door would try nothing.
#[test]
fn every_form_is_understood() {
    let arena = super::arena::Arena::new();
    arena.settle();
    for args in all() {
        let output = arena.run("", &args, &[]);
        // No model is set up here: all that comes before the first question to one is tried.
        let needs_model = output.stderr().contains("no language model may be asked");
        // What is named may not be there.
        let misses = ["error: there is no ", "error: no "]
            .iter()
            .any(|start| output.code == Some(2) && output.stderr().starts_with(start));
        // Nothing is published of what is not committed, which stands fast before a note is read.
        let is_uncommitted = output.stderr().contains("what lies here is not what HEAD holds");
        let is_understood =
            needs_model || is_uncommitted || misses || matches!(output.code, Some(0 | 1));
        assert!(is_understood, "{args:?}\n{output}");
    }
}
