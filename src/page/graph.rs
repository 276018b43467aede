//! How notes hang together: around one note, or all of them in groups; as a picture, and as a table.

use std::f64::consts::TAU;

use maud::{Markup, html};

use super::{Asked, Page, Tab, address::encoded, frame::pager, words};
use crate::wire::page::{GraphNodeWire, GraphWire};
use elophanto_app::{
    Error, Result,
    reading::{Cluster, Entry, Near, near},
};
use elophanto_base::{counted::counted, one_line::one_line};

/// Groups that are drawn, and that are listed on a page.
const DRAWN: usize = 40;
pub const ON_EACH: usize = 50;
/// Characters of a name in a picture.
const MOST_NAME: usize = 28;

pub fn page(asked: &Asked) -> Result<Page> {
    match asked.query.get("note") {
        Some(path) => match asked.catalogue.find(path) {
            Some(note) => around(asked, note),
            None => {
                let error = Error::new(format_args!("there is no note `{}`", words::line(path)))
                    .hint("the graph of all notes is under Graph");
                Ok(asked.missing(Tab::Graph, &error))
            }
        },
        None => whole(asked),
    }
}

fn entry<'a>(asked: &'a Asked<'_>, note: usize) -> Option<&'a Entry> {
    asked.catalogue.entries.get(note)
}

fn node<'a>(asked: &'a Asked<'_>, note: usize, notes: Option<usize>) -> Option<GraphNodeWire<'a>> {
    let entry = entry(asked, note)?;
    Some(GraphNodeWire { path: &entry.name, title: &entry.title, notes })
}

fn short(name: &str) -> String {
    let mut short = one_line(name, MOST_NAME);
    if short.len() < one_line(name, 2 * MOST_NAME).len() {
        short.push('\u{2026}');
    }
    short
}

fn around(asked: &Asked, note: usize) -> Result<Page> {
    let near = near(&asked.catalogue, note);
    let title = entry(asked, note).map(|it| it.title.clone()).unwrap_or_default();
    let twin = GraphWire {
        nodes: near.notes.iter().filter_map(|note| node(asked, *note, None)).collect(),
        edges: near.links.clone(),
        more: near.more,
    };
    asked.page(Tab::Graph, format!("Around {title}"), &twin, || html! {
        h1 { "Around " (words::line(&title)) }
        p.actions { a href=(asked.site.page("graph")) { "All notes" } }
        @if near.notes.len() < 2 { p { "Nothing is linked with it." } }
        @else {
            (picture_around(asked, &near))
            @if near.more > 0 { p.quiet { (near.more) " more are linked with it and not drawn." } }
            (table_around(asked, &near))
        }
    })
}

/// The note in the middle, the others around it.
fn picture_around(asked: &Asked, near: &Near) -> Markup {
    const WIDE: f64 = 900.0;
    const HIGH: f64 = 560.0;
    let others = near.notes.len() - 1;
    let place = |at: usize| {
        if at == 0 {
            return (WIDE / 2.0, HIGH / 2.0);
        }
        let angle = TAU * (at - 1) as f64 / others as f64 - TAU / 4.0;
        // Every other one stands further in, for the sake of their names.
        let share = if others > 14 && at.is_multiple_of(2) { 0.72 } else { 1.0 };
        (WIDE / 2.0 + 250.0 * share * angle.cos(), HIGH / 2.0 + 235.0 * share * angle.sin())
    };
    html! {
        figure.graph {
            figcaption.away { "A picture of the notes that are linked with this one. The table below says the same." }
            svg viewBox=(format!("0 0 {WIDE} {HIGH}")) aria-hidden="true" {
                @for (from, to) in &near.links {
                    @let (a, b) = (place(*from), place(*to));
                    line x1=(format!("{:.0}", a.0)) y1=(format!("{:.0}", a.1)) x2=(format!("{:.0}", b.0)) y2=(format!("{:.0}", b.1))
                        class=(if *from == 0 || *to == 0 { "own" } else { "other" }) {}
                }
                @for (at, note) in near.notes.iter().enumerate() {
                    @if let Some(entry) = entry(asked, *note) {
                        @let (x, y) = place(at);
                        @let is_left = x < WIDE / 2.0 - 1.0;
                        a href=(format!("{}?note={}", asked.site.page("graph"), encoded(&entry.name))) tabindex="-1" {
                            circle cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r=(if at == 0 { "11" } else { "7" }) class=(if at == 0 { "own" } else { "other" }) {}
                            text x=(format!("{:.0}", if at == 0 { x } else if is_left { x - 12.0 } else { x + 12.0 }))
                                y=(format!("{:.0}", if at == 0 { y - 18.0 } else { y + 4.0 }))
                                text-anchor=(if at == 0 { "middle" } else if is_left { "end" } else { "start" }) { (words::line(&short(&entry.title))) }
                        }
                    }
                }
            }
        }
    }
}

fn table_around(asked: &Asked, near: &Near) -> Markup {
    let has = |from: usize, to: usize| near.links.contains(&(from, to));
    html! {
        h2 { "The same as a table" }
        (super::frame::table("Linked notes", None, &["Note", "Links", "Path"], &html! {
            tbody data-list {
                @for (at, note) in near.notes.iter().enumerate().skip(1) {
                    @if let Some(entry) = entry(asked, *note) {
                        tr {
                            td { a href=(asked.site.note(&entry.name)) { (words::line(&entry.title)) } }
                            td { (match (has(0, at), has(at, 0)) { (true, true) => "both ways", (true, false) => "from it", _ => "to it" }) }
                            td { bdi { (words::line(&entry.name)) } }
                        }
                    }
                }
            }
        }))
    }
}

fn whole(asked: &Asked) -> Result<Page> {
    let (clusters, alone) = asked.catalogue.clusters();
    let first = (asked.query.page() - 1) * ON_EACH;
    let group = |cluster: &Cluster| {
        cluster.notes.first().and_then(|note| node(asked, *note, Some(cluster.notes.len())))
    };
    let edges = (0..).zip(clusters).flat_map(|(one, cluster): (usize, _)| {
        cluster.others.iter().filter(move |(two, _)| one < *two).map(move |(two, _)| (one, *two))
    });
    let twin = GraphWire {
        nodes: clusters.iter().filter_map(group).collect(),
        edges: edges.collect(),
        more: *alone,
    };
    asked.page(Tab::Graph, "Graph", &twin, || html! {
        h1 { "Graph" }
        p {
            (counted(asked.catalogue.references().len(), "link")) " between " (counted(asked.catalogue.entries.len() - alone, "note"))
            ", in " (counted(clusters.len(), "group")) " of notes that are linked more with one another than with others. "
            "Without a link: " (words::number(*alone)) "."
        }
        @if !clusters.is_empty() {
            (picture_of(asked, clusters))
            h2 { "The same as a table" }
            (super::frame::table("Groups of notes", None, &["Most linked note", "Notes", "Links within", "Others in it"], &html! {
                tbody data-list { @for cluster in clusters.iter().skip(first).take(ON_EACH) { (row(asked, cluster)) } }
            }))
            (pager(asked, &asked.site.page("graph"), clusters.len(), ON_EACH))
        }
    })
}

fn row(asked: &Asked, cluster: &Cluster) -> Markup {
    html! {
        @if let Some(entry) = cluster.notes.first().and_then(|note| entry(asked, *note)) {
            tr {
                td { a href=(if asked.site.is_export { asked.site.note(&entry.name) } else { format!("{}?note={}", asked.site.page("graph"), encoded(&entry.name)) }) { (words::line(&entry.title)) } }
                td.number { (words::number(cluster.notes.len())) }
                td.number { (words::number(cluster.links)) }
                td {
                    @for (at, note) in cluster.notes.iter().skip(1).take(4).enumerate() {
                        @if let Some(entry) = self::entry(asked, *note) { @if at > 0 { ", " } a href=(asked.site.note(&entry.name)) { (words::line(&short(&entry.title))) } }
                    }
                }
            }
        }
    }
}

/// Groups as circles on a spiral, the largest in the middle.
fn picture_of(asked: &Asked, clusters: &[Cluster]) -> Markup {
    const GOLDEN: f64 = 2.399_963_23;
    let drawn: Vec<&Cluster> = clusters.iter().take(DRAWN).collect();
    let most = drawn.first().map_or(1, |it| it.notes.len()).max(1) as f64;
    let radius = |cluster: &Cluster| 6.0 + 32.0 * (cluster.notes.len() as f64 / most).sqrt();
    let place = |at: usize| {
        let far = 92.0 * (at as f64).sqrt();
        let angle = at as f64 * GOLDEN;
        (1.25 * far * angle.cos(), far * angle.sin())
    };
    let wide = 92.0 * (drawn.len() as f64 - 1.0).max(1.0).sqrt() + 70.0;
    let heaviest = drawn.iter().flat_map(|it| &it.others).map(|it| it.1).max().unwrap_or(1) as f64;
    html! {
        figure.graph {
            svg viewBox=(format!("{:.0} {:.0} {:.0} {:.0}", -1.25 * wide, -wide, 2.5 * wide, 2.0 * wide)) aria-hidden="true" {
                @for (one, cluster) in drawn.iter().enumerate() {
                    @for (two, links) in cluster.others.iter().filter(|(two, _)| one < *two && *two < drawn.len()) {
                        @let (a, b) = (place(one), place(*two));
                        line.other x1=(format!("{:.0}", a.0)) y1=(format!("{:.0}", a.1)) x2=(format!("{:.0}", b.0)) y2=(format!("{:.0}", b.1))
                            stroke-width=(format!("{:.1}", 0.5 + 3.5 * *links as f64 / heaviest)) {}
                    }
                }
                @for (at, cluster) in drawn.iter().enumerate() {
                    @if let Some(entry) = cluster.notes.first().and_then(|note| entry(asked, *note)) {
                        @let (x, y) = place(at);
                        a href=(if asked.site.is_export { asked.site.note(&entry.name) } else { format!("{}?note={}", asked.site.page("graph"), encoded(&entry.name)) }) tabindex="-1" {
                            circle.other cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r=(format!("{:.0}", radius(cluster))) {}
                            @if at < 16 { text x=(format!("{x:.0}")) y=(format!("{:.0}", y + radius(cluster) + 14.0)) text-anchor="middle" { (words::line(&short(&entry.title))) } }
                        }
                    }
                }
            }
            figcaption.quiet {
                "Groups of notes, the larger the more notes are in them"
                @if clusters.len() > DRAWN { "; the " (DRAWN) " largest of " (words::number(clusters.len())) }
                ". The table below says the same."
            }
        }
    }
}
