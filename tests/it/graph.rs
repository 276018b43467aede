//! `elophanto graph`: what refers to what, from outside.

use std::fs;

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, snapshot};

/// A small repository: notes that link, name and cover sources in three languages.
fn ferry() -> TestEnv {
    TestEnv::with(&[
        (
            "README.md",
            "# Ferry\n\nSee [the timetable](docs/timetable.md#winter) and [[harbour]].\n\n\
             It sails from `open_harbour()`, and `web/table.ts` draws.\n",
        ),
        (
            "docs/timetable.md",
            "---\ntitle: When it sails\ncovers: [src, py/zones.py]\n---\n# Timetable\n\n\
             Back to [the readme](../README.md). Fares come from `cheapest_fare()`.\n",
        ),
        ("docs/harbour.md", "# Harbour rules\n\nNo dogs.\n"),
        ("docs/lost.md", "# Lost\n\nSpeaks of [[harbour]]; nobody speaks of it.\n"),
        ("old/lost.md", "# Lost before\n\nAlone.\n"),
        (
            "src/lib.rs",
            "use crate::ticket::Ticket;\nuse crate::tide::Tide;\npub fn open_harbour() {}\n",
        ),
        ("src/ticket.rs", "use crate::tide::Tide;\npub struct Ticket(Tide);\n"),
        ("src/tide.rs", "pub struct Tide;\n"),
        ("py/fares.py", "from .zones import ZONES\n\n\ndef cheapest_fare():\n    return ZONES\n"),
        ("py/zones.py", "ZONES = 1\n"),
        ("py/__init__.py", "# The package.\n"),
        ("web/table.ts", "import { row } from \"./row\";\nexport const table = row;\n"),
        ("web/row.ts", "export function row() {}\n"),
    ])
}

fn graph(env: &TestEnv, args: &[&str]) -> Output {
    env.run(&[&["graph"], args].concat())
}

/// The references of `graph --json` with these arguments, as `from kind to`.
fn references(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let lines = env.json(&[&["graph", "--json"], args].concat());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let edges = lines.iter().filter(|line| line.get("from").is_some());
    edges
        .map(|edge| {
            format!("{} {} {}", text(&edge["from"]), text(&edge["reference"]), text(&edge["to"]))
        })
        .collect()
}

/// The nodes of `graph --json`, by path.
fn node(lines: &[Value], path: &str) -> Value {
    let node = lines.iter().find(|line| line["path"] == path);
    node.cloned().unwrap_or_else(|| panic!("{path} is no node of {lines:?}"))
}

/// Nothing that steers a terminal or turns its text around.
fn check_harmless(output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(bytes).unwrap();
        let raw = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        };
        assert!(!text.contains(raw), "{text:?}");
    }
}

#[test]
fn the_whole_graph() {
    snapshot!(graph(&ferry(), &[]), @"
    exit: 0
    --- stdout
    5 notes, 8 sources, 16 references
      links 2
      wikilinks 2
      imports 5
      mentions 3
      covers 4

    most central
      0.1607  src/tide.rs  Rust source file
      0.1062  docs/harbour.md  Harbour rules
      0.1039  py/zones.py  Python source file
      0.0966  web/row.ts  TypeScript source file
      0.0869  src/ticket.rs  Rust source file
      0.0668  src/lib.rs  Rust source file
      0.0650  docs/timetable.md  When it sails
      0.0585  README.md  Ferry
      0.0567  web/table.ts  TypeScript source file
      0.0535  py/fares.py  Python source file

    orphans (2)
      docs/lost.md  Lost
      old/lost.md  Lost before
    --- stderr
    ");
}

#[test]
fn what_a_note_refers_to() {
    snapshot!(graph(&ferry(), &["docs/timetable.md"]), @"
    exit: 0
    --- stdout
    docs/timetable.md  When it sails
      note

    refers to (6)
      links
        README.md (line 7)
      mentions
        py/fares.py (line 7)
      covers
        py/zones.py
        src/lib.rs
        src/ticket.rs
        src/tide.rs

    referred to by (1)
      links
        README.md:3
    --- stderr
    ");
}

#[test]
fn backlinks_of_a_source() {
    snapshot!(graph(&ferry(), &["src/tide.rs"]), @"
    exit: 0
    --- stdout
    src/tide.rs  Rust source file
      source

    refers to (0)

    referred to by (3)
      imports
        src/lib.rs
        src/ticket.rs
      covers
        docs/timetable.md
    --- stderr
    ");
}

#[test]
fn for_programs_that_draw() {
    let env = ferry();
    snapshot!(graph(&env, &["--format", "dot", "README.md"]), @r#"
    exit: 0
    --- stdout
    digraph knowledge {
      rankdir=LR;
      n0 [label="README.md", shape=note, penwidth=2];
      n1 [label="docs/harbour.md", shape=note];
      n2 [label="docs/timetable.md", shape=note];
      n3 [label="src/lib.rs", shape=box];
      n4 [label="web/table.ts", shape=box];
      n0 -> n1 [label="wikilinks"];
      n0 -> n2 [label="links"];
      n0 -> n3 [label="mentions", style=dashed];
      n0 -> n4 [label="mentions", style=dashed];
      n2 -> n0 [label="links"];
      n2 -> n3 [label="covers"];
    }
    --- stderr
    "#);
    snapshot!(graph(&env, &["--format", "mermaid", "README.md"]), @r#"
    exit: 0
    --- stdout
    flowchart LR
      n0["README.md"]
      n1["docs/harbour.md"]
      n2["docs/timetable.md"]
      n3("src/lib.rs")
      n4("web/table.ts")
      n0 -->|wikilinks| n1
      n0 -->|links| n2
      n0 -.->|mentions| n3
      n0 -.->|mentions| n4
      n2 -->|links| n0
      n2 -->|covers| n3
      style n0 stroke-width:3px
    --- stderr
    "#);
}

#[test]
fn for_programs_that_read() {
    let env = ferry();
    let lines = env.json(&["graph", "--json"]);
    assert_eq!(lines, env.json(&["graph", "--format", "json"]));
    let nodes: Vec<&Value> = lines.iter().filter(|line| line.get("path").is_some()).collect();
    assert_eq!(nodes.len(), 13);
    let sum: f64 = nodes.iter().map(|node| node["rank"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    let (lost, readme) = (node(&lines, "docs/lost.md"), node(&lines, "README.md"));
    assert_eq!((&lost["orphan"], &lost["kind"]), (&json!(true), &json!("note")));
    assert_eq!((&readme["orphan"], &readme["title"]), (&json!(false), &json!("Ferry")));
    assert_eq!(node(&lines, "docs/timetable.md")["title"], "When it sails");
    assert_eq!(node(&lines, "src/lib.rs")["kind"], "source");
    // Sources are no orphans: nobody writes notes about every one of them.
    assert_eq!(node(&lines, "src/lib.rs")["orphan"], false);
    let link = json!({"from": "README.md", "to": "docs/harbour.md", "reference": "wikilinks",
                      "line": 3});
    assert!(lines.contains(&link), "{lines:?}");

    // Of one node: itself, its neighbours, and the references that touch it.
    let near = env.json(&["graph", "--json", "py/zones.py"]);
    let paths: Vec<&Value> = near.iter().filter_map(|line| line.get("path")).collect();
    assert_eq!(paths, ["docs/timetable.md", "py/fares.py", "py/zones.py"]);
    assert_eq!(
        references(&env, &["py/zones.py"]),
        ["docs/timetable.md covers py/zones.py", "py/fares.py imports py/zones.py"]
    );
}

#[test]
fn every_kind_of_reference_is_there() {
    let all = references(&ferry(), &[]);
    for reference in [
        "README.md links docs/timetable.md",
        "README.md wikilinks docs/harbour.md",
        "docs/lost.md wikilinks docs/harbour.md",
        "docs/timetable.md links README.md",
        "README.md mentions src/lib.rs",
        "README.md mentions web/table.ts",
        "docs/timetable.md mentions py/fares.py",
        "docs/timetable.md covers src/lib.rs",
        "docs/timetable.md covers src/ticket.rs",
        "docs/timetable.md covers src/tide.rs",
        "docs/timetable.md covers py/zones.py",
        "py/fares.py imports py/zones.py",
        "src/lib.rs imports src/ticket.rs",
        "src/lib.rs imports src/tide.rs",
        "src/ticket.rs imports src/tide.rs",
        "web/table.ts imports web/row.ts",
    ] {
        assert!(all.iter().any(|one| one == reference), "{reference} is not among {all:#?}");
    }
    let covers = all.iter().filter(|one| one.contains(" covers ")).count();
    assert_eq!(covers, 4, "{all:#?}");
}

/// A link's target and what `covers:` names are told as what they are, not as mentions too.
#[test]
fn a_reference_is_told_once() {
    let all = references(&ferry(), &[]);
    for twice in ["README.md mentions docs/timetable.md", "docs/timetable.md mentions py/zones.py"]
    {
        assert!(!all.iter().any(|one| one == twice), "{twice} is among {all:#?}");
    }
}

#[test]
fn a_node_is_found_by_what_people_call_it() {
    let env = ferry();
    for (name, path) in [
        ("docs/timetable.md", "docs/timetable.md"),
        ("./docs/timetable.md", "docs/timetable.md"),
        ("DOCS/Timetable.md", "docs/timetable.md"),
        ("timetable.md", "docs/timetable.md"),
        ("timetable", "docs/timetable.md"),
        ("When it sails", "docs/timetable.md"),
        ("harbour rules", "docs/harbour.md"),
        ("tide.rs", "src/tide.rs"),
        ("py/fares.py", "py/fares.py"),
        ("table.ts", "web/table.ts"),
        ("old/lost", "old/lost.md"),
        ("Lost before", "old/lost.md"),
    ] {
        let output = graph(&env, &[name]);
        assert_eq!(output.code, Some(0), "{name}\n{output}");
        let first = output.stdout().lines().next().unwrap().to_owned();
        assert!(first.starts_with(&format!("{path}  ")), "{name} is {first}");
    }
}

/// As a path is completed by a shell.
#[test]
fn a_node_is_found_by_its_path_from_the_current_folder() {
    let env = ferry();
    env.write("src/README.md", "# Sources\n");
    env.write("README.md", "# All\n");
    for (folder, name, title) in [
        ("src", "README.md", "Sources"),
        ("src", "../README.md", "All"),
        ("src", "./README.md", "Sources"),
        (".", "README.md", "All"),
    ] {
        let output = env.run_in(folder, &["graph", name]);
        let first = output.stdout().lines().next().unwrap_or_default().to_owned();
        assert!(output.code == Some(0) && first.ends_with(title), "{folder} {name}\n{output}");
    }
}

#[test]
fn a_node_that_is_not_there_or_not_alone() {
    let env = ferry();
    snapshot!(graph(&env, &["lost.md"]), @"
    exit: 1
    --- stdout
    --- stderr
    `lost.md` is one of `docs/lost.md`, `old/lost.md`
    hint: give more of the path
    ");
    snapshot!(graph(&env, &["timtable.md"]), @"
    exit: 1
    --- stdout
    --- stderr
    there is no `timtable.md` here
    hint: did you mean `docs/timetable.md`, `web/table.ts`?
    ");
    for name in ["zzzzzz", "", " ", "../outside.md", "/etc/passwd", "docs", "docs/"] {
        for format in ["text", "json", "dot", "mermaid"] {
            let output = graph(&env, &["--format", format, name]);
            assert_eq!(output.code, Some(1), "{name:?} {format}\n{output}");
            assert!(output.stdout.is_empty(), "{name:?} {format}\n{output}");
            assert!(output.stderr().contains("there is no `"), "{name:?} {format}\n{output}");
        }
    }
}

#[test]
fn orphans_and_what_is_central() {
    let env = ferry();
    let text = graph(&env, &[]).stdout();
    let after = text.split_once("orphans (2)\n").unwrap_or_else(|| panic!("{text}")).1;
    let orphans: Vec<&str> = after.lines().map(str::trim).collect();
    assert_eq!(orphans, ["docs/lost.md  Lost", "old/lost.md  Lost before"]);
    // A page that everything leads to is central, whatever it was before.
    for number in 0..20 {
        env.write(format!("pages/p{number}.md"), "# Page\n\nAll of it is [[hub]].\n");
    }
    env.write("pages/hub.md", "# Hub\n\nThe middle of everything.\n");
    let text = graph(&env, &[]).stdout();
    let central = text.split_once("most central\n").unwrap().1;
    assert!(central.lines().next().unwrap().ends_with("pages/hub.md  Hub"), "{text}");
    assert!(central.contains("orphans (22)") && central.contains("and 2 more"), "{text}");
    let hub = graph(&env, &["hub"]).stdout();
    assert!(hub.contains("referred to by (20)"), "{hub}");
}

#[test]
fn the_graph_follows_the_files() {
    let env = ferry();
    assert!(references(&env, &["harbour"]).len() == 2);
    env.remove("docs/lost.md");
    assert_eq!(references(&env, &["harbour"]), ["README.md wikilinks docs/harbour.md"]);
    env.write("src/tide.rs", "use crate::ticket::Ticket;\npub struct Tide;\n");
    let tide = references(&env, &["src/tide.rs"]);
    assert!(tide.contains(&"src/tide.rs imports src/ticket.rs".to_owned()), "{tide:?}");
    env.rename("docs/harbour.md", "docs/port.md");
    let gone = graph(&env, &["harbour"]);
    assert_eq!(gone.code, Some(1), "{gone}");
}

#[test]
fn an_empty_repository_has_an_empty_graph() {
    let env = TestEnv::new();
    snapshot!(graph(&env, &[]), @"
    exit: 0
    --- stdout
    0 notes, 0 sources, 0 references

    orphans (0)
    --- stderr
    ");
    snapshot!(graph(&env, &["--format", "dot"]), @"
    exit: 0
    --- stdout
    digraph knowledge {
      rankdir=LR;
    }
    --- stderr
    ");
    snapshot!(graph(&env, &["--format", "mermaid"]), @"
    exit: 0
    --- stdout
    flowchart LR
    --- stderr
    ");
    assert_eq!(env.json(&["graph", "--json"]), Vec::<Value>::new());
}

/// Files whose names and titles try to be more than names and titles.
fn hostile() -> TestEnv {
    TestEnv::with(&[
        (
            "quote\"d.md",
            "---\ntitle: \"say \\\"hi\\\"]; n9 -> n8\"\n---\n[x](a%5Db.md) [b](bidi-%E2%80%AEgnp.md)\n",
        ),
        ("line\nfeed.md", "# Line\n\n[q](quote%22d.md)\n"),
        ("bidi-\u{202e}gnp.md", "# Bi\u{202e}di \"]-->n0 \u{1b}[31mred\n\n[a](a%5Db.md)\n"),
        ("a]b.md", "# A\n\n[m](--format.md)\n"),
        ("--format.md", "# Dashes\n\nNothing.\n"),
        ("semi;colon`tick|bar#hash.md", "# <script>alert(1)</script>\n\n[a](a%5Db.md)\n"),
        ("end\nsubgraph x\nclick n0 href \"javascript:1\".md", "# End\n\n[a](a%5Db.md)\n"),
    ])
}

#[test]
fn hostile_names_stay_names() {
    let env = hostile();
    for format in ["text", "dot", "mermaid"] {
        let output = graph(&env, &["--format", format]);
        assert_eq!(output.code, Some(0), "{output}");
        check_harmless(&output);
    }
    snapshot!(graph(&env, &["--format", "dot"]), @r#"
    exit: 0
    --- stdout
    digraph knowledge {
      rankdir=LR;
      n0 [label="--format.md", shape=note];
      n1 [label="a]b.md", shape=note];
      n2 [label="bidi-<U+202E>gnp.md", shape=note];
      n3 [label="end␊subgraph x␊click n0 href \"javascript:1\".md", shape=note];
      n4 [label="line␊feed.md", shape=note];
      n5 [label="quote\"d.md", shape=note];
      n6 [label="semi;colon`tick|bar#hash.md", shape=note];
      n1 -> n0 [label="links"];
      n2 -> n1 [label="links"];
      n3 -> n1 [label="links"];
      n4 -> n5 [label="links"];
      n5 -> n1 [label="links"];
      n5 -> n2 [label="links"];
      n6 -> n1 [label="links"];
    }
    --- stderr
    "#);
    snapshot!(graph(&env, &["--format", "mermaid"]), @r#"
    exit: 0
    --- stdout
    flowchart LR
      n0["--format.md"]
      n1["a#93;b.md"]
      n2["bidi-#60;U#43;202E#62;gnp.md"]
      n3["end␊subgraph#32;x␊click#32;n0#32;href#32;#34;javascript#58;1#34;.md"]
      n4["line␊feed.md"]
      n5["quote#34;d.md"]
      n6["semi#59;colon#96;tick#124;bar#35;hash.md"]
      n1 -->|links| n0
      n2 -->|links| n1
      n3 -->|links| n1
      n4 -->|links| n5
      n5 -->|links| n1
      n5 -->|links| n2
      n6 -->|links| n1
    --- stderr
    "#);
    let json = env.json(&["graph", "--json"]);
    let line = json!({"from": "line\nfeed.md", "to": "quote\"d.md", "reference": "links",
                      "line": 3});
    assert!(json.contains(&line), "{json:?}");
    assert_eq!(node(&json, "bidi-\u{202e}gnp.md")["kind"], "note");
}

#[test]
fn hostile_names_can_be_asked_for() {
    let env = hostile();
    for name in ["quote\"d.md", "line\nfeed.md", "bidi-\u{202e}gnp.md", "a]b", "--format.md"] {
        let output = env.run(&["graph", "--", name]);
        assert_eq!(output.code, Some(0), "{name:?}\n{output}");
        check_harmless(&output);
    }
    // What is asked for is as little to be trusted as what is there.
    for name in ["\u{1b}[31mred", "bi\u{202e}", "a\nb", "]\"]-->n0"] {
        let output = env.run(&["graph", "--", name]);
        assert_eq!(output.code, Some(1), "{name:?}\n{output}");
        check_harmless(&output);
    }
}

/// Neither links, wikilinks, imports nor `covers:` lead out of the repository.
#[test]
fn nothing_outside_is_a_node() {
    let env = TestEnv::with(&[
        (
            "links.md",
            "---\ncovers: [../outside.rs, /etc, '**/../..']\n---\n# Links\n\n\
             [a](../outside.md) [b](/etc/passwd) [c](%2e%2e/outside.md) [[../outside]]\n\
             [d](file:///etc/passwd) [e](https://example.org/) `../outside.rs` `/etc/passwd`\n\
             [f](sub/../../outside.md) [[/etc/passwd]] [g](a%00.md) [h](linked/outside.md)\n",
        ),
        ("pkg/up.py", "from ...outside import x\nimport outside\n"),
        ("pkg/up.rs", "#[path = \"../../outside.rs\"]\nmod outside;\n"),
        ("pkg/up.ts", "import x from \"../../outside\";\nimport y from \"/etc/passwd\";\n"),
        ("pkg/up.c", "#include \"../../outside.h\"\n#include \"/etc/passwd\"\n"),
        ("pkg/up.sh", "source ../../outside.sh\n. /etc/profile\n"),
    ]);
    for name in ["md", "rs", "ts", "py", "h", "sh"] {
        fs::write(env.outside().join(format!("outside.{name}")), "Outside.\n").unwrap();
    }
    std::os::unix::fs::symlink("..", env.path("linked")).unwrap();
    let lines = env.json(&["graph", "--json"]);
    let paths: Vec<&Value> = lines.iter().filter_map(|line| line.get("path")).collect();
    assert_eq!(paths, ["links.md", "pkg/up.c", "pkg/up.py", "pkg/up.rs", "pkg/up.sh", "pkg/up.ts"]);
    assert_eq!(references(&env, &[]), Vec::<String>::new());
}

/// A code span names a method by its type, however ordinary a word the type's name is.
#[test]
fn a_method_is_known_by_its_type() {
    let env = TestEnv::with(&[
        ("a.md", "# Sale\n\nAll of it is in `Ticket::sell()`.\n"),
        ("src/ticket.rs", "pub struct Ticket;\nimpl Ticket {\n    pub fn sell() {}\n}\n"),
    ]);
    assert_eq!(references(&env, &[]), ["a.md mentions src/ticket.rs"]);
}

/// Double brackets lead where Obsidian follows them, which is told by names, ends of paths and folders.
#[test]
fn links_of_a_vault_lead_where_obsidian_follows_them() {
    let env = TestEnv::with(&[
        (
            "en/Start.md",
            "# Start\n\n[[bob smith]] [[Plugins/Templates|t]] [[formulas#Part]] [[Link notes]]\n\
             ![[diagram.png|100]] ![[Icon.SVG#shape]] [[kept]] [page](Bases/Formulas.html)\n",
        ),
        ("en/People/Bob Smith.md", "# Bob\n"),
        ("en/Plugins/Templates.md", "# Templates\n"),
        ("en/Bases/Formulas.md", "# Formulas\n\n## Part\n"),
        ("en/links/Link notes.md", "# Link notes\n"),
        ("en/links/older/Link notes.md", "# Link notes as they were\n"),
        ("de/Formulas.md", "# Formeln\n"),
        ("en/Attachments/diagram.png", "x"),
        ("en/Attachments/icons/icon.svg", "x"),
        ("top/both.md", "# Two vaults\n\n[wrong](en/bases/formulas.md) [[ignored]] [[hidden]]\n"),
        ("out/ignored.md", "# Out\n"),
        ("en/.obsidian/hidden.md", "# Hidden\n"),
        ("scripts/kept.md", "# Kept\n"),
        (".gitignore", "/out\n"),
        (".elophanto/config.yaml", "knowledge:\n  roots: [en, de, top]\n"),
    ]);
    let found = env.json(&["doctor", "--json"]);
    let broken = found.iter().filter_map(|line| line["finding"].as_str());
    let broken: Vec<&str> = broken.filter(|it| it.ends_with("leads nowhere")).collect();
    assert_eq!(
        broken,
        [
            "top/both.md:3: link to `en/bases/formulas.md` leads nowhere",
            "top/both.md:3: link to `ignored` leads nowhere",
            "top/both.md:3: link to `hidden` leads nowhere",
        ]
    );
    assert_eq!(
        references(&env, &["Start"]),
        [
            "en/Start.md links en/Bases/Formulas.md",
            "en/Start.md wikilinks en/Bases/Formulas.md",
            "en/Start.md wikilinks en/People/Bob Smith.md",
            "en/Start.md wikilinks en/Plugins/Templates.md",
            "en/Start.md wikilinks en/links/Link notes.md",
            "en/Start.md wikilinks scripts/kept.md",
        ]
    );
}

/// What begins with `/` is an address of a site that is made of notes, and of its own repository a forge shows
/// the files that lie here.
#[test]
fn addresses_of_a_site_and_of_the_own_forge_lead_to_notes() {
    let env = TestEnv::with(&[
        (
            "content/guide/start.md",
            "# Start\n\n[a](/guide/channels) [b](/guide/channels/#part) [c](/reference/) [d](/tags/x)\n\
             [e](/either) ![f](/img/x.png) [g](/guide/gone.md)\n",
        ),
        ("content/guide/channels.md", "# Channels\n\n[a](/guide/start.html)\n"),
        ("content/reference/_index.md", "# Reference\n"),
        ("one/either.md", "# Either\n"),
        ("two/either.md", "# Or\n"),
        (
            "README.md",
            "# Read me\n\n[a](https://github.com/Acme/Sea/blob/main/content/guide/start.md#x)\n\
             [b](https://github.com/acme/other/blob/main/one/either.md) [c](/reference)\n",
        ),
    ]);
    env.git(&["remote", "add", "origin", "git@github.com:acme/sea.git"]);
    let found = env.json(&["doctor", "--json"]);
    let broken = found.iter().filter_map(|line| line["finding"].as_str());
    let broken: Vec<&str> = broken.filter(|it| it.ends_with("leads nowhere")).collect();
    assert_eq!(broken, ["content/guide/start.md:4: link to `/guide/gone.md` leads nowhere"]);
    env.ok(&["scan"]);
    let questions = env.json(&["scan", "--list", "--json"]);
    let asked = questions.iter().filter(|line| line["kind"] == "broken_link");
    assert_eq!(asked.count(), 1, "{questions:?}");
    assert_eq!(
        references(&env, &[]),
        [
            "README.md links content/guide/start.md",
            "README.md links content/reference/_index.md",
            "content/guide/channels.md links content/guide/start.md",
            "content/guide/start.md links content/guide/channels.md",
            "content/guide/start.md links content/reference/_index.md",
        ]
    );
}

/// People are told the first broken links, programs all of them.
#[test]
fn programs_are_told_of_every_broken_link() {
    let text: String = (0..12).map(|number| format!("[x](gone-{number}.md)\n")).collect();
    let env = TestEnv::with(&[("a.md", &text)]);
    let told = env.run(&["doctor"]).stdout();
    assert!(told.contains("gone-9.md") && !told.contains("gone-10.md"), "{told}");
    assert!(
        told.contains("! 2 more links lead nowhere\n  mend: elophanto doctor --json"),
        "{told}"
    );
    let all = env.run(&["doctor", "--json"]).stdout();
    assert!(all.contains("gone-11.md") && !all.contains("more links"), "{all}");
}
