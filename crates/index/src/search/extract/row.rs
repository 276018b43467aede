//! Rows of tables as statements.

/// A row with the names of its columns before the cells: `Setting: limit; Default: 10`.
pub(super) fn row(raw: &str, header: &[&str]) -> Option<String> {
    let cells = cells(raw);
    let said: Vec<String> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.contains(char::is_alphanumeric))
        .map(|(column, cell)| match header.get(column).filter(|_| header.len() == cells.len()) {
            Some(name) if name.contains(char::is_alphanumeric) => format!("{name}: {cell}"),
            _ => (*cell).to_owned(),
        })
        .collect();
    (said.len() > 1).then(|| said.join("; "))
}

/// The cells of a row of a table.
pub(super) fn cells(row: &str) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let (mut start, mut escaped, mut code) = (0, false, false);
    for (at, char) in row.char_indices() {
        match char {
            '`' => code = !code,
            '|' if !escaped && !code => {
                cells.push(row[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = char == '\\' && !escaped;
    }
    cells.push(row[start..].trim());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_their_columns() {
        let header = cells("| Setting | Default | |");
        assert_eq!(header, ["Setting", "Default", ""]);
        for (raw, expected) in [
            ("| `limit` | 10 | a |", Some("Setting: `limit`; Default: 10; a")),
            ("`limit` | 10 | a \\| b", Some("Setting: `limit`; Default: 10; a \\| b")),
            ("| `a|b` | 10 | |", Some("Setting: `a|b`; Default: 10")),
            ("| a | b |", Some("a; b")),
            ("| a | - | |", None),
        ] {
            assert_eq!(row(raw, &header).as_deref(), expected, "{raw}");
        }
    }
}
