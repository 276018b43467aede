use super::{FileKind, outline};

mod hostile;
mod lines;

/// Every kind of file.
const ALL: [FileKind; 39] = [
    FileKind::Markdown,
    FileKind::Text,
    FileKind::Yaml,
    FileKind::Json,
    FileKind::Toml,
    FileKind::Service,
    FileKind::Timer,
    FileKind::Rust,
    FileKind::Python,
    FileKind::JavaScript,
    FileKind::TypeScript,
    FileKind::Tsx,
    FileKind::Go,
    FileKind::C,
    FileKind::Java,
    FileKind::Shell,
    FileKind::Sql,
    FileKind::GraphQl,
    FileKind::Protobuf,
    FileKind::Cpp,
    FileKind::CSharp,
    FileKind::Kotlin,
    FileKind::Swift,
    FileKind::Scala,
    FileKind::Groovy,
    FileKind::Dart,
    FileKind::Php,
    FileKind::Zig,
    FileKind::Ruby,
    FileKind::Perl,
    FileKind::Elixir,
    FileKind::Julia,
    FileKind::R,
    FileKind::PowerShell,
    FileKind::Lua,
    FileKind::Haskell,
    FileKind::OCaml,
    FileKind::Erlang,
    FileKind::Clojure,
];

/// A text of every kind.
fn samples() -> [(FileKind, &'static str); 39] {
    ALL.map(|kind| (kind, sample(kind)))
}

fn sample(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Markdown | FileKind::Text => include_str!("samples/a.md"),
        FileKind::Yaml => include_str!("samples/openapi.yaml"),
        FileKind::Json => include_str!("samples/schema.json"),
        FileKind::Toml => include_str!("samples/manifest.toml"),
        FileKind::Service | FileKind::Timer => include_str!("samples/a.service"),
        FileKind::Rust => include_str!("samples/a.rs.txt"),
        FileKind::Python => include_str!("samples/a.py"),
        FileKind::JavaScript => include_str!("samples/a.js"),
        FileKind::TypeScript | FileKind::Tsx => include_str!("samples/a.tsx"),
        FileKind::Go => include_str!("samples/a.go"),
        FileKind::C => include_str!("samples/a.c"),
        FileKind::Java => include_str!("samples/A.java"),
        FileKind::Shell => include_str!("samples/a.sh"),
        FileKind::Sql => include_str!("samples/a.sql"),
        FileKind::GraphQl => include_str!("samples/a.graphql"),
        FileKind::Protobuf => include_str!("samples/a.proto"),
        _ => lines::sample(kind),
    }
}

/// One line per item: kind, name, parent, marks, lines, signature, first line of the documentation.
fn rendered(kind: FileKind, text: &str) -> String {
    let told = outline(kind, text);
    let mut out = format!("purpose: {:?}\nimports: {:?}\n", told.purpose, told.imports);
    out += if told.has_errors { "errors\n" } else { "" };
    for item in &told.items {
        let parent =
            item.parent.map_or(String::new(), |parent| format!(" in {}", told.items[parent].name));
        let public = if item.public { "" } else { " private" };
        let test = if item.test { " test" } else { "" };
        let (first, last) = item.lines;
        let doc = item.doc.lines().next().unwrap_or_default();
        out += &format!(
            "{} {}{parent}{public}{test} {first}-{last} `{}` {doc}\n",
            item.kind.name(),
            item.name,
            item.signature
        );
    }
    out
}

#[track_caller]
fn check(kind: FileKind, text: &str, expected: &str) {
    assert_eq!(rendered(kind, text), expected, "{kind:?}");
}

#[test]
fn every_kind_is_outlined_as_written_down() {
    let told = [
        (FileKind::Markdown, include_str!("samples/a.md"), include_str!("samples/a.md.told")),
        (
            FileKind::Yaml,
            include_str!("samples/openapi.yaml"),
            include_str!("samples/openapi.yaml.told"),
        ),
        (FileKind::Yaml, include_str!("samples/a.yaml"), include_str!("samples/a.yaml.told")),
        (
            FileKind::Json,
            include_str!("samples/schema.json"),
            include_str!("samples/schema.json.told"),
        ),
        (
            FileKind::Json,
            include_str!("samples/package.json"),
            include_str!("samples/package.json.told"),
        ),
        (
            FileKind::Json,
            include_str!("samples/tsconfig.json"),
            include_str!("samples/tsconfig.json.told"),
        ),
        (
            FileKind::Toml,
            include_str!("samples/manifest.toml"),
            include_str!("samples/manifest.toml.told"),
        ),
        (
            FileKind::Service,
            include_str!("samples/a.service"),
            include_str!("samples/a.service.told"),
        ),
        (FileKind::Rust, include_str!("samples/a.rs.txt"), include_str!("samples/a.rs.txt.told")),
        (FileKind::Python, include_str!("samples/a.py"), include_str!("samples/a.py.told")),
        (FileKind::JavaScript, include_str!("samples/a.js"), include_str!("samples/a.js.told")),
        (FileKind::Tsx, include_str!("samples/a.tsx"), include_str!("samples/a.tsx.told")),
        (FileKind::Go, include_str!("samples/a.go"), include_str!("samples/a.go.told")),
        (FileKind::C, include_str!("samples/a.c"), include_str!("samples/a.c.told")),
        (FileKind::Java, include_str!("samples/A.java"), include_str!("samples/A.java.told")),
        (FileKind::Shell, include_str!("samples/a.sh"), include_str!("samples/a.sh.told")),
        (FileKind::Sql, include_str!("samples/a.sql"), include_str!("samples/a.sql.told")),
        (
            FileKind::GraphQl,
            include_str!("samples/a.graphql"),
            include_str!("samples/a.graphql.told"),
        ),
        (FileKind::Protobuf, include_str!("samples/a.proto"), include_str!("samples/a.proto.told")),
    ];
    for (kind, text, expected) in told {
        check(kind, text, expected);
    }
}

#[test]
fn kinds_are_told_by_names_and_back() {
    for (path, kind) in [
        ("a/b.RS", Some(FileKind::Rust)),
        ("README", Some(FileKind::Text)),
        ("x.service", Some(FileKind::Service)),
        ("v.tsx", Some(FileKind::Tsx)),
        (".md", None),
        ("Dockerfile", None),
        ("a.pyc", None),
    ] {
        assert_eq!(FileKind::of(std::path::Path::new(path)), kind, "{path}");
    }
    for kind in ALL {
        let back = FileKind::from_name(kind.name()).unwrap();
        assert_eq!((back.name(), back.family()), (kind.name(), kind.family()));
    }
}
