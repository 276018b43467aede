//! What a program prints of its options and commands, as pages quote it: `  --json    print JSON`.

use super::Row;

/// Fewest lines that make a listing, and most that are kept.
const LEAST: usize = 3;
const MOST: usize = 20;

/// The options and commands of a listing, each with what it does.
pub(super) fn read(code: &str, line: usize, rows: &mut Vec<Row>, most: usize) {
    let mut found = Vec::new();
    // `foo backup [flags]`: the command whose options stand below, without the program.
    let mut command = String::new();
    let mut is_usage = false;
    let mut is_of_commands = false;
    for (number, text) in code.lines().enumerate() {
        let bare = text.trim();
        let usage = bare.strip_prefix("Usage:").or(bare.strip_prefix("usage:"));
        if let Some(usage) = usage.map(str::trim).or_else(|| is_usage.then_some(bare)) {
            is_usage = usage.is_empty();
            command = commands_of(usage);
            continue;
        }
        if let Some(heading) = bare.strip_suffix(':').filter(|_| !text.starts_with("    ")) {
            is_of_commands = heading.to_lowercase().ends_with("commands");
        }
        let Some((term, what)) = bare.split_once("  ").filter(|_| text.starts_with(' ')) else {
            continue;
        };
        let (term, what) = (term.trim(), what.trim());
        let is_command = is_of_commands
            && term.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte));
        let is_told = what.contains(' ') && what.starts_with(char::is_alphanumeric);
        let is_idle = ["help", "version"].iter().any(|idle| term.ends_with(idle));
        if is_told && !is_idle && (term.starts_with('-') && term.len() > 1 || is_command) {
            let key = format!("{command}{term}");
            let (cells, line) = (vec![key, what.to_owned()], line + number + 1);
            found.push(Row { cells, is_item: true, line, ..Row::default() });
        }
    }
    let is_listing = found.len() >= LEAST;
    let room = most.saturating_sub(rows.len()).min(MOST);
    rows.extend(found.into_iter().take(if is_listing { room } else { 0 }));
}

/// The words of a usage between the program and what is to be put in: `foo backup [FILE]`.
fn commands_of(usage: &str) -> String {
    let is_command = |word: &&str| word.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
    let all = usage.split(' ').skip(1).take_while(is_command);
    all.map(|word| format!("{word} ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_commands_are_rows() {
        let code = "$ foo backup --help\n\nUsage:\n  foo backup [flags] FILE\n\nFlags:\n  -n, --dry-run   only \
                    show what would be done\n  -h, --help      help for backup\n      --json      print \
                    JSON lines (default no)\n\nMore Commands:\n  prune   remove old data\n  let x = 1;   // a b\n";
        let mut rows = Vec::new();
        read(code, 1, &mut rows, 10);
        let all: Vec<String> =
            rows.iter().map(|row| format!("{} {}", row.line, row.cells.join(" | "))).collect();
        assert_eq!(
            all,
            [
                "8 backup -n, --dry-run | only show what would be done",
                "10 backup --json | print JSON lines (default no)",
                "13 backup prune | remove old data",
            ]
        );
    }
}
