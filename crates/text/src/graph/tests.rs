use proptest::prelude::*;

use super::*;

fn note(path: &str, title: &str) -> Node {
    Node { path: path.into(), title: title.into(), kind: NodeKind::Note }
}

fn source(path: &str) -> Node {
    Node { path: path.into(), title: String::new(), kind: NodeKind::Source }
}

fn edge(from: usize, to: usize, kind: EdgeKind, line: Option<usize>) -> Edge {
    Edge { from, to, kind, line }
}

fn sample() -> Graph {
    let nodes = vec![
        note("README.md", "Otters"),
        note("docs/http.md", "The HTTP client"),
        note("docs/retry.md", "Retry"),
        source("src/http/retry.rs"),
        source("src/http/mod.rs"),
        note("docs/alone.md", "Alone"),
        note("guide/retry.md", "Retries in use"),
    ];
    Graph::new(
        nodes,
        [
            edge(0, 1, EdgeKind::Link, Some(9)),
            edge(0, 1, EdgeKind::Link, Some(3)),
            edge(0, 1, EdgeKind::Link, None),
            edge(0, 1, EdgeKind::Mention, Some(3)),
            edge(1, 2, EdgeKind::WikiLink, None),
            edge(2, 3, EdgeKind::Covers, Some(2)),
            edge(4, 3, EdgeKind::Import, Some(1)),
            edge(1, 1, EdgeKind::Link, Some(1)),
            edge(1, 7, EdgeKind::Link, Some(1)),
            edge(9, 1, EdgeKind::Link, Some(1)),
            edge(1, 6, EdgeKind::Link, Some(4)),
        ],
    )
}

#[test]
fn repeats_loops_and_numbers_of_no_node_are_dropped() {
    let graph = sample();
    assert_eq!(
        graph.edges(),
        [
            edge(0, 1, EdgeKind::Link, Some(3)),
            edge(0, 1, EdgeKind::Mention, Some(3)),
            edge(1, 2, EdgeKind::WikiLink, None),
            edge(1, 6, EdgeKind::Link, Some(4)),
            edge(2, 3, EdgeKind::Covers, Some(2)),
            edge(4, 3, EdgeKind::Import, Some(1)),
        ]
    );
    let neighbours = graph.neighbours(1);
    assert_eq!(neighbours.outgoing, &graph.edges()[2..4]);
    assert_eq!(neighbours.incoming, &graph.edges()[..2]);
    let from: Vec<usize> = graph.neighbours(3).incoming.iter().map(|edge| edge.from).collect();
    assert_eq!(from, [2, 4]);
    for node in [0, 7, usize::MAX] {
        assert_eq!(graph.neighbours(node).incoming, []);
    }
    assert_eq!(graph.neighbours(7).outgoing, []);
}

#[test]
fn orphans_are_notes_that_nobody_opens_first() {
    assert_eq!(sample().orphans(), [5]);
    for (path, is_orphan) in [
        ("a/README.md", false),
        ("readme.de.md", false),
        ("Index.md", false),
        ("CHANGELOG.md", false),
        ("CONTRIBUTING.md", false),
        ("LICENSE-MIT.md", false),
        ("AGENTS.md", false),
        ("CLAUDE.md", false),
        ("readme/a.md", true),
        ("index-design.md", true),
        ("changelogs.md", true),
    ] {
        let graph = Graph::new(vec![note(path, ""), source("a.rs")], []);
        assert_eq!(!graph.orphans().is_empty(), is_orphan, "{path}");
    }
}

#[test]
fn what_is_referred_to_most_is_most_central() {
    let nodes = (0..4).map(|number| source(&format!("{number}"))).collect::<Vec<_>>();
    let links = |mention| {
        [
            edge(0, 2, mention, None),
            edge(0, 3, EdgeKind::Link, None),
            edge(1, 3, EdgeKind::Link, None),
        ]
    };
    let central = |mention| Graph::new(nodes.clone(), links(mention)).central(3);
    let by_link = central(EdgeKind::Link);
    assert_eq!(by_link.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [3, 2, 0]);
    // Of the share of 0 a link takes half beside another link, a mention a third.
    let by_mention = central(EdgeKind::Mention);
    let base = by_mention[2].1;
    assert!((by_link[1].1 / by_link[2].1 - (1.0 + 0.85 / 2.0)).abs() < 1e-6);
    assert!((by_mention[1].1 / base - (1.0 + 0.85 / 3.0)).abs() < 1e-6);
    // A link that is a mention too weighs as a link.
    let both = [links(EdgeKind::Link), links(EdgeKind::Mention)].concat();
    assert_eq!(Graph::new(nodes.clone(), both).central(3), by_link);
    assert_eq!(Graph::default().central(5), []);
}

#[test]
fn a_known_graph_has_its_known_ranks() {
    // Two nodes that refer to each other and one that refers to the first: solved by hand.
    let nodes = vec![source("a"), source("b"), source("c")];
    let link = |from, to| edge(from, to, EdgeKind::Link, None);
    let ranks = Graph::new(nodes, [link(0, 1), link(1, 0), link(2, 0)]).ranks();
    let c = 0.05;
    let a = (0.05 + 0.85 * 0.05 + 0.85 * c) / (1.0 - 0.85 * 0.85);
    let expected = [a, 0.05 + 0.85 * a, c];
    // The slowest part shrinks by 0.85 a round, so 50 rounds leave less than 0.85^50.
    for (rank, expected) in ranks.iter().zip(expected) {
        assert!((rank - expected).abs() < 3e-4, "{ranks:?} {expected}");
    }
}

#[test]
fn a_node_is_found_by_what_people_call_it() {
    let graph = sample();
    for (name, expected) in [
        ("docs/http.md", Found::Exact(1)),
        (" ./docs/http.md ", Found::Exact(1)),
        ("DOCS/HTTP.md", Found::Exact(1)),
        ("http.md", Found::Exact(1)),
        ("http", Found::Exact(1)),
        ("docs/retry", Found::Exact(2)),
        ("the http client", Found::Exact(1)),
        ("http/mod.rs", Found::Exact(4)),
        ("retry.md", Found::Ambiguous(vec![2, 6])),
        ("retry", Found::Ambiguous(vec![2, 6, 3])),
        ("retries in use", Found::Exact(6)),
        ("otters", Found::Exact(0)),
        ("", Found::Unknown { like: vec![] }),
        ("zzzzz", Found::Unknown { like: vec![] }),
    ] {
        assert_eq!(graph.find(name), expected, "{name}");
    }
    for (name, first) in
        [("oters", 0), ("retries in us", 6), ("alnoe", 5), ("docs/htp", 1), ("ttp.md", 1)]
    {
        let Found::Unknown { like } = graph.find(name) else { panic!("{name} is known") };
        assert_eq!(like.first(), Some(&first), "{name}");
    }
    let twins = Graph::new(vec![note("A.md", ""), note("a.md", "")], []);
    assert_eq!(twins.find("a.md"), Found::Exact(1));
    assert_eq!(twins.find("A.MD"), Found::Ambiguous(vec![0, 1]));
    let many = (0..100).map(|number| note(&format!("{number}/a.md"), "")).collect();
    assert!(matches!(Graph::new(many, []).find("a"), Found::Ambiguous(all) if all.len() == 20));
}

fn kinds() -> impl Strategy<Value = EdgeKind> {
    proptest::sample::select(EdgeKind::ALL.to_vec())
}

fn edges(count: usize) -> impl Strategy<Value = Vec<Edge>> {
    let one = (0..count + 2, 0..count + 2, kinds(), proptest::option::of(1usize..9));
    proptest::collection::vec(
        one.prop_map(|(from, to, kind, line)| edge(from, to, kind, line)),
        0..60,
    )
}

proptest! {
    #[test]
    fn ranks_are_shares_and_do_not_depend_on_numbers(
        (edges, order) in (1usize..20).prop_flat_map(|count| {
            (edges(count), Just((0..count).collect::<Vec<usize>>()).prop_shuffle())
        }),
    ) {
        let nodes: Vec<Node> = (0..order.len()).map(|n| source(&format!("{n}"))).collect();
        let graph = Graph::new(nodes.clone(), edges.clone());
        let ranks = graph.ranks();
        prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(ranks.iter().all(|rank| *rank > 0.0));

        // `order` says which old node stands at each new number.
        let shuffled_nodes: Vec<Node> = order.iter().map(|old| nodes[*old].clone()).collect();
        let new = |old: usize| order.iter().position(|node| *node == old).unwrap_or(old);
        let shuffled_edges = edges.iter().rev().map(|edge| Edge {
            from: new(edge.from), to: new(edge.to), ..*edge
        });
        let shuffled = Graph::new(shuffled_nodes, shuffled_edges);
        let by_old: Vec<(usize, f64)> =
            shuffled.central(99).into_iter().map(|(node, rank)| (order[node], rank)).collect();
        prop_assert_eq!(by_old, graph.central(99));
        for drawn in [text, dot, mermaid] {
            prop_assert_eq!(drawn(&shuffled, None), drawn(&graph, None));
            prop_assert_eq!(drawn(&shuffled, Some(new(0))), drawn(&graph, Some(0)));
        }
    }

    #[test]
    fn both_directions_tell_the_same(edges in edges(8)) {
        let graph = Graph::new((0..8).map(|n| source(&format!("{n}"))).collect(), edges);
        let incoming: Vec<Edge> =
            (0..8).flat_map(|node| graph.neighbours(node).incoming.to_vec()).collect();
        prop_assert_eq!(incoming.len(), graph.edges().len());
        prop_assert!(incoming.iter().all(|edge| graph.edges().contains(edge)));
    }

    #[test]
    fn finding_holds_for_any_name(
        paths in proptest::collection::vec("(\\PC|[a./]){0,12}", 0..12),
        name in "(\\PC|[a./ ]){0,12}",
    ) {
        let graph = Graph::new(paths.iter().map(|path| note(path, path)).collect(), []);
        let known = |node: &usize| *node < paths.len();
        match graph.find(&name) {
            Found::Exact(node) => prop_assert!(known(&node)),
            Found::Ambiguous(nodes) => prop_assert!(nodes.len() > 1 && nodes.iter().all(known)),
            Found::Unknown { like } => prop_assert!(like.iter().all(known)),
        }
        let typed = |path: &&String| path.trim() == **path && !path.starts_with("./");
        for path in paths.iter().filter(|path| !path.is_empty()).filter(typed) {
            let first = paths.iter().position(|other| other == path).unwrap();
            prop_assert_eq!(graph.find(path), Found::Exact(first), "{:?}", path);
        }
    }
}
