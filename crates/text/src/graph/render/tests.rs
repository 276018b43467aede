use super::{super::Node, *};

fn node(path: &str, title: &str, kind: NodeKind) -> Node {
    Node { path: path.into(), title: title.into(), kind }
}

fn sample() -> Graph {
    let nodes = vec![
        node("src/retry.rs", "", NodeKind::Source),
        node("docs/http.md", "HTTP", NodeKind::Note),
        node("README.md", "Otters\u{202e}\n", NodeKind::Note),
        node("docs/alone.md", "", NodeKind::Note),
    ];
    let edge = |from, to, kind, line| Edge { from, to, kind, line };
    Graph::new(
        nodes,
        [
            edge(1, 0, EdgeKind::Covers, Some(2)),
            edge(1, 0, EdgeKind::Mention, None),
            edge(2, 1, EdgeKind::Link, Some(7)),
        ],
    )
}

#[test]
fn a_node_is_told_with_both_directions() {
    let expected = "\
docs/http.md  HTTP
  note

refers to (2)
  mentions
    src/retry.rs
  covers
    src/retry.rs (line 2)

referred to by (1)
  links
    README.md:7
";
    assert_eq!(text(&sample(), Some(1)), expected);
    assert_eq!(text(&sample(), Some(4)), "");
}

#[test]
fn the_whole_is_told_in_figures() {
    let expected = "\
3 notes, 1 source, 3 references
  links 1
  mentions 1
  covers 1

most central
  0.4005  src/retry.rs
  0.2880  docs/http.md  HTTP
  0.1557  README.md  Otters<U+202E>
  0.1557  docs/alone.md

orphans (1)
  docs/alone.md
";
    assert_eq!(text(&sample(), None), expected);
    let many = (10..33).map(|number| node(&format!("{number}.md"), "", NodeKind::Note));
    let told = text(&Graph::new(many.collect(), []), None);
    let (_, orphans) = told.split_once("\norphans (23)\n").unwrap();
    let lines: Vec<&str> = orphans.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!((lines[0], lines[19], lines[20]), ("  10.md", "  29.md", "  and 3 more"));
    let central: Vec<&str> = told.lines().filter(|line| line.starts_with("  0.0435  ")).collect();
    assert_eq!(central.len(), 10, "{told}");
    assert_eq!(text(&Graph::default(), None), "0 notes, 0 sources, 0 references\n\norphans (0)\n");
}

#[test]
fn pictures_show_everything_or_what_surrounds_a_node() {
    let expected = "\
digraph knowledge {
  rankdir=LR;
  n0 [label=\"README.md\", shape=note];
  n1 [label=\"docs/alone.md\", shape=note];
  n2 [label=\"docs/http.md\", shape=note];
  n3 [label=\"src/retry.rs\", shape=box];
  n0 -> n2 [label=\"links\"];
  n2 -> n3 [label=\"mentions\", style=dashed];
  n2 -> n3 [label=\"covers\"];
}
";
    assert_eq!(dot(&sample(), None), expected);
    let expected = "\
flowchart LR
  n0[\"docs/http.md\"]
  n1(\"src/retry.rs\")
  n0 -.->|mentions| n1
  n0 -->|covers| n1
  style n1 stroke-width:3px
";
    assert_eq!(mermaid(&sample(), Some(0)), expected);
    assert_eq!(mermaid(&sample(), Some(9)), "flowchart LR\n");
    assert!(dot(&sample(), Some(2)).contains("label=\"README.md\", shape=note, penwidth=2"));
}

#[test]
fn no_path_breaks_out_of_its_label() {
    for (path, in_dot, in_mermaid) in [
        ("a\"];b", "a\\\"];b", "a#34;#93;#59;b"),
        ("a\nb\r", "a␊b␍", "a␊b␍"),
        ("a\\", "a\\\\", "a#92;"),
        ("\u{202e}x\u{200b}", "<U+202E>x<U+200B>", "#60;U#43;202E#62;x#60;U#43;200B#62;"),
        (
            "%%{init}%% &amp;",
            "%%{init}%% &amp;amp;",
            "#37;#37;#123;init#125;#37;#37;#32;#38;amp#59;",
        ),
        ("`<b>#1", "`<b>#1", "#96;#60;b#62;#35;1"),
        ("日本/é-_.md", "日本/é-_.md", "日本/é-_.md"),
    ] {
        let graph = Graph::new(vec![node(path, "", NodeKind::Note)], []);
        let drawn = dot(&graph, None);
        assert!(drawn.contains(&format!("  n0 [label=\"{in_dot}\", shape=note];\n")), "{drawn}");
        assert_eq!(mermaid(&graph, None), format!("flowchart LR\n  n0[\"{in_mermaid}\"]\n"));
        assert_eq!(text(&graph, Some(0)).lines().next(), Some(visible(path).as_str()));
    }
}

#[test]
fn large_pictures_keep_the_most_central_and_say_so() {
    let count = 700;
    let nodes = (0..count).map(|number| node(&format!("{number:03}"), "", NodeKind::Source));
    // All refer to the last one and to the one before it.
    let edges = (0..count - 2)
        .flat_map(|from| [count - 1, count - 2].map(|to| (from, to)))
        .map(|(from, to)| Edge { from, to, kind: EdgeKind::Import, line: None });
    let graph = Graph::new(nodes.collect(), edges);
    let nodes = |drawn: &str| {
        drawn.lines().filter(|line| line.contains("[\"") || line.contains("(\"")).count()
    };
    let whole = mermaid(&graph, None);
    assert!(whole.contains("  %% 500 of 700 nodes: the most central ones\n"));
    assert_eq!(nodes(&whole), 500);
    assert!(whole.contains("(\"699\")") && whole.contains("(\"698\")"), "the most central");
    assert!(!whole.contains("(\"600\")"), "of equals the first by path are kept");
    let hub = mermaid(&graph, Some(count - 1));
    assert!(hub.contains("  %% 500 of 699 nodes"));
    assert!(hub.contains("(\"699\")"));
    assert!(dot(&graph, None).contains("  // 500 of 700 nodes: the most central ones\n"));
    assert!(text(&graph, Some(count - 1)).ends_with("    099\n    and 598 more\n"));

    let dense = (0..100).flat_map(|from| (0..100).map(move |to| (from, to)));
    let edges = dense.map(|(from, to)| Edge { from, to, kind: EdgeKind::Link, line: None });
    let nodes = (0..100).map(|number| node(&format!("{number:03}"), "", NodeKind::Note)).collect();
    let drawn = dot(&Graph::new(nodes, edges), None);
    assert!(drawn.contains("  // the first 5000 of 9900 references\n"));
    assert_eq!(drawn.matches(" -> ").count(), 5_000);
}
