//! The kinds of files and items, and what they are called.

use std::path::Path;

/// What a file is, told by its name or extension. Whether a `*.yaml` or `*.json` is an OpenAPI
/// description or a JSON Schema is told by its keys, when its outline is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names of formats and languages say it")]
pub enum FileKind {
    Markdown,
    Text,
    Yaml,
    Json,
    Toml,
    /// A systemd service.
    Service,
    /// A systemd timer.
    Timer,
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    C,
    Java,
    Shell,
    Sql,
    GraphQl,
    Protobuf,
    Cpp,
    CSharp,
    Kotlin,
    Swift,
    Scala,
    Groovy,
    Dart,
    Php,
    Zig,
    Ruby,
    Perl,
    Elixir,
    Julia,
    R,
    PowerShell,
    Lua,
    Haskell,
    OCaml,
    Erlang,
    Clojure,
}

/// The order in which gaps are closed: the first is described first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Markdown and plain text.
    Documentation,
    /// YAML, JSON and TOML.
    Configuration,
    /// Units of systemd.
    Services,
    /// Programs and schemas.
    Source,
}

struct Row {
    kind: FileKind,
    name: &'static str,
    label: &'static str,
    family: Family,
    extensions: &'static [&'static str],
}

const fn row(
    kind: FileKind,
    name: &'static str,
    label: &'static str,
    family: Family,
    extensions: &'static [&'static str],
) -> Row {
    Row { kind, name, label, family, extensions }
}

/// In the order of the enum: `FileKind::row` counts on it.
const ROWS: [Row; 39] = {
    use Family::{Configuration as Conf, Documentation as Docs, Services, Source};
    use FileKind as K;
    [
        row(K::Markdown, "markdown_doc", "Markdown document", Docs, &["md", "markdown", "mdx"]),
        row(K::Text, "text_doc", "text document", Docs, &["txt", "text", "rst", "adoc"]),
        row(K::Yaml, "yaml_config", "YAML configuration", Conf, &["yaml", "yml"]),
        row(K::Json, "json_config", "JSON configuration", Conf, &["json", "jsonc", "json5"]),
        row(K::Toml, "toml_config", "TOML configuration", Conf, &["toml"]),
        row(K::Service, "service_file", "systemd service", Services, &["service"]),
        row(K::Timer, "timer_file", "systemd timer", Services, &["timer"]),
        row(K::Rust, "rust_file", "Rust source file", Source, &["rs"]),
        row(K::Python, "python_file", "Python source file", Source, &["py", "pyi", "pyw"]),
        row(
            K::JavaScript,
            "javascript_file",
            "JavaScript source file",
            Source,
            &["js", "mjs", "cjs", "jsx"],
        ),
        row(
            K::TypeScript,
            "typescript_file",
            "TypeScript source file",
            Source,
            &["ts", "mts", "cts"],
        ),
        row(K::Tsx, "typescript_file", "TypeScript source file", Source, &["tsx"]),
        row(K::Go, "go_file", "Go source file", Source, &["go"]),
        row(K::C, "c_file", "C source file", Source, &["c", "h"]),
        row(K::Java, "java_file", "Java source file", Source, &["java"]),
        row(K::Shell, "shell_file", "shell script", Source, &["sh", "bash", "zsh", "ksh", "bats"]),
        row(K::Sql, "sql_schema", "SQL schema", Source, &["sql", "ddl"]),
        row(
            K::GraphQl,
            "graphql_schema",
            "GraphQL schema",
            Source,
            &["graphql", "graphqls", "gql"],
        ),
        row(K::Protobuf, "protobuf_schema", "Protocol Buffers schema", Source, &["proto"]),
        row(
            K::Cpp,
            "cpp_file",
            "C++ source file",
            Source,
            &["cpp", "cc", "cxx", "hpp", "hh", "hxx"],
        ),
        row(K::CSharp, "csharp_file", "C# source file", Source, &["cs"]),
        row(K::Kotlin, "kotlin_file", "Kotlin source file", Source, &["kt", "kts"]),
        row(K::Swift, "swift_file", "Swift source file", Source, &["swift"]),
        row(K::Scala, "scala_file", "Scala source file", Source, &["scala", "sc"]),
        row(K::Groovy, "groovy_file", "Groovy source file", Source, &["groovy", "gradle"]),
        row(K::Dart, "dart_file", "Dart source file", Source, &["dart"]),
        row(K::Php, "php_file", "PHP source file", Source, &["php"]),
        row(K::Zig, "zig_file", "Zig source file", Source, &["zig"]),
        row(K::Ruby, "ruby_file", "Ruby source file", Source, &["rb", "rake", "gemspec"]),
        row(K::Perl, "perl_file", "Perl source file", Source, &["pl", "pm"]),
        row(K::Elixir, "elixir_file", "Elixir source file", Source, &["ex", "exs"]),
        row(K::Julia, "julia_file", "Julia source file", Source, &["jl"]),
        row(K::R, "r_file", "R source file", Source, &["r"]),
        row(K::PowerShell, "powershell_file", "PowerShell script", Source, &["ps1", "psm1"]),
        row(K::Lua, "lua_file", "Lua source file", Source, &["lua"]),
        row(K::Haskell, "haskell_file", "Haskell source file", Source, &["hs"]),
        row(K::OCaml, "ocaml_file", "OCaml source file", Source, &["ml", "mli"]),
        row(K::Erlang, "erlang_file", "Erlang source file", Source, &["erl", "hrl"]),
        row(K::Clojure, "clojure_file", "Clojure source file", Source, &["clj", "cljs", "cljc"]),
    ]
};

/// Files that are known by their whole name.
const NAMES: &[(&str, FileKind)] = &[
    (".bash_profile", FileKind::Shell),
    (".bashrc", FileKind::Shell),
    (".profile", FileKind::Shell),
    (".zshrc", FileKind::Shell),
    ("Gemfile", FileKind::Ruby),
    ("Rakefile", FileKind::Ruby),
    ("README", FileKind::Text),
];

impl FileKind {
    /// `None` for a file whose name says nothing we read. Letters may be of either case.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy();
        let name = name.as_ref();
        if let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*kind);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        let known = |row: &&Row| row.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension));
        ROWS.iter().find(known).map(|row| row.kind)
    }

    /// The name in records and for a filter by type, such as `rust_file`. TSX shares that of
    /// TypeScript.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The kind of that [`FileKind::name`]; TypeScript for `typescript_file`.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        names.dedup();
        names
    }

    /// The kind with that name; of several the first.
    pub fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    /// For people and prompts: "Rust source file", "systemd service".
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Which files it is described together with.
    pub fn family(self) -> Family {
        self.row().family
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

elophanto_base::named! {
    /// What an item is.
    #[derive(Hash)]
    #[expect(missing_docs, reason = "the words of the languages say it")]
    pub enum ItemKind, name {
        Module = "module",
        Function = "function",
        /// A function of a type.
        Method = "method",
        Struct = "struct",
        Enum = "enum",
        Union = "union",
        Trait = "trait",
        Impl = "impl",
        Class = "class",
        Interface = "interface",
        TypeAlias = "type alias",
        Constant = "constant",
        Macro = "macro",
        Heading = "heading",
        /// A key of a configuration, an index of a database.
        Key = "key",
        /// `[Service]` of a unit.
        Section = "section",
        /// What a unit runs: `ExecStart` and its like.
        Command = "command",
        /// A table or a view.
        Table = "table",
        Column = "column",
        /// A message of Protocol Buffers, a schema of OpenAPI.
        Message = "message",
        Service = "service",
        /// `GET /pets`, an rpc, a query or mutation.
        Operation = "operation",
        /// A part of a type or of a key.
        Field = "field",
    }
}
