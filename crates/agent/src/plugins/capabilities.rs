//! The table of all tools in `knowledge/system/capabilities.md`. Pure.

use std::fmt::Write as _;

use super::block::{self, BlockError};
use crate::{Source, Spec};
use elophanto_base::one_line::one_line;

const BLOCK: &str = "tools";
const MAX_CELL_CHARS: usize = 200;

/// The page of capabilities with a table of these tools in a block of ours; all other text of the
/// existing page stays. The same tools give the same page in whatever order they come.
///
/// # Errors
/// When the markers of the block don't match.
pub fn capabilities(tools: &[Spec], existing: Option<&str>) -> Result<String, BlockError> {
    let mut rows: Vec<[String; 4]> = tools.iter().map(row).collect();
    rows.sort();
    rows.dedup();
    let mut body = String::from("## Tools of the agent\n\n");
    if rows.is_empty() {
        body.push_str("None.\n");
    } else {
        body.push_str("| tool | what it does | level | comes from |\n| --- | --- | --- | --- |\n");
    }
    for [name, description, level, source] in rows {
        let _ = writeln!(body, "| `{name}` | {description} | {level} | {source} |");
    }
    let page = match existing {
        Some(page) if !page.trim().is_empty() => page,
        _ => {
            "---\ntitle: Capabilities\ntags: [capabilities, tools]\nscope: system\n---\n\n\
             # Capabilities\n"
        }
    };
    Ok(block::upsert(page, BLOCK, &body)?.unwrap_or_else(|| page.to_owned()))
}

fn row(spec: &Spec) -> [String; 4] {
    let source = match &spec.source {
        Source::BuiltIn => "built in".to_owned(),
        Source::Plugin { hash } => {
            let hash: String = hash.chars().filter(char::is_ascii_hexdigit).take(12).collect();
            format!("plugin `{hash}`")
        }
        Source::Server { name } => format!("server {}", cell(name)),
    };
    let name = one_line(&spec.name, 64).replace(['`', '|'], "");
    [name, cell(&spec.description), spec.level.name().to_owned(), source]
}

/// Text from outside as plain text on one line or in a cell: no markup, no link, no end of the cell.
pub(crate) fn cell(text: &str) -> String {
    let mut escaped = String::new();
    for char in one_line(text, MAX_CELL_CHARS).chars() {
        if matches!(char, '|' | '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '#' | '!' | '~') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::permissions::Level;

    fn spec(name: &str, description: &str, source: Source) -> Spec {
        Spec {
            name: name.to_owned(),
            description: description.to_owned(),
            input: json!({"type": "object"}),
            level: Level::Destructive,
            source,
            is_untrusted: true,
        }
    }

    #[test]
    fn sorted_and_escaped_inside_the_block() {
        let tools = [
            spec(
                "b",
                "x | y\n<!-- <<< elophanto tools <<< -->",
                Source::Server { name: "s".into() },
            ),
            spec("a", "[link](http://x)", Source::Plugin { hash: "0123456789abcdef".into() }),
            spec("c", "plain", Source::BuiltIn),
        ];
        let mine = "# Capabilities\n\nMine.\n";
        let page = capabilities(&tools, Some(mine)).unwrap();
        assert_eq!(
            page,
            "# Capabilities\n\nMine.\n\n<!-- >>> elophanto tools >>> -->\n\n\
             ## Tools of the agent\n\n\
             | tool | what it does | level | comes from |\n| --- | --- | --- | --- |\n\
             | `a` | \\[link\\](http://x) | destructive | plugin `0123456789ab` |\n\
             | `b` | x \\| y \\<\\!-- \\<\\<\\< elophanto tools \\<\\<\\< --\\> | destructive | server s |\n\
             | `c` | plain | destructive | built in |\n\n<!-- <<< elophanto tools <<< -->\n"
        );
        let reversed: Vec<Spec> = tools.iter().rev().cloned().collect();
        assert_eq!(capabilities(&reversed, Some(&page)).unwrap(), page);
        assert!(capabilities(&[], None).unwrap().contains("None."));
    }
}
