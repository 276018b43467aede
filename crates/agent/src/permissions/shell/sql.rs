//! Clients of databases: only statements that read, or add rows, are plain.

use super::{env::Env, walk::Walker, word::Word};

pub const CLIENTS: &[&str] = &[
    "psql", "mysql", "mariadb", "sqlite3", "sqlite", "mysqldump", "pg_dump", "duckdb",
    "clickhouse-client", "clickhouse", "cockroach", "sqlcmd", "bcp", "isql", "sqlplus", "usql",
    "pgcli", "mycli", "litecli", "cqlsh", "beeline", "hive", "spark-sql", "trino", "presto",
];

const OPENINGS: &[&str] = &[
    "select ", "explain ", "show ", "describe ", "pragma table_info", "pragma index_list",
    ".tables", ".schema", "\\d", "\\l", "\\dt", "insert into ",
];
const HARMFUL: &[&str] = &[
    "drop", "truncate", "delete", "alter", "update", "grant", "revoke", "replace", "attach",
    "detach", "vacuum", "reindex", "exec", "program", "copy", "load", "outfile", "dumpfile",
    "writefile", "readfile", "edit(", "merge", "create", "call", "do ", "rename", "system",
    "shell", "\\!", "\\i", "\\o", "\\g", "\\c", "\\e", "\\w", "/*", "--", "||", "char(", "chr(",
    "prepare", "xp_", "pragma writable", "lo_", "pg_read", "pg_write", "pg_ls", "dblink", "0x",
];

impl Walker<'_> {
    pub fn database(&mut self, program: &str, arguments: &[Word], stdin: Option<&Word>, env: &Env) {
        let fed = stdin.map(|word| word.literal().unwrap_or_default());
        for word in arguments {
            self.mentions(word, env);
            self.embedded(word, env);
        }
        let mut statements: Vec<String> = arguments
            .iter()
            .map(|word| word.literal().unwrap_or_default())
            .map(|text| {
                text.split_once('=')
                    .filter(|_| text.starts_with("--"))
                    .map_or(text.clone(), |(_, v)| v.to_owned())
            })
            .filter(|text| text.contains([' ', ';', '.', '\\']))
            .collect();
        let is_path = |text: &str| !text.contains([' ', ';', '\\', '(']) && !text.starts_with('.');
        statements.retain(|text| !is_path(text));
        statements.extend(fed.clone());
        let harmful = |text: &str| {
            let folded = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
            HARMFUL.iter().any(|word| folded.contains(word))
        };
        if statements.iter().any(|text| harmful(text))
            || arguments
                .iter()
                .any(|w| harmful(&w.pattern().trim_start_matches('-').replace("--", "")))
        {
            self.found.harm(format!("`{program}` may remove or change what a database holds"));
            return;
        }
        let plain = !statements.is_empty()
            && statements.iter().all(|text| {
                let folded = text.to_lowercase();
                let folded = folded.trim_start();
                let parts: Vec<&str> =
                    folded.split(';').map(str::trim).filter(|p| !p.is_empty()).collect();
                !parts.is_empty()
                    && parts.iter().all(|part| OPENINGS.iter().any(|open| part.starts_with(open)))
            });
        let version = arguments.len() == 1
            && arguments.iter().all(|w| w.literal().as_deref() == Some("--version"));
        if !plain && !version {
            self.found.unsure(format!("it is not known what `{program}` does to a database"));
        }
    }
}
