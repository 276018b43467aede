//! The table of levels and modes for the documentation.

/// A row: the level, then what happens in the modes `ask`, `smart` and `full`.
pub type Row = [&'static str; 4];

/// Level x mode, for calls that no upper layer and no rule decides about.
pub const TABLE: [Row; 4] = [
    ["safe", "asks", "runs what looks, reads or asks a model; asks before the rest", "runs"],
    ["moderate", "asks", "asks", "runs"],
    [
        "destructive",
        "asks",
        "asks, but runs a shell line of listed commands that only read",
        "runs",
    ],
    ["critical", "asks", "asks", "asks"],
];

/// The table as Markdown.
pub fn table() -> String {
    let mut text =
        String::from("| level | `ask` | `smart` | `full` |\n| --- | --- | --- | --- |\n");
    for row in TABLE {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}
